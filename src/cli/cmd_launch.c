/* cli/cmd_launch.c - `pario -n N COMMAND`: mpirun, started for the user, or
 * without MPI the processes themselves.
 */
#include "cli/commands.h"
#include "core/error.h"
#include "par/alone.h"
#include "par/job.h"
#include "pario_config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t child = -1;
static volatile sig_atomic_t interrupted;

/* mpirun hears of the end from us once, however often the user asks. */
static void on_signal(int signo)
{
    interrupted = 1;
    if (child > 0)
        kill((pid_t)child, signo == SIGINT ? SIGINT : SIGTERM);
}

static int wait_for(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 1;
    if (interrupted)
        return 130;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 2)
        return WEXITSTATUS(status);
    return WIFEXITED(status) && WEXITSTATUS(status) == 130 ? 130 : 1;
}

static void exec_launcher(struct pario_words *words)
{
    int null = open("/dev/null", O_RDONLY);

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

int pario_launch(const char *processes, int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct pario_words words;
    pid_t pid;

    pario_launcher_words(&words, processes);
#if !PARIO_HAVE_MPI
    /* Without MPI the processes of this machine are started directly. */
    if (strcmp(words.word[0], "-n") == 0) {
        argv[0] = words.word[words.count - 1];
        return pario_alone_launch((int)strtol(processes, NULL, 10), argv);
    }
#endif
    for (int i = 1; i < argc; i++)
        pario_words_add(&words, argv[i]);
    fflush(NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    pid = fork();
    if (pid < 0) {
        fprintf(stderr, "pario: cannot start %s: %s\n", words.word[0],
                strerror(errno));
        return 1;
    }
    if (pid == 0)
        exec_launcher(&words);
    child = pid;
    return wait_for(pid);
}
