#!/bin/sh
# Recording, looking at and replaying programs: cases.sh CASE.
. "$(dirname "$0")/../../tests/cli/lib.sh"

# Files of the recorded programs are below target, those of replays below
# again.
mkdir again
here=$(pwd -P)

record() { # STATUS TRACE COMMAND...: one process
    want=$1 trace=$2
    shift 2
    run "$want" "$PARIO" record --output $trace --below target -- "$@"
}
record_n() { # STATUS PROCESSES TRACE COMMAND...
    want=$1 n=$2 trace=$3
    shift 3
    run "$want" "$PARIO" $(n_of $n) record --output $trace --below target -- "$@"
}
n_of() { [ $1 = 1 ] || echo "-n $1"; }
requests() { # TRACE FILE
    run 0 "$PARIO" trace --to requests $1
    cp out $2
}
# round_trip PROCESSES COMMAND...: recorded, replayed and recorded again, the
# requests are the same.
round_trip() {
    n=$1
    shift
    record_n 0 $n first "$@"
    replay_same $n
}
replay_same() {
    run 0 "$PARIO" $(n_of $1) record --output second --below again -- \
        "$PARIO" replay -q --output r.json "$here/first" again
    requests first first.txt
    requests second second.txt
    cmp first.txt second.txt || {
        diff first.txt second.txt | head -20
        fail "the replay made other requests"
    }
    [ "$(wc -l <first.txt)" -gt ${2:-10} ] || fail "hardly a request"
    valid_is r.json true
    [ -z "$(ls again)" ] || fail "the replay left files behind"
}
size_of() { stat -c %s "$1"; }
needs_mpi() { [ "$MPIIO" = 1 ] || skip "needs MPI-IO"; }

