#!/bin/sh
# `pario shipio-run`: shipio_run.sh CASE. Whether shipio was there is seen in
# its statistics.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || ROOT_FLAGS=
L="$LAUNCH $FLAGS $ROOT_FLAGS"
# A program of two processes that uses MPI-IO, and is no part of shipio-run.
PROGRAM="$PARIO quick -q -i mpiio --time 1s --size 16M --force --output r.json target"
case $("$LAUNCH" --version 2>&1) in
*HYDRA*) kind=hydra ;;
*) kind=openmpi ;;
esac

mpirun() {
    run 0 "$PARIO" shipio-run --stats -- $L -n 2 $PROGRAM
    says '^shipio: .*target/'
    says 'shipio: +2 processes, 1 nodes'
    says 'data access calls +[1-9]'
    # Without -- the command begins at the first word that is no option.
    run 0 "$PARIO" shipio-run --stats=st $L -n 2 $PROGRAM
    ! grep -q shipio: err || fail 'statistics went to the error stream'
    grep -q 'data access calls' st || fail 'no statistics in the file'
    # Never to a file that is something else's, or through a link.
    echo precious >mine
    ln -s st link
    run 0 "$PARIO" shipio-run --stats=mine --json=link $L -n 2 $PROGRAM
    says 'shipio: cannot write statistics to .*mine: it holds something else'
    says 'shipio: cannot write statistics to .*link: it is a symbolic link'
    [ "$(cat mine)" = precious ] || fail 'a file of somebody else was changed'
}
processes() {
    run 0 "$PARIO" -n 2 shipio-run --stats $PROGRAM
    says 'shipio: +2 processes'
}
several_programs() {
    run 0 "$PARIO" shipio-run -- $L -n 1 sh -c 'echo "1 $LD_PRELOAD"' : \
        -n 1 sh -c 'echo "2 $LD_PRELOAD"'
    prints "^1 .*libshipio"
    prints "^2 .*libshipio"
}
own_preload() {
    LD_PRELOAD=$FAULT run 0 "$PARIO" shipio-run -- $L -n 1 \
        sh -c 'echo "$LD_PRELOAD"'
    prints "^$LIBRARY:$FAULT$"
    # Also when it is given to the launcher, before or after ours.
    if [ $kind = hydra ]; then own="-genv LD_PRELOAD $FAULT"
    else own="-x LD_PRELOAD=$FAULT"; fi
    run 0 "$PARIO" shipio-run -- $L $own -n 1 sh -c 'echo "$LD_PRELOAD"'
    prints "^$LIBRARY:$FAULT$"
}
programs_words() { # are not the launcher's options, whatever they look like
    for own in "-x LD_PRELOAD=mine" "-genv LD_PRELOAD mine"; do
        run 0 "$PARIO" shipio-run -- $L -n 1 echo $own : -n 1 echo $own
        [ "$(grep -cx -- "$own" out)" = 2 ] || fail "the program's words were changed"
    done
    # An option that nobody knows takes a value: its own -x still counts.
    if [ $kind = openmpi ]; then
        run 0 "$PARIO" shipio-run --print -- $L --brand-new value \
            -x LD_PRELOAD=mine -n 1 echo -x LD_PRELOAD=his
        prints "-x LD_PRELOAD=[^ ]*libshipio.so:mine -n 1 echo -x LD_PRELOAD=his$"
    fi
}
each_process() { # started by the launcher itself
    run 0 $L -n 2 "$PARIO" shipio-run --stats -- $PROGRAM
    says 'shipio: +2 processes'
}
other_launcher() { # a script, or srun: through the environment
    printf '#!/bin/sh\nexec %s -n 2 "$@"\n' "$L" >launch
    chmod +x launch
    run 0 "$PARIO" shipio-run --stats -- ./launch $PROGRAM
    says 'shipio: +2 processes'
}
json_file() {
    run 0 "$PARIO" shipio-run --json=s.json -- $L -n 2 $PROGRAM
    grep -q '"schema":"shipio-stats/1"' s.json || fail "no statistics"
}
hints() {
    run 0 "$PARIO" shipio-run --hint IBM_io_buffer_size=64k --hint cb_nodes=1 \
        --hint IBM_largeblock_io=false --hint SHIPIO_MESSAGES=1 -- $L -n 1 \
        sh -c 'echo "$SHIPIO_STRIPE $SHIPIO_AGENTS $SHIPIO_MODE" \
            "$SHIPIO_MESSAGES"'
    prints '^64k 1 ship 1$'
    run 0 "$PARIO" shipio-run --stats --hint shipio_mode=direct --hint \
        cb_nodes=1 -- $L -n 2 $PROGRAM
    says '2 processes, 1 nodes, 1 agents .*mode direct'
}
exit_status() {
    run 7 "$PARIO" shipio-run -- sh -c 'exit 7'
    run 3 "$PARIO" shipio-run -- $L -n 1 sh -c 'exit 3'
}
wrong_command() {
    run 127 "$PARIO" shipio-run -- no-such-mpirun -n 2 true
    says 'cannot start no-such-mpirun: No such file'
    : >plain
    run 126 "$PARIO" shipio-run -- ./plain
    run 127 "$PARIO" shipio-run -- ./mpirun -n 2 true
}
missing_library() {
    run 1 "$PARIO" shipio-run --library no/libshipio.so -- touch ran
    says 'no/libshipio.so: No such file'
    PARIO_SHIPIO_LIBRARY=no/such.so run 1 "$PARIO" shipio-run -- touch ran
    says 'no/such.so'
    [ ! -e ran ] || fail 'ran without the library'
}
wrong_library() {
    run 1 "$PARIO" shipio-run --library "${FAULT%%:*}" -- touch ran
    says 'is no libshipio.so'
    # A launcher of the other MPI library.
    if [ $kind = hydra ]; then sign='Open MPI'; else sign='HYDRA'; fi
    printf '#!/bin/sh\necho "%s 1.0"\n: >ran\n' "$sign" >mpiexec
    chmod +x mpiexec
    run 1 "$PARIO" shipio-run -- ./mpiexec -n 2 true
    says 'mpiexec is .*, but .*libshipio.so is for .*--library'
    rm ran # --version was asked, nothing else
    run 0 "$PARIO" shipio-run --library "$LIBRARY" -- $L -n 1 true
}
bad_options() {
    run 2 "$PARIO" shipio-run
    says 'needs a command'
    run 2 "$PARIO" shipio-run --stats --
    says 'needs a command'
    run 2 "$PARIO" shipio-run --hint cb_node=4 -- true
    says 'did you mean cb_nodes'
    run 2 "$PARIO" shipio-run --hint cb_nodes -- true
    says 'KEY=VALUE'
    run 2 "$PARIO" shipio-run --hint IBM_largeblock_io=switchable -- true
    run 2 "$PARIO" shipio-run --hnit cb_nodes=1 -- true
    says 'did you mean --hint'
    run 2 "$PARIO" shipio-run --library
    run 0 "$PARIO" shipio-run --help
    prints 'shipio-run .*mpirun'; prints '--hint KEY=VALUE'
}
printed() {
    unset LD_PRELOAD
    run 0 "$PARIO" shipio-run --print --hint cb_nodes=3 -- timeout 9 \
        "$LAUNCH" -n 2 'a b'
    case $kind in
    hydra) prints "^SHIPIO_AGENTS=3 timeout 9 [^ ]* -genv LD_PRELOAD [^ ]*libshipio.so -n 2 'a b'$" ;;
    *) prints "^SHIPIO_AGENTS=3 timeout 9 [^ ]* -x LD_PRELOAD=[^ ]*libshipio.so -x SHIPIO_AGENTS -n 2 'a b'$" ;;
    esac
    run 0 "$PARIO" shipio-run --print -- srun -n 2 a
    prints "^LD_PRELOAD=[^ ]*libshipio.so srun -n 2 a$"
}
"$1"
