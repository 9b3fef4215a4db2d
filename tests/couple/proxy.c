/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two programs that are coupled over TCP, with a proxy between them that damages what they say (damage.h).
 *
 *     proxy FOLDER RUNS [SEED]
 *
 * One launch has several pairs of programs, which meet in FOLDER, again and again: each run opens a coupling and a
 * stream, exports and imports a few times, and closes both. Each has a seed, which says what is coupled and what
 * is damaged; run i has the seed SEED + i (else 1 + i), and the seed says which pair it is for. Each process must come
 * to the end of each run within its deadlines, with a status or with data; and where the stream is checked,
 * with the right data. Both then meet again, in the next run.
 *
 * What goes wrong is told with the seed of the run, which as SEED, with RUNS 1, makes it happen again (as far as it does
 * not depend on time).
 */
#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "couple/schedule/messages.h"
#include "damage.h"
#include "mpi_check.h"
#include "quadrille/couple.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define HAS_SANITIZER 1
#endif
#endif

/* Seconds: the deadline of each call; what a run may take on a busy machine, of which the roots have five to hear from
 * each other while they open; and when it is taken to hang. */
enum { STEPS = 3, FIELDS = 2, LONGEST = 15, PATIENCE = 30 };
static const double deadline = 0.4;

static const int shape[][2] = {{1, 1}, {2, 1}, {1, 1}, {1, 2}, {1, 1}, {2, 2}};
enum { PAIRS = sizeof shape / sizeof *shape };

/* ---- this process -------------------------------------------------------------------------------------- */

