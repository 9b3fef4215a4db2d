/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resolving: who owns what I need. The table of methods; the call; and the call that goes on to a map.
 */
#include "directory/resolve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/likeness.h"
#include "base/sized.h"
#include "wire/agree.h"

static const qdri_resolution *const methods[] = {&qdri_resolve_directory, &qdri_resolve_ring,
                                                 &qdri_resolve_torus, &qdri_resolve_alltoall,
                                                 &qdri_resolve_hybrid};
enum { METHODS = sizeof methods / sizeof *methods };

const qdr_resolve_method_info *qdr_resolve_method(int index) {
    static _Thread_local qdr_resolve_method_info info[METHODS];
    if (index < 0 || index >= METHODS) return NULL;
    info[index] =
        (qdr_resolve_method_info){methods[index]->name, methods[index]->summary, methods[index]->memory};
    return &info[index];
}

/* ---- arguments ----------------------------------------------------------------------------------------- */

static qdr_status find_method(const char *text, qdri_spec *spec, int *number) {
    char names[128] = "";
    QDRI_TRY(qdri_spec_open(text, "method", spec));
    for (int i = 0; i < METHODS; i++) {
        if (!strcmp(spec->name, methods[i]->name)) {
            *number = i;
            return qdri_spec_read(spec, methods[i]->options, methods[i]->option_count);
        }
        strcat(strcat(names, i ? ", " : ""), methods[i]->name);
    }
    return qdri_fail(QDR_ERR_UNKNOWN, "qdr_resolve: there is no method '%s'; %s%s", spec->name,
                     qdri_did_you_mean(spec->name, names), names);
}

static qdr_status check_ids(const char *what, int64_t count, const int64_t *id, int64_t limit) {
    if (count < 0 || count > INT64_MAX / 64)
        return qdri_fail(QDR_ERR_RANGE, "%" PRId64 " %s ids; expected 0 to %" PRId64, count, what,
                         INT64_MAX / 64);
    if (count > 0 && !id)
        return qdri_fail(QDR_ERR_INVALID, "%" PRId64 " %s ids, but the list is NULL", count, what);
    for (int64_t i = 0; limit && i < count; i++)
        if (id[i] < 0 || id[i] >= limit)
            return qdri_fail(QDR_ERR_RANGE, "%s id %" PRId64 " is %" PRId64 "; expected 0 to %" PRId64, what,
                             i, id[i], limit - 1);
    return QDR_OK;
}

/* Ids as all methods have them. */
static qdr_status widen(const char *what, int64_t count, const int32_t *narrow, const int64_t **id,
                        int64_t **widened) {
    if (!narrow || count < 1 || count > INT64_MAX / 64) return QDR_OK;
    if (*id) return qdri_fail(QDR_ERR_INVALID, "%s ids are given twice, in 64 bits and in 32", what);
    *id = *widened = QDRI_ARRAY(int64_t, count);
    if (!*id) return qdri_fail_memory();
    for (int64_t i = 0; i < count; i++) (*widened)[i] = narrow[i];
    return QDR_OK;
}

static qdr_status check(qdri_query *query) {
    const qdr_resolve_options *options = &query->options;
    QDRI_TRY(qdri_sized_refuse("qdr_resolve_options", options->size, sizeof *options));
    QDRI_TRY(widen("own", query->owned, options->own_id32, &query->own_id, &query->widened[0]));
    QDRI_TRY(widen("needed", query->needed, options->need_id32, &query->need_id, &query->widened[1]));
    if (options->limit < 0)
        return qdri_fail(QDR_ERR_RANGE, "a limit of %" PRId64 " ids; expected 0 or more", options->limit);
    QDRI_TRY(check_ids("own", query->owned, query->own_id, options->limit));
    QDRI_TRY(check_ids("needed", query->needed, query->need_id, options->limit));
    if (options->boundaries < 0 || options->boundaries > query->owned)
        return qdri_fail(QDR_ERR_RANGE, "%" PRId64 " items of the boundary; expected 0 to %" PRId64,
                         options->boundaries, query->owned);
    if (options->boundaries > 0 && !options->boundary)
        return qdri_fail(QDR_ERR_INVALID, "%" PRId64 " items of the boundary, but the list of them is NULL",
                         options->boundaries);
    for (int64_t i = 0; i < options->boundaries; i++)
        if (options->boundary[i] < 0 || options->boundary[i] >= query->owned)
            return qdri_fail(QDR_ERR_RANGE,
                             "item %" PRId64 " of the boundary is %" PRId64 "; expected 0 to %" PRId64, i,
                             options->boundary[i], query->owned - 1);
    return QDR_OK;
}

