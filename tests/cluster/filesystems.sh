#!/bin/bash
# pario on real distributed file systems, which the test starts and mounts on
# three nodes of its own.
# filesystems.sh KIND PARIO MPICC EXAMPLES (77: not to be had here)
set -u
kind=$1 PARIO=$(realpath "$2") MPICC=$3 examples=$(realpath "$4")
here=$(dirname "$(realpath "$0")")
. "$here/lib.sh"

case $kind in
moosefs) tools="mfsmaster mfschunkserver mfsmount" ;;
glusterfs) tools="glusterd gluster glusterfs" ;;
cephfs) tools="ceph ceph-mon ceph-mgr ceph-osd ceph-mds ceph-fuse ceph-authtool monmaptool" ;;
nfs)
    grep -qw nfs4 /proc/filesystems || modprobe nfsv4 2>/dev/null ||
        skip "this kernel has no NFS"
    tools="rpc.nfsd rpc.mountd exportfs mount.nfs4"
    ;;
*) skip "unknown file system $kind" ;;
esac
needs $tools $slurm_tools ip unshare nsenter
[ $kind = nfs ] || [ -c /dev/fuse ] || skip "no /dev/fuse"
inside "$(realpath "$0")" "$kind" "$PARIO" "$MPICC" "$examples"
start_nodes
mkdir "$work/a"

start_moosefs() {
    local conf i
    mkdir "$work/m" "$work/c1" "$work/c2" "$work/h1" "$work/h2"
    printf 'MFSM NEW' >"$work/m/metadata.mfs"
    conf="WORKING_USER = root\nWORKING_GROUP = root\n"
    printf '* / rw,alldirs,admin,maproot=0:0\n* . rw\n' >"$work/exports"
    : >"$work/topology"
    printf "${conf}DATA_PATH = $work/m\nEXPORTS_FILENAME = $work/exports\nTOPOLOGY_FILENAME = $work/topology\n" >"$work/master"
    mfsmaster -c "$work/master" start || return
    for i in 1 2; do
        echo "$work/h$i" >"$work/disks$i"
        printf "${conf}DATA_PATH = $work/c$i\nHDD_CONF_FILENAME = $work/disks$i\nMASTER_HOST = $address\nCSSERV_LISTEN_PORT = 942$((i + 1))\nHDD_LEAVE_SPACE_DEFAULT = 64MiB\n" >"$work/chunks$i"
        mfschunkserver -c "$work/chunks$i" start || return
    done
}
mount_moosefs() { "$@" mfsmount "$work/a" -H $address; }
# By default a node keeps the size of an open file for a second.
strict_moosefs() { "$@" mfsmount "$work/d" -H $address -o mfsattrcacheto=0; }

# What a client keeps of files (quick-read, io-cache: for a second) is old, and
# sizes are wrong: docs/filesystems.md.
without_translators() { # VOLUME
    local name
    for name in quick-read io-cache stat-prefetch read-ahead write-behind open-behind readdir-ahead; do
        gluster --mode=script volume set $1 performance.$name off >>"$log" 2>&1 || return
    done
}
start_glusterfs() {
    local folder
    for folder in /var/lib/glusterd /var/log/glusterfs /run; do
        mkdir -p $folder && mount -t tmpfs state $folder
    done
    mkdir -p /run/gluster "$work/b1" "$work/b2"
    glusterd --pid-file="$work/glusterd.pid" || return
    wait_until 30 gluster --mode=script volume list || return
    gluster --mode=script volume create v $address:"$work/b1" $address:"$work/b2" force &&
        without_translators v && gluster --mode=script volume start v
}
# Another volume, whose files are cut into pieces that lie on both bricks.
start_sharded() {
    mkdir "$work/b3" "$work/b4" || return
    gluster --mode=script volume create s $address:"$work/b3" $address:"$work/b4" force &&
        without_translators s &&
        gluster --mode=script volume set s features.shard on &&
        gluster --mode=script volume set s features.shard-block-size 4MB &&
        gluster --mode=script volume start s
}
mount_sharded() {
    "$@" mount -t glusterfs -o direct-io-mode=enable,attribute-timeout=0,entry-timeout=0 \
        $address:/s "$work/s"
}
# Without the kernel's page cache and attributes: as it is by default, nodes
# read old data (b, below).
mount_glusterfs() {
    "$@" mount -t glusterfs -o direct-io-mode=enable,attribute-timeout=0,entry-timeout=0 \
        $address:/v "$work/a"
}
default_glusterfs() { "$@" mount -t glusterfs $address:/v "$work/b"; }

