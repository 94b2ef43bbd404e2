/* Where did the data come from or go to? Verdicts from evidence. */
#include "measure/verdict.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MIB ((int64_t)1 << 20)

static struct pario_evidence wrote(int64_t bytes, int64_t device_saw)
{
    return (struct pario_evidence){.written_bytes = bytes,
                                   .resident_bytes = -1,
                                   .device = PARIO_DEVICE_BLOCK,
                                   .device_written_bytes = device_saw};
}

static struct pario_evidence did_read(int64_t bytes, int64_t resident,
                                      int64_t device_saw)
{
    return (struct pario_evidence){.read_bytes = bytes,
                                   .resident_bytes = resident,
                                   .device = PARIO_DEVICE_BLOCK,
                                   .device_read_bytes = device_saw};
}

static void expect(struct pario_evidence evidence, enum pario_cache cache)
{
    assert_string_equal(pario_cache_names[pario_evidence_verdict(&evidence)],
                        pario_cache_names[cache]);
}

static struct pario_evidence names(int64_t made, int64_t asked, int64_t read,
                                   int64_t written)
{
    return (struct pario_evidence){.names_made = made,
                                   .names_asked = asked,
                                   .device = PARIO_DEVICE_BLOCK,
                                   .device_read_bytes = read,
                                   .device_written_bytes = written};
}

static void
test_verdict_of_names_is_what_the_device_moved_for_each(void **state)
{
    struct pario_evidence server = names(1000, 0, 0, MIB);
    struct pario_evidence kept = names(0, 1000, MIB, 0);

    (void)state;
    kept.names_kept = 1; /* somebody else read from the device meanwhile */
    expect(kept, PARIO_CACHE_CACHE);
    expect(names(1000, 0, 0, MIB), PARIO_CACHE_DISK);
    expect(names(1000, 0, MIB, 0), PARIO_CACHE_CACHE);
    expect(names(1000, 0, 0, 4096), PARIO_CACHE_MIXED);
    expect(names(0, 1000, MIB, 0), PARIO_CACHE_DISK);
    expect(names(0, 1000, 0, MIB), PARIO_CACHE_CACHE);
    expect(names(0, 1000, -1, -1), PARIO_CACHE_UNKNOWN);
    server.device = PARIO_DEVICE_NFS;
    expect(server, PARIO_CACHE_UNKNOWN);
    server.device = PARIO_DEVICE_NONE;
    expect(server, PARIO_CACHE_CACHE);
}

/* A journal may have written names that nobody asked to be durable. */
static void test_verdict_of_names_without_a_sync_is_never_disk(void **state)
{
    struct pario_evidence unsynced = names(1000, 0, 0, MIB);

    (void)state;
    unsynced.unsynced = 1;
    expect(unsynced, PARIO_CACHE_MIXED);
    unsynced = names(1000, 0, MIB, 0);
    unsynced.unsynced = 1;
    expect(unsynced, PARIO_CACHE_CACHE);
}

/* Writes of 512 bytes to places that are drawn: the device writes whole pages,
 * and what was written over in memory is none of them. */
static void test_verdict_of_small_writes_counts_each_byte_once(void **state)
{
    struct pario_evidence drawn = wrote(100 * MIB, 200 * MIB);

    (void)state;
    drawn.written_once_bytes = 30 * MIB;
    expect(drawn, PARIO_CACHE_MIXED);
    drawn.written_once_bytes = 4 * MIB;
    expect(drawn, PARIO_CACHE_CACHE);
    drawn.written_once_bytes = 96 * MIB;
    expect(drawn, PARIO_CACHE_DISK);
    drawn.written_once_bytes = 4 * MIB;
    drawn.direct = 1;
    expect(drawn, PARIO_CACHE_DISK);
}

/* Somebody else wrote to the device. */
static void test_verdict_of_what_is_still_in_memory_is_not_disk(void **state)
{
    struct pario_evidence waits = wrote(100 * MIB, 300 * MIB);

    (void)state;
    waits.unsynced = 1;
    waits.unwritten_bytes = 100 * MIB;
    expect(waits, PARIO_CACHE_CACHE);
    waits.unwritten_bytes = 40 * MIB;
    expect(waits, PARIO_CACHE_MIXED);
    waits.unwritten_bytes = 0;
    expect(waits, PARIO_CACHE_DISK);
    waits.unwritten_bytes = -1; /* the kernel does not say */
    expect(waits, PARIO_CACHE_UNKNOWN);
    waits.unsynced = 0;
    expect(waits, PARIO_CACHE_DISK);
}

static void test_verdict_of_a_write_is_what_the_device_saw(void **state)
{
    (void)state;
    expect(wrote(100 * MIB, 100 * MIB), PARIO_CACHE_DISK);
    expect(wrote(100 * MIB, 300 * MIB), PARIO_CACHE_DISK);
    /* The same pages again and again, one sync at the end. */
    expect(wrote(8600 * MIB, 17 * MIB), PARIO_CACHE_CACHE);
    expect(wrote(100 * MIB, 50 * MIB), PARIO_CACHE_MIXED);
    /* A sync that did nothing. */
    expect(wrote(260 * MIB, 0), PARIO_CACHE_CACHE);
}

