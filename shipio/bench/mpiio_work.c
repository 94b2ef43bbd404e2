/*
 * mpiio_work.c - do the benchmark's work items with whatever MPI-IO library
 * the process has, or with plain system calls, and print what they took.
 *
 * One line of CSV per work item and access:
 *   set,work,processes,access,bytes,seconds,MB/s,verdict
 * The file exists and is in the page cache; every byte that was written or
 * read is compared, outside the timed regions, by looking into the file with
 * mmap right after the last call has returned.
 */
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MIB (INT64_C(1) << 20)

enum how { HOW_MPI, HOW_DIRECT, HOW_CONTIGUOUS };

struct bench {
    const char *dir;
    const char *works; /* names or set letters, separated by commas */
    enum how how;
    int64_t total;
    double budget_s; /* per phase: slow contenders do fewer calls */
    int repeats;     /* of rewrite and read in one start */
    MPI_Info info;
    int rank;
    int size;
};

/* One work item in progress. */
struct job {
    const struct bench *bench;
    struct layout layout;
    char path[512];
    MPI_File file;
    int fd;
    MPI_Datatype *views; /* one per call of WORK_TILING, else one */
    int nviews;
    char *buffer; /* the data of all calls */
    uint64_t generation;
    bool wrong;
    const char *error;
};

static void fill(char *buffer, int64_t place, int64_t len, uint64_t generation)
{
    uint64_t *words = (uint64_t *)(void *)buffer;

    for (int64_t i = 0; i < len / 8; i++)
        words[i] = work_word((uint64_t)(place + 8 * i), generation);
}

static bool matches(const char *buffer, int64_t place, int64_t len,
                    uint64_t generation)
{
    const uint64_t *words = (const uint64_t *)(const void *)buffer;
    uint64_t wrong = 0;

    for (int64_t i = 0; i < len / 8; i++)
        wrong |= words[i] ^ work_word((uint64_t)(place + 8 * i), generation);
    return wrong == 0;
}

/* Where the process's contiguous share of the file begins. */
static int64_t share_start(const struct layout *l)
{
    if (l->work->kind == WORK_SEPARATE)
        return 0;
    return l->rank * l->calls * l->work->memory;
}

/* What stands for a piece: its offset, or its writer for shared pointers. */
static int64_t piece_place(const struct job *job, int64_t call, int64_t piece)
{
    const struct layout *l = &job->layout;

    if (job->bench->how == HOW_CONTIGUOUS)
        return share_start(l) + (call * l->per_call + piece) * l->work->chunk;
    if (l->work->kind == WORK_SHARED)
        return ((call << 16) + l->rank) * l->work->chunk;
    return layout_offset(l, call, piece);
}

static void fail(struct job *job, const char *what)
{
    if (!job->error)
        job->error = what;
}

static void check_mpi(struct job *job, int code, const char *what)
{
    if (code != MPI_SUCCESS)
        fail(job, what);
}

static char *call_buffer(const struct job *job, int64_t call)
{
    return job->buffer + call * job->layout.work->memory;
}

/* The file's content is known nowhere but where this program has written. */
static void make_file(struct job *job)
{
    const struct layout *l = &job->layout;
    struct stat st;
    static char zeros[1 << 16];
    int fd = open(job->path, O_RDWR | O_CREAT, 0600);

    if (fd < 0 || fstat(fd, &st)) {
        fail(job, "cannot make the file");
        if (fd >= 0)
            close(fd);
        return;
    }
    for (int64_t at = st.st_size; at < l->file_bytes && !job->error;) {
        int64_t n = l->file_bytes - at;

        n = pwrite(fd, zeros, (size_t)(n > (1 << 16) ? 1 << 16 : n), at);
        if (n <= 0)
            fail(job, "cannot fill the file");
        at += n;
    }
    close(fd);
}

static bool is_strided(enum work_kind kind)
{
    return kind == WORK_SCATTER || kind == WORK_STRIDED || kind == WORK_REGION;
}

