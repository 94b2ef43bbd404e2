/* suites/meta/ops.c - the operations in their order, and the system calls. */
#include "suites/meta/ops.h"

#include "core/path.h"
#include "par/watchdog.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names are asked for before any is changed, so that all have the same. */
const struct meta_op meta_ops[] = {
    {.name = "create",
     .summary = "make a file and write its data",
     .verb = "create",
     .steps = {META_MAKE, META_WRITE, META_CLOSE},
     .from = META_FILE,
     .rules = META_CHANGES | META_WRITES | META_MPI},
    {.name = "stat",
     .summary = "ask for a file that another process made",
     .verb = "stat",
     .steps = {META_STAT},
     .from = META_FILE,
     .rules = META_OTHERS},
    {.name = "open",
     .summary = "open and close a file of another process",
     .verb = "open",
     .steps = {META_OPEN_READ, META_CLOSE},
     .from = META_FILE,
     .rules = META_OTHERS | META_MPI},
    {.name = "read",
     .summary = "open, read and close a file of another process",
     .verb = "read",
     .steps = {META_OPEN_READ, META_READ, META_CLOSE},
     .from = META_FILE,
     .rules = META_OTHERS | META_READS | META_WITH_DATA},
    {.name = "write",
     .summary = "open a file, write over its data, close",
     .verb = "write",
     .steps = {META_OPEN_WRITE, META_WRITE, META_CLOSE},
     .from = META_FILE,
     .rules = META_CHANGES | META_WRITES | META_WITH_DATA},
    {.name = "readdir",
     .summary = "list the directories of another process",
     .verb = "list",
     .steps = {META_LIST},
     .rules = META_OTHERS | META_LISTS},
    {.name = "readdir-stat",
     .summary = "list them and ask for every file",
     .verb = "list",
     .steps = {META_LIST_STAT},
     .rules = META_OTHERS | META_LISTS},
    {.name = "rename",
     .summary = "give a file another name",
     .verb = "rename",
     .steps = {META_RENAME},
     .from = META_FILE,
     .to = META_RENAMED,
     .rules = META_CHANGES},
    {.name = "link",
     .summary = "give a file a second name",
     .verb = "link",
     .steps = {META_HARDLINK},
     .from = META_FILE,
     .to = META_LINK,
     .rules = META_CHANGES},
    {.name = "symlink",
     .summary = "make a symbolic link to a file",
     .verb = "make a symbolic link to",
     .steps = {META_SOFTLINK},
     .from = META_FILE,
     .to = META_SYMLINK,
     .rules = META_CHANGES},
    {.name = "unlink",
     .summary = "remove a file",
     .verb = "remove",
     .steps = {META_UNLINK},
     .from = META_FILE,
     .rules = META_CHANGES | META_MPI},
    {.name = "mkdir",
     .summary = "make a directory",
     .verb = "make the directory",
     .steps = {META_MKDIR},
     .from = META_DIRECTORY,
     .rules = META_CHANGES},
    {.name = "rmdir",
     .summary = "remove an empty directory",
     .verb = "remove the directory",
     .steps = {META_RMDIR},
     .from = META_DIRECTORY,
     .rules = META_CHANGES},
    {.name = NULL},
};

int meta_op_number(const char *name)
{
    int i = 0;

    while (meta_ops[i].name != NULL && strcmp(meta_ops[i].name, name) != 0)
        i++;
    assert(meta_ops[i].name != NULL);
    return i;
}

int meta_op_applies(const struct meta_op *op, const struct meta_case *what)
{
    if (what->interface == META_MPIIO && !(op->rules & META_MPI))
        return 0;
    if (what->interface == META_URING && (op->rules & META_LISTS))
        return 0;
    return what->size_bytes > 0 || !(op->rules & META_WITH_DATA);
}

void meta_failed(struct meta_worker *worker, int code, const char *name)
{
    if (worker->code != 0)
        return;
    worker->code = code;
    snprintf(worker->failed, sizeof(worker->failed), "%s", name);
    pario_watchdog_error();
}

struct meta_item meta_item_of(struct meta_worker *worker,
                              struct meta_names *names, int64_t i)
{
    const struct meta_op *op = worker->op;
    enum meta_kind from = op->from == META_FILE ? worker->files : op->from;

    i %= worker->cycle;
    if (op->rules & META_LISTS)
        return (struct meta_item){
            .i = i, .name = meta_folder(names, i), .step = op->steps};
    return (struct meta_item){
        .i = i,
        .name = meta_name(names, 0, from, i),
        .other = op->to != 0 ? meta_name(names, 1, op->to, i) : NULL,
        .step = op->steps,
    };
}

