/* strings.c - every text once: paths, datatypes, groups, hints. */
#include "recorder.h"
#include "trace/bytes.h"

#include <pthread.h>
#include <string.h>

#define FIRST_ROOM 64
#define TEXTS ((size_t)256 << 10) /* taken from the system at a time */

struct string {
    char *text;
    uint64_t hash;
    uint32_t number;
    bool written; /* in the file that there is now */
};

/* Texts stay for ever: they are put one after the other. */
static struct {
    struct string *slots;
    size_t room, count;
    uint32_t last;
    char *texts;
    size_t texts_left;
} strings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

static struct string *find(const char *text, uint64_t hash)
{
    size_t at = (size_t)hash & (strings.room - 1);

    while (strings.slots[at].text != NULL &&
           (strings.slots[at].hash != hash ||
            strcmp(strings.slots[at].text, text) != 0))
        at = (at + 1) & (strings.room - 1);
    return &strings.slots[at];
}

static bool grow(void)
{
    struct string *old = strings.slots;
    size_t room = strings.room;
    struct string *slots =
        rec_map((room > 0 ? 2 * room : FIRST_ROOM) * sizeof(*slots));

    if (slots == NULL)
        return false;
    strings.slots = slots;
    strings.room = room > 0 ? 2 * room : FIRST_ROOM;
    for (size_t i = 0; i < room; i++)
        if (old[i].text != NULL)
            *find(old[i].text, old[i].hash) = old[i];
    rec_unmap(old, room * sizeof(*old));
    return true;
}

static char *keep(const char *text)
{
    size_t len = strlen(text) + 1;
    char *kept;

    if (len > strings.texts_left) {
        size_t room = len > TEXTS ? len : TEXTS;

        kept = rec_map(room);
        if (kept == NULL)
            return NULL;
        strings.texts = kept;
        strings.texts_left = room;
    }
    kept = memcpy(strings.texts, text, len);
    strings.texts += len;
    strings.texts_left -= len;
    return kept;
}

static bool write_string(const struct string *string)
{
    size_t len = strlen(string->text);
    size_t room = len + (size_t)2 * PARIO_VARINT_MAX;
    uint8_t small[1024], *bytes = small;
    uint8_t *at;
    bool done;

    if (room > sizeof(small) && (bytes = rec_map(room)) == NULL)
        return false;
    at = pario_put_uint(bytes, string->number);
    at = pario_put_uint(at, len);
    memcpy(at, string->text, len);
    done = rec_put_strings(bytes, (size_t)(at - bytes) + len);
    if (bytes != small)
        rec_unmap(bytes, room);
    return done;
}

int64_t rec_string(const char *text)
{
    struct string *string;
    uint64_t hash;
    int saved = errno;
    int64_t number = 0;

    if (text == NULL || text[0] == '\0')
        return 0;
    hash = hash_text(text);
    rec_enter();
    pthread_mutex_lock(&lock);
    if (2 * strings.count < strings.room || grow()) {
        string = find(text, hash);
        if (string->text == NULL && (string->text = keep(text)) != NULL) {
            string->hash = hash;
            string->number = ++strings.last;
            strings.count++;
        }
        if (string->text != NULL) {
            number = string->number;
            if (!string->written)
                string->written = write_string(string);
        }
    }
    pthread_mutex_unlock(&lock);
    rec_leave();
    errno = saved;
    return number;
}

int64_t rec_string_again(int64_t number)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < strings.room; i++)
        if (strings.slots[i].text != NULL &&
            strings.slots[i].number == number && !strings.slots[i].written)
            strings.slots[i].written = write_string(&strings.slots[i]);
    pthread_mutex_unlock(&lock);
    return number;
}

void rec_strings_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    for (size_t i = 0; i < strings.room; i++)
        strings.slots[i].written = false;
}
