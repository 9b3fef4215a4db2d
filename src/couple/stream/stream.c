/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams: opening, looking, closing. Opening is a conversation of both programs: all ranks say whether their arguments
 * make sense, and that those of one program are the same; the two declarations are exchanged and compared; schedules are
 * built; then the stream can run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "couple/stream/declare.h"
#include "couple/schedule/share.h"

static void dispose(qdr_stream *stream) {
    for (int f = 0; f < QDR_MOST_COUPLED && stream->field; f++) {
        qdri_field *field = &stream->field[f];
        qdri_routes_close(&field->out);
        qdri_routes_close(&field->in);
        for (int role = 0; role < 2; role++) {
            qdr_layout_destroy(&field->layout[role]);
            qdr_region_destroy(&field->region[role]);
        }
    }
    free(stream->field);
    free(stream->exported);
    free(stream->imported);
    free(stream);
}

/* ---- opening ------------------------------------------------------------------------------------------- */

/* Everybody has come with arguments that make sense, and the ranks of a program with the same ones. */
static qdr_status agree_on_arguments(const qdr_stream *stream, const qdri_head *head, qdr_status status,
                                     double deadline) {
    const qdri_space *space = &stream->coupling->space;
    int64_t digest[QDRI_DECLARED] = {0};
    qdri_term term[2 * QDRI_DECLARED];
    char name[2 * QDRI_DECLARED][2 * QDRI_NAME];
    if (!status) qdri_declared_digests(stream, head, digest);
    for (int i = 0; i < 2 * QDRI_DECLARED; i++) {
        int side = i / QDRI_DECLARED, what = i % QDRI_DECLARED;
        snprintf(name[i], sizeof name[i], "%s of a stream, in %s", qdri_declared_what[what],
                 space->name[side]);
        term[i] = QDRI_IS_SAME(name[i], side == space->side ? digest[what] : QDRI_SILENT);
    }
    status = qdri_say_who(space, stream->name[0] ? stream->name : "?", status);
    return qdri_space_agree(space, status, term, 2 * QDRI_DECLARED, deadline);
}

/* The two declarations, the first program's first. `*theirs` is what came, to be freed. */
static qdr_status exchange_heads(qdri_build *build, const qdri_head *mine, const qdri_head *head[2],
                                 qdri_content *theirs) {
    static const int gives[2] = {1, 1};
    const qdri_space *space = build->space;
    *theirs = (qdri_content){.rank = 0};
    head[0] = head[1] = mine;
    if (space->is_self) return QDR_OK;
    qdri_content out = {.bytes = qdri_head_bytes(mine->exports + mine->imports)};
    out.data = qdri_message_alloc(&build->effort, out.bytes);
    if (out.data)
        memcpy(out.data, mine, (size_t)out.bytes);
    else
        out.bytes = 0;
    int way = qdri_choose_descriptors(build->costs, space->count);
    QDRI_TRY(qdri_share(build, "exchanging declarations", way, gives, out, theirs));
    QDRI_TRY(qdri_head_decode((qdri_teller){space->name[!space->side], -1}, theirs->data, theirs->bytes));
    head[!space->side] = theirs->data;
    return QDR_OK;
}

/* What building took, over all ranks of both programs: asked with the agreement with which the stream begins to run. */
enum {
    MOST_NANOSECONDS,
    MOST_COMPUTED = 2,
    NANOSECONDS = 4,
    COMPUTED = 6,
    ELAPSED = 8,
    EFFORT,
    SUMS = EFFORT + 4
};

