/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrong_calls RUNS [SEED]: MPI_Alltoallv in programs that are wrong. In each run one rank, in one call of four, expects less of
 * another than that one sends, mostly nothing, or takes what comes for items of other bytes, or makes no call at all. A call
 * may fail then; but where it returns success, what came are bytes of that call. Failures are spread by a plain reduction,
 * and end the run, after which a call on another communicator is right. The first run is always the same: rank 0 sends 1000
 * bytes to rank 1, which expects none, and the calls before and after it are right.
 */
#include "mpi_check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 4, MOST = 16, ROOM = 2048 };
static int rank, ranks;
static uint64_t state;

static int below(int limit) {
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (int)((z ^ z >> 31) % (uint64_t)limit);
}

static unsigned char byte_of(int run, int call, int from, int to, int at) {
    return (unsigned char)(run * 131 + call * 29 + from * 7 + to * 3 + at % 251);
}

enum { OTHER_SIZE, OTHER_ITEM, NO_CALL };
typedef struct deviation {
    int call, sender, receiver, bytes, kind;
} deviation;

/* Returns MPI's code; all ranks have drawn the same counts[from][to]. */
static int call_once(MPI_Comm comm, int run, int call, int counts[MOST][MOST], const deviation *wrong) {
    static unsigned char out[MOST * ROOM], in[MOST * ROOM];
    int sent[MOST], received[MOST], places[MOST];
    int deviates = call == wrong->call && rank == wrong->receiver;
    if (deviates && wrong->kind == NO_CALL) return MPI_SUCCESS;
    for (int p = 0; p < ranks; p++) {
        sent[p] = counts[rank][p];
        received[p] = counts[p][rank];
        places[p] = p * ROOM;
        if (deviates && wrong->kind == OTHER_SIZE && p == wrong->sender) received[p] = wrong->bytes;
        for (int i = 0; i < sent[p]; i++) out[places[p] + i] = byte_of(run, call, rank, p, i);
    }
    memset(in, 0xa5, sizeof in);
    int other_item = deviates && wrong->kind == OTHER_ITEM;
    for (int p = 0; other_item && p < ranks; p++) received[p] /= 2;
    int code = MPI_Alltoallv(out, sent, places, MPI_BYTE, in, received, places,
                             other_item ? MPI_SHORT : MPI_BYTE, comm);
    /* Who left out a call takes part, in its next, in the one that the others have made before. */
    int is_behind = wrong->kind == NO_CALL && call > wrong->call && rank == wrong->receiver;
    if (code || other_item || is_behind) return code;
    for (int p = 0; p < ranks; p++)
        for (int i = 0; i < received[p]; i++)
            if (in[places[p] + i] != byte_of(run, call, p, rank, i)) {
                CHECK_SAYING(0, "run %d, call %d (wrong one: %d, from %d to %d): byte %d of %d from rank %d",
                             run, call, wrong->call, wrong->sender, wrong->receiver, i, received[p], p);
                return MPI_SUCCESS;
            }
    return MPI_SUCCESS;
}

/* How many calls went well. */
static int run_one(MPI_Comm comm, int run) {
    static const int some[] = {0, 1, 1000, 1000, 2000};
    int counts[CALLS][MOST][MOST];
    deviation wrong = {.call = run == 0 ? 1 : below(CALLS - 1), .sender = below(ranks)};
    wrong.receiver = (wrong.sender + 1 + below(ranks - 1)) % ranks;
    for (int call = 0; call < CALLS; call++)
        for (int from = 0; from < ranks; from++)
            for (int to = 0; to < ranks; to++) counts[call][from][to] = run == 0 ? 1000 : some[below(5)];
    if (run == 0) wrong = (deviation){.call = 1, .sender = 0, .receiver = 1};
    int *right = &counts[wrong.call][wrong.sender][wrong.receiver];
    if (*right == 0) *right = 1000;
    if (run > 0 && below(3) == 0) wrong.bytes = below(*right);
    if (run > 0) wrong.kind = below(3);
    if (wrong.kind == NO_CALL && wrong.call == 0)
        wrong.kind = OTHER_ITEM; /* MPI's own way of beginning waits for all */
    for (int call = 0; call < CALLS; call++) {
        int failed = call_once(comm, run, call, counts[call], &wrong) != MPI_SUCCESS, any = 0;
        PMPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK_SAYING(!any || call >= wrong.call, "run %d: call %d failed before the wrong one", run, call);
        if (any) return call;
    }
    return CALLS;
}

/* On a communicator that nothing has happened to; other work may keep a rank away for longer than the deadline. */
static void call_right(int run) {
    enum { TRIES = 10 };
    static const deviation none = {.call = -1};
    int counts[MOST][MOST], any = 1;
    for (int from = 0; from < ranks; from++)
        for (int to = 0; to < ranks; to++) counts[from][to] = 500 * (from != to);
    for (int i = 0; i < TRIES && any; i++) {
        MPI_Comm fresh;
        MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
        int failed = call_once(fresh, run, 0, counts, &none) != MPI_SUCCESS;
        MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (!any) MPI_Comm_free(&fresh);
    }
    CHECK_SAYING(!any, "after run %d no right call works", run);
}

int main(int count, char **word) {
    MPI_Init(&count, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int runs = count > 1 ? atoi(word[1]) : 20, failed = 0;
    state = count > 2 ? (uint64_t)atoll(word[2]) : 1;
    for (int run = 0; run < runs; run++) {
        MPI_Comm comm; /* not freed: it has a message that nobody takes */
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        failed += run_one(comm, run) < CALLS;
        call_right(run);
    }
    if (rank == 0) printf("%d of %d wrong programs were told so\n", failed, runs);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
