/* strings.c - every text once: paths, datatypes, groups, hints. */
#include "recorder.h"
#include "trace/bytes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct string {
    char *text;
    uint64_t hash;
    uint32_t number;
    bool written; /* in the file that there is now */
};

static struct {
    struct string *slots;
    size_t room, count;
    uint32_t last;
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
    struct string *slots = calloc(room > 0 ? 2 * room : 64, sizeof(*slots));

    if (slots == NULL)
        return false;
    strings.slots = slots;
    strings.room = room > 0 ? 2 * room : 64;
    for (size_t i = 0; i < room; i++)
        if (old[i].text != NULL)
            *find(old[i].text, old[i].hash) = old[i];
    free(old);
    return true;
}

static bool write_string(const struct string *string)
{
    size_t len = strlen(string->text);
    uint8_t *bytes = malloc(len + (size_t)2 * PARIO_VARINT_MAX);
    uint8_t *at;
    bool done;

    if (bytes == NULL)
        return false;
    at = pario_put_uint(bytes, string->number);
    at = pario_put_uint(at, len);
    memcpy(at, string->text, len);
    done = rec_put_strings(bytes, (size_t)(at - bytes) + len);
    free(bytes);
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
    pthread_mutex_lock(&lock);
    if (2 * strings.count < strings.room || grow()) {
        string = find(text, hash);
        if (string->text == NULL && (string->text = strdup(text)) != NULL) {
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
