#!/bin/sh
# Every shipped workload gives its reasons, is explained, and runs: with sizes
# and times scaled down, or it would take an hour.
. "$(dirname "$0")/lib.sh"

scale() {
    sed -E -e '/^(data|request) /{s/([0-9])M/\10k/g;s/([0-9])G/\10M/g}' \
        -e 's/^time .*/time 0.2s/' -e 's/^think .*/think 1ms/' \
        -e 's/^folders .*/folders 3/' "$1"
}

device=
if [ "$(id -u)" -eq 0 ]; then
    truncate -s 16M image
    device=$(losetup -f --show image 2>/dev/null) || device=
    undo="[ -z '$device' ] || losetup -d '$device'"
fi

# run_it NAME words...: valid, and each section has measures.
run_it() {
    name=$1
    shift
    if ! prio 2 scaled.prio target -q --force -o out.json "$@" 2>err; then
        # A file system without O_DIRECT: all the rest is tried.
        grep -q O_DIRECT err || fail "$name: $(cat err)"
        echo "$name: without direct, $(cat err)"
        sed -i '/^direct /d' scaled.prio
        prio 2 scaled.prio target -q --force -o out.json "$@" 2>err ||
            fail "$name: $(cat err)"
    fi
    sed -n -E 's/^\[([^] ]*)( ([^]]*))?\].*/\3 \1/p' scaled.prio |
        awk '$NF != "mix" { print $1 }' | sort -u >wanted
    python3 -c 'import json
for x in json.load(open("out.json"))["measures"]:
    print(x["parameters"]["section"])' | sort -u >found
    cmp -s wanted found || fail "$name: sections $(cat wanted) ran $(cat found)"
    check out.json 'd["valid"] and all(x["operations"] > 0 and
        (x["bytes"] > 0 or x["test"] == "tree") for x in m)'
    [ -z "$(ls target)" ] || fail "$name: files are left"
}

count=0
for workload in "$PARIO_EXAMPLES"/workloads/*.prio; do
    name=$(basename "$workload")
    count=$((count + 1))
    grep -q '^#.*[a-z]' "$workload" || fail "$name gives no reasons"
    case $name in
    figure3* | figure4*)
        [ "$PARIO_HAVE_MPIIO" = 1 ] || continue
        ;;
    esac
    prio 2 --explain "$workload" target >text 2>err || fail "$name: $(cat err)"
    grep -q 'measures' text || fail "$name: no explanation: $(cat text)"
    scale "$workload" >scaled.prio
    case $name in
    figure6*)
        [ -z "$device" ] || run_it "$name" --device "$device"
        ;;
    figure5*) # of the cache, over the number of processes
        run_it "$name"
        check out.json 'all(x["parameters"]["sync"] == "none" and
            x["parameters"]["direct"] is False for x in m) and
            {x["partition"] for x in of(access="read_write", ratio="1:1",
                request_bytes=32768)} == {1, 2}'
        ;;
    lsm-store*) # what it asks: lookups alone, and beside the compaction
        run_it "$name"
        check out.json '{"lookups_p99_ns", "lookups_2_p99_ns"} <= set(s) and
            {a["label"].split(":")[0] for a in d["view"]["answer"]} ==
                {"lookups", "compaction"}'
        ;;
    vm-images*)
        run_it "$name"
        check out.json '{"guests_p99_ns", "commits_p99_ns"} <= set(s)'
        ;;
    *)
        run_it "$name"
        ;;
    esac
done
# One number fits a workload to the machine, and what thinks says how much of
# its time it could: at least what it slept.
cat >think.prio <<'W'
[single_file]
data 64M
request 1M
patterns random_read_write
ratio 1:0
methods posix
think 20ms
W
prio 2 think.prio target -q --force -o out.json --scale 0.125 2>err ||
    fail "scale: $(cat err)"
check out.json 'm[0]["parameters"]["data_bytes"] == 8 << 20'
check out.json '1 > m[0]["utilisation"] >= 0.99 * 8 * 0.02 / m[0]["wall_s"]'
check out.json 'abs(s["single_file_computing_percent"] -
    100 * m[0]["utilisation"]) < 1e-6'
# Reading 10 ms and computing 30 ms: one after the other about three quarters
# of the time, and nearly all of it where the next sample is read meanwhile.
if [ -n "${PARIO_FAULT_LIBRARY:-}" ]; then
    for prefetch in 0 2; do
        sed -e "s/^think .*/think 30ms\nprefetch $prefetch/" -e 's/^data .*/data 16M/' \
            think.prio >ahead.prio
        LD_PRELOAD=$PARIO_FAULT_LIBRARY${LD_PRELOAD:+:$LD_PRELOAD} \
            PARIO_FAULT="op=read,from=1,delay=10,path=/target/" \
            prio 1 ahead.prio target -q --force -o out.json 2>err ||
            fail "prefetch: $(cat err)"
        if [ $prefetch -eq 0 ]; then
            check out.json 'm[0]["utilisation"] <= 0.8'
        else
            check out.json '1.01 > m[0]["utilisation"] > 0.8 and
                m[0]["parameters"]["prefetch"] == 2'
        fi
    done
