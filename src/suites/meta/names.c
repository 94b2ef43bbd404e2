/* suites/meta/names.c - names from numbers. */
#include "suites/meta/names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* By hand: snprintf would be a tenth of the time of a stat. */
static char *put_number(char *text, int64_t number)
{
    char digits[24];
    int n = 0;

    do
        digits[n++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (n > 0)
        *text++ = digits[--n];
    *text = '\0';
    return text;
}

void meta_names_init(struct meta_names *names, const struct meta_case *what,
                     int rank, const char *tag)
{
    int shared = what->layout == META_SHARED;

    *names = (struct meta_names){.what = what, .leaves = 1};
    for (int64_t i = 0; what->layout == META_TREE && i < what->depth; i++)
        names->leaves *= what->width;
    for (int which = 0; which < 2; which++)
        snprintf(names->text[which], META_NAME_LEN,
                 shared ? "c%d.all/" : "c%d.p%d/", what->number, rank);
    names->folder_len = strlen(names->text[0]);
    if (shared)
        snprintf(names->stem, sizeof(names->stem), "%s%d.", tag, rank);
    else
        snprintf(names->stem, sizeof(names->stem), "%s", tag);
    names->stem_len = strlen(names->stem);
}

/* "t3/t0/": the digits of the leaf's number, to base width. */
static char *put_leaf(const struct meta_names *names, char *text, int64_t leaf)
{
    int64_t above = names->leaves;

    if (names->what->layout != META_TREE)
        return text;
    for (int64_t i = 0; i < names->what->depth; i++) {
        above /= names->what->width;
        *text++ = 't';
        text = put_number(text, leaf / above);
        *text++ = '/';
        leaf %= above;
    }
    return text;
}

const char *meta_name(struct meta_names *names, int which, enum meta_kind kind,
                      int64_t i)
{
    char *text = names->text[which] + names->folder_len;

    text = put_leaf(names, text, i % names->leaves);
    *text++ = (char)kind;
    memcpy(text, names->stem, names->stem_len);
    put_number(text + names->stem_len, i);
    return names->text[which];
}

const char *meta_folder(struct meta_names *names, int64_t leaf)
{
    char *end;

    memcpy(names->folder, names->text[0], names->folder_len);
    end = put_leaf(names, names->folder + names->folder_len, leaf);
    end[-1] = '\0';
    return names->folder;
}

/* All directories on the way to a leaf. */
static int make_path(int dir, char *path)
{
    for (char *slash = strchr(path, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        int code = 0;

        *slash = '\0';
        if (mkdirat(dir, path, 0777) != 0 && errno != EEXIST)
            code =
                pario_fail_errno(-errno, "cannot make the directory %s", path);
        *slash = '/';
        if (code != 0)
            return code;
    }
    return 0;
}

int meta_names_make(struct meta_names *names, int dir, int first)
{
    char path[META_NAME_LEN];
    int code = 0;

    if (names->what->layout == META_SHARED && !first)
        return 0;
    for (int64_t leaf = 0; code == 0 && leaf < names->leaves; leaf++) {
        snprintf(path, sizeof(path), "%s/", meta_folder(names, leaf));
        code = make_path(dir, path);
    }
    return code;
}

uint64_t meta_name_hash(const char *base)
{
    uint64_t hash = 14695981039346656037U;

    for (; *base != '\0'; base++)
        hash = (hash ^ (unsigned char)*base) * 1099511628211U;
    return hash;
}
