#!/bin/sh
# Mixes, think time, windows, several directories, resume, the link.
. "$(dirname "$0")/lib.sh"

cat >mix.prio <<'WORKLOAD'
methods posix
[single_file readers]
data 64k
request 4k
patterns random_read_write
ratio 1:0
[single_file writers]
data 64k
request 16k
patterns write
[mix]
readers 50%
writers rest
time 0.3s
WORKLOAD
prio 2 mix.prio target --verify full -q -o mix.json
check mix.json "d['valid'] and len(m) == 2 and
    of(section='readers')[0]['written_bytes'] == 0 and
    of(section='writers')[0]['written_bytes'] > 0"
# Both ran for the time, and so at the same time.
check mix.json "all(0.3 <= x['seconds'] < 5 and x['partition'] == 1 and
    x['operations'] > 16 for x in of(mix='mix', section='readers'))"
check mix.json "'priomark_total_mbps' in s and
    s['priomark_total_mbps'] is None"

# 8 requests of 10 ms of thinking each: at least 80 ms of wall clock, none of
# them in the samples. The memory holds a quarter of the data: four windows.
cat >think.prio <<'WORKLOAD'
memory 16k
[single_file]
data 64k
request 8k
patterns read_write
methods posix
think 10ms
WORKLOAD
mkdir other
prio 2 think.prio target other --verify full -q -o think.json
check think.json "len(m) == 2 and all(x['wall_s'] >= 0.08 and
    x['wall_s'] - x['seconds'] >= 0.08 and x['operations'] == 16 and
    x['verify']['checked_bytes'] >= 65536 for x in m)"
check think.json "[x['directory'] for x in d['prio_directories']] ==
    ['target', 'other'] and 'directory2_priomark_total_mbps' in s"
[ -z "$(find target other -mindepth 1)" ] || fail "files are left"
# Each directory's own file system; the headline's is the first one's.
if mkdir /dev/shm/prio-test.$$ 2>/dev/null; then
    undo="rm -rf /dev/shm/prio-test.$$"
    prio 1 think.prio target /dev/shm/prio-test.$$ -q -o two.json
    check two.json "[x['filesystem'] for x in d['prio_directories']] ==
        [d['system']['filesystem'], 'tmpfs'] and
        [x['filesystem_details']['target'] for x in d['prio_directories']] ==
        ['target', '/dev/shm/prio-test.$$'] and
        d['system']['filesystem_details']['target'] == 'target'"
fi
# All directories are looked at before the first is measured.
status=0
prio 2 think.prio target none -q -o none.json 2>err || status=$?
[ "$status" -ne 0 ] || fail "a directory that is not there was taken"
grep -q 'none does not exist' err || fail "no message: $(cat err)"
[ ! -e none.json ] || fail "the first directory was measured"

# Two sections of 64k lie side by side with --keep.
printf '[single_file a]\ndata 64k\n[single_file b]\ndata 64k\n' >keep.prio
prio 2 --explain keep.prio target >text
grep -q 'needed in each: 128 KiB' text || fail "space: $(cat text)"
prio 2 --explain --keep keep.prio target >text
grep -q 'needed in each: 256 KiB' text || fail "space with --keep: $(cat text)"

# The first pass comes from the disk, hundreds of others from the cache.
cat >again.prio <<'WORKLOAD'
[single_file]
data 128k
request 16k
patterns read_write
ratio 1:0
methods posix
time 0.3s
WORKLOAD
prio 2 again.prio target --cold -q -o again.json
check again.json "all(x['bytes'] > 5 << 20 and x['cache'] == 'cache' for x in m)"

# Resumed: nothing is measured again, and the total is the same.
before=$(grep -c '"seconds"' think.json)
cp think.json old.json
prio 2 think.prio target other --verify full -q --resume think.json
[ "$(grep -c '"seconds"' think.json)" -eq "$before" ] || fail "measured again"
python3 - <<'PYTHON' || fail "the total differs after resuming"
import json, sys
a, b = (json.load(open(f))["summary"] for f in ("old.json", "think.json"))
sys.exit(a != b)
PYTHON

# Another workload is no way to go on; the document stays as it was.
sed 's/8k/4k/' think.prio >other.prio
cp think.json old.json
status=0
prio 2 other.prio target other --verify full -q --resume think.json 2>err ||
    status=$?
[ "$status" -eq 2 ] || fail "resumed with another workload: $status $(cat err)"
grep -q workload err || fail "no reason: $(cat err)"
cmp -s old.json think.json || fail "a refused --resume changed the document"
check think.json "d['options']['workload'].startswith('text with the hash ')"

# The name that users of the original know; figure 3's layout.
"$(dirname "$PARIO")/priomark" think.prio target other -v -o link.json >table 2>/dev/null ||
    fail "the link priomark does not work"
grep -qE '^processes +target +other' table || fail "no figure 3: $(cat table)"

# Sizes are cases of their own: each has its line of the answer.
cat >answer.prio <<END
[single_file s]
methods posix
patterns write
data 64k, 1M
request 4k
repetitions 2
answer commits
END
prio 2 answer.prio target -q -o answer.json || fail "answer.prio: $?"
check answer.json "[a['label'] for a in d['view']['answer']] == ['commits: data 64 KiB', 'commits: data 1 MiB'] and all('note' not in a for a in d['view']['answer'])"
check answer.json "sorted(k for k in d['summary'] if k.endswith('_iops')) == ['s_2_iops', 's_iops']"
check answer.json "all(min(v) <= d['summary'][k] <= max(v) for k, v in (('s_iops', [m['operations_per_s'] for m in d['measures'] if m['parameters']['data_bytes'] == 65536]), ('s_2_iops', [m['operations_per_s'] for m in d['measures'] if m['parameters']['data_bytes'] == 1048576])))"

# An explanation creates nothing.
prio 2 --explain mix.prio >text
# A plan touches no document, not even one that --force might replace.
echo mine >old.json
prio 2 --explain mix.prio -o old.json --force >/dev/null
[ "$(cat old.json)" = mine ] || fail "--explain removed a document"
grep -q '1 process does readers, 1 process does writers' text ||
    fail "no explanation: $(cat text)"
[ -z "$(find . -name 'pario-prio-*')" ] || fail "a document was left"