# Objects in memory; one file has the keys of all.
start_cephfs() {
    local i fsid uuid
    fsid=$(cat /proc/sys/kernel/random/uuid)
    mkdir "$work/ceph" "$work/ceph/run"
    export CEPH_CONF=$work/ceph/conf
    cat >"$CEPH_CONF" <<EOF
[global]
fsid = $fsid
mon host = $address
osd pool default size = 1
osd pool default min size = 1
mon allow pool size one = true
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 1G
run dir = $work/ceph/run
admin socket = $work/ceph/run/\$name.\$pid.asok
log file = $work/ceph/\$name.log
mon data = $work/ceph/mon
osd data = $work/ceph/osd\$id
mgr data = $work/ceph/mgr
mds data = $work/ceph/mds
keyring = $work/ceph/keys
EOF
    ceph_key mon. --cap mon 'allow *' --create-keyring &&
        ceph_key client.admin --cap mon 'allow *' --cap osd 'allow *' \
            --cap mds 'allow *' --cap mgr 'allow *' &&
        ceph_key mgr.a --cap mon 'allow profile mgr' --cap osd 'allow *' --cap mds 'allow *' &&
        ceph_key mds.a --cap mon 'allow profile mds' --cap osd 'allow *' --cap mds 'allow' &&
        ceph_key osd.0 --cap mon 'allow profile osd' --cap osd 'allow *' &&
        ceph_key osd.1 --cap mon 'allow profile osd' --cap osd 'allow *' || return
    monmaptool --create --add a $address --fsid "$fsid" "$work/ceph/map" &&
        mkdir "$work/ceph/mon" "$work/ceph/mgr" "$work/ceph/mds" &&
        ceph-mon --mkfs -i a --monmap "$work/ceph/map" --keyring "$work/ceph/keys" && ceph-mon -i a &&
        ceph-mgr -i a || return
    for i in 0 1; do
        mkdir "$work/ceph/osd$i"
        uuid=$(cat /proc/sys/kernel/random/uuid)
        ceph osd new "$uuid" && ceph-osd -i $i --mkfs --osd-uuid "$uuid" &&
            ceph-osd -i $i || return
    done
    # The first commands may come too early.
    wait_until 30 ceph osd pool create meta 8 &&
        wait_until 30 ceph osd pool create data 8 &&
        wait_until 30 ceph fs new fs meta data && ceph-mds -i a &&
        { wait_until 60 mds_active || ! ceph -s; }
}
ceph_key() { # NAME OPTION...
    local name=$1
    shift
    ceph-authtool "$work/ceph/keys" -n "$name" --gen-key "$@"
}
mds_active() { ceph mds stat | grep -q up:active; }
# Without the kernel's page cache, which it does not throw away while several
# clients write, and without its own.
mount_cephfs() {
    "$@" ceph-fuse -m $address --fuse_disable_pagecache=true --client_oc=false "$work/a"
}
default_cephfs() { "$@" ceph-fuse -m $address "$work/b"; }

# Not tried yet: no kernel that the tests have met has NFS.
start_nfs() {
    mkdir -p /var/lib/nfs && mount -t tmpfs state /var/lib/nfs &&
        mkdir /var/lib/nfs/v4recovery "$work/export" || return
    mount -t nfsd nfsd /proc/fs/nfsd && : >/var/lib/nfs/etab &&
        trap 'rpc.nfsd 0' EXIT && # threads of the kernel
        rpc.mountd && rpc.nfsd -N 3 4 &&
        exportfs -o rw,no_root_squash,no_subtree_check,insecure,fsid=0 \
            "192.0.2.0/24:$work/export"
}
mount_nfs() { "$@" mount -t nfs4 $address:/ "$work/a"; }

