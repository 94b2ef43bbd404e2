/*
 * NHT-1's network I/O benchmark (report RND-92-016, section 4): the data of
 * the peak benchmark, combined into one file, goes through a loopback
 * connection to another file on the same storage, with a real client and a
 * real server.
 */
#include "apps/bt/class.h"
#include "apps/transfer/transfer.h"
#include "core/storage.h"
#include "suites/nht/amount.h"
#include "suites/nht/claim.h"

#include "core/clock.h"
#include "core/units.h"
#include "io/backend.h"
#include "measure/phase.h"
#include "par/watchdog.h"
#include "result/parameters.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

struct network {
    struct pario_run *run;
    const struct nht_options *opt;
    struct nht_amount amount;
    struct pario_data data;
    char source[4352], back[4352];
    struct pario_server server;
    const struct pario_transfer_way *way;
    struct pario_account account;
    struct pario_transfer transfer;
    struct pario_group *alone; /* rank 0, who sends; NULL elsewhere */
    struct pario_phase phase;
    int64_t interface_bytes; /* sent through lo meanwhile; -1: unknown */
    uint64_t digest[2];      /* of source and destination */
};

/* Collective. Every process writes its share into the one file. */
static int make_source(struct network *net)
{
    const struct pario_backend *backend = NULL;
    struct pario_target target = {
        .path = net->source,
        .group = net->run->world,
        .flags = PARIO_OPEN_WRITE | PARIO_OPEN_CREATE,
    };
    struct pario_file *file = NULL;
    char *block = malloc((size_t)NHT_BLOCK);
    int code = block == NULL ? pario_fail_errno(-ENOMEM, "cannot start") : 0;
    int close_code;

    if (code == 0)
        code = pario_backend_find("posix", &backend);
    code = pario_agree(net->run->world, code);
    if (code == 0 && backend != NULL)
        code = backend->open(&target, &file);
    if (code == 0 && file != NULL && block != NULL) {
        int64_t at =
            net->amount.share_bytes * pario_group_rank(net->run->world);
        int64_t end = at + net->amount.share_bytes;

        for (; at < end && code == 0; at += NHT_BLOCK) {
            pario_data_fill(&net->data, at, block, (size_t)NHT_BLOCK);
            code = backend->io[PARIO_WRITE][PARIO_FORM_AT](
                file, block, (size_t)NHT_BLOCK, at);
        }
        if (code != 0)
            pario_fail_errno(code, "cannot write %s", net->source);
        code = pario_agree(net->run->world, code);
        if (code == 0)
            code = backend->sync(file);
        close_code = backend->close(file);
        code = code != 0 ? code : close_code;
    }
    free(block);
    return pario_agree(net->run->world, code);
}

/* Bytes sent through the loopback interface since the machine started. */
static int64_t loopback_bytes(void)
{
    FILE *file = fopen("/sys/class/net/lo/statistics/tx_bytes", "r");
    char text[32] = "";
    int64_t bytes = -1;

    if (file == NULL)
        return -1;
    if (fgets(text, sizeof(text), file) != NULL && text[0] != '\0')
        bytes = strtoll(text, NULL, 10);
    fclose(file);
    return bytes;
}

/* Reads a whole file; every byte must be the data's. */
static int digest_file(const struct network *net, const char *path,
                       uint64_t *digest_p)
{
    size_t words = (size_t)NHT_BLOCK / sizeof(double);
    double *block = malloc((size_t)NHT_BLOCK);
    int fd = open(path, O_RDONLY | O_CLOEXEC), code = 0;
    struct pario_data_error error;
    struct stat st;
    uint64_t sum = 0;

    if (fd < 0 || fstat(fd, &st) != 0)
        code = pario_fail_errno(-errno, "cannot read %s", path);
    else if (block == NULL)
        code = pario_fail_errno(-ENOMEM, "cannot read %s", path);
    else if (st.st_size != net->amount.total_bytes)
        code = pario_fail(PARIO_EVERIFY, "%s has %lld bytes instead of %lld",
                          path, (long long)st.st_size,
                          (long long)net->amount.total_bytes);
    for (int64_t at = 0; code == 0 && at < net->amount.total_bytes;
         at += NHT_BLOCK) {
        code = pario_pread_all(fd, block, (size_t)NHT_BLOCK, at);
        if (code != 0) {
            pario_fail_errno(code, "cannot read %s at %lld", path,
                             (long long)at);
        } else if (pario_data_check(&net->data, at, block, (size_t)NHT_BLOCK,
                                    &error) != 0) {
            char text[512];

            pario_data_describe(&net->data, 1, &error, text, sizeof(text));
            code = pario_fail(PARIO_EVERIFY, "%s: %s", path, text);
        } else {
            sum += pario_bt_digest(block, words, (uint64_t)at / 8);
        }
    }
    if (fd >= 0)
        close(fd);
    free(block);
    if (code == 0)
        *digest_p = sum;
    return code;
}

