#!/bin/sh
# pario doctor, end to end, on one process and, in a build with MPI, on three.
# PARIO is the program, FAULT the fault library, MPI whether the build has it.
set -u
: "${PARIO:?}"
# The fault library is preloaded before the sanitizer's own, if there is one.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0
export ASAN_OPTIONS
failures=0
work=$(mktemp -d "${TMPDIR:-/tmp}/pario-doctor-test.XXXXXX")
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

fail() {
    echo "FAIL [$np]: $*"
    sed 's/^/    /' "$work/out" "$work/err" | tail -15
    failures=$((failures + 1))
}

# Runs pario with these words on $np processes: $status, $work/out, $work/err.
doctor() {
    if [ "$np" -gt 1 ]; then
        set -- -n "$np" doctor "$@"
    else
        set -- doctor "$@"
    fi
    timeout -k 5 60 "$PARIO" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

expect() { # STATUS TEXT-IN-OUTPUT TEXT-IN-MESSAGES, of the last run
    [ "$status" -eq "$1" ] || fail "status $status, not $1"
    flat=$(tr -s ' \n' ' ' <"$work/out")
    case $flat in *"$2"*) ;; *) fail "no '$2' in the output" ;; esac
    grep -qF -- "$3" "$work/err" || [ -z "$3" ] || fail "no message '$3'"
}

expect_empty() { # DIR: nothing may be left behind
    left=$(ls -A "$1")
    [ -z "$left" ] || fail "left behind in $1: $left"
}

# The document on $work/out: OK, and VERDICT of the finding NAME.
expect_json() {
    python3 - "$work/out" "$@" <<'EOF' || fail "JSON is not as expected: $*"
import json, sys
path, ok, name, verdict = sys.argv[1:]
with open(path) as f:
    d = json.load(f)
assert d["doctor"] == "pario-doctor/1", d["doctor"]
assert d["ok"] is (ok == "true"), d["ok"]
verdicts = {}
for c in d["checks"]:
    assert set(c) == {"name", "fact", "verdict", "remedy"}, c
    assert c["fact"] and c["verdict"] in ("ok", "warning", "error"), c
    assert bool(c["remedy"]) == (c["verdict"] != "ok"), c
    verdicts.setdefault(c["name"], c["verdict"])
assert verdicts[name] == verdict, (name, verdicts[name])
if ok == "true":
    for n in ("MPI library", "thread level", "processes", "memory",
              "page cache", "CPU governor", "clock", "clock skew", "io_uring",
              "optional parts", "directory", "file system", "free space",
              "inodes", "block size", "stripes", "O_DIRECT", "fallocate",
              "file locks", "shared directory", "MPI-IO hints"):
        assert n in verdicts, n
EOF
}

good_directory() {
    mkdir "$work/good$np"
    doctor --verbose "$work/good$np"
    expect 0 "shared directory" ""
    grep -q '^ERROR' "$work/out" && fail "an error where there is none"
    expect_empty "$work/good$np"
    doctor --json "$work/good$np"
    expect 0 '"checks"' ""
    expect_json true "shared directory" ok
    expect_empty "$work/good$np"
    [ "$np" -eq 1 ] || expect 0 "seen by all $np processes" ""
}

# What the program can be built without is known to doctor, whose answer about
# the rest names each part only where none is missing.
optional_parts() {
    doctor --verbose "$work/good$np"
    flat=$(tr -s ' \n' ' ' <"$work/out")
    for part in $("$PARIO" list | sed -n '/^compiled in:/,$s/^  \([^ ]*\) .*/\1/p'); do
        case $part in MPI | MPI-IO | io_uring) continue ;; esac
        case $flat in
        *"no $part:"* | *"no "*": "*"build again"*) ;;
        *"are there"*) expect 0 "$part, " "" ;;
        esac
    done
}

odd_directories() {
    cd "$work/good$np" || exit 1
    doctor --verbose
    cd "$work" || exit 1
    expect 0 "directory .: every process can write" ""
    odd=$work/$(printf 'b\377d name%s' "$np") # not UTF-8
    mkdir "$odd"
    doctor --json "$odd"
    expect_json true directory ok
    expect_empty "$odd"
}

