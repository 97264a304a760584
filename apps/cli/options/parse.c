/* parse.c -- words of the command line to an `options`, strictly: unknown names, missing or malformed values and
 * options of another verb are refused by name, with the nearest match.
 *
 * `--name=value`, `--name value`, `-x value`, `-xvalue` and joined flags (`-sv`) are understood; `--` ends options; "-"
 * is a word (standard input).
 */
#include "apps/cli/options/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/scheduler/scheduler.h>

/* ---- near matches ---- */

/* The edit distance of two words: letters to add, drop, change or swap with their neighbour. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    size_t n = strlen(a), m = strlen(b), lines[3][LONGEST + 1];
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t i = 0; i <= n; i++) {
        size_t *line = lines[i % 3], *above = lines[(i + 2) % 3], *higher = lines[(i + 1) % 3];
        line[0] = i;
        for (size_t j = 1; j <= m; j++) {
            if (i == 0) {
                line[j] = j;
                continue;
            }
            size_t best = (above[j] < line[j - 1] ? above[j] : line[j - 1]) + 1;
            size_t change = above[j - 1] + (a[i - 1] != b[j - 1]);
            best = change < best ? change : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && higher[j - 2] + 1 < best)
                best = higher[j - 2] + 1;
            line[j] = best;
        }
    }
    return lines[n % 3][m];
}

const char *near_match(const char *word, const char *const *list)
{
    const char *best = NULL;
    size_t least = strlen(word) / 2 < 2 ? strlen(word) / 2 + 1 : 3; /* fewer edits than this */
    for (; *list; list++) {
        size_t distance = edit_distance(word, *list);
        if (distance < least) {
            least = distance;
            best = *list;
        }
    }
    return best;
}

ordo_status unknown(const char *what, const char *word, const char *const *list, const char *see)
{
    const char *nearest = near_match(word, list);
    if (nearest)
        return ordo_fail(ORDO_ERR_UNKNOWN, "%s '%s' is unknown; did you mean '%s'? (see: %s)", what, word, nearest,
                         see);
    return ordo_fail(ORDO_ERR_UNKNOWN, "%s '%s' is unknown (see: %s)", what, word, see);
}

/* ---- words that are not options of the verb ---- */

/* Whether any scheduler has that tunable; "-" is accepted for "_". */
static bool is_tunable(const char *word, char name[48])
{
    snprintf(name, 48, "%s", word);
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    for (const char *const *at = scheduler_names(); *at; at++) {
        const ordo_scheduler *s = ordo_scheduler_find(*at);
        for (int i = 0; i < s->tunable_count; i++)
            if (!strcmp(s->tunables[i].name, name))
                return true;
    }
    return false;
}

/* Refuses a long option that the verb does not take. `value` is the word that may be meant as its value, or NULL. */
static ordo_status no_such_option(const option_scope *s, const char *word, const char *value)
{
    char names[OPTION_ROWS][48], tunable[48];
    const char *list[OPTION_ROWS + 1];
    int count = 0;
    bool elsewhere = false;
    for (int i = 0; i < OPTION_ROWS; i++) {
        const option_row *row = &option_rows[i];
        elsewhere = elsewhere || (row->name && !strcmp(row->name, word + 2));
        if (row->name && row->verbs & s->verb && option_taken(row, s)) {
            list[count] = option_shown(row, names[count]);
            count++;
        }
    }
    list[count] = NULL;
    const char *nearest = near_match(word, list);
    char hint[120] = "";
    if (option_named(s, "set", strlen("set")) && is_tunable(word + 2, tunable))
        snprintf(hint, sizeof hint, "; did you mean '--set %s=%.40s'?", tunable, value ? value : "VALUE");
    else if (nearest)
        snprintf(hint, sizeof hint, "; did you mean '%s'?", nearest);
    return ordo_fail(elsewhere ? ORDO_ERR_USAGE : ORDO_ERR_UNKNOWN, "option '%s' %s%s%s (see: ordo help %s)", word,
                     elsewhere ? "does not belong to " : "is unknown", elsewhere ? s->name : "", hint, s->name);
}