static void ask_sums(const qdri_build *build, double began, qdri_term *term) {
    const qdri_effort *effort = &build->effort;
    term[ELAPSED] =
        QDRI_IS_MOST("nanoseconds of building", (int64_t)(1e9 * (qdri_seconds() - began)), 0, INT64_MAX);
    term[EFFORT] = QDRI_IS_SUM("messages inside", effort->inside_messages);
    term[EFFORT + 1] = QDRI_IS_SUM("bytes inside", effort->inside_bytes);
    term[EFFORT + 2] = QDRI_IS_SUM("messages across", effort->across_messages);
    term[EFFORT + 3] = QDRI_IS_SUM("bytes across", effort->across_bytes);
    for (int role = 0; role < 2; role++) {
        int64_t nanoseconds = build->has[role] ? (int64_t)(1e9 * effort->seconds) : 0;
        int64_t computed = build->has[role] ? effort->computed : 0;
        term[MOST_NANOSECONDS + role] = QDRI_IS_MOST("nanoseconds of a rank", nanoseconds, 0, INT64_MAX);
        term[MOST_COMPUTED + role] = QDRI_IS_MOST("elements of a rank", computed, 0, INT64_MAX);
        term[NANOSECONDS + role] = QDRI_IS_SUM("nanoseconds", nanoseconds);
        term[COMPUTED + role] = QDRI_IS_SUM("elements", computed);
    }
}

static void keep_sums(const qdri_build *build, const qdri_term *term, qdr_stream_view *view) {
    for (int role = 0; role < 2; role++) {
        view->seconds_most[role] = 1e-9 * (double)term[MOST_NANOSECONDS + role].value;
        view->seconds_mean[role] = 1e-9 * (double)term[NANOSECONDS + role].value / build->ranks[role];
        view->computed_most[role] = term[MOST_COMPUTED + role].value;
        view->computed_all[role] = term[COMPUTED + role].value;
    }
    view->build_seconds = 1e-9 * (double)term[ELAPSED].value;
    view->inside_messages = term[EFFORT].value, view->inside_bytes = term[EFFORT + 1].value;
    view->across_messages = term[EFFORT + 2].value, view->across_bytes = term[EFFORT + 3].value;
    view->peak_bytes = build->effort.memory.peak;
}

static void count_runs(const qdri_routes *routes, int64_t *runs) {
    for (int i = 0; i < routes->count; i++) *runs += qdri_places_runs(&routes->route[i].places);
}

static void fill_view(qdr_stream *stream) {
    qdr_stream_view *view = &stream->view;
    view->name = stream->name;
    view->fields = stream->fields;
    view->computed = stream->built.computed;
    view->back = stream->built.back;
    view->descriptors = stream->built.descriptors;
    view->why = stream->built.why;
    for (int f = 0; f < stream->fields; f++) {
        const qdri_field *field = &stream->field[f];
        view->elements += field->elements;
        count_runs(&field->out, &view->runs_out);
        count_runs(&field->in, &view->runs_in);
    }
}

static qdr_status open_stream(qdr_stream *stream, qdri_head *head, qdr_status declared, double deadline) {
    const qdri_head *heads[2];
    qdri_build build = {.name = stream->name,
                        .costs = &stream->coupling->costs,
                        .space = &stream->coupling->space,
                        .deadline = deadline};
    qdri_content theirs;
    qdri_choice asked;
    QDRI_TRY(agree_on_arguments(stream, head, declared, deadline));
    qdr_status status = exchange_heads(&build, head, heads, &theirs);
    if (!status) status = qdri_compare(stream, heads, &asked);
    qdri_messages_free(&build.effort, 1, &theirs);
    QDRI_TRY(status);
    double began = qdri_seconds();
    build.exporter = stream->exporter;
    build.fields = stream->fields;
    build.list = stream->field;
    QDRI_TRY(qdri_build_all(&build, &asked, &stream->built));
    fill_view(stream);
    qdri_term sum[SUMS];
    ask_sums(&build, began, sum);
    QDRI_TRY(qdri_running_open(stream, sum, SUMS));
    keep_sums(&build, sum, &stream->view);
    return QDR_OK;
}

