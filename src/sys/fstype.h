/* sys/fstype.h - names and kinds of file systems. Local. */
#ifndef PARIO_SYS_FSTYPE_H
#define PARIO_SYS_FSTYPE_H

struct pario_fstype {
    const char *name;    /* as pario says it: "moosefs" */
    const char *mounted; /* as mountinfo says it: "fuse.mfs" */
    unsigned long magic; /* of statfs; 0: none of its own */
    int parallel;        /* parallel or network file system */
    int memory_backed;
};

/* By the type in mountinfo (may be ""), else by statfs's magic; NULL: not in
 * the table. A bare "fuse" says nothing. */
const struct pario_fstype *pario_fstype_find(const char *mounted,
                                             unsigned long magic);

#endif
