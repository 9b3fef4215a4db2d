/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrong_sizes RUNS [SEED [ONLY]]: programs that are wrong. In each run a plan or a map exchanges a few times, with sizes at
 * random; in one exchange one rank states another size than its partner does, also none at all, or one where there
 * is none. Some rank may get an error then, and some may wait until their deadline; but whoever is told that an
 * exchange went well has the bytes of that exchange, of its partners, and nothing beyond.
 *
 * Runs follow each other on one communicator, so what one leaves behind is there for the next; and at the end of a
 * communicator's life, and in every run until the rank deviates, all must be well.
 */
#include "mpi_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mpi_content.h"
#include "mpi_pieces.h"
#include "quadrille/map.h"
#include "wire/agree.h"
#include "light.h"

enum { FEW = 4, MANY = 140, MOST = 16, GUARD = 32, FIELD = 40, RUNS_PER_COMMUNICATOR = 8 };
static const double patience = 0.05, slowest = 60; /* seconds */
static const unsigned char untouched = 0xa5;

static int rank, ranks;
static int64_t told, good, runs_told,
    swept; /* exchanges that failed, that went well; runs of which this rank heard an error */

/* All ranks draw the same. */
typedef struct run {
    int64_t number;
    int is_map, in_flight, exchanges;
    const char *algorithm, *transport;
    int wrong_exchange, wrong_rank, wrong_partner, wrong_sends; /* the deviation */
    int64_t wrong_bytes;
    int64_t bytes[MANY][MOST][MOST];  /* of a plan: from, to */
    int64_t width[MANY], wrong_width; /* of a map */
} run;

/* Few different ones, so that what was left behind is often as long as what is expected next. */
static int64_t draw_bytes(qdri_random *random) {
    static const int64_t some[] = {0, 0, 0, 1, 1000, 1000, 1000, 20000, 20000, 70000};
    return some[qdri_random_below(random, sizeof some / sizeof some[0])];
}

static void draw_run(uint64_t seed, int64_t number, run *made) {
    static const char *const algorithms[] = {"async",  "paced",  "distributed", "bruck",
                                             "joined", "levels", NULL};
    static const char *const transports[] = {"net", "node"};
    qdri_random random = qdri_random_seed(qdri_mix(seed) ^ (uint64_t)number);
    memset(made, 0, sizeof *made);
    made->number = number;
    made->is_map = qdri_random_below(&random, 3) == 0;
    made->in_flight = 1 + (int)qdri_random_below(&random, 2);
    made->algorithm = algorithms[qdri_random_below(&random, made->is_map ? 7 : 6)];
    made->transport = transports[qdri_random_below(&random, 2)];
    made->exchanges = qdri_random_below(&random, 8) ? FEW : MANY; /* so many that tags are used again */
    made->wrong_exchange = (int)qdri_random_below(&random, FEW - 1);
    made->wrong_rank = (int)qdri_random_below(&random, (uint64_t)ranks);
    made->wrong_partner =
        (made->wrong_rank + 1 + (int)qdri_random_below(&random, (uint64_t)ranks - 1)) % ranks;
    made->wrong_sends = (int)qdri_random_below(&random, 2);
    for (int e = 0; e < made->exchanges; e++) {
        made->width[e] = 1 + (int64_t)qdri_random_below(&random, 3);
        /* After the first few, the same again and again. */
        for (int i = 0; i < ranks; i++)
            for (int k = 0; k < ranks; k++)
                made->bytes[e][i][k] = e >= FEW ? made->bytes[e % FEW][i][k]
                                       : i == k ? 0
                                                : draw_bytes(&random);
    }
    made->wrong_width = 1 + made->width[made->wrong_exchange] % 3;
    int64_t right = made->wrong_sends
                        ? made->bytes[made->wrong_exchange][made->wrong_rank][made->wrong_partner]
                        : made->bytes[made->wrong_exchange][made->wrong_partner][made->wrong_rank];
    do made->wrong_bytes = draw_bytes(&random);
    while (made->wrong_bytes == right);
}

/* What this rank states for a message between it and a partner. */
static int64_t stated(const run *self, int e, int partner, int sends) {
    if (e == self->wrong_exchange && rank == self->wrong_rank && partner == self->wrong_partner &&
        sends == self->wrong_sends)
        return self->wrong_bytes;
    return sends ? self->bytes[e][rank][partner] : self->bytes[e][partner][rank];
}

