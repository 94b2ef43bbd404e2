#!/bin/sh
# Without MPI: the processes that `pario -n N` starts end together, leave
# nothing behind, and agree on the failure of one.
. "$(dirname "$0")/lib.sh"

cat >long.prio <<'WORKLOAD'
[single_file]
data 1M
patterns read_write
methods posix
time 60s
WORKLOAD

# Waits until the run has made its directory.
begin() {
    "$PARIO" -n 3 prio long.prio target -q -o out.json --force 2>err &
    pid=$!
    tries=0
    while [ -z "$(find target -name '*.2' 2>/dev/null)" ]; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || fail "it did not begin: $(cat err)"
        sleep 0.1
    done
}

end() { # STATUS WHAT
    status=0
    wait $pid || status=$?
    [ "$status" -eq "$1" ] || fail "status $status after $2"
    tries=0
    while [ -n "$(ls target)" ]; do # the janitor is at work
        tries=$((tries + 1))
        [ $tries -lt 50 ] || fail "files are left after $2"
        sleep 0.1
    done
}

begin
kill -INT $pid
end 130 "an interrupt"
begin
kill -KILL "$(pgrep -P $pid | tail -n 1)"
end 1 "the death of one process"
