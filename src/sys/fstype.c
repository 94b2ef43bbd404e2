/* sys/fstype.c - the table of file systems. */
#include "sys/fstype.h"
#include <stddef.h>
#include <string.h>

static const struct pario_fstype types[] = {
    {"ext4", "ext4", 0xef53, 0, 0},
    {"ext4", "ext3", 0xef53, 0, 0},
    {"ext2", "ext2", 0xef53, 0, 0},
    {"xfs", "xfs", 0x58465342, 0, 0},
    {"btrfs", "btrfs", 0x9123683e, 0, 0},
    {"zfs", "zfs", 0x2fc12fc1, 0, 0},
    {"f2fs", "f2fs", 0xf2f52010, 0, 0},
    {"overlay", "overlay", 0x794c7630, 0, 0},
    {"tmpfs", "tmpfs", 0x01021994, 0, 1},
    {"ramfs", "ramfs", 0x858458f6, 0, 1},
    {"tmpfs", "devtmpfs", 0, 0, 1},
    {"nfs", "nfs", 0x6969, 1, 0},
    {"nfs", "nfs4", 0x6969, 1, 0},
    {"lustre", "lustre", 0x0bd00bd0, 1, 0},
    {"gpfs", "gpfs", 0x47504653, 1, 0},
    {"cephfs", "ceph", 0x00c36400, 1, 0},
    {"cephfs", "fuse.ceph", 0, 1, 0},
    {"cephfs", "fuse.ceph-fuse", 0, 1, 0},
    {"beegfs", "beegfs", 0x19830326, 1, 0},
    {"beegfs", "fhgfs", 0x19830326, 1, 0},
    {"glusterfs", "fuse.glusterfs", 0, 1, 0},
    {"moosefs", "fuse.mfs", 0, 1, 0},
    {"moosefs", "fuse.moosefs", 0, 1, 0},
    {"lizardfs", "fuse.lizardfs", 0, 1, 0},
    {"orangefs", "pvfs2", 0x20030528, 1, 0},
    {"panfs", "panfs", 0xaad7aaea, 1, 0},
    {"wekafs", "wekafs", 0, 1, 0},
    {"daos", "fuse.daos", 0, 1, 0},
    {"juicefs", "fuse.juicefs", 0, 1, 0},
    {"ocfs2", "ocfs2", 0x7461636f, 1, 0},
    {"gfs2", "gfs2", 0x01161970, 1, 0},
    {"afs", "afs", 0x5346414f, 1, 0},
    {"cifs", "cifs", 0xff534d42, 1, 0},
    {"cifs", "smb3", 0xfe534d42, 1, 0},
    {"sshfs", "fuse.sshfs", 0, 1, 0},
    {"9p", "9p", 0x01021997, 1, 0},
    {"virtiofs", "virtiofs", 0, 1, 0},
};

const struct pario_fstype *pario_fstype_find(const char *mounted,
                                             unsigned long magic)
{
    size_t count = sizeof types / sizeof *types;

    for (size_t i = 0; i < count; i++)
        if (strcmp(mounted, types[i].mounted) == 0)
            return &types[i];
    for (size_t i = 0; mounted[0] == '\0' && i < count; i++)
        if (magic != 0 && types[i].magic == magic)
            return &types[i];
    return NULL;
}
