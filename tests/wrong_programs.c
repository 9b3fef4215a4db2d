/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrong_programs RUNS [SEED [FIRST]]: programs in which one rank deviates. Each is a few steps at random, collective calls
 * and exchanges, on a communicator of its own; at one step one rank makes another call, or none, states another size,
 * other bytes of an item, other options, or destroys what it has. Held is what the library promises:
 *
 *     In a collective set-up call all ranks return one status and one sentence. (Who cannot agree any more, QDR_ERR_LOST, or not
 *     yet, because the deadline passes in the first call of all, says what it knows.)
 *     In an exchange a rank has the right data, or a failure.
 *     Nobody waits much longer than its deadline.
 *     What is called in the end is answered alike on all ranks.
 *     On another communicator everything is well.
 *
 * Every second run pretends that each rank has a node for itself, so that agreements go by messages.
 */
#include "mpi_check.h"

#include <stdlib.h>

#include "base/random.h"
#include "mpi_content.h"
#include "quadrille-mpi.h"
#include "wrong.h"
#include "light.h"

enum { STEPS = 7, MOST = 16 };
static const double patience = 0.04; /* seconds */

static int rank, ranks;

/* ---- programs ------------------------------------------------------------------------------------------ */

typedef enum call {
    NO_CALL,
    PREPARE, /* which does nothing the second time, and waits for nobody */
    PARTNERS,
    PARTNERS_BOTH,
    PLAN,
    MAP,
    DIRECTORY, /* from partners up to here they set something up; the others move data */
    EXCHANGE,
    MAP_EXCHANGE,
    INSERT,
    DISCOVER,
    COMPLETE,
    BROADCAST,
    CALLS
} call;
static const char *const call_name[] = {
    "-",        "prepare",           "partners", "partners, both sides", "plan",
    "map",      "directory",         "exchange", "exchange by map",      "insert",
    "discover", "complete exchange", "broadcast"};

typedef enum deviation {
    OTHER_CALL,
    NO_CALL_AT_ALL,
    OTHER_SIZE,
    OTHER_ITEM,
    OTHER_OPTIONS,
    DESTROYS,
    DEVIATIONS
} deviation;
static const char *const deviation_name[] = {"makes another call",  "makes no call",
                                             "states another size", "has items of other bytes",
                                             "has other options",   "destroys what it has"};

/* All ranks draw the same. */
typedef struct program {
    int64_t number;
    call step[STEPS];
    int wrong_step, wrong_rank;
    deviation wrong;
    call other_call;
    int64_t items; /* of every message */
    const char *algorithm, *transport;
} program;

static int sets_up(call one) {
    return one >= PARTNERS && one <= DIRECTORY;
}

static call draw_call(qdri_random *random) {
    return (call)(1 + (int)qdri_random_below(random, CALLS - 1));
}

static program draw(uint64_t seed, int64_t number) {
    static const char *const algorithms[] = {"async", "paced", "distributed", "pairwise", NULL};
    static const char *const transports[] = {"net", "node"};
    static const int64_t some[] = {1, 100, 3000, 40000};
    qdri_random random = qdri_random_seed(qdri_mix(seed) ^ (uint64_t)number);
    program made = {.number = number, .step = {PARTNERS, PLAN, MAP}};
    int begins_with = 2 + (int)qdri_random_below(&random, 2);
    for (int i = begins_with; i < STEPS; i++) made.step[i] = draw_call(&random);
    made.wrong_step = (int)qdri_random_below(&random, STEPS);
    made.wrong_rank = (int)qdri_random_below(&random, (uint64_t)ranks);
    made.wrong = (deviation)qdri_random_below(&random, DEVIATIONS);
    do made.other_call = draw_call(&random);
    while (made.other_call == made.step[made.wrong_step]);
    made.items = some[qdri_random_below(&random, 4)];
    made.algorithm = algorithms[qdri_random_below(&random, 5)];
    made.transport = transports[qdri_random_below(&random, 2)];
    return made;
}

/* ---- what a rank has, and what was said to it ---------------------------------------------------------- */

