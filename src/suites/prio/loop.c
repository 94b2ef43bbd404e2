/* suites/prio/loop.c - the timed loop of blocking accesses. */
#include "suites/prio/loop.h"

#include "core/clock.h"
#include "par/watchdog.h"
#include "suites/prio/transfer.h"

int64_t prio_loop_next_pass(struct prio_loop *loop)
{
    struct pario_data stamps = prio_stamps_of_pass(&loop->data, ++loop->pass);
    char *buffer = loop->buffer;

    for (int64_t i = 0; loop->stamps && i < loop->count; i++) {
        const struct prio_request *request = &loop->request[i];

        if (request->write)
            pario_data_stamp(&stamps, loop->data_offset + request->at, buffer,
                             request->len);
        buffer += request->len;
    }
    return pario_clock_ns();
}

static void note_error(struct prio_loop *loop, int code, int64_t offset,
                       int write)
{
    if (loop->code == 0) {
        loop->code = code;
        loop->failed_at = offset;
        loop->failed_write = write;
    }
}

/* Within the time: else the next pass would overwrite in memory what then was
 * never written. Returns the clock. */
static int64_t end_pass(struct prio_loop *loop,
                        const struct pario_backend *backend,
                        struct pario_file *file)
{
    int code = loop->sync_passes ? backend->sync_mine(file) : 0;

    if (code != 0) {
        loop->failed_sync = loop->code == 0;
        note_error(loop, code, 0, 1);
    }
    return prio_loop_next_pass(loop);
}

/* One clock reading a request. A pointer that is not where the request wants
 * it is moved within the time: that is what this access method costs. */
void prio_loop_blocking(struct prio_loop *loop,
                        const struct pario_backend *backend,
                        struct pario_file *file, enum pario_form form)
{
    pario_io_fn *const io[2] = {backend->io[PARIO_READ][form],
                                backend->io[PARIO_WRITE][form]};
    int pointer = form == PARIO_FORM_POINTER || form == PARIO_FORM_POINTER_ALL;
    const struct prio_request *request = loop->request;
    const struct prio_request *end = request + loop->count;
    char *buffer = loop->buffer;
    int64_t position = -1, last_ns = pario_clock_ns();

    for (;;) {
        int64_t offset = loop->base + request->at;
        int code = 0;

        pario_position_at(offset);
        if (pointer && offset != position)
            code = backend->seek(file, offset);
        if (code == 0)
            code = io[request->write](file, buffer, request->len, offset);
        last_ns = prio_loop_account(loop, request, last_ns, pario_clock_ns());
        if (code != 0) {
            note_error(loop, code, offset, (int)request->write);
            if (!loop->keep_step)
                return;
        }
        position = offset + request->len;
        if (loop->think.think_ns > 0)
            last_ns = prio_think_after(&loop->think, last_ns);
        if (!loop->reuse)
            buffer += request->len;
        if (last_ns >= loop->stop_ns)
            return;
        if (++request == end) {
            if (loop->stop_ns == INT64_MAX)
                return;
            last_ns = end_pass(loop, backend, file);
            if (loop->code != 0 || last_ns >= loop->stop_ns)
                return;
            request = loop->request;
            buffer = loop->buffer;
        }
    }
}
