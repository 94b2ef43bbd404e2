/* map.c - file mappings and the SIGBUS guard. */
#include "map.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "file.h"

/* Address space that one file may take. */
#define MAP_MAX ((int64_t)1 << 38)

static _Thread_local sigjmp_buf *guard;
static struct sigaction former;
static bool installed;
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;

static void on_sigbus(int number, siginfo_t *info, void *context)
{
    if (guard != NULL)
        siglongjmp(*guard, 1);
    if ((former.sa_flags & SA_SIGINFO) != 0) {
        former.sa_sigaction(number, info, context);
        return;
    }
    if (former.sa_handler == SIG_IGN)
        return;
    if (former.sa_handler != SIG_DFL) {
        former.sa_handler(number);
        return;
    }
    /* Back to the default: the access repeats and ends the process. */
    sigaction(SIGBUS, &former, NULL);
}

static bool guard_in_place(void)
{
    struct sigaction now;

    if (installed)
        return sigaction(SIGBUS, NULL, &now) == 0 &&
               (now.sa_flags & SA_SIGINFO) != 0 &&
               now.sa_sigaction == on_sigbus;
    pthread_mutex_lock(&install_lock);
    if (!installed) {
        struct sigaction ours;

        memset(&ours, 0, sizeof(ours));
        ours.sa_sigaction = on_sigbus;
        ours.sa_flags = SA_SIGINFO | SA_NODEFER;
        sigemptyset(&ours.sa_mask);
        installed = sigaction(SIGBUS, &ours, &former) == 0;
    }
    pthread_mutex_unlock(&install_lock);
    return installed;
}

bool shipio_map_prepare(struct shipio_file *file, int64_t end)
{
    struct stat st;
    void *mem;

    if (!guard_in_place() || fstat(file->fd, &st) != 0 || st.st_size < end ||
        st.st_size > MAP_MAX)
        return false;
    if (file->map != NULL && file->map_len >= end)
        return true;
    shipio_map_close(file);
    mem = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, file->fd, 0);
    if (mem == MAP_FAILED)
        return false;
    file->map = mem;
    file->map_len = st.st_size;
    return true;
}

bool shipio_map_guarded(void (*copy)(void *), void *argument)
{
    sigjmp_buf here;

    if (sigsetjmp(here, 0) != 0) {
        guard = NULL;
        return false;
    }
    guard = &here;
    copy(argument);
    guard = NULL;
    return true;
}

void shipio_map_close(struct shipio_file *file)
{
    if (file->map != NULL)
        munmap(file->map, (size_t)file->map_len);
    file->map = NULL;
    file->map_len = 0;
}
