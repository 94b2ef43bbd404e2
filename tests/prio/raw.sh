#!/bin/sh
# A loop device: reading is free, writing needs permission and a device that
# nobody uses. 77: no loop device can be made here.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" -eq 0 ] || exit 77
# With data in it, and past the page cache of the image: else a read of the
# device is none of the disk below.
dd if=/dev/urandom of=image bs=1M count=16 conv=fsync 2>/dev/null
device=$(losetup -f --show --direct-io=on image 2>/dev/null ||
    losetup -f --show image 2>/dev/null) || exit 77
skipped=
undo="umount mnt; swapoff $device; losetup -d $device"

cat >read.prio <<'WORKLOAD'
[raw]
data 1M
request 4k, 64k
depth 4
WORKLOAD
cat >write.prio <<'WORKLOAD'
[raw]
data 1M
request 4k
ratio 1:1
WORKLOAD
before=$(sha256sum <image)
prio 2 read.prio target --device "$device" -q -o read.json
check read.json "d['valid'] and len(m) == 4 and all(x['written_bytes'] == 0
    and x['verify']['off'] and 'unverified' in x['flags'] for x in m)"
if [ "$(cat "/sys/block/$(basename "$device")/loop/dio")" = 1 ]; then
    check read.json "all(x['cache'] == 'disk' for x in m)"
else
    skipped="$skipped direct-io"
fi
refuse 'write.prio:1: .*--destroy-data' 1 write.prio target --device "$device"
refuse 'destroy-data' 1 write.prio target --device "$device" \
    --destroy-data /dev/null
printf '[raw]\nrequest 1000\n' >odd.prio
refuse 'odd.prio:2: .*multiples' 1 odd.prio target --device "$device"
printf '[raw]\ndata 16M\n' >large.prio
refuse 'do not fit' 2 large.prio target --device "$device"
[ "$(sha256sum <image)" = "$before" ] || fail "the device was written"

prio 2 write.prio target --device "$device" --destroy-data "$device" \
    --verify full -q -o write.json
check write.json "d['valid'] and all(x['written_bytes'] == 1048576 and
    x['verify']['checked_bytes'] > 0 for x in m)"
[ "$(sha256sum <image)" != "$before" ] || fail "the device was not written"
[ -b "$device" ] || fail "the device is gone"


# One number, another kind of device: no permission.
if mknod twin c $((0x$(stat -c %t "$device"))) $((0x$(stat -c %T "$device"))); then
    refuse 'destroy-data' 1 write.prio target --device "$device" \
        --destroy-data twin
else
    skipped="$skipped mknod"
fi

# Two parts of a mix would write into one another's data.
printf '[raw a]\ndata 1M\npatterns read_write\nratio 0:1
[raw b]\ndata 1M\npatterns read_write\n[mix]\na 1\nb 1\ntime 0.1s\n' >two.prio
refuse 'two.prio:10: b: two parts .* one device' 2 two.prio target \
    --device "$device" --destroy-data "$device"
sed 's/0:1/1:0/' two.prio >both.prio
prio 2 both.prio target --device "$device" -q -o both.json
check both.json "d['valid'] and len(m) == 2 and
    all(x['bytes'] > 0 and x['written_bytes'] == 0 for x in m)"

# An explanation needs neither a device nor permission, and touches nothing.
before=$(sha256sum <image)
prio 1 --explain write.prio target >text
grep -q 'device (none named yet)' text || fail "no explanation: $(cat text)"
prio 1 --explain write.prio target --device "$device" >text
grep -q "device $device" text || fail "no explanation: $(cat text)"

# On a terminal it asks once, and takes no for an answer.
cat >terminal.py <<'PYTHON'
import os, pty, sys
answer = sys.argv[1].encode() + b"\n"
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
seen = b""
try:
    while True:
        more = os.read(fd, 1000)
        if not more:
            break
        asked = seen.count(b"Type yes:")
        seen += more
        if seen.count(b"Type yes:") > asked:
            os.write(fd, answer)
except OSError:
    pass
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
if seen.count(b"Type yes:") != 1:
    print("asked", seen.count(b"Type yes:"), "times", seen.decode())
    status = 99
sys.exit(status)
PYTHON
asked() { # STATUS ANSWER words...
    want=$1 status=0
    shift
    timeout -k 5 60 python3 terminal.py "$@" prio write.prio target \
        --device "$device" --destroy-data "$device" -q --force -o asked.json ||
        status=$?
    [ "$status" -eq "$want" ] || fail "status $status after the answer $*"
}
asked 2 no "$PARIO"
asked 2 no "$PARIO" -n 2
[ "$(sha256sum <image)" = "$before" ] || fail "written after the answer no"
asked 0 yes "$PARIO" -n 2
check asked.json "d['valid'] and all(x['partition'] == 2 for x in m)"

# Devices in use.
cat >claim.py <<'PYTHON'
import os, sys, time
fd = os.open(sys.argv[1], os.O_RDWR | os.O_EXCL)
open("claimed", "w").close()
time.sleep(60)
PYTHON
python3 claim.py "$device" &
claim=$!
while [ ! -e claimed ]; do
    kill -0 $claim || fail "the device cannot be claimed"
    sleep 0.1
done
refuse 'cannot claim .*busy' 2 write.prio target --device "$device" \
    --destroy-data "$device"
kill $claim
status=0
wait $claim || status=$?
# It held the device until then: 143 is our signal.
[ "$status" -eq 143 ] || fail "the claim was gone before: status $status"

if mkswap -q "$device" >/dev/null 2>&1 && swapon "$device" 2>/dev/null; then
    refuse 'swap space' 1 write.prio target --device "$device" \
        --destroy-data "$device"
    swapoff "$device"
else
    skipped="$skipped swapon"
fi

mkdir mnt
if mkfs.ext4 -q "$device" 2>/dev/null && mount "$device" mnt 2>/dev/null; then
    refuse 'mounted on .*mnt' 1 write.prio target --device "$device" \
        --destroy-data "$device"
    umount mnt
else
    skipped="$skipped mount"
fi
# A file system that wants 4 KiB from O_DIRECT: both ends and the data.
truncate -s 64M image4
if big=$(losetup -b 4096 -f --show image4 2>/dev/null); then
    undo="$undo; umount mnt; losetup -d $big"
    if mkfs.ext4 -q -b 4096 "$big" && mount "$big" mnt; then
        for sizes in 'request 4608' 'request random 4k-4608' \
            'request random 3584-8k' 'data 8704' 'data random 8k-8704'; do
            printf '[single_file]\ndirect yes\nmethods posix\ndata 64k
request 4k\n[single_file odd]\ndirect yes\nmethods posix\n%s\n%s\n' \
                "$(case $sizes in d*) echo request 4k ;; *) echo data 64k ;; esac)" \
                "$sizes" >odd.prio
            refuse 'odd.prio:7: direct' 1 odd.prio mnt
        done
        umount mnt
    else
        skipped="$skipped mount"
    fi
else
    skipped="$skipped losetup-b"
fi
if [ -n "$skipped" ]; then
    echo "NOT TESTED, not possible here:$skipped; all else passed"
    exit 77
fi
