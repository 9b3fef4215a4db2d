/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A randomised stress run: stress_mpitest EXCHANGES SEED [communicators | leak].
 *
 * Plans of random patterns, algorithms and pacing are made on the world, on duplicates and on parts of it,
 * which come and go as well. Exchanges of all of them are under way together; they are started, tested and
 * waited for in an order that differs from rank to rank, and so are plans destroyed.
 *
 * What all ranks must decide alike comes from one stream of random numbers that they share, the rest from
 * streams of their own. Nothing deadlocks by construction: exchanges are started in rounds, and whatever a
 * rank waits for before it has started its share of a round was started in an earlier one, by everybody.
 * Calls of MPI that block are made when all ranks are there, which they find out while advancing their
 * exchanges.
 *
 * Sizes and contents are functions of (plan, exchange, origin, destination): nothing is believed. With
 * `communicators`, each exchange has one of its own. With `leak`, some partners are forgotten on purpose, for
 * the proof that the leak check would see it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "cases.h"
#include "mpi_check.h"
#include "mpi_content.h"
#include "plan/executors/table.h"
#include "quadrille/plan.h"
#include "light.h"

/* Keeps the modules of MPI in the process to its end, so that reports about leaks can name them, and
 * tests/openmpi.supp can leave out what is not ours. */
int dlclose(void *handle);
int dlclose(void *handle) {
    (void)handle;
    return 0;
}

enum { PLANS = 8, COMMS = 4, RANKS = 64, MOST_IN_FLIGHT = 4, MOST_ITEM_BYTES = 8 };

static int rank, ranks;
static qdri_random common, own;

static void give_up(const char *what) {
    mpi_check_failed(__FILE__, __LINE__, "%s: %s", what, qdr_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int one_in(qdri_random *random, int n) {
    return qdri_random_below(random, (uint64_t)n) == 0;
}

/* Waits for all ranks, advancing what is under way. */
static void meet(void) {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0; !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE)) qdr_progress();
}

/* ---- communicators ------------------------------------------------------------------------------------- */

typedef struct place {
    MPI_Comm comm; /* MPI_COMM_NULL: none */
    int plans;     /* that all ranks think of as living on it */
    int rank, ranks;
} place;

static place places[COMMS];
static int64_t communicators;

/* Duplicates and parts in turn; in half of the parts ranks stand in the opposite order. */
static void open_place(place *at) {
    meet();
    int cut = (int)qdri_random_below(&common, (uint64_t)ranks), backwards = one_in(&common, 2);
    if (one_in(&common, 2))
        MPI_Comm_dup(MPI_COMM_WORLD, &at->comm);
    else
        MPI_Comm_split(MPI_COMM_WORLD, rank < cut, backwards ? -rank : rank, &at->comm);
    communicators++;
}

static void look_at_place(place *at) {
    MPI_Comm_rank(at->comm, &at->rank);
    MPI_Comm_size(at->comm, &at->ranks);
    at->plans = 0;
}

/* ---- plans --------------------------------------------------------------------------------------------- */

/* One exchange under way, and the memory of its slot. */
typedef struct run {
    qdr_pending *exchange; /* NULL: none */
    int64_t number, item_bytes;
    unsigned char *out, *in;
} run;

typedef struct record {
    int alive; /* on this rank */
    int dying; /* all ranks will destroy it, each in its own time */
    int64_t number;
    place *at;
    qdr_partners *partners;
    qdr_partners_view view;
    qdr_plan *plan;
    int any_size, in_flight;
    int64_t most_items;
    int64_t started;
    run run[MOST_IN_FLIGHT];
} record;

static record records[PLANS];
static int64_t plans_made, exchanges_begun, exchanges_done;

/* Items between two ranks of the communicator. Few pairs have a message, some of them empty. */
static int64_t items_of(const record *plan, int64_t exchange, int origin, int destination) {
    uint64_t word = content_key(plan->number, exchange + 1, origin, destination) >> 8;
    if (word % 8 >= 5) return 0;
    return (int64_t)(word / 8 % (uint64_t)(plan->most_items + 1));
}

/* Whether the pair stands in the lists of partners; all that sends does. */
static int has_message(const record *plan, int origin, int destination) {
    return items_of(plan, -1, origin, destination) > 0 ||
           content_key(plan->number, -2, origin, destination) % 4 == 0;
}

