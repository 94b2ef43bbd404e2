/* launch/preload.c - each launcher passes variables on in its own way.
 * Preloading the launcher itself would do on one host, but not on others: Open
 * MPI's daemons there start with a fresh environment. */
#include "launch/preload.h"
#include "core/path.h"
#include "pario_config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PRELOAD "LD_PRELOAD"
#define VERSION_MS 5000 /* a launcher that does not tell in this time */

extern char **environ;

int pario_preload_passes(const char *entry)
{
    static const char *const prefixes[] = {"SHIPIO_", "PARIO_RECORD",
                                           "ROMIO_HINTS=", NULL};

    for (int i = 0; prefixes[i] != NULL; i++)
        if (strncmp(entry, prefixes[i], strlen(prefixes[i])) == 0)
            return 1;
    return 0;
}

/* As a whole, or followed by ".openmpi", "-mpich" and the like. */
static int named(const char *word, const char *const *names)
{
    const char *base = pario_base_name(word);

    for (int i = 0; names[i] != NULL; i++) {
        size_t len = strlen(names[i]);

        if (strncmp(base, names[i], len) == 0 &&
            strchr(".-_", base[len]) != NULL) /* also the end */
            return 1;
    }
    return 0;
}

/* Which word of the command is the launcher; -1: none of them. */
static int find_launcher(char *const *command)
{
    static const char *const launchers[] = {"mpirun",  "mpiexec", "orterun",
                                            "prterun", "prun",    NULL};
    static const char *const wrappers[] = {
        "env",     "timeout", "nice",   "nohup", "ionice",
        "taskset", "numactl", "stdbuf", "time",  NULL};

    if (named(command[0], launchers))
        return 0;
    if (!named(command[0], wrappers))
        return -1;
    for (int i = 1; command[i] != NULL; i++)
        if (named(command[i], launchers))
            return i;
    return -1;
}

