#!/bin/sh
# A loop device: reading is free, writing needs permission and a device that
# nobody uses. 77: no loop device can be made here.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" -eq 0 ] || exit 77
truncate -s 16M image
device=$(losetup -f --show image 2>/dev/null) || exit 77
undo="umount mnt 2>/dev/null; losetup -d $device"

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
    and x['cache'] == 'disk' and x['verify']['off'] for x in m)"
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

# On a terminal it asks once, and takes no for an answer.
before=$(sha256sum <image)
cat >terminal.py <<'PYTHON'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
seen = b""
while b"Type yes:" not in seen:
    seen += os.read(fd, 1000)
os.write(fd, b"no\n")
try:
    while os.read(fd, 1000):
        pass
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PYTHON
status=0
timeout -k 5 30 python3 terminal.py "$PARIO" prio write.prio target \
    --device "$device" --destroy-data "$device" || status=$?
[ "$status" -eq 2 ] || fail "status $status after the answer no"
[ "$(sha256sum <image)" = "$before" ] || fail "written after the answer no"

mkdir mnt
if mkfs.ext4 -q "$device" 2>/dev/null && mount "$device" mnt 2>/dev/null; then
    refuse 'mounted on .*mnt' 1 write.prio target --device "$device" \
        --destroy-data "$device"
    umount mnt
fi