mount_all() {
    local node
    mount_$kind || return
    for node in $nodes; do
        mount_$kind on $node || return
    done
}
{ start_$kind && mount_all; } >>"$log" 2>&1 || skip "$kind does not start: $(tail -n 8 "$log")"
# A file with data that the nodes can read, and space that is counted
# (MooseFS' master learns of it some time after the first file).
ready() {
    local node
    [ "$(stat -f -c %a "$work/a")" -gt 0 ] || return
    echo x >"$work/a/ready" && sync "$work/a/ready" || return
    for node in $nodes; do
        [ "$(on $node stat -f -c %a "$work/a")" -gt 0 ] &&
            [ "$(on $node cat "$work/a/ready")" = x ] || return
    done
}
wait_until 60 ready || skip "$kind takes no file: $(tail -3 "$log")"
rm "$work/a/ready"
start_slurm
cd "$work" || exit 1
sit_on n1
export PARIO_MPIRUN=$launcher

# 1. It is recognised for what it is.
section "doctor"
run "$PARIO" -n 3 doctor --verbose --output doctor.json a
grep -q "file system *$kind ($address\|file system *$kind (mfs#$address\|file system *$kind (ceph-fuse" out ||
    fail "doctor does not know $kind"
grep -q 'file locks *byte-range locks keep others out' out || fail "locks"
[ "$(member doctor.json 'd["valid"], d["system"]["nodes"]')" = "(True, 3)" ] ||
    fail "doctor: not valid"
[ -z "${PARIO_SHOW:-}" ] || cat out

# 2. quick measures, and claims nothing of devices that nobody here can see.
section "quick"
run "$PARIO" -n 3 quick --time 0.2s --output q.json a || fail "quick: status $?"
grep -q 'not visible' out || fail "quick says what it cannot know"
[ -z "${PARIO_SHOW:-}" ] || cat out
[ "$(member q.json 'd["system"]["filesystem"]')" = $kind ] || fail "the document's file system"
[ "$(member q.json 'd["valid"] and not [m for m in d["measures"] if "device_bytes" in m and m["device_bytes"]]')" = True ] ||
    fail "device traffic where there is no device"
[ "$(member q.json '{m["cache"] for m in d["measures"]} <= {"unknown", "cache"}')" = True ] ||
    fail "a verdict without a witness: $(member q.json '[(m["test"], m["access"], m["cache"]) for m in d["measures"]]')"
[ -z "$(ls -A a)" ] || fail "quick left $(ls -A a)"

# 3. b_eff_io, all data checked.
section "b_eff_io"
run "$PARIO" -n 3 beffio --time 1s --memory 16M --verify full --quiet --output e.json a ||
    fail "beffio: status $?"
[ "$(member e.json 'd["valid"] and sum(m["verify"]["checked_bytes"] for m in d["measures"]) > 0')" = True ] ||
    fail "beffio: not valid: $(member e.json 'd["invalid_reasons"]')"

# 4. honesty's first questions (what the MPI library answers is its own affair).
section "honesty"
run "$PARIO" honesty --quiet --mpiio shipio --processes 3 --cases control-write_all,eio-sync \
    --output h.json a || fail "honesty: status $?"
[ "$(member h.json 'len(d["findings"])')" = 2 ] || fail "honesty: not two cases"

# 5. shipio writes the same file as the MPI library, and a client that took no
# part, once the file is closed, sees it whole.
section "shipio"
if "$MPICC" -o planes "$examples/shipio/planes.c" >out 2>&1; then
    run "$PARIO" -n 3 shipio-run ./planes "$work/a/with" || fail "planes with shipio"
    run "$PARIO" -n 3 shipio-run --hint shipio_mode=direct ./planes "$work/a/direct" ||
        fail "planes, direct"
    on n1 cmp "$work/a/with" "$work/a/direct" >out 2>&1 || fail "shipped and direct files differ"
    cmp a/with a/direct >out 2>&1 || fail "a client that took no part: they differ"
else
    fail "planes does not build"
fi

