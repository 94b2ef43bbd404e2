#!/bin/sh
# All sub-benchmarks that this build has, on two processes; every byte read is
# checked, and the total is what the documentation says.
. "$(dirname "$0")/lib.sh"

cat >small.prio <<'WORKLOAD'
name "small"
data 128k
request 4k
[common_file]
patterns write random_read_write
request random 1k-8k
[single_file]
ratio 1:2
[single_file one]
processes 1-all
methods posix
patterns write
[async]
WORKLOAD
if [ "$PARIO_HAVE_MPIIO" = 1 ]; then
    printf '[strided]\nblocks 2\n' >>small.prio
fi
prio 2 small.prio target --verify full -q -o out.json

check out.json 'd["valid"] and d["suite"] == "prio"'
check out.json 'all(x["error"] is None and x["verify"]["errors"] == 0 and
    x["verify"]["checked_bytes"] > 0 and x["bytes"] > 0 for x in m)'
# Write and random on posix and four ways of MPI-IO.
check out.json "len(of(test='common_file')) == (10 if $PARIO_HAVE_MPIIO else 2)"
check out.json "len(of(test='strided')) == (4 if $PARIO_HAVE_MPIIO else 0)"
check out.json "all(x['bytes'] == 2 * 131072 and
    131072 // 8192 < x['operations'] / 2 <= 131072 // 1024
    for x in of(test='common_file'))"
check out.json "[x['partition'] for x in of(section='one')] == [1, 2] and
    len(of(section='single_file')) >= 4"
# Twice as many writes as reads, to the block.
check out.json "all(x['written_bytes'] == x['partition'] * 21 * 4096
    for x in of(test='single_file', ratio='1:2'))"
check out.json "all(x['overlap_verdict'] in ('overlapped', 'in start',
    'in wait', 'partly') and x['acl'] < 1 and x['abl'] < 1
    for x in of(test='async')) and len(of(test='async')) >= 2"
# The times of one process: they cannot be longer than what they are part of.
check out.json "all(x['start_s'] + x['calculation_beside_io_s'] + x['wait_s']
    <= x['seconds'] + 1e-9 for x in of(test='async'))"
# priomark total v1, worked out again from the measures.
check out.json "(lambda g: abs(s['priomark_total_mbps'] / g([
    g([x['bandwidth_mbps'] for x in of(test=t, partition=2)])
    for t in ('common_file', 'single_file', 'async', 'strided')
    if of(test=t)]) - 1) < 1e-9)(
    lambda v: math.exp(sum(map(math.log, v)) / len(v)))"
check out.json 's["priomark_total_version"] == 1'
[ -z "$(ls target)" ] || fail "files are left: $(ls target)"
