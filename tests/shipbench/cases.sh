#!/bin/sh
# One end-to-end case of shipbench, honesty or tune: cases.sh NAME.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib.sh"

# Small: some hundred kilobytes, one pass.
S="shipbench --scale 0.001 --repetitions 1 --max-acc 0,2 --sparsity 100,10 --output r.json"
count() { # Python expression over the document d
    python3 -c "
import json
d = json.load(open('${2:-r.json}'))
print($1)"
}
is() { # PYTHON-EXPRESSION [FILE]
    [ "$(count "$1" "${2:-r.json}")" = True ] || fail "not so: $1"
}

all_tests_are_measured() {
    run 0 $P $S --repetitions 2 --verify full target
    valid_is r.json true
    is "{m['test'] for m in d['measures']} == {'discontiguous', 'shipping', 'ranges', 'sparse', 'tasks-per-node'}"
    # Every contender has both accesses and all its passes.
    is "all(len(m['passes_mbps']) == 2 for m in d['measures'])"
    is "all(m['verify']['checked_bytes'] == 2 * m['bytes'] for m in d['measures'])"
    is "sorted(m['access'] for m in d['measures']).count('read') == len(d['measures']) / 2"
    is "{m['parameters']['series'] for m in d['measures'] if m['test'] == 'shipping'} == {'native', 'without shipping', 'with shipping'}"
    is "{m['parameters']['series'] for m in d['measures'] if m['test'] == 'ranges'} == {'native', 'shipio', 'max_acc 0', 'max_acc 2'}"
    # The paper's amounts: 100 stripes a task and sparsity, scaled.
    prints 'discontiguous, read: MB/s'
    prints '10 %, ship, sparse'
    prints '2 per node, native'
    nothing_left
}
# What is said to be shipio's is: it alone knows its hints.
library_is_chosen() {
    run 0 $P $S --tests discontiguous target
    is "all(('shipio_mode' in m['hints_in_force'] or 'IBM_largeblock_io' in m['hints_in_force']) == (m['parameters']['library'] == 'shipio') for m in d['measures'])"
    is "[m['hints_in_force']['shipio_double_buffer'] for m in d['measures'] if m['parameters']['series'] == 'ship, one buffer' and m['access'] == 'rewrite'] == ['false']"
}
native_only() {
    run 0 $P $S --mpiio native --fresh --sync target
    is "{m['parameters']['library'] for m in d['measures']} == {'native'}"
    is "{m['access'] for m in d['measures']} == {'write', 'read'}"
    is "d['system']['mpi_io'] == 'native'"
}
dry_run_does_nothing() {
    run 0 $P shipbench --dry-run target
    prints 'at most 512 MiB a task'
    prints 'disk space: at most 1 GiB'
    nothing_left
    [ ! -e r.json ] || fail "a result"
}
wrong_words_are_named() {
    run 2 $P $S --tests discontinuous target
    says 'did you mean discontiguous'
    run 2 $P $S --partitions 2,3 target
    says '3 is not between 1 and 2'
    run 2 $P $S --range-subblocks 65 target
    says '65 subblocks of 4096 bytes do not fit'
    run 2 $P $S --mpiio ship target
    run 1 env PARIO_SHIPIO_LIBRARY=/nowhere.so $P $S --mpiio shipio target
    says 'nowhere.so'
    # auto goes on without it and says so.
    run 0 env PARIO_SHIPIO_LIBRARY=/nowhere.so $P $S --tests shipping target
    says 'only the MPI library'
}
# A byte that changes on its way from the file is seen, whoever reads it.
wrong_byte_makes_invalid() {
    run 1 env LD_PRELOAD="$FAULT" \
        PARIO_FAULT="op=read,flip,at=70000,path=ship-" \
        $P $S --tests discontiguous --mpiio native --verify full target
    valid_is r.json false
    says 'wrong data'
}
full_disk_ends_in_order() {
    run 1 env LD_PRELOAD="$FAULT" \
        PARIO_FAULT="op=write,from=20,error=ENOSPC,path=ship-" \
        $P $S --tests shipping --mpiio shipio --shipping-blocks 100000 target
    valid_is r.json false
    says 'No space left|NO_SPACE|no space|[Nn]ot enough space'
    nothing_left
}
other_suites_run_over_shipio() {
    run 0 $P quick $SMALL --interfaces mpiio --mpiio=shipio target
    valid_is r.json true
    is "d['system']['mpi_io'] == 'shipio'"
    run 1 sh -c "echo 'mpiio shipio' >c.conf; $P quick $SMALL --force --config c.conf target"
    says 'belongs on the command line'
}