static MPI_Datatype make_view(const struct job *job, int index)
{
    const struct layout *l = &job->layout;
    int64_t count = l->per_call * (l->work->kind == WORK_SPARSE ? l->calls : 1);
    MPI_Datatype chunk, view;
    MPI_Aint *places = malloc((size_t)count * sizeof(*places));

    MPI_Type_contiguous((int)l->work->chunk, MPI_BYTE, &chunk);
    if (is_strided(l->work->kind)) {
        int64_t stride = layout_stride(l);

        if (l->work->kind != WORK_REGION)
            stride *= l->size;
        MPI_Type_create_resized(chunk, 0, stride, &view);
    } else {
        int64_t region = l->per_call * l->size * l->work->chunk;

        for (int64_t i = 0; i < count; i++)
            places[i] = (MPI_Aint)(l->offsets[index * l->per_call + i] -
                                   index * region);
        MPI_Type_create_hindexed_block((int)count, 1, places, chunk, &view);
    }
    MPI_Type_commit(&view);
    MPI_Type_free(&chunk);
    free(places);
    return view;
}

static bool has_view(const struct job *job)
{
    enum work_kind kind = job->layout.work->kind;

    return is_strided(kind) || kind == WORK_TILING || kind == WORK_SPARSE;
}

static void open_mpi(struct job *job)
{
    const struct layout *l = &job->layout;
    MPI_Comm comm =
        l->work->kind == WORK_SEPARATE ? MPI_COMM_SELF : MPI_COMM_WORLD;

    check_mpi(job,
              MPI_File_open(comm, job->path, MPI_MODE_RDWR, job->bench->info,
                            &job->file),
              "open");
    if (!has_view(job) || job->error)
        return;
    job->nviews = l->work->kind == WORK_TILING ? (int)l->calls : 1;
    job->views = malloc((size_t)job->nviews * sizeof(MPI_Datatype));
    for (int i = 0; i < job->nviews; i++)
        job->views[i] = make_view(job, i);
}

/* Before each access: pointers at the start, the view in force. */
static void rewind_mpi(struct job *job)
{
    const struct layout *l = &job->layout;
    MPI_Offset disp = is_strided(l->work->kind) ? layout_offset(l, 0, 0) : 0;

    if (has_view(job) && l->work->kind != WORK_TILING)
        check_mpi(job,
                  MPI_File_set_view(job->file, disp, MPI_BYTE, job->views[0],
                                    "native", job->bench->info),
                  "set_view");
    else if (l->work->kind == WORK_SHARED || l->work->kind == WORK_ORDERED)
        check_mpi(job, MPI_File_seek_shared(job->file, 0, MPI_SEEK_SET),
                  "seek_shared");
}

