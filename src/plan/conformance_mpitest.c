/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every algorithm, pattern family and way of pacing, on the ranks of this run, against what a naive exchange
 * would bring: each item's bytes are a function of (origin, destination, place), so what arrives can be known
 * without sending it. Without an argument that is the full product. With `cover` each pair of two factors takes
 * place at least once. With `share`, on the numbers of ranks in `sharing`, they do so in all of these runs
 * together: the number of ranks is a factor like the others. `sample`, for many ranks: each algorithm once, on
 * sparse patterns and without tiny chunks.
 */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "cases.h"
#include "mpi_check.h"
#include "mpi_pieces.h"
#include "plan/executors/table.h"
#include "quadrille/plan.h"

static int rank, ranks;

static const char *const run_time_algorithms[] = {"paced", "distributed", "distributed:busy-for=no,ahead=no"};

typedef struct pace {
    const char *pacing;
    int64_t chunk, window;
    int barrier;
} pace;

#define PACE(name) {#name, 1024, 4096, 0},
static const pace paces[] = {
    {NULL, 0, 0, 0},          {"arrivals", 1000, 1000, 0}, {"arrivals", 512, 2048, 0},
    {"grants", 700, 2100, 0}, {"grants", 1, 64, 0},        {"grants", 4096, 100, 0},
    {"arrivals", 2000, 1, 1}, {"free", 0, 0, 1},           QDRI_EXECUTORS(PACE) /* every executor */
};

/* ---- contents ------------------------------------------------------------------------------------------ */

static unsigned char content(int origin, int destination, int64_t at, int round) {
    return (unsigned char)qdri_mix((uint64_t)origin << 40 ^ (uint64_t)destination << 20 ^ (uint64_t)at ^
                                   (uint64_t)round << 56);
}

typedef struct memory {
    unsigned char **out, **in;
} memory;

static memory make_memory(qdr_partners_view view, int64_t item_bytes, int round) {
    memory made = {calloc((size_t)view.sends + 1, sizeof *made.out),
                   calloc((size_t)view.receives + 1, sizeof *made.in)};
    for (int i = 0; i < view.sends; i++) {
        int64_t bytes = view.send_items[i] * item_bytes;
        made.out[i] = bytes ? malloc((size_t)bytes) : NULL;
        for (int64_t k = 0; k < bytes; k++) made.out[i][k] = content(rank, view.destination[i], k, round);
    }
    for (int i = 0; i < view.receives; i++) {
        int64_t bytes = view.receive_items[i] * item_bytes;
        made.in[i] = bytes ? calloc(1, (size_t)bytes) : NULL;
    }
    return made;
}

static void check_memory(qdr_partners_view view, memory made, int64_t item_bytes, int round,
                         const char *what) {
    for (int i = 0; i < view.receives; i++)
        for (int64_t k = 0; k < view.receive_items[i] * item_bytes; k++)
            if (made.in[i][k] != content(view.source[i], rank, k, round)) {
                CHECK_SAYING(0, "%s: byte %lld from rank %d is wrong", what, (long long)k, view.source[i]);
                return;
            }
}

static void free_memory(qdr_partners_view view, memory made) {
    for (int i = 0; i < view.sends; i++) free(made.out[i]);
    for (int i = 0; i < view.receives; i++) free(made.in[i]);
    free(made.out);
    free(made.in);
}

/* ---- one case ------------------------------------------------------------------------------------------ */

static void exchange_some(qdr_plan *plan, qdr_partners *partners, const char *what) {
    qdr_partners_view view = qdr_partners_look(partners);
    for (int round = 0; round < 3; round++) {
        int64_t item_bytes = round == 1 ? 3 : 1;
        memory made = make_memory(view, item_bytes, round);
        qdr_buffers buffers = {0};
        buffers.item_bytes = item_bytes;
        buffers.outgoing = (const void *const *)made.out;
        buffers.incoming = (void *const *)made.in;
        qdr_status status = qdr_plan_exchange(plan, &buffers);
        CHECK_SAYING(status == QDR_OK, "%s: %s", what, qdr_error_message());
        if (status) MPI_Abort(MPI_COMM_WORLD, 1);
        check_memory(view, made, item_bytes, round, what);
        free_memory(view, made);
    }
}

