#!/bin/sh
# bench_tune.sh PARIO DIR [RUNS]: does `pario tune` find a good setting for
# type 0 at 1 KiB? After each search all contenders run once more, the same
# number of passes; the share is the found setting's median over the best
# median of that second look. Wanted: at least 0.90 in 9 of 10 runs.
set -eu
pario=$1 dir=$2 runs=${3:-10} good=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for run in $(seq "$runs"); do
    "$pario" -n "${NP:-4}" tune --quiet --time "${TIME:-180}" --force \
        --output "$work/h" "$dir" >"$work/first"
    "$pario" -n "${NP:-4}" tune --quiet --time "${TIME:-180}" --force \
        --output "$work/h2" "$dir" >"$work/second"
    best=$(sed -n 's/^best: \(.*\), confirmed:$/\1/p' "$work/first")
    best=${best:-native default}
    share=$(awk -v best="$best" '
        /  +[0-9.]+  +[0-9]+  / {
            name = $0; sub(/  +.*/, "", name)
            rest = substr($0, length(name) + 1); split(rest, f, " ")
            if (f[1] + 0 > top) top = f[1] + 0
            if (name == best) have = f[1]
        }
        END { printf("%.2f", (top > 0) ? have / top : 0) }' "$work/second")
    echo "run $run: $best, $share of the best"
    if awk -v s="$share" 'BEGIN { exit !(s >= 0.9) }'; then
        good=$((good + 1))
    fi
done
echo "$good of $runs runs at 0.90 or more"
