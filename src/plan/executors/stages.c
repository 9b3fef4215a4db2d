/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pacing by stages: messages so small that their number costs more than their bytes are passed on by third ranks, in a
 * way that follows from ranks and hosts alone (schedule/relay.h). In each stage a rank hands on all that goes the same way as one message, a
 * *haul*, and the next stage begins when all hauls of this one have come. Sizes travel with the bytes, so nobody
 * knows more than his own row and column, and no exchange need be like the last.
 *
 * A haul is a head, the sizes of its messages in the order of the relay, in as few bytes each as the largest needs (none, where
 * all are equal), and then their bytes. What is longer than any short message goes in two parts, of which the first says
 * how long the second is. Stages have tags of their own, for two ranks may meet in several; hauls of a later stage may come early, and wait.
 *
 * Ranks of one node leave each other their hauls in crates (near/crate.h), where they fit: there MPI has nothing to do.
 *
 * Everyone passes on what others have, so every rank must come to every exchange. What has come to its end is compared with
 * what was expected of its origin: whoever passed it on cannot know.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/near/crate.h"
#include "plan/packing.h"
#include "plan/plan.h"
#include "schedule/relay.h"
#include "wire/node.h"

/* Bytes of a haul that come at once. */
enum { FIRST_PART = 32 << 10 };
/* More cannot be counted safely. */
static const int64_t most_bytes = INT64_C(1) << 61;

/* How a haul begins. */
typedef struct head {
    int64_t plan; /* and that it is a head */
    int64_t exchange;
    int64_t bytes; /* of the haul, this included */
    int64_t width; /* bytes of each size; 0: all are `size` */
    int64_t size;
} head;

/* A haul that goes. */
typedef struct haul_load {
    qdri_spare memory;
    qdri_crate *crate; /* NULL: it goes by MPI */
    int64_t filled;    /* what the crate was last filled for */
    int waits;         /* until the crate is empty */
} haul_load;

/* A haul that comes. */
typedef struct haul_intake {
    qdri_spare memory;
    qdri_crate *crate; /* NULL: it comes by MPI */
    int64_t coming;    /* bytes, once its head has come; 0: it has not */
    int is_sent;       /* by MPI in spite of its crate */
    int is_here;
} haul_intake;

typedef struct hauls {
    qdri_relay relay;
    haul_load *load;     /* [outs] */
    haul_intake *intake; /* [ins] */
    int stage;           /* whose hauls have been sent */
    int sent, taken;     /* hauls, of the stages up to this one and before it */
    const char **place;  /* [places]: what this rank holds */
    int64_t *bytes;
    int64_t *own_row, *their_row; /* [members]: of crates; 0: none */
    int *counted;                 /* [members]: hauls */
    int is_connected;             /* the others know of these rows */
    int has_crates;               /* for anything that comes or goes */
    int waiting;                  /* hauls that go, for their crates */
    qdri_poller poller;           /* in the wire's list while an exchange has crates */
    qdri_exchange *exchange;
} hauls;

/* ---- memory -------------------------------------------------------------------------------------------- */

static qdr_status find_relay(const qdri_exchange *slot, qdri_relay *relay) {
    int rank = slot->program->rank, ranks = slot->program->ranks;
    int64_t radix = slot->candidate->radix, inside = slot->candidate->inside;
    if (radix > 0 && inside == 0) return qdri_relay_bruck(rank, ranks, radix, relay);
    int *node = QDRI_ARRAY(int, ranks);
    if (!node) return qdri_fail_memory();
    for (int i = 0; i < ranks; i++) node[i] = qdri_node_of(slot->wire, i);
    qdr_status status = inside > 0 ? qdri_relay_levels(rank, ranks, node, inside, radix, relay)
                                   : qdri_relay_joined(rank, ranks, node, relay);
    free(node);
    return status;
}

