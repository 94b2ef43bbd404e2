/* The words that start a job, for the launchers that people have. */
#include "launch/launcher.h"
#include "pario_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* All words but the last, which is this program, with blanks between. */
static const char *words_with(const char *launcher)
{
    static char line[8192];
    static struct pario_words words;
    size_t used = 0;

    if (launcher != NULL)
        setenv("PARIO_MPIRUN", launcher, 1);
    else
        unsetenv("PARIO_MPIRUN");
    assert_int_equal(pario_launcher_words(&words, "3"), 0);
    unsetenv("PARIO_MPIRUN");
    line[0] = '\0';
    for (int i = 0; i + 1 < words.count; i++)
        used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s",
                                 i > 0 ? " " : "", words.word[i]);
    assert_non_null(strstr(words.word[words.count - 1], "test_launcher"));
    assert_null(words.word[words.count]);
    return line;
}

static void test_schedulers_get_their_own_words(void **state)
{
    (void)state;
    assert_string_equal(words_with("srun"),
                        "srun -n 3 --overcommit --overlap --quiet "
                        "--kill-on-bad-exit=1");
    assert_string_equal(
        words_with("/opt/slurm/bin/srun --mpi=pmix -p fast"),
        "/opt/slurm/bin/srun --mpi=pmix -p fast -n 3 --overcommit --overlap "
        "--quiet --kill-on-bad-exit=1");
    assert_string_equal(words_with("flux"),
                        "flux run -n 3 -o cpu-affinity=off");
    assert_string_equal(words_with("flux run -o mpi=none"),
                        "flux run -o mpi=none -n 3 -o cpu-affinity=off");
    assert_string_equal(words_with("aprun"), "aprun -n 3 -q");
}

/* Open MPI's flags are nothing for srun, and srun's nothing for it. */
static void test_other_names_are_the_library_s(void **state)
{
    const char *line = words_with("/opt/mpi/bin/mpiexec");

    (void)state;
    assert_null(strstr(line, "--overcommit"));
    assert_int_equal(strstr(line, "--oversubscribe") != NULL,
                     strlen(PARIO_MPI_SLOT_FLAGS) > 0);
    assert_int_equal(strstr(line, "--allow-run-as-root") != NULL,
                     strlen(PARIO_MPI_ROOT_FLAGS) > 0 && geteuid() == 0);
}

static void test_no_name_is_the_configured_launcher(void **state)
{
    (void)state;
    assert_int_equal(
        strncmp(words_with(NULL), PARIO_MPIRUN, strlen(PARIO_MPIRUN)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedulers_get_their_own_words),
        cmocka_unit_test(test_other_names_are_the_library_s),
        cmocka_unit_test(test_no_name_is_the_configured_launcher),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
