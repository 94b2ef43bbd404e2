/*
 * test_fault.c - every action of libpariofault.so, each in a process of its
 * own that is started with the library preloaded: test_fault LIBRARY.
 */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK_EQ(got, wanted)                                                  \
    check_equal((long long)(got), (long long)(wanted), #got, __LINE__)

static int failures;
static char file_name[] = "/tmp/pario-fault-XXXXXX";

static void check_equal(long long got, long long wanted, const char *what,
                        int line)
{
    if (got == wanted)
        return;
    fprintf(stderr, "line %d: %s is %lld, wanted %lld\n", line, what, got,
            wanted);
    failures++;
}

/* What a call returned, or -errno. */
static long long outcome(long long returned)
{
    return returned < 0 ? -errno : returned;
}

static int open_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);

    if (fd < 0)
        perror(path);
    return fd;
}

static void fill(int fd, size_t len)
{
    char data[64];

    memset(data, 'a', sizeof(data));
    CHECK_EQ(pwrite(fd, data, len, 0), len);
}

/* op=write,nth=3,error=ENOSPC: one call of the whole family, once. */
static void nth_write(const char *path)
{
    int fd = open_file(path);
    struct iovec iov[2] = {{.iov_base = (char[]){"ab"}, .iov_len = 2},
                           {.iov_base = (char[]){"cd"}, .iov_len = 2}};

    CHECK_EQ(outcome(write(fd, "abcd", 4)), 4);
    CHECK_EQ(outcome(pwrite(fd, "abcd", 4, 4)), 4);
    CHECK_EQ(outcome(pwritev(fd, iov, 2, 8)), -ENOSPC);
    CHECK_EQ(outcome(writev(fd, iov, 2)), 4);
    CHECK_EQ(outcome(pwritev2(fd, iov, 2, -1, 0)), 4);
    CHECK_EQ(outcome(lseek(fd, 0, SEEK_END)), 12);
    close(fd);
}

/* op=write,from=2,error=28: ever after. */
static void sticky_write(const char *path)
{
    int fd = open_file(path);

    CHECK_EQ(outcome(write(fd, "a", 1)), 1);
    CHECK_EQ(outcome(write(fd, "b", 1)), -ENOSPC);
    CHECK_EQ(outcome(pwrite(fd, "c", 1, 0)), -ENOSPC);
    CHECK_EQ(outcome(lseek(fd, 0, SEEK_END)), 1);
    close(fd);
}

/* op=read,short;op=write,short: half of the bytes, vectors too. */
static void short_counts(const char *path)
{
    int fd = open_file(path);
    char a[3] = "", b[5] = "";
    struct iovec iov[2] = {{.iov_base = a, .iov_len = 3},
                           {.iov_base = b, .iov_len = 5}};

    CHECK_EQ(outcome(pwrite(fd, "0123456789abcdef", 16, 0)), 8);
    CHECK_EQ(outcome(lseek(fd, 0, SEEK_END)), 8);
    CHECK_EQ(outcome(preadv(fd, iov, 2, 0)), 4);
    CHECK_EQ(memcmp(a, "012", 3), 0);
    CHECK_EQ(b[0], '3');
    CHECK_EQ(b[1], 0);
    CHECK_EQ(outcome(pread(fd, a, 1, 0)), 1);
    close(fd);
}

/* op=read,eintr: interrupted once. */
static void interrupted(const char *path)
{
    int fd = open_file(path);
    char c = 0;

    fill(fd, 1);
    CHECK_EQ(outcome(pread(fd, &c, 1, 0)), -EINTR);
    CHECK_EQ(outcome(pread(fd, &c, 1, 0)), 1);
    CHECK_EQ(c, 'a');
    close(fd);
}

/* op=fsync,delay=60. */
static void delayed(const char *path)
{
    int fd = open_file(path);
    struct timespec t0, t1;

    clock_gettime(CLOCK_MONOTONIC, &t0);
    CHECK_EQ(outcome(fsync(fd)), 0);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    CHECK_EQ((t1.tv_sec - t0.tv_sec) * 1000000000L + t1.tv_nsec - t0.tv_nsec >=
                 60000000,
             1);
    close(fd);
}