static int start_server(struct network *net)
{
    const struct nht_options *opt = net->opt;

    net->transfer.server = &net->server;
    return net->way->serve(&net->server, net->run->directory, opt->server,
                           (int)opt->port);
}

/* A name that nobody has at the other machine. */
static int make_remote_name(struct network *net)
{
    struct pario_transfer *tr = &net->transfer;
    const char *letters = strrchr(net->run->directory, '-');
    uint64_t number = 0;
    int len;

    if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
        return pario_fail_errno(-errno, "cannot make a name");
    len =
        snprintf(tr->remote, sizeof(tr->remote), "%s/pario-nht%s-%016" PRIx64,
                 net->opt->remote_dir, letters != NULL ? letters : "", number);
    if (len < 0 || (size_t)len >= sizeof(tr->remote))
        return pario_fail(PARIO_EUSAGE, "--remote-dir is too long");
    return 0;
}

static int uses_scp(const struct network *net)
{
    return net->way == &pario_transfer_scp;
}

/* Before the time: a server of our own, or a name at the other machine's. */
static int find_server(void *arg)
{
    struct network *net = arg;
    int code;

    if (net->opt->host == NULL)
        return start_server(net);
    code = make_remote_name(net);
    if (code == 0)
        pario_progress_note(&net->run->progress, "sending %s to %s",
                            net->transfer.remote, net->opt->host);
    return code;
}

/* T_TRANSFER is the transfer's own time (4.3): what pario does to start the
 * client and to collect evidence is none of it. */
static int send_file(void *arg, struct pario_phase *phase)
{
    struct network *net = arg;
    struct pario_transfer *tr = &net->transfer;
    int64_t before = loopback_bytes();
    int code = net->way->send(tr);

    net->interface_bytes = before < 0 ? -1 : loopback_bytes() - before;
    phase->figures.bytes = tr->bytes;
    phase->figures.written_bytes = phase->writing ? tr->bytes : 0;
    phase->figures.operations = 1;
    pario_phase_paused(
        phase,
        pario_clock_ns() - phase->begin_ns - (int64_t)(tr->seconds * 1e9), 1);
    return code;
}

/* Both files, byte by byte; what went to another machine is fetched again. */
static int compare_files(void *arg, struct pario_phase *phase)
{
    struct network *net = arg;
    struct pario_transfer *tr = &net->transfer;
    int code = 0;

    if (net->opt->host != NULL)
        code = net->way->fetch(tr);
    if (code == 0)
        code = digest_file(net, net->source, &net->digest[0]);
    if (code == 0)
        code = digest_file(net, tr->server != NULL ? tr->received : net->back,
                           &net->digest[1]);
    if (code == 0 && net->digest[0] != net->digest[1])
        code = pario_fail(PARIO_EVERIFY, "the two files differ");
    phase->figures.checked_bytes = tr->bytes;
    return code;
}

/* What arrived at the other machine is deleted also after an error. */
static int delete_there(struct network *net, int code)
{
    struct pario_transfer *tr = &net->transfer;
    char message[1024];
    int removal;

    if (net->opt->host == NULL || !tr->began)
        return code;
    snprintf(message, sizeof(message), "%s", pario_error_message());
    removal = net->way->remove(tr);
    if (code == 0)
        return removal;
    if (removal != 0)
        pario_run_warn(net->run, "%s may be left on %s", tr->remote,
                       net->opt->host);
    pario_error_replace(message);
    return code;
}

/* A full disk is often all that a server says nothing about. */
static int blame_space(const struct network *net, int code)
{
    const struct pario_transfer *tr = &net->transfer;
    int64_t missing = tr->bytes;
    struct stat st;

    if (code == 0 || net->opt->host != NULL)
        return code;
    if (stat(tr->received, &st) == 0)
        missing -= st.st_size;
    return pario_blame_space(net->run->directory, missing, code);
}

