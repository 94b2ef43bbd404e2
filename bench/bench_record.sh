#!/bin/sh
# What the recorder adds to a call: bench_record.sh BUILD. A loop of writes of
# 1 byte to a file in memory, alone and recorded, in turns; the medians.
set -eu
build=$1
work=$(mktemp -d /dev/shm/pario-bench.XXXXXX)
trap 'rm -rf "$work"' EXIT
loop=$build/bench/bench_record
for i in 1 2 3 4 5 6 7; do
    for kind in strided random; do
        "$loop" $kind "$work/a" >>"$work/alone.$kind"
        PARIO_RECORD=$work/t PARIO_RECORD_BELOW=$work \
            LD_PRELOAD=$build/lib/libpariorecord.so \
            "$loop" $kind "$work/a" >>"$work/recorded.$kind"
        rm -rf "$work/t.spool"
    done
done
median() { sort -n "$1" | sed -n 4p; }
for kind in strided random; do
    echo "$kind: $(median "$work/alone.$kind") ns alone," \
        "$(median "$work/recorded.$kind") ns recorded"
done
