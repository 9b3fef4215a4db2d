/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an exchange costs beside its messages: nothing. The program is linked with --wrap for the allocator
 * and for every collective that the library knows, those of MPI and the board of a node, so that the
 * library's calls are counted here (those of MPI itself are not: it is a shared library). From the second
 * exchange of a shape on, in each of a plan's slots, both counts stand still, for every algorithm, every
 * pacing and both transports, one exchange at a time and with all slots under way.
 * (src/map/map_account_mpitest.c does the same for maps.)
 */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "mpi_account.h"
#include "mpi_check.h"
#include "mpi_content.h"
#include "mpi_pieces.h"
#include "plan/executors/table.h"
#include "quadrille/plan.h"

/* ---- one case ------------------------------------------------------------------------------------------ */

enum { IN_FLIGHT = 3, ITEM_BYTES = 2 };

static int rank, ranks, cases;

typedef struct memory {
    unsigned char *out, *in;
} memory;

static void start(qdr_plan *plan, qdr_partners_view view, memory *at, qdr_pending **exchange) {
    unsigned char *place = at->out;
    for (int i = 0; i < view.sends; i++) {
        content_fill(place, view.send_items[i] * ITEM_BYTES, content_key(0, 0, rank, view.destination[i]));
        place += view.send_items[i] * ITEM_BYTES;
    }
    qdr_buffers buffers = {0};
    buffers.item_bytes = ITEM_BYTES;
    buffers.outgoing_base = at->out;
    buffers.incoming_base = at->in;
    CHECK_SAYING(qdr_plan_start(plan, &buffers, exchange) == QDR_OK, "%s", qdr_error_message());
}

static void finish(qdr_partners_view view, memory *at, qdr_pending **exchange, const char *what) {
    const unsigned char *place = at->in;
    CHECK_SAYING(qdr_wait(exchange) == QDR_OK, "%s: %s", what, qdr_error_message());
    for (int i = 0; i < view.receives; i++) {
        int64_t bytes = view.receive_items[i] * ITEM_BYTES;
        CHECK_SAYING(content_wrong(place, bytes, content_key(0, 0, view.source[i], rank)) < 0,
                     "%s: wrong bytes from rank %d", what, view.source[i]);
        place += bytes;
    }
}

static int64_t sum(int count, const int64_t *items) {
    int64_t total = 1;
    for (int i = 0; i < count; i++) total += items[i];
    return total;
}

/* The first turn of each slot may allocate, the others not; nobody may call a collective. */
static void count_exchanges(qdr_plan *plan, qdr_partners_view view, const char *what) {
    memory at[IN_FLIGHT];
    qdr_pending *exchange[IN_FLIGHT];
    for (int i = 0; i < IN_FLIGHT; i++) {
        at[i].out = malloc((size_t)(sum(view.sends, view.send_items) * ITEM_BYTES));
        at[i].in = calloc(1, (size_t)(sum(view.receives, view.receive_items) * ITEM_BYTES));
    }
    int64_t collectives_before = collectives, allocations_before = 0;
    for (int turn = 0; turn < 4; turn++) {
        if (turn == 1) allocations_before = allocations;
        for (int i = 0; i < IN_FLIGHT; i++) {
            start(plan, view, &at[i], &exchange[i]);
            if (turn % 2) finish(view, &at[i], &exchange[i], what);
        }
        for (int i = IN_FLIGHT - 1; i >= 0; i--)
            if (turn % 2 == 0) finish(view, &at[i], &exchange[i], what);
    }
    CHECK_SAYING(allocations == allocations_before, "%s: %lld allocations in a repeated exchange", what,
                 (long long)(allocations - allocations_before));
    CHECK_SAYING(collectives == collectives_before, "%s: %lld collectives in an exchange", what,
                 (long long)(collectives - collectives_before));
    for (int i = 0; i < IN_FLIGHT; i++) {
        free(at[i].out);
        free(at[i].in);
    }
}

static void run_case(const char *algorithm, const char *pacing, int barrier, const char *transport,
                     const char *pattern_text) {
    char what[300];
    qdr_pattern *pattern = NULL;
    qdr_partners *partners = NULL;
    qdr_machine *machine = NULL;
    qdr_plan *plan = NULL;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    snprintf(what, sizeof what, "%s, %s, barrier %d, %s, %s", algorithm, pacing ? pacing : "default", barrier,
             transport, pattern_text);
    CHECK(qdr_machine_create("infiniband", ranks, &machine) == QDR_OK);
    options.algorithm = algorithm;
    options.pacing = pacing;
    options.machine = machine;
    options.barrier = barrier;
    options.transport = transport;
    options.chunk = 300;
    options.window = 2000;
    options.in_flight = IN_FLIGHT;
    CHECK(qdr_pattern_from_spec(pattern_text, &pattern) == QDR_OK);
    CHECK(qdr_partners_from_pattern(MPI_COMM_WORLD, pattern, &partners) == QDR_OK);
    CHECK_SAYING(qdr_plan_create(partners, &options, &plan) == QDR_OK, "%s: %s", what, qdr_error_message());
    if (plan) count_exchanges(plan, qdr_partners_look(partners), what);
    CHECK(qdr_plan_destroy(&plan) == QDR_OK);
    qdr_partners_destroy(&partners);
    qdr_machine_destroy(&machine);
    qdr_pattern_destroy(&pattern);
    cases++;
}

int main(int count, char **words) {
    static const char *const run_time[] = {"paced", "distributed", "distributed:busy-for=no,ahead=no"};
    static const char *const pacings[] = {QDRI_EXECUTORS(CASE_NAME)};
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pieces_are_small(ranks == 4 ? 128 : 0);
    for (int p = 0; p < 2; p++) {
        char pattern[80];
        snprintf(pattern, sizeof pattern,
                 p ? "complete:n=%d,bytes=100" : "random:n=%d,density=0.6,bytes=1..3000,seed=2", ranks);
        for (int a = 0; a < COUNT(case_algorithms); a++) {
            run_case(case_algorithms[a], NULL, 0, "net", pattern);
            for (int w = 0; w < COUNT(pacings); w++)
                if (case_goes_together(case_algorithms[a], pacings[w]))
                    run_case(case_algorithms[a], pacings[w], 0, "net", pattern);
            for (int w = 0; w < 2; w++) run_case(case_algorithms[a], pacings[w], 1, "net", pattern);
        }
        for (int a = 0; a < COUNT(run_time); a++) run_case(run_time[a], NULL, 0, "net", pattern);
        run_case("async", NULL, 0, "node", pattern);
        run_case("coloring", "arrivals", 1, "node", pattern);
    }
    /* The counters do count: making plans takes both. */
    CHECK(cases > 0 && allocations > cases && collectives > cases);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
