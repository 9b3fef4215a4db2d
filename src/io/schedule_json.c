/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schedules as JSON:
 *
 *     {"quadrille": "schedule", "version": 1, "algorithm": "random", "spec": "random:seed=7",
 *      "ranks": 8, "stages": 1, "promises": ["permutation"], "limits": [],
 *      "transfers": [[stage, phase, from, to, [[origin, destination, offset, length], ...]], ...]}
 *
 * Writing streams the rows. Reading takes everything that is well formed, ranks and numbers in range, and
 * believes nothing else: whether the schedule serves the pattern and keeps its promises is the checker's
 * question.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/print.h"
#include "pattern/pattern.h"
#include "quadrille-io.h"
#include "schedule/schedule.h"

static const struct {
    const char *name;
    unsigned bit;
} promise_names[] = {{"permutation", QDR_PROMISES_PERMUTATION},
                     {"pairs", QDR_PROMISES_PAIRS},
                     {"links", QDR_PROMISES_LINKS},
                     {"limit", QDR_PROMISES_LIMIT}};

enum { PROMISES = QDRI_COUNT_OF(promise_names) };

/* ---- writing ------------------------------------------------------------------------------------------- */

/* The name of a file may hold any bytes; what is not plain ASCII might be no text, and the file no JSON. */
static void write_string(const char *key, const char *value, qdri_printer *stream) {
    qdri_print(stream, "\"%s\": \"", key);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') qdri_print_letter(stream, '\\');
        qdri_print_letter(stream, *value >= ' ' && *value <= '~' ? *value : '?');
    }
    qdri_print_text(stream, "\", ");
}

static void write_header(const qdr_schedule *schedule, qdri_printer *stream) {
    int listed = 0;
    qdri_print_text(stream, "{\"quadrille\": \"schedule\", \"version\": 1, ");
    write_string("algorithm", schedule->algorithm, stream);
    write_string("spec", schedule->spec, stream);
    qdri_print(stream, "\"ranks\": %d, \"stages\": %d,\n \"promises\": [",
               qdr_pattern_look(schedule->pattern).ranks, schedule->stages);
    for (int i = 0; i < PROMISES; i++)
        if (schedule->promises & promise_names[i].bit)
            qdri_print(stream, "%s\"%s\"", listed++ ? ", " : "", promise_names[i].name);
    qdri_print_text(stream, "], \"limits\": [");
    for (int64_t i = 0; i < schedule->limits; i++)
        qdri_print(stream, "%s%lld", i ? ", " : "", (long long)schedule->limit[i]);
    qdri_print_text(stream, "],\n \"transfers\": [");
}

static void write_transfer(const qdr_row *row, const qdr_transfer *transfer, int first,
                           qdri_printer *stream) {
    qdri_print(stream, "%s\n  [%d, %lld, %d, %d, [", first ? "" : ",", row->stage, (long long)transfer->phase,
               row->rank, transfer->partner);
    for (int64_t i = 0; i < transfer->pieces; i++) {
        const qdr_piece *piece = &row->piece[transfer->first + i];
        qdri_print(stream, "%s[%d, %d, %lld, %lld]", i ? ", " : "", piece->origin, piece->destination,
                   (long long)piece->offset, (long long)piece->length);
    }
    qdri_print_text(stream, "]]");
}

static qdr_status write_transfers(const qdr_schedule *schedule, qdr_row_reader *reader,
                                  qdri_printer *stream) {
    int ranks = qdr_pattern_look(schedule->pattern).ranks, first = 1;
    for (int stage = 0; stage < schedule->stages; stage++)
        for (int rank = 0; rank < ranks; rank++) {
            qdr_row row;
            QDRI_TRY(qdr_row_read(reader, rank, stage, &row));
            for (int64_t i = 0; i < row.sends; i++, first = 0)
                write_transfer(&row, &row.send[i], first, stream);
        }
    return QDR_OK;
}

