/* cli/cmd_launch.c - `pario -n N COMMAND`: mpirun, started for the user, or
 * without MPI the processes themselves.
 */
#include "cli/commands.h"
#include "core/command.h"
#include "core/error.h"
#include "core/progress.h"
#include "core/storage.h"
#include "launch/alone_launch.h"
#include "launch/launcher.h"
#include "pario_config.h"
#include "suites/prio/device.h"
#include "sys/node.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PASS_MS 200

static volatile sig_atomic_t child = -1;
static volatile sig_atomic_t interrupted;

/* mpirun hears of the end from us once, however often the user asks. */
static void on_signal(int signo)
{
    interrupted = 1;
    if (child > 0)
        kill((pid_t)child, signo == SIGINT ? SIGINT : SIGTERM);
}

/* Launchers say nothing of output that they could not write: what goes to a
 * file passes through here. */
struct relay {
    int from, to; /* a pipe; -1: the launcher writes itself */
    int error;    /* what came after it was not written */
};

static int relay_init(struct relay *relay)
{
    struct stat st;
    int ends[2];

    *relay = (struct relay){-1, -1, 0};
    if (fstat(STDOUT_FILENO, &st) != 0 || isatty(STDOUT_FILENO) ||
        !(S_ISREG(st.st_mode) || S_ISCHR(st.st_mode)))
        return 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    relay->from = ends[0];
    relay->to = ends[1];
    return 0;
}

/* 0: there is no more. */
static int relay_pass(struct relay *relay)
{
    char text[65536];
    ssize_t n = read(relay->from, text, sizeof(text));

    if (n <= 0)
        return n < 0 && errno == EINTR;
    if (relay->error == 0)
        relay->error = pario_write_all(STDOUT_FILENO, text, (size_t)n);
    return 1;
}

/* Until the launcher's end of the pipe is closed, or it has ended and left it
 * to a process that says nothing. */
static int relay_and_wait(struct relay *relay, pid_t pid, int *status_p)
{
    struct pollfd wait = {.fd = relay->from, .events = POLLIN};
    int ready = 1;
    pid_t got = 0;

    while (relay->from >= 0 && got != pid) {
        ready = poll(&wait, 1, PASS_MS);
        if (ready > 0 && !relay_pass(relay))
            break;
        if (ready == 0)
            got = waitpid(pid, status_p, WNOHANG);
    }
    /* What it wrote last. */
    while (got == pid && poll(&wait, 1, 0) > 0 && relay_pass(relay))
        continue;
    while (got != pid) {
        got = waitpid(pid, status_p, 0);
        if (got < 0 && errno != EINTR)
            return -errno;
    }
    return 0;
}

static int wait_for(pid_t pid, struct relay *relay)
{
    int status = 0;

    if (relay_and_wait(relay, pid, &status) != 0)
        return 1;
    if (interrupted)
        return 130;
    if (relay->error != 0)
        fprintf(stderr, "pario: cannot write the standard output: %s\n",
                strerror(-relay->error));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return relay->error != 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 2)
        return WEXITSTATUS(status);
    return WIFEXITED(status) && WEXITSTATUS(status) == 130 ? 130 : 1;
}

static void exec_launcher(struct pario_words *words, const struct relay *relay)
{
    int null = open("/dev/null", O_RDONLY);

    if (relay->to >= 0)
        dup2(relay->to, STDOUT_FILENO);

    if (null >= 0)
        dup2(null, STDIN_FILENO);
    setpgid(0, 0); /* the terminal's Ctrl-C comes through us only */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    execvp(words->word[0], words->word);
    fprintf(stderr, "pario: cannot start %s: %s (PARIO_MPIRUN names another)\n",
            words->word[0], strerror(errno));
    _exit(127);
}

/* The launcher's processes have no terminal: what they would ask for is asked
 * here. */
