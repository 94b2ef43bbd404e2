/* cli/program.c - programs of others, with libraries of ours preloaded. */
#include "cli/program.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int takes_value(const struct pario_option *table, const char *word)
{
    for (const struct pario_option *option = table; option->name != NULL;
         option++)
        if (option->type != PARIO_OPT_FLAG &&
            ((strncmp(word, "--", 2) == 0 &&
              strcmp(word + 2, option->name) == 0) ||
             (word[1] == option->letter && word[1] != '\0' && word[2] == '\0')))
            return 1;
    return 0;
}

int pario_program_options(const struct pario_program_line *line, char **argv,
                          int *first_p)
{
    struct pario_option_set sets[] = {{line->table, line->values},
                                      {NULL, NULL}};
    int i = 1, code = 0;

    while (code == 0 && argv[i] != NULL && argv[i][0] == '-' &&
           strcmp(argv[i], "--") != 0) {
        char *words[] = {argv[0], argv[i], NULL, NULL};
        static char one[] = "1";
        int nwords = 2, taken = 1, noperands = 0;

        if (line->bare != NULL && strncmp(argv[i], "--", 2) == 0 &&
            strcmp(argv[i] + 2, line->bare) == 0) {
            words[nwords++] = one;
        } else if (argv[i + 1] != NULL && takes_value(line->table, argv[i])) {
            words[nwords++] = argv[i + 1];
            taken = 2;
        }
        code = pario_options_parse(sets, nwords, words, &noperands);
        if (code == 0 && line->each != NULL)
            code = line->each(line->values);
        i += taken;
    }
    *first_p = argv[i] != NULL && strcmp(argv[i], "--") == 0 ? i + 1 : i;
    return code;
}

int pario_program_words(struct pario_words *words, char **command,
                        char ***command_p)
{
    const char *processes = getenv("PARIO_PROCESSES");
    int code;

    *command_p = command;
    if (processes == NULL)
        return 0;
    code = pario_launcher_words(words, processes);
    if (code != 0)
        return code;
    words->count--; /* this program itself */
    for (; *command != NULL; command++)
        pario_words_add(words, *command);
    *command_p = words->word;
    return 0;
}

int pario_program_set_file(const char *variable, const char *path)
{
    char folder[PATH_MAX], absolute[2 * PATH_MAX];

    if (path[0] == '/' || getcwd(folder, sizeof(folder)) == NULL)
        return setenv(variable, path, 1);
    snprintf(absolute, sizeof(absolute), "%s/%s", folder, path);
    return setenv(variable, absolute, 1);
}

static void print_quoted(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                "UVWXYZ0123456789_./:=+,%@-";

    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            fputs("'\\'", stdout);
        putchar(*word);
    }
    putchar('\'');
}

void pario_program_print(const struct pario_preload *preload)
{
    extern char **environ;

    for (char **entry = environ; *entry != NULL; entry++)
        if (pario_preload_passes(*entry)) {
            print_quoted(*entry);
            putchar(' ');
        }
    if (preload->environment != NULL) {
        fputs("LD_PRELOAD=", stdout);
        print_quoted(preload->environment);
        putchar(' ');
    }
    for (char **word = preload->word; *word != NULL; word++) {
        if (word != preload->word)
            putchar(' ');
        print_quoted(*word);
    }
    putchar('\n');
}

void pario_program_exec(const struct pario_preload *preload)
{
    if (preload->environment != NULL)
        setenv("LD_PRELOAD", preload->environment, 1);
    fflush(NULL);
    execvp(preload->word[0], preload->word);
    fprintf(stderr, "pario: cannot start %s: %s\n", preload->word[0],
            strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

static volatile sig_atomic_t child;

/* The terminal's Ctrl-C comes to the child as well; others must be sent. */
static void on_signal(int signo)
{
    if (child > 0 && signo != SIGINT)
        kill((pid_t)child, signo);
}

int pario_program_wait(const struct pario_preload *preload)
{
    struct sigaction action = {.sa_handler = on_signal}, before[3];
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    int status = 0;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0)
        pario_program_exec(preload);
    if (pid < 0) {
        fprintf(stderr, "pario: cannot start %s: %s\n", preload->word[0],
                strerror(errno));
        return 126;
    }
    child = pid;
    for (int i = 0; i < 3; i++)
        sigaction(signals[i], &action, &before[i]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    for (int i = 0; i < 3; i++)
        sigaction(signals[i], &before[i], NULL);
    child = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
