/* Notes between janitors: whose are read, and that none is waited for. */
#include "core/loss.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/pario-test-loss-XXXXXX";
static char recorded[PARIO_REASON_LEN];

static void record(const char *document, const char *begun, const char *reason)
{
    (void)document;
    (void)begun;
    snprintf(recorded, sizeof(recorded), "%s", reason);
}

static const struct pario_loss_hooks hooks = {.record = record};

static void put(const char *name, const char *text)
{
    FILE *out = fopen(name, "w");

    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

/* What rank 0's janitor writes down after a SIGTERM. */
static const char *report(void)
{
    struct pario_loss loss = {.rank = 0,
                              .document = "r.json",
                              .reason = "the run was ended by SIGTERM"};
    struct pario_owned tree = {.kind = PARIO_OWNED_TREE, .parent = -1};

    tree.fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(tree.fd >= 0);
    recorded[0] = '\0';
    pario_loss_hooks_set(&hooks);
    alarm(30);
    pario_loss_report(&loss, &tree);
    alarm(0);
    close(tree.fd);
    return recorded;
}

/* Names that come before and after the note's own. */
static void test_pipes_and_links_among_the_notes_are_passed_over(void **state)
{
    (void)state;
    put("elsewhere", "a lie");
    assert_int_equal(mkfifo(".killed-0", 0600), 0);
    assert_int_equal(symlink("elsewhere", ".killed-2"), 0);
    assert_int_equal(mkdir(".killed-4", 0700), 0);
    assert_int_equal(mkfifo(".killed-9", 0600), 0);
    put(".killed-1", "the process of rank 1 was killed");
    assert_string_equal(report(), "the process of rank 1 was killed");
}

static void test_notes_of_somebody_else_are_passed_over(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    put(".killed-1", "a lie");
    assert_int_equal(chown(".killed-1", 12345, 12345), 0);
    assert_string_equal(report(), "the run was ended by SIGTERM");
}

static int enter(void **state)
{
    (void)state;
    strcpy(directory + strlen(directory) - 6, "XXXXXX");
    return mkdtemp(directory) == NULL || chdir(directory) != 0;
}

static int leave(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", directory);
    return chdir("/") != 0 || system(command) != 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_pipes_and_links_among_the_notes_are_passed_over),
        TEST(test_notes_of_somebody_else_are_passed_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