/* ---- a plan -------------------------------------------------------------------------------------------- */

typedef struct memory {
    char *out[MOST], *in[MOST];
    int64_t out_bytes[MOST], in_bytes[MOST];
} memory;

static void take_memory(const run *self, int e, memory *taken) {
    for (int p = 0; p < ranks; p++) {
        taken->out_bytes[p] = stated(self, e, p, 1);
        taken->in_bytes[p] = stated(self, e, p, 0);
        taken->out[p] = malloc((size_t)taken->out_bytes[p] + GUARD);
        taken->in[p] = malloc((size_t)taken->in_bytes[p] + GUARD);
        memset(taken->in[p], untouched, (size_t)taken->in_bytes[p] + GUARD);
        content_fill(taken->out[p], taken->out_bytes[p], content_key(self->number, e, rank, p));
    }
}

static void check_memory(const run *self, int e, const memory *taken) {
    for (int p = 0; p < ranks; p++) {
        int64_t wrong =
            content_wrong(taken->in[p], taken->in_bytes[p], content_key(self->number, e, p, rank));
        CHECK_SAYING(wrong < 0,
                     "run %lld, %s, %s, exchange %d (wrong one: %d): byte %lld of %lld from rank %d",
                     (long long)self->number, self->algorithm, self->transport, e, self->wrong_exchange,
                     (long long)wrong, (long long)taken->in_bytes[p], p);
        for (int i = 0; i < GUARD; i++)
            CHECK((unsigned char)taken->in[p][taken->in_bytes[p] + i] == untouched);
    }
}

static void give_memory(memory *taken) {
    for (int p = 0; p < ranks; p++) {
        free(taken->out[p]);
        free(taken->in[p]);
    }
}

/* Waits; up to the wrong exchange, as long as it takes. */
static qdr_status wait_for(const run *self, int e, qdr_pending **exchange) {
    double begin = MPI_Wtime();
    qdr_status status;
    do status = qdr_wait(exchange);
    while (status == QDR_ERR_STALLED && e < self->wrong_exchange && MPI_Wtime() < begin + slowest);
    return status;
}

static qdr_status exchange_once(const run *self, int e, qdr_plan *plan) {
    memory taken;
    take_memory(self, e, &taken);
    qdr_buffers buffers = {0};
    buffers.item_bytes = 1;
    buffers.outgoing = (const void *const *)taken.out;
    buffers.incoming = (void *const *)taken.in;
    buffers.outgoing_items = taken.out_bytes;
    buffers.incoming_items = taken.in_bytes;
    qdr_pending *exchange = NULL;
    qdr_status status = qdr_plan_start(plan, &buffers, &exchange);
    if (!status) status = wait_for(self, e, &exchange);
    if (!status) {
        check_memory(self, e, &taken);
        give_memory(&taken);
    } /* else MPI may have it still */
    return status;
}

/* ---- a map --------------------------------------------------------------------------------------------- */

static double value(const run *self, int e, int owner, int64_t element, int64_t k) {
    return (double)(qdri_mix((uint64_t)self->number << 24 ^ (uint64_t)e << 20 ^ (uint64_t)owner << 14 ^
                             (uint64_t)(element << 3) ^ (uint64_t)k) >>
                    20);
}

/* Element i of every rank goes to every other, i < FIELD, and stands there by rank. */
static qdr_status map_once(const run *self, int e, qdr_map *map) {
    int64_t width =
        e == self->wrong_exchange && rank == self->wrong_rank ? self->wrong_width : self->width[e];
    double *own = malloc((size_t)(FIELD * width) * sizeof *own);
    double *all = malloc((size_t)(ranks * FIELD * width) * sizeof *all);
    for (int64_t i = 0; i < FIELD; i++)
        for (int64_t k = 0; k < width; k++) own[i * width + k] = value(self, e, rank, i, k);
    qdr_field field = {.source = own, .target = all, .type = QDR_DOUBLE, .width = width};
    qdr_pending *exchange = NULL;
    qdr_status status = qdr_map_start(map, QDR_FORWARD, 1, &field, &exchange);
    if (!status) status = wait_for(self, e, &exchange);
    if (status) return status;
    int64_t wrong = 0;
    for (int r = 0; r < ranks; r++)
        for (int64_t i = 0; i < FIELD && r != rank; i++)
            for (int64_t k = 0; k < width; k++)
                wrong += all[(r * FIELD + i) * width + k] != value(self, e, r, i, k);
    CHECK_SAYING(wrong == 0, "run %lld, map, %s, %s, exchange %d (wrong one: %d): %lld values",
                 (long long)self->number, self->algorithm ? self->algorithm : "default", self->transport, e,
                 self->wrong_exchange, (long long)wrong);
    free(own);
    free(all);
    return QDR_OK;
}