/* What `launcher --version` prints at the start; "" when it does not run. */
static void read_version(const char *launcher, char *text, size_t len)
{
    char *words[] = {strdup(launcher), strdup("--version"), NULL};
    posix_spawn_file_actions_t actions;
    size_t used = 0;
    int ends[2];
    pid_t pid;

    text[0] = '\0';
    if (words[0] == NULL || words[1] == NULL || pipe2(ends, O_CLOEXEC) != 0)
        goto done;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    if (posix_spawnp(&pid, launcher, &actions, NULL, words, environ) == 0) {
        struct pollfd end = {.fd = ends[0], .events = POLLIN};
        ssize_t n = 1;

        close(ends[1]);
        ends[1] = -1;
        while (n > 0 && used < len - 1 && poll(&end, 1, VERSION_MS) > 0) {
            n = read(ends[0], text + used, len - 1 - used);
            used += n > 0 ? (size_t)n : 0;
        }
        kill(pid, SIGTERM); /* it has said enough */
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    text[used] = '\0';
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (ends[1] >= 0)
        close(ends[1]);
done:
    free(words[0]);
    free(words[1]);
}

static enum pario_launcher launcher_kind(const char *launcher)
{
    static const struct {
        const char *words;
        enum pario_launcher kind;
    } signs[] = {
        {"Open MPI", PARIO_LAUNCHER_OPENMPI},
        {"OpenRTE", PARIO_LAUNCHER_OPENMPI},
        {"PRRTE", PARIO_LAUNCHER_OPENMPI},
        {"HYDRA", PARIO_LAUNCHER_HYDRA},
        {"Intel(R) MPI", PARIO_LAUNCHER_HYDRA},
    };
    char text[1024];

    read_version(launcher, text, sizeof(text));
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        if (strstr(text, signs[i].words) != NULL)
            return signs[i].kind;
    return PARIO_LAUNCHER_OTHER;
}

#if PARIO_HAVE_MPIIO
/* For which MPI library is it? Open MPI's handles are symbols of this name. */
static int file_kind(const char *library, enum pario_launcher *kind_p)
{
    static const char file_call[] = "MPI_File_open", handle[] = "ompi_mpi_comm";
    int fd = open(library, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *bytes;
    int ours;

    if (fd < 0 || fstat(fd, &st) != 0) {
        int err = errno;

        if (fd >= 0)
            close(fd);
        return pario_fail_errno(-err, "cannot read %s", library);
    }
    bytes = st.st_size > 0
                ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                : MAP_FAILED;
    close(fd);
    ours = bytes != MAP_FAILED && memmem(bytes, (size_t)st.st_size, file_call,
                                         sizeof(file_call) - 1) != NULL;
    if (ours)
        *kind_p = memmem(bytes, (size_t)st.st_size, handle,
                         sizeof(handle) - 1) != NULL
                      ? PARIO_LAUNCHER_OPENMPI
                      : PARIO_LAUNCHER_HYDRA;
    if (bytes != MAP_FAILED)
        munmap(bytes, (size_t)st.st_size);
    return ours ? 0
                : pario_fail(PARIO_EUNAVAIL, "%s is no libshipio.so", library);
}
#endif

/* The first one of a list counts. Without MPI-IO there is only the recorder's,
 * which is for any program. */
static int library_kind(const char *libraries, enum pario_launcher *kind_p)
{
#if PARIO_HAVE_MPIIO
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%.*s", (int)strcspn(libraries, ":"),
             libraries);
    return file_kind(path, kind_p);
#else
    (void)libraries;
    *kind_p = PARIO_LAUNCHER_OTHER;
    return 0;
#endif
}

static const char *mpi_name(enum pario_launcher kind)
{
    return kind == PARIO_LAUNCHER_OPENMPI ? "Open MPI" : "MPICH";
}

/* exec takes char *const [] and leaves the words alone. */
static char *borrow(const char *word)
{
    union {
        const char *in;
        char *out;
    } cast = {.in = word};

    return cast.out;
}

/* "PREFIXlibrary:own", kept until the end; NULL without memory. */
static char *joined(struct pario_preload *preload, const char *prefix,
                    const char *library, const char *own)
{
    int more = own != NULL && own[0] != '\0';
    char *text = NULL;

    if (asprintf(&text, "%s%s%s%s", prefix, library, more ? ":" : "",
                 more ? own : "") < 0)
        return NULL;
    preload->owned[preload->nowned++] = text;
    return text;
}

/* What Open MPI needs before each program of the job. Returns the place after
 * the words, NULL without memory. */
static char **add_openmpi(struct pario_preload *preload, char **word,
                          const char *library)
{
    char *all = joined(preload, PRELOAD "=", library, getenv(PRELOAD));

    *word++ = borrow("-x");
    *word++ = all;
    for (char **entry = environ; *entry != NULL; entry++) {
        char *name;

        if (!pario_preload_passes(*entry))
            continue;
        name = strndup(*entry, strcspn(*entry, "="));
        if (name == NULL)
            return NULL;
        preload->owned[preload->nowned++] = name;
        *word++ = borrow("-x");
        *word++ = name;
    }
    return all != NULL ? word : NULL;
}

/* The options of Open MPI's and MPICH's launchers that take a value. */
static const char with_one_value[] =
    " x n np c N H host hosts f hostfile machinefile "
    "default-hostfile rf rankfile cf cartofile npernode "
    "npersocket ppn ppr map-by rank-by bind-to membind cpu-set "
    "cpu-list cpus-per-proc cpus-per-rank gpus-per-proc am "
    "tune app configfile prefix path wd wdir dir genvlist "
    "envlist launcher launcher-exec launch-agent rmk bootstrap "
    "bootstrap-exec topolib iface demux nameserver localhost "
    "order-nodes usize prepend-pattern outfile-pattern "
    "errfile-pattern output-filename stdin timeout "
    "max-restarts max-vm-size personality debugger xterm "
    "xml-file preload-files report-events report-pid "
    "report-uri ompi-server hnp ";
static const char with_two_values[] =
    " mca gmca omca prtemca pmixmca genv env ";

/* How many words of value follow this option. */
static int option_values(const char *word)
{
    char name[64];

    snprintf(name, sizeof(name), " %.61s ", word + strspn(word, "-"));
    if (strstr(with_two_values, name) != NULL)
        return 2;
    return strstr(with_one_value, name) != NULL;
}

static int is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           access(path, X_OK) == 0;
}

/* Can this word be the program, rather than the value of an option that
 * option_values does not know? */
static int may_be_program(const char *word)
{
    const char *folders = getenv("PATH");
    char path[4096];

    if (strchr(word, '/') != NULL)
        return is_program(word);
    while (folders != NULL && folders[0] != '\0') {
        size_t len = strcspn(folders, ":");

        if (snprintf(path, sizeof(path), "%.*s/%s", (int)len, folders, word) <
                (int)sizeof(path) &&
            is_program(path))
            return 1;
        folders += len + (folders[len] == ':');
    }
    return 0;
}

/* Makes the launcher's option, if it is one for LD_PRELOAD, begin with ours.
 * Returns 0 or -ENOMEM. */