static void test_verdict_of_a_read_needs_device_and_empty_cache(void **state)
{
    struct pario_evidence again = did_read(300 * MIB, 0, 100 * MIB);

    (void)state;
    expect(did_read(100 * MIB, 0, 100 * MIB), PARIO_CACHE_DISK);
    expect(did_read(100 * MIB, 100 * MIB, 0), PARIO_CACHE_CACHE);
    /* Somebody else read from the device meanwhile. */
    expect(did_read(100 * MIB, 100 * MIB, 500 * MIB), PARIO_CACHE_CACHE);
    expect(did_read(100 * MIB, 50 * MIB, 50 * MIB), PARIO_CACHE_MIXED);
    expect(did_read(100 * MIB, -1, 100 * MIB), PARIO_CACHE_DISK);
    again.data_bytes = 100 * MIB; /* three passes, the first from the device */
    expect(again, PARIO_CACHE_MIXED);
}

/* Three passes, and others who read as much from the device. */
static void
test_verdict_of_a_read_again_is_what_can_have_come_anew(void **state)
{
    struct pario_evidence again = did_read(300 * MIB, 0, 500 * MIB);

    (void)state;
    again.data_bytes = 100 * MIB;
    again.own_read_bytes = -1;
    again.kept_bytes = 100 * MIB;
    expect(again, PARIO_CACHE_MIXED);
    again.kept_bytes = -1; /* nobody says */
    expect(again, PARIO_CACHE_MIXED);
    again.kept_bytes = 0; /* more than fits in memory */
    expect(again, PARIO_CACHE_DISK);
    again.kept_bytes = 100 * MIB;
    again.own_read_bytes = 300 * MIB; /* it was dropped after each pass */
    expect(again, PARIO_CACHE_DISK);
    again.own_read_bytes = 100 * MIB;
    expect(again, PARIO_CACHE_MIXED);
    again.nodes = 3; /* each has read it once */
    expect(again, PARIO_CACHE_DISK);
    again.nodes = 1;
    again.direct = 1;
    expect(again, PARIO_CACHE_DISK);
}

/* 8 calls of 512 bytes to each page, which the device gives as a whole. */
static void test_verdict_of_parts_of_pages_counts_requests(void **state)
{
    struct pario_evidence part = did_read(16 * MIB, 0, 16 * MIB);

    (void)state;
    part.scattered_calls = 32768;
    part.device_reads = 4096;
    expect(part, PARIO_CACHE_MIXED);
    part.device_reads = 1000;
    expect(part, PARIO_CACHE_CACHE);
    part.device_reads = 32768;
    expect(part, PARIO_CACHE_DISK);
    part.device_reads = -1;
    expect(part, PARIO_CACHE_DISK);
    part.device_reads = 4096;
    part.direct = 1;
    expect(part, PARIO_CACHE_DISK);
}

static void test_verdict_without_visible_device_is_unknown(void **state)
{
    struct pario_evidence write = wrote(100 * MIB, -1);
    struct pario_evidence read = did_read(100 * MIB, 0, -1);

    (void)state;
    write.device = read.device = PARIO_DEVICE_UNKNOWN;
    expect(write, PARIO_CACHE_UNKNOWN);
    expect(read, PARIO_CACHE_UNKNOWN);
    read.resident_bytes = 100 * MIB;
    expect(read, PARIO_CACHE_CACHE);
    write.direct = 1;
    expect(write, PARIO_CACHE_UNKNOWN);
    write.device = PARIO_DEVICE_NONE;
    expect(write, PARIO_CACHE_CACHE);
    expect((struct pario_evidence){.read_bytes = 0}, PARIO_CACHE_UNKNOWN);
}

static void test_verdict_of_both_directions_is_the_worse(void **state)
{
    struct pario_evidence both = did_read(100 * MIB, 0, 100 * MIB);

    (void)state;
    both.written_bytes = 100 * MIB;
    both.device_written_bytes = 100 * MIB;
    expect(both, PARIO_CACHE_DISK);
    both.device_written_bytes = 0;
    expect(both, PARIO_CACHE_MIXED);
    both.device_read_bytes = 0;
    expect(both, PARIO_CACHE_CACHE);
    both.device_written_bytes = -1;
    expect(both, PARIO_CACHE_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_verdict_of_names_is_what_the_device_moved_for_each),
        cmocka_unit_test(test_verdict_of_names_without_a_sync_is_never_disk),
        cmocka_unit_test(test_verdict_of_small_writes_counts_each_byte_once),
        cmocka_unit_test(test_verdict_of_what_is_still_in_memory_is_not_disk),
        cmocka_unit_test(test_verdict_of_a_write_is_what_the_device_saw),
        cmocka_unit_test(test_verdict_of_a_read_needs_device_and_empty_cache),
        cmocka_unit_test(
            test_verdict_of_a_read_again_is_what_can_have_come_anew),
        cmocka_unit_test(test_verdict_of_parts_of_pages_counts_requests),
        cmocka_unit_test(test_verdict_without_visible_device_is_unknown),
        cmocka_unit_test(test_verdict_of_both_directions_is_the_worse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
