/* core/cleanup.c - the janitor process and its client side.
 *
 * A message to the janitor is one datagram: a letter (enum pario_owned_kind,
 * or '-': forget), what tells the thing apart, its path, and its descriptors.
 * The socket closes when this process is gone, whatever ended it.
 */
#include "core/cleanup.h"

#include "core/loss.h"
#include "core/owned.h"
#include "core/progress.h"
#include "core/recorder.h"
#include "core/storage.h"
#include "core/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FORGET '-'
#define ENDED 'e'
#define RANK 'r'
#define DOCUMENT 'd'
#define BEGUN 'b'
#define REASON 'w'
#define MAX_DESCRIPTORS 2
#define MAKE_TRIES 100   /* names that are taken already */
#define JANITOR_MS 30000 /* for all that it has to remove */
#define SEND_MS 50       /* until it may have room for a message */

static int janitor_fd = -1;
static pid_t janitor_pid = -1;
static volatile sig_atomic_t interrupted;

/* What this process has registered; the janitor has a list of its own. */
static struct pario_owned *registry;
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;

struct message {
    char kind;
    char known;
    struct pario_identity identity;
    char path[PATH_MAX];
};

union control { /* aligned as a header must be */
    char bytes[CMSG_SPACE(sizeof(int) * MAX_DESCRIPTORS)];
    struct cmsghdr header;
};

/* The link that points to the entry of that path, or to the end. */
static struct pario_owned **find(struct pario_owned **list, const char *path)
{
    while (*list != NULL && strcmp((*list)->path, path) != 0)
        list = &(*list)->next;
    return list;
}

static void take_out(struct pario_owned **list, const char *path)
{
    struct pario_owned **link = find(list, path), *owned = *link;

    if (owned == NULL)
        return;
    *link = owned->next;
    pario_owned_drop(owned);
}

/* The last created is removed first. */
static void put_in(struct pario_owned **list, struct pario_owned *owned)
{
    take_out(list, owned->path);
    owned->next = *list;
    *list = owned;
}

/* Errors of the moment: the other end is still there. */
static int will_pass(int error)
{
    return error == EINTR || error == EAGAIN || error == ENOMEM ||
           error == ENOBUFS;
}

/* Receives one message with its descriptors; 0 at the end, that is when the
 * other side is gone and for no other reason: what is registered is removed
 * then. */
