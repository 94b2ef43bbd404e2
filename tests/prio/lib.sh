# What the end-to-end tests of prio share. Sourced with
#   PARIO          the program
#   PARIO_LAUNCH   the MPI launcher with its flags; empty: none
# in the environment.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/prio-test.XXXXXX")
undo=
finish() {
    set +e
    eval "$undo" 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT
cd "$work"
mkdir target

# prio N words...: on N processes, within a minute.
prio() {
    processes=$1
    shift
    if [ "$processes" -eq 1 ]; then
        timeout -k 5 60 "$PARIO" prio "$@"
    elif [ -n "$PARIO_LAUNCH" ]; then
        # shellcheck disable=SC2086
        timeout -k 5 60 $PARIO_LAUNCH -n "$processes" "$PARIO" prio "$@"
    else
        timeout -k 5 60 "$PARIO" -n "$processes" prio "$@"
    fi
}

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# refuse TEXT N words...: must end with status 2 and say TEXT.
refuse() {
    text=$1
    shift
    status=0
    prio "$@" >out 2>err || status=$?
    [ "$status" -eq 2 ] || fail "status $status, not 2: prio $*: $(cat err)"
    grep -q -- "$text" err || fail "no '$text' in: $(cat err)"
    [ -z "$(ls target)" ] || fail "something was left behind: $(ls target)"
}

# check FILE EXPRESSION: a Python expression over the document d.
check() {
    python3 - "$1" "$2" <<'PYTHON' || fail "$2"
import json, math, sys
d = json.load(open(sys.argv[1]))
m = d["measures"]
s = d["summary"]
def of(**want):
    return [x for x in m if all(
        (x.get(k) if k in x else x["parameters"].get(k)) == v
        for k, v in want.items())]
sys.exit(0 if eval("(" + sys.argv[2] + ")") else 1)
PYTHON
}