static void make_partners(record *plan) {
    int destination[RANKS], count = 0;
    int64_t items[RANKS];
    static const char *const methods[] = {NULL, "alltoall", "reduce-scatter", "nbx"};
    for (int r = 0; r < plan->at->ranks; r++)
        if (has_message(plan, plan->at->rank, r)) {
            destination[count] = r;
            items[count++] = items_of(plan, -1, plan->at->rank, r);
        }
    qdri_random_shuffle(&own, destination, count);
    for (int i = 0; i < count; i++) items[i] = items_of(plan, -1, plan->at->rank, destination[i]);
    const char *method = methods[qdri_random_below(&common, 4)];
    if (qdr_partners_from_sends(plan->at->comm, count, destination, items, method, &plan->partners))
        give_up("partners");
    plan->view = qdr_partners_look(plan->partners);
    for (int i = 0; i < plan->view.receives; i++)
        CHECK(plan->view.receive_items[i] == items_of(plan, -1, plan->view.source[i], plan->at->rank));
}

static qdr_plan_options draw_options(void) {
    static const char *const run_time[] = {
        NULL, "async", "paced", "paced", "distributed", "distributed:busy-for=no", "distributed:ahead=no"};
    static const char *const pacings[] = {NULL, QDRI_EXECUTORS(CASE_NAME)};
    static const int64_t sizes[] = {0, 0, 1, 7, 64, 500, 4096, 1 << 20};
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    int free_choice = one_in(&common, 2);
    options.algorithm = free_choice ? case_algorithms[qdri_random_below(&common, COUNT(case_algorithms))]
                                    : run_time[qdri_random_below(&common, COUNT(run_time))];
    if (free_choice || !options.algorithm || !strcmp(options.algorithm, "async"))
        options.pacing = pacings[qdri_random_below(&common, COUNT(pacings))];
    if (!case_goes_together(options.algorithm, options.pacing)) options.algorithm = "bruck";
    options.chunk = sizes[qdri_random_below(&common, COUNT(sizes))];
    options.window = sizes[qdri_random_below(&common, COUNT(sizes))];
    options.in_flight = 1 + (int)qdri_random_below(&common, MOST_IN_FLIGHT);
    int by_stages = options.algorithm && case_goes_together(options.algorithm, "stages");
    int can_meet =
        !options.pacing ? free_choice && !by_stages : options.pacing[0] == 'f' || options.pacing[0] == 'a';
    options.barrier = can_meet && one_in(&common, 4);
    return options;
}

static void make_plan(record *plan) {
    memset(plan, 0, sizeof *plan);
    do plan->at = &places[qdri_random_below(&common, COMMS)];
    while (plan->at->comm == MPI_COMM_NULL);
    plan->number = plans_made++;
    /* Bytes in hundreds of chunks are slow where a chunk is a byte. */
    qdr_plan_options options = draw_options();
    int tiny = options.chunk == 1 || options.chunk == 7 || options.window == 1 || options.window == 7;
    plan->most_items = one_in(&common, 8) && !tiny ? 3000 : 1 + qdri_random_below(&common, 40);
    make_partners(plan);
    qdr_machine *machine = NULL;
    if (qdr_machine_create("infiniband", plan->at->ranks, &machine)) give_up("machine");
    options.machine = machine;
    if (qdr_plan_create(plan->partners, &options, &plan->plan))
        give_up(options.algorithm ? options.algorithm : "plan");
    qdr_machine_destroy(&machine);
    qdr_plan_info info;
    qdr_plan_look(plan->plan, &info);
    plan->any_size = !strcmp(info.algorithm, "paced") || !strcmp(info.algorithm, "async") ||
                     !strcmp(info.algorithm, "distributed") || !strcmp(info.pacing, "stages");
    plan->in_flight = info.in_flight;
    for (int i = 0; i < plan->in_flight; i++) {
        size_t room = (size_t)((plan->most_items * MOST_ITEM_BYTES + 1) * ranks);
        plan->run[i].out = malloc(room);
        plan->run[i].in = malloc(room);
    }
    plan->at->plans++;
    plan->alive = 1;
    if (one_in(&own, 2)) qdr_partners_destroy(&plan->partners); /* the plan keeps what it needs */
}

/* ---- exchanges ----------------------------------------------------------------------------------------- */

static int64_t run_items(const record *plan, const run *one, int origin, int destination) {
    return items_of(plan, plan->any_size && one->number % 3 ? one->number : -1, origin, destination);
}

