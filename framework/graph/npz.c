/* npz.c -- sparse matrices of SciPy (scipy.sparse.save_npz), compressed by rows.
 *
 * Problem: a zip archive of NumPy arrays (.npy): format, shape, indptr, indices and data, of any integer or real type;
 * every number in it may be wrong, and a small archive may claim to expand to a large one.
 *
 * Method: the layout of the archive is checked here: it must contain nothing but its members, one after the other, and
 * its directory. libzip decompresses them, a piece at a time, and checks their CRC. A member's .npy header, its size in
 * the directory and its decompressed size must agree, and no member may claim more than deflate can make of its bytes,
 * before memory is allocated for it. Row u is vertex u: entry (u, v) is the edge u -> v, its value the weight: u32,
 * or i32 if one is negative, for integers and booleans; f32 for reals, which must be floats or short decimals unless
 * they are to be rounded. Entries that are 0 are edges, and entries that are there twice are two edges. Written: what
 * SciPy loads as csr_matrix, with int32 where that holds all numbers and int64 elsewhere, float32 for f32.
 *
 * Not done: other layouts than CSR (each refused by name); complex values; pickled objects. A matrix has a value for
 * every entry, so a graph without weights is written with ones (int8) and comes back with weights of 1 unless they are
 * dropped. Symmetric matrices are not marked in the file: ask for ORDO_SYMMETRIC.
 */
#define _XOPEN_SOURCE 700 /* pwrite */
#include "graph.h"

#include "framework/run/number.h"
#include "framework/run/output.h"
#include "framework/run/phase.h"

#ifdef HAVE_ZIP

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zip.h>

enum {
    PIECE = 1 << 16,
    MOST_HEADER = 4096, /* of a .npy; NumPy's are of 128 bytes */
    MOST_MEMBERS = 64,  /* six are expected */
    LEVEL = 1,          /* the level of deflate that is written: higher ones take many times as long and gain little */
    MOST_DEFLATED = 1032, /* bytes that one byte of deflate can unfold to */
    NAME_SHOWN = 40
};

/* ---- messages ---- */

typedef struct shown {
    char text[NAME_SHOWN + 8];
} shown;

/* Bytes of the file as a message may hold them. */
static shown show(const void *bytes, size_t size)
{
    shown s = {""};
    const ordo_u8 *from = bytes;
    size_t i = 0;
    for (; i < size && i < NAME_SHOWN; i++)
        s.text[i] = from[i] >= ' ' && from[i] < 127 ? (char)from[i] : '?';
    if (i < size)
        memcpy(s.text + i, "...", 3);
    return s;
}

static ordo_status fail_at(const ordo_input *in, ordo_u64 at, const char *found, const char *expected)
{
    return ordo_fail(ORDO_ERR_INPUT, "%s: byte %llu: found %s, expected %s", in->name, (unsigned long long)at, found,
                     expected);
}

/* ---- the archive: members, one behind the other, then the directory, then its end ---- */

static ordo_u32 load16(const ordo_u8 *at)
{
    return at[0] | (ordo_u32)at[1] << 8;
}

static bool signed_by(const ordo_input *in, ordo_u64 at, char third, char fourth)
{
    const ordo_u8 sign[4] = {'P', 'K', (ordo_u8)third, (ordo_u8)fourth};
    return at <= in->size && in->size - at >= sizeof sign && memcmp(in->bytes + at, sign, sizeof sign) == 0;
}

/* A member's data are followed by a descriptor where its sizes were not known in time: CRC and both sizes, of 4 or 8
 * bytes each, with a signature or without. The one that something of an archive follows, or 0. */
static ordo_u64 descriptor_size(const ordo_input *in, ordo_u64 at)
{
    static const ordo_u64 sizes[] = {16, 24, 12, 20};
    for (int i = 0; i < 4; i++)
        if (signed_by(in, at, 7, 8) == (i < 2) &&
            (signed_by(in, at + sizes[i], 3, 4) || signed_by(in, at + sizes[i], 1, 2)))
            return sizes[i];
    return 0;
}

static ordo_status walk_member(const ordo_input *in, zip_t *zip, ordo_u64 *at)
{
    enum { FIXED = 30 };
    const ordo_u8 *header = in->bytes + *at;
    if (in->size - *at < FIXED || in->size - *at - FIXED < load16(header + 26) + load16(header + 28))
        return fail_at(in, in->size, "the end of the file", "a member of the archive");
    ordo_u32 flags = load16(header + 6), name_size = load16(header + 26);
    char name[NAME_SHOWN];
    if (flags & 1)
        return fail_at(in, *at, "an encrypted member", "one that is not");
    if (name_size >= sizeof name || memchr(header + FIXED, 0, name_size))
        return fail_at(in, *at + FIXED, "a member of an unknown name", "format, shape, indptr, indices and data");
    memcpy(name, header + FIXED, name_size);
    name[name_size] = 0;
    zip_stat_t known;
    if (zip_stat(zip, name, 0, &known) != 0 || !(known.valid & ZIP_STAT_COMP_SIZE)) {
        char found[2 * NAME_SHOWN];
        snprintf(found, sizeof found, "a member '%s'", show(name, name_size).text);
        return fail_at(in, *at, found, "only those of the archive's directory");
    }
    if (!(known.valid & ZIP_STAT_COMP_METHOD) || load16(header + 8) != known.comp_method)
        return fail_at(in, *at + 8, "another method of compression", "that of the archive's directory");
    ordo_u64 before = *at;
    *at += FIXED + name_size + load16(header + 28);
    if (known.comp_size > in->size - *at)
        return fail_at(in, before, "a member that is longer than the file", "one that ends before its end");
    *at += known.comp_size;
    if (flags & 8) {
        ordo_u64 size = descriptor_size(in, *at);
        if (!size)
            return fail_at(in, *at, "no sizes", "those of the member before");
        *at += size;
    }
    return ORDO_OK;
}

