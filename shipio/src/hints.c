/* hints.c - reads MPI info keys and SHIPIO_* variables through one table. */
#include "hints.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "stats.h"

#define STRIPE_MIN 4096
#define STRIPE_MAX ((int64_t)1 << 30)
/* Blocks or stripes of a file system that are worth following. */
#define FS_STRIPE_MIN ((int64_t)64 * 1024)
#define FS_STRIPE_MAX ((int64_t)16 * 1024 * 1024)

static bool parse_flag(const char *text, bool *flag_p)
{
    static const char *const yes[] = {"true", "1", "yes", "on", "enable"};
    static const char *const no[] = {"false", "0", "no", "off", "disable"};

    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        if (strcasecmp(text, yes[i]) == 0) {
            *flag_p = true;
            return true;
        }
        if (strcasecmp(text, no[i]) == 0) {
            *flag_p = false;
            return true;
        }
    }
    return false;
}

static bool parse_count(const char *text, int *count_p)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < 0 ||
        value > 1000000)
        return false;
    *count_p = (int)value;
    return true;
}

/* Shift for a unit letter, -1 for none. */
static int unit_shift(char letter)
{
    switch (tolower((unsigned char)letter)) {
    case 'k':
        return 10;
    case 'm':
        return 20;
    case 'g':
        return 30;
    default:
        return -1;
    }
}

int64_t shipio_parse_size(const char *text, int64_t block)
{
    char *end;
    long long value;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || value < 0 || value > STRIPE_MAX)
        return -1;
    while (*end == ' ')
        end++;
    if (*end == '\0')
        return value < 1024 ? value * block : value;
    if (strcasecmp(end, "b") == 0 || strcasecmp(end, "blocks") == 0)
        return value * block;
    if (unit_shift(*end) > 0) {
        int shift = unit_shift(*end++);

        if (*end == '\0' || strcasecmp(end, "b") == 0 ||
            strcasecmp(end, "ib") == 0)
            return value << shift;
    }
    return -1;
}

static void take_stripe(struct shipio_hints *hints, const char *text,
                        int64_t block)
{
    int64_t stripe = shipio_parse_size(text, block);

    if (stripe < STRIPE_MIN || stripe > STRIPE_MAX)
        return;
    hints->stripe = (stripe + STRIPE_MIN - 1) / STRIPE_MIN * STRIPE_MIN;
}

/* IBM_largeblock_io: true means no shipping. */
static void take_largeblock(struct shipio_hints *hints, const char *text)
{
    bool large;

    if (strcasecmp(text, "switchable") == 0)
        hints->switchable = true;
    else if (strcasecmp(text, "auto") == 0)
        hints->mode = SHIPIO_AUTO;
    else if (parse_flag(text, &large))
        hints->mode = large ? SHIPIO_DIRECT : SHIPIO_SHIP;
}

static void take_mode(struct shipio_hints *hints, const char *text)
{
    static const char *const names[] = {"auto", "ship", "direct"};

    for (int i = 0; i < 3; i++)
        if (strcasecmp(text, names[i]) == 0)
            hints->mode = (enum shipio_mode)i;
}

static void take_agreement(struct shipio_hints *hints, const char *text)
{
    static const char *const names[] = {"auto", "strict", "deferred"};

    for (int i = 0; i < 3; i++)
        if (strcasecmp(text, names[i]) == 0)
            hints->agreement = (enum shipio_agreement)i;
}

static void take_storage(struct shipio_hints *hints, const char *text)
{
    static const char *const names[] = {"auto", "local", "remote"};

    for (int i = 0; i < 3; i++)
        if (strcasecmp(text, names[i]) == 0)
            hints->remote = (enum shipio_choice)i;
}

/* One item of a list: a host and its count. */
struct config_item {
    char host[SHIPIO_CONFIG_LEN];
    int count;
};

/* Takes the item at text; returns where the next one starts, NULL when it is
 * not an item. */
static const char *parse_item(const char *text, struct config_item *item)
{
    size_t len = strcspn(text, ",");
    char copy[SHIPIO_CONFIG_LEN];
    char *colon;

    if (len == 0 || len >= sizeof(copy))
        return NULL;
    memcpy(copy, text, len);
    copy[len] = '\0';
    item->count = 1;
    colon = strchr(copy, ':');
    if (colon != NULL) {
        *colon = '\0';
        if (strcmp(colon + 1, "*") == 0)
            item->count = INT_MAX;
        else if (!parse_count(colon + 1, &item->count))
            return NULL;
    }
    if (copy[0] == '\0')
        return NULL;
    memcpy(item->host, copy, sizeof(copy));
    return text[len] == ',' ? text + len + 1 : text + len;
}

