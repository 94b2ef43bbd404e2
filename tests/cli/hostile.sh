#!/bin/sh
# Odd surroundings and people who mean harm: $1 is the case to run.
case $1 in *_shared_memory) TMPDIR=${TMPDIR:-/tmp} ;; esac
. "$(dirname "$0")/lib.sh"

# Numbers 0 to 2 are not given to the janitor's socket or to a file.
closed_streams_harm_nothing() {
    for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
        rm -f r.json
        run 0 sh -c "exec $P quick $SMALL --quiet target $closed"
        valid_is r.json true
        nothing_left
    done
}

full_output_is_an_error() {
    for words in list --help --version 'quick --help' 'list --commands'; do
        run 1 sh -c "exec $PARIO $words >/dev/full"
        says 'cannot write the standard output: No space left'
    done
    run 0 sh -c "$PARIO list | head -n 1"
    # By the process itself, or its launcher: some say it themselves.
    run 1 sh -c "exec $P quick $SMALL target >/dev/full"
    says 'No space left'
    # A disk is full only when it is written to.
    mkdir disk
    mount -t tmpfs -o size=64k none disk 2>/dev/null || return 0
    trap 'umount disk; cleanup' EXIT INT TERM
    dd if=/dev/zero of=disk/all bs=4k 2>/dev/null
    run 1 sh -c "exec $P quick --dry-run target >disk/out"
    says 'cannot write the standard output: No space left'
}

