/* rules.c - parse PARIO_FAULT, count calls, decide which fault they meet. */
#include "rules.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char *const op_names[FAULT_NOPS] = {
    [FAULT_OPEN] = "open",           [FAULT_READ] = "read",
    [FAULT_WRITE] = "write",         [FAULT_FSYNC] = "fsync",
    [FAULT_CLOSE] = "close",         [FAULT_FTRUNCATE] = "ftruncate",
    [FAULT_FALLOCATE] = "fallocate", [FAULT_MMAP] = "mmap",
};

static const char *const action_names[] = {
    [FAULT_NONE] = "nothing", [FAULT_ERROR] = "error", [FAULT_SHORT] = "short",
    [FAULT_DELAY] = "delay",  [FAULT_FLIP] = "flip",   [FAULT_KILL] = "kill",
    [FAULT_STOP] = "stop",    [FAULT_DROP] = "drop",   [FAULT_BUS] = "bus",
};

static int log_fd = -1;
static int log_rank = -1;

struct parser {
    char *message;
    size_t len;
    bool has_op;
    bool has_first;
    bool once; /* fires once unless nth or from say otherwise */
};

static int complain(struct parser *p, const char *what, const char *text)
{
    snprintf(p->message, p->len, "%s '%s'", what, text);
    return -1;
}

static int parse_number(struct parser *p, const char *text, int64_t min,
                        int64_t *value_p)
{
    char *end = NULL;

    errno = 0;
    long long value = strtoll(text, &end, 0);
    if (errno || end == text || *end || value < min)
        return complain(p, "bad number", text);
    *value_p = value;
    return 0;
}

static int parse_error(struct parser *p, const char *text, int *error_p)
{
    int64_t number = 0;

    if (text[0] >= '0' && text[0] <= '9') {
        if (parse_number(p, text, 1, &number))
            return -1;
        *error_p = (int)number;
        return 0;
    }
    for (int e = 1; e < 256; e++) {
        const char *name = strerrorname_np(e);

        if (name && !strcmp(name, text)) {
            *error_p = e;
            return 0;
        }
    }
    return complain(p, "unknown error", text);
}

static int parse_op(struct parser *p, const char *text, enum fault_op *op_p)
{
    for (int op = 0; op < FAULT_NOPS; op++) {
        if (!strcmp(op_names[op], text)) {
            *op_p = (enum fault_op)op;
            p->has_op = true;
            return 0;
        }
    }
    return complain(p, "unknown op", text);
}

static int set_action(struct parser *p, struct fault_rule *rule,
                      enum fault_action action)
{
    if (rule->action != FAULT_NONE)
        return complain(p, "a rule has one action; second one is",
                        action_names[action]);
    rule->action = action;
    return 0;
}

/* A word without a value: the actions that need none. */
static int parse_word(struct parser *p, const char *word,
                      struct fault_rule *rule)
{
    static const enum fault_action words[] = {
        FAULT_SHORT, FAULT_FLIP, FAULT_KILL, FAULT_STOP, FAULT_DROP, FAULT_BUS};

    if (!strcmp(word, "eintr")) {
        p->once = true;
        rule->error = EINTR;
        return set_action(p, rule, FAULT_ERROR);
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (!strcmp(word, action_names[words[i]])) {
            p->once = words[i] == FAULT_KILL || words[i] == FAULT_STOP;
            return set_action(p, rule, words[i]);
        }
    }
    return complain(p, "unknown key", word);
}

static int parse_pair(struct parser *p, const char *key, const char *value,
                      struct fault_rule *rule)
{
    int64_t number = 0;

    if (!strcmp(key, "op"))
        return parse_op(p, value, &rule->op);
    if (!strcmp(key, "error"))
        return parse_error(p, value, &rule->error) ||
               set_action(p, rule, FAULT_ERROR);
    if (!strcmp(key, "path")) {
        if (!*value || strlen(value) >= sizeof(rule->path))
            return complain(p, "empty or too long path", value);
        memcpy(rule->path, value, strlen(value) + 1);
        return 0;
    }
    bool first = !strcmp(key, "nth") || !strcmp(key, "from");
    bool every = !strcmp(key, "every");
    if (!first && !every && strcmp(key, "at") != 0 &&
        strcmp(key, "rank") != 0 && strcmp(key, "delay") != 0)
        return complain(p, "unknown key", key);
    if (parse_number(p, value, first || every ? 1 : 0, &number))
        return -1;
    if (every) {
        rule->every = (uint64_t)number;
    } else if (!strcmp(key, "at")) {
        rule->at = number;
    } else if (!strcmp(key, "rank")) {
        rule->rank = (int)number;
    } else if (!strcmp(key, "delay")) {
        rule->delay_ms = (long)number;
        return set_action(p, rule, FAULT_DELAY);
    } else if (p->has_first) {
        return complain(p, "nth and from exclude each other; second one is",
                        key);
    } else {
        p->has_first = true;
        rule->first = (uint64_t)number;
        rule->last = key[0] == 'n' ? rule->first : UINT64_MAX;
    }
    return 0;
}

