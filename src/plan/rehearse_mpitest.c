/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a plan comes to know by a rehearsal, and what that costs. The program of each rank is the one that is made of the
 * whole pattern, hop by hop and segment by segment. The functions of the wire by which ranks tell each other things come
 * here (--wrap), so it shows that nothing is gathered, and that as many messages go as the exchange will have, each a few bytes for
 * a piece. What the transportation paper says of steps and sizes is counted (sections 7 and 8), and so is what an exchange
 * sends.
 */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "discover/deliver.h"
#include "discover/partners.h"
#include "discover/round.h"
#include "mpi_content.h"
#include "mpi_expect.h"
#include "pattern/pattern.h"
#include "plan/mark.h"
#include "plan/near/near.h"
#include "plan/plan.h"
#include "plan/program.h"
#include "plan/settings.h"
#include "wire/node.h"

static int rank, ranks;

/* ---- what goes over the wire --------------------------------------------------------------------------- */

static struct {
    int64_t rounds, lots, bytes; /* of rehearsals */
    int64_t scans, words;
    int64_t global;         /* calls in which every rank tells every other something */
    int64_t messages, sent; /* by plain sends: how many, and bytes */
} counted;

#define WRAPPED(type, name, parameters)                                                                      \
    type __real_##name parameters;                                                                           \
    type __wrap_##name parameters;                                                                           \
    type __wrap_##name parameters

WRAPPED(qdr_status, qdri_discover, (qdri_round * round)) {
    if (!strncmp(round->call, "rehearsal", 9)) {
        counted.rounds++;
        counted.lots += round->count;
        for (int i = 0; i < round->count; i++) counted.bytes += round->out[i].bytes;
    }
    return __real_qdri_discover(round);
}

WRAPPED(void, qdri_deliver,
        (qdri_flight * flight, qdri_flight_leg *legs, int sends, const qdr_parcel *out, int receives,
         const qdr_parcel *in)) {
    counted.words += strncmp(flight->what, "rehearsal", 9) ? 0 : sends;
    __real_qdri_deliver(flight, legs, sends, out, receives, in);
}

WRAPPED(qdr_status, qdri_sum_before,
        (qdri_wire * wire, qdri_operation *operation, const int64_t *out, int64_t *in)) {
    counted.scans++;
    return __real_qdri_sum_before(wire, operation, out, in);
}

WRAPPED(qdr_status, qdri_swap_words,
        (qdri_wire * wire, qdri_operation *operation, const int64_t *out, int64_t *in)) {
    counted.global++;
    return __real_qdri_swap_words(wire, operation, out, in);
}

WRAPPED(qdr_status, qdri_sum_for_each,
        (qdri_wire * wire, qdri_operation *operation, const int64_t *out, int64_t *in)) {
    counted.global++;
    return __real_qdri_sum_for_each(wire, operation, out, in);
}

WRAPPED(qdr_status, qdri_gather_all,
        (qdri_wire * wire, qdri_operation *operation, const void *out, int64_t bytes, void *in,
         const int64_t *start)) {
    counted.global++;
    return __real_qdri_gather_all(wire, operation, out, bytes, in, start);
}

WRAPPED(qdr_status, qdri_send,
        (qdri_wire * wire, qdri_operation *operation, int to, int tag, const void *data, int64_t bytes)) {
    counted.messages++;
    counted.sent += bytes;
    return __real_qdri_send(wire, operation, to, tag, data, bytes);
}

WRAPPED(qdr_status, qdri_batch_send,
        (qdri_wire * wire, qdri_operation *operation, int to, int tag, const void *data, int64_t bytes)) {
    counted.messages++;
    counted.sent += bytes;
    return __real_qdri_batch_send(wire, operation, to, tag, data, bytes);
}

/* ---- one case ------------------------------------------------------------------------------------------ */

typedef struct stage {
    const char *algorithm, *spec; /* of the pattern */
    char what[200];
    qdr_pattern *pattern, *far;
    qdr_partners *partners;
    qdr_plan *plan;
    const qdri_program *program;
} stage;

