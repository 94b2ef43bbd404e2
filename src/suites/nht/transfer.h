/* One file to a server, with evidence of the way it took. */
#ifndef PARIO_NHT_TRANSFER_H
#define PARIO_NHT_TRANSFER_H

#include "suites/nht/nht.h"
#include "suites/nht/server.h"

struct nht_transfer {
    const struct nht_options *opt;
    const char *source;        /* the file to send */
    const char *back;          /* --host: a copy that was fetched again */
    int64_t bytes;             /* of the file */
    struct nht_server *server; /* NULL: opt->host */
    char received[4608];       /* where the server put it, "" with --host */
    char remote[4352]; /* --host: path there; random, so that it is new */
    int began;         /* the server may have a file by now */
    double seconds;
    /* evidence */
    char local_end[80], remote_end[80]; /* of the data connection */
    int connections, foreign; /* opened; of those, not to the loopback */
};

/* Local. Sends; the time runs from before the source is opened until the
 * destination is closed and durable. */
int nht_transfer_ftp(struct nht_transfer *tr) PARIO_MUST_USE;
int nht_transfer_scp(struct nht_transfer *tr) PARIO_MUST_USE;

/* Local. Fetches tr->remote from opt->host to tr->back. */
int nht_fetch_ftp(struct nht_transfer *tr) PARIO_MUST_USE;
int nht_fetch_scp(struct nht_transfer *tr) PARIO_MUST_USE;

/* Local. Deletes tr->remote on opt->host. */
int nht_delete_ftp(struct nht_transfer *tr) PARIO_MUST_USE;
int nht_delete_scp(struct nht_transfer *tr) PARIO_MUST_USE;

#endif