bad_directories() {
    doctor "$work/missing"
    expect 1 "ERROR directory" "$work/missing does not exist"
    doctor --json "$work/missing"
    expect 1 '"ok": false' ""
    expect_json false directory error
    : >"$work/file"
    doctor "$work/file"
    expect 1 "ERROR directory" "is not a directory"
}

usage() {
    doctor "$work/good$np" "$work/good$np"
    expect 2 "" "one directory"
    doctor --jsn
    expect 2 "" "did you mean --json"
    doctor --help
    expect 0 "usage: pario [-n N] doctor" ""
    doctor --cold "$work/good$np"
    expect 2 "" "cold"
}

# As every suite: a plan, and a document where one is asked for.
suite() {
    doctor --dry-run "$work/good$np"
    expect 0 "22 checks" ""
    doctor --quiet --output "$work/found$np.json" "$work/good$np"
    expect 0 "" ""
    [ ! -s "$work/out" ] || fail "--quiet prints"
    python3 - "$work/found$np.json" <<'EOF' || fail "the document"
import json, sys
d = json.load(open(sys.argv[1]))
assert d["suite"] == "doctor" and d["valid"] is True and d["measures"] == []
assert any(f["name"] == "clock" and f["verdict"] == "ok" for f in d["findings"])
EOF
    doctor --output "$work/bad$np.json" "$work/missing"
    expect 1 "" "does not exist"
    grep -q '"valid": false' "$work/bad$np.json" || fail "valid in spite of an error"
    doctor --resume "$work/found$np.json" "$work/good$np"
    expect 2 "" "cannot be resumed"
}

# A user may not write to it, root to a file system mounted read-only.
read_only_directory() {
    mkdir "$work/closed$np"
    if [ "$(id -u)" -ne 0 ]; then
        chmod 555 "$work/closed$np"
        doctor "$work/closed$np"
        expect 1 "ERROR directory" "cannot write to"
    elif mount -t tmpfs -o ro,size=64k none "$work/closed$np" 2>/dev/null; then
        doctor "$work/closed$np"
        umount "$work/closed$np"
        expect 1 "ERROR directory" "read-only"
    else
        echo "skip [$np]: cannot mount"
    fi
}

# Root only: full and memory-backed.
small_directory() {
    mkdir "$work/small$np"
    mount -t tmpfs -o size=1m none "$work/small$np" 2>/dev/null || return 0
    doctor --json "$work/small$np"
    expect_json true "file system" warning
    expect_json true "free space" warning
    dd if=/dev/zero of="$work/small$np/x" bs=64k >/dev/null 2>&1
    doctor --json "$work/small$np"
    left=$(ls -A "$work/small$np")
    umount "$work/small$np"
    expect 1 '"ok": false' ""
    expect_json false "free space" error
    [ "$left" = x ] || fail "left behind: $left"
}

# The last rank has another directory of the same name: mpirun is made to start
# a script that mounts one there first.
unshared_directory() {
    mkdir "$work/here" "$work/there"
    unshare -m mount --bind "$work/there" "$work/here" 2>/dev/null || {
        echo "skip [$np]: no mount namespaces"
        return
    }
    cat >"$work/elsewhere" <<EOF
#!/bin/sh
[ "\${OMPI_COMM_WORLD_RANK:-\${PMI_RANK:-}}" = 2 ] || exec "$PARIO" "\$@"
exec unshare -m sh -c \\
    'mount --bind "$work/there" "$work/here" && exec "$PARIO" "\$@"' sh "\$@"
EOF
    cat >"$work/mpirun" <<EOF
#!/bin/bash
exec $("$PARIO" --version | sed -n 's/.*launcher: //p') \\
    "\${@/#*bin\/pario/$work/elsewhere}"
EOF
    chmod +x "$work/elsewhere" "$work/mpirun"
    PARIO_MPIRUN=$work/mpirun
    export PARIO_MPIRUN
    doctor "$work/here"
    unset PARIO_MPIRUN
    expect 1 "ERROR shared directory 1 of 3 ranks do not see" "not shared"
    expect_empty "$work/here"
    expect_empty "$work/there"
}