static qdr_status make_map(MPI_Comm comm, const qdr_plan_options *plan, qdr_map **map) {
    int others = 0;
    int *owner = malloc((size_t)(ranks * FIELD) * sizeof *owner);
    int64_t *here = malloc((size_t)(ranks * FIELD) * sizeof *here),
            *there = malloc((size_t)(ranks * FIELD) * sizeof *there);
    for (int r = 0; r < ranks; r++)
        for (int i = 0; i < FIELD && r != rank; i++, others++) {
            owner[others] = r;
            here[others] = r * FIELD + i;
            there[others] = i;
        }
    qdr_indices needs = {.links = others, .link_rank = owner, .place = here, .partner_place = there};
    qdr_map_options options = QDR_MAP_OPTIONS;
    options.plan = plan;
    qdr_status status = qdr_map_create(comm, NULL, &needs, &options, map);
    free(owner);
    free(here);
    free(there);
    return status;
}

/* ---- a run --------------------------------------------------------------------------------------------- */

static qdr_status make_plan(MPI_Comm comm, const qdr_plan_options *options, qdr_plan **plan) {
    int everyone[MOST];
    int64_t one[MOST];
    qdr_partners *partners = NULL;
    for (int r = 0; r < ranks; r++) {
        everyone[r] = r;
        one[r] = r != rank;
    }
    qdr_status status =
        qdr_partners_from_both(comm, ranks, everyone, one, ranks, everyone, one, 1, &partners);
    if (!status) status = qdr_plan_create(partners, options, plan);
    qdr_partners_destroy(&partners);
    return status;
}