static int receive(int fd, struct message *message, int got[MAX_DESCRIPTORS])
{
    union control control;
    struct iovec part = {.iov_base = message, .iov_len = sizeof(*message)};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    struct timespec pause = {.tv_nsec = 10000000};
    ssize_t n;

    memset(message, 0, sizeof(*message));
    got[0] = got[1] = -1;
    for (;;) {
        header.msg_control = control.bytes;
        header.msg_controllen = sizeof(control.bytes);
        n = recvmsg(fd, &header, MSG_CMSG_CLOEXEC);
        if (n >= 0 || !will_pass(errno))
            break;
        if (errno != EINTR)
            nanosleep(&pause, NULL);
    }
    if (n <= (ssize_t)offsetof(struct message, path))
        return 0;
    message->path[sizeof(message->path) - 1] = '\0';
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&header); c != NULL;
         c = CMSG_NXTHDR(&header, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
            memcpy(got, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
    return 1;
}

/* What is said about the process itself; 0: something else. */
static int note_loss(struct pario_loss *loss, const struct message *message)
{
    switch (message->kind) {
    case ENDED:
        loss->ended = 1;
        return 1;
    case RANK:
        loss->rank = (int)strtol(message->path, NULL, 10);
        return 1;
    case DOCUMENT:
        memcpy(loss->document, message->path, sizeof(loss->document));
        return 1;
    case BEGUN:
        snprintf(loss->begun, sizeof(loss->begun), "%.*s", PARIO_BEGUN_LEN - 1,
                 message->path);
        return 1;
    case REASON:
        snprintf(loss->reason, sizeof(loss->reason), "%.*s",
                 PARIO_REASON_LEN - 1, message->path);
        return 1;
    default:
        return 0;
    }
}

static void janitor_note(struct pario_owned **list, struct pario_loss *loss,
                         const struct message *message,
                         const int got[MAX_DESCRIPTORS])
{
    struct pario_owned *owned;

    if (note_loss(loss, message))
        return;
    if (message->kind == FORGET) {
        take_out(list, message->path);
        return;
    }
    owned = calloc(1, sizeof(*owned));
    if (owned == NULL)
        return;
    *owned = (struct pario_owned){.kind = message->kind,
                                  .known = message->known,
                                  .identity = message->identity,
                                  .parent = got[0],
                                  .fd = got[1],
                                  .path = strdup(message->path)};
    /* A tree without its descriptor is nothing that may be removed. */
    if (owned->path == NULL || owned->parent < 0 ||
        (owned->kind != PARIO_OWNED_FILE && owned->fd < 0))
        pario_owned_drop(owned);
    else
        put_in(list, owned);
}

/* A process that was killed says nothing: rank 0's janitor speaks for the job,
 * at once, for what it looks at next may be storage that does not answer. */
static void say_killed(const struct pario_loss *loss, int err)
{
    char text[PATH_MAX + 128];

    if (loss->ended || loss->rank != 0 || loss->reason[0] != '\0')
        return;
    snprintf(text, sizeof(text),
             "pario: a process of the run was killed; what was measured and "
             "the reason are in %s\n",
             loss->document);
    pario_text_tame(text);
    (void)!write(err, text, strlen(text));
}

/* Runs in the child until the socket closes; never returns. Its own streams
 * go to /dev/null, for a launcher waits until its pipes are closed; only rank
 * 0's keeps the standard error, until its process is gone. */
static void janitor_main(int fd)
{
    static struct pario_loss loss = {.rank = -1};
    static struct pario_owned *list;
    struct message message;
    int got[MAX_DESCRIPTORS], null = open("/dev/null", O_RDWR);
    int err = dup(STDERR_FILENO);

    pario_recorder_pause(1);
    /* One that was stopped goes on when its process is gone, however that was
     * ended: it may hold what a launcher waits for. */
    prctl(PR_SET_PDEATHSIG, SIGCONT);
    setsid();
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < 3 && null >= 0; i++)
        dup2(null, i);
    for (int i = 3; i < 1024; i++)
        if (i != fd && i != err)
            close(i);
    pario_close_from(1024);
    while (receive(fd, &message, got)) {
        janitor_note(&list, &loss, &message, got);
        if (message.kind == RANK && loss.rank != 0)
            dup2(STDERR_FILENO, err); /* the number stays its own */
    }
    say_killed(&loss, err);
    dup2(STDERR_FILENO, err);
    pario_loss_report(&loss, list);
    if (!loss.ended)
        pario_leftovers_remove();
    for (; list != NULL; list = list->next)
        if (list->kind != PARIO_OWNED_KEPT)
            (void)!pario_owned_remove(list);
    _exit(0);
}

static const char *volatile last_words;
static atomic_int *speaks;
static int on_terminal; /* maybe through the launcher */

void pario_cleanup_speaks_at(atomic_int *flag)
{
    speaks = flag;
}

/* Two places: the handler never sees one that is being written. */
void pario_cleanup_last_words(const char *text)
{
    static char place[2][4608];
    static int turn;

    turn = !turn;
    snprintf(place[turn], sizeof(place[turn]), "%s", text);
    pario_text_tame(place[turn]);
    last_words = text[0] != '\0' ? place[turn] : NULL;
    if (speaks != NULL)
        atomic_store(speaks, text[0] != '\0');
}

/* In one piece, and in place of a line of progress: others write to the same
 * terminal. */
static void say_last_words(const char *why)
{
    const char *words = last_words;
    const char *part[] = {on_terminal ? "\r\033[K" : "", why, words};
    char text[5000];
    size_t used = 0;

    if (words == NULL)
        return;
    for (int i = 0; i < 3; i++)
        for (const char *c = part[i]; *c != '\0' && used < sizeof(text); c++)
            text[used++] = *c;
    (void)!write(STDERR_FILENO, text, used);
}

/* Other launchers send SIGTERM, too, when they are interrupted and when they
 * lose a process; then its janitor's note comes into the document after these
 * words. */
static void say_signal(int signo, const siginfo_t *info)
{
    int lost = signo == SIGTERM && info->si_code == SI_QUEUE &&
               info->si_value.sival_int == PARIO_CLEANUP_LOST;

    if (lost)
        say_last_words("pario: a process of the run was killed;\n");
    else if (signo == SIGTERM)
        say_last_words("pario: interrupted, or a process of the run was lost "
                       "(SIGTERM);\n");
    else
        say_last_words("pario: interrupted;\n");
    pario_cleanup_reason(signo == SIGINT
                             ? "the run was interrupted (SIGINT)"
                             : "the run was ended by SIGTERM: the job was "
                               "cancelled, or a process of it was lost");
}

