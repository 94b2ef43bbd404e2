/* A table of fields: one place says it all. */
#include "result/parameters.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct values {
    int64_t file_bytes, block_bytes, panel;
    double update_frac;
    int collective, variant;
    const char *device;
    int64_t line;
};

#define AT(member) offsetof(struct values, member)
static const char *const variants[] = {"left", "right", NULL};
enum { ON_DEVICE = 1, NO_DATA = 2 };

static const struct pario_field fields[] = {
    {.name = "filesize",
     .aliases = {"data_size"},
     .type = PARIO_OPT_SIZE,
     .offset = AT(file_bytes),
     .member = "file_bytes",
     .scale = 1e6,
     .unit = " MB",
     .unless = NO_DATA},
    {.name = "blocksize",
     .type = PARIO_OPT_SIZE,
     .offset = AT(block_bytes),
     .member = "block_bytes",
     .rules = PARIO_FIELD_IF_SET,
     .min = 8,
     .max = 1e9},
    {.name = "panel",
     .type = PARIO_OPT_INT,
     .offset = AT(panel),
     .rules = PARIO_FIELD_IF_SET},
    {.name = "update_frac", .type = PARIO_OPT_REAL, .offset = AT(update_frac)},
    {.name = "collective", .type = PARIO_OPT_FLAG, .offset = AT(collective)},
    {.name = "variant",
     .type = PARIO_OPT_CHOICE,
     .offset = AT(variant),
     .label = "",
     .choices = variants},
    {.name = "device",
     .type = PARIO_OPT_STRING,
     .offset = AT(device),
     .needs = ON_DEVICE},
    {.name = "line",
     .type = PARIO_OPT_INT,
     .offset = AT(line),
     .rules = PARIO_FIELD_QUIET | PARIO_FIELD_FREE},
    {.name = NULL},
};

static const struct values one = {
    .file_bytes = 5000000, .update_frac = 0.5, .variant = 1, .line = 7};

static void test_keyword_is_found_by_any_of_its_names(void **state)
{
    struct values values = {0};

    (void)state;
    assert_ptr_equal(pario_field_find(fields, "file_Size"), &fields[0]);
    assert_ptr_equal(pario_field_find(fields, "datasize"), &fields[0]);
    assert_null(pario_field_find(fields, "files"));
    assert_int_equal(pario_field_set(&fields[1], &values, "4k", "f.in:3"), 0);
    assert_int_equal(values.block_bytes, 4096);
    assert_int_equal(pario_field_set(&fields[1], &values, "4", "f.in:3"),
                     PARIO_EUSAGE);
    assert_int_equal(pario_field_set(&fields[5], &values, "right", "x"), 0);
    assert_int_equal(values.variant, 1);
}

static void test_options_are_those_that_apply(void **state)
{
    struct pario_option options[8];

    (void)state;
    assert_int_equal(pario_fields_options(fields, NO_DATA, options, 8), 0);
    assert_string_equal(options[0].name, "blocksize");
    for (int i = 0; options[i].name != NULL; i++)
        assert_string_not_equal(options[i].name, "device");
    assert_int_not_equal(pario_fields_options(fields, ON_DEVICE, options, 8),
                         0);
}

static void test_label_names_what_is_set(void **state)
{
    struct values both = one;
    char text[128], tight[12];

    (void)state;
    assert_string_equal(
        pario_fields_label(fields, ON_DEVICE, &one, text, sizeof(text)),
        "filesize 5 MB, update_frac 0.5, right");
    both.collective = 1;
    both.device = "/dev/x";
    assert_string_equal(
        pario_fields_label(fields, ON_DEVICE, &both, text, sizeof(text)),
        "filesize 5 MB, update_frac 0.5, collective, right, device /dev/x");
    assert_string_equal(pario_fields_label(fields, ON_DEVICE, &one, tight, 12),
                        "filesize 5 ");
}

static void test_document_and_timings_have_the_same_members(void **state)
{
    json_t *object = json_object();
    char *text = NULL, *json;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    (void)state;
    assert_int_equal(pario_parameters_set(object, fields, 0, &one), 0);
    json = json_dumps(object, JSON_COMPACT);
    assert_string_equal(json, "{\"file_bytes\":5000000,\"update_frac\":0.5,"
                              "\"collective\":false,\"variant\":\"right\","
                              "\"line\":7}");
    assert_non_null(out);
    pario_fields_print(fields, 0, &one, "set_", out);
    fclose(out);
    assert_string_equal(text, "file_bytes 5000000\nset_update_frac 0.5\n"
                              "set_collective 0\nset_variant right\n"
                              "set_line 7\n");
    free(text);
    free(json);
    json_decref(object);
}

static void test_identity_leaves_out_what_is_free(void **state)
{
    struct values other = one;

    (void)state;
    other.line = 8;
    assert_true(pario_fields_equal(fields, &one, &other));
    other.device = "/dev/x";
    assert_false(pario_fields_equal(fields, &one, &other));
    other = one;
    other.update_frac = 0.25;
    assert_false(pario_fields_equal(fields, &one, &other));
    other = one;
    other.variant = 0;
    assert_false(pario_fields_equal(fields, &one, &other));
}

static void test_refuse_foreign_field_that_was_said_names_it(void **state)
{
    struct values defaults = {.file_bytes = 1, .device = NULL};
    struct values values = defaults;

    (void)state;
    assert_int_equal(
        pario_fields_refuse(fields, NO_DATA, &values, &defaults, "a test"), 0);
    values.device = "/dev/x";
    assert_int_equal(
        pario_fields_refuse(fields, NO_DATA, &values, &defaults, "a test"),
        PARIO_EUSAGE);
    assert_string_equal(pario_error_message(),
                        "--device means nothing to a test");
    assert_int_equal(
        pario_fields_refuse(fields, ON_DEVICE, &values, &defaults, "a test"),
        0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuse_foreign_field_that_was_said_names_it),
        cmocka_unit_test(test_keyword_is_found_by_any_of_its_names),
        cmocka_unit_test(test_options_are_those_that_apply),
        cmocka_unit_test(test_label_names_what_is_set),
        cmocka_unit_test(test_document_and_timings_have_the_same_members),
        cmocka_unit_test(test_identity_leaves_out_what_is_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