/* False: again, on another communicator. */
static int run_one(MPI_Comm comm, const run *self) {
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    qdr_plan *plan = NULL;
    qdr_map *map = NULL;
    int heard = 0;
    options.algorithm = self->algorithm;
    options.transport = self->transport;
    options.in_flight = self->in_flight;
    options.deadline = patience;
    qdr_status status = self->is_map ? make_map(comm, &options, &map) : make_plan(comm, &options, &plan);
    int found =
        status == QDR_ERR_MISMATCH && strstr(qdr_error_message(), "in an exchange of an earlier plan");
    int late = found || status == QDR_ERR_STALLED || status == QDR_ERR_LOST, any_late = 0;
    CHECK_SAYING(!status || late, "run %lld: %s", (long long)self->number, qdr_error_message());
    MPI_Allreduce(&late, &any_late, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    swept += found;
    /* What an earlier run left behind was found; or the machine is busy, and what all must do took longer than a rank is
     * waited for. */
    if (any_late) {
        qdr_plan_destroy(&plan);
        qdr_map_destroy(&map);
        return 0;
    }
    for (int e = 0; e < self->exchanges && !status && !heard; e++) {
        qdr_status got = self->is_map ? map_once(self, e, map) : exchange_once(self, e, plan);
        CHECK_SAYING(!got || e >= self->wrong_exchange, "run %lld, exchange %d before the wrong one, %d: %s",
                     (long long)self->number, e, self->wrong_exchange, qdr_error_message());
        CHECK_SAYING(got == QDR_OK || got == QDR_ERR_MISMATCH || got == QDR_ERR_STALLED || got == QDR_ERR_MPI,
                     "run %lld: %s", (long long)self->number, qdr_error_message());
        heard = got != QDR_OK;
        good += !got;
        told += heard;
    }
    runs_told += heard;
    CHECK(qdr_plan_destroy(&plan) == QDR_OK);
    CHECK(qdr_map_destroy(&map) == QDR_OK);
    return 1;
}

/* MPI may give the next communicator what was sent in one that was freed. */
static void replace(MPI_Comm *comm) {
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
    MPI_Comm_dup(MPI_COMM_WORLD, comm);
}

static int take_tags(qdri_wire *wire) {
    qdri_agreement agreement = {.call = "this test", .wants_tags = 1};
    CHECK(qdri_agree(wire, &agreement) == QDR_OK);
    qdri_wire_return_tags(wire, agreement.first_tag);
    return agreement.first_tag;
}

/* Tags are used in turn: goes round, until those of the last plan are next. */
static void go_round(MPI_Comm comm) {
    qdri_wire *wire = NULL;
    CHECK(qdri_wire_open(comm, &wire) == QDR_OK);
    qdri_lock(wire);
    int first = take_tags(wire);
    while (take_tags(wire) != first - 2 * QDRI_TAGS) {
    }
    qdri_unlock(wire);
    qdri_wire_release(&wire);
}

/* Rank 0 sends rank 1 what it does not expect; then the plan goes, and perhaps its communicator, and others come. They are told
 * of it, or are right. */
static void leave_behind(int64_t bytes, int frees) {
    static run made;
    MPI_Comm comm = MPI_COMM_NULL;
    for (int time = 0, stop = 0; time < 3 && !stop; time++) {
        qdr_plan_options options = QDR_PLAN_OPTIONS;
        qdr_plan *plan = NULL;
        options.algorithm = "async";
        options.transport = "net";
        memset(&made, 0, sizeof made);
        made.number = 1000 + time;
        made.algorithm = options.algorithm;
        made.transport = options.transport;
        made.bytes[0][0][1] = made.bytes[1][0][1] = bytes;
        made.wrong_exchange = 1;
        made.wrong_rank = time == 0 ? 1 : -1; /* it expects nothing of rank 0 */
        if (time == 0 || frees) {
            replace(&comm);
            qdr_plan *other = NULL;
            CHECK(make_plan(comm, &options, &other) ==
                  QDR_OK); /* so that ours does not have the first tags */
            qdr_plan_destroy(&other);
            if (!frees) CHECK(make_plan(comm, &options, &other) == QDR_OK);
            qdr_plan_destroy(&other);
        } else if (time == 1) {
            go_round(comm);
        }
        qdr_status status = make_plan(comm, &options, &plan);
        CHECK_SAYING(!status ||
                         (time == 1 && strstr(qdr_error_message(), "in an exchange of an earlier plan")),
                     "%s", qdr_error_message());
        swept += status != QDR_OK;
        if (status) continue;
        for (int e = 0; e < 2 && !status; e++) status = exchange_once(&made, e, plan);
        CHECK_SAYING(!status ||
                         (time == 1 && strstr(qdr_error_message(), "belongs to no exchange of this plan")),
                     "%s", qdr_error_message());
        swept += status != QDR_OK;
        int failed = status != QDR_OK;
        MPI_Allreduce(&failed, &stop, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(qdr_plan_destroy(&plan) == QDR_OK);
    }
}

int main(int count, char **word) {
    MPI_Init(&count, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    /* MPICH brings what MPI_Testsome finds before the handler of this one. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int64_t runs = count > 1 ? atoll(word[1]) : 40, only = count > 3 ? atoll(word[3]) : -1, totals[4];
    if (is_light()) runs /= 10;
    uint64_t seed = count > 2 ? (uint64_t)atoll(word[2]) : 1;
    MPI_Comm comm = MPI_COMM_NULL;
    int failures = 0;
    for (int frees = 0; frees < 2; frees++) {
        leave_behind(100, frees);
        leave_behind(3000, frees);
    }
    for (int64_t i = 0; i < runs && failures == 0; i++) {
        static run made;
        draw_run(seed, i, &made);
        if (only >= 0 && i != only) continue;
        pieces_are_small(i % 2 ? 128 : 0);
        if (i % RUNS_PER_COMMUNICATOR == 0 || only >= 0) replace(&comm);
        while (!run_one(comm, &made)) replace(&comm);
        MPI_Allreduce(&mpi_check_failures, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    int64_t own[4] = {good, told, runs_told, swept};
    MPI_Allreduce(own, totals, 4, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%lld runs: %lld exchanges went well, %lld failed, %.2f ranks of a run heard of it; %lld "
               "found later\n",
               (long long)runs, (long long)totals[0], (long long)totals[1], (double)totals[2] / (double)runs,
               (long long)totals[3]);
    CHECK(totals[0] > runs && totals[1] > runs / 4);
    if (only < 0) CHECK(totals[3] > 0);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
