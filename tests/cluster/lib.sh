# What the tests in surroundings of their own share: a network of three nodes
# (net, host name and mounts of their own), Slurm on them, and file systems.
# Everything lives in namespaces of the test and ends with it.
PATH=$PATH:/usr/sbin:/sbin
failures=0
nodes="n1 n2 n3"
address=192.0.2.1

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
# What is looked at next, and when, for the log.
section() { echo "$SECONDS s: $1"; }
member() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2" 2>&1; }
seat=() # where the user sits: here, or on a node
sit_on() { # NODE
    seat=(nsenter -t "$(cat "$work/$1")" -n -u -m
        sh -c 'cd "$0" && exec "$@"' "$work")
}
run() { (cd "$work" && timeout -k 5 200 "${seat[@]}" "$@") >"$work/out" 2>&1; }

# Runs the calling script once more in namespaces of its own, where the rest
# of it happens; there `work` is a folder in memory. needs TOOL...
inside() { # SCRIPT ARGUMENT...
    [ -z "${PARIO_INSIDE:-}" ] || {
        work=$PARIO_INSIDE
        log=$work/servers.log
        mount -t proc proc /proc
        mount -t tmpfs -o size=3g,mode=755 servers "$work" || skip "no tmpfs"
        # Another test's nodes have the same names, its jobs the same numbers:
        # MPI libraries would take its shared memory for that of their own job.
        mount -t tmpfs -o mode=1777 memory /dev/shm || skip "no tmpfs"
        mkdir -m 1777 "$work/tmp"
        export TMPDIR=$work/tmp
        return
    }
    unshare -nmup --fork true 2>/dev/null || skip "no namespaces of one's own"
    work=$(mktemp -d /tmp/pario-cluster-XXXXXX)
    chmod 755 "$work"
    trap 'rm -rf --one-file-system "$work"' EXIT
    trap 'exit 1' INT TERM
    PARIO_INSIDE=$work unshare -nmup --fork --kill-child --propagation private \
        bash "$@"
    exit
}
needs() { # TOOL...
    local tool
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    for tool in "$@"; do
        command -v "$tool" >/dev/null || skip "no $tool"
    done
}

# Here is ctl, 192.0.2.1; n1, n2 and n3 are reached over a bridge. An address
# that is no loopback, for servers refuse that.
start_nodes() {
    local node i=1
    hostname ctl
    ip link set lo up && ip link add br0 type bridge &&
        ip addr add $address/24 dev br0 && ip link set br0 up || skip "no bridge"
    {
        echo "127.0.0.1 localhost"
        echo "$address ctl"
        for node in $nodes; do echo "192.0.2.1${node#n} $node"; done
    } >"$work/hosts"
    mount --bind "$work/hosts" /etc/hosts
    for node in $nodes; do
        unshare -num --propagation private sleep infinity &
        echo $! >"$work/$node"
        wait_until 10 [ "$(readlink /proc/$!/ns/net)" != "$(readlink /proc/self/ns/net)" ]
        ip link add v$i type veth peer name eth0 netns $! &&
            ip link set v$i master br0 up && on $node hostname $node &&
            on $node ip addr add 192.0.2.1$i/24 dev eth0 &&
            on $node ip link set eth0 up && on $node ip link set lo up ||
            skip "no network between namespaces"
        i=$((i + 1))
    done
}
on() { # NODE COMMAND...
    local pid
    pid=$(cat "$work/$1")
    shift
    nsenter -t "$pid" -n -u -m "$@"
}
# As when its power fails: nothing that runs there can say anything any more.
take_away() { # NODE
    local net process
    net=$(readlink "/proc/$(cat "$work/$1")/ns/net")
    ip link set "v${1#n}" down
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/ns/net")" != "$net" ] || kill -9 "${process#/proc/}"
    done
}

# A controller here and a daemon on each node; munged's socket and key are ours.
# Sets launcher: what starts the program's MPI.
slurm_tools="munged mungekey slurmctld slurmd srun sbatch sinfo scancel"
start_slurm() {
    local node
    case $("$PARIO" --version) in
    # Open MPI does not know that the nodes share the cores of this machine.
    # Under Slurm 22.05 processes leave MPI_Init while others are still in the
    # first half of it: of 202 starts of six processes 15 crashed there (a
    # message came before its receiver was ready), with ring none of 322.
    *"Open MPI"*)
        mpi=pmix
        export OMPI_MCA_mpi_yield_when_idle=1 SLURM_PMIX_FENCE=ring
        ;;
    # UCX over TCP may hang in MPI_Finalize: the nodes share their memory.
    *) mpi=pmi2 && export UCX_TLS=posix,sysv,self ;;
    esac
    mkdir -m 711 "$work/munge"
    mkdir "$work/state"
    mungekey --create --keyfile "$work/munge/key" >/dev/null 2>&1 || skip "no munge key"
    munged --force --key-file="$work/munge/key" --socket="$work/munge/socket" \
        --pid-file="$work/munge/pid" --log-file="$work/munge/log" \
        --seed-file="$work/munge/seed" >/dev/null 2>&1 || skip "munged does not start"
    {
        cat <<EOF
ClusterName=pario
SlurmctldHost=ctl($address)
SlurmctldPort=16817
SlurmdPort=16818
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
SlurmdParameters=config_overrides
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
TmpFS=$work/tmp-%n
SlurmctldPidFile=$work/ctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/ctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
KillWait=5
MpiDefault=none
EOF
        for node in $nodes; do
            mkdir "$work/spool-$node" "$work/tmp-$node"
            echo "NodeName=$node NodeAddr=192.0.2.1${node#n} CPUs=4 RealMemory=500"
        done
        echo "PartitionName=p Nodes=${nodes// /,} Default=YES MaxTime=10 OverSubscribe=FORCE:4 State=UP"
    } >"$work/slurm.conf"
    export SLURM_CONF=$work/slurm.conf
    slurmctld -f "$SLURM_CONF" >/dev/null 2>&1 || skip "slurmctld does not start"
    for node in $nodes; do
        on $node slurmd -N $node -f "$SLURM_CONF" >/dev/null 2>&1 ||
            skip "slurmd does not start"
    done
    wait_until 60 idle || skip "the nodes of Slurm do not become idle: $(sinfo -h 2>&1)"
    srun --mpi=list 2>&1 | grep -qw $mpi || skip "this Slurm has no $mpi"
    launcher="srun --mpi=$mpi -N3"
}
idle() { [ "$(sinfo -h -o %T 2>/dev/null | sort -u)" = idle ]; }
