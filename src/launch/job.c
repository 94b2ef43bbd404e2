/* launch/job.c - a child, its output, its time. */
#include "launch/job.h"
#include "core/cleanup.h"
#include "launch/launcher.h"

#include "core/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_NS 5000000
#define TERM_GRACE_S                                                           \
    5.0 /* Open MPI's mpirun needs a while to end its ranks                    \
         */

/* In the child. failed: where the error goes when nothing can be started; it
 * is closed by exec. */
static void exec_job(const struct pario_job *job, struct pario_words *words,
                     int failed)
{
    int in = open("/dev/null", O_RDONLY);
    int out =
        job->output != NULL
            ? pario_own_open(job->output, O_WRONLY | O_CREAT | O_TRUNC, 0644)
            : pario_own_open("/dev/null", O_WRONLY, 0);
    int error;

    for (int i = 0; job->variables != NULL && job->variables[i].name != NULL;
         i++) {
        if (job->variables[i].value != NULL)
            setenv(job->variables[i].name, job->variables[i].value, 1);
        else
            unsetenv(job->variables[i].name);
    }
    if (in >= 0)
        dup2(in, STDIN_FILENO);
    if (out >= 0) {
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
    }
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    execvp(words->word[0], words->word);
    error = errno;
    (void)!write(failed, &error, sizeof(error));
    _exit(127);
}

/* The child, started or about to say why not; 0 or a negative error. */
static int start_job(const struct pario_job *job, struct pario_words *words,
                     pid_t *pid_p)
{
    int ends[2], error = 0, status;
    ssize_t n;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    fflush(NULL);
    *pid_p = fork();
    if (*pid_p == 0)
        exec_job(job, words, ends[1]);
    error = *pid_p < 0 ? errno : 0;
    close(ends[1]);
    if (*pid_p > 0) {
        setpgid(*pid_p, *pid_p);
        do
            n = read(ends[0], &error, sizeof(error));
        while (n < 0 && errno == EINTR);
        if (n == (ssize_t)sizeof(error))
            while (waitpid(*pid_p, &status, 0) < 0 && errno == EINTR)
                ;
        else
            error = 0;
    }
    close(ends[0]);
    return -error;
}

/* 1 when it has ended within the time. */
static int wait_until(pid_t pid, double end_s, int *status_p)
{
    const struct timespec pause = {.tv_nsec = POLL_NS};

    for (;;) {
        pid_t got = waitpid(pid, status_p, WNOHANG);

        if (got == pid || (got < 0 && errno != EINTR))
            return 1;
        if (pario_clock_s() >= end_s)
            return 0;
        nanosleep(&pause, NULL);
    }
}

int pario_job_run(const struct pario_job *job,
                  struct pario_job_outcome *outcome_p)
{
    struct pario_words words;
    char count[32];
    double start_s = pario_clock_s();
    int status = 0, ended, code;
    pid_t pid = -1;

    snprintf(count, sizeof(count), "%d", job->processes);
    words.count = 0;
    words.used = 0;
    words.word[0] = NULL;
    code = job->command == NULL ? pario_launcher_words(&words, count) : 0;
    if (code != 0)
        return code;
    for (int i = 0; job->command == NULL && job->arguments[i] != NULL; i++)
        pario_words_add(&words, job->arguments[i]);
    for (int i = 0; job->command != NULL && job->command[i] != NULL; i++)
        pario_words_add(&words, job->command[i]);
    if (words.word[0] == NULL)
        return pario_fail(PARIO_EUSAGE, "there is no command to start");
    code = start_job(job, &words, &pid);
    if (code != 0)
        return pario_fail_errno(
            code, "cannot start %s%s", words.word[0],
            job->command == NULL ? " (PARIO_MPIRUN names another)" : "");
    ended = wait_until(pid, start_s + job->timeout_s, &status);
    outcome_p->end = PARIO_JOB_TIMEOUT;
    if (!ended) {
        kill(-pid, SIGTERM);
        if (!wait_until(pid, pario_clock_s() + TERM_GRACE_S, &status)) {
            kill(-pid, SIGKILL);
            (void)wait_until(pid, pario_clock_s() + TERM_GRACE_S, &status);
        }
    } else {
        outcome_p->end =
            WIFEXITED(status) ? PARIO_JOB_EXITED : PARIO_JOB_SIGNALLED;
    }
    outcome_p->status =
        WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    outcome_p->seconds = pario_clock_s() - start_s;
    return 0;
}