# 6. Three nodes share a file: doctor says what a witness that is no part of
# pario sees.
section "coherence"
# What the nodes find: coherent, late (after close only) or stale.
witnesses() { # FOLDER [WHAT N]
    local folder=$1 i=0 node pids=()
    shift
    rm -rf "$work/sync" && mkdir "$work/sync"
    for node in $nodes; do
        on $node timeout -k 5 60 "$here/witness.py" "$work/$folder/witness" $i 3 \
            "$work/sync" "$@" >"$work/sync/says.$node" 2>&1 &
        pids+=($!)
        i=$((i + 1))
    done
    wait "${pids[@]}"
    on n1 rm -f "$work/$folder/witness"
    cat "$work"/sync/says.* >>out
}
shared_by_three() { # FOLDER
    local found said
    : >out
    for _ in 1 2 3; do witnesses "$1"; done
    found=$(sed 's/:.*//' out | sort | uniq -c | paste -sd, - | tr -s ' ')
    case $found in
    *late* | *stale* | *coherent) ;;
    *) fail "the witness on $1" ;;
    esac
    run "$PARIO" -n 3 doctor --verbose --output "nodes-$1.json" "$1"
    said=$(grep -o '[a-zA-Z]*  *shared directory' out | sed 's/ .*//')
    echo "$1: the nodes find$found; doctor: $said"
    # What happens now and then may happen to one of them alone.
    case $found/$said in
    " 9 coherent/ok" | *stale*coherent*/* | *coherent*stale*/*) ;;
    *stale*/ERROR | *late*/warning | *late*/ERROR) ;;
    *) fail "not what the witnesses see" ;;
    esac
}
shared_by_three a
if declare -F default_$kind >/dev/null; then
    for node in $nodes; do
        on $node mkdir -p "$work/b" && default_$kind on $node >>"$log" 2>&1 ||
            fail "no second mount"
    done
    shared_by_three b
fi

# 7. Random programs of MPI-IO calls, their processes on three nodes, compared
# call by call and file by file with a model: what one process would write. Held
# to it wherever the witness, without MPI, finds nothing wrong.
section "differential tests"
programs=$(dirname "$PARIO") # shipio's test is built beside it
# Of the run in `out`: true where it came to its own end and one program read or
# left other bytes, or another number of them. The status does not tell these
# from a hang or a call that failed; the text does. (143: the first process has
# ended with 1, and srun has ended the others, which were on their way to it.)
other_data() { # STATUS
    [ "$1" -eq 1 ] || [ "$1" -eq 143 ] || return
    grep -q '[0-9] cases on 3 ranks, 1 failed' out &&
        ! grep -Eq '(hangs|crashes): ' out &&
        grep -Eq 'FAILED: op [0-9]+, rank [0-9]+: (file (has|byte) |size is |read of op [0-9]+: (byte|count) |read [0-9]+ of [0-9]+ bytes back |slot )' out
}
differ() { # FOLDER SEED
    local found status said
    [ -x "$programs/shipio_diff" ] || {
        fail "no shipio_diff beside pario"
        return
    }
    : >out
    witnesses "$1" kept 40
    witnesses "$1" unsynced 40
    witnesses "$1" remade 40
    found=$(sed 's/node //' out | paste -sd';' -)
    run "$PARIO" -n 3 shipio-run "$programs/shipio_diff" --dir "$work/$1" \
        --new-names --limit 60 --cases "${CASES:-30}" --seed "$2"
    status=$?
    said="status $status, $(grep -o '[0-9]* cases on.*' out)"
    echo "$1: without MPI: $found"
    echo "$1: differential test: $said"
    [ -n "$found" ] || fail "no witness on $1"
    case $found/$said in
    */"status 0, "*" cases on 3 ranks, 0 failed"*) ;;
    *old* | *wrong* | *E[A-Z]*) # the file system's own, if it is data or size
        other_data $status || fail "differential test on $1: no difference of data"
        ;;
    *) fail "differential test on $1" ;;
    esac
}
mount_everywhere() { # FUNCTION FOLDER
    local node
    mkdir -p "$work/$2"
    for node in $nodes; do
        on $node mkdir -p "$work/$2" && $1 on $node >>"$log" 2>&1 ||
            fail "no mount $2 on $node"
    done
}
case $kind in
moosefs)
    mount_everywhere strict_moosefs d
    differ d 21
    ;;
glusterfs)
    differ a 21
    start_sharded >>"$log" 2>&1 || fail "no sharded volume"
    mount_everywhere mount_sharded s
    differ s 22
    ;;
*) differ a 21 ;;
esac

# By hand: PARIO_THEN=COMMAND runs it there, in the folder of the mount a.
[ -z "${PARIO_THEN:-}" ] || eval "$PARIO_THEN"

[ $failures -eq 0 ] && echo "$kind: doctor, quick, beffio, honesty, shipio: as they should be"
exit $((failures > 0))
