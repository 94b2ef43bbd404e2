/* cli/cmd_launch.c - `pario -n N COMMAND`: mpirun, started for the user, or
 * without MPI the processes themselves.
 *
 * What each launcher needs was found out at configure time (cmake/
 * Dependencies.cmake); PARIO_MPIRUN names another one.
 */
#include "cli/commands.h"
#include "core/error.h"
#include "par/alone.h"
#include "pario_config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_WORDS 1024

static volatile sig_atomic_t child = -1;
static volatile sig_atomic_t interrupted;

struct words {
    char *word[MOST_WORDS];
    int count;
    char text[8192]; /* of the words that came as one text */
    size_t used;
};

static void add(struct words *words, char *word)
{
    if (words->count < MOST_WORDS - 1)
        words->word[words->count++] = word;
}

/* Words separated by blanks. */
static void add_flags(struct words *words, const char *flags)
{
    char *rest = words->text + words->used, *word;
    size_t left = sizeof(words->text) - words->used;

    words->used += (size_t)snprintf(rest, left, "%s", flags) + 1;
    if (words->used > sizeof(words->text))
        words->used = sizeof(words->text);
    while (left > 0 && (word = strsep(&rest, " ")) != NULL)
        if (word[0] != '\0')
            add(words, word);
}

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

static void exec_launcher(struct words *words)
{
    int null = open("/dev/null", O_RDONLY);

    if (null >= 0)
        dup2(null, STDIN_FILENO);
    setpgid(0, 0); /* the terminal's Ctrl-C comes through us only */
    execvp(words->word[0], words->word);
    fprintf(stderr, "pario: cannot start %s: %s (PARIO_MPIRUN names another)\n",
            words->word[0], strerror(errno));
    _exit(127);
}

int pario_launch(const char *processes, int argc, char **argv)
{
    const char *launcher = getenv("PARIO_MPIRUN");
    struct sigaction action = {.sa_handler = on_signal};
    static struct words words;
    static char self[4096], count[32];
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    pid_t pid;

    if (launcher == NULL || launcher[0] == '\0')
        launcher = PARIO_MPIRUN;
#if !PARIO_HAVE_MPI
    /* Without MPI the processes of this machine are started directly. */
    if (launcher[0] == '\0') {
        argv[0] = len > 0 ? self : argv[0];
        return pario_alone_launch((int)strtol(processes, NULL, 10), argv);
    }
#endif
    add_flags(&words, launcher);
    snprintf(count, sizeof(count), "%s", processes);
    add(&words, (char[]){"-n"});
    add(&words, count);
    add_flags(&words, PARIO_MPI_SLOT_FLAGS);
    if (geteuid() == 0)
        add_flags(&words, PARIO_MPI_ROOT_FLAGS);
    add_flags(&words, PARIO_MPI_QUIET_FLAGS);
    add(&words, len > 0 ? self : argv[0]);
    for (int i = 1; i < argc; i++)
        add(&words, argv[i]);
    words.word[words.count] = NULL;
    fflush(NULL);
    pid = fork();
    if (pid < 0) {
        fprintf(stderr, "pario: cannot start %s: %s\n", launcher,
                strerror(errno));
        return 1;
    }
    if (pid == 0)
        exec_launcher(&words);
    child = pid;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return wait_for(pid);
}