/* "node7" names node7.cluster.org, too. */
static bool is_host(const char *name, const char *host)
{
    size_t len = strlen(name);

    return strncasecmp(name, host, len) == 0 &&
           (host[len] == '\0' || host[len] == '.');
}

int shipio_config_limit(const char *list, const char *host)
{
    struct config_item item;
    int others = 0;

    if (list[0] == '\0')
        return -1;
    while (list != NULL && *list != '\0') {
        list = parse_item(list, &item);
        if (list == NULL)
            break;
        if (strcmp(item.host, "*") == 0)
            others = item.count;
        else if (is_host(item.host, host))
            return item.count;
    }
    return others;
}

static void take_config_list(struct shipio_hints *hints, const char *text)
{
    struct config_item item;
    const char *rest = text;

    if (strlen(text) >= sizeof(hints->config))
        return;
    while (rest != NULL && *rest != '\0')
        rest = parse_item(rest, &item);
    if (rest != NULL)
        memcpy(hints->config, text, strlen(text) + 1);
}

static void take_leaders(struct shipio_hints *hints, const char *text)
{
    int count;

    if (parse_count(text, &count) && count > 0)
        hints->leaders =
            count < SHIPIO_LEADERS_MAX ? count : SHIPIO_LEADERS_MAX;
}

static void take_choice(enum shipio_choice *choice_p, const char *text)
{
    bool flag;

    if (parse_flag(text, &flag))
        *choice_p = flag ? SHIPIO_YES : SHIPIO_NO;
}

bool shipio_hints_noncollective(const struct shipio_hints *hints)
{
    if (hints->mode == SHIPIO_DIRECT || hints->noncollective == SHIPIO_NO)
        return false;
    return hints->noncollective == SHIPIO_YES || hints->mode == SHIPIO_SHIP;
}

int64_t shipio_hints_stripe(const struct shipio_hints *hints)
{
    return hints->stripe > 0 ? hints->stripe : hints->default_stripe;
}

int64_t shipio_stripe_for(int64_t fs, int64_t least)
{
    if (fs < FS_STRIPE_MIN || fs > FS_STRIPE_MAX || fs % STRIPE_MIN != 0)
        return least;
    return (least + fs - 1) / fs * fs;
}

enum key {
    KEY_LARGEBLOCK,
    KEY_MODE,
    KEY_STRIPE,
    KEY_AGENTS,
    KEY_CONFIG_LIST,
    KEY_SPARSE,
    KEY_DOUBLE_BUFFER,
    KEY_MAX_ACC,
    KEY_NONCOLLECTIVE,
    KEY_AGREE,
    KEY_MAP,
    KEY_LOCK,
    KEY_STORAGE,
    KEY_SIEVE,
    KEY_WRITE_BEHIND,
    KEY_LEADERS,
    KEY_GROUP_LOCK
};

static const struct {
    enum key key;
    bool switching; /* may change after open only when switchable */
    const char *info;
    const char *variable;
} keys[] = {
    {KEY_STRIPE, true, "IBM_io_buffer_size", "SHIPIO_STRIPE"},
    {KEY_AGENTS, false, "cb_nodes", "SHIPIO_AGENTS"},
    {KEY_CONFIG_LIST, false, "cb_config_list", NULL},
    {KEY_MODE, true, "shipio_mode", "SHIPIO_MODE"},
    {KEY_LARGEBLOCK, true, "IBM_largeblock_io", NULL},
    {KEY_SPARSE, false, "IBM_sparse_access", "SHIPIO_SPARSE"},
    {KEY_DOUBLE_BUFFER, false, "shipio_double_buffer", "SHIPIO_DOUBLE_BUFFER"},
    {KEY_MAX_ACC, false, "shipio_max_acc", "SHIPIO_MAX_ACC"},
    {KEY_NONCOLLECTIVE, false, "shipio_noncollective", "SHIPIO_NONCOLLECTIVE"},
    {KEY_AGREE, false, "shipio_agree", "SHIPIO_AGREE"},
    {KEY_MAP, false, "shipio_map", "SHIPIO_MAP"},
    {KEY_LOCK, false, "shipio_lock", "SHIPIO_LOCK"},
    {KEY_STORAGE, false, "shipio_storage", "SHIPIO_STORAGE"},
    {KEY_SIEVE, false, "shipio_sieve", "SHIPIO_SIEVE"},
    {KEY_WRITE_BEHIND, false, "shipio_write_behind", "SHIPIO_WRITE_BEHIND"},
    {KEY_LEADERS, false, "shipio_leaders", "SHIPIO_LEADERS"},
    {KEY_GROUP_LOCK, false, "shipio_group_lock", "SHIPIO_GROUP_LOCK"},
};

#define NKEYS (sizeof(keys) / sizeof(keys[0]))

