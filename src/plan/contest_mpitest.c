/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans that try their candidates, each rank being a node of its own: whatever the clocks say, whoever comes late, however
 * many exchanges are under way and whatever their items' size, contents are right and all ranks have made the same choice.
 * Who has no partner at all may leave out the exchanges. Who has one and does not come is named.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi_expect.h"
#include "mpi_content.h"
#include "quadrille/plan.h"

static int rank, ranks;

/* ---- a world ------------------------------------------------------------------------------------------- */

int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks);
int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks) {
    (void)node_ranks;
    return own_rank;
}

/* Clocks that differ by hours, run unequally, and jump both ways. */
static int is_wild;
static uint64_t looks;
double __real_qdri_seconds(void);
double __wrap_qdri_seconds(void);
double __wrap_qdri_seconds(void) {
    double now = __real_qdri_seconds();
    if (!is_wild) return now;
    double jump = ++looks % 50 == 0 ? (looks % 100 == 0 ? 5 : -5) : 0;
    return now * (1 + 0.1 * rank) + 3600.0 * rank + jump;
}

/* ---- a pattern ----------------------------------------------------------------------------------------- */

/* Irregular, and complete but for idle ranks, which have nobody: the last one, if it is asked for. */
static int has_idle;

static int64_t items_of(int from, int to) {
    if (from == to || (has_idle && (from == ranks - 1 || to == ranks - 1))) return 0;
    return 3 + (from * 5 + to * 11) % 7 * 40;
}

static qdr_partners *make_partners(void) {
    qdr_partners *partners = NULL;
    int *to = calloc((size_t)ranks, sizeof *to), count = 0;
    int64_t *items = calloc((size_t)ranks, sizeof *items);
    for (int other = 0; other < ranks; other++)
        if (items_of(rank, other) > 0) {
            to[count] = other;
            items[count++] = items_of(rank, other);
        }
    FINE(qdr_partners_from_sends(MPI_COMM_WORLD, count, to, items, NULL, &partners));
    free(to);
    free(items);
    return partners;
}

/* ---- exchanges ----------------------------------------------------------------------------------------- */

typedef struct one {
    unsigned char *out, *in;
    qdr_pending *pending;
    int number, item_bytes;
} one;

static int64_t sum(const int64_t *items, int count) {
    int64_t all = 0;
    for (int i = 0; i < count; i++) all += items[i];
    return all;
}

static void begin(qdr_plan *plan, const qdr_partners *partners, int number, int item_bytes, one *it) {
    qdr_partners_view view = qdr_partners_look(partners);
    int64_t out = sum(view.send_items, view.sends), in = sum(view.receive_items, view.receives);
    *it = (one){.number = number, .item_bytes = item_bytes};
    it->out = calloc((size_t)(out * item_bytes) + 1, 1);
    it->in = calloc((size_t)(in * item_bytes) + 1, 1);
    unsigned char *place = it->out;
    for (int i = 0; i < view.sends; i++) {
        content_fill(place, view.send_items[i] * item_bytes,
                     content_key(0, (uint64_t)number, rank, view.destination[i]));
        place += view.send_items[i] * item_bytes;
    }
    /* Who has nothing need not say how large it would be. */
    qdr_buffers buffers = {
        .item_bytes = out + in ? item_bytes : 0, .outgoing_base = it->out, .incoming_base = it->in};
    FINE(qdr_plan_start(plan, &buffers, &it->pending));
}

static void end(const qdr_partners *partners, one *it) {
    qdr_partners_view view = qdr_partners_look(partners);
    FINE(qdr_wait(&it->pending));
    const unsigned char *place = it->in;
    for (int i = 0; i < view.receives; i++) {
        int64_t bytes = view.receive_items[i] * it->item_bytes;
        CHECK(content_wrong(place, bytes, content_key(0, (uint64_t)it->number, view.source[i], rank)) < 0);
        place += bytes;
    }
    free(it->out);
    free(it->in);
}

