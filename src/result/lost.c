/* result/lost.c - run by the janitor when its process is gone. */
#include "result/lost.h"

#include "core/clock.h"
#include "core/loss.h"
#include "result/document.h"
#include "sys/cgroup.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int64_t oom_before;

static void explain(char *text, size_t len)
{
    int64_t now = pario_cgroup_oom_kills("");
    size_t used = strlen(text);

    if (oom_before >= 0 && now > oom_before)
        snprintf(text + used, len - used,
                 ": the kernel has killed %lld process%s of its control group "
                 "for lack of memory since the run began",
                 (long long)(now - oom_before),
                 now - oom_before == 1 ? "" : "es");
}

/* What is there now may be anything: no link is followed, no pipe waited for.
 */
static json_t *load(const char *path, int *fd_p)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;

    *fd_p = fd;
    return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
               ? json_loadfd(fd, 0, NULL)
               : NULL;
}

void pario_lost_record(const char *path, const char *begun, const char *reason)
{
    struct pario_claim place = PARIO_CLAIM_NONE;
    json_t *document = load(path, &place.held);
    const char *last = pario_document_begun(document);

    place.path = strdup(path);
    /* A run that came to its end has said what there is to say; one that was
     * started again, or resumed, has the document now. */
    if (place.path != NULL && last != NULL && strcmp(last, begun) == 0 &&
        !json_is_string(json_object_get(document, "finished_utc")) &&
        pario_document_invalidate(document, reason) == 0 &&
        json_object_set_new(document, "valid", json_false()) == 0)
        (void)!pario_document_write(&place, document, 1);
    pario_document_leave(&place);
    json_decref(document);
}

void pario_lost_start(void)
{
    static const struct pario_loss_hooks hooks = {explain, pario_lost_record};

    oom_before = pario_cgroup_oom_kills("");
    pario_loss_hooks_set(&hooks);
}
