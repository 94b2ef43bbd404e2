/* launch/job.h - a parallel job of this program, started by a process that has
 * not started MPI itself. */
#ifndef PARIO_LAUNCH_JOB_H
#define PARIO_LAUNCH_JOB_H

#include "core/error.h"

struct pario_job_variable {
    const char *name, *value; /* value NULL: unset */
};

struct pario_job {
    int processes;
    const char *const *arguments; /* of this program, ended by NULL */
    char *const *command;         /* instead of both: another command; NULL */
    const struct pario_job_variable *variables; /* ended by a NULL name; NULL */
    const char *output; /* file for all that it prints; NULL: /dev/null */
    double timeout_s;
};

enum pario_job_end { PARIO_JOB_EXITED, PARIO_JOB_SIGNALLED, PARIO_JOB_TIMEOUT };

struct pario_job_outcome {
    enum pario_job_end end;
    int status; /* exit status or signal */
    double seconds;
};

/* Local. Starts it and waits; a job that takes longer is ended. The job dies
 * with this process. An error only where nothing could be started. */
int pario_job_run(const struct pario_job *job,
                  struct pario_job_outcome *outcome_p) PARIO_MUST_USE;

#endif
