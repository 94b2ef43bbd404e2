#!/bin/sh
# Is `pario advise` right about native and shipio? bench_advise.sh BUILD DIR
# [RUNS [PROGRAM]]. Five programs whose answers are known: two that do a hundred
# times the work with one of the libraries, collective writes of 1 KiB pieces
# (shipio), a program without MPI-IO and one of large contiguous requests of
# processes of their own files (nothing to gain).
set -eu
build=$(cd "$1" && pwd) runs=${3:-10}
work=$(mktemp -d "$2/pario-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
pario=$build/bin/pario
cd "$work"
mkdir target
ask() { # NAME WANTED N COMMAND...
    name=$1 wanted=$2 n=$3
    shift 3
    [ -z "${only:-}" ] || [ "$only" = "$name" ] || return 0
    right=0
    for i in $(seq "$runs"); do
        rm -rf target/*
        PARIO_RECORD_BELOW=$work/target "$pario" -n "$n" advise -q \
            --no-settings --before "rm -rf $work/target/*" -- "$@" >out 2>err ||
            true
        answer=none
        if grep -q 'faster.* with shipio' out; then answer=shipio; fi
        if grep -q '^nothing\|calls of the C library\|no I/O' out; then
            answer=native
        fi
        if [ $answer = "$wanted" ]; then
            right=$((right + 1))
        else
            head -3 out err
        fi
    done
    echo "$name: $wanted in $right of $runs runs"
}
only=${4:-}
ask slow-native shipio 2 "$build/bin/recorder_mpi_program" slow-native target
ask slow-shipio native 2 "$build/bin/recorder_mpi_program" slow-shipio target
ask pieces shipio 4 "$build/bin/recorder_mpi_program" pieces target
ask posix native 1 "$build/bin/recorder_program" calls target
ask large native 2 "$pario" pattern -q -a mpiio -F -w -b 32M -t 8M \
    --verify off --force --output "$work/p.json" target
