/* values.c -- checks the value of an option, and stores it in the field that its row names.
 *
 * Numbers are whole words: "1x", " 1" and "" are refused.
 */
#include "apps/cli/options/table.h"

#include "framework/run/number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

bool parse_u64(const char *text, ordo_u64 *out)
{
    if (!isdigit((unsigned char)text[0]))
        return false;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end)
        return false;
    *out = value;
    return true;
}

ordo_status parse_whole(const char *name, const char *text, ordo_u64 least, ordo_u64 most, ordo_u64 *out)
{
    if (!parse_u64(text, out) || *out < least || *out > most)
        return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected a whole number from %llu to %llu", name, text,
                         (unsigned long long)least, (unsigned long long)most);
    return ORDO_OK;
}

ordo_status parse_size(const char *name, const char *text, ordo_u64 *out)
{
    char digits[24];
    size_t length = strspn(text, "0123456789");
    int shift = !strcmp(text + length, "K") ? 10 : !strcmp(text + length, "M") ? 20 : 0;
    snprintf(digits, sizeof digits, "%.*s", (int)(length < 23 ? length : 23), text);
    if ((text[length] && !shift) || !parse_u64(digits, out) || *out < 1 || *out > (ORDO_MAX_VERTICES - 1) >> shift)
        return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected a whole number from 1 to 2^32 - 3; K is 1024, M 1024 K",
                         name, text);
    *out <<= shift;
    return ORDO_OK;
}

static ordo_status parse_in_range(const value_spec *v, const char *name, const char *text, double *out)
{
    const bool open_low = v->ends[0] == '(', open_high = v->ends[1] == ')';
    if (ordo_parse_real(text, out) && (open_low ? *out > v->low : *out >= v->low) &&
        (open_high ? *out < v->high : *out <= v->high))
        return ORDO_OK;
    char high[48] = "";
    if (!isinf(v->high))
        snprintf(high, sizeof high, ", %s %g", open_high ? "below" : "at most", v->high);
    return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected a%s number, %s %g%s", name, text,
                     isinf(v->high) && open_high ? " finite" : "", open_low ? "above" : "at least", v->low, high);
}

/* ---- words ---- */

/* Where the index-th word of "a|b|c" or "[a|b|c]" begins; NULL after the last. */
static const char *choice(const char *list, int index, size_t *length)
{
    for (list += *list == '[';; list += *length + 1) {
        *length = strcspn(list, "|]");
        if (index-- == 0)
            return list;
        if (list[*length] != '|')
            return NULL;
    }
}

static ordo_status one_of(const char *name, const char *text, const char *list, int *out)
{
    enum { MOST = 8 };
    char words[MOST][24], all[256] = "";
    const char *names[MOST + 1] = {NULL}, *at;
    size_t length;
    for (int i = 0; i < MOST && (at = choice(list, i, &length)); i++) {
        snprintf(words[i], sizeof words[i], "%.*s", (int)length, at);
        names[i] = words[i];
        if (!strcmp(words[i], text)) {
            *out = i;
            return ORDO_OK;
        }
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", words[i]);
    }
    const char *nearest = near_match(text, names);
    return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected one of %s%s%s%s", name, text, all,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* ---- one value ---- */

/* Stores a number in a field of that many bytes; the row's range fits it. */
static void store(void *to, size_t size, ordo_u64 value)
{
    const ordo_u32 word = (ordo_u32)value;
    if (size == sizeof(bool))
        *(bool *)to = value != 0;
    else if (size == sizeof word)
        memcpy(to, &word, sizeof word);
    else
        memcpy(to, &value, sizeof value);
}

ordo_status option_set(options *o, const option_row *row, const char *name, const char *text)
{
    const value_spec *v = &row->value;
    void *to = (char *)o + v->at;
    ordo_status status = ORDO_OK;
    ordo_u64 whole = 1;
    int index = 0;
    switch (v->type) {
    case VALUE_OWN:
        return v->take(o, name, text);
    case VALUE_REAL:
        return parse_in_range(v, name, text, to);
    case VALUE_WORD:
        status = one_of(name, text, row->argument, &index);
        memcpy(to, &text, sizeof text);
        return status;
    case VALUE_TEXT:
        memcpy(to, &text, sizeof text);
        return ORDO_OK;
    case VALUE_FLAG:
        break;
    case VALUE_CHOICE:
        status = one_of(name, text, row->argument, &index);
        whole = v->least + (ordo_u64)index;
        break;
    case VALUE_WHOLE:
        status = parse_whole(name, text, v->least, v->most, &whole);
        break;
    case VALUE_SIZE:
        status = parse_size(name, text, &whole);
        break;
    }
    if (!status)
        store(to, v->size, whole);
    return status;
}

/* ---- values of special forms ---- */

/* "uniform:LOW:HIGH" */
ordo_status take_weights(options *o, const char *name, const char *text)
{
    static const char prefix[] = "uniform:";
    char low[24] = "";
    const char *high = "";
    ordo_u64 from, to;
    if (!strncmp(text, prefix, sizeof prefix - 1)) {
        const char *at = text + sizeof prefix - 1;
        size_t length = strcspn(at, ":");
        if (length < sizeof low && at[length]) {
            snprintf(low, sizeof low, "%.*s", (int)length, at);
            high = at + length + 1;
        }
    }
    if (!parse_u64(low, &from) || !parse_u64(high, &to) || from > to || to == 0 || to > 0xffffffffu)
        return ordo_fail(ORDO_ERR_USAGE,
                         "%s '%s', expected uniform:LOW:HIGH, whole numbers, LOW <= HIGH, 0 < HIGH < 2^32", name, text);
    o->edges.low = (ordo_u32)from;
    o->edges.high = (ordo_u32)to;
    return ORDO_OK;
}

/* "A,B,C,D" */
ordo_status take_abcd(options *o, const char *name, const char *text)
{
    double *const to[4] = {&o->made.a, &o->made.b, &o->made.c, &o->made.d};
    const char *at = text;
    for (int i = 0; i < 4; i++) {
        char word[32];
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), at);
        if (length > 31 || (at[length] == 0) != (i == 3) || !ordo_parse_real(word, to[i]) || *to[i] < 0 || *to[i] > 1)
            return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected four numbers A,B,C,D that add up to 1", name, text);
        at += length + 1;
    }
    return ORDO_OK;
}

