#include "backend_cases.h"

#include <errno.h>

extern const struct pario_backend pario_backend_uring;
#define URING (&pario_backend_uring)

static void test_round_trip_explicit_is_exact(void **state)
{
    (void)state;
    check_round_trip(URING, NULL, PARIO_FORM_AT);
}

static void test_create_existing_file_is_refused(void **state)
{
    (void)state;
    check_create_existing(URING, NULL);
}

static void test_several_requests_complete_out_of_order(void **state)
{
    (void)state;
    check_nonblocking(URING);
}

enum { PIECE = 4096, PIECES = 24, DEPTH = 4 };

/* All pieces of a file through a queue; next gives each back exactly once. */
static void move_pieces(struct pario_file *file, enum pario_direction direction,
                        char *buf)
{
    struct pario_request requests[DEPTH], *done = NULL;
    int free_slots[DEPTH] = {0, 1, 2, 3}, nfree = DEPTH, started = 0, ended = 0;

    while (ended < PIECES) {
        while (nfree > 0 && started < PIECES) {
            int64_t at = (int64_t)started++ * PIECE;

            assert_int_equal(URING->start(file, direction, buf + at, PIECE, at,
                                          &requests[free_slots[--nfree]]),
                             0);
        }
        assert_int_equal(URING->next(file, 1, &done), 0);
        assert_non_null(done);
        for (; done != NULL; ended++) {
            assert_int_equal(done->done, 1);
            assert_int_equal(done->result, 0);
            free_slots[nfree++] = (int)(done - requests);
            assert_int_equal(URING->next(file, 0, &done), 0);
        }
    }
    assert_int_equal(nfree, DEPTH);
}

static void check_queue(int polled)
{
    struct pario_data data = {.key = 42, .file = 1};
    char dir[64], path[128];
    struct pario_target target = {.path = path,
                                  .flags = PARIO_OPEN_CREATE | PARIO_OPEN_READ |
                                           PARIO_OPEN_WRITE | polled,
                                  .queue_depth = DEPTH};
    struct pario_data_error error;
    struct pario_file *file = NULL;
    void *buf = NULL;

    make_test_dir(NULL, dir, sizeof(dir));
    snprintf(path, sizeof(path), "%s/file", dir);
    assert_int_equal(pario_buffer_alloc(PIECE * PIECES, &buf), 0);
    pario_data_fill(&data, 0, buf, PIECE * PIECES);
    assert_int_equal(URING->open(&target, &file), 0);
    move_pieces(file, PARIO_WRITE, buf);
    memset(buf, 0, PIECE * PIECES);
    move_pieces(file, PARIO_READ, buf);
    assert_int_equal(pario_data_check(&data, 0, buf, PIECE * PIECES, &error),
                     0);
    assert_int_equal(URING->close(file), 0);
    free(buf);
    remove_test_file(NULL, path, dir);
}

static void test_queue_gives_each_request_back_once(void **state)
{
    (void)state;
    check_queue(0);
    check_queue(PARIO_OPEN_POLLED);
}

static void test_aio_round_trip_is_exact_and_short_at_the_end(void **state)
{
    const struct pario_backend *aio = &pario_backend_aio;
    struct pario_request request;
    char dir[64], path[128], word[8] = "written", back[8] = "";
    struct pario_target target = {.path = path,
                                  .flags = PARIO_OPEN_CREATE | PARIO_OPEN_READ |
                                           PARIO_OPEN_WRITE};
    struct pario_file *file = NULL;

    (void)state;
    make_test_dir(NULL, dir, sizeof(dir));
    snprintf(path, sizeof(path), "%s/file", dir);
    assert_int_equal(aio->open(&target, &file), 0);
    assert_int_equal(aio->start(file, PARIO_WRITE, word, 8, 16, &request), 0);
    assert_int_equal(aio->wait(file, &request), 0);
    assert_int_equal(aio->start(file, PARIO_READ, back, 8, 16, &request), 0);
    assert_int_equal(aio->wait(file, &request), 0);
    assert_memory_equal(word, back, 8);
    assert_int_equal(aio->start(file, PARIO_READ, back, 8, 20, &request), 0);
    assert_int_equal(aio->wait(file, &request), PARIO_ESHORT);
    assert_int_equal(aio->close(file), 0);
    remove_test_file(NULL, path, dir);
}

static void test_write_to_full_device_returns_enospc(void **state)
{
    struct pario_target target = {.path = "/dev/full",
                                  .flags = PARIO_OPEN_WRITE};
    struct pario_file *file = NULL;
    char x = 'x';

    (void)state;
    assert_int_equal(URING->open(&target, &file), 0);
    assert_int_equal(URING->io[PARIO_WRITE][PARIO_FORM_AT](file, &x, 1, 0),
                     -ENOSPC);
    assert_int_equal(URING->close(file), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip_explicit_is_exact),
        cmocka_unit_test(test_create_existing_file_is_refused),
        cmocka_unit_test(test_several_requests_complete_out_of_order),
        cmocka_unit_test(test_queue_gives_each_request_back_once),
        cmocka_unit_test(test_aio_round_trip_is_exact_and_short_at_the_end),
        cmocka_unit_test(test_write_to_full_device_returns_enospc),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
