#!/bin/sh
# Every shipped workload gives its reasons and is understood.
. "$(dirname "$0")/lib.sh"

for workload in "$PARIO_EXAMPLES"/workloads/*.prio; do
    case $(basename "$workload") in
    figure3* | figure4*)
        [ "$PARIO_HAVE_MPIIO" = 1 ] || continue
        ;;
    figure6*)
        continue # needs a device: raw.sh
        ;;
    esac
    grep -q '^#.*[a-z]' "$workload" || fail "$workload gives no reasons"
    processes=1
    ! grep -q '^\[mix' "$workload" || processes=2
    prio $processes --explain "$workload" target >text 2>err ||
        fail "$workload: $(cat err)"
done
