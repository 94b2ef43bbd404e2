/* What is recorded is what is read: order, arguments, times; regular calls
 * cost next to nothing, and damaged files are no fault. */
#include "trace/heat.h"
#include "trace/trace.h"
#include "trace_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/pario-test-trace-XXXXXX";

static int make_file(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static struct pario_call pwrite_call(int64_t file, int64_t offset, int64_t len)
{
    return (struct pario_call){.op = PARIO_OP_pwrite,
                               .args = {file, offset, len}};
}

static int64_t file_size(void)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

/* The calls of a program, by number: the same each time it is asked. */
typedef struct pario_call program(int64_t i);

static void record(program *calls, int64_t count)
{
    struct trace_file *file = trace_file_open(path, 0, 10000000);

    for (int64_t i = 0; i < count; i++) {
        struct pario_call call = calls(i);

        trace_file_add(file, &call, 100, 1000);
    }
    trace_file_close(file);
}

static void assert_reads_back(program *calls, int64_t count)
{
    struct pario_trace *trace = NULL;
    struct pario_cursor *cursor = NULL;
    struct pario_event event;
    int64_t i = 0;

    assert_int_equal(pario_trace_open(path, &trace), 0);
    assert_int_equal(pario_trace_processes(trace), 1);
    assert_string_equal(pario_trace_notes(trace), "");
    assert_int_equal(pario_cursor_open(trace, 0, 0, &cursor), 0);
    for (; pario_cursor_next(cursor, &event) == 1; i++) {
        struct pario_call call = calls(i);

        assert_int_equal(event.op, call.op);
        assert_memory_equal(event.args, call.args, sizeof(event.args));
        assert_int_equal(event.result, call.result);
    }
    assert_int_equal(i, count);
    assert_int_equal(event.end_ns, count * 1100);
    pario_cursor_close(cursor);
    pario_trace_close(trace);
}

static struct pario_call strided(int64_t i)
{
    return pwrite_call(3, i * 65536, 4096);
}

static void test_record_million_strided_writes_costs_bytes(void **state)
{
    (void)state;
    record(strided, 1000000);
    assert_true(file_size() < 2000);
    assert_reads_back(strided, 1000000);
}

/* For 100 steps: open, 50 writes, 3 alternating reads, close. */
static struct pario_call nested(int64_t i)
{
    int64_t step = i % 56;

    if (step == 0)
        return (struct pario_call){.op = PARIO_OP_open, .args = {1, 3, 7, 420}};
    if (step == 55)
        return (struct pario_call){.op = PARIO_OP_close, .args = {3}};
    if (step > 50)
        return (struct pario_call){.op = PARIO_OP_pread,
                                   .args = {3, step % 2 * 100, 10}};
    return pwrite_call(3, step * 1000, 1000);
}

static void test_record_loop_of_loops_costs_bytes(void **state)
{
    (void)state;
    record(nested, 5600);
    assert_true(file_size() < 1500);
    assert_reads_back(nested, 5600);
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * 0x7fb5d329728ea185u;
    x = (x ^ x >> 27) * 0x81dadef4bc2dd44du;
    return x ^ x >> 33;
}

static struct pario_call random_calls(int64_t i)
{
    return pwrite_call((int64_t)(mixed((uint64_t)i) % 300),
                       (int64_t)(mixed((uint64_t)i + 7) >> 20), 4096);
}

static void test_record_random_offsets_costs_few_bytes_per_call(void **state)
{
    (void)state;
    record(random_calls, 100000);
    assert_true(file_size() < 100000 * 22);
    assert_reads_back(random_calls, 100000);
}

/* Any grammar: few different calls in an order that nearly repeats. */
static struct pario_call nearly_regular(int64_t i)
{
    uint64_t r = mixed((uint64_t)i / 7);

    return pwrite_call((int64_t)((i % 7 + (r % 11 == 0)) % 5),
                       INT64_MIN + (int64_t)(r % 3), (int64_t)(r % 4));
}

static void test_record_irregular_loops_reads_back(void **state)
{
    (void)state;
    record(nearly_regular, 200000);
    assert_reads_back(nearly_regular, 200000);
}

static void test_times_of_slow_and_single_calls_are_exact(void **state)
{
    struct trace_file *file = trace_file_open(path, 0, 10000000);
    struct pario_trace *trace = NULL;
    struct pario_cursor *cursor = NULL;
    struct pario_event event;
    struct pario_call call = pwrite_call(1, 0, 1);

    (void)state;
    trace_file_add(file, &call, 5000000, 123);
    trace_file_add(file, &call, 10, 2000001);
    trace_file_add(file, &call, 7000000, 456);
    trace_file_close(file);
    assert_int_equal(pario_trace_open(path, &trace), 0);
    assert_int_equal(pario_cursor_open(trace, 0, 0, &cursor), 0);
    assert_int_equal(pario_cursor_next(cursor, &event), 1);
    assert_int_equal(event.begin_ns, 5000000);
    assert_int_equal(event.end_ns, 5000123);
    assert_true(event.exact);
    assert_int_equal(pario_cursor_next(cursor, &event), 1);
    assert_int_equal(event.end_ns - event.begin_ns, 2000001);
    assert_int_equal(pario_cursor_next(cursor, &event), 1);
    assert_int_equal(event.end_ns, 5000123 + 10 + 2000001 + 7000456);
    assert_int_equal(pario_cursor_next(cursor, &event), 0);
    pario_cursor_close(cursor);
    pario_trace_close(trace);
}

static void test_open_cut_trace_reads_what_is_there(void **state)
{
    struct pario_trace *trace = NULL;
    int64_t size;

    (void)state;
    record(random_calls, 10000);
    size = file_size();
    assert_int_equal(truncate(path, size / 2), 0);
    assert_int_equal(pario_trace_open(path, &trace), 0);
    assert_int_equal(pario_trace_processes(trace), 1);
    assert_non_null(strstr(pario_trace_notes(trace), "cut off"));
    assert_non_null(strstr(pario_trace_notes(trace), "did not end in order"));
    pario_trace_close(trace);
    assert_int_equal(truncate(path, 5), 0);
    assert_int_equal(pario_trace_open(path, &trace), PARIO_EFORMAT);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(pario_trace_open(path, &trace), PARIO_EFORMAT);
}

static void test_open_later_version_says_so(void **state)
{
    FILE *file = fopen(path, "wb");
    struct pario_trace *trace = NULL;

    (void)state;
    fwrite("PARIOTRC\2\0\0\0\0\0\0\0", 1, 16, file);
    fclose(file);
    assert_int_equal(pario_trace_open(path, &trace), PARIO_EFORMAT);
    assert_non_null(strstr(pario_error_message(), "version 2"));
}

/* Wherever a process is killed, what it left is in order. */
/* A loop of loops that would run for ages: four times 2^20, nested. */
static void test_loops_without_end_are_refused(void **state)
{
    struct trace_file *file = trace_file_open(path, 0, 0);
    uint8_t block[200], *at = block;
    struct pario_trace *trace = NULL;
    struct pario_cursor *cursor = NULL;
    struct pario_event event;
    uint64_t calls = 0;

    (void)state;
    memset(block, 0, 4); /* thread, block, beginning, lost calls */
    at = pario_put_uint(block + 4, 1);
    at = pario_put_uint(at, PARIO_OP_close);
    memset(at, 0, 4); /* file, result, sum and longest time */
    at = pario_put_uint(at + 4, 4);
    for (uint64_t loop = 0; loop < 4; loop++) {
        at = pario_put_uint(at, 1);
        at = pario_put_uint(at, (uint64_t)1 << 20);
        at = pario_put_uint(at, loop);
    }
    at = pario_put_uint(at, 1);
    at = pario_put_uint(at, 4);
    at = pario_put_uint(at, 0);
    trace_file_chunk(file, PARIO_CHUNK_BLOCK, block, (size_t)(at - block));
    trace_file_close(file);
    assert_int_equal(pario_trace_open(path, &trace), 0);
    assert_int_equal(pario_trace_count(trace, 0, 0, &calls), PARIO_EFORMAT);
    assert_int_equal(pario_cursor_open(trace, 0, 0, &cursor), 0);
    assert_int_equal(pario_cursor_next(cursor, &event), PARIO_EFORMAT);
    pario_cursor_close(cursor);
    pario_trace_close(trace);
}

static void test_live_is_in_order_after_every_call(void **state)
{
    struct pario_live *live = calloc(1, sizeof(*live));

    (void)state;
    pario_live_init(live, 1, 0, 1000000, 1.0);
    for (int64_t i = 0; i < 20000; i++) {
        struct pario_call call = nearly_regular(i);

        if (pario_live_add(live, &call, (uint64_t)i * 10, (uint64_t)i * 10 + 5))
            pario_live_clear(live);
        if (i % 16 == 0)
            assert_int_equal(pario_live_check(live, sizeof(*live)), 0);
    }
    live->symbol[0] = 3000;
    live->nsymbols = 1;
    live->loop_len = 0;
    live->loop_at = 0;
    live->nloops = 0;
    assert_true(pario_live_check(live, sizeof(*live)) != 0);
    free(live);
}

/* How many pieces a write through a view of 900 has; 0: nobody knows where. */
static int64_t pieces_of_view(const struct pario_trace *trace,
                              struct pario_places_budget *budget)
{
    struct pario_places *places = NULL;
    struct pario_cursor *cursor = NULL;
    struct pario_place place = {0};
    struct pario_event event;

    assert_int_equal(pario_places_create(trace, 0, budget, &places), 0);
    assert_int_equal(pario_cursor_open(trace, 0, 0, &cursor), 0);
    while (pario_cursor_next(cursor, &event) > 0)
        assert_int_equal(pario_places_next(places, &event, &place), 0);
    pario_cursor_close(cursor);
    pario_places_destroy(places);
    assert_int_equal(place.bytes, 7200);
    return place.offset >= 0 ? place.pieces : 0;
}

/* Those of one process cost the next one something. */
static void test_datatypes_of_all_processes_share_a_budget(void **state)
{
    struct trace_file *file = trace_file_open(path, 0, 0);
    struct pario_call calls[] = {
        {.op = PARIO_OP_File_open,
         .args = {trace_file_string(file, "/d/x"), 0,
                  trace_file_string(file, "0"), 7}},
        {.op = PARIO_OP_File_set_view,
         .args = {0, 0, trace_file_string(file, "8"),
                  trace_file_string(file, "v(900,1,16,8)")}},
        {.op = PARIO_OP_File_write_at,
         .args = {0, 0, 1, trace_file_string(file, "v(900,1,8,8)")}}};
    struct pario_trace *trace = NULL;
    struct pario_places_budget budget;

    (void)state;
    for (size_t i = 0; i < 3; i++)
        trace_file_add(file, &calls[i], 1, 1);
    trace_file_close(file);
    assert_int_equal(pario_trace_open(path, &trace), 0);
    budget = pario_places_budget_of(trace);
    assert_true(budget.work > 1 << 24);
    budget.work = 2000;
    assert_int_equal(pieces_of_view(trace, &budget), 900);
    assert_int_equal(pieces_of_view(trace, &budget), 0);
    budget.work = -1;
    assert_int_equal(pieces_of_view(trace, &budget), 0);
    budget = (struct pario_places_budget){.work = 10000, .segments = 1000};
    assert_int_equal(pieces_of_view(trace, &budget), 900);
    assert_int_equal(pieces_of_view(trace, &budget), 900); /* given back */
    budget.segments = 800;
    assert_int_equal(pieces_of_view(trace, &budget), 0);
    pario_trace_close(trace);
}

/* After a seek of two etypes of 8 bytes. */
static void test_pieces_of_a_call_lie_where_the_view_has_them(void **state)
{
    static const int64_t wanted[] = {100 + 32, 100 + 48, 100 + 56};
    struct trace_file *file = trace_file_open(path, 0, 0);
    int64_t eight = trace_file_string(file, "8");
    struct pario_call calls[] = {
        {.op = PARIO_OP_File_open,
         .args = {trace_file_string(file, "/d/x"), 0,
                  trace_file_string(file, "0"), 7}},
        {.op = PARIO_OP_File_set_view,
         .args = {0, 100, eight, trace_file_string(file, "v(4,1,16,8)")}},
        {.op = PARIO_OP_File_seek_cur, .args = {0, 2}},
        {.op = PARIO_OP_File_write, .args = {0, 3, eight}}};
    struct pario_trace *trace = NULL;
    struct pario_cursor *cursor = NULL;
    struct pario_places *places = NULL;
    struct pario_places_budget budget;
    struct pario_event event;
    struct pario_place place;
    int64_t offset, len;

    (void)state;
    for (size_t i = 0; i < 4; i++)
        trace_file_add(file, &calls[i], 1, 1);
    trace_file_close(file);
    assert_int_equal(pario_trace_open(path, &trace), 0);
    budget = pario_places_budget_of(trace);
    assert_int_equal(pario_places_create(trace, 0, &budget, &places), 0);
    assert_int_equal(pario_cursor_open(trace, 0, 0, &cursor), 0);
    while (pario_cursor_next(cursor, &event) == 1)
        assert_int_equal(pario_places_next(places, &event, &place), 0);
    assert_int_equal(place.bytes, 24);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pario_place_piece(&place, 8 * i, &offset, &len), 0);
        assert_int_equal(offset, wanted[i]);
        assert_int_equal(len, 8);
    }
    assert_int_equal(pario_place_piece(&place, 24, &offset, &len),
                     PARIO_EFORMAT);
    pario_cursor_close(cursor);
    pario_places_destroy(places);
    pario_trace_close(trace);
}