/* Which candidate is in use: the same on all ranks that have anything. */
static void check_choice(const qdr_plan *plan, int candidates, int is_tried) {
    qdr_candidate candidate;
    int word[2] = {-1, -1}, most[2], tried = 0;
    for (int i = 0; i < candidates; i++) {
        FINE(qdr_plan_candidate(plan, i, &candidate));
        if (candidate.in_use) word[0] = i;
        tried += candidate.seconds > 0;
    }
    EXPECT(qdr_plan_candidate(plan, candidates, &candidate), QDR_ERR_RANGE, "no candidate");
    CHECK_SAYING(!is_tried || tried >= 2 || (has_idle && rank == ranks - 1), "%d were tried", tried);
    int is_silent = has_idle && rank == ranks - 1;
    word[1] = is_silent ? -candidates : -word[0];
    if (is_silent) word[0] = -1;
    MPI_Allreduce(word, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_SAYING(most[0] == -most[1], "ranks run candidates %d and %d", -most[1], most[0]);
}

/* So many exchanges, as many at once as the plan allows. Sizes of items change now and then. */
static void run(int in_flight, int exchanges, int sizes, int is_tried) {
    qdr_partners *partners = make_partners();
    qdr_plan *plan = NULL;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    one *window = calloc((size_t)in_flight, sizeof *window);
    options.algorithm = "auto";
    options.in_flight = in_flight;
    FINE(qdr_plan_create(partners, &options, &plan));
    /* Of two ranks each receives from one: a window is a candidate, but tried with more bytes only. */
    int candidates = has_idle ? 1 : in_flight > 5 || ranks < 3 ? 2 : 3;
    check_choice(plan, candidates, 0);
    for (int number = 0; number < exchanges + in_flight; number++) {
        if (number >= in_flight) end(partners, &window[number % in_flight]);
        if (number == exchanges / 2) FINE(qdr_plan_tune(plan));
        int item_bytes = 1 << number / 40 % sizes * 7;
        if (number < exchanges) begin(plan, partners, number, item_bytes, &window[number % in_flight]);
    }
    check_choice(plan, candidates, is_tried && candidates > 1 && ranks > 2);
    FINE(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
    free(window);
}

/* The last rank does not come to the second exchange, which it has no part in: all others wait for its word alone. */
static void name_the_absent(void) {
    enum { ITEMS = 5 };
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    int is_last = rank == ranks - 1, to[2] = {(rank + 1) % (ranks - 1), (rank + 2) % (ranks - 1)};
    int64_t items[2] = {is_last ? 0 : ITEMS, is_last ? 0 : ITEMS};
    char out[2 * ITEMS] = "", in[8 * ITEMS];
    options.deadline = 1;
    if (ranks < 5) return;
    FINE(qdr_partners_from_sends(MPI_COMM_WORLD, 2, to, items, NULL, &partners));
    FINE(qdr_plan_create(partners, &options, &plan));
    qdr_buffers buffers = {.item_bytes = 1, .outgoing_base = out, .incoming_base = in};
    FINE(qdr_plan_exchange(plan, &buffers));
    if (!is_last) EXPECT(qdr_plan_exchange(plan, &buffers), QDR_ERR_STALLED, "its word that it has ended");
    MPI_Barrier(MPI_COMM_WORLD);
    FINE(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
}

/* A plan that goes in the middle of a contest leaves nothing behind. */
static void leave_early(void) {
    for (int exchanges = 0; exchanges < 6; exchanges++) {
        qdr_partners *partners = make_partners();
        qdr_plan *plan = NULL;
        one it;
        FINE(qdr_plan_create(partners, NULL, &plan));
        for (int i = 0; i < exchanges; i++) {
            begin(plan, partners, i, 8, &it);
            end(partners, &it);
        }
        FINE(qdr_plan_destroy(&plan));
        qdr_partners_destroy(&partners);
    }
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    leave_early();
    for (has_idle = 0; has_idle < 2 && has_idle < ranks; has_idle++) {
        run(2, 200, 1, 1);
        run(1, 100, 3, 0);
        run(4, 100, 2, 0);
        run(8, 60, 1, 1);
    }
    has_idle = 0;
    is_wild = 1;
    run(2, 150, 2, 0);
    run(3, 100, 1, 0);
    is_wild = 0;
    name_the_absent();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