static void run_case(const char *algorithm, const char *pattern_text, const pace *way) {
    char what[400];
    qdr_pattern *pattern = NULL;
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    qdr_machine *machine = NULL;
    if (qdr_pattern_from_spec(pattern_text, &pattern))
        return; /* a family that refuses this number of ranks */
    snprintf(what, sizeof what, "%s, %s, pacing %s, chunk %lld, window %lld, barrier %d", algorithm,
             pattern_text, way->pacing ? way->pacing : "default", (long long)way->chunk,
             (long long)way->window, way->barrier);
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.algorithm = algorithm;
    options.pacing = way->pacing;
    options.chunk = way->chunk;
    options.window = way->window;
    options.barrier = way->barrier;
    CHECK(qdr_machine_create("infiniband:k=3,cards=2", ranks, &machine) == QDR_OK);
    options.machine = machine;
    qdr_status status = qdr_partners_from_pattern(MPI_COMM_WORLD, pattern, &partners);
    CHECK_SAYING(status == QDR_OK, "%s: %s", what, qdr_error_message());
    if (!status) status = qdr_plan_create(partners, &options, &plan);
    CHECK_SAYING(status == QDR_OK, "%s: %s", what, qdr_error_message());
    if (!status) exchange_some(plan, partners, what);
    CHECK(qdr_plan_destroy(&plan) == QDR_OK);
    qdr_partners_destroy(&partners);
    qdr_machine_destroy(&machine);
    qdr_pattern_destroy(&pattern);
}

/* A run-time algorithm has one pacing; the others of the table are left out there. */
static int goes_together(const char *algorithm, const pace *way) {
    int paced = !strncmp(algorithm, "paced", 5), asks = !strncmp(algorithm, "distributed", 11);
    if (!way->pacing) return 1;
    if (paced) return !strcmp(way->pacing, "grants");
    if (asks) return !strcmp(way->pacing, "requests");
    return case_goes_together(algorithm, way->pacing);
}

static const char *algorithm_at(int index) {
    return index < COUNT(case_algorithms) ? case_algorithms[index]
                                          : run_time_algorithms[index - COUNT(case_algorithms)];
}

/* Each algorithm on some pattern with few messages, each way of pacing about as often. */
static int run_sample(void) {
    enum { MANY = 64, FEWEST = 7 };
    static const int few[] = {5, 6, 8, 9, 10, 12, 19, 18, 7, 3, 15}; /* of case_patterns, rising */
    static const int whole[] = {0, 1, 8, 2, 3, 7}; /* of paces; the last meets after each phase */
    int algorithms = COUNT(case_algorithms) + COUNT(run_time_algorithms);
    int patterns = ranks > MANY ? FEWEST : COUNT(few), ways = COUNT(whole) - (ranks > MANY);
    for (int a = 0; a < algorithms; a++) {
        const pace *way = &paces[whole[(a + ranks) % ways]];
        int relays = !strncmp(algorithm_at(a), "two-stage", 9); /* by all to all */
        if (relays && ranks > MANY) continue;
        if (relays || !goes_together(algorithm_at(a), way)) way = &paces[0];
        run_case(algorithm_at(a), case_pattern(few[3 * a % patterns], ranks), way);
    }
    return algorithms;
}

/* The numbers of ranks whose runs share the pairs of algorithm and pattern. */
static const int sharing[] = {5, 7, 8, 12, 16};

/* Of the pairs of algorithm and pattern, each to one of these runs: every algorithm and every pattern comes to
   all of them, and all ways of pacing do. */
static int is_mine(int algorithm, int pattern) {
    int own = 0;
    while (own < COUNT(sharing) && sharing[own] != ranks) own++;
    return own == COUNT(sharing) || (algorithm + 3 * pattern) % COUNT(sharing) == own;
}

static void list_pacings(void) {
    const qdr_pacing_info *info;
    int pacings = 0;
    for (; (info = qdr_pacing(pacings)); pacings++) CHECK(*info->name && *info->summary);
    CHECK(pacings > 0 && !qdr_pacing(pacings) && !qdr_pacing(-1));
}

int main(int count, char **words) {
    int level;
    MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE,
                    &level); /* so that locks are taken, where MPI has them */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pieces_are_small(ranks % 2 ? 128 : 0);
    list_pacings();
    int share = count > 1 && !strcmp(words[1], "share"), cases = 0;
    int cover = share || (count > 1 && !strcmp(words[1], "cover"));
    int algorithms = COUNT(case_algorithms) + COUNT(run_time_algorithms);
    if (count > 1 && !strcmp(words[1], "sample")) cases = run_sample(), algorithms = 0;
    for (int a = 0; a < algorithms; a++)
        for (int p = 0; p < COUNT(case_patterns); p++)
            for (int w = 0; w < COUNT(paces); w++) {
                /* A Latin square: every algorithm meets every pattern once, and every way of pacing twice. */
                if (cover && (a + p + ranks) % COUNT(paces) != w) continue;
                if (share && !is_mine(a, p)) continue;
                const pace *way = goes_together(algorithm_at(a), &paces[w]) ? &paces[w] : &paces[0];
                run_case(algorithm_at(a), case_pattern(p, ranks), way);
                cases++;
            }
    int verdict = mpi_check_verdict();
    if (cases == 0) verdict = 1;
    MPI_Finalize();
    return verdict;
}
