#!/bin/bash
# pario on real distributed file systems, which the test starts in namespaces of
# its own (network, mounts, processes) and which end with it.
# filesystems.sh KIND PARIO MPICC EXAMPLES (77: not to be had here)
set -u
kind=$1 PARIO=$(realpath "$2") MPICC=$3 examples=$4
here=$(realpath "$0")
failures=0

skip() {
    echo "skipped: $1"
    exit 77
}
fail() {
    echo "FAILED: $1"
    [ ! -s "$work/out" ] || sed 's/^/    /' "$work/out"
    failures=$((failures + 1))
}
wait_until() { # SECONDS CONDITION...
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}

case $kind in
moosefs) tools="mfsmaster mfschunkserver mfsmount" ;;
glusterfs) tools="glusterd gluster glusterfs" ;;
*) skip "unknown file system $kind" ;;
esac
PATH=$PATH:/usr/sbin:/sbin
if [ -z "${PARIO_INSIDE:-}" ]; then
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    [ -c /dev/fuse ] || skip "no /dev/fuse"
    for tool in $tools ip unshare; do
        command -v $tool >/dev/null || skip "no $tool"
    done
    unshare -nmp --fork true 2>/dev/null || skip "no namespaces of one's own"
    work=$(mktemp -d /tmp/pario-fs-XXXXXX)
    trap 'rm -rf --one-file-system "$work"' EXIT
    trap 'exit 1' INT TERM
    PARIO_INSIDE=$work unshare -nmp --fork --kill-child --propagation private \
        bash "$here" "$kind" "$PARIO" "$MPICC" "$examples"
    exit
fi

# Inside: an address that is no loopback (the servers refuse that), reachable
# from here alone; servers' state in memory.
work=$PARIO_INSIDE
address=192.0.2.1
mount -t proc proc /proc
ip link set lo up && ip link add br0 type bridge &&
    ip addr add $address/24 dev br0 && ip link set br0 up || skip "no bridge"
mount -t tmpfs -o size=3g servers "$work" || skip "no tmpfs"
mkdir "$work/a" "$work/b"
log=$work/servers.log

start_moosefs() {
    local conf i
    mkdir "$work/m" "$work/c1" "$work/c2" "$work/h1" "$work/h2"
    printf 'MFSM NEW' >"$work/m/metadata.mfs"
    conf="WORKING_USER = root\nWORKING_GROUP = root\n"
    printf '* / rw,alldirs,admin,maproot=0:0\n* . rw\n' >"$work/exports"
    : >"$work/topology"
    printf "${conf}DATA_PATH = $work/m\nEXPORTS_FILENAME = $work/exports\nTOPOLOGY_FILENAME = $work/topology\n" >"$work/master"
    mfsmaster -c "$work/master" start >>"$log" 2>&1 || skip "mfsmaster does not start"
    for i in 1 2; do
        echo "$work/h$i" >"$work/disks$i"
        printf "${conf}DATA_PATH = $work/c$i\nHDD_CONF_FILENAME = $work/disks$i\nMASTER_HOST = $address\nCSSERV_LISTEN_PORT = 942$((i + 1))\nHDD_LEAVE_SPACE_DEFAULT = 64MiB\n" >"$work/chunks$i"
        mfschunkserver -c "$work/chunks$i" start >>"$log" 2>&1 ||
            skip "mfschunkserver does not start"
    done
    mfsmount "$work/a" -H $address >>"$log" 2>&1 &&
        mfsmount "$work/b" -H $address >>"$log" 2>&1 || skip "mfsmount: $(tail -3 "$log")"
}

# Sharding: large files are spread over the bricks in pieces.
start_glusterfs() {
    local folder
    for folder in /var/lib/glusterd /var/log/glusterfs /run; do
        mkdir -p $folder && mount -t tmpfs state $folder
    done
    mkdir -p /run/gluster "$work/b1" "$work/b2"
    glusterd --pid-file="$work/glusterd.pid" >>"$log" 2>&1 || skip "glusterd does not start"
    wait_until 30 gluster --mode=script volume list || skip "glusterd does not answer"
    {
        gluster --mode=script volume create v $address:"$work/b1" $address:"$work/b2" force &&
            gluster --mode=script volume set v features.shard on &&
            gluster --mode=script volume start v &&
            mount -t glusterfs $address:/v "$work/a" &&
            mount -t glusterfs $address:/v "$work/b"
    } >>"$log" 2>&1 || skip "gluster: $(tail -3 "$log")"
}