static int call_mpi(struct job *job, bool write, int64_t call)
{
    const struct layout *l = &job->layout;
    void *buf = call_buffer(job, call);
    int len = (int)l->work->memory;
    MPI_File f = job->file;
    MPI_Offset region = call * l->per_call * l->size * l->work->chunk;
    MPI_Status st;
    int code = MPI_SUCCESS;

    switch (l->work->kind) {
    case WORK_TILING: /* a new view for every region, as the program would */
        code = MPI_File_set_view(f, region, MPI_BYTE, job->views[call],
                                 "native", job->bench->info);
        if (code != MPI_SUCCESS)
            return code;
        return write ? MPI_File_write_all(f, buf, len, MPI_BYTE, &st)
                     : MPI_File_read_all(f, buf, len, MPI_BYTE, &st);
    case WORK_STRIDED:
        return write ? MPI_File_write_at(f, call * len, buf, len, MPI_BYTE, &st)
                     : MPI_File_read_at(f, call * len, buf, len, MPI_BYTE, &st);
    case WORK_SCATTER:
    case WORK_REGION:
    case WORK_SPARSE:
        return write ? MPI_File_write_at_all(f, call * len, buf, len, MPI_BYTE,
                                             &st)
                     : MPI_File_read_at_all(f, call * len, buf, len, MPI_BYTE,
                                            &st);
    case WORK_SEGMENT_C:
        return write ? MPI_File_write_at_all(f, layout_offset(l, call, 0), buf,
                                             len, MPI_BYTE, &st)
                     : MPI_File_read_at_all(f, layout_offset(l, call, 0), buf,
                                            len, MPI_BYTE, &st);
    case WORK_SEPARATE:
    case WORK_SEGMENT:
    case WORK_RANDOM:
        return write ? MPI_File_write_at(f, layout_offset(l, call, 0), buf, len,
                                         MPI_BYTE, &st)
                     : MPI_File_read_at(f, layout_offset(l, call, 0), buf, len,
                                        MPI_BYTE, &st);
    case WORK_SHARED:
        return write ? MPI_File_write_shared(f, buf, len, MPI_BYTE, &st)
                     : MPI_File_read_shared(f, buf, len, MPI_BYTE, &st);
    case WORK_ORDERED:
        return write ? MPI_File_write_ordered(f, buf, len, MPI_BYTE, &st)
                     : MPI_File_read_ordered(f, buf, len, MPI_BYTE, &st);
    }
    return MPI_ERR_ARG;
}

/* The same bytes by system calls, each piece where it belongs. */
static int call_direct(struct job *job, bool write, int64_t call)
{
    const struct layout *l = &job->layout;
    char *buf = call_buffer(job, call);
    size_t len = (size_t)l->work->chunk;

    for (int64_t i = 0; i < l->per_call; i++) {
        int64_t at = piece_place(job, call, i);
        ssize_t n = write ? pwrite(job->fd, buf, len, at)
                          : pread(job->fd, buf, len, at);

        if (n != (ssize_t)len)
            return MPI_ERR_IO;
        buf += len;
    }
    return MPI_SUCCESS;
}

/* As many bytes in 1 MiB pieces of a contiguous share of the file. */
static int call_contiguous(struct job *job, bool write, int64_t from,
                           int64_t to)
{
    int64_t memory = job->layout.work->memory;
    int64_t start = share_start(&job->layout);
    int64_t at = from * memory, end = to * memory;

    while (at < end) {
        size_t len = (size_t)(end - at > MIB ? MIB : end - at);
        ssize_t n = write ? pwrite(job->fd, job->buffer + at, len, start + at)
                          : pread(job->fd, job->buffer + at, len, start + at);

        if (n != (ssize_t)len)
            return MPI_ERR_IO;
        at += n;
    }
    return MPI_SUCCESS;
}

/* One clock for all processes of the node, as MPI_Wtime need not be. */
static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/*
 * Calls from..to-1: from the first process's start to the last one's end. With
 * more processes than cores some start when others are done already, so the
 * longest time of any single process would say too little.
 */