static qdr_status open_hauls(qdri_exchange *slot) {
    hauls *state = slot->state;
    QDRI_TRY(find_relay(slot, &state->relay));
    const qdri_relay *relay = &state->relay;
    int members = qdri_node_members(slot->wire);
    state->load = QDRI_ZERO_ARRAY(haul_load, relay->outs);
    state->intake = QDRI_ZERO_ARRAY(haul_intake, relay->ins);
    state->place = QDRI_ARRAY(const char *, relay->places);
    state->bytes = QDRI_ARRAY(int64_t, relay->places);
    state->own_row = QDRI_ZERO_ARRAY(int64_t, members);
    state->their_row = QDRI_ZERO_ARRAY(int64_t, members);
    state->counted = QDRI_ARRAY(int, members);
    if (!state->load || !state->intake || !state->place || !state->bytes || !state->own_row ||
        !state->their_row || !state->counted)
        return qdri_fail_memory();
    for (int i = 0; i < relay->ins; i++)
        if (!qdri_grow(&state->intake[i].memory.memory, &state->intake[i].memory.bytes, FIRST_PART, 1))
            return qdri_fail_memory();
    return QDR_OK;
}

/* The place of a haul in the row of the member that it goes to, or comes from; -1: that rank is not on this node. Both ends count the
 * hauls between them in the same order. */
static int place_in_row(const qdri_exchange *slot, const qdri_haul *haul, int *member) {
    const hauls *state = slot->state;
    *member = qdri_node_member(slot->wire, haul->partner);
    return *member < 0 ? -1 : state->counted[*member]++;
}

static void count_anew(const qdri_exchange *slot) {
    const hauls *state = slot->state;
    memset(state->counted, 0, (size_t)qdri_node_members(slot->wire) * sizeof *state->counted);
}

/* A row for each member that hands on anything to this rank. */
static void offer(qdri_exchange *slot, int64_t *word_for) {
    const hauls *state = slot->state;
    int member;
    count_anew(slot);
    for (int i = 0; i < state->relay.ins; i++) place_in_row(slot, &state->relay.in[i], &member);
    for (int i = 0; i < qdri_node_members(slot->wire); i++)
        if (state->counted[i] > 0)
            word_for[i] = state->own_row[i] = qdri_crate_row(slot->wire, state->counted[i]);
}

static void connect(qdri_exchange *slot, const int64_t *word_from) {
    hauls *state = slot->state;
    int own = qdri_node_member(slot->wire, slot->program->rank), member;
    state->is_connected = 1;
    count_anew(slot);
    for (int i = 0; i < state->relay.ins; i++) {
        int place = place_in_row(slot, &state->relay.in[i], &member);
        if (place < 0 || !state->own_row[member]) continue;
        state->intake[i].crate = qdri_crate_of(slot->wire, own, state->own_row[member], place);
        state->has_crates = 1;
    }
    count_anew(slot);
    for (int i = 0; i < state->relay.outs; i++) {
        int place = place_in_row(slot, &state->relay.out[i], &member);
        if (place < 0 || !word_from[member]) continue;
        state->their_row[member] = word_from[member];
        state->load[i].crate = qdri_crate_of(slot->wire, member, word_from[member], place);
        state->has_crates = 1;
    }
}

static void close_crates(qdri_exchange *slot) {
    hauls *state = slot->state;
    int members = state->own_row && state->their_row ? qdri_node_members(slot->wire) : 0;
    for (int i = 0; i < members; i++) {
        if (state->their_row[i]) qdri_crate_row_left(slot->wire, i, state->their_row[i]);
        if (state->own_row[i]) qdri_crate_row_closed(slot->wire, state->own_row[i], state->is_connected);
    }
}

static void close_hauls(qdri_exchange *slot) {
    hauls *state = slot->state;
    close_crates(slot);
    for (int i = 0; state->load && i < state->relay.outs; i++) free(state->load[i].memory.memory);
    for (int i = 0; state->intake && i < state->relay.ins; i++) free(state->intake[i].memory.memory);
    free(state->load);
    free(state->intake);
    free(state->place);
    free(state->bytes);
    free(state->own_row);
    free(state->their_row);
    free(state->counted);
    qdri_relay_free(&state->relay);
}

/* ---- what goes ----------------------------------------------------------------------------------------- */

static int64_t first_word(const qdri_exchange *exchange) {
    return INT64_C(0x4841554c00000000) ^ exchange->plan->number;
}

static int64_t bytes_to_write(int64_t size) {
    int64_t width = 1;
    while (width < 8 && size >> 8 * width) width *= 2;
    return width;
}

static void write_size(char *place, int64_t width, int64_t size) {
    for (int64_t i = 0; i < width; i++) place[i] = (char)(size >> 8 * i);
}