typedef struct state {
    const program *program;
    MPI_Comm comm;
    int deviates; /* in this step */
    qdr_partners *partners;
    qdr_plan *plan;
    qdr_partners *of_plan; /* those that it was made for */
    qdr_map *map;
    qdr_directory *directory;
    int64_t exchanges[CALLS]; /* of each kind, on what it has */
    verdict said[STEPS + 1];  /* of steps that set something up, and of the call in the end */
} state;

static int is(const state *self, deviation kind) {
    return self->deviates && self->program->wrong == kind;
}

static void destroy_all(state *self) {
    if (self->of_plan != self->partners) qdr_partners_destroy(&self->of_plan);
    self->of_plan = NULL;
    qdr_partners_destroy(&self->partners);
    CHECK(qdr_plan_destroy(&self->plan) == QDR_OK);
    CHECK(qdr_map_destroy(&self->map) == QDR_OK);
    CHECK(qdr_directory_destroy(&self->directory) == QDR_OK);
}

/* ---- setting up ---------------------------------------------------------------------------------------- */

static qdr_status make_partners(state *self, int knows_both) {
    int other[MOST], count = 0;
    int64_t items[MOST];
    for (int r = 0; r < ranks; r++)
        if (r != rank) {
            items[count] = self->program->items + (is(self, OTHER_SIZE) && count == 0);
            other[count++] = r;
        }
    if (self->partners != self->of_plan) qdr_partners_destroy(&self->partners);
    self->partners = NULL;
    return knows_both ? qdr_partners_from_both(self->comm, count, other, items, count, other, items, 0,
                                               &self->partners)
                      : qdr_partners_from_sends(self->comm, count, other, items,
                                                is(self, OTHER_OPTIONS) ? "nbx" : NULL, &self->partners);
}

static qdr_plan_options plan_options(const state *self) {
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.algorithm = is(self, OTHER_OPTIONS) ? "linear" : self->program->algorithm;
    options.transport = self->program->transport;
    return options;
}

static qdr_status make_plan(state *self) {
    qdr_plan_options options = plan_options(self);
    CHECK(qdr_plan_destroy(&self->plan) == QDR_OK);
    self->exchanges[EXCHANGE] = 0;
    if (self->of_plan != self->partners) qdr_partners_destroy(&self->of_plan);
    self->of_plan = self->partners;
    return qdr_plan_create(self->partners, &options, &self->plan);
}

/* Element 0 of each rank comes to every other. */
static qdr_status make_map(state *self) {
    int owner[MOST], others = 0;
    int64_t here[MOST], there[MOST] = {0};
    for (int r = 0; r < ranks; r++)
        if (r != rank) {
            here[others] = r;
            owner[others++] = r;
        }
    qdr_indices needs = {.links = others, .link_rank = owner, .place = here, .partner_place = there};
    qdr_plan_options plan = plan_options(self);
    qdr_map_options options = QDR_MAP_OPTIONS;
    options.plan = &plan;
    CHECK(qdr_map_destroy(&self->map) == QDR_OK);
    self->exchanges[MAP_EXCHANGE] = 0;
    return qdr_map_create(self->comm, NULL, &needs, &options, &self->map);
}

static qdr_status make_directory(state *self) {
    qdr_directory_options options = QDR_DIRECTORY_OPTIONS;
    options.payload_bytes = is(self, OTHER_ITEM) ? 16 : 8;
    options.caches = is(self, OTHER_OPTIONS);
    CHECK(qdr_directory_destroy(&self->directory) == QDR_OK);
    self->exchanges[INSERT] = 0;
    return qdr_directory_create(self->comm, &options, &self->directory);
}

/* ---- moving data --------------------------------------------------------------------------------------- */

static uint64_t key(const state *self, call kind, int from, int to) {
    return content_key(self->program->number * CALLS + kind, self->exchanges[kind], from, to);
}

static void check_content(const state *self, call kind, const void *data, int64_t bytes, int from, int to) {
    int64_t wrong = content_wrong(data, bytes, key(self, kind, from, to));
    CHECK_SAYING(wrong < 0, "run %lld: a wrong byte, %lld of %lld, from rank %d by %s",
                 (long long)self->program->number, (long long)wrong, (long long)bytes, from, call_name[kind]);
}

