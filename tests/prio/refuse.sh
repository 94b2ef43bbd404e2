#!/bin/sh
# What is impossible is found before the run, on all processes, with its line.
. "$(dirname "$0")/lib.sh"

printf '[single_file]\ndata 4k\nrequest 8k\n' >large.prio
refuse 'large.prio:3: request: .*larger' 1 large.prio target
printf '[single_file]\nprocesses 64\n' >many.prio
refuse 'many.prio:2: processes' 2 many.prio target
refuse 'which workload' 1
printf '[common_file]\nmethods individual\n' >mpiio.prio
if [ "$PARIO_HAVE_MPIIO" = 0 ]; then
    refuse 'mpiio.prio:2: methods: .*not compiled in' 1 mpiio.prio target
    printf '[strided]\n' >strided.prio
    refuse 'strided.prio:1: strided needs MPI-IO' 1 strided.prio target
fi
if [ "$PARIO_HAVE_MPIIO" = 1 ]; then
    printf '[strided]\ndata 64k\nrequest 16k\nblocks 5\n' >blocks.prio
    refuse 'blocks.prio:4: blocks: 5 blocks' 2 blocks.prio target
fi
printf '[raw]\ndevice /dev/null\n' >null.prio
refuse 'no block device' 1 null.prio target
printf '[single_file]\ndata 1P\n' >huge.prio
refuse 'huge.prio:2: data' 1 huge.prio target
printf '[tree]\nfolders 1000000\nfiles 1000000\nsource 16M\n' >tree.prio
refuse 'tree.prio:1: tree: .*more than' 1 tree.prio target
printf '[single_file]\nmethods posix io_uring\ndepth 4\nthink 1ms\n' >think.prio
refuse 'think.prio:4: think: .*depth 1' 1 think.prio target
[ -z "$(find . -name 'pario-prio-*')" ] || fail "a document was left"
