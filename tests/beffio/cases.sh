#!/bin/sh
# One end-to-end case of b_eff_io: cases.sh NAME.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib.sh"

# Small: T of 2 s, M_PART of 2 MiB.
B="beffio --verbose -T 2 --mpart 2M --output r.json"
count() { # JSON expression over the document d
    python3 -c "
import json, sys
d = json.load(open('r.json'))
print($1)"
}

# With --verify full any write that is lost, and not covered by the rewrite.
# Type 1 has shared pointers, type 0 collective calls, type 3 others.
lost_first_write_is_found() {
    rule='op=write,drop,path=-type'
    run 1 env "LD_PRELOAD=$FAULT" \
        "PARIO_FAULT=${rule}0,nth=5;${rule}1,nth=5;${rule}3,nth=5,rank=1" \
        $P $B --verify full target
    for type in 0 1 3; do
        says "wrong data, type$type write"
    done
    valid_is r.json false
    nothing_left
}

all_patterns_are_measured() {
    run 0 $P $B target
    valid_is r.json true
    prints 'b_eff_io .*= *[0-9.]+ MB/s +preliminary'
    n=$(count "sum('pattern' in m and m['access'] == 'write' for m in d['measures'])")
    [ "$n" -eq 36 ] || fail "$n write patterns instead of 36"
    n=$(count "sum('pattern' in m and m['access'] == 'read' for m in d['measures'])")
    [ "$n" -eq 36 ] || fail "$n read patterns instead of 36"
    n=$(count "sum('pattern' in m and m['access'] == 'rewrite' for m in d['measures'])")
    [ "$n" -eq 8 ] || fail "$n rewrite patterns instead of 8"
    [ "$(count "d['summary']['b_eff_io_mbps'] > 0")" = True ] || fail "no value"
    [ "$(count "d['summary']['official']")" = False ] || fail "official in 2 s"
    [ "$(count "all(m['verify']['checked_bytes'] > 0 for m in d['measures'] if m['access'] == 'read' and 'pattern' in m)")" = True ] ||
        fail "a read was not checked"
    nothing_left
}
original_options_are_understood() {
    link=$(dirname "$PARIO")/b_eff_io
    [ -e "$link" ] || fail "no link $link"
    run 0 "$link" -MB 64 -MT 64 -N 1 -T 2 -p target -f out -noshared -rewrite \
        --output=r.json --verbose
    valid_is r.json true
    prints 'no-shared=yes'
    [ -s out.sum ] || fail "no out.sum"
    [ "$(count "d['summary']['m_part_bytes']")" = 2097152 ] || fail M_PART
    # A memory that was given by hand changes M_PART: not by the rules.
    [ "$(count "any('M_PART as the memory gives it' in w for w in d['warnings'])")" = True ] ||
        fail "a changed M_PART passes for the rules': $(count "d['warnings']")"
    run 2 "$link" -noshard
    says 'noshared'
    nothing_left
}
release_1_and_partitions() {
    run 0 $P $B --release 1 --partitions 1,2 target
    valid_is r.json true
    n=$(count "sum('pattern' in m and m['access'] == 'rewrite' for m in d['measures'])")
    [ "$n" -eq 72 ] || fail "$n rewrites instead of 2 x 36"
    prints 'b_eff_io of the system'
    value=$(count "d['summary']['b_eff_io_mbps'] == max(d['summary']['np1_b_eff_io_mbps'], d['summary']['np2_b_eff_io_mbps'])")
    [ "$value" = True ] || fail "not the maximum over the partitions"
    # Each partition is done with before the next: they do not share a cache's
    # worth of data.
    value=$(count "(lambda b: abs(b('write') / b('read') - d['summary']['write_bytes_over_cache'] /
        d['summary']['read_bytes_over_cache']) < 1e-6)(lambda a: min(sum(m['bytes'] for m in d['measures']
        if m['test'].endswith('_total') and m['access'] == a and m['partition'] == p) for p in (1, 2)))")
    [ "$value" = True ] || fail "the cache rule adds partitions up"
    nothing_left
}
every_read_is_checked() {
    run 0 $P $B --verify full --no-shared target
    [ "$(count "any('shared file pointers in type 1' in w for w in d['warnings'])")" = True ] ||
        fail "it could be official without shared pointers"
    [ "$(count "all(m['verify']['checked_bytes'] == m['bytes'] for m in d['measures'] if m['access'] == 'read' and 'pattern' in m)")" = True ] ||
        fail "not every byte was checked"
}
extra_types_are_beside_the_value() {
    run 0 $P $B --extra random,same-data --verify full target
    valid_is r.json true
    prints 'beside the value: read +type 5 random'
    prints 'beside the value: read +type 6 same-data'
    [ "$(count "any(m['test'] == 'type6' and m['access'] == 'read' and m['verify']['checked_bytes'] > 0 for m in d['measures'])")" = True ] || fail "type 6 unchecked"
}
hints_are_applied_and_reported() {
    printf 'cb_buffer_size 8388608\n[type 0 chunk 1k]\nromio_cb_write disable\n' >h
    run 0 $P $B --hints h target
    valid_is r.json true
    [ "$(count "d['hints_requested']['h']['cb_buffer_size']")" = 8388608 ] ||
        fail "the request is not in the result"
    [ "$(count "[v for k, v in d['hints_in_force'].items() if k.startswith('type0 write')][0].get('cb_buffer_size')")" = 8388608 ] ||
        fail "the hint is not in force"
    [ "$(count "any(k.startswith('chunk 1 KiB: ') for k in [v for k, v in d['hints_in_force'].items() if k.startswith('type0 write')][0])")" = True ] ||
        fail "the hints of a chunk size are not reported"
    # OMPIO repeats ROMIO's hints and does not act on them.
    case $("$PARIO" --version) in *"Open MPI"*)
        [ "$(count "[v for k, v in d['hints_in_force'].items() if k.startswith('type0 write')][0]['chunk 1 KiB: romio_cb_write']")" != disable ] ||
            fail "a hint of another library is in force" ;;
    esac
}
compare_hints_prints_sets() {
    echo 'romio_cb_write enable' >a.hints
    run 0 $P $B compare-hints defaults a.hints target
    prints '^  a.hints +[0-9.]+ [kMG]B/s'
    prints '^  defaults +[0-9.]+ [kMG]B/s'
    says '[0-9.]+ x'
    says 'one repetition each'
    prints 'hints a.hints'
    prints 'b_eff_io .*defaults\)'
    prints 'b_eff_io .*a.hints\)'
    [ "$(count "'hints_a.hints_mbps' in d['summary']")" = True ] || fail summary
    nothing_left
}
# Both sets are in every output, each under its name; a spreadsheet
# takes none for a formula.
compare_hints_keeps_sets_apart() {
    echo 'romio_cb_write enable' >=a.hints
    run 0 $P $B --prefix out --export csv:e.csv compare-hints defaults =a.hints target
    n=$(python3 -c "
import csv, collections
rows = list(csv.DictReader(open('e.csv')))
sets = collections.Counter(r['hints'] for r in rows)
places = {(r['hints'], r['access'], r['type'], r['l_bytes'], r['chunks_in_L']) for r in rows}
print(dict(sets) == {'defaults': 80, '\'=a.hints': 80} and len(places) == 160)")
    [ "$n" = True ] || fail "e.csv: $(cut -d, -f1-4 e.csv | sort | uniq -c | head)"
    if command -v gnuplot >/dev/null; then
        for f in out-defaults-write.svg out-=a.hints-write.svg out-=a.hints-read.png; do
            [ -s "$f" ] || fail "$f is missing: $(ls)"
        done
        grep -q 'hints =a.hints' out-=a.hints-write.svg || fail "the set is not in its title"
        ! cmp -s out-defaults-read.svg out-=a.hints-read.svg || fail "two sets, one picture"
    fi
    # Files of one name in two folders are two sets.
    mkdir other
    cp =a.hints other
    run 0 $P $B --force --prefix two --export skampi:e.ski compare-hints other/=a.hints =a.hints target
    prints '^  other/=a.hints +[0-9.]+ [kMG]B/s'
    prints '^  =a.hints +[0-9.]+ [kMG]B/s'
    if command -v gnuplot >/dev/null; then
        grep -q 'hints other/=a.hints' two-=a.hints-write.svg || fail "the first set: $(ls)"
        grep -q 'hints =a.hints' two-=a.hints-2-write.svg || fail "the second set: $(ls)"
    fi
    [ -z "$(sed -n 's/^begin result //p' e.ski | sort | uniq -d)" ] ||
        fail "two blocks of one name: $(grep begin e.ski | sort | uniq -d | head -2)"
    grep -q '^begin result "b_eff_io read scatter np[0-9]*-=a.hints"' e.ski || fail "=a.hints is missing"
}
# SKaMPI's form: framed blocks with a line for each chunk size, as measured.
skampi_has_what_was_measured() {
    run 0 $P $B --export skampi:e.ski target
    is=$(python3 -c "
import json, re
d = json.load(open('r.json'))
want = {}
for m in d['measures']:
    p = m.get('pattern')
    if p and p['L_bytes'] != 2 * p['l_bytes'] or p and m.get('m_part'):
        want.setdefault((m['access'], p['type']), []).append((p['l_bytes'], m['bandwidth_mbps']))
names = ['scatter', 'shared', 'separate', 'segmented', 'seg-coll']
text = open('e.ski').read()
blocks = re.findall(r'/\*@b_eff_io_(\w+)_([\w-]+)-np\d+\.ski\*/\nbegin result \"b_eff_io \1 \2 np\d+\"\n((?:l= \d+ [\d.]+\n)*)end result\n', text)
have = {(a, names.index(t)): sorted((int(l.split()[1]), float(l.split()[2])) for l in body.splitlines()) for a, t, body in blocks}
ok = len(have) == 11 and all(len(have[k]) == len(v) and all(x == u and abs(y - w) < 1e-5 + 1e-6 * w for (x, y), (u, w) in zip(have[k], sorted(v))) for k, v in want.items())
print(ok)")
    [ "$is" = True ] || fail "$(head -20 e.ski)"
}
short_patterns_are_marked() {
    run 0 $P $B target
    # 10 ms for a pattern of U = 1: its cells say so, in table and CSV.
    prints '^(1|32) [KM]iB .* (write|read) .*[0-9][c~?]*s'
    prints 's: took less than 0.1 s'
    [ "$(count "all(('short' in m['flags']) == (m['seconds'] < 0.1) for m in d['measures'])")" = True ] || fail flags
}
partition_given_twice_is_measured_twice() {
    run 0 $P $B --partitions 1,1 target
    valid_is r.json true
    n=$(count "sum('pattern' in m and m['access'] == 'write' for m in d['measures'])")
    [ "$n" -eq 72 ] || fail "$n write patterns instead of 2 x 36"
    [ "$(count "{m['parameters']['repetition'] for m in d['measures']}")" = '{1, 2}' ] || fail "not told apart"
    prints 'np 1, repetition 1\)'
    prints 'np 1, repetition 2\)'
    prints 'np1_b_eff_io: maximum [0-9.]+, median [0-9.]+ \([0-9.]+ .. [0-9.]+\) MB/s of 2 repetitions'
}
repeated_value_is_the_maximum() {
    run 0 $P $B --repeat 3 target
    valid_is r.json true
    [ "$(count "d['summary']['repetitions']")" = 3 ] || fail "not three"
    [ "$(count "d['summary']['b_eff_io_mbps'] >= d['summary']['np' + str(d['summary']['partition']) + '_b_eff_io_median_mbps'] > 0")" = True ] || fail "not the maximum"
    # Judged from the totals: writing average of six, reading with scatter twice.
    value=$(count "max(round(__import__('math').sqrt(
 sum(m['bandwidth_mbps'] for m in d['measures'] if m['parameters']['repetition'] == r and m['test'].endswith('_total') and m['access'] != 'read') / 6 *
 sum(m['bandwidth_mbps'] * (2 if m['test'] == 'type0_total' else 1) for m in d['measures'] if m['parameters']['repetition'] == r and m['test'].endswith('_total') and m['access'] == 'read') / 6), 3) for r in (1, 2, 3)) == round(d['summary']['b_eff_io_mbps'], 3)")
    [ "$value" = True ] || fail "another value than the measures give"
    run 2 $P $B --force --repeat 100 target
    nothing_left
}
segments_beyond_8_gib() {
    run 0 $P $B --segment 9G target
    valid_is r.json true
    [ "$(count "d['summary']['segment_bytes'] >= 9 << 30")" = True ] || fail segment
}
short_time_says_minimum() {
    run 2 $P beffio -T 0.5 target
    says 'minimum is 1 s'
    nothing_left
}
partition_too_large() {
    run 2 $P $B --partitions 2,64 target
    says '64 processes does not fit'
    nothing_left
}
hints_file_errors_name_line() {
    printf 'cb_nodes 2\n[type 7]\ncb_nodes 3\n' >h
    run 2 $P $B --hints h target
    says 'h:3'
    printf 'cb_nodez 2\n' >h
    run 2 $P $B --hints h target
    says 'h:1'; says 'did you mean cb_nodes'
    nothing_left
}
disk_too_small_is_said_first() {
    [ "$(id -u)" -eq 0 ] || skip "needs root to mount"
    mount -t tmpfs -o size=256m tmpfs target 2>/dev/null || skip "no mount"
    mounted=$work/target
    run 1 $P beffio -T 900 --mpart 2M --output r.json target
    says 'disk is too small'; says '--fit'
    ! grep -q 'T of at most 0\|below 0' err || fail "a T of nothing: $(cat err)"
    nothing_left
    run 0 $P beffio -T 3 --mpart 2M --fit --output f.json target
    nothing_left
}
full_disk_keeps_what_was_measured() {
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,from=4,error=ENOSPC,path=type2;op=write,error=ENOSPC,path=type3;op=write,error=ENOSPC,path=type4' \
        $P $B target
    valid_is r.json false
    says 'INVALID'
    [ "$(count "sum(m.get('error') is None for m in d['measures']) > 15")" = True ] || fail "measures are lost"
    nothing_left
}
wrong_byte_makes_invalid() {
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=read,nth=3,flip,path=type2' $P $B --verify full target
    valid_is r.json false
    prints 'INVALID'
    says 'wrong data|offset'
    nothing_left
}
one_rank_fails_in_one_pattern() {
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,rank=0,nth=3,error=EIO,path=type3' $P $B target
    valid_is r.json false
    n=$(count "sum(m.get('error') is not None and 'pattern' in m for m in d['measures'])")
    [ "$n" -ge 1 ] || fail "no pattern failed"
    n=$(count "sum(m['test'] == 'type4' and m.get('error') is None for m in d['measures'])")
    [ "$n" -ge 7 ] || fail "the types after it were not measured"
    nothing_left
}
first_call_fails_on_one_rank() {
    begin=$(date +%s)
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,rank=0,nth=3,error=EIO,path=type2' $P $B target
    says 'type 2 write'
    prints 'INVALID'
    n=$(count "sum(m['test'] == 'type4' and m['access'] == 'read' and m.get('error') is None for m in d['measures'])")
    [ "$n" -ge 7 ] || fail "the reads after it were not measured"
    nothing_left
}
lost_rewrite_is_found() {
    # The write of these bytes succeeds, the rewrite is lost; OMPIO reports
    # success all the same.
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,at=3000000,from=2,error=EIO,path=type0' \
        $P $B --verify full target
    valid_is r.json false
    nothing_left
}
impossible_input_is_refused() {
    run 2 $P $B --mpart 4 target
    says 'mpart'
    run 2 $P $B nonsense target
    says 'one directory'
    run 2 $P $B --export foo:x target
    says 'skampi:FILE'
    : >out.sum
    run 1 $P $B --prefix out target
    says 'out.sum'
    printf '[beffio]\ntime 2\n[nonsense]\nx 1\n' >c
    run 2 $P $B --config c target
    says 'c:4'
    run 2 $P $B compare-hints defaults defaults target
    says 'twice'
    nothing_left
    [ ! -e r.json ] || fail "a result of nothing"
}
resume_is_refused() {
    run 0 $P $B target
    cp r.json before
    run 2 $P beffio -T 2 --resume r.json target
    says 'cannot be resumed'
    cmp r.json before || fail "the document was changed"
}
partition_waits_patiently() {
    [ "$MPI" = 1 ] || skip "needs MPI"
    : >a
    run 0 $P beffio -T 4 --mpart 2M --output r.json --partitions 1 \
        --deadline 3s compare-hints defaults a target
    valid_is r.json true
}
files_and_diagrams() {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    run 0 $P $B --prefix out --export csv:e.csv target
    for f in out.sum out-write.png out-write.svg out-read.png out-rewrite.svg; do
        [ -s "$f" ] || fail "$f is missing"
    done
    # The report's figures, with its units and marks; the run is over for them.
    grep -q '1 KiB' out-write.svg || fail "no KiB"
    grep -q 'kB\|kiB' out-write.svg && fail "other units than the report's"
    grep -q 'Marked with a ring.*preliminary' out-write.svg || fail "no marks"
    grep -q 'run-invalid' out-write.svg && fail "an unfinished run"
    [ "$(wc -l <e.csv)" -eq 81 ] || fail "e.csv has $(wc -l <e.csv) lines"
}

"$1"
