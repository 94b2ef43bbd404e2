# tests/meta/cases.sh CASE - `pario meta`, judged by what find(1), strace(1) and
# the device say.
. "$(dirname "$0")/../cli/lib.sh"

FEW="--files 200 -o r.json"
N=1
[ "$MPI" = 1 ] && N=2

# value FILTER: of r.json.
value() { python3 -c "import json; d = json.load(open('r.json')); print($1)"; }
count() { value "len(d['measures'])"; }

all_operations_are_recorded() {
    run 0 $P meta $FEW -s 0,100 -l own,shared,tree target
    nothing_left
    valid_is r.json true
    # 11 operations on empty files, 13 on others, in three layouts.
    [ "$(count)" -eq 72 ] || fail "$(count) measures, not 72"
    [ "$(value "{m['operations'] for m in d['measures'] if m['access'] == 'stat'}")" = "{$((200 * N))}" ] ||
        fail "each process has 200 files"
    # In memory nothing comes from a device.
    [ "$(value "{m['cache'] for m in d['measures']}")" = "{'cache'}" ] ||
        fail "tmpfs is a cache"
    says 'own, 0 B create .*/s .*stat .*/s .*unlink .*/s'
    prints '^  tree, 100 B +create'
    value "d['summary']" | grep -q own_create_per_s || fail "no summary"
    run 0 $P meta $FEW --force --verbose --ops stat -s 0 -l own target
    prints 'operations per second of'
    prints '^create .*/s'
    prints '^stat .*/s'
    [ "$(grep -cE '^[a-z]+ +[0-9][^ ]* ?k?M?/s[* ]*$' out)" -eq 2 ] || fail "more than asked for"
}

