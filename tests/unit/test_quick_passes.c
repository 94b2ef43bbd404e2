/* Passes of quick over the same places: each writes other bytes, and what one
 * of them lost is found. */
#include "core/storage.h"
#include "suites/quick/phase.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define REGION ((size_t)64 << 10)
#define BLOCK ((size_t)4096)
#define PASSES 5

extern const struct pario_backend pario_backend_posix;

static struct pario_group *world;

/* What the calls of the storage below saw. */
static struct {
    char before[REGION]; /* as it was written last */
    int64_t calls, repeated;
    int64_t lost_from; /* from this call on nothing is written; 0: never */
} storage;

/* A block that holds what stood there before is repeated. */
static int watched_write(struct pario_file *file, void *buf, size_t len,
                         int64_t offset)
{
    storage.calls++;
    for (size_t at = 0; at < len; at += BLOCK) {
        size_t n = len - at < BLOCK ? len - at : BLOCK;
        char *before = storage.before + offset + at;

        storage.repeated += memcmp(before, (char *)buf + at, n) == 0;
        memcpy(before, (char *)buf + at, n);
    }
    if (storage.lost_from > 0 && storage.calls >= storage.lost_from)
        return 0;
    return pario_backend_posix.io[PARIO_WRITE][PARIO_FORM_AT](file, buf, len,
                                                              offset);
}

static struct pario_backend watched(void)
{
    struct pario_backend backend = pario_backend_posix;

    backend.io[PARIO_WRITE][PARIO_FORM_AT] = watched_write;
    backend.start = NULL;
    return backend;
}

/* One access with at least so many passes; what is wrong with it. */
static int64_t wrong_after(struct pario_run *run, struct quick_part *part,
                           enum quick_access access)
{
    int64_t pass = (int64_t)part->buffer_len / part->what->request_bytes;
    double seconds = 0.01;
    struct pario_phase phase;

    do {
        storage.calls = 0;
        memset(storage.before, 0, sizeof(storage.before));
        seconds *= 2;
        if (access == QUICK_WRITE)
            unlink(part->path);
        assert_int_equal(quick_phase(run, part, access, seconds, &phase), 0);
    } while (storage.calls < PASSES * pass && access != QUICK_READ &&
             phase.figures.wrong_bytes == 0);
    return phase.figures.wrong_bytes;
}

static void write_and_read(int64_t request, int random, int64_t lost_from,
                           int64_t *wrong_p)
{
    struct pario_backend backend = watched();
    struct quick_case what = {.backend = &backend,
                              .separate = 1,
                              .random = random,
                              .depth = 1,
                              .request_bytes = request,
                              .goes_round = 1,
                              .file_number = 3};
    struct pario_run run = {.world = world, .data_key = 12345};
    struct pario_samples samples;
    struct quick_part part = {.what = &what, .buffer_len = REGION};

    part.buffer = malloc(REGION);
    assert_non_null(part.buffer);
    part.samples = &samples;
    assert_int_equal(pario_samples_init(&samples, 1024), 0);
    pario_perm_init(&part.order, REGION / (size_t)request, 1);
    snprintf(part.path, sizeof(part.path), "quick-passes.%d", (int)getpid());
    memset(&storage, 0, sizeof(storage));
    *wrong_p = wrong_after(&run, &part, QUICK_WRITE);
    *wrong_p += wrong_after(&run, &part, QUICK_READ);
    storage.lost_from = lost_from;
    *wrong_p += wrong_after(&run, &part, QUICK_REWRITE);
    *wrong_p += wrong_after(&run, &part, QUICK_READ);
    unlink(part.path);
    pario_samples_fini(&samples);
    free(part.buffer);
}

static void test_every_pass_writes_other_data_that_is_checked(void **state)
{
    static const int64_t requests[] = {1024, 4096, 16384, REGION};

    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (int random = 0; random < 2; random++) {
            int64_t wrong;

            write_and_read(requests[i], random, 0, &wrong);
            assert_int_equal(storage.repeated, 0);
            assert_int_equal(wrong, 0);
        }
}

static void test_lost_pass_is_found(void **state)
{
    int64_t wrong;

    (void)state;
    /* All of the first pass and half of the second are there. */
    write_and_read(4096, 0, REGION / 4096 * 3 / 2, &wrong);
    assert_true(wrong > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pass_writes_other_data_that_is_checked),
        cmocka_unit_test(test_lost_pass_is_found),
    };
    int failed;

    if (pario_par_start(&argc, &argv, &world) != 0)
        return 2;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    pario_par_finish(world);
    return failed;
}