static ordo_status walk_directory(const ordo_input *in, ordo_u64 at, ordo_u64 entries)
{
    enum { ENTRY = 46, LOCATOR = 20, END = 22 };
    ordo_u64 seen = 0;
    for (; signed_by(in, at, 1, 2); seen++) {
        const ordo_u8 *entry = in->bytes + at;
        if (in->size - at < ENTRY)
            return fail_at(in, in->size, "the end of the file", "the archive's directory");
        at += ENTRY + load16(entry + 28) + load16(entry + 30) + load16(entry + 32);
    }
    if (seen != entries)
        return fail_at(in, at, "another number of members in the archive's directory", "that of the archive");
    if (signed_by(in, at, 6, 6) && in->size - at >= 12) {
        ordo_u64 size = ordo_load64(in->bytes + at + 4);
        at = size <= in->size - at - 12 ? at + 12 + size : in->size;
        if (signed_by(in, at, 6, 7))
            at += LOCATOR;
    }
    if (!signed_by(in, at, 5, 6) || in->size - at < END || in->size - at - END != load16(in->bytes + at + 20))
        return fail_at(in, at < in->size ? at : in->size, "other bytes", "the end of the archive's directory");
    return ORDO_OK;
}

static ordo_status walk(const ordo_input *in, zip_t *zip)
{
    ordo_u64 at = 0, members = 0;
    ordo_status status = ORDO_OK;
    zip_int64_t entries = zip_get_num_entries(zip, 0);
    if (entries > MOST_MEMBERS)
        return ordo_fail(ORDO_ERR_INPUT, "%s: byte 0: found an archive of %lld members, expected six", in->name,
                         (long long)entries);
    for (; !status && signed_by(in, at, 3, 4); members++)
        status = walk_member(in, zip, &at);
    if (!status && members == 0)
        return fail_at(in, 0, "no member", "a zip archive that begins with one");
    if (!status && members != (ordo_u64)entries)
        return fail_at(in, at, "other bytes or another number of members",
                       "the archive's directory or its next member");
    return status ? status : walk_directory(in, at, members);
}

/* ---- .npy ---- */

typedef enum kind { KIND_BOOL, KIND_SIGNED, KIND_UNSIGNED, KIND_REAL, KIND_BYTES, KIND_UNICODE } kind;

typedef struct npy {
    const ordo_input *in;
    zip_t *zip;
    const char *name; /* of the member */
    zip_file_t *file;
    kind kind;
    ordo_u32 width; /* bytes of an element */
    int dimensions; /* 0, 1 or 2 */
    ordo_u64 extent[2], count;
    ordo_u64 size, at; /* of the member; read */
    bool round;        /* values that f32 does not hold are rounded */
    ordo_phase phase;  /* counts bytes of the member */
} npy;

static ordo_status fail_in(const npy *a, const char *found, const char *expected)
{
    return ordo_fail(ORDO_ERR_INPUT, "%s: member %s, byte %llu: found %s, expected %s", a->in->name, a->name,
                     (unsigned long long)a->at, found, expected);
}

static ordo_status fail_value(const npy *a, ordo_u64 index, const char *found, const char *expected)
{
    return ordo_fail(ORDO_ERR_INPUT, "%s: member %s, index %llu: found %s, expected %s", a->in->name, a->name,
                     (unsigned long long)index, found, expected);
}

static ordo_status take(npy *a, void *to, size_t size)
{
    for (size_t done = 0; done < size;) {
        zip_int64_t got = zip_fread(a->file, (char *)to + done, size - done);
        if (got < 0) {
            int code = zip_error_code_zip(zip_file_get_error(a->file));
            if (code == ZIP_ER_MEMORY)
                return ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory to unfold member %s", a->in->name, a->name);
            char found[128];
            snprintf(found, sizeof found, "damaged data (%s)", zip_file_strerror(a->file));
            return fail_in(a, found, "those of the archive's directory");
        }
        if (got == 0)
            return fail_in(a, "the end of the member", "more data");
        done += (size_t)got;
        a->at += (ordo_u64)got;
        if (ordo_phase_step(&a->phase, (ordo_u64)got))
            return ordo_phase_end(&a->phase);
    }
    return ORDO_OK;
}

/* Checks that nothing follows, and the CRC. */
static ordo_status end_of(npy *a)
{
    char more;
    zip_int64_t got = zip_fread(a->file, &more, 1);
    return got == 0 ? ORDO_OK
                    : fail_in(a, got < 0 ? "data of another CRC or size" : "more data",
                              "the end of the member, as the archive's directory says");
}

static void npy_close(npy *a)
{
    if (a->file)
        zip_fclose(a->file);
    a->file = NULL;
}

/* The text of a .npy header: the Python expression of a dictionary. */
typedef struct scanner {
    const char *at, *end;
} scanner;

static void skip_blanks(scanner *s)
{
    while (s->at < s->end && *s->at == ' ')
        s->at++;
}

static bool eat(scanner *s, char c)
{
    skip_blanks(s);
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

static bool eat_word(scanner *s, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(s);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0)
        return false;
    s->at += length;
    return true;
}

/* 'text' or "text", without escapes. */
static bool eat_string(scanner *s, char *text, size_t capacity)
{
    skip_blanks(s);
    char quote = s->at < s->end ? *s->at : 0;
    if (quote != '\'' && quote != '"')
        return false;
    s->at++;
    size_t used = 0;
    while (s->at < s->end && *s->at != quote && *s->at != '\\' && used + 1 < capacity)
        text[used++] = *s->at++;
    text[used] = 0;
    return eat(s, quote);
}

