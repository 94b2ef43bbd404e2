#!/bin/sh
# One end-to-end case of shipbench, honesty or tune: cases.sh NAME.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib.sh"

# As lib.sh's, with more time: processes that spin starve each other when the
# machine is busy.
run() {
    want=$1
    shift
    timeout -k 5 200 "$@" >out 2>err </dev/null
    have=$?
    [ "$have" -eq "$want" ] || fail "status $have instead of $want: $*"
}

# Small: some hundred kilobytes, one pass.
S="shipbench --verbose --scale 0.001 --repetitions 1 --max-acc 0,2 --sparsity 100,10 --output r.json"
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
    is "{m['test'] for m in d['measures']} == {'discontiguous', 'shipping', 'ranges', 'sparse', 'tasks-per-node', 'oneshot', 'lattice'}"
    # Every contender has both accesses and all its passes.
    is "all(len(m['passes_mbps']) == 2 for m in d['measures'])"
    is "all(m['verify']['checked_bytes'] == 2 * m['bytes'] for m in d['measures'])"
    is "all([m['access'] for m in d['measures'] if m['test'] == t].count('read') == len([m for m in d['measures'] if m['test'] == t]) / 2 for t in ('discontiguous', 'shipping', 'ranges', 'sparse', 'tasks-per-node', 'lattice'))"
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
    is "{m['parameters']['library'] for m in d['measures']} == {'native', 'by hand'}"
    is "{m['access'] for m in d['measures'] if m['test'] != 'oneshot'} == {'write', 'read'}"
    is "d['system']['mpi_io'] == 'native'"
}
# The checkpoint of a lattice code, in four ways; every byte is checked, and so
# are the ghost cells. Grids of 2, 3 and 4 tasks.
lattice_is_measured() {
    lattice='shipbench --verbose --tests lattice --lattice 3,2,2,4'
    run 0 $P $lattice --lattice-ghost 2 --repetitions 2 --verify full \
        --output r.json target
    valid_is r.json true
    is "{m['parameters']['series'] for m in d['measures']} == {'native', 'native, tuned', 'hand-written', 'shipio'}"
    is "all(m['bytes'] == 2 * 3 * 2 * 2 * 4 * 192 and m['parameters']['block_bytes'] == 576 for m in d['measures'])"
    is "all(m['verify']['checked_bytes'] == 2 * m['bytes'] and m['verify']['errors'] == 0 for m in d['measures'])"
    is "{g['optimisation'] for g in d['gains']} == {'shipio over native', 'shipio over native, tuned', 'shipio over hand-written', 'hand-written over native'}"
    is "all('cb_buffer_size' in m['parameters']['hints'] for m in d['measures'] if m['parameters']['series'] == 'native, tuned')"
    is "all(m['parameters']['hints'] == {} and m['parameters']['library'] == 'by hand' for m in d['measures'] if m['parameters']['series'] == 'hand-written')"
    prints '^lattice, read: MB/s of all tasks'
    run 0 $PARIO -n 4 $lattice --scale 0.5 --sync --fresh --partitions 3,4 \
        --tuned-hints cb_buffer_size=65536 --repetitions 1 --verify full \
        --force --output r.json target
    valid_is r.json true
    is "{m['bytes'] for m in d['measures'] if m['partition'] == 3} == {3 * 3 * 2 * 2 * 2 * 192}"
    is "{m['parameters']['hints']['cb_buffer_size'] for m in d['measures'] if m['parameters']['series'] == 'native, tuned'} == {'65536'}"
    run 2 $P shipbench --tests lattice --lattice 3,2,2 --dry-run target
    says '--lattice: x, y, z and t are wanted, not 3 numbers'
    run 2 $P shipbench --tests lattice --lattice 1000,1000,10,10 --dry-run target
    says 'MPI takes 2147483647 at most'
    nothing_left
}
# A write by hand that fails (the first of a process makes the file) excludes it
# and no other; bytes that are read wrong are seen.
hand_written_faults_are_seen() {
    lattice='shipbench --verbose --tests lattice --lattice 3,2,2,4 --repetitions 1'
    run 1 env LD_PRELOAD="$FAULT" \
        PARIO_FAULT="op=write,rank=1,nth=2,error=ENOSPC,path=ship-" \
        $P $lattice --without 'native;native, tuned' --output r.json target
    says 'lattice, hand-written: excluded: .*by hand.*No space left'
    is "all((m['error'] is not None) == (m['parameters']['series'] == 'hand-written') for m in d['measures'])"
    run 1 env LD_PRELOAD="$FAULT" PARIO_FAULT="op=read,flip,at=700,path=ship-" \
        $P $lattice --without 'native;native, tuned;shipio' --verify full \
        --force --output r.json target
    valid_is r.json false
    says 'wrong data'
    nothing_left
}
# Open, one collective call of 1 KiB pieces in turns, close; a new file, then
# over it, with other data; and what fails is told.
oneshot_is_measured() {
    run 0 $P shipbench --verbose --tests oneshot --oneshot-sizes 4k,100000,64k --repetitions 3 --verify full --output r.json target
    valid_is r.json true
    is "sorted({m['parameters']['task_bytes'] for m in d['measures']}) == [4096, 65536, 99328]"
    is "all(sorted(m['access'] for m in d['measures'] if m['parameters']['series'] == s) == ['rewrite', 'write'] for s in ('4 KiB, native', '4 KiB, shipio', '64 KiB, native', '64 KiB, shipio'))"
    is "all(m['bytes'] == 2 * m['parameters']['task_bytes'] == m['parameters']['file_bytes'] and m['verify']['checked_bytes'] == 3 * m['bytes'] for m in d['measures'])"
    is "{(g['optimisation'], g['figure']) for g in d['gains']} >= {('4 KiB, shipio over native', None), ('64 KiB, shipio over native', None)}"
    prints '^oneshot, write: MB/s of all tasks'
    prints '^oneshot, rewrite: MB/s of all tasks'
    nothing_left
    run 0 $P shipbench --verbose --tests oneshot --oneshot-sizes 4k,1M --scale 0.001 --repetitions 1 --without '1 KiB, native' --force --output r.json target
    is "{m['parameters']['series'] for m in d['measures']} == {'1 KiB, shipio'}"
    run 2 $P shipbench --verbose --tests oneshot --oneshot-sizes 4k,big target
    says '--oneshot-sizes: "big" is no size'
    run 2 $P shipbench --verbose --tests oneshot --oneshot-sizes 3G --dry-run target
    says 'bytes of a task in one call'
    run 0 $P shipbench --verbose --tests oneshot --oneshot-sizes 4k,1M --dry-run target
    prints 'oneshot, for each task: 4 KiB, 1 MiB'
}
dry_run_does_nothing() {
    run 0 $P shipbench --verbose --dry-run target
    prints 'at most 512 MiB a task'
    prints 'disk space: at most 1 GiB'
    nothing_left
    [ ! -e r.json ] || fail "a result"
}
wrong_words_are_named() {
    run 2 $P $S --tests discontinuous target
    says 'did you mean discontiguous'
    run 2 $P $S --partitions 2,3 target
    says '3 processes does not fit in a run of 2'
    run 2 $P $S --range-subblocks 65 target
    says '65 subblocks of 4096 bytes do not fit'
    run 2 $P $S --mpiio ship target
    run 2 $P $S --stripe 16k target
    says '16384 bytes have no room for a block of each of 2 tasks'
    run 2 $P shipbench --verbose --shipping-blocks 10 --shipping-file 60k target
    says 'no room for 10 blocks of each of 2 tasks'
    run 2 $P shipbench --verbose --shipping-blocks 10 --shipping-iteration 11 target
    says 'a task has 10 blocks'
    run 2 $P $S --without 'shipping/natve' target
    says "no contender 'shipping/natve'; did you mean native"
    run 1 env PARIO_SHIPIO_LIBRARY=/nowhere.so $P $S --mpiio shipio target
    says 'nowhere.so'
    # auto goes on without it and says so.
    run 0 env PARIO_SHIPIO_LIBRARY=/nowhere.so $P $S --tests shipping target
    says 'only the MPI library'
}
# What MPI's counts cannot hold is refused, whatever its cause.
too_much_is_refused() {
    for words in '--tests ranges --range-blocks 16384 --range-subblocks 64' \
        '--tests sparse --sparse-block 20M' \
        '--tests discontiguous --region 8G --file-size 8G' \
        '--tests tasks-per-node --region 8G --file-size 8G' \
        '--tests shipping --shipping-block 3G' \
        '--tests ranges --range-blocks 1000000000 --range-subblocks 1000000000 --subblock 8 --file-block 1000000GB --scale 1000'; do
        run 2 $P shipbench --verbose $words --dry-run target
        says 'bytes of a task in one call'
    done
    run 2 $P shipbench --verbose --tests shipping --scale 1e6 --shipping-blocks 1000000000 --dry-run target
    says 'the file would have'
}
# A file of several regions has a view and a call for each.
regions_have_their_views() {
    run 0 $P shipbench --verbose --tests discontiguous --file-size 1M --region 256k \
        --repetitions 1 --verify full --output r.json target
    is "all(m['operations'] == 2 * 4 and m['bytes'] == 1 << 20 for m in d['measures'])"
    is "all(m['verify']['checked_bytes'] == 1 << 20 for m in d['measures'])"
    # One pass spans nothing; the cache verdict stands beside the figure.
    prints 'of the passes \(one pass\)'
    prints '^native +[0-9]+ \(cache.*\)$'
    run 0 $P shipbench --verbose --tests discontiguous --file-size 256k --repetitions 2 --force --output r.json target
    prints 'least..greatest'
    prints '^native +[0-9]+ \([0-9]+..[0-9]+\) \(cache.*\)$'
}
# The turns as the progress tells them: in each repetition everyone once, both
# accesses together; another one begins, and nobody has one predecessor only.
contenders_take_turns() {
    run 0 $P $S --repetitions 4 --tests discontiguous,shipping target
    python3 - <<'P' || fail "not interleaved"
import json, re
turns = re.findall(r'(discontiguous|shipping) 2 tasks (.+) (rewrite|read) (\d)', open('err').read())
d = json.load(open('r.json'))
for test, n in ('discontiguous', 4), ('shipping', 3):
    told = [(series, access, int(r)) for t, series, access, r in turns if t == test]
    assert len(told) == 2 * 4 * n, told
    pairs = list(zip(told[::2], told[1::2]))
    assert all(w[0] == r[0] and w[1:] == ('rewrite', r[2]) and r[1] == 'read' for w, r in pairs), told
    order = [w[0] for w, r in pairs]
    rounds = [order[i * n:(i + 1) * n] for i in range(4)]
    assert all(len(set(x)) == n for x in rounds), rounds
    assert len({x[0] for x in rounds}) == n, rounds
    before = {}
    for x in rounds:
        for a, b in zip(x, x[1:]):
            before.setdefault(b, set()).add(a)
    assert all(len(x) > 1 for x in before.values()), before
    # What the document says of it is the same.
    for m in d['measures']:
        if m['test'] == test:
            assert m['pass_turns'] == [i for i, s in enumerate(order) if s == m['parameters']['series']], m
# Another one is the first to meet a new file.
first = {}
for t, series, access, r in turns:
    first.setdefault(t, series)
assert first['discontiguous'] != first['shipping'], first
P
}
# With over without, pass by pass, as a table, in the document and its summary.
gains_are_told() {
    run 0 $P $S --repetitions 3 --tests discontiguous,ranges,sparse target
    prints '^Figure 8: discontiguous, rewrite: MB/s'
    prints '^Figure 5: ranges, read: MB/s'
    prints '^double buffering +[0-9.]+ \([0-9.]+\.\.[0-9.]+\)( \(.*\))?$'
    prints '^10 %, sparse access +[0-9.]+ \('
    prints '^prefetching, max_acc 2 +[0-9.]+ \('
    prints "neighbouring passes \\(95 % interval by Student's t\\)"
    python3 - <<'P' || fail "the gains do not follow from the passes"
import json, statistics
d = json.load(open('r.json'))
by = {(m['test'], m['access'], m['parameters']['series']): m['passes_mbps'] for m in d['measures']}
# Two figures a test: with and without, and shipio over native.
assert len(d['gains']) == 2 * (2 + 2 + 2 * 2), len(d['gains'])
for g in d['gains']:
    a, b = (by[g['test'], g['access'], g[k]] for k in ('with', 'without'))
    want = [x / y for x, y in zip(a, b)]
    assert all(abs(x / y - 1) < 1e-9 for x, y in zip(want, g['ratios'])), g
    assert abs(statistics.median(want) / g['ratio'] - 1) < 1e-9, g
    assert g['interval'][0] <= g['ratio'] <= g['interval'][1], g
    assert g['partition'] == 2
g = [g for g in d['gains'] if g['optimisation'] == '10 %, sparse access' and g['access'] == 'read'][0]
assert g['figure'] == 7 and g['without'] == '10 %, ship, dense'
s = d['summary']
assert s['sparse_10_sparse_access_read_ratio'] == g['ratio']
assert [s['sparse_10_sparse_access_read_low'], s['sparse_10_sparse_access_read_high']] == g['interval']
# The answer has a case of each optimisation, the page all of them.
answer = [f['figure'] for line in d['view']['answer'] for f in line['figures']]
assert sorted(answer) == sorted(f'{t}_{a}_ratio' for t in ('discontiguous_double_buffering',
    'ranges_prefetching_max_acc_2', 'sparse_10_sparse_access') for a in ('rewrite', 'read')), answer
# A ratio has the flags of the two measures it is made of.
flags = {(m['test'], m['access'], m['parameters']['series']): set(m['flags']) for m in d['measures']}
kinds = {'cache', 'cache-mixed'}
for g in d['gains']:
    both = [flags[g['test'], g['access'], g[k]] for k in ('with', 'without')]
    assert set(g['flags']) - kinds == (both[0] | both[1]) - kinds, g
    assert ('cache' in g['flags']) == all('cache' in f for f in both), g
assert set(d['summary_flags']) == set(d['summary']), d.get('summary_flags')
P
}
# Who fails is excluded, the others are measured; the run is not valid.
failing_contender_is_excluded() {
    run 1 env LD_PRELOAD="$FAULT" \
        PARIO_FAULT="op=write,nth=30,error=EIO,path=ship-" \
        $P shipbench --verbose --tests shipping --shipping-blocks 100 --repetitions 2 \
        --output r.json target
    valid_is r.json false
    says 'shipping, native: excluded'
    prints '^native +FAILED'
    is "all((m['error'] is not None) == (m['parameters']['series'] == 'native') for m in d['measures'])"
    is "all(m['bytes'] > 0 for m in d['measures'] if m['error'] is None)"
    nothing_left
}
# One that hangs ends the job. The document has whole repetitions of everyone
# and says whose turn it was; --resume goes on without that one.
# Who ends last may still write into the document why the run ended.
nobody_works_here() {
    local process
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/cwd" 2>/dev/null)" != "$PWD" ] ||
            [ "$(cat "$process/comm" 2>/dev/null)" != pario ] || return 1
    done
}
hang_is_survived() {
    H="shipbench --verbose --tests shipping --shipping-blocks 50 --repetitions 3"
    # Which write it is depends on who went before: somewhere in the second
    # repetition.
    run 1 env LD_PRELOAD="$FAULT" \
        PARIO_FAULT="op=write,nth=180,delay=600000,path=ship-" \
        $P $H --deadline 4 --output r.json target
    eventually nobody_works_here || fail "processes left"
    nothing_left
    valid_is r.json false
    is "d['finished_utc'] is None and d['under_way']['pass'] == 2"
    is "len(d['measures']) == 6 and all(len(m['passes_mbps']) == 1 and m['error'] is None for m in d['measures'])"
    hung=$(count "d['under_way']['series']")
    cp r.json before.json
    # By itself it would meet it again, and says so.
    run 0 $P $H --resume r.json target
    says "was under way \(pass 2\).*--without 'shipping/$hung'"
    valid_is r.json true
    is "all(len(m['passes_mbps']) == 3 for m in d['measures']) and 'under_way' not in d"
    is "[m['passes_mbps'][0] for m in d['measures']] == [m['passes_mbps'][0] for m in json.load(open('before.json'))['measures']]"
    is "all(m['verify']['checked_bytes'] == 3 * m['bytes'] for m in d['measures'])"
    is "sorted(t for m in d['measures'] if m['access'] == 'read' for t in m['pass_turns']) == list(range(9))"
    cp before.json r.json
    run 1 $P $H --resume r.json --without "shipping/$hung" target
    prints "^$hung +FAILED"
    valid_is r.json false
    is "len(d['measures']) == 6"
    is "all((m['error'] or '').startswith('left out: the job before ended in its pass 2') == (m['parameters']['series'] == '$hung') for m in d['measures'])"
    is "all(len(m['passes_mbps']) == 3 and m['error'] is None for m in d['measures'] if m['parameters']['series'] != '$hung')"
    nothing_left
    # From the start it is simply not there.
    run 0 $P $H --repetitions 1 --without 'native;without shipping' --output w.json target
    is "{m['parameters']['series'] for m in d['measures']} == {'with shipping'}" w.json
    is "'left out: native;without shipping' in d['warnings']" w.json
}
# One that always crashes, already in its first pass: the others are measured
# without it.
crash_is_survived() {
    cat >crash.c <<'C'
#include <stdlib.h>
int PMPI_File_write_at(void);
int PMPI_File_write_at(void) { abort(); }
C
    cc -shared -fPIC crash.c -o crash.so || skip "no cc"
    H="shipbench --verbose --tests shipping --shipping-blocks 50 --repetitions 2"
    crash="env LD_PRELOAD=$work/crash.so${LD_PRELOAD:+:$LD_PRELOAD}"
    timeout -k 5 200 $crash $P $H --output r.json target >out 2>err </dev/null &&
        fail "no crash"
    nothing_left
    is "d['measures'] == [] and d['under_way'] == {'test': 'shipping', 'partition': 2, 'series': 'native', 'pass': 1}"
    run 1 $crash $P $H --resume r.json --without native target
    is "{m['parameters']['series']: len(m['passes_mbps']) for m in d['measures']} == {'native': 0, 'without shipping': 2, 'with shipping': 2}"
    is "[m['error'] for m in d['measures'] if m['parameters']['series'] == 'native'] == 2 * ['left out: the job before ended in its pass 1']"
    prints '^data shipping +[0-9.]+ '
    nothing_left
}
# "with shipping" must ship: else its figure says so and is worth nothing.
shipping_is_in_force() {
    run 0 env SHIPIO_STATS="$work/stats" $P $S --tests shipping target
    # Of its two passes every access is shipped, of the others' none.
    [ "$(grep -c 'noncollective accesses shipped' stats)" -eq 2 ] || fail "nothing was shipped"
    is "all(m['hints_in_force']['shipio_noncollective'] == ('true' if m['parameters']['series'] == 'with shipping' else 'false') and 'not_in_force' not in m for m in d['measures'] if m['parameters']['library'] == 'shipio')"
    is "'data shipping' in {g['optimisation'] for g in d['gains']}"
    # As if MPI had no threads.
    echo 'int PMPI_Query_thread(int *level); int PMPI_Query_thread(int *level) { *level = 0; return 0; }' |
        cc -shared -fPIC -x c - -o single.so || skip "no cc"
    run 0 env LD_PRELOAD="$work/single.so${LD_PRELOAD:+:$LD_PRELOAD}" $P $S --force --tests shipping target
    says 'with shipping: shipio_noncollective=true is not in force: it is false'
    prints '^with shipping +[0-9]+ \(cache.*\) NOT IN FORCE$'
    is "all(('not_in_force' in m) == (m['parameters']['series'] == 'with shipping') for m in d['measures'])"
    is "'data shipping' not in {g['optimisation'] for g in d['gains']}"
}
amounts_and_hints_are_adjustable() {
    run 0 $P shipbench --verbose --tests shipping,sparse --shipping-blocks 42 --shipping-iteration 4 \
        --shipping-file 1M --sparse-stripes 7 --sparsity 100 --repetitions 1 --verify full --output r.json \
        --native-hints 'cb_nodes=1;no_such_hint=2' --shipio-hints 'shipio_agree=strict;IBM_sparse_access=true;IBM_io_buffer_size=64k' target
    valid_is r.json true
    # 10 calls of 4 blocks for each task; 7 stripes a task, a block in each of 14.
    is "all(m['operations'] == 20 and m['bytes'] == 2 * 40 * 4096 and m['parameters']['file_bytes'] == 1 << 20 for m in d['measures'] if m['test'] == 'shipping')"
    is "all(m['parameters']['blocks_per_task'] == 14 for m in d['measures'] if m['test'] == 'sparse')"
    is "all(m['verify']['checked_bytes'] == m['bytes'] and m['verify']['errors'] == 0 for m in d['measures'])"
    is "all(m['parameters']['hints'] == {'cb_nodes': '1', 'no_such_hint': '2'} for m in d['measures'] if m['parameters']['library'] == 'native')"
    is "all(m['hints_in_force']['shipio_agree'] == 'strict' and m['hints_in_force']['IBM_io_buffer_size'] == '65536' for m in d['measures'] if m['parameters']['library'] == 'shipio')"
    # What a contender is about stays.
    is "{m['parameters']['series']: m['hints_in_force']['IBM_sparse_access'] for m in d['measures'] if m['test'] == 'sparse' and m['parameters']['library'] == 'shipio'} == {'100 %, shipio': 'true', '100 %, ship, dense': 'false', '100 %, ship, sparse': 'true'}"
    says 'native: no_such_hint=2 is not in force: the library does not know the hint'
    ! grep -q 'cb_nodes=1 is not in force' err || fail "a hint that is known"
    # A rest of the file is told; the need is that of the tasks that take part.
    run 0 $P shipbench --verbose --tests discontiguous --file-size 640k --region 256k --repetitions 1 --force --output r.json target
    says 'the file has 512 KiB, not 640 KiB'
    run 0 $P shipbench --verbose --tests tasks-per-node --partitions 1 --dry-run target
    prints 'at most 512 MiB a task'
}
resume_goes_on() {
    run 0 $P $S --tests discontiguous,shipping target
    python3 - <<'P'
import json
d = json.load(open('r.json'))
d['measures'] = [m for m in d['measures'] if m['test'] == 'discontiguous'] + \
    [m for m in d['measures'] if m['test'] == 'shipping'][:2]
d['valid'], d['finished_utc'] = False, None
json.dump(d, open('half.json', 'w'))
P
    run 0 $P shipbench --verbose --resume half.json --scale 0.001 --repetitions 1 \
        --max-acc 0,2 --sparsity 100,10 --tests discontiguous,shipping target
    valid_is half.json true
    is "len(d['measures']) == len(json.load(open('r.json'))['measures'])" half.json
    is "len({(m['test'], m['access'], m['parameters']['series']) for m in d['measures']}) == len(d['measures'])" half.json
    is "[m for m in d['measures'] if m['test'] == 'discontiguous'] == [m for m in json.load(open('r.json'))['measures'] if m['test'] == 'discontiguous']" half.json
}
more_tasks_than_a_node_has_are_named() {
    run 0 $P $S --tests tasks-per-node --tasks-per-node 2,16 target
    says 'not measured with 16 on a node'
}
# A byte that changes on its way from the file is seen, whoever reads it.
wrong_byte_makes_invalid() {
    run 1 env LD_PRELOAD="$FAULT" \
        PARIO_FAULT="op=read,flip,at=70000,path=ship-" \
        $P $S --tests discontiguous --mpiio native --verify full target
    valid_is r.json false
    says 'wrong data'
}
# One write of the first pass, which others overwrite.
lost_write_makes_invalid() {
    run 1 env LD_PRELOAD="$FAULT" \
        PARIO_FAULT="op=write,rank=0,nth=5,drop,path=ship-" \
        $P $S --tests shipping --repetitions 2 --verify full target
    valid_is r.json false
    says 'wrong data'
    nothing_left
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
    run 1 sh -c "echo 'mpiio shipio' >c.conf; $P meta --files 1 --output m.json --config c.conf target"
    says 'belongs on the command line'
}

