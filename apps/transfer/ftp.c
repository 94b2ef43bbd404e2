/* The network transfer by FTP: libcurl as the client. */
#include "apps/transfer/transfer.h"
#include "core/cleanup.h"
#include "core/storage.h"

#include "core/clock.h"
#include "pario_config.h"

#if PARIO_HAVE_CURL
#include <arpa/inet.h>
#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (2L << 20) /* the most libcurl takes */

struct client {
    struct pario_transfer *tr;
    CURL *curl;
    int fd;
    int read_code; /* error of the local file */
    char url[16384], password[256], error[CURL_ERROR_SIZE];
};

static int is_loopback(const struct sockaddr *addr)
{
    if (addr->sa_family == AF_INET) {
        struct sockaddr_in in;

        memcpy(&in, addr, sizeof(in));
        return ntohl(in.sin_addr.s_addr) >> 24 == 127;
    }
    if (addr->sa_family == AF_INET6) {
        struct sockaddr_in6 in6;

        memcpy(&in6, addr, sizeof(in6));
        return IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr);
    }
    return 0;
}

/* With a server of our own no socket may leave the machine. */
static curl_socket_t open_socket(void *arg, curlsocktype purpose,
                                 struct curl_sockaddr *addr)
{
    struct client *client = arg;
    struct pario_transfer *tr = client->tr;

    (void)purpose;
    tr->connections++;
    if (!is_loopback(&addr->addr)) {
        tr->foreign++;
        if (tr->server != NULL)
            return CURL_SOCKET_BAD;
    }
    return socket(addr->family, addr->socktype | SOCK_CLOEXEC, addr->protocol);
}

static void print_end(const struct sockaddr_storage *addr, char *text,
                      size_t len)
{
    char host[INET6_ADDRSTRLEN] = "?";
    unsigned port = 0;

    if (addr->ss_family == AF_INET) {
        struct sockaddr_in in;

        memcpy(&in, addr, sizeof(in));
        inet_ntop(AF_INET, &in.sin_addr, host, sizeof(host));
        port = ntohs(in.sin_port);
    } else if (addr->ss_family == AF_INET6) {
        struct sockaddr_in6 in6;

        memcpy(&in6, addr, sizeof(in6));
        inet_ntop(AF_INET6, &in6.sin6_addr, host, sizeof(host));
        port = ntohs(in6.sin6_port);
    }
    snprintf(text, len, "%s port %u", host, port);
}

/* Both ends, while the socket is still there. The data connection closes
 * first; the control connection must not replace it. */
static int close_socket(void *arg, curl_socket_t fd)
{
    struct client *client = arg;
    struct pario_transfer *tr = client->tr;
    struct sockaddr_storage addr = {0};
    socklen_t len = sizeof(addr);

    if (tr->local_end[0] == '\0' &&
        getsockname(fd, (struct sockaddr *)&addr, &len) == 0)
        print_end(&addr, tr->local_end, sizeof(tr->local_end));
    len = sizeof(addr);
    if (tr->remote_end[0] == '\0' &&
        getpeername(fd, (struct sockaddr *)&addr, &len) == 0)
        print_end(&addr, tr->remote_end, sizeof(tr->remote_end));
    return close(fd);
}

static size_t read_source(char *buf, size_t size, size_t count, void *arg)
{
    struct client *client = arg;
    ssize_t n;

    client->tr->began = 1;
    do
        n = read(client->fd, buf, size * count);
    while (n < 0 && errno == EINTR);
    if (n < 0) {
        client->read_code = -errno;
        return CURL_READFUNC_ABORT;
    }
    return (size_t)n;
}

static size_t write_back(char *buf, size_t size, size_t count, void *arg)
{
    struct client *client = arg;

    client->read_code = pario_write_all(client->fd, buf, size * count);
    return client->read_code == 0 ? size * count : 0;
}