/* The first quarter is written, then all is read: a quarter is known. */
static void test_heat_knows_what_was_written_before(void **state)
{
    struct trace_file *file = trace_file_open(path, 0, 0);
    struct pario_call calls[] = {
        {.op = PARIO_OP_open,
         .args = {trace_file_string(file, "/d/x"), 0, 7, 0644}},
        {.op = PARIO_OP_pwrite, .args = {0, 0, 2048}},
        {.op = PARIO_OP_pread, .args = {0, 0, 8192}}};
    struct pario_trace *trace = NULL;
    struct pario_profile profile;
    struct pario_heat heat;
    double sums[3] = {0, 0, 0};

    (void)state;
    for (size_t i = 0; i < 3; i++)
        trace_file_add(file, &calls[i], 1000, 1000);
    trace_file_close(file);
    assert_int_equal(pario_trace_open(path, &trace), 0);
    assert_int_equal(pario_profile_init(&profile, trace), 0);
    assert_int_equal(profile.nfiles, 1);
    assert_int_equal(profile.concurrency.most, 1);
    assert_true(profile.concurrency.any > 0.4 && profile.concurrency.any < 0.8);
    assert_int_equal(pario_heat_init(&heat, trace, &profile), 0);
    assert_int_equal(heat.nfiles, 1);
    for (int way = 0; way < 3; way++)
        for (int r = 0; r < PARIO_HEAT_ROWS; r++)
            for (int c = 0; c < PARIO_PROFILE_COLUMNS; c++)
                sums[way] += (double)heat.files[0].cell[way][r][c];
    assert_float_equal(sums[PARIO_DATA_WRITE], 2048, 1);
    assert_float_equal(sums[PARIO_DATA_READ], 8192, 1);
    assert_float_equal(heat.files[0].reread_bytes, 2048, 8);
    pario_heat_fini(&heat);
    pario_profile_fini(&profile);
    pario_trace_close(trace);
}

