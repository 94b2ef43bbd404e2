/* result/measure.c - one measure as JSON. */
#include "result/measure.h"
#include "core/units.h"
#include "result/value.h"
#include <errno.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    double share;
} percentiles[] = {
    {"p50", 0.5},
    {"p90", 0.9},
    {"p99", 0.99},
    {"p999", 0.999},
};

static json_t *latency_value(const struct pario_hist *hist)
{
    json_t *value = json_object();

    for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
        if (json_object_set_new(value, percentiles[i].name,
                                json_integer(pario_hist_percentile(
                                    hist, percentiles[i].share))) != 0)
            goto err_free;
    if (json_object_set_new(value, "max", json_integer(hist->max)) ||
        json_object_set_new(value, "min", json_integer(hist->min)) ||
        json_object_set_new(
            value, "mean",
            pario_json_real((double)hist->sum / (double)hist->count)))
        goto err_free;
    return value;

err_free:
    json_decref(value);
    return NULL;
}

/* The least value of a bucket with all but the four leading bits cut off: an
 * eighth of an octave and more is one bucket in the document. */
static int64_t coarse_low(size_t bucket)
{
    const size_t sub = (size_t)1 << PARIO_HIST_SUB_BITS;
    uint64_t low = bucket < sub
                       ? bucket
                       : (uint64_t)(bucket % sub + sub) << (bucket / sub - 1);
    int msb = low > 0 ? 63 - __builtin_clzll(low) : 0;

    return (int64_t)(msb > 3 ? low >> (msb - 3) << (msb - 3) : low);
}

/* How the times of the calls are spread: {"low_ns": [...], "calls": [...]},
 * the buckets that are not empty by their least value. */
static json_t *histogram_value(const struct pario_hist *hist)
{
    json_t *lows = json_array(), *calls = json_array();
    int64_t low = -1, count = 0;

    for (size_t i = 0; i <= PARIO_HIST_BUCKETS; i++) {
        if (i < PARIO_HIST_BUCKETS && hist->bucket[i] == 0)
            continue;
        if (count > 0 && (i == PARIO_HIST_BUCKETS || coarse_low(i) != low)) {
            (void)json_array_append_new(lows, json_integer(low));
            (void)json_array_append_new(calls, json_integer(count));
            count = 0;
        }
        if (i < PARIO_HIST_BUCKETS) {
            low = coarse_low(i);
            count += hist->bucket[i];
        }
    }
    return json_pack("{s:o, s:o}", "low_ns", lows, "calls", calls);
}

static json_t *verify_value(const struct pario_measure *measure)
{
    return json_pack("{s:I, s:I, s:b}", "checked_bytes",
                     (json_int_t)measure->checked_bytes, "errors",
                     (json_int_t)measure->errors, "off", measure->verify_off);
}

static int warn_not_finite(struct pario_result *result,
                           const struct pario_measure *measure,
                           const char *what)
{
    return pario_result_warn(result, "test %s, %s, %d processes: %s",
                             measure->test,
                             measure->access != NULL ? measure->access : "-",
                             measure->partition, what);
}

/* Bytes over no time, or over NaN, is no bandwidth. */
static int bandwidth_value(struct pario_result *result,
                           const struct pario_measure *measure,
                           json_t **value_p)
{
    double seconds = measure->seconds;
    int code = 0;

    *value_p = NULL;
    if (isfinite(seconds) && seconds > 0) {
        *value_p = pario_json_real(pario_mbps(measure->bytes, seconds));
        return *value_p != NULL ? 0 : -ENOMEM;
    }
    if (!isfinite(seconds))
        code = warn_not_finite(result, measure, "the time is not a number");
    else if (measure->bytes > 0 && measure->error == NULL)
        code = warn_not_finite(result, measure,
                               "no time passed, so there is no bandwidth");
    if (code == 0)
        *value_p = json_null();
    return code;
}

/* Members that not every measure has. */
static int set_optional(json_t *value, const struct pario_measure *measure)
{
    if (measure->latency != NULL && measure->latency->count > 0 &&
        (json_object_set_new(value, "latency_ns",
                             latency_value(measure->latency)) ||
         json_object_set_new(value, "latency_histogram",
                             histogram_value(measure->latency))))
        return -1;
    if (measure->first_done_s >= 0 && isfinite(measure->first_done_s) &&
        json_object_set_new(value, "first_done_s",
                            json_real(measure->first_done_s)))
        return -1;
    if (measure->last_done_s >= 0 && isfinite(measure->last_done_s) &&
        json_object_set_new(value, "last_done_s",
                            json_real(measure->last_done_s)))
        return -1;
    return 0;
}

