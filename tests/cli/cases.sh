#!/bin/sh
# One end-to-end case: cases.sh NAME.
TESTS=$(cd "$(dirname "$0")/.." && pwd)
. "$(dirname "$0")/lib.sh"

help_lists_suites_and_commands() {
    run 0 "$PARIO" --help
    prints 'quick'; prints 'doctor'; prints 'report'
    run 0 "$PARIO" quick --help
    prints '--time'; prints '--verify'; prints 'options of every suite'
    run 2 "$PARIO"
    says usage
}
version_names_mpi() {
    run 0 "$PARIO" --version
    prints '^pario [0-9]'
    if [ "$MPI" = 1 ]; then prints 'MPICH|Open MPI'; else prints 'MPI: none'; fi
}
list_names_every_interface() {
    run 0 "$PARIO" list
    prints '^  posix '
    if [ "$MPIIO" = 1 ]; then prints '^  mpiio '; fi
    prints '^compiled in:'
}
help_of_one_command() {
    run 0 "$PARIO" help quick
    prints 'usage: pario .* quick'
    cp out help
    run 0 "$PARIO" quick --help
    cmp out help || fail "two texts"
    run 0 "$PARIO" help report
    prints 'usage: pario report'
    run 2 "$PARIO" help quik
    says 'did you mean quick'
    # No default is said twice.
    for suite in quick beffio prio; do
        [ $suite != beffio ] || [ "$MPIIO" = 1 ] || continue
        run 0 "$PARIO" help $suite
        if tr -s '\n ' ' ' <out | grep -E '\(default[^)]*\) \(default'; then fail "$suite"; fi
    done
    # What is refused is not offered.
    run 0 "$PARIO" help quick
    prints '--resume'
    for suite in nht doctor; do
        run 0 "$PARIO" help $suite
        if grep -e --resume out; then fail "$suite"; fi
    done
}
empty_operand_is_usage_error() {
    run 2 $P quick $SMALL ''
    says 'operand 1 is empty'
    [ ! -e r.json ] || fail "a result was written"
}
lacking_command_says_what_it_needs() {
    [ "$MPIIO" = 0 ] || skip "this build has all"
    run 2 "$PARIO" beffio target
    says 'no MPI-IO, which beffio needs'
    run 2 "$PARIO" shipio-run true
    says 'no MPI-IO, which shipio-run needs'
}
unknown_case_lists_the_cases() {
    [ "$MPIIO" = 1 ] || skip "needs MPI-IO"
    run 2 "$PARIO" honesty --cases foo
    says '--cases: unknown value "foo".*one of .*,'
}
unknown_command_suggests() {
    run 2 "$PARIO" quik
    says "did you mean quick"
}
command_is_recorded_as_typed() {
    run 0 "$PARIO" -n 2 pattern target -q -t 64k -b 1m --output r.json
    python3 -c 'import json
words = json.load(open("r.json"))["command"]
assert words == "pario -n 2 pattern target -q -t 64k -b 1m --output r.json".split(), words' ||
        fail "not the command that was typed"
}
unknown_option_suggests() {
    run 2 "$PARIO" quick --tiem 3s target
    says 'did you mean --time'
    nothing_left
}
unknown_keyword_names_line() {
    printf '# a comment\ntime 1s\nsiez 16M\n' >c.in
    run 2 "$PARIO" quick --config c.in target
    says 'c.in:3'
    says 'size'
    nothing_left
}
size_with_garbage_is_usage_error() {
    run 2 "$PARIO" quick --size 16Mx target
    says '16Mx'
    run 2 "$PARIO" quick --size -5 target
    run 2 "$PARIO" quick --time banana target
    says banana
    nothing_left
}
processes_must_be_a_number() {
    run 2 "$PARIO" -n zwei quick target
    says zwei
    run 2 "$PARIO" -n 0 quick target
}
directory_missing() {
    run 1 $P quick $SMALL target/nowhere
    says 'target/nowhere'
    says 'No such file|does not exist'
}
directory_is_a_file() {
    : >file
    run 1 $P quick $SMALL file
    says 'not a directory|is a file'
}
directory_read_only() {
    [ "$(id -u)" -eq 0 ] || skip "needs root to mount"
    mount -t tmpfs -o size=64m,ro tmpfs target 2>/dev/null || skip "no mount"
    mounted=$work/target
    run 1 $P quick $SMALL target
    says '[Rr]ead-only'
}
directory_not_writable() {
    chmod 0555 target
    [ "$(id -u)" -ne 0 ] || skip "root may write everywhere"
    run 1 $P quick $SMALL target
    says 'ermission'
}
directory_full_before() {
    [ "$(id -u)" -eq 0 ] || skip "needs root to mount"
    mount -t tmpfs -o size=8m tmpfs target 2>/dev/null || skip "no mount"
    mounted=$work/target
    run 1 $P quick $SMALL target
    says 'space|free'
    nothing_left
}
disk_full_in_the_middle() {
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=write,from=10,error=ENOSPC,path=/target/' \
        $P quick $SMALL -i posix target
    says 'No space left on device'
    says 'offset'
    valid_is r.json false
    nothing_left
}
result_exists_is_kept() {
    echo precious >r.json
    run 1 $P quick $SMALL -i posix target
    says 'r.json'
    says '--force'
    grep -q precious r.json || fail "the old result is gone"
    run 0 $P quick $SMALL -i posix --force --quiet target
    valid_is r.json true
}
quick_writes_valid_result() {
    run 0 $P quick $SMALL -i all --verbose target
    valid_is r.json true
    prints 'VALID'
    prints 'one shared file'
    [ "$(measures_of r.json)" -ge 48 ] || fail "too few measures"
    nothing_left
    run 0 "$PARIO" report r.json --format csv
    prints '^suite,.*bandwidth_mbps'
    run 0 "$PARIO" report r.json --format md
    prints '^\| *test'
}
# The first command everyone runs: at most 24 lines of 80 columns, the answer
# last, every question answered, and marked where it took less than a second.
quick_answers_in_few_lines() {
    run 0 $P quick --time 4s --size 16M --output r.json target
    valid_is r.json true
    [ "$(wc -l <out)" -le 24 ] || fail "$(wc -l <out) lines"
    [ "$(wc -L <out)" -le 80 ] || fail "$(wc -L <out) columns"
    tail -1 out | grep -q 'pario report r.json\|next: ' || fail "no last word"
    for words in 'large files .*write .*B/s.*read .*B/s' 'one shared file' \
        '4 KiB random .*IOPS.*p99' 'metadata .*create .*/s.*stat .*/s' \
        'limit' 'short: measured'; do
        says "$words"
    done
    if [ "$MPIIO" = 1 ]; then says 'collective .*write .*shipio .*gain'; fi
    if grep -n ' $' out; then fail "blanks at the end of a line"; fi
    python3 - <<'PY' || fail "measures"
import json
d = json.load(open('r.json'))
for m in d['measures']:
    assert ('short' in m['flags']) == (m['seconds'] < 1), m
    if m['access'] in ('read', 'write'):
        assert m['verify']['checked_bytes'] > 0 or m['test'] == 'random', m
    if m['test'] == 'metadata': # a case of the suite meta, in quick's words
        assert m['operations'] > 0 and m['access'] in ('create', 'stat'), m
        assert m['parameters'] == {'directory': 'per process'}, m
assert sum(m['test'] == 'metadata' for m in d['measures']) == 2
for name, flags in d['summary_flags'].items():
    assert 'short' in flags, name # 4 s for ten figures
assert d['view']['question'] and d['view']['answer']
PY
    nothing_left
}
# Both MPI-IO libraries write what they say they do, and a lost piece is found.
quick_checks_collective_pieces() {
    [ "$MPIIO" = 1 ] || skip "needs MPI-IO"
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=read,from=1,flip,at=4096,path=quick-3' \
        $P quick $SMALL --verify full target
    says 'wrong data, collective write'
    valid_is r.json false
    nothing_left
}
# The launcher's pipe must not turn one line into many.
progress_rewrites_one_line() {
    command -v script >/dev/null || skip "no script(1)"
    run 0 script -qec "$P quick $SMALL -i posix target" typescript
    python3 - <<'PY' || fail "progress: $(head -c 2000 typescript)"
import re
text = open('typescript', errors='replace', newline='').read()
lines = [l for l in text.split('\n') if 'file per process' in l and 'left' in l]
assert len(lines) == 1, len(lines)
assert lines[0].count('\r') > 10, 'it is not rewritten'
assert re.search(r'\[#+\.*\] ', lines[0]), 'no bar'
assert ' 0 s left' not in text
PY
}
interrupt_says_how_to_go_on() {
    $PARIO -n 2 quick --time 60s --size 16M --output r.json -i posix target >out 2>err </dev/null &
    run=$!
    for i in $(seq 600); do
        [ -e r.json ] && [ "$(measures_of r.json)" -ge 3 ] && break
        sleep 0.2
    done
    kill -INT $run
    wait $run
    says '^  [0-9]+ measures are kept in r.json'
    [ "$(grep -c 'pario: interrupted' err)" -eq 1 ] || fail "not once: $(cat err)"
    says 'go on with the same command and --resume r.json'
    nothing_left
}
quick_dry_run_creates_nothing() {
    run 0 $P quick $SMALL --dry-run target
    prints 'disk space'
    nothing_left
    [ ! -e r.json ] || fail "a dry run wrote a result"
}
quick_keep_keeps_files() {
    run 0 $P quick $SMALL -i posix --keep target
    says 'kept in'
    [ -n "$(ls -A target)" ] || fail "nothing was kept"
}
quick_resume_goes_on() {
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=open,from=9,error=EIO,path=/target/' \
        $P quick $SMALL -i posix target
    before=$(measures_of r.json)
    [ "$before" -gt 0 ] || fail "no result before the error"
    run 0 $P quick --time 1s --size 16M -i posix --resume r.json target
    valid_is r.json true
    [ "$(measures_of r.json)" -eq 48 ] || fail "not all measures after resume"
}
quick_direct_unaligned_interface() {
    [ "$MPIIO" = 1 ] || skip "needs MPI-IO"
    run 2 "$PARIO" quick $SMALL --direct -i mpiio target
    says 'O_DIRECT'
    nothing_left
}
samples_are_written() {
    run 0 $P quick $SMALL -i posix --samples s.out target
    grep -q 'blocksize 4096' s.out || fail "no block in the timings file"
    nothing_left
}
file_limit() {
    run 1 sh -c "ulimit -f 40000; exec $P quick --time 1s --size 64M --output r.json -i posix target"
    says 'File too large'
    nothing_left
}
eio_on_write() {
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=write,nth=7,error=EIO,path=/target/' \
        $P quick $SMALL -i posix target
    says 'Input/output error'
    valid_is r.json false
    nothing_left
}
eio_in_a_later_pass() { # one process fails, all come to the next pass
    [ "$MPI" = 1 ] || skip "needs MPI"
    # One request of 16 MiB is a pass: the third write is in the second pass of
    # the rewrite, however slow the machine is.
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=write,rank=1,nth=3,error=EIO,path=-quick-3' \
        $P quick --time 20s --size 16M --output r.json -i posix target
    says 'rank 1: cannot write .*Input/output error'
    valid_is r.json false
    nothing_left
}
eio_on_sync() {
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=fsync,nth=2,error=EIO,path=/target/' \
        $P quick $SMALL -i posix target
    says 'sync'
    valid_is r.json false
    nothing_left
}
short_write_is_continued() {
    run 0 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=write,short,every=3,path=/target/' \
        $P quick $SMALL -i posix --verify full target
    valid_is r.json true
    nothing_left
}
wrong_byte_is_found() {
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=read,nth=1,flip,at=4096,path=/target/' \
        $P quick $SMALL -i posix --verify full target
    says 'INVALID'
    says 'offset 4096'
    valid_is r.json false
    nothing_left
}
lost_first_write_is_found() { # and not covered by the rewrite
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=write,nth=1,drop,path=/target/' \
        $P quick $SMALL -i posix --verify full target
    # Or of the only write: on a busy machine there may be time for no more.
    says 'wrong data, shared_file write|success for data that was not written'
    valid_is r.json false
    nothing_left
}
flags_are_of_the_figure() {
    run 0 $P quick $SMALL -i posix target
    python3 - <<'PY' || fail "flags"
import json
d = json.load(open('r.json'))
for m in d['measures']:
    cache = {'disk': None, 'mixed': 'cache-mixed'}.get(m['cache'], 'cache-unknown' if m['cache'] == 'unknown' else 'cache')
    assert (cache in m['flags']) == (cache is not None), m
    assert ('short' in m['flags']) == m['short'] == (m['seconds'] < 0.1), m
assert set(d['summary_flags']) == set(d['summary'])
for name, value in d['summary'].items():
    interface, _, access, _ = name.split('_')
    of = [m for m in d['measures'] if m['access'] == access and m['bandwidth_mbps'] == value]
    flags = set(of[0]['flags']) | ({'short'} if of[0]['seconds'] < 1 else set())
    assert len(of) == 1 and flags == set(d['summary_flags'][name]), name
    # A short one leads only where there is no other, one below 1 s likewise.
    for least in (0.1, 1):
        long = [m for m in d['measures'] if m['access'] == access and m['seconds'] >= least]
        assert not (of[0]['seconds'] < least and long), name
assert len(d['workload']) == 16
PY
}
flags_stand_in_every_format() { # of a figure that one thing speaks against
    run 0 $P quick $SMALL -i posix target
    python3 - <<'PY'
import json
d = json.load(open('r.json'))
for i, name in enumerate(('old.json', 'new.json')):
    for m in d['measures']:
        m['flags'], m['short'], m['cache'], m['seconds'] = ['paused'], False, 'disk', 1.0
        m['bandwidth_mbps'] = 100.0 - 20 * i
    d['summary_flags'] = {k: ['paused'] for k in d['summary']}
    d['started_utc'] = '2026-01-0%dT00:00:00Z' % (i + 1)
    json.dump(d, open(name, 'w'))
PY
    for format in text md csv html prometheus; do
        run 0 $PARIO report new.json --format $format
        grep -q paused out || fail "report, $format"
    done
    for format in text md csv json junit html; do
        status=0
        $PARIO compare old.json -- new.json --format $format >out 2>err || status=$?
        [ $status -le 1 ] || fail "compare, $format: $(cat err)"
        grep -q paused out || fail "compare, $format"
    done
    grep -q '<svg.*' out || fail "no picture"
    sed -n '/<figure class="ranking"/,/<\/figure>/p' out | grep -q 'paused' || fail "the picture of compare"
    $PARIO compare old.json -- new.json >out 2>err || :
    grep -A3 'lowest ratio\|slower:' out | grep -q paused || fail "the worst of compare: $(cat out)"
    grep 'overall' out | grep -q paused || fail "the overall ratio: $(cat out)"
    # One of them alone: its line, and no other.
    python3 - <<'PY'
import json
for i, name in enumerate(('old.json', 'new.json')):
    d = json.load(open(name))
    for k, m in enumerate(d['measures']):
        m['flags'] = ['paused'] if k == 4 else []
        m['verify'] = {'checked_bytes': 1, 'errors': 0, 'off': False}
        m['bandwidth_mbps'] -= 22.3 if k == 4 else 0
        m['bytes'] = int(m['bandwidth_mbps'] * 1e6)
    d['summary_flags'] = {k: [] for k in d['summary']}
    json.dump(d, open('one-' + name, 'w'))
PY
    for format in text md csv; do
        run 0 $PARIO report one-new.json --format $format
        [ "$(grep -c 'paused' out)" -eq 1 ] || fail "report, $format: not one line"
        grep '57\.70*[ ,]' out | grep -q paused || fail "report, $format: not its line"
    done
    for format in md csv junit; do
        $PARIO compare one-old.json -- one-new.json --format $format >out 2>err || :
        [ "$(grep paused out | grep -vc 'overall\|lowest ratio')" -eq 1 ] || fail "compare, $format: not one line"
        grep paused out | grep -q 'rewrite, order sequential, request 64 KiB' || fail "compare, $format: not its line"
    done
    if $PARIO history --help >/dev/null 2>&1; then
        run 0 $PARIO history add -f h.db old.json new.json
        for format in text md csv; do
            run 0 $PARIO history trend -f h.db --format $format
            grep -q paused out || fail "history, $format: $(cat out)"
        done
    fi
}
# What a suite must say of its figures, for the engine cannot see it: that
# nothing made them durable, and that the places come in no order.
facts_of_every_suite_are_stated() {
    case $("$PARIO" --version) in *"Open MPI"*) ;; *) skip "the same in all trees" ;; esac
    [ "$MPIIO" = 1 ] || skip "needs MPI-IO"
    fact_of() { # FACT ACCESS... : of exactly these accesses of f.json
        python3 - "$@" <<'PY' || fail "$*: $(cat words)"
import json, sys
d = json.load(open('f.json'))
found = {m['access'] for m in d['measures'] if m.get(sys.argv[1])}
if found != set(sys.argv[2:]):
    sys.exit('%s of %s' % (sys.argv[1], sorted(found)))
PY
    }
    try() { # PROCESSES COMMAND...
        n=$1
        shift
        run 0 "$PARIO" $([ $n = 1 ] || echo "-n $n") "$@" --quiet --force --output f.json
        echo "$*" >words
    }
    try 1 pattern -w -r -t 4k -b 64k target
    fact_of unsynced write
    fact_of scattered
    try 1 pattern -w -r -e -t 512 -b 64k --order uniform target
    fact_of unsynced
    fact_of scattered write read
    printf 'data 64k\nrequest 512\nmethods posix\n[single_file]\npatterns write random_read_write\nsync none\n' >in
    try 1 prio in target
    fact_of unsynced write random_read_write
    fact_of scattered random_read_write
    try 1 meta --no-sync --files 4 -s 4k --ops stat -l own target
    fact_of unsynced create
    try 1 meta --files 4 -s 4k --ops stat -l own target
    fact_of unsynced
    try 1 nht app --class S --steps 5 --tc 1 --no-sync target
    fact_of unsynced write
    try 2 shipbench --partitions 2 --repetitions 1 --scale 0.01 --tests discontiguous target
    fact_of unsynced rewrite
    try 1 quick --time 1s --size 16M -i posix target
    python3 -c "