static bool eat_number(scanner *s, ordo_u64 *value)
{
    skip_blanks(s);
    const char *from = s->at;
    *value = 0;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        if (__builtin_mul_overflow(*value, 10u, value) ||
            __builtin_add_overflow(*value, (ordo_u64)(*s->at++ - '0'), value))
            return false;
    return s->at > from;
}

/* (), (3,) or (3, 4) */
static bool eat_shape(scanner *s, npy *a)
{
    if (!eat(s, '('))
        return false;
    bool comma = true;
    for (a->dimensions = 0; !eat(s, ')'); a->dimensions++) {
        if (!comma || a->dimensions == 2 || !eat_number(s, &a->extent[a->dimensions]))
            return false;
        comma = eat(s, ',');
    }
    return a->dimensions != 1 || comma; /* (3) is a number */
}

static ordo_status tell_type(npy *a, const char *descr)
{
    static const struct {
        char letter, kind;
        const char *widths;
    } types[] = {{'b', KIND_BOOL, "1"},  {'i', KIND_SIGNED, "1248"}, {'u', KIND_UNSIGNED, "1248"},
                 {'f', KIND_REAL, "48"}, {'S', KIND_BYTES, NULL},    {'U', KIND_UNICODE, NULL}};
    char found[3 * NAME_SHOWN];
    const char *why = descr[0] == '>'               ? " (big-endian)"
                      : descr[0] && descr[1] == 'c' ? " (complex)"
                      : descr[0] && descr[1] == 'O' ? " (Python objects)"
                                                    : "";
    snprintf(found, sizeof found, "values of type '%s'%s", show(descr, strlen(descr)).text, why);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if ((descr[0] != '<' && descr[0] != '|') || descr[1] != types[i].letter)
            continue;
        scanner s = {descr + 2, descr + strlen(descr)};
        ordo_u64 width;
        if (!eat_number(&s, &width) || s.at != s.end || width == 0 || width > 64)
            break;
        if (types[i].widths && (width > 9 || !strchr(types[i].widths, (int)('0' + width))))
            break;
        if (descr[0] == '|' && types[i].widths && width > 1)
            break; /* no order of bytes where there are several */
        a->kind = (kind)types[i].kind;
        a->width = (ordo_u32)width * (a->kind == KIND_UNICODE ? 4 : 1);
        return ORDO_OK;
    }
    return fail_in(a, found, "little-endian integers of up to 64 bits, booleans, or reals of 32 or 64 bits");
}

static ordo_status parse_header(npy *a, const char *text, size_t size)
{
    static const char wish[] = "{'descr': TYPE, 'fortran_order': BOOLEAN, 'shape': (NUMBER,), } and a line's end";
    scanner s = {text, text + size};
    char key[16], descr[NAME_SHOWN];
    int seen = 0; /* one bit a key */
    bool good = eat(&s, '{');
    while (good && !eat(&s, '}')) {
        good = eat_string(&s, key, sizeof key) && eat(&s, ':');
        int bit = strcmp(key, "descr") == 0 ? 1 : strcmp(key, "fortran_order") == 0 ? 2 : 4;
        if (!good || (seen & bit) || (bit == 4 && strcmp(key, "shape") != 0)) {
            good = false;
        } else if (bit == 1) {
            skip_blanks(&s);
            if (s.at < s.end && *s.at == '[')
                return fail_in(a, "records of several fields", "single numbers");
            good = eat_string(&s, descr, sizeof descr);
        } else {
            good = bit == 2 ? eat_word(&s, "False") || eat_word(&s, "True") : eat_shape(&s, a);
        }
        seen |= bit;
        if (good && !eat(&s, ',')) {
            good = eat(&s, '}');
            break;
        }
    }
    skip_blanks(&s);
    if (!good || seen != 7 || s.end - s.at != 1 || *s.at != '\n') {
        char found[2 * NAME_SHOWN];
        snprintf(found, sizeof found, "header \"%s\"", show(text, size).text);
        return fail_in(a, found, wish);
    }
    return tell_type(a, descr);
}

static ordo_status read_header(npy *a)
{
    static const char magic[6] = {(char)0x93, 'N', 'U', 'M', 'P', 'Y'};
    ordo_u8 start[12] = {0};
    char text[MOST_HEADER];
    ordo_status status = take(a, start, 8);
    if (status)
        return status;
    if (memcmp(start, magic, sizeof magic) != 0)
        return fail_in(a, "other bytes", "a NumPy array (.npy)");
    if (start[6] < 1 || start[6] > 3 || start[7] != 0) {
        snprintf(text, sizeof text, ".npy version %u.%u", start[6], start[7]);
        return fail_in(a, text, "version 1.0, 2.0 or 3.0");
    }
    status = take(a, start + 8, start[6] == 1 ? 2 : 4);
    if (status)
        return status;
    ordo_u32 size = start[6] == 1 ? load16(start + 8) : ordo_load32(start + 8);
    if (size > MOST_HEADER)
        return fail_in(a, "a long header", "one of at most 4096 bytes");
    status = take(a, text, size);
    return status ? status : parse_header(a, text, size);
}

/* Checks that the rest of the member is as long as its header says. */
static ordo_status check_size(npy *a)
{
    ordo_u64 bytes;
    a->count = 1;
    bool overflow = false;
    for (int i = 0; i < a->dimensions; i++)
        overflow |= __builtin_mul_overflow(a->count, a->extent[i], &a->count);
    overflow |= __builtin_mul_overflow(a->count, a->width, &bytes);
    if (overflow || bytes != a->size - a->at) {
        char found[128];
        snprintf(found, sizeof found, "%llu bytes to the end of the member", (unsigned long long)(a->size - a->at));
        return fail_in(a, found, "as many as the shape in its header says");
    }
    return ORDO_OK;
}

