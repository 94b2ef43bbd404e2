/*
 * scaling_probe.c - what docs/scaling.md is made of: the times of an
 * interleaved collective write and read, of the collective steps that pario
 * takes, and the memory of a process. One line of JSON from rank 0.
 *
 *   scaling_probe FILE BYTES PIECE REPEATS [KEY=VALUE...]
 *
 * BYTES of each rank in pieces of PIECE, which lie in turns. The first call of
 * each kind is a call of its own ("first"); what is read is compared.
 */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define STEPS 12 /* samples of each collective step */
#define ROW                                                                    \
    16               /* steps in a row: a single one is mostly how the barrier \
                        before it ended */
#define BUCKETS 2496 /* as a histogram of pario has */
#define MAX_REPEATS 64

struct probe {
    int rank, size, repeats;
    int64_t bytes, piece;
    char *buffer;
    MPI_File file;
};

static double slowest(double seconds)
{
    double most = 0;

    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* KiB, from /proc/self/status; 0: not there. */
static long status_kib(const char *name)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long kib = 0;

    while (status != NULL && fgets(line, sizeof(line), status) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            kib = strtol(line + strlen(name), NULL, 10);
    if (status != NULL)
        fclose(status);
    return kib;
}

static char byte_at(int64_t place, int call)
{
    return (char)(place / 7 + place % 251 + call);
}

/* Writing fills, reading compares: every byte of this rank. */
static int64_t each_byte(struct probe *probe, int call, int writing)
{
    int64_t wrong = 0;

    for (int64_t i = 0; i < probe->bytes; i++) {
        int64_t place =
            (i / probe->piece * probe->size + probe->rank) * probe->piece +
            i % probe->piece;

        if (writing)
            probe->buffer[i] = byte_at(place, call);
        else
            wrong += probe->buffer[i] != byte_at(place, call);
    }
    return wrong;
}

static double one_call(struct probe *probe, int writing)
{
    double begin;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    if (writing)
        MPI_File_write_at_all(probe->file, 0, probe->buffer, (int)probe->bytes,
                              MPI_BYTE, MPI_STATUS_IGNORE);
    else
        MPI_File_read_at_all(probe->file, 0, probe->buffer, (int)probe->bytes,
                             MPI_BYTE, MPI_STATUS_IGNORE);
    return slowest(MPI_Wtime() - begin);
}

static void print_list(const char *name, const double *values, int n)
{
    printf(", \"%s\": [", name);
    for (int i = 0; i < n; i++)
        printf("%s%.9f", i > 0 ? ", " : "", values[i]);
    printf("]");
}

/* The steps that pario's own runs consist of besides the I/O. */
static void agree(void)
{
    int code = 0, worst = 0;

    MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
}

static void merge(void)
{
    static int64_t mine[BUCKETS], sum[BUCKETS];

    MPI_Allreduce(mine, sum, BUCKETS, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void time_steps(const struct probe *probe)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } kinds[] = {
        {"agree_s", agree}, {"merge_s", merge}, {"barrier_s", barrier}};
    double seconds[STEPS];

    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        kinds[k].run(); /* the first connects */
        for (int i = 0; i < STEPS; i++) {
            double begin;

            MPI_Barrier(MPI_COMM_WORLD);
            begin = MPI_Wtime();
            for (int j = 0; j < ROW; j++)
                kinds[k].run();
            seconds[i] = slowest(MPI_Wtime() - begin) / ROW;
        }
        if (probe->rank == 0)
            print_list(kinds[k].name, seconds, STEPS);
    }
}

static void open_file(struct probe *probe, char **argv, int argc)
{
    MPI_Datatype piece, view;
    MPI_Info info;

    MPI_Info_create(&info);
    for (int i = 5; i < argc; i++) {
        char *value = strchr(argv[i], '=');

        if (value == NULL)
            continue;
        *value = '\0';
        MPI_Info_set(info, argv[i], value + 1);
    }
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR | MPI_MODE_CREATE,
                  info, &probe->file);
    MPI_File_set_errhandler(probe->file, MPI_ERRORS_ARE_FATAL);
    MPI_Type_contiguous((int)probe->piece, MPI_BYTE, &piece);
    MPI_Type_create_resized(piece, 0, probe->piece * probe->size, &view);
    MPI_Type_commit(&view);
    MPI_File_set_view(probe->file, probe->rank * probe->piece, MPI_BYTE, view,
                      "native", info);
    MPI_Type_free(&view);
    MPI_Type_free(&piece);
    MPI_Info_free(&info);
}

/* Seconds of the processors, and how often this process slept: since it began
 * to run. */
static void usage(double *values)
{
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    values[0] = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    values[1] = (double)used.ru_nvcsw;
}

/* Returns bytes that were read wrong, of all ranks. */
static int64_t run(struct probe *probe)
{
    double write[MAX_REPEATS], read[MAX_REPEATS];
    int64_t wrong = 0, all = 0;
    long before = status_kib("VmRSS:"), after, most[2] = {0}, mine[2];
    double used[2][2], sum[2] = {0};

    usage(used[0]);
    for (int i = 0; i < probe->repeats; i++) {
        (void)each_byte(probe, i, 1);
        write[i] = one_call(probe, 1);
        memset(probe->buffer, -1, (size_t)probe->bytes);
        read[i] = one_call(probe, 0);
        wrong += each_byte(probe, i, 0);
    }
    usage(used[1]);
    for (int i = 0; i < 2; i++)
        used[1][i] -= used[0][i];
    MPI_Reduce(used[1], sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    after = status_kib("VmHWM:");
    mine[0] = after - before;
    mine[1] = after;
    MPI_Reduce(mine, most, 2, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (probe->rank == 0) {
        print_list("write_s", write, probe->repeats);
        print_list("read_s", read, probe->repeats);
        printf(", \"cpu_s\": %.6f, \"switches\": %.0f", sum[0], sum[1]);
        printf(", \"grown_kib\": %ld, \"peak_kib\": %ld, \"wrong\": %lld",
               most[0], most[1], (long long)all);
    }
    return all;
}

int main(int argc, char **argv)
{
    struct probe probe;
    int64_t wrong;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &probe.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &probe.size);
    if (argc < 5) {
        fprintf(stderr, "usage: scaling_probe FILE BYTES PIECE REPEATS "
                        "[KEY=VALUE...]\n");
        MPI_Finalize();
        return 2;
    }
    probe.bytes = strtoll(argv[2], NULL, 10);
    probe.piece = strtoll(argv[3], NULL, 10);
    probe.repeats = (int)strtol(argv[4], NULL, 10);
    if (probe.repeats > MAX_REPEATS)
        probe.repeats = MAX_REPEATS;
    probe.buffer = malloc((size_t)probe.bytes);
    if (probe.buffer == NULL || probe.piece < 1 || probe.bytes < probe.piece) {
        fprintf(stderr, "scaling_probe: no memory, or no pieces\n");
        MPI_Finalize();
        return 2;
    }
    memset(probe.buffer, 0, (size_t)probe.bytes);
    if (probe.rank == 0)
        printf("{\"size\": %d, \"bytes\": %lld, \"piece\": %lld", probe.size,
               (long long)probe.bytes, (long long)probe.piece);
    open_file(&probe, argv, argc);
    time_steps(&probe);
    wrong = run(&probe);
    MPI_File_close(&probe.file);
    if (probe.rank == 0)
        printf("}\n");
    free(probe.buffer);
    MPI_Finalize();
    return wrong == 0 ? 0 : 1;
}
