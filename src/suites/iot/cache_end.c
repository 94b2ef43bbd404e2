/* suites/iot/cache_end.c - at which file size does the cache end? (4.2.2: the
 * rate over the size of the file has a plateau for each level of storage) */
#include "core/units.h"
#include "result/repetitions.h"
#include "result/value.h"
#include "result/view.h"
#include "suites/iot/iot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KNEE 0.6 /* of the best: below it the cache has ended */
#define FEWEST 3 /* file sizes that make a curve */

/* What tells the places of a curve apart; the size of a kernel's file follows
 * from the number of elements. */
static const char *const along_curve[] = {"file_bytes", "size", NULL};

struct place {
    int64_t file_bytes;
    double mbps;
};

static int by_size(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->file_bytes < y->file_bytes ? -1 : x->file_bytes > y->file_bytes;
}

static const json_t *parameters_of(const json_t *measure)
{
    return json_object_get(measure, "parameters");
}

/* Repetitions of one size become one place, with their mean. */
static size_t merge(struct place *places, size_t n)
{
    size_t merged = 0;

    for (size_t i = 0, end; i < n; i = end) {
        double sum = 0;

        for (end = i; end < n && places[end].file_bytes == places[i].file_bytes;
             end++)
            sum += places[end].mbps;
        places[merged++] = (struct place){.file_bytes = places[i].file_bytes,
                                          .mbps = sum / (double)(end - i)};
    }
    return merged;
}

/* The sizes of a curve with what was read of each, in order. places has room
 * for all of the curve. */
static size_t gather(const struct pario_repetitions *curve,
                     struct place *places)
{
    size_t n = 0;

    for (size_t i = 0; i < curve->count; i++) {
        struct place place = {
            .file_bytes = pario_integer_of(parameters_of(curve->measures[i]),
                                           "file_bytes"),
            .mbps = pario_number_of(curve->measures[i], "bandwidth_mbps")};

        if (place.file_bytes > 0 && place.mbps > 0)
            places[n++] = place;
    }
    qsort(places, n, sizeof(places[0]), by_size);
    return merge(places, n);
}

/* The first size from which on all are far below the best; n: there is none. */
static size_t knee_of(const struct place *places, size_t n)
{
    double best = 0;
    size_t knee = n;

    for (size_t i = 0; i < n; i++)
        best = places[i].mbps > best ? places[i].mbps : best;
    while (knee > 1 && places[knee - 1].mbps < KNEE * best)
        knee--;
    return knee;
}

/* What one curve says. */
struct finding {
    const json_t *measure;      /* one of the curve */
    struct place before, after; /* its end; after.file_bytes 0: none is seen */
};

/* "single read", "single read of /scratch/x, cb_nodes=2": which curve. */
static void print_curve(const json_t *measure, char text[IOT_TEXT])
{
    const char *file = pario_text_of(parameters_of(measure), "filename", "");
    const char *hints = pario_text_of(parameters_of(measure), "hints", "");

    snprintf(text, IOT_TEXT, "%s read%s%s%s%s",
             pario_text_of(measure, "test", ""), file[0] != '\0' ? " of " : "",
             file, hints[0] != '\0' ? ", " : "", hints);
}

static struct finding find(const json_t *measure, const struct place *places,
                           size_t n)
{
    size_t knee = knee_of(places, n);
    struct finding finding = {.measure = measure, .before = places[knee - 1]};

    if (knee < n)
        finding.after = places[knee];
    return finding;
}

/* Curves that have one name: of several block sizes. */
enum others {
    ALONE, /* there is no other */
    AGREE, /* all end at the same file sizes, at rates of their own */
    DISPUTE
};

static int64_t block_of(const struct finding *finding)
{
    return pario_integer_of(parameters_of(finding->measure), "block_bytes");
}

static enum others others_of(const struct finding *findings, size_t n, size_t i)
{
    char own[IOT_TEXT], other[IOT_TEXT];
    const struct finding *finding = &findings[i];
    enum others others = ALONE;

    print_curve(finding->measure, own);
    for (size_t k = 0; k < n && others != DISPUTE; k++) {
        print_curve(findings[k].measure, other);
        if (k == i || strcmp(own, other) != 0 ||
            block_of(&findings[k]) == block_of(finding))
            continue;
        others =
            findings[k].after.file_bytes == finding->after.file_bytes &&
                    findings[k].before.file_bytes == finding->before.file_bytes
                ? AGREE
                : DISPUTE;
    }
    return others;
}

/* Curves that agree all say the same sentence, which is there once. */
static void say(struct pario_result *result, const struct finding *finding,
                enum others others)
{
    int64_t block = others == DISPUTE ? block_of(finding) : 0;
    char size[3][PARIO_UNITS_LEN], rate[2][PARIO_UNITS_LEN];
    char curve[IOT_TEXT], blocks[PARIO_UNITS_LEN + 16] = "";

    print_curve(finding->measure, curve);
    if (block > 0)
        snprintf(blocks, sizeof(blocks), ", blocks of %s",
                 pario_size_print_short(block, size[2]));
    (void)pario_size_print_short(finding->before.file_bytes, size[0]);
    (void)pario_size_print_short(finding->after.file_bytes, size[1]);
    if (finding->after.file_bytes == 0)
        pario_view_say(result,
                       "%s%s: no end of the cache is seen up to files of %s; "
                       "larger ones would show the device.",
                       curve, blocks, size[0]);
    else if (others == AGREE)
        pario_view_say(result,
                       "%s: the cache ends between files of %s and %s, with "
                       "all block sizes.",
                       curve, size[0], size[1]);
    else
        pario_view_say(
            result,
            "%s%s: the cache ends between files of %s (%s) and %s (%s).", curve,
            blocks, size[0], pario_rate_print(finding->before.mbps, rate[0]),
            size[1], pario_rate_print(finding->after.mbps, rate[1]));
}

/* The curves of what was read: the time of a write has its sync in it.
 * places and findings have room for one of each measure. */
static size_t find_all(struct pario_repetitions *curve, struct place *places,
                       struct finding *findings)
{
    size_t count = 0;

    for (size_t i = 0; pario_repetitions_take(curve, i); i++) {
        const json_t *first = curve->measures[0];
        size_t n;

        if (strcmp(pario_text_of(first, "access", ""), "read") != 0)
            continue;
        n = gather(curve, places);
        if (n >= FEWEST)
            findings[count++] = find(first, places, n);
    }
    return count;
}

int iot_say_cache_end(struct pario_result *result)
{
    const json_t *document = pario_result_document(result);
    size_t room = json_array_size(json_object_get(document, "measures"));
    struct place *places = calloc(room + 1, sizeof(*places));
    struct finding *findings = calloc(room + 1, sizeof(*findings));
    struct pario_repetitions curve;
    int code = -ENOMEM;

    if (places == NULL || findings == NULL) {
        code = pario_fail_errno(code, "cannot keep a figure");
        goto out_free;
    }
    code = pario_repetitions_init(document, along_curve, &curve);
    if (code == 0) {
        size_t n = find_all(&curve, places, findings);

        for (size_t i = 0; i < n; i++)
            say(result, &findings[i], others_of(findings, n, i));
    }
    pario_repetitions_fini(&curve);
out_free:
    free(findings);
    free(places);
    return code;
}
