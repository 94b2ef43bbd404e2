/* A program that reads a trace of `pario record`: how often each rank makes
 * which call, what it moves and how long that takes, as lines with tabs.
 *
 *   cc -o calls calls.c $(pkg-config --cflags --libs pariotrace)
 *   pario record -o run.trace -- mpirun -n 4 ./app
 *   ./calls run.trace
 */
#include <trace/profile.h>
#include <trace/trace.h>

#include <stdio.h>

struct sum {
    int64_t calls, bytes, ns;
};

/* Views, pointers and datatypes are followed for us: `bytes` is what a call
 * asks for, whatever its form. */
static int add_stream(const struct pario_trace *trace, size_t process,
                      size_t stream, struct sum *sums)
{
    struct pario_places_budget budget = pario_places_budget_of(trace);
    struct pario_places *places;
    struct pario_cursor *cursor;
    struct pario_event event;
    struct pario_place place;
    int rc = pario_places_create(trace, process, &budget, &places);

    if (rc < 0)
        return rc;
    rc = pario_cursor_open(trace, process, stream, &cursor);
    if (rc < 0)
        goto err_destroy_places;
    while ((rc = pario_cursor_next(cursor, &event)) == 1) {
        rc = pario_places_next(places, &event, &place);
        if (rc < 0)
            break;
        sums[event.op].calls++;
        sums[event.op].ns += event.end_ns - event.begin_ns;
        if (pario_trace_op_table[event.op].data != PARIO_DATA_NONE)
            sums[event.op].bytes += place.bytes;
    }
    pario_cursor_close(cursor);
err_destroy_places:
    pario_places_destroy(places);
    return rc;
}

static int print_process(const struct pario_trace *trace, size_t process)
{
    const struct pario_trace_process *facts =
        pario_trace_process_of(trace, process);
    struct sum sums[PARIO_OPS] = {{0, 0, 0}};

    for (size_t stream = 0; stream < facts->nstreams; stream++) {
        int rc = add_stream(trace, process, stream, sums);

        if (rc < 0)
            return rc;
    }
    for (int op = 0; op < PARIO_OPS; op++)
        if (sums[op].calls > 0)
            printf("%d\t%s\t%lld\t%lld\t%.6f\n", facts->rank,
                   pario_trace_op_table[op].name, (long long)sums[op].calls,
                   (long long)sums[op].bytes, (double)sums[op].ns / 1e9);
    return 0;
}

int main(int argc, char **argv)
{
    struct pario_trace *trace;
    int rc = 0;

    if (argc != 2) {
        fprintf(stderr, "usage: calls TRACE\n");
        return 2;
    }
    if (pario_trace_open(argv[1], &trace) < 0) {
        fprintf(stderr, "calls: %s\n", pario_error_message());
        return 1;
    }
    /* A few bytes can stand for years of calls. */
    if (pario_trace_check_calls(trace, 0, PARIO_CALLS_SUMMED) < 0)
        rc = -1;
    printf("rank\tcall\tcalls\tbytes\tseconds\n");
    for (size_t i = 0; rc >= 0 && i < pario_trace_processes(trace); i++)
        rc = print_process(trace, i);
    fputs(pario_trace_notes(trace), stderr);
    if (rc < 0)
        fprintf(stderr, "calls: %s\n", pario_error_message());
    pario_trace_close(trace);
    return rc < 0;
}