/* No rank gives more than its row and its column. */
static qdr_partners *own_sides(const qdr_pattern *pattern) {
    qdr_pattern_view view = qdr_pattern_look(pattern);
    int *to = calloc((size_t)ranks + 1, sizeof *to), *from = calloc((size_t)ranks + 1, sizeof *from);
    int64_t *out = calloc((size_t)ranks + 1, sizeof *out), *in = calloc((size_t)ranks + 1, sizeof *in);
    int sends = 0, receives = 0;
    qdr_partners *partners = NULL;
    for (int64_t m = 0; m < view.messages; m++) {
        if (view.origin[m] == rank) to[sends] = view.destination[m], out[sends++] = view.items[m];
        if (view.destination[m] == rank) from[receives] = view.origin[m], in[receives++] = view.items[m];
    }
    if (view.local[rank] > 0) {
        to[sends] = from[receives] = rank;
        out[sends++] = in[receives++] = view.local[rank];
    }
    for (int i = 0; i < sends / 2; i++) { /* in some order */
        int other = sends - 1 - i, one = to[i];
        int64_t items = out[i];
        to[i] = to[other], to[other] = one;
        out[i] = out[other], out[other] = items;
    }
    FINE(qdr_partners_from_both(MPI_COMM_WORLD, sends, to, out, receives, from, in, 0, &partners));
    free(to);
    free(from);
    free(out);
    free(in);
    return partners;
}

/* Of a pattern what goes across the network, or all of it where `plan` is NULL; and what each rank has for itself. */
static qdr_pattern *far_part(const qdr_plan *plan, const qdr_pattern *pattern, int64_t own) {
    qdr_pattern_view view = qdr_pattern_look(pattern);
    qdr_message *message = calloc((size_t)(view.messages + ranks), sizeof *message);
    int64_t count = 0;
    qdr_pattern *far = NULL;
    int has_nodes = plan && plan->near->active;
    for (int64_t m = 0; m < view.messages; m++)
        if (!has_nodes || !qdri_node_shared(plan->wire, view.origin[m], view.destination[m]))
            message[count++] = (qdr_message){view.origin[m], view.destination[m], view.items[m]};
    for (int r = 0; r < ranks && !has_nodes; r++)
        message[count++] = (qdr_message){r, r, plan ? view.local[r] : own * (1 + r % 3)};
    FINE(qdr_pattern_create(ranks, count, message, &far));
    free(message);
    return far;
}

static int open_stage(stage *on, const char *algorithm, const char *spec, const char *transport) {
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    *on = (stage){.algorithm = algorithm, .spec = spec};
    if (qdr_pattern_from_spec(spec, &on->pattern)) return 0; /* not for this number of ranks */
    snprintf(on->what, sizeof on->what, "%s, %s, %s", algorithm, spec, transport);
    if (strstr(algorithm, "diagonal")) {
        qdr_pattern *other = far_part(NULL, on->pattern, 7);
        qdr_pattern_destroy(&on->pattern);
        on->pattern = other;
    }
    on->partners = own_sides(on->pattern);
    options.algorithm = algorithm;
    options.transport = transport;
    options.pacing = "free";
    memset(&counted, 0, sizeof counted);
    qdr_status status = qdr_plan_create(on->partners, &options, &on->plan);
    CHECK_SAYING(!status, "%s: %s", on->what, qdr_error_message());
    if (status) return 0;
    on->program = &on->plan->candidate[0].program;
    on->far = far_part(on->plan, on->pattern, 0);
    return 1;
}

static void close_stage(stage *on) {
    FINE(qdr_plan_destroy(&on->plan));
    qdr_partners_destroy(&on->partners);
    qdr_pattern_destroy(&on->pattern);
    qdr_pattern_destroy(&on->far);
}

/* ---- the same program ---------------------------------------------------------------------------------- */

