/* result/flags.h - what speaks against a number, as bits and as words. Every
 * measure and every summary figure of a document has its own. Local. */
#ifndef PARIO_RESULT_FLAGS_H
#define PARIO_RESULT_FLAGS_H

#include <jansson.h>

/* 0: nothing speaks against it. */
enum pario_flag {
    PARIO_FLAG_CACHE = 1,
    PARIO_FLAG_MIXED = 2, /* partly from a cache */
    PARIO_FLAG_UNVERIFIED = 4,
    PARIO_FLAG_FAILED = 8,        /* an error, or wrong data */
    PARIO_FLAG_INVALID = 16,      /* the run as a whole */
    PARIO_FLAG_SHORT = 32,        /* too short a time to rely on */
    PARIO_FLAG_UNKNOWN = 64,      /* whether it came from a cache */
    PARIO_FLAG_PRELIMINARY = 128, /* the run is not official */
    PARIO_FLAG_PAUSED = 256, /* the clock stood still while the device worked */
    PARIO_FLAG_REPEATED = 512, /* one buffer's bytes over and over: a device
                                  that finds duplicates wrote less */
    PARIO_FLAG_LAST = PARIO_FLAG_REPEATED,
};

#define PARIO_FLAGS_LEN 176
/* Of one flag, for people: "partly cache". */
const char *pario_flag_plain(unsigned flag);
/* As documents and CSV have them: "cache-mixed short"; returns text. */
char *pario_flags_print(unsigned flags, char text[PARIO_FLAGS_LEN]);
/* For people: "partly cache, short"; returns text. */
char *pario_flags_words(unsigned flags, char text[PARIO_FLAGS_LEN]);
/* For people, behind a figure: " (partly cache, short)", "" for none. */
char *pario_flags_beside(unsigned flags, char text[PARIO_FLAGS_LEN]);
/* ["cache", "short"], new; and back: words that are not known are skipped. */
json_t *pario_flags_json(unsigned flags);
unsigned pario_flags_from_json(const json_t *words);

/* Of one measure as it stands in a document, old or new; without those of the
 * run. */
unsigned pario_flags_of_measure(const json_t *measure);

/* Is the measure a better headline than the best so far (NULL: none)? The
 * faster one; but one that was short is none if there is another, nor is one
 * of less than PARIO_HEADLINE_S beside one that took as long: a burst. */
#define PARIO_HEADLINE_S 1.0
int pario_headline_better(const json_t *measure, const json_t *best);

/* A figure made of other measures whose operations it does not count again. */
int pario_measure_is_sum(const json_t *measure);

/* A figure made of several measures: all from a cache is cache, some is mixed;
 * of the other flags one is enough. */
struct pario_flag_sum {
    unsigned any, all;
    int count;
};
void pario_flag_sum_add(struct pario_flag_sum *sum, unsigned flags);
unsigned pario_flag_sum_get(const struct pario_flag_sum *sum);

#endif