/* A second signal, while the first is at work, has nothing to add. */
static void on_signal(int signo, siginfo_t *info, void *context)
{
    int again = interrupted;

    (void)context;
    interrupted = 1;
    if (!again)
        say_signal(signo, info);
    pario_cleanup_finish();
    _exit(130);
}

/* The call that raised it returns an error. Not SIG_IGN, which programs that
 * are started would inherit. */
static void on_error(int signo)
{
    (void)signo;
}

int pario_cleanup_start(void)
{
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags = SA_SIGINFO};
    int ends[2];

    if (janitor_pid > 0)
        return 0;
    on_terminal =
        isatty(STDERR_FILENO) || getenv(PARIO_TERMINAL_VARIABLE) != NULL;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return pario_fail_errno(-errno, "cannot make a pair of sockets");
    janitor_pid = fork();
    if (janitor_pid < 0) {
        int code = pario_fail_errno(-errno, "cannot start the janitor process");

        close(ends[0]);
        close(ends[1]);
        return code;
    }
    if (janitor_pid == 0) {
        close(ends[1]);
        janitor_main(ends[0]);
    }
    close(ends[0]);
    janitor_fd = ends[1];
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, on_error);
    /* A file limit is an error to report (EFBIG), not a reason to die. */
    signal(SIGXFSZ, on_error);
    return 0;
}

static int make_absolute(const char *path, char absolute[PATH_MAX])
{
    char cwd[PATH_MAX];
    int n;

    if (path[0] == '/')
        n = snprintf(absolute, PATH_MAX, "%s", path);
    else if (getcwd(cwd, sizeof(cwd)) == NULL)
        return pario_fail_errno(-errno, "cannot find the current directory");
    else
        n = snprintf(absolute, PATH_MAX, "%s/%s", cwd, path);
    if (n >= PATH_MAX)
        return pario_fail_errno(-ENAMETOOLONG, "path %s", path);
    while (n > 1 && absolute[n - 1] == '/')
        absolute[--n] = '\0';
    return 0;
}

/* Also in handlers of signals: a janitor that was stopped, and does not take
 * what is sent, goes on. As sendmsg(2). */
static ssize_t send_to_janitor(const struct msghdr *header)
{
    struct pollfd room = {.fd = janitor_fd, .events = POLLOUT};
    ssize_t n = -1;

    for (int ms = 0; ms < JANITOR_MS; ms += SEND_MS) {
        n = sendmsg(janitor_fd, header, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
        if (errno == EAGAIN) {
            kill(janitor_pid, SIGCONT);
            poll(&room, 1, SEND_MS);
            errno = EAGAIN;
        }
    }
    return n;
}

/* One message with up to two descriptors. */
static int report(char kind, const struct pario_owned *owned, const char *path)
{
    union control control = {.bytes = {0}};
    struct message message = {.kind = kind};
    struct iovec part = {.iov_base = &message};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};

    if (janitor_fd < 0)
        return 0;
    snprintf(message.path, sizeof(message.path), "%s", path);
    part.iov_len = offsetof(struct message, path) + strlen(message.path) + 1;
    if (owned != NULL) {
        size_t len = sizeof(int) * (owned->fd >= 0 ? 2 : 1);
        int fds[MAX_DESCRIPTORS] = {owned->parent, owned->fd};

        message.known = (char)owned->known;
        message.identity = owned->identity;
        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(len);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(len);
        memcpy(CMSG_DATA(&control.header), fds, len);
    }
    if (send_to_janitor(&header) < 0)
        return pario_fail_errno(-errno, "cannot report %s to the janitor",
                                path);
    return 0;
}

/* Reports it to the janitor and takes it into the registry, which frees it. */
static int enter(struct pario_owned *owned)
{
    int code = report(owned->kind, owned, owned->path);

    if (code != 0)
        return code;
    pthread_mutex_lock(&registry_lock);
    put_in(&registry, owned);
    pthread_mutex_unlock(&registry_lock);
    return 0;
}

static int add(enum pario_owned_kind kind, const char *path)
{
    struct pario_owned *owned = NULL;
    char absolute[PATH_MAX];
    int code = make_absolute(path, absolute);

    if (code != 0)
        return code;
    code = pario_owned_note(kind, absolute, &owned);
    if (code != 0)
        return pario_fail_errno(
            code, "cannot take %s for the run's own%s", path,
            code == -ELOOP ? ", it is a symbolic link" : "");
    code = enter(owned);
    if (code != 0)
        pario_owned_drop(owned);
    return code;
}

int pario_cleanup_add_file(const char *path)
{
    return add(PARIO_OWNED_FILE, path);
}

int pario_cleanup_add_tree(const char *path)
{
    return add(PARIO_OWNED_TREE, path);
}

