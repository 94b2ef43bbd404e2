/* suites/meta/names.h - the names of a case, made from numbers: a million files
 * need no list. Local. */
#ifndef PARIO_META_NAMES_H
#define PARIO_META_NAMES_H

#include "suites/meta/meta.h"

#define META_NAME_LEN 512
#define META_MAX_DEPTH 16

/* What a name stands for, by its first letter. */
enum meta_kind {
    META_FILE = 'f',
    META_RENAMED = 'g',
    META_LINK = 'l',
    META_SYMLINK = 's',
    META_DIRECTORY = 'd',
    META_ENTRY = 'e', /* was there before */
};

/* The names of one process's things, relative to the run's directory. */
struct meta_names {
    const struct meta_case *what;
    int64_t leaves;              /* directories with files in them */
    char text[2][META_NAME_LEN]; /* two names at a time: rename, link */
    char folder[META_NAME_LEN];
    size_t folder_len, stem_len; /* "p3/", then "f" or "f3." */
    char stem[64];
};

/* tag: in every name; "": nothing. */
void meta_names_init(struct meta_names *names, const struct meta_case *what,
                     int rank, const char *tag);
/* Thing i; which: 0 or 1, the text it is put into. */
const char *meta_name(struct meta_names *names, int which, enum meta_kind kind,
                      int64_t i);
/* The directory of leaf number `leaf`, without a slash at its end. */
const char *meta_folder(struct meta_names *names, int64_t leaf);

/* Makes the directories of this process, or the one that all share (first). */
int meta_names_make(struct meta_names *names, int dir,
                    int first) PARIO_MUST_USE;

/* A number for a name; their sum does not depend on the order. */
uint64_t meta_name_hash(const char *base);

#endif
