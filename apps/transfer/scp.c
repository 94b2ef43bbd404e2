/* The network transfer by scp. */
#include "apps/transfer/transfer.h"
#include "core/output.h"
#include "core/storage.h"

#include "core/clock.h"

#include <assert.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WORDS = 24 };

/* Options of ssh and scp as NULL-ended words. */
struct words {
    char text[MAX_WORDS][9216];
    char *argv[MAX_WORDS + 1];
    int count;
};

static void add(struct words *words, const char *prefix, const char *value)
{
    char *word;

    assert(words->count < MAX_WORDS);
    word = words->text[words->count];
    snprintf(word, sizeof(words->text[0]), "%s%s", prefix, value);
    words->argv[words->count++] = word;
    words->argv[words->count] = NULL;
}

/* Never asks; with our own server, only our own keys and known hosts. */
static void add_options(struct words *words, const struct pario_transfer *tr)
{
    char port[16], quoted[8448];

    add(words, "", "-oBatchMode=yes");
    add(words, "", "-oConnectTimeout=20");
    /* A machine that went away is noticed within a minute. */
    add(words, "", "-oServerAliveInterval=15");
    if (tr->server != NULL) {
        add(words, "", "-F/dev/null");
        add(words, "", "-oIdentitiesOnly=yes");
        add(words, "", "-oStrictHostKeyChecking=yes");
        pario_ssh_quote(tr->server->known_hosts, 1, quoted, sizeof(quoted));
        add(words, "-oUserKnownHostsFile=", quoted);
        pario_ssh_quote(tr->server->key, 1, quoted, sizeof(quoted));
        add(words, "-oIdentityFile=", quoted);
    }
    if (tr->server != NULL || tr->account->port > 0) {
        snprintf(port, sizeof(port), "%d",
                 tr->server != NULL ? tr->server->port : tr->account->port);
        add(words, "", "-P");
        add(words, "", port);
    }
}

static const char *own_name(void)
{
    const struct passwd *pw = getpwuid(geteuid());

    return pw != NULL ? pw->pw_name : "root";
}

/* [user@]host; an IPv6 address goes in brackets. */
static void address(const struct pario_transfer *tr, char *text, size_t len)
{
    const char *host = tr->account->host, *user = tr->account->user;
    int bare6 = host != NULL && strchr(host, ':') != NULL && host[0] != '[';

    if (tr->server != NULL)
        snprintf(text, len, "%s@127.0.0.1", own_name());
    else
        snprintf(text, len, "%s%s%s%s%s", user != NULL ? user : "",
                 user != NULL ? "@" : "", bare6 ? "[" : "", host,
                 bare6 ? "]" : "");
}

static int run(const struct pario_transfer *tr, struct words *words,
               const char *log)
{
    char tail[300], server[300] = "";
    int status = 0, code = pario_run_program(words->argv, log, &status);

    if (code != 0 || status == 0)
        return code;
    pario_read_tail(log, tail, sizeof(tail));
    if (tr->server != NULL)
        pario_read_tail(tr->server->log, server, sizeof(server));
    return pario_fail(status == 127 ? PARIO_EUNAVAIL : -EIO,
                      "%s failed with status %d: %s%s%s", words->argv[0],
                      status, tail[0] != '\0' ? tail : "is it installed?",
                      server[0] != '\0' ? "; the server says: " : "", server);
}

/* "Connection from 127.0.0.1 port 4 on 127.0.0.1 port 5": both ends, as the
 * server saw them. */
static void read_ends(struct pario_transfer *tr)
{
    FILE *log = fopen(tr->server->log, "r");
    char line[1024];

    while (log != NULL && fgets(line, sizeof(line), log) != NULL) {
        char from[46], from_port[8], to[46], to_port[8];

        if (sscanf(line, "Connection from %45s port %7s on %45s port %7s", from,
                   from_port, to, to_port) != 4)
            continue;
        tr->connections++;
        if (strncmp(from, "127.", 4) != 0 || strncmp(to, "127.", 4) != 0)
            tr->foreign++;
        snprintf(tr->local_end, sizeof(tr->local_end), "%s port %s", from,
                 from_port);
        snprintf(tr->remote_end, sizeof(tr->remote_end), "%s port %s", to,
                 to_port);
    }
    if (log != NULL)
        fclose(log);
}

static int scp_send(struct pario_transfer *tr)
{
    struct words *words = calloc(1, sizeof(*words));
    char log[4608], where[1024], remote[8192];
    double start_s;
    int code;

    if (words == NULL)
        return pario_fail(-ENOMEM, "cannot start scp");
    if (tr->server != NULL)
        snprintf(tr->received, sizeof(tr->received), "%s/received",
                 tr->server->inbox);
    address(tr, where, sizeof(where));
    snprintf(remote, sizeof(remote), "%s:%s", where,
             tr->server != NULL ? tr->received : tr->remote);
    snprintf(log, sizeof(log), "%s.scp-log", tr->source);
    add(words, "", "scp");
    add(words, "", "-q");
    add_options(words, tr);
    add(words, "", "--");
    add(words, "", tr->source);
    add(words, "", remote);
    start_s = pario_clock_s();
    code = run(tr, words, log);
    tr->began = code != PARIO_EUNAVAIL;
    if (code == 0 && tr->server != NULL)
        code = pario_sync_path(tr->received);
    tr->seconds = pario_clock_s() - start_s;
    if (tr->server != NULL)
        read_ends(tr);
    free(words);
    return code;
}

/* One command of sftp on the other machine: no shell sees the names there. */
static int run_sftp(const struct pario_transfer *tr, const char *command)
{
    struct words *words = calloc(1, sizeof(*words));
    char batch[4608], log[4608], where[1024];
    FILE *file;
    int code = 0;

    if (words == NULL)
        return pario_fail(-ENOMEM, "cannot start sftp");
    snprintf(batch, sizeof(batch), "%s.sftp", tr->source);
    snprintf(log, sizeof(log), "%s.sftp-log", tr->source);
    file = pario_own_stream(batch);
    if (file == NULL || fprintf(file, "%s\n", command) < 0)
        code = pario_fail_errno(-errno, "cannot write %s", batch);
    if (file != NULL && fclose(file) != 0 && code == 0)
        code = pario_fail_errno(-errno, "cannot write %s", batch);
    address(tr, where, sizeof(where));
    add(words, "", "sftp");
    add(words, "", "-q");
    add_options(words, tr);
    add(words, "", "-b");
    add(words, "", batch);
    add(words, "", "--");
    add(words, "", where);
    if (code == 0)
        code = run(tr, words, log);
    free(words);
    return code;
}

static int scp_fetch(struct pario_transfer *tr)
{
    char from[8448], to[8448], command[17408];

    pario_ssh_quote(tr->remote, 0, from, sizeof(from));
    pario_ssh_quote(tr->back, 0, to, sizeof(to));
    snprintf(command, sizeof(command), "get %s %s", from, to);
    return run_sftp(tr, command);
}

static int scp_remove(struct pario_transfer *tr)
{
    char name[8448], command[8704];

    pario_ssh_quote(tr->remote, 0, name, sizeof(name));
    snprintf(command, sizeof(command), "rm %s", name);
    return run_sftp(tr, command);
}

const struct pario_transfer_way pario_transfer_scp = {
    .name = "scp",
    .client = "scp",
    .serve = pario_server_start_ssh,
    .send = scp_send,
    .fetch = scp_fetch,
    .remove = scp_remove,
};
