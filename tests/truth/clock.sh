#!/bin/sh
# A run by a clock that goes wrong is invalid and says so; by this one it is
# valid. clock.sh PARIO LIBRARY
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/pario-clock.XXXXXX")
trap 'rm -rf "$work"' EXIT
run() { # PRELOAD STATUS
    status=0
    LD_PRELOAD=$1 "$pario" quick --time 1s --size 16M -i posix --quiet \
        --force --output "$work/out.json" "$work" >"$work/err" 2>&1 || status=$?
    [ "$status" -eq "$2" ] || {
        echo "status $status instead of $2: $(cat "$work/err")"
        exit 1
    }
}
pario=$1
run "" 0
run "$2" 1
grep -q 'the clocks disagree: .* by CLOCK_MONOTONIC, .* by ' "$work/err"
grep -q 'the clocks disagree' "$work/out.json"
