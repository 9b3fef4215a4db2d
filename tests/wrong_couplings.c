/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrong_couplings RUNS SEED [ONLY]: coupled programs in which one rank deviates. Half of the ranks are one
 * program, half the other; each run couples them, over TCP and by MPI in turn, opens a stream, and takes a few steps at
 * random. At one step one rank makes no call, or another one, or opens a stream with another size, type or option. Held is
 * what the library promises: what opens a stream returns one status and one sentence on all ranks of both programs, what
 * opens a coupling on all of each; what is imported is right; nobody waits much longer than its deadlines; and then another
 * coupling of the same programs works.
 */
#include "mpi_check.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "quadrille/couple.h"
#include "wrong.h"
#include "light.h"

enum { STEPS = 6, MOST = 16, ELEMENTS = 24 };
static const double patience = 0.1; /* seconds */

static int world, worlds, exports, rank, ranks;
static char directory[] = "/tmp/quadrille-wrong-XXXXXX";

typedef enum call { NO_CALL, COUPLE, OPEN, TRANSFER, CLOSE, CALLS } call;
static const char *const call_name[] = {"-", "qdr_coupling_create", "qdr_stream_create", "a transfer",
                                        "qdr_stream_destroy"};

typedef enum deviation {
    OTHER_CALL,
    NO_CALL_AT_ALL,
    OTHER_SIZE,
    OTHER_TYPE,
    OTHER_OPTIONS,
    DEVIATIONS
} deviation;
static const char *const deviation_name[] = {"makes another call", "makes no call", "has another size",
                                             "has another type", "has other options"};

/* All ranks draw the same. */
typedef struct program {
    int64_t number;
    const char *transport;
    call step[STEPS];
    int wrong_step, wrong_rank; /* of all */
    deviation wrong;
    call other_call;
} program;

typedef struct state {
    const program *program;
    MPI_Comm comm; /* of its own: what breaks it is not for the next */
    qdr_program *own;
    qdr_coupling *coupling;
    qdr_stream *stream;
    int transfers;
    int deviates;
    verdict said[STEPS];
} state;

static program draw(uint64_t seed, int64_t number) {
    qdri_random random = qdri_random_seed(qdri_mix(seed) ^ (uint64_t)number);
    program made = {.number = number, .transport = number % 2 ? "tcp" : "mpi", .step = {COUPLE, OPEN}};
    for (int i = 2; i < STEPS; i++)
        made.step[i] = (call)(OPEN + (int)qdri_random_below(&random, CALLS - OPEN));
    made.wrong_step = (int)qdri_random_below(&random, STEPS);
    made.wrong_rank = (int)qdri_random_below(&random, (uint64_t)worlds);
    made.wrong = (deviation)qdri_random_below(&random, DEVIATIONS);
    do made.other_call = (call)(OPEN + (int)qdri_random_below(&random, CALLS - OPEN));
    while (made.other_call == made.step[made.wrong_step]);
    return made;
}

