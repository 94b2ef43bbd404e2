/* sys/mounts.c - /proc/self/mountinfo (proc(5)):
 * 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=... */
#include "sys/mounts.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Container layers make the longest lines: up to a page of options. */
#define OPTIONS_LEN 8192

int pario_mount_field(const char **pos_p, char *buf, size_t len)
{
    const char *pos = *pos_p + strspn(*pos_p, " ");
    size_t n = 0;

    if (*pos == '\0' || *pos == '\n')
        return 0;
    while (*pos != '\0' && *pos != ' ' && *pos != '\n') {
        int c = (unsigned char)*pos++;

        if (c == '\\' && strspn(pos, "01234567") >= 3) {
            c = (pos[0] - '0') * 64 + (pos[1] - '0') * 8 + (pos[2] - '0');
            pos += 3;
        }
        if (n + 1 < len)
            buf[n++] = (char)c;
    }
    buf[n] = '\0';
    *pos_p = pos;
    return 1;
}

int pario_mount_has_option(const char *options, const char *option)
{
    size_t len = strlen(option);

    for (const char *pos = options; *pos != '\0';) {
        size_t n = strcspn(pos, ",");

        if (n == len && strncmp(pos, option, n) == 0)
            return 1;
        pos += n;
        pos += *pos == ',';
    }
    return 0;
}

int pario_mount_option(const char *options, const char *key, char *buf,
                       size_t len)
{
    size_t keylen = strlen(key);

    for (const char *pos = options; *pos != '\0';) {
        size_t n = strcspn(pos, ",");

        if (n > keylen && strncmp(pos, key, keylen) == 0 &&
            pos[keylen] == '=' && n - keylen <= len) {
            memcpy(buf, pos + keylen + 1, n - keylen - 1);
            buf[n - keylen - 1] = '\0';
            return 0;
        }
        pos += n;
        pos += *pos == ',';
    }
    return -ENOENT;
}

/* Adds those of the comma-separated options that are not there yet. */
static void add_options(char *options, size_t room, char *more)
{
    char *save = NULL;

    for (char *option = strtok_r(more, ",", &save); option != NULL;
         option = strtok_r(NULL, ",", &save)) {
        size_t len = strlen(options);

        if (pario_mount_has_option(options, option) ||
            len + strlen(option) + 2 > room)
            continue;
        snprintf(options + len, room - len, "%s%s", len > 0 ? "," : "", option);
    }
}

/* "8:1" */
static int device_numbers(const char *text, struct pario_mount *mount)
{
    char *end;

    mount->major = (unsigned)strtoul(text, &end, 10);
    if (end == text || *end != ':')
        return PARIO_EFORMAT;
    text = end + 1;
    mount->minor = (unsigned)strtoul(text, &end, 10);
    return end == text || *end != '\0' ? PARIO_EFORMAT : 0;
}

/* A bare "fuse" whose source is "mfs#host:9421" (the program's name, as in
 * fstab): "fuse.mfs". */
static void name_fuse(struct pario_mount *mount)
{
    size_t len = strcspn(mount->source, "#/:");

    if (strcmp(mount->type, "fuse") == 0 && len > 0 &&
        mount->source[len] == '#' && len + 6 <= sizeof mount->type)
        snprintf(mount->type, sizeof mount->type, "fuse.%.*s", (int)len,
                 mount->source);
}

int pario_mount_parse(const char *line, struct pario_mount *mount_p)
{
    struct pario_mount mount = {.options = ""};
    char skip[64], device[32], super[OPTIONS_LEN] = "";
    int ok = pario_mount_field(&line, skip, sizeof skip) &&
             pario_mount_field(&line, skip, sizeof skip) &&
             pario_mount_field(&line, device, sizeof device) &&
             pario_mount_field(&line, mount.root, sizeof mount.root) &&
             pario_mount_field(&line, mount.point, sizeof mount.point) &&
             pario_mount_field(&line, mount.options, sizeof mount.options);

    do {
        ok = ok && pario_mount_field(&line, skip, sizeof skip);
    } while (ok && strcmp(skip, "-") != 0);
    ok = ok && pario_mount_field(&line, mount.type, sizeof mount.type) &&
         pario_mount_field(&line, mount.source, sizeof mount.source);
    if (!ok || device_numbers(device, &mount) != 0)
        return PARIO_EFORMAT;
    name_fuse(&mount);
    if (pario_mount_field(&line, super, sizeof super))
        add_options(mount.options, sizeof mount.options, super);
    *mount_p = mount;
    return 0;
}

static int holds(const char *point, const char *path)
{
    size_t len = strlen(point);

    if (len > 0 && point[len - 1] == '/')
        len--; /* the root */
    return strncmp(point, path, len) == 0 &&
           (path[len] == '/' || path[len] == '\0');
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');

    return end != NULL ? end + 1 : line + strlen(line);
}

int pario_mount_find(const char *mountinfo, const char *path,
                     struct pario_mount *mount_p)
{
    struct pario_mount mount;
    size_t best = 0;

    for (const char *line = mountinfo; *line != '\0'; line = next_line(line)) {
        if (pario_mount_parse(line, &mount) != 0 || !holds(mount.point, path))
            continue;
        if (strlen(mount.point) >= best) {
            best = strlen(mount.point);
            *mount_p = mount;
        }
    }
    return best > 0 ? 0 : -ENOENT;
}

int pario_mount_find_type(const char *mountinfo, const char *type,
                          const char *option, struct pario_mount *mount_p)
{
    struct pario_mount mount;

    for (const char *line = mountinfo; *line != '\0'; line = next_line(line)) {
        if (pario_mount_parse(line, &mount) != 0 ||
            strcmp(mount.type, type) != 0)
            continue;
        if (option == NULL || pario_mount_has_option(mount.options, option)) {
            *mount_p = mount;
            return 0;
        }
    }
    return -ENOENT;
}