/* Opens a member and reads up to its first value. Closed by npy_close, also where it fails. */
static ordo_status npy_open(const ordo_input *in, zip_t *zip, const char *name, npy *a)
{
    *a = (npy){.in = in, .zip = zip, .name = name};
    zip_stat_t known;
    zip_int64_t index = zip_name_locate(zip, name, 0);
    const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (index < 0 || zip_stat_index(zip, (zip_uint64_t)index, 0, &known) != 0 || (known.valid & needed) != needed)
        return ordo_fail(ORDO_ERR_INPUT, "%s: found no member %s, expected it in a matrix of SciPy", in->name, name);
    if (known.comp_method != ZIP_CM_STORE && known.comp_method != ZIP_CM_DEFLATE)
        return fail_in(a, "an unknown method of compression", "a member that is stored or deflated");
    a->size = known.size;
    ordo_u64 most = known.comp_method == ZIP_CM_STORE ? known.comp_size : (known.comp_size + 1) * MOST_DEFLATED;
    if (known.size > most)
        return fail_in(a, "a size that the member's bytes cannot unfold to", "the size of its data");
    a->file = zip_fopen_index(zip, (zip_uint64_t)index, 0);
    if (!a->file)
        return fail_in(a, zip_strerror(zip), "a member that can be unfolded");
    ordo_phase_begin(&a->phase, "reading", a->size);
    ordo_status status = read_header(a);
    return status ? status : check_size(a);
}

static ordo_u64 load(const ordo_u8 *at, ordo_u32 width)
{
    ordo_u64 value = 0;
    memcpy(&value, at, width); /* little-endian */
    return value;
}

static ordo_u64 load_signed(const ordo_u8 *at, ordo_u32 width)
{
    ordo_u32 unused = 64 - 8 * width;
    return (ordo_u64)((long long)(load(at, width) << unused) >> unused);
}

/* ---- what is in the members ---- */

typedef struct values {
    npy *a;
    ordo_u64 index; /* of the first of the piece */
    ordo_u64 count;
    ordo_u8 *bytes; /* [PIECE] */
} values;

/* Reads the next values, PIECE bytes at most; count 0 at the end, which is checked. */
static ordo_status next_values(values *v)
{
    npy *a = v->a;
    v->index += v->count;
    ordo_u64 left = a->count - v->index, many = PIECE / a->width;
    v->count = left < many ? left : many;
    return v->count ? take(a, v->bytes, v->count * a->width) : end_of(a);
}

static ordo_status expect_vector(const npy *a, bool reals)
{
    if (a->kind == KIND_BYTES || a->kind == KIND_UNICODE || (!reals && (a->kind == KIND_REAL || a->kind == KIND_BOOL)))
        return fail_in(a, "values of another type", reals ? "numbers" : "integers");
    if (a->dimensions != 1)
        return fail_in(a, "an array of another number of dimensions", "one of one dimension");
    return ORDO_OK;
}

/* Reads integers from `least` to `most`, and passes each to `keep`. */
static ordo_status read_integers(npy *a, ordo_u8 *piece, bool ascending, ordo_u64 most, void *to, ordo_u32 stride)
{
    ordo_u64 least = 0;
    for (values v = {.a = a, .bytes = piece};;) {
        ordo_status status = next_values(&v);
        if (status || !v.count)
            return status;
        for (ordo_u64 i = 0; i < v.count; i++) {
            const ordo_u8 *at = v.bytes + i * a->width;
            ordo_u64 value = a->kind == KIND_SIGNED ? load_signed(at, a->width) : load(at, a->width);
            bool edge = ascending && ((v.index + i == 0 && value) || (v.index + i == a->count - 1 && value != most));
            if (value < least || value > most || edge) { /* negative ones are large */
                char found[32], wish[96];
                snprintf(found, sizeof found, a->kind == KIND_SIGNED ? "%lld" : "%llu", (long long)value);
                snprintf(wish, sizeof wish, edge ? "%llu" : "one from %llu to %llu",
                         (unsigned long long)(edge && v.index + i ? most : least), (unsigned long long)most);
                return fail_value(a, v.index + i, found, wish);
            }
            if (ascending) {
                ((ordo_eid *)to)[v.index + i] = value;
                least = value;
            } else {
                ((ordo_vid *)to)[(v.index + i) * stride] = (ordo_vid)value;
            }
        }
    }
}

static ordo_status real_of(const npy *a, const ordo_u8 *at, ordo_u64 index, ordo_u32 *bits)
{
    ordo_f32 value;
    double wide;
    if (a->width == 4) {
        memcpy(&value, at, sizeof value);
        wide = (double)value;
    } else {
        memcpy(&wide, at, sizeof wide);
        value = (ordo_f32)wide;
    }
    memcpy(bits, &value, sizeof value);
    bool inside;
    if (ordo_double_held(wide, a->round, &inside))
        return ORDO_OK;
    char found[64];
    ordo_format(found, sizeof found, "%.17g", wide);
    return fail_value(a, index, found,
                      inside ? "a number that a 32-bit float holds: a whole number exactly, a fraction of at most 9 "
                               "digits (--round takes the nearest float, --weight-type f64 keeps it)"
                             : "a finite number within the range of a 32-bit float");
}

/* Reads integers as floats, where not all of them fit one type of 32 bits. */
static ordo_status read_rounded(npy *a, ordo_u8 *piece, ordo_csr *csr)
{
    ordo_u32 *to = (ordo_u32 *)(size_t)csr->weight;
    for (values v = {.a = a, .bytes = piece};;) {
        ordo_status status = next_values(&v);
        if (status)
            return status;
        for (ordo_u64 i = 0; i < v.count; i++) {
            const ordo_u8 *at = v.bytes + i * a->width;
            ordo_f32 value =
                a->kind == KIND_SIGNED ? (ordo_f32)(long long)load_signed(at, a->width) : (ordo_f32)load(at, a->width);
            memcpy(&to[(v.index + i) * csr->stride], &value, sizeof value);
        }
        if (!v.count)
            break;
    }
    csr->weight_type = ORDO_F32;
    return ORDO_OK;
}

