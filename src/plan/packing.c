/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing, and arrival in order: see packing.h and cargo.h. */
#include "plan/packing.h"

#include <stdlib.h>
#include <string.h>

#include "discover/partners.h"
#include "base/memory.h"
#include "plan/near/near.h"

/* ---- memory -------------------------------------------------------------------------------------------- */

/* What comes is kept until the next but one start; so there is one more set than exchanges at once. */
static qdri_keep *keep_of(const qdri_exchange *exchange) {
    const qdr_plan *plan = exchange->plan;
    return &plan->keep[exchange->number % (plan->in_flight + 1)];
}

static char *spare(qdri_spare *memory, int64_t bytes) {
    return qdri_grow(&memory->memory, &memory->bytes, bytes + 1, 1) ? memory->memory : NULL;
}

const char *qdri_packing_out(qdri_exchange *exchange, int destination, int64_t bytes) {
    if (!exchange->cargo) return exchange->outgoing[destination];
    char *place = spare(&exchange->spare_out[destination], bytes);
    if (place && bytes > 0) exchange->cargo->pack(exchange->cargo, destination, place);
    return exchange->outgoing[destination] = place;
}

char *qdri_packing_in(qdri_exchange *exchange, int source, int64_t bytes) {
    if (exchange->cargo) exchange->incoming[source] = spare(&keep_of(exchange)->spare[source], bytes);
    return exchange->incoming[source];
}

/* ---- arrival ------------------------------------------------------------------------------------------- */

static void unpack(qdri_exchange *exchange, int source, const char *data) {
    exchange->cargo->unpack(exchange->cargo, source, data);
    qdri_near_unpacked(exchange, source, exchange->number);
}

static void unpack_in_order(qdri_exchange *exchange) {
    int receives = qdri_partners_view(exchange->plan->partners)->receives;
    const int *order = exchange->plan->near->source_order;
    for (; exchange->unpacked < receives; exchange->unpacked++) {
        int source = order[exchange->unpacked];
        if (!exchange->landed[source]) return;
        unpack(exchange, source, exchange->landed[source]);
    }
}

void qdri_packing_arrived(qdri_exchange *exchange, int source, const char *data) {
    const qdri_cargo *cargo = exchange->cargo;
    if (cargo->keeps) {
        keep_of(exchange)->data[source] = data;
    } else if (cargo->ordered) {
        exchange->landed[source] = data;
        unpack_in_order(exchange);
    } else {
        unpack(exchange, source, data);
    }
}

int qdri_packing_is_due(const qdri_exchange *exchange, int source) {
    const qdri_cargo *cargo = exchange->cargo;
    if (!cargo || cargo->keeps || cargo->whole) return 0;
    return !cargo->ordered || exchange->plan->near->source_order[exchange->unpacked] == source;
}

void qdri_packing_unpacked(qdri_exchange *exchange, int source) {
    qdri_near_unpacked(exchange, source, exchange->number);
    if (!exchange->cargo->ordered) return;
    exchange->unpacked++;
    unpack_in_order(exchange);
}

void qdri_packing_end(qdri_exchange *exchange) {
    const qdri_near *near = exchange->plan->near;
    const qdri_self *self = &exchange->program->self;
    if (!exchange->cargo || exchange->program->stages == 1) return;
    for (int i = 0; i < near->far_ins; i++)
        qdri_packing_arrived(exchange, near->far_in[i], exchange->incoming[near->far_in[i]]);
    if (self->travels) qdri_packing_arrived(exchange, self->incoming, exchange->incoming[self->incoming]);
}

/* ---- to itself ----------------------------------------------------------------------------------------- */

enum { MOVED_AS_ONE = 4096 }; /* bytes: as much stays in the nearest cache between packing and unpacking */

static void move_parts(const qdri_cargo *cargo, const qdri_self *self, int64_t bytes, char *memory) {
    qdri_part out = {.offset = 0}, in = {.offset = 0};
    while (out.offset < bytes) {
        int64_t left = bytes - out.offset;
        out.bytes = in.bytes = left < qdri_cut_at.piece ? left : qdri_cut_at.piece;
        cargo->pack_part(cargo, self->outgoing, &out, memory);
        cargo->unpack_part(cargo, self->incoming, &in, memory);
        out.offset = in.offset += in.bytes;
    }
}

/* Through memory that stays in the cache, where it may be unpacked at once. */
static qdr_status move_at_once(qdri_exchange *exchange, const qdri_self *self, int64_t bytes) {
    const qdri_cargo *cargo = exchange->cargo;
    char *memory =
        qdri_packing_in(exchange, self->incoming, cargo->move ? QDRI_MOVE_ROOM : qdri_cut_at.piece);
    if (!memory) return qdri_fail_memory();
    if (cargo->move)
        cargo->move(cargo, self->outgoing, self->incoming, memory);
    else
        move_parts(cargo, self, bytes, memory);
    qdri_packing_unpacked(exchange, self->incoming);
    return QDR_OK;
}

