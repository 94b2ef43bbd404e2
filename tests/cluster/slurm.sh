#!/bin/bash
# pario under Slurm: a controller and two nodes of its own, on loopback, ended
# with the test. slurm.sh PARIO (77: no Slurm here)
set -u
PARIO=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
failures=0

skip() {
    echo "skipped: $1"
    exit 77
}
[ "$(id -u)" -eq 0 ] || skip "needs root"
for tool in munged mungekey slurmctld slurmd srun sbatch sinfo; do
    command -v $tool >/dev/null || [ -x /usr/sbin/$tool ] ||
        skip "no $tool (packages slurm-wlm, munge)"
done
PATH=$PATH:/usr/sbin

work=$(mktemp -d /tmp/pario-slurm-XXXXXX)
stop() {
    local file
    for file in "$work"/*.pid; do
        [ ! -s "$file" ] || kill "$(cat "$file")" 2>/dev/null
    done
    # They must be gone before their folder is.
    for file in "$work"/*.pid; do
        [ ! -s "$file" ] || wait_until 10 ended "$(cat "$file")" ||
            kill -9 "$(cat "$file")" 2>/dev/null
    done
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' INT TERM

ended() { ! kill -0 "$1" 2>/dev/null; }
wait_until() { # SECONDS CONDITION...
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

case $("$PARIO" --version) in
*"Open MPI"*) mpi=pmix ;;
*) mpi=pmi2 ;;
esac

# A munged of our own: its socket and key are in our folder.
mkdir -m 711 "$work/munge"
chmod 711 "$work"
mungekey --create --keyfile "$work/munge/key" >/dev/null 2>&1 || skip "no munge key"
munged --force --key-file="$work/munge/key" --socket="$work/munge/socket" \
    --pid-file="$work/munge.pid" --log-file="$work/munge/log" \
    --seed-file="$work/munge/seed" >/dev/null 2>&1 || skip "munged does not start"

host=$(hostname)
mkdir "$work/state"
{
    cat <<EOF
ClusterName=pario
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
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
    for node in s1 s2; do
        mkdir "$work/spool-$node" "$work/tmp-$node"
        echo "NodeName=$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) CPUs=4 RealMemory=500"
    done
    echo "PartitionName=p Nodes=s1,s2 Default=YES MaxTime=10 OverSubscribe=FORCE:4 State=UP"
} >"$work/slurm.conf"
export SLURM_CONF=$work/slurm.conf
slurmctld -f "$SLURM_CONF" >/dev/null 2>&1 || skip "slurmctld does not start"
for node in s1 s2; do
    slurmd -N $node -f "$SLURM_CONF" >/dev/null 2>&1 || skip "slurmd does not start"
done
idle() { [ "$(sinfo -h -o %T 2>/dev/null | sort -u)" = idle ]; }
wait_until 60 idle || skip "the nodes of Slurm do not become idle: $(sinfo -h 2>&1)"

srun --mpi=list 2>&1 | grep -qw $mpi || skip "this Slurm has no $mpi"

fail() {
    echo "FAILED: $1"
    [ ! -s "$work/out" ] || sed 's/^/    /' "$work/out"
    failures=$((failures + 1))
}
mkdir "$work/data"
member() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2" 2>&1; }
run() { (cd "$work" && timeout -k 5 120 "$@") >"$work/out" 2>&1; }

# 1. srun itself: four processes that know each other.
run srun --mpi=$mpi -N2 -n4 "$PARIO" quick --time 1s --quiet --output a.json data ||
    fail "srun quick"
[ "$(member "$work/a.json" 'd["system"]["processes"]')" = 4 ] ||
    fail "srun: not 4 processes: $(member "$work/a.json" 'd["system"]["processes"]')"

# 2. -n by srun.
run env PARIO_MPIRUN="srun --mpi=$mpi" "$PARIO" -n 3 quick --time 1s --quiet \
    --output b.json data || fail "pario -n 3 by srun"
[ "$(member "$work/b.json" 'd["system"]["processes"]')" = 3 ] || fail "-n 3 by srun"

# 3. Without --mpi every process would be alone: an error with the remedy.
run env PARIO_MPIRUN="srun" SLURM_MPI_TYPE=none "$PARIO" -n 3 quick --time 1s \
    --quiet --output c.json data
status=$?
[ $status -ne 0 ] || fail "three processes that do not know each other ran"
# Open MPI notices by itself, at length, in MPI_Init.
[ $mpi = pmix ] || grep -q -- "--mpi" "$work/out" || fail "the remedy is not named"
[ ! -e "$work/c.json" ] || fail "they left a result"

# 4. A batch job, and one that is cancelled: it keeps its results.
cat >"$work/job.sh" <<EOF
#!/bin/sh
exec srun --mpi=$mpi "$PARIO" quick --time 1s --quiet --output d.json data
EOF
run sbatch --wait -N2 -n4 -D "$work" -o "$work/d.out" job.sh || fail "sbatch: $(cat "$work/d.out")"
[ "$(member "$work/d.json" 'd["valid"]')" = True ] || fail "the batch job's result"

cat >"$work/long.sh" <<EOF
#!/bin/sh
exec srun --mpi=$mpi "$PARIO" quick --time 60s --quiet --output e.json data
EOF
job=$(cd "$work" && sbatch --parsable -N2 -n2 -D "$work" -o "$work/e.out" long.sh)
begun() { [ "$(member "$work/e.json" 'len(d["measures"]) > 0')" = True ]; }
wait_until 60 begun || fail "the long job has no measures: $(cat "$work/e.out")"
scancel "$job"
gone() { [ -z "$(squeue -h -j "$job" 2>/dev/null)" ]; }
wait_until 60 gone || fail "the cancelled job does not end"
begun || fail "the cancelled job lost its results"
cleaned() { [ -z "$(ls -A "$work/data")" ]; }
wait_until 20 cleaned || fail "the cancelled job left files: $(ls -A "$work/data")"

# A task that is killed ends the others, and the document says why.
(cd "$work" && exec timeout -k 5 120 env PARIO_MPIRUN="srun --mpi=$mpi" "$PARIO" \
    -n 2 quick --time 60s --quiet --output k.json data) >"$work/out" 2>&1 &
job=$!
measured() { [ "$(member "$work/k.json" 'len(d["measures"]) > 0')" = True ]; }
wait_until 60 measured || fail "nothing to kill"
# Its second task: the environment says which.
victim=$(grep -lsz '^SLURM_PROCID=1$' /proc/[0-9]*/environ | cut -d/ -f3 | while read -r pid; do
    [ "$(readlink "/proc/$pid/exe")" != "$PARIO" ] || echo "$pid"
done | sort -n | head -n 1)
kill -9 "$victim" || fail "no second task"
wait $job && fail "a killed task, status 0"
named() { [ "$(member "$work/k.json" '"killed" in str(d["invalid_reasons"])')" = True ]; }
wait_until 20 named || fail "the document does not say that a task was killed: $(member "$work/k.json" 'd["invalid_reasons"], d["warnings"]')"
wait_until 20 cleaned || fail "the killed job left files: $(ls -A "$work/data")"

# 5. Suites that start jobs of their own do so by srun, too.
run env PARIO_MPIRUN="srun --mpi=$mpi" "$PARIO" honesty --quiet --mpiio shipio \
    --processes 2 --cases control-write_all,eio-sync --output f.json data ||
    fail "honesty by srun: status $?"
[ "$(member "$work/f.json" 'len(d["findings"])')" = 2 ] ||
    fail "honesty by srun: not two cases"

# 6. The job files that come with pario are understood.
for job in "$here"/../../examples/slurm/*.sbatch; do
    run sbatch --test-only -N1 --ntasks-per-node=1 "$job" || fail "$job"
done

[ $failures -eq 0 ] && echo "srun, -n, sbatch, scancel, honesty: as they should be"
exit $((failures > 0))
