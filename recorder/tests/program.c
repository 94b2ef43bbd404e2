/* A program of known I/O: program WAY FOLDER. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PIECE 4096
#define PIECES 64

static char buffer[PIECE];

static void need(int good)
{
    if (!good) {
        perror("program");
        _exit(9);
    }
}

static void write_strided(int fd, int pieces)
{
    for (int i = 0; i < pieces; i++)
        need(pwrite(fd, buffer, PIECE, (off_t)i * 2 * PIECE) == PIECE);
}

static void write_scattered(int fd)
{
    unsigned x = 1;

    for (int i = 0; i < 20000; i++) {
        x = x * 1664525u + 1013904223u;
        need(pwrite(fd, buffer, 8, (off_t)(x >> 12) * 8) == 8);
    }
}

/* Every kind of call once or more. */
static void calls(void)
{
    struct iovec iov[2] = {{buffer, 100}, {buffer, 28}};
    struct stat st;
    FILE *stream;
    int fd, copy;

    need(mkdir("sub", 0755) == 0);
    fd = open("sub/data", O_CREAT | O_RDWR, 0644);
    need(fd >= 0);
    write_strided(fd, PIECES);
    need(lseek(fd, 0, SEEK_SET) == 0);
    need(read(fd, buffer, PIECE) == PIECE);
    need(lseek(fd, -8, SEEK_END) > 0);
    need(read(fd, buffer, PIECE) == 8); /* a short one */
    need(writev(fd, iov, 2) == 128);
    need(pread(fd, buffer, 10, 5) == 10);
    need(ftruncate(fd, 1 << 20) == 0);
    need(fsync(fd) == 0);
    need(fstat(fd, &st) == 0);
    need(mmap(NULL, PIECE, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED);
    copy = dup(fd);
    need(close(fd) == 0);
    need(write(copy, buffer, 16) == 16);
    need(close(copy) == 0);
    need(open("sub/none", O_RDONLY) < 0);
    stream = fopen("sub/text", "w");
    need(stream != NULL && fprintf(stream, "line %d\n", 1) == 7 &&
         fputs("two\n", stream) >= 0 && fputc('3', stream) == '3' &&
         fwrite(buffer, 8, 4, stream) == 4 && fclose(stream) == 0);
    stream = fopen("sub/text", "r");
    need(stream != NULL && fgets(buffer, 100, stream) != NULL &&
         fseek(stream, 1, SEEK_CUR) == 0 && fread(buffer, 1, 4, stream) == 4 &&
         fclose(stream) == 0);
    need(stat("sub/data", &st) == 0 && rename("sub/text", "sub/new") == 0);
    need(unlink("sub/new") == 0 && unlink("sub/data") == 0 &&
         rmdir("sub") == 0);
}

/* A stream of a descriptor, and vectors with flags. */
static void streams(void)
{
    struct iovec iov[2] = {{buffer, 64}, {buffer + 64, 64}};
    int fd = open("data", O_CREAT | O_RDWR, 0644);
    FILE *stream;

    need(fd >= 0 && pwritev2(fd, iov, 2, 4096, 0) == 128);
    need(pwritev2(fd, iov, 2, -1, 0) == 128 &&
         pwritev2(fd, iov, 1, -1, RWF_DSYNC) == 64);
    need(preadv2(fd, iov, 2, 4096, 0) == 128 &&
         preadv2(fd, iov, 1, -1, 0) == 64);
    stream = fdopen(fd, "r+");
    need(stream != NULL && fseek(stream, 0, SEEK_END) == 0 &&
         fwrite(buffer, 8, 4, stream) == 4 && fflush(stream) == 0 &&
         fseek(stream, 0, SEEK_SET) == 0 && fread(buffer, 8, 4, stream) == 4);
    need(fsync(fd) == 0 && fclose(stream) == 0);
    fd = open("data", O_WRONLY | O_APPEND);
    stream = fdopen(fd, "a");
    need(stream != NULL && fputs("end\n", stream) >= 0 && fclose(stream) == 0);
    fd = open("data", O_RDONLY);
    stream = fdopen(fd, "r");
    need(stream != NULL && fread(buffer, 8, 4, stream) == 4 &&
         fclose(stream) == 0);
    fd = open("data", O_RDONLY);
    stream = fdopen(fd, "r"); /* nothing but closed */
    need(stream != NULL && fclose(stream) == 0);
}

/* Descriptors that come and go in other ways than open and close. */
static void numbers_of_files(void)
{
    int fd = open("first", O_CREAT | O_RDWR, 0644);
    int other = open("second", O_CREAT | O_RDWR, 0644);
    int copy = fcntl(fd, F_DUPFD, 20);
    int third = fcntl(fd, F_DUPFD_CLOEXEC, 20);

    need(fd >= 0 && other >= 0 && copy >= 20 && third > copy);
    need(pwrite(copy, buffer, 8, 0) == 8 && pwrite(third, buffer, 8, 8) == 8);
    need(dup2(other, fd) == fd && pwrite(fd, buffer, 16, 0) == 16);
    need(dup3(other, copy, O_CLOEXEC) == copy &&
         pwrite(third, buffer, 8, 16) == 8);
    need(dup2(other, third) == third); /* the last one of first */
    need(pwrite(third, buffer, 16, 16) == 16 && fsync(copy) == 0);
    need(close_range((unsigned)copy, (unsigned)third, 0) == 0);
    need(close(fd) == 0 && close(other) == 0);
}

/* Files whose names nobody chose. */
static void temporaries(void)
{
    char name[] = "a-XXXXXX", ending[] = "b-XXXXXX.txt", folder[] = "c-XXXXXX";
    char flags[] = "d-XXXXXX", both[] = "e-XXXXXX.txt", wrong[] = "f-XXX";
    int fd = mkstemp(name);
    FILE *stream;

    need(fd >= 0 && write(fd, buffer, 8) == 8 && close(fd) == 0);
    fd = mkstemps(ending, 4);
    need(fd >= 0 && write(fd, buffer, 16) == 16 && close(fd) == 0);
    fd = mkostemp(flags, O_APPEND);
    need(fd >= 0 && write(fd, buffer, 24) == 24 && close(fd) == 0);
    fd = mkostemps(both, 4, O_SYNC);
    need(fd >= 0 && write(fd, buffer, 32) == 32 && close(fd) == 0);
    need(mkstemp(wrong) < 0 && errno == EINVAL);
    need(mkdtemp(folder) != NULL && rmdir(folder) == 0);
    stream = tmpfile();
    need(stream != NULL && fwrite(buffer, 8, 5, stream) == 5 &&
         fclose(stream) == 0);
    fd = open(".", O_TMPFILE | O_RDWR, 0600);
    need(fd >= 0 && write(fd, buffer, 48) == 48 && close(fd) == 0);
}

/* What the system moves between files by itself, and pipes. */
static void copies(void)
{
    int from = open("from", O_CREAT | O_RDWR, 0644);
    int to = open("to", O_CREAT | O_RDWR, 0644), pair[2];
    off_t at = 4096;
    off64_t in = 0, out = 8192;

    need(from >= 0 && to >= 0 && pipe(pair) == 0);
    need(pwrite(from, buffer, PIECE, 0) == PIECE &&
         pwrite(from, buffer, PIECE, PIECE) == PIECE);
    need(copy_file_range(from, NULL, to, NULL, PIECE, 0) == PIECE);
    need(copy_file_range(from, &in, to, &out, 1 << 20, 0) == PIECE + PIECE);
    need(sendfile(to, from, &at, PIECE) == PIECE);
    need(sendfile(to, from, NULL, PIECE) == PIECE);
    need(sendfile(to, from, NULL, PIECE) == 0); /* the end */
    need(splice(from, &(off64_t){64}, pair[1], NULL, 512, 0) == 512);
    need(splice(pair[0], NULL, to, &(off64_t){16384}, 512, 0) == 512);
    need(copy_file_range(from, &(off64_t){0}, -1, NULL, 8, 0) < 0);
    need(sendfile(to, from, (off_t *)8, 4) < 0 && errno == EFAULT);
    need(sendfile(pair[1], pair[0], (off_t *)8, 4) < 0);
    need(close(from) == 0 && close(to) == 0);
}

/* What programs call that were built before glibc 2.33, or with optimisation
 * and _FORTIFY_SOURCE. */
ssize_t __getdelim(char **line, size_t *room, int end, FILE *stream);
char *__fgets_chk(char *text, size_t size, int room, FILE *stream);
int __dprintf_chk(int fd, int flag, const char *format, ...);

static void old_stat(void)
{
#if defined(__x86_64__)
    /* No program can be linked with this name any more. */
    int (*call)(int, const char *, struct stat *);
    void *found = dlsym(RTLD_DEFAULT, "__xstat");
    struct stat st;

    memcpy(&call, &found, sizeof(call));
    need(found == NULL || call(1, "text", &st) == 0);
#endif
}

static void formats(void)
{
    char *line = NULL, word[16], number[16];
    size_t room = 0;
    fpos_t place;
    int fd;
    FILE *stream = fopen("text", "w+");

    need(stream != NULL && fprintf(stream, "%d %s\n", 17, "and") == 7);
    stream = freopen("second", "w+", stream); /* text is closed */
    need(stream != NULL && fputs_unlocked("17 words here\n", stream) >= 0 &&
         fputs("two\nthree\n", stream) >= 0);
    rewind(stream);
    need(fgetpos(stream, &place) == 0 &&
         fscanf(stream, "%15s %15s", number, word) == 2);
    need(__getdelim(&line, &room, '\n', stream) == 6 &&
         __fgets_chk(word, sizeof(word), sizeof(word), stream) != NULL);
    need(fsetpos(stream, &place) == 0 &&
         fgets_unlocked(word, sizeof(word), stream) != NULL);
    free(line);
    need(freopen("none/none", "r", stream) == NULL); /* second is closed */
    need(freopen("log", "w", stdout) != NULL);
    need(printf("%d of %d\n", 1, 2) == 7 && puts("end") >= 0 &&
         putchar('!') == '!' && fflush(stdout) == 0);
    need(fclose(stdout) == 0);
    fd = open("text", O_WRONLY | O_APPEND);
    need(fd >= 0 && dprintf(fd, "%s", "four") == 4 &&
         __dprintf_chk(fd, 1, "%s", "fives") == 5 && close(fd) == 0);
    old_stat();
    need(renameat2(AT_FDCWD, "text", AT_FDCWD, "new", RENAME_NOREPLACE) == 0);
}

/* A stream that a child goes on with. */
static void streams_of_children(void)
{
    FILE *stream = fopen("stream", "w");
    pid_t pid;
    int status;

    need(stream != NULL && fputs("1\n", stream) >= 0 && fflush(stream) == 0);
    pid = fork();
    if (pid == 0) {
        need(fputs("two\n", stream) >= 0 && fclose(stream) == 0);
        _exit(0);
    }
    need(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
    need(fclose(stream) == 0);
}

#define HEIRLOOMS 40

static void delete_heirlooms(void)
{
    char name[20];

    for (int i = 0; i < HEIRLOOMS; i++) {
        snprintf(name, sizeof(name), "gone-%d", i);
        need(unlink(name) == 0);
    }
}

/* A child reads, in turns, what its parent keeps and what it deletes. */
static void bequeath(int before_the_child)
{
    int fds[2 * HEIRLOOMS], status;
    char name[20];
    pid_t pid;

    for (int i = 0; i < 2 * HEIRLOOMS; i++) {
        snprintf(name, sizeof(name), "%s-%d", i % 2 == 0 ? "gone" : "kept",
                 i / 2);
        fds[i] = open(name, O_CREAT | O_RDWR, 0644);
        need(fds[i] >= 0 && pwrite(fds[i], buffer, 8, 0) == 8);
    }
    if (before_the_child)
        delete_heirlooms();
    pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 2 * HEIRLOOMS; i++)
            need(pread(fds[i], buffer, 8, 0) == 8);
        _exit(0);
    }
    need(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
    if (!before_the_child)
        delete_heirlooms();
}

static void heirs(void)
{
    bequeath(1);
}

static void late_heirs(void)
{
    bequeath(0);
}

static void *thread(void *argument)
{
    int fd = *(int *)argument;
    char name[20];
    int own;

    snprintf(name, sizeof(name), "own-%d", fd);
    for (int i = 0; i < 1000; i++)
        need(pwrite(fd, "12345678", 8, (off_t)i * 16) == 8);
    own = open("own", O_CREAT | O_WRONLY, 0644);
    need(own >= 0 && write(own, buffer, 512) == 512 && close(own) == 0);
    return NULL;
}

/* The threads one after the other, so that their order is known; each uses a
 * file that the first opened. */
static void threads(void)
{
    int fd = open("shared", O_CREAT | O_RDWR, 0644);

    need(fd >= 0);
    for (int i = 0; i < 3; i++) {
        pthread_t id;

        need(pthread_create(&id, NULL, thread, &fd) == 0);
        pthread_join(id, NULL);
    }
    need(close(fd) == 0);
}

static void children(const char *self)
{
    int fd = open("parent", O_CREAT | O_RDWR, 0644);
    pid_t pid = fork();
    int status;

    need(fd >= 0 && pid >= 0);
    if (pid == 0) {
        need(pwrite(fd, buffer, 100, 0) == 100);
        fd = open("child", O_CREAT | O_WRONLY, 0644);
        need(fd >= 0 && write(fd, buffer, 10) == 10);
        execl(self, self, "executed", ".", (char *)NULL);
        _exit(8);
    }
    need(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0);
    need(pwrite(fd, buffer, 100, 100) == 100 && close(fd) == 0);
}

/* Computes (sleeps) between bursts. */
static void bursts(void)
{
    int fd = open("bursts", O_CREAT | O_WRONLY, 0644);
    struct timespec pause = {.tv_nsec = 100000000};

    need(fd >= 0);
    for (int burst = 0; burst < 10; burst++) {
        nanosleep(&pause, NULL);
        write_strided(fd, PIECES);
    }
    need(close(fd) == 0);
}

/* Calls by name for two seconds. */
static void names(void)
{
    struct timespec pause = {.tv_nsec = 100000000};
    int fd = open("begun", O_CREAT | O_WRONLY, 0644);

    need(fd >= 0 && close(fd) == 0);
    for (int round = 0; round < 20; round++) {
        FILE *stream = fopen("victim", "w");

        need(stream != NULL && fwrite(buffer, 1, 8, stream) == 8 &&
             fclose(stream) == 0);
        need(truncate("victim", 3) == 0 && rename("victim", "other") == 0 &&
             unlink("other") == 0);
        nanosleep(&pause, NULL);
    }
}

static int rounds[3];

static void *write_for_ever(void *argument)
{
    static const char *const names[3] = {"one", "two", "three"};
    int *round = argument;
    int fd = open(names[round - rounds], O_CREAT | O_WRONLY, 0644);

    for (;; __atomic_add_fetch(round, 1, __ATOMIC_RELAXED))
        for (int i = 0; i < 100; i++)
            need(pwrite(fd, buffer, 8, (off_t)i * 8 * (i % 7)) == 8);
    return NULL;
}

/* The program ends while its threads are in calls. */
static void exiting(void)
{
    struct timespec pause = {.tv_nsec = 1000000};

    for (int i = 0; i < 3; i++) {
        pthread_t id;

        need(pthread_create(&id, NULL, write_for_ever, &rounds[i]) == 0);
    }
    for (int i = 0; i < 3; i++)
        while (__atomic_load_n(&rounds[i], __ATOMIC_RELAXED) < 5)
            nanosleep(&pause, NULL);
}

static volatile sig_atomic_t handled;

static void write_in_handler(int signal)
{
    static char name[] = "handler00";
    int saved = errno, fd;

    (void)signal;
    name[7] = (char)('a' + handled % 26); /* new names now and then */
    name[8] = (char)('a' + handled / 26 % 26);
    fd = open(name, O_CREAT | O_WRONLY, 0644);
    if (fd < 0 || write(fd, buffer, 8) != 8 || close(fd) != 0)
        _exit(7);
    handled++;
    errno = saved;
}

/* Handlers come in the middle of anything: of malloc, and of the recorder. */
static void handler(void)
{
    struct sigaction action = {.sa_handler = write_in_handler,
                               .sa_flags = SA_RESTART};
    struct itimerval never = {{0, 0}, {0, 0}};
    char name[32];

    sigaction(SIGALRM, &action, NULL);
    for (int i = 0; handled < 2000; i++) {
        struct itimerval soon = {{0, 0}, {0, i * 7 % 50 + 1}};
        void *memory;
        int fd;

        setitimer(ITIMER_REAL, &soon, NULL);
        memory = malloc((size_t)i % 5000 + 1);
        snprintf(name, sizeof(name), "main%d", i % 1000);
        fd = open(name, O_CREAT | O_WRONLY, 0644);
        need(fd >= 0 && memory != NULL && write(fd, buffer, 8) == 8 &&
             close(fd) == 0);
        free(memory);
    }
    setitimer(ITIMER_REAL, &never, NULL);
}

/* As with logs that are rotated: the handler may come where the recorder has
 * its lock, and takes away a file's last number. */
static void displace_in_handler(int signal)
{
    int saved = errno;
    int fd = open("log", O_CREAT | O_WRONLY | O_APPEND, 0644);

    (void)signal;
    if (fd < 0 || dup2(fd, 50) != 50 || close(fd) != 0)
        _exit(7);
    handled++;
    errno = saved;
}

static void displacing(void)
{
    struct sigaction action = {.sa_handler = displace_in_handler,
                               .sa_flags = SA_RESTART};
    struct itimerval never = {{0, 0}, {0, 0}};

    for (int i = 0; i < 200; i++) /* a search for a free slot takes longer */
        need(open("many", O_CREAT | O_RDWR, 0644) >= 0);
    sigaction(SIGALRM, &action, NULL);
    for (int i = 0; handled < 2000; i++) {
        struct itimerval soon = {{0, 0}, {0, i * 7 % 50 + 1}};
        int fd;

        setitimer(ITIMER_REAL, &soon, NULL);
        fd = open("main", O_CREAT | O_WRONLY, 0644);
        need(fd >= 0 && close(fd) == 0);
    }
    setitimer(ITIMER_REAL, &never, NULL);
}

static volatile sig_atomic_t is_child;

static void fork_in_handler(int signal)
{
    int saved = errno;

    (void)signal;
    if (handled >= 40)
        return;
    handled++;
    if (fork() == 0)
        is_child = 1;
    errno = saved;
}

/* The children come back into the call that the handler interrupted. */
static void forking(void)
{
    struct sigaction action = {.sa_handler = fork_in_handler,
                               .sa_flags = SA_RESTART};
    struct itimerval never = {{0, 0}, {0, 0}};
    int fd = open("main", O_CREAT | O_WRONLY, 0644), status, n = 0;

    need(fd >= 0);
    sigaction(SIGALRM, &action, NULL);
    for (int i = 0; handled < 40 && !is_child; i++) {
        struct itimerval soon = {{0, 0}, {0, i * 7 % 50 + 1}};

        setitimer(ITIMER_REAL, &soon, NULL);
        for (int k = 0; k < 100 && !is_child; k++)
            need(pwrite(fd, buffer, PIECE, 0) == PIECE);
    }
    if (is_child)
        _exit(pwrite(fd, buffer, 8, 0) == 8 ? 0 : 1);
    setitimer(ITIMER_REAL, &never, NULL);
    while (wait(&status) > 0) {
        need(status == 0);
        n++;
    }
    need(n == 40);
}

/* What could make the recorder lose sight of a file, or change what the
 * program sees. */
static void corners(void)
{
    int fd = open("corners", O_CREAT | O_RDWR, 0644);
    FILE *memory = fmemopen(buffer, sizeof(buffer), "r");
    pid_t pid = vfork();
    int status;

    if (pid == 0) { /* NOLINT(clang-analyzer-unix.Vfork): that is the test */
        close(fd);
        _exit(0);
    }
    need(fd >= 0 && pid > 0 && waitpid(pid, &status, 0) == pid);
    need(pwrite(fd, buffer, 16, 0) == 16);
    errno = 0;
    need(memory != NULL && fgetc(memory) == 0 && errno == 0 &&
         fclose(memory) == 0);
    need(close_range((unsigned)fd, (unsigned)fd + 3, 0) == 0);
    need(open("other", O_CREAT | O_WRONLY, 0644) == fd &&
         pwrite(fd, buffer, 32, 64) == 32 && close(fd) == 0);
}

static int open_at(int number, const char *name)
{
    int fd = open(name, O_CREAT | O_RDWR, 0644);

    need(fd == number);
    return fd;
}

/* Takes all numbers of descriptors but two for itself, time and again, and
 * writes so much that the recorder has to write, too. */
static void numbers(void)
{
    int many = (int)sysconf(_SC_OPEN_MAX), fd;

    need(syscall(SYS_close_range, 3, 1000000, 0) == 0);
    fd = open_at(3, "own0");
    write_scattered(fd);
    need(close(0) == 0 && open_at(0, "zero") == 0);
    for (int i = 3; i < many && i < 4096; i++) {
        errno = 0;
        need(close(i) == (i == 3 ? 0 : -1) && (i == 3 || errno == EBADF));
    }
    fd = open_at(3, "own1");
    write_scattered(fd);
    for (int i = 6; i < many && i < 1100; i++)
        need(dup2(fd, i) == i);
    write_scattered(fd);
    closefrom(3);
    fd = open_at(3, "own2");
    write_scattered(fd);
    need(syscall(SYS_close_range, 3, 1000000, 0) == 0);
    fd = open_at(3, "own3");
    write_scattered(fd);
    for (int i = 4; i < many - 2 && i < 1100; i++)
        need(syscall(SYS_dup3, fd, i, 0) == i);
    write_scattered(fd);
    need(close_range(4, 1000000, 0) == 0);
    write_scattered(fd);
    need(close(fd) == 0);
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {
    {"calls", calls},
    {"streams", streams},
    {"descriptors", numbers_of_files},
    {"temporaries", temporaries},
    {"copies", copies},
    {"formats", formats},
    {"forked-stream", streams_of_children},
    {"heirs", heirs},
    {"late-heirs", late_heirs},
    {"threads", threads},
    {"bursts", bursts},
    {"names", names},
    {"exiting", exiting},
    {"handler", handler},
    {"displacing", displacing},
    {"forking", forking},
    {"corners", corners},
    {"numbers", numbers},
};

int main(int argc, char **argv)
{
    int fd;

    need(argc == 3 && chdir(argv[2]) == 0);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        if (strcmp(argv[1], ways[i].name) == 0) {
            ways[i].run();
            return 0;
        }
    if (strcmp(argv[1], "children") == 0) {
        children(argv[0]);
    } else {
        fd = open(argv[1], O_CREAT | O_RDWR, 0644);
        need(fd >= 0);
        write_strided(fd, strcmp(argv[1], "million") == 0 ? 1000000 : 1000);
        if (strcmp(argv[1], "killed") == 0)
            raise(SIGKILL);
        if (strcmp(argv[1], "exits") == 0)
            _exit(3);
        if (strcmp(argv[1], "random") == 0)
            write_scattered(fd);
        need(close(fd) == 0);
    }
    return 0;
}
