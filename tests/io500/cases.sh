# tests/io500/cases.sh CASE - `pario io500`, judged by what is on the disk, by
# IO500's own formula, and by faults that are made.
. "$(dirname "$0")/../cli/lib.sh"

FEW="-D 0.2 --easy-size 8M --hard-segments 40 --easy-files 300 --hard-files 300 -o r.json"
N=1
[ "$MPI" = 1 ] && N=2

# value EXPRESSION: of r.json.
value() { python3 -c "import json; d = json.load(open('r.json')); print($1)"; }

phases_in_order() {
    run 0 $P io500 $FEW --extended target
    nothing_left
    valid_is r.json true
    [ "$(value "' '.join(m['test'] + ':' + m['access'] for m in d['measures'])")" = \
        "ior-easy:write mdtest-easy:write mdworkbench:create find-easy:find ior-hard:write mdtest-hard:write find:find find-hard:find mdworkbench:bench ior-easy:read mdtest-easy:stat ior-hard:read mdtest-hard:stat mdworkbench:delete mdtest-easy:delete mdtest-hard:read mdtest-hard:delete ior-rnd4K:read ior-rnd1MB:read" ] ||
        fail "order: $(value "[(m['test'], m['access']) for m in d['measures']]")"
    # What was written is read, and what was made is asked for and removed.
    [ "$(value "len({m['bytes'] for m in d['measures'] if m['test'] == 'ior-hard'})")" = 1 ] ||
        fail "ior-hard reads other bytes than it wrote"
    [ "$(value "{m['operations'] for m in d['measures'] if m['test'] == 'mdtest-hard'}")" = "{$((300 * N))}" ] ||
        fail "mdtest-hard"
    [ "$(value "[m['bytes'] for m in d['measures'] if m['test'] == 'ior-hard'][0] % 47008")" = 0 ] ||
        fail "ior-hard transfers 47008 bytes"
    [ "$(value "[m['bytes'] for m in d['measures'] if m['test'] == 'mdtest-hard' and m['access'] == 'read']")" = "[$((300 * N * 3901))]" ] ||
        fail "files of 3901 bytes"
    # As many files as there were, each looked at, read, removed, made anew.
    python3 - "$N" <<'PY' || fail "mdworkbench"
import json, sys
n = int(sys.argv[1])
m = {m["access"]: m for m in json.load(open("r.json"))["measures"] if m["test"] == "mdworkbench"}
files = m["create"]["operations"] - 10 * n
assert 10 * n <= files <= 300 * n and files % (10 * n) == 0, files
assert m["create"]["bytes"] == files * 3901, m["create"]
assert m["bench"]["operations"] == 4 * files and m["bench"]["bytes"] == 2 * files * 3901, m["bench"]
assert m["bench"]["verify"]["checked_bytes"] >= files * 3901, m["bench"]["verify"]
assert m["delete"]["operations"] == files + 10 * n, m["delete"]
PY
    says 'not an IO500 submission'
    prints '^  score '
    # Each figure has its reasons; here all of it came from memory.
    [ "$(value "{r['met'] for m in d['measures'] for r in m['evidence']['list_asks'] if r['rule'] in ('300 s', 'no cache')}")" = "{False}" ] ||
        fail "rules: $(value "[m['evidence'] for m in d['measures']]")"
    [ "$(value "{r['met'] for m in d['measures'] for r in m['evidence']['beyond_the_list'] if r['rule'] == 'verified'}")" = "{True}" ] ||
        fail "verified"
    value "d['summary_flags']['io500_score']" | grep -q preliminary || fail "a preliminary score"
}

# The formula of IO500's rules, not ours.
score_is_that_of_the_list() {
    run 0 $P io500 $FEW target
    python3 - <<'PY' || fail "score"
import json
s = json.load(open("r.json"))["summary"]
bw = [s["ior_%s_gibps" % n] for n in ("easy_write", "easy_read", "hard_write", "hard_read")]
md = [s["mdtest_%s_kiops" % n] for n in ("easy_write", "easy_stat", "easy_delete", "hard_write", "hard_stat", "hard_read", "hard_delete")] + [s["find_kiops"]]
def mean(values):
    product = 1.0
    for value in values:
        product *= value
    return product ** (1 / len(values))
def same(a, b):
    assert abs(a - b) < 1e-6 * b, (a, b)
same(s["bandwidth_gibps"], mean(bw))
same(s["metadata_kiops"], mean(md))
same(s["io500_score"], (mean(bw) * mean(md)) ** 0.5)
m = [m for m in json.load(open("r.json"))["measures"] if m["test"] == "ior-easy" and m["access"] == "write"][0]
same(s["ior_easy_write_gibps"], m["bytes"] / m["seconds"] / 2**30)
m = [m for m in json.load(open("r.json"))["measures"] if m["test"] == "find"][0]
same(s["find_kiops"], m["operations"] / m["seconds"] / 1000)
PY
}

