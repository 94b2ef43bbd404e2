#!/bin/sh
# pario prio against fio in the same run, on the same pattern: psync and
# io_uring, 4 KiB and 1 MiB, in order and at random, reads and writes, on
# tmpfs and on a disk with O_DIRECT. Both tools take turns, the other one first
# in every second round; the median of each counts.
#
#   bench/bench_prio.sh PARIO DISK_DIR [TMPFS_DIR] [ROUNDS] [ONLY]
#
# ONLY: a regular expression that the case's name must match.
# Prints a Markdown table; status 1 if pario is more than 2 % slower anywhere.
set -eu
pario=$(realpath "$1")
disk=$2
tmpfs=${3:-/dev/shm}
rounds=${4:-5}
only=${5:-.}
seconds=0.5
size=256M
depth=8
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-prio.XXXXXX")
ours=$(mktemp -d "$disk/bench-prio.XXXXXX")
theirs=$(mktemp -d "$tmpfs/bench-prio.XXXXXX")
trap 'rm -rf "$work" "$ours" "$theirs"' EXIT
command -v fio >/dev/null || { echo "fio is not there" >&2; exit 77; }

run_fio() { # DIR ENGINE REQUEST RW DIRECT
    fio --name=bench --directory="$1" --filename=fio.file --ioengine="$2" \
        --bs="$3" --rw="$4" --direct="$5" --size=$size --time_based \
        --runtime=500ms --overwrite=1 --iodepth="$6" --thread --output-format=json \
        --invalidate=0 >"$work/fio.json"
    python3 -c 'import json, sys
job = json.load(open(sys.argv[1]))["jobs"][0]
print((job["read"]["bw_bytes"] + job["write"]["bw_bytes"]) / 1e6)' \
        "$work/fio.json"
}

run_pario() { # DIR METHOD REQUEST PATTERN RATIO DIRECT DEPTH
    cat >"$work/w.prio" <<WORKLOAD
[single_file]
data $size
request $3
methods $2
patterns $4
ratio $5
direct $6
$7
sync none
buffer reuse
time ${seconds}s
WORKLOAD
    (cd "$work" && "$pario" prio w.prio "$1" -q -o out.json --force)
    python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["measures"][0]["bandwidth_mbps"])' \
        "$work/out.json"
}

median() {
    sort -n "$1" | awk '{ v[NR] = $1 } END {
        print (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2 }'
}

one() { # NAME DIR DIRECT METHOD ENGINE REQUEST ORDER ACCESS
    echo "$1 $5 $6 $7 $8" | grep -qE "$only" || return 0
    rw=$8
    pattern=read_write
    if [ "$7" = random ]; then
        rw=rand$8
        pattern=random_read_write
    fi
    ratio=1:0
    [ "$8" = read ] || ratio=0:1
    iodepth=1
    extra=
    if [ "$4" = io_uring ]; then
        iodepth=$depth
        extra="depth $depth"
    fi
    : >"$work/a"
    : >"$work/b"
    i=0
    while [ $i -lt "$rounds" ]; do
        [ $((i % 2)) -eq 0 ] ||
            run_fio "$2" "$5" "$6" "$rw" "$3" "$iodepth" >>"$work/a"
        run_pario "$2" "$4" "$6" "$pattern" "$ratio" "$3" "$extra" >>"$work/b"
        [ $((i % 2)) -eq 1 ] ||
            run_fio "$2" "$5" "$6" "$rw" "$3" "$iodepth" >>"$work/a"
        i=$((i + 1))
    done
    rm -f "$2/fio.file"
    a=$(median "$work/a")
    b=$(median "$work/b")
    awk -v a="$a" -v b="$b" -v n="$1 | $5 | $6 | $7 $8" 'BEGIN {
        printf "| %s | %.0f | %.0f | %.2f |\n", n, a, b, b / a
        exit b < 0.98 * a }' || slower=$((slower + 1))
}

slower=0
echo "| target | engine | request | access | fio MB/s | pario MB/s | ratio |"
echo "|---|---|---|---|---|---|---|"
for access in read write; do
    for order in sequential random; do
        for request in 4k 1M; do
            for method in posix io_uring; do
                engine=$method
                [ $method = io_uring ] || engine=psync
                one tmpfs "$theirs" 0 $method $engine $request $order $access
                one "disk, O_DIRECT" "$ours" 1 $method $engine $request \
                    $order $access
            done
        done
    done
done
echo
echo "cases in which pario is more than 2 % slower: $slower"
[ "$slower" -eq 0 ]