import json
m = json.load(open('f.json'))['measures']
assert {x['parameters']['order'] for x in m if x.get('scattered')} == {'random'}" || fail "quick"
    printf 'timingsfilename iot.out\nclassname Kernel\ntestname nonseq\nfilename target/iot\npreallocate false\nfilesize 1\nnumblocksize 1\nblocksize 0.001\nnumupdate 1\nupdate_frac 0.5\n' >in
    try 1 iot in
    fact_of scattered read update
    try 1 beffio --fit -T 2s --mpart 2M --extra random target
    python3 -c "
import json
m = json.load(open('f.json'))['measures']
assert {x['test'] for x in m if x.get('scattered')} == {'type5'}" || fail "beffio"
    mkdir target/t
    for how in '' conv=fsync; do
        run 0 "$PARIO" record --force --output t --below target/t -- dd if=/dev/zero of=target/t/f bs=4k count=4 $how
        try 1 replay t target
        fact_of unsynced $([ -n "$how" ] || echo write)
    done
}
uring_keeps_its_time() { # latencies of a queue overlap: their sum is no time
    $PARIO list | grep -q uring || skip "no io_uring here"
    begin=$(date +%s)
    run 0 $P quick --time 2s --size 16M --output r.json -i uring target
    end=$(date +%s)
    [ $((end - begin)) -le 30 ] || fail "2 s took $((end - begin)) s"
}
ways_to_a_wrong_number_have_tests() { # the table of docs/measuring.md
    case $("$PARIO" --version) in *"Open MPI"*) ;; *) skip "some tests are of one tree" ;; esac
    [ "$MPIIO" = 1 ] || skip "needs MPI-IO"
    ctest --test-dir "$(dirname "$PARIO")/.." -N >tests
    sed -n '/^## 22 ways/,/^## [^2]/p' "$TESTS/../docs/measuring.md" >table
    [ "$(grep -c '^| ' table)" -eq 23 ] || fail "not 22 ways and a heading"
    grep -oE '`(cli|unit|beffio|iot|nht|prio|shipbench|report|truth|record|pattern|meta)\.[a-zA-Z0-9_.-]+`' table | tr -d '`' | sort -u >names
    [ -s names ] || fail "no names"
    while read -r name; do
        grep -q " $name\$" tests || fail "no test $name"
    done <names
}
surroundings_are_reported() {
    cores=$(nproc)
    [ "$MPI" = 1 ] || skip "needs MPI"
    run 0 $PARIO -n $((cores + 1)) quick --time 1s --size 16M --output r.json -i posix target
    says "! $((cores + 1)) processes share $cores core"
    python3 -c "import json; s = json.load(open('r.json'))['surroundings']; assert 'share' in s['before'][0] and 'during' in s" || fail "surroundings"
    timeout -k 5 60 $PARIO -n $((cores + 1)) doctor target >out 2>err </dev/null
    says "$((cores + 1)) processes share $cores core"
    # A plan is not disturbed by anybody.
    run 0 $PARIO -n $((cores + 1)) quick --dry-run target
    ! grep -q 'share' err || fail "a plan was warned of its surroundings"
    # A suite that starts jobs looks, too: at what they will have.
    [ "$MPIIO" = 1 ] || return 0
    run 0 $PARIO honesty --quiet --mpiio shipio --processes $((cores + 1)) --cases control-write_all --output h.json target
    python3 -c "import json; s = json.load(open('h.json'))['surroundings']; assert 'share' in s['before'][0] and 'during' in s" || fail "surroundings of a suite with jobs"
}
bound_processes_are_reported() {
    [ "$(nproc)" -gt 1 ] || skip "one core"
    command -v taskset >/dev/null || skip "no taskset"
    run 0 env OMPI_MCA_hwloc_base_binding_policy=none taskset -c 0 $PARIO -n 2 quick --time 1s --size 16M --output r.json -i posix target
    grep -q '2 processes of a node are bound to 1 of its' r.json || fail "not warned: $(grep -A9 '"warnings"' r.json)"
    run 0 $PARIO -n 2 quick --time 1s --size 16M --output r2.json -i posix target
    ! grep -q 'are bound to' r2.json || fail "warned of nothing"
    run 0 env OMPI_MCA_hwloc_base_binding_policy=none taskset -c 0 $PARIO -n 2 doctor target
    tr -s '\n ' ' ' <out | grep -q '2 processes of a node are bound to 1 of its' || fail "doctor does not say it"
    # A suite that starts jobs: only they know it.
    [ "$MPIIO" = 1 ] || return 0
    run 0 env OMPI_MCA_hwloc_base_binding_policy=none taskset -c 0 $PARIO -n 2 tune --mpiio shipio --rounds 1 --size 64k --pass 1ms --access write --quiet --output t.json target
    grep -q '2 processes of a node are bound to 1 of its' err || fail "tune was not warned: $(grep -A9 '"warnings"' t.json)"
}
setup_does_not_wait_for_npm() { # a packet filter answers nothing, each make asks
    mkdir -p tree/script tree/web bin
    cp "$TESTS/../script/setup" tree/script/
    printf '#!/bin/sh\necho "install ok installed"\n' >bin/dpkg-query
    printf '#!/bin/sh\necho "$*" >>"%s/asked"\nmkdir -p node_modules/uplot\nexit 1\n' "$work" >bin/npm
    chmod +x bin/*
    for time in 1 2; do # the folder that npm leaves empty is no uPlot
        PATH=$work/bin:$PATH run 0 tree/script/setup
        grep -q 'could not fetch uPlot' err || fail "not told, time $time"
    done
    [ "$(grep -c -- --fetch-retries=0 asked)" -eq 2 ] || fail "npm was asked: $(cat asked)"
    mkdir tree/web/uplot # the release tarball has it
    : >tree/web/uplot/uPlot.iife.min.js
    PATH=$work/bin:$PATH run 0 tree/script/setup
    [ "$(wc -l <asked)" -eq 2 ] && [ ! -s err ] || fail "npm was asked for what is there"
}
crowds_are_questioned() {
    many=$(($(nproc) * 33))
    PARIO_MPIRUN=echo run 0 $PARIO -n $many doctor
    grep -q "$many processes on the $(nproc) core" err || fail "not warned"
    PARIO_MPIRUN=echo SLURM_JOB_ID=1 run 0 $PARIO -n $many doctor
    ! grep -q 'of this machine' err || fail "warned inside a job"
}
uneven_nodes_are_reported() {
    # MPICH can pretend: even and odd ranks on a node each.
    case $("$PARIO" --version) in *MPICH*) ;; *) skip "needs MPICH" ;; esac
    run 0 env MPIR_CVAR_ODD_EVEN_CLIQUES=1 $PARIO -n 3 quick --time 1s --size 16M --output r.json -i posix target
    says 'the nodes have from 1 to 2 processes'
    run 0 env MPIR_CVAR_ODD_EVEN_CLIQUES=1 $PARIO -n 2 quick --time 1s --size 16M --output r2.json -i posix target
    ! grep -q 'the nodes have from' err || fail "even nodes were called uneven"
    timeout -k 5 60 env MPIR_CVAR_ODD_EVEN_CLIQUES=1 $PARIO -n 3 doctor target >out 2>err </dev/null
    tr -s '\n ' ' ' <out | grep -q 'the nodes have from 1 to 2 processes' || fail "doctor does not say it"
}
other_traffic_is_reported() {
    dir=$(mktemp -d "${XDG_CACHE_HOME:-/var/tmp}/pario-case.XXXXXX")
    case $(stat -f -c %T "$dir") in tmpfs | overlayfs | unknown) rm -rf "$dir"; skip "no disk here" ;; esac
    (while :; do dd if=/dev/zero of="$dir/other" bs=1M count=128 conv=fsync 2>/dev/null; done) &
    other=$!
    run 0 $P quick --time 4s --size 16M --output r.json -i posix "$dir"
    kill $other 2>/dev/null
    wait $other 2>/dev/null
    grep -q 'others wrote .* beside this run' r.json || fail "the other program was not noticed"
    # A short run, and little more than it moves itself: 40 MiB beside 16.
    printf 'data 8M\nrequest 1M\nmethods posix\npatterns write\n[single_file]\nthink 150ms\n' >w
    (until ls "$dir"/pario-*/* >/dev/null 2>&1; do sleep 0.05; done
        exec dd if=/dev/zero of="$dir/other" bs=1M count=40 oflag=direct 2>/dev/null) &
    other=$!
    run 0 $P prio w "$dir" --force --output r.json
    kill $other 2>/dev/null
    wait $other 2>/dev/null
    rm -rf "$dir"
    grep -q 'others wrote .* beside this run' r.json || fail "a neighbour of a short run was not noticed"
}
# In the first of several directories, too.
other_traffic_on_the_first_directory_is_reported() {
    [ -w /dev/shm ] || skip "no /dev/shm"
    dir=$(mktemp -d "${XDG_CACHE_HOME:-/var/tmp}/pario-case.XXXXXX")
    case $(stat -f -c %T "$dir") in tmpfs | overlayfs | unknown) rm -rf "$dir"; skip "no disk here" ;; esac
    memory=$(mktemp -d /dev/shm/pario-case.XXXXXX)
    printf 'data 4M\nrequest 64k\nmethods posix\npatterns write\n[single_file]\ntime 2s\n' >w
    (while :; do dd if=/dev/zero of="$dir/other" bs=1M count=128 conv=fsync 2>/dev/null; done) &
    other=$!
    run 0 $P prio w "$dir" "$memory" --output r.json
    kill $other 2>/dev/null
    wait $other 2>/dev/null
    rm -rf "$dir" "$memory"
    grep -q 'others wrote .* beside this run' r.json || fail "the other program was not noticed"
}
# Looked at for a moment only: until it comes.
other_traffic_before_is_reported() {
    dir=$(mktemp -d "${XDG_CACHE_HOME:-/var/tmp}/pario-case.XXXXXX")
    case $(stat -f -c %T "$dir") in tmpfs | overlayfs | unknown) rm -rf "$dir"; skip "no disk here" ;; esac
    dd if=/dev/zero of="$dir/other" bs=1M count=16 oflag=direct 2>/dev/null ||
        { rm -rf "$dir"; skip "no O_DIRECT here"; }
    (while :; do dd if=/dev/zero of="$dir/other" bs=1M count=64 oflag=direct conv=notrunc 2>/dev/null; done) &
    other=$!
    seen=0
    for i in $(seq 50); do
        rm -f r.json
        run 0 $PARIO pattern -b 4k -t 4k --output r.json -q "$dir"
        python3 -c 'import json, sys
