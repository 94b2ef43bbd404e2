/*
 * test_referee.c - does the referee see what happens? Started with the library
 * preloaded by test_referee LIBRARY, it does known things to a file and reads
 * what was noted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB (1 << 20)

static int failures;

#define CHECK(truth)                                                           \
    do {                                                                       \
        if (!(truth)) {                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #truth);                \
            failures++;                                                        \
        }                                                                      \
    } while (0)

static void pause_ms(long ms)
{
    struct timespec wait = {.tv_nsec = ms * 1000000};

    nanosleep(&wait, NULL);
}

/* 4 MiB written, 1 MiB of them twice; a pause; a sync; half a MiB read by
 * another call; then a file that is none of the referee's business. */
static int work(const char *folder)
{
    static char data[MIB];
    struct iovec iov[2] = {{data, MIB / 4}, {data, MIB / 4}};
    char path[256];
    bool ok = true;
    int fd;

    snprintf(path, sizeof path, "%s/data", folder);
    fd = open(path, O_RDWR | O_CREAT, 0600);
    for (int i = 0; i < 4; i++)
        ok = ok && pwrite(fd, data, MIB, (off_t)i * MIB) == MIB;
    pause_ms(50);
    ok = ok && pwrite(fd, data, MIB, 0) == MIB;
    ok = ok && fsync(fd) == 0;
    ok = ok && preadv(fd, iov, 2, MIB) == MIB / 2;
    ok = ok && close(fd) == 0;
    snprintf(path, sizeof path, "%s/data.lock", folder);
    fd = open(path, O_RDWR | O_CREAT, 0600);
    ok = ok && write(fd, data, MIB) == MIB;
    ok = ok && close(fd) == 0;
    return ok ? 0 : 1;
}

static int start(const char *library, const char *self, const char *folder)
{
    char log[256];
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        snprintf(log, sizeof log, "%s/log", folder);
        setenv("LD_PRELOAD", library, 1);
        setenv("REFEREE_DIR", folder, 1);
        setenv("REFEREE_LOG", log, 1);
        execl(self, self, "--work", folder, (char *)NULL);
        _exit(127);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

/* The number behind "key": after the place where `part` begins. */
static long long number(const char *line, const char *part, const char *key)
{
    char quoted[64];
    const char *pos = strstr(line, part);

    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    pos = pos != NULL ? strstr(pos, quoted) : NULL;
    return pos != NULL ? strtoll(pos + strlen(quoted), NULL, 10) : -99;
}

static void check_writing(const char *line)
{
    long long begin = number(line, "\"write\"", "begin_ns");
    long long end = number(line, "\"write\"", "end_ns");
    long long sync = number(line, "{", "sync_end_ns");

    CHECK(number(line, "\"write\"", "bytes") == 5 * MIB);
    CHECK(number(line, "\"write\"", "distinct_bytes") == 4 * MIB);
    CHECK(number(line, "\"write\"", "calls") == 5);
    CHECK(number(line, "\"read\"", "calls") == 0);
    CHECK(number(line, "{", "syncs") == 1);
    CHECK(number(line, "{", "free_ns") <= begin);
    CHECK(end - begin >= 50000000);
    CHECK(sync >= end);
    CHECK(number(line, "{", "next_ns") >= sync);
    CHECK(strstr(line, "\"closed\": false") != NULL);
}

static void check_reading(const char *line)
{
    CHECK(number(line, "\"read\"", "bytes") == MIB / 2);
    CHECK(number(line, "\"read\"", "distinct_bytes") == MIB / 2);
    CHECK(number(line, "\"read\"", "calls") == 1);
    CHECK(number(line, "\"write\"", "calls") == 0);
    CHECK(number(line, "{", "syncs") == 0);
    CHECK(strstr(line, "\"closed\": true") != NULL);
}

int main(int argc, char **argv)
{
    static char line[65536];
    char folder[] = "/tmp/referee-test-XXXXXX";
    char command[512];
    FILE *log;

    if (argc == 3 && !strcmp(argv[1], "--work"))
        return work(argv[2]);
    if (argc != 2 || mkdtemp(folder) == NULL)
        return 2;
    CHECK(start(argv[1], "/proc/self/exe", folder) == 0);
    snprintf(command, sizeof command, "%s/log", folder);
    log = fopen(command, "r");
    CHECK(log != NULL);
    if (log != NULL) {
        CHECK(fgets(line, sizeof line, log) != NULL);
        check_writing(line);
        CHECK(fgets(line, sizeof line, log) != NULL);
        check_reading(line);
        CHECK(fgets(line, sizeof line, log) == NULL);
        fclose(log);
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
    return failures ? 1 : 0;
}
