/*
 * A private server on the loopback interface: vsftpd or sshd, started for one
 * transfer with secrets of its own, stopped and forgotten afterwards.
 */
#ifndef PARIO_APPS_SERVER_H
#define PARIO_APPS_SERVER_H

#include "core/error.h"

#include <sys/types.h>

struct pario_server {
    pid_t pid; /* 0: not running; leads a process group of its own */
    int port;
    char directory[4224]; /* configuration, secrets and log; private */
    char inbox[4352];     /* where files arrive, seen from outside */
    char password[40];    /* ftp */
    char key[4352];       /* scp: the client's key file */
    char known_hosts[4352];
    char log[4352];
    int made_run_sshd;
};

/*
 * Local. Starts vsftpd on 127.0.0.1 with the files below parent; program: its
 * path, NULL for the usual places; port 0: a free one. The server takes one
 * user with a random password and nobody else, and serves one directory.
 */
int pario_server_start_ftp(struct pario_server *server, const char *parent,
                           const char *program, int port) PARIO_MUST_USE;

/* Local. The same with sshd and a key pair made for the occasion. */
int pario_server_start_ssh(struct pario_server *server, const char *parent,
                           const char *program, int port) PARIO_MUST_USE;

/* Local. Ends the server with all its processes. */
void pario_server_stop(struct pario_server *server);

/* Local. Runs a program to its end, output to the file log (NULL: nowhere).
 * Its exit status is in *status_p. argv[0] is searched in PATH. */
int pario_run_program(char *const argv[], const char *log,
                      int *status_p) PARIO_MUST_USE;

/* Local. The full name of a program: as given, or in PATH or sbin. */
int pario_find_program(const char *given, const char *name, char *buf,
                       size_t len) PARIO_MUST_USE;

/* Local. A name as ssh's configuration and sftp's commands read it: in quotes,
 * with escapes; percent: % stands for itself only when doubled. */
void pario_ssh_quote(const char *name, int percent, char *buf, size_t len);

/* Local. The end of a text file, for messages; "" if there is none. */
void pario_read_tail(const char *path, char *buf, size_t len);

#endif