static int ask(int argc, char **argv)
{
    static const char option[] = "--destroy-data";
    const char *device = NULL;
    size_t len = strlen(option);
    int code = 0;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--explain") == 0 ||
            strcmp(argv[i], "--dry-run") == 0)
            return 0;
        if (strncmp(argv[i], option, len) == 0 && argv[i][len] == '=')
            device = argv[i] + len + 1;
        else if (strcmp(argv[i], option) == 0 && i + 1 < argc)
            device = argv[++i];
    }
    if (device != NULL)
        code = prio_device_ask(device);
    if (code != 0)
        pario_error_print();
    return code;
}

/* So many for each core of this machine are a slip of the hand, or need to be
 * meant: starting them alone takes minutes. */
#define CROWD 32

/* Where a scheduler or the launcher's own words say which hosts there are. */
static int has_hosts(const struct pario_words *words)
{
    static const char *const jobs[] = {"SLURM_JOB_ID", "PBS_JOBID", "FLUX_URI",
                                       "LSB_JOBID", "COBALT_JOBID"};

    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
        if (getenv(jobs[i]) != NULL)
            return 1;
    for (int i = 0; i < words->count; i++)
        if (strstr(words->word[i], "host") != NULL)
            return 1;
    return 0;
}

static int ask_crowd(const struct pario_words *words, const char *processes)
{
    long n = strtol(processes, NULL, 10), cores = pario_node_cpus();
    char answer[8];

    if (cores < 1 || n <= CROWD * cores || has_hosts(words))
        return 0;
    fprintf(stderr,
            "pario: %ld processes on the %ld core%s of this machine: they will "
            "take long to start, and measure each other\n",
            n, cores, cores == 1 ? "" : "s");
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return 0;
    fprintf(stderr, "Go on? [y/N] ");
    if (fgets(answer, sizeof(answer), stdin) != NULL &&
        (answer[0] == 'y' || answer[0] == 'Y'))
        return 0;
    return PARIO_EUSAGE;
}

/* What the processes print comes to the terminal through the launcher's pipe:
 * they may rewrite a line there. */
static void offer_terminal(void)
{
    struct winsize size = {.ws_col = 0};
    char columns[16];

    unsetenv(PARIO_TERMINAL_VARIABLE);
    unsetenv(PARIO_TERMINAL_OUT_VARIABLE);
    if (!isatty(STDERR_FILENO))
        return;
    (void)ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
    snprintf(columns, sizeof(columns), "%d",
             size.ws_col > 0 ? (int)size.ws_col : 80);
    setenv(PARIO_TERMINAL_VARIABLE, columns, 1);
    if (isatty(STDOUT_FILENO))
        setenv(PARIO_TERMINAL_OUT_VARIABLE, "1", 1);
}

int pario_launch(const char *processes, int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct pario_words words;
    struct relay relay;
    pid_t pid;

    if (pario_launcher_words(&words, processes) != 0) {
        pario_error_print();
        return 1;
    }
    if (ask_crowd(&words, processes) != 0)
        return 2;
    for (int i = 0; i < argc; i++)
        pario_words_add(&words, argv[i]);
    setenv(PARIO_STARTED_VARIABLE, processes, 1);
#if !PARIO_HAVE_MPI
    /* Without MPI the processes of this machine are started directly. */
    if (strcmp(words.word[0], "-n") == 0)
        return pario_alone_launch((int)strtol(processes, NULL, 10),
                                  words.word + words.program);
#endif
    if (ask(argc, argv) != 0)
        return 2;
    offer_terminal();
    fflush(NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    pid = relay_init(&relay) == 0 ? fork() : -1;
    if (pid < 0) {
        fprintf(stderr, "pario: cannot start %s: %s\n", words.word[0],
                strerror(errno));
        return 1;
    }
    if (pid == 0)
        exec_launcher(&words, &relay);
    child = pid;
    if (relay.to >= 0)
        close(relay.to);
    return wait_for(pid, &relay);
}
