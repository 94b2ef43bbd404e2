/* tests/unit/alloc_fail.c - wrappers around the allocator. */
#include "alloc_fail.h"

#include <stddef.h>

void *__real_malloc(size_t len);
void *__real_calloc(size_t count, size_t len);
void *__real_realloc(void *old, size_t len);
char *__real_strdup(const char *text);
void __real_free(void *memory);

void *__wrap_malloc(size_t len);
void *__wrap_calloc(size_t count, size_t len);
void *__wrap_realloc(void *old, size_t len);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);

static long until_failure;
static int failed;
static long live;

void alloc_fail_at(long n)
{
    until_failure = n;
    failed = 0;
}

int alloc_failed(void)
{
    until_failure = 0;
    return failed;
}

long alloc_live(void)
{
    return live;
}

static int fails_now(void)
{
    if (until_failure == 0 || --until_failure > 0)
        return 0;
    failed = 1;
    return 1;
}

void *__wrap_malloc(size_t len)
{
    void *memory = fails_now() ? NULL : __real_malloc(len);

    live += memory != NULL;
    return memory;
}

void *__wrap_calloc(size_t count, size_t len)
{
    void *memory = fails_now() ? NULL : __real_calloc(count, len);

    live += memory != NULL;
    return memory;
}

void *__wrap_realloc(void *old, size_t len)
{
    int fresh = old == NULL;
    void *memory = fails_now() ? NULL : __real_realloc(old, len);

    live += fresh && memory != NULL;
    return memory;
}

char *__wrap_strdup(const char *text)
{
    char *copy = fails_now() ? NULL : __real_strdup(text);

    live += copy != NULL;
    return copy;
}

void __wrap_free(void *memory)
{
    live -= memory != NULL;
    __real_free(memory);
}