qdr_status qdr_schedule_write_json(const qdr_schedule *schedule, FILE *stream) {
    qdr_row_reader *reader;
    if (!schedule || !stream)
        return qdri_fail(QDR_ERR_INVALID, "qdr_schedule_write_json: an argument is NULL");
    QDRI_TRY(qdri_row_reader_open(schedule, QDRI_WANT_SENDS | QDRI_WANT_PIECES, &reader));
    qdri_printer printer = {stream, 0};
    write_header(schedule, &printer);
    qdr_status status = write_transfers(schedule, reader, &printer);
    qdr_row_reader_destroy(&reader);
    QDRI_TRY(status);
    qdri_print_text(&printer, "]}\n");
    return qdri_print_end(&printer, "the schedule");
}

/* ---- reading ------------------------------------------------------------------------------------------- */

typedef struct loader {
    const char *name;
    qdr_pattern_view pattern;
    int ranks, stages;
    unsigned promises;
    int64_t *limit;
    int64_t limits;
    qdri_piece_entry *entry;
    int64_t entries, capacity;
} loader;

static qdr_status misread(const loader *l, const char *where, const char *expected) {
    return qdri_fail(QDR_ERR_SYNTAX, "%s: %s: expected %s", l->name, where, expected);
}

static int whole(const json_t *value, int64_t low, int64_t high, int64_t *number) {
    if (!json_is_integer(value)) return 0;
    *number = json_integer_value(value);
    return *number >= low && *number <= high;
}

static qdr_status load_promises(loader *l, const json_t *root) {
    const json_t *list = json_object_get(root, "promises"), *limits = json_object_get(root, "limits");
    size_t index;
    json_t *value;
    if (!json_is_array(list) || !json_is_array(limits)) return misread(l, "promises, limits", "two arrays");
    json_array_foreach (list, index, value) {
        int known = 0;
        for (int i = 0; i < PROMISES; i++)
            if (json_is_string(value) && !strcmp(json_string_value(value), promise_names[i].name)) {
                l->promises |= promise_names[i].bit;
                known = 1;
            }
        if (!known) return misread(l, "promises", "\"permutation\", \"pairs\", \"links\" or \"limit\"");
    }
    l->limit = QDRI_ARRAY(int64_t, (int64_t)json_array_size(limits));
    if (!l->limit) return qdri_fail_memory();
    json_array_foreach (limits, index, value) {
        if (!whole(value, 0, INT64_MAX, &l->limit[l->limits++])) return misread(l, "limits", "whole numbers");
    }
    return QDR_OK;
}

/* Only a message without items has a piece without any. */
static int is_empty_message(const loader *l, int origin, int destination) {
    int64_t m = qdri_pattern_position(&l->pattern, origin, destination);
    return m < l->pattern.row_start[origin + 1] && l->pattern.destination[m] == destination &&
           l->pattern.items[m] == 0;
}

static qdr_status load_piece(loader *l, const json_t *value, qdri_piece_entry entry) {
    int64_t origin, destination;
    if (!json_is_array(value) || json_array_size(value) != 4 ||
        !whole(json_array_get(value, 0), 0, l->ranks - 1, &origin) ||
        !whole(json_array_get(value, 1), 0, l->ranks - 1, &destination) ||
        !whole(json_array_get(value, 2), 0, INT64_MAX / 4, &entry.piece.offset) ||
        !whole(json_array_get(value, 3), 0, INT64_MAX / 4, &entry.piece.length) ||
        (entry.piece.length == 0 && !is_empty_message(l, (int)origin, (int)destination)))
        return misread(l, "a piece", "[origin, destination, offset, length]");
    entry.piece.origin = (int)origin;
    entry.piece.destination = (int)destination;
    if (!qdri_grow(&l->entry, &l->capacity, l->entries + 1, sizeof *l->entry)) return qdri_fail_memory();
    l->entry[l->entries++] = entry;
    return QDR_OK;
}