/* op=read,flip,at=5: only that byte, through every kind of read. */
static void flip_at_offset(const char *path)
{
    int fd = open_file(path);
    char a[3] = "", b[8] = "";
    struct iovec iov[2] = {{.iov_base = a, .iov_len = 3},
                           {.iov_base = b, .iov_len = 5}};

    fill(fd, 8);
    CHECK_EQ(pread(fd, b, 5, 0), 5);
    CHECK_EQ(memcmp(b, "aaaaa", 5), 0);
    CHECK_EQ(pread(fd, b, 4, 3), 4);
    CHECK_EQ(memcmp(b, "aa`a", 4), 0);
    CHECK_EQ(read(fd, b, 8), 8);
    CHECK_EQ(memcmp(b, "aaaaa`aa", 8), 0);
    CHECK_EQ(preadv(fd, iov, 2, 0), 8);
    CHECK_EQ(memcmp(a, "aaa", 3), 0);
    CHECK_EQ(memcmp(b, "aa`aa", 5), 0);
    close(fd);
}

/* op=write,drop,at=5: nothing is written, the pointer moves. */
static void drop_at_offset(const char *path)
{
    int fd = open_file(path);
    char b[4] = "", c[2] = "st";
    struct aiocb block = {
        .aio_fildes = fd, .aio_buf = c, .aio_nbytes = 2, .aio_offset = 4};

    CHECK_EQ(write(fd, "01234567", 8), 8);
    CHECK_EQ(lseek(fd, 0, SEEK_CUR), 8);
    CHECK_EQ(lseek(fd, 0, SEEK_END), 0);
    CHECK_EQ(pwrite(fd, "wxyz", 4, 6), 4);
    CHECK_EQ(pwrite(fd, "abcd", 4, 2), 4);
    CHECK_EQ(pread(fd, b, 4, 6), 4);
    CHECK_EQ(memcmp(b, "wxyz", 4), 0);
    CHECK_EQ(pread(fd, b, 4, 2), 4);
    CHECK_EQ(memcmp(b, "\0\0\0\0", 4), 0);
    CHECK_EQ(aio_write(&block), 0);
    CHECK_EQ(aio_error(&block), 0);
    CHECK_EQ(aio_return(&block), 2);
    CHECK_EQ(pread(fd, b, 4, 2), 4);
    CHECK_EQ(memcmp(b, "\0\0\0\0", 4), 0);
    close(fd);
}

/* op=read,flip,nth=2: the first byte of the second read. */
static void flip_nth(const char *path)
{
    int fd = open_file(path);
    char b[4] = "";

    fill(fd, 4);
    CHECK_EQ(pread(fd, b, 4, 0), 4);
    CHECK_EQ(memcmp(b, "aaaa", 4), 0);
    CHECK_EQ(pread(fd, b, 2, 2), 2);
    CHECK_EQ(memcmp(b, "`aaa", 4), 0);
    close(fd);
}

/* op=write,at=100,error=EIO: a bad place, wherever the call begins. */
static void bad_place(const char *path)
{
    int fd = open_file(path);
    char data[64] = "";

    CHECK_EQ(outcome(pwrite(fd, data, 64, 0)), 64);
    CHECK_EQ(outcome(pwrite(fd, data, 36, 64)), 36);
    CHECK_EQ(outcome(pwrite(fd, data, 64, 64)), -EIO);
    CHECK_EQ(outcome(pwrite(fd, data, 64, 101)), 64);
    close(fd);
}

/* op=write,nth=2,kill: the caller never comes to the return. */
static void killed(const char *path)
{
    int fd = open_file(path);

    CHECK_EQ(write(fd, "a", 1), 1);
    CHECK_EQ(write(fd, "b", 1), 0);
}

/* op=write,stop: goes on after SIGCONT. */
static void stopped(const char *path)
{
    int fd = open_file(path);

    CHECK_EQ(write(fd, "a", 1), 1);
    close(fd);
}

/* Errors of the calls without data. */
static void other_calls(const char *path)
{
    int fd = open_file(path);
    void *map = NULL;

    CHECK_EQ(outcome(ftruncate(fd, 4096)), -EFBIG);
    CHECK_EQ(outcome(ftruncate(fd, 4096)), 0);
    CHECK_EQ(outcome(fallocate(fd, 0, 0, 8192)), -ENOSPC);
    CHECK_EQ(posix_fallocate(fd, 0, 8192), ENOSPC);
    CHECK_EQ(outcome(fdatasync(fd)), -EIO);
    CHECK_EQ(outcome(sync_file_range(fd, 0, 1, 0)), -EIO);
    map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK_EQ(outcome(msync(map, 4096, MS_SYNC)), -EIO);
    munmap(map, 4096);
    CHECK_EQ(outcome(close(fd)), -EDQUOT);
    CHECK_EQ(outcome(close(fd)), -EBADF);
    CHECK_EQ(outcome(open(path, O_RDONLY)), -EACCES);
    CHECK_EQ(outcome(openat(AT_FDCWD, path, O_RDONLY)), -EACCES);
}

