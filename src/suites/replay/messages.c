/* suites/replay/messages.c - messages of a trace, counted: the n-th receive
 * of a tag came after the n-th send of it, so that no replay in which both are
 * made waits for ever. */
#include "suites/replay/messages.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

static size_t hash_of(int from, int to, int64_t tag)
{
    uint64_t hash = (uint64_t)from * 0x9e3779b97f4a7c15u;

    hash = (hash ^ (uint64_t)to) * 0xff51afd7ed558ccdu;
    hash = (hash ^ (uint64_t)tag) * 0xff51afd7ed558ccdu;
    return (size_t)(hash >> 20);
}

/* The channel, or a free place for it; there is room. */
static struct replay_channel *find(const struct replay_messages *messages,
                                   int from, int to, int64_t tag)
{
    size_t at = hash_of(from, to, tag) & (messages->room - 1);

    while (messages->channels[at].used &&
           (messages->channels[at].from != from ||
            messages->channels[at].to != to ||
            messages->channels[at].tag != tag))
        at = (at + 1) & (messages->room - 1);
    return &messages->channels[at];
}

static int grow(struct replay_messages *messages)
{
    struct replay_messages more = {
        .room = messages->room > 0 ? 2 * messages->room : 64};

    if (2 * (messages->count + 1) <= messages->room)
        return 0;
    more.channels = calloc(more.room, sizeof(more.channels[0]));
    if (more.channels == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the trace");
    for (size_t i = 0; i < messages->room; i++)
        if (messages->channels[i].used)
            *find(&more, messages->channels[i].from, messages->channels[i].to,
                  messages->channels[i].tag) = messages->channels[i];
    free(messages->channels);
    messages->channels = more.channels;
    messages->room = more.room;
    return 0;
}

/* Who sends to whom; 0: that cannot be. */
static int ends_of(size_t process, const struct pario_event *event, int *from_p,
                   int *to_p)
{
    int64_t peer = pario_trace_value(event, PARIO_ARG_PEER, -1);

    if (peer < 0 || peer > INT_MAX || process > INT_MAX ||
        pario_trace_value(event, PARIO_ARG_TAG, -1) < 0)
        return 0;
    *from_p = event->op == PARIO_OP_Send ? (int)process : (int)peer;
    *to_p = event->op == PARIO_OP_Send ? (int)peer : (int)process;
    return 1;
}

int replay_messages_count(struct replay_messages *messages,
                          const struct pario_trace *trace, size_t process,
                          const struct pario_event *event)
{
    const struct pario_trace_process *facts =
        pario_trace_process_of(trace, process);
    int64_t tag = pario_trace_value(event, PARIO_ARG_TAG, -1);
    struct replay_channel *channel;
    int from, to, code = grow(messages);

    if (code != 0)
        return code;
    /* Ranks are numbers of processes only where all of them are there. */
    if (facts->rank != (int)process || facts->lost_calls > 0 ||
        !ends_of(process, event, &from, &to)) {
        messages->incomplete = 1;
        return 0;
    }
    channel = find(messages, from, to, tag);
    messages->count += !channel->used;
    channel->used = 1;
    channel->from = from;
    channel->to = to;
    channel->tag = tag;
    channel->sends += event->op == PARIO_OP_Send;
    channel->receives += event->op == PARIO_OP_Recv;
    return 0;
}

int replay_messages_match(const struct replay_messages *messages,
                          size_t process, const struct pario_event *event)
{
    const struct replay_channel *channel;
    int from, to;

    /* A send to oneself may wait for a receive that comes after it. */
    if (messages->incomplete || messages->room == 0 ||
        !ends_of(process, event, &from, &to) || from == to)
        return 0;
    channel =
        find(messages, from, to, pario_trace_value(event, PARIO_ARG_TAG, -1));
    return channel->used && channel->sends == channel->receives;
}

/* A stream on its way through the trace. */
struct walk {
    struct pario_cursor *cursor;
    size_t process, stream;
    struct pario_event event; /* a message, if more is 1 */
    int more;                 /* 0: it is at its end; below: an error */
};

static void next_message(struct walk *walk)
{
    do
        walk->more = pario_cursor_next(walk->cursor, &walk->event);
    while (walk->more > 0 && !pario_trace_is_message(walk->event.op));
}

/* Two threads that receive from one channel may take each other's messages,
 * and one then waits for ever: communicators are not recorded. */
static int is_only_receiver(struct replay_channel *channel, size_t stream)
{
    if (!channel->received) {
        channel->received = 1;
        channel->receiver = stream;
    }
    return channel->receiver == stream;
}

/* As far as the messages allow. *steps_p: how many were made. */
static int advance(struct replay_messages *messages, struct walk *walk,
                   int64_t *steps_p)
{
    for (; walk->more > 0; next_message(walk)) {
        struct replay_channel *channel;
        int from = 0, to = 0;

        if (ends_of(walk->process, &walk->event, &from, &to) &&
            replay_messages_match(messages, walk->process, &walk->event)) {
            channel = find(messages, from, to,
                           pario_trace_value(&walk->event, PARIO_ARG_TAG, -1));
            if (walk->event.op == PARIO_OP_Recv &&
                !is_only_receiver(channel, walk->stream)) {
                messages->incomplete = 1;
                return 0;
            }
            if (walk->event.op == PARIO_OP_Recv && channel->under_way == 0)
                return 0;
            channel->under_way += walk->event.op == PARIO_OP_Send ? 1 : -1;
        }
        ++*steps_p;
    }
    return walk->more;
}

static int walk_all(struct replay_messages *messages, struct walk *walks,
                    size_t count)
{
    int64_t steps = 1;
    int code = 0, waiting = 0;

    while (steps > 0 && code == 0 && !messages->incomplete) {
        steps = 0;
        waiting = 0;
        for (size_t i = 0; i < count && code == 0 && !messages->incomplete;
             i++) {
            code = advance(messages, &walks[i], &steps);
            waiting |= walks[i].more > 0;
        }
    }
    messages->incomplete |= waiting;
    return code;
}

int replay_messages_check(struct replay_messages *messages,
                          const struct pario_trace *trace)
{
    size_t count = 0, nprocesses = pario_trace_processes(trace);
    struct walk *walks;
    int code = 0;

    if (messages->count == 0 || messages->incomplete)
        return 0;
    for (size_t p = 0; p < nprocesses; p++)
        count += pario_trace_process_of(trace, p)->nstreams;
    walks = calloc(count + 1, sizeof(*walks));
    if (walks == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the trace");
    count = 0;
    for (size_t p = 0; p < nprocesses && code == 0; p++)
        for (size_t s = 0;
             s < pario_trace_process_of(trace, p)->nstreams && code == 0; s++) {
            struct walk *walk = &walks[count++];

            walk->process = p;
            walk->stream = s;
            code = pario_cursor_open(trace, p, s, &walk->cursor);
            if (code == 0)
                next_message(walk);
        }
    if (code == 0)
        code = walk_all(messages, walks, count);
    for (size_t i = 0; i < count; i++)
        pario_cursor_close(walks[i].cursor);
    free(walks);
    return code;
}

void replay_messages_fini(struct replay_messages *messages)
{
    free(messages->channels);
    *messages = (struct replay_messages){0};
}