/* Reads weights and finds out their type. *wide: there are integers beyond 32 bits, and the weights were not read; only
 * where rounding is allowed. */
static ordo_status read_weights(npy *a, ordo_u8 *piece, ordo_csr *csr, bool *wide)
{
    ordo_u32 *to = (ordo_u32 *)(size_t)csr->weight;
    ordo_u64 large = a->count; /* the first one that does not fit i32 */
    bool negative = false;
    for (values v = {.a = a, .bytes = piece};;) {
        ordo_status status = next_values(&v);
        if (status)
            return status;
        if (!v.count)
            break;
        for (ordo_u64 i = 0; i < v.count; i++) {
            const ordo_u8 *at = v.bytes + i * a->width;
            ordo_u64 index = v.index + i;
            if (a->kind == KIND_REAL) {
                status = real_of(a, at, index, &to[index * csr->stride]);
                if (status)
                    return status;
                continue;
            }
            ordo_u64 value = a->kind == KIND_SIGNED ? load_signed(at, a->width) : load(at, a->width);
            bool below = a->kind == KIND_SIGNED && (long long)value < 0;
            if (below ? (long long)value < INT32_MIN : value > UINT32_MAX) {
                *wide = a->round;
                if (*wide)
                    return ORDO_OK;
                char found[32];
                snprintf(found, sizeof found, a->kind == KIND_SIGNED ? "%lld" : "%llu", (long long)value);
                return fail_value(
                    a, index, found,
                    "an integer of 32 bits (--round takes the nearest float, --weight-type i64 keeps 64 bits)");
            }
            if (a->kind == KIND_BOOL && value > 1)
                return fail_value(a, index, "another byte", "0 or 1 as a boolean");
            negative |= below;
            if (!below && value > INT32_MAX && large == a->count)
                large = index;
            to[index * csr->stride] = (ordo_u32)value;
        }
    }
    *wide = negative && large < a->count && a->round;
    if (*wide)
        return ORDO_OK;
    if (negative && large < a->count)
        return fail_value(a, large, "a value above 2147483647",
                          "none as others are negative (--round takes the nearest float)");
    csr->weight_type = a->kind == KIND_REAL ? ORDO_F32 : negative ? ORDO_I32 : ORDO_U32;
    return ORDO_OK;
}

/* Refuses other layouts than CSR. */
static ordo_status read_format(const ordo_input *in, zip_t *zip)
{
    npy a;
    ordo_u8 bytes[4 * 64] = {0}, text[64 + 1] = {0};
    ordo_status status = npy_open(in, zip, "format.npy", &a);
    if (!status && a.kind != KIND_BYTES && a.kind != KIND_UNICODE)
        status = fail_in(&a, "values of another type", "a string");
    if (!status && a.dimensions != 0)
        status = fail_in(&a, "an array", "a string");
    if (!status)
        status = take(&a, bytes, a.width);
    if (!status)
        status = end_of(&a);
    ordo_u32 step = a.kind == KIND_UNICODE ? 4 : 1;
    bool plain = true;
    for (ordo_u32 i = 0; !status && i < a.width; i++) {
        if (i % step == 0)
            text[i / step] = bytes[i];
        else
            plain &= bytes[i] == 0;
    }
    if (!status && (!plain || strcmp((char *)text, "csr") != 0)) {
        char found[2 * NAME_SHOWN];
        snprintf(found, sizeof found, "'%s'", show(text, strlen((char *)text)).text);
        status = fail_value(&a, 0, found, "'csr': a matrix that is compressed by rows (SciPy: matrix.tocsr())");
    }
    npy_close(&a);
    return status;
}

static ordo_status read_shape(const ordo_input *in, zip_t *zip, ordo_u64 *n)
{
    npy a;
    ordo_u8 bytes[2 * 8];
    ordo_status status = npy_open(in, zip, "shape.npy", &a);
    if (!status)
        status = expect_vector(&a, false);
    if (!status && a.count != 2)
        status = fail_in(&a, "another number of dimensions of the matrix", "two");
    if (!status)
        status = take(&a, bytes, 2 * a.width);
    if (!status)
        status = end_of(&a);
    for (ordo_u32 i = 0; !status && i < 2; i++) {
        const ordo_u8 *at = bytes + i * a.width;
        ordo_u64 extent = a.kind == KIND_SIGNED ? load_signed(at, a.width) : load(at, a.width);
        char found[64], wish[64] = "at most 4294967294 vertices";
        snprintf(found, sizeof found, "%lld", (long long)extent);
        if (i == 0)
            *n = extent;
        if (extent > ORDO_MAX_VERTICES || extent != *n) {
            if (extent <= ORDO_MAX_VERTICES)
                snprintf(wish, sizeof wish, "%llu columns as there are rows", (unsigned long long)*n);
            status = fail_value(&a, i, found, wish);
        }
    }
    npy_close(&a);
    return status;
}

