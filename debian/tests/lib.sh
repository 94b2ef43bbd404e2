# What the tests of the installed packages share: a folder of their own, and a
# result that says of itself that it holds.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir data

valid() { # DOCUMENT PROCESSES
    python3 -c "import json, sys
d = json.load(open(sys.argv[1]))
assert d['valid'], d.get('invalid_reasons')
assert d['system']['processes'] == int(sys.argv[2]), d['system']" "$1" "$2"
}