static void take(struct shipio_hints *hints, enum key key, const char *text,
                 int64_t block)
{
    switch (key) {
    case KEY_LARGEBLOCK:
        take_largeblock(hints, text);
        break;
    case KEY_MODE:
        take_mode(hints, text);
        break;
    case KEY_STRIPE:
        take_stripe(hints, text, block);
        break;
    case KEY_AGENTS:
        (void)parse_count(text, &hints->agents);
        break;
    case KEY_CONFIG_LIST:
        take_config_list(hints, text);
        break;
    case KEY_SPARSE:
        (void)parse_flag(text, &hints->sparse);
        break;
    case KEY_DOUBLE_BUFFER:
        (void)parse_flag(text, &hints->double_buffer);
        break;
    case KEY_MAX_ACC:
        (void)parse_count(text, &hints->max_acc);
        break;
    case KEY_NONCOLLECTIVE:
        take_choice(&hints->noncollective, text);
        break;
    case KEY_AGREE:
        take_agreement(hints, text);
        break;
    case KEY_MAP:
        (void)parse_flag(text, &hints->map);
        break;
    case KEY_LOCK:
        take_choice(&hints->lock, text);
        break;
    case KEY_STORAGE:
        take_storage(hints, text);
        break;
    case KEY_SIEVE:
        take_choice(&hints->sieve, text);
        break;
    case KEY_WRITE_BEHIND:
        (void)parse_flag(text, &hints->write_behind);
        break;
    case KEY_LEADERS:
        take_leaders(hints, text);
        break;
    case KEY_GROUP_LOCK:
        (void)parse_count(text, &hints->group_lock);
        break;
    }
}

void shipio_hints_init(struct shipio_hints *hints, int64_t block)
{
    memset(hints, 0, sizeof(*hints));
    hints->double_buffer = true;
    hints->map = true;
    hints->leaders = SHIPIO_LEADERS;
    hints->default_stripe = (int64_t)256 * 1024;
    hints->stats = shipio_stats_wanted();
    for (size_t i = 0; i < NKEYS; i++) {
        const char *text =
            keys[i].variable != NULL ? getenv(keys[i].variable) : NULL;

        if (text != NULL)
            take(hints, keys[i].key, text, block);
    }
}

void shipio_hints_update(struct shipio_hints *hints, MPI_Info info,
                         int64_t block, bool at_open)
{
    char text[MPI_MAX_INFO_VAL + 1];

    if (info == MPI_INFO_NULL)
        return;
    for (size_t i = 0; i < NKEYS; i++) {
        int found = 0;

        if (!at_open && (!hints->switchable || !keys[i].switching))
            continue;
        if (PMPI_Info_get(info, keys[i].info, MPI_MAX_INFO_VAL, text, &found) ==
                MPI_SUCCESS &&
            found)
            take(hints, keys[i].key, text, block);
    }
}

static void set(MPI_Info info, const char *key, const char *value)
{
    PMPI_Info_set(info, key, value);
}

static void set_number(MPI_Info info, const char *key, int64_t value)
{
    char text[32];

    snprintf(text, sizeof(text), "%lld", (long long)value);
    set(info, key, text);
}

void shipio_hints_report(const struct shipio_hints *hints, bool agents,
                         MPI_Info info)
{
    static const char *const modes[] = {"auto", "ship", "direct"};
    static const char *const large[] = {"auto", "false", "true"};
    static const char *const agree[] = {"auto", "strict", "deferred"};

    set(info, "shipio_mode", modes[hints->mode]);
    set(info, "IBM_largeblock_io",
        hints->switchable ? "switchable" : large[hints->mode]);
    set(info, "IBM_sparse_access", hints->sparse ? "true" : "false");
    set_number(info, "IBM_io_buffer_size", shipio_hints_stripe(hints));
    set_number(info, "cb_nodes", hints->agents);
    set(info, "shipio_double_buffer", hints->double_buffer ? "true" : "false");
    set(info, "shipio_map", hints->map ? "true" : "false");
    set(info, "shipio_lock", hints->lock == SHIPIO_YES ? "true" : "false");
    set(info, "shipio_storage",
        hints->remote == SHIPIO_YES ? "remote" : "local");
    set(info, "shipio_sieve", hints->sieve == SHIPIO_YES ? "true" : "false");
    set(info, "shipio_write_behind", hints->write_behind ? "true" : "false");
    set(info, "shipio_noncollective",
        agents && shipio_hints_noncollective(hints) ? "true" : "false");
    set(info, "shipio_agree", agree[hints->agreement]);
    set_number(info, "shipio_max_acc", hints->max_acc);
    set_number(info, "shipio_leaders", hints->leaders);
    set_number(info, "shipio_group_lock", hints->group_lock);
}
