/* suites/iot/keywords.h - the keywords of one test as they stand in the file.
 * Between params.c and sets.c. */
#ifndef PARIO_IOT_KEYWORDS_H
#define PARIO_IOT_KEYWORDS_H

#include "suites/iot/bench.h"

enum iot_keyword {
    IOT_KW_FILENAME,
    IOT_KW_NUMRUNS,
    IOT_KW_NUMFILESIZE,
    IOT_KW_FILESIZE,
    IOT_KW_NUMBLOCKSIZE,
    IOT_KW_BLOCKSIZE,
    IOT_KW_FUZZY,
    IOT_KW_PREALLOCATE,
    IOT_KW_COLLECTIVE,
    IOT_KW_TASKLENGTH,
    IOT_KW_NUMSIZES,
    IOT_KW_PROBLEMSIZE,
    IOT_KW_XSIZE,
    IOT_KW_YSIZE,
    IOT_KW_ZSIZE,
    IOT_KW_TSIZE,
    IOT_KW_NUMPROCGRIDS,
    IOT_KW_XPROC,
    IOT_KW_YPROC,
    IOT_KW_ZPROC,
    IOT_KW_TPROC,
    IOT_KW_GHOST,
    IOT_KW_NUMUPDATE,
    IOT_KW_UPDATE_FRAC,
    IOT_KW_BLOCKMIN,
    IOT_KW_BLOCKMAX,
    IOT_KW_MEMORY,
    IOT_KW_PANEL,
    IOT_KW_VARIANT,
    IOT_KW_NODALVARS,
    IOT_KW_ELEMENTVARS,
    IOT_KW_SCRAMBLE,
    IOT_KW_FILE_PER_PROCESS,
    IOT_KW_REPEAT,
    IOT_KW_COUNT
};

enum iot_type {
    IOT_TYPE_TEXT,
    IOT_TYPE_COUNT,
    IOT_TYPE_INTS,
    IOT_TYPE_REALS,
    IOT_TYPE_BOOL
};

/* What a keyword's value is and which tests know it. */
struct iot_keyword_info {
    const char *name; /* without underscores */
    enum iot_type type;
    unsigned any; /* tests with any of these abilities; 0: all tests */
};
extern const struct iot_keyword_info iot_keyword_table[IOT_KW_COUNT];

struct iot_value {
    int line; /* 0: not given */
    char *text;
    double *list; /* numbers; NULL for text and bool, and if not given */
    size_t count; /* of list; 0 after an error */
    int flag;
};

struct iot_raw {
    struct iot_test *test;
    struct iot_value value[IOT_KW_COUNT];
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