/* Refuses a letter that the verb does not take, with the long options that begin with it. */
static ordo_status no_such_letter(const option_scope *s, char letter)
{
    char hint[160] = "";
    size_t used = 0;
    for (int i = 0; i < OPTION_ROWS; i++) {
        const option_row *row = &option_rows[i];
        if (row->name && row->name[0] == letter && row->verbs & s->verb && option_taken(row, s) && used < sizeof hint)
            used += (size_t)snprintf(hint + used, sizeof hint - used, "%s'--%s'", used ? " or " : "; did you mean ",
                                     row->name);
    }
    return ordo_fail(ORDO_ERR_UNKNOWN, "option '-%c' is unknown%s%s (see: ordo help %s)", letter, hint,
                     hint[0] ? "?" : "", s->name);
}

/* ---- words ---- */

static const option_row *find_letter(const option_scope *s, int letter)
{
    const option_row *other = NULL;
    for (const option_row *row = option_rows; row < option_rows + OPTION_ROWS; row++)
        if (row->letter == letter && row->verbs & s->verb) {
            if (option_taken(row, s))
                return row;
            other = row;
        }
    return other;
}

bool options_given(const options *o, const char *name)
{
    for (int i = 0; i < OPTION_ROWS; i++)
        if (o->given[i] && option_rows[i].name && !strcmp(option_rows[i].name, name))
            return true;
    return false;
}

/* Takes one option; *at moves past a value that is a separate word. */
static ordo_status take(options *o, const option_row *row, const char *name, const char *attached, int count,
                        char **words, int *at)
{
    if (!row->argument && attached)
        return ordo_fail(ORDO_ERR_USAGE, "option '%s' takes no value, found '%s'", name, attached);
    if (row->argument && !option_is_optional(row) && !attached) {
        if (*at + 1 >= count)
            return ordo_fail(ORDO_ERR_USAGE, "option '%s' needs a value: %s", name, row->argument);
        attached = words[++*at];
    }
    for (int i = 0; i < OPTION_ROWS; i++)
        if (o->given[i] && &option_rows[i] != row && row->group && option_rows[i].group == row->group) {
            char one[48], other[48];
            return ordo_fail(ORDO_ERR_USAGE, "%s and %s exclude each other", option_shown(&option_rows[i], one),
                             option_shown(row, other));
        }
    o->given[row - option_rows] = true;
    return option_set(o, row, name, attached);
}

static ordo_status take_long(options *o, const option_scope *s, int count, char **words, int *at)
{
    const char *word = words[*at];
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    char name[48];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const option_row *row = option_named(s, word + 2, length - 2);
    if (!row)
        return no_such_option(s, name, equals ? equals + 1 : *at + 1 < count ? words[*at + 1] : NULL);
    return take(o, row, name, equals ? equals + 1 : NULL, count, words, at);
}

static ordo_status take_letters(options *o, const option_scope *s, int count, char **words, int *at)
{
    for (const char *c = words[*at] + 1; *c; c++) {
        char name[3] = {'-', *c, 0};
        const option_row *row = find_letter(s, *c);
        if (!row)
            return no_such_letter(s, *c);
        bool has_value = row->argument && !option_is_optional(row);
        ordo_status status = take(o, row, name, has_value && c[1] ? c + 1 : NULL, count, words, at);
        if (status || has_value)
            return status;
    }
    return ORDO_OK;
}

/* Checks that concern several options. */
static ordo_status check_together(const options *o)
{
    const bool runs = o->verb & (VERB_APP | VERB_COMPARE | VERB_TUNE);
    if (runs && o->made.degree && !o->made.kind)
        return ordo_fail(ORDO_ERR_USAGE, "--degree needs -g or -u");
    if ((o->generate || o->made.kind) && o->verb != VERB_COMPARE &&
        (o->coordinates || o->trust || o->bipartite || o->columns || o->round)) /* compare: may have both */
        return ordo_fail(ORDO_ERR_USAGE, "%s needs a file, found a made graph",
                         o->trust       ? "--trust"
                         : o->bipartite ? "--bipartite"
                         : o->columns   ? "--columns"
                         : o->round     ? "--round"
                                        : "--coordinates");
    if (o->generate && options_given(o, "weights"))
        return ordo_fail(ORDO_ERR_USAGE, "--weights beside --generate, expected it among the words of --generate");
    return ORDO_OK;
}