static int64_t read_size(const char *place, int64_t width) {
    uint64_t size = 0;
    for (int64_t i = 0; i < width; i++) size |= (uint64_t)(unsigned char)place[i] << 8 * i;
    return (int64_t)size;
}

/* The head of what this rank hands on. False: it cannot be counted. */
static int measure(const hauls *state, const qdri_haul *haul, head *head) {
    const int *place = &state->relay.place[haul->first];
    int64_t sum = 0, largest = 0;
    head->size = state->bytes[place[0]];
    head->width = 0;
    for (int64_t i = 0; i < haul->messages; i++) {
        int64_t bytes = state->bytes[place[i]];
        if (bytes > most_bytes - sum) return 0;
        sum += bytes;
        if (bytes > largest) largest = bytes;
        if (bytes != head->size) head->width = 1;
    }
    if (head->width) head->width = bytes_to_write(largest);
    head->bytes = (int64_t)sizeof *head + head->width * haul->messages + sum;
    return 1;
}

static void pack(const hauls *state, const qdri_haul *haul, const head *head, char *memory) {
    const int *place = &state->relay.place[haul->first];
    char *size = memory + sizeof *head, *data = size + head->width * haul->messages;
    memcpy(memory, head, sizeof *head);
    for (int64_t i = 0; i < haul->messages; i++) {
        int64_t bytes = state->bytes[place[i]];
        write_size(size, head->width, bytes);
        if (bytes > 0) memcpy(data, state->place[place[i]], (size_t)bytes);
        size += head->width;
        data += bytes;
    }
}

/* By MPI, in one part or two. */
static void send_parts(qdri_exchange *exchange, int number, const head *head) {
    const hauls *state = exchange->state;
    const qdri_haul *haul = &state->relay.out[number];
    qdri_spare *memory = &state->load[number].memory;
    if (!qdri_grow(&memory->memory, &memory->bytes, head->bytes, 1)) {
        qdri_exchange_fail(exchange, qdri_fail_memory());
        return;
    }
    pack(state, haul, head, memory->memory);
    int64_t first = head->bytes < FIRST_PART ? head->bytes : FIRST_PART;
    qdri_own_message part = {
        .partner = haul->partner, .tag = exchange->mark_tag + haul->stage % QDRI_OWN_TAGS, .number = number};
    qdri_own_send(exchange, &part, memory->memory, first);
    part.offset = first;
    if (head->bytes > first) qdri_own_send(exchange, &part, memory->memory + first, head->bytes - first);
}

/* Into its crate, if there is one and it fits. */
static void hand_on(qdri_exchange *exchange, int number, const head *head) {
    const hauls *state = exchange->state;
    haul_load *load = &state->load[number];
    if (load->crate) {
        int64_t bytes = head->bytes <= QDRI_CRATE_BYTES ? head->bytes : QDRI_CRATE_IS_SENT;
        load->filled = exchange->number + 1;
        if (bytes > 0) pack(state, &state->relay.out[number], head, load->crate->data);
        qdri_crate_fill(load->crate, load->filled, bytes);
        if (bytes > 0) {
            qdri_trace(exchange, QDR_EVENT_SEND, state->relay.out[number].partner, number, 0, bytes);
            return;
        }
    }
    send_parts(exchange, number, head);
}

static void send_haul(qdri_exchange *exchange, int number) {
    hauls *state = exchange->state;
    haul_load *load = &state->load[number];
    head head = {.plan = first_word(exchange), .exchange = exchange->number};
    int waits = load->crate && !qdri_crate_is_empty(load->crate, load->filled);
    state->waiting += waits - load->waits;
    load->waits = waits;
    if (waits) return;
    if (measure(state, &state->relay.out[number], &head))
        hand_on(exchange, number, &head);
    else
        qdri_exchange_fail(exchange, qdri_fail(QDR_ERR_RANGE, "the bytes to be passed on cannot be counted"));
}

static void send_stage(qdri_exchange *exchange) {
    hauls *state = exchange->state;
    const qdri_relay *relay = &state->relay;
    while (state->sent < relay->outs && relay->out[state->sent].stage == state->stage && !exchange->failed)
        send_haul(exchange, state->sent++);
}

/* ---- what comes ---------------------------------------------------------------------------------------- */

