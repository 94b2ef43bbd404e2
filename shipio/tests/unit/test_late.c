/* test_late.c - errors of collective calls that ranks learn later. Two ranks
 * are two files of this process, over one piece of memory.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "file.h"
#include "late.h"

static struct shipio_team teams[2];
static struct shipio_shm memory[2];
static struct shipio_file files[2];

static void make_ranks(void)
{
    size_t len = sizeof(struct shipio_shm_head) +
                 2 * sizeof(struct shipio_shm_rank) + 4096;
    void *head = aligned_alloc(64, len / 64 * 64);

    assert_non_null(head);
    memset(head, 0, len / 64 * 64);
    memset(files, 0, sizeof(files));
    for (int r = 0; r < 2; r++) {
        teams[r].rank = memory[r].rank = r;
        teams[r].size = memory[r].size = 2;
        memory[r].head = head;
        files[r].team = &teams[r];
        files[r].shm = &memory[r];
    }
}

static void free_ranks(void)
{
    free(memory[0].head);
}

/* Rank 0 fails in a fifth call when rank 1 is still in the first. */
static void *fail_again(void *argument)
{
    (void)argument;
    shipio_shm_without_mpi();
    atomic_store(&files[0].late.calls, 5);
    shipio_late_post(&files[0], 5, -EIO, true);
    return NULL;
}

static void test_error_is_read_by_rank_four_calls_behind(void **state)
{
    pthread_t thread;

    (void)state;
    make_ranks();
    atomic_store(&files[0].late.calls, 1);
    shipio_late_post(&files[0], 1, -ENOSPC, true);
    shipio_late_left(&files[0], 1);
    assert_int_equal(pthread_create(&thread, NULL, fail_again, NULL), 0);
    usleep(20000); /* if it does not wait, it is through by now */
    atomic_store(&files[1].late.calls, 1);
    assert_int_equal(shipio_late_common(&files[1]), -ENOSPC);
    shipio_late_left(&files[1], 1);
    pthread_join(thread, NULL);
    atomic_store(&files[1].late.calls, 5);
    assert_int_equal(shipio_late_common(&files[1]), -EIO);
    free_ranks();
}

static void test_error_of_later_call_waits_for_it(void **state)
{
    (void)state;
    make_ranks();
    atomic_store(&files[0].late.calls, 2);
    shipio_late_post(&files[0], 2, -ENOSPC, false);
    atomic_store(&files[1].late.calls, 1);
    assert_int_equal(shipio_late_take(&files[1]), 0);
    atomic_store(&files[1].late.calls, 2);
    assert_int_equal(shipio_late_take(&files[1]), -ENOSPC);
    assert_int_equal(shipio_late_take(&files[1]), 0);
    /* The one that has it knows already. */
    assert_int_equal(shipio_late_take(&files[0]), 0);
    free_ranks();
}

static void test_error_without_a_call_is_taken_once(void **state)
{
    (void)state;
    make_ranks();
    shipio_late_own(&files[0], -EIO);
    shipio_late_own(&files[0], -ENOSPC);
    assert_int_equal(shipio_late_take(&files[0]), -EIO);
    assert_int_equal(shipio_late_take(&files[0]), 0);
    assert_int_equal(shipio_late_take(&files[1]), 0);
    free_ranks();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_is_read_by_rank_four_calls_behind),
        cmocka_unit_test(test_error_of_later_call_waits_for_it),
        cmocka_unit_test(test_error_without_a_call_is_taken_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
