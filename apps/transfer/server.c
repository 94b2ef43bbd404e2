/* Private servers on the loopback interface. */
#include "apps/transfer/server.h"

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/storage.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A server is up within a fraction of this. */
#define START_S 10
#define PORT_TRIES 5
/* Debian's sshd wants this directory, which its service makes. */
#define SSHD_DIRECTORY "/run/sshd"

int pario_find_program(const char *given, const char *name, char *buf,
                       size_t len)
{
    const char *path = getenv("PATH");
    char all[4096];
    char *rest = all, *dir;

    if (given != NULL) {
        snprintf(buf, len, "%s", given);
        if (access(buf, X_OK) != 0)
            return pario_fail_errno(-errno, "cannot run %s", given);
        return 0;
    }
    snprintf(all, sizeof(all), "%s:/usr/sbin:/usr/local/sbin:/sbin",
             path != NULL ? path : "/usr/bin:/bin");
    while ((dir = strsep(&rest, ":")) != NULL) {
        snprintf(buf, len, "%s/%s", dir, name);
        if (dir[0] == '/' && access(buf, X_OK) == 0)
            return 0;
    }
    return pario_fail(PARIO_EUNAVAIL,
                      "%s is not installed here: install it (Debian: "
                      "apt-get install %s) or name it with --server",
                      name,
                      strcmp(name, "vsftpd") == 0 ? name : "openssh-server");
}

void pario_read_tail(const char *path, char *buf, size_t len)
{
    FILE *file = fopen(path, "r");
    size_t got = 0;

    if (file != NULL) {
        if (fseek(file, -(long)(len - 1), SEEK_END) != 0)
            rewind(file);
        got = fread(buf, 1, len - 1, file);
        fclose(file);
    }
    buf[got] = '\0';
    while (got > 0 && (buf[got - 1] == '\n' || buf[got - 1] == '\r'))
        buf[--got] = '\0';
    for (size_t i = 0; i < got; i++)
        if (buf[i] == '\n' || buf[i] == '\r')
            buf[i] = ' ';
}

/* In the child: output to log, a group of its own, gone with its parent. */
static void become(char *const argv[], const char *log, pid_t parent)
{
    int out = log != NULL
                  ? pario_own_open(log, O_WRONLY | O_CREAT | O_APPEND, 0600)
                  : pario_own_open("/dev/null", O_WRONLY, 0);
    int in = open("/dev/null", O_RDONLY);

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || in < 0 || out < 0)
        _exit(127);
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    pario_close_from(3);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    execvp(argv[0], argv);
    _exit(127);
}

static int spawn(char *const argv[], const char *log, pid_t *pid_p)
{
    pid_t parent = getpid(), pid = fork();

    if (pid < 0)
        return pario_fail_errno(-errno, "cannot start %s", argv[0]);
    if (pid == 0)
        become(argv, log, parent);
    *pid_p = pid;
    return 0;
}

int pario_run_program(char *const argv[], const char *log, int *status_p)
{
    pid_t pid = 0;
    int status = 0, code = spawn(argv, log, &pid);

    if (code != 0)
        return code;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return pario_fail_errno(-errno, "cannot wait for %s", argv[0]);
    *status_p = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return 0;
}

static struct sockaddr_in loopback(int port)
{
    struct sockaddr_in addr = {.sin_family = AF_INET};

    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    addr.sin_port = htons((uint16_t)port);
    return addr;
}

/* A port nobody listens on; or the one asked for, if it is free. */
static int free_port(int wanted, int *port_p)
{
    struct sockaddr_in addr = loopback(wanted);
    socklen_t len = sizeof(addr);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1, code = 0;

    if (fd < 0)
        return pario_fail_errno(-errno, "cannot open a socket");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) != 0 ||
        listen(fd, 1) != 0 ||
        getsockname(fd, (struct sockaddr *)&addr, &len) != 0)
        code =
            pario_fail_errno(-errno, "cannot use port %d of 127.0.0.1", wanted);
    else
        *port_p = ntohs(addr.sin_port);
    close(fd);
    return code;
}

static int answers(int port)
{
    struct sockaddr_in addr = loopback(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), ok;

    if (fd < 0)
        return 0;
    ok = connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0;
    close(fd);
    return ok;
}

/* Until it answers, or has ended. */
static int wait_until_up(struct pario_server *server, const char *program)
{
    double end_s = pario_clock_s() + START_S;
    struct timespec pause = {.tv_nsec = 10000000};
    char tail[300];

    while (pario_clock_s() < end_s) {
        if (waitpid(server->pid, NULL, WNOHANG) == server->pid) {
            server->pid = 0;
            pario_read_tail(server->log, tail, sizeof(tail));
            return pario_fail(PARIO_EUNAVAIL, "%s did not start: %s", program,
                              tail[0] != '\0' ? tail : "it says nothing");
        }
        if (answers(server->port))
            return 0;
        nanosleep(&pause, NULL);
    }
    pario_server_stop(server);
    return pario_fail(-ETIMEDOUT, "%s does not answer on port %d", program,
                      server->port);
}