static void receive_part(qdri_exchange *exchange, int number, int64_t offset, int64_t bytes) {
    hauls *state = exchange->state;
    const qdri_haul *haul = &state->relay.in[number];
    qdri_own_message part = {haul->partner, exchange->mark_tag + haul->stage % QDRI_OWN_TAGS, number, offset};
    qdri_own_receive(exchange, &part, state->intake[number].memory.memory + offset, bytes);
}

static qdr_status fail_head(const qdri_exchange *exchange, int from) {
    return qdri_fail(
        QDR_ERR_MISMATCH,
        "rank %d handed on to rank %d what belongs to no exchange of this plan: the two have different ideas "
        "of an earlier one",
        from, exchange->program->rank);
}

static qdr_status check_head(const qdri_exchange *exchange, int number, int64_t came, head *head) {
    const hauls *state = exchange->state;
    const qdri_haul *haul = &state->relay.in[number];
    if (came < (int64_t)sizeof *head) return fail_head(exchange, haul->partner);
    memcpy(head, state->intake[number].memory.memory, sizeof *head);
    int64_t most = most_bytes / haul->messages, width = head->width;
    if (head->plan != first_word(exchange) || head->size < 0 || head->size > most ||
        head->bytes > most_bytes || (width != 0 && width != 1 && width != 2 && width != 4 && width != 8))
        return fail_head(exchange, haul->partner);
    if (head->exchange != exchange->number)
        return qdri_fail(QDR_ERR_MISMATCH,
                         "rank %d is in exchange %lld of a plan of which rank %d is in exchange %lld: every "
                         "rank passes on "
                         "what others have, and must come to every exchange",
                         haul->partner, (long long)head->exchange, exchange->program->rank,
                         (long long)exchange->number);
    int64_t least =
        (int64_t)sizeof *head + width * haul->messages + (width ? 0 : head->size * haul->messages);
    int is_right = width ? head->bytes >= least : head->bytes == least;
    return is_right && came == (head->bytes < FIRST_PART ? head->bytes : FIRST_PART)
               ? QDR_OK
               : fail_head(exchange, haul->partner);
}

/* The message of an origin has come to its end. */
static qdr_status deliver(qdri_exchange *exchange, int origin, const char *data, int64_t bytes) {
    const qdri_program *program = exchange->program;
    int number = program->in.lane_of[origin];
    int64_t expected = number < 0 ? 0 : exchange->in.lane[number].bytes;
    if (bytes != expected) return qdri_fail_bytes(origin, bytes, expected);
    if (bytes == 0) return QDR_OK;
    int64_t place = program->in.lane_hop[program->in.lane[number].first];
    const qdri_hop *hop = &program->in.hop[place];
    memcpy(qdri_bytes_in(exchange, hop, 0, bytes), data, (size_t)bytes);
    exchange->in.flow[place].begun = exchange->in.flow[place].ended = bytes;
    exchange->in.lane[number].begun = exchange->in.lane[number].ended = bytes;
    exchange->in.ended += bytes;
    int source = program->segment[hop->first].index;
    if (exchange->cargo) qdri_packing_arrived(exchange, source, exchange->incoming[source]);
    return QDR_OK;
}

static qdr_status unpack(qdri_exchange *exchange, int number) {
    hauls *state = exchange->state;
    const qdri_haul *haul = &state->relay.in[number];
    const int *place = &state->relay.place[haul->first], *origin = &state->relay.origin[haul->first];
    head head;
    memcpy(&head, state->intake[number].memory.memory, sizeof head);
    const char *size = state->intake[number].memory.memory + sizeof head,
               *data = size + head.width * haul->messages;
    int64_t left = head.bytes - (int64_t)sizeof head - head.width * haul->messages;
    for (int64_t i = 0; i < haul->messages; i++) {
        int64_t bytes = head.width ? read_size(size, head.width) : head.size;
        if (bytes < 0 || bytes > left) return fail_head(exchange, haul->partner);
        state->bytes[place[i]] = bytes;
        state->place[place[i]] = data;
        if (origin[i] >= 0) QDRI_TRY(deliver(exchange, origin[i], data, bytes));
        size += head.width;
        data += bytes;
        left -= bytes;
    }
    return left == 0 ? QDR_OK : fail_head(exchange, haul->partner);
}

