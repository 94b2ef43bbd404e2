#!/bin/sh
# bench_tune.sh [-r RUNS] [-n PROCESSES] [-t TIME] [-y JOBS] [-c CHUNK] [-m WHOSE]
#     PARIO DIR
# Does `pario tune` find a good setting? For type 0 at 1 KiB, 4 processes, ten
# searches of 3 minutes. The yardstick is every setting in the same number of
# jobs (10), none eliminated, once before the searches and once after them. A
# search's share is its setting's median in both yardsticks over that of the
# best setting of the MPI libraries themselves (ROMIO's and OMPIO's; shipio's
# are not in that list, so a share may be above 1) and over the best of all.
# -m native leaves shipio out of it.
# Wanted: at least 0.90 of the list's best in 9 of 10 runs.
# Takes RUNS x TIME and about 6 minutes for each yardstick; wants a quiet
# machine and the directory in memory.
set -eu
runs=10 processes=4 time=180 jobs=10 chunk=1024 whose=auto
while getopts r:n:t:y:c:m: letter; do
    case $letter in
    r) runs=$OPTARG ;;
    n) processes=$OPTARG ;;
    t) time=$OPTARG ;;
    y) jobs=$OPTARG ;;
    c) chunk=$OPTARG ;;
    m) whose=$OPTARG ;;
    *) sed -n 's/^# \{0,1\}//p' "$0" | sed -n 2,14p >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 2 ] || { echo "usage: $0 [-r RUNS] ... PARIO DIR" >&2; exit 2; }
pario=$1 dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
tune() { # RESULT ARGUMENTS...
    result=$1
    shift
    "$pario" -n "$processes" tune --type 0 --chunk "$chunk" --mpiio "$whose" \
        --hints-file "$work/hints" --output "$work/$result" --force "$@" "$dir" \
        >"$work/out" || { cat "$work/out"; exit 1; }
}
echo "$("$pario" --version | sed -n 's/^MPI: \([^,]*\).*/\1/p'), $processes processes, $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg)"
tune before.json --rounds "$jobs"
for run in $(seq "$runs"); do
    tune "run$run.json" --time "$time"
done
tune after.json --rounds "$jobs"
python3 - "$work" "$runs" <<'P'
import json, statistics, sys
work, runs = sys.argv[1], int(sys.argv[2])
values, libraries = {}, {}
for name in ("before", "after"):
    for m in json.load(open(f"{work}/{name}.json"))["measures"]:
        contender = m["parameters"]["contender"]
        values.setdefault(contender, []).extend(m["jobs_mbps"])
        libraries[contender] = m["parameters"]["library"]
median = {c: statistics.median(v) for c, v in values.items() if v}
print("\nyardstick: median MB/s (least .. greatest, jobs)")
for c in sorted(median, key=median.get, reverse=True):
    print(f"  {c:32} {median[c]:8.1f} ({min(values[c]):.1f} .. "
          f"{max(values[c]):.1f}, {len(values[c])})")
known = max((c for c in median if libraries[c] == "native"), key=median.get)
best = max(median, key=median.get)
print(f"\nbest of the list: {known}, {median[known]:.1f} MB/s; "
      f"best of all: {best}, {median[best]:.1f} MB/s")
good = 0
for run in range(1, runs + 1):
    s = json.load(open(f"{work}/run{run}.json"))["summary"]
    found = median.get(s["best"], 0)
    good += found >= 0.9 * median[known]
    print(f"run {run}: {s['best']}, {found / median[known]:.2f} of the "
          f"list's best, {found / median[best]:.2f} of the best of all")
print(f"{good} of {runs} runs at 0.90 of the list's best or more")
P