# As if the user had started it with mpirun.
P_MPIRUN="env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 PMI_RANK=0 PMI_SIZE=1"

verdict() { # CASE LIBRARY
    count "[c['verdict'] for c in d['cases'] if c['case'] == '$1' and c['library'] == '$2'][0]" h.json
}
expect() { # CASE LIBRARY VERDICT
    have=$(verdict "$1" "$2")
    [ "$have" = "$3" ] || fail "$1, $2: '$have' instead of '$3'"
}
honesty() { # STATUS LIBRARY TIMEOUT CASES
    run "$1" "$PARIO" -n 4 honesty --quiet --json --mpiio "$2" --timeout "$3" --cases "$4" target
    cp out h.json
}
# Every row of the libraries whose behaviour is known: ROMIO's, OMPIO's.
honesty_agrees_with_what_is_known() {
    hanging=eio-write_all-rounds,eio-read_all
    case $("$PARIO" honesty --quiet --json --mpiio native --cases control-write_all target) in
    *MPICH*) library=MPICH ;;
    *"Open MPI"*)
        library=OpenMPI
        hanging=$hanging,enospc-write_all,eio-write_all ;;
    *) skip "not known" ;;
    esac
    honesty 1 native 8 $hanging
    for case in $(echo $hanging | tr , ' '); do
        expect $case native HANG
    done
    is "all('others got' in c['detail'] for c in d['cases'])" h.json
    rest=$(rows | grep -v mapped | grep -vxE "$(echo $hanging | tr , '|')" | paste -sd, -)
    honesty 1 native 20 "$rest"
    is "d['libraries']['native']['faults_met'] == d['libraries']['native']['faults']" h.json
    for case in control-write_all control-write_at control-read_all \
        control-read_at end-read_at cut-read_at; do
        expect $case native correct
    done
    for case in end-read_all end-read_all-rounds cut-read_all cut-read_all-again; do
        expect $case native 'SUCCESS FOR LOST DATA'
    done
    gap="[c['detail'].split('the gap holds ')[1] for c in d['cases'] if c['case'] == 'end-read_all-rounds'][0]"
    if [ $library = MPICH ]; then
        for case in short-write_all short-write_at short-read_all; do
            expect $case native correct
        done
        for case in enospc-write_all eio-write_all; do
            expect $case native 'error on all ranks'
        done
        for case in enospc-write_at eio-write_at eio-read_at; do
            expect $case native 'error where it happened'
        done
        expect eio-sync native 'ERROR ON SOME RANKS'
        is "$gap.startswith('stale data')" h.json
        # Told of the error, and a full count all the same.
        is "all('count is full' in c['detail'] for c in d['cases'] if c['case'] in ('enospc-write_all', 'eio-write_all'))" h.json
    else
        for case in short-write_all short-write_at short-read_all \
            enospc-write_at eio-write_at eio-read_at; do
            expect $case native 'SUCCESS FOR LOST DATA'
        done
        expect eio-sync native 'error on all ranks'
        is "$gap == 'zeros'" h.json
        is "all('short count' in c['detail'] for c in d['cases'] if c['case'] in ('enospc-write_at', 'eio-write_at', 'short-write_at'))" h.json
    fi
    nothing_left
}
rows() { # the names of all cases
    "$PARIO" honesty --help | sed -n '/^tests:/,/^$/s/^  \([a-z0-9_-]*\) .*/\1/p'
}
# A sync that never reaches the file is no fault that was not met.
honesty_sees_a_sync_without_fsync() {
    echo 'int MPI_File_sync(void *f) { return f == (void *)1; }' |
        cc -shared -fPIC -x c - -o liar.so || skip "no cc"
    run 1 env LD_PRELOAD="$work/liar.so${LD_PRELOAD:+:$LD_PRELOAD}" "$PARIO" \
        -n 2 honesty --verbose --mpiio native --timeout 20 --cases eio-sync target
    prints 'fsync fails +native +SYNC WITHOUT FSYNC'
    says '1 of 1 cases cannot be believed'
}
# shipio: every row correct or told.
honesty_of_shipio_is_clean() {
    run 0 "$PARIO" -n 3 honesty --quiet --json --timeout 20 --mpiio shipio target
    cp out h.json
    # Its mapping is touched first, and then read(2) fails, too.
    is "{c['met'] for c in d['cases'] if 'mapped' in c['case']} == {'mmap,read'}" h.json
    is "len(d['cases']) == $(rows | wc -l) and all(c['clean'] for c in d['cases'])" h.json
    is "d['libraries'] == {'shipio': {'cases': 22, 'not_believable': 0, 'faults': 12, 'faults_met': 12}}" h.json
    nothing_left
}
honesty_sees_a_hang() {
    run 1 "$PARIO" -n 3 honesty --quiet --json --timeout 5 \
        --cases eio-write_all-rounds --mpiio native target
    cp out h.json
    expect eio-write_all-rounds native HANG
    nothing_left
    run 0 "$PARIO" honesty --verbose --processes 3 --timeout 20 \
        --cases eio-write_all-rounds --mpiio shipio target
    prints 'error on all ranks +MPI_ERR_IO on 3 of 3'
    prints '^  shipio: 1 of 1 faults happened, every one of 1 cases reported as it should'
    nothing_left
}
# Interrupted while ranks hang: no file and no process stays.
honesty_is_interrupted() {
    run 130 timeout --preserve-status -s INT 4 "$PARIO" -n 3 honesty --quiet \
        --timeout 60 --cases eio-write_all-rounds --mpiio native target
    nothing_left
    nobody_left() { ! pgrep -f "honesty-case.*$work/" >/dev/null; }
    eventually nobody_left || fail "processes left: $(pgrep -af "honesty-case.*$work/")"
}
# As every suite: a plan, a document, and going on from it.
honesty_is_a_suite() {
    run 0 "$PARIO" -n 2 honesty --dry-run --mpiio shipio target
    prints "^honesty: $(rows | wc -l) jobs of 2 processes"
    nothing_left
    [ -z "$(ls pario-honesty-*.json 2>/dev/null)" ] || fail "a document of a plan"
    H="-n 2 honesty --mpiio shipio --cases control-read_at,control-read_all,eio-write_at"
    run 0 "$PARIO" $H --output d.json target
    is "d['suite'] == 'honesty' and d['valid'] and d['system']['processes'] == 2" d.json
    is "[(f['name'], f['verdict']) for f in d['findings']] == [('control-read_all', 'correct'), ('control-read_at', 'correct'), ('eio-write_at', 'error where it happened')]" d.json
    run 0 "$PARIO" report d.json
    prints 'no fault, independent read +shipio +correct'
    # What was found is kept, what is missing is examined.
    python3 -c "import json; d = json.load(open('d.json')); d['findings'] = d['findings'][:2]; d['findings'][0]['seconds'] = 1234.5; json.dump(d, open('d.json', 'w'))"
    run 0 "$PARIO" $H --resume d.json target
    prints '1 of 1 faults happened, every one of 3 cases reported as it should be'
    is "len(d['findings']) == 3 and d['findings'][0]['seconds'] == 1234.5 and d['valid']" d.json
    run 2 "$PARIO" $H --timeout 3 --resume d.json target
    says 'option timeout was'
    run 2 "$PARIO" honesty --cold target
    says 'cold'
}
honesty_words_are_checked() {
    run 2 "$PARIO" honesty --cases eio-sink target
    says 'did you mean eio-sync'
    run 2 "$PARIO" honesty --cases , target
    says '--cases: unknown value ""'
    run 2 "$PARIO" -n 1 honesty target
    run 2 $P_MPIRUN "$PARIO" honesty target
    says 'pario -n N honesty'
    run 1 env PARIO_FAULT_LIBRARY=/nowhere.so "$PARIO" honesty target
    says 'PARIO_FAULT_LIBRARY'
    run 1 env PARIO_MPIRUN=/nowhere/mpirun "$PARIO" honesty --quiet target
    says 'cannot start /nowhere/mpirun .*No such file'
    nothing_left
    # A job that ends with 127 was started.
    printf '#!/bin/sh\necho "pario: no such thing"\nexit 127\n' >launch
    chmod +x launch
    run 1 env PARIO_MPIRUN="$work/launch" "$PARIO" honesty --quiet target
    says 'did not start: pario: no such thing'
    # One that did not start is started once more.
    printf '#!/bin/sh\nmkdir tried 2>/dev/null && exit 1\nexec %s "$@"\n' \
        "$("$PARIO" --version | sed -n 's/.*launcher[: ]*//p')" >launch
    run 0 env PARIO_MPIRUN="$work/launch" "$PARIO" honesty --quiet \
        --cases control-write_at target
    [ -d tried ] || fail 'the launcher was not called'
    # A preload that does not take effect is not a clean bill.
    echo 'int nothing_at_all;' | cc -shared -fPIC -x c - -o nothing.so || skip "no cc"
    run 1 env PARIO_FAULT_LIBRARY="$work/nothing.so" "$PARIO" -n 2 honesty \
        --cases eio-sync,control-write_all target
    says 'native: no fault happened'
    prints '^  shipio: 0 of 1 faults happened, the other 1 cases'
    # What the user preloads stays.
    run 0 env LD_PRELOAD="$FAULT" PARIO_FAULT='op=close,delay=1,path=zzz' \
        PARIO_FAULT_LIBRARY="$work/nothing.so" "$PARIO" -n 2 honesty \
        --verbose --mpiio shipio --cases eio-write_at target
    prints 'error where it happened'
}