static void finish(qdri_exchange *exchange) {
    const qdri_program *program = exchange->program;
    for (int i = 0; i < program->out.lanes; i++)
        exchange->out.lane[i].ended = exchange->out.lane[i].begun = exchange->out.lane[i].bytes;
    for (int64_t i = 0; i < program->out.hops; i++)
        exchange->out.flow[i].ended = exchange->out.flow[i].begun = exchange->out.flow[i].bytes;
    exchange->out.ended = exchange->out.bytes;
    exchange->held = 0;
}

/* The hauls that come in a stage end before this one. */
static int stage_end(const hauls *state) {
    int end = state->taken;
    while (end < state->relay.ins && state->relay.in[end].stage == state->stage) end++;
    return end;
}

/* Whether what this stage waits for comes by crates alone. */
static int waits_for_crates(const hauls *state) {
    int waits = 0;
    for (int i = state->taken, end = stage_end(state); i < end; i++) {
        const haul_intake *intake = &state->intake[i];
        if (!intake->is_here && (!intake->crate || intake->is_sent)) return 0;
        waits |= !intake->is_here;
    }
    return waits;
}

/* As many stages as hauls have come for. What comes takes places of what goes, so nothing is unpacked before all that goes in the stage has
 * found its crate empty. (It will: what the crate holds belongs to an earlier exchange, which waits for nothing in this one.) */
static void go_on(qdri_exchange *exchange) {
    hauls *state = exchange->state;
    while (!exchange->failed && state->stage < state->relay.stages) {
        int end = stage_end(state);
        state->poller.is_awaited = waits_for_crates(state);
        if (state->waiting > 0) return;
        for (int i = state->taken; i < end; i++)
            if (!state->intake[i].is_here) return;
        for (; state->taken < end; state->taken++) {
            qdr_status status = unpack(exchange, state->taken);
            if (status) {
                qdri_exchange_fail(exchange, status);
                return;
            }
        }
        state->stage++;
        send_stage(exchange);
    }
    if (!exchange->failed) finish(exchange);
}

/* A part of a haul is in its memory. */
static void came(qdri_exchange *exchange, int number, int64_t offset, int64_t bytes) {
    hauls *state = exchange->state;
    haul_intake *intake = &state->intake[number];
    head head;
    if (offset == 0) {
        qdr_status status = check_head(exchange, number, bytes, &head);
        if (!status && !qdri_grow(&intake->memory.memory, &intake->memory.bytes, head.bytes, 1))
            status = qdri_fail_memory();
        if (status) {
            qdri_exchange_fail(exchange, status);
            return;
        }
        intake->coming = head.bytes;
        if (head.bytes > FIRST_PART) {
            receive_part(exchange, number, FIRST_PART, head.bytes - FIRST_PART);
            return;
        }
    } else if (offset + bytes != intake->coming) {
        qdri_exchange_fail(exchange, fail_head(exchange, state->relay.in[number].partner));
        return;
    }
    intake->is_here = 1;
    go_on(exchange);
}

static void arrived(qdri_exchange *exchange, const qdri_chunk *part) {
    came(exchange, (int)part->hop, part->offset, part->bytes);
}

/* ---- crates --------------------------------------------------------------------------------------------- */

static void look_into(qdri_exchange *exchange, int number) {
    hauls *state = exchange->state;
    haul_intake *intake = &state->intake[number];
    int64_t bytes = intake->crate->bytes;
    int partner = state->relay.in[number].partner;
    exchange->moved = exchange->last = qdri_seconds_about();
    intake->is_sent = bytes == QDRI_CRATE_IS_SENT;
    if (!intake->is_sent && (bytes < 0 || bytes > QDRI_CRATE_BYTES)) {
        qdri_exchange_fail(exchange, fail_head(exchange, partner));
        return;
    }
    if (!intake->is_sent) memcpy(intake->memory.memory, intake->crate->data, (size_t)bytes);
    qdri_crate_empty(intake->crate);
    if (intake->is_sent) {
        state->poller.is_awaited = 0;
        receive_part(exchange, number, 0, FIRST_PART);
        return;
    }
    qdri_trace(exchange, QDR_EVENT_ARRIVAL, partner, number, 0, bytes);
    came(exchange, number, 0, bytes);
}