# While a run goes on its directory is renamed, and another one has its name.
replaced_directory_is_left_alone() {
    timeout -k 5 60 $P quick --time 4s --size 16M --output r.json target \
        >out 2>err </dev/null &
    while ! ls target/pario-*/* >/dev/null 2>&1; do
        kill -0 $! || fail "ended too early"
        sleep 0.05
    done
    name=$(ls -d target/pario-*)
    mv "$name" away
    mkdir "$name"
    echo precious >"$name/file"
    wait $! # whatever came of the run itself
    eventually [ ! -d away ] || fail "our own directory is still there"
    [ "$(cat "$name/file")" = precious ] || fail "the stranger's file is gone"
}

run_directory_has_the_users_umask() {
    umask 077
    run 0 $P quick $SMALL --keep target
    [ "$(stat -c %a target/pario-*)" = 700 ] || fail "$(stat -c %a target/*)"
}

root_is_warned() {
    [ "$(id -u)" = 0 ] || skip "not root"
    chmod 777 target
    run 0 $P quick $SMALL target
    says 'others may exchange files'
    chmod 700 target
    chown 12345 target
    run 0 $P quick $SMALL --force target
    says 'belongs to user 12345'
    mkdir target/inner
    run 0 $P quick $SMALL --force target/inner
    says 'inner, below .*target, which belongs to user 12345'
}

# Open MPI's launcher hangs where its shared memory may not be made.
small_file_limit_is_refused() {
    [ "$MPI" = 1 ] || skip "needs a launcher"
    run 1 sh -c "ulimit -f 2048; exec $P quick $SMALL target"
    says 'ulimit -f'
    [ "$(wc -l <err)" = 1 ] || fail "more than one message"
    run 1 sh -c "ulimit -f 2048; exec $P tune target"
    says 'ulimit -f'
    run 1 sh -c "ulimit -f 2048; OMPI_COMM_WORLD_RANK=0 PMI_RANK=0 \
        exec $PARIO quick $SMALL target"
    says 'ulimit -f'
    nothing_left
}

samples_never_change_a_script() {
    printf '#!/bin/sh\necho precious\n' >script
    cp script copy
    run 1 $P quick $SMALL --samples script target
    says 'holds no timings and is kept'
    cmp script copy || fail "the script was changed"
    : >timings
    ln -s timings link
    run 1 $P quick $SMALL --samples link target
    says 'symbolic link'
    [ ! -s timings ] || fail "written through a link"
}

# Each block in the file is whole, however many runs append to it at a time.
three_runs_share_a_samples_file() {
    for i in 1 2 3; do
        timeout -k 5 100 $P quick --time 1s --size 16M --output r$i.json \
            -i posix --samples s.out target >out$i 2>err$i </dev/null &
        eval "pid$i=$!"
    done
    for i in 1 2 3; do
        eval "wait \$pid$i" || fail "run $i: $(cat out$i err$i)"
        valid_is r$i.json true
    done
    python3 - <<'PY' || fail "the samples are damaged"
blocks = ranks = 0
left = None
for line in open('s.out'):
    word, _, value = line.rstrip('\n').partition(' ')
    if word == 'block':
        assert left is None, 'a block inside a block'
        blocks, left = blocks + 1, 0
    elif word == 'end':
        assert left == 0, f'{left} samples are missing'
        left = None
    elif word == 'data':
        keyword = value.split()[0]
    elif word == 'count':
        assert left == 0, f'{left} samples are missing'
        left, ranks = int(value), ranks + 1
    elif left is not None and left > 0:
        assert word == keyword and float(value) >= 0, line
        left -= 1
assert left is None and blocks % 3 == 0 and blocks >= 12, blocks
PY
    run 0 $PARIO report s.out
    nothing_left
}

# One process of the job says that one was killed, whoever it was, and not as
# if it were a Ctrl-C; the document says which.
was_killed() { # RANK
    nothing_left
    eventually grep -q 'was killed' r.json
    # MPICH's launcher kills the others at once: who was the first is seen
    # only as fast as the janitors are scheduled.
    case $("$PARIO" --version) in *MPICH*) set -- '[01]' ;; esac
    grep -A1 '"invalid_reasons": \[' r.json |
        grep -q "\"the process of rank $1 was killed" ||
        fail "no reason in the document: $(grep -A4 reasons r.json)"
    speakers=$(grep -cE '^pario: .*(killed|signal|lost|interrupted|kept in|yet)' err)
    [ "$speakers" = 1 ] || fail "$speakers messages instead of one"
    grep -qE 'a process of the run was (lost|killed)' err ||
        fail "a lost process is called an interruption"
    valid_is r.json false
}

# Whoever is killed, and whoever has started the job: pario or the launcher.
killed_rank_is_named() {
    for start in "$PARIO -n 2" "$LAUNCH $FLAGS -n 2 $PARIO"; do
        [ "$MPI" = 1 ] || [ "$start" = "$PARIO -n 2" ] || continue
        for rank in 0 1; do
            rm -f r.json
            timeout -k 5 60 env "LD_PRELOAD=$FAULT" \
                "PARIO_FAULT=op=open,rank=$rank,nth=8,kill,path=/target/" \
                $start quick $SMALL -i posix target >out 2>err </dev/null
            [ $? -ne 0 ] || fail "rank $rank was killed and the status is 0"
            was_killed $rank
        done
    done
}

# The same of a run whose files are kept: no note is left among them.
killed_rank_keeps_files() {
    [ "$MPI" = 1 ] || skip "needs MPI"
    timeout -k 5 60 env "LD_PRELOAD=$FAULT" \
        "PARIO_FAULT=op=open,rank=1,nth=8,kill,path=/target/" \
        $P quick $SMALL -i posix --keep target >out 2>err </dev/null
    mv target kept
    mkdir target
    was_killed 1
    no_note() { [ -z "$(find kept -name '.killed*')" ]; }
    eventually no_note || fail "a note is left"
    [ -n "$(find kept -type f)" ] || fail "the files are gone"
}

# Of a job that is killed at once, launcher and all; in a /dev/shm of its own.
killed_run_leaves_no_shared_memory() {
    [ "$MPI" = 1 ] || skip "needs MPI"
    [ "$(id -u)" = 0 ] || skip "not root"
    cat >job.sh <<'JOB'
mount -t tmpfs none /dev/shm || exit 77
setsid $P quick --time 30s --size 16M --output r.json -i posix target \
    >out 2>err </dev/null &
while ! ls target/pario-*/* >/dev/null 2>&1; do
    kill -0 $! || exit 1
    sleep 0.05
done
kill -KILL -$!
for i in $(seq 100); do
    [ -z "$(ls -A target)$(ls -A /dev/shm)" ] && exit 0
    sleep 0.2
done
ls -AlR target /dev/shm
exit 1
JOB
    # Only the processes' janitors are left, which have sessions of their own.
    P=$P timeout -k 5 100 unshare -m sh job.sh >left 2>&1
    case $? in
    0) ;;
    77) skip "no mounts" ;;
    *) fail "left: $(cat left)" ;;
    esac
}

