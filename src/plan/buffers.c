/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The buffers of an exchange: from what the caller gave, one pointer per partner and the bytes of every hop.
 * All of it is checked before anything is sent: sizes that cannot be counted, memory that is missing,
 * outgoing and incoming memory that overlaps.
 */
#include "plan/buffers.h"

#include <stdlib.h>
#include <string.h>

#include "discover/partners.h"
#include "base/memory.h"
#include "plan/at_once.h"

static int any_above_zero(const int64_t *given, const int64_t *planned, int count) {
    const int64_t *items = given ? given : planned;
    for (int i = 0; i < count; i++)
        if (items[i] > 0) return 1;
    return 0;
}

/* Whether anything is to be moved, to this rank itself included. */
static int has_items(const qdri_exchange *exchange, const qdr_buffers *buffers) {
    const qdr_partners_view *view = qdri_partners_view(exchange->plan->partners);
    return any_above_zero(buffers->outgoing_items, view->send_items, view->sends) ||
           any_above_zero(buffers->incoming_items, view->receive_items, view->receives);
}

static qdr_status check(const qdri_exchange *exchange, const qdr_buffers *buffers) {
    if (!buffers) return qdri_fail(QDR_ERR_INVALID, "qdr_plan_start: buffers is NULL");
    if (buffers->memory != QDR_MEMORY_HOST || buffers->stream)
        return qdri_fail(
            QDR_ERR_INVALID,
            "qdr_plan_start: the buffers name memory of a device, or a stream; this library moves "
            "only memory of the host");
    if ((buffers->outgoing_stride && buffers->outgoing_stride != buffers->item_bytes) ||
        (buffers->incoming_stride && buffers->incoming_stride != buffers->item_bytes))
        return qdri_fail(
            QDR_ERR_INVALID,
            "qdr_plan_start: strides of %lld and %lld bytes, and items of %lld; a plan moves items that lie "
            "one after the other; a map (quadrille/map.h) moves others too",
            (long long)buffers->outgoing_stride, (long long)buffers->incoming_stride,
            (long long)buffers->item_bytes);
    if (buffers->item_bytes < 0 || (buffers->item_bytes == 0 && has_items(exchange, buffers)))
        return qdri_fail(
            QDR_ERR_RANGE,
            "qdr_plan_start: buffers.item_bytes is %lld; expected the bytes of one item, 1 or more",
            (long long)buffers->item_bytes);
    if ((!buffers->outgoing_items && !buffers->incoming_items) || exchange->candidate->any_size)
        return QDR_OK;
    if (exchange->plan->is_by_rule)
        return qdri_fail(QDR_ERR_INVALID,
                         "this plan was made to be used again with the sizes of its partners (reuse of its "
                         "options); without, sizes may differ from call to call");
    return qdri_fail(QDR_ERR_INVALID,
                     "sizes may differ from call to call with paced, async, distributed, bruck, joined and "
                     "levels, and where no "
                     "algorithm was asked for; this plan was asked to run %s",
                     exchange->candidate->algorithm);
}

/* ---- bytes --------------------------------------------------------------------------------------------- */

static const int64_t most_bytes = (INT64_C(1) << 62) - 1; /* two of them can be added */

/* Whether so many items can be counted in bytes, after so many. */
static int countable(const qdri_exchange *exchange, int64_t items, int64_t before) {
    int64_t size = exchange->item_bytes > 1 ? exchange->item_bytes : 1;
    return items >= 0 && items <= (most_bytes - before) / size;
}

static qdr_status set_bytes(qdri_exchange *exchange, qdri_half *half, const qdri_side *side,
                            const int64_t *items, const char *direction) {
    half->bytes = half->ended = 0;
    memset(half->flow_own, 0, (size_t)side->hops * exchange->executor->flow_bytes);
    memset(half->lane_own, 0, (size_t)side->lanes * exchange->executor->lane_bytes);
    for (int i = 0; i < side->lanes; i++) half->lane[i] = (qdri_lane_flow){.last = exchange->last};
    for (int64_t i = 0; i < side->hops; i++) {
        const qdri_hop *hop = &side->hop[i];
        int64_t count = items ? items[exchange->program->segment[hop->first].index] : hop->items;
        if (!countable(exchange, count, half->bytes))
            return qdri_fail(QDR_ERR_RANGE, "%lld items of %lld bytes %s rank %d cannot be counted",
                             (long long)count, (long long)exchange->item_bytes, direction, hop->partner);
        half->flow[i] = (qdri_flow){.bytes = count * exchange->item_bytes};
        half->lane[hop->lane].bytes += half->flow[i].bytes;
        half->bytes += half->flow[i].bytes;
    }
    return QDR_OK;
}