static double timed(struct job *job, bool write, int64_t from, int64_t to)
{
    enum how how = job->bench->how;
    int64_t calls = job->layout.calls;
    int code = MPI_SUCCESS;
    double times[2], span[2] = {0, 0};

    MPI_Barrier(MPI_COMM_WORLD);
    times[0] = -now_s();
    if (how == HOW_CONTIGUOUS) {
        while (from < to && !code) {
            int64_t first = from % calls;
            int64_t count =
                calls - first < to - from ? calls - first : to - from;

            code = call_contiguous(job, write, first, first + count);
            from += count;
        }
    } else if (how == HOW_DIRECT) {
        for (int64_t call = from; call < to && !code; call++)
            code = call_direct(job, write, call % calls);
    } else {
        for (int64_t call = from; call < to && !code; call++)
            code = call_mpi(job, write, call % calls);
    }
    times[1] = now_s();
    check_mpi(job, code, write ? "write" : "read");
    MPI_Allreduce(times, span, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return span[1] + span[0];
}

/* Returns the seconds; *calls_p: planned in, done out. */
static double run_phase(struct job *job, bool write, int64_t *calls_p)
{
    int64_t trial = *calls_p > 8 ? 4 : *calls_p;
    int64_t calls = *calls_p;

    if (job->bench->how == HOW_MPI)
        rewind_mpi(job);
    double seconds = timed(job, write, 0, trial);
    if (trial < calls) {
        double allowed =
            job->bench->budget_s / (seconds / (double)trial + 1e-9);

        /* First calls are dear; let them count only when very slow. */
        if (seconds < 0.02 * job->bench->budget_s)
            allowed = (double)calls;
        if (allowed < (double)calls)
            calls = allowed < (double)trial ? trial : (int64_t)allowed;
    }
    if (calls > trial)
        seconds += timed(job, write, trial, calls);
    *calls_p = calls;
    return seconds;
}

static void fill_all(struct job *job, uint64_t generation)
{
    const struct layout *l = &job->layout;

    for (int64_t call = 0; call < l->calls; call++) {
        for (int64_t i = 0; i < l->per_call; i++) {
            char *piece = call_buffer(job, call) + i * l->work->chunk;
            int64_t place = piece_place(job, call, i);

            fill(piece, place, l->work->chunk, generation);
            if (l->work->kind == WORK_SHARED)
                memcpy(piece, &place, sizeof(place));
        }
    }
}

/*
 * Blocks of a shared pointer lie in any order: their first word names the
 * writer and the call, so that each can be checked; *sum_p adds the names.
 */
static bool check_shared(const struct job *job, const char *data,
                         int64_t blocks, uint64_t *sum_p)
{
    const struct layout *l = &job->layout;
    int64_t chunk = l->work->chunk;
    bool ok = true;

    for (int64_t b = 0; b < blocks; b++) {
        const char *block = data + b * chunk;
        uint64_t name = 0;

        memcpy(&name, block, sizeof(name));
        *sum_p += name * name;
        ok = ok &&
             matches(block + 8, (int64_t)name + 8, chunk - 8, job->generation);
    }
    return ok;
}

static void verify_shared(struct job *job, const char *data, int64_t blocks,
                          int64_t calls)
{
    uint64_t sums[2] = {0, 0}, all[2] = {0, 0};

    job->wrong |= !check_shared(job, data, blocks, &sums[0]);
    for (int64_t call = 0; call < calls; call++) {
        uint64_t name = (uint64_t)piece_place(job, call, 0);

        sums[1] += name * name;
    }
    MPI_Allreduce(sums, all, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    job->wrong |= all[0] != all[1];
}

/* Nobody writes into gaps: they are as they were made. */
static bool is_untouched(const struct layout *l, const char *data)
{
    int64_t gap = layout_stride(l) - l->work->chunk;

    for (int64_t i = 0; i < gap; i++)
        if (data[l->work->chunk + i] != 0)
            return false;
    return true;
}

/* Looks into the file, or into what was read. */
static void verify_pieces(struct job *job, const char *map, int64_t calls)
{
    const struct layout *l = &job->layout;
    uint64_t generation = job->generation;

    for (int64_t call = 0; call < calls; call++) {
        for (int64_t i = 0; i < l->per_call; i++) {
            int64_t place = piece_place(job, call, i);
            const char *data =
                map ? map + place : call_buffer(job, call) + i * l->work->chunk;

            job->wrong |= !matches(data, place, l->work->chunk, generation);
            if (map != NULL && job->bench->how != HOW_CONTIGUOUS)
                job->wrong |= !is_untouched(l, data);
        }
    }
}

static void verify_file(struct job *job, int64_t calls)
{
    const struct layout *l = &job->layout;
    int fd = open(job->path, O_RDONLY);
    char *map = fd < 0 ? MAP_FAILED
                       : mmap(NULL, (size_t)l->file_bytes, PROT_READ,
                              MAP_SHARED, fd, 0);

    if (map == MAP_FAILED) {
        fail(job, "cannot map the file");
    } else if (l->work->kind == WORK_SHARED && job->bench->how == HOW_MPI) {
        verify_shared(job, map + l->rank * calls * l->work->chunk, calls,
                      calls);
    } else {
        verify_pieces(job, map, calls);
    }
    if (map != MAP_FAILED)
        munmap(map, (size_t)l->file_bytes);
    if (fd >= 0)
        close(fd);
}

static void report(struct job *job, const char *access, int64_t calls,
                   double seconds)
{
    const struct layout *l = &job->layout;
    int state = job->error ? 2 : job->wrong ? 1 : 0, worst = 0;
    double bytes = (double)(calls * l->work->memory * l->size);

    MPI_Allreduce(&state, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (job->error)
        fprintf(stderr, "rank %d: %s of %s failed\n", l->rank, job->error,
                l->work->name);
    if (l->rank == 0) {
        printf("%c,%s,%d,%s,%.0f,%.6f,%.1f,%s\n", l->work->set, l->work->name,
               l->size, access, bytes, seconds, bytes / seconds / 1e6,
               worst == 2   ? "error"
               : worst == 1 ? "wrong"
                            : "ok");
        fflush(stdout);
    }
}

/* Data of an earlier pass or of another contender must not look right. */
static uint64_t new_generation(void)
{
    uint64_t generation = 0;

    if (getrandom(&generation, sizeof(generation), 0) != sizeof(generation))
        generation = (uint64_t)(MPI_Wtime() * 1e9);
    MPI_Bcast(&generation, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return generation;
}

/* Slow storage is read itself, not what the cache has kept of it. */
static void forget_cached(const struct job *job)
{
    int fd = -1;

    if (job->layout.work->set != 'D')
        return;
    if (job->layout.rank == 0)
        fd = open(job->path, O_RDONLY);
    if (fd >= 0) {
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        close(fd);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void run_accesses(struct job *job)
{
    const struct layout *l = &job->layout;
    int64_t calls = l->calls * l->passes;

    job->generation = new_generation();
    fill_all(job, job->generation);
    double seconds = run_phase(job, true, &calls);
    int64_t written = calls < l->calls ? calls : l->calls;
    MPI_Barrier(MPI_COMM_WORLD);
    verify_file(job, written);
    report(job, "rewrite", calls, seconds);

    MPI_Barrier(MPI_COMM_WORLD);
    forget_cached(job);
    memset(job->buffer, 0x5a, (size_t)(l->calls * l->work->memory));
    int64_t reads = calls < l->calls ? calls : l->calls * l->passes;
    seconds = run_phase(job, false, &reads);
    if (l->work->kind == WORK_SHARED && job->bench->how == HOW_MPI) {
        /* Only a complete pass has a known sum. */
        if (reads == calls)
            verify_shared(job, job->buffer, calls, calls);
    } else {
        verify_pieces(job, NULL, reads < written ? reads : written);
    }
    report(job, "read", reads, seconds);
}

static void run_work(const struct bench *bench, const struct work *work)
{
    struct job job = {.bench = bench, .fd = -1, .file = MPI_FILE_NULL};
    bool alone = work->kind == WORK_SEPARATE;

    if (layout_init(&job.layout, work, bench->rank, bench->size, bench->total))
        fail(&job, "layout");
    /*
     * The folder's name is part of the file's: Open MPI locks a semaphore of
     * the machine that is named after the file alone.
     */
    const char *folder = strrchr(bench->dir, '/');
    snprintf(job.path, sizeof(job.path), "%s/%s.%s.%d.%d%s", bench->dir,
             folder ? folder + 1 : bench->dir, work->name, bench->size,
             alone ? bench->rank : 0,
             bench->how == HOW_CONTIGUOUS ? ".whole" : "");
    job.buffer = aligned_alloc(
        4096, (size_t)((job.layout.calls * work->memory + 4095) / 4096 * 4096));
    if (!job.buffer)
        fail(&job, "memory");
    if (alone || bench->rank == 0)
        make_file(&job);
    MPI_Barrier(MPI_COMM_WORLD);
    if (bench->how == HOW_MPI)
        open_mpi(&job);
    else if ((job.fd = open(job.path, O_RDWR)) < 0)
        fail(&job, "open");
    int bad = job.error != NULL, any = 0;
    MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (any)
        report(&job, "open", 0, 1);
    for (int i = 0; i < bench->repeats && !any; i++)
        run_accesses(&job);
    for (int i = 0; i < job.nviews; i++)
        MPI_Type_free(&job.views[i]);
    free(job.views);
    if (job.file != MPI_FILE_NULL)
        MPI_File_close(&job.file);
    if (job.fd >= 0)
        close(job.fd);
    free(job.buffer);
    layout_fini(&job.layout);
}

static bool wanted(const char *list, const struct work *work)
{
    size_t len = strlen(work->name);

    for (const char *at = list; at && *at;) {
        const char *end = strchrnul(at, ',');
        size_t n = (size_t)(end - at);

        if ((n == 1 && *at == work->set) ||
            (n == len && !strncmp(at, work->name, n)))
            return true;
        at = *end ? end + 1 : end;
    }
    return false;
}

/* "key=value,key=value"; a comma in a value is written as a semicolon. */
static MPI_Info make_info(char *text)
{
    MPI_Info info;
    char *save = NULL;

    if (!*text)
        return MPI_INFO_NULL;
    MPI_Info_create(&info);
    for (char *item = strtok_r(text, ",", &save); item;
         item = strtok_r(NULL, ",", &save)) {
        char *value = strchr(item, '=');

        if (!value)
            continue;
        *value++ = '\0';
        for (char *c = value; *c; c++)
            if (*c == ';')
                *c = ',';
        MPI_Info_set(info, item, value);
    }
    return info;
}

static bool parse(struct bench *bench, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *key = argv[i];
        char *value = argv[i + 1];

        if (!strcmp(key, "--dir"))
            bench->dir = value;
        else if (!strcmp(key, "--works"))
            bench->works = value;
        else if (!strcmp(key, "--how"))
            bench->how = !strcmp(value, "direct")       ? HOW_DIRECT
                         : !strcmp(value, "contiguous") ? HOW_CONTIGUOUS
                                                        : HOW_MPI;
        else if (!strcmp(key, "--mib"))
            bench->total = strtoll(value, NULL, 10) * MIB;
        else if (!strcmp(key, "--budget"))
            bench->budget_s = strtod(value, NULL);
        else if (!strcmp(key, "--repeats"))
            bench->repeats = (int)strtol(value, NULL, 10);
        else if (!strcmp(key, "--hints"))
            bench->info = make_info(value);
        else
            return false;
    }
    return argc % 2 == 1 && bench->dir;
}

int main(int argc, char **argv)
{
    struct bench bench = {.works = "S,L,P",
                          .total = 64 * MIB,
                          .budget_s = 1.0,
                          .repeats = 1,
                          .info = MPI_INFO_NULL};
    int status = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.size);
    if (!parse(&bench, argc, argv)) {
        if (bench.rank == 0)
            fprintf(stderr, "usage: mpiio_work --dir DIR [--works LIST] [--how "
                            "mpi|direct|contiguous] [--mib N] [--budget S] "
                            "[--repeats N] [--hints K=V,...]\n");
        status = 2;
    }
    for (int i = 0; i < work_item_count && status == 0; i++) {
        const struct work *work = &work_items[i];
        bool limit = work->set == 'P' && bench.how != HOW_MPI;

        if (wanted(bench.works, work) && !limit)
            run_work(&bench, work);
    }
    if (bench.info != MPI_INFO_NULL)
        MPI_Info_free(&bench.info);
    MPI_Finalize();
    return status;
}
