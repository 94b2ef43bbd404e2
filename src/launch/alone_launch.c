/* launch/alone_launch.c - starts the processes of one machine. */
#include "launch/alone_launch.h"

#include "core/cleanup.h"
#include "core/self.h"
#include "par/alone_shared.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE_MS 2000 /* for the others, after one has failed */
#define TICK_MS 20

static pid_t children[PARIO_ALONE_MAX_PROCESSES];
static struct pario_alone_shared *shared;
static volatile sig_atomic_t interrupted;
static int count;

static void tell_children(int signo)
{
    for (int i = 0; i < count; i++)
        if (children[i] > 0)
            kill(children[i], signo);
}

/* The others wait for it in vain: they end, and one of them or a janitor says
 * why. Before that has begun, it is said here. */
static void lose_child(int signo)
{
    if (!atomic_load(&shared->speaks))
        fprintf(stderr, "pario: a process was ended by signal %d (%s)\n", signo,
                strsignal(signo));
    for (int i = 0; i < count; i++)
        if (children[i] > 0)
            sigqueue(children[i], SIGTERM,
                     (union sigval){.sival_int = PARIO_CLEANUP_LOST});
}

static void on_signal(int signo)
{
    interrupted = 1;
    tell_children(signo);
}

/* A descriptor that the children inherit. */
static int make_shared(int processes)
{
    size_t len = alone_bytes(processes);
    int fd = memfd_create("pario", 0), code;

    if (fd < 0)
        return -errno;
    if (ftruncate(fd, (off_t)len) != 0)
        goto err_close;
    shared = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        goto err_close;
    shared->size = processes;
    code = alone_comm_init(alone_comm_at(shared, 0), processes);
    atomic_store(&alone_comm_at(shared, 0)->users, processes);
    if (code == 0)
        return fd;
    munmap(shared, len);
    errno = -code;
err_close:
    code = -errno;
    close(fd);
    return code;
}

static void become_child(int rank, pid_t parent, char **argv)
{
    char text[16], self[PATH_MAX];
    int null;

    snprintf(text, sizeof(text), "%d", rank);
    setenv(PARIO_ALONE_RANK, text, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    null = rank > 0 ? open("/dev/null", O_RDONLY) : -1;
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    execv("/proc/self/exe", argv);
    pario_self_path(self, sizeof(self)); /* no /proc */
    execv(self, argv);
    fprintf(stderr, "pario: cannot start %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

static int status_of(int status)
{
    if (WIFEXITED(status) &&
        (WEXITSTATUS(status) <= 2 || WEXITSTATUS(status) == 130))
        return WEXITSTATUS(status);
    return 1;
}

/* The first failure gives the status; who stays behind it is ended. */
static int wait_for_all(void)
{
    struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
    int left = count, first = 0, waited = 0;

    while (left > 0) {
        int status = 0;
        pid_t pid = waitpid(-1, &status, first != 0 ? WNOHANG : 0);

        if (pid == 0) {
            waited += TICK_MS;
            if (waited == GRACE_MS)
                tell_children(SIGTERM);
            if (waited == 2 * GRACE_MS)
                tell_children(SIGKILL);
            nanosleep(&tick, NULL);
            continue;
        }
        if (pid < 0 && errno == EINTR)
            continue;
        if (pid < 0)
            break;
        for (int i = 0; i < count; i++)
            if (children[i] == pid)
                children[i] = -1;
        left--;
        if (first == 0 && WIFSIGNALED(status) && !interrupted)
            lose_child(WTERMSIG(status));
        if (first == 0)
            first = status_of(status);
    }
    return interrupted ? 130 : first;
}

int pario_alone_launch(int processes, char **argv)
{
    struct sigaction action = {.sa_handler = on_signal};
    pid_t parent = getpid();
    char text[16];
    int fd;

    if (processes > PARIO_ALONE_MAX_PROCESSES) {
        fprintf(stderr, "pario: at most %d processes without MPI\n",
                PARIO_ALONE_MAX_PROCESSES);
        return 2;
    }
    fd = make_shared(processes);
    if (fd < 0) {
        fprintf(stderr, "pario: cannot share memory between processes: %s\n",
                strerror(-fd));
        return 1;
    }
    snprintf(text, sizeof(text), "%d", fd);
    setenv(PARIO_ALONE_FD, text, 1);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    fflush(NULL);
    while (count < processes) {
        pid_t pid = fork();

        if (pid == 0)
            become_child(count, parent, argv);
        if (pid < 0) {
            fprintf(stderr, "pario: cannot start process %d: %s\n", count,
                    strerror(errno));
            tell_children(SIGTERM);
            wait_for_all();
            return 1;
        }
        children[count++] = pid;
    }
    close(fd);
    return wait_for_all();
}
