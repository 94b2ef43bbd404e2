#!/bin/sh
# `pario io500` beside IO500 itself: the same phases and sizes in turns, each
# first in every other round; medians and their ratio (above 1: pario is faster),
# and the least and most of each. Nothing is fetched: IO500 names the program,
# built with the same MPI library.
# DROP=1: both drop the caches between phases (as root).
# usage: [ROUNDS=3] [NP=2] [IO500=io500] [STONEWALL=5] [EASY_SIZE=1g]
#        [SEGMENTS=10000] [EASY_FILES=50000] [HARD_FILES=20000] [DROP=]
#        [MPIRUN=mpirun] bench_io500.sh PARIO DIR
set -eu
pario=$1
dir=$(mktemp -d "$2/pario-io500.XXXXXX")
trap 'rm -rf "$dir"' EXIT INT TERM
io500=${IO500:-io500}
command -v "$io500" >/dev/null || {
    echo "IO500 itself is not there: nothing to compare with (IO500=PATH)"
    exit 0
}
n=${NP:-2}
wall=${STONEWALL:-5}
root=
[ "$(id -u)" -ne 0 ] || root=--allow-run-as-root
${MPIRUN:-mpirun} --version 2>&1 | grep -qi 'open.*mpi' || root=
drop=FALSE cold=
[ -z "${DROP:-}" ] || drop=TRUE cold=--cold

echo 'sync; echo 3 >/proc/sys/vm/drop_caches' >"$dir/drop"
cat >"$dir/io500.ini" <<END
[global]
datadir = $dir/data
timestamp-datadir = FALSE
resultdir = $dir/results
timestamp-resultdir = FALSE
drop-caches = $drop
drop-caches-cmd = sh $dir/drop
[debug]
stonewall-time = $wall
[ior-easy]
blockSize = ${EASY_SIZE:-1g}
[ior-hard]
segmentCount = ${SEGMENTS:-10000}
[mdtest-easy]
n = ${EASY_FILES:-50000}
[mdtest-hard]
n = ${HARD_FILES:-20000}
END

# PHASE VALUE SECONDS, a line for each phase.
run_own() {
    rm -f "$dir/r.json"
    # shellcheck disable=SC2086
    "$pario" -n "$n" io500 --quiet -D "$wall" $cold \
        --easy-size "${EASY_SIZE:-1g}" --hard-segments "${SEGMENTS:-10000}" \
        --easy-files "${EASY_FILES:-50000}" \
        --hard-files "${HARD_FILES:-20000}" --output "$dir/r.json" "$dir" \
        >"$dir/log" 2>&1 || { cat "$dir/log" >&2; exit 1; }
    python3 - "$dir/r.json" <<'PY'
import json, sys
for m in json.load(open(sys.argv[1]))["measures"]:
    if m["error"]:
        print(f"pario: {m['test']} {m['access']}: {m['error']}", file=sys.stderr)
    rate = m["bytes"] / 2**30 if m["test"].startswith("ior") else m["operations"] / 1e3
    name = m["test"] if m["test"] == "find" else m["test"] + "-" + m["access"]
    print(name, rate / m["seconds"], m["seconds"])
PY
}
run_peer() {
    rm -rf "$dir/data" "$dir/results"
    # shellcheck disable=SC2086
    ${MPIRUN:-mpirun} $root -n "$n" "$io500" "$dir/io500.ini" \
        >"$dir/log" 2>&1 || { cat "$dir/log" >&2; exit 1; }
    grep INVALID "$dir/results/result_summary.txt" |
        grep -v '^\[SCORE' >&2 || :
    sed -n 's/^\[[^]]*\] *\([a-z-]*\) *\([0-9.]*\) [a-zA-Z/]* : time \([0-9.]*\) .*/\1 \2 \3/p' \
        "$dir/results/result_summary.txt" | grep -v timestamp
    rm -rf "$dir/data"
}
: >"$dir/own"
: >"$dir/peer"
for round in $(seq "${ROUNDS:-3}"); do
    if [ $((round % 2)) -eq 1 ]; then
        run_own >>"$dir/own"
        run_peer >>"$dir/peer"
    else
        run_peer >>"$dir/peer"
        run_own >>"$dir/own"
    fi
done
python3 - "$dir/own" "$dir/peer" <<'PY'
import collections, statistics, sys
runs = []
for path in sys.argv[1:]:
    values = collections.defaultdict(list)
    for line in open(path):
        name, value, seconds = line.split()
        values[name].append((float(value), float(seconds)))
    runs.append(values)
own, peer = runs
print("pario io500 over IO500: medians (least - most), seconds of pario's phase")
for name in own:
    if name not in peer:
        continue
    (a, sa), (b, _) = ([list(x) for x in zip(*values[name])] for values in runs)
    unit = "GiB/s" if name.startswith("ior") else "kIOPS"
    print(f"{name:18} {statistics.median(a):9.3f} ({min(a):.3f} - {max(a):.3f})  "
          f"IO500 {statistics.median(b):9.3f} ({min(b):.3f} - {max(b):.3f}) {unit}  "
          f"ratio {statistics.median(a) / statistics.median(b):.3f}  {statistics.median(sa):.2f} s")
PY