void pario_server_stop(struct pario_server *server)
{
    if (server->pid > 0) {
        kill(-server->pid, SIGTERM);
        kill(server->pid, SIGTERM);
        for (int i = 0; i < 100; i++) {
            struct timespec pause = {.tv_nsec = 10000000};

            if (waitpid(server->pid, NULL, WNOHANG) == server->pid) {
                server->pid = 0;
                break;
            }
            nanosleep(&pause, NULL);
        }
        if (server->pid > 0) {
            kill(-server->pid, SIGKILL);
            kill(server->pid, SIGKILL);
            waitpid(server->pid, NULL, 0);
            server->pid = 0;
        }
    }
    if (server->made_run_sshd) {
        rmdir(SSHD_DIRECTORY);
        pario_cleanup_forget(SSHD_DIRECTORY);
    }
    server->made_run_sshd = 0;
    memset(server->password, 0, sizeof(server->password));
}

/* What was made in the run's directory, whatever has its name by now: root
 * gives away nothing else. owner: NULL stays the same. */
static int set_mode(const char *path, mode_t mode, const struct passwd *owner)
{
    int fd = pario_own_open(path,
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    int code = 0;

    if (fd < 0 ||
        (owner != NULL && fchown(fd, owner->pw_uid, owner->pw_gid) != 0) ||
        fchmod(fd, mode) != 0)
        code = pario_fail_errno(-errno, "cannot make %s", path);
    if (fd >= 0)
        close(fd);
    return code;
}

static int make_directory(const char *path, mode_t mode,
                          const struct passwd *owner)
{
    if (pario_own_mkdir(path, 0700) != 0)
        return pario_fail_errno(-errno, "cannot make %s", path);
    return set_mode(path, mode, owner);
}

/* Local. A new file with this text, readable by its owner only. */
static int write_text(const char *path, const char *text)
{
    int fd =
        pario_own_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t len = strlen(text);
    int code = 0;

    if (fd < 0 || write(fd, text, len) != (ssize_t)len)
        code = pario_fail_errno(-errno, "cannot write %s", path);
    if (fd >= 0)
        close(fd);
    return code;
}

static int make_password(char *text, size_t len)
{
    unsigned char bytes[16];

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return pario_fail_errno(-errno, "cannot make a password");
    for (size_t i = 0; i < sizeof(bytes) && 2 * i + 2 < len; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

/*
 * vsftpd's anonymous user with a list of accepted passwords: no account and
 * no PAM are needed. Its root may not be writable, hence the inbox below it.
 */
static int configure_ftp(struct pario_server *server, const char *conf)
{
    const char *dir = server->directory;
    const struct passwd *ftp = getpwnam("ftp");
    int as_root = geteuid() == 0;
    char path[4352], text[16384];
    int code;

    if (as_root && ftp == NULL)
        return pario_fail(PARIO_EUNAVAIL,
                          "vsftpd run by root needs the user 'ftp' (Debian's "
                          "package makes it)");
    snprintf(path, sizeof(path), "%s/root", dir);
    code = make_directory(path, 0755, NULL);
    snprintf(server->inbox, sizeof(server->inbox), "%s/root/inbox", dir);
    if (code == 0)
        code = make_directory(server->inbox, 0700, as_root ? ftp : NULL);
    /* Only root's vsftpd shuts itself in there, and only root can remove
     * what is in a directory without write permission. */
    if (code == 0 && as_root)
        code = set_mode(path, 0555, NULL);
    snprintf(path, sizeof(path), "%s/empty", dir);
    if (code == 0)
        code = make_directory(path, 0555, NULL);
    if (code == 0)
        code = make_password(server->password, sizeof(server->password));
    snprintf(path, sizeof(path), "%s/passwords", dir);
    snprintf(text, sizeof(text), "%s\n", server->password);
    if (code == 0)
        code = write_text(path, text);
    snprintf(text, sizeof(text),
             "listen=YES\nlisten_address=127.0.0.1\nlisten_port=%d\n"
             "background=NO\nmax_clients=4\nanonymous_enable=YES\n"
             "local_enable=NO\nsecure_email_list_enable=YES\n"
             "email_password_file=%s/passwords\nanon_root=%s/root\n"
             "write_enable=YES\nanon_upload_enable=YES\nanon_umask=022\n"
             "secure_chroot_dir=%s/empty\nrun_as_launching_user=%s\n"
             "pasv_enable=YES\npasv_address=127.0.0.1\nport_enable=NO\n"
             "connect_from_port_20=NO\nseccomp_sandbox=NO\n"
             "xferlog_enable=NO\nuse_sendfile=YES\n",
             server->port, dir, dir, dir, as_root ? "NO" : "YES");
    return code != 0 ? code : write_text(conf, text);
}

static int begin(struct pario_server *server, const char *parent,
                 const char *name, int port)
{
    memset(server, 0, sizeof(*server));
    snprintf(server->directory, sizeof(server->directory), "%s/%s", parent,
             name);
    snprintf(server->log, sizeof(server->log), "%s/log", server->directory);
    /* Others may pass through (vsftpd's user must) but not look around. */
    if (make_directory(server->directory, 0711, NULL) != 0)
        return -EIO;
    return free_port(port, &server->port);
}

int pario_server_start_ftp(struct pario_server *server, const char *parent,
                           const char *program, int port)
{
    char full[4096], conf[4352], name[16];
    int code = -EADDRINUSE;

    for (int i = 0; i < (port > 0 ? 1 : PORT_TRIES) && code != 0; i++) {
        char *argv[] = {full, conf, NULL};

        snprintf(name, sizeof(name), "ftp%d", i);
        code = pario_find_program(program, "vsftpd", full, sizeof(full));
        if (code != 0)
            return code;
        code = begin(server, parent, name, port);
        if (code != 0)
            return code;
        snprintf(conf, sizeof(conf), "%s/vsftpd.conf", server->directory);
        code = configure_ftp(server, conf);
        if (code == 0)
            code = spawn(argv, server->log, &server->pid);
        if (code != 0)
            return code;
        /* Another process may have taken the port meanwhile: once more. */
        code = wait_until_up(server, full);
    }
    return code;
}

static int make_key(const char *path)
{
    char name[] = "ssh-keygen", q[] = "-q", t[] = "-t", type[] = "ed25519";
    char n[] = "-N", none[] = "", f[] = "-f", file[4352];
    char *argv[] = {name, q, t, type, n, none, f, file, NULL};
    int status = 0, code;

    snprintf(file, sizeof(file), "%s", path);
    code = pario_run_program(argv, NULL, &status);
    if (code == 0 && status != 0)
        code = pario_fail(PARIO_EUNAVAIL, "ssh-keygen cannot make a key");
    return code;
}

/* known_hosts: the host's public key for the address we connect to. */
static int trust_host(struct pario_server *server)
{
    char path[4352], key[1024], line[1200];

    snprintf(path, sizeof(path), "%s/host.pub", server->directory);
    pario_read_tail(path, key, sizeof(key));
    snprintf(line, sizeof(line), "[127.0.0.1]:%d %s\n", server->port, key);
    snprintf(server->known_hosts, sizeof(server->known_hosts), "%s/known_hosts",
             server->directory);
    return write_text(server->known_hosts, line);
}

void pario_ssh_quote(const char *name, int percent, char *buf, size_t len)
{
    size_t at = 0;

    buf[at++] = '"';
    for (; *name != '\0' && at + 4 < len; name++) {
        if (*name == '"' || *name == '\\')
            buf[at++] = '\\';
        if (*name == '%' && percent)
            buf[at++] = '%';
        buf[at++] = *name;
    }
    buf[at++] = '"';
    buf[at] = '\0';
}

static int configure_ssh(struct pario_server *server, const char *conf)
{
    const char *dir = server->directory;
    char path[4352], host_key[8448], client_key[8448], text[20480];
    int code;

    snprintf(server->inbox, sizeof(server->inbox), "%s/inbox", dir);
    code = make_directory(server->inbox, 0700, NULL);
    snprintf(path, sizeof(path), "%s/host", dir);
    if (code == 0)
        code = make_key(path);
    if (code == 0)
        code = trust_host(server);
    snprintf(server->key, sizeof(server->key), "%s/client", dir);
    if (code == 0)
        code = make_key(server->key);
    pario_ssh_quote(path, 0, host_key, sizeof(host_key));
    snprintf(path, sizeof(path), "%s/client.pub", dir);
    pario_ssh_quote(path, 1, client_key, sizeof(client_key));
    snprintf(text, sizeof(text),
             "Port %d\nListenAddress 127.0.0.1\nHostKey %s\n"
             "AuthorizedKeysFile %s\nStrictModes no\nUsePAM no\n"
             "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
             "PermitRootLogin prohibit-password\nPidFile none\n"
             "LogLevel VERBOSE\nX11Forwarding no\nAllowTcpForwarding no\n"
             "Subsystem sftp internal-sftp\nForceCommand internal-sftp\n",
             server->port, host_key, client_key);
    return code != 0 ? code : write_text(conf, text);
}

int pario_server_start_ssh(struct pario_server *server, const char *parent,
                           const char *program, int port)
{
    char full[4096], conf[4352], d[] = "-D", e[] = "-e", f[] = "-f";
    char *argv[] = {full, d, e, f, conf, NULL};
    int code = pario_find_program(program, "sshd", full, sizeof(full));

    memset(server, 0, sizeof(*server));
    if (code == 0)
        code = begin(server, parent, "ssh", port);
    if (code != 0)
        return code;
    snprintf(conf, sizeof(conf), "%s/sshd_config", server->directory);
    code = configure_ssh(server, conf);
    if (code == 0 && geteuid() == 0 && access(SSHD_DIRECTORY, F_OK) != 0) {
        code = pario_cleanup_make_folder(SSHD_DIRECTORY);
        server->made_run_sshd = code == 0;
    }
    if (code == 0)
        code = spawn(argv, server->log, &server->pid);
    if (code == 0)
        code = wait_until_up(server, full);
    if (code != 0)
        pario_server_stop(server);
    return code;
}