static int read_password(const char *path, char *buf, size_t len)
{
    FILE *file = fopen(path, "r");

    if (file == NULL || fgets(buf, (int)len, file) == NULL) {
        if (file != NULL)
            fclose(file);
        return pario_fail_errno(errno != 0 ? -errno : -EINVAL,
                                "cannot read the password in %s", path);
    }
    fclose(file);
    buf[strcspn(buf, "\r\n")] = '\0';
    return 0;
}

/* Appends text to url; what has a meaning in an address is escaped. */
static void append(char *url, size_t len, const char *text, const char *plain)
{
    size_t at = strlen(url);

    for (; *text != '\0' && at + 4 < len; text++) {
        unsigned char c = (unsigned char)*text;

        if (isalnum(c) || strchr(plain, c) != NULL)
            url[at++] = (char)c;
        else
            at += (size_t)snprintf(url + at, 4, "%%%02X", c);
    }
    url[at] = '\0';
}

/* ftp://host:port/path, the path being relative to where the login leads
 * unless it begins with a slash, which is escaped then. */
static void make_url(struct client *client)
{
    const struct pario_transfer *tr = client->tr;
    const char *host = tr->account->host, *path = tr->remote;
    int bare6 = strchr(host, ':') != NULL && host[0] != '[';
    size_t len = sizeof(client->url);
    char port[16];

    snprintf(client->url, len, "ftp://%s", bare6 ? "[" : "");
    append(client->url, len, host, "-._~:[]");
    snprintf(port, sizeof(port), "%s:%d/", bare6 ? "]" : "",
             tr->account->port > 0 ? tr->account->port : 21);
    append(client->url, len, port, ":/]");
    if (path[0] == '/') {
        append(client->url, len, "/", "");
        path++;
    }
    append(client->url, len, path, "-._~/");
}

static int client_init(struct client *client, struct pario_transfer *tr)
{
    const struct pario_account *account = tr->account;
    const char *user = "anonymous";
    int code = 0;
    CURL *curl;

    memset(client, 0, sizeof(*client));
    client->tr = tr;
    client->fd = -1;
    if (tr->server != NULL) {
        snprintf(client->url, sizeof(client->url),
                 "ftp://127.0.0.1:%d/inbox/received", tr->server->port);
        snprintf(client->password, sizeof(client->password), "%s",
                 tr->server->password);
    } else {
        make_url(client);
        if (account->user != NULL)
            user = account->user;
        if (account->password_file != NULL)
            code = read_password(account->password_file, client->password,
                                 sizeof(client->password));
    }
    if (code != 0)
        return code;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    client->curl = curl = curl_easy_init();
    if (curl == NULL)
        return pario_fail(-ENOMEM, "cannot start libcurl");
    curl_easy_setopt(curl, CURLOPT_URL, client->url);
    curl_easy_setopt(curl, CURLOPT_USERNAME, user);
    curl_easy_setopt(curl, CURLOPT_PASSWORD, client->password);
    /* The path as it is, in one command. */
    curl_easy_setopt(curl, CURLOPT_FTP_FILEMETHOD, (long)CURLFTPMETHOD_NOCWD);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 20L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 60L);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, client->error);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, client);
    curl_easy_setopt(curl, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    curl_easy_setopt(curl, CURLOPT_CLOSESOCKETDATA, client);
    return 0;
}

static void client_fini(struct client *client)
{
    if (client->curl != NULL)
        curl_easy_cleanup(client->curl);
    client->curl = NULL;
    if (client->fd >= 0)
        close(client->fd);
    client->fd = -1;
    memset(client->password, 0, sizeof(client->password));
}

/* What went wrong, in the user's words. */
static int explain(struct client *client, CURLcode result)
{
    long response = 0;

    if (client->read_code != 0)
        return pario_fail_errno(client->read_code, "cannot read or write the "
                                                   "local file");
    curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &response);
    if (result == CURLE_LOGIN_DENIED)
        return pario_fail(-EACCES, "the FTP server refuses the login: %s",
                          client->error);
    if (response == 452 || response == 552)
        return pario_fail(-ENOSPC, "the FTP server has no space left (%ld)",
                          response);
    return pario_fail(-EIO, "the FTP transfer failed: %s (server's code %ld)",
                      client->error[0] != '\0' ? client->error
                                               : curl_easy_strerror(result),
                      response);
}

