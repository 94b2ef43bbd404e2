#!/bin/sh
# Odd surroundings and people who mean harm: $1 is the case to run.
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

# Whoever is killed: the document says so, nothing of the job is left.
killed_rank_is_named() {
    [ "$MPI" = 1 ] || skip "needs MPI"
    for rank in 0 1; do
        rm -f r.json
        timeout -k 5 60 env "LD_PRELOAD=$FAULT" \
            "PARIO_FAULT=op=open,rank=$rank,nth=8,kill,path=/target/" \
            $P quick $SMALL -i posix target >out 2>err </dev/null
        [ $? -ne 0 ] || fail "rank $rank was killed and the status is 0"
        nothing_left
        for i in 1 2 3 4 5 6 7 8 9 10; do
            grep -q 'was killed' r.json && break
            sleep 0.5
        done
        # MPICH's launcher kills the others at once: who was the first is seen
        # only as fast as the janitors are scheduled.
        case $("$PARIO" --version) in *MPICH*) rank='[01]' ;; esac
        grep -q "\"the process of rank $rank was killed" r.json ||
            fail "no reason in the document: $(grep -A4 warnings r.json)"
        valid_is r.json false
    done
}

# Containers forbid io_uring: the rest is measured all the same.
forbidden_uring_is_left_out() {
    $PARIO list | grep -q uring || skip "no io_uring in this build"
    run 0 "$NOURING" $P quick $SMALL -i all target
    says 'uring is not allowed on this system.*left out'
    valid_is r.json true
    grep -q '"interface": "posix"' r.json || fail "posix was not measured"
    if [ "$MPIIO" = 1 ]; then
        grep -q '"interface": "mpiio"' r.json || fail "mpiio was not measured"
    fi
    run 1 "$NOURING" $P quick $SMALL --force -i uring target
    says 'io_uring'
    nothing_left
}

"$1"
