#!/bin/sh
# What is claimed as written to a disk is what the kernel counted at the block
# device below; all else carries the flag that says why. 77: no such device
# can be seen here.
. "$(dirname "$0")/lib.sh"

dev=$(stat -c %d target)
counter=/sys/dev/block/$((dev >> 8 & 0xfff)):$((dev & 0xff | dev >> 12 & 0xfff00))/stat
[ -r "$counter" ] || exit 77
written() { # bytes since boot
    awk '{ printf "%.0f\n", $7 * 512 }' "$counter"
}

# claim NAME N words...: runs NAME.prio; device=bytes that the device saw.
claim() {
    name=$1
    shift
    sync
    before=$(written)
    prio "$@" "$name.prio" target -q -o "$name.json"
    device=$(($(written) - before))
}

# Passes over the same data: each one reaches the device within the time.
printf 'data 4M\nrequest 64k\npatterns write\ntime 0.5s\n[single_file]
methods posix, io_uring\ndepth 4\n[common_file]\nmethods posix\n' >passes.prio
claim passes 2
check passes.json "len(m) == 3 and all(x['seconds'] >= 0.5 and
    x['bytes'] > 2 * 2 * 4194304 and x['cache'] == 'disk' and
    not x['flags'] for x in m)"
check passes.json "sum(x['bytes'] for x in m) <= 1.05 * $device"
# The same where a library syncs only all processes together: not claimed.
if [ "$PARIO_HAVE_MPIIO" = 1 ]; then
    printf 'data 4M\nrequest 64k\npatterns write\ntime 0.5s\n[common_file]
methods explicit\n' >library.prio
    claim library 2
    check library.json "all(x['bytes'] <= 1.05 * $device or
        set(x['flags']) & {'cache', 'cache-mixed'} for x in m)"
fi

# Two parts at one time on one device: each has its share, neither more.
printf 'data 4M\nrequest 64k\nmethods posix\npatterns write\n[single_file a]
[single_file b]\nrequest 1M\n[mix]\na 1\nb 1\ntime 0.5s\n' >mix.prio
claim mix 2
check mix.json "len(m) == 2 and all(x['seconds'] >= 0.5 and
    x['cache'] == 'disk' for x in m)"
check mix.json "sum(x['bytes'] for x in m) <= 1.05 * $device"
# What is not synced does not count as written.
sed 's/^request 64k/&\nsync none/' mix.prio >unsynced.prio
claim unsynced 2
check unsynced.json "sum(x['bytes'] for x in m) <= 1.05 * $device or
    all(set(x['flags']) & {'cache', 'cache-mixed'} for x in m)"
# Parts on devices of their own are not mixed up.
if mkdir /dev/shm/prio-test.$$ 2>/dev/null; then
    undo="rm -rf /dev/shm/prio-test.$$"
    prio 2 mix.prio /dev/shm/prio-test.$$ -q -o memory.json
    check memory.json "len(m) == 2 and all(x['cache'] == 'cache' and
        x['flags'] == ['cache'] for x in m)"
fi

# While a program thinks the system writes on and reads ahead, and the device
# empties its own cache: the rate of the calls alone is marked, also where each
# call waits for the device.
for how in 'sync end' 'sync dsync' 'direct yes'; do
    name=think-${how#* }
    printf 'data 64k\nrequest 8k\nthink 20ms\nmethods posix\n%s
[single_file w]\npatterns write\n[single_file r]\npatterns backward_read\n' \
        "$how" >$name.prio
    claim $name 1
    check $name.json "len(m) == 2 and all('paused' in x['flags'] and
        x['pause_s'] >= 0.16 and
        abs(x['unseen_s'] - x['pause_s']) < 1e-6 and
        x['wall_s'] >= x['seconds'] + 0.16 for x in m)"
done

# Data that memory does not hold: what a window wrote is durable before the
# next one is filled off the clock.
printf 'memory 1M\n[single_file]\ndata 8M\nrequest 64k\npatterns write
methods posix, io_uring\n' >windows.prio
claim windows 2
check windows.json "len(m) == 2 and all(x['bytes'] == 2 * 8388608 and
    x['pause_s'] > 0 and 'paused' not in x['flags'] and x['cache'] == 'disk'
    for x in m)"
check windows.json "sum(x['bytes'] for x in m) <= 1.05 * $device"
# Left to the cache the pauses are the system's to write in.
sed 's/^request 64k/&\nsync none/' windows.prio >left.prio
claim left 2
check left.json "all('paused' in x['flags'] or x['pause_s'] <
    0.01 * x['seconds'] for x in m)"

# One buffer again and again: a device that finds duplicates writes less, and
# nothing can be checked.
printf 'buffer reuse\n[single_file]\ndata 4M\nrequest 64k\nmethods posix
patterns write, backward_read\n' >reuse.prio
claim reuse 1
check reuse.json "{'repeated-data', 'unverified'} <=
    set(of(access='write')[0]['flags'])"
check reuse.json "'repeated-data' not in of(access='backward_read')[0]['flags']
    and 'unverified' in of(access='backward_read')[0]['flags']"
# The single value says so too: it has the flags of what it is made of.
check reuse.json "{'repeated-data', 'unverified'} <=
    set(d['summary_flags']['priomark_total_mbps'])"