/* Without --threads, OpenMP's variable sets the number of threads: a number, or one for each level of nesting, of which
 * the first counts. Other values are refused; if they were ignored, the run would have an unexpected number of
 * threads. */
static ordo_status threads_of_environment(options *o)
{
    const char *text = getenv("OMP_NUM_THREADS");
    if (o->threads || o->thread_list || !text || !*text)
        return ORDO_OK;
    text += strspn(text, " \t");
    size_t length = strcspn(text, ", \t");
    char first[24];
    ordo_u64 threads = 0;
    snprintf(first, sizeof first, "%.*s", (int)(length < 23 ? length : 23), text);
    ordo_status status = parse_whole("OMP_NUM_THREADS", first, 1, 1024, &threads);
    if (status)
        return ordo_fail(status, "%s (--threads has precedence)", ordo_last_error());
    o->threads = (int)threads;
    return ORDO_OK;
}

ordo_status options_parse(options *o, const option_scope *s, int count, char **words)
{
    *o = (options){.verb = s->verb,
                   .seed = DEFAULT_SEED,
                   .limit = INFINITY,
                   .damping = 0.85,
                   .tolerance = 1e-6,
                   .rounds = 10,
                   .operations = 4 << 20,
                   .epochs = 10,
                   .rank = 16,
                   .rate = 0.01,
                   .decay = 0.05,
                   .holdout = 0.1,
                   .remote = 0.5,
                   .search_seconds = 30,
                   .trials = 2000};
    bool only_words = false;
    ordo_status status = ORDO_OK;
    for (int i = 0; i < count && !status; i++) {
        const char *word = words[i];
        if (only_words || word[0] != '-' || !word[1]) {
            if (o->word_count == MAX_GRAPHS)
                return ordo_fail(ORDO_ERR_USAGE, "'%s': more than %d words", word, MAX_GRAPHS);
            o->words[o->word_count++] = word;
        } else if (!strcmp(word, "--")) {
            only_words = true;
        } else if (word[1] == '-') {
            status = take_long(o, s, count, words, &i);
        } else {
            status = take_letters(o, s, count, words, &i);
        }
    }
    if (!status)
        status = check_together(o);
    if (!status && !o->help && !o->version && option_named(s, "threads", strlen("threads")))
        status = threads_of_environment(o);
    return status;
}

ordo_status options_suit(const options *o, const option_scope *s)
{
    for (int i = 0; i < OPTION_ROWS; i++) {
        char shown[48];
        if (o->given[i] && !option_taken(&option_rows[i], s))
            return ordo_fail(ORDO_ERR_USAGE, "%s%s %s, so it takes no %s", s->verb == VERB_BENCH ? "bench " : "",
                             s->name, option_rows[i].lacks, option_shown(&option_rows[i], shown));
    }
    if (o->flow.cut_only && o->output)
        return ordo_fail(ORDO_ERR_USAGE, "--phase cut does not say what flows on edges, so it takes no --output");
    return ORDO_OK;
}

/* ---- graphs ---- */

ordo_edge_options options_edges(const options *o, bool weights)
{
    ordo_edge_options edges = o->edges;
    bool draw = options_given(o, "weights");
    edges.seed = o->seed;
    if (!weights)
        edges.weights = ORDO_WEIGHTS_DROP;
    else if (draw)
        edges.weights = o->drop_weights ? ORDO_WEIGHTS_REPLACE : ORDO_WEIGHTS_UNIFORM;
    else
        edges.weights = o->drop_weights ? ORDO_WEIGHTS_DROP : ORDO_WEIGHTS_AS_STORED;
    return edges;
}