/* Bytes that the devices below saw of what was moved; null: not visible. */
static json_t *device_value(const struct pario_measure *measure)
{
    const struct pario_seen *seen = measure->seen;
    int64_t written = seen->device_written_bytes;
    int64_t read = seen->device_read_bytes;

    if (written < 0 || read < 0)
        return json_null();
    if (measure->access != NULL && strcmp(measure->access, "read") == 0)
        return json_integer(read);
    if (measure->access != NULL && (strcmp(measure->access, "write") == 0 ||
                                    strcmp(measure->access, "rewrite") == 0))
        return json_integer(written);
    return json_integer(read + written);
}

static json_t *seen_number(int64_t number)
{
    return number >= 0 ? json_integer(number) : json_null();
}

/* Only what is so is said. */
static int set_fact(json_t *value, const char *name, int fact)
{
    return fact ? json_object_set_new(value, name, json_true()) : 0;
}

static int set_seen(json_t *value, const struct pario_measure *measure)
{
    const struct pario_seen *seen = measure->seen;

    if (seen == NULL)
        return 0;
    return set_fact(value, "unsynced", seen->unsynced) ||
           set_fact(value, "scattered", seen->scattered) ||
           json_object_set_new(value, "device_bytes", device_value(measure)) ||
           json_object_set_new(
               value, "device",
               json_pack("{s:o, s:o, s:o}", "read_bytes",
                         seen_number(seen->device_read_bytes), "written_bytes",
                         seen_number(seen->device_written_bytes), "busy_ms",
                         seen_number(seen->device_busy_ms))) ||
           json_object_set_new(value, "resident_before_bytes",
                               seen_number(seen->resident_bytes)) ||
           json_object_set_new(value, "pause_s",
                               pario_json_real(seen->pause_s)) ||
           json_object_set_new(value, "unseen_s",
                               pario_json_real(seen->unseen_s));
}

/* After everything that they are made of. */
static int set_flags(json_t *value, const struct pario_measure *measure)
{
    return json_object_set_new(
        value, "flags",
        pario_flags_json(pario_flags_of_measure(value) | measure->flags));
}

static int set_name(json_t *value, const struct pario_measure *measure)
{
    if (json_object_set_new(value, "test", pario_json_text(measure->test)))
        return -1;
    if (measure->pattern != NULL &&
        json_object_set(value, "pattern", measure->pattern))
        return -1;
    if (measure->parameters != NULL &&
        json_object_set(value, "parameters", measure->parameters))
        return -1;
    return json_object_set_new(value, "access",
                               pario_json_text(measure->access)) ||
           json_object_set_new(value, "partition",
                               json_integer(measure->partition));
}

int pario_measure_build(struct pario_result *result,
                        const struct pario_measure *measure, json_t **value_p)
{
    json_t *value = json_object(), *bandwidth;
    int code = bandwidth_value(result, measure, &bandwidth);

    if (code != 0 || value == NULL || set_name(value, measure) ||
        json_object_set_new(value, "bytes", json_integer(measure->bytes)) ||
        json_object_set_new(value, "seconds",
                            pario_json_real(measure->seconds)) ||
        json_object_set(value, "bandwidth_mbps", bandwidth) ||
        json_object_set_new(value, "operations",
                            json_integer(measure->operations)) ||
        set_optional(value, measure) ||
        json_object_set_new(value, "verify", verify_value(measure)) ||
        json_object_set_new(value, "cache",
                            json_string(pario_cache_names[measure->cache])) ||
        json_object_set_new(value, "short",
                            json_boolean(measure->seconds < PARIO_SHORT_S)) ||
        json_object_set_new(value, "error", pario_json_text(measure->error)) ||
        set_seen(value, measure) || set_flags(value, measure) ||
        (measure->extra != NULL &&
         json_object_update_missing(value, measure->extra))) {
        json_decref(bandwidth);
        json_decref(value);
        return pario_fail_errno(-ENOMEM, "measure of test %s", measure->test);
    }
    json_decref(bandwidth);
    *value_p = value;
    return 0;
}

static int same_text(const json_t *value, const char *text)
{
    json_t *other;
    int same;

    if (text == NULL)
        return value == NULL || json_is_null(value);
    other = pario_json_text(text);
    same = other != NULL && json_equal(value, other);
    json_decref(other);
    return same;
}

static int same_object(const json_t *value, const json_t *other)
{
    return other == NULL ? value == NULL : json_equal(value, other);
}

int pario_measure_matches(const json_t *value, const struct pario_measure *like)
{
    return same_text(json_object_get(value, "test"), like->test) &&
           same_text(json_object_get(value, "access"), like->access) &&
           pario_integer_of(value, "partition") == like->partition &&
           same_object(json_object_get(value, "pattern"), like->pattern) &&
           same_object(json_object_get(value, "parameters"), like->parameters);
}

int pario_measure_failed(const json_t *value)
{
    const json_t *verify = json_object_get(value, "verify");

    return json_is_string(json_object_get(value, "error")) ||
           pario_integer_of(verify, "errors") > 0;
}