# A slow process ends late, and with as much as the others.
wear_out_makes_all_alike() {
    [ "$MPI" = 1 ] || skip "one process"
    run 0 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=open,rank=1,from=1,delay=1,path=/c0.p' \
        $P io500 -D 0.05 --easy-size 8M --hard-segments 40 --easy-files 500 --hard-files 100 -o r.json target
    nothing_left
    value "[(m['operations'], m['stonewall']) for m in d['measures'] if m['test'] == 'mdtest-easy' and m['access'] == 'write'][0]" >got
    python3 - <<'PY' || fail "$(cat got)"
operations, wall = eval(open("got").read())
assert operations == 2 * wall["most_operations"], "all have done what the fastest had"
assert wall["fewest_operations"] < wall["most_operations"] / 2, "one was slow"
PY
}

# find(1) is asked for the same.
find_finds_what_is_there() {
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=open,nth=1,error=EACCES,path=/c1.all' \
        $PARIO io500 $FEW target
    says 'Permission denied'
    nothing_left
    command -v strace >/dev/null || return 0
    # Only names that match are asked for.
    run 0 strace -f -o calls -e trace=newfstatat,getdents64 \
        $PARIO io500 $FEW --force target
    asked=$(grep -c 'newfstatat([0-9]*, "f0.[0-9]*01[0-9]*"' calls)
    [ "$asked" -gt 0 ] || fail "no name was looked at closer"
}

wrong_data_is_found() {
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=read,from=1,flip,at=50,path=ior-hard' \
        $PARIO io500 $FEW --verify full target
    grep -qE 'wrong|other data' err out || fail "a wrong byte was not found"
    nothing_left
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,nth=7,drop,path=c1.all' \
        $PARIO io500 $FEW --force --verify full target
    says 'bytes instead of 3901'
    nothing_left
    # A byte of md-workbench's files is read wrong.
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=read,nth=7,flip,at=50,path=/w0.s' \
        $PARIO io500 $FEW --force --extended target
    grep -qE 'wrong|other data' err out || fail "a wrong byte of md-workbench"
    nothing_left
}

faults_end_in_order() {
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=open,nth=77,error=EMFILE,path=c0.p' \
        $PARIO io500 $FEW target
    says 'cannot create .*Too many open files'
    nothing_left
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=open,nth=50,error=EDQUOT,path=c1.all' \
        $P io500 $FEW --force target
    says 'cannot create .*quota'
    nothing_left
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,nth=3,error=ENOSPC,path=ior-hard' \
        $P io500 $FEW --force target
    says 'No space left'
    nothing_left
}

killed_rank_leaves_nothing() {
    [ "$MPI" = 1 ] || skip "one process"
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=open,rank=1,nth=100,kill,path=c0.p' \
        $P io500 $FEW target
    nothing_left
    valid_is r.json false
}

dry_run_says_files_and_bytes() {
    run 0 $P io500 --dry-run --easy-files 1000 --hard-files 500 target
    prints "files: at most $((1000 * N)) in mdtest-easy, $((500 * N)) of 3901 bytes in mdtest-hard"
    prints 'disk space: at most'
    prints 'phases: ior-easy-write mdtest-easy-write timestamp ior-hard-write'
    nothing_left
    [ -z "$(ls ./*.json 2>/dev/null)" ] || fail "a document"
    [ "$(id -u)" -eq 0 ] || return 0
    mount -t tmpfs -o size=64m,nr_inodes=900 none target || return 0
    mounted=$work/target
    run 1 $P io500 --easy-files 5000 target
    says 'too few for .* files'
    # What nobody asked for fits.
    run 0 $P io500 -D 0.1 -o r.json target
    nothing_left
}