static int same_hop(const qdri_hop *a, const qdri_hop *b) {
    return a->partner == b->partner && a->stage == b->stage && a->lane == b->lane && a->phase == b->phase &&
           a->items == b->items && a->first == b->first && a->segments == b->segments &&
           a->bounce == b->bounce;
}

static int same_side(const qdri_side *a, const qdri_side *b) {
    int same = a->hops == b->hops && a->lanes == b->lanes;
    for (int64_t i = 0; same && i < a->hops; i++)
        same = same_hop(&a->hop[i], &b->hop[i]) && a->lane_hop[i] == b->lane_hop[i];
    return same;
}

static void compare_programs(const stage *on) {
    qdri_program whole = {.rank = rank};
    const qdri_program *own = on->program;
    qdr_schedule *schedule = NULL;
    FINE(qdr_schedule_create(on->far, on->algorithm, NULL, &schedule));
    FINE(qdri_program_from_schedule(schedule, qdr_partners_look(on->partners), on->plan->near->is_near,
                                    &whole));
    int same = same_side(&own->out, &whole.out) && same_side(&own->in, &whole.in) &&
               own->stages == whole.stages && own->staging_items == whole.staging_items &&
               own->bounce_items == whole.bounce_items && own->segments == whole.segments;
    for (int64_t i = 0; same && i < own->segments; i++) {
        const qdri_segment *a = &own->segment[i], *b = &whole.segment[i];
        same = a->region == b->region && a->index == b->index && a->offset == b->offset &&
               a->length == b->length;
    }
    for (int s = 0; same && s <= own->stages; s++)
        same = own->out.stage_start[s] == whole.out.stage_start[s] &&
               own->in.stage_start[s] == whole.in.stage_start[s];
    CHECK_SAYING(same, "%s: another program than of the whole pattern", on->what);
    qdri_program_free(&whole);
    qdr_schedule_destroy(&schedule);
}

/* ---- what it takes to know it -------------------------------------------------------------------------- */

static int64_t row_pieces(const stage *on) {
    qdr_row_reader *reader = NULL;
    qdr_row row;
    int64_t pieces = 0;
    FINE(qdr_row_reader_create(qdr_plan_schedule(on->plan), &reader));
    for (int s = 0; s < on->program->stages; s++) {
        FINE(qdr_row_read(reader, rank, s, &row));
        for (int64_t i = 0; i < row.sends; i++) pieces += row.send[i].pieces;
    }
    qdr_row_reader_destroy(&reader);
    return pieces;
}

static void check_cost(const stage *on) {
    const qdri_program *program = on->program;
    qdr_partners_view view = qdr_partners_look(on->partners);
    enum { MOST_OF_PIECE = 12 };
    int64_t pieces = row_pieces(on);
    int is_cut = strncmp(on->algorithm, "two-stage", 9) == 0;
    CHECK_SAYING(counted.global == 0, "%s: %lld calls that are global", on->what, (long long)counted.global);
    CHECK_SAYING(counted.rounds == program->stages, "%s: %lld rounds", on->what, (long long)counted.rounds);
    CHECK_SAYING(counted.lots == program->out.hops, "%s: %lld lots for %lld transfers", on->what,
                 (long long)counted.lots, (long long)program->out.hops);
    CHECK_SAYING(counted.bytes >= 4 * pieces && counted.bytes <= MOST_OF_PIECE * pieces,
                 "%s: %lld bytes for %lld pieces", on->what, (long long)counted.bytes, (long long)pieces);
    CHECK_SAYING(counted.scans <= is_cut && counted.words <= (is_cut ? view.receives : 0),
                 "%s: %lld scans, %lld words", on->what, (long long)counted.scans, (long long)counted.words);
    if (strstr(on->algorithm, "tight=no")) CHECK(counted.scans == 0);
    if (strstr(on->algorithm, "tight=yes")) CHECK(counted.scans == 1);
    if (strstr(on->algorithm, "scheme=source")) CHECK(counted.words == 0);
}

/* ---- sections 7 and 8 ---------------------------------------------------------------------------------- */