static int is(const state *self, deviation kind) {
    return self->deviates && self->program->wrong == kind;
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static qdr_status couple(state *self) {
    qdr_coupling_options options = QDR_COUPLING_OPTIONS;
    char peer[40];
    snprintf(peer, sizeof peer, "%s%lld", exports ? "importer" : "exporter",
             (long long)self->program->number);
    options.directory = directory;
    options.transport = self->program->transport;
    options.deadline = patience;
    return qdr_coupling_create(self->own, peer, &options, &self->coupling);
}

static qdr_status open_stream(state *self) {
    qdr_axis axis = {.extent = ELEMENTS + is(self, OTHER_SIZE),
                     .spread = exports ? QDR_CYCLIC : QDR_BLOCK,
                     .parts = ranks};
    qdr_layout *layout = NULL;
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    if (is(self, OTHER_OPTIONS)) options.computes = "exporter";
    CHECK(qdr_layout_regular(1, &axis, NULL, &layout) == QDR_OK);
    qdr_coupled field = {
        .name = "f", .layout = layout, .type = is(self, OTHER_TYPE) ? QDR_FLOAT : QDR_DOUBLE};
    self->transfers = 0;
    qdr_status status = qdr_stream_create(self->coupling, "s", exports, exports ? &field : NULL, !exports,
                                          exports ? NULL : &field, &options, &self->stream);
    qdr_layout_destroy(&layout);
    return status;
}

static qdr_status transfer(state *self) {
    double *data = malloc(2 * ELEMENTS * sizeof *data), time = self->transfers;
    for (int i = 0; i < 2 * ELEMENTS; i++) data[i] = exports ? time + 0.5 : -1;
    qdr_status status = exports ? qdr_export(self->stream, time, (const void *[]){data})
                                : qdr_import(self->stream, time, QDR_EXACT, 0, (void *[]){data}, NULL);
    if (!status && !exports)
        for (int i = 0; i < ELEMENTS / ranks; i++) CHECK(data[i] == time + 0.5);
    self->transfers++;
    if (!status || exports) free(data); /* else the library may have it still */
    return status;
}

static int is_possible(const state *self, call one) {
    return one == COUPLE ? !self->coupling
           : one == OPEN ? self->coupling && !self->stream
                         : self->stream != NULL;
}

static qdr_status make_call(state *self, call one) {
    return one == COUPLE     ? couple(self)
           : one == OPEN     ? open_stream(self)
           : one == TRANSFER ? transfer(self)
                             : qdr_stream_destroy(&self->stream);
}

static void take_step(state *self, int number) {
    const program *program = self->program;
    call one = program->step[number];
    self->deviates = number == program->wrong_step && world == program->wrong_rank;
    if (is(self, NO_CALL_AT_ALL)) return;
    if (is(self, OTHER_CALL)) one = program->other_call;
    if (!is_possible(self, one)) return;
    double begin = MPI_Wtime();
    qdr_status status = make_call(self, one);
    check_time(program->number, call_name[one], begin);
    if (one == COUPLE || one == OPEN) self->said[number] = verdict_of((int)one, status);
}

/* Handles go in any case; what a failed one leaves behind is not for this test. */
static void end(state *self) {
    for (int i = 0; i < 100 && self->stream && qdr_stream_destroy(&self->stream); i++) {
    }
    (void)qdr_coupling_destroy(&self->coupling);
    (void)qdr_program_destroy(&self->own);
    MPI_Comm_free(&self->comm);
}

/* ---- a run --------------------------------------------------------------------------------------------- */

static int64_t well, failures;

/* As in wrong_programs.c: who made another number of calls may be in step with the others no more. */
static int counts(const program *program, int r, int step) {
    int shifts = program->wrong == OTHER_CALL || program->wrong == NO_CALL_AT_ALL;
    return r != program->wrong_rank || !shifts || step < program->wrong_step;
}

/* Who loses a rank of the other program by itself says what it was waiting for: one status, several sentences. */
static int are_alike(const verdict *one, const verdict *other) {
    return one->status == QDR_ERR_PEER ? other->status == one->status : verdicts_are_alike(one, other);
}

static void compare(const program *program, const verdict *all) {
    for (int i = 0; i < STEPS; i++) {
        const verdict *first[2] = {NULL, NULL};
        for (int r = 0; r < worlds; r++) {
            const verdict *one = &all[r * STEPS + i];
            if (one->call == NO_CALL || !counts(program, r, i)) continue;
            int apart = one->call == COUPLE && r >= worlds / 2;
            if (!first[apart]) first[apart] = one;
            CHECK_SAYING(are_alike(one, first[apart]),
                         "run %lld, %s: rank %d %s in step %d; step %d: '%s' in %s, but rank %d '%s' in %s",
                         (long long)program->number, program->transport, program->wrong_rank,
                         deviation_name[program->wrong], program->wrong_step, i, first[apart]->sentence,
                         call_name[first[apart]->call], r, one->sentence, call_name[one->call]);
        }
        if (first[0]) *(first[0]->status ? &failures : &well) += 1;
    }
}

static void open_program(state *self, const program *program) {
    char name[40];
    snprintf(name, sizeof name, "%s%lld", exports ? "exporter" : "importer", (long long)program->number);
    *self = (state){.program = program};
    MPI_Comm_dup(MPI_COMM_WORLD, &self->comm);
    qdr_status status = qdr_program_create(self->comm, name, 60, &self->own);
    CHECK_SAYING(status == QDR_OK, "run %lld: %s", (long long)program->number, qdr_error_message());
    MPI_Comm_rank(qdr_program_comm(self->own), &rank);
    MPI_Comm_size(qdr_program_comm(self->own), &ranks);
}

static void check_health(int64_t number, const char *transport) {
    program right = {.number = number + 1000000,
                     .transport = transport,
                     .wrong_rank = -1,
                     .step = {COUPLE, OPEN, TRANSFER}};
    int bad = 1, any = 1;
    for (int tries = 0; tries < 20 && any; tries++, right.number += 1000000) {
        state self;
        open_program(&self, &right);
        qdr_status status = couple(&self);
        if (!status) status = open_stream(&self);
        if (!status) status = transfer(&self);
        CHECK_SAYING(!status || status == QDR_ERR_STALLED || status == QDR_ERR_LOST || status == QDR_ERR_PEER,
                     "after run %lld: %s", (long long)number, qdr_error_message());
        bad = status != QDR_OK;
        end(&self);
        MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    CHECK_SAYING(!any, "after run %lld nothing works", (long long)number);
}

static void run(const program *program) {
    static verdict all[MOST * STEPS];
    state self;
    open_program(&self, program);
    for (int i = 0; i < STEPS; i++) take_step(&self, i);
    end(&self);
    MPI_Allgather(self.said, sizeof self.said, MPI_BYTE, all, sizeof self.said, MPI_BYTE, MPI_COMM_WORLD);
    compare(program, all);
    check_health(program->number, program->transport);
}

/* What failed couplings have left there goes too. */
static void empty(void) {
    char path[sizeof directory + 256];
    DIR *opened = opendir(directory);
    for (struct dirent *entry; opened && (entry = readdir(opened));) {
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        (void)unlink(path);
    }
    if (opened) closedir(opened);
    CHECK(rmdir(directory) == 0);
}

int main(int count, char **word) {
    MPI_Init(&count, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_size(MPI_COMM_WORLD, &worlds);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (count < 3) return 2;
    int64_t runs = atoll(word[1]), only = count > 3 ? atoll(word[3]) : -1;
    if (is_light()) runs /= 10;
    uint64_t seed = (uint64_t)atoll(word[2]);
    if (world == 0) CHECK(mkdtemp(directory) != NULL);
    MPI_Bcast(directory, (int)sizeof directory, MPI_CHAR, 0, MPI_COMM_WORLD);
    exports = world < worlds / 2;
    int wrong = 0;
    for (int64_t i = 0; i < runs && !wrong; i++) {
        program drawn = draw(seed, i);
        if (only >= 0 && i != only) continue;
        run(&drawn);
        MPI_Allreduce(&mpi_check_failures, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    if (world == 0)
        printf("%lld runs: of what opens couplings and streams %lld went well, %lld failed, on all ranks "
               "alike\n",
               (long long)runs, (long long)well, (long long)failures);
    if (world == 0) empty();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