verdict() { # CASE LIBRARY
    count "[c['verdict'] for c in d['cases'] if c['case'] == '$1' and c['library'] == '$2'][0]" h.json
}
expect() { # CASE LIBRARY VERDICT
    have=$(verdict "$1" "$2")
    [ "$have" = "$3" ] || fail "$1, $2: '$have' instead of '$3'"
}
honesty() { # STATUS CASES...
    want=$1
    shift
    run "$want" "$PARIO" -n 2 honesty --quiet --json --timeout 20 --cases "$1" target
    cp out h.json
}
honesty_agrees_with_what_is_known() {
    honesty 1 control-write_all,short-write_at,eio-write_at,eio-sync,end-read_all
    for case in control-write_all short-write_at; do
        expect $case shipio correct
    done
    expect control-write_all native correct
    expect eio-write_at shipio 'error where it happened'
    expect eio-sync shipio 'error on all ranks'
    expect end-read_all shipio correct
    expect end-read_all native 'SUCCESS FOR LOST DATA'
    case $(count "d['mpi']" h.json) in
    *MPICH*)
        expect short-write_at native correct
        expect eio-write_at native 'error where it happened'
        expect eio-sync native 'ERROR ON SOME RANKS' ;;
    *"Open MPI"*)
        expect short-write_at native 'SUCCESS FOR LOST DATA'
        expect eio-write_at native 'SUCCESS FOR LOST DATA'
        expect eio-sync native 'error on all ranks' ;;
    esac
    nothing_left
}
honesty_sees_a_hang() {
    run 1 "$PARIO" -n 3 honesty --quiet --json --timeout 5 \
        --cases eio-write_all-rounds --mpiio native target
    cp out h.json
    expect eio-write_all-rounds native HANG
    nothing_left
    run 0 "$PARIO" honesty --processes 3 --quiet --timeout 20 \
        --cases eio-write_all-rounds --mpiio shipio target
    prints 'error on all ranks +MPI_ERR_IO on 3 of 3'
    nothing_left
}
honesty_words_are_checked() {
    run 2 "$PARIO" honesty --cases eio-sink target
    says 'did you mean eio-sync'
    run 2 "$PARIO" -n 1 honesty target
    run 1 env PARIO_FAULT_LIBRARY=/nowhere.so "$PARIO" honesty target
    says 'PARIO_FAULT_LIBRARY'
    run 1 env PARIO_MPIRUN=/nowhere/mpirun "$PARIO" honesty --quiet target
    says 'nowhere/mpirun'
    nothing_left
}

T="tune --time 8 --pass 0.02 --size 1M --quiet --output h.txt"
tune_finds_and_writes_hints() {
    run 0 "$PARIO" -n 2 $T --try 'no_such_hint=1' target
    prints 'native default +[0-9.]+ +[0-9]+'
    prints 'shipio default +[0-9.]+'
    prints 'given, native.*does not know the hint no_such_hint'
    prints 'times doing nothing|No setting is better'
    grep -q '^# ' h.txt || fail "no hints file"
    nothing_left
    # What it wrote, b_eff_io reads.
    run 0 "$PARIO" beffio -T 1 --mpart 2M --hints h.txt --dry-run target
    run 1 "$PARIO" -n 2 $T target
    says 'force overwrites'
}
# A contender that fails is struck out, and the race goes on.
tune_strikes_out_and_goes_on() {
    run 0 env LD_PRELOAD="$FAULT" \
        PARIO_FAULT='op=read,flip,at=0,nth=3,path=-type3.0' \
        "$PARIO" -n 2 $T --type 3 --chunk 32k target
    prints 'struck out: .*wrong data'
    prints 'times doing nothing|No setting is better|fails here'
    nothing_left
}
tune_words_are_checked() {
    run 2 "$PARIO" tune --type 5 target
    run 2 "$PARIO" tune --chunk 1M --memory 4k target
    says 'smaller than --chunk'
    run 1 "$PARIO" tune --quiet nowhere
    says nowhere
    [ ! -e pario-hints.txt ] || fail "a hints file is left"
    run 1 env PARIO_MPIRUN=/nowhere/mpirun "$PARIO" tune --quiet target
    says 'nowhere/mpirun'
    [ ! -e pario-hints.txt ] || fail "a hints file is left"
    nothing_left
}
"$1"