/* Everything of one call that has to be prepared, and agreed on. */
static qdr_status prepare(qdri_query *query, const char *method, qdri_spec *spec, int *number,
                          int has_outputs) {
    QDRI_TRY(check(query));
    if (query->needed > 0 && !has_outputs)
        return qdri_fail(QDR_ERR_INVALID, "qdr_resolve: the place for owners is NULL");
    QDRI_TRY(find_method(method, spec, number));
    query->found.owner = QDRI_ARRAY(int, query->needed);
    query->found.place = QDRI_ARRAY(int64_t, query->needed);
    if (!query->found.owner || !query->found.place) return qdri_fail_memory();
    for (int64_t i = 0; i < query->needed; i++) {
        query->found.owner[i] = QDR_NOBODY;
        query->found.place[i] = -1;
    }
    return QDR_OK;
}

/* The method, its number, and what else must be the same on all ranks. */
static qdr_status agree(const qdri_query *query, qdr_status mine, int number) {
    const qdr_resolve_options *options = &query->options;
    int64_t dimensions = 0;
    if (!mine && query->spec->option_count > 0) dimensions = query->spec->value[0].integer;
    int64_t limit = mine ? 0 : options->limit, symmetric = mine ? 0 : !!options->symmetric;
    int64_t form = number * 2 + symmetric;
    qdri_term field[] = {
        QDRI_IS_SAME("method, or whether it is symmetric", form),
        QDRI_IS_ALIKE("dimensions of the torus", dimensions),
        QDRI_IS_ALIKE("limit", limit),
    };
    return qdri_agree(query->wire, &(qdri_agreement){.call = "qdr_resolve",
                                                     .status = mine,
                                                     .term = field,
                                                     .terms = QDRI_COUNT_OF(field),
                                                     .deadline = qdri_deadline(0)});
}

/* ---- the call ------------------------------------------------------------------------------------------ */

static qdri_query query_of(MPI_Comm comm, int64_t owned, const int64_t *own_id, int64_t needed,
                           const int64_t *need_id, const qdr_resolve_options *options) {
    qdri_query query = {.comm = comm, .owned = owned, .own_id = own_id, .needed = needed, .need_id = need_id};
    qdri_sized_read(&query.options, sizeof query.options, options);
    return query;
}

static qdr_status all_known(const qdri_query *query) {
    for (int64_t i = 0; i < query->needed; i++)
        if (query->found.owner[i] == QDR_NOBODY)
            return qdri_fail(QDR_ERR_UNKNOWN, "id %" PRId64 " is needed here, and owned by nobody",
                             query->need_id[i]);
    return QDR_OK;
}

/* `for_map`: nothing may be left unknown, on any rank. */
static qdr_status resolve(qdri_query *query, int has_outputs, int for_map) {
    const char *method = query->options.method;
    qdri_spec spec = {0};
    int number = 0;
    query->spec = &spec;
    QDRI_TRY(qdri_wire_open(query->comm, &query->wire));
    qdri_lock(query->wire);
    query->rank = qdri_wire_rank(query->wire);
    query->ranks = qdri_wire_ranks(query->wire);
    qdr_status status = prepare(query, method ? method : "directory", &spec, &number, has_outputs);
    status = agree(query, status, number);
    if (status == QDR_OK)
        qdri_explain(query->wire, "resolve among %d ranks: %s: %s", query->ranks, spec.name,
                     method ? "asked for" : "the default");
    if (status == QDR_OK) status = methods[number]->run(query);
    if (status == QDR_OK && for_map)
        status = qdri_agree_status(query->wire, "qdr_resolve", all_known(query), qdri_deadline(0));
    qdri_unlock(query->wire);
    qdri_wire_release(&query->wire);
    return status;
}

static void forget(qdri_query *query) {
    free(query->found.owner);
    free(query->found.place);
    free(query->widened[0]);
    free(query->widened[1]);
}

qdr_status qdr_resolve_sized(MPI_Comm comm, int64_t owned, const int64_t *own_id, int64_t needed,
                             const int64_t *need_id, const qdr_resolve_options *options, int *owner,
                             int64_t *place, qdr_resolve_report *report, size_t report_bytes) {
    qdri_query query = query_of(comm, owned, own_id, needed, need_id, options);
    qdr_status status = resolve(&query, owner != NULL, 0);
    if (status == QDR_OK && needed > 0) {
        memcpy(owner, query.found.owner, (size_t)needed * sizeof *owner);
        if (place) memcpy(place, query.found.place, (size_t)needed * sizeof *place);
    }
    if (status == QDR_OK && report) qdri_sized_fill(report, report_bytes, &query.report, sizeof query.report);
    forget(&query);
    return status;
}

qdr_status qdr_resolve_map(MPI_Comm comm, int64_t owned, const int64_t *own_id, int64_t needed,
                           const int64_t *need_id, const int64_t *target, const qdr_resolve_options *options,
                           qdr_map **map) {
    qdri_query query = query_of(comm, owned, own_id, needed, need_id, options);
    qdr_status status = resolve(&query, 1, 1);
    if (status == QDR_OK) {
        qdr_indices needs = {.links = needed,
                             .link_rank = query.found.owner,
                             .place = target,
                             .partner_place = query.found.place,
                             .place32 = query.options.target32};
        status = qdr_map_create(comm, NULL, &needs, query.options.map, map);
    }
    forget(&query);
    return status;
}