char *meta_slot(struct meta_worker *worker, int64_t i)
{
    /* What has data already is written over. */
    int again = (worker->op->rules & META_WITH_DATA) != 0;
    int reads = (worker->op->rules & META_READS) != 0;
    int64_t size = worker->what->size_bytes;
    char *data =
        (reads ? worker->got : worker->data[again]) + i % worker->slots * size;

    if (!reads && worker->stamps)
        pario_data_stamp(&worker->kind[again], i * size, data, (size_t)size);
    return data;
}

/* The files are small: what does not go at once does not go. */
static int whole(ssize_t n, int64_t size, int short_code)
{
    return n < 0 ? -errno : n != size ? short_code : 0;
}

static int close_file(struct meta_item *item)
{
    int fd = item->fd;

    item->fd = -1;
    return close(fd) == 0 ? 0 : -errno;
}

static int stat_name(struct meta_worker *worker, int dir, const char *name)
{
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return -errno;
    worker->seen_bytes += st.st_size;
    return 0;
}

static int list(struct meta_worker *worker, const char *folder, int stat_each)
{
    int fd = openat(worker->dir, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    int code = 0;

    if (stream == NULL) {
        code = -errno;
        if (fd >= 0)
            close(fd);
        return code;
    }
    errno = 0;
    while (code == 0 && (entry = readdir(stream)) != NULL) {
        if (entry->d_name[0] == '.')
            continue; /* "." and ".." */
        worker->seen++;
        worker->seen_names += meta_name_hash(entry->d_name);
        if (stat_each)
            code = stat_name(worker, fd, entry->d_name);
        errno = 0;
    }
    if (code == 0)
        code = -errno;
    closedir(stream);
    return code;
}

static int open_file(struct meta_worker *worker, struct meta_item *item,
                     int flags)
{
    item->fd = openat(worker->dir, item->name, flags | O_CLOEXEC, 0666);
    return item->fd >= 0 ? 0 : -errno;
}

static int on_data(struct meta_worker *worker, struct meta_item *item)
{
    int64_t size = worker->what->size_bytes;
    char *slot = meta_slot(worker, item->i);

    if (size == 0)
        return 0;
    if (*item->step == META_READ)
        return whole(read(item->fd, slot, (size_t)size), size, PARIO_ESHORT);
    return whole(write(item->fd, slot, (size_t)size), size, -ENOSPC);
}

static int on_name(struct meta_worker *worker, struct meta_item *item)
{
    int dir = worker->dir, failed = 0;

    switch (*item->step) {
    case META_RENAME:
        failed = renameat(dir, item->name, dir, item->other);
        break;
    case META_HARDLINK:
        failed = linkat(dir, item->name, dir, item->other, 0);
        break;
    case META_SOFTLINK:
        failed = symlinkat(pario_base_name(item->name), dir, item->other);
        break;
    case META_UNLINK:
        failed = unlinkat(dir, item->name, 0);
        break;
    case META_MKDIR:
        failed = mkdirat(dir, item->name, 0777);
        break;
    case META_RMDIR:
        failed = unlinkat(dir, item->name, AT_REMOVEDIR);
        break;
    default:
        return -EINVAL;
    }
    return failed ? -errno : 0;
}

static int posix_step(struct meta_worker *worker, struct meta_item *item)
{
    switch (*item->step) {
    case META_MAKE:
        return open_file(worker, item, O_WRONLY | O_CREAT | O_EXCL);
    case META_OPEN_READ:
        return open_file(worker, item, O_RDONLY | O_NOFOLLOW);
    case META_OPEN_WRITE:
        return open_file(worker, item, O_WRONLY | O_NOFOLLOW);
    case META_WRITE:
    case META_READ:
        return on_data(worker, item);
    case META_CLOSE:
        return close_file(item);
    case META_STAT:
        return stat_name(worker, worker->dir, item->name);
    case META_LIST:
    case META_LIST_STAT:
        return list(worker, item->name, *item->step == META_LIST_STAT);
    default:
        return on_name(worker, item);
    }
}

int meta_posix(struct meta_worker *worker, struct meta_item *item)
{
    int code = 0;

    item->fd = -1;
    for (int i = 0; code == 0 && i < META_MAX_STEPS && *item->step != META_END;
         i++, item->step++)
        code = posix_step(worker, item);
    if (item->fd >= 0)
        close(item->fd);
    return code;
}
