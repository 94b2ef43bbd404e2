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
# requests are the same. Ranks that wait leave the core to others.
round_trip() {
    export OMPI_MCA_mpi_yield_when_idle=1
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
    grep -q '"checked_bytes": [1-9]' r.json || grep -q '"unverified"' r.json ||
        fail "what was written is not read back, and that is not said"
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
million_writes_cost_bytes() { # times are shared, however long it takes
    run 0 "$PARIO" record --resolution 3600 --output t --below target -- \
        "$PROGRAM" million target
    requests t found
    [ "$(grep -c '^pwrite' found)" = 1000000 ] || fail "not a million calls"
    [ "$(size_of t)" -lt 100000 ] || fail "$(size_of t) bytes for a loop"
}
posix_round_trip() { round_trip 1 "$PROGRAM" calls target; }
streams_round_trip() { # of descriptors; vectors with flags
    round_trip 1 "$PROGRAM" streams target
    grep -v '^process' first.txt >found
    printf '%s\n' 'open path="data" file=0 flags=read,write,create mode=644' \
        'pwritev file=0 offset=4096 length=128 pieces=2' \
        'writev file=0 length=128 pieces=2' 'writev file=0 length=64 pieces=1' \
        'preadv file=0 offset=4096 length=128 pieces=2' \
        'readv file=0 length=64 pieces=1' 'fseek_end file=0 distance=0' \
        'fwrite file=0 length=32' 'fflush file=0' 'fseek_set file=0 offset=0' \
        'fread file=0 length=32' 'fsync file=0' 'fclose file=0' >wanted
    head -13 found | diff - wanted || fail "other calls than the program made"
}
calls_of() { # WAY: recorded, replayed, recorded again; the calls alone
    rm -rf first second r.json target/*
    round_trip 1 "$PROGRAM" $1 target
    grep -v '^process' first.txt >found
}
descriptors_round_trip() { # the end of a file whose last number is taken
    calls_of descriptors
    printf '%s\n' 'open path="first" file=0 flags=read,write,create mode=644' \
        'open path="second" file=1 flags=read,write,create mode=644' \
        'pwrite file=0 offset=0 length=8' 'pwrite file=0 offset=8 length=8' \
        'pwrite file=1 offset=0 length=16' 'pwrite file=0 offset=16 length=8' \
        'close file=0' 'pwrite file=1 offset=16 length=16' 'fsync file=1' \
        'close file=1' |
        diff - found || fail "other calls than the program made"
}
temporaries_round_trip() {
    calls_of temporaries
    sed -E 's/[-](X*)[a-zA-Z0-9]{6}(["_.])/-\1\2/; s/nameless-[0-9a-f-]*/nameless/
        s,target/,,' found | sed -E 's,path="[^"]*/,path=",' >calls
    new='flags=read,write,create,excl'
    printf '%s\n' "open path=\"a-\" file=0 $new mode=600" \
        'write file=0 length=8' 'close file=0' \
        "open path=\"b-.txt\" file=0 $new mode=600" \
        'write file=0 length=16' 'close file=0' \
        "open path=\"d-\" file=0 $new,append mode=600" \
        'write file=0 length=24' 'close file=0' \
        "open path=\"e-.txt\" file=0 $new,sync mode=600" \
        'write file=0 length=32' 'close file=0' \
        'mkdir path="c-" mode=700' 'rmdir path="c-"' \
        "open path=\"nameless\" file=0 $new mode=600" \
        'unlink path="nameless"' 'write file=0 length=48' 'close file=0' |
        diff - calls || fail "other calls than the program made"
    run 0 "$PARIO" record --output t --below /tmp -- \
        "$PROGRAM" temporaries target
    requests t all
    grep -A3 '^fopen.*nameless-[0-9a-f]*-1" ' all |
        grep -qx 'fwrite file=0 length=40' || fail "tmpfile"
}
copies_round_trip() {
    calls_of copies
    sed -n '5,15p' found >calls
    for call in 'read file=0 length=4096' 'write file=1 length=4096' \
        'pread file=0 offset=0 length=8192' \
        'pwrite file=1 offset=8192 length=8192' \
        'pread file=0 offset=4096 length=4096' 'write file=1 length=4096' \
        'read file=0 length=4096' 'write file=1 length=4096' \
        'read file=0 length=1 -> 0 bytes' 'pread file=0 offset=64 length=512' \
        'pwrite file=1 offset=16384 length=512'; do
        echo "$call"
    done | diff - calls ||
        fail "other calls than the program made"
    head -c 300000 /dev/zero >target/big
    record 0 t cp target/big target/copy
    moved_at t bytes
    printf '%s\n' 'big 300000 0' 'copy 0 300000' | diff - bytes ||
        fail "what cp copies"
}
formats_round_trip() {
    calls_of formats
    for call in 'fopen path="text" file=0 flags=read,write,create,trunc' \
        'fwrite file=0 length=7' 'fclose file=0' \
        'fopen path="second" file=0 flags=read,write,create,trunc' \
        'fwrite file=0 length=14' 'fwrite file=0 length=10' \
        'fseek_set file=0 offset=0' 'fread file=0 length=8' \
        'fread file=0 length=6' 'fread file=0 length=4' \
        'fseek_set file=0 offset=0' 'fread file=0 length=14' 'fclose file=0' \
        'fopen path="none/none" file=-1 flags=read -> ENOENT' \
        'fopen path="log" file=0 flags=write,create,trunc' \
        'fwrite file=0 length=7' 'fwrite file=0 length=4' \
        'fwrite file=0 length=1' 'fflush file=0' 'fclose file=0' \
        'open path="text" file=0 flags=write,append mode=0' \
        'write file=0 length=4' \
        'write file=0 length=5' 'close file=0' 'stat path="text"' \
        'rename path="text" to="new"'; do
        echo "$call"
    done | diff - found || fail "other calls than the program made"
    record 0 t "$PROGRAM" forked-stream target
    requests t all
    grep -A3 '^process 1 ' all | tail -n 3 >calls
    printf '%s\n' 'inherit path="stream" file=0 flags=write,create,trunc' \
        'fwrite file=0 length=4' 'fclose file=0' | diff - calls ||
        fail "the child's calls on its parent's stream"
}
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
    # The child waits for the file that its parent makes.
    for i in 1 2 3 4 5 6 7 8; do
        run 0 "$PARIO" replay -q --force --output r.json t again
    done
}
inherited_and_gone() { # 40 files, 3 s for each would be 120 s
    for way in heirs late-heirs; do
        record 0 t "$PROGRAM" $way target
        requests t found
        [ "$(grep -c '^inherit path="gone' found)" = 40 ] || fail "no heirs"
        # Valid only where the child is lucky.
        timeout -k 5 60 "$PARIO" replay -q --force --output r.json t again \
            >out 2>err </dev/null
        have=$?
        [ $have -le 1 ] || fail "status $have of the replay of $way"
        rm -rf t target/*
    done
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
# Somebody else's folder under the name of the recording's: before it, without
# a target yet, and in the middle.
planted_folder_is_left_alone() {
    mkdir dl
    for name in movie.part x.live 0123456789abcdef-0.part; do echo >dl/$name; done
    ls dl >before
    ln -s dl t.spool
    run 1 "$PARIO" record --force --output t -- true
    says 'no folder of a recording'
    ln -s later u.spool
    run 1 "$PARIO" record --output u -- mv dl later
    [ -e dl ] || fail "the program was started"
    run 1 "$PARIO" record --output v --below target -- sh -c \
        'mv v.spool ours; ln -s dl v.spool; exec "$@"' sh "$PROGRAM" calls target
    says 'another folder has taken the name'
    run 1 "$PARIO" record --output x --below target -- sh -c \
        'mv x.spool ours2; mkdir x.spool; exec "$@"' sh "$PROGRAM" calls target
    says 'another folder has taken the name'
    [ -z "$(ls x.spool)" ] || fail "written into somebody else's folder"
    [ ! -e v ] && [ ! -e x ] || fail "a trace without calls"
    mkdir w.spool
    for name in holiday.part 2-0.ranks; do echo >w.spool/$name; done
    run 1 "$PARIO" record --force --output w -- true
    says 'no recorder.s'
    [ "$(ls w.spool | wc -l)" = 2 ] || fail "files of others are gone"
    ls dl | diff before - || fail "files of others are gone, or there are more"
}
# Somebody else's trace comes to the name while the program runs.
trace_that_comes_meanwhile_is_kept() {
    record 0 other "$PROGRAM" calls target
    cp other before
    run 1 "$PARIO" record --output t --below target -- \
        sh -c 'cp other t; exec "$@"' sh "$PROGRAM" random target
    says 't exists and is kept'
    cmp t before || fail "a trace of somebody else's was changed"
    [ "$(stat -c %a t.spool)" = 700 ] || fail "others may read the parts"
    run 0 "$PARIO" trace --to trace -o mine t.spool
    requests mine found
    grep -q '^pwrite' found || fail "the recording is lost"
    run 1 "$PARIO" trace --to trace -o before t.spool
    cmp other before || fail "a trace was overwritten"
    run 0 "$PARIO" record --force --output t --below target -- \
        "$PROGRAM" random target
    requests t same
    cmp found same || fail "not the same requests"
    [ ! -e t.spool ] || fail "the folder of parts is still there"
}
joined_in_the_folder() {
    needs_mpi
    echo mine >before
    run 1 "$PARIO" -n 2 record --output t --below target -- \
        sh -c 'cp before t; exec "$@"' sh "$MPI_PROGRAM" all target
    says 't exists and is kept'
    cmp t before || fail "a file of somebody else's was changed"
    ls t.spool | grep -q joined.part || fail "the ranks did not join their parts"
    run 0 "$PARIO" trace t.spool
    prints '2 processes'
}
exit_while_threads_write() {
    for i in 1 2 3 4 5 6 7 8; do
        record 0 t$i "$PROGRAM" exiting target
        requests t$i found
        [ "$(grep -c '^process 0 thread' found)" = 3 ] || fail "not 3 threads"
        [ "$(grep -c '^pwrite' found)" -gt 300 ] || fail "calls are missing"
        ! grep -v '^process\|^open\|^pwrite file=[0-2] offset=[0-9]* length=8$' \
            found || fail "calls that were not made"
    done
}
handlers_do_io() {
    run 0 timeout 60 "$PARIO" record --output t --below target -- \
        "$PROGRAM" handler target
    requests t found
    grep -q '^open path="main' found || fail "the program's calls are missing"
    grep -q '^open path="handler' found || fail "the handler's calls are missing"
}
handlers_displace_and_fork() {
    for way in displacing forking; do
        rm -rf t
        run 0 timeout 60 "$PARIO" record --output t --below target -- \
            "$PROGRAM" $way target
        requests t found
        grep -q '^open path="main"' found || fail "the calls are missing"
    done
    grep -q '^pwrite file=0 offset=0 length=8' found ||
        fail "the children's calls are missing"
}
vfork_and_close_range() {
    record 0 t "$PROGRAM" corners target
    requests t all
    grep -A99 '^process 0 ' all | grep -B99 '^process 1 ' | grep -v '^process' \
        >found || sed 1d all >found
    printf '%s\n' 'open path="corners" file=0 flags=read,write,create mode=644' \
        'pwrite file=0 offset=0 length=16' 'close file=0' \
        'open path="other" file=0 flags=write,create mode=644' \
        'pwrite file=0 offset=64 length=32' 'close file=0' | diff - found ||
        fail "other calls than the program made"
}
# Whatever a program does with its descriptors, no byte of the trace gets into
# its files, and the numbers are those that it has without the recorder.
descriptors_are_the_programs() {
    mkdir plain
    for limit in 1024 256; do
        rm -rf t target plain
        mkdir target plain
        ulimit -S -n $limit
        run 0 "$PROGRAM" numbers plain
        record 0 t "$PROGRAM" numbers target
        diff -r plain target || fail "the program's files are others"
        requests t found
        [ "$(grep -c '^pwrite' found)" = 140000 ] || fail "calls are missing"
        [ "$(grep -c '^open' found)" = 5 ] || fail "not 5 files"
    done
    for shell in sh bash; do
        run 0 "$PARIO" record --output t.$shell --below target -- $shell -c \
            'exec 3>target/log; echo hello >&3; ls target >&3; echo end >&3'
        [ "$(head -n 1 target/log)" = hello ] &&
            [ "$(tail -n 1 target/log)" = end ] || fail "$shell wrote otherwise"
        ! grep -qa PARIO target/log || fail "a trace is in the file of $shell"
    done
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
    # By file in the text and by time in the trace; what MPI-IO asked for and
    # what it made of that are the same bytes.
    printf '%s\n' '# exe: /bin/solver -i 4' \
        '# DXT, file_id: 1, file_name: /d/x' \
        ' X_POSIX 1 write 0 0 4096 0.5000 0.6000 N/A' \
        ' X_POSIX 1 write 1 4096 4096 1.5000 1.6000 N/A' \
        '# DXT, file_id: 2, file_name: /d/y' \
        ' X_POSIX 1 read 0 0 100 1.0000 1.1000 N/A' \
        '# DXT, file_id: 1, file_name: /d/x' \
        ' X_MPIIO 0 write 0 0 4096 0.4000 1.7000 N/A' \
        ' X_MPIIO 1 write 0 4096 4096 0.4000 1.7000 N/A' \
        '# DXT, file_id: 3, file_name: /d/z' \
        ' X_MPIIO 1 write 0 0 50 2.0000 2.1000 N/A' >d2.txt
    run 0 "$PARIO" trace --from darshan-dxt-text --to requests d2.txt
    grep -v '^open' out >found
    printf '%s\n' 'process 0 thread 0' 'pwrite file=0 offset=0 length=4096' \
        'pread file=1 offset=0 length=100' \
        'pwrite file=0 offset=4096 length=4096' \
        'pwrite file=2 offset=0 length=50' | diff - found || fail "read otherwise"
    run 0 "$PARIO" trace --from darshan-dxt-text d2.txt
    prints '^solver: 1 process, 1.60 s'
}
# One file per rank, as recorder2text makes them: calls of MPI-IO stand above
# those of the C library that they made.
text_of_recorder() {
    mkdir text
    for rank in 0 1; do
        printf '%s\n' \
            "0.001 0.002 MPI_File_open 0 1 ( comm /d/x 5 %p %p )" \
            "0.001100 0.001200 open 1 0 ( /d/x 66 420 )" \
            "0.002 0.003 pwrite64 1 0 ( /d/x %p 4096 $((rank * 4096)) )" \
            "0.003 0.004 lseek 0 0 ( /d/x 0 0 )" \
            "0.004 0.005 read 0 0 ( /d/x %p 100 )" \
            "0.005 0.006 write 0 0 ( /d/never-opened %p 100 )" \
            "0.006 0.007 close 0 0 ( /d/x )" \
            "0.007 0.008 fopen 0 0 ( /d/y w )" \
            "0.008 0.009 fwrite 0 0 ( %p 8 16 /d/y )" \
            "0.009 0.010 fclose 0 0 ( /d/y )" \
            "0.010 0.011 rename 0 0 ( /d/y /d/z )" >text/$rank.txt
    done
    run 0 "$PARIO" trace --from recorder-text --to requests text
    for rank in 0 1; do
        printf '%s\n' "process $rank thread 0" \
            'open path="x" file=0 flags=read,write,create mode=644' \
            "pwrite file=0 offset=$((rank * 4096)) length=4096" \
            'lseek_set file=0 offset=0' 'read file=0 length=100' \
            'close file=0' 'fopen path="y" file=0 flags=write,create,trunc' \
            'fwrite file=0 length=128' 'fclose file=0' \
            'rename path="y" to="z"'
    done | diff - out || fail "read otherwise"
    # More files than there are slots: the first makes way. The file that was
    # opened last is meant, whatever its slot.
    {
        for i in $(seq 257); do
            echo "0.$((1000 + i)) 0.2 open 0 0 ( /d/$i 0 )"
        done
        echo "0.3 0.4 read 0 0 ( /d/257 %p 100 )"
        echo "0.4 0.5 close 0 0 ( /d/4 )"
        echo "0.5 0.6 open 0 0 ( /d/9 0 )"
        echo "0.6 0.7 read 0 0 ( /d/9 %p 7 )"
    } >many.txt
    run 0 "$PARIO" trace --from recorder-text --to requests many.txt
    tail -n 6 out >end
    printf '%s\n' 'close file=0' 'open path="257" file=0 flags=read mode=644' \
        'read file=0 length=100' 'close file=3' \
        'open path="9" file=3 flags=read mode=644' 'read file=3 length=7' |
        diff - end || fail "a file has the slot of another"
    run 1 "$PARIO" trace --from strace text
    says 'Is a directory'
    run 0 "$PARIO" trace --from recorder-text text/1.txt
    prints 'from Recorder: calls of the C library alone'
    mkdir empty
    run 1 "$PARIO" trace --from recorder-text empty
    says 'no 0.txt'
}
# A log is read by Darshan's own parser, where there is one.
log_of_darshan() {
    record 0 t "$PROGRAM" random target
    run 0 "$PARIO" trace --to darshan-dxt-text -o d.txt t
    mkdir bin
    printf '#!/bin/sh\n[ "$1" = a.darshan ] && cat d.txt\n' >bin/darshan-dxt-parser
    chmod +x bin/darshan-dxt-parser
    echo log >a.darshan
    echo log >b.darshan
    run 0 env "PATH=$here/bin:$PATH" "$PARIO" trace --from darshan \
        --to requests a.darshan
    grep '^pwrite' out >found
    requests t all
    grep '^pwrite' all | cmp - found || fail "offsets or lengths are lost"
    run 1 env "PATH=$here/bin:$PATH" "$PARIO" trace --from darshan b.darshan
    says 'could not read the log'
    run 1 env PATH=/nowhere "$PARIO" trace --from darshan a.darshan
    says 'needs darshan-dxt-parser'
    run 2 "$PARIO" trace --from nobody a.darshan
}
# What OTF2's own reader finds in the archive is what the trace has.
archive_of_otf2() {
    [ -n "$READ_OTF2" ] && [ -x "$READ_OTF2" ] || skip "needs OTF2"
    record 0 t "$PROGRAM" random target
    run 0 "$PARIO" trace --to otf2 -o archive t
    run 0 "$READ_OTF2" archive/traces.otf2
    awk '$2 == "write" { print $3, $4 }' out >found
    requests t all
    sed -n 's/^pwrite .* offset=\([0-9]*\) length=\([0-9]*\)$/\2 \1/p' all |
        cmp - found || fail "offsets or lengths are lost"
    [ "$(wc -l <found)" -gt 100 ] || fail "hardly a write"
    run 1 "$PARIO" trace --to otf2 -o archive t
    says 'exists'
    run 2 "$PARIO" trace --to otf2 t
    [ "$MPIIO" = 1 ] || return 0
    record_n 0 2 m "$MPI_PROGRAM" all target
    run 0 "$PARIO" trace --to otf2 -o views m
    run 0 "$READ_OTF2" views/traces.otf2
    grep '^view' out | sed 's/^view //' | sort -u >found
    requests m all
    sed -n 's/^File_set_view.* filetype="\([^"]*\)".*/\1/p' all | sort -u |
        diff - found || fail "views are lost"
}
# Two processes in turn, a file that is written and read again: said in words,
# numbers and pictures.
what_stands_out() {
    record 0 t python3 -c 'import os, time
fd = os.open("target/f", os.O_CREAT | os.O_RDWR)
for i in range(64): os.pwrite(fd, bytes(65536), 65536 * i)
time.sleep(0.02)
for i in range(32): os.pread(fd, 65536, 65536 * i)
other = os.open("target/g", os.O_CREAT | os.O_RDWR)
os.write(other, bytes(4096))
os.pread(other, 4096, 65536)'
    run 0 "$PARIO" trace t
    prints 'f: 100 % of what is read there \(2 MiB\) was written by this program'
    prints 'by file'
    run 0 "$PARIO" trace --format json t
    python3 -c 'import json; d = json.load(open("out"))
files = {f["file"].split("/")[-1]: f for f in d["files"]}
assert files["f"]["reread_share"] == 1 and files["f"]["written_bytes"] == 4 << 20
assert files["g"]["reread_share"] == 0
assert d["concurrency"]["most"] == 1 and 0 < d["concurrency"]["any_share"] < 1' ||
        fail "the JSON"
    run 0 "$PARIO" trace -o p.html t
    grep -q 'Where in the files, and when' p.html || fail "no heat map"
    grep -c 'fill="#d55e00"' p.html | grep -qE '^[1-9][0-9]' || fail "no cells"
}
views_of_a_trace() {
    record 0 t "$PROGRAM" calls target
    run 0 "$PARIO" trace --format csv t
    prints '/sub/data,pwrite,1,64,262144,'
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
# Another directory takes the name of the run's: calls by name go on in ours.
replaced_directory_is_left_alone() {
    record 0 t "$PROGRAM" names target
    mkdir stranger
    echo precious | tee stranger/victim >stranger/other
    timeout -k 5 60 "$PARIO" replay -q --timing original --output r.json t again \
        >out 2>err </dev/null &
    while ! ls again/pario-*/begun >/dev/null 2>&1; do
        kill -0 $! || fail "ended too early"
        sleep 0.05
    done
    name=$(echo again/pario-*)
    mv "$name" away
    ln -s ../stranger "$name"
    wait $! # whatever came of the run itself
    [ "$(cat stranger/victim stranger/other | sort -u)" = precious ] ||
        fail "a file of somebody else was changed: $(ls -l stranger)"
    eventually [ ! -d away ] || fail "our own directory is still there"
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
refused() { # KIND MESSAGE: with a message, no fault
    "$HOSTILE" $1 h || fail "no trace of $1"
    run 1 timeout 60 "$PARIO" replay -q --force --output r.json h again
    says "$2"
    rm h
}
# Little to read may not cost much: seconds, and 1 GiB of addresses.
costs_little() { # STATUS COMMAND...
    want=$1
    shift
    run "$want" timeout 30 sh -c 'ulimit -v 1048576; exec "$@"' sh "$@"
}
hostile_traces_cost_little() {
    "$HOSTILE" loops h
    for command in "trace h" "replay --dry-run h"; do
        costs_little 1 "$PARIO" $command
        says 'more than 100 million calls'
    done
    # A call that is a line of text costs more; 10.2 million of them.
    "$HOSTILE" lines l
    for to in json requests darshan-dxt-text; do
        costs_little 1 "$PARIO" trace --to $to l
        says 'more than 10 million calls'
    done
    costs_little 0 "$PARIO" trace l
    # What is counted is calls: 64 in 8 loops.
    "$HOSTILE" few f
    run 0 "$PARIO" trace --max-calls 64 f
    run 1 "$PARIO" trace --max-calls 63 f
    says 'more than 63 calls'
    costs_little 0 "$PARIO" trace --to trace -o copy h
    run 124 timeout 1 "$PARIO" trace --max-calls 1000000000000 h
    for kind in types lists; do
        "$HOSTILE" $kind h
        costs_little 0 "$PARIO" trace h
    done
    "$HOSTILE" holes h
    costs_little 0 "$PARIO" trace h
    says 'strings are damaged'
    "$HOSTILE" nowhere h # no pieces at all, and less than one of them
    run 0 "$PARIO" trace h
    prints '2 processes'
    run 0 "$PARIO" trace --to json h
    [ "$(grep -c '"pieces":2' out)" = 2 ] || fail "pieces that are none"
}
replay_refuses_hostile_traces() {
    refused sizes 'not enough space'
    refused long 'needs 1099511627776 bytes'
    refused negative 'needs -1 bytes'
    refused after-error 'needs 1099511627776 bytes'
}
replay_knows_what_is_closed() {
    for kind in closed number; do
        "$HOSTILE" $kind h
        run 1 "$PARIO" replay -q --force --output r.json h again
        says 'the run is not valid'
        grep -q 'result -9, recorded 0' r.json || fail "$kind: not refused"
        rm h r.json
    done
}
replay_refuses_hostile_calls_of_mpi() {
    needs_mpi
    refused count '8589934592 elements'
    refused negative-count ' -5 elements'
    refused count-after-error 'bytes of memory'
    refused backwards 'bytes of memory'
    refused overflow 'datatype'
    refused far 'bytes of memory'
    refused no-type 'datatype'
    refused nobody 'not in'
    refused twice 'group'
    refused others 'group'
    "$HOSTILE" messages h # none is waited for in vain
    run 1 timeout 60 "$PARIO" replay -q --force --output r.json h again
    grep -q '"calls": 8' r.json || fail "calls are missing"
    for kind in early own; do # received before it was sent, by the sender
        "$HOSTILE" $kind h
        run 0 timeout 60 "$PARIO" replay -q --force --output r.json h again
    done
    "$HOSTILE" both h # two threads that may take each other's
    run 0 timeout 60 "$PARIO" -n 2 replay -q --force --output r.json h again
    "$HOSTILE" requests h
    run 0 timeout 60 "$PARIO" replay -q --force --output r.json h again
}
fewer_processes() { # of 4 recorded ones, in threads
    for i in 1 2 3 4; do
        mkdir target/$i
    done
    record 0 t sh -c 'for i in 1 2 3 4; do "$0" calls target/$i & done; wait' \
        "$PROGRAM"
    run 0 "$PARIO" replay -q --output r.json t again
    valid_is r.json true
    grep -q 'of copy c of 1 is played by rank (4 c + p) mod 1' r.json ||
        fail "the mapping is not said"
    calls=$(sed -n 's/.*"calls": \([0-9][0-9]*\).*/\1/p' r.json)
    requests t found
    [ "$calls" = "$(grep -vc '^process' found)" ] ||
        fail "$calls calls are not those of 4 processes"
    run 2 "$PARIO" -n 5 replay -q t again
}
amplified() {
    record 0 t "$PROGRAM" random target
    run 0 "$PARIO" replay -q --output r1.json t again
    run 0 "$PARIO" $(n_of ${MPI:+2}) replay -q --amplify 4 --output r4.json t \
        again
    valid_is r4.json true
    calls=$(sed -n 's/.*"calls": \([0-9][0-9]*\).*/\1/p' r1.json)
    grep -q "\"calls\": $((4 * calls))" r4.json || fail "not four times"
    [ -z "$(ls again)" ] || fail "the replay left files behind"
}
# The same bytes at the same places, whatever moves them: what was MPI-IO by
# system calls, system calls by MPI-IO, seen by the recorder.
moved_at() { # FILE: bytes by file and direction, of any interface
    run 0 "$PARIO" trace --format json $1
    python3 -c 'import json
for f in sorted(json.load(open("out"))["files"], key=lambda f: f["file"]):
    name = f["file"].split("/")[-1]
    if f["read_bytes"] + f["written_bytes"] > 0:
        print(name, f["read_bytes"], f["written_bytes"])' >$2
}
other_interfaces() {
    record 0 t "$PROGRAM" random target
    moved_at t wanted
    for interface in posix uring ${MPIIO:+mpiio}; do
        [ "$interface" != mpiio ] || [ "$MPIIO" = 1 ] || continue
        run 0 "$PARIO" record --force --output u --below again -- "$PARIO" \
            replay -q --force --interface $interface --output r.json \
            "$here/t" again
        valid_is r.json true
        grep -q "\"interface\": \"$interface\"" r.json || fail "not said"
        requests u found
        case $interface in
        mpiio) grep -q '^File_write_at ' found || fail "no MPI-IO" ;;
        posix) grep -q '^pwrite ' found || fail "no pwrite" ;;
        uring) ! grep -q '^pwrite ' found || fail "system calls" && continue ;;
        esac
        moved_at u found
        diff wanted found || fail "$interface moved something else"
    done
    run 2 "$PARIO" replay -q --interface telepathy t again
}
other_interfaces_mpi() {
    needs_mpi
    record_n 0 2 t "$MPI_PROGRAM" views target
    moved_at t wanted
    for interface in posix uring; do
        run 0 "$PARIO" -n 2 record --force --output u --below again -- "$PARIO" \
            replay -q --force --interface $interface --output r.json \
            "$here/t" again
        valid_is r.json true
        requests u found
        ! grep -q '^File_write' found || fail "MPI-IO"
        [ $interface = posix ] || continue
        moved_at u found
        diff wanted found || fail "$interface moved something else"
    done
    record_n 0 2 s "$MPI_PROGRAM" all target
    run 2 "$PARIO" -n 2 replay -q --interface posix s again
    says 'go by shared pointers, or append'
}
# A section of a workload: by itself, and beside another part and a process
# that nobody needs.
workload_section() {
    record 0 run.trace "$PROGRAM" random target
    mkdir traces
    mv run.trace traces
    printf '%s\n' '[replay traces/run.trace]' 'repetitions 2' 'processes 1' \
        >w.prio
    run 0 "$PARIO" prio -q --output r.json w.prio again
    valid_is r.json true
    [ "$(grep -c '"test": "replay"' r.json)" = 2 ] || fail "not twice"
    requests traces/run.trace found
    calls=$(grep -vc '^process' found)
    grep -q "\"calls\": $calls" r.json || fail "not $calls calls"
    [ -z "$(ls again)" ] || fail "files are left"
    cp w.prio v.prio
    printf '%s\n' '[replay]' >>v.prio
    run 2 "$PARIO" prio -q v.prio again
    says 'v.prio:4: replay: which trace'
    sed -i 's/processes 1/timing later/' w.prio
    run 2 "$PARIO" prio -q w.prio again
    says 'w.prio:1: run.trace: --timing'
    [ "$MPI" = 1 ] || return 0
    printf '%s\n' '[replay played]' 'trace traces/run.trace' \
        'interface uring' '[single_file written]' 'patterns write' \
        'methods posix' 'data 256k' '[mix]' 'played 1' 'written 1' \
        'time 0.2s' >m.prio
    run 0 "$PARIO" -n 3 prio -q --output m.json m.prio again
    valid_is m.json true
    [ "$(grep -c '"mix": "mix"' m.json)" = 2 ] || fail "not two parts"
    [ -z "$(ls again)" ] || fail "files are left"
}
workload_of() { sed -n 's/.*"workload": "\([0-9a-f]*\)".*/\1/p' "$1"; }
trace_is_the_workload() {
    record 0 t "$PROGRAM" random target
    rm -rf target/*
    record 0 u "$PROGRAM" calls target
    cp t v
    for trace in t u v; do
        run 0 "$PARIO" replay -q --output $trace.json $trace again
    done
    [ -n "$(workload_of t.json)" ] || fail "no workload"
    [ "$(workload_of t.json)" = "$(workload_of v.json)" ] ||
        fail "a copy of the trace is another workload"
    [ "$(workload_of t.json)" != "$(workload_of u.json)" ] ||
        fail "the trace is not in the workload"
}
amplified_mpi() {
    needs_mpi
    record_n 0 2 t "$MPI_PROGRAM" all target
    run 0 "$PARIO" -n 4 replay -q --amplify 2 --output r.json t again
    valid_is r.json true
    run 2 "$PARIO" -n 4 replay -q t again
    says 'amplify 2'
    run 2 "$PARIO" -n 3 replay -q --amplify 2 t again
}
# A file whose last of 16 writes is lost, and one in the middle; and one that
# was there before and is written over.
lost_writes_are_found() {
    for way in 16: 7:conv=notrunc; do
        rm -f target/* t
        [ $way = 16: ] || head -c 65536 /dev/zero >target/file
        record 0 t dd if=/dev/urandom of=target/file bs=4k count=16 ${way#*:}
        run 0 "$PARIO" replay -q --force --output r.json t again
        valid_is r.json true
        grep -q '"checked_bytes": 128' r.json || fail "nothing was looked for"
        ! grep -q unverified r.json || fail "verified, and not said"
        PARIO_FAULT="op=write,drop,every=${way%:*},path=$here/again" \
            LD_PRELOAD=$FAULT run 1 "$PARIO" replay -q --force \
            --output r.json t again
        valid_is r.json false
        says 'not what was written'
    done
}
# What is gone, by itself or with its folder, was cut, or may not be read (root
# may), cannot be looked for.
lost_files_are_unverified() {
    for end in 'os.unlink("target/d/a")' 'os.rename("target/d", "target/e")' \
        'os.rename("target/d/a", "target/d/b")' 'os.truncate("target/d/a", 0)' \
        'os.chmod("target/d/a", 0o200)'; do
        rm -rf target/* t
        record 0 t python3 -c "import os
os.mkdir('target/d')
fd = os.open('target/d/a', os.O_CREAT | os.O_WRONLY, 0o200)
os.write(fd, bytes(65536))
$end"
        run 0 "$PARIO" replay -q --force --output r.json t again
        valid_is r.json true
        case $end in
        *chmod*) [ "$(id -u)" -ne 0 ] || continue ;;
        esac
        grep -q unverified r.json || fail "$end: nobody looked, and it is not said"
    done
}
# What was read is not what is written: stamps and base words alone.
copied_data_is_right() {
    head -c 65536 /dev/zero >target/from
    record 0 t python3 -c 'import os
source = os.open("target/from", os.O_RDONLY)
to = os.open("target/to", os.O_CREAT | os.O_RDWR)
while os.write(to, os.read(source, 16384)):
    pass
for at in range(0, 65536, 1024):
    os.pread(to, 1024, at)'
    run 0 "$PARIO" replay -q --output r.json t again
    valid_is r.json true
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
# A file that one rank reads when another says that it is written: the replay
# does the same, as fast as it can.
messages_are_an_order() {
    needs_mpi
    round_trip 2 "$MPI_PROGRAM" messages target
    grep -v '^File\|^coll' first.txt >found
    printf '%s\n' 'process 0 thread 0' 'Send rank=1 tag=7' 'Send rank=1 tag=8' \
        'Send rank=1 tag=9' 'Recv rank=1 tag=10' 'process 1 thread 0' \
        'Recv rank=0 tag=7' 'Recv rank=0 tag=8' 'Send rank=0 tag=10' \
        'Recv rank=0 tag=9' | diff - found || fail "other messages"
    run 0 "$PARIO" trace first
    ! grep -qE '% +(Send|Recv)' out || fail "messages are no I/O"
    run 0 "$PARIO" trace -o p.html first
    ! grep -qE '<td>(Send|Recv|collective)<td>' p.html ||
        fail "messages are no I/O on the page"
    for interface in posix uring; do
        run 0 "$PARIO" -n 2 replay -q --force --interface $interface \
            --output r.json first again
        valid_is r.json true
    done
}
mpi_abort() {
    needs_mpi
    want=any
    "$PARIO" -n 2 record --output t --below target -- "$MPI_PROGRAM" abort \
        target >out 2>err && fail "the status is lost"
    requests t found
    grep -q '^File_write_all' found || fail "calls are missing"
}
rank_without_recorder() { # nobody waits for it
    needs_mpi
    printf '#!/bin/sh\n[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 1 ] ||\n    export LD_PRELOAD=\nexec "$@"\n' >some
    chmod +x some
    run 0 timeout 60 "$PARIO" -n 3 record --output t --below target -- \
        ./some "$MPI_PROGRAM" all target
    requests t found
    [ "$(grep -c '^process' found)" = 2 ] || fail "not 2 processes"
    [ ! -e t.spool ] || fail "the folder of parts is still there"
}
rank_killed() {
    needs_mpi
    "$PARIO" -n 2 record --output t --below target -- "$MPI_PROGRAM" killed \
        target >out 2>err && fail "the status is lost"
    requests t found
    grep -q 'process 1 thread' found || fail "the killed process is missing"
    [ "$(grep -c '^File_write_all' found)" = 10 ] || fail "calls are missing"
}
# Programs whose answer is known because they do a hundred times the work with
# the library that is to lose.
advise_shipio() {
    needs_mpi
    run 0 "$PARIO" -n 2 advise -q --no-settings -- "$MPI_PROGRAM" slow-native \
        target
    prints 'I/O .* x faster .* with shipio'
    prints 'LD_PRELOAD[= ][^ ]*libshipio.so .*slow-native target'
    ! grep -q libpariorecord out || fail "the recorder is in the line"
    [ -z "$(ls -d pario-advise* 2>/dev/null)" ] || fail "a folder is left"
}
advise_nothing() {
    needs_mpi
    run 0 "$PARIO" -n 2 shipio-run --compare -- "$MPI_PROGRAM" slow-shipio \
        target
    prints '^nothing '
    prints 'shipio: 0\.'
    run 0 env "PARIO_RECORD_BELOW=$here/target" "$PARIO" advise -q -- \
        "$PROGRAM" calls target
    prints 'calls of the C library'
    run 0 "$PARIO" advise -q -- true
    prints 'does no I/O that is recorded'
}
advise_refuses() {
    needs_mpi
    run 2 "$PARIO" advise -q -- sh -c 'echo no such input >&2; exit 3'
    says 'by itself ended with status 3: no such input'
    run 2 "$PARIO" advise
    run 1 "$PARIO" advise no-such-trace
    run 2 "$PARIO" advise -q --before false -- true
}
advise_trace() { # the replay is a program like any other
    needs_mpi
    record 0 t "$PROGRAM" calls target
    run 0 "$PARIO" advise t again
    says 'native default +I/O .* s, the program'
    prints 'calls of the C library'
    [ -z "$(ls again)" ] || fail "files are left"
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
    fortran_program "$FORTRAN"
}
fortran08_round_trip() { # the module mpi_f08, whose routines are others
    [ -n "$FORTRAN08" ] && [ -x "$FORTRAN08" ] || skip "needs mpi_f08"
    fortran_program "$FORTRAN08"
}
fortran_program() {
    round_trip 2 "$1" target
    [ "$(grep -c '^File_write_at_all' first.txt)" = 20 ] || fail "calls"
    grep -q '^Wait request=0' first.txt || fail "no completion"
    grep -q '^open path="text"' first.txt || fail "no record"
    [ "$(grep -c '^Recv rank=[01] tag=[12]' first.txt)" = 24 ] ||
        fail "not all messages are received"
}
pnetcdf_round_trip() {
    [ -n "$PNETCDF" ] && [ -x "$PNETCDF" ] || skip "needs PnetCDF"
    round_trip 2 "$PNETCDF" target
}
bt_round_trip() {
    needs_mpi
    for mode in full simple; do
        rm -rf first second r.json target/*
        round_trip 4 "$PARIO" nht app -q --class S --steps 10 --tc 1 \
            --mode $mode --force --output n.json target
    done
}
# The native library by PMPI's names and shipio by MPI's, in turns.
shipbench_round_trip() {
    needs_mpi
    round_trip 2 "$PARIO" shipbench -q --tests discontiguous,ranges,oneshot \
        --scale 0.002 --repetitions 1 --output s.json target
    [ "$(grep -c '^File_open' first.txt)" -gt 10 ] || fail "no calls of MPI-IO"
}
# IOR where it is installed or named (IOR=...), built from its own sources:
# Debian has no package of it, and of h5perf only the one without MPI.
ior_round_trip() {
    needs_mpi
    ior=${IOR:-$(command -v ior || true)}
    [ -n "$ior" ] || skip "no IOR in the PATH; name one: IOR=.../src/ior"
    for how in '-a MPIIO' '-a MPIIO -c -s 4' '-a POSIX -F' '-a POSIX -z -e'; do
        rm -rf first second r.json target/*
        round_trip 2 "$ior" $how -b 64k -t 4k -o target/f
    done
}
beffio_round_trip() {
    needs_mpi
    round_trip 2 "$PARIO" beffio -q -T 1 --mpart 2M --output b.json target
}
# Open MPI fills 32 MiB before it preallocates the smallest file, and that is
# what takes the time here: four of the tests do it. The file's name is this
# run's own, for Open MPI names a semaphore of the machine after it.
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
        for c in true false; do
            printf 'classname Lowlevel\ntestname multipleI\nfilename target/a\n'
            printf 'collective %s\ntasklength 100\nnumruns 1\n' $c
            printf 'filesize 0.5\nblocksize 0.1\n'
        done
        printf 'classname Lowlevel\ntestname singleI\nfilename target/a\n'
        printf 'tasklength 100\nnumruns 1\nfilesize 0.5\nblocksize 0.1\n'
        printf 'classname Kernel\ntestname matrix3D\nfilename target/a\n'
        printf 'problemsize 16\ncollective true\n'
        printf 'numprocgrids 1\nxproc 2\nyproc 1\nzproc 1\n'
        printf 'classname Kernel\ntestname matrix4D\nfilename target/a\n'
        printf 'xsize 4\nysize 4\nzsize 4\ntsize 8\nghost 1\n'
        printf 'xproc 1\nyproc 1\nzproc 1\ntproc 2\ncollective true\n'
        printf 'classname Kernel\ntestname gatherscat2D\nfilename target/a\n'
        printf 'problemsize 32\nnumprocgrids 1\nxproc 1\nyproc 2\n'
        printf 'classname Kernel\ntestname sharedfp\nfilename target/a\n'
        printf 'filesize 0.5\nnumblocksize 1\nblockmin 0\nblockmax 0.016\n'
        printf 'collective true\n'
        printf 'classname Kernel\ntestname outofcore\nfilename target/a\n'
        printf 'problemsize 64\npanel 16\nmemory 1\n'
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
    } | awk -v own=$$ '$1 == "testname" { test = $2 }
        $1 == "filename" { $2 = $2 own } { print }
        $1 == "filename" && test !~ /^(single|sinunix|multiple|matrix3D)$/ {
            print "preallocate false" }' >p.in
    round_trip 2 "$PARIO" iot p.in -q --output i.json
    [ "$(grep -c '^File_preallocate' first.txt)" = 7 ] || fail "preallocating"
}
"$1"