d = json.load(open("r.json"))
sys.exit(not any(" before this run" in t for t in d["surroundings"]["before"]))' && seen=1 && break
    done
    kill $other 2>/dev/null
    wait $other 2>/dev/null
    rm -rf "$dir"
    [ $seen = 1 ] || fail "the other program was not noticed"
}
rank_killed_keeps_results() {
    [ "$MPI" = 1 ] || skip "needs MPI"
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=open,rank=1,nth=8,kill,path=/target/' \
        $P quick $SMALL -i posix --samples s.out target
    valid_is r.json false
    [ "$(measures_of r.json)" -gt 0 ] || fail "no results left"
    nothing_left
}
# Nobody reads what the watchdog has to say: the process ends nevertheless.
watchdog_is_not_kept_by_its_words() {
    mkfifo words
    exec 8<>words
    env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=write,delay=90000,path=/target/' \
        timeout -k 5 80 $PARIO quick --time 1s --size 16M --deadline 3 \
        -i posix --quiet --output r.json target >out 2>words 8<&- </dev/null &
    pid=$!
    i=0
    while [ $i -lt 400 ] && [ -z "$(find target -type f)" ]; do
        i=$((i + 1)); sleep 0.05
    done
    # No room for another word.
    for size in 4096 1; do
        dd if=/dev/zero of=words bs=$size count=65536 oflag=nonblock 2>/dev/null
    done
    wait $pid
    status=$?
    exec 8<&-
    [ $status -eq 1 ] || [ $status -eq 142 ] || fail "status $status"
    i=0 # the janitor writes it, by and by
    while ! grep -q 'deadline of this phase has passed' r.json; do
        i=$((i + 1)); sleep 0.1
        [ $i -lt 300 ] || fail "the result does not say why"
    done
    nothing_left
}
interrupt_removes_files() {
    env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=write,delay=2,path=/target/' \
        $P quick --time 30s --size 16M --output r.json -i posix target \
        >out 2>err </dev/null &
    pid=$!
    has_measures() { [ "$(measures_of r.json 2>/dev/null || echo 0)" -gt 0 ]; }
    eventually has_measures
    kill -INT $pid
    wait $pid
    status=$?
    [ $status -eq 130 ] || fail "status $status instead of 130"
    valid_is r.json false
    nothing_left
}
full_disk_collective() {
    [ "$MPIIO" = 1 ] || skip "needs MPI-IO"
    begin=$(date +%s)
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=write,rank=1,from=10,error=ENOSPC,path=/target/' \
        $P quick $SMALL -i mpiio target
    end=$(date +%s)
    [ $((end - begin)) -le 30 ] || fail "took $((end - begin)) s"
    valid_is r.json false
    nothing_left
}
hang_is_ended() {
    [ "$MPI" = 1 ] || skip "needs MPI"
    run 1 env "LD_PRELOAD=$FAULT" 'PARIO_FAULT=op=write,rank=1,nth=10,stop,path=/target/' \
        $P quick $SMALL -i posix --deadline 3s target
    says 'watchdog'
    says 'rank 1: '
    valid_is r.json false
    # The stopped process cannot be ended by a polite signal.
    nothing_left
}

"$1"
