/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rehearsals that fail. One rank has no memory, at each of its allocations in turn; it hands on nonsense; it is told nonsense; its
 * machine is another; it comes too late, or its part ends before the deadline of the others. All ranks return the same status,
 * nobody waits for ever, and the communicator can be used as before, but where a rank was missing.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "discover/deliver.h"
#include "discover/partners.h"
#include "mpi_expect.h"
#include "plan/rehearse.h"
#include "quadrille/plan.h"
#include "schedule/registry.h"

static int rank, ranks;

/* ---- what is done to this rank ------------------------------------------------------------------------- */

static int64_t allocations, fatal; /* so far; the one that fails, 0: none */
static int lasting;                /* all later ones fail, too */
static int stages_left = -1;       /* until it hands on nonsense, or comes late */
static int spoils, tells_nonsense;
static double late;

#define WRAPPED(type, name, parameters)                                                                      \
    type __real_##name parameters;                                                                           \
    type __wrap_##name parameters;                                                                           \
    type __wrap_##name parameters

static int fails(void) {
    allocations++;
    return fatal > 0 && (allocations == fatal || (lasting && allocations > fatal));
}

WRAPPED(void *, qdri_alloc, (int64_t count, size_t size)) {
    return fails() ? NULL : __real_qdri_alloc(count, size);
}

WRAPPED(void *, qdri_alloc_zero, (int64_t count, size_t size)) {
    return fails() ? NULL : __real_qdri_alloc_zero(count, size);
}

WRAPPED(int, qdri_grow, (void *array, int64_t *capacity, int64_t needed, size_t size)) {
    return needed > *capacity && fails() ? 0 : __real_qdri_grow(array, capacity, needed, size);
}