typedef struct traffic {
    int64_t row, column, all, most_row, most_column;
} traffic;

static traffic traffic_of(const stage *on) {
    qdr_pattern *pattern = NULL;
    if (strstr(on->algorithm, "diagonal"))
        FINE(qdri_pattern_with_diagonal(on->far, &pattern));
    else
        pattern = qdri_pattern_retain(on->far);
    qdr_pattern_view view = qdr_pattern_look(pattern);
    qdr_pattern_statistics facts;
    qdr_pattern_measure(pattern, &facts);
    traffic sum = {.all = facts.items, .most_row = facts.out_traffic, .most_column = facts.in_traffic};
    for (int64_t m = 0; m < view.messages; m++) {
        sum.row += view.origin[m] == rank ? view.items[m] : 0;
        sum.column += view.destination[m] == rank ? view.items[m] : 0;
    }
    qdr_pattern_destroy(&pattern);
    return sum;
}

static int64_t divide_up(int64_t a) {
    return (a + ranks - 1) / ranks;
}

/* Largest transfer of a stage; *total: of all. */
static int64_t largest(const qdri_side *side, int stage, int64_t *total) {
    int64_t most = 0;
    *total = 0;
    for (int64_t i = side->stage_start[stage]; i < side->stage_start[stage + 1]; i++) {
        *total += side->hop[i].items;
        if (side->hop[i].items > most) most = side->hop[i].items;
    }
    return most;
}

/* At most n - 1 steps in each stage; sizes as the scheme bounds them; and intermediaries that hold equally much, where that was asked for. */
static void check_two_stage(const stage *on) {
    const qdri_program *program = on->program;
    traffic sum = traffic_of(on);
    int64_t given, taken, sent, came;
    int64_t first = largest(&program->out, 0, &given), first_in = largest(&program->in, 0, &taken);
    int64_t second = largest(&program->out, 1, &sent), second_in = largest(&program->in, 1, &came);
    int by_source = strstr(on->algorithm, "scheme=source") != NULL;
    int64_t stage_one = by_source ? divide_up(sum.most_row) : sum.most_row / ranks + ranks;
    int64_t stage_two = by_source ? sum.most_column / ranks + ranks : divide_up(sum.most_column);
    for (int s = 0; s < 2; s++)
        CHECK(program->out.stage_start[s + 1] - program->out.stage_start[s] < ranks &&
              program->in.stage_start[s + 1] - program->in.stage_start[s] < ranks);
    CHECK_SAYING(first <= stage_one && first_in <= stage_one, "%s: %lld and %lld items in stage 1", on->what,
                 (long long)first, (long long)first_in);
    CHECK_SAYING(second <= stage_two && second_in <= stage_two, "%s: %lld and %lld items in stage 2",
                 on->what, (long long)second, (long long)second_in);
    if (by_source) CHECK(first <= divide_up(sum.row) && second_in <= sum.column / ranks + ranks);
    int64_t holds = taken + sum.row - given; /* what came, and what it kept of its own */
    if (strstr(on->algorithm, "tight=yes"))
        CHECK_SAYING(holds <= divide_up(sum.all) && holds >= sum.all / ranks, "%s: holds %lld items of %lld",
                     on->what, (long long)holds, (long long)sum.all);
}

/* What a rank has for itself is spread like all else; where others of the node are near, it stays. */
static void check_self(const stage *on) {
    const qdri_self *self = &on->program->self;
    int travels = strstr(on->algorithm, "diagonal") && !on->plan->near->active && ranks > 1;
    CHECK_SAYING(self->travels == travels, "%s: what is sent to itself", on->what);
    if (travels) CHECK(self->length <= divide_up(self->items) && self->length >= self->items / ranks);
}