static const char *folder;
static int pair, side, rank, ranks; /* in its program */
static MPI_Comm both, own;          /* the pair, and this program of it */
static char name[2][16];
static qdr_program *program;
static uint64_t seed;
static int64_t ended[32], damaged; /* runs: by status; and of this pair with damage */
static double longest;

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void rest(void) {
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

/* MPI would not let the processor go. */
static void wait_for(MPI_Request *request) {
    for (int done = 0; !done; done ? (void)0 : rest()) MPI_Test(request, &done, MPI_STATUS_IGNORE);
}

/* ---- when it dies -------------------------------------------------------------------------------------- */

static void say_seed(void) {
    char line[80];
    int length = snprintf(line, sizeof line, "proxy: a process died in the run of seed %llu\n",
                          (unsigned long long)seed);
    if (write(2, line, (size_t)length) < 0) return;
}

static void struck(int number) {
    say_seed();
    signal(number, SIG_DFL);
    raise(number);
}

/* It does not end. */
static void overdue(int number) {
    (void)number;
    static const char line[] = "proxy: a run does not end\n";
    if (write(2, line, sizeof line - 1) > 0) say_seed();
    abort();
}

static void watch(void) {
    signal(SIGALRM, overdue);
#ifdef HAS_SANITIZER
    __sanitizer_set_death_callback(say_seed);
#else
    signal(SIGSEGV, struck);
    signal(SIGBUS, struck);
    signal(SIGFPE, struck);
#endif
    (void)struck;
}

/* ---- what is coupled ----------------------------------------------------------------------------------- */

typedef enum kind { BLOCK, CYCLIC, BOXES, RUNS, ENTRIES, KINDS } kind;

/* The same on all ranks of a pair, from the seed. */
typedef struct plot {
    int exporter, fields;
    int64_t elements;
    kind kind[2]; /* of the exporter and of the importer */
    int checked, forges, converts, has_plan;
    qdr_stream_options options;
    qdr_match match;
    double chance;
    int strikes;
    int culprit; /* on the wire; -1: all */
} plot;

static int below(qdri_random *random, int limit) {
    return (int)qdri_random_below(random, (uint64_t)limit);
}

static const char *pick(qdri_random *random, const char *const *word, int count) {
    return below(random, 2) ? NULL : word[below(random, count)];
}

static plot draw_plot(void) {
    static const char *const computes[] = {"both", "exporter", "importer", "deref"};
    static const char *const back[] = {"all", "one"}, *const descriptors[] = {"disjoint", "representative"};
    static const double chance[] = {0.3, 0.1, 0.05, 0.025};
    qdri_random random = qdri_random_seed(seed);
    plot drawn = {.exporter = below(&random, 2), .fields = 1 + below(&random, FIELDS)};
    drawn.elements = 1 + below(&random, below(&random, 4) ? 60 : 5000);
    qdri_message_piece = below(&random, 2) ? 1 : 1 << 24;
    for (int role = 0; role < 2; role++) drawn.kind[role] = (kind)below(&random, KINDS);
    drawn.options = (qdr_stream_options)QDR_STREAM_OPTIONS;
    drawn.options.computes = pick(&random, computes, 4);
    drawn.options.back = pick(&random, back, 2);
    drawn.options.descriptors = pick(&random, descriptors, 2);
    drawn.options.checksums = drawn.checked = below(&random, 2);
    drawn.forges = !drawn.checked && below(&random, 3);
    drawn.converts = below(&random, 4) == 0;
    drawn.has_plan = below(&random, 4) == 0;
    drawn.match = (qdr_match)(QDR_EXACT + below(&random, 4));
    drawn.chance = chance[below(&random, 4)];
    drawn.strikes = below(&random, 20) ? 1 + below(&random, 2) : 0;
    drawn.culprit = below(&random, 4) ? below(&random, shape[pair][0] + shape[pair][1]) : -1;
    return drawn;
}

/* This rank's part of one array: which element lies at each place. */
typedef struct part {
    qdr_layout *layout;
    int64_t room;
    int64_t *element; /* [room] */
} part;

static void make_regular(const plot *what, kind kind, part *made) {
    qdr_axis axis = {.extent = what->elements, .parts = ranks};
    int64_t mine = 0;
    axis.spread = kind == BLOCK ? QDR_BLOCK : QDR_CYCLIC;
    if (kind == CYCLIC) axis.block = 3;
    CHECK(!qdr_layout_regular(1, &axis, NULL, &made->layout));
    CHECK(!qdr_layout_share(made->layout, rank, &mine, &made->room));
    made->element = calloc((size_t)made->room + 1, sizeof *made->element);
    for (int64_t place = 0; place < made->room; place++)
        CHECK(!qdr_layout_index(made->layout, rank, place, &made->element[place]));
}

static void make_box(const plot *what, part *made) {
    int64_t lower = what->elements * rank / ranks, upper = what->elements * (rank + 1) / ranks;
    qdr_box box = {.lower = &lower, .upper = &upper};
    CHECK(!qdr_layout_boxes(1, &what->elements, QDR_ROW_MAJOR, 1, &box, &made->layout));
    made->room = upper - lower;
    made->element = calloc((size_t)made->room + 1, sizeof *made->element);
    for (int64_t place = 0; place < made->room; place++) made->element[place] = lower + place;
}

/* Every few elements the next rank; of entries each rank states those of the rank after it. */
static void make_explicit(const plot *what, kind kind, part *made) {
    int about = kind == ENTRIES ? (rank + 1) % ranks : rank;
    int64_t *stated = calloc((size_t)what->elements + 1, sizeof *stated);
    int64_t *local = calloc((size_t)what->elements + 1, sizeof *local), count = 0;
    int *owner = calloc((size_t)what->elements + 1, sizeof *owner);
    made->element = calloc((size_t)what->elements + 1, sizeof *made->element);
    for (int64_t e = 0; e < what->elements; e++) {
        int whose = (int)(e * 7 / 5 % ranks);
        if (whose == rank) made->element[made->room++] = e;
        if (whose != about) continue;
        owner[count] = about;
        local[count] = count;
        stated[count++] = e;
    }
    CHECK(!(kind == RUNS
                ? qdr_layout_runs(1, &what->elements, count, stated, NULL, &made->layout)
                : qdr_layout_entries(1, &what->elements, count, stated, owner, local, &made->layout)));
    free(stated);
    free(local);
    free(owner);
}

static part make_part(const plot *what, kind kind) {
    part made = {.room = 0};
    if (kind == BLOCK || kind == CYCLIC)
        make_regular(what, kind, &made);
    else if (kind == BOXES)
        make_box(what, &made);
    else
        make_explicit(what, kind, &made);
    return made;
}

static double value_of(double time, int64_t element, int field) {
    return 10000 * time + (double)element + 0.5 * field;
}

/* ---- one run ------------------------------------------------------------------------------------------- */

/* Arrays as long as they must be, so that whatever lies beyond is noticed. */
static void *fresh(int64_t room, size_t size) {
    return calloc(room > 0 ? (size_t)room : 1, size);
}

static qdr_status export_all(qdr_stream *stream, const plot *what, const part *mine) {
    double *data[FIELDS];
    qdr_status status = QDR_OK;
    for (int f = 0; f < what->fields; f++) data[f] = fresh(mine->room, sizeof(double));
    for (int step = 1; step <= STEPS && !status; step++) {
        for (int f = 0; f < what->fields; f++)
            for (int64_t i = 0; i < mine->room; i++) data[f][i] = value_of(step, mine->element[i], f);
        status = qdr_export(stream, step, (const void *const *)data);
    }
    for (int f = 0; f < what->fields; f++) free(data[f]);
    return status;
}

/* Whether what came is what was exported at that time. */
static int is_right(const plot *what, const part *mine, void *const *data, double time) {
    for (int f = 0; f < what->fields; f++)
        for (int64_t i = 0; i < mine->room; i++) {
            double found = what->converts ? (double)((float *)data[f])[i] : ((double *)data[f])[i];
            if (found != value_of(time, mine->element[i], f)) return 0;
        }
    return 1;
}

static qdr_status import_all(qdr_stream *stream, const plot *what, const part *mine, int *wrong) {
    size_t size = what->converts ? sizeof(float) : sizeof(double);
    double tolerance = what->match == QDR_EXACT ? 0 : 0.25, matched = 0;
    void *data[FIELDS];
    qdr_status status = QDR_OK;
    for (int f = 0; f < what->fields; f++) data[f] = fresh(mine->room, size);
    for (int step = 1; step <= STEPS && !status; step++) {
        for (int f = 0; f < what->fields; f++) memset(data[f], 0xff, (size_t)mine->room * size);
        status = qdr_import(stream, step, what->match, tolerance, data, &matched);
        if (!status && (matched != step || !is_right(what, mine, data, step))) *wrong = step;
    }
    for (int f = 0; f < what->fields; f++) free(data[f]);
    return status;
}

static qdr_status use_stream(qdr_coupling *coupling, const plot *what, int *wrong) {
    static const char *const field_name[FIELDS] = {"heat", "salt"};
    int exports = side == what->exporter;
    part mine = make_part(what, what->kind[!exports]);
    qdr_coupled coupled[FIELDS];
    qdr_stream_options options = exports ? what->options : (qdr_stream_options)QDR_STREAM_OPTIONS;
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    qdr_stream *stream = NULL;
    plan.window = 1 << 16;
    plan.algorithm = "async";
    if (what->has_plan && exports) options.plan = &plan;
    options.converts = what->converts;
    for (int f = 0; f < what->fields; f++)
        coupled[f] = (qdr_coupled){.name = field_name[f],
                                   .layout = mine.layout,
                                   .type = exports || !what->converts ? QDR_DOUBLE : QDR_FLOAT};
    qdr_status status =
        qdr_stream_create(coupling, "flow", exports ? what->fields : 0, exports ? coupled : NULL,
                          exports ? 0 : what->fields, exports ? NULL : coupled, &options, &stream);
    if (!status) {
        status = exports ? export_all(stream, what, &mine) : import_all(stream, what, &mine, wrong);
        qdr_status closed = qdr_stream_destroy(&stream);
        if (!status) status = closed;
    }
    qdr_layout_destroy(&mine.layout);
    free(mine.element);
    return status;
}

/* The second program looks for the contact file of the first before it begins, for that is quicker than the library. */
static void come_second(void) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s+%s.contact", folder, name[0], name[1]);
    for (double until = seconds() + deadline / 2; access(path, R_OK) != 0 && seconds() < until;) rest();
}

