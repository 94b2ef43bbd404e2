/* analysis/page_lanes.c - the times of calls as the page's script wants them:
 * base64 of integers inside a <script> element. */
#include "analysis/page_raw.h"

#include "report/page_parts.h"

#include <string.h>

#define SHORT_LANE 16384 /* samples */
#define CHUNK 3072       /* bytes that are encoded at once; a multiple of 3 */

static void put_base64(FILE *out, const unsigned char *bytes, size_t len)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[CHUNK / 3 * 4];
    size_t used = 0;

    for (size_t i = 0; i < len; i += 3) {
        unsigned v = (unsigned)bytes[i] << 16;

        v |= i + 1 < len ? (unsigned)bytes[i + 1] << 8 : 0;
        v |= i + 2 < len ? bytes[i + 2] : 0;
        text[used++] = digits[v >> 18];
        text[used++] = digits[v >> 12 & 63];
        text[used++] = (char)(i + 1 < len ? digits[v >> 6 & 63] : '=');
        text[used++] = (char)(i + 2 < len ? digits[v & 63] : '=');
    }
    fwrite(text, 1, used, out);
}

/* Nanoseconds as little-endian 32-bit integers, or doubles where wide. */
static void put_times(FILE *out, const int64_t *ns, size_t count, int wide)
{
    unsigned char bytes[CHUNK];
    size_t used = 0, each = wide ? 8 : 4;

    putc('"', out);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = (uint64_t)ns[i];

        if (wide) {
            double value = (double)ns[i];

            memcpy(&bits, &value, sizeof(bits));
        }
        for (size_t k = 0; k < each; k++)
            bytes[used++] = (unsigned char)(bits >> (8 * k));
        if (used == CHUNK) {
            put_base64(out, bytes, used);
            used = 0;
        }
    }
    put_base64(out, bytes, used);
    putc('"', out);
}

static void put_levels(FILE *out, const struct pario_lane *lane, int wide)
{
    /* Of a short exact lane the page makes them itself. */
    int count =
        lane->exact != NULL && lane->count <= SHORT_LANE ? 0 : lane->nlevels;

    fputs(",\"levels\":[", out);
    for (int i = 0; i < count; i++) {
        const struct pario_band *band = &lane->level[i];

        fprintf(out, "%s{\"width\":%lld,\"low\":", i > 0 ? "," : "",
                (long long)band->width);
        put_times(out, band->low, band->count, wide);
        fputs(",\"median\":", out);
        put_times(out, band->median, band->count, wide);
        fputs(",\"high\":", out);
        put_times(out, band->high, band->count, wide);
        putc('}', out);
    }
    fputs("]", out);
}

static void put_lane(FILE *out, const struct pario_lane *lane)
{
    int wide = lane->max_ns > UINT32_MAX;

    char name[96];

    snprintf(name, sizeof(name), "process %d (%.64s)", lane->rank,
             lane->keyword);
    fputs("{\"name\":", out);
    pario_page_put_string(out, name);
    fprintf(out, ",\"first\":%lld,\"count\":%lld,\"wide\":%s,\"exact\":",
            (long long)lane->first, (long long)lane->count,
            wide ? "true" : "false");
    if (lane->exact != NULL)
        put_times(out, lane->exact, (size_t)lane->count, wide);
    else
        fputs("null", out);
    put_levels(out, lane, wide);
}

int pario_page_put_lanes(FILE *out, const char *title,
                         const struct pario_lanes *lanes)
{
    static const struct pario_timings_block nothing = {.nprocs = 1};
    struct pario_figure *spread = NULL;
    int code = pario_distribution_figure(&nothing, lanes, &spread);

    if (code != 0)
        return code;
    fputs("\"title\":", out);
    pario_page_put_string(out, title);
    fputs(",\"lanes\":[", out);
    for (size_t i = 0; i < lanes->count; i++) {
        if (i > 0)
            putc(',', out);
        put_lane(out, &lanes->items[i]);
        if (i < spread->nseries && lanes->items[i].exact == NULL) {
            fputs(",\"distribution\":", out);
            pario_page_put_curve(out, &spread->series[i]);
        }
        putc('}', out);
    }
    fputs("]", out);
    pario_figure_destroy(spread);
    return 0;
}