T="tune --verbose --time 8 --pass 0.02 --size 1M --hints-file h.txt --output t.json"
tune_finds_and_writes_hints() {
    run 0 "$PARIO" -n 2 $T --try 'no_such_hint=1;cb_nodes=1;nor_this=x' --try 'cb_nodes=1;cb_buffer_size=65536' target
    prints 'native default +[0-9.]+ +[0-9]+'
    prints 'shipio default +[0-9.]+'
    # Unknown hints are named, all of them, each library's own.
    for library in native shipio; do
        prints "given 1, $library.*does not know no_such_hint, nor_this( |;|\$)"
        is "{tuple(m['unknown_hints']) for m in d['measures'] if m['parameters']['contender'].startswith('given 1, $library')} == {('no_such_hint', 'nor_this')}" t.json
    done
    is "all(m['unknown_hints'] == [] for m in d['measures'] if not m['parameters']['contender'].startswith('given 1'))" t.json
    prints 'given 2, native'
    prints 'times the default|No setting is better'
    prints 'in the page cache'
    valid_is t.json true
    is "d['suite'] == 'tune' and len(d['measures']) > 10" t.json
    # Written to the device, read from what the writing left in memory.
    is "all(m['bytes'] > 0 and m['cache'] != 'disk' and m['device_bytes'] != 0 for m in d['measures'] if m['jobs_mbps'])" t.json
    is "all(0 < m['verify']['checked_bytes'] <= m['bytes'] for m in d['measures'] if m['jobs_mbps'])" t.json
    is "d['summary']['best'] in [m['parameters']['contender'] for m in d['measures']]" t.json
    grep -q '^# ' h.txt || fail "no hints file"
    nothing_left
    # What it wrote, b_eff_io reads.
    run 0 "$PARIO" beffio -T 1 --mpart 2M --hints h.txt --dry-run target
    cp h.txt before.txt
    run 1 "$PARIO" -n 2 $T --output u.json target
    says 'force overwrites'
    cmp -s h.txt before.txt || fail "the hints file was touched"
}
# Every type is written and read as it should be: the counts and the data are
# checked by the jobs.
tune_knows_all_types() {
    for type in 0 1 2 3 4; do
        run 0 "$PARIO" -n 2 $T --rounds 1 --force --type $type --mpiio shipio target
        is "all(m['bytes'] > 0 for m in d['measures'])" t.json
        is "{m['state'] for m in d['measures']} == {'in'}" t.json
        [ ! -e h.txt ] || fail "hints of a mere measurement"
    done
    nothing_left
}
# Who writes or reads wrong data is excluded; here one does, then everybody.
tune_strikes_out_wrong_data() {
    run 0 env LD_PRELOAD="$FAULT" \
        PARIO_FAULT='op=read,flip,nth=1,rank=0,path=-type3.0' \
        "$PARIO" -n 2 $T --type 3 --chunk 32k --rounds 1 --mpiio shipio target
    prints 'native default .*excluded: .*wrong data'
    is "[s['parameters']['contender'] for s in d['excluded']] == ['native default']" t.json
    is "len(d['measures']) > 5 and all(m['bytes'] > 0 for m in d['measures'])" t.json
    valid_is t.json true
    run 0 "$PARIO" report t.json
    # The very last byte of a file counts, too.
    run 1 env LD_PRELOAD="$FAULT" \
        PARIO_FAULT='op=read,flip,at=2097151,path=-type3.0' \
        "$PARIO" -n 2 $T --force --type 3 --chunk 1k --pass 0.4 --rounds 1 --mpiio shipio target
    prints 'native default .*excluded: .*wrong data'
    rm t.json
    run 1 env LD_PRELOAD="$FAULT" \
        PARIO_FAULT='op=read,flip,at=0,path=-type3.0' \
        "$PARIO" -n 2 $T --type 3 --chunk 32k target
    prints 'native default .*excluded: .*wrong data'
    prints 'shipio default .*excluded: .*wrong data'
    says 'no contender came through'
    is "d['measures'] == [] and all('wrong data' in s['reason'] for s in d['excluded'])" t.json
    is "{s['parameters']['contender'] for s in d['excluded']} >= {'native default', 'shipio default'}" t.json
    nothing_left
}
# A full disk is nobody's fault: the search ends and says why.
tune_blames_nobody_for_a_full_disk() {
    run 1 env LD_PRELOAD="$FAULT" \
        PARIO_FAULT='op=write,nth=1,rank=1,error=ENOSPC,path=-type3.0' \
        "$PARIO" -n 2 $T --type 3 --chunk 32k target
    says 'a job cannot go on: .*No space left'
    ! grep -q 'excluded' out || fail "a setting was excluded"
    [ ! -e h.txt ] || fail "a hints file"
    nothing_left
    # A job that hangs before the first pass is ended, too.
    run 1 env LD_PRELOAD="$FAULT" \
        PARIO_FAULT='op=write,nth=1,delay=60000,path=-type3.0' \
        "$PARIO" -n 2 $T --force --type 3 --chunk 32k --mpiio native --timeout 2 target
    says 'not even the library.s default starts: its job hangs'
    nothing_left
}
# One that hangs is ended after --timeout and excluded. Of these contenders
# only ROMIO has a file for the shared pointer.
tune_strikes_out_who_hangs() {
    case $("$PARIO" --version) in *MPICH*) ;; *) skip "no ROMIO" ;; esac
    run 0 env LD_PRELOAD="$FAULT" \
        PARIO_FAULT='op=open,delay=20000,path=.shfp' \
        "$PARIO" -n 2 $T --type 1 --mpiio shipio --timeout 3 target
    prints 'native default .*excluded: it hangs'
    prints '^  best +shipio'
    prints 'The default fails here'
    grep -q 'the default fails' h.txt || fail "the hints file does not say it"
    nothing_left
}

