/* sys/stripe.c - stripe layouts by type of file system. */
#include "sys/stripe.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

/* Lustre's lov_user_md (lustre_user.h), in the node's byte order. */
#define LOV_MAGIC_V1 0x0BD10BD0u
#define LOV_MAGIC_V3 0x0BD30BD0u
#define LOV_MAGIC_COMP 0x0BD60BD0u
#define LOV_STRIPE_SIZE_AT 24
#define LOV_STRIPE_COUNT_AT 28
#define LOV_PLAIN_LEN 32
#define LOV_COMP_COUNT_AT 14 /* of entries */
#define LOV_COMP_HEADER_LEN 32
#define LOV_COMP_ENTRY_LEN 48
#define LOV_COMP_ENTRY_OFFSET_AT 24 /* in an entry: where its layout is */
#define LOV_ALL_STRIPES 0xffffu

static uint32_t u32_at(const unsigned char *value, size_t at)
{
    uint32_t word;

    memcpy(&word, value + at, sizeof word);
    return word;
}

static uint16_t u16_at(const unsigned char *value, size_t at)
{
    uint16_t word;

    memcpy(&word, value + at, sizeof word);
    return word;
}

static int parse_plain(const unsigned char *value, size_t len,
                       struct pario_stripe *stripe_p)
{
    uint32_t magic = len >= LOV_PLAIN_LEN ? u32_at(value, 0) : 0;
    uint32_t bytes;
    unsigned count;

    if (magic != LOV_MAGIC_V1 && magic != LOV_MAGIC_V3)
        return PARIO_EFORMAT;
    bytes = u32_at(value, LOV_STRIPE_SIZE_AT);
    count = u16_at(value, LOV_STRIPE_COUNT_AT);
    /* 0 stands for the default of the file system, which is not reported here.
     */
    stripe_p->bytes = bytes > 0 ? (int64_t)bytes : -1;
    stripe_p->count = count > 0 && count != LOV_ALL_STRIPES ? (int)count : -1;
    return 0;
}

int pario_stripe_parse_lov(const void *value, size_t len,
                           struct pario_stripe *stripe_p)
{
    const unsigned char *bytes = value;
    size_t entries, at, layout;

    if (len < LOV_PLAIN_LEN)
        return PARIO_EFORMAT;
    if (u32_at(bytes, 0) != LOV_MAGIC_COMP)
        return parse_plain(bytes, len, stripe_p);
    entries = u16_at(bytes, LOV_COMP_COUNT_AT);
    if (entries == 0 ||
        LOV_COMP_HEADER_LEN + entries * LOV_COMP_ENTRY_LEN > len)
        return PARIO_EFORMAT;
    at = LOV_COMP_HEADER_LEN + (entries - 1) * LOV_COMP_ENTRY_LEN;
    layout = u32_at(bytes, at + LOV_COMP_ENTRY_OFFSET_AT);
    if (layout > len)
        return PARIO_EFORMAT;
    return parse_plain(bytes + layout, len - layout, stripe_p);
}

/* The positive number after name in "name=1 other=2"; -1: none. */
static long long value_of(const char *text, const char *name)
{
    const char *found = strstr(text, name);
    long long number;
    char *end;

    if (found == NULL)
        return -1;
    found += strlen(name);
    number = strtoll(found, &end, 10);
    return end != found && number > 0 ? number : -1;
}

int pario_stripe_parse_ceph(const char *value, struct pario_stripe *stripe_p)
{
    long long bytes = value_of(value, "stripe_unit=");
    long long count = value_of(value, "stripe_count=");

    if (bytes < 0 || count < 0 || count > INT_MAX)
        return PARIO_EFORMAT;
    stripe_p->bytes = bytes;
    stripe_p->count = (int)count;
    return 0;
}

static void lustre_stripe(const char *path, struct pario_stripe *stripe)
{
    char value[8192];
    ssize_t len = getxattr(path, "lustre.lov", value, sizeof value);
    struct pario_stripe found;

    if (len > 0 && pario_stripe_parse_lov(value, (size_t)len, &found) == 0)
        *stripe = found;
}

static void ceph_stripe(const char *path, struct pario_stripe *stripe)
{
    static const char *const names[] = {"ceph.file.layout", "ceph.dir.layout"};
    struct pario_stripe found;

    for (size_t i = 0; i < 2; i++) {
        char value[1024];
        ssize_t len = getxattr(path, names[i], value, sizeof value - 1);

        if (len <= 0)
            continue;
        value[len] = '\0';
        if (pario_stripe_parse_ceph(value, &found) == 0)
            *stripe = found;
    }
}

/* GPFS stripes by its block size over all disks of the pool. */
static void gpfs_stripe(const char *path, struct pario_stripe *stripe)
{
    struct statvfs vfs;

    if (statvfs(path, &vfs) == 0 && vfs.f_bsize > 0)
        stripe->bytes = (int64_t)vfs.f_bsize;
}

void pario_stripe_get(const char *type, const char *path,
                      struct pario_stripe *stripe_p)
{
    static const struct {
        const char *type;
        void (*get)(const char *path, struct pario_stripe *stripe);
    } ways[] = {
        {"lustre", lustre_stripe},
        {"cephfs", ceph_stripe},
        {"gpfs", gpfs_stripe},
    };

    *stripe_p = (struct pario_stripe){-1, -1};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(type, ways[i].type) == 0)
            ways[i].get(path, stripe_p);
}
