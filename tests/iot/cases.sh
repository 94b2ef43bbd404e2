#!/bin/sh
# One end-to-end case of the suite iot: cases.sh NAME.
. "$(dirname "$0")/../cli/lib.sh"

# test NAME FILE [LINES]: one test of the parameter file p.in.
test_of() {
    case $1 in
    single|multiple|singleI|multipleI|sinunix|mulunix) class=Lowlevel ;;
    *) class=Kernel ;;
    esac
    printf 'classname %s\ntestname %s\nfilename target/%s\n' $class "$1" "$2"
    shift 2
    for line; do echo "$line"; done
}
pairs() { # the sizes of a low-level test: FILESIZE BLOCKSIZE
    printf 'numruns 1\nfilesize %s\nblocksize %s\n' "$1" "$2"
}
iot() { # STATUS [options]: runs p.in on two processes
    want=$1
    shift
    run "$want" $P iot p.in --output r.json --verify full "$@"
}
measured() { # TEST ACCESS: the result has such a measure without error
    awk -v t="\"test\": \"$1\"" -v a="\"access\": \"$2\"" '
        index($0, t) { in_test = 1; ok = 0 }
        in_test && index($0, a) { ok = 1 }
        in_test && ok && /"error": null/ { found = 1 }
        /"error":/ { in_test = 0 }
        END { exit !found }' r.json || fail "no measure $1 $2"
}
figure() { # TEST ACCESS NAME: that member of the first such measure
    awk -v t="\"test\": \"$1\"" -v a="\"access\": \"$2\"" -v k="\"$3\":" '
        index($0, t) { in_test = 1; ok = 0 }
        in_test && index($0, a) { ok = 1 }
        in_test && ok && index($0, k) {
            sub(/^[^:]*: */, ""); gsub(/[",]/, ""); print; exit }' r.json
}
is_marked() { # TEST ACCESS FLAG: the first such measure
    awk -v t="\"test\": \"$1\"" -v a="\"access\": \"$2\"" '
        index($0, t) { in_test = 1; ok = 0 }
        in_test && index($0, a) { ok = 1 }
        in_test && ok && /"flags":/ { inside = 1 }
        inside { print }
        inside && /\]/ { exit }' r.json | grep -q "\"$3\""
}
verdict_is() { # TEST ACCESS VERDICT
    [ "$(figure "$1" "$2" cache)" = "$3" ] ||
        fail "$1 $2 is '$(figure "$1" "$2" cache)', not '$3'"
}
on_disk() { # goes to a directory on a disk, with a target in it
    disk=$(mktemp -d "/var/tmp/pario-case.XXXXXX") || skip "no /var/tmp"
    trap 'rm -rf "$disk"; cleanup' EXIT INT TERM
    cd "$disk" && mkdir target || exit 1
    case $(stat -f -c %T .) in tmpfs|ramfs) skip "/var/tmp is in memory" ;; esac
}
with_fault() { # RULE STATUS [options]
    rule=$1
    want=$2
    shift 2
    run "$want" env "LD_PRELOAD=$FAULT" "PARIO_FAULT=$rule" $P iot p.in \
        --output r.json "$@"
}

appendix_c_runs_as_printed() {
    sed 's#lowleveltest.tst#target/lowleveltest.tst#' \
        "$EXAMPLES/iotparams.in" >iotparams.in
    run 0 $P iot --output r.json
    says "iotparams.in:13: 'section.' is taken for the rest of the comment"
    valid_is r.json true
    [ "$(measures_of r.json)" -eq 14 ] || fail "not 14 measures"
    grep -q '^cb_buffer_size 32$' all.out || fail "hint not in all.out"
    grep -q '^in_force.cb_buffer_size ' all.out || fail "hints in force?"
    grep -q '"taken":' r.json || fail "nothing said about hints"
    nothing_left
}
# Where reads become slow the answer says it; where they do not, it says that.
answer_says_where_the_cache_ends() {
    test_of single a >p.in
    printf 'numfilesize 3\nfilesize 0.1 0.2 0.4\nnumblocksize 1\nblocksize 0.01\n' >>p.in
    with_fault 'op=read,delay=5,path=/target/;op=read,from=31,delay=60,path=/target/' 0
    says 'single read: the cache ends between files of .* and 391 KiB'
    # Two block sizes that agree are one sentence, without rates of one of them.
    test_of single a >p.in
    printf 'numfilesize 3\nfilesize 0.1 0.2 0.4\nnumblocksize 2\nblocksize 0.02 0.05\n' >>p.in
    with_fault 'op=read,delay=2,path=/target/;op=read,from=22,delay=20,path=/target/' 0 --force
    says 'single read: the cache ends between files of [0-9.]+ KiB and 391 KiB, with all block sizes\.'
    run 0 "$PARIO" report r.json -o lead.html
    grep -m1 '<h3>' lead.html | grep -q 'over file size' || fail "the picture at the top?"
    rm lead.html
    sed "s#pario-cache.tst#target/c.tst#; s#^filesize .*#filesize 0.1 0.2 0.4 0.8 1.6#; s#^blocksize 1#blocksize 0.1#" \
        "$EXAMPLES/iot-cache.in" >p.in
    run 0 $P iot p.in --force --output r.json
    says 'single read: (the cache ends between|no end of the cache is seen up to) files of'
    # The files of a kernel grow with its problem; repetitions are no sizes.
    test_of matrix2D m 'numsizes 3' 'problemsize 32 64 96' 'numprocgrids 1' \
        'xproc 2' 'yproc 1' 'collective true' 'repeat 2' >p.in
    run 0 $P iot p.in --force --output r.json
    says 'matrix2D read: (the cache ends between|no end of the cache is seen up to) files of .*72'
    nothing_left
}
files_and_hints_tell_tests_apart() {
    sizes='numfilesize 3
filesize 0.1 0.2 0.4
numblocksize 1
blocksize 0.01
repeat 2'
    {
        test_of single a "$sizes"
        test_of single b "$sizes"
        test_of single a "$sizes" 'hint cb_nodes=1'
        test_of sinunix a; pairs 0.4 0.04
    } >p.in
    iot 0
    # Three measures of each size and access, two repetitions of each ...
    run 0 $P compare r.json r.json --verbose
    [ "$(grep -c '^single write.* 2/2 ' out)" -eq 9 ] ||
        fail "$(grep '^single write' out)"
    # ... wherever the files are; a file that is the only one is none of it.
    sed 's#target/#target/../target/#' r.json >there.json
    run 0 $P compare r.json there.json --verbose
    prints 'file 1: target/a -> target/../target/a'
    [ "$(grep -c '^single write.* 2/2 ' out)" -eq 9 ] ||
        fail "$(grep '^single write' out)"
    ! grep -q 'only in' out || fail "$(grep 'only in' out)"
    # Nor is one file taken for another where all of the first failed.
    python3 - <<'PY'
import json
d = json.load(open("r.json"))
for m in d["measures"]:
    if m["parameters"].get("filename") == "target/a":
        m["error"] = "failed"
json.dump(d, open("lost.json", "w"))
PY
    run 0 $P compare r.json lost.json --verbose
    [ "$(grep -c '^single write.* 2/2 .* 1.000' out)" -eq 3 ] ||
        fail "$(grep '^single write' out)"
    python3 - <<'PY' || fail "the document does not tell them apart"
import json
d = json.load(open("r.json"))
for m in d["measures"]:
    assert (m["test"] == "single") == ("filename" in m["parameters"])
said = [s.split(":")[0] for s in d["view"]["sentences"] if " read of " in s]
assert said == ["single read of target/a", "single read of target/b",
                "single read of target/a, cb_nodes=1"], said
PY
    nothing_left
}
lowlevel_tests_verify() {
    {
        test_of single a; pairs 0.4 0.04
        test_of sinunix a fuzzy\ 0.5; pairs 0.4 0.04
        test_of mulunix a fuzzy\ 0.5; pairs 0.42 0.02
        test_of multiple a collective\ true; pairs 0.5 0.1
        test_of multiple a collective\ false; pairs 0.5 0.1
        test_of singleI a 'tasklength 20 2'; pairs 0.4 0.04
        test_of multipleI a 'tasklength 100' collective\ true; pairs 0.5 0.1
        test_of multipleI a 'tasklength 100' collective\ false; pairs 0.5 0.1
    } >p.in
    iot 0
    valid_is r.json true
    for t in single sinunix mulunix multiple singleI multipleI; do
        measured $t write; measured $t read
    done
    for k in w r wI rI t wtI rtI pre_time palloc_time post_time; do
        grep -q "^$k [0-9]" all.out || fail "no $k in all.out"
    done
    nothing_left
}
matrix_kernels_verify() {
    grids='numprocgrids 2
xproc 1 2
yproc 2 1'
    {
        test_of matrix2D a 'problemsize 32' "$grids" collective\ true
        test_of matrix2D a 'numsizes 1' 'xsize 16' 'ysize 8' "$grids" \
            collective\ false
        test_of matrix3D a 'problemsize 8' "$grids" 'zproc 1 1'
        for ghost in 0 2; do
            test_of matrix4D a 'xsize 6' 'ysize 4' 'zsize 3' 'tsize 8' \
                "$grids" 'zproc 1 1' 'tproc 1 1' "ghost $ghost"
        done
        test_of matrix4D a 'problemsize 8' 'xproc 1' 'yproc 1' 'zproc 1' \
            'tproc 2' collective\ false
        test_of gatherscat2D a 'problemsize 16' "$grids"
        test_of transpose a 'xsize 16' 'ysize 8' collective\ true
        test_of transpose a 'problemsize 70' collective\ false
    } >p.in
    iot 0
    valid_is r.json true
    measured matrix2D write; measured matrix3D read
    measured matrix4D write; measured matrix4D read
    measured gatherscat2D gather; measured gatherscat2D scatter
    measured transpose internal; measured transpose read
    for k in write read gather scatter internal; do
        grep -q "^$k [0-9]" all.out || fail "no $k in all.out"
    done
    nothing_left
}
other_kernels_verify() {
    {
        test_of nonseq a 'filesize 0.4' 'numblocksize 1' 'blocksize 0.004' \
            'numupdate 2' 'update_frac 0 0.5'
        test_of sharedfp a 'filesize 0.2' 'blockmin 0' 'blockmax 0.004'
        test_of sharedfp a 'filesize 0.2' 'blockmin 0' 'blockmax 0.004' \
            collective\ true
        test_of irregular a 'xsize 12' 'ysize 9' 'scramble 16' collective\ true
        test_of irregular a 'problemsize 7' 'scramble 16' collective\ false
    } >p.in
    iot 0
    valid_is r.json true
    measured nonseq read; measured nonseq update
    measured sharedfp write
    measured irregular write; measured irregular read_global
    measured irregular write_global; measured irregular read
    grep -q '^b [0-9]*$' all.out || fail "no b in all.out"
    grep -q '^u [0-9]' all.out || fail "no u in all.out"
    grep -q '"load_balance"' r.json || fail "no load balance"
    grep -q '"nonseq_update_mbps": [0-9]' r.json || fail "no summary"
    grep -q '"sharedfp_write_mbps": [0-9]' r.json || fail "no summary"
    run 0 "$PARIO" report all.out -o r.html # sizes of blocks among the times
    # Of update_frac 0 there is nothing to tell.
    [ "$(grep -c '"access": "update"' r.json)" -eq 1 ] || fail "empty update"
    # In memory no device works for one part in the other's turn.
    ! is_marked nonseq update paused || fail "updates in memory are marked"
    nothing_left
}
# On a disk it does: reads and updates take turns, the processes compute.
turns_mark_the_figure() {
    disk=$(mktemp -d -p "${TMPDIR:-/var/tmp}" pario-disk.XXXXXX)
    trap 'rm -rf "$disk"; cleanup' EXIT INT TERM
    case $(stat -f -c %T "$disk") in
    tmpfs | ramfs) skip "no disk" ;;
    esac
    {
        test_of nonseq a 'filesize 0.4' 'numblocksize 1' 'blocksize 0.004' \
            'numupdate 1' 'update_frac 0.5'
        [ "$LAPACKE" != 1 ] ||
            test_of outofcore b 'problemsize 96' 'panel 8' 'memory 0.05'
    } | sed "s|filename target|filename $disk|" >p.in
    iot 0
    # A sync on a busy disk may take so long that the rest is less than 1 %.
    python3 - <<'PY' || fail "turns are not marked"
import json
m = [x for x in json.load(open('r.json'))['measures']
     if x['access'] in ('update', 'update_read')]
assert m
for x in m:
    assert x['unseen_s'] > 0, x
    assert ('paused' in x['flags']) == (x['unseen_s'] > 0.01 * x['seconds']), x
PY
}
outofcore_verifies() {
    [ "$LAPACKE" = 1 ] || skip "needs LAPACKE"
    test_of outofcore a 'problemsize 96' 'panel 8' 'memory 0.05' \
        'variant both' >p.in
    iot 0
    valid_is r.json true
    measured outofcore factor
    measured outofcore update_read
    grep -q '"residual"' r.json || fail "no residual"
    is_marked outofcore factor paused && fail "the whole is marked"
    nothing_left
}
four_processes() {
    {
        test_of matrix2D a 'problemsize 16' 'xproc 2' 'yproc 2'
        test_of multiple a collective\ true; pairs 0.024 0.008
        # Not collectively: Open MPI's OMPIO 4.1.4 reads wrong data through
        # overlapping views of four processes (docs/iot.md).
        test_of irregular a 'problemsize 6' 'scramble 8' collective\ false
    } >p.in
    run 0 "$PARIO" -n 4 iot p.in --output r.json --verify full
    valid_is r.json true
    nothing_left
}
timings_blocks_are_whole() {
    {
        echo 'timingsfilename t.out'
        test_of multiple a collective\ false; pairs 0.5 0.1
        test_of sharedfp a 'filesize 0.1' 'blockmin 0' 'blockmax 0.004'
    } >p.in
    iot 0
    iot 0 --force
    [ -e all.out ] && fail "all.out beside timingsfilename"
    awk '$1 == "block" { if (open) bad = 1; open = 1; blocks++; n = left = 0 }
         $1 == "data" { k = $2; inside = 1; next }
         $1 == "count" { n += $2; next }
         inside && $1 == k { left++ }
         $1 == "end" { if (!open || n != left) bad = 1; open = inside = 0 }
         END { exit bad || open || blocks < 14 }' t.out || fail "t.out is broken"
    grep -c '^w [0-9]' t.out >n
    [ "$(cat n)" -gt 10 ] || fail "writes: $(cat n)"
    for k in testname nprocs host mpi set file_bytes; do
        grep -q "^$k " t.out || fail "no $k in t.out"
    done
}
wrong_parameters_all_at_once() {
    {
        test_of single a; pairs 1 2
        test_of matrix2D a 'problemsize 9' 'xproc 3' 'yproc 1'
        test_of multiple ../nowhere/b collective\ perhaps; pairs 1 0.1
        test_of sinunix c blocksise\ 4; pairs 1 0.000004
    } >p.in
    iot 2
    says 'p.in:6: a block of 2000000 bytes is larger than the file of 1000000'
    says 'p.in:11: the process grid 3 x 1 has 3 processes, the run has 2'
    says "p.in:16: collective: 'perhaps' is neither true nor false"
    says 'nowhere'
    says "p.in:23: unknown keyword 'blocksise'; did you mean blocksize"
    says 'p.in:26: blocksize 4e-06 MB is no multiple of 8 bytes'
    says 'nothing was run'
    [ -e all.out ] && fail "timings of nothing"
    nothing_left
}
timings_file_is_looked_at_first() {
    { test_of single a; pairs 0.4 0.04; } >p.in
    iot 2 --samples nowhere/t.out
    says 'p.in: cannot write the timings to nowhere/t.out: .*does not exist'
    echo precious >t.out
    iot 1 --samples t.out
    says 't.out exists, holds no timings and is kept'
    [ "$(cat t.out)" = precious ] || fail "it was overwritten"
    mkdir d
    iot 1 --samples d
    says '(cannot write|no regular file|directory).*'
    iot 2 --samples target/a
    says 'p.in:2: filename target/a is the timings file, too'
    [ -e r.json ] && fail "a result of nothing"
    nothing_left
}
file_beyond_free_space() {
    { test_of single a; pairs 10000000 1; } >p.in
    iot 2
    says 'p.in:2: .*(free|space)'
    nothing_left
}
file_in_the_way_is_kept() {
    echo precious >target/a
    { test_of single a; pairs 0.4 0.04; } >p.in
    iot 2
    says 'p.in:2: .*target/a exists'
    [ "$(cat target/a)" = precious ] || fail "it was overwritten"
    iot 0 --force
    nothing_left
}
full_disk_goes_on() {
    {
        test_of sinunix a preallocate\ false; pairs 0.4 0.04
        test_of single a preallocate\ false; pairs 0.4 0.04
        test_of single b; pairs 0.4 0.04
    } >p.in
    with_fault 'op=write,from=3,error=ENOSPC,path=target/a' 1
    says 'these parameter sets failed'
    says 'sinunix, set 1 .*No space left on device'
    says 'single, set 1 .*cannot write target/a'
    says '2 of 3 parameter sets failed'
    valid_is r.json false
    measured single read
    nothing_left
}
eio_on_sync_goes_on() {
    {
        test_of sinunix a; pairs 0.4 0.04
        test_of multiple a collective\ false; pairs 0.4 0.04
        test_of single b; pairs 0.4 0.04
    } >p.in
    with_fault 'op=fsync,error=EIO,path=target/a' 1 --deadline 20
    says 'cannot sync target/a'
    valid_is r.json false
    nothing_left
}
# A library may leave the other ranks in a collective call: the watchdog ends
# the job then. Either way it ends, with a message, and leaves nothing.
eio_collective_ends() {
    { test_of multiple a collective\ true preallocate\ false
      pairs 4 0.1; } >p.in
    with_fault 'op=write,from=2,error=EIO,path=target/a' 1 --deadline 20
    says 'multiple, set 1|watchdog|did not come|wrong data'
    valid_is r.json false
    nothing_left
}
# OMPIO leaves the other rank in the open; the file is there by then.
failed_open_leaves_nothing() {
    { test_of multiple a collective\ false; pairs 0.4 0.1; } >p.in
    failed=0
    # Open MPI's first open is that of a file of its own, and may fail.
    for which in nth=2 from=1; do
        timeout -k 5 60 env "LD_PRELOAD=$FAULT" \
            "PARIO_FAULT=op=open,rank=1,$which,error=EMFILE,path=target/a" \
            $P iot p.in --output r.json --force --deadline 5 >out 2>err \
            </dev/null
        status=$?
        [ $status -le 1 ] || fail "status $status"
        failed=$((failed + status))
        nothing_left
    done
    [ $failed -gt 0 ] || fail "no open failed"
}
killed_rank_ends() {
    {
        test_of single b; pairs 0.4 0.04
        test_of mulunix a; pairs 0.4 0.04
    } >p.in
    timeout -k 5 60 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,rank=1,nth=2,kill,path=target/a' \
        $P iot p.in --output r.json >out 2>err </dev/null
    status=$?
    [ $status -ne 0 ] && [ $status -lt 124 -o $status -gt 127 ] ||
        fail "status $status"
    valid_is r.json false
    measured single read
    nothing_left
}
# ROMIO keeps a hidden file for the shared pointer: it must go, too.
killed_rank_leaves_no_shared_pointer() {
    test_of sharedfp a 'filesize 8' 'blockmin 0' 'blockmax 0.004' >p.in
    timeout -k 5 60 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,rank=1,nth=1,kill,path=target/a' \
        $P iot p.in --output r.json >out 2>err </dev/null
    [ $? -ne 0 ] || fail "no rank was killed"
    nothing_left
}
# meddle COMMAND: does it to target/a again and again until the run is over
# (meddled): also in the sync after the last write, which has a delay of 3 s.
meddle() {
    while [ ! -e over ]; do
        "$@" 2>/dev/null
        sleep 0.1
    done
}
meddled() {
    touch over
    wait
    rm over
}
# The same from the nonblocking writes on, which come after blocking ones.
meddle_late() {
    until [ -e over ] || grep -q ') read_blocking: ' err 2>/dev/null; do
        sleep 0.05
    done
    meddle "$@"
}
zeros() { # FIRST COUNT: kB of target/a
    dd if=/dev/zero of=target/a bs=1000 seek="$1" count="$2" conv=notrunc,nocreat
}
# The task's results are checked over the whole window, not in its first
# blocks only.
wrong_results_are_seen_late_in_a_window() {
    { test_of singleI a 'tasklength 500'; pairs 0.4 0.004; } >p.in
    rm -f err
    meddle_late zeros 200 200 &
    with_fault 'op=fsync,delay=3000,path=target/a' 1
    meddled
    says "wrong data, singleI read: set 1 .*not the task's result"
    nothing_left
}
# OMPIO waits for ever for a nonblocking read beyond the end: the watchdog.
truncated_file_ends_nonblocking_reads() {
    { test_of multipleI a 'tasklength 10' collective\ false preallocate\ false
      pairs 0.8 0.004; } >p.in
    rm -f err
    # Before it is read the file is looked at, which the delay makes long.
    (
        i=0
        while [ $i -lt 400 ] && ! grep -q ') write: ' err 2>/dev/null; do
            i=$((i + 1)); sleep 0.05
        done
        truncate -s 100000 target/a
    ) &
    with_fault 'op=open,delay=1000,path=target/a' 1 --deadline 10
    wait
    says 'multipleI, set 1 .*target/a.*truncated|watchdog of rank'
    nothing_left
}
truncated_file_is_seen() {
    {
        test_of sinunix a; pairs 0.4 0.04
        test_of single b; pairs 0.4 0.04
    } >p.in
    meddle truncate -c -s 100000 target/a &
    with_fault 'op=fsync,delay=3000,path=target/a' 1
    meddled
    says 'sinunix, set 1 .*(truncated|ends at byte)'
    measured single read
    nothing_left
}
# The first write of data of each test, lost: it is seen, though much is written
# twice. Some have preallocated their file by one write of rank 0 before.
lost_first_write_is_seen() {
    {
        test_of sinunix a1; pairs 0.4 0.04
        test_of single a2; pairs 0.4 0.04
        test_of multiple a3 'collective false'; pairs 0.4 0.04
        test_of matrix2D a4 'problemsize 32' 'xproc 1' 'yproc 2'
        test_of nonseq a5 'filesize 0.04' 'blocksize 0.004' 'update_frac 0.5'
        test_of gatherscat2D a6 'problemsize 32' 'xproc 2' 'yproc 1'
        test_of sharedfp a7 'filesize 0.04' 'blockmin 0.001' 'blockmax 0.004'
    } >p.in
    rules=
    for i in 1 2 3 4 5 6 7; do
        case $i in 3 | 4 | 5) which=rank=1,nth=1 ;; *) which=rank=0,nth=2 ;; esac
        rules="$rules;op=write,drop,$which,path=target/a$i"
    done
    # One process may be so fast that the other never writes.
    rules="$rules;op=write,drop,rank=1,nth=1,path=target/a7"
    with_fault "${rules#;}" 1 --verify full
    for t in sinunix single multiple matrix2D nonseq gatherscat2D sharedfp; do
        says "^  $t, set 1 .*(wrong data|data was lost)"
    done
    says '7 of 7 parameter sets failed'
    valid_is r.json false
    nothing_left
}
wrong_byte_is_seen() {
    {
        test_of sinunix a; pairs 0.4 0.04
        test_of matrix2D a 'problemsize 32' 'xproc 1' 'yproc 2'
    } >p.in
    with_fault 'op=read,flip,at=4000,path=target/a' 1 --verify full
    says 'wrong data, sinunix read: set 1 .*element [0-9]+'
    says 'wrong data, matrix2D read'
    says '^  sinunix, set 1 .*: wrong data: '
    says '2 of 2 parameter sets failed'
    valid_is r.json false
    nothing_left
}
wrong_byte_is_seen_by_every_kernel() {
    {
        test_of nonseq a 'filesize 0.04' 'blocksize 0.004' 'update_frac 0.5'
        test_of gatherscat2D a 'problemsize 32' 'xproc 2' 'yproc 1'
        test_of sharedfp a 'filesize 0.04' 'blockmin 0' 'blockmax 0.004'
        # Collectively: ROMIO's independent writes read first, and two flips
        # are none.
        test_of transpose a 'problemsize 32' collective\ true
        test_of irregular a 'problemsize 16' 'scramble 8' collective\ true
        test_of matrix3D a 'problemsize 10' 'xproc 1' 'yproc 2' 'zproc 1'
        test_of matrix4D a 'problemsize 6' 'xproc 1' 'yproc 1' 'zproc 1' \
            'tproc 2'
    } >p.in
    with_fault 'op=read,flip,at=4000,path=target/a' 1 --verify full
    for t in nonseq gatherscat2D sharedfp transpose irregular matrix3D matrix4D; do
        says "wrong data, $t [a-z_]*: set 1"
    done
    says '7 of 7 parameter sets failed'
    valid_is r.json false
    nothing_left
}
# Nonblocking reads are out of the fault library's reach: the file is changed.
wrong_data_is_seen_by_nonblocking_reads() {
    for collective in true false; do
        { test_of multipleI a 'tasklength 10' "collective $collective"
          pairs 0.4 0.04; } >p.in
        rm -f err
        meddle_late zeros 200 10 &
        with_fault 'op=fsync,delay=3000,path=target/a' 1 --verify full --force
        meddled
        says "wrong data, multipleI read: set 1 .*(perhaps never written|not the task's)"
        nothing_left
    done
}
wrong_factor_is_seen() {
    [ "$LAPACKE" = 1 ] || skip "needs LAPACKE"
    test_of outofcore a 'problemsize 96' 'panel 8' 'memory 0.05' >p.in
    with_fault 'op=read,flip,at=40007,nth=1,path=target/a' 1
    says 'wrong data, outofcore factor: .*LU'
    nothing_left
}
# The time is that of the wall from the first call to the sync, without pauses:
# one process that is slow keeps the measure, and the buffer is never refilled.
slow_process_counts() {
    { test_of mulunix a preallocate\ false; pairs 96 16; } >p.in
    with_fault 'op=write,rank=0,nth=2,delay=600,path=target/a' 0
    figure mulunix write seconds | awk '{ exit !($1 >= 0.6) }' ||
        fail "$(figure mulunix write seconds) s"
    figure mulunix write loop_seconds | awk '{ exit !($1 >= 0.6) }' ||
        fail "loop $(figure mulunix write loop_seconds) s"
    [ "$(figure mulunix write pause_s)" = 0.0 ] || fail "a pause while writing"
    nothing_left
}
# MPI libraries preallocate by writing: so do the tests that MPI is compared
# with, else one overwrites what the other must allocate.
preallocated_alike() {
    { test_of single a; pairs 4 0.1; test_of sinunix a; pairs 4 0.1; } >p.in
    iot 0
    for t in single sinunix; do
        [ "$(figure $t write preallocated)" = written ] ||
            fail "$t: $(figure $t write preallocated)"
    done
    nothing_left
}
# 5.2: each process has a file of its own, at the same time.
file_per_process_verifies() {
    {
        test_of single a fileperprocess\ true; pairs 0.4 0.04
        test_of sinunix a file_per_process\ true; pairs 0.4 0.04
        test_of singleI a fileperprocess\ true 'tasklength 20'; pairs 0.4 0.04
    } >p.in
    iot 0
    valid_is r.json true
    for t in single sinunix singleI; do
        [ "$(figure $t write bytes)" -eq 800000 ] || fail "$t: bytes"
        [ "$(figure $t write partition)" -eq 2 ] || fail "$t: processes"
    done
    [ "$(grep -c '^w [0-9]' all.out)" -eq 60 ] || fail "samples"
    nothing_left
    : >target/a.1
    rm r.json
    iot 2
    says 'the file target/a.1 exists'
    with_fault 'op=read,flip,at=4000,rank=1,path=target/a.1' 1 --verify full \
        --force
    says 'wrong data, sinunix read: set 1 .*rank 1: element'
    rm -f target/a.1
    nothing_left
}
kernels_are_repeated() {
    test_of matrix2D a 'problemsize 32' 'xproc 2' 'yproc 1' 'repeat 3' >p.in
    iot 0
    [ "$(measures_of r.json)" -eq 6 ] || fail "$(measures_of r.json) measures"
    [ "$(grep -c '"repetition": 3' r.json)" -eq 2 ] || fail "no number"
    test_of matrix2D a 'problemsize 32' 'xproc 2' 'yproc 1' 'repeat 0' >p.in
    iot 2 --force
    says 'repeat is a number from 1'
    nothing_left
}
# The same loop without tasks is measured, too: what ran beside each other is a
# figure.
overlap_is_a_figure() {
    {
        test_of singleI a 'tasklength 200 4'; pairs 4 0.1
        test_of multipleI a 'tasklength 200' collective\ true; pairs 4 0.1
    } >p.in
    iot 0
    for t in singleI multipleI; do
        measured $t write_blocking; measured $t read_blocking
        for a in write read; do
            for name in blocking_seconds task_alone_seconds loop_seconds \
                overlap; do
                figure $t $a $name
            done | tr '\n' ' ' >parts
            # As docs/iot.md has it, of what stands beside it.
            awk '$1 > 0 && $2 > 0 && $3 > 0 {
                s = ($1 + $2 - $3) / ($1 < $2 ? $1 : $2)
                s = s < 0 ? 0 : s > 1 ? 1 : s
                exit !($4 - s < 1e-6 && s - $4 < 1e-6)
            } { exit 1 }' parts || fail "$t $a: overlap: $(cat parts)"
        done
    done
    nothing_left
}
# A killed program leaves OMPIO's semaphore locked: the next run with a file of
# that name must not wait for it.
stale_semaphore_is_removed() {
    "$PARIO" --version | grep -q 'Open MPI' || skip "needs Open MPI"
    name=iot-stale-$$
    python3 - "$name" <<'P' || skip "needs python3"
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.sem_open.restype = ctypes.c_void_p
sys.exit(not libc.sem_open(b"/OMPIO_" + sys.argv[1].encode(), os.O_CREAT,
                           0o600, 0))
P
    [ -e "/dev/shm/sem.OMPIO_$name" ] || skip "no semaphores in /dev/shm"
    test_of sharedfp "$name" 'filesize 0.2' 'blockmin 0' 'blockmax 0.004' >p.in
    iot 0 --deadline 20
    valid_is r.json true
    [ -e "/dev/shm/sem.OMPIO_$name" ] && rm "/dev/shm/sem.OMPIO_$name" &&
        fail "the semaphore is left"
    nothing_left
}
# On one process the times of the parts are those of one call.
transposed_read_has_its_view() {
    test_of transpose a 'problemsize 64' >p.in
    run 0 "$PARIO" -n 1 iot p.in --output r.json
    for name in view_seconds io_seconds call_seconds seconds; do
        figure transpose read $name
    done | tr '\n' ' ' >parts
    awk '{ exit !($1 > 0 && $2 > 0 && $1 + $2 <= $3 + 1e-9 && $3 <= $4) }' \
        parts || fail "view, read, both, the whole: $(cat parts)"
    nothing_left
}
# What is lost is what the help names.
force_says_what_it_deletes() {
    { test_of single a 'fileperprocess true'; pairs 0.2 0.1; } >p.in
    echo precious >target/a.1
    iot 2
    grep -q precious target/a.1 || fail "deleted without --force"
    iot 0 --force
    [ ! -e target/a.1 ] || fail "target/a.1 is kept"
    for suite in iot pattern; do
        run 0 "$PARIO" $suite --help
        tr -s '\n ' ' ' <out | grep -q \
            'iot and pattern also delete or replace the test files .*NAME.RANK' ||
            fail "$suite --help does not say that --force deletes test files"
    done
    nothing_left
}
sizes_of_records_are_analysed() {
    test_of sharedfp a 'filesize 0.2 0.4' 'blockmin 0' 'blockmax 0.004' >p.in
    iot 0
    run 0 "$PARIO" allav all.out --list
    prints 'sharedfp w of 2 processes, calls of different sizes'
    run 0 "$PARIO" allav all.out -o s.csv
    for f in s.csv s-sizes-2.csv; do # each set
        grep -Eq '^process [01],' $f || fail "$f: no curve of a process"
    done
    nothing_left
}
# In the last round of collective calls some bring nothing: no sample.
empty_calls_are_no_samples() {
    { test_of multiple a collective\ true; pairs 0.3 0.1; } >p.in
    iot 0
    [ "$(grep -c '^[wr] [0-9]' all.out)" -eq 6 ] ||
        fail "$(grep -c '^[wr] [0-9]' all.out) samples of 6 calls"
    [ "$(figure multiple write operations)" -eq 3 ] || fail "operations"
    nothing_left
}
# A sync that takes its time is in the measure and not in the timings.
sync_is_not_in_the_call() {
    {
        test_of gatherscat2D a 'problemsize 16' 'xproc 2' 'yproc 1'
        test_of transpose a 'problemsize 16'
        test_of matrix2D a 'problemsize 16' 'xproc 2' 'yproc 1'
    } >p.in
    with_fault 'op=fsync,delay=400,path=target/a' 0
    for t in gatherscat2D transpose matrix2D; do
        figure $t write sync_seconds | grep -q '^0\.[4-9]' ||
            fail "$t: no sync_seconds: $(figure $t write sync_seconds)"
        figure $t write seconds | grep -q '^0\.[4-9]' ||
            fail "$t: sync not in the measure: $(figure $t write seconds)"
        figure $t write call_seconds | grep -q '^\(0\.[0-2]\|.*e-\)' ||
            fail "$t: call_seconds: $(figure $t write call_seconds)"
    done
    grep '^write ' all.out | grep -v '^write 0\.[0-2]' &&
        fail "a sync is in the timings"
    nothing_left
}
cached_data_is_not_called_disk() {
    on_disk
    {
        test_of gatherscat2D a 'problemsize 64' 'xproc 2' 'yproc 1'
        test_of transpose a 'problemsize 64'
        [ "$LAPACKE" = 0 ] || test_of outofcore a 'problemsize 192' 'panel 8' \
            'memory 0.1' 'variant both'
    } >p.in
    iot 0
    verdict_is gatherscat2D read cache
    for m in 'gatherscat2D gather' 'gatherscat2D scatter' \
        'transpose internal'; do
        verdict_is $m unknown
    done
    [ "$LAPACKE" = 1 ] || return 0
    for a in panel_read update_read; do
        verdict_is outofcore $a cache
    done
    verdict_is outofcore factor mixed # its writes reach the disk
    iot 0 --cold --force
    verdict_is gatherscat2D read disk
    # The device saw the matrix once, the parts of L are read again from the
    # cache: which of the reads it saw is not known (and it sees others').
    for a in panel_read update_read; do
        [ "$(figure outofcore $a cache)" != cache ] ||
            fail "outofcore $a is cache, but the device read the matrix"
    done
}
links_choose_the_class() {
    bin=$(dirname "$PARIO")
    {
        test_of single a; pairs 0.4 0.04
        test_of matrix2D a 'problemsize 8' 'xproc 1' 'yproc 1'
    } >p.in
    run 0 "$bin/iot_lowlevel" p.in --output r.json
    [ "$(measures_of r.json)" -eq 2 ] || fail "iot_lowlevel"
    grep -q matrix2D r.json && fail "iot_lowlevel ran a kernel"
    run 0 "$bin/iot_kernel" p.in --output r.json --force
    grep -q '"single"' r.json && fail "iot_kernel ran a low-level test"
    run 0 "$bin/iot_all" p.in --output r.json --force
    [ "$(measures_of r.json)" -eq 4 ] || fail "iot_all"
    # A test of the other class may suit another number of processes.
    run 0 "$bin/iot_lowlevel" -n 2 p.in --output r.json --force
    grep -q '"processes": 2' r.json || fail "iot_lowlevel -n 2"
    grep -q '"--class=lowlevel"' r.json || fail "not its class"
    run 2 "$bin/iot_all" -n 2 p.in --output r.json --force
    says 'process grid 1 x 1 has 1 processes'
    run 2 "$bin/iot_all" -n two p.in
    run 0 "$bin/iot_kernel" --help
    prints '^usage: iot_kernel '
    run 0 "$bin/iot_kernel" --version
    prints '^pario [0-9]'
}
keep_keeps_the_last_file() {
    { test_of single a; pairs 0.4 0.04; test_of single a; pairs 0.8 0.04; } \
        >p.in
    iot 0 --keep
    [ "$(wc -c <target/a)" -eq 800000 ] || fail "not the last file"
}
resume_skips_what_is_done() {
    { test_of single a; pairs 0.4 0.04; test_of sinunix b; pairs 0.8 0.04; } \
        >p.in
    with_fault 'op=write,error=EIO,path=target/b' 1 --samples t.out
    before=$(grep -c testname.single t.out)
    run 0 $P iot p.in --resume r.json --samples t.out
    valid_is r.json true
    measured sinunix read
    [ "$(grep -c testname.single t.out)" -eq "$before" ] ||
        fail "single was run again"
}
resume_does_failed_sets_again() {
    {
        test_of nonseq a 'filesize 0.4' 'blocksize 0.004' 'update_frac 0.5'
        test_of sinunix b; pairs 0.4 0.04
    } >p.in
    # Of nonseq the reads are wrong and the updates right; of sinunix the
    # writes are right.
    with_fault 'op=read,flip,at=4000,nth=1,rank=0,path=target/a;op=read,flip,at=4000,nth=1,rank=1,path=target/a;op=read,error=EIO,path=target/b' \
        1 --verify full
    [ "$(figure nonseq update error)" = null ] || fail "the updates failed, too"
    run 0 $P iot p.in --resume r.json --verify full
    valid_is r.json true
    [ "$(measures_of r.json)" -eq 4 ] || fail "$(measures_of r.json) measures"
    measured nonseq read
    [ "$(grep -c 'before the resume: wrong data, nonseq' r.json)" -eq 1 ] ||
        fail "the failure of before is not told"
    grep -q '"wrong data, nonseq' r.json && fail "it is told twice"
    nothing_left
}
resume_refuses_other_parameters() {
    { test_of single a; pairs 0.4 0.04; test_of sinunix b; pairs 0.8 0.04; } \
        >p.in
    with_fault 'op=write,error=EIO,path=target/b' 1
    cp r.json before
    { test_of single a; pairs 0.4 0.04; test_of sinunix b; pairs 1.6 0.04; } \
        >p.in
    run 2 $P iot p.in --resume r.json
    says 'cannot go on from .*r.json: option parameter_file was'
    cmp before r.json || fail "the document was changed"
    { test_of single a; pairs 0.4 0.04; test_of sinunix b; pairs 0.8 0.04; } \
        >p.in
    run 2 "$PARIO" -n 1 iot p.in --resume r.json
    says 'cannot go on from .*r.json: (option|number of) processes was'
    cmp before r.json || fail "the document was changed"
    nothing_left
}
suggest_writes_what_runs() {
    run 0 $P iot suggest target --dry-run
    prints 'iot suggest: 2 processes'
    prints 'then writes iotparams.in'
    [ -e iotparams.in ] && fail "--dry-run wrote a file"
    run 1 env "LD_PRELOAD=$FAULT" \
        "PARIO_FAULT=op=write,error=ENOSPC,path=iotparams.in" \
        $P iot suggest target --time 1 --output r.json
    says 'cannot write iotparams.in: No space left'
    [ -e iotparams.in ] && fail "a part of a file is left"
    run 0 $P iot suggest target --time 1 --output r.json --force
    says 'iotparams.in is written'
    nothing_left
    run 0 $P iot --dry-run
    prints 'multiple, set 1'
    grep -q '^# Block sizes' iotparams.in || fail "no reasons given"
    cp iotparams.in before
    run 1 $P iot suggest target --time 1 --output s.json
    cmp before iotparams.in || fail "it was overwritten"
}

"$1"
