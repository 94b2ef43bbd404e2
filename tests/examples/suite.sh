#!/bin/sh
# The suite and the back-end of the examples, as a program: it measures, checks,
# answers, and its document can be read as examples/results says.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir data
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
ledger() { timeout -k 5 60 $PARIO_LAUNCH ${PARIO_LAUNCH:+-n 2} "$PARIO_LEDGER" "$@"; }

ledger ledger --records 50 -o r.json data >out 2>err || fail "$(cat out err)"
grep -q '/s' out || fail "no answer: $(cat out)"
[ -z "$(ls data)" ] || fail "left behind: $(ls data)"
python3 -c '
import json
d = json.load(open("r.json"))
m, = d["measures"]
n = d["system"]["processes"]
assert d["valid"] and m["operations"] == 50 * n, m
assert m["bytes"] == m["verify"]["checked_bytes"] == 50 * n * 4096, m
assert m["parameters"] == {"records": 50, "record_bytes": 4096}, m
assert d["summary"]["records_per_s"] > 0'
"$PARIO" report r.json -o page.html >/dev/null || fail "no page"
python3 "$PARIO_EXAMPLES/results/fastest.py" r.json | grep -q '^records .*write' ||
    fail "the reader of results: $(python3 "$PARIO_EXAMPLES/results/fastest.py" r.json)"

# A byte that is read back wrong makes the run invalid.
status=0
PARIO_FAULT="op=read,path=ledger.0,at=8192,flip" LD_PRELOAD=$PARIO_FAULT_LIBRARY \
    timeout -k 5 60 "$PARIO_LEDGER" ledger -o wrong.json data >out 2>err || status=$?
[ "$status" -eq 1 ] || fail "wrong data, status $status: $(cat out err)"