fi
# What was read ahead does not make the time longer.
sed -e 's/^think .*/think 1s\nprefetch 50\ntime 1s/' -e 's/^data .*/data 1M/' \
    think.prio >tail.prio
prio 1 tail.prio target -q --force -o out.json 2>err || fail "tail: $(cat err)"
check out.json 'm[0]["wall_s"] < 20 and m[0]["utilisation"] < 1.5'
# What pario checks between two windows of the data is not computing.
sed -e '1i memory 1M' -e 's/^think .*/think 100us/' think.prio >windows.prio
prio 1 windows.prio target -q --force -o out.json --verify full 2>err ||
    fail "windows: $(cat err)"
check out.json 'm[0]["wall_s"] < m[0]["seconds"] + m[0]["pause_s"] - 1e-4'
sed 's/^ratio .*/ratio 1:1\nprefetch 2/' think.prio >bad.prio
refuse 'it needs think, and ratio 1:0' 1 bad.prio target
if prio 2 think.prio target -q --force -o out.json --scale 0 2>err; then
    fail "--scale 0"
fi

# What would be there: sources, and objects beside them.
prio 2 --explain "$PARIO_EXAMPLES/workloads/build-tree.prio" target >text ||
    fail "tree: no explanation"
grep -q "at most $((2 * 2 * 64 * 16)) files; disk 64 MiB" text ||
    fail "tree: files: $(cat text)"
# A tree of sources: every file is met once in each step, and what a build read
# wrong is found.
prio 2 "$PARIO_EXAMPLES/workloads/build-tree.prio" target -q --force \
    -o out.json --scale 0.05 2>err || fail "tree: $(cat err)"
check out.json '[x["parameters"]["step"] for x in m] ==
    ["unpack", "check", "build", "clean"] and
    all(x["operations"] == 2 * 3 * 16 for x in m) and
    m[2]["bytes"] == 2 * 3 * 16 * 52 * 16384 and
    m[2]["verify"]["checked_bytes"] > 0'
[ -z "$(ls target)" ] || fail "tree: files are left"
if [ -n "${PARIO_FAULT_LIBRARY:-}" ]; then
    LD_PRELOAD=$PARIO_FAULT_LIBRARY${LD_PRELOAD:+:$LD_PRELOAD} \
        PARIO_FAULT="op=read,from=1,flip,at=9,path=/s3" \
        prio 1 "$PARIO_EXAMPLES/workloads/build-tree.prio" target -q --force \
        -o out.json --scale 0.05 2>err &&
        fail "a build that read wrong data is valid"
    grep -q 'other data' err out.json || fail "tree, wrong data: $(cat err)"
fi

[ "$count" -ge 15 ] || fail "only $count workloads were found"