/* op=mmap,nth=1,error=ENODEV;op=mmap,from=2,bus: memory without a file is
 * not touched, the file's ends the process. */
static void mapped(const char *path)
{
    int fd = open_file(path);
    const volatile char *map = NULL;
    void *mem;

    fill(fd, 1);
    mem = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    CHECK_EQ(outcome(mem == MAP_FAILED ? -1 : 0), -ENODEV);
    mem = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
               -1, 0);
    CHECK_EQ(mem != MAP_FAILED && *(char *)mem == 0, 1);
    mem = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    CHECK_EQ(mem != MAP_FAILED, 1);
    if (failures)
        return;
    map = mem;
    CHECK_EQ(*map, 'a');
}

static void mapped_well(const char *path)
{
    int fd = open_file(path);
    const char *mem;

    fill(fd, 1);
    mem = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    CHECK_EQ(mem != MAP_FAILED && mem[0] == 'a', 1);
    close(fd);
}

/* Another path, another rank, and no regular file: nothing happens. */
static void untouched(const char *path)
{
    int fd = open_file(path);
    int pipes[2];
    char c = 0;

    CHECK_EQ(outcome(write(fd, "a", 1)), 1);
    CHECK_EQ(pipe(pipes), 0);
    CHECK_EQ(outcome(write(pipes[1], "a", 1)), 1);
    CHECK_EQ(outcome(read(pipes[0], &c, 1)), 1);
    close(fd);
}

static void pipe_only(const char *path)
{
    int pipes[2];

    (void)path;
    CHECK_EQ(pipe(pipes), 0);
    CHECK_EQ(outcome(write(pipes[1], "a", 1)), 1);
}

static void *write_many(void *arg)
{
    long errors = 0;

    for (int i = 0; i < 1000; i++)
        errors += pwrite(*(int *)arg, "a", 1, 0) != 1;
    return (void *)errors;
}

/* op=write,nth=1500 in two threads: exactly one of them meets it. */
static void threads(const char *path)
{
    int fd = open_file(path);
    pthread_t other;
    void *errors = NULL;

    CHECK_EQ(pthread_create(&other, NULL, write_many, &fd), 0);
    long mine = (long)write_many(&fd);
    pthread_join(other, &errors);
    CHECK_EQ(mine + (long)errors, 1);
    close(fd);
}

struct scenario {
    const char *name;
    const char *spec;
    void (*run)(const char *path);
    int signal; /* that ends it, or 0 */
    int exit;
};

/* op=write,drop,from=2,every=3: the 2nd, the 5th ... */
static void drop_every_third(const char *path)
{
    int fd = open_file(path);
    char data[8] = "";

    for (int i = 0; i < 8; i++)
        CHECK_EQ(outcome(pwrite(fd, "x", 1, i)), 1);
    CHECK_EQ(pread(fd, data, 8, 0), 7); /* the last write was dropped */
    CHECK_EQ(memcmp(data, "x\0xx\0xx", 7), 0);
    close(fd);
}

/* op=fsync,drop: the kernel, which would refuse these flags, is not asked. */
static void dropped_syncs(const char *path)
{
    int fd = open_file(path);

    CHECK_EQ(outcome(fsync(fd)), 0);
    CHECK_EQ(outcome(fdatasync(fd)), 0);
    CHECK_EQ(outcome(syncfs(fd)), 0);
    CHECK_EQ(outcome(sync_file_range(fd, 0, 0, 0xffff)), 0);
    close(fd);
}