static qdr_status load_transfer(loader *l, const json_t *value) {
    int64_t stage, phase, from, to;
    size_t index;
    json_t *piece;
    if (!json_is_array(value) || json_array_size(value) != 5 ||
        !whole(json_array_get(value, 0), 0, l->stages - 1, &stage) ||
        !whole(json_array_get(value, 1), 0, INT32_MAX - 1, &phase) ||
        !whole(json_array_get(value, 2), 0, l->ranks - 1, &from) ||
        !whole(json_array_get(value, 3), 0, l->ranks - 1, &to) || !json_array_size(json_array_get(value, 4)))
        return misread(l, "a transfer",
                       "[stage, phase, from, to, [piece, ...]] with ranks and stages that exist");
    qdri_piece_entry entry = {
        .stage = (int32_t)stage, .phase = (int32_t)phase, .from = (int)from, .to = (int)to};
    json_array_foreach (json_array_get(value, 4), index, piece) {
        QDRI_TRY(load_piece(l, piece, entry));
    }
    return QDR_OK;
}

static qdr_status load(loader *l, const json_t *root) {
    const json_t *kind = json_object_get(root, "quadrille"), *list = json_object_get(root, "transfers");
    int64_t version, ranks, stages;
    size_t index;
    json_t *value;
    if (!json_is_string(kind) || strcmp(json_string_value(kind), "schedule") != 0 ||
        !whole(json_object_get(root, "version"), 1, 1, &version))
        return misread(l, "the file", "a schedule: \"quadrille\": \"schedule\", \"version\": 1");
    if (!whole(json_object_get(root, "ranks"), 1, INT32_MAX, &ranks) || ranks != l->ranks)
        return qdri_fail(QDR_ERR_SYNTAX, "%s: ranks: expected %d, as in the pattern", l->name, l->ranks);
    if (!whole(json_object_get(root, "stages"), 1, 4096, &stages)) return misread(l, "stages", "1 to 4096");
    if (!json_is_array(list)) return misread(l, "transfers", "an array");
    l->stages = (int)stages;
    QDRI_TRY(load_promises(l, root));
    json_array_foreach (list, index, value) {
        QDRI_TRY(load_transfer(l, value));
    }
    return QDR_OK;
}

static int is_direct(const loader *l) {
    for (int64_t i = 0; i < l->entries; i++)
        if (l->entry[i].from != l->entry[i].piece.origin || l->entry[i].to != l->entry[i].piece.destination)
            return 0;
    return l->stages == 1;
}

static qdr_status make(loader *l, const qdr_pattern *pattern, const qdr_machine *machine,
                       qdr_schedule **schedule) {
    qdr_schedule *made;
    QDRI_TRY(qdri_schedule_open(pattern, machine, "loaded", l->name, &made));
    made->stages = l->stages;
    made->promises = l->promises;
    made->direct = is_direct(l);
    made->limit = l->limit;
    made->limits = l->limits;
    l->limit = NULL;
    qdr_status status = qdri_rows_from_entries(made, l->entry, l->entries);
    l->entry = NULL;
    if (status == QDR_OK) status = qdri_schedule_close(made);
    if (status != QDR_OK) {
        qdr_schedule_destroy(&made);
        return status;
    }
    *schedule = made;
    return QDR_OK;
}

/* Without memory the parser stops with a code of its own, or with no text at all. */
static qdr_status unparsed(FILE *stream, const char *name, const json_error_t *error) {
    if (ferror(stream)) return qdri_fail(QDR_ERR_FILE, "%s: cannot be read", name);
    if (json_error_code(error) == json_error_out_of_memory || !error->text[0]) return qdri_fail_memory();
    return qdri_fail(QDR_ERR_SYNTAX, "%s:%d: %s; expected a schedule in JSON", name, error->line,
                     error->text);
}

qdr_status qdr_schedule_read_json(FILE *stream, const char *name, const qdr_pattern *pattern,
                                  const qdr_machine *machine, qdr_schedule **schedule) {
    json_error_t error;
    if (!stream || !name || !pattern || !schedule)
        return qdri_fail(QDR_ERR_INVALID, "qdr_schedule_read_json: an argument is NULL");
    json_t *root = json_loadf(stream, JSON_REJECT_DUPLICATES, &error);
    if (!root) return unparsed(stream, name, &error);
    loader l = {.name = name, .pattern = qdr_pattern_look(pattern)};
    l.ranks = l.pattern.ranks;
    qdr_status status = load(&l, root);
    json_decref(root);
    if (status == QDR_OK) status = make(&l, pattern, machine, schedule);
    free(l.limit);
    free(l.entry);
    return status;
}