qdr_status qdr_stream_create_sized(qdr_coupling *coupling, const char *name, int exported,
                                   const qdr_coupled *exports, int imported, const qdr_coupled *imports,
                                   size_t coupled_bytes, const qdr_stream_options *options,
                                   qdr_stream **stream) {
    if (!coupling || !stream)
        return qdri_fail(QDR_ERR_INVALID, "qdr_stream_create: %s is NULL", coupling ? "stream" : "coupling");
    /* Whether the wire is whole is for the agreement to say: who comes late to a call that failed hears how it did. */
    qdr_stream *made = QDRI_ZERO_ARRAY(qdr_stream, 1);
    qdri_head *head = NULL;
    if (!made) return qdri_fail_memory();
    made->coupling = coupling;
    qdri_sized_read(&made->options, sizeof made->options, options);
    made->seconds = qdri_patience(made->options.deadline > 0 ? made->options.deadline : coupling->seconds);
    double deadline = qdri_deadline(made->seconds);
    qdri_declared_fields fields = {coupled_bytes, {exported, imported}, {exports, imports}};
    qdr_status status = qdri_declare(made, name, &fields, &head);
    status = open_stream(made, head, status, deadline);
    free(head);
    if (status) {
        dispose(made);
        return status;
    }
    const qdr_stream_view *view = &made->view;
    qdri_explain(
        coupling->program->own_wire,
        "stream %s of %s with %s: %d fields, %lld elements; computed by %s, back by %s, descriptors %s: %s",
        made->name, coupling->name, coupling->peer, view->fields, (long long)view->elements, view->computed,
        view->back, view->descriptors, view->why);
    coupling->streams++;
    *stream = made;
    return QDR_OK;
}

/* ---- looking ------------------------------------------------------------------------------------------- */

void qdr_stream_look_sized(const qdr_stream *stream, qdr_stream_view *view, size_t view_bytes) {
    qdr_stream_view known = stream->view;
    qdri_running_look(stream, &known);
    qdri_sized_fill(view, view_bytes, &known, sizeof known);
}

qdr_status qdr_stream_schedule(const qdr_stream *stream, int outgoing, int field, int *partners, int **rank,
                               int64_t **start, int64_t **place) {
    if (!stream || !partners || !rank || !start || !place)
        return qdri_fail(QDR_ERR_INVALID, "qdr_stream_schedule: an argument is NULL");
    if (field < 0 || field >= stream->fields)
        return qdri_fail(QDR_ERR_RANGE, "field %d of %d", field, stream->fields);
    const int *order = outgoing ? stream->exported : stream->imported;
    int has = outgoing ? stream->exports : stream->imports;
    const qdri_field *one = &stream->field[has ? order[field] : field];
    const qdri_routes *routes = outgoing ? &one->out : &one->in;
    int *ranks = QDRI_ARRAY(int, routes->count);
    int64_t *starts = QDRI_ARRAY(int64_t, routes->count + 1), *places = QDRI_ARRAY(int64_t, routes->elements);
    if (!ranks || !starts || !places) {
        free(ranks);
        free(starts);
        free(places);
        return qdri_fail_memory();
    }
    starts[0] = 0;
    for (int i = 0; i < routes->count; i++) {
        ranks[i] = routes->route[i].partner;
        starts[i + 1] = starts[i] + routes->route[i].places.count;
        qdri_places_expand(&routes->route[i].places, places + starts[i]);
    }
    *partners = routes->count;
    *rank = ranks;
    *start = starts;
    *place = places;
    return QDR_OK;
}

/* ---- the end ------------------------------------------------------------------------------------------- */

/* By rising age; the first failure is returned. */
static qdr_status end_lingering(qdr_coupling *coupling) {
    char sentence[1000] = "";
    qdr_status failed = QDR_OK;
    while (coupling->lingering) {
        qdr_stream *ended = coupling->lingering;
        coupling->lingering = ended->next;
        qdr_status status = qdri_running_close(ended, 1);
        if (status && !failed) snprintf(sentence, sizeof sentence, "%s", qdr_error_message());
        if (!failed) failed = status;
        dispose(ended);
    }
    return failed ? qdri_fail(failed, "%s", sentence) : QDR_OK;
}

qdr_status qdr_stream_destroy(qdr_stream **stream) {
    if (!stream || !*stream) return QDR_OK;
    qdr_stream *closed = *stream;
    QDRI_TRY(qdri_running_may_close(closed));
    *stream = NULL;
    qdr_coupling *coupling = closed->coupling;
    qdr_status status = qdri_running_close(closed, 0);
    coupling->streams--;
    if (closed->running) {
        closed->next = coupling->lingering;
        coupling->lingering = closed;
        coupling->end_streams = end_lingering;
    } else {
        dispose(closed);
    }
    return status;
}