static const struct scenario scenarios[] = {
    {"nth", "op=write,nth=3,error=ENOSPC", nth_write, 0, 0},
    {"from", "op=write,from=2,error=28", sticky_write, 0, 0},
    {"short", "op=read,short;op=write,short", short_counts, 0, 0},
    {"eintr", "op=read,eintr", interrupted, 0, 0},
    {"delay", "op=fsync,delay=60", delayed, 0, 0},
    {"flip-at", "op=read,flip,at=5", flip_at_offset, 0, 0},
    {"flip-nth", "op=read,flip,nth=2", flip_nth, 0, 0},
    {"at", "op=write,at=100,error=EIO", bad_place, 0, 0},
    {"kill", "op=write,nth=2,kill", killed, SIGKILL, 0},
    {"stop", "op=write,stop", stopped, 0, 0},
    {"others",
     "op=ftruncate,nth=1,error=EFBIG;op=fallocate,error=ENOSPC;"
     "op=fsync,error=EIO;op=close,nth=1,error=EDQUOT;"
     "op=open,from=2,error=EACCES,path=pario-fault-",
     other_calls, 0, 0},
    {"path", "op=write,error=EIO,path=/elsewhere", untouched, 0, 0},
    {"rank", "op=write,error=EIO,rank=4", untouched, 0, 0},
    {"my-rank", "op=write,nth=3,error=ENOSPC,rank=3", nth_write, 0, 0},
    {"pipe", "op=write,error=EIO", pipe_only, 0, 0},
    {"threads", "op=write,nth=1500,error=EIO", threads, 0, 0},
    {"bad-key", "op=write,foo=1", untouched, 0, 2},
    {"bad-op", "op=frobnicate,error=EIO", untouched, 0, 2},
    {"bad-error", "op=write,error=EFOO", untouched, 0, 2},
    {"no-action", "op=write", untouched, 0, 2},
    {"two-actions", "op=write,short,error=EIO", untouched, 0, 2},
    {"drop", "op=write,drop,at=5", drop_at_offset, 0, 0},
    {"drop-read", "op=read,drop", untouched, 0, 2},
    {"drop-every", "op=write,drop,from=2,every=3", drop_every_third, 0, 0},
    {"drop-sync", "op=fsync,drop", dropped_syncs, 0, 0},
    {"every-nth", "op=write,drop,nth=2,every=3", untouched, 0, 2},
    {"every-zero", "op=write,drop,every=0", untouched, 0, 2},
    {"flip-write", "op=write,flip", untouched, 0, 2},
    {"mmap", "op=mmap,nth=1,error=ENODEV;op=mmap,from=2,bus", mapped, SIGBUS,
     0},
    {"mmap-path", "op=mmap,bus,path=/elsewhere", mapped_well, 0, 0},
    {"bus-read", "op=read,bus", untouched, 0, 2},
    {"nth-from", "op=write,nth=1,from=2,short", untouched, 0, 2},
};

#define NSCENARIOS (sizeof(scenarios) / sizeof(scenarios[0]))

static int run_child(const char *name, const char *path)
{
    for (size_t i = 0; i < NSCENARIOS; i++) {
        if (!strcmp(scenarios[i].name, name)) {
            scenarios[i].run(path);
            return failures ? 1 : 0;
        }
    }
    return 1;
}

static bool ends_as_wanted(const struct scenario *s, pid_t child)
{
    int status = 0;
    bool was_stopped = false;

    if (waitpid(child, &status, WUNTRACED) != child)
        return false;
    if (WIFSTOPPED(status)) {
        was_stopped = true;
        kill(child, SIGCONT);
        if (waitpid(child, &status, 0) != child)
            return false;
    }
    if (was_stopped != !strcmp(s->name, "stop"))
        return false;
    if (s->signal)
        return WIFSIGNALED(status) && WTERMSIG(status) == s->signal;
    return WIFEXITED(status) && WEXITSTATUS(status) == s->exit;
}

static bool run_scenario(const struct scenario *s, char *self,
                         const char *library)
{
    char name[32];
    char *args[] = {self, name, file_name, NULL};

    snprintf(name, sizeof(name), "%s", s->name);
    pid_t child = fork();
    if (child == 0) {
        setenv("LD_PRELOAD", library, 1);
        setenv("PARIO_FAULT", s->spec, 1);
        setenv("PARIO_RANK", "3", 1);
        execv("/proc/self/exe", args);
        _exit(127);
    }
    bool ok = ends_as_wanted(s, child);
    printf("%s %s: %s\n", ok ? "ok  " : "FAIL", s->name, s->spec);
    fflush(stdout);
    if (truncate(file_name, 0))
        ok = false;
    return ok;
}

int main(int argc, char **argv)
{
    int failed = 0;

    if (argc == 3)
        return run_child(argv[1], argv[2]);
    if (argc != 2) {
        fprintf(stderr, "usage: %s LIBRARY\n", argv[0]);
        return 2;
    }
    close(mkstemp(file_name));
    for (size_t i = 0; i < NSCENARIOS; i++)
        failed += !run_scenario(&scenarios[i], argv[0], argv[1]);
    unlink(file_name);
    return failed ? 1 : 0;
}