static qdr_status couple(const plot *what, int *wrong) {
    qdr_coupling_options options = QDR_COUPLING_OPTIONS;
    qdr_coupling *coupling = NULL;
    options.directory = folder;
    options.transport = "tcp";
    options.address = "127.0.0.1";
    options.deadline = deadline;
    if (side == 1) come_second();
    QDRI_TRY(qdr_coupling_create(program, name[!side], &options, &coupling));
    qdr_status status = use_stream(coupling, what, wrong);
    qdr_status closed = qdr_coupling_destroy(&coupling);
    return status ? status : closed;
}

static void run(void) {
    plot what = draw_plot();
    int wire_rank = side == 0 ? rank : shape[pair][0] + rank, wrong = 0;
    int64_t strikes = 0;
    double begin = seconds();
    alarm(PATIENCE);
    int is_culprit = what.culprit < 0 || what.culprit == wire_rank;
    damage_begin(seed * 16 + (uint64_t)wire_rank, what.chance, is_culprit ? what.strikes : 0, what.forges);
    qdr_status status = couple(&what, &wrong);
    double taken = seconds() - begin;
    if (taken > longest) longest = taken;
    MPI_Request request;
    MPI_Iallreduce(&damage.strikes, &strikes, 1, MPI_INT64_T, MPI_SUM, both, &request);
    wait_for(&request);
    alarm(0);
    ended[(unsigned)status < 31 ? status : 31]++;
    damaged += side == 0 && rank == 0 && strikes > 0;
    if (getenv("PROXY_TELLS"))
        fprintf(stderr, "seed %llu: rank %d of %s: %.3f s, %lld strikes in %lld frames: %d, %s\n",
                (unsigned long long)seed, rank, name[side], taken, (long long)damage.strikes,
                (long long)damage.frames, (int)status, status ? qdr_error_message() : "");
    CHECK_SAYING(!wrong || (!what.checked && strikes), "seed %llu: %s, rank %d: wrong data in import %d",
                 (unsigned long long)seed, name[side], rank, wrong);
    CHECK_SAYING(!status || strikes || status == QDR_ERR_STALLED || status == QDR_ERR_PEER,
                 "seed %llu: %s, rank %d: nothing was damaged, but: %s", (unsigned long long)seed, name[side],
                 rank, qdr_error_message());
    CHECK_SAYING(taken < LONGEST, "seed %llu: it took %.1f s", (unsigned long long)seed, taken);
    CHECK_SAYING((unsigned)status <= QDR_ERR_FULL, "seed %llu: status %d", (unsigned long long)seed,
                 (int)status);
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static int join_pair(void) {
    int world, all = 0, place = -1, ranks_of_world;
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_of_world);
    for (int p = 0; p < PAIRS; p++) {
        int size = shape[p][0] + shape[p][1];
        if (world >= all && world < all + size) {
            pair = p;
            place = world - all;
        }
        all += size;
    }
    if (all != ranks_of_world) {
        if (world == 0) fprintf(stderr, "proxy: %d ranks; expected %d\n", ranks_of_world, all);
        return 0;
    }
    side = place >= shape[pair][0];
    MPI_Comm_split(MPI_COMM_WORLD, pair, world, &both);
    MPI_Comm_split(both, side, world, &own);
    MPI_Comm_rank(own, &rank);
    MPI_Comm_size(own, &ranks);
    for (int s = 0; s < 2; s++) snprintf(name[s], sizeof name[s], "%c%d", 'a' + s, pair);
    return 1;
}

static void sum_up(double begin) {
    int64_t all[32], struck_runs = 0;
    double most = 0;
    int world;
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Reduce(ended, all, 32, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&damaged, &struck_runs, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&longest, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (world != 0) return;
    for (int i = 0; i < 32; i++)
        if (all[i] > 0) printf("%8lld  %s\n", (long long)all[i], qdr_status_text((qdr_status)i));
    printf("%lld runs were damaged; the longest took %.1f s, all of them %.1f s\n", (long long)struck_runs,
           most, seconds() - begin);
}

int main(int count, char **argument) {
    if (count < 3) return 2;
    MPI_Init(&count, &argument);
    folder = argument[1];
    uint64_t runs = strtoull(argument[2], NULL, 10), first = count > 3 ? strtoull(argument[3], NULL, 10) : 1;
    double begin = seconds();
    if (join_pair()) {
        watch();
        CHECK(!qdr_program_create(own, name[side], 30, &program));
        for (seed = first; seed < first + runs && program; seed++)
            if (seed % PAIRS == (uint64_t)pair) run();
        damage.run = 0;
        MPI_Request request;
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        wait_for(&request);
        CHECK(!qdr_program_destroy(&program));
        sum_up(begin);
    } else {
        mpi_check_failures++;
    }
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