static int send_file(struct client *client)
{
    struct pario_transfer *tr = client->tr;
    CURLcode result;

    client->fd = open(tr->source, O_RDONLY | O_CLOEXEC);
    if (client->fd < 0)
        return pario_fail_errno(-errno, "cannot open %s", tr->source);
    curl_easy_setopt(client->curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(client->curl, CURLOPT_UPLOAD_BUFFERSIZE, BUFFER_BYTES);
    curl_easy_setopt(client->curl, CURLOPT_READFUNCTION, read_source);
    curl_easy_setopt(client->curl, CURLOPT_READDATA, client);
    curl_easy_setopt(client->curl, CURLOPT_INFILESIZE_LARGE,
                     (curl_off_t)tr->bytes);
    result = curl_easy_perform(client->curl);
    return result == CURLE_OK ? 0 : explain(client, result);
}

static int ftp_send(struct pario_transfer *tr)
{
    struct client client;
    double start_s;
    int code = client_init(&client, tr);

    if (code == 0) {
        start_s = pario_clock_s();
        code = send_file(&client);
        if (tr->server != NULL)
            snprintf(tr->received, sizeof(tr->received), "%s/received",
                     tr->server->inbox);
        if (code == 0 && tr->server != NULL)
            code = pario_sync_path(tr->received);
        tr->seconds = pario_clock_s() - start_s;
    }
    client_fini(&client);
    return code;
}

static int ftp_fetch(struct pario_transfer *tr)
{
    struct client client;
    CURLcode result;
    int code = client_init(&client, tr);

    if (code == 0) {
        client.fd = pario_own_open(
            tr->back, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (client.fd < 0)
            code = pario_fail_errno(-errno, "cannot create %s", tr->back);
    }
    if (code == 0) {
        curl_easy_setopt(client.curl, CURLOPT_WRITEFUNCTION, write_back);
        curl_easy_setopt(client.curl, CURLOPT_WRITEDATA, &client);
        result = curl_easy_perform(client.curl);
        if (result != CURLE_OK)
            code = explain(&client, result);
    }
    client_fini(&client);
    return code;
}

static int ftp_remove(struct pario_transfer *tr)
{
    struct curl_slist *before = NULL;
    struct client client;
    char command[4608];
    CURLcode result;
    int code = client_init(&client, tr);

    snprintf(command, sizeof(command), "DELE %s", tr->remote);
    if (code == 0) {
        before = curl_slist_append(NULL, command);
        if (before == NULL)
            code = pario_fail(-ENOMEM, "cannot start libcurl");
    }
    if (code == 0) {
        /* Nothing but the command: neither body nor listing. */
        curl_easy_setopt(client.curl, CURLOPT_QUOTE, before);
        curl_easy_setopt(client.curl, CURLOPT_NOBODY, 1L);
        client.url[strcspn(client.url + 6, "/") + 7] = '\0';
        curl_easy_setopt(client.curl, CURLOPT_URL, client.url);
        result = curl_easy_perform(client.curl);
        if (result != CURLE_OK)
            code = explain(&client, result);
    }
    client_fini(&client);
    curl_slist_free_all(before);
    return code;
}

#else

static int ftp_send(struct pario_transfer *tr)
{
    (void)tr;
    return pario_fail(PARIO_EUNAVAIL, "this build has no libcurl, which the "
                                      "FTP transfer needs (try --via scp)");
}
#define ftp_fetch ftp_send
#define ftp_remove ftp_send

#endif

const struct pario_transfer_way pario_transfer_ftp = {
    .name = "ftp",
    .client = "libcurl",
    .serve = pario_server_start_ftp,
    .send = ftp_send,
    .fetch = ftp_fetch,
    .remove = ftp_remove,
};
