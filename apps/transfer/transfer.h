/* One file to a server, with evidence of the way it took. */
#ifndef PARIO_APPS_TRANSFER_H
#define PARIO_APPS_TRANSFER_H

#include "apps/transfer/server.h"

#include <stdint.h>

/* A machine that has a server already. */
struct pario_account {
    const char *host, *user, *password_file; /* user: NULL, the usual one */
    int port;                                /* 0: the usual one */
};

struct pario_transfer {
    const struct pario_account *account; /* where server is NULL */
    const char *source;                  /* the file to send */
    const char *back; /* account: the copy that was fetched again */
    int64_t bytes;    /* of the file */
    struct pario_server *server;
    char received[4608]; /* where the server put it, "" with account */
    char remote[4352];   /* account: path there; random, so that it is new */
    int began;           /* the server may have a file by now */
    double seconds;
    /* evidence */
    char local_end[80], remote_end[80]; /* of the data connection */
    int connections, foreign; /* opened; of those, not to the loopback */
};

/* A program that moves files; each call is local. */
struct pario_transfer_way {
    const char *name;   /* as the user types it: "ftp" */
    const char *client; /* the program */
    /* A private server below parent; program: its path, NULL: the usual. */
    int (*serve)(struct pario_server *server, const char *parent,
                 const char *program, int port);
    /* The time runs from before the source is opened until the destination is
     * closed and durable. */
    int (*send)(struct pario_transfer *tr);
    int (*fetch)(struct pario_transfer *tr);  /* remote to back */
    int (*remove)(struct pario_transfer *tr); /* remote */
};

extern const struct pario_transfer_way pario_transfer_ftp, pario_transfer_scp;

#endif
