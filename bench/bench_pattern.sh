#!/bin/sh
# `pario pattern` beside IOR and fio: the same work in turns, medians and their
# ratio (above 1: pario is faster), and the ratio of the best rounds, which says
# more where other programs disturb. Contenders that are not installed are left
# out; IOR names another one than that in PATH.
# usage: [ROUNDS=5] [IOR=ior] bench_pattern.sh PARIO DIR
set -eu
pario=$1
dir=$(mktemp -d "$2/pario-peers.XXXXXX")
trap 'rm -rf "$dir"' EXIT INT TERM
rounds=${ROUNDS:-5}
ior=${IOR:-ior}

# MB/s of write and read, one line.
run_pario() {
    rm -f "$dir/r.json"
    "$pario" pattern --quiet --output "$dir/r.json" "$@" "$dir" 2>/dev/null
    python3 -c 'import json, sys
print(*[round(m["bandwidth_mbps"], 2) for m in json.load(open(sys.argv[1]))["measures"]])' "$dir/r.json"
}
run_ior() {
    "$ior" "$@" -o "$dir/ior" 2>/dev/null |
        awk '$1 == "write" || $1 == "read" { if (!seen[$1]++) printf "%.2f ", $2 * 1.048576 }
             END { print "" }'
}
run_fio() {
    fio --name=x --directory="$dir" --output-format=json "$@" >"$dir/fio.json" 2>/dev/null
    python3 -c 'import json, sys
for job in json.load(open(sys.argv[1]))["jobs"]:
    print(*[round(job[d]["io_bytes"] / job[d]["runtime"] / 1e3, 2) for d in ("write", "read") if job[d]["runtime"]])' "$dir/fio.json"
    rm -f "$dir"/x.*
}
compare() { # NAME PEER OWN-FILE PEER-FILE
    python3 - "$@" <<'END'
import statistics, sys
own, peer = ([[float(x) for x in line.split()] for line in open(f)] for f in sys.argv[3:5])
for i in range(len(own[0])):
    a, b = (statistics.median(r[i] for r in runs) for runs in (own, peer))
    best = max(r[i] for r in own) / max(r[i] for r in peer)
    kind = "" if len(own[0]) == 1 else (" write", " read")[i]
    print(f"{sys.argv[1]}{kind}: pario {a:.0f} MB/s, {sys.argv[2]} {b:.0f} MB/s, ratio {a / b:.3f}, of the best {best:.3f}")
END
}
# turns NAME PEER "OPTIONS OF PARIO" "OPTIONS OF THE PEER"
turns() {
    : >"$dir/own"
    : >"$dir/peer"
    for r in $(seq "$rounds"); do
        run_pario $3 >>"$dir/own"
        "run_$2" $4 >>"$dir/peer"
    done
    compare "$1" "$2" "$dir/own" "$dir/peer"
}

size=${SIZE:-256m}
if command -v "$ior" >/dev/null; then
    turns "1 MiB in order" ior "-w -r -F -b $size -t 1m --verify off" \
        "-a POSIX -w -r -F -b $size -t 1m"
    turns "4 KiB in order" ior "-w -r -F -b 64m -t 4k --verify off" \
        "-a POSIX -w -r -F -b 64m -t 4k"
    turns "4 KiB shuffled" ior "-w -r -F -z -b 64m -t 4k --verify off" \
        "-a POSIX -w -r -F -z -b 64m -t 4k"
    turns "1 MiB in order, durable" ior "-w -F -b $size -t 1m -e --verify off" \
        "-a POSIX -w -F -b $size -t 1m -e"
fi
if command -v fio >/dev/null; then
    turns "4 KiB write" fio "-w -F -b 64m -t 4k" "--rw=write --bs=4k --size=64m --ioengine=psync --fallocate=none"
    turns "4 KiB random read" fio "-r -F -z -b 64m -t 4k" \
        "--rw=randread --bs=4k --size=64m --ioengine=psync --invalidate=0"
    if [ -n "${DIRECT:-}" ]; then
        turns "4 KiB random read, O_DIRECT, 16 under way" fio \
            "-r -F -z -B -a uring --queue-depth 16 -b 64m -t 4k" \
            "--rw=randread --bs=4k --size=64m --ioengine=io_uring --iodepth=16 --direct=1"
        turns "1 MiB write, O_DIRECT" fio "-w -F -B -b $size -t 1m" \
            "--rw=write --bs=1m --size=$size --ioengine=psync --direct=1 --fallocate=none"
    fi
fi
