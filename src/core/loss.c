/* core/loss.c - notes between janitors, in the run's directory. */
#include "core/loss.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NOTE_PREFIX ".killed-"
#define NOTE_LEN 32
#define WAIT_TRIES 20  /* x 100 ms: rank 0's janitor looks for notes */
#define LINGER_MS 3000 /* and this long a note stays */

static const struct pario_loss_hooks *hooks;

void pario_loss_hooks_set(const struct pario_loss_hooks *given)
{
    hooks = given;
}

static void pause_ms(long ms)
{
    struct timespec pause = {.tv_sec = ms / 1000,
                             .tv_nsec = ms % 1000 * 1000000L};

    nanosleep(&pause, NULL);
}

static void name_note(int rank, char name[NOTE_LEN])
{
    snprintf(name, NOTE_LEN, NOTE_PREFIX "%d", rank);
}

static void leave_note(int tree, int rank, const char *text)
{
    char name[NOTE_LEN];
    int fd;

    name_note(rank, name);
    fd = openat(tree, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    (void)!write(fd, text, strlen(text));
    close(fd);
}

/* Others may be able to write there: a note is a file of whoever made the
 * directory, and no pipe is waited for. Its bytes; 0 or less: none. */
static ssize_t read_note(int tree, const char *name,
                         char text[PARIO_REASON_LEN])
{
    int fd = openat(tree, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat note, folder;
    ssize_t n = -1;

    if (fd < 0)
        return -1;
    if (fstat(fd, &note) == 0 && fstat(tree, &folder) == 0 &&
        S_ISREG(note.st_mode) && note.st_uid == folder.st_uid)
        n = read(fd, text, PARIO_REASON_LEN - 1);
    close(fd);
    return n;
}

/* The first note there is; 0: none. */
static int find_note(int tree, char text[PARIO_REASON_LEN])
{
    int fd = openat(tree, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    ssize_t n = 0;

    while (stream != NULL && n <= 0 && (entry = readdir(stream)) != NULL) {
        if (strncmp(entry->d_name, NOTE_PREFIX, strlen(NOTE_PREFIX)) == 0)
            n = read_note(fd, entry->d_name, text);
    }
    if (n > 0)
        text[n] = '\0';
    if (stream != NULL)
        closedir(stream);
    else if (fd >= 0)
        close(fd);
    return n > 0;
}

static int tree_of(const struct pario_owned *list)
{
    for (; list != NULL; list = list->next)
        if (list->kind != PARIO_OWNED_FILE && list->fd >= 0)
            return list->fd;
    return -1;
}

/* Finds the reason and writes it down where the others see it. */
static void tell(struct pario_loss *loss, int tree)
{
    int killed = loss->reason[0] == '\0';
    char note[PARIO_REASON_LEN];

    /* Some launchers kill the others when one has died: the first counts. */
    if (killed && tree >= 0 && find_note(tree, note)) {
        snprintf(loss->reason, sizeof(loss->reason), "%s", note);
    } else if (killed) {
        snprintf(loss->reason, sizeof(loss->reason),
                 "the process of rank %d was killed", loss->rank);
        if (hooks != NULL && hooks->explain != NULL)
            hooks->explain(loss->reason, sizeof(loss->reason));
        if (tree >= 0)
            leave_note(tree, loss->rank, loss->reason);
    }
    if (loss->document[0] == '\0') {
        if (killed && tree >= 0)
            pause_ms(LINGER_MS);
        return;
    }
    /* What ended this process may be the death of another. */
    for (int i = 0; i < WAIT_TRIES && !killed && tree >= 0; i++) {
        if (find_note(tree, note)) {
            snprintf(loss->reason, sizeof(loss->reason), "%s", note);
            break;
        }
        pause_ms(100);
    }
    if (hooks != NULL && hooks->record != NULL)
        hooks->record(loss->document, loss->begun, loss->reason);
}

void pario_loss_report(struct pario_loss *loss, const struct pario_owned *list)
{
    int tree = tree_of(list);
    char note[NOTE_LEN];

    if (loss->ended || loss->rank < 0)
        return;
    tell(loss, tree);
    /* The directory may be one that stays. */
    name_note(loss->rank, note);
    if (tree >= 0)
        (void)unlinkat(tree, note, 0);
}
