/* result/lost.c - run by the janitor when its process is gone. */
#include "result/lost.h"

#include "core/clock.h"
#include "core/loss.h"
#include "result/document.h"
#include "sys/cgroup.h"

#include <stdio.h>
#include <string.h>

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

void pario_lost_record(const char *path, const char *begun, const char *reason)
{
    json_t *document = json_load_file(path, 0, NULL);
    const char *last = pario_document_begun(document);

    /* A run that came to its end has said what there is to say; one that was
     * started again, or resumed, has the document now. */
    if (last != NULL && strcmp(last, begun) == 0 &&
        !json_is_string(json_object_get(document, "finished_utc")) &&
        pario_document_invalidate(document, reason) == 0 &&
        json_object_set_new(document, "valid", json_false()) == 0)
        (void)!pario_document_write(path, document, 1);
    json_decref(document);
}

void pario_lost_start(void)
{
    static const struct pario_loss_hooks hooks = {explain, pario_lost_record};

    oom_before = pario_cgroup_oom_kills("");
    pario_loss_hooks_set(&hooks);
}