start_$kind
# A file with data that the other mount can read, and space that is counted
# (MooseFS' master learns of it some time after the first file).
ready() {
    [ "$(stat -f -c %a "$work/a")" -gt 0 ] &&
        [ "$(stat -f -c %a "$work/b")" -gt 0 ] && writable
}
writable() { echo x >"$work/a/ready" && sync "$work/a/ready" && [ "$(cat "$work/b/ready")" = x ]; }
wait_until 60 ready || skip "$kind takes no file: $(tail -3 "$log")"
rm "$work/a/ready"

cd "$work" || exit 1
member() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2" 2>&1; }
run() { timeout -k 5 120 "$@" >"$work/out" 2>&1; }

# 1. It is recognised for what it is.
run "$PARIO" -n 2 doctor --verbose --output doctor.json a
grep -q "file system *$kind ($address\|file system *$kind (mfs#$address" out ||
    fail "doctor does not know $kind"
grep -q 'file locks *byte-range locks keep others out' out || fail "locks"
[ "$(member doctor.json 'd["valid"]')" = True ] || fail "doctor: not valid"

# 2. quick measures, and claims nothing of devices that nobody here can see.
run "$PARIO" -n 2 quick --time 0.2s --output q.json a || fail "quick: status $?"
grep -q 'not visible' out || fail "quick says what it cannot know"
[ "$(member q.json 'd["system"]["filesystem"]')" = $kind ] || fail "the document's file system"
[ "$(member q.json 'd["valid"] and not [m for m in d["measures"] if "device_bytes" in m and m["device_bytes"]]')" = True ] ||
    fail "device traffic where there is no device"
[ "$(member q.json '{m["cache"] for m in d["measures"]} <= {"unknown", "cache"}')" = True ] ||
    fail "a verdict without a witness: $(member q.json '[(m["test"], m["access"], m["cache"]) for m in d["measures"]]')"
[ -z "$(ls -A a)" ] || fail "quick left $(ls -A a)"

# 3. b_eff_io, all data checked.
run "$PARIO" -n 2 beffio --time 1s --memory 16M --verify full --quiet --output e.json a ||
    fail "beffio: status $?"
[ "$(member e.json 'd["valid"] and sum(m["verify"]["checked_bytes"] for m in d["measures"]) > 0')" = True ] ||
    fail "beffio: not valid: $(member e.json 'd["invalid_reasons"]')"

# 4. honesty's first questions (what the MPI library answers is its own affair).
run "$PARIO" honesty --quiet --mpiio shipio --processes 2 --cases control-write_all,eio-sync \
    --output h.json a || fail "honesty: status $?"
[ "$(member h.json 'len(d["findings"])')" = 2 ] || fail "honesty: not two cases"

# 5. shipio writes the same file as the MPI library, and the other client
# mount, once the file is closed, sees it whole.
if "$MPICC" -o planes "$examples/shipio/planes.c" >out 2>&1; then
    run "$PARIO" -n 2 shipio-run ./planes "$work/a/with" || fail "planes with shipio"
    run "$PARIO" -n 2 shipio-run --hint shipio_mode=direct ./planes "$work/a/direct" ||
        fail "planes, direct"
    cmp a/with a/direct || fail "shipped and direct files differ"
    cmp a/with b/with >out 2>&1 || echo "note: the second mount does not see it: $(cat out)"
else
    fail "planes does not build"
fi

# By hand: PARIO_THEN=COMMAND runs it there, in the folder of the mounts a, b.
[ -z "${PARIO_THEN:-}" ] || eval "$PARIO_THEN"

[ $failures -eq 0 ] && echo "$kind: doctor, quick, beffio, honesty, shipio: as they should be"
exit $((failures > 0))
