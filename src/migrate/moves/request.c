/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What methods are given. An instance can end exactly if each rank has room for what it shall have at the end,
 * in(p) <= room(p) + out(p), and somebody has room for one unit: then a unit can always be delivered or parked.
 * Room beyond twice the data is of no use, and is cut off, so that sums stay small.
 */
#include <stdarg.h>
#include <stdio.h>

#include "migrate/moves/least.h"
#include "migrate/moves/moves.h"

static qdr_status read_rooms(qdri_moves_request *request, const int64_t *given, int64_t *room) {
    for (int rank = 0; rank < request->view.ranks; rank++) {
        if (given[rank] < 0)
            return qdri_fail(QDR_ERR_RANGE, "the room of rank %d is %lld; expected 0 or more", rank,
                             (long long)given[rank]);
        request->free =
            qdri_least(request->free + qdri_least(given[rank], QDRI_UNITS_LIMIT), QDRI_UNITS_LIMIT);
        room[rank] = qdri_least(given[rank], 2 * request->total);
    }
    return QDR_OK;
}

static int64_t needed(const qdri_moves_request *request, int rank) {
    return request->in[rank] - request->out[rank];
}

/* All other ranks that are short, after the first: whoever makes room for one would only meet the next. */
static void list_short(const qdri_moves_request *request, int first, char *list, size_t size) {
    enum { MOST = 8 };
    int found = 0;
    size_t used = 0;
    list[0] = '\0';
    for (int rank = first + 1; rank < request->view.ranks; rank++) {
        if (needed(request, rank) <= request->room[rank] || found++ >= MOST) continue;
        used += (size_t)snprintf(list + used, size - used, "%s rank %d needs %lld and has %lld",
                                 found == 1 ? ". Also short:" : ",", rank, (long long)needed(request, rank),
                                 (long long)request->room[rank]);
    }
    if (found > MOST) snprintf(list + used, size - used, ", and %d more", found - MOST);
}

static qdr_status check_end(const qdri_moves_request *request) {
    char others[768];
    for (int rank = 0; rank < request->view.ranks; rank++) {
        if (needed(request, rank) <= request->room[rank]) continue;
        list_short(request, rank, others, sizeof others);
        return qdri_fail(QDR_ERR_RANGE,
                         "rank %d receives %lld units and sends %lld, so that it needs room for %lld; it has "
                         "room for %lld%s",
                         rank, (long long)request->in[rank], (long long)request->out[rank],
                         (long long)needed(request, rank), (long long)request->room[rank], others);
    }
    if (request->total > 0 && request->free == 0)
        return qdri_fail(QDR_ERR_RANGE, "no rank has any room; at least one needs room for 1 unit");
    return QDR_OK;
}

static qdr_status fill(qdri_moves_request *request, const int64_t *room, int64_t *in, int64_t *out,
                       int64_t *kept) {
    const qdr_pattern_view *view = &request->view;
    for (int64_t m = 0; m < view->messages; m++) {
        request->total += view->items[m];
        out[view->origin[m]] += view->items[m];
        in[view->destination[m]] += view->items[m];
    }
    if (request->total > QDRI_UNITS_LIMIT)
        return qdri_fail(QDR_ERR_RANGE, "%lld units are too many to be moved; at most %lld",
                         (long long)request->total, (long long)QDRI_UNITS_LIMIT);
    if (!room) return QDR_OK;
    QDRI_TRY(read_rooms(request, room, kept));
    QDRI_TRY(check_end(request));
    if (request->total > 0) request->bound = (request->total - 1) / request->free + 1;
    return QDR_OK;
}

qdr_status qdri_request_open(qdri_moves_request *request, const qdr_pattern *pattern, const int64_t *room,
                             qdri_budget *budget) {
    *request = (qdri_moves_request){.view = qdr_pattern_look(pattern), .budget = budget};
    int ranks = request->view.ranks;
    int64_t *in = QDRI_BUDGET_ZERO_ARRAY(budget, int64_t, ranks);
    int64_t *out = QDRI_BUDGET_ZERO_ARRAY(budget, int64_t, ranks);
    int64_t *kept = QDRI_BUDGET_ZERO_ARRAY(budget, int64_t, ranks);
    request->in = in;
    request->out = out;
    request->room = kept;
    qdr_status status = in && out && kept ? fill(request, room, in, out, kept) : qdri_fail_memory();
    if (status != QDR_OK) qdri_request_close(request);
    return status;
}

void qdri_request_close(qdri_moves_request *request) {
    qdri_budget_free(request->budget, (int64_t *)request->in);
    qdri_budget_free(request->budget, (int64_t *)request->out);
    qdri_budget_free(request->budget, (int64_t *)request->room);
    request->in = request->out = request->room = NULL;
}

qdr_status qdri_request_build(qdri_moves_request *request, const char *method, qdri_phases *phases,
                              const char **taken) {
    const qdri_moves_method *found;
    qdri_spec spec;
    QDRI_TRY(qdri_spec_open(method, "method", &spec));
    QDRI_TRY(qdri_moves_method_named(spec.name, &found));
    QDRI_TRY(qdri_spec_read(&spec, found->options, found->option_count));
    *taken = found->name;
    if (request->total == 0) return QDR_OK;
    if (request->bound > QDRI_PHASES_LIMIT / 2)
        return qdri_fail(QDR_ERR_RANGE,
                         "%lld units through room for %lld take at least %lld phases; there may be %lld",
                         (long long)request->total, (long long)request->free, (long long)request->bound,
                         (long long)(QDRI_PHASES_LIMIT / 2));
    request->options = &spec;
    qdr_status status = found->build(request, phases, taken);
    request->options = NULL;
    return status;
}

qdr_status qdri_refuse(const qdri_moves_request *request, const char *format, ...) {
    char sentence[512];
    int64_t with, without;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (qdri_least_rooms(request, &with, &without) != QDR_OK) return qdri_fail(QDR_ERR_RANGE, "%s", sentence);
    return qdri_fail(QDR_ERR_RANGE,
                     "%s; the least room, the same for all ranks, is %lld with parking, %lld without",
                     sentence, (long long)with, (long long)without);
}

int64_t qdri_greedy_bound(const qdri_moves_request *request) {
    return (3 * request->total - 1) / (2 * request->free) + 2;
}
