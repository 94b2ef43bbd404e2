#!/bin/sh
# Odd surroundings and people who mean harm: $1 is the case to run.
case $1 in *_shared_memory) TMPDIR=${TMPDIR:-/tmp} ;; esac
. "$(dirname "$0")/lib.sh"

# Numbers 0 to 2 are not given to the janitor's socket or to a file.
closed_streams_harm_nothing() {
    for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
        rm -f r.json
        run 0 sh -c "exec $P quick $SMALL --quiet target $closed"
        valid_is r.json true
        nothing_left
    done
}

full_output_is_an_error() {
    for words in list --help --version 'quick --help' 'list --commands'; do
        run 1 sh -c "exec $PARIO $words >/dev/full"
        says 'cannot write the standard output: No space left'
    done
    run 0 sh -c "$PARIO list | head -n 1"
    # By the process itself, or its launcher: some say it themselves.
    run 1 sh -c "exec $P quick $SMALL target >/dev/full"
    says 'No space left'
}

# While a run goes on its directory is renamed, and another one has its name.
replaced_directory_is_left_alone() {
    timeout -k 5 60 $P quick --time 4s --size 16M --output r.json target \
        >out 2>err </dev/null &
    while ! ls target/pario-*/* >/dev/null 2>&1; do
        kill -0 $! || fail "ended too early"
        sleep 0.05
    done
    name=$(ls -d target/pario-*)
    mv "$name" away
    mkdir "$name"
    echo precious >"$name/file"
    wait $! # whatever came of the run itself
    for i in 1 2 3 4 5 6 7 8 9 10; do
        [ -d away ] || break
        sleep 0.5
    done
    [ ! -d away ] || fail "our own directory is still there"
    [ "$(cat "$name/file")" = precious ] || fail "the stranger's file is gone"
}

run_directory_has_the_users_umask() {
    umask 077
    run 0 $P quick $SMALL --keep target
    [ "$(stat -c %a target/pario-*)" = 700 ] || fail "$(stat -c %a target/*)"
}

root_is_warned() {
    [ "$(id -u)" = 0 ] || skip "not root"
    chmod 777 target
    run 0 $P quick $SMALL target
    says 'others may exchange files'
    chmod 700 target
    chown 12345 target
    run 0 $P quick $SMALL --force target
    says 'belongs to user 12345'
    mkdir target/inner
    run 0 $P quick $SMALL --force target/inner
    says 'inner, below .*target, which belongs to user 12345'
}

# Open MPI's launcher hangs where its shared memory may not be made.
small_file_limit_is_refused() {
    [ "$MPI" = 1 ] || skip "needs a launcher"
    run 1 sh -c "ulimit -f 2048; exec $P quick $SMALL target"
    says 'ulimit -f'
    [ "$(wc -l <err)" = 1 ] || fail "more than one message"
    run 1 sh -c "ulimit -f 2048; exec $P tune target"
    says 'ulimit -f'
    run 1 sh -c "ulimit -f 2048; OMPI_COMM_WORLD_RANK=0 PMI_RANK=0 \
        exec $PARIO quick $SMALL target"
    says 'ulimit -f'
    nothing_left
}

samples_never_change_a_script() {
    printf '#!/bin/sh\necho precious\n' >script
    cp script copy
    run 1 $P quick $SMALL --samples script target
    says 'holds no timings and is kept'
    cmp script copy || fail "the script was changed"
    : >timings
    ln -s timings link
    run 1 $P quick $SMALL --samples link target
    says 'symbolic link'
    [ ! -s timings ] || fail "written through a link"
}

# Each block in the file is whole, however many runs append to it at a time.
three_runs_share_a_samples_file() {
    for i in 1 2 3; do
        timeout -k 5 100 $P quick --time 1s --size 16M --output r$i.json \
            -i posix --samples s.out target >out$i 2>err$i </dev/null &
        eval "pid$i=$!"
    done
    for i in 1 2 3; do
        eval "wait \$pid$i" || fail "run $i: $(cat out$i err$i)"
        valid_is r$i.json true
    done
    python3 - <<'PY' || fail "the samples are damaged"
blocks = ranks = 0
left = None
for line in open('s.out'):
    word, _, value = line.rstrip('\n').partition(' ')
    if word == 'block':
        assert left is None, 'a block inside a block'
        blocks, left = blocks + 1, 0
    elif word == 'end':
        assert left == 0, f'{left} samples are missing'
        left = None
    elif word == 'data':
        keyword = value.split()[0]
    elif word == 'count':
        assert left == 0, f'{left} samples are missing'
        left, ranks = int(value), ranks + 1
    elif left is not None and left > 0:
        assert word == keyword and float(value) >= 0, line
        left -= 1
assert left is None and blocks % 3 == 0 and blocks >= 12, blocks
PY
    run 0 $PARIO report s.out
    nothing_left
}

# One process of the job says that one was killed, whoever it was, and not as
# if it were a Ctrl-C; the document says which.
was_killed() { # RANK
    nothing_left
    for i in 1 2 3 4 5 6 7 8 9 10; do
        grep -q 'was killed' r.json && break
        sleep 0.5
    done
    # MPICH's launcher kills the others at once: who was the first is seen
    # only as fast as the janitors are scheduled.
    case $("$PARIO" --version) in *MPICH*) set -- '[01]' ;; esac
    grep -A1 '"invalid_reasons": \[' r.json |
        grep -q "\"the process of rank $1 was killed" ||
        fail "no reason in the document: $(grep -A4 reasons r.json)"
    speakers=$(grep -cE '^pario: (a process of the run was killed|.* kept in|interrupted before)' err)
    [ "$speakers" = 1 ] || fail "$speakers processes spoke instead of one"
    grep -qE 'a process of (it was lost|the run was killed)' err ||
        fail "a lost process is called an interruption"
    valid_is r.json false
}

# Whoever is killed, and whoever has started the job: pario or the launcher.
killed_rank_is_named() {
    [ "$MPI" = 1 ] || skip "needs MPI"
    for start in "$P" "$LAUNCH $FLAGS -n 2 $PARIO"; do
        for rank in 0 1; do
            rm -f r.json
            timeout -k 5 60 env "LD_PRELOAD=$FAULT" \
                "PARIO_FAULT=op=open,rank=$rank,nth=8,kill,path=/target/" \
                $start quick $SMALL -i posix target >out 2>err </dev/null
            [ $? -ne 0 ] || fail "rank $rank was killed and the status is 0"
            was_killed $rank
        done
    done
}

# The same of a run whose files are kept: no note is left among them.
killed_rank_keeps_files() {
    [ "$MPI" = 1 ] || skip "needs MPI"
    timeout -k 5 60 env "LD_PRELOAD=$FAULT" \
        "PARIO_FAULT=op=open,rank=1,nth=8,kill,path=/target/" \
        $P quick $SMALL -i posix --keep target >out 2>err </dev/null
    mv target kept
    mkdir target
    was_killed 1
    for i in 1 2 3 4 5 6 7 8 9 10; do
        [ -n "$(find kept -name '.killed*')" ] || break
        sleep 0.5
    done
    [ -z "$(find kept -name '.killed*')" ] || fail "a note is left"
    [ -n "$(find kept -type f)" ] || fail "the files are gone"
}

# Of a job that is killed at once, launcher and all; in a /dev/shm of its own.
killed_run_leaves_no_shared_memory() {
    [ "$MPI" = 1 ] || skip "needs MPI"
    [ "$(id -u)" = 0 ] || skip "not root"
    cat >job.sh <<'JOB'
mount -t tmpfs none /dev/shm || exit 77
setsid $P quick --time 30s --size 16M --output r.json -i posix target \
    >out 2>err </dev/null &
while ! ls target/pario-*/* >/dev/null 2>&1; do
    kill -0 $! || exit 1
    sleep 0.05
done
kill -KILL -$!
for i in $(seq 100); do
    [ -z "$(ls -A target)$(ls -A /dev/shm)" ] && exit 0
    sleep 0.2
done
ls -AlR target /dev/shm
exit 1
JOB
    # Only the processes' janitors are left, which have sessions of their own.
    P=$P timeout -k 5 100 unshare -m sh job.sh >left 2>&1
    case $? in
    0) ;;
    77) skip "no mounts" ;;
    *) fail "left: $(cat left)" ;;
    esac
}

# Containers forbid io_uring: the rest is measured all the same.
forbidden_uring_is_left_out() {
    $PARIO list | grep -q uring || skip "no io_uring in this build"
    LIMIT=150 # all interfaces: a busy machine takes longer
    run 0 "$NOURING" EPERM $P quick $SMALL -i all target
    says 'uring is not allowed on this system.*left out'
    valid_is r.json true
    grep -q '"interface": "posix"' r.json || fail "posix was not measured"
    [ "$MPIIO" = 0 ] || grep -q '"interface": "mpiio"' r.json ||
        fail "mpiio was not measured"
    ! grep -q '"interface": "uring"' r.json || fail "uring was measured"
    run 1 "$NOURING" EPERM $P quick $SMALL --force -i uring target
    says 'io_uring'
    nothing_left
}

"$1"
