#!/bin/sh
# One end-to-end case of NHT-1: cases.sh NAME. PARIO is the program, FAULT the
# fault library, MPI, MPIIO and CURL whether the build has them, SPINS whether
# its MPI spins when processes outnumber cores.
here=$(cd "$(dirname "$0")" && pwd)
# What goes to the disk must have one; the rest is quicker in memory.
case $1 in peak_* | network_*) TMPDIR=${TMPDIR:-/tmp} ;; esac
. "$here/../cli/lib.sh"
chmod 755 "$work" # the FTP server's user passes through

peer=
made=
cleanup() {
    [ -z "$peer" ] || kill $peer 2>/dev/null
    [ -z "$made" ] || rmdir "$made"
    [ -z "$mounted" ] || umount "$mounted" 2>/dev/null
    rm -rf "$work"
}
# No server that we started may be running: its configuration is in $work.
no_process_left() {
    for i in $(seq 300); do
        left=$(pgrep -f "$work/target" | grep -vx $$)
        [ -z "$left" ] && return 0
        sleep 0.2
    done
    fail "still running: $left"
}
# json FILE EXPRESSION: a Python expression of the document d must hold.
json() {
    python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); m=d["measures"]; s=d["summary"]
assert eval(sys.argv[2]), json.dumps(d, indent=1)' "$1" "$2" ||
        fail "does not hold: $2"
}

# The document is one of the schema.
schema() {
    python3 -c 'import json,sys,jsonschema
jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))' \
        "$SCHEMA" "$1" || fail "$1 is not of the schema"
}

# on N ARGUMENTS...: the command line for N processes.
on() {
    n=$1
    shift
    if [ "$n" -gt 1 ]; then set -- "$PARIO" -n "$n" nht "$@"
    else set -- "$PARIO" nht "$@"; fi
    command=$*
}
if [ "$MPI" = 1 ]; then TWO=2; else TWO=1; fi
# Where processes spin, one dump must do.
if [ "$SPINS" = 1 ]; then STEPS="--steps 5"; else STEPS=; fi
APP="app --class S --output r.json --force"