/* ---- pointers ------------------------------------------------------------------------------------------ */

/* One side as the caller gave it. */
typedef struct given {
    const void *const *pointer;
    const char *base;
    const int64_t *offset, *items;
    int count;
    const int *partner;
    const int64_t *plan_items;
    const char *direction;
} given;

static qdr_status set_pointers(const qdri_exchange *exchange, const given *side, const char **pointer) {
    int64_t next = 0;
    for (int i = 0; i < side->count; i++) {
        int64_t items = side->items ? side->items[i] : side->plan_items[i];
        int64_t offset = side->offset ? side->offset[i] : next;
        int64_t distance = offset == INT64_MIN ? INT64_MAX : offset < 0 ? -offset : offset;
        if (!countable(exchange, items, 0) || !countable(exchange, distance, 0))
            return qdri_fail(QDR_ERR_RANGE, "%lld items of %lld bytes %s rank %d at %lld cannot be counted",
                             (long long)items, (long long)exchange->item_bytes, side->direction,
                             side->partner[i], (long long)offset);
        next = offset + items;
        pointer[i] = side->pointer ? side->pointer[i]
                     : side->base  ? side->base + offset * exchange->item_bytes
                                   : NULL;
        if (items > 0 && !pointer[i])
            return qdri_fail(QDR_ERR_INVALID, "%lld items %s rank %d have no memory: the pointer is NULL",
                             (long long)items, side->direction, side->partner[i]);
    }
    return QDR_OK;
}

/* ---- overlap ------------------------------------------------------------------------------------------- */

static int64_t bytes_at(const qdri_exchange *exchange, const given *side, int i) {
    return (side->items ? side->items[i] : side->plan_items[i]) * exchange->item_bytes;
}

static int add_spans(const qdri_exchange *exchange, const given *side, const char *const *pointer,
                     int is_written, int count) {
    for (int i = 0; i < side->count; i++) {
        int64_t bytes = bytes_at(exchange, side, i);
        uintptr_t begin = (uintptr_t)pointer[i];
        if (bytes > 0)
            exchange->span[count++] =
                (qdri_memory_range){begin, begin + (uintptr_t)bytes, side->partner[i], is_written};
    }
    return count;
}

/* By rising address, in place and without memory of its own (Shell's method); fast when they are in order,
 * as they mostly are. */
static void sort_spans(qdri_memory_range *span, int count) {
    int gap = 1;
    while (gap < count / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int i = gap; i < count; i++) {
            qdri_memory_range moved = span[i];
            int k = i;
            for (; k >= gap && span[k - gap].begin > moved.begin; k -= gap) span[k] = span[k - gap];
            span[k] = moved;
        }
}

/* Memory that is written may not be read or written for another partner. A sweep by address, which
 * remembers what reaches furthest among the written and among the read. */
static qdr_status check_overlap(const qdri_exchange *exchange, const given *out, const given *in) {
    int count = add_spans(exchange, out, exchange->outgoing, 0, 0);
    count = add_spans(exchange, in, (const char *const *)exchange->incoming, 1, count);
    sort_spans(exchange->span, count);
    const qdri_memory_range *furthest[2] = {NULL, NULL}; /* read, written */
    for (int i = 0; i < count; i++) {
        const qdri_memory_range *span = &exchange->span[i];
        const qdri_memory_range *other = furthest[1] && furthest[1]->end > span->begin ? furthest[1] : NULL;
        if (!other && span->is_written && furthest[0] && furthest[0]->end > span->begin) other = furthest[0];
        if (other)
            return qdri_fail(QDR_ERR_INVALID,
                             "the memory for what %s rank %d overlaps that for what %s rank %d",
                             other->is_written ? "comes from" : "goes to", other->partner,
                             span->is_written ? "comes from" : "goes to", span->partner);
        const qdri_memory_range **kind = &furthest[span->is_written];
        if (!*kind || (*kind)->end < span->end) *kind = span;
    }
    return QDR_OK;
}

