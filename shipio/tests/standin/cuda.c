/* cuda.c - stands in for CUDA's library: one piece of memory that only a GPU
 * has, and what is asked about it. Whoever touches it otherwise crashes.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* As cuda.h has them. */
enum { MEMORY_TYPE = 2, IS_MANAGED = 8 };
enum { DEVICE = 2 };
enum { SUCCESS = 0, INVALID_VALUE = 1 };

int cuPointerGetAttribute(void *value, int attribute, unsigned long long where);
void *standin_memory(size_t len);
int standin_reach(int reachable);
int standin_asked(void);

static char *memory = MAP_FAILED;
static size_t memory_len;
static int asked;

int cuPointerGetAttribute(void *value, int attribute, unsigned long long where)
{
    uintptr_t first = (uintptr_t)memory;

    asked++;
    if (memory == MAP_FAILED || where < first || where >= first + memory_len)
        return INVALID_VALUE;
    if (attribute == MEMORY_TYPE)
        *(unsigned *)value = DEVICE;
    else if (attribute == IS_MANAGED)
        *(unsigned *)value = 0;
    else
        return INVALID_VALUE;
    return SUCCESS;
}

/* Out of reach at first. */
void *standin_memory(size_t len)
{
    memory = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory_len = len;
    return memory != MAP_FAILED ? memory : NULL;
}

/* As the GPU itself, or an MPI library that knows it, would reach it. */
int standin_reach(int reachable)
{
    return mprotect(memory, memory_len,
                    reachable ? PROT_READ | PROT_WRITE : PROT_NONE);
}

int standin_asked(void)
{
    return asked;
}