static void poll(qdri_poller *poller) {
    hauls *state = (hauls *)((char *)poller - offsetof(hauls, poller));
    qdri_exchange *exchange = state->exchange;
    for (int i = 0; state->waiting > 0 && i < state->sent && !exchange->failed; i++)
        if (state->load[i].waits) {
            send_haul(exchange, i);
            if (state->waiting == 0) go_on(exchange);
        }
    for (int i = state->taken; i < state->relay.ins && !exchange->failed; i++) {
        const haul_intake *intake = &state->intake[i];
        if (intake->crate && !intake->is_here && !intake->is_sent && qdri_crate_is_full(intake->crate))
            look_into(exchange, i);
    }
    if (!exchange->failed) qdri_exchange_check(exchange);
}

static void leave(qdri_exchange *exchange) {
    hauls *state = exchange->state;
    qdri_poller_remove(exchange->wire, &state->poller);
}

/* ---- the exchange -------------------------------------------------------------------------------------- */

static void start(qdri_exchange *exchange) {
    hauls *state = exchange->state;
    const qdri_program *program = exchange->program;
    exchange->held = 1;
    state->stage = state->sent = state->taken = state->waiting = 0;
    memset(state->bytes, 0, (size_t)state->relay.places * sizeof *state->bytes);
    for (int64_t i = 0; i < program->out.hops; i++) {
        const qdri_hop *hop = &program->out.hop[i];
        int place = state->relay.own[hop->partner];
        int64_t bytes = exchange->out.flow[i].bytes;
        state->bytes[place] = bytes;
        if (bytes > 0) state->place[place] = qdri_bytes_out(exchange, hop, 0, bytes);
    }
    for (int i = 0; i < state->relay.ins && !exchange->failed; i++) {
        state->intake[i].coming = state->intake[i].is_here = state->intake[i].is_sent = 0;
        if (!state->intake[i].crate) receive_part(exchange, i, 0, FIRST_PART);
    }
    for (int i = 0; i < state->relay.outs; i++) state->load[i].waits = 0;
    state->exchange = exchange;
    state->poller.poll = poll;
    if (state->has_crates) qdri_poller_add(exchange->wire, &state->poller);
}

static void stage(qdri_exchange *exchange) {
    if (exchange->failed) return;
    send_stage(exchange);
    go_on(exchange); /* where nothing comes in the first stage */
}

static void meets(const qdri_exchange *slot, char *is_met) {
    const hauls *state = slot->state;
    for (int i = 0; i < state->relay.outs; i++) is_met[state->relay.out[i].partner] = 1;
    for (int i = 0; i < state->relay.ins; i++) is_met[state->relay.in[i].partner] = 1;
}

/* A haul of this stage that has not come; or a crate that is not empty yet. */
static int awaits(const qdri_exchange *exchange, int64_t *phase, const char **what) {
    const hauls *state = exchange->state;
    *phase = state->stage;
    for (int i = state->taken, end = stage_end(state); i < end; i++)
        if (!state->intake[i].is_here) {
            *what = "bytes of its own, but what it passes on,";
            return state->relay.in[i].partner;
        }
    for (int i = 0; state->waiting > 0 && i < state->sent; i++)
        if (state->load[i].waits) {
            *what = "bytes, but that it takes what it was handed earlier,";
            return state->relay.out[i].partner;
        }
    return -1;
}

static void read_options(qdri_candidate *candidate, const qdri_spec *spec) {
    int is_joined = !strcmp(spec->name, "joined"), has_levels = !strcmp(spec->name, "levels");
    candidate->radix = is_joined ? 0 : qdri_spec_integer(spec, "radix");
    candidate->inside = has_levels ? qdri_spec_integer(spec, "inside") : 0;
}

static qdri_room room(const qdri_exchange *exchange) {
    const hauls *state = exchange->state;
    return (qdri_room){.sends = 2 * (int64_t)state->relay.outs, .receives = state->relay.ins};
}

const qdri_executor qdri_executor_stages = {
    .pacing = "stages",
    .summary = "when all of the stage before has come; as one message, with what is passed on (bruck, "
               "joined and levels alone)",
    .runs_by_itself = 1,
    .whole = 1,
    .state_bytes = sizeof(hauls),
    .open = open_hauls,
    .close = close_hauls,
    .offer = offer,
    .connect = connect,
    .read = read_options,
    .room = room,
    .start = start,
    .stage = stage,
    .arrived = arrived,
    .leave = leave,
    .meets = meets,
    .awaits = awaits,
};