static void test_print_is_relative_to_the_common_folder(void **state)
{
    struct trace_file *file = trace_file_open(path, 2, 0);
    struct pario_trace *trace = NULL;
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    struct pario_call call = {
        .op = PARIO_OP_open,
        .args = {trace_file_string(file, "/a/b/one"), 0, 3, 0644}};

    (void)state;
    trace_file_add(file, &call, 1, 1);
    call = (struct pario_call){.op = PARIO_OP_unlink,
                               .args = {trace_file_string(file, "/a/b/other")},
                               .result = -2};
    trace_file_add(file, &call, 1, 1);
    trace_file_close(file);
    assert_int_equal(pario_trace_open(path, &trace), 0);
    assert_int_equal(pario_trace_print(trace, out), 0);
    fclose(out);
    assert_string_equal(text,
                        "process 0 thread 0\n"
                        "open path=\"one\" file=0 flags=read,write mode=644\n"
                        "unlink path=\"other\" -> ENOENT\n");
    free(text);
    pario_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record_million_strided_writes_costs_bytes),
        cmocka_unit_test(test_record_loop_of_loops_costs_bytes),
        cmocka_unit_test(test_record_random_offsets_costs_few_bytes_per_call),
        cmocka_unit_test(test_record_irregular_loops_reads_back),
        cmocka_unit_test(test_times_of_slow_and_single_calls_are_exact),
        cmocka_unit_test(test_open_cut_trace_reads_what_is_there),
        cmocka_unit_test(test_open_later_version_says_so),
        cmocka_unit_test(test_loops_without_end_are_refused),
        cmocka_unit_test(test_live_is_in_order_after_every_call),
        cmocka_unit_test(test_datatypes_of_all_processes_share_a_budget),
        cmocka_unit_test(test_pieces_of_a_call_lie_where_the_view_has_them),
        cmocka_unit_test(test_heat_knows_what_was_written_before),
        cmocka_unit_test(test_print_is_relative_to_the_common_folder),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