qdr_status qdri_buffers_bind_cargo(qdri_exchange *exchange) {
    QDRI_TRY(set_bytes(exchange, &exchange->out, &exchange->program->out, exchange->outgoing_items, "for"));
    return set_bytes(exchange, &exchange->in, &exchange->program->in, exchange->incoming_items, "from");
}

qdr_status qdri_buffers_bind(qdri_exchange *exchange, const qdr_buffers *buffers) {
    const qdr_partners_view *view = qdri_partners_view(exchange->plan->partners);
    QDRI_TRY(check(exchange, buffers));
    exchange->item_bytes = buffers->item_bytes;
    exchange->outgoing_items = buffers->outgoing_items;
    exchange->incoming_items = buffers->incoming_items;
    given out = {buffers->outgoing, buffers->outgoing_base, buffers->outgoing_offset, buffers->outgoing_items,
                 view->sends,       view->destination,      view->send_items,         "for"};
    given in = {(const void *const *)buffers->incoming,
                buffers->incoming_base,
                buffers->incoming_offset,
                buffers->incoming_items,
                view->receives,
                view->source,
                view->receive_items,
                "from"};
    QDRI_TRY(set_bytes(exchange, &exchange->out, &exchange->program->out, buffers->outgoing_items, "for"));
    QDRI_TRY(set_bytes(exchange, &exchange->in, &exchange->program->in, buffers->incoming_items, "from"));
    QDRI_TRY(set_pointers(exchange, &out, exchange->outgoing));
    QDRI_TRY(set_pointers(exchange, &in, (const char **)exchange->incoming));
    QDRI_TRY(check_overlap(exchange, &out, &in));
    const qdri_self *self = &exchange->program->self;
    exchange->self_bytes = self->outgoing < 0 ? 0 : bytes_at(exchange, &out, self->outgoing);
    int64_t self_in = self->incoming < 0 ? 0 : bytes_at(exchange, &in, self->incoming);
    if (exchange->self_bytes != self_in)
        return qdri_fail(QDR_ERR_MISMATCH, "rank %d sends itself %lld bytes and receives %lld", view->rank,
                         (long long)exchange->self_bytes, (long long)self_in);
    return QDR_OK;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static qdr_status fill_pool(qdri_pool *pool, int64_t count) {
    if (pool->capacity < count) {
        qdri_chunk *grown = QDRI_ZERO_ARRAY(qdri_chunk, count);
        if (!grown) return qdri_fail_memory();
        free(pool->chunk);
        pool->chunk = grown;
        pool->capacity = count;
        pool->unused = NULL;
        for (int64_t i = count - 1; i >= 0; i--) {
            grown[i].next = pool->unused;
            pool->unused = &grown[i];
        }
    }
    return QDR_OK;
}

static qdr_status reserve(qdri_exchange *exchange, int64_t operations) {
    if (operations <= exchange->operations) return QDR_OK;
    QDRI_TRY(qdri_wire_reserve(exchange->wire, operations - exchange->operations));
    exchange->operations = operations;
    return QDR_OK;
}

qdr_status qdri_buffers_make_room(qdri_exchange *exchange) {
    const qdri_candidate *candidate = exchange->candidate;
    if (!candidate->is_far) return QDR_OK;
    exchange->is_at_once = qdri_at_once_suits(exchange);
    if (exchange->is_at_once) return reserve(exchange, qdri_at_once_messages(exchange));
    exchange->chunk = exchange->executor->whole ? INT64_MAX / 4 : candidate->chunk;
    exchange->window = exchange->executor->whole ? INT64_MAX / 4 : candidate->window;
    qdri_room room = exchange->executor->room(exchange);
    QDRI_TRY(fill_pool(&exchange->out.pool, room.sends));
    QDRI_TRY(fill_pool(&exchange->in.pool, room.receives));
    QDRI_TRY(fill_pool(&exchange->notes, room.notes));
    if (!qdri_grow(&exchange->staging, &exchange->staging_bytes,
                   exchange->program->staging_items * exchange->item_bytes, 1) ||
        !qdri_grow(&exchange->bounce, &exchange->bounce_bytes,
                   exchange->program->bounce_items * exchange->item_bytes + 1, 1))
        return qdri_fail_memory();
    int64_t marks = (int64_t)exchange->program->out.lanes + exchange->program->in.lanes;
    return reserve(exchange, room.sends + room.receives + room.notes + marks + 1);
}
