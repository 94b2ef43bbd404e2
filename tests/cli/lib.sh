# tests/cli/lib.sh - what the end-to-end cases share; sourced by them. PARIO is
# the program, FAULT the fault library, MPI and MPIIO whether the build has
# them. A case ends with 77 when it cannot run here.
set -u

# What the test itself preloads stays there beside the fault library.
FAULT=$FAULT${LD_PRELOAD:+:$LD_PRELOAD}

# In memory where there is such a place: most cases are not about the disk.
place=${TMPDIR:-/tmp}
[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || place=/dev/shm
work=$(mktemp -d "$place/pario-case.XXXXXX")
mounted=
image= # of the device that is mounted
cleanup() {
    [ -z "$mounted" ] || umount "$mounted" 2>/dev/null
    [ -z "$image" ] || rm -f "$image"
    rm -rf "$work"
}
trap cleanup EXIT INT TERM
cd "$work" || exit 1
mkdir target

fail() {
    echo "FAILED: $*"
    echo "--- stdout"; cat out 2>/dev/null
    echo "--- stderr"; cat err 2>/dev/null
    exit 1
}
skip() { echo "skipped: $*"; exit 77; }

# run STATUS COMMAND...: runs with output in out and err, checks the status.
run() {
    want=$1
    shift
    timeout -k 5 ${LIMIT:-60} "$@" >out 2>err </dev/null
    have=$?
    [ "$have" -eq "$want" ] || fail "status $have instead of $want: $*"
}
# Errors stand on stderr; warnings in the answer, where lines are wrapped.
says() {
    # On a busy machine the answer has other warnings and refers to the report.
    { cat err; tr -s '\n ' ' ' <out; sed -n '/"warnings": \[/,/\]/p' ./*.json; } 2>/dev/null |
        grep -qaE -- "$1" ||
        fail "neither stderr nor the answer nor the document says: $1"
}
prints() { grep -qE -- "$1" out || fail "stdout lacks: $1"; }
eventually() { # CONDITION...: comes within a minute
    for i in $(seq 600); do
        "$@" && return 0
        sleep 0.1
    done
    return 1
}
is_empty() { [ -z "$(ls -A "$1")" ]; }
nothing_left() {
    # A janitor may need a moment after its process was killed.
    eventually is_empty "${1:-target}" ||
        fail "files left: $(ls -AR "${1:-target}")"
}
valid_is() { # FILE true|false
    grep -q "\"valid\": $2" "$1" || fail "$1 should be valid=$2"
}
measures_of() { grep -c '"access"' "$1"; }

# Two processes where there is MPI, else one.
if [ "$MPI" = 1 ]; then P="$PARIO -n 2"; else P=$PARIO; fi
SMALL="--time 1s --size 16M --output r.json"
