/* report/history.c - the database of runs: open, add, list, load. */
#include "report/history.h"
#include "core/beneath.h"
#include "core/output.h"
#include "report/history_parts.h"
#include "report/measures.h"
#include "report/quantity.h"
#include "report/table_parts.h"
#include "result/result.h"
#include "result/workload.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define APPLICATION 0x70617269 /* "pari" */
#define SCHEMA 1
#define MAX_TEXT (64 << 20) /* bytes of a document */
#define WAIT_MS 10000       /* for another process that writes */
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const char schema[] =
    "CREATE TABLE lines (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE,"
    " name TEXT NOT NULL);"
    "CREATE TABLE facts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, line INTEGER NOT NULL,"
    " started INTEGER NOT NULL, started_utc TEXT NOT NULL, suite TEXT NOT NULL,"
    " status TEXT NOT NULL, file TEXT NOT NULL, facts INTEGER NOT NULL,"
    " key TEXT NOT NULL UNIQUE);"
    "CREATE TABLE names (line INTEGER NOT NULL, figure TEXT NOT NULL,"
    " name TEXT NOT NULL, headline INTEGER NOT NULL, place INTEGER NOT NULL,"
    " PRIMARY KEY (line, figure)) WITHOUT ROWID;"
    "CREATE TABLE figures (line INTEGER NOT NULL, figure TEXT NOT NULL,"
    " started INTEGER NOT NULL, run INTEGER NOT NULL, value REAL NOT NULL,"
    " flags INTEGER NOT NULL, valid INTEGER NOT NULL,"
    " PRIMARY KEY (line, figure, started, run)) WITHOUT ROWID;"
    "CREATE TABLE documents (run INTEGER PRIMARY KEY, text TEXT NOT NULL);"
    "PRAGMA application_id = 1885434473;"
    "PRAGMA user_version = 1;";

int pario_history_fail(const struct pario_history *history, const char *what)
{
    int code = sqlite3_errcode(history->db);

    if (code == SQLITE_NOTADB)
        return pario_fail(PARIO_EFORMAT,
                          "%s is no history: it is no SQLite file",
                          history->path);
    if (code == SQLITE_NOMEM)
        return pario_fail_errno(-ENOMEM, "%s", what);
    return pario_fail(-EIO, "cannot %s %s: %s", what, history->path,
                      sqlite3_errmsg(history->db));
}

int pario_history_prepare(const struct pario_history *history, const char *sql,
                          sqlite3_stmt **statement_p)
{
    if (sqlite3_prepare_v2(history->db, sql, -1, statement_p, NULL) !=
        SQLITE_OK)
        return pario_history_fail(history, "read");
    return 0;
}

int pario_history_step(const struct pario_history *history,
                       sqlite3_stmt *statement)
{
    int code = sqlite3_step(statement);

    if (code == SQLITE_ROW)
        return 1;
    return code == SQLITE_DONE ? 0 : pario_history_fail(history, "use");
}

const char *pario_history_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);

    return text != NULL ? (const char *)text : "";
}

static int number_of(const struct pario_history *history, const char *sql,
                     int64_t *number_p)
{
    sqlite3_stmt *statement = NULL;
    int code = pario_history_prepare(history, sql, &statement);

    if (code == 0)
        code = pario_history_step(history, statement);
    if (code > 0)
        *number_p = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return code < 0 ? code : 0;
}

