#!/bin/sh
# What becomes of the measures: medians, seeds, samples, what is said beside.
. "$(dirname "$0")/lib.sh"

# The total is made of medians over the repetitions, also where each
# repetition draws a data size of its own.
cat >median.prio <<'WORKLOAD'
repetitions 5
patterns write
methods posix
[single_file]
data random 64k-512k
request 4k
WORKLOAD
prio 2 median.prio target -q -o median.json
check median.json "len(m) == 5 and
    len(set(x['data_bytes'] for x in m)) > 1 and
    all(x['parameters']['data_most_bytes'] == 512 << 10 for x in m)"
# They are repetitions of one measure, whatever the sizes: compared as such.
prio 2 median.prio target -q -o other.json --seed 2
"$PARIO" compare --verbose median.json other.json >compared || [ $? -eq 1 ] ||
    fail "compare"
if grep -E 'only in' compared; then fail "repetitions were taken for measures"; fi
check median.json "abs(s['single_file_mbps'] /
    sorted(x['bandwidth_mbps'] for x in m)[2] - 1) < 1e-9"
# Short ones make a doubtful total, and it says so.
check median.json "(lambda n: n == 0 or
    '%d of 5 measures took less than 0.1 s' % n in s['priomark_total_note'] and
    s['priomark_total_note'] == d['prio_directories'][0]['total_note'])(
    sum(x['seconds'] < 0.1 for x in m))"

# The same seed, the same requests; another one, others. The command line wins
# over the file, also with the default.
seeded() { # WORKLOAD words...: the numbers of operations
    workload=$1
    shift
    rm -f seed.json
    prio 2 "$workload" target -q -o seed.json "$@"
    python3 -c 'import json
print([x["operations"] for x in json.load(open("seed.json"))["measures"]])'
}
cat >seed.prio <<'WORKLOAD'
[single_file]
data 256k
request random 512-8k
methods posix
repetitions 3
WORKLOAD
(echo 'seed 7' && cat seed.prio) >seven.prio
one=$(seeded seed.prio)
[ "$one" = "$(seeded seed.prio)" ] || fail "one seed, other requests"
[ "$one" != "$(seeded seed.prio --seed 2)" ] || fail "the seed does nothing"
seven=$(seeded seven.prio)
[ "$one" != "$seven" ] || fail "the file's seed does nothing"
[ "$seven" = "$(seeded seed.prio --seed 7)" ] || fail "7 is not 7"
[ "$one" = "$(seeded seven.prio --seed 1)" ] || fail "--seed 1 does not win"

# Reads and writes are told apart; 16 requests of each process, 1:3.
cat >mixed.prio <<'WORKLOAD'
[single_file]
data 64k
request 4k
ratio 1:3
patterns read_write
methods posix
WORKLOAD
prio 2 mixed.prio target -q -o mixed.json --samples mixed.txt
awk '/^access/ { kind = $2 }
    /^r / { if (kind != "read") exit 1; r++ }
    /^w / { if (kind != "write") exit 1; w++ }
    END { exit !(r == 8 && w == 24) }' mixed.txt ||
    fail "samples: $(cat mixed.txt)"

# In a mix each part's samples are its own.
cat >parts.prio <<'WORKLOAD'
methods posix
data 64k
request 4k
[single_file a]
patterns write
[single_file b]
patterns read_write
ratio 1:0
[mix]
a 1
b 1
time 0.1s
WORKLOAD
prio 2 parts.prio target -q -o parts.json --samples parts.txt
sums=$(awk '/^section/ { part = $2 } /^[rw] / { n[part $1]++ }
    END { print n["aw"], n["br"], length(n) }' parts.txt)
want=$(python3 -c 'import json
d = {x["parameters"]["section"]: x["operations"]
     for x in json.load(open("parts.json"))["measures"]}
print(d["a"], d["b"], 2)')
[ "$sums" = "$want" ] || fail "samples of the mix: $sums, not $want"
