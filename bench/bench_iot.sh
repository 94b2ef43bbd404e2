#!/bin/sh
# How near `outofcore` comes to the speed that its I/O volume allows:
# bench_iot.sh PARIO DIR [MEMORY-LIMIT RATE]. With the last two (bytes, bytes/s;
# needs root and cgroups v1) memory and disk are limited, so that the matrix
# lies on the disk and not in the page cache. NP, N, PANEL and MEMORY in the
# environment change the number of processes and the test.
set -eu
pario=$1
dir=$2
work=$(mktemp -d "$dir/pario-bench.XXXXXX")
groups=
cleanup() {
    rm -rf "$work"
    for g in $groups; do rmdir "$g" 2>/dev/null || true; done
}
trap cleanup EXIT INT TERM

if [ $# -ge 4 ]; then
    device=$(findmnt -n -o SOURCE --target "$dir")
    numbers=$(lsblk -n -d -o MAJ:MIN "$device" | tr -d ' ')
    memory=/sys/fs/cgroup/memory/pario-bench.$$
    blkio=/sys/fs/cgroup/blkio/pario-bench.$$
    mkdir "$memory" "$blkio"
    groups="$memory $blkio"
    echo "$3" >"$memory/memory.limit_in_bytes"
    echo "$numbers $4" >"$blkio/blkio.throttle.read_bps_device"
    echo "$numbers $4" >"$blkio/blkio.throttle.write_bps_device"
fi
cat >"$work/p.in" <<P
timingsfilename $work/all.out
classname Kernel
testname outofcore
filename $work/matrix
problemsize ${N:-4096}
panel ${PANEL:-64}
memory ${MEMORY:-24}
classname Lowlevel
testname multiple
filename $work/blocks
numruns 1
filesize 201.326592
blocksize 1.048576
collective false
P
(
    for g in $groups; do echo 0 >"$g/cgroup.procs" 2>/dev/null ||
        sh -c "echo \$PPID" >"$g/cgroup.procs"; done
    exec "$pario" -n "${NP:-2}" iot "$work/p.in" --cold -q --output "$work/r.json"
)
python3 - "$work/r.json" <<'P'
import json, sys
m = {(x["test"], x["access"]): x for x in json.load(open(sys.argv[1]))["measures"]}
f = m["outofcore", "factor"]
r, w = (m["multiple", a]["bandwidth_mbps"] for a in ("read", "write"))
written = f["bytes_written"] / 1e6
read = f["bytes"] / 1e6 - written
ideal = read / r + written / w
print(f"multiple 1 MiB blocks: read {r:.0f}, write {w:.0f} MB/s")
print(f"outofcore: {read:.0f} MB read, {written:.0f} MB written, "
      f"{f['seconds']:.2f} s (compute {f['compute_seconds']:.2f}, broadcast "
      f"{f['broadcast_seconds']:.2f}, waiting for I/O {f['io_wait_seconds']:.2f}); "
      f"I/O allows {ideal:.2f} s; share {ideal / f['seconds']:.2f}")
P
