#!/bin/sh
# End-to-end cases of `pario pattern`: cases.sh CASE.
. "$(dirname "$0")/../cli/lib.sh"

small="-b 64k -t 16k -s 4 --output r.json --quiet"
uring="-a uring"
queue="-a uring --queue-depth 8"
$PARIO list | grep -q uring || uring= queue=

# value MEMBER ACCESS: of the first such measure in r.json.
value() {
    python3 - "$1" "$2" <<'END'
import json, sys
for m in json.load(open("r.json"))["measures"]:
    if m["access"] == sys.argv[2]:
        v = m
        for name in sys.argv[1].split("."):
            v = v[name]
        print(v)
        break
END
}
is() { # MEMBER ACCESS VALUE
    have=$(value "$1" "$2")
    [ "$have" = "$3" ] || fail "$2 $1 is $have instead of $3"
}

# Every kind of layout, order and interface is right to the last byte.
patterns_are_written_and_read() {
    for how in "-z" "-F -z" "-C -J 1m" "-F -Z -e -Y" "-t 47008 -b 94016" \
        "-t 24 -b 2400 $uring"; do
        rm -f r.json
        run 0 $P pattern $small $how --verify full target
        valid_is r.json true
        is verify.errors read 0
        is verify.checked_bytes read "$(value bytes write)"
        is bytes read "$(value bytes write)"
        nothing_left
    done
}
patterns_of_mpiio() {
    [ "$MPIIO" = 1 ] || skip "needs MPI-IO"
    for how in "-V" "-c -V -C" "-F" "-c -z" "-c -D 1 -s 4000"; do
        rm -f r.json
        run 0 $P pattern $small -a MPIIO $how --verify full target
        valid_is r.json true
        is verify.checked_bytes read "$(value bytes read)"
        nothing_left
    done
}
# What is drawn is right to the last byte, too, and so is what it is told of.
drawn_patterns_are_right() {
    for how in "--order zipf --zipf 0.9 -F" \
        "--order hotspot --sizes 512/50:16k/50" \
        "--order uniform --read-share 40 $queue" \
        "--read-share 70 -z" "--sizes 4k/1:32k/1 -e" "-w -r -z -z"; do
        rm -f r.json
        run 0 $P pattern $small $how --verify full target
        valid_is r.json true
        grep -q '"checked_bytes": 0' r.json && fail "not checked: $how"
        nothing_left
    done
}
pace_is_kept() {
    run 0 $P pattern -w -F -b 16k -t 4k -s 16 --rate 512k --over-time 100ms \
        --output r.json -q target
    python3 - <<'END' || fail "the pace was not kept"
import json
m = json.load(open("r.json"))["measures"][0]
share = m["bytes"] / m["partition"] / (512 << 10)
assert m["seconds"] >= 0.95 * (share - 4096 / (512 << 10)), m["seconds"]
assert sum(m["over_time"]["bytes"]) == m["bytes"]
assert len(m["over_time"]["bytes"]) >= 4
END
    rm r.json
    run 0 $P pattern -w -F -b 16k -t 4k -O interIODelay=50000 --output r.json \
        -q target
    python3 - <<'END' || fail "there was no think time"
import json
m = json.load(open("r.json"))["measures"][0]
assert m["seconds"] >= 0.2 and m["latency_ns"]["p50"] < 50e6
END
}
fio_jobs_run() {
    n=1
    [ "$MPI" = 1 ] && n=2
    cat >job.fio <<END
[global]
size=256k
bs=4k
numjobs=$n
directory=target
[read]
rw=randread
[mix]
stonewall
rw=randrw
rwmixread=60
end_fsync=1
END
    run 0 $P pattern --fio job.fio --output r.json
    prints '^  mix'
    grep -q read_read_mbps r.json || fail "no summary of the first job"
    grep -q '"cold": "yes"' r.json || fail "fio drops the file; pario did not"
    is parameters.order read shuffled
    valid_is r.json true
    nothing_left
    printf '[j]\nrw=write\nbs=4k\nsize=64k\n[global]\nstonewall\n[j]\nrw=write\nbs=8k\nsize=64k\n' >two.fio
    run 2 $P pattern --fio two.fio --output r2.json
    says 'two jobs are called \[j\]'
    echo 'gtod_reduce=1' >>job.fio
    run 2 $P pattern --fio job.fio --output r2.json
    says 'job.fio:13: gtod_reduce: pario pattern has no such keyword'
}
# What is there is moved again and again until the time is over.
time_based_goes_on() {
    for how in "-w -r" "-F -z $queue" "--read-share 50 -z" "-w -r -F -e -Y"; do
        rm -f r.json
        run 0 $P pattern -b 64k -t 16k -s 2 $how -D 200ms --time-based \
            --verify full --output r.json -q target
        python3 - <<'END' || fail "$how: the time was not filled"
import json
d = json.load(open("r.json"))
assert d["valid"]
for m in d["measures"]:
    assert 0.2 <= m["seconds"], m["seconds"]
    assert m["operations"] > 8 * m["partition"], m["operations"]
    assert m["access"] == "read" or "repeated-data" in m["flags"], m["flags"]
    assert m["verify"]["errors"] == 0 and m["verify"]["checked_bytes"] > 0
END
        nothing_left
    done
    printf '[j]\nrw=read\nsize=64k\nruntime=200ms\ntime_based\ninvalidate=0\n' >job.fio
    rm -f r.json
    run 0 $PARIO pattern --fio job.fio --output r.json -q target
    [ "$(value operations read)" -gt 16 ] || fail "fio's time_based ended early"
    sed -i /runtime/d job.fio
    run 2 $PARIO pattern --fio job.fio --output r2.json target
    says 'time-based needs a time'
}
lost_write_of_a_mix_is_found() {
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=write,from=17,drop,path=/target/' \
        $P pattern $small --order uniform --read-share 30 --verify full target
    says '(INVALID|wrong)'
    valid_is r.json false
    nothing_left
}
stonewall_ends_and_wears_out() {
    # 10 ms a write: the whole would take minutes.
    run 0 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=write,delay=10,path=/target/' \
        $P pattern -F -b 16k -t 16k -s 20000 -D 1 --output r.json -q target
    valid_is r.json true
    [ "$(value operations write)" -lt 40000 ] || fail "no stonewall"
    [ "$(value operations write)" -ge 10 ] || fail "hardly anything"
    # What all have written is read by all.
    [ "$(value bytes read)" -le "$(value bytes write)" ] || fail "read more"
    [ "$MPI" = 1 ] || return 0
    rm -f r.json
    run 0 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=write,rank=0,delay=2,path=/target/' \
        $P pattern -w -F -b 16k -t 16k -s 1000 -D 1 -O stoneWallingWearOut=1 \
        --output r.json -q target
    # The fast process did all 1000; the slow one came after it.
    is operations write 2000
    is stonewall.most_operations write 1000
    [ "$(value stonewall.fewest_operations write)" -lt 1000 ] ||
        fail "the slow process was not slow"
}
ior_line_is_taken_or_refused() {
    run 0 $P pattern -a POSIX -w -r -C -Q 1 -g -i 2 -d 0 -b 64k -t 16k -s 2 \
        -o target/testFile -e --output r.json -O useO_DIRECT=0
    prints 'median of 2'
    nothing_left
    while read -r option reason; do
        run 2 $PARIO pattern $option --output r2.json target
        says "^pario: $reason"
        [ ! -e r2.json ] || fail "a document for nothing"
    done <<'END'
-E -E is not taken: pario writes only
-a=HDF5 --interface: unknown value "hdf5"
-u -u is not taken
-M=1g -M is not taken: pario hogs no memory
-Ononsense=1 -O nonsense: pario pattern knows no such directive of IOR
-N=7 --tasks 7: here (is|are) 1; start that many
-OmaxTimeDuration=1 -O maxTimeDuration is not taken
END
}
# What says no more than IOR's defaults, and who takes part.
ior_defaults_are_taken() {
    n=1 here="here is 1"
    [ "$MPI" != 1 ] || n=2 here="here are 2"
    cat >script <<END
IOR START
    api=POSIX
    testFile=target/x
    repetitions=1
    multiFile=0
    interTestDelay=0
    readFile=1
    writeFile=1
    quitOnError=0
    segmentCount=1
    blockSize=32k
    outlierThreshold=0
    setAlignment=64k
    transferSize=4k
    singleXferAttempt=0
    numTasks=0
    memoryPerNode=0
    minTimeDuration=0
    maxTimeDuration=0
    keepFileWithError=0
    storeFileOffset=0
    showHelp=0
    --posix.odirect=0
    reorderTasksRandom=2
RUN
    setAlignment=1
    reorderTasksRandom=0
    filePerProc=1
    numTasks=$n
RUN
IOR STOP
END
    run 0 $P pattern -f script --output r.json
    says '^write posix.* alignment 65536, reorder-random:'
    [ "$(grep -cE '^(write|read) .*(alignment|reorder)' err)" -eq 2 ] ||
        fail "what is set back is not in the second run"
    run 0 $P pattern -Z -Z -N $n -T 0 -J 1 --random-offset-seed 3 -z -b 64k \
        -t 4k --output r2.json target
    grep -q '"reorder_random": true' r2.json || fail "-Z -Z is not -Z"
    sed -i "s/numTasks=$n/numTasks=3/" script
    run 2 $P pattern -f script --output r3.json
    says "tasks 3: $here; start that many processes: pario -n 3 pattern"
    nothing_left
}
ior_script_runs() {
    cat >script <<'END'
IOR START
api=POSIX, blockSize=64k, transferSize=16k
testFile = target/x
RUN
filePerProc=1
RUN
IOR STOP
END
    run 0 $P pattern -f script --output r.json
    prints '^  run2'
    grep -q run2_read_mbps r.json || fail "no summary of the second run"
    valid_is r.json true
    nothing_left
    sed -i 's/^RUN$/useExistingTestFile=1/' script
    run 2 $P pattern -f script --output r2.json
    says 'script:4: useExistingTestFile is not taken: pario writes only'
}
workload_of() { sed -n 's/.*"workload": "\([0-9a-f]*\)".*/\1/p' "$1"; }
# The same cases from another place are the same work, other cases are not.
cases_are_the_workload() {
    for how in -f --fio; do
        rm -rf other *.json
        mkdir other
        case $how in
        -f) printf 'IOR START\nblockSize=64k\ntransferSize=16k\nRUN\nIOR STOP\n' ;;
        *) printf '[job]\nrw=write\nsize=64k\nbs=16k\n' ;;
        esac >job
        cp job other/job
        sed 's/16k/32k/' job >changed
        run 0 $P pattern $how job --output first.json target
        run 0 $P pattern $how other/job --output same.json target
        run 0 $P pattern $how changed --output changed.json target
        [ -n "$(workload_of first.json)" ] || fail "no workload"
        [ "$(workload_of first.json)" = "$(workload_of same.json)" ] ||
            fail "another place is another workload"
        [ "$(workload_of first.json)" != "$(workload_of changed.json)" ] ||
            fail "the cases are not in the workload"
    done
    run 0 $PARIO compare first.json changed.json
    prints 'asked to do different work'
}
bad_sizes_are_refused() {
    while read -r options reason; do
        run 2 $PARIO pattern $(echo "$options" | tr _ ' ') --output r.json target
        says "$reason"
    done <<'END'
-t_12_-b_24 --transfer: 12 bytes are no multiple of 8
-t_1m_-b_1536k --block: .* no multiple of the transfer
-t_0 --transfer: 0 is out of range
-b_64t_-t_1g_-s_1000 more than 128 TiB
-c --collective needs MPI-IO: -a mpiio
-V --view needs MPI-IO
-a_mpiio_-B (--direct: MPI-IO has no O_DIRECT|not compiled in)
-C_-Z --reorder and --reorder-random: choose one
-O_stoneWallingWearOut=1 --wear-out needs a stonewall: -D
-o_target/f the test file of -o says where already
--sizes_12/1 --sizes 12/1: SIZE/WEIGHT
--sizes_384k/1 --sizes: 393216 bytes do not divide
--queue-depth_4 --queue-depth 4: only io_uring
--read-share_50_-w --read-share is a mix of both
--script_a_--fio_b choose one
--time-based --time-based needs a time: -D
--whole-blocks --whole-blocks: no place is drawn
-m_-k_-i_2 --multi-file with --keep-file: only
--fio_x_-e --fio with --fsync: the jobs decide what is done
END
    run 2 $P pattern -o target/ --output r.json
    says 'that is a directory'
    # Before anything is measured, not when the file gets its name.
    for way in -w -r; do
        run 1 $PARIO pattern $way -k -o "target/$(printf '%0300d' 7)" --force --output r.json
        says '--file: cannot use .*File name too long'
        grep -q '"access"' r.json && fail "it was measured before"
    done
    nothing_left
}
existing_file_is_kept() {
    echo precious >target/testFile
    run 1 $P pattern $small -o target/testFile
    says 'testFile exists; choose another name'
    grep -q precious target/testFile || fail "the file was changed"
    run 0 $P pattern $small -k -o target/testFile --force
    [ "$(stat -c %s target/testFile)" -gt 65536 ] || fail "not replaced"
    mkfifo target/pipe
    run 2 $P pattern $small -o target/pipe --force
    says 'no regular file'
    # Before anything is made beside it.
    rm -f r.json
    run 2 $P pattern -r -o target/pipe --output r.json
    says 'pipe exists and is no regular file'
    [ ! -e r.json ] || fail "a document for nothing"
    device=$(ls -d /dev/[nsv]* 2>/dev/null | while read -r d; do
        [ ! -b "$d" ] || { echo "$d" && break; }
    done)
    [ -n "$device" ] || return 0
    printf '[a]\nrw=randread\nsize=64k\nfilename=%s\n' "$device" >job.fio
    run 2 $PARIO pattern --fio job.fio --output r.json
    says 'is a device: see the section \[raw\]'
}
kept_file_is_read_again() {
    run 0 $P pattern -w -k -b 64k -t 16k -F -o target/f --output w.json -q
    [ -e target/f.00000000 ] || fail "not kept: $(ls target)"
    run 0 $P pattern -r -b 64k -t 16k -F -o target/f --output r.json
    prints 'unverified'
    is cache read cache
    [ -e target/f.00000000 ] || fail "a file of the user's was removed"
    run 2 $P pattern -r -b 1m -t 16k -F -o target/f --output r2.json
    says 'the file is too short'
    # Nothing is there: it is prepared, and verified.
    run 0 $P pattern -r -b 64k -t 16k -o target/g --output p.json
    grep -q '"checked_bytes": 0' p.json && fail "not verified"
    [ ! -e target/g ] || fail "left behind"
    rm target/f.*
    nothing_left
}
dry_run_creates_nothing() {
    run 0 $P pattern -b 1g -t 1m -s 10 -i 3 --dry-run --output r.json target
    prints 'one shared file, 10 segments of a block of 1 GiB'
    prints '10240 calls per process'
    prints 'disk space: at most (1|2)0'
    [ ! -e r.json ] || fail "a document"
    nothing_left
}
disk_full() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    mount -t tmpfs -o size=1m tmpfs target 2>/dev/null || skip "no mount"
    mounted=$work/target
    run 1 $P pattern -b 4m -t 64k --output r.json target
    says '(free|space)'
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=write,nth=5,error=ENOSPC,path=/target/' \
        $P pattern $small target
    says 'No space left'
    valid_is r.json false
    nothing_left
}
eio_on_write() {
    for rank in rank=0, rank=1, ''; do
        [ "$MPI" = 1 ] || [ -z "$rank" ] || continue
        rm -f r.json
        run 1 env "LD_PRELOAD=$FAULT" "PARIO_FAULT=op=write,${rank}nth=7,error=EIO,path=/target/" \
            $P pattern $small target
        says 'cannot write .* at offset .*Input/output error'
        valid_is r.json false
        nothing_left
    done
}
# fails_at OP N COMMAND...: does its N-th call of that kind matter?
fails_at() {
    rm -f r.json
    ! env "LD_PRELOAD=$FAULT" "PARIO_FAULT=op=$1,nth=$2,error=EIO,path=/target/" \
        $3 --output r.json -q target >/dev/null 2>&1
}
# In a mix, too, it is so many writes, not calls.
syncs_are_counted_by_writes() {
    mixed="$PARIO pattern -b 128 -t 8 --read-share 50 --fsync-every 2 --seed 5"
    low=16 high=33 # 16 prepare the file
    while [ $((high - low)) -gt 1 ]; do
        middle=$(((low + high) / 2))
        if fails_at write $middle "$mixed"; then low=$middle; else high=$middle; fi
    done
    syncs=$((1 + (low - 16) / 2))
    fails_at fsync $syncs "$mixed" || fail "fewer than $syncs syncs"
    fails_at fsync $((syncs + 1)) "$mixed" && fail "more than $syncs syncs"
    nothing_left
}
eio_on_sync() {
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=fsync,nth=1,error=EIO,path=/target/' \
        $P pattern $small -e target
    says 'cannot sync'
    valid_is r.json false
    nothing_left
}
wrong_byte_is_found() {
    for how in "--verify full" "-t 64k -F"; do # all, or the last read
        rm -f r.json
        run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=read,flip,at=9999,path=/target/' \
            $P pattern -b 64k -t 16k --output r.json -q $how target
        says 'INVALID'
        says 'offset 9999'
        valid_is r.json false
        nothing_left
    done
}
# The storage reports a write that it never makes.
lost_write_is_found() {
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=write,nth=3,drop,path=/target/' \
        $P pattern $small -w target
    says '(INVALID|wrong|success for data)'
    valid_is r.json false
    nothing_left
}
# While one process checks, the other keeps the device busy; alone, with one
# request at a time and past the page cache, it has nothing to do.
checking_is_no_rest_for_the_device() {
    [ "$MPI" = 1 ] || skip "it takes two processes"
    disk=$(mktemp -d "${PARIO%/*}/pattern-case.XXXXXX") || fail "no folder"
    trap 'rm -rf "$disk"; cleanup' EXIT
    for n in 1 2; do
        timeout -k 5 60 "$PARIO" -n $n pattern --direct --verify full -t 64k \
            -b 8M --output r$n.json "$disk" >out 2>err ||
            { grep -q O_DIRECT err && skip "no O_DIRECT here"; fail "pattern"; }
    done
    python3 - <<'PY'
import json, sys
for n in 1, 2:
    d = json.load(open('r%d.json' % n))
    if d['system']['filesystem_details']['memory_backed']:
        sys.exit(77)
    m = [m for m in d['measures'] if m['access'] == 'read'][0]
    assert m['pause_s'] > 0, m
    assert m['unseen_s'] == (m['pause_s'] if n == 2 else 0), m
    if m['unseen_s'] > 0.01 * m['seconds']:
        assert 'paused' in m['flags'], m
PY
    status=$?
    [ $status -ne 77 ] || skip "no device here"
    [ $status -eq 0 ] || fail "pauses"
}
rank_killed() {
    [ "$MPI" = 1 ] || skip "needs MPI"
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=read,rank=1,nth=20,kill,path=/target/' \
        $P pattern $small target
    valid_is r.json false
    [ "$(measures_of r.json)" -gt 0 ] || fail "the write is lost"
    nothing_left
}
collective_error_ends() {
    [ "$MPIIO" = 1 ] || skip "needs MPI-IO"
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=write,rank=1,from=3,error=ENOSPC,path=/target/' \
        $P pattern $small -a mpiio -c target
    valid_is r.json false
    nothing_left
}

"$1"