static int keep_option(struct pario_preload *preload, char **word,
                       const char *library)
{
    const char *name = word[0] + strspn(word[0], "-");
    const char *value;

    if (strcmp(name, "x") == 0 && word[1] != NULL) {
        if (strncmp(word[1], PRELOAD "=", sizeof(PRELOAD)) == 0)
            value = word[1] + sizeof(PRELOAD);
        else if (strcmp(word[1], PRELOAD) == 0)
            value = getenv(PRELOAD);
        else
            return 0;
        word[1] = joined(preload, PRELOAD "=", library, value);
        return word[1] != NULL ? 0 : -ENOMEM;
    }
    if ((strcmp(name, "env") == 0 || strcmp(name, "genv") == 0) &&
        word[1] != NULL && strcmp(word[1], PRELOAD) == 0 && word[2] != NULL) {
        word[2] = joined(preload, "", library, word[2]);
        return word[2] != NULL ? 0 : -ENOMEM;
    }
    return 0;
}

/* The user's own -x LD_PRELOAD=… or -genv LD_PRELOAD … must not undo ours; the
 * words of the programs are theirs. word is the launcher. Returns 0 or
 * -ENOMEM. */
static int keep_preload(struct pario_preload *preload, char **word,
                        const char *library)
{
    int ours = 1;

    for (word++; *word != NULL; word++) {
        int values;

        if (strcmp(*word, ":") == 0) { /* the next program */
            ours = 1;
        } else if (ours && (*word)[0] != '-') {
            ours = !may_be_program(*word);
        } else if (ours) {
            values = option_values(*word);
            if (keep_option(preload, word, library) != 0)
                return -ENOMEM;
            while (values-- > 0 && word[1] != NULL)
                word++;
        }
    }
    return 0;
}

/* Room for the words of the command and all that can be added. */
static int make_room(struct pario_preload *preload, char *const *command)
{
    size_t words = 0, programs = 1, variables = 1;

    for (char *const *word = command; *word != NULL; word++, words++)
        programs += strcmp(*word, ":") == 0;
    for (char **entry = environ; *entry != NULL; entry++)
        variables += (size_t)pario_preload_passes(*entry);
    preload->word = calloc(words + 2 * programs * (variables + 1) + 4,
                           sizeof(*preload->word));
    preload->owned =
        calloc(words + programs * variables + 4, sizeof(*preload->owned));
    return preload->word != NULL && preload->owned != NULL ? 0 : -ENOMEM;
}

/* Returns 0 or -ENOMEM; changes the words that it copies. */
static int add_words(struct pario_preload *preload, const char *library,
                     char **command, int at)
{
    char **word = preload->word;

    if (at >= 0 && keep_preload(preload, command + at, library) != 0)
        return -ENOMEM;
    for (int i = 0; command[i] != NULL; i++) {
        *word++ = command[i];
        if (at < 0 || i < at)
            continue;
        if (preload->launcher == PARIO_LAUNCHER_OPENMPI &&
            (i == at || strcmp(command[i], ":") == 0)) {
            word = add_openmpi(preload, word, library);
            if (word == NULL)
                return -ENOMEM;
        } else if (preload->launcher == PARIO_LAUNCHER_HYDRA && i == at) {
            *word++ = borrow("-genv");
            *word++ = borrow(PRELOAD);
            *word = joined(preload, "", library, getenv(PRELOAD));
            if (*word++ == NULL)
                return -ENOMEM;
        }
    }
    return 0;
}

int pario_preload_init(struct pario_preload *preload, const char *library,
                       char **command)
{
    enum pario_launcher kind = PARIO_LAUNCHER_OTHER;
    int at = find_launcher(command);
    int code = library_kind(library, &kind);

    memset(preload, 0, sizeof(*preload));
    if (code != 0)
        return code;
    if (at >= 0)
        preload->launcher = launcher_kind(command[at]);
    if (preload->launcher == PARIO_LAUNCHER_OTHER)
        at = -1;
    else if (preload->launcher != kind && kind != PARIO_LAUNCHER_OTHER)
        return pario_fail(PARIO_EUNAVAIL,
                          "%s is %s's, but %s is for %s (take the pario built "
                          "with %s, or name its libshipio.so with --library)",
                          command[at], mpi_name(preload->launcher), library,
                          mpi_name(kind), mpi_name(preload->launcher));
    code = make_room(preload, command);
    if (code == 0)
        code = add_words(preload, library, command, at);
    if (code == 0 && at < 0) {
        preload->environment = joined(preload, "", library, getenv(PRELOAD));
        code = preload->environment != NULL ? 0 : -ENOMEM;
    }
    if (code == 0)
        return 0;
    pario_preload_fini(preload);
    return pario_fail_errno(code, "cannot start %s", command[0]);
}

void pario_preload_fini(struct pario_preload *preload)
{
    for (int i = 0; i < preload->nowned; i++)
        free(preload->owned[i]);
    free(preload->owned);
    free(preload->word);
    memset(preload, 0, sizeof(*preload));
}
