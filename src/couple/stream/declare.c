/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declarations. A program's own are checked by each of its ranks; the two programs' are compared by all ranks, in the same
 * order, so that everybody finds the same first difference and says the same sentence.
 */
#include "couple/stream/declare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/sized.h"
#include "base/text.h"

int64_t qdri_head_bytes(int64_t fields) {
    return (int64_t)sizeof(qdri_head) + fields * (int64_t)sizeof(qdri_field_head);
}

/* ---- options ------------------------------------------------------------------------------------------- */

static qdr_status read_word(const char *what, const char *word, const char *const *names, int count,
                            int64_t *value) {
    char valid[200] = "";
    *value = QDRI_OPEN;
    if (!word || strcmp(word, "auto") == 0) return QDR_OK;
    for (int i = 0; i < count; i++) {
        if (strcmp(word, names[i]) == 0) *value = i;
        qdri_list_add(valid, sizeof valid, names[i]);
    }
    if (*value == QDRI_OPEN)
        return qdri_fail(QDR_ERR_UNKNOWN, "\"%s\" for %s is none of: %s", word, what, valid);
    return QDR_OK;
}

static qdr_status read_options(const qdr_stream_options *options, qdri_head *head) {
    static const char *const computes[] = {"both", "exporter", "importer", "deref"};
    static const char *const back[] = {"all", "one"};
    static const char *const descriptors[] = {"disjoint", "representative"};
    QDRI_TRY(qdri_sized_refuse("qdr_stream_options", options->size, sizeof *options));
    QDRI_TRY(read_word("qdr_stream_options.computes", options->computes, computes, 4, &head->computes));
    QDRI_TRY(read_word("qdr_stream_options.back", options->back, back, 2, &head->back));
    QDRI_TRY(read_word("qdr_stream_options.descriptors", options->descriptors, descriptors, 2,
                       &head->descriptors));
    if (options->queue < 0)
        return qdri_fail(QDR_ERR_INVALID,
                         "qdr_stream_options.queue is %d; expected 0 or more exports that may wait",
                         options->queue);
    QDRI_TRY(qdri_deadline_check("qdr_stream_options.deadline", options->deadline));
    head->queue = options->queue ? options->queue : 8;
    head->fails_when_full = options->fails_when_full != 0;
    head->converts = options->converts != 0;
    head->checked = options->checksums != 0;
    return QDR_OK;
}

/* ---- fields -------------------------------------------------------------------------------------------- */

static qdr_status check_operation(const qdr_coupled *one, int role) {
    if (one->operation == QDR_REPLACE) return QDR_OK;
    if (role == 0)
        return qdri_fail(QDR_ERR_INVALID, "field '%s': an operation is for imports, and this is exported",
                         one->name);
    if (one->operation == QDR_COMBINE || !qdr_operation_suits(one->operation, one->type))
        return qdri_fail(QDR_ERR_INVALID, "field '%s': %s of %s is not defined", one->name,
                         qdr_operation_name(one->operation) ? qdr_operation_name(one->operation)
                                                            : "an operation that does not exist",
                         qdr_type_name(one->type));
    return QDR_OK;
}

static qdr_status check_coupled(const char *what, int place, const qdr_coupled *one, int role, int ranks) {
    if (!one->name || !*one->name || strlen(one->name) >= QDRI_NAME)
        return qdri_fail(QDR_ERR_INVALID, "%s[%d] has no name of 1 to %d characters", what, place,
                         QDRI_NAME - 1);
    if (!one->layout) return qdri_fail(QDR_ERR_INVALID, "field '%s': the layout is NULL", one->name);
    if (qdr_type_bytes(one->type) == 0)
        return qdri_fail(QDR_ERR_INVALID, "field '%s': there is no type %d%s", one->name, (int)one->type,
                         one->type ? "" : "; set it to QDR_DOUBLE, or to whatever its values are");
    if (one->width < 0 || one->width > INT32_MAX)
        return qdri_fail(QDR_ERR_INVALID, "field '%s': a width of %" PRId64 "; expected 0 to %d", one->name,
                         one->width, INT32_MAX);
    QDRI_TRY(check_operation(one, role));
    int needed = qdri_layout_ranks(one->layout);
    if (needed > ranks)
        return qdri_fail(QDR_ERR_RANGE, "field '%s': the layout names rank %d, but the program has %d",
                         one->name, needed - 1, ranks);
    if (!one->region) return QDR_OK;
    int dimensions = qdri_layout_dimensions(one->layout);
    if (qdri_region_dimensions(one->region) != dimensions)
        return qdri_fail(QDR_ERR_INVALID, "field '%s': a region of %d dimensions of an array of %d",
                         one->name, qdri_region_dimensions(one->region), dimensions);
    qdr_status status = qdri_region_fits(one->region, one->layout);
    if (status) {
        char sentence[500];
        snprintf(sentence, sizeof sentence, "%s", qdr_error_message());
        return qdri_fail(status, "field '%s': %s", one->name, sentence);
    }
    return QDR_OK;
}