/* Checks that each member of the archive is one of SciPy's, and occurs once. */
static ordo_status check_members(const ordo_input *in, zip_t *zip)
{
    static const char *const names[] = {"format.npy", "shape.npy",     "indptr.npy", "indices.npy",
                                        "data.npy",   "_is_array.npy", NULL};
    bool seen[sizeof names / sizeof names[0]] = {false};
    zip_int64_t entries = zip_get_num_entries(zip, 0);
    for (zip_int64_t i = 0; i < entries; i++) {
        const char *name = zip_get_name(zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
        int k = 0;
        while (name && names[k] && strcmp(name, names[k]) != 0)
            k++;
        if (!name || (names[k] && seen[k]))
            return ordo_fail(ORDO_ERR_INPUT, "%s: found member %s twice, expected once", in->name,
                             name ? names[k] : "?");
        /* Other layouts have members of other names: the error then names their format. */
        if (!names[k] && zip_name_locate(zip, "format.npy", 0) < 0)
            return ordo_fail(ORDO_ERR_INPUT,
                             "%s: found member %s and no format.npy, expected the members of a matrix of SciPy",
                             in->name, show(name, strlen(name)).text);
        seen[k] = true;
    }
    ordo_status status = read_format(in, zip);
    for (zip_int64_t i = 0; !status && i < entries; i++) {
        const char *name = zip_get_name(zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
        int k = 0;
        while (names[k] && strcmp(name, names[k]) != 0)
            k++;
        if (!names[k])
            status =
                ordo_fail(ORDO_ERR_INPUT, "%s: found member %s, expected format, shape, indptr, indices and data only",
                          in->name, show(name, strlen(name)).text);
    }
    return status;
}

/* Opens the three long members and reads their headers. */
typedef struct matrix {
    npy indptr, indices, data;
} matrix;

static ordo_status open_matrix(const ordo_input *in, zip_t *zip, ordo_u64 n, matrix *x)
{
    struct {
        npy *a;
        const char *name;
    } members[] = {{&x->indptr, "indptr.npy"}, {&x->indices, "indices.npy"}, {&x->data, "data.npy"}};
    for (int i = 0; i < 3; i++) {
        ordo_status status = npy_open(in, zip, members[i].name, members[i].a);
        if (!status)
            status = expect_vector(members[i].a, i == 2);
        if (status)
            return status;
    }
    if (x->indptr.count != n + 1)
        return fail_in(&x->indptr, "another number of values", "one more than the matrix has rows");
    if (x->indices.count != x->data.count || x->indices.count >> 60)
        return fail_in(&x->data, "another number of values", "as many as indices.npy has");
    return ORDO_OK;
}

/* The bits of a value as a weight of 8 bytes; false where it does not fit. */
static bool wide_of(const npy *a, const ordo_u8 *at, ordo_type type, ordo_u64 *bits)
{
    const ordo_u64 value = a->kind == KIND_SIGNED ? load_signed(at, a->width) : load(at, a->width);
    const bool below = a->kind == KIND_SIGNED && (ordo_i64)value < 0;
    if (a->kind == KIND_REAL) {
        ordo_f32 narrow;
        memcpy(&narrow, at, sizeof narrow);
        *bits = a->width == 4 ? ordo_f64_bits((double)narrow) : value;
        return type == ORDO_F64 && ordo_wide_allowed(type, *bits);
    }
    *bits = value;
    if (a->kind == KIND_BOOL && value > 1)
        return false;
    if (type == ORDO_I64)
        return below ? ordo_wide_allowed(type, value) : value <= INT64_MAX;
    const double real = below ? (double)(ordo_i64)value : (double)value;
    *bits = ordo_f64_bits(real);
    return a->round ||
           (below ? real >= -0x1p63 && (ordo_i64)real == (ordo_i64)value : real < 0x1p64 && (ordo_u64)real == value);
}

/* Reads weights as ones of 8 bytes. */
static ordo_status read_wide(npy *a, ordo_u8 *piece, ordo_csr *csr)
{
    ordo_u32 *to = (ordo_u32 *)(size_t)csr->head;
    for (values v = {.a = a, .bytes = piece};;) {
        ordo_status status = next_values(&v);
        if (status || !v.count)
            return status;
        for (ordo_u64 i = 0; i < v.count; i++) {
            const ordo_u8 *at = v.bytes + i * a->width;
            ordo_u64 bits;
            if (!wide_of(a, at, csr->weight_type, &bits)) {
                char found[64];
                if (a->kind == KIND_REAL)
                    ordo_format(found, sizeof found, "%.17g", ordo_bits_f64(bits));
                else
                    snprintf(found, sizeof found, a->kind == KIND_SIGNED ? "%lld" : "%llu",
                             (long long)(a->kind == KIND_SIGNED ? load_signed(at, a->width) : load(at, a->width)));
                return fail_value(a, v.index + i, found,
                                  csr->weight_type == ORDO_I64 ? "an integer of 64 bits, above the least one"
                                                               : "a finite number that a 64-bit float holds");
            }
            ordo_put_word(to + (v.index + i) * csr->stride, 2, bits);
        }
    }
}

/* Reads the weights; the member is opened again where they turn out to need another type. */
static ordo_status fill_weights(npy *data, bool round, ordo_u8 *piece, ordo_csr *csr)
{
    bool wide = false;
    data->round = round;
    if (csr->stride == 3)
        return read_wide(data, piece, csr);
    ordo_status status = read_weights(data, piece, csr, &wide);
    if (status || !wide)
        return status;
    const npy before = *data;
    npy_close(data);
    status = npy_open(before.in, before.zip, before.name, data);
    return status ? status : read_rounded(data, piece, csr);
}

static ordo_status fill(matrix *x, bool round, ordo_csr *csr)
{
    ordo_u8 *piece = ordo_alloc(PIECE, 1);
    if (!piece)
        return ORDO_ERR_MEMORY;
    ordo_status status = read_integers(&x->indptr, piece, true, csr->m, (void *)(size_t)csr->row, 1);
    if (!status && csr->m && csr->n == 0)
        status = fail_in(&x->indices, "entries", "none as the matrix has no rows");
    if (!status)
        status = read_integers(&x->indices, piece, false, (ordo_u64)csr->n - 1, (void *)(size_t)csr->head, csr->stride);
    if (!status && csr->weight_type != ORDO_NONE)
        status = fill_weights(&x->data, round, piece, csr);
    ordo_free(piece);
    return status;
}

/* `type`: of weights, to begin with; ORDO_NONE: none. */
static ordo_status read_archive(const ordo_input *in, zip_t *zip, ordo_type type, bool round, ordo_csr *csr)
{
    ordo_u64 n = 0;
    ordo_status status = walk(in, zip);
    if (!status)
        status = check_members(in, zip);
    if (!status)
        status = read_shape(in, zip, &n);
    if (status)
        return status;
    matrix x = {0};
    status = open_matrix(in, zip, n, &x);
    if (!status)
        status = ordo_csr_alloc(n, x.indices.count, type, csr);
    if (!status) {
        status = fill(&x, round, csr);
        if (status)
            ordo_csr_free(csr);
    }
    npy_close(&x.indptr);
    npy_close(&x.indices);
    npy_close(&x.data);
    return status;
}

ordo_status ordo_read_npz(ordo_input *in, const ordo_read_options *options, ordo_origin *origin, ordo_graph **out)
{
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_buffer_create(in->bytes, in->size, 0, &error);
    zip_t *zip = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
    ordo_status status = ORDO_OK;
    ordo_csr csr;
    if (!zip) {
        int code = zip_error_code_zip(&error);
        if (code == ZIP_ER_MEMORY)
            status = ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for the archive's directory", in->name);
        else
            status = ordo_fail(ORDO_ERR_INPUT, "%s: byte 0: found no whole zip archive (%s), expected one of SciPy",
                               in->name, zip_error_strerror(&error));
        zip_source_free(source);
    }
    zip_error_fini(&error);
    if (status)
        return status;
    origin->format = "SciPy .npz";
    origin->id_base = 0;
    const ordo_type type = !ordo_weights_wanted(&options->edges)     ? ORDO_NONE
                           : options->edges.weight_type != ORDO_NONE ? options->edges.weight_type
                                                                     : ORDO_U32;
    status = read_archive(in, zip, type, options->round, &csr);
    zip_discard(zip);
    if (status)
        return status;
    ordo_input_close(in);
    return ordo_graph_from_rows(&csr, false, origin, out);
}

/* ---- writing ---- */

/* A member as libzip reads it: a header, then count values of `width` bytes each. */
typedef struct outlet outlet;
struct outlet {
    char header[128];
    ordo_u64 header_size, size, at; /* bytes */
    ordo_u32 width;
    ordo_u64 (*value)(const outlet *o, ordo_u64 i);
    const ordo_csr *g;
};

static ordo_u64 value_format(const outlet *o, ordo_u64 i)
{
    (void)o;
    return (ordo_u64)(ordo_u8) "csr"[i];
}

static ordo_u64 value_shape(const outlet *o, ordo_u64 i)
{
    (void)i;
    return o->g->n;
}

static ordo_u64 value_row(const outlet *o, ordo_u64 i)
{
    return o->g->row[i];
}

static ordo_u64 value_head(const outlet *o, ordo_u64 i)
{
    return o->g->head[i * o->g->stride];
}

static ordo_u64 value_weight(const outlet *o, ordo_u64 i)
{
    return o->g->weight_type == ORDO_NONE ? 1 : ordo_csr_word(o->g, i);
}

static void give(outlet *o, ordo_u8 *to, ordo_u64 size)
{
    for (ordo_u64 done = 0; done < size;) {
        ordo_u64 value = 0, offset, left = size - done, some;
        if (o->at < o->header_size) {
            some = o->header_size - o->at < left ? o->header_size - o->at : left;
            memcpy(to + done, o->header + o->at, some);
        } else {
            offset = (o->at - o->header_size) % o->width;
            value = o->value(o, (o->at - o->header_size) / o->width);
            some = o->width - offset < left ? o->width - offset : left;
            memcpy(to + done, (ordo_u8 *)&value + offset, some);
        }
        done += some;
        o->at += some;
    }
}

static zip_int64_t answer(void *self, void *data, zip_uint64_t size, zip_source_cmd_t command)
{
    outlet *o = self;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                              ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
    case ZIP_SOURCE_OPEN:
        o->at = 0;
        return 0;
    case ZIP_SOURCE_READ:
        if (ordo_interrupted())
            return -1;
        size = size < o->size - o->at ? size : o->size - o->at;
        give(o, data, size);
        return (zip_int64_t)size;
    case ZIP_SOURCE_STAT:
        zip_stat_init(data);
        ((zip_stat_t *)data)->size = o->size;
        ((zip_stat_t *)data)->valid = ZIP_STAT_SIZE;
        return sizeof(zip_stat_t);
    case ZIP_SOURCE_ERROR:
        memset(data, 0, 2 * sizeof(int)); /* no other commands are supported */
        return 2 * sizeof(int);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
        return 0;
    default:
        return -1;
    }
}

/* dimensions 0: one value, of `count` bytes. */
static bool add(zip_t *zip, outlet *o, const char *name, const char *descr, ordo_u32 width, int dimensions,
                ordo_u64 count)
{
    char shape[32] = "";
    if (dimensions)
        snprintf(shape, sizeof shape, "%llu,", (unsigned long long)count);
    char text[sizeof o->header];
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape);
    memset(o->header, ' ', sizeof o->header);
    memcpy(o->header, "\x93NUMPY\1\0\x76\0", 10); /* 118 bytes follow */
    memcpy(o->header + 10, text, (size_t)length);
    o->header[sizeof o->header - 1] = '\n';
    o->header_size = sizeof o->header;
    o->width = width;
    o->size = o->header_size + count * width;
    zip_source_t *source = zip_source_function(zip, answer, o);
    zip_int64_t index = source ? zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0) {
        zip_source_free(source);
        return false;
    }
    /* The same graph gives the same file at any time. */
    struct tm first_day = {.tm_year = 80, .tm_mday = 1, .tm_isdst = -1};
    return zip_file_set_mtime(zip, (zip_uint64_t)index, mktime(&first_day), 0) == 0 &&
           zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_DEFLATE, LEVEL) == 0;
}