static void sleep_for(double seconds) {
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

/* A number without an end, in place of the first. */
WRAPPED(qdr_status, qdri_rehearsal_give, (qdri_rehearsal * self, int *count, const qdri_lot **lots)) {
    static const unsigned char nonsense[] = {0xff, 0xff};
    static qdri_lot one;
    qdr_status status = __real_qdri_rehearsal_give(self, count, lots);
    if (status || stages_left-- != 0) return status;
    sleep_for(late);
    if (!spoils) return QDR_OK;
    one = (qdri_lot){(rank + 1) % ranks, nonsense, sizeof nonsense};
    *count = 1;
    *lots = &one;
    return QDR_OK;
}

WRAPPED(void, qdri_deliver,
        (qdri_flight * flight, qdri_flight_leg *legs, int sends, const qdr_parcel *out, int receives,
         const qdr_parcel *in)) {
    static int64_t nonsense;
    nonsense = ranks;
    for (int i = 0; i < sends && tells_nonsense; i++) memcpy(out[i].data, &nonsense, sizeof nonsense);
    __real_qdri_deliver(flight, legs, sends, out, receives, in);
}

static void heal(void) {
    fatal = allocations = 0;
    lasting = spoils = tells_nonsense = 0;
    stages_left = -1;
    late = 0;
}

/* ---- rehearsing by itself ------------------------------------------------------------------------------ */

static const char *const algorithms[] = {"recursive", "two-stage:scheme=source",
                                         "two-stage:scheme=destination,tight=yes"};
enum { ALGORITHMS = 3, LAST = ALGORITHMS - 1 };

static qdr_status rehearse(qdr_partners *partners, const qdr_pattern *pattern, const char *text,
                           double deadline) {
    qdri_spec spec;
    qdr_schedule *schedule = NULL;
    qdri_wire *wire = qdri_partners_wire(partners);
    qdri_rehearsing how = {.wire = wire, .text = text, .spec = &spec, .own = pattern};
    FINE(qdri_algorithm_read(text, &spec, &how.algorithm));
    how.deadline = deadline > 0 ? qdri_seconds() + deadline : 0;
    qdri_lock(wire);
    qdr_status status = qdri_rehearse(&how, QDR_OK, &schedule);
    qdri_unlock(wire);
    CHECK((status == QDR_OK) == (schedule != NULL));
    qdr_schedule_destroy(&schedule);
    return status;
}

/* All ranks have the same, or only the one whom memory has failed after all was over. */
static void check_alike(qdr_status status, const char *text) {
    int own[2] = {(int)status, -(int)status}, most[2];
    MPI_Allreduce(own, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    int alone = status == QDR_ERR_MEMORY && rank == ranks - 1 && -most[1] == QDR_OK;
    if (status) CHECK(*qdr_error_message());
    CHECK_SAYING(most[0] == -most[1] || alone || status == QDR_OK, "%s: %d where others have %d to %d", text,
                 (int)status, -most[1], most[0]);
}

static void without_memory(qdr_partners *partners, const qdr_pattern *pattern, const char *text) {
    int64_t needed = 0;
    heal();
    FINE(rehearse(partners, pattern, text, 0));
    needed = allocations;
    MPI_Bcast(&needed, 1, MPI_INT64_T, ranks - 1, MPI_COMM_WORLD);
    CHECK(needed > 5);
    for (int64_t i = 1; i <= needed; i++)
        for (int rest = 0; rest < 2; rest++) {
            heal();
            if (rank == ranks - 1) fatal = i, lasting = rest;
            qdr_status status = rehearse(partners, pattern, text, 60);
            heal();
            CHECK_SAYING(!status || status == QDR_ERR_MEMORY, "%s", qdr_error_message());
            check_alike(status, text);
        }
    FINE(rehearse(partners, pattern, text, 0));
}

/* ---- as part of a plan --------------------------------------------------------------------------------- */

static qdr_status create(qdr_partners *partners, const char *text, const qdr_machine *machine,
                         double deadline) {
    qdr_plan *plan = NULL;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.algorithm = text;
    options.transport = "net";
    options.machine = machine;
    options.deadline = deadline;
    qdr_status status = qdr_plan_create(partners, &options, &plan);
    CHECK((status == QDR_OK) == (plan != NULL));
    FINE(qdr_plan_destroy(&plan));
    return status;
}

static void with_nonsense(qdr_partners *partners) {
    char who[32];
    snprintf(who, sizeof who, "rank %d sent", ranks - 1);
    for (int a = 0; a < ALGORITHMS; a++)
        for (int stage = 0; stage < 2; stage++) {
            if (stage > 0 && ranks == 2 && a == 0) continue; /* there is one */
            heal();
            if (rank == ranks - 1) spoils = 1, stages_left = stage;
            qdr_status status = create(partners, algorithms[a], NULL, 0);
            heal();
            expect_at(__FILE__, __LINE__, status, QDR_ERR_MISMATCH, who);
            FINE(create(partners, algorithms[a], NULL, 0));
        }
    tells_nonsense = rank == ranks - 1;
    qdr_status status = create(partners, algorithms[LAST], NULL, 0);
    heal();
    expect_at(__FILE__, __LINE__, status, QDR_ERR_MISMATCH, "start of a message");
    FINE(create(partners, algorithms[LAST], NULL, 0));
}

/* On one machine a scan is worth its time, on the other it is not. */
static void with_another_machine(qdr_partners *partners) {
    qdr_machine *machine = NULL;
    FINE(qdr_machine_create(rank == 0 ? "crossbar:mu=1us,scan=1s,combine=1s"
                                      : "crossbar:mu=1us,scan=1ns,combine=1ns",
                            ranks, &machine));
    EXPECT(create(partners, "two-stage", machine, 0), QDR_ERR_MISMATCH, "equally much");
    FINE(create(partners, "two-stage", NULL, 0));
    EXPECT(create(partners, "two-stage:scheme=destination,shuffle", NULL, 0), QDR_ERR_SYNTAX, "shuffle");
    qdr_machine_destroy(&machine);
}

/* The others give up in time, and say so ever after. */
static void too_late(const qdr_pattern *pattern, const char *text, int stage) {
    enum { PATIENCE = 20 };
    MPI_Comm comm;
    qdr_partners *partners = NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    FINE(qdr_partners_from_pattern(comm, pattern, &partners));
    heal();
    if (rank == ranks - 1) late = 1.5, stages_left = stage;
    double begin = MPI_Wtime();
    qdr_status status = create(partners, text, NULL, 0.5);
    heal();
    CHECK_SAYING(status == QDR_ERR_STALLED || status == QDR_ERR_LOST, "%s: %s", text,
                 status ? qdr_error_message() : "fine");
    CHECK(MPI_Wtime() - begin < PATIENCE);
    EXPECT(create(partners, text, NULL, 0.5), QDR_ERR_LOST, "");
    qdr_partners_destroy(&partners);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
}

int main(int count, char **words) {
    char spec[80];
    qdr_pattern *pattern = NULL;
    qdr_partners *partners = NULL;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(spec, sizeof spec, "complete:n=%d,bytes=1..5K", ranks);
    FINE(qdr_pattern_from_spec(spec, &pattern));
    FINE(qdr_partners_from_pattern(MPI_COMM_WORLD, pattern, &partners));
    for (int a = 0; a < ALGORITHMS; a++) without_memory(partners, pattern, algorithms[a]);
    with_nonsense(partners);
    with_another_machine(partners);
    for (int a = 0; a < ALGORITHMS; a++) too_late(pattern, algorithms[a], a % 2);
    qdr_partners_destroy(&partners);
    qdr_pattern_destroy(&pattern);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