static int check_rule(struct parser *p, struct fault_rule *rule)
{
    bool moves = rule->op == FAULT_READ || rule->op == FAULT_WRITE;

    if (!p->has_op)
        return complain(p, "missing key", "op=");
    if (rule->action == FAULT_NONE)
        return complain(p, "no action for op", op_names[rule->op]);
    if (rule->action == FAULT_FLIP && rule->op != FAULT_READ)
        return complain(p, "flip works on read, not on", op_names[rule->op]);
    if (rule->action == FAULT_DROP && rule->op != FAULT_WRITE &&
        rule->op != FAULT_FSYNC)
        return complain(p, "drop works on write and fsync, not on",
                        op_names[rule->op]);
    if (rule->action == FAULT_BUS && rule->op != FAULT_MMAP)
        return complain(p, "bus works on mmap, not on", op_names[rule->op]);
    if (rule->action == FAULT_SHORT && !moves)
        return complain(p, "short works on read and write, not on",
                        op_names[rule->op]);
    if (rule->at >= 0 && !moves)
        return complain(p, "at works on read and write, not on",
                        op_names[rule->op]);
    if (!p->has_first)
        rule->last = p->once ? 1 : UINT64_MAX;
    if (rule->every > 1 && rule->last == rule->first)
        return complain(p, "every needs more than one call of", "nth=");
    return 0;
}

static int parse_rule(struct parser *p, char *text, struct fault_rule *rule)
{
    char *save = NULL;

    memset(rule, 0, sizeof(*rule));
    rule->rank = -1;
    rule->at = -1;
    rule->first = 1;
    rule->every = 1;
    for (char *item = strtok_r(text, ",", &save); item;
         item = strtok_r(NULL, ",", &save)) {
        char *value = strchr(item, '=');

        if (value)
            *value++ = '\0';
        if (value ? parse_pair(p, item, value, rule)
                  : parse_word(p, item, rule))
            return -1;
    }
    return check_rule(p, rule);
}

int fault_rules_parse(struct fault_rules *rules, const char *spec, int rank,
                      char *message, size_t len)
{
    char copy[4096];
    char *save = NULL;
    struct parser p = {.message = message, .len = len};

    memset(rules, 0, sizeof(*rules));
    if (strlen(spec) >= sizeof(copy))
        return complain(&p, "too long", "PARIO_FAULT");
    memcpy(copy, spec, strlen(spec) + 1);
    for (char *text = strtok_r(copy, ";", &save); text;
         text = strtok_r(NULL, ";", &save)) {
        struct fault_rule *rule = &rules->rule[rules->count];

        if (rules->count == FAULT_MAX_RULES)
            return complain(&p, "too many rules, the first too many is", text);
        p.has_op = p.has_first = p.once = false;
        if (parse_rule(&p, text, rule))
            return -1;
        if (rule->rank >= 0 && rule->rank != rank)
            continue;
        rules->has_op[rule->op] = true;
        rules->has_at[rule->op] |= rule->at >= 0;
        rules->count++;
    }
    return 0;
}

void fault_rules_log_to(int fd, int rank)
{
    log_fd = fd;
    log_rank = rank;
}

static void log_fired(const struct fault_rule *rule, const char *path,
                      uint64_t call)
{
    char line[FAULT_MAX_PATH + 4096];
    const char *error = strerrorname_np(rule->error);

    if (log_fd < 0 || call != rule->first)
        return;
    int n = snprintf(
        line, sizeof(line), "rank %d: %s %s: call %llu: %s\n", log_rank,
        op_names[rule->op], path, (unsigned long long)call,
        rule->action == FAULT_ERROR && error ? error
                                             : action_names[rule->action]);
    if (n > 0 && n < (int)sizeof(line))
        (void)syscall(SYS_write, log_fd, line, (size_t)n);
}

static void fire(const struct fault_rule *rule, struct fault_verdict *verdict)
{
    struct timespec pause = {.tv_sec = rule->delay_ms / 1000,
                             .tv_nsec = rule->delay_ms % 1000 * 1000000};

    switch (rule->action) {
    case FAULT_ERROR:
        verdict->error = rule->error;
        break;
    case FAULT_SHORT:
        verdict->shorten = true;
        break;
    case FAULT_DELAY:
        while (nanosleep(&pause, &pause) && errno == EINTR) {
        }
        break;
    case FAULT_FLIP:
        verdict->flip = true;
        verdict->flip_at = rule->at;
        break;
    case FAULT_DROP:
        verdict->drop = true;
        break;
    case FAULT_BUS:
        verdict->bus = true;
        break;
    case FAULT_KILL:
        kill(getpid(), SIGKILL);
        break;
    case FAULT_STOP:
        kill(getpid(), SIGSTOP);
        break;
    case FAULT_NONE:
        break;
    }
}

struct fault_verdict fault_rules_meet(struct fault_rules *rules,
                                      enum fault_op op, const char *path,
                                      int64_t offset, size_t len)
{
    struct fault_verdict verdict = {.flip_at = -1};
    int saved = errno;

    for (int i = 0; i < rules->count; i++) {
        struct fault_rule *rule = &rules->rule[i];

        if (rule->op != op || (rule->path[0] && !strstr(path, rule->path)))
            continue;
        if (rule->at >= 0 &&
            (offset > rule->at || offset + (int64_t)len <= rule->at))
            continue;
        uint64_t call =
            atomic_fetch_add_explicit(&rule->calls, 1, memory_order_relaxed) +
            1;
        if (call < rule->first || call > rule->last ||
            (call - rule->first) % rule->every != 0)
            continue;
        log_fired(rule, path, call);
        fire(rule, &verdict);
    }
    errno = saved;
    return verdict;
}
