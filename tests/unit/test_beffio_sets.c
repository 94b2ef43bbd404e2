/* compare-hints: sets of hints that took turns, as a ranking and as pictures.
 */
#include "made_dir.h"
#include "report/measures.h"
#include "result/value.h"
#include "suites/beffio/beffio.h"

#include <errno.h>
#include <string.h>

#define REPETITIONS 5

static void measure_set(struct beffio_experiment *experiment,
                        struct beffio_hintset *hints, double mbps,
                        unsigned flags)
{
    experiment->processes = 2;
    experiment->hints = hints;
    for (int access = 0; access < BEFFIO_ACCESSES; access++)
        for (int type = 0; type < BEFFIO_TYPES; type++) {
            experiment->bandwidths.mbps[access][type] = mbps;
            experiment->flags[access][type] = flags;
        }
}

/* A file of hints that came from the cache, and `defaults`, twice as fast. */
static void test_ranking_won_by_defaults_names_no_file(void **state)
{
    static struct beffio beffio; /* as large as all experiments */
    char path[128], *operands[] = {path}, word[] = "pario", *words[] = {word};
    struct pario_run run = {.operands = operands, .noperands = 1};
    struct beffio_hintset *sets[2];
    json_t *document;

    (void)state;
    touch("a.hints");
    at("a.hints", path);
    assert_int_equal(beffio_hintset_read(path, 0, &sets[0]), 0);
    assert_int_equal(beffio_hintset_empty(&sets[1]), 0);
    beffio = (struct beffio){.run = &run,
                             .options = &beffio_defaults,
                             .nexperiments = 2 * REPETITIONS,
                             .block = 2};
    for (int i = 0; i < beffio.nexperiments; i++)
        measure_set(&beffio.experiment[i], sets[i % 2],
                    i % 2 == 0 ? 100 + i : 200 + i,
                    i % 2 == 0 ? PARIO_FLAG_CACHE : 0);
    at("r.json", path);
    assert_int_equal(
        pario_result_create("beffio", 1, words, path, 0, &run.result), 0);
    snprintf(path, sizeof(path), "DIR");
    beffio_rank_hints(&beffio);
    document = pario_result_document(run.result);
    assert_string_equal(
        pario_text_of(json_object_get(document, "view"), "next", ""),
        "pario -n 2 beffio DIR");
    /* A ratio has the flags of what it is made of, of both sets. */
    assert_true(pario_summary_flags(document, "hints_defaults_ratio") &
                PARIO_FLAG_CACHE);
    assert_true(pario_summary_flags(document, "hints_defaults_low") &
                PARIO_FLAG_CACHE);
    pario_result_destroy(run.result);
    beffio_hintset_destroy(sets[0]);
    beffio_hintset_destroy(sets[1]);
    sweep();
}

/* Two sizes of each set, so that one picture of it can be drawn. */
static json_t *document_of(const char *const *sets, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < 2 * count; i++) {
        int chunk = i % 2 == 0 ? 1024 : 32768;

        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:i, s:{s:i, s:i}, s:{s:s}, s:f}", "test",
                      "type0", "access", "write", "partition", 2, "pattern",
                      "l_bytes", chunk, "L_bytes", chunk, "parameters", "hints",
                      sets[i / 2], "bandwidth_mbps", (double)(i + 1)));
    }
    return json_pack("{s:{s:[s]}, s:o, s:{}}", "view", "details", "L_bytes",
                     "measures", list, "summary");
}

/* Draws the sets with a prefix of that name: each of the files is there. */
static void pictures_stay(const char *name, int force, const char *const *sets,
                          const char *const *files, size_t count)
{
    json_t *document = document_of(sets, count);
    char prefix[128];
    int code;

    at(name, prefix);
    code = beffio_plot(prefix, force, document);
    json_decref(document);
    for (size_t i = 0; code == 0 && i < count; i++)
        assert_true(exists(files[i]));
    sweep();
    if (code == PARIO_EUNAVAIL)
        skip();
    assert_int_equal(code, 0);
}

/* The name that the second set gets is the third one's own. */
static void test_pictures_of_like_names_all_stay(void **state)
{
    static const char *const sets[] = {"a/x", "b/x", "c/x-2"};
    static const char *const files[] = {"p-x-write.svg", "p-x-2-write.svg",
                                        "p-x-2-2-write.svg"};

    (void)state;
    pictures_stay("p", 1, sets, files, 3);
}

/* A name that were cut would be the same for both sets for ever. */
static void test_pictures_of_too_long_names_are_refused(void **state)
{
    char set[2][256], prefix[4061 + 1];
    const char *const sets[] = {set[0], set[1]};
    json_t *document;
    size_t n;

    (void)state;
    for (int i = 0; i < 2; i++)
        snprintf(set[i], sizeof(set[i]), "%c/%0240d", 'a' + i, 0);
    document = document_of(sets, 2);
    n = (size_t)snprintf(prefix, sizeof(prefix), "%s", dir);
    while (n < sizeof(prefix) - 1) {
        prefix[n] = n % 2 == 0 ? '/' : '.';
        n++;
    }
    prefix[n] = '\0';
    assert_int_equal(beffio_plot(prefix, 1, document), -ENAMETOOLONG);
    json_decref(document);
    sweep();
}

/* A file's name is bytes: two sets of one name have two pictures. */
static void test_pictures_of_a_prefix_without_utf8_all_stay(void **state)
{
    static const char *const sets[] = {"a/x", "b/x"};
    static const char *const files[] = {"\xff-x-write.svg",
                                        "\xff-x-2-write.svg"};

    (void)state;
    pictures_stay("\xff", 0, sets, files, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_ranking_won_by_defaults_names_no_file,
                               make_dir),
        cmocka_unit_test_setup(test_pictures_of_like_names_all_stay, make_dir),
        cmocka_unit_test_setup(test_pictures_of_too_long_names_are_refused,
                               make_dir),
        cmocka_unit_test_setup(test_pictures_of_a_prefix_without_utf8_all_stay,
                               make_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