static int run_sql(const struct pario_history *history, const char *sql)
{
    if (sqlite3_exec(history->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return pario_history_fail(history, "write");
    return 0;
}

/* All that a database is made of, in order. */
#define MADE_OF                                                                \
    "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master "       \
    "ORDER BY type, name"

static int same_row(sqlite3_stmt *a, sqlite3_stmt *b)
{
    for (int i = 0; i < 4; i++)
        if (strcmp(pario_history_text(a, i), pario_history_text(b, i)) != 0)
            return 0;
    return 1;
}

/* Letter by letter what this program makes? Views, triggers, virtual tables,
 * computed columns, conditions: whatever else is in it might run. */
static int is_ours(const struct pario_history *history, int *ours_p)
{
    struct pario_history plain = {.path = history->path};
    sqlite3_stmt *here = NULL, *there = NULL;
    int mine = 1, theirs = 1, code = 0;

    if (sqlite3_open_v2(":memory:", &plain.db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY,
                        NULL) != SQLITE_OK)
        code = pario_history_fail(&plain, "read");
    if (code == 0)
        code = run_sql(&plain, schema);
    if (code == 0)
        code = pario_history_prepare(&plain, MADE_OF, &here);
    if (code == 0)
        code = pario_history_prepare(history, MADE_OF, &there);
    *ours_p = 1;
    while (code == 0 && *ours_p && mine > 0) {
        mine = pario_history_step(&plain, here);
        theirs = pario_history_step(history, there);
        code = mine < 0 ? mine : theirs < 0 ? theirs : 0;
        *ours_p = mine == theirs && (mine <= 0 || same_row(here, there));
    }
    sqlite3_finalize(here);
    sqlite3_finalize(there);
    (void)sqlite3_close(plain.db);
    return code;
}

/* Ours, empty, or of others? */
static int check_schema(const struct pario_history *history, int writable)
{
    int64_t application = 0, version = 0, tables = 0;
    int ours = 1,
        code =
            number_of(history, "SELECT count(*) FROM sqlite_master", &tables);

    if (code == 0)
        code = number_of(history, "PRAGMA application_id", &application);
    if (code == 0)
        code = number_of(history, "PRAGMA user_version", &version);
    if (code != 0)
        return code;
    if (tables == 0 && application == 0 && writable)
        return run_sql(history, schema);
    if (application != APPLICATION)
        return pario_fail(PARIO_EFORMAT,
                          tables == 0
                              ? "%s is empty: `pario history add` fills it"
                              : "%s is no history: an SQLite file of another "
                                "program",
                          history->path);
    if (version > SCHEMA)
        return pario_fail(PARIO_EFORMAT,
                          "%s was written by a newer pario: its schema is "
                          "%" PRId64 ", and this one knows %d",
                          history->path, version, SCHEMA);
    code = is_ours(history, &ours);
    if (code == 0 && !ours)
        code = pario_fail(PARIO_EFORMAT,
                          "%s is no history of ours: it has views, triggers, "
                          "or tables that this program does not make, which "
                          "may do anything",
                          history->path);
    return code;
}

static int open_database(struct pario_history *history, int flags)
{
    if (sqlite3_open_v2(history->path, &history->db, flags, NULL) != SQLITE_OK)
        return pario_fail(-EIO, "cannot open the history %s: %s%s",
                          history->path, sqlite3_errmsg(history->db),
                          flags == SQLITE_OPEN_READONLY
                              ? " (`pario history add` makes it)"
                              : "");
    return 0;
}

/* What SQLite would take for its own journal, and remove: is it one? */
static int check_journal(const char *path, const char *ending)
{
    static const unsigned char journal[] = {0xd9, 0xd5, 0x05, 0xf9,
                                            0x20, 0xa1, 0x63, 0xd7};
    static const unsigned char ahead[] = {0x37, 0x7f, 0x06};
    unsigned char first[sizeof(journal)] = {0};
    char name[PATH_MAX];
    struct stat st;
    ssize_t n = 0;
    int fd, good = 0;

    snprintf(name, sizeof(name), "%s%s", path, ending);
    fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        n = read(fd, first, sizeof(first));
        good = n == 0 || memcmp(first, journal, sizeof(journal)) == 0 ||
               memcmp(first, ahead, sizeof(ahead)) == 0;
    }
    if (fd >= 0)
        close(fd);
    return good ? 0
                : pario_fail(-EEXIST,
                             "%s would be taken for a journal of %s and "
                             "removed: it is something else, move it away",
                             name, path);
}

/* SQLite opens by name: it must be the file that core/output.c has made or
 * found, no link and nothing that has taken its place meanwhile. */
static int open_to_write(struct pario_history *history)
{
    struct pario_identity before = {0}, after = {0};
    int fd = -1, moved = 1;
    int code = check_journal(history->path, "-journal");

    if (code == 0)
        code = check_journal(history->path, "-wal");
    if (code == 0)
        code = pario_output_shared(history->path, &fd);
    if (code != 0)
        return code;
    code = pario_identity_get(fd, "", &before);
    close(fd); /* before SQLite locks it: POSIX locks go with any close */
    if (code != 0)
        return pario_fail_errno(code, "cannot write %s", history->path);
    code = open_database(history, SQLITE_OPEN_READWRITE);
    if (code == 0 &&
        (pario_identity_get(AT_FDCWD, history->path, &after) != 0 ||
         sqlite3_file_control(history->db, "main", SQLITE_FCNTL_HAS_MOVED,
                              &moved) != SQLITE_OK ||
         moved || !pario_identity_same(&before, &after)))
        code = pario_fail(-ESTALE,
                          "cannot write %s: something has taken the place of "
                          "the file",
                          history->path);
    return code;
}

int pario_history_open(const char *path, int writable,
                       struct pario_history **history_p)
{
    struct pario_history *history = calloc(1, sizeof(*history));
    int code;

    if (history != NULL)
        history->path = strdup(path);
    if (history == NULL || history->path == NULL) {
        free(history);
        return pario_fail_errno(-ENOMEM, "history");
    }
    code = writable ? open_to_write(history)
                    : open_database(history, SQLITE_OPEN_READONLY);
    if (code == 0) { /* whoever made it: nothing in it is run */
        (void)sqlite3_db_config(history->db, SQLITE_DBCONFIG_DEFENSIVE, 1,
                                NULL);
        (void)sqlite3_db_config(history->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0,
                                NULL);
        (void)sqlite3_db_config(history->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0,
                                NULL);
        (void)sqlite3_db_config(history->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0,
                                NULL);
        (void)sqlite3_limit(history->db, SQLITE_LIMIT_LENGTH, 2 * MAX_TEXT);
        (void)sqlite3_busy_timeout(history->db, WAIT_MS);
        code = check_schema(history, writable);
    }
    if (code != 0) {
        pario_history_close(history);
        return code;
    }
    *history_p = history;
    return 0;
}

void pario_history_close(struct pario_history *history)
{
    if (history == NULL)
        return;
    (void)sqlite3_close(history->db);
    free(history->path);
    free(history);
}

/* "Open MPI 4.1.4" -> "Open MPI": an update stays on the line. */
static json_t *library_of(const json_t *system)
{
    const char *mpi = json_string_value(json_object_get(system, "mpi"));
    size_t len = mpi != NULL ? strcspn(mpi, "0123456789") : 0;

    while (len > 0 && mpi[len - 1] == ' ')
        len--;
    return json_stringn(mpi != NULL ? mpi : "", len);
}

/* What two runs must have alike to be on one line. */
static json_t *identity_of(const json_t *document)
{
    const json_t *system = json_object_get(document, "system");
    const json_t *details = json_object_get(system, "filesystem_details");

    return json_pack(
        "{s:O, s:o, s:O*, s:O*, s:O*, s:O*, s:O*, s:o}", "suite",
        json_object_get(document, "suite"), "workload",
        pario_workload_value(document), "host", json_object_get(system, "host"),
        "target", json_object_get(details, "target"), "filesystem",
        json_object_get(system, "filesystem"), "nodes",
        json_object_get(system, "nodes"), "processes",
        json_object_get(system, "processes"), "mpi", library_of(system));
}

static const char *text_in(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL ? text : "";
}

/* "quick, /scratch (ext4) on n17, 4 processes, Open MPI"; the caller frees it,
 * NULL: no memory. */
static char *line_name(const json_t *identity)
{
    const char *target = text_in(identity, "target");
    const char *filesystem = text_in(identity, "filesystem");
    const char *host = text_in(identity, "host"),
               *mpi = text_in(identity, "mpi");
    json_int_t n = json_integer_value(json_object_get(identity, "processes"));
    char *text = NULL;

    if (asprintf(&text,
                 "%s%s%s%s%s%s%s%s, %" JSON_INTEGER_FORMAT " process%s%s%s",
                 text_in(identity, "suite"), target[0] != '\0' ? ", " : "",
                 target, filesystem[0] != '\0' ? " (" : "", filesystem,
                 filesystem[0] != '\0' ? ")" : "",
                 host[0] != '\0' ? " on " : "", host, n, n == 1 ? "" : "es",
                 mpi[0] != '\0' && strcmp(mpi, "none") != 0 ? ", " : "",
                 strcmp(mpi, "none") != 0 ? mpi : "") < 0)
        return NULL;
    return text;
}

/* The part of a document that says how it was made, without what is another
 * one each time. */
static json_t *facts_of(const json_t *document)
{
    static const char *const members[] = {"suite",           "system",
                                          "options",         "tool",
                                          "hints_requested", "hints_in_force"};
    json_t *facts = json_object(), *details;

    for (size_t i = 0; i < COUNT(members); i++) {
        json_t *value = json_object_get(document, members[i]);

        if (value != NULL &&
            json_object_set_new(facts, members[i], json_deep_copy(value)) != 0)
            goto err_free;
    }
    details =
        json_object_get(json_object_get(facts, "system"), "filesystem_details");
    (void)json_object_del(details, "free_bytes");
    return facts;

err_free:
    json_decref(facts);
    return NULL;
}

static int no_memory(void)
{
    return pario_fail_errno(-ENOMEM, "history");
}

/* The number of a text in a table that has it once, added where it is new.
 * more: a second column of that table. */
static int number_of_text(const struct pario_history *history,
                          const char *insert, const char *find,
                          const char *text, const char *more, int64_t *id_p)
{
    sqlite3_stmt *statement = NULL;
    int code = pario_history_prepare(history, insert, &statement);

    if (code == 0) {
        (void)sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
        if (more != NULL)
            (void)sqlite3_bind_text(statement, 2, more, -1, SQLITE_STATIC);
        code = pario_history_step(history, statement);
    }
    sqlite3_finalize(statement);
    statement = NULL;
    if (code == 0)
        code = pario_history_prepare(history, find, &statement);
    if (code == 0) {
        (void)sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
        code = pario_history_step(history, statement);
        if (code > 0)
            *id_p = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    return code < 0 ? code : 0;
}

static int add_line(const struct pario_history *history, const json_t *document,
                    int64_t *line_p)
{
    json_t *identity = identity_of(document);
    char *text = identity != NULL
                     ? json_dumps(identity, JSON_SORT_KEYS | JSON_COMPACT)
                     : NULL;
    char *name = identity != NULL ? line_name(identity) : NULL;
    void (*json_free)(void *);
    int code = text != NULL && name != NULL ? 0 : no_memory();

    json_get_alloc_funcs(NULL, &json_free);
    if (code == 0)
        code = number_of_text(
            history,
            "INSERT OR IGNORE INTO lines (identity, name) VALUES (?, ?)",
            "SELECT id FROM lines WHERE identity = ?", text, name, line_p);
    json_free(text);
    free(name);
    json_decref(identity);
    return code;
}

static int add_facts(const struct pario_history *history,
                     const json_t *document, int64_t *facts_p)
{
    json_t *facts = facts_of(document);
    char *text =
        facts != NULL ? json_dumps(facts, JSON_SORT_KEYS | JSON_COMPACT) : NULL;
    void (*json_free)(void *);
    int code = text != NULL ? 0 : no_memory();

    json_get_alloc_funcs(NULL, &json_free);
    if (code == 0)
        code = number_of_text(
            history, "INSERT OR IGNORE INTO facts (text) VALUES (?)",
            "SELECT id FROM facts WHERE text = ?", text, NULL, facts_p);
    json_free(text);
    json_decref(facts);
    return code;
}

static int64_t seconds_of(const char *utc)
{
    struct tm tm = {0};

    return strptime(utc, "%Y-%m-%dT%H:%M:%SZ", &tm) != NULL ? timegm(&tm) : 0;
}

static int is_valid(const json_t *document)
{
    return json_is_true(json_object_get(document, "valid"));
}

/* Is the figure in the answer of the document's view? Where none of them is (an
 * old document, a suite that did a part of its work), all are headlines. */
static int is_headline(const json_t *document, const char *figure)
{
    const json_t *lines =
        json_object_get(json_object_get(document, "view"), "answer");
    const json_t *summary = json_object_get(document, "summary");
    const json_t *line, *cell;
    int answered = 0;
    size_t i, k;

    json_array_foreach(lines, i, line)
    {
        json_array_foreach(json_object_get(line, "figures"), k, cell)
        {
            if (strcmp(text_in(cell, "figure"), figure) == 0)
                return 1;
            answered |= json_is_number(
                json_object_get(summary, text_in(cell, "figure")));
        }
    }
    return !answered;
}

/* The numbers that a run's rows have in common. */
struct place {
    int64_t run, line, facts, started;
};

static int add_name(const struct pario_history *history,
                    const struct place *place, const json_t *document,
                    const char *figure, int64_t number)
{
    sqlite3_stmt *statement = NULL;
    char *name = pario_headline_name(document, figure);
    int code = name != NULL
                   ? pario_history_prepare(
                         history,
                         "INSERT OR REPLACE INTO names (line, figure, name, "
                         "headline, place) VALUES (?, ?, ?, ?, ?)",
                         &statement)
                   : no_memory();

    if (code == 0) {
        (void)sqlite3_bind_int64(statement, 1, place->line);
        (void)sqlite3_bind_text(statement, 2, figure, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(statement, 3, name, -1, SQLITE_STATIC);
        (void)sqlite3_bind_int(statement, 4, is_headline(document, figure));
        (void)sqlite3_bind_int64(statement, 5, number);
        code = pario_history_step(history, statement);
    }
    sqlite3_finalize(statement);
    free(name);
    return code;
}

static int add_figures(const struct pario_history *history,
                       const struct place *place, const json_t *document)
{
    json_t *summary = json_object_get(document, "summary");
    sqlite3_stmt *statement = NULL;
    const char *figure;
    const json_t *value;
    int64_t number = 0;
    int code = pario_history_prepare(
        history,
        "INSERT INTO figures (line, figure, started, run, value, flags, valid) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        &statement);

    json_object_foreach(summary, figure, value)
    {
        if (code != 0 || !json_is_number(value))
            continue;
        (void)sqlite3_reset(statement);
        (void)sqlite3_bind_int64(statement, 1, place->line);
        (void)sqlite3_bind_text(statement, 2, figure, -1, SQLITE_STATIC);
        (void)sqlite3_bind_int64(statement, 3, place->started);
        (void)sqlite3_bind_int64(statement, 4, place->run);
        (void)sqlite3_bind_double(statement, 5, json_number_value(value));
        (void)sqlite3_bind_int(statement, 6,
                               (int)pario_summary_flags(document, figure));
        (void)sqlite3_bind_int(statement, 7, is_valid(document));
        code = pario_history_step(history, statement);
        if (code == 0)
            code = add_name(history, place, document, figure, number++);
    }
    sqlite3_finalize(statement);
    return code;
}

/* 1: added, 0: it was there; *run_p either way. */
static int add_run(const struct pario_history *history, const char *file,
                   const json_t *document, const char *key, struct place *place)
{
    sqlite3_stmt *statement = NULL;
    int code = pario_history_prepare(
        history,
        "INSERT OR IGNORE INTO runs (line, started, started_utc, suite, status,"
        " file, facts, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        &statement);

    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(statement, 1, place->line);
    (void)sqlite3_bind_int64(statement, 2, place->started);
    (void)sqlite3_bind_text(statement, 3, text_in(document, "started_utc"), -1,
                            SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 4, text_in(document, "suite"), -1,
                            SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 5, pario_document_status(document), -1,
                            SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 6, file, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(statement, 7, place->facts);
    (void)sqlite3_bind_text(statement, 8, key, -1, SQLITE_STATIC);
    code = pario_history_step(history, statement);
    if (code == 0 && sqlite3_changes(history->db) > 0) {
        place->run = sqlite3_last_insert_rowid(history->db);
        code = 1;
    }
    sqlite3_finalize(statement);
    return code;
}

static int add_text(const struct pario_history *history, int64_t run,
                    const char *text)
{
    sqlite3_stmt *statement = NULL;
    int code = pario_history_prepare(
        history, "INSERT INTO documents (run, text) VALUES (?, ?)", &statement);

    if (code == 0) {
        (void)sqlite3_bind_int64(statement, 1, run);
        (void)sqlite3_bind_text(statement, 2, text, -1, SQLITE_STATIC);
        code = pario_history_step(history, statement);
    }
    sqlite3_finalize(statement);
    return code;
}

/* 1: added, 0: the same document is there already. */
static int add_all(const struct pario_history *history, const char *file,
                   const json_t *document, const char *text,
                   struct place *place)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    char key[96];
    int code, added = 0;

    for (const char *c = text; *c != '\0'; c++) /* FNV-1a */
        hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    snprintf(key, sizeof(key), "%.40s %016" PRIx64,
             text_in(document, "started_utc"), hash);
    place->started = seconds_of(text_in(document, "started_utc"));
    code = add_line(history, document, &place->line);
    if (code == 0)
        code = add_facts(history, document, &place->facts);
    if (code == 0) {
        added = add_run(history, file, document, key, place);
        code = added < 0 ? added : 0;
    }
    if (code == 0 && added > 0)
        code = add_figures(history, place, document);
    if (code == 0 && added > 0)
        code = add_text(history, place->run, text);
    return code == 0 ? added : code;
}

int pario_history_add(struct pario_history *history, const char *file,
                      const json_t *document, int64_t *run_p, int *added_p)
{
    char *text = json_dumps(document, JSON_COMPACT), message[1024];
    struct place place = {0};
    void (*json_free)(void *);
    int code = 0;

    if (text == NULL)
        return no_memory();
    json_get_alloc_funcs(NULL, &json_free);
    if (strlen(text) > MAX_TEXT)
        code = pario_fail(-EFBIG,
                          "%s: %zu MiB are too large for the history, which "
                          "keeps whole documents of up to %d MiB",
                          file, strlen(text) >> 20, MAX_TEXT >> 20);
    if (code == 0)
        code = run_sql(history, "BEGIN IMMEDIATE");
    if (code == 0) {
        code = add_all(history, file, document, text, &place);
        snprintf(message, sizeof(message), "%s", pario_error_message());
        if (code < 0) {
            (void)sqlite3_exec(history->db, "ROLLBACK", NULL, NULL, NULL);
            pario_error_replace(message);
        } else {
            *added_p = code > 0;
            *run_p = place.run;
            code = run_sql(history, "COMMIT");
        }
    }
    json_free(text);
    return code;
}

int pario_history_list(struct pario_history *history, int64_t most, FILE *out,
                       enum pario_format format)
{
    static const char *const headers[] = {"run",  "date",   "line",
                                          "what", "status", "file"};
    struct pario_table *table = NULL;
    sqlite3_stmt *statement = NULL;
    int code = pario_history_prepare(
        history,
        "SELECT * FROM (SELECT runs.id, started_utc, line, name, status, file,"
        " started FROM runs JOIN lines ON lines.id = runs.line"
        " ORDER BY started DESC, runs.id DESC LIMIT ?)"
        " ORDER BY started, id",
        &statement);

    if (code == 0)
        code = pario_table_create(COUNT(headers), headers, &table);
    if (code == 0) {
        (void)sqlite3_bind_int64(statement, 1, most > 0 ? most : -1);
        while ((code = pario_history_step(history, statement)) > 0)
            for (int i = 0; i < (int)COUNT(headers); i++)
                (void)pario_table_cell(table, "%s",
                                       pario_history_text(statement, i));
    }
    sqlite3_finalize(statement);
    if (code == 0)
        code = pario_table_render(table, out, format);
    pario_table_destroy(table);
    return code;
}

int pario_history_load(struct pario_history *history, int64_t run,
                       json_t **document_p)
{
    sqlite3_stmt *statement = NULL;
    char name[512];
    int code = pario_history_prepare(
        history, "SELECT text FROM documents WHERE run = ?", &statement);

    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(statement, 1, run);
    code = pario_history_step(history, statement);
    snprintf(name, sizeof(name), "%.400s, run %" PRId64, history->path, run);
    if (code > 0) {
        const char *text = pario_history_text(statement, 0);

        code = pario_result_parse(name, text, strlen(text), document_p);
    } else if (code == 0) {
        code = pario_fail(PARIO_EUSAGE,
                          "%s has no run %" PRId64 " (`pario history list`)",
                          history->path, run);
    }
    sqlite3_finalize(statement);
    return code;
}
