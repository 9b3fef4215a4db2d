/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pacing by stages: Bruck's exchange (schedule/bruck.h), for messages so small that their number costs more than their
 * bytes. In each stage a rank hands on all that goes the same way as one message, a *haul*, and the next stage begins when
 * all hauls of this one have come. Who hands on to whom follows from the ranks alone. Sizes travel with the bytes, so
 * nobody knows more than his own row and column, and no exchange is like the last.
 *
 * A haul is a head, the sizes of its messages in the order of their distances, in as few bytes each as the largest needs
 * (none, where all are equal), and then their bytes. What is longer than any short message goes in two parts, of which the
 * first says how long the second is. Each pair of ranks has one haul each way, so one tag is enough; hauls of a later
 * stage may come early, and wait.
 *
 * Everyone passes on what others have, so every rank must come to every exchange. What has come to its end is compared with
 * what was expected of its origin: whoever passed it on cannot know.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/packing.h"
#include "plan/plan.h"
#include "schedule/bruck.h"

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

/* What goes one way in one stage. */
typedef struct haul {
    qdri_bruck_step step;
    int to, from;
    int64_t messages;
    qdri_spare out, in;
    int64_t coming; /* bytes, once its head has come; 0: it has not */
    int is_here;
} haul;

typedef struct hauls {
    haul *haul; /* by stages */
    int count;
    int begun; /* of them, those of this stage included */
    int ended; /* of them, those of the stages before */
    int64_t radix;
    const char **place; /* [ranks], by distance: what this rank holds */
    int64_t *bytes;
} hauls;

/* ---- memory -------------------------------------------------------------------------------------------- */

static int64_t count_messages(int ranks, int64_t radix, const qdri_bruck_step *step) {
    int64_t count = 0;
    for (int64_t i = step->ahead; i < ranks; i = qdri_bruck_distance_after(radix, step, i)) count++;
    return count;
}

static int list_hauls(hauls *state, int rank, int ranks) {
    qdri_bruck_step step;
    int count = 0;
    for (int goes_on = qdri_bruck_begin(ranks, &step); goes_on;
         goes_on = qdri_bruck_next(ranks, state->radix, &step)) {
        if (state->haul)
            state->haul[count] = (haul){.step = step,
                                        .to = (int)((rank + step.ahead) % ranks),
                                        .from = (int)((rank - step.ahead + ranks) % ranks),
                                        .messages = count_messages(ranks, state->radix, &step)};
        count++;
    }
    return count;
}

static qdr_status open_hauls(qdri_exchange *slot) {
    const qdri_program *program = slot->program;
    hauls *state = slot->state;
    *state = (hauls){.radix = slot->candidate->radix};
    state->count = list_hauls(state, program->rank, program->ranks);
    state->haul = QDRI_ZERO_ARRAY(haul, state->count);
    state->place = QDRI_ARRAY(const char *, program->ranks);
    state->bytes = QDRI_ARRAY(int64_t, program->ranks);
    if (!state->haul || !state->place || !state->bytes) return qdri_fail_memory();
    list_hauls(state, program->rank, program->ranks);
    for (int i = 0; i < state->count; i++)
        if (!qdri_grow(&state->haul[i].in.memory, &state->haul[i].in.bytes, FIRST_PART, 1))
            return qdri_fail_memory();
    return QDR_OK;
}