/* Rank 0: the transfer, its evidence and the comparison. */
static int transfer(struct network *net)
{
    static const struct pario_phase_calls calls = {
        .open = find_server, .loop = send_file, .check = compare_files};
    struct pario_transfer *tr = &net->transfer;
    int64_t left;
    int code = pario_cache_evict(net->source, &left);

    if (code != 0)
        return code;
    tr->account = &net->account;
    tr->source = net->source;
    tr->back = net->back;
    tr->bytes = net->amount.total_bytes;
    net->phase = (struct pario_phase){
        .run = net->run,
        .group = net->alone,
        .path = net->source,
        .reading = 1,
        .writing = net->opt->host == NULL,
        .copies = net->opt->host == NULL,
    };
    code = pario_phase_run(&net->phase, &calls, net);
    code = blame_space(net, code);
    pario_server_stop(&net->server);
    return delete_there(net, code);
}

/* Does the evidence say loopback (4.2)? */
static int went_over_loopback(const struct network *net)
{
    const struct pario_transfer *tr = &net->transfer;

    return tr->server != NULL && tr->connections > 0 && tr->foreign == 0 &&
           net->interface_bytes >= net->amount.total_bytes;
}

static json_t *evidence(const struct network *net)
{
    const struct pario_transfer *tr = &net->transfer;
    char digests[2][24];

    for (int i = 0; i < 2; i++)
        snprintf(digests[i], sizeof(digests[i]), "%016" PRIx64, net->digest[i]);
    return json_pack("{s:s, s:s, s:i, s:i, s:I, s:s, s:s, s:I, s:b}",
                     "local_end", tr->local_end, "remote_end", tr->remote_end,
                     "connections", tr->connections, "connections_not_loopback",
                     tr->foreign, "loopback_interface_bytes",
                     (json_int_t)net->interface_bytes, "source_digest",
                     digests[0], "destination_digest", digests[1],
                     "source_resident_before_bytes",
                     (json_int_t)net->phase.figures.seen.resident_bytes,
                     "over_loopback", went_over_loopback(net));
}

/* NHT-1 wants the system's own command (4.2): scp has taken rcp's place,
 * libcurl is no command. */
static const char *client_of(const struct network *net)
{
    return uses_scp(net) ? "scp, in the place of rcp"
                         : "libcurl, in the place of the ftp command";
}

static void record_claim(const struct network *net)
{
    char lacks[NHT_CLAIM_LEN];
    struct nht_transfer_claim claim = {
        .over_loopback = went_over_loopback(net),
        .by_command = uses_scp(net),
        .enough = net->amount.official,
        .on_disk = net->phase.figures.cache == PARIO_CACHE_DISK,
        .valid = pario_result_is_valid(net->run->result),
    };

    nht_claim_record(net->run->result, nht_transfer_lacks(&claim, lacks));
}

static void summarise(const struct network *net)
{
    const struct pario_figures *figures = &net->phase.figures;
    struct pario_result *result = net->run->result;

    pario_result_summary(result, "r_throughput_bytes_per_s",
                         json_real((double)figures->bytes / figures->seconds),
                         figures->flags);
    pario_result_summary(result, "t_transfer_s", json_real(figures->seconds),
                         figures->flags);
    pario_result_set(result, "summary", "bytes", json_integer(figures->bytes));
    pario_result_set(result, "summary", "over_loopback",
                     json_boolean(went_over_loopback(net)));
    pario_result_set(result, "summary", "client", json_string(client_of(net)));
    record_claim(net);
}

/* Rank 0. */
static int report(struct network *net)
{
    struct nht_options in_force = *net->opt;
    int loop = went_over_loopback(net), code;
    struct pario_measure measure = {
        .test = "network",
        .access = "transfer",
        .partition = 1,
    };

    if (net->transfer.server != NULL && !loop)
        pario_run_invalidate(net->run,
                             "there is no evidence that the transfer went "
                             "over the loopback connection (%d connections, "
                             "%lld bytes on the interface)",
                             net->transfer.connections,
                             (long long)net->interface_bytes);
    if (!uses_scp(net))
        pario_run_warn(net->run, "the file went by libcurl, where NHT-1 (4.2) "
                                 "wants the system's ftp or rcp command: not "
                                 "an NHT-1 result");
    if (in_force.host == NULL)
        in_force.host = "127.0.0.1";
    measure.parameters = json_pack("{s:s}", "client", net->way->client);
    (void)pario_parameters_set(measure.parameters, nht_fields, NHT_SENDS,
                               &in_force);
    measure.extra = json_pack("{s:o}", "evidence", evidence(net));
    code = pario_phase_record(&net->phase, &measure);
    summarise(net);
    return code;
}