# The real driver on known speeds.
F="tune --verbose --time 5 --force --hints-file h.txt --output t.json"
fake() { # STATUS FAKE-SPEEDS ARGUMENTS...
    want=$1 FAKE=$2
    shift 2
    export FAKE FAKE_LOG="$work/log"
    rm -f log
    run "$want" env -u LD_PRELOAD PARIO_MPIRUN="python3 -I -S $here/fake_mpirun.py" "$PARIO" -n 4 \
        $F "$@" target
    nothing_left
}
prints_use() { # on the screen and in the file
    prints "^  $1\$"
    grep -qE -- "^# $1\$" h.txt || fail "h.txt lacks: $1"
}
# bytes, seconds and bandwidth are of the access that counts.
tune_counts_what_it_says() {
    export FAKE_READS=4
    for access in write read both; do
        fake 0 '*=100' --rounds 2 --access $access --mpiio shipio
        case $access in
        write) word=write mbps=100 checked=4096 ;;
        read) word=read mbps=400 checked=8192 ;;
        both) word='write and read' mbps=250 checked=12288 ;;
        esac
        is "{m['access'] for m in d['measures']} == {'$word'}" t.json
        is "all(0.85 < m['bandwidth_mbps'] / $mbps < 1.15 for m in d['measures'])" t.json
        # Two jobs of two passes.
        is "{m['verify']['checked_bytes'] for m in d['measures']} == {4 * $checked}" t.json
    done
}
tune_finds_the_fastest() {
    fake 0 'double_buffer=900;shipio=500;*=100'
    prints '^  best +shipio ship, one buffer(, yield)?$'
    grep -q '^shipio_double_buffer false' h.txt || fail "not in the hints file"
    is "d['summary']['best'].startswith('shipio ship, one buffer') and d['summary']['gain_low'] > 7" t.json
    # The passes' time-out follows the slowest pass (0.1 s): 30 + 20 times.
    tail -1 log | grep -q ' 32$' || fail "time-out: $(tail -1 log)"
    # Nobody leads because of his turn: of those that share an environment
    # another begins each job.
    fake 0 '*=100' --rounds 4 --mpiio shipio
    [ "$(awk '$2 > 3' log | wc -l)" = 4 ] || fail "not four jobs: $(cat log)"
    [ "$(awk '$2 > 3 { print $1 }' log | sort -u | wc -l)" = 4 ] ||
        fail "the same contender begins twice: $(cat log)"
}
# It says where it is, and ends when the time is over: unlimited it would go on
# for 64 rounds.
tune_keeps_the_time() {
    begin=$(date +%s)
    F='tune --verbose --time 4 --force --hints-file h.txt --output t.json'
    fake 0 'shipio=300;*=100'
    says '^round 1: [0-9]+ s of 4 s, [0-9]+ contenders left, ahead: shipio.*, [0-9]+ MB/s$'
    says '^confirmation 3: [0-9]+ s of 4 s, [0-9] contenders left, ahead: '
    ! grep -q '^round 64:' err || fail "all rounds in 4 s"
    [ $(($(date +%s) - begin)) -lt 60 ] || fail "4 s took a minute"
    is "all(m['bytes'] > 0 and m['seconds'] > 0 for m in d['measures'])" t.json
}
tune_says_when_nothing_is_better() {
    # Equal in the race; a little slower afterwards, for of 40 fair comparisons
    # one finds a difference.
    export FAKE_CONFIRM='_=95;shipio=95;*=100'
    fake 0 '*=100'
    prints 'No setting is better than the default'
    grep -q 'no setting is better' h.txt || fail "the hints file is silent"
    ! grep -qv '^#' h.txt || fail "hints although nothing is better"
    is "d['summary']['best'] == 'native default' and d['summary']['gain'] is None" t.json
    # The library's default is as good as the leader: no hints are needed.
    FAKE_CONFIRM='IBM_largeblock_io=280;shipio=300;*=100'
    fake 0 'shipio=300;*=100'
    prints '^  best +shipio default'
    # What is told of a leader is its own ratio, not the default's to itself:
    # in the race it is ahead by luck, in the confirmation it is slower.
    FAKE_CONFIRM='double_buffer=80;*=100'
    fake 0 'double_buffer=900;*=100'
    prints '^  No setting is better than the default for sure'
    prints '^  The leader of the race, shipio ship, one buffer'
    prints '^  0\.[6-9][0-9] times the default \(95 % interval 0\.'
    prints '^  0\.[6-9][0-9] times shipio default'
    is "d['summary']['leader'].startswith('shipio ship, one buffer') and 0.6 < d['summary']['leader_gain'] < 0.95" t.json
    is "d['summary']['best'] == 'native default' and d['summary']['gain_high'] is None" t.json
    FAKE_CONFIRM='double_buffer=180;shipio=200;*=100'
    fake 0 'double_buffer=900;*=100'
    prints '^  best +shipio default'
    prints '^  [12]\.[0-9]+ times the default'
    prints '^  The leader of the race, shipio ship, one buffer'
    prints '^  (0\.[89]|1\.0)[0-9] times shipio default'
}
# The hints have no credit for what the variable beside them does.
tune_compares_like_with_like() {
    case $("$PARIO" --version) in
    *MPICH*)
        word=mpiyield own='native default, yield' ;;
    *) word=io=romio321 own='romio321 default' ;;
    esac
    export FAKE_CONFIRM="cb_=750;romio_=750;$word=800;*=100"
    fake 0 "$word=800;*=100" --time 20 --processes 99 --mpiio native
    prints "^  best +$own"
    is "d['summary']['leader_default'] == '$own' and d['summary']['gain_low'] > 4" t.json
    ! grep -qv '^#' h.txt || fail "hints although the environment does it all"
    unset FAKE_CONFIRM
    fake 0 "cb_buffer_size=16777216=1600;$word=800;*=100" --time 20 --processes 99 --mpiio native
    prints '^  best +(ROMIO|romio321) cb 16M'
    prints "^  [12]\.[0-9]+ times $own"
    is "d['summary']['gain_low'] > 8" t.json
    is "1.5 < d['summary']['leader_gain_over_its_default_low'] < 2.5" t.json
}
tune_confirms_in_several_jobs() {
    fake 0 'shipio=150;*=100' --time 12
    prints '^  best +shipio'
    is "[len(m['confirmation_mbps']) for m in d['measures'] if m['best']] >= [3]" t.json
}
tune_outlives_jobs_that_die() {
    export FAKE_DIES=fcoll=vulcan
    case $("$PARIO" --version) in
    *MPICH*) FAKE_DIES=shipio ;;
    esac
    fake 0 'cb_buffer_size=4194304=300;*=100' --time 15
    prints 'excluded: its job died: something is missing here'
    prints '^  best +'
    # Before anyone has begun, with nobody left: an error, and no loop.
    export FAKE_DIES='*'
    cp h.txt before.txt
    fake 1 '*=100'
    says 'not even the library.s default starts: its job died: something is missing here'
    cmp -s h.txt before.txt || fail "the hints file was touched"
    unset FAKE_DIES
    export FAKE_CRASHES=double_buffer
    fake 0 'double_buffer=900;shipio=500;*=100'
    prints 'one buffer.*excluded: it ends the program: Segmentation fault'
    prints '^  best +shipio'
    # The leader dies in the confirmation: the next one is confirmed.
    export FAKE_CRASHES=double_buffer FAKE_FEW=3
    fake 0 'double_buffer=900;cb_nodes=1=700;*=100'
    prints 'one buffer.*excluded'
    prints '^  best +.*one'
    # Everybody fails: the table says why.
    export FAKE_CRASHES='*' FAKE_FEW=99
    fake 1 '*=100'
    says 'no contender came through'
    prints 'native default +- +- +- +excluded: it ends the program'
}
# Of --all, a pattern that fails leaves the others alone.
tune_all_goes_on() {
    export FAKE_DIES=type=1
    fake 1 'shipio=500;*=100' --all --time 15
    says 'is little'
    says '3 of 15 patterns failed'
    grep -q '^# type 0: shipio' h.txt || fail "the first type is lost"
    grep -q '^# type 4: shipio' h.txt || fail "the last type is lost"
    grep -q '^# type 1: failed' h.txt || fail "what failed is not named"
    ! grep -q '^\[type 1' h.txt || fail "hints for what failed"
    is "'type0_setting' in d['summary'] and 'type1_setting' not in d['summary'] and not d['valid']" t.json
}
# What --all found is in force in b_eff_io: one library, hints by type, given
# at open.
tune_all_reaches_beffio() {
    fake 0 'type=0&IBM_io_buffer_size=65536=900;type=3&largeblock_io=true=900;shipio=500;*=100' \
        --all --time 15 --mpiio shipio --processes 2
    prints '^0 +shipio ship 64k(, yield)? +1\.[0-9]+ \(1\..* shipio ship 64k(, yield)? +[0-9]+\.'
    prints '^3 +shipio direct'
    prints '^one for all +shipio'
    prints '^  best +shipio default(, yield)?$'
    prints 'The hints of each type are in the hints file'
    prints '^  b_eff_io: .*pario -n 2 beffio --mpiio=shipio --hints .*/h.txt DIR'
    is "d['summary']['best'].startswith('shipio default') and d['summary']['gain_low'] > 4" t.json
    is "d['summary']['type3_setting'].startswith('shipio direct')" t.json
    is "{m['test'] for m in d['measures']} == {'tune', 'tune confirmation'}" t.json
    is "all(m['bytes'] > 0 and m['seconds'] > 0 for m in d['measures'])" t.json
    [ "$(grep -c '^\[type' h.txt)" -le 5 ] || fail "more sections than types"
    ! grep -q '\[type' h.txt.plain || fail "sections in the plain file"
    run 0 $P beffio -T 1 --mpart 2M --hints h.txt --mpiio=shipio --output r.json target
    ! grep -q 'was found with --mpiio' err || fail "shipio was there"
    in_force() { # TYPE KEY VALUE
        is "{v['$2'] for k, v in d['hints_in_force'].items() if k.startswith('type$1 ')} == {'$3'}"
    }
    in_force 0 IBM_io_buffer_size 65536
    in_force 0 shipio_mode ship
    in_force 3 shipio_mode direct
    in_force 3 IBM_io_buffer_size 262144
    # Without what it needs b_eff_io says so.
    run 0 $P beffio -T 1 --mpart 2M --hints h.txt --force --output r.json target
    is "any('h.txt was found with' in w and '--mpiio=shipio' in w for w in d['warnings'])"
    # Where nothing is better nobody is compared with himself.
    fake 0 'shipio=50;native=100' --all --time 10 --mpiio shipio --processes 2
    prints '^  No setting is better than the default\.$'
    ! grep -q '(1.00 to 1.00' out || fail "the default compared with itself"
    ! grep -qv '^#' h.txt h.txt.plain || fail "hints although nothing is better"
    is "d['summary']['best'] == 'native default' and d['summary']['gain'] is None" t.json
    # An existing file beside the hints file is kept, too.
    rm h.txt
    run 1 "$PARIO" -n 2 tune --all --time 5 --quiet --hints-file h.txt --output u.json target
    says 'h.txt.plain.*force overwrites'
}
tune_chooses_whose_settings() {
    fake 0 'shipio=500;*=100' --mpiio shipio --rounds 2
    is "{m['parameters']['contender'] for m in d['measures'] if m['parameters']['library'] == 'native'} <= {'native default', 'native default, yield'}" t.json
    is "all(len(m['jobs_mbps']) == 2 for m in d['measures'])" t.json
    fake 0 '*=100' --mpiio native --rounds 1 --try 'a=1' --try 'b=2'
    is "{m['parameters']['library'] for m in d['measures']} == {'native'}" t.json
    is "[m['parameters']['hints'] for m in d['measures'] if m['parameters']['contender'] in ('given 1, native', 'given 2, native')] == [{'a': '1'}, {'b': '2'}]" t.json
    case $("$PARIO" --version) in
    *"Open MPI"*)
        is "[m['parameters']['environment'] for m in d['measures'] if m['parameters']['contender'] == 'given 2, romio321'] == ['OMPI_MCA_io=romio321']" t.json ;;
    *MPICH*)
        # More processes than cores: everybody also without spinning.
        fake 0 'mpiyield=800;*=100' --processes 99
        prints '^  best +.*, yield'
        grep -q '^# needs in the environment: LD_PRELOAD=.*libmpiyield.so' h.txt ||
            fail "the hints file does not name the library" ;;
    esac
}
# ROMIO reads what tune wrote.
tune_hints_reach_romio() {
    case $("$PARIO" --version) in *MPICH*) ;; *) skip "no ROMIO" ;; esac
    fake 0 'mpiyield=1;cb_buffer_size=4194304=900;*=100' --processes 2 --mpiio native
    grep -q '^cb_buffer_size 4194304' h.txt || fail "not the hints expected"
    prints_use "any program: env ROMIO_HINTS=$work/h.txt mpirun -n 2 PROGRAM"
    run 0 env ROMIO_HINTS="$work/h.txt" $P shipbench --verbose --scale 0.001 \
        --repetitions 1 --tests discontiguous --mpiio native --output r.json target
    is "{m['hints_in_force']['cb_buffer_size'] for m in d['measures']} == {'4194304'}"
    # --all writes a file without sections for it: one set for all types.
    fake 0 'mpiyield=1;type=0&cb_buffer_size=1048576=950;cb_buffer_size=4194304=900;*=100' \
        --processes 2 --mpiio native --all --time 15
    grep -A9 '^\[type 0\]' h.txt | grep -q '^cb_buffer_size 1048576' ||
        fail "type 0 has not its own hints"
    prints_use "any program: env ROMIO_HINTS=$work/h.txt.plain mpirun -n 2 PROGRAM"
    run 0 env ROMIO_HINTS="$work/h.txt.plain" $P shipbench --verbose --scale 0.001 --force \
        --repetitions 1 --tests discontiguous --mpiio native --output r.json target
    is "{m['hints_in_force']['cb_buffer_size'] for m in d['measures']} == {'4194304'}"
    is "all(not k.startswith('[') for m in d['measures'] for k in m['hints_in_force'])"
    # Given at open in b_eff_io: ROMIO takes cb_nodes nowhere else.
    run 0 $P beffio -T 1 --mpart 2M --hints h.txt --force --output r.json target
    is "{(v['cb_buffer_size'], v['cb_nodes']) for k, v in d['hints_in_force'].items() if k.startswith('type0 ')} == {('1048576', '2')}"
    is "{v['cb_buffer_size'] for k, v in d['hints_in_force'].items() if k.startswith('type4 ')} == {'4194304'}"
}
# The winner without hints: the commands say how to have it.
tune_says_how_to_use_it() {
    export FAKE_CONFIRM='IBM_largeblock_io=280;shipio=300;*=100'
    fake 0 'shipio=300;*=100'
    prints '^  best +shipio default'
    prints '^  hints file: h.txt$'
    prints_use 'b_eff_io: .*pario -n 4 beffio --mpiio=shipio DIR'
    prints_use 'any program: .*pario shipio-run -- mpirun -n 4 PROGRAM'
    prints_use 'shipio is /.*/libshipio.so'
    grep -q '^# needs shipio' h.txt || fail "the need is not told"
    grep -q '^# no hints are needed' h.txt || fail "the lack of hints is not told"
    run 0 $P beffio -T 1 --mpart 2M --hints h.txt --output r.json target
    is "any('h.txt was found with' in w and '--mpiio=shipio' in w for w in d['warnings'])"
    echo '# needs in the environment: PARIO_NEED=this one' >n.txt
    run 0 $P beffio -T 1 --mpart 2M --hints n.txt --force --output r.json target
    is "any('n.txt was found with PARIO_NEED=this one' in w for w in d['warnings'])"
    run 0 env PARIO_NEED='this one' $P beffio -T 1 --mpart 2M --hints n.txt --force --output r.json target
    is "not any('was found with' in w for w in d['warnings'])"
    unset FAKE_CONFIRM
    # What it says works.
    fake 0 'double_buffer=900;shipio=500;*=100'
    line=$(sed -n 's/^  any program: //p' out)
    case $line in *--hint\ shipio_double_buffer=false*) ;; *) fail "$line" ;; esac
    line=$(echo "$line" | sed 's/^env [^ ]* //; s/^pario shipio-run/& --print/; s/mpirun -n 4 PROGRAM/env true/')
    run 0 sh -c "\"$PARIO\" ${line#pario }"
    prints 'SHIPIO_DOUBLE_BUFFER=false'
    prints 'SHIPIO_MODE=ship'
}
# What shipio knows is known.
tune_knows_shipios_hints() {
    keys=$(sed -n 's/^ *{KEY_[A-Z_]*, [a-z]*, "\([^"]*\)".*/\1/p' "$here/../../shipio/src/hints.c")
    [ "$(echo "$keys" | wc -l)" -gt 10 ] || fail "shipio's table is not found"
    for key in $keys; do echo "$key 1"; done >k.txt
    run 0 "$PARIO" beffio -T 1 --mpart 2M --hints k.txt --dry-run target
    echo 'shipio_agents 1' >k.txt
    run 2 "$PARIO" beffio -T 1 --mpart 2M --hints k.txt --dry-run target
    fake 0 '*=100' --rounds 1 --mpiio shipio --try "$(for key in $keys; do printf '%s=1;' "$key"; done | sed 's/;$//')"
    is "[m['unknown_hints'] for m in d['measures'] if m['parameters']['contender'] == 'given 1, shipio'] == [[]]" t.json
}
# An interrupted search leaves neither files nor processes.
tune_is_interrupted() {
    run 130 timeout --preserve-status -s INT 3 "$PARIO" -n 2 tune --time 60 --quiet \
        --size 1M --hints-file h.txt --output t.json target
    nothing_left
    [ ! -e h.txt ] || fail "a hints file"
    nobody_left() { ! pgrep -f "tune-race.*$work/" >/dev/null; }
    eventually nobody_left || fail "processes left: $(pgrep -af "tune-race.*$work/")"
}
tune_is_a_suite() {
    run 0 "$PARIO" -n 2 tune --dry-run --try 'cb_nodes=1' target
    prints '^tune: 1 pattern, [0-9]+ contenders, jobs of 2 processes'
    prints '^  given 1.*cb_nodes=1'
    nothing_left
    [ ! -e pario-hints.txt ] || fail "a hints file of a plan"
    fake 0 '*=100' --rounds 1 --quiet
    [ ! -s out ] || fail "quiet prints: $(cat out)"
    is "d['suite'] == 'tune' and d['system']['processes'] == 4 and d['options']['rounds'] == '1'" t.json
    run 2 "$PARIO" tune --resume t.json target
    says 'cannot be resumed'
}
tune_words_are_checked() {
    run 2 "$PARIO" tune --type 5 target
    run 2 "$PARIO" tune --chunk 1M --memory 4k target
    says 'smaller than --chunk'
    run 2 "$PARIO" tune --try 'cb_nodes' target
    says 'expected key=value'
    run 2 "$PARIO" tune --try '' target
    run 2 $P_MPIRUN "$PARIO" tune target
    says 'pario -n N tune'
    run 1 "$PARIO" tune --quiet nowhere
    says nowhere
    [ ! -e pario-hints.txt ] || fail "a hints file is left"
    run 1 env PARIO_MPIRUN=/nowhere/mpirun "$PARIO" tune --quiet target
    says 'nowhere/mpirun'
    [ ! -e pario-hints.txt ] || fail "a hints file is left"
    # Too little space is seen before anything is started.
    run 1 "$PARIO" -n 1000000 tune --quiet --size 1G target
    says 'space|free'
    nothing_left
}
"$1"
