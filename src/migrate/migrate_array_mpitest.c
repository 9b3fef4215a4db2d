/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays against an oracle: methods and their options, patterns, sizes of items, how much room there is and
 * by which limit. After each call every rank has exactly its items, or, where the method may refuse, what
 * it had; and never more in use than its limit.
 *
 * migrate_array_mpitest [ROUNDS [FIRST]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "migrate/migrate_testing.h"
#include "mpi_check.h"
#include "quadrille/migrate.h"
#include "quadrille/moves.h"
#include "light.h"

static int rank, ranks;
static int64_t refusals, with_phases, with_parking; /* what the cases led to */

/* ---- nodes --------------------------------------------------------------------------------------------- */

/* Every other case is on a communicator whose ranks seem to be on two nodes, where everything goes by
 * messages. */
static MPI_Comm comm;
static int two_nodes;

int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks);
int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks) {
    (void)own_rank, (void)node_ranks;
    return two_nodes ? rank % 2 : 0;
}

/* ---- cases --------------------------------------------------------------------------------------------- */

typedef enum tightness { EXACT, ONE_FREE, SOME, LOOSE, TIGHTNESSES } tightness;

typedef struct method {
    const char *spec;
    int refuses; /* may, though there is a way */
} method;

static const method methods[] = {
    {NULL, 0},
    {"auto", 0},
    {"direct", 1},
    {"robust", 1},
    {"robust:first=largest,buffer=3", 1},
    {"robust:first=smallest", 1},
    {"robust:first=rank", 1},
    {"greedy", 0},
    {"greedy:first=largest,park=largest", 0},
    {"greedy:first=smallest,park=rank", 0},
    {"relaxed", 1},
};

static const int64_t sizes[] = {1, 8, 24, 1000, 100000};

typedef struct job {
    migration_case what;
    int64_t bytes, count, capacity;
    unsigned char *items;
    int *destination;
} job;

/* Place beyond what a rank has at the beginning or at the end, whichever is more. */
static int64_t spare(const migration_case *what, tightness tight) {
    switch (tight) {
    case EXACT:
        return 0;
    case ONE_FREE:
        return rank == ranks - 1;
    case SOME:
        return what->items / 10 + 1;
    default:
        return what->items * ranks * 2;
    }
}

static void fill(job *work) {
    work->count = case_count(&work->what, rank);
    for (int64_t i = 0; i < work->count; i++) {
        work->destination[i] = case_destination(&work->what, rank, i);
        item_write(work->items + i * work->bytes, work->bytes, rank, i);
    }
}

static void open_job(job *work, tightness tight) {
    int64_t count = case_count(&work->what, rank), final = case_final(&work->what, rank);
    work->capacity = (count > final ? count : final) + spare(&work->what, tight);
    work->items = malloc((size_t)(work->capacity * work->bytes) + 1);
    work->destination = malloc((size_t)(count + 1) * sizeof *work->destination);
    fill(work);
}

static void close_job(job *work) {
    free(work->items);
    free(work->destination);
}

/* The number after which the sentence says " bytes suffice". */
static int64_t limit_that_does(const char *sentence) {
    const char *end = strstr(sentence, " bytes suffice");
    if (!end) return -1;
    while (end > sentence && end[-1] >= '0' && end[-1] <= '9') end--;
    return strtoll(end, NULL, 10);
}

static void check(const job *work, const qdr_migration_options *how, const qdr_migration_report *report,
                  int moved, const char *label) {
    const char *wrong = items_wrong(&work->what, rank, work->items, work->bytes, work->count, moved);
    CHECK_SAYING(!wrong, "%s: %s", label, wrong);
    refusals += !moved;
    if (!moved) return;
    with_phases += report->phases > 1;
    with_parking += report->parked_bytes > 0;
    CHECK_SAYING(how->memory == 0 || report->peak <= how->memory, "%s: peak %lld, limit %lld", label,
                 (long long)report->peak, (long long)how->memory);
    CHECK_SAYING(report->phases >= report->bound, "%s: %lld phases, bound %lld", label,
                 (long long)report->phases, (long long)report->bound);
}

/* A limit that is too small names one that does; exactly that one must do. */
static void try_limits(job *work, qdr_migration_options how, const char *label) {
    qdr_migration_report report;
    char sentence[1024];
    how.memory = 1;
    qdr_status status = qdr_migrate_array(comm, &work->count, work->capacity, work->items, work->bytes,
                                          work->destination, &how, &report);
    if (!status) {
        for (int64_t i = 0; i < work->count; i++) CHECK(work->destination[i] == rank);
        return; /* there was nothing to do */
    }
    snprintf(sentence, sizeof sentence, "%s", qdr_error_message());
    int64_t least = limit_that_does(sentence);
    CHECK_SAYING(status == QDR_ERR_RANGE && least > 1 && strstr(sentence, "a limit of 1 bytes"), "%s: %s",
                 label, sentence);
    check(work, &how, &report, 0, label);
    if (least < 0) return;
    for (int more = 0; more < 2; more++) {
        fill(work);
        how.memory = least + more * (least / 3 + 10 * work->bytes);
        status = qdr_migrate_array(comm, &work->count, work->capacity, work->items, work->bytes,
                                   work->destination, &how, &report);
        CHECK_SAYING(status == QDR_OK, "%s, %lld bytes: %s", label, (long long)how.memory,
                     qdr_error_message());
        check(work, &how, &report, status == QDR_OK, label);
    }
}

