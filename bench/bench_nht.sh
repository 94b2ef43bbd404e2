#!/bin/sh
# NHT-1: the solver alone (classes W and A) beside NPB's own program, and the
# overhead of the dumps. $1: the folder of the build trees. About two minutes.
set -eu
pario=$1/openmpi/bin/pario
tmp=$(mktemp -d "${TMPDIR:-/tmp}/pario-bench-nht.XXXXXX")
trap 'rm -rf "$tmp"' EXIT INT TERM

# npb CLASS PROCESSES: seconds of NPB 3.4.1's own Fortran BT (gfortran 12, -O3
# -march=native, Open MPI 4.1.4, 2026-11-15) on a 2-core virtual machine of
# the same kind, not otherwise idle: the best of its runs.
npb() {
    case $1$2 in
    W1) echo 1.48 ;; # of 4 runs
    W4) echo 1.14 ;; # of 4 runs
    A1) echo 83.5 ;; # 1 run, loaded machine
    A4) echo 30.6 ;; # 1 run
    esac
}

show() { # TEXT DOCUMENT [NPB'S SECONDS]
    python3 - "$@" <<'P'
import json, sys
d = json.load(open(sys.argv[2]))
s = d["summary"]
line = f"{sys.argv[1]}: T_C {s['t_c_s']:.3f} s"
if "compute_mops" in s:
    line += f", {s['compute_mops']:.0f} Mop/s"
if len(sys.argv) > 3 and sys.argv[3]:
    npb = float(sys.argv[3])
    line += f"; NPB's own {npb:.2f} s, ratio {s['t_c_s'] / npb:.2f}"
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
        show "class $class, $n processes" "$tmp/r.json" "$(npb $class $n)"
    done
done
echo "ratio: seconds of pario / seconds of NPB's program, not measured side by side"
for mode in full simple posix async thread; do
    timeout 300 "$pario" -n 2 nht app --class A --mode $mode --quiet --force \
        --output "$tmp/r.json" "$tmp"
    show "class A, 2 processes, $mode" "$tmp/r.json"
done
