#!/bin/bash
# pario under Slurm on three nodes that the test makes itself.
# slurm.sh PARIO MPICC EXAMPLES (77: not to be had here)
set -u
PARIO=$(realpath "$1") MPICC=$2 examples=$(realpath "$3")
. "$(dirname "$(realpath "$0")")/lib.sh"
needs $slurm_tools ip unshare nsenter
inside "$(realpath "$0")" "$PARIO" "$MPICC" "$examples"
start_nodes
start_slurm
mkdir "$work/data"
cleaned() { [ -z "$(ls -A "$work/data")" ]; }
# Open MPI may crash while it connects, also in a program that has nothing of
# pario (lib.sh has the cause that is known): what ended so is tried again.
crashed() { # OUTPUT
    grep -q 'Segmentation fault\|Terminated\|failed to TCP connect' "$1"
}
again() { # COMMAND...: as run
    local status=0 try
    for try in 1 2 3; do
        status=0
        run "$@" || status=$?
        [ $status -ne 0 ] && crashed "$work/out" || break
        echo "once more: $(tail -1 "$work/out")"
    done
    return $status
}

# 1. srun itself: processes that know each other and their nodes.
section "srun"
again srun --mpi=$mpi -N3 -n6 "$PARIO" quick --time 0.5s --quiet --force --output a.json data ||
    fail "srun quick"
[ "$(member "$work/a.json" 'd["system"]["processes"], d["system"]["nodes"]')" = "(6, 3)" ] ||
    fail "srun: not 6 processes on 3 nodes: $(member "$work/a.json" 'd["system"]')"

# 2. Without --mpi every process would be alone: an error with the remedy.
section "processes that do not know each other"
run env PARIO_MPIRUN="srun" SLURM_MPI_TYPE=none "$PARIO" -n 3 quick --time 1s \
    --quiet --output c.json data
status=$?
[ $status -ne 0 ] || fail "three processes that do not know each other ran"
# Open MPI notices by itself, at length, in MPI_Init.
[ $mpi = pmix ] || grep -q -- "--mpi" "$work/out" || fail "the remedy is not named"
[ ! -e "$work/c.json" ] || fail "they left a result"

# 3. What people run, by srun from here and as a batch job.
section "five commands, by srun and sbatch"
"$MPICC" -o "$work/planes" "$examples/shipio/planes.c" >"$work/out" 2>&1 ||
    fail "planes does not build"
cat >"$work/five.sh" <<EOF
#!/bin/bash
# five.sh PREFIX
set -e
rm -f \$1*
export PARIO_MPIRUN="$launcher"
$PARIO -n 3 quick --time 0.3s --quiet --output \$1quick.json data
$PARIO -n 3 beffio --time 1s --memory 16M --quiet --output \$1beffio.json data
$PARIO -n 3 shipio-run ./planes $work/\$1shipped
$PARIO -n 3 shipio-run --hint shipio_mode=direct ./planes $work/\$1direct
cmp \$1shipped \$1direct
$PARIO -n 3 tune --mpiio shipio --rounds 1 --size 1M --pass 20ms --quiet --output \$1tune.json data
$PARIO honesty --mpiio shipio --processes 3 --cases control-write_all,eio-sync \
    --quiet --output \$1honesty.json data
EOF
five_hold() { # PREFIX
    local suite
    for suite in quick beffio tune; do
        [ "$(member "$work/$1$suite.json" 'd["valid"] and len(d["measures"]) > 0')" = True ] ||
            fail "$1$suite: $(member "$work/$1$suite.json" 'd["invalid_reasons"]')"
    done
    for suite in quick beffio tune honesty; do
        [ "$(member "$work/$1$suite.json" 'd["system"]["processes"], d["system"]["nodes"]')" = "(3, 3)" ] ||
            fail "$1$suite: not on three nodes"
    done
    [ "$(member "$work/$1honesty.json" 'len(d["findings"])')" = 2 ] ||
        fail "$1honesty: not two cases"
    cleaned || fail "$1: left $(ls -A "$work/data")"
}
again bash five.sh srun- || fail "by srun: status $?"
five_hold srun-
batch() { run sbatch --wait -N3 -n3 -D "$work" -o "$work/five.out" five.sh sbatch-; }
batch || { crashed "$work/five.out" && batch; } ||
    fail "sbatch: $(cat "$work/five.out")"