int pario_cleanup_hold_tree(const char *path)
{
    return add(PARIO_OWNED_KEPT, path);
}

/* -EEXIST without a message: another name may be free. */
static int make(enum pario_owned_kind kind, const char *path)
{
    struct pario_owned *owned = NULL;
    char absolute[PATH_MAX];
    int code = make_absolute(path, absolute);

    if (code != 0)
        return code;
    code = pario_owned_make(kind, absolute, &owned);
    if (code == -EEXIST)
        return code;
    if (code == -ESTALE)
        return pario_fail(code,
                          "cannot use %s: something has taken the place of the "
                          "directory that was made there",
                          path);
    if (code != 0)
        return pario_fail_errno(code, "cannot make the directory %s", path);
    code = enter(owned);
    if (code != 0) { /* the janitor does not know of it */
        (void)!pario_owned_remove(owned);
        pario_owned_drop(owned);
    }
    return code;
}

int pario_cleanup_make_tree(const char *parent, const char *prefix, int keep,
                            char *path, size_t len)
{
    int code = -EEXIST;
    char letters[7];

    for (int i = 0; i < MAKE_TRIES && code == -EEXIST; i++) {
        pario_random_letters(letters);
        if ((size_t)snprintf(path, len, "%s/%s-%s", parent, prefix, letters) >=
            len)
            return pario_fail_errno(-ENAMETOOLONG,
                                    "cannot make a directory in %s", parent);
        code = make(keep ? PARIO_OWNED_KEPT : PARIO_OWNED_TREE, path);
    }
    return code == -EEXIST
               ? pario_fail_errno(code, "cannot make a directory in %s", parent)
               : code;
}

int pario_cleanup_make_folder(const char *path)
{
    int code = make(PARIO_OWNED_TREE, path);

    return code == -EEXIST ? pario_fail_errno(code, "cannot make %s", path)
                           : code;
}

void pario_cleanup_forget(const char *path)
{
    char absolute[PATH_MAX];

    if (make_absolute(path, absolute) != 0)
        return;
    pthread_mutex_lock(&registry_lock);
    take_out(&registry, absolute);
    pthread_mutex_unlock(&registry_lock);
    (void)report(FORGET, NULL, absolute);
}

int pario_cleanup_remove(const char *path)
{
    struct pario_owned *owned;
    char absolute[PATH_MAX];
    int code = make_absolute(path, absolute);

    if (code != 0)
        return code;
    pthread_mutex_lock(&registry_lock);
    owned = *find(&registry, absolute);
    code = owned != NULL ? pario_owned_remove(owned) : -ESTALE;
    pthread_mutex_unlock(&registry_lock);
    if (code == -ESTALE)
        return pario_fail(code,
                          "cannot remove %s: what has this name now was not "
                          "made by this run, and stays",
                          path);
    if (code != 0)
        return pario_fail_errno(code, "cannot remove %s", path);
    pario_cleanup_forget(path);
    return 0;
}

int pario_cleanup_identity(const char *path, uint64_t id_p[2])
{
    const struct pario_owned *owned;
    char absolute[PATH_MAX];
    int code = make_absolute(path, absolute);

    if (code != 0)
        return code;
    pthread_mutex_lock(&registry_lock);
    owned = *find(&registry, absolute);
    if (owned != NULL) {
        id_p[0] = owned->identity.device;
        id_p[1] = owned->identity.inode;
    }
    pthread_mutex_unlock(&registry_lock);
    return owned != NULL ? 0 : pario_fail(-ENOENT, "%s is not ours", path);
}

/* The descriptor of the held tree that the path lies in, and the rest of the
 * path; -1: none. It stays open until the tree is forgotten. */
static int tree_of(const char *absolute, const char **rest_p)
{
    int fd = -1;

    pthread_mutex_lock(&registry_lock);
    for (const struct pario_owned *o = registry; o != NULL && fd < 0;
         o = o->next) {
        size_t len = strlen(o->path);

        if (o->fd >= 0 && strncmp(absolute, o->path, len) == 0 &&
            absolute[len] == '/') {
            fd = o->fd;
            *rest_p = absolute + len + strspn(absolute + len, "/");
        }
    }
    pthread_mutex_unlock(&registry_lock);
    return fd;
}

/* The same for any path; rest_p points into absolute. */
static int find_tree(const char *path, char absolute[PATH_MAX],
                     const char **rest_p)
{
    return make_absolute(path, absolute) == 0 ? tree_of(absolute, rest_p) : -1;
}