typedef struct named {
    const char *name;
    int place;
} named;

static int compare_named(const void *a, const void *b) {
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

/* The order of fields by name: order[place in the caller's list] = place among the sorted. */
static qdr_status sort_fields(const char *what, const qdr_coupled *given, int count, int *order) {
    named *all = QDRI_ARRAY(named, count);
    if (!all) return qdri_fail_memory();
    for (int i = 0; i < count; i++) all[i] = (named){given[i].name, i};
    qsort(all, (size_t)count, sizeof *all, compare_named);
    qdr_status status = QDR_OK;
    for (int i = 0; i < count && !status; i++) {
        order[all[i].place] = i;
        if (i > 0 && strcmp(all[i - 1].name, all[i].name) == 0)
            status = qdri_fail(QDR_ERR_INVALID, "field '%s' is in %s twice", all[i].name, what);
    }
    free(all);
    return status;
}

/* One declared field goes into the stream, on the side of its role, and into the head. */
static qdr_status take_field(qdr_stream *stream, const qdr_coupled *given, int place, int role,
                             qdri_field_head *head) {
    qdri_field *field = &stream->field[place];
    qdr_region *all = NULL;
    if (!given->region) QDRI_TRY(qdr_region_all(given->layout, QDR_ROW_MAJOR, &all));
    field->layout[role] = qdri_layout_retain(given->layout);
    field->region[role] = all ? all : qdri_region_retain(given->region);
    strcpy(field->name, given->name);
    if (role == 1) field->operation = given->operation;
    *head = (qdri_field_head){.type = given->type,
                              .width = given->width ? given->width : 1,
                              .elements = qdr_region_elements(field->region[role]),
                              .compact = qdri_layout_kind_of(given->layout) <= QDRI_JOINED,
                              .boxes = qdri_layout_kind_of(given->layout) == QDRI_BOXES};
    strcpy(head->name, given->name);
    return QDR_OK;
}

static qdr_status take_fields(qdr_stream *stream, const char *what, const qdri_declared_fields *fields,
                              int role, int *order, qdri_field_head *head) {
    const qdri_space *space = &stream->coupling->space;
    qdr_coupled given[QDR_MOST_COUPLED];
    int count = fields->count[role];
    if (count < 0 || count > QDR_MOST_COUPLED)
        return qdri_fail(QDR_ERR_INVALID, "%d fields in %s; expected 0 to %d", count, what, QDR_MOST_COUPLED);
    if (count > 0 && !fields->field[role]) return qdri_fail(QDR_ERR_INVALID, "%s is NULL", what);
    for (int i = 0; i < count; i++)
        QDRI_TRY(qdri_element_read("qdr_coupled", &given[i], sizeof given[i], fields->field[role],
                                   fields->bytes, i));
    for (int i = 0; i < count; i++)
        QDRI_TRY(check_coupled(what, i, &given[i], role, space->count[space->side]));
    QDRI_TRY(sort_fields(what, given, count, order));
    for (int i = 0; i < count; i++) QDRI_TRY(take_field(stream, &given[i], order[i], role, &head[order[i]]));
    return QDR_OK;
}

static qdr_status declare(qdr_stream *stream, const char *name, const qdri_declared_fields *fields,
                          qdri_head *head) {
    int is_self = stream->coupling->space.is_self, exported = fields->count[0], imported = fields->count[1];
    QDRI_TRY(qdri_check_name("the name of the stream", name));
    strcpy(stream->name, name);
    strcpy(head->name, name);
    QDRI_TRY(read_options(&stream->options, head));
    if (is_self && (exported == 0) != (imported == 0))
        return qdri_fail(QDR_ERR_INVALID,
                         "stream '%s' of %s with itself: both exports and imports are needed", name,
                         stream->coupling->name);
    if (!is_self && exported && imported)
        return qdri_fail(QDR_ERR_INVALID, "stream '%s': a program exports or imports; two streams do both",
                         name);
    QDRI_TRY(take_fields(stream, "exports", fields, 0, stream->exported, head->field));
    QDRI_TRY(take_fields(stream, "imports", fields, 1, stream->imported, head->field + exported));
    head->exports = exported;
    head->imports = imported;
    return QDR_OK;
}

qdr_status qdri_declare(qdr_stream *stream, const char *name, const qdri_declared_fields *fields,
                        qdri_head **head) {
    int room = 2 * QDR_MOST_COUPLED;
    *head = qdri_alloc_zero(1, (size_t)qdri_head_bytes(room));
    stream->field = QDRI_ZERO_ARRAY(qdri_field, QDR_MOST_COUPLED);
    stream->exported = QDRI_ZERO_ARRAY(int, QDR_MOST_COUPLED);
    stream->imported = QDRI_ZERO_ARRAY(int, QDR_MOST_COUPLED);
    if (!*head || !stream->field || !stream->exported || !stream->imported) return qdri_fail_memory();
    return declare(stream, name, fields, *head);
}

/* ---- the same on all ranks of a program ---------------------------------------------------------------- */

const char *const qdri_declared_what[QDRI_DECLARED] = {"names of the stream and its fields",
                                                       "types, widths, operations or options", "layouts",
                                                       "regions", "numbers of fields"};

static uint64_t digest_bytes(const void *bytes, size_t size) {
    uint64_t digest = size;
    for (size_t i = 0; i < size; i++) digest = qdri_mix(digest + ((const unsigned char *)bytes)[i]);
    return digest;
}

/* Of boxes every rank states its own: only the array is the same. */
static uint64_t digest_layout(const qdr_layout *layout) {
    if (qdri_layout_kind_of(layout) != QDRI_BOXES) return qdri_layout_digest(layout);
    return digest_bytes(qdri_layout_extent(layout), (size_t)qdri_layout_dimensions(layout) * sizeof(int64_t));
}

void qdri_declared_digests(const qdr_stream *stream, const qdri_head *head, int64_t word[QDRI_DECLARED]) {
    uint64_t digest[QDRI_DECLARED] = {digest_bytes(head->name, sizeof head->name)};
    const int64_t said[] = {head->computes,        head->back,     head->descriptors, head->queue,
                            head->fails_when_full, head->converts, head->checked};
    digest[1] = digest_bytes(said, sizeof said);
    digest[4] = qdri_mix((uint64_t)(head->exports * 1000 + head->imports));
    for (int64_t i = 0; i < head->exports + head->imports; i++) {
        const qdri_field_head *field = &head->field[i];
        const int64_t sizes[] = {field->type, field->width, field->compact};
        digest[0] = qdri_mix(digest[0] ^ digest_bytes(field->name, sizeof field->name));
        digest[1] = qdri_mix(digest[1] ^ digest_bytes(sizes, sizeof sizes));
    }
    for (int i = 0; i < QDR_MOST_COUPLED && stream->field; i++)
        digest[1] = qdri_mix(digest[1] ^ (uint64_t)stream->field[i].operation);
    for (int i = 0; i < QDR_MOST_COUPLED && stream->field; i++)
        for (int role = 0; role < 2; role++) {
            const qdri_field *field = &stream->field[i];
            if (field->layout[role]) digest[2] = qdri_mix(digest[2] ^ digest_layout(field->layout[role]));
            if (field->region[role])
                digest[3] = qdri_mix(digest[3] ^ qdri_region_digest(field->region[role]));
        }
    for (int i = 0; i < QDRI_DECLARED; i++) word[i] = (int64_t)(digest[i] >> 2);
}

/* ---- as it came ---------------------------------------------------------------------------------------- */

static const qdri_expected expected_of_head[] = {
#define WORD(member, name, least, most) QDRI_MEMBER(qdri_head, member, name, least, most)
    WORD(exports, "number of exported fields", 0, QDR_MOST_COUPLED),
    WORD(imports, "number of imported fields", 0, QDR_MOST_COUPLED),
    WORD(computes, "who computes", QDRI_OPEN, QDRI_BY_DEREF),
    WORD(back, "how results go back", QDRI_OPEN, QDRI_BACK_ONE),
    WORD(descriptors, "how descriptors travel", QDRI_OPEN, QDRI_REPRESENTATIVE),
    WORD(queue, "length of the queue", 1, INT32_MAX),
    WORD(fails_when_full, "whether a full queue fails", 0, 1),
    WORD(converts, "whether values are converted", 0, 1),
    WORD(checked, "whether messages are checked", 0, 1),
#undef WORD
};

static const qdri_expected expected_of_field[] = {
#define WORD(member, name, least, most) QDRI_MEMBER(qdri_field_head, member, name, least, most)
    WORD(type, "the type of a field", 0, INT32_MAX),
    WORD(width, "values per element of a field", 1, INT32_MAX),
    WORD(elements, "number of elements of a field", 0, INT64_MAX),
    WORD(compact, "whether a layout is compact", 0, 1),
    WORD(boxes, "whether a layout has boxes", 0, 1),
#undef WORD
};

enum { HEAD_WORDS = sizeof expected_of_head / sizeof(qdri_expected) };
enum { FIELD_WORDS = sizeof expected_of_field / sizeof(qdri_expected) };

qdr_status qdri_head_decode(qdri_teller sender, qdri_head *head, int64_t bytes) {
    QDRI_TRY(qdri_decode_word(sender, "bytes of a declaration", bytes, qdri_head_bytes(0),
                              qdri_head_bytes(2 * QDR_MOST_COUPLED)));
    QDRI_TRY(qdri_decode(sender, expected_of_head, HEAD_WORDS, head));
    QDRI_TRY(
        qdri_decode_length(sender, "a declaration", bytes, qdri_head_bytes(head->exports + head->imports)));
    qdri_decode_text(head->name, sizeof head->name);
    for (int64_t i = 0; i < head->exports + head->imports; i++) {
        qdri_decode_text(head->field[i].name, sizeof head->field[i].name);
        QDRI_TRY(qdri_decode(sender, expected_of_field, FIELD_WORDS, &head->field[i]));
    }
    return QDR_OK;
}

/* ---- the same in both programs ------------------------------------------------------------------------- */

static qdr_status compare_roles(qdr_stream *stream, const qdri_head *const head[2]) {
    const char *const *name = stream->coupling->space.name;
    if (strcmp(head[0]->name, head[1]->name) != 0)
        return qdri_fail(QDR_ERR_MISMATCH,
                         "%s opens stream '%s', %s opens '%s'; both open theirs in the same order", name[0],
                         head[0]->name, name[1], head[1]->name);
    if (head[0]->exports > 0 && head[1]->exports > 0)
        return qdri_fail(QDR_ERR_MISMATCH, "stream '%s': both %s and %s export; one has to import",
                         stream->name, name[0], name[1]);
    if (head[0]->exports == 0 && head[1]->exports == 0)
        return qdri_fail(QDR_ERR_MISMATCH, "stream '%s': neither %s nor %s exports anything", stream->name,
                         name[0], name[1]);
    return QDR_OK;
}

static qdr_status compare_field(qdr_stream *stream, int place, const qdri_field_head *out,
                                const qdri_field_head *in, int converts) {
    const char *exporter = stream->coupling->space.name[stream->exporter];
    const char *importer = stream->coupling->space.name[!stream->exporter];
    qdri_field *field = &stream->field[place];
    if (out->elements != in->elements)
        return qdri_fail(QDR_ERR_MISMATCH,
                         "stream '%s', field '%s': %s exports %" PRId64 " elements, %s imports %" PRId64,
                         stream->name, out->name, exporter, out->elements, importer, in->elements);
    if (out->width != in->width)
        return qdri_fail(QDR_ERR_MISMATCH,
                         "stream '%s', field '%s': %s has %" PRId64 " values per element, %s %" PRId64,
                         stream->name, out->name, exporter, out->width, importer, in->width);
    if (!qdr_type_bytes((qdr_type)out->type) || !qdr_type_bytes((qdr_type)in->type) || out->width < 1 ||
        out->elements < 0)
        return qdri_fail(QDR_ERR_MISMATCH, "stream '%s', field '%s': a type or size that does not exist",
                         stream->name, out->name);
    if (out->type != in->type && !converts)
        return qdri_fail(
            QDR_ERR_MISMATCH,
            "stream '%s', field '%s': %s has %s, %s has %s; qdr_stream_options.converts converts",
            stream->name, out->name, exporter, qdr_type_name((qdr_type)out->type), importer,
            qdr_type_name((qdr_type)in->type));
    if (!qdri_convertible((qdr_type)out->type, (qdr_type)in->type))
        return qdri_fail(QDR_ERR_MISMATCH,
                         "stream '%s', field '%s': %s of %s cannot be converted to %s of %s", stream->name,
                         out->name, qdr_type_name((qdr_type)out->type), exporter,
                         qdr_type_name((qdr_type)in->type), importer);
    strcpy(field->name, out->name);
    field->type[0] = (qdr_type)out->type;
    field->type[1] = (qdr_type)in->type;
    field->width = out->width;
    field->elements = out->elements;
    field->compact[0] = out->compact != 0;
    field->compact[1] = in->compact != 0;
    return QDR_OK;
}

/* Fields are sorted by name in both; the first difference is named. */
static qdr_status compare_fields(qdr_stream *stream, const qdri_head *out, const qdri_head *in) {
    const char *exporter = stream->coupling->space.name[stream->exporter];
    const char *importer = stream->coupling->space.name[!stream->exporter];
    const qdri_field_head *given = out->field, *wanted = in->field + in->exports;
    for (int64_t i = 0; i < out->exports || i < in->imports; i++) {
        int order = i >= out->exports ? 1 : i >= in->imports ? -1 : strcmp(given[i].name, wanted[i].name);
        if (order < 0)
            return qdri_fail(QDR_ERR_MISMATCH, "stream '%s': %s exports field '%s', which %s does not import",
                             stream->name, exporter, given[i].name, importer);
        if (order > 0)
            return qdri_fail(QDR_ERR_MISMATCH, "stream '%s': %s imports field '%s', which %s does not export",
                             stream->name, importer, wanted[i].name, exporter);
        QDRI_TRY(compare_field(stream, (int)i, &given[i], &wanted[i], (int)in->converts));
    }
    stream->fields = (int)out->exports;
    return QDR_OK;
}

static qdr_status follow(qdr_stream *stream, const char *what, int64_t a, int64_t b, int most, int *asked) {
    const char *const *name = stream->coupling->space.name;
    if (a < QDRI_OPEN || a > most || b < QDRI_OPEN || b > most ||
        (a != QDRI_OPEN && b != QDRI_OPEN && a != b))
        return qdri_fail(QDR_ERR_MISMATCH,
                         "stream '%s': %s and %s ask for different ways in qdr_stream_options.%s",
                         stream->name, name[0], name[1], what);
    *asked = (int)(a == QDRI_OPEN ? b : a);
    return QDR_OK;
}

qdr_status qdri_compare(qdr_stream *stream, const qdri_head *const head[2], qdri_choice *asked) {
    int is_self = stream->coupling->space.is_self;
    if (!is_self) QDRI_TRY(compare_roles(stream, head));
    stream->exporter = is_self ? 0 : head[1]->exports > 0;
    const qdri_head *out = head[stream->exporter], *in = head[!stream->exporter];
    stream->exports = is_self || stream->exporter == stream->coupling->space.side;
    stream->imports = is_self || !stream->exports;
    QDRI_TRY(compare_fields(stream, out, in));
    QDRI_TRY(follow(stream, "computes", out->computes, in->computes, QDRI_BY_DEREF, &asked->computes));
    QDRI_TRY(follow(stream, "back", out->back, in->back, 1, &asked->back));
    QDRI_TRY(follow(stream, "descriptors", out->descriptors, in->descriptors, 1, &asked->descriptors));
    stream->options.queue = (int)out->queue;
    stream->options.fails_when_full = (int)out->fails_when_full;
    stream->options.converts = (int)in->converts;
    stream->options.checksums = out->checked || in->checked;
    return QDR_OK;
}