five_hold sbatch-
again env PARIO_MPIRUN="$launcher" "$PARIO" -n 3 advise -q --no-settings \
    --before "rm -f $work/advised" -- ./planes "$work/advised" || fail "advise: status $?"
grep -q 'faster\|nothing' "$work/out" || fail "advise does not advise"
rm -f "$work/advised"

# A program that is recorded: the tasks are ranks of one trace, each on its node,
# and join their parts in a folder that all of them see.
section "a recorded program"
again sh -c 'rm -rf p.trace p.trace.spool data/recorded; exec "$@"' recorded \
    "$PARIO" record --output p.trace --below "$work/data" -- \
    $launcher --kill-on-bad-exit=1 -n3 ./planes "$work/data/recorded" ||
    fail "record: status $?"
! grep -q 'did not end in order\|missing' "$work/out" || fail "record: not whole"
[ ! -e "$work/p.trace.spool" ] || fail "record: its folder of parts is still there"
run "$PARIO" trace p.trace && grep -q '3 processes' "$work/out" ||
    fail "record: not three ranks"
[ "$(grep -ao 'host n[123]$' "$work/p.trace" | sort -u | wc -l)" = 3 ] ||
    fail "record: not on three nodes"
run "$PARIO" trace --to requests p.trace
[ "$(grep -c '^File_write_at_all' "$work/out")" = 3 ] || fail "record: not the calls of three"
rm -f "$work/data/recorded"

# 4. A job that is cancelled keeps its results and goes on from them.
section "a cancelled job"
cat >"$work/long.sh" <<EOF
#!/bin/sh
exec srun --mpi=$mpi "$PARIO" quick --time 15s --quiet \$* data
EOF
long_job() { job=$(cd "$work" && sbatch --parsable -N3 -n3 -D "$work" -o "$work/e.out" long.sh --force --output e.json); }
begun() { [ "$(member "$work/e.json" 'len(d["measures"]) > 0')" = True ]; }
long_job
wait_until 60 begun || { crashed "$work/e.out" && long_job && wait_until 60 begun; } || fail "the long job has no measures: $(cat "$work/e.out")"
scancel "$job"
gone() { [ -z "$(squeue -h -j "$job" 2>/dev/null)" ]; }
wait_until 60 gone || fail "the cancelled job does not end"
begun || fail "the cancelled job lost its results"
[ "$(member "$work/e.json" 'd["valid"]')" = False ] || fail "the cancelled job is valid"
wait_until 20 cleaned || fail "the cancelled job left files: $(ls -A "$work/data")"
run sbatch --wait -N3 -n3 -D "$work" -o "$work/e.out" long.sh --resume e.json ||
    fail "resumed: $(cat "$work/e.out")"
[ "$(member "$work/e.json" 'd["valid"]')" = True ] ||
    fail "resumed: $(member "$work/e.json" 'd["invalid_reasons"]')"

# 5. A job that is requeued, as when others need its node: the job file that
# comes with pario goes on in its second life (here for a shorter time, but a
# longer one than a busy machine needs to requeue it).
section "a requeued job"
mkdir "$work/bin"
cat >"$work/bin/pario" <<EOF
#!/bin/sh
# pario -n N quick ...
n=\$2 && shift 3 && exec "$PARIO" -n \$n quick --time 15s --quiet "\$@"
EOF
chmod +x "$work/bin/pario"
requeued_job() {
    job=$(cd "$work" && PATH=$work/bin:$PATH TARGET=$work/data SRUN_MPI=--mpi=$mpi sbatch \
        --parsable --requeue -N3 -n3 --ntasks-per-node=1 -D "$work" -o "$work/q.out" \
        --open-mode=append "$examples/slurm/quick.sbatch")
}
begun() { [ "$(member "$work/quick-$job.json" 'len(d["measures"]) > 0')" = True ]; }
requeued_job
wait_until 60 begun || { crashed "$work/q.out" && requeued_job && wait_until 60 begun; } ||
    fail "quick.sbatch has no measures: $(cat "$work/q.out")"
