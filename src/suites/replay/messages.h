/* suites/replay/messages.h - messages of a trace: which of them hold two
 * processes in their order again. */
#ifndef PARIO_SUITES_REPLAY_MESSAGES_H
#define PARIO_SUITES_REPLAY_MESSAGES_H

#include "trace/trace.h"

/* Messages of one tag from one process to another. */
struct replay_channel {
    int from, to, used;
    int64_t tag, sends, receives;
    int64_t under_way; /* sent and not received yet, in a walk */
    int received;      /* in a walk ... */
    size_t receiver;   /* ... by this stream of the process */
};

/* Zeroed before its first use. */
struct replay_messages {
    struct replay_channel *channels; /* by hash */
    size_t count, room;
    int incomplete; /* calls are missing, or a message was received before it
                     * was sent, or two threads receive the same: none is made
                     * again */
};

/* Local. A message of the process. */
int replay_messages_count(struct replay_messages *messages,
                          const struct pario_trace *trace, size_t process,
                          const struct pario_event *event) PARIO_MUST_USE;
/* Local. When all were counted: can they be received in the order in which each
 * thread made its calls? Otherwise none is made again. Opens all streams. */
int replay_messages_check(struct replay_messages *messages,
                          const struct pario_trace *trace) PARIO_MUST_USE;
/* Local. Is there a receive for each send like this one, and the other way
 * round, in another process? Otherwise one might be waited for in vain. */
int replay_messages_match(const struct replay_messages *messages,
                          size_t process, const struct pario_event *event);
void replay_messages_fini(struct replay_messages *messages);

#endif