/* What goes through other ranks on its way lies packed at both ends, and has come with the last of it. */
static qdr_status begin_way_to_self(qdri_exchange *exchange, const qdri_self *self, int64_t bytes) {
    if (!qdri_packing_out(exchange, self->outgoing, bytes) ||
        !qdri_packing_in(exchange, self->incoming, bytes))
        return qdri_fail_memory();
    qdri_bytes_to_itself(exchange, bytes);
    return QDR_OK;
}

static qdr_status move_to_self(qdri_exchange *exchange, const qdri_self *self, int64_t bytes) {
    if (self->travels) return begin_way_to_self(exchange, self, bytes);
    if (bytes > MOVED_AS_ONE && qdri_packing_is_due(exchange, self->incoming) &&
        (exchange->cargo->move || bytes > qdri_cut_at.piece))
        return move_at_once(exchange, self, bytes);
    char *memory = qdri_packing_in(exchange, self->incoming, bytes);
    if (!memory) return qdri_fail_memory();
    if (bytes > 0) exchange->cargo->pack(exchange->cargo, self->outgoing, memory);
    qdri_packing_arrived(exchange, self->incoming, memory);
    return QDR_OK;
}

/* ---- starting ------------------------------------------------------------------------------------------ */

qdr_status qdri_packing_start(qdri_exchange *exchange) {
    const qdri_near *near = exchange->plan->near;
    const qdri_self *self = &exchange->program->self;
    const qdr_partners_view *view = qdri_partners_view(exchange->plan->partners);
    if (exchange->cargo->ordered && !exchange->cargo->keeps) {
        exchange->unpacked = 0;
        memset((void *)exchange->landed, 0, (size_t)view->receives * sizeof *exchange->landed);
    }
    for (int i = 0; i < near->far_outs; i++) {
        int place = near->far_out[i];
        if (!qdri_packing_out(
                exchange, place,
                qdri_message_bytes(exchange, exchange->outgoing_items, view->send_items, place)))
            return qdri_fail_memory();
    }
    for (int i = 0; i < near->far_ins; i++) {
        int place = near->far_in[i];
        int64_t bytes = qdri_message_bytes(exchange, exchange->incoming_items, view->receive_items, place);
        char *memory = qdri_packing_in(exchange, place, bytes);
        if (!memory) return qdri_fail_memory();
        /* Of several stages the network tells the end, if it has any part in this. */
        if (bytes == 0 && (exchange->program->stages == 1 || !exchange->candidate->is_far))
            qdri_packing_arrived(exchange, place, memory);
    }
    if (self->incoming >= 0) {
        int64_t bytes =
            qdri_message_bytes(exchange, exchange->incoming_items, view->receive_items, self->incoming);
        return move_to_self(exchange, self, bytes);
    }
    return QDR_OK;
}

/* ---- a plan's ------------------------------------------------------------------------------------------ */

/* Of the slots with one place, which candidates share, at most one is in use. */
qdr_status qdri_cargo_prepare(qdr_plan *plan) {
    const qdr_partners_view *view = qdri_partners_view(plan->partners);
    plan->keep = QDRI_ZERO_ARRAY(qdri_keep, (int64_t)plan->in_flight + 1);
    if (!plan->keep) return qdri_fail_memory();
    for (int i = 0; i <= plan->in_flight; i++) {
        plan->keep[i].spare = QDRI_ZERO_ARRAY(qdri_spare, view->receives);
        plan->keep[i].data = QDRI_ZERO_ARRAY(const char *, view->receives);
        if (!plan->keep[i].spare || !plan->keep[i].data) return qdri_fail_memory();
    }
    for (int i = 0; i < plan->in_flight; i++) {
        qdri_exchange *first = &plan->candidate[0].slot[i];
        first->spare_out = QDRI_ZERO_ARRAY(qdri_spare, view->sends);
        first->landed = QDRI_ZERO_ARRAY(const char *, view->receives);
        if (!first->spare_out || !first->landed) return qdri_fail_memory();
        for (int k = 1; k < plan->candidates; k++) {
            plan->candidate[k].slot[i].spare_out = first->spare_out;
            plan->candidate[k].slot[i].landed = first->landed;
        }
    }
    return QDR_OK;
}

static void free_spares(qdri_spare *list, int count) {
    for (int i = 0; list && i < count; i++) free(list[i].memory);
    free(list);
}

void qdri_packing_free(qdr_plan *plan) {
    const qdr_partners_view *view = qdri_partners_view(plan->partners);
    for (int i = 0; plan->keep && i <= plan->in_flight; i++) {
        free_spares(plan->keep[i].spare, view->receives);
        free((void *)plan->keep[i].data);
    }
    free(plan->keep);
    qdri_exchange *first = plan->candidate[0].slot;
    for (int i = 0; first && i < plan->in_flight; i++) {
        free_spares(first[i].spare_out, view->sends);
        free((void *)first[i].landed);
    }
}

const void *qdri_cargo_kept(const qdr_plan *plan, int source) {
    if (plan->ended < 0 || !plan->keep || source < 0 ||
        source >= qdri_partners_view(plan->partners)->receives)
        return NULL;
    return plan->keep[plan->ended % (plan->in_flight + 1)].data[source];
}