# The dumps are the same bytes whatever the number of processes.
app_same_bytes() {
    [ "$MPI" = 1 ] || skip "needs MPI"
    counts="1 2 3 4 5 6 9"
    [ "$SPINS" = 0 ] || counts="1 2 3"
    for n in $counts; do
        mkdir "t$n"
        on $n $APP $STEPS --tc 1 --mode posix --keep "t$n"
        run 0 $command
        sha256sum <"$(echo t$n/*/*btio.posix)" >>sums
    done
    [ "$(wc -l <sums)" -eq "$(echo $counts | wc -w)" ] ||
        fail "not all runs kept a file"
    [ "$(sort -u sums | wc -l)" -eq 1 ] || fail "sums differ: $(cat sums)"
    on 4 $APP --steps 5 --tc 1 --mode posix target
    run 0 $command
    json r.json 'm[-1]["parameters"]["scheme"] == "multi-partition"'
}
# app_mode MODE: both file rules, two processes and a square number.
app_mode() {
    [ "$SPINS$1" = 1full ] || [ "$SPINS" = 0 ] || SQUARE=
    for files in one many; do
        for n in $TWO $SQUARE; do
            [ "$1$files" != epiomany ] || continue
            on $n $APP --steps 10 --tc 1 --mode "$1" --files $files target
            run 0 $command
            json r.json "d['valid'] and s['t_t_s'] > 0 and s['r_io_bytes_per_s'] > 0 and m[-1]['verify']['checked_bytes'] == 2 * 69120"
            nothing_left
        done
    done
}
SQUARE=
[ "$MPI" = 0 ] || SQUARE=4
app_full() { [ "$MPIIO" = 1 ] || skip "needs MPI-IO"; app_mode full; }
app_simple() { [ "$MPIIO" = 1 ] || skip "needs MPI-IO"; app_mode simple; }
app_async() { [ "$MPIIO" = 1 ] || skip "needs MPI-IO"; app_mode async; }
app_split() { [ "$MPIIO" = 1 ] || skip "needs MPI-IO"; app_mode split; }
app_posix() { app_mode posix; }
app_thread() { app_mode thread; }
app_epio() {
    app_mode epio
    json r.json 'any("2.3" in w for w in d["warnings"]) and not s["official"]'
}
app_figures() {
    on 1 $APP --verbose --mode posix target
    run 0 $command
    schema r.json
    prints 'T_T +[0-9.]+ s'; prints 'zeta'; prints 'another measure than R_IO'
    json r.json 's["io_overhead"] == s["t_t_s"] / s["t_c_s"] - 1'
    json r.json 'abs(s["r_io_bytes_per_s"] * s["t_t_s"] - 829440) < 1'
    json r.json 'abs(s["mops"] * s["t_t_s"] - 228.314) < 0.01'
    json r.json 's["btio_mbps"] > 0 and m[-1]["largest_norm_deviation"] < 1e-8'
    json r.json '("paused" in d["summary_flags"]["btio_mbps"]) == (m[-1]["btio_io_s"] < 0.99 * s["t_t_s"])'
    json r.json 'm[0]["access"] == "compute" and m[0]["seconds"] == s["t_c_s"]'
    json r.json '0 <= m[0]["largest_norm_deviation"] < 1e-8' # of all its runs
    on 1 $APP --verbose --mode posix --tc 2.5 --verify off target
    run 0 $command
    prints 'T_C +2.500 s +as given: not NHT-1'
    prints 'R_IO .*bytes written / T_T \(.*unverified' # what speaks against it
    says 'Not an NHT-1 result'
    json r.json 'all(w in s["official_lacks"] for w in ("class B", "no --tc", "--verify"))'
    says 'Checkpoints .*with, .*without'
    json r.json 's["t_c_s"] == 2.5 and s["t_c_given"] and len(m) == 1 and not s["official"]'
    json r.json 'any("--tc: T_C is not measured here" in w for w in d["warnings"])'
    on 1 $APP --mode none --tc-runs 6 target
    run 0 $command
    json r.json 'len(m[0]["runs_s"]) == 6 and m[0]["seconds"] == s["t_c_s"] == min(m[0]["runs_s"])'
    on 1 $APP --mode none target
    run 0 $command
    json r.json '"r_io_bytes_per_s" not in s and s["t_c_s"] > 0'
}
app_samples_and_hints() {
    on $TWO $APP --mode posix --tc 1 --samples s.out --cold target
    run 0 $command
    [ "$(grep -c '^w ' s.out)" -eq $((12 * TWO)) ] || fail "not a line a dump"
    grep -q 'mode posix' s.out || fail "no header"
    [ "$MPIIO" = 1 ] || return 0
    on 2 $APP --mode full --tc 1 --hints 'cb_buffer_size=2097152;nosuch=1' target
    run 0 $command
    json r.json 'd["hints_requested"]["cb_buffer_size"] == "2097152"'
    json r.json 'len(d["hints_in_force"]) > 0'
}
app_usage() {
    on 1 app --class Q target; run 2 $command; says "unknown class 'Q'"
    on 1 app --mode ful target; run 2 $command; says 'full'
    on 1 appp target; run 2 $command; says 'did you mean app'
    on 1 app --class S target extra; run 2 $command; says 'one directory'
    on 1 peak --class S target; run 2 $command; says "class means nothing to nht peak"
    on 1 app --class S --mode posix --steps 7 target
    run 2 $command; says 'no multiple of the interval 5'
    on 1 app --class S --mode posix --steps 500 target
    run 2 $command; says 'class S has 60 steps, not 500'
    if [ "$MPI" = 1 ]; then
        on 2 app --class S --scheme multi target
        run 2 $command; says 'square number'
    else
        on 1 app --class S --mode full target; run 1 $command; says 'MPI-IO'
    fi
    on 1 app --class S --mode posix --dry-run --output dry.json target
    run 0 $command
    prints '12 dumps'
    [ ! -e dry.json ] || fail "a dry run wrote a result"
    nothing_left
}
verify_prints_diagonal() {
    on 1 $APP --mode posix --files many --keep target
    run 0 $command
    run 0 "$PARIO" nht verify target/*/*btio.posix.*
    says '12 right, 0 wrong'
    [ "$(wc -l <out)" -eq 720 ] || fail "not 5 x 12 x 12 numbers"
    [ -z "$(grep -vE '^[ 0-9.-]{15}$' out)" ] || fail "not F15.10"
    sed -n '6p;30p;711p' out >have
    printf '%15.10f\n' 3.8826051512 387.7820746714 13.5271528430 >want
    cmp have want || fail "other numbers than the reference"
    [ ! -e pario-nht-*.json ] || fail "verify wrote a document"
}
# flip_bit FILE OFFSET
flip_bit() {
    python3 - "$1" "$2" <<'PY' || fail "no bit flipped"
import sys
with open(sys.argv[1], "r+b") as f:
    at = int(sys.argv[2])
    f.seek(at); b = f.read(1)[0]; f.seek(at); f.write(bytes([b ^ 16]))
PY
}
verify_writes_document() {
    on 1 $APP --mode posix --keep target
    run 0 $command
    file=$(echo target/*/*btio.posix)
    run 0 "$PARIO" nht verify --output v.json "$file"
    schema v.json
    json v.json 'd["valid"] and s["dumps_right"] == 12 and len(m) == 1'
    json v.json 'm[0]["test"] == "verify" and m[0]["access"] == "read" and m[0]["bytes"] == m[0]["verify"]["checked_bytes"] == 829440 and m[0]["verify"]["errors"] == 0'
    flip_bit "$file" 400000
    run 1 "$PARIO" nht verify --output w.json "$file"
    json w.json 'not d["valid"] and s["dumps_wrong"] == 1 and m[0]["verify"]["errors"] == 1'
    json w.json '"1 of 12 dumps" in m[0]["error"]'
    head -c 100000 "$file" >short
    run 1 "$PARIO" nht verify --output x.json short
    json x.json 'not d["valid"] and "truncated" in m[0]["error"]'
}
app_lost_first_write_is_found() {
    on $TWO $APP --verbose --mode posix $STEPS target
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,drop,nth=1,path=btio.posix' $command
    says 'not what was computed; the first is number 1|data is missing'
    json r.json 'not d["valid"]'
    nothing_left
}
# Dumps that no digest is known of are computed anew.
verify_other_interval() {
    on 1 $APP --mode posix --interval 7 --tc 1 --keep target
    run 0 $command
    json r.json 'm[-1]["verify"]["checked_bytes"] == 9 * 69120'
    file=$(echo target/*/*btio.posix)
    run 0 "$PARIO" nht verify --interval 7 "$file"
    says '9 dumps: 9 right, 0 wrong'
    flip_bit "$file" $((69120 * 7 + 8003))
    run 1 "$PARIO" nht verify --interval 7 "$file"
    says 'dump 8: 1 values differ from the solution'
    says '8 right, 1 wrong'
}
# One dump of W has the bytes of eight dumps of S; its second point is wrong.
verify_guesses_class() {
    on 1 app --class W --steps 5 --tc 1 --mode posix --output r.json --keep target
    run 0 $command
    file=$(echo target/*/*btio.posix)
    flip_bit "$file" 43
    run 1 "$PARIO" nht verify "$file"
    says 'class W \(guessed\), 1 dumps: 0 right, 1 wrong'
}
verify_finds_flipped_bit() {
    on 1 $APP --mode posix --keep target
    run 0 $command
    file=$(echo target/*/*btio.posix)
    cp "$file" good
    # Dump 8, point (3, 4, 5), component 3, one bit.
    flip_bit "$file" $((69120 * 7 + 40 * (3 + 12 * (4 + 12 * 5)) + 8 * 2 + 3))
    run 1 "$PARIO" nht verify "$file"
    says 'dump 8: 1 values differ .*byte 30856 .*\(3, 4, 5\), component 3'
    says '11 right, 1 wrong'
    run 1 "$PARIO" nht verify --compare good "$file"
    says 'dump 8: 1 values differ from good; .*\(3, 4, 5\), component 3'
    says '11 right, 1 wrong; 11 the same as in good, 1 different'
    run 1 "$PARIO" nht verify --compare "$file" good
    says '12 right, 0 wrong; 11 the same as in .*, 1 different'
    says '1 of 12 dumps differ from those in'
    run 0 "$PARIO" nht verify --compare good good
    head -c 100000 good >short
    run 1 "$PARIO" nht verify short
    says 'truncated'
    run 1 "$PARIO" nht verify missing
    says 'cannot open missing'
    head -c 69120 good >one
    run 1 "$PARIO" nht verify --compare one good
    says 'ends within dump 2'
    run 2 "$PARIO" nht verify
    if [ "$MPI" = 1 ]; then run 2 "$PARIO" -n 2 nht verify good; fi
}
app_disk_full_in_dump_3() {
    on $TWO $APP --mode posix target
    # Two processes write one piece a dump each.
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,from=3,error=ENOSPC,path=btio.posix' $command
    says 'dump 3'
    says 'No space left'
    json r.json 'not d["valid"] and "r_io_bytes_per_s" not in s'
    nothing_left
    on $TWO $APP --mode thread target
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,from=3,error=ENOSPC,path=btio.thread' $command
    says 'dump 3'
    nothing_left
}
app_disk_full_collective() {
    [ "$MPIIO" = 1 ] || skip "needs MPI-IO"
    begin=$(date +%s)
    on 2 $APP --mode full --deadline 10s target
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,from=2,error=ENOSPC,path=btio.full' $command
    [ $(($(date +%s) - begin)) -le 40 ] || fail "took too long"
    json r.json 'not d["valid"] and "r_io_bytes_per_s" not in s'
    nothing_left
}
# The disk fills up after the check, while T_C is measured. Some libraries take
# a collective write that never happened for a success.
app_disk_full_for_real() {
    [ "$MPIIO" = 1 ] || skip "needs MPI-IO"
    [ "$(id -u)" -eq 0 ] || skip "needs root to mount"
    mount -t tmpfs -o size=24m tmpfs target 2>/dev/null || skip "no mount"
    mounted=$work/target
    for mode in async split full; do
        on 2 app --class W --steps 40 --output r.json --force --mode $mode --verify off \
            --deadline 100s target
        timeout -k 5 150 $command >out 2>err </dev/null &
        pid=$!
        until [ -n "$(ls target)" ]; do # the run's directory
            kill -0 $pid || fail "mode $mode: it ended before"
            sleep 0.02
        done
        head -c 22M /dev/zero >target/filler
        wait $pid && fail "mode $mode: a full disk is not noticed"
        says 'No space left on device'
        json r.json 'not d["valid"] and "r_io_bytes_per_s" not in s'
        rm target/filler
        nothing_left
    done
}
# Closing is inside T_T; waiting for others is not in BTIO's time.
app_times_hold_what_they_must() {
    on 1 $APP --mode posix --tc 1 target
    run 0 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=close,delay=700,nth=1,path=btio.posix' $command
    json r.json 's["t_t_s"] > 0.7'
    [ "$MPI" = 1 ] || return 0
    on 2 $APP --mode posix --tc 1 --scheme block target
    run 0 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,delay=100,rank=1,path=btio.posix' $command
    json r.json 's["visible_io_s"] > 1.2 and m[-1]["btio_io_s"] < 0.8'
}
app_sync_fails() {
    on $TWO $APP --mode posix target
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=fsync,error=EIO,path=btio.posix' $command
    says 'durable'
    json r.json 'not d["valid"]'
    nothing_left
}
app_wrong_byte_is_found() {
    on 1 $APP --verbose --mode posix target
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=read,flip,at=140000,path=btio.posix' $command
    says '1 of 12 dumps are not what was computed; the first is number 3'
    json r.json 'not d["valid"] and m[-1]["verify"]["errors"] == 1'
    nothing_left
}
# Dumps that no digest is known of are compared all the same.
app_wrong_byte_at_other_interval() {
    on $TWO $APP --mode posix --interval 3 --tc 1 target
    run 0 $command
    json r.json 'd["valid"] and m[-1]["verify"]["checked_bytes"] == 20 * 69120'
    json r.json 'not s["official"] and any("a trial" in w for w in d["warnings"])'
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=read,flip,at=140000,path=btio.posix' $command
    says '1 of 20 dumps are not what was computed; the first is number 3'
    json r.json 'not d["valid"] and m[-1]["verify"]["errors"] == 1'
}
app_rank_killed() {
    [ "$MPI" = 1 ] || skip "needs MPI"
    on 2 $APP --mode posix target
    timeout -k 5 60 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,rank=1,nth=4,kill,path=btio.posix' $command \
        >out 2>err </dev/null
    status=$?
    [ $status -ne 0 ] && [ $status -ne 124 ] || fail "status $status"
    json r.json 'not d["valid"]'
    nothing_left
}
app_rank_killed_in_collective() {
    [ "$MPIIO" = 1 ] || skip "needs MPI-IO"
    on 2 $APP --mode full --deadline 15s target
    timeout -k 5 60 env "LD_PRELOAD=$FAULT" PARIO_FAULT_LOG="$work/met" \
        'PARIO_FAULT=op=write,rank=0,nth=3,kill,path=btio.full' $command \
        >out 2>err </dev/null
    status=$?
    [ -s met ] || fail "nobody was killed"
    [ $status -ne 0 ] && [ $status -ne 124 ] || fail "status $status"
    json r.json 'not d["valid"] and "r_io_bytes_per_s" not in s'
    nothing_left
}
app_no_sync_is_marked() {
    on 1 $APP --steps 5 --tc 1 --mode posix --no-sync target
    run 0 $command
    json r.json 'not s["official"] and any("without --sync" in w for w in d["warnings"])'
    json r.json 'm[-1]["parameters"]["sync"] is False'
}
app_too_much_memory() {
    run 0 "$PARIO" nht app --class C --mode posix --dry-run target
    prints 'memory: about [0-9.]+ [MG]iB a process'
    prints 'time: 4 x about [0-9]+ s'
    [ -w /sys/fs/cgroup/memory ] && [ "$(id -u)" -eq 0 ] ||
        skip "no memory cgroup"
    group=/sys/fs/cgroup/memory/pario-nht.$$
    mkdir $group || skip "no memory cgroup"
    echo 200M >$group/memory.limit_in_bytes
    (
        echo 0 >$group/cgroup.procs
        exec timeout 60 "$PARIO" nht app --class C --mode posix target
    ) >out 2>err
    status=$?
    rmdir $group
    [ $status -eq 1 ] || fail "status $status"
    says 'class C needs about .* of memory on this node and only'
    nothing_left
}
resume_is_refused() {
    on 1 $APP --steps 5 --tc 1 --mode posix target
    run 0 $command
    cp r.json before
    run 2 "$PARIO" nht app --class S --steps 5 --tc 1 --mode posix \
        --resume r.json target
    says 'cannot be resumed'
    cmp r.json before || fail "the document was changed"
}

PEAK="peak --verbose --output r.json --force"
peak_small() {
    on $TWO $PEAK --memory 20M target
    run 0 $command
    json r.json 'abs(s["r_peak_bytes_per_s"] * (s["t_pread_s"] + s["t_pwrite_s"]) - 2 * s["bytes"]) < 1000'
    schema r.json
    prints 'R_PEAK'
    json r.json 's["bytes"] == 16 << 20 and not s["official"]'
    json r.json '[x["access"] for x in m[-2:]] == ["write", "read"]'
    json r.json 'all(x["verify"]["checked_bytes"] == 16 << 20 for x in m[-2:])'
    json r.json 'len([x for x in m if x["access"] == "calibrate_write"]) >= 2 and all("unverified" in x["flags"] for x in m[:-2])'
    case $(stat -f -c %T .) in
    ext2/ext3 | xfs | btrfs)
        json r.json 'any(x["parameters"]["direct"] for x in m if x["access"] == "calibrate_read")'
        ! "$PARIO" list | grep -q 'io_uring  *yes' ||
            json r.json 'any(x["parameters"]["interface"] == "uring" for x in m if x["access"] == "calibrate_read")'
        ;;
    esac
    nothing_left
}
# nodes_up: two simulated nodes, each with network, name and shared memory of
# its own; the script nodesh takes the place of ssh.
nodes_up() {
    [ "$(id -u)" -eq 0 ] && command -v ip >/dev/null || skip "needs root and ip"
    net=10.$(($$ % 200 + 20)).$(($$ / 200 % 250))
    bridge=pnb$$
    ip link add $bridge type bridge 2>/dev/null || skip "no bridges here"
    ip addr add $net.254/24 dev $bridge && ip link set $bridge up || skip "no network"
    mkdir ns && mount -t tmpfs tmpfs ns && mount --make-private ns || skip "no mount"
    mounted=$work/ns
    echo "127.0.0.1 localhost
$net.254 $(hostname)
$net.1 pn1-$$
$net.2 pn2-$$" >ns/hosts
    for i in 1 2; do
        node=pn$i-$$
        ip netns add $node && ip link add pv$i-$$ type veth peer name eth0 \
            netns $node && ip link set pv$i-$$ master $bridge up &&
            ip -n $node addr add $net.$i/24 dev eth0 &&
            ip -n $node link set eth0 up && ip -n $node link set lo up ||
            skip "no network namespaces"
        touch ns/$node.uts ns/$node.mnt
        unshare --uts="$work/ns/$node.uts" hostname $node &&
            unshare --mount="$work/ns/$node.mnt" --propagation private sh -c \
            "mount -t tmpfs shm /dev/shm && mount --bind $work/ns/hosts /etc/hosts" ||
            skip "no namespaces"
    done
    cat >nodesh <<'SH'
#!/bin/sh
while case $1 in -*) true ;; *) false ;; esac; do shift; done
node=$1
shift
ns=$(dirname "$0")/ns
exec nsenter --net=/run/netns/$node --uts="$ns/$node.uts" \
    --mount="$ns/$node.mnt" sh -c "cd /; $*"
SH
    chmod 755 nodesh
}
nodes_down() {
    for i in 1 2; do
        umount "$work/ns/pn$i-$$.uts" "$work/ns/pn$i-$$.mnt" 2>/dev/null
        ip netns del pn$i-$$ 2>/dev/null
    done
    ip link del $bridge 2>/dev/null
}
# Three processes on two nodes: each node's memory counts once.
peak_two_nodes() {
    [ "$MPI" = 1 ] || skip "needs MPI"
    set -- nht $PEAK --memory 20M --no-calibrate "$work/target"
    case $("$PARIO" --version) in
    *"Open MPI"*)
        trap 'nodes_down; cleanup' EXIT INT TERM
        nodes_up
        run 0 $("$PARIO" --version | sed -n 's/.*launcher: //p') \
            --allow-run-as-root --mca plm_rsh_agent \
            "$work/nodesh" --mca pml ob1 --mca btl tcp,vader,self \
            --mca btl_tcp_if_include $net.0/24 --wdir "$work" \
            --host pn1-$$:2,pn2-$$:2 -n 3 "$PARIO" "$@"
        ;;
    *) # MPICH can pretend: even and odd ranks on a node each.
        run 0 env MPIR_CVAR_ODD_EVEN_CLIQUES=1 "$PARIO" -n 3 "$@"
        ;;
    esac
    json r.json 'd["system"]["nodes"] == 2 and s["bytes"] == 2 * (16 << 20)'
    json r.json 'm[-1]["verify"]["checked_bytes"] == 32 << 20'
    nothing_left
}
peak_refuses_too_much() {
    total=$(awk '/^MemTotal/ {print $2}' /proc/meminfo)
    on 1 $PEAK --memory $((total * 2))Ki target
    run 1 $command
    says 'needs .* of memory on this node and only'
    nothing_left
    on 1 $PEAK --fraction 1.5 target
    run 2 $command
}
peak_memory_backed_is_marked() {
    [ -d /dev/shm ] || skip "no /dev/shm"
    dir=$(mktemp -d /dev/shm/pario-nht.XXXXXX)
    on 1 $PEAK --memory 4M --no-calibrate "$dir"
    run 0 $command
    rmdir "$dir" || fail "files left in $dir"
    json r.json 'm[-1]["cache"] == "cache" and any("disk" in w for w in d["warnings"])'
}
peak_wrong_byte_is_found() {
    on $TWO $PEAK --memory 8M --no-calibrate target
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=read,flip,at=1048576,path=peak.000000' $command
    says 'offset 1048576'
    json r.json 'not d["valid"] and "r_peak_bytes_per_s" not in s'
    nothing_left
}
peak_lost_first_write_is_found() {
    on $TWO $PEAK --memory 8M --no-calibrate target
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,drop,nth=1,path=peak.000000' $command
    says 'wrong data'
    json r.json 'not d["valid"] and "r_peak_bytes_per_s" not in s'
    nothing_left
}
peak_disk_full() {
    on $TWO $PEAK --memory 8M --no-calibrate target
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,nth=2,error=ENOSPC,path=peak.' $command
    says 'No space left'
    nothing_left
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=fsync,error=EIO,path=peak.' $command
    says 'nput/output error'
    json r.json 'not d["valid"]'
    nothing_left
}
# Rank 0 alone cannot write its document at the end.
peak_document_fails() {
    on $TWO $PEAK --memory 8M --no-calibrate target
    for nth in 2 3 4; do
        run 1 env "LD_PRELOAD=$FAULT" PARIO_FAULT_LOG="$work/met" \
            "PARIO_FAULT=op=write,nth=$nth,error=ENOSPC,path=r.json" $command
        says 'No space left'
        nothing_left
    done
    [ -s met ] || fail "the fault was not met"
}

. "$here/network.sh"

"$1"