/* After a failure MPI may have the memory still: it stays. */
static qdr_status exchange(state *self) {
    int64_t bytes = is(self, OTHER_ITEM) ? 2 : 1, items[MOST];
    char *out[MOST], *in[MOST];
    qdr_partners_view view = qdr_partners_look(self->of_plan);
    for (int i = 0; i < view.sends; i++) {
        items[i] = view.send_items[i] + (is(self, OTHER_SIZE) && i == 0);
        out[i] = malloc((size_t)(items[i] * bytes));
        content_fill(out[i], items[i] * bytes, key(self, EXCHANGE, rank, view.destination[i]));
    }
    for (int i = 0; i < view.receives; i++) in[i] = malloc((size_t)(view.receive_items[i] * bytes));
    qdr_buffers buffers = {0};
    buffers.item_bytes = bytes;
    buffers.outgoing = (const void *const *)out;
    buffers.incoming = (void *const *)in;
    if (is(self, OTHER_SIZE)) buffers.outgoing_items = items;
    qdr_status status = qdr_plan_exchange(self->plan, &buffers);
    if (status) return status;
    for (int i = 0; i < view.receives; i++)
        check_content(self, EXCHANGE, in[i], view.receive_items[i] * bytes, view.source[i], rank);
    for (int i = 0; i < view.sends; i++) free(out[i]);
    for (int i = 0; i < view.receives; i++) free(in[i]);
    return QDR_OK;
}

static qdr_status exchange_by_map(state *self) {
    enum { WIDTH = 24 };
    int64_t width = WIDTH - (is(self, OTHER_SIZE) || is(self, OTHER_ITEM));
    char *own = malloc(WIDTH), *all = malloc(MOST * WIDTH);
    content_fill(own, width, key(self, MAP_EXCHANGE, rank, 0));
    qdr_field field = {.source = own, .target = all, .type = QDR_BYTE, .width = width};
    qdr_status status = qdr_map_exchange(self->map, QDR_FORWARD, 1, &field);
    if (status) return status;
    for (int r = 0; r < ranks; r++)
        if (r != rank) check_content(self, MAP_EXCHANGE, all + r * width, width, r, 0);
    free(own);
    free(all);
    return QDR_OK;
}

/* Each rank brings an id of its own, and finds that of the next. */
static qdr_status insert_and_find(state *self) {
    int64_t id = self->exchanges[INSERT] * MOST + rank,
            next = self->exchanges[INSERT] * MOST + (rank + 1) % ranks, local = 0, missing = 0;
    char payload[16] = "", found[16];
    int owner = rank, whose = -1;
    qdr_status status =
        qdr_directory_insert(self->directory, !is(self, OTHER_SIZE), &id, &owner, &id, payload);
    if (status) return status;
    status = qdr_directory_find(self->directory, 1, &next, &whose, &local, found, &missing);
    if (!status && !missing) CHECK(whose == (rank + 1) % ranks && local == next);
    return status;
}

static qdr_status discover(state *self) {
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, arrived = 0;
    int64_t bytes = self->program->items + is(self, OTHER_SIZE);
    char *data = malloc((size_t)bytes);
    content_fill(data, bytes, key(self, DISCOVER, rank, next));
    qdr_parcel out = {.rank = next, .bytes = bytes, .data = data}, *in = NULL;
    qdr_status status =
        qdr_discover(self->comm, is(self, OTHER_OPTIONS) ? "nbx" : NULL, 1, &out, &arrived, &in);
    if (status) return status;
    CHECK(arrived == 1 && in[0].rank == before);
    if (arrived == 1) check_content(self, DISCOVER, in[0].data, in[0].bytes, before, rank);
    free(in);
    free(data);
    return QDR_OK;
}

static qdr_status complete_exchange(state *self) {
    int64_t bytes = self->program->items + is(self, OTHER_SIZE);
    char *out = malloc((size_t)(bytes * ranks)), *in = malloc((size_t)(bytes * ranks));
    for (int r = 0; r < ranks; r++) content_fill(out + r * bytes, bytes, key(self, COMPLETE, rank, r));
    qdr_status status = qdr_alltoall(self->comm, is(self, OTHER_OPTIONS) ? "PEX" : "LEX", bytes, out, in);
    if (status) return status;
    for (int r = 0; r < ranks; r++) check_content(self, COMPLETE, in + r * bytes, bytes, r, rank);
    free(out);
    free(in);
    return QDR_OK;
}