int pario_own_open(const char *path, int flags, mode_t mode)
{
    char absolute[PATH_MAX];
    const char *rest = NULL;
    int tree = find_tree(path, absolute, &rest);

    if (tree >= 0)
        return pario_beneath_open(tree, rest, flags, mode);
    /* What exists there is not the run's. */
    if ((flags & O_TRUNC) != 0 || (flags & (O_CREAT | O_EXCL)) == O_CREAT) {
        errno = EPERM;
        return -1;
    }
    return open(path, flags, mode);
}

int pario_own_unlink(const char *path)
{
    char absolute[PATH_MAX];
    const char *rest = NULL;
    int tree = find_tree(path, absolute, &rest);

    return tree >= 0 ? pario_beneath_unlink(tree, rest) : unlink(path);
}

int pario_own_mkdir(const char *path, mode_t mode)
{
    char absolute[PATH_MAX];
    const char *rest = NULL;
    int tree = find_tree(path, absolute, &rest);

    return tree >= 0 ? pario_beneath_mkdir(tree, rest, mode)
                     : mkdir(path, mode);
}

int pario_own_rename(const char *path, const char *to, unsigned flags)
{
    char absolute[PATH_MAX];
    const char *rest = NULL;
    int tree = find_tree(path, absolute, &rest);

    return tree >= 0 ? pario_beneath_rename(tree, rest, to, flags)
                     : renameat2(AT_FDCWD, path, AT_FDCWD, to, flags);
}

int pario_own_truncate(const char *path, int64_t bytes)
{
    int fd = pario_own_open(path, O_WRONLY | O_CLOEXEC, 0);
    int rc = fd < 0 ? -1 : ftruncate(fd, bytes), error = errno;

    if (fd >= 0)
        close(fd);
    errno = error;
    return rc;
}

/* Outside of the trees: a file that was registered when it was made. */
static int is_known(const char *absolute, struct pario_identity *identity_p)
{
    const struct pario_owned *owned;
    int known;

    pthread_mutex_lock(&registry_lock);
    owned = *find(&registry, absolute);
    known = owned != NULL && owned->known;
    if (known)
        *identity_p = owned->identity;
    pthread_mutex_unlock(&registry_lock);
    return known;
}

int pario_own_check(const char *path)
{
    struct pario_identity inside, outside;
    char absolute[PATH_MAX];
    const char *rest = NULL;
    int code = make_absolute(path, absolute), tree, by_name;

    if (code != 0)
        return code;
    tree = tree_of(absolute, &rest);
    if (tree < 0 && !is_known(absolute, &inside))
        return 0;
    if (tree >= 0)
        code = pario_identity_get(tree, rest, &inside);
    by_name = pario_identity_get(AT_FDCWD, absolute, &outside);
    /* Another node may see a new file late. */
    if (tree >= 0 && code == -ENOENT && by_name == -ENOENT)
        return 0;
    if (code != 0 || by_name != 0 || !pario_identity_same(&inside, &outside) ||
        (inside.mode & S_IFMT) != S_IFREG)
        return pario_fail(-ESTALE,
                          "%s is not the file that the run made: something "
                          "has taken its place",
                          path);
    return 0;
}

void pario_cleanup_about(int rank, const char *document, const char *begun)
{
    char text[16], absolute[PATH_MAX];

    snprintf(text, sizeof(text), "%d", rank);
    (void)!report(RANK, NULL, text);
    if (document != NULL && make_absolute(document, absolute) == 0)
        (void)!report(DOCUMENT, NULL, absolute);
    if (begun != NULL)
        (void)!report(BEGUN, NULL, begun);
}

void pario_cleanup_reason(const char *text)
{
    (void)!report(REASON, NULL, text);
}

void pario_cleanup_ended(void)
{
    (void)!report(ENDED, NULL, "-");
}

/* One that was stopped goes on; one that hangs, in a file system that does not
 * answer, is left to itself. */
static void await(pid_t pid)
{
    for (int ms = 0, pause; ms < JANITOR_MS; ms += pause) {
        pid_t got = waitpid(pid, NULL, WNOHANG);

        if (got == pid || (got < 0 && errno != EINTR))
            return;
        kill(pid, SIGCONT);
        pause = ms < 100 ? 1 : 50;
        poll(NULL, 0, pause); /* nanosleep is not for handlers of signals */
    }
}

void pario_cleanup_finish(void)
{
    int fd = janitor_fd;

    janitor_fd = -1;
    if (fd < 0)
        return;
    close(fd);
    await(janitor_pid);
    janitor_pid = -1;
}

int pario_cleanup_interrupted(void)
{
    return interrupted;
}