# Containers forbid io_uring: the rest is measured all the same.
forbidden_uring_is_left_out() {
    $PARIO list | grep -q uring || skip "no io_uring in this build"
    LIMIT=150 # all interfaces: a busy machine takes longer
    run 0 "$NOURING" EPERM $P quick $SMALL -i all target
    says 'uring is not allowed on this system.*left out'
    valid_is r.json true
    grep -q '"interface": "posix"' r.json || fail "posix was not measured"
    [ "$MPIIO" = 0 ] || grep -q '"interface": "mpiio"' r.json ||
        fail "mpiio was not measured"
    ! grep -q '"interface": "uring"' r.json || fail "uring was measured"
    run 1 "$NOURING" EPERM $P quick $SMALL --force -i uring target
    says 'io_uring'
    run 0 "$NOURING" EPERM $P meta -q --files 20 --force --output r.json \
        -i posix,uring target
    says 'uring is not allowed on this system.*left out'
    grep -q '"interface": "posix"' r.json || fail "posix was not measured"
    run 1 "$NOURING" EPERM $P meta -q --files 20 --force --output r.json \
        -i uring target
    run 0 "$NOURING" EPERM $P nht peak --memory 16M --force --output r.json \
        target
    says 'uring is not allowed on this system.*left out'
    grep -q '"interface": "posix"' r.json || fail "posix was not measured"
    nothing_left
}

# Pipes where files are expected; what is not there yet is not waited for.
pipes_are_read_once() {
    printf '[single_file]\n' >w.prio
    run 0 $PARIO prio --dry-run w.prio target
    cp out plain
    mkfifo pipe
    cat w.prio >pipe &
    run 0 timeout 20 $PARIO prio --dry-run pipe target
    grep -q single_file out || fail "no section was found in the pipe"
    mkdir t.spool
    mkfifo t.spool/0000000000000000-0.part t.spool/0000000000000000-0.live
    run 0 timeout 20 $PARIO trace t.spool
}

# Filled before the program begins, also where a library is preloaded into one
# without MPI, and read-only from then on.
tables_of_functions_are_read_only() {
    command -v readelf >/dev/null || skip "no readelf"
    lib=$(dirname "$PARIO")/../lib
    for file in "$PARIO" "$lib/libpariorecord.so" "$lib/libshipio.so"; do
        [ -e "$file" ] || [ "$MPIIO" = 0 ] || fail "$file is not there"
        [ -e "$file" ] || continue
        readelf -lW "$file" | grep -q GNU_RELRO || fail "$file: no RELRO"
        readelf -dW "$file" | grep -qE 'BIND_NOW|Flags:.* NOW' ||
            fail "$file: functions are bound late"
        [ "$file" = "$PARIO" ] || run 0 env "LD_PRELOAD=$file" true
    done
}

# A program that is started finds the signals as the shell has them.
# Those of real time are the C library's own.
ignored_of() { echo $((0x$(awk '/SigIgn/ { print $2 }' "$1") & 0x7fffffff)); }
programs_inherit_no_ignored_signals() {
    grep SigIgn /proc/self/status >plain
    run 0 $PARIO record -o t -- grep SigIgn /proc/self/status
    [ "$(ignored_of plain)" = "$(ignored_of out)" ] || fail "$(cat plain out)"
}

# Nobody reads what record has to say: the recording is whole all the same.
unread_words_leave_no_spool() {
    mkfifo words
    exec 8<>words 9>words 8<&-
    $PARIO record --below target -o t -- sh -c 'echo x >target/file' \
        >out 2>&9
    [ ! -e t.spool ] || fail "t.spool is left"
    run 0 $PARIO trace t
}

# A command that is interrupted leaves nothing half written.
interrupted_command_leaves_nothing() {
    awk 'BEGIN {
        print "1 1.0 openat(AT_FDCWD, \"/d/x\", O_RDWR) = 3 <0.1>"
        for (i = 0; i < 200000; i++)
            printf "1 %d.5 pwrite64(3, \"\", 10, %d) = 10 <0.1>\n", i, i * i
    }' >text
    run 0 $PARIO trace --from strace --to trace -o t.trace text
    for words in '' --force; do
        [ -z "$words" ] || echo mine >o.json
        $PARIO trace --to json $words -o o.json t.trace >out 2>err &
        pid=$!
        while ! ls | grep -q "^o\.json${words:+-}"; do
            kill -0 $pid || fail "ended too early"
            sleep 0.01
        done
        kill -INT $pid
        wait $pid && skip "it was faster"
        [ -z "$words" ] || [ "$(cat o.json)" = mine ] || fail "o.json changed"
        rm -f ${words:+o.json}
        [ -z "$(ls | grep '^o\.json')" ] || fail "left: $(ls)"
    done
}