static qdr_status broadcast(state *self) {
    int group[MOST];
    int64_t bytes = self->program->items + is(self, OTHER_SIZE);
    char *data = malloc((size_t)bytes);
    for (int r = 0; r < ranks; r++) group[r] = r;
    if (rank == 0) content_fill(data, bytes, key(self, BROADCAST, 0, 0));
    qdr_status status =
        qdr_broadcast(self->comm, is(self, OTHER_OPTIONS) ? "linear" : NULL, ranks, group, data, bytes);
    if (status) return status;
    check_content(self, BROADCAST, data, bytes, 0, 0);
    free(data);
    return QDR_OK;
}

/* ---- a step -------------------------------------------------------------------------------------------- */

/* Whether a rank has what the call needs. */
static int is_possible(const state *self, call one) {
    switch (one) {
    case PLAN:
        return self->partners != NULL;
    case EXCHANGE:
        return self->plan != NULL;
    case MAP_EXCHANGE:
        return self->map != NULL;
    case INSERT:
        return self->directory != NULL;
    default:
        return one != NO_CALL;
    }
}

static qdr_status make_call(state *self, call one) {
    switch (one) {
    case PREPARE:
        return qdr_prepare(self->comm);
    case PARTNERS:
    case PARTNERS_BOTH:
        return make_partners(self, one == PARTNERS_BOTH);
    case PLAN:
        return make_plan(self);
    case MAP:
        return make_map(self);
    case DIRECTORY:
        return make_directory(self);
    case EXCHANGE:
        return exchange(self);
    case MAP_EXCHANGE:
        return exchange_by_map(self);
    case INSERT:
        return insert_and_find(self);
    case DISCOVER:
        return discover(self);
    case COMPLETE:
        return complete_exchange(self);
    default:
        return broadcast(self);
    }
}

static void take_step(state *self, int number) {
    const program *program = self->program;
    call one = program->step[number];
    self->deviates = number == program->wrong_step && rank == program->wrong_rank;
    if (is(self, DESTROYS)) destroy_all(self);
    if (is(self, NO_CALL_AT_ALL)) return;
    if (is(self, OTHER_CALL)) one = program->other_call;
    if (!is_possible(self, one)) return;
    double begin = MPI_Wtime();
    qdr_status status = make_call(self, one);
    check_time(program->number, call_name[one], begin);
    if (sets_up(one)) self->said[number] = verdict_of((int)one, status);
    if (!status) self->exchanges[one]++;
    if (status && one == EXCHANGE) CHECK(qdr_plan_destroy(&self->plan) == QDR_OK);
    if (status && one == MAP_EXCHANGE) CHECK(qdr_map_destroy(&self->map) == QDR_OK);
}

/* ---- a run --------------------------------------------------------------------------------------------- */

static int64_t failures, well;

/* Whether what a rank is told in this step is what the others are. Who made another number of calls than they did may be in
 * step with them no more. */
static int counts(const program *program, int r, int step) {
    int makes_another_plan =
        program->wrong == OTHER_OPTIONS && program->step[program->wrong_step] == COMPLETE;
    int shifts = program->wrong == OTHER_CALL || program->wrong == NO_CALL_AT_ALL ||
                 program->wrong == DESTROYS || makes_another_plan;
    return r != program->wrong_rank || !shifts || step < program->wrong_step || step == STEPS ||
           (step == program->wrong_step && program->wrong == OTHER_CALL);
}

static int is_too_late(const verdict *one) {
    return one->status == QDR_ERR_STALLED || one->status == QDR_ERR_LOST;
}