# Started by the mpirun of another MPI, every process is alone: nothing runs,
# and one of them says so.
foreign_launcher() {
    case $("$PARIO" --version) in
    *"Open MPI"*) set -- PMI_RANK=0 PMI_SIZE=4 ;;
    *) set -- OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=4 ;;
    esac
    for command in doctor quick prio; do
        env "$@" timeout -k 5 60 "$PARIO" $command "$work" >"$work/out" \
            2>"$work/err"
        status=$?
        [ "$status" -eq 2 ] || fail "$command: status $status"
        grep -q "started 4 processes" "$work/err" ||
            fail "$command: $(cat "$work/err")"
    done
    env "$@" "${1%=0}=1" timeout -k 5 60 "$PARIO" doctor "$work" \
        >"$work/out" 2>"$work/err"
    status=$?
    [ "$status" -eq 2 ] || fail "rank 1: status $status"
    [ ! -s "$work/err" ] || fail "rank 1 speaks, too: $(cat "$work/err")"
    for names in FLUX_TASK_RANK,FLUX_JOB_SIZE PALS_RANKID,PALS_SIZE \
        MV2_COMM_WORLD_RANK,MV2_COMM_WORLD_SIZE; do
        env "${names%,*}=0" "${names#*,}=4" timeout -k 5 60 "$PARIO" doctor \
            "$work" >"$work/out" 2>"$work/err"
        grep -q "started 4 processes" "$work/err" ||
            fail "$names: $(cat "$work/err")"
    done
    # An interactive shell of Slurm is a step of one task, and no job.
    env SLURM_PROCID=0 SLURM_STEP_ID=4294967290 SLURM_STEP_NUM_TASKS=1 \
        timeout -k 5 60 "$PARIO" -n 2 doctor --verbose "$work" >"$work/out" \
        2>"$work/err"
    grep -q "processes *2 on 1 node" "$work/out" ||
        fail "a shell of Slurm: $(cat "$work/out" "$work/err")"
}

# RULE STATUS TEXT: what comes of a fault on the last rank.
faulty_storage() {
    rm -f "$work/log"
    preloaded=${LD_PRELOAD:-}
    LD_PRELOAD=$FAULT${preloaded:+:$preloaded} PARIO_FAULT_LOG=$work/log
    PARIO_FAULT="$1,path=/.pario-doctor-"
    [ "$np" -gt 1 ] && PARIO_FAULT=$PARIO_FAULT,rank=$((np - 1))
    export LD_PRELOAD PARIO_FAULT PARIO_FAULT_LOG
    doctor "$work/good$np"
    unset PARIO_FAULT PARIO_FAULT_LOG
    LD_PRELOAD=$preloaded
    [ -s "$work/log" ] || fail "the fault $1 was not met"
    expect "$2" "$3" ""
    expect_empty "$work/good$np"
}

faults() {
    faulty_storage op=fsync,error=EIO 1 "ERROR shared directory"
    faulty_storage op=write,error=ENOSPC 1 "No space left on device"
    faulty_storage op=read,flip 1 "old data after the writer had closed"
    faulty_storage op=read,flip,nth=1 0 "only after close"
}

for np in 1 3; do
    [ "$np" -eq 1 ] || [ "${MPI:-0}" = 1 ] || continue
    good_directory
    bad_directories
    read_only_directory
    [ "$(id -u)" -ne 0 ] || small_directory
    [ "$(id -u)" -ne 0 ] || [ "$np" -eq 1 ] || unshared_directory
    [ -z "${FAULT:-}" ] || faults
done
np=1
optional_parts
odd_directories
suite
usage
[ "${MPI:-0}" = 0 ] || foreign_launcher
[ "$failures" -eq 0 ] || exit 1
echo "doctor: all as expected"
