#!/bin/sh
# NHT-1: the solver alone (classes W and A) and the overhead of the dumps.
# $1: the folder of the build trees. About two minutes.
set -eu
pario=$1/openmpi/bin/pario
tmp=$(mktemp -d "${TMPDIR:-/tmp}/pario-bench-nht.XXXXXX")
trap 'rm -rf "$tmp"' EXIT INT TERM

show() { # TEXT DOCUMENT
    python3 - "$1" "$2" <<'P'
import json, sys
d = json.load(open(sys.argv[2]))
s = d["summary"]
line = f"{sys.argv[1]}: T_C {s['t_c_s']:.3f} s"
if "compute_mops" in s:
    line += f", {s['compute_mops']:.0f} Mop/s"
if "t_t_s" in s:
    line += (f", T_T {s['t_t_s']:.3f} s, R_IO {s['r_io_bytes_per_s'] / 1e6:.1f} MB/s, "
             f"zeta {s['io_overhead']:.3f}, waiting {s['visible_io_s']:.3f} s")
if "btio_mbps" in s:
    line += f", BTIO {s['btio_mbps']:.0f} MB/s"
print(line, "" if d["valid"] else "INVALID")
P
}

for class in W A; do
    for n in 1 2 4; do
        timeout 300 "$pario" -n $n nht app --class $class --mode none --quiet \
            --force --output "$tmp/r.json" "$tmp"
        show "class $class, $n processes" "$tmp/r.json"
    done
done
for mode in full simple posix async thread; do
    timeout 300 "$pario" -n 2 nht app --class A --mode $mode --quiet --force \
        --output "$tmp/r.json" "$tmp"
    show "class A, 2 processes, $mode" "$tmp/r.json"
done