# The four forms of one result say the same, and stand beside ours.
published_results_are_read() {
    cat >summary.txt <<'TXT'
IO500 version io500-sc24_v1 (standard)
[RESULT]       ior-easy-write       16.000000 GiB/s : time 310.000 seconds
[RESULT]    mdtest-easy-write       10.000000 kIOPS : time 310.000 seconds
[      ]            timestamp        0.000000 kIOPS : time 0.000 seconds
[RESULT]       ior-hard-write        1.000000 GiB/s : time 310.000 seconds
[RESULT]    mdtest-hard-write       10.000000 kIOPS : time 310.000 seconds
[RESULT]                 find       10.000000 kIOPS : time 24.132 seconds
[RESULT]        ior-easy-read       16.000000 GiB/s : time 293.619 seconds
[RESULT]     mdtest-easy-stat       10.000000 kIOPS : time 107.918 seconds
[RESULT]        ior-hard-read        1.000000 GiB/s : time 8.760 seconds
[RESULT]     mdtest-hard-stat       10.000000 kIOPS : time 82.610 seconds
[RESULT]   mdtest-easy-delete       10.000000 kIOPS : time 459.993 seconds
[RESULT]     mdtest-hard-read       10.000000 kIOPS : time 219.393 seconds
[RESULT]   mdtest-hard-delete       10.000000 kIOPS : time 425.723 seconds
[SCORE ] Bandwidth 4.000000 GiB/s : IOPS 10.000000 kiops : TOTAL 6.324555
TXT
    {
        printf '[run]\nprocs = 640\nversion = io500-sc24_v1\n; START\n'
        sed -n 's/^\[RESULT\] *\([a-z-]*\) *\([0-9.]*\).*/\n[\1]\nexe = .\/ior -a POSIX\nscore = \2\nt_delta = 1.0/p' summary.txt
        printf '\n[SCORE]\nMD = 10.0\nBW = 4.0\nSCORE = 6.324555\nhash = A7\n'
    } >result.txt
    python3 - <<'PY'
import json
keys, values = [], []
for line in open("result.txt"):
    line = line.strip()
    if line.startswith("["):
        section = line[1:-1]
    elif line.startswith("score"):
        head, _, rest = section.partition("-")
        keys.append("find__easy" if head == "find" else head + "__" + rest.replace("-", "_"))
        values.append(line.split("=")[1].strip())
keys += ["io500__score", "io500__bw", "io500__md", "information__client_total_procs", "information__system"]
values += ["6.324555", "4.0", "10.0", "640", '"a ""quoted"", system"']
open("list.csv", "w").write(",".join(keys) + "\n" + ",".join(values) + "\n")
open("lists.csv", "w").write(",".join(keys) + "\n" + 2 * (",".join(values) + "\n"))
flat = {k: float(v) for k, v in zip(keys[:-1], values[:-1])}
open("flat.json", "w").write(json.dumps([flat]))
nested = {}
for key, value in flat.items():
    group, _, rest = key.partition("__")
    nested.setdefault(group, {})[rest] = value
open("nested.json", "w").write(json.dumps(nested))
PY
    for form in summary.txt result.txt list.csv flat.json nested.json; do
        run 0 $PARIO report $form
        prints 'score'
        prints '6.32'
        prints '16.0 GiB/s'
        grep -q warning out && fail "$form: a warning"
        grep -q MPI: out && fail "$form: an MPI library that it does not name"
        run 0 $PARIO compare summary.txt $form
        run 0 $PARIO report $form -o page.html --force
    done
    run 1 $PARIO report lists.csv
    says 'holds 2 results'
    # A score that is not that of its figures, and one that IO500 refuses.
    sed 's/TOTAL .*/TOTAL 9.0 [INVALID]/' summary.txt >bad.txt
    run 0 $PARIO report bad.txt
    says 'io500_score is 9 here, and its own phases give 6.32'
    says 'INVALID'
    run 2 $PARIO compare summary.txt bad.txt
    # One that was cut, and a phase without a number, are not passed over.
    sed 's/16.000000/nan/; /hard-stat/,$d' summary.txt >cut.txt
    run 0 $PARIO report cut.txt
    prints '6 of the 12 phases that count have no figure: ior-easy-write, ior'
    grep -q '^date' out && fail "a date that the result does not have"
    run 0 $P io500 $FEW target
    run 0 $PARIO compare summary.txt r.json
    prints 'score'
    prints 'ior-easy, write'
    printf 'IO500 version x\nnothing\n' >empty.txt
    run 1 $PARIO report empty.txt
    says 'has none of its figures'
}

bad_input_is_refused() {
    run 2 $PARIO io500 --stonewall 0 target
    says 'stonewall'
    run 2 $PARIO io500 -a posx target
    says 'did you mean posix'
    run 1 $PARIO io500 --easy-size 1M target
    says 'at least 2 MiB'
    run 2 $PARIO io500 --resume r.json target
    says 'cannot be resumed'
    run 2 $PARIO io500 target target
    says 'takes one directory'
    run 1 $PARIO io500 nowhere
    says 'nowhere'
    nothing_left
}

"$1"