# What is there after creating is what the document says.
files_are_what_it_says() {
    run 0 $P meta $FEW -s 3901 -l own,shared --ops create --keep target
    [ "$(find target -type f -size 3901c | wc -l)" -eq $((400 * N)) ] ||
        fail "$(find target -type f | wc -l) files"
    [ "$(value "sum(m['bytes'] for m in d['measures'])")" -eq $((400 * N * 3901)) ] ||
        fail "other bytes"
    # No two files of a process hold the same.
    dir=$(find target -type d -name 'c0.p0')
    [ "$(cat "$dir"/* | wc -c)" -eq $((200 * 3901)) ] || fail "data"
    [ "$(md5sum "$dir"/* | cut -d' ' -f1 | sort -u | wc -l)" -eq 200 ] ||
        fail "files alike"
    rm -rf target/*
    command -v strace >/dev/null || return 0
    run 0 strace -f -c -o calls -e trace=renameat,linkat,symlinkat,mkdirat \
        $PARIO meta --files 150 --force -o r.json -s 0 -l own target
    for call in renameat linkat symlinkat; do
        [ "$(awk -v c=$call '$NF == c { print $4 }' calls)" = 150 ] ||
            fail "$call: $(cat calls)"
    done
}

# A file that did not get all of its data is no success.
short_writes_are_errors() {
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,nth=100,short,path=/target/' \
        $PARIO meta $FEW -s 100 -l own target
    says 'cannot create .*no space'
    nothing_left
}

lost_data_is_found() {
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,nth=7,drop,path=/target/' \
        $PARIO meta $FEW --verify full -s 100 -l own target
    says 'bytes instead of 100|other data'
    nothing_left
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=read,from=1,flip,at=50,path=/target/' \
        $PARIO meta $FEW --force -s 100 -l own --ops read target
    grep -qE 'other data' err out || fail "a wrong byte was not found"
    nothing_left
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=open,nth=77,error=EMFILE,path=/target/' \
        $PARIO meta $FEW --force -s 0 -l own target
    says 'cannot (create|open) .*Too many open files'
    nothing_left
}

partitions_and_entries() {
    [ "$MPI" = 1 ] || skip "one process"
    run 0 $P meta $FEW -s 0 -l shared --partitions 1,2 --entries 0,50 target
    nothing_left
    [ "$(value "sorted((m['partition'], m['parameters']['entries'], m['operations']) for m in d['measures'] if m['access'] == 'readdir')")" = \
        "[(1, 0, 200), (1, 50, 250), (2, 0, 800), (2, 50, 900)]" ] ||
        fail "readdir: $(value "[(m['partition'], m['parameters'], m['operations']) for m in d['measures'] if m['access'] == 'readdir']")"
    prints 'processes 1, entries there 0'
    prints 'processes 2, entries there 50'
}

uring_and_mpiio() {
    interfaces=posix
    $PARIO list | grep -q uring && interfaces=$interfaces,uring
    [ "$MPIIO" = 1 ] && interfaces=$interfaces,mpiio
    run 0 $P meta $FEW -s 0,100 -l own -i $interfaces target
    nothing_left
    valid_is r.json true
    if [ "$MPIIO" = 1 ]; then
        [ "$(value "sorted({m['access'] for m in d['measures'] if m['parameters']['interface'] == 'mpiio'})")" = \
            "['create', 'open', 'unlink']" ] || fail "mpiio"
    fi
    case $interfaces in *uring*)
        [ "$(value "len([m for m in d['measures'] if m['parameters']['interface'] == 'uring'])")" -eq 20 ] ||
            fail "uring" ;;
    esac
}

resume_goes_on() {
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=open,from=600,error=EIO,path=c1.p' \
        $P meta $FEW -s 0,100 -l own target
    before=$(count)
    run 0 $P meta --files 200 --resume r.json -s 0,100 -l own target
    valid_is r.json true
    [ "$(count)" -eq 24 ] && [ "$before" -lt 24 ] ||
        fail "$before measures, then $(count)"
    nothing_left
}

dry_run_creates_nothing() {
    run 0 $P meta --dry-run --files 1000 -s 3901 target
    prints "files: at most 1000 of each process, $((1000 * N)) in all"
    prints 'disk space: at most'
    nothing_left
    [ ! -e r.json ] || fail "a document"
}

bad_input_is_refused() {
    run 2 $PARIO meta -l ownn target
    says '--layouts: unknown value "ownn".*own, shared, tree'
    run 2 $PARIO meta --ops create,state target
    says '--ops: unknown value "state".*did you mean stat'
    run 2 $PARIO meta -i posx target
    says '--interfaces: unknown value "posx"; did you mean posix'
    run 2 $PARIO meta -s 3x target
    says '"3x" is no size'
    run 2 $PARIO meta -s 1G target
    says '--size: 1G is out of range.*16 MiB'
    run 2 $PARIO meta -l tree --depth 9 --width 100 target
    says 'too large'
    run 2 $PARIO meta --partitions 99 target
    says '99 processes does not fit in a run of 1'
    run 2 $PARIO meta target target
    says 'takes one directory'
    run 2 $PARIO meta --layouts "" target
    says '--layouts: unknown value ""'
    run 1 $PARIO meta nowhere
    says 'nowhere'
    nothing_left
}

# Limits of directories, processes and users end a run in order.
limits_end_in_order() {
    while read -r error reason; do
        run 1 env "LD_PRELOAD=$FAULT" \
            "PARIO_FAULT=op=open,nth=60,error=$error,path=/target/" \
            $P meta $FEW -s 0 -l own --force target
        says "cannot create .*c0.p.*: $reason"
        nothing_left
        valid_is r.json false
    done <<'END'
EMLINK .*Too many links.*fewer --files, or --layouts tree
EMFILE Too many open files.*ulimit
EDQUOT .*quota
ENAMETOOLONG .*too long
END
    run 1 $PARIO meta -s 0 -f 10 -o long.json "target/$(printf '%0256d' 0)"
    says 'too long'
}
# ext4 without dir_nlink has at most 64998 directories in one; so many are made.
directory_limit_is_reported() {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    command -v mkfs.ext4 >/dev/null || skip "no mkfs.ext4"
    image=$work/disk
    truncate -s 600M "$image"
    mkfs.ext4 -q -F -O ^has_journal,^dir_nlink -N 200000 -I 128 \
        "$image" 2>mkfs || skip "no ext4"
    mount -o loop "$image" target || skip "no loop device"
    mounted=$work/target
    mkdir target/x
    run 1 $PARIO meta -l shared -s 0 -f 65000 --ops mkdir --no-sync -o r.json target/x
    says 'cannot make the directory .*Too many links.*choose fewer --files, or --layouts tree'
    valid_is r.json false
    nothing_left target/x
}
too_few_inodes() {
    [ "$(id -u)" -eq 0 ] || skip "mounting needs root"
    mount -t tmpfs -o size=8m,nr_inodes=900 none target || skip "no tmpfs"
    mounted=$work/target
    run 1 $P meta --files 5000 -o r.json target
    says 'inodes free: too few for 5000 files'
    nothing_left
    # Somebody else takes what was free when it began.
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=open,nth=60,error=ENOSPC,path=/target/' \
        $PARIO meta --files 100 -s 0 -l own -o r.json target
    says 'cannot create .*no inodes are left'
    nothing_left
    # What nobody asked for fits.
    run 0 $P meta -s 0 -l own,shared -o s.json target
    nothing_left
}

killed_rank_leaves_nothing() {
    [ "$MPI" = 1 ] || skip "one process"
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=open,rank=1,nth=100,kill,path=/target/' \
        $P meta $FEW -s 0 -l own target
    nothing_left
    valid_is r.json false
}

# On a device of its own: asked cold it must be read from, warm not.
cold_names_come_from_the_device() {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    command -v mkfs.ext4 >/dev/null || skip "no mkfs.ext4"
    image=$(mktemp -p "${TMPDIR:-/var/tmp}" pario-disk.XXXXXX)
    truncate -s 64M "$image"
    # Direct, so that no second page cache lies below; without a journal, which
    # keeps what was just written in memory.
    mkfs.ext4 -q -F -O ^has_journal "$image" && loop=$(losetup --direct-io=on -f --show "$image")
    made=$?
    [ $made -eq 0 ] || skip "no loop device"
    mount "$loop" target
    made=$?
    losetup -d "$loop" # once it is unmounted
    [ $made -eq 0 ] || skip "no mount"
    mounted=$work/target
    mkdir target/x
    run 0 $P meta --files 1000 -s 0 -l own --ops stat --cold -o r.json target/x
    grep -q 'could not be dropped' err out && skip "drop_caches is not allowed"
    [ "$(value "[m['cache'] for m in d['measures'] if m['access'] == 'stat'][0]")" = disk ] ||
        fail "cold stat: $(value "[m for m in d['measures'] if m['access'] == 'stat']")"
    [ "$(value "[m['cache'] for m in d['measures'] if m['access'] == 'create'][0]")" = disk ] ||
        fail "durable create: $(value "[m for m in d['measures'] if m['access'] == 'create']")"
    run 0 $P meta --files 1000 -s 0 -l own --ops stat --force -o r.json target/x
    [ "$(value "[m['cache'] for m in d['measures'] if m['access'] == 'stat'][0]")" = cache ] ||
        fail "warm stat"
    run 0 $P meta --files 1000 -s 0 -l own --ops stat --no-sync --force -o r.json target/x
    [ "$(value "[m['cache'] for m in d['measures'] if m['access'] == 'create'][0]")" != disk ] ||
        fail "creates that were not synced are on no disk"
    nothing_left target/x
}

"$1"