static void compare(const program *program, const verdict *all) {
    for (int i = 0; i <= STEPS; i++) {
        const verdict *first = NULL;
        for (int r = 0; r < ranks; r++) {
            const verdict *one = &all[r * (STEPS + 1) + i];
            if (one->call == NO_CALL || !counts(program, r, i)) continue;
            if (!first) first = one;
            int is_lost = one->status == QDR_ERR_LOST && first->status == QDR_ERR_LOST;
            CHECK_SAYING(verdicts_are_alike(one, first) || is_lost ||
                             (i == 0 && is_too_late(one) && is_too_late(first)),
                         "run %lld, %s: rank %d %s in step %d; step %d: '%s' in %s, but rank %d '%s' in %s",
                         (long long)program->number, program->number % 2 ? "net" : "node",
                         program->wrong_rank, deviation_name[program->wrong], program->wrong_step, i,
                         first->sentence, call_name[first->call], r, one->sentence, call_name[one->call]);
        }
        if (first) *(first->status ? &failures : &well) += 1;
    }
}

static MPI_Comm fresh(void) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    return made;
}

/* From the next communicator on. */
static void set_deadline(double seconds) {
    char text[32];
    snprintf(text, sizeof text, "%g", seconds);
    setenv("QDR_DEADLINE", text, 1);
}

/* All is well on another communicator; a machine that is busy may need more than one, and more time. */
static void check_health(int64_t number) {
    int bad = 1, any = 1;
    char sentence[500] = "";
    for (int tries = 0; tries < 10 && any; tries++) {
        set_deadline(patience * (double)(1 << tries));
        program right = {
            .number = number, .wrong_rank = -1, .items = 100, .algorithm = "paced", .transport = "node"};
        state self = {.program = &right, .comm = fresh()};
        qdr_status status = make_partners(&self, 0);
        if (!status) status = make_plan(&self);
        if (!status) status = exchange(&self);
        CHECK_SAYING(!status || status == QDR_ERR_STALLED || status == QDR_ERR_LOST, "after run %lld: %s",
                     (long long)number, qdr_error_message());
        bad = status != QDR_OK;
        if (bad) snprintf(sentence, sizeof sentence, "%s", qdr_error_message());
        MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        destroy_all(&self);
        MPI_Comm_free(&self.comm);
    }
    set_deadline(patience);
    CHECK_SAYING(!any, "after run %lld nothing works: %s", (long long)number, sentence);
}

/* For whoever looks at one run alone. */
static void tell(const program *program) {
    printf("run %lld, %s, %s, messages of %lld: rank %d %s in step %d;", (long long)program->number,
           program->algorithm ? program->algorithm : "default", program->transport, (long long)program->items,
           program->wrong_rank, deviation_name[program->wrong], program->wrong_step);
    for (int i = 0; i < STEPS; i++) printf(" %s,", call_name[program->step[i]]);
    printf(" or %s\n", call_name[program->other_call]);
}

static void run(const program *program) {
    static verdict all[MOST * (STEPS + 1)];
    if (program->number % 2)
        setenv("QDR_NODE_RANKS", "1", 1);
    else
        unsetenv("QDR_NODE_RANKS");
    state self = {.program = program, .comm = fresh()};
    for (int i = 0; i < STEPS; i++) take_step(&self, i);
    /* Who has made one call less than the others is about to be missed; then all know. */
    self.deviates = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    (void)make_partners(&self, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    self.said[STEPS] = verdict_of(PARTNERS, make_partners(&self, 0));
    MPI_Allgather(self.said, sizeof self.said, MPI_BYTE, all, sizeof self.said, MPI_BYTE, MPI_COMM_WORLD);
    compare(program, all);
    destroy_all(&self);
    MPI_Comm_free(&self.comm);
    check_health(program->number);
}

int main(int count, char **word) {
    set_deadline(patience);
    MPI_Init(&count, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    /* MPICH brings what MPI_Testsome finds before the handler of this one. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int64_t runs = count > 1 ? atoll(word[1]) : 40, first = count > 3 ? atoll(word[3]) : 0;
    if (is_light()) runs /= 10;
    uint64_t seed = count > 2 ? (uint64_t)atoll(word[2]) : 1;
    int wrong = 0;
    for (int64_t i = first; i < first + runs && !wrong; i++) {
        program drawn = draw(seed, i);
        if (runs == 1 && rank == 0) tell(&drawn);
        run(&drawn);
        MPI_Allreduce(&mpi_check_failures, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%lld runs: of the collective calls %lld went well, %lld failed, on all ranks alike\n",
               (long long)runs, (long long)well, (long long)failures);
    if (runs > 1 && rank == 0) CHECK(well > runs && failures > runs / 2);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