static ordo_status take_gap_graph(options *o, const char *kind, const char *name, const char *text)
{
    ordo_u64 scale = 0;
    ordo_status status = parse_whole(name, text, 0, 31, &scale);
    if (status)
        return status;
    o->made.kind = kind;
    o->made.scale = (ordo_u32)scale;
    return ORDO_OK;
}

ordo_status take_kron(options *o, const char *name, const char *text)
{
    return take_gap_graph(o, "kron", name, text);
}

ordo_status take_urand(options *o, const char *name, const char *text)
{
    return take_gap_graph(o, "urand", name, text);
}

ordo_status take_symmetrise(options *o, const char *name, const char *text)
{
    (void)name, (void)text;
    o->edges.direction = ORDO_SYMMETRISE;
    return ORDO_OK;
}

ordo_status take_symmetric(options *o, const char *name, const char *text)
{
    (void)name, (void)text;
    o->edges.direction = ORDO_SYMMETRIC;
    return ORDO_OK;
}

ordo_status take_setting(options *o, const char *name, const char *text)
{
    if (o->setting_count == MAX_SETTINGS - 1)
        return ordo_fail(ORDO_ERR_USAGE, "%s '%s': more than %d settings", name, text, MAX_SETTINGS - 1);
    o->settings[o->setting_count++] = text;
    return ORDO_OK;
}

ordo_status take_state(options *o, const char *name, const char *text)
{
    if (o->state_count == MAX_SETTINGS)
        return ordo_fail(ORDO_ERR_USAGE, "%s '%s': more than %d of them", name, text, MAX_SETTINGS);
    o->states[o->state_count++] = text;
    return ORDO_OK;
}

ordo_status take_sweep(options *o, const char *name, const char *text)
{
    if (o->sweep_count == MAX_SWEEPS)
        return ordo_fail(ORDO_ERR_USAGE, "%s '%s': more than %d sweeps", name, text, MAX_SWEEPS);
    o->sweeps[o->sweep_count++] = text;
    return ORDO_OK;
}

/* A number of seconds, with s, m or h behind it. */
ordo_status take_time(options *o, const char *name, const char *text)
{
    static const double longest = 1e6;
    char number[32];
    const size_t length = strlen(text);
    const char unit = length ? text[length - 1] : 0;
    const bool has_unit = unit && strchr("smh", unit);
    snprintf(number, sizeof number, "%.*s", (int)(length - has_unit < 31 ? length - has_unit : 31), text);
    const double factor = unit == 'h' ? 3600 : unit == 'm' ? 60 : 1;
    if (!ordo_parse_real(number, &o->search_seconds) || !(o->search_seconds > 0) ||
        o->search_seconds * factor > longest)
        return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected a number of seconds above 0, such as 30, 30s or 5m", name,
                         text);
    o->search_seconds *= factor;
    return ORDO_OK;
}

ordo_status take_delta(options *o, const char *name, const char *text)
{
    double ignored;
    if (!ordo_parse_real(text, &ignored))
        return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected a number", name, text);
    o->delta = text;
    return ORDO_OK;
}

ordo_status take_verify(options *o, const char *name, const char *text)
{
    int how = ORDO_VERIFY_AUTO;
    ordo_status status = text ? one_of(name, text, "auto|serial|certificate|both", &how) : ORDO_OK;
    o->verify = true;
    o->how = (ordo_verify_how)how;
    return status;
}