static int run_network(struct network *net)
{
    struct pario_run *run = net->run;
    double schedule_s = (double)net->amount.total_bytes / 20e6;
    int code;

    pario_run_phase(run, schedule_s, "writing the file to send");
    code = make_source(net);
    if (code != 0)
        return code;
    pario_run_phase(run, 2 * schedule_s, "transfer by %s to %s", net->way->name,
                    net->opt->host != NULL ? net->opt->host : "127.0.0.1");
    code =
        pario_agree(run->world, pario_group_first(run->world, 1, &net->alone));
    if (code != 0)
        return code;
    if (net->alone != NULL)
        code = transfer(net);
    /* The others have nothing to do meanwhile and must not take the cores. */
    pario_barrier_idle(run->world);
    code = pario_agree(run->world, code);
    if (code == 0 && pario_group_rank(run->world) == 0)
        code = report(net);
    pario_group_destroy(net->alone);
    return pario_agree(run->world, code);
}

/* Words that go into commands and addresses. */
static int check_word(const char *option, const char *word)
{
    if (word == NULL)
        return 0;
    if (word[0] == '\0' || word[0] == '-')
        return pario_fail(PARIO_EUSAGE, "--%s cannot be '%s'", option, word);
    for (const char *c = word; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            return pario_fail(PARIO_EUSAGE,
                              "--%s has a control character in it", option);
    return 0;
}

/* The programs that send, fetch and delete do not agree on a ~. */
static int check_remote_dir(const char *dir)
{
    if (dir != NULL && dir[0] == '~')
        return pario_fail(PARIO_EUSAGE,
                          "--remote-dir cannot begin with ~: a path without a "
                          "/ in front begins in the home directory");
    return 0;
}

static int check_options(const struct network *net)
{
    const struct nht_options *opt = net->opt;

    if (net->run->noperands > 1)
        return pario_fail(PARIO_EUSAGE, "nht network takes one directory");
    if (opt->host != NULL && opt->server != NULL)
        return pario_fail(PARIO_EUSAGE,
                          "--server is for the loopback server; with --host "
                          "the other machine's is used");
    if (opt->host == NULL && (opt->user != NULL || opt->password_file != NULL))
        return pario_fail(PARIO_EUSAGE, "--user and --password-file go with "
                                        "--host");
    if (check_word("host", opt->host) != 0 ||
        check_word("user", opt->user) != 0 ||
        check_word("remote-dir", opt->remote_dir) != 0 ||
        check_remote_dir(opt->remote_dir) != 0)
        return PARIO_EUSAGE;
    return 0;
}

int pario_nht_network(struct pario_run *run)
{
    const struct nht_options *opt = run->options;
    struct network net = {
        .run = run,
        .opt = opt,
        .way =
            opt->via == NHT_VIA_SCP ? &pario_transfer_scp : &pario_transfer_ftp,
        .account = {.host = opt->host,
                    .user = opt->user,
                    .password_file = opt->password_file,
                    .port = (int)opt->port},
    };
    char text[PARIO_UNITS_LEN];
    int code = pario_agree(run->world, check_options(&net));

    if (code == 0)
        code = pario_agree(run->world, nht_amount_get(run, &net.amount));
    if (code != 0)
        return code;
    /* One file without holes: every process writes the largest share. */
    net.amount.share_bytes = net.amount.largest_bytes;
    net.amount.total_bytes =
        net.amount.share_bytes * pario_group_size(run->world);
    if (run->common.dry_run) {
        if (pario_group_rank(run->world) == 0)
            printf("nht network: a file of %s, and another one\n",
                   pario_size_print_short(net.amount.total_bytes, text));
        return 0;
    }
    code =
        pario_run_directory(run, run->noperands > 0 ? run->operands[0] : NULL,
                            2 * net.amount.total_bytes);
    if (code != 0)
        return code;
    if (!net.amount.official)
        pario_run_warn(run, "less than 80 %% of the memory: a trial, not an "
                            "NHT-1 result");
    if (net.opt->host != NULL)
        pario_run_warn(run, "--host: not over a loopback connection, not an "
                            "NHT-1 result");
    net.data = (struct pario_data){.key = run->data_key, .file = 0};
    pario_run_path(run, "peak.data", net.source, sizeof(net.source));
    pario_run_path(run, "peak.back", net.back, sizeof(net.back));
    return run_network(&net);
}