static bool above_i32(const ordo_csr *g)
{
    for (ordo_eid e = 0; e < g->m && g->weight_type == ORDO_U32; e++)
        if (ordo_csr_word(g, e) > INT32_MAX)
            return true;
    return false;
}

static bool add_all(zip_t *zip, const ordo_csr *g, outlet o[5])
{
    bool wide_head = g->n > INT32_MAX, wide_row = g->m > INT32_MAX;
    bool wide_weight = above_i32(g) || ordo_type_wide(g->weight_type);
    const char *weight = g->weight_type == ORDO_NONE  ? "|i1"
                         : g->weight_type == ORDO_F32 ? "<f4"
                         : g->weight_type == ORDO_F64 ? "<f8"
                         : wide_weight                ? "<i8"
                                                      : "<i4";
    o[0].value = value_head;
    o[1].value = value_row;
    o[2].value = value_format;
    o[3].value = value_shape;
    o[4].value = value_weight;
    for (int i = 0; i < 5; i++)
        o[i].g = g;
    return add(zip, &o[0], "indices.npy", wide_head ? "<i8" : "<i4", wide_head ? 8 : 4, 1, g->m) &&
           add(zip, &o[1], "indptr.npy", wide_row ? "<i8" : "<i4", wide_row ? 8 : 4, 1, (ordo_u64)g->n + 1) &&
           add(zip, &o[2], "format.npy", "|S3", 1, 0, 3) && add(zip, &o[3], "shape.npy", "<i8", 8, 1, 2) &&
           add(zip, &o[4], "data.npy", weight,
               g->weight_type == ORDO_NONE ? 1
               : wide_weight               ? 8
                                           : 4,
               1, g->m);
}