static void close_hauls(qdri_exchange *slot) {
    hauls *state = slot->state;
    for (int i = 0; state->haul && i < state->count; i++) {
        free(state->haul[i].out.memory);
        free(state->haul[i].in.memory);
    }
    free(state->haul);
    free(state->place);
    free(state->bytes);
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
static int measure(const hauls *state, int ranks, const haul *haul, head *head) {
    int64_t sum = 0, largest = 0;
    head->size = state->bytes[haul->step.ahead];
    head->width = 0;
    for (int64_t i = haul->step.ahead; i < ranks;
         i = qdri_bruck_distance_after(state->radix, &haul->step, i)) {
        if (state->bytes[i] > most_bytes - sum) return 0;
        sum += state->bytes[i];
        if (state->bytes[i] > largest) largest = state->bytes[i];
        if (state->bytes[i] != head->size) head->width = 1;
    }
    if (head->width) head->width = bytes_to_write(largest);
    head->bytes = (int64_t)sizeof *head + head->width * haul->messages + sum;
    return 1;
}

static void load(const hauls *state, int ranks, const haul *haul, const head *head) {
    char *size = haul->out.memory + sizeof *head, *data = size + head->width * haul->messages;
    memcpy(haul->out.memory, head, sizeof *head);
    for (int64_t i = haul->step.ahead; i < ranks;
         i = qdri_bruck_distance_after(state->radix, &haul->step, i)) {
        write_size(size, head->width, state->bytes[i]);
        if (state->bytes[i] > 0) memcpy(data, state->place[i], (size_t)state->bytes[i]);
        size += head->width;
        data += state->bytes[i];
    }
}

static void send_haul(qdri_exchange *exchange, int number) {
    const hauls *state = exchange->state;
    int ranks = exchange->program->ranks;
    haul *haul = &state->haul[number];
    head head = {.plan = first_word(exchange), .exchange = exchange->number};
    if (!measure(state, ranks, haul, &head)) {
        qdri_exchange_fail(exchange, qdri_fail(QDR_ERR_RANGE, "the bytes to be passed on cannot be counted"));
        return;
    }
    if (!qdri_grow(&haul->out.memory, &haul->out.bytes, head.bytes, 1)) {
        qdri_exchange_fail(exchange, qdri_fail_memory());
        return;
    }
    load(state, ranks, haul, &head);
    int64_t first = head.bytes < FIRST_PART ? head.bytes : FIRST_PART;
    qdri_own_send(exchange, haul->to, number, 0, haul->out.memory, first);
    if (head.bytes > first)
        qdri_own_send(exchange, haul->to, number, first, haul->out.memory + first, head.bytes - first);
}

/* All hauls of the next stage. */
static void begin_stage(qdri_exchange *exchange) {
    hauls *state = exchange->state;
    int first = state->begun;
    while (state->begun < state->count &&
           state->haul[state->begun].step.stage == state->haul[first].step.stage && !exchange->failed)
        send_haul(exchange, state->begun++);
}

/* ---- what comes ---------------------------------------------------------------------------------------- */

static void receive_part(qdri_exchange *exchange, int number, int64_t offset, int64_t bytes) {
    hauls *state = exchange->state;
    haul *haul = &state->haul[number];
    qdri_own_receive(exchange, haul->from, number, offset, haul->in.memory + offset, bytes);
}

static qdr_status fail_head(const qdri_exchange *exchange, int from) {
    return qdri_fail(
        QDR_ERR_MISMATCH,
        "rank %d handed on to rank %d what belongs to no exchange of this plan: the two have different ideas "
        "of an earlier one",
        from, exchange->program->rank);
}

static qdr_status check_head(const qdri_exchange *exchange, const haul *haul, int64_t came, head *head) {
    if (came < (int64_t)sizeof *head) return fail_head(exchange, haul->from);
    memcpy(head, haul->in.memory, sizeof *head);
    int64_t most = most_bytes / haul->messages, width = head->width;
    if (head->plan != first_word(exchange) || head->size < 0 || head->size > most ||
        head->bytes > most_bytes || (width != 0 && width != 1 && width != 2 && width != 4 && width != 8))
        return fail_head(exchange, haul->from);
    if (head->exchange != exchange->number)
        return qdri_fail(QDR_ERR_MISMATCH,
                         "rank %d is in exchange %lld of a plan of which rank %d is in exchange %lld: every "
                         "rank passes on "
                         "what others have, and must come to every exchange",
                         haul->from, (long long)head->exchange, exchange->program->rank,
                         (long long)exchange->number);
    int64_t least =
        (int64_t)sizeof *head + width * haul->messages + (width ? 0 : head->size * haul->messages);
    int is_right = width ? head->bytes >= least : head->bytes == least;
    return is_right && came == (head->bytes < FIRST_PART ? head->bytes : FIRST_PART)
               ? QDR_OK
               : fail_head(exchange, haul->from);
}

/* What came to its end, at a distance. */
static qdr_status deliver(qdri_exchange *exchange, int64_t distance) {
    const hauls *state = exchange->state;
    const qdri_program *program = exchange->program;
    int origin = (int)((program->rank - distance + program->ranks) % program->ranks),
        number = program->in.lane_of[origin];
    int64_t bytes = state->bytes[distance], expected = number < 0 ? 0 : exchange->in.lane[number].bytes;
    if (bytes != expected) return qdri_fail_bytes(origin, bytes, expected);
    if (bytes == 0) return QDR_OK;
    int64_t place = program->in.lane_hop[program->in.lane[number].first];
    const qdri_hop *hop = &program->in.hop[place];
    memcpy(qdri_bytes_in(exchange, hop, 0, bytes), state->place[distance], (size_t)bytes);
    exchange->in.flow[place].begun = exchange->in.flow[place].ended = bytes;
    exchange->in.lane[number].begun = exchange->in.lane[number].ended = bytes;
    exchange->in.ended += bytes;
    int source = program->segment[hop->first].index;
    if (exchange->cargo) qdri_packing_arrived(exchange, source, exchange->incoming[source]);
    return QDR_OK;
}

/* Takes the messages of a haul into the places of those that this rank has handed on. */
static qdr_status unload(qdri_exchange *exchange, const haul *haul) {
    hauls *state = exchange->state;
    head head;
    memcpy(&head, haul->in.memory, sizeof head);
    const char *size = haul->in.memory + sizeof head, *data = size + head.width * haul->messages;
    int64_t left = head.bytes - (int64_t)sizeof head - head.width * haul->messages;
    for (int64_t i = haul->step.ahead; i < exchange->program->ranks;
         i = qdri_bruck_distance_after(state->radix, &haul->step, i)) {
        int64_t bytes = head.width ? read_size(size, head.width) : head.size;
        if (bytes < 0 || bytes > left) return fail_head(exchange, haul->from);
        state->bytes[i] = bytes;
        state->place[i] = data;
        if (qdri_bruck_ends(state->radix, &haul->step, i)) QDRI_TRY(deliver(exchange, i));
        size += head.width;
        data += bytes;
        left -= bytes;
    }
    return left == 0 ? QDR_OK : fail_head(exchange, haul->from);
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

/* As many stages as hauls have come for. */
static void go_on(qdri_exchange *exchange) {
    hauls *state = exchange->state;
    while (!exchange->failed && state->ended < state->count) {
        for (int i = state->ended; i < state->begun; i++)
            if (!state->haul[i].is_here) return;
        for (int i = state->ended; i < state->begun; i++) {
            qdr_status status = unload(exchange, &state->haul[i]);
            if (status) {
                qdri_exchange_fail(exchange, status);
                return;
            }
        }
        state->ended = state->begun;
        begin_stage(exchange);
    }
    if (!exchange->failed) finish(exchange);
}

static void arrived(qdri_exchange *exchange, const qdri_chunk *part) {
    hauls *state = exchange->state;
    haul *haul = &state->haul[part->hop];
    head head;
    if (part->offset == 0) {
        qdr_status status = check_head(exchange, haul, part->bytes, &head);
        if (!status && !qdri_grow(&haul->in.memory, &haul->in.bytes, head.bytes, 1))
            status = qdri_fail_memory();
        if (status) {
            qdri_exchange_fail(exchange, status);
            return;
        }
        haul->coming = head.bytes;
        if (head.bytes > FIRST_PART) {
            receive_part(exchange, (int)part->hop, FIRST_PART, head.bytes - FIRST_PART);
            return;
        }
    } else if (part->offset + part->bytes != haul->coming) {
        qdri_exchange_fail(exchange, fail_head(exchange, haul->from));
        return;
    }
    haul->is_here = 1;
    go_on(exchange);
}

/* ---- the exchange -------------------------------------------------------------------------------------- */

static void start(qdri_exchange *exchange) {
    hauls *state = exchange->state;
    const qdri_program *program = exchange->program;
    exchange->held = 1;
    state->begun = state->ended = 0;
    memset(state->bytes, 0, (size_t)program->ranks * sizeof *state->bytes);
    for (int64_t i = 0; i < program->out.hops; i++) {
        const qdri_hop *hop = &program->out.hop[i];
        int64_t distance = (hop->partner - program->rank + program->ranks) % program->ranks,
                bytes = exchange->out.flow[i].bytes;
        state->bytes[distance] = bytes;
        if (bytes > 0) state->place[distance] = qdri_bytes_out(exchange, hop, 0, bytes);
    }
    for (int i = 0; i < state->count && !exchange->failed; i++) {
        state->haul[i].coming = state->haul[i].is_here = 0;
        receive_part(exchange, i, 0, FIRST_PART);
    }
}

static void stage(qdri_exchange *exchange) {
    if (!exchange->failed) begin_stage(exchange);
    if (((hauls *)exchange->state)->count == 0) finish(exchange);
}

/* A haul of this stage that has not come. */
static int awaits(const qdri_exchange *exchange, int64_t *phase, const char **what) {
    const hauls *state = exchange->state;
    for (int i = state->ended; i < state->begun; i++)
        if (!state->haul[i].is_here) {
            *phase = state->haul[i].step.stage;
            *what = "bytes of its own, but what it passes on,";
            return state->haul[i].from;
        }
    return -1;
}

static void read_options(qdri_candidate *candidate, const qdri_spec *spec) {
    candidate->radix = qdri_spec_integer(spec, "radix");
}

static qdri_room room(const qdri_exchange *exchange) {
    const hauls *state = exchange->state;
    return (qdri_room){.sends = 2 * (int64_t)state->count, .receives = state->count};
}

const qdri_executor qdri_executor_stages = {
    .pacing = "stages",
    .summary = "when all of the stage before has come; as one message, with what is passed on (bruck alone)",
    .algorithm = "bruck",
    .whole = 1,
    .state_bytes = sizeof(hauls),
    .open = open_hauls,
    .close = close_hauls,
    .read = read_options,
    .room = room,
    .start = start,
    .stage = stage,
    .arrived = arrived,
    .awaits = awaits,
};
