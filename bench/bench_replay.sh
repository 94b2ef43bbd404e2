#!/bin/sh
# Replays beside what they replay: bench_replay.sh BUILD DIR [original|asap].
# Times with the original pauses, and the bandwidth of a suite and of its
# replay, taking turns.
set -eu
build=$(cd "$1" && pwd)
work=$(mktemp -d "$2/pario-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
pario=$build/bin/pario
cd "$work"
mkdir target again
value() { # NAME FILE: of a document's summary or first measure
    python3 -c 'import json, sys
document = json.load(open(sys.argv[2]))
value = document["summary"].get(sys.argv[1])
print(value if value is not None else document["measures"][0][sys.argv[1]])' "$1" "$2"
}

original() { # NAME N COMMAND...
    name=$1 n=$2
    shift 2
    for i in 1 2 3; do
        rm -rf t target/*
        "$pario" -n "$n" record -o t --below target -- "$@" >out 2>&1 ||
            { cat out; exit 1; }
        "$pario" -n "$n" replay -q --force --timing original --output r.json t again \
            >out 2>&1 || { cat out; exit 1; }
        echo "$name $(value replay_s r.json) $(value recorded_s r.json)"
    done
}
[ "${3:-original}" != original ] || {
    echo "== --timing original: replay_s / recorded_s"
    original bursts 1 "$build/bin/recorder_program" bursts target
    original bt 2 "$pario" nht app -q --class W --steps 60 --tc 1 --mode full \
        --force --output n.json target
    original bt-long 2 "$pario" nht app -q --class A --steps 80 --tc 1 \
        --mode full --force --output n.json target
    original pattern 2 "$pario" pattern -q --force -a mpiio -b 256M -t 64k \
        --output p.json target
} | awk '/^=/ { print; next } { printf "%s: %.3f / %.3f s = %.3f\n", $1, $2, $3, $2 / $3 }'

[ "${3:-asap}" = asap ] || exit 0
echo "== --timing asap: bandwidth of the replay / of pattern, median (min .. max)"
# Writes alone, nothing is read back, and the file stays: its removal would be
# a request of the trace, and is no part of the suite's figure.
asap() { # NAME N OPTION...
    name=$1 n=$2
    shift 2
    rm -rf t target/*
    "$pario" -n "$n" record -o t --below target -- "$pario" pattern -q -w \
        --verify off --keep --force "$@" --output p.json target >out 2>&1 ||
        { cat out; exit 1; }
    for i in 1 2 3 4 5 6 7; do
        rm -rf target/*
        "$pario" -n "$n" pattern -q -w --verify off --keep --force "$@" \
            --output p.json target >out 2>&1 || { cat out; exit 1; }
        "$pario" -n "$n" replay -q --verify off --force --output r.json t \
            again >out 2>&1 || { cat out; exit 1; }
        echo "$name $(value bandwidth_mbps p.json) $(value replay_mbps r.json)"
    done | awk '{ print $1, $3 / $2 }' | sort -k2n |
        awk '{ r[NR] = $2 } END { printf "%s: %.3f (%.3f .. %.3f)\n", $1, r[4], r[1], r[7] }'
}
asap posix-64k 2 -a posix -b 128M -t 64k -e
asap posix-4k 2 -a posix -b 64M -t 4k -e
[ ! -e "$build/lib/libshipio.so" ] ||
    asap mpiio-collective 2 -a mpiio -c -b 1M -t 1M -s 64 -e