/* One send in each of lg n stages, and at most two receives. */
static void check_recursive(const stage *on) {
    const qdri_program *program = on->program;
    int stages = 1;
    while (1 << stages < ranks) stages++;
    CHECK(program->stages == stages);
    for (int s = 0; s < stages; s++) {
        CHECK(program->out.stage_start[s + 1] - program->out.stage_start[s] <= 1);
        CHECK(program->in.stage_start[s + 1] - program->in.stage_start[s] <= 2);
    }
}

/* ---- an exchange --------------------------------------------------------------------------------------- */

enum { ITEM_BYTES = 3 };

static int64_t total(int count, const int64_t *items) {
    int64_t sum = 1;
    for (int i = 0; i < count; i++) sum += items[i];
    return sum;
}

/* One message for each transfer, with the bytes that the program has, and perhaps a mark (mark.h) where a stream begins. */
static void check_exchange(const stage *on) {
    qdr_partners_view view = qdr_partners_look(on->partners);
    const qdri_side *out = &on->program->out;
    unsigned char *from = calloc((size_t)total(view.sends, view.send_items), ITEM_BYTES), *place = from;
    unsigned char *to = calloc((size_t)total(view.receives, view.receive_items), ITEM_BYTES);
    qdr_buffers buffers = {.item_bytes = ITEM_BYTES, .outgoing_base = from, .incoming_base = to};
    int64_t items = 0;
    for (int i = 0; i < view.sends; place += view.send_items[i++] * ITEM_BYTES)
        content_fill(place, view.send_items[i] * ITEM_BYTES, content_key(0, 0, rank, view.destination[i]));
    for (int64_t i = 0; i < out->hops; i++) items += out->hop[i].items;
    for (int turn = 0; turn < 2 * QDRI_USUAL_IN_FLIGHT; turn++) {
        memset(&counted, 0, sizeof counted);
        FINE(qdr_plan_exchange(on->plan, &buffers));
    }
    if (!strcmp(strrchr(on->what, ' '), " net")) {
        int64_t beside = counted.sent - items * ITEM_BYTES;
        CHECK_SAYING(counted.messages == out->hops && beside % QDRI_MARK == 0 && beside >= 0 &&
                         beside <= out->lanes * QDRI_MARK,
                     "%s: %lld messages with %lld bytes for %lld transfers with %lld", on->what,
                     (long long)counted.messages, (long long)counted.sent, (long long)out->hops,
                     (long long)items * ITEM_BYTES);
    }
    place = to;
    for (int i = 0; i < view.receives; place += view.receive_items[i++] * ITEM_BYTES)
        CHECK_SAYING(content_wrong(place, view.receive_items[i] * ITEM_BYTES,
                                   content_key(0, 0, view.source[i], rank)) < 0,
                     "%s: wrong bytes from %d", on->what, view.source[i]);
    free(from);
    free(to);
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static const char *const algorithms[] = {
    "recursive",
    "two-stage",
    "two-stage:scheme=source,tight=yes",
    "two-stage:scheme=source,tight=no",
    "two-stage:scheme=destination,tight=yes",
    "two-stage:scheme=destination,tight=no",
    "two-stage:scheme=source,shuffle,seed=5",
    "two-stage:scheme=source,tight=yes,diagonal",
    "two-stage:scheme=destination,tight=yes,diagonal",
    "two-stage:scheme=source,tight=no,shuffle,diagonal",
};

static void run_case(const char *algorithm, int pattern, const char *transport) {
    stage on;
    int is_open = open_stage(&on, algorithm, case_pattern(pattern, ranks), transport);
    if (is_open) {
        check_cost(&on);
        compare_programs(&on);
        if (strstr(algorithm, "scheme=")) check_two_stage(&on);
        check_self(&on);
        if (!strcmp(algorithm, "recursive")) check_recursive(&on);
        check_exchange(&on);
    }
    if (on.plan || on.pattern) close_stage(&on);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int a = 0; a < COUNT(algorithms); a++)
        for (int p = 0; p < COUNT(case_patterns); p++) {
            run_case(algorithms[a], p, "net");
            if ((a + p) % 3 == 0) run_case(algorithms[a], p, "node");
        }
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