/* The archive as libzip writes it: into an open file, with seeks. */
typedef struct archive {
    int fd;
    zip_int64_t at;
    int error; /* errno of the first failure */
} archive;

static bool put(archive *a, const char *bytes, zip_uint64_t size)
{
    for (zip_uint64_t done = 0; done < size;) {
        ssize_t some = pwrite(a->fd, bytes + done, size - done, (off_t)(a->at + (zip_int64_t)done));
        if (some <= 0 && (some == 0 || errno != EINTR)) {
            a->error = some == 0 ? ENOSPC : errno;
            return false;
        }
        done += some > 0 ? (zip_uint64_t)some : 0;
    }
    a->at += (zip_int64_t)size;
    return true;
}

static zip_int64_t serve(void *self, void *data, zip_uint64_t size, zip_source_cmd_t command)
{
    archive *a = self;
    zip_error_t error;
    zip_error_init(&error);
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                              ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
                                              ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_COMMIT_WRITE,
                                              ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE,
                                              ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
    case ZIP_SOURCE_WRITE:
        return put(a, data, size) ? (zip_int64_t)size : -1;
    case ZIP_SOURCE_SEEK_WRITE: {
        zip_int64_t to = zip_source_seek_compute_offset((zip_uint64_t)a->at, INT64_MAX, data, size, &error);
        a->at = to >= 0 ? to : a->at;
        return to >= 0 ? 0 : -1;
    }
    case ZIP_SOURCE_TELL_WRITE:
        return a->at;
    case ZIP_SOURCE_STAT:
        zip_stat_init(data);
        ((zip_stat_t *)data)->valid = ZIP_STAT_SIZE; /* of 0 bytes: a new archive */
        return sizeof(zip_stat_t);
    case ZIP_SOURCE_ERROR: {
        int both[2] = {ZIP_ER_WRITE, a->error};
        memcpy(data, both, sizeof both);
        return sizeof both;
    }
    case ZIP_SOURCE_OPEN:
    case ZIP_SOURCE_READ: /* nothing is there yet */
    case ZIP_SOURCE_BEGIN_WRITE:
    case ZIP_SOURCE_COMMIT_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE: /* the caller, which opened the file, removes it */
    case ZIP_SOURCE_REMOVE:
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
        return 0;
    default:
        return -1;
    }
}

ordo_status ordo_write_npz(int fd, const char *path, const ordo_graph *graph)
{
    archive a = {.fd = fd};
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_function_create(serve, &a, &error);
    zip_t *zip = source ? zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error) : NULL;
    ordo_status status = ORDO_OK;
    if (!zip) {
        status = ordo_fail(zip_error_code_zip(&error) == ZIP_ER_MEMORY ? ORDO_ERR_MEMORY : ORDO_ERR_IO, "%s: %s", path,
                           zip_error_strerror(&error));
        zip_source_free(source);
    }
    zip_error_fini(&error);
    if (status)
        return status;
    outlet outlets[5] = {0};
    if (add_all(zip, ordo_graph_out(graph), outlets) && zip_close(zip) == 0)
        return ORDO_OK;
    if (a.error)
        status = ordo_output_error(path, a.error);
    else
        status = ordo_fail(zip_error_code_zip(zip_get_error(zip)) == ZIP_ER_MEMORY ? ORDO_ERR_MEMORY : ORDO_ERR_IO,
                           "%s: %s", path, zip_strerror(zip));
    zip_discard(zip);
    return status;
}

#else

ordo_status ordo_read_npz(ordo_input *in, const ordo_read_options *options, ordo_origin *origin, ordo_graph **out)
{
    (void)options, (void)origin, (void)out;
    return ordo_fail(ORDO_ERR_INPUT,
                     "%s: found a SciPy .npz file, expected another format: this Ordo was built without libzip",
                     in->name);
}

ordo_status ordo_write_npz(int fd, const char *path, const ordo_graph *g)
{
    (void)fd, (void)g;
    return ordo_fail(ORDO_ERR_USAGE,
                     "%s: found the suffix of a SciPy .npz file, expected another: this Ordo was built without libzip",
                     path);
}

#endif
