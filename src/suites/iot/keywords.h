/* suites/iot/keywords.h - the keywords of one test as they stand in the file.
 * Between params.c and sets.c. */
#ifndef PARIO_IOT_KEYWORDS_H
#define PARIO_IOT_KEYWORDS_H

#include "suites/iot/bench.h"

enum iot_keyword {
    KW_FILENAME,
    KW_NUMRUNS,
    KW_NUMFILESIZE,
    KW_FILESIZE,
    KW_NUMBLOCKSIZE,
    KW_BLOCKSIZE,
    KW_FUZZY,
    KW_PREALLOCATE,
    KW_COLLECTIVE,
    KW_TASKLENGTH,
    KW_NUMSIZES,
    KW_PROBLEMSIZE,
    KW_XSIZE,
    KW_YSIZE,
    KW_ZSIZE,
    KW_NUMPROCGRIDS,
    KW_XPROC,
    KW_YPROC,
    KW_ZPROC,
    KW_NUMUPDATE,
    KW_UPDATE_FRAC,
    KW_BLOCKMIN,
    KW_BLOCKMAX,
    KW_MEMORY,
    KW_PANEL,
    KW_VARIANT,
    KW_NODALVARS,
    KW_ELEMENTVARS,
    KW_SCRAMBLE,
    KW_FILE_PER_PROCESS,
    KW_REPEAT,
    KW_COUNT
};

enum iot_type { TYPE_TEXT, TYPE_COUNT, TYPE_INTS, TYPE_REALS, TYPE_BOOL };

/* What a keyword's value is and which tests know it. */
struct iot_keyword_info {
    const char *name; /* without underscores */
    enum iot_type type;
    unsigned any; /* tests with any of these abilities; 0: all tests */
};
extern const struct iot_keyword_info iot_keyword_table[KW_COUNT];

struct iot_value {
    int line; /* 0: not given */
    char *text;
    double *list; /* numbers; NULL for text and bool, and if not given */
    size_t count; /* of list; 0 after an error */
    int flag;
};

struct iot_raw {
    struct iot_test *test;
    struct iot_value value[KW_COUNT];
    int wrong; /* a line of it was, and is reported */
};

/* Local. Does the test know the keyword? */
int iot_keyword_applies(int keyword, const struct iot_bench *bench);

/* What a test's `plan` works with. */
struct iot_maker {
    struct iot_raw *raw;
    struct iot_errors *errors;
    int nprocs;
};
typedef int iot_plan_fn(struct iot_maker *maker);
iot_plan_fn iot_plan_low, iot_plan_nonseq, iot_plan_sharedfp, iot_plan_matrix,
    iot_plan_transpose, iot_plan_outofcore, iot_plan_irregular;

/* Local. From keywords to parameter sets; errors as in iot_params_read. */
int iot_sets_make(struct iot_raw *raw, int nprocs,
                  struct iot_errors *errors) PARIO_MUST_USE;

#endif