static uint64_t run_key(const record *plan, const run *one, int origin, int destination) {
    return content_key(plan->number, one->number, origin, destination);
}

static void start_run(record *plan) {
    static const int64_t item_sizes[] = {1, 1, 3, MOST_ITEM_BYTES};
    run *one = &plan->run[plan->started % plan->in_flight];
    int64_t out_items[RANKS], in_items[RANKS], at = 0;
    qdr_partners_view view = plan->view;
    one->number = plan->started++;
    one->item_bytes = item_sizes[content_key(plan->number, one->number, 0, 0) % COUNT(item_sizes)];
    for (int i = 0; i < view.sends; i++) {
        out_items[i] = run_items(plan, one, view.rank, view.destination[i]);
        content_fill(one->out + at, out_items[i] * one->item_bytes,
                     run_key(plan, one, view.rank, view.destination[i]));
        at += out_items[i] * one->item_bytes;
    }
    int64_t expected = 0;
    for (int i = 0; i < view.receives; i++) {
        in_items[i] = run_items(plan, one, view.source[i], view.rank);
        expected += in_items[i] * one->item_bytes;
    }
    memset(one->in, 0, (size_t)expected);
    qdr_buffers buffers = {0};
    buffers.item_bytes = one->item_bytes;
    buffers.outgoing_base = one->out;
    buffers.incoming_base = one->in;
    if (plan->any_size) {
        buffers.outgoing_items = out_items;
        buffers.incoming_items = in_items;
    }
    if (qdr_plan_start(plan->plan, &buffers, &one->exchange)) give_up("start");
}

static void check_run(const record *plan, const run *one) {
    int64_t at = 0;
    for (int i = 0; i < plan->view.receives; i++) {
        int64_t bytes = run_items(plan, one, plan->view.source[i], plan->view.rank) * one->item_bytes;
        int64_t wrong =
            content_wrong(one->in + at, bytes, run_key(plan, one, plan->view.source[i], plan->view.rank));
        CHECK_SAYING(wrong < 0, "plan %lld, exchange %lld: byte %lld from rank %d is wrong",
                     (long long)plan->number, (long long)one->number, (long long)wrong, plan->view.source[i]);
        at += bytes;
    }
    exchanges_done++;
}

static void wait_run(record *plan, run *one) {
    if (!one->exchange) return;
    if (qdr_wait(&one->exchange)) {
        qdr_plan_info info;
        qdr_plan_look(plan->plan, &info);
        mpi_check_failed(__FILE__, __LINE__, "plan %lld: %s, %s, chunk %lld, window %lld, %d ranks",
                         (long long)plan->number, info.algorithm, info.pacing, (long long)info.chunk,
                         (long long)info.window, plan->at->ranks);
        give_up("wait");
    }
    check_run(plan, one);
}

static void test_run(record *plan, run *one) {
    int done = 0;
    if (!one->exchange) return;
    if (qdr_test(&one->exchange, &done)) give_up("test");
    if (done) check_run(plan, one);
}

static void end_plan(record *plan) {
    int order[MOST_IN_FLIGHT] = {0, 1, 2, 3};
    qdri_random_shuffle(&own, order, plan->in_flight);
    for (int i = 0; i < plan->in_flight; i++) wait_run(plan, &plan->run[order[i]]);
    if (qdr_plan_destroy(&plan->plan)) give_up("destroy");
    qdr_partners_destroy(&plan->partners);
    for (int i = 0; i < plan->in_flight; i++) {
        free(plan->run[i].out);
        free(plan->run[i].in);
    }
    plan->alive = 0;
}

/* ---- rounds -------------------------------------------------------------------------------------------- */

/* A random exchange that may be under way. */
static run *draw_run(record **plan) {
    *plan = &records[qdri_random_below(&own, PLANS)];
    return (*plan)->alive ? &(*plan)->run[qdri_random_below(&own, (uint64_t)(*plan)->in_flight)] : NULL;
}

static void visit(void (*act)(record *, run *)) {
    record *plan;
    run *one = draw_run(&plan);
    if (one) act(plan, one);
}