calls_are_recorded() {
    record 0 t "$PROGRAM" calls target
    requests t all
    # UCX, below MPICH, takes mmap for itself.
    grep -v '^mmap' all >found
    grep -v '^mmap' "$DATA/calls.txt" | diff - found ||
        fail "other calls than the program made"
    run 0 "$PARIO" trace t
    prints '1 process'
    prints 'pwrite +64 +strided 4 KiB'
    [ ! -e t.spool ] || fail "the folder of parts is still there"
}
million_writes_cost_bytes() {
    record 0 t "$PROGRAM" million target
    requests t found
    [ "$(grep -c '^pwrite' found)" = 1000000 ] || fail "not a million calls"
    [ "$(size_of t)" -lt 100000 ] || fail "$(size_of t) bytes for a loop"
}
posix_round_trip() { round_trip 1 "$PROGRAM" calls target; }
random_round_trip() { round_trip 1 "$PROGRAM" random target; }
threads_round_trip() {
    round_trip 1 "$PROGRAM" threads target
    [ "$(grep -c '^process 0 thread' first.txt)" = 4 ] || fail "not 4 threads"
}
children_are_processes() {
    record 0 t "$PROGRAM" children target
    says '1 of 3 processes did not end in order'
    requests t found
    # The parent, the child until it became another program, and that one.
    [ "$(grep -c '^process' found)" = 3 ] || fail "not 3 processes"
    grep -q '^inherit path=.*parent' found || fail "nothing was inherited"
    [ "$(grep -c '^pwrite file=0 offset=100 length=100$' found)" = 1 ] ||
        fail "the parent's calls"
}
killed_program_leaves_a_trace() {
    record 137 t "$PROGRAM" killed target
    says 'did not end in order'
    requests t found
    [ "$(grep -c '^pwrite' found)" -ge 999 ] || fail "calls are missing"
    # Nobody joined the parts: the folder itself can be read.
    PARIO_RECORD=$here/u PARIO_RECORD_BELOW=$here/target \
        LD_PRELOAD=$RECORDER "$PROGRAM" killed target
    run 0 "$PARIO" trace --to requests u.spool
    [ "$(grep -c '^pwrite' out)" -ge 999 ] || fail "calls are missing"
}
exit_without_end() {
    record 3 t "$PROGRAM" exits target
    requests t found
    [ "$(grep -c '^pwrite' found)" = 1000 ] || fail "calls are missing"
}
exit_status_is_the_programs() {
    record 7 t sh -c 'exit 7'
    says 'did no I/O that is recorded'
    record 127 t no-such-program-at-all
}
existing_trace_is_kept() {
    echo mine >t
    run 1 "$PARIO" record --output t -- true
    says 't exists'
    [ "$(cat t)" = mine ] || fail "it was overwritten"
    run 2 "$PARIO" record
    run 2 "$PARIO" record --resolution never -- true
}
anonymous_names() {
    run 0 "$PARIO" record --anonymous --output t --below target -- \
        "$PROGRAM" calls target
    requests t found
    ! grep -qE 'sub|data|target' found || fail "a name is in the trace"
    ! grep -qa 'sub/data' t || fail "a name is in the file"
    [ "$(grep -c '^pwrite' found)" = 64 ] || fail "calls are missing"
}
disk_full() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    mkdir small
    mount -t tmpfs -o size=600k none small || skip "cannot mount"
    trap 'umount "$here/small"; cleanup' EXIT INT TERM
    run 0 env PARIO_RECORD=$here/small/t PARIO_RECORD_BELOW=$here/target \
        "LD_PRELOAD=$RECORDER" "$PROGRAM" random target
    [ "$(size_of target/random)" -gt 1000000 ] || fail "the program suffered"
    run 0 "$PARIO" trace small/t.spool
    prints 'calls are missing: no room'
}
text_of_strace() {
    printf '%s\n' \
        '12 1700000000.000001 openat(AT_FDCWD, "/d/x", O_RDWR|O_CREAT, 0644) = 3 <0.000010>' \
        '12 1700000000.000100 pwrite64(3, "a, b\"..."..., 4096, 8192) = 4096 <0.000020>' \
        '12 1700000000.000200 read(3, <unfinished ...>' \
        '13 1700000000.000210 unlink("/d/y") = -1 ENOENT (No such file or directory) <0.000005>' \
        '12 1700000000.000300 <... read resumed>"", 100) = 0 <0.000100>' \
        '12 1700000000.000400 +++ exited with 0 +++' >s.txt
    run 0 "$PARIO" trace --from strace --to requests s.txt
    printf '%s\n' 'process 0 thread 0' \
        'open path="x" file=3 flags=read,write,create mode=644' \
        'pwrite file=3 offset=8192 length=4096' \
        'read file=3 length=100 -> 0 bytes' 'process 1 thread 0' \
        'unlink path="y" -> ENOENT' | diff - out || fail "read otherwise"
    run 0 "$PARIO" trace --from strace s.txt
    prints 'from strace: no MPI calls'
    run 0 "$PARIO" trace --from strace --to trace -o t s.txt
    run 0 "$PARIO" trace t
}
text_of_darshan() {
    record 0 t "$PROGRAM" random target
    run 0 "$PARIO" trace --to darshan-dxt-text -o d.txt t
    run 0 "$PARIO" trace --from darshan-dxt-text --to requests d.txt
    grep '^pwrite' out >found
    run 0 "$PARIO" trace --to requests t
    grep '^pwrite' out | cmp - found || fail "offsets or lengths are lost"
}
views_of_a_trace() {
    record 0 t "$PROGRAM" calls target
    run 0 "$PARIO" trace --format csv t
    prints '/sub/data",pwrite,1,64,262144,'
    run 0 "$PARIO" trace --format json t
    python3 -c 'import json; d = json.load(open("out"))
assert d["schema"] == "pario-profile/1" and len(d["processes"]) == 1
assert any(l["call"] == "pwrite" and l["strided"] == 62 for l in d["lines"])' ||
        fail "the JSON"
    run 0 "$PARIO" trace --format html -o p.html t
    grep -q '<svg' p.html || fail "no figure"
    run 0 "$PARIO" trace --to json t
    python3 -c 'import json
for line in open("out"): json.loads(line)' || fail "a line is no JSON"
    run 1 "$PARIO" trace --format html -o p.html t
    says 'exists'
    run 1 "$PARIO" trace no-such-file
    echo nonsense >n
    run 1 "$PARIO" trace n
    says 'no trace'
}
original_timing() {
    record 0 t "$PROGRAM" bursts target
    for timing in asap original scaled=0.5; do
        run 0 "$PARIO" replay -q --force --timing $timing --output r.json t \
            again
        eval "$(echo $timing | tr -d '=.')=$(sed -n \
            's/.*"replay_s": \([0-9.]*\).*/\1/p' r.json)"
    done
    # Ten pauses of 0.1 s; only that they were or were not made is tested.
    awk "BEGIN { exit !($asap < 0.9 && $original > 1 && $scaled05 > 0.5) }" ||
        fail "asap $asap s, original $original s, half $scaled05 s"
    run 2 "$PARIO" replay --timing later t again
}
replay_refuses() {
    record 0 t "$PROGRAM" calls target
    run 1 "$PARIO" replay -q none again
    run 2 "$PARIO" replay -q
    head -c 300 t >cut
    run 1 "$PARIO" replay -q --output r.json cut again
    needs_mpi
    run 2 "$PARIO" -n 2 replay -q t again
    says 'is of 1 process'
}
prepared_files() { # what a program only read must be there before
    head -c 100000 /dev/zero >target/input
    record 0 t cat target/input
    run 0 "$PARIO" replay -q --output r.json t again
    valid_is r.json true
    grep -q '"wrong_bytes": 0\|"errors": 0' r.json || fail "nothing checked"
}
mpi_round_trip() { needs_mpi; round_trip 2 "$MPI_PROGRAM" all target; }
four_processes() { needs_mpi; round_trip 4 "$MPI_PROGRAM" all target; }
mpi_requests() {
    needs_mpi
    record_n 0 2 t "$MPI_PROGRAM" all target
    requests t found
    cmp "$DATA/mpi.txt" found || {
        diff "$DATA/mpi.txt" found | head -20
        fail "other calls than the program made"
    }
}
mpi_abort() {
    needs_mpi
    want=any
    "$PARIO" -n 2 record --output t --below target -- "$MPI_PROGRAM" abort \
        target >out 2>err && fail "the status is lost"
    requests t found
    grep -q '^File_write_all' found || fail "calls are missing"
}
rank_killed() {
    needs_mpi
    "$PARIO" -n 2 record --output t --below target -- "$MPI_PROGRAM" killed \
        target >out 2>err && fail "the status is lost"
    requests t found
    grep -q 'process 1 thread' found || fail "the killed process is missing"
    [ "$(grep -c '^File_write_all' found)" = 10 ] || fail "calls are missing"
}
under_shipio() {
    needs_mpi
    run 0 "$PARIO" -n 2 record --under shipio --output first --below target -- \
        env SHIPIO_STATS=1 "$MPI_PROGRAM" all target
    says 'shipio: .*views'
    replay_same 2
}
hdf5_round_trip() {
    [ -n "$HDF5" ] && [ -x "$HDF5" ] || skip "needs HDF5"
    round_trip 2 "$HDF5" target
}
fortran_round_trip() {
    [ -n "$FORTRAN" ] && [ -x "$FORTRAN" ] || skip "needs Fortran"
    round_trip 2 "$FORTRAN" target
    [ "$(grep -c '^File_write_at_all' first.txt)" = 20 ] || fail "calls"
    grep -q '^Wait request=0' first.txt || fail "no completion"
    grep -q '^open path="text"' first.txt || fail "no record"
}
beffio_round_trip() {
    needs_mpi
    round_trip 2 "$PARIO" beffio -q -T 1 --mpart 2M --output b.json target
}
iot_round_trip() {
    needs_mpi
    {
        for t in single sinunix mulunix; do
            printf 'classname Lowlevel\ntestname %s\n' $t
            printf 'filename target/a\nnumruns 1\nfilesize 0.4\nblocksize 0.04\n'
        done
        for c in true false; do
            printf 'classname Lowlevel\ntestname multiple\nfilename target/a\n'
            printf 'collective %s\nnumruns 1\nfilesize 0.5\nblocksize 0.1\n' $c
        done
        printf 'classname Lowlevel\ntestname multipleI\nfilename target/a\n'
        printf 'collective false\ntasklength 100\nnumruns 1\n'
        printf 'filesize 0.5\nblocksize 0.1\n'
        printf 'classname Kernel\ntestname matrix2D\nfilename target/a\n'
        printf 'problemsize 32\ncollective true\n'
        printf 'numprocgrids 1\nxproc 1\nyproc 2\n'
        printf 'classname Kernel\ntestname transpose\nfilename target/a\n'
        printf 'problemsize 32\ncollective true\n'
        printf 'classname Kernel\ntestname nonseq\nfilename target/a\n'
        printf 'filesize 0.4\nnumblocksize 1\nblocksize 0.004\n'
        printf 'numupdate 1\nupdate_frac 0.5\n'
        printf 'classname Kernel\ntestname irregular\nfilename target/a\n'
        printf 'xsize 12\nysize 9\nscramble 16\ncollective true\n'
    } >p.in
    round_trip 2 "$PARIO" iot p.in -q --output i.json
}
"$1"