first=$(member "$work/quick-$job.json" 'd["measures"][0]["bandwidth_mbps"]')
scontrol requeue "$job" || fail "the job is not requeued"
pending() { [ "$(squeue -h -j "$job" -o %T)" = PENDING ]; }
wait_until 60 pending || fail "the requeued job does not wait: $(squeue 2>&1)"
[ "$(member "$work/quick-$job.json" 'd["valid"]')" = False ] || fail "half a job is valid"
scontrol update jobid="$job" starttime=now # else in two minutes
wait_until 100 gone || fail "the requeued job does not end: $(squeue 2>&1)"
[ "$(member "$work/quick-$job.json" 'd["valid"]')" = True ] ||
    fail "requeued: $(cat "$work/q.out")"
[ "$(member "$work/quick-$job.json" 'd["measures"][0]["bandwidth_mbps"]')" = "$first" ] ||
    fail "what was measured in the first life is lost"
cleaned || fail "the requeued job left $(ls -A "$work/data")"

# 6. A task that is killed ends the others, and the document says why.
section "a killed task"
long_run() { # DOCUMENT PROCESSES: in the background, until it has measures
    local try
    for try in 1 2 3; do
        (cd "$work" && exec timeout -k 5 200 env PARIO_MPIRUN="$launcher" "$PARIO" \
            -n $2 quick --time 60s --quiet --force --output "$1" data) >"$work/out" 2>&1 &
        job=$!
        wait_until 100 measured_or_over "$1"
        measured "$1" && return
        ! kill -0 $job 2>/dev/null && crashed "$work/out" || break
        echo "once more: $(tail -1 "$work/out")"
    done
    fail "$1: no measures"
}
measured_or_over() { measured "$1" || ! kill -0 $job; }
ended_by_itself() { # STATUS WHAT: neither well nor by the time limit
    [ "$1" -ne 0 ] && [ "$1" -ne 124 ] || fail "$2: status $1"
}
measured() { [ "$(member "$work/$1" 'len(d["measures"]) > 0')" = True ]; }
# Slurm may end a task's janitor before it can say that the task was killed.
named() { # DOCUMENT
    [ "$(member "$work/$1" "any(w in str(d['invalid_reasons']) for w in ('was killed', 'a process of it was lost'))")" = True ]
}
long_run k.json 6
# Its second task: the environment says which.
victim=$(grep -lsz '^SLURM_PROCID=1$' /proc/[0-9]*/environ | cut -d/ -f3 | while read -r pid; do
    [ "$(readlink "/proc/$pid/exe")" != "$PARIO" ] || echo "$pid"
done | sort -n | head -n 1)
kill -9 "$victim" || fail "no second task"
wait $job
ended_by_itself $? "a killed task"
wait_until 20 named k.json ||
    fail "a killed task is not named: $(member "$work/k.json" 'd["invalid_reasons"], d["warnings"]')"
wait_until 20 cleaned || fail "the killed job left files: $(ls -A "$work/data")"

# 7. The job files that come with pario are understood.
section "job files"
for job in "$examples"/slurm/*.sbatch; do
    run sbatch --test-only -N1 --ntasks-per-node=1 "$job" || fail "$job"
done

# 8. A node that is taken away: the others end, and what was measured is there.
section "a lost node"
long_run n.json 3
take_away n3
run scontrol update nodename=n3 state=down reason="taken away"
wait $job
ended_by_itself $? "a node is gone"
wait_until 20 named n.json ||
    fail "the loss is not named: $(member "$work/n.json" 'd["invalid_reasons"]')"
measured n.json || fail "the node took the results with it"
[ "$(member "$work/n.json" 'd["valid"]')" = False ] || fail "a node is gone: valid"
wait_until 30 cleaned || fail "after the loss of a node: left $(ls -A "$work/data")"

[ $failures -eq 0 ] && echo "srun, sbatch, scancel, three nodes and then two: as they should be"
exit $((failures > 0))
