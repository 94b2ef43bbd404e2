/* core/cleanup.c - the janitor process and its client side.
 *
 * Messages to the janitor are one line each: 'f'PATH (a file), 't'PATH (a
 * tree), '-'PATH (forget). A path with a newline cannot be sent and is
 * refused. The pipe closes when this process is gone, whatever ended it.
 */
#include "core/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MKDTEMP_LETTERS 6
#define TREE_RETRIES 30 /* x 100 ms: other ranks may still be writing there */

static int janitor_fd = -1;
static pid_t janitor_pid = -1;
static volatile sig_atomic_t interrupted;

struct entry {
    char kind; /* 'f' or 't' */
    char *path;
    struct entry *next;
};

static int remove_one(const char *path, const struct stat *st, int flag,
                      struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path) != 0 && errno != ENOENT ? -1 : 0;
}

/* OMPIO leaves the semaphores of a killed run behind; their names begin with
 * those of the run's files, which begin with the letters that mkdtemp gave
 * the run's tree. Any other tree has no such letters: a shorter text might
 * begin a stranger's names. */
static void remove_semaphores(const char *tree)
{
    const char *dash = strrchr(tree, '-');
    int ours = dash != NULL && strlen(dash + 1) == MKDTEMP_LETTERS &&
               strchr(dash, '/') == NULL;
    DIR *dir = ours ? opendir("/dev/shm") : NULL;
    struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (strncmp(entry->d_name, "sem.OMPIO_", 10) == 0 &&
            strstr(entry->d_name, dash + 1) == entry->d_name + 10)
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir != NULL)
        closedir(dir);
}

static int remove_path(char kind, const char *path)
{
    if (kind == 'f')
        return unlink(path) == 0 || errno == ENOENT ? 0 : -errno;
    remove_semaphores(path);
    for (int i = 0; i < TREE_RETRIES; i++) {
        struct timespec pause = {.tv_nsec = 100000000};

        if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 ||
            errno == ENOENT)
            return 0;
        if (errno != ENOTEMPTY && errno != EBUSY)
            return -errno;
        nanosleep(&pause, NULL);
    }
    return -ENOTEMPTY;
}

static void janitor_note(struct entry **list, const char *line)
{
    struct entry **link = list, *entry;

    if (line[0] == '-') {
        while (*link != NULL && strcmp((*link)->path, line + 1) != 0)
            link = &(*link)->next;
        entry = *link;
        if (entry != NULL) {
            *link = entry->next;
            free(entry->path);
            free(entry);
        }
        return;
    }
    entry = malloc(sizeof(*entry));
    if (entry == NULL)
        return;
    entry->kind = line[0];
    entry->path = strdup(line + 1);
    entry->next = *list; /* the last created is removed first */
    *list = entry;
    if (entry->path == NULL) {
        *list = entry->next;
        free(entry);
    }
}

/* Runs in the child until the pipe closes; never returns. Its own streams go
 * to /dev/null, for a launcher waits until its pipes are closed. */
static void janitor_main(int fd)
{
    struct entry *list = NULL;
    char line[PATH_MAX + 2];
    int null = open("/dev/null", O_RDWR);
    FILE *in;

    setsid();
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < 3 && null >= 0; i++)
        dup2(null, i);
    for (int i = 3; i < 1024; i++)
        if (i != fd)
            close(i);
    in = fdopen(fd, "r");
    while (in != NULL && fgets(line, sizeof(line), in) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        janitor_note(&list, line);
    }
    for (; list != NULL; list = list->next)
        (void)remove_path(list->kind, list->path);
    _exit(0);
}

static void on_signal(int signo)
{
    (void)signo;
    interrupted = 1;
    pario_cleanup_finish();
    _exit(130);
}

int pario_cleanup_start(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    int ends[2];

    if (janitor_pid > 0)
        return 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return pario_fail_errno(-errno, "cannot make a pipe");
    janitor_pid = fork();
    if (janitor_pid < 0) {
        int code = pario_fail_errno(-errno, "cannot start the janitor process");

        close(ends[0]);
        close(ends[1]);
        return code;
    }
    if (janitor_pid == 0) {
        close(ends[1]);
        janitor_main(ends[0]);
    }
    close(ends[0]);
    janitor_fd = ends[1];
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    /* A file limit is an error to report (EFBIG), not a reason to die. */
    signal(SIGXFSZ, SIG_IGN);
    return 0;
}

static int make_absolute(const char *path, char absolute[PATH_MAX])
{
    char cwd[PATH_MAX];
    int n;

    if (strchr(path, '\n') != NULL)
        return pario_fail(-EINVAL, "path with a newline: %s", path);
    if (path[0] == '/')
        n = snprintf(absolute, PATH_MAX, "%s", path);
    else if (getcwd(cwd, sizeof(cwd)) == NULL)
        return pario_fail_errno(-errno, "cannot find the current directory");
    else
        n = snprintf(absolute, PATH_MAX, "%s/%s", cwd, path);
    if (n >= PATH_MAX)
        return pario_fail_errno(-ENAMETOOLONG, "path %s", path);
    return 0;
}

/* One write: a line of at most PATH_MAX + 2 bytes goes as a whole. */
static int tell(char kind, const char *path)
{
    char line[PATH_MAX + 2], absolute[PATH_MAX];
    int code = make_absolute(path, absolute);
    int n;

    if (code != 0)
        return code;
    if (janitor_fd < 0)
        return 0;
    n = snprintf(line, sizeof(line), "%c%s\n", kind, absolute);
    if (write(janitor_fd, line, (size_t)n) != n)
        return pario_fail_errno(-errno, "cannot tell the janitor of %s", path);
    return 0;
}

int pario_cleanup_add_file(const char *path)
{
    return tell('f', path);
}

int pario_cleanup_add_tree(const char *path)
{
    return tell('t', path);
}

void pario_cleanup_forget(const char *path)
{
    (void)tell('-', path);
}

int pario_cleanup_remove(const char *path)
{
    struct stat st;
    int code;

    if (lstat(path, &st) != 0)
        code = errno == ENOENT ? 0 : -errno;
    else
        code = remove_path(S_ISDIR(st.st_mode) ? 't' : 'f', path);
    if (code != 0)
        return pario_fail_errno(code, "cannot remove %s", path);
    pario_cleanup_forget(path);
    return 0;
}

void pario_cleanup_finish(void)
{
    int fd = janitor_fd;

    janitor_fd = -1;
    if (fd < 0)
        return;
    close(fd);
    while (waitpid(janitor_pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    janitor_pid = -1;
}

int pario_cleanup_interrupted(void)
{
    return interrupted;
}