# Whatever is given as text of another tool: no calls in it is an error.
foreign_text_is_refused() {
    : >empty
    echo hello >hello
    echo '{"schema": "pario-result"}' >result.json
    cp /bin/true binary
    # A call that is resumed by what looks like another one that is resumed.
    printf '1 1.5 <... foo> bar <unfinished ...>\n1 1.6 <... x> y\n' >again
    { printf '1 1.5 <... foo <unfinished ...>\n1 1.6 <... x> '
      printf '%020000d\n' 0 | tr 0 '>'; } >ends
    printf '1 nan read(3, "", 1) = 1 <0.1>\n' >nan
    printf ' X_POSIX 0 read 0 0 1 nan nan\n' >>nan
    for file in empty hello result.json binary again ends nan; do
        for kind in strace darshan-dxt-text; do
            run 1 $PARIO trace --from $kind $file
            says 'no calls|no text'
        done
    done
    # No end, and no ends of lines.
    for kind in strace darshan-dxt-text; do
        run 1 $PARIO trace --from $kind /dev/zero
        says 'this is no text'
    done
    # One more than the largest rank is the number of processes.
    printf ' X_POSIX 2147483647 write 0 0 1 0.1 0.2\n' >ranks
    run 1 $PARIO trace --from darshan-dxt-text ranks
    says 'no calls'
}

# No byte of a file's moves the cursor: neither ESC and BEL, nor C1 as UTF-8,
# nor as the byte itself.
is_tame() {
    ! LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(?<![\x80-\xff])[\x80-\x9f]' \
        out err || fail "$1: $(cat -v out err)"
}

names_in_traces_are_tame() {
    printf '1 1.5 openat(AT_FDCWD, "/d/a\033]0;x\007b\302\2332Jc\2332Jd\303\244", O_RDWR) = 3 <0.1>\n1 1.7 write(3, "", 100) = 100 <0.1>\n' >text
    run 0 $PARIO trace --from strace --to trace -o t.trace text
    for words in '' '--format csv' '--format json' '--format html' \
        '--to darshan-dxt-text' '--to json' '--to requests'; do
        run 0 $PARIO trace $words t.trace
        grep -qa 'a.*b.*c.*d' out || fail "trace $words: no name of the file"
        is_tame "trace $words"
    done
    run 0 $PARIO trace --to json t.trace
    python3 -c 'import json; [json.loads(l) for l in open("out")]' ||
        fail "no JSON"
    if $PARIO list | grep -q replay; then
        run 0 $PARIO replay --dry-run t.trace target
        is_tame "replay --dry-run"
    fi
    [ "$MPIIO" = 1 ] || return 0
    printf 'classname Lowlevel\ntestname single\nfilename f\033[2J\2332J\nnumruns 1\nfilesize 1\nblocksize 0.1\n' >p.in
    run 0 $PARIO iot --dry-run p.in
    is_tame "iot --dry-run"
}

names_in_tables_are_no_formulas() {
    printf '1 1.5 openat(AT_FDCWD, "=HYPERLINK(1)", O_RDWR) = 3 <0.1>\n' >text
    run 0 $PARIO trace --from strace --format csv text
    prints "^'=HYPERLINK\(1\),open"
    printf '1 1.5 openat(AT_FDCWD, "<script>", O_RDWR) = 3 <0.1>\n' >text
    run 0 $PARIO trace --from strace -o x.html text
    grep -q '<h1>' x.html || fail "no page"
    ! grep -q '<script>' x.html || fail "a name is a script"
    run 2 $PARIO trace --from strace -o x.htlm text
    says 'stands for no format'
}

endless_files_are_refused() {
    for words in 'quick --config' 'pattern --fio' 'pattern -f'; do
        run 1 $PARIO ${words% *} --dry-run ${words#* } /dev/zero target
        says 'too large for a keyword file'
    done
    # A job begins where a line begins, however long the one before is.
    { printf '[a]\nsize=1M\n#%0510d' 0; printf '[b]\nrw=read\n'; } >long.fio
    run 0 $PARIO pattern --dry-run --fio long.fio target
}

"$1"
