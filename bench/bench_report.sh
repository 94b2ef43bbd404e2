#!/bin/sh
# Reports of timings of 10^5, 10^6 and 10^7 samples: wall time, peak memory,
# size of the page; and how long after opening the page of 10^6 samples its
# plot stands in a headless Chromium, median of 5. Exits with 1 when a figure
# misses its limit: 3 s of the processor and 300 MB at 10^7 samples, pages of 6 MB, 1 s.
# $1: pario; $2: the folder web/ with node_modules. One to two minutes.
set -eu
here=$(dirname "$0")
tmp=$(mktemp -d /dev/shm/pario-bench-report.XXXXXX)
trap 'rm -rf "$tmp"' EXIT INT TERM
status=0
python3 "$here/bench_report.py" "$1" "$tmp" || status=1
browser=$(command -v chromium-headless-shell || command -v chromium || true)
if [ -n "$browser" ] && [ -d "$2/node_modules/playwright-core" ]; then
    NODE_PATH="$(cd "$2" && pwd)/node_modules" node "$here/bench_report.js" \
        "$browser" "$tmp/1000000.html" || status=1
else
    echo "no Chromium or playwright-core here: the page was not opened"
fi
exit $status
