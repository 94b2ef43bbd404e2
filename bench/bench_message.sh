#!/bin/sh
# What the recorder adds to a message: bench_message.sh BUILD [MPIRUN]. Messages
# of 8 bytes there and back between two processes, alone and recorded, in
# turns; the medians. With it the bytes of a trace for each call of a loop.
set -eu
build=$(cd "$1" && pwd) mpirun=${2:-mpirun.openmpi}
work=$(mktemp -d /dev/shm/pario-bench.XXXXXX)
trap 'rm -rf "$work"' EXIT
root=
[ "$(id -u)" -ne 0 ] || [ "${mpirun#*openmpi}" = "$mpirun" ] ||
    root=--allow-run-as-root
run() { timeout -k 5 60 "$mpirun" $root -n 2 env "$@" "$build/bench/bench_message"; }
for i in 1 2 3 4 5 6 7; do
    run >>"$work/alone"
    rm -rf "$work/t" "$work/t.spool"
    run PARIO_RECORD="$work/t" PARIO_RECORD_BELOW="$work" \
        LD_PRELOAD="$build/lib/libpariorecord.so" >>"$work/recorded"
done
median() { sort -n "$1" | sed -n 4p; }
echo "message: $(median "$work/alone") ns alone," \
    "$(median "$work/recorded") ns recorded;" \
    "$(stat -c %s "$work/t") bytes for a trace of 1600000 calls"
for i in 1 2 3; do
    for kind in strided random; do
        rm -rf "$work/t" "$work/t.spool"
        "$build/bin/pario" record -o "$work/t" --below "$work" -- \
            "$build/bench/bench_record" $kind "$work/a" >/dev/null 2>&1
        echo "$kind: $(stat -c %s "$work/t") bytes for 2000000 calls of pwrite"
    done
done