static void exchange_round(void) {
    int start[PLANS * MOST_IN_FLIGHT], count = 0;
    for (int p = 0; p < PLANS; p++) {
        if (records[p].dying) continue;
        int times = (int)qdri_random_below(&common, (uint64_t)records[p].in_flight + 1);
        for (int i = 0; i < times; i++) start[count++] = p;
    }
    qdri_random_shuffle(&own, start, count);
    exchanges_begun += count;
    for (int i = 0; i < count; i++) {
        record *plan = &records[start[i]];
        wait_run(plan, &plan->run[plan->started % plan->in_flight]);
        start_run(plan);
        if (one_in(&own, 3)) visit(test_run);
    }
    int waits = (int)qdri_random_below(&own, 2 * PLANS);
    for (int i = 0; i < waits; i++) visit(one_in(&own, 4) ? wait_run : test_run);
    for (int p = 0; p < PLANS; p++)
        if (records[p].alive && records[p].dying && one_in(&own, 3)) end_plan(&records[p]);
}

/* Some plans are sentenced; those of which all are rid make room for others. */
static void renew_plans(void) {
    for (int p = 0; p < PLANS; p++) {
        if (records[p].dying && one_in(&common, 2)) {
            if (records[p].alive) end_plan(&records[p]);
            make_plan(&records[p]);
        } else if (!records[p].dying && one_in(&common, 6)) {
            records[p].dying = 1;
            records[p].at->plans--;
        }
    }
}

static void free_place(place *at) {
    for (int p = 0; p < PLANS; p++)
        if (records[p].alive && records[p].at == at) end_plan(&records[p]);
    meet();
    MPI_Comm_free(&at->comm);
}

static void renew_places(void) {
    for (int c = 1; c < COMMS; c++) {
        if (places[c].comm == MPI_COMM_NULL) {
            open_place(&places[c]);
            look_at_place(&places[c]);
        } else if (places[c].plans == 0) {
            free_place(&places[c]);
        }
    }
}

/* Communicators that are made, used once and freed: none of their numbers and nothing of the library's stays
 * taken. Sometimes what was built on them goes after them. */
static void wear_out_communicators(int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        record *plan = &records[0];
        open_place(&places[0]);
        look_at_place(&places[0]);
        make_plan(plan);
        start_run(plan);
        wait_run(plan, &plan->run[0]);
        int last = one_in(&own, 2);
        if (!last) end_plan(plan);
        MPI_Comm_free(&places[0].comm);
        if (last) end_plan(plan);
    }
}

static void lose_partners(void) {
    record lost = {.at = &places[0], .number = plans_made++, .most_items = 3};
    make_partners(&lost);
}

static void exchange_at_random(int64_t wanted) {
    places[0].comm = MPI_COMM_WORLD;
    look_at_place(&places[0]);
    renew_places();
    for (int p = 0; p < PLANS; p++) make_plan(&records[p]);
    /* All ranks start alike, so they stop alike. */
    for (int64_t round = 0; exchanges_begun < wanted; round++) {
        exchange_round();
        if (round % 4 == 3) renew_plans();
        if (round % 16 == 15) renew_places();
    }
    int order[PLANS];
    for (int p = 0; p < PLANS; p++) order[p] = p;
    qdri_random_shuffle(&own, order, PLANS);
    for (int p = 0; p < PLANS; p++)
        if (records[order[p]].alive) end_plan(&records[order[p]]);
    for (int c = 1; c < COMMS; c++)
        if (places[c].comm != MPI_COMM_NULL) MPI_Comm_free(&places[c].comm);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int64_t wanted = count > 1 ? atoll(words[1]) : 1000, seed = count > 2 ? atoll(words[2]) : 1;
    if (is_light()) wanted /= 10;
    const char *kind = count > 3 ? words[3] : "";
    common = qdri_random_seed((uint64_t)seed);
    own = qdri_random_seed(qdri_mix((uint64_t)seed) ^ (uint64_t)(rank + 1));
    for (int c = 0; c < COMMS; c++) places[c].comm = MPI_COMM_NULL;
    if (!strcmp(kind, "communicators"))
        wear_out_communicators(wanted);
    else
        exchange_at_random(wanted);
    for (int i = 0; !strcmp(kind, "leak") && i < PLANS; i++) lose_partners();
    memset(records, 0, sizeof records); /* no leak hides behind a pointer here */
    CHECK_SAYING(exchanges_done >= wanted, "only %lld exchanges", (long long)exchanges_done);
    int verdict = mpi_check_verdict();
    if (rank == 0)
        printf("%lld exchanges of %lld plans on %lld communicators\n", (long long)exchanges_done,
               (long long)plans_made, (long long)communicators + 1);
    MPI_Finalize();
    return verdict;
}