/* What qdr_moves_create() makes of the same messages and rooms: the same, also where ranks only know their
 * neighbours. */
static void compare(const job *work, const char *spec, qdr_status status, const qdr_migration_report *report,
                    const char *label) {
    const migration_case *what = &work->what;
    qdr_message *message = calloc((size_t)(ranks * ranks), sizeof *message);
    int64_t *room = malloc((size_t)ranks * sizeof *room);
    int64_t own = work->capacity - case_count(what, rank);
    qdr_pattern *pattern = NULL;
    qdr_moves *moves = NULL;
    MPI_Allgather(&own, 1, MPI_INT64_T, room, 1, MPI_INT64_T, MPI_COMM_WORLD);
    for (int i = 0; i < ranks * ranks; i++) message[i] = (qdr_message){i / ranks, i % ranks, 0};
    for (int origin = 0; origin < ranks; origin++)
        for (int64_t i = 0, count = case_count(what, origin); i < count; i++)
            message[origin * ranks + case_destination(what, origin, i)].items++;
    CHECK(qdr_pattern_create(ranks, ranks * ranks, message, &pattern) == QDR_OK);
    qdr_status due = qdr_moves_create(pattern, room, spec, &moves);
    CHECK_SAYING(due == status, "%s: %s, and a schedule: %s", label, qdr_status_text(status),
                 qdr_status_text(due));
    if (!due && !status) {
        qdr_moves_view view = qdr_moves_look(moves);
        CHECK_SAYING(view.phases == report->phases && (!view.total || !strcmp(view.method, report->method)),
                     "%s: %lld phases of %s, and a schedule has %lld of %s", label, (long long)report->phases,
                     report->method, (long long)view.phases, view.method);
        CHECK(view.bound == report->bound && view.total * work->bytes == report->bytes);
        CHECK(view.parked * work->bytes == report->parked_bytes || !strcmp(view.method, "relaxed"));
    }
    qdr_moves_destroy(&moves);
    qdr_pattern_destroy(&pattern);
    free(message);
    free(room);
}

static void test(const migration_case *what, int64_t bytes, tightness tight, const method *by, int limits) {
    char label[200];
    qdr_migration_options how = QDR_MIGRATION_OPTIONS;
    qdr_migration_report report;
    job work = {.what = *what, .bytes = bytes};
    snprintf(label, sizeof label, "%s, %s, %lld items of %lld bytes, tightness %d, seed %llu",
             by->spec ? by->spec : "(default)", pattern_names[what->pattern], (long long)what->items,
             (long long)bytes, tight, (unsigned long long)what->seed);
    how.method = by->spec;
    open_job(&work, tight);
    qdr_status status = qdr_migrate_array(comm, &work.count, work.capacity, work.items, bytes,
                                          work.destination, &how, &report);
    if (status)
        CHECK_SAYING(status == QDR_ERR_RANGE && (by->refuses || tight == EXACT), "%s: %s", label,
                     qdr_error_message());
    check(&work, &how, &report, status == QDR_OK, label);
    if (ranks < 16) compare(&work, by->spec, status, &report, label);
    if (!status && limits) {
        fill(&work);
        try_limits(&work, how, label);
    }
    close_job(&work);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int rounds = argc > 1 ? atoi(argv[1]) : 150, first = argc > 2 ? atoi(argv[2]) : 0;
    if (is_light()) rounds /= 10;
    qdri_random random = qdri_random_seed(4711 + (uint64_t)first);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int round = first; round < first + rounds; round++) {
        two_nodes = round % 2;
        comm = two_nodes ? copy : MPI_COMM_WORLD;
        migration_case what = {
            .pattern = (case_pattern)(round % PATTERNS), .ranks = ranks, .seed = (uint64_t)round};
        int64_t bytes = sizes[qdri_random_below(&random, 5)];
        what.items = 1 + qdri_random_below(&random, bytes > 1000 ? 12 : 300);
        const method *by = &methods[qdri_random_below(&random, sizeof methods / sizeof *methods)];
        tightness tight = (tightness)qdri_random_below(&random, TIGHTNESSES);
        if (what.pattern == PATTERN_SWAP) tight = ONE_FREE; /* by parking alone */
        test(&what, bytes, tight, by, round % 3 == 0);
    }
    if (rounds >= 60 && ranks > 2)
        CHECK_SAYING(refusals > 2 && with_phases > 10 && with_parking > 2,
                     "%lld refusals, %lld and %lld cases", (long long)refusals, (long long)with_phases,
                     (long long)with_parking);
    MPI_Comm_free(&copy);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
