#!/bin/sh
# Storage that fails on one process ends the run on all, in order.
. "$(dirname "$0")/lib.sh"

cat >w.prio <<'WORKLOAD'
data 64k
request 4k
methods posix
[common_file]
patterns write random_read_write
WORKLOAD

broken() {
    rule=$1 text=$2
    shift 2
    rm -f out.json
    status=0
    LD_PRELOAD=$PARIO_FAULT_LIBRARY${LD_PRELOAD:+:$LD_PRELOAD} PARIO_FAULT="$rule,path=$work/target" \
        prio 2 w.prio target -o out.json "$@" >out 2>err || status=$?
    [ "$status" -eq 1 ] || fail "$rule: status $status: $(cat err)"
    grep -q -- "$text" err || fail "$rule: no '$text' in: $(cat err)"
    check out.json 'd["valid"] is False and
        (d["warnings"] or d["finished_utc"] is None)'
    [ -z "$(ls target)" ] || fail "$rule: files are left"
}

broken op=write,nth=9,rank=1,error=ENOSPC 'rank 1: cannot write .*No space'
broken op=fsync,rank=0,error=EIO 'cannot sync'
# 16 reads check what was written; the 17th is the first of the second case.
broken op=read,nth=20,rank=1,error=EIO 'rank 1: cannot read'
# With --verify full one read checks it all.
broken op=read,from=2,rank=1,flip 'wrong data' --verify full
# Also with -q: the last line speaks of warnings above it.
broken op=read,from=2,rank=1,flip 'INVALID: wrong data' --verify full -q
grep -q 'warnings above' err || fail "the end does not say why: $(cat err)"

# A rewrite that never happens: the file is as long as it should be, and holds
# the data of before.
broken_in() {
    workload=$1
    shift
    printf 'data 64k\nrequest 4k\n%s\n' "$workload" >w.prio
    broken "$@"
}
lost=op=write,from=2,rank=0,drop # the first one prepares the file
broken_in '[single_file]
methods posix
patterns read_write' $lost 'wrong data' --verify full
broken_in '[single_file]
methods posix
patterns random_read_write
time 0.1s' $lost 'wrong data'
# A later pass over the same places writes other data: it is missed, too. The
# 16 requests are those of the first pass.
for method in posix $([ "$PARIO_HAVE_MPIIO" != 1 ] || echo explicit); do
    place=$([ $method = posix ] && echo single_file || echo common_file)
    for seconds in 0.2 2 20; do # until there were as many passes
        rm -f met
        export PARIO_FAULT_LOG="$work/met"
        printf 'data 64k\nrequest 4k\n[%s]\nmethods %s\npatterns write\ntime %ss\n' \
            "$place" "$method" "$seconds" >w.prio
        status=0
        LD_PRELOAD=$PARIO_FAULT_LIBRARY${LD_PRELOAD:+:$LD_PRELOAD} \
            PARIO_FAULT="op=write,from=40,drop,path=$work/target" \
            prio 2 w.prio target --force -o out.json >out 2>err || status=$?
        [ ! -s met ] || break
    done
    unset PARIO_FAULT_LOG
    [ "$status" -eq 1 ] && grep -q 'wrong data' err ||
        fail "a lost pass of $method: status $status: $(cat err)"
done
broken_in '[async]
methods posix_aio
patterns write' $lost 'wrong data'
if [ "$PARIO_HAVE_MPIIO" = 1 ]; then
    broken_in '[async]
methods explicit
patterns write' $lost 'wrong data'
fi

# Errors on one process where the others are in the same call, in their own
# computation, or at other work. The first write of a process prepares.
failed='op=write,from=2,rank=1,error=EIO'
broken_in '[async]
methods posix_aio
patterns write' $failed 'rank 1: cannot write'
broken_in '[async]
methods posix_aio
patterns read' op=read,rank=1,error=EIO 'rank 1: cannot read'
broken_in '[single_file a]
methods posix
patterns read_write
[single_file b]
methods posix
patterns write
[mix]
a 1
b 1
time 0.2s' op=write,nth=5,rank=1,error=ENOSPC 'rank 1: cannot write'
if [ "$PARIO_HAVE_MPIIO" = 1 ]; then
    # OMPIO never completes a request that failed: the watchdog ends it.
    broken_in '[async]
methods individual
patterns write' $failed 'MPI access\|watchdog of rank' --deadline 5s
    # OMPIO reports success: the data gives it away.
    for method in individual_collective explicit_collective; do
        broken_in "[common_file]
methods $method
patterns read_write
ratio 0:1" op=write,from=2,rank=0,error=EIO 'cannot write\|wrong data' --deadline 20s
        broken_in "[common_file]
methods $method
patterns read_write
ratio 1:0" op=read,rank=0,error=EIO 'cannot read\|wrong data' --deadline 20s
    done
    broken_in '[strided]
methods individual_collective
patterns read_write
ratio 0:1' op=write,from=2,rank=0,error=EIO 'cannot write\|wrong data' --deadline 20s
fi

# In the time there was, one process did not come to the end of its data: both
# prepare the file of the next case.
cat >slow.prio <<'WORKLOAD'
[single_file]
data 64k
request 4k
methods posix
patterns write read_write
time 0.2s
WORKLOAD
LD_PRELOAD=$PARIO_FAULT_LIBRARY${LD_PRELOAD:+:$LD_PRELOAD} \
    PARIO_FAULT="op=write,rank=1,delay=50,path=$work/target" \
    prio 2 slow.prio target -q -o slow.json --verify full --deadline 20s >out 2>err ||
    fail "one slow process: $(cat err)"
check slow.json 'd["valid"] and len(m) == 2'
# What the slow one did write was checked.
check slow.json '65536 < of(access="write")[0]["verify"]["checked_bytes"] < 131072'
