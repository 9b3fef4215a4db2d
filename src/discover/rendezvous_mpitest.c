/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rendezvous against a naive oracle: every rank knows what every rank asks, since all drawings are from
 * seeds. The owner of a key answers with how often it was brought, the sum of the records that came with it,
 * and itself.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "discover/rendezvous.h"
#include "mpi_check.h"
#include "quadrille/discover.h"

static int rank, ranks;

#define CHECK_OK(call) CHECK_SAYING((call) == QDR_OK, "%s: %s", #call, qdr_error_message())

typedef struct reply {
    int64_t times, sum, owner;
} reply;

typedef struct stage {
    qdri_placement placement;
    int64_t seen;
    int calls, fails;
} stage;

enum { KEYS = 40 };

static int64_t key_of(int index, int64_t limit) {
    return limit ? index * (limit - 1) / (KEYS - 1) : (int64_t)qdri_mix((uint64_t)index);
}

/* What rank `who` brings: how many, and the i-th key's index and record. */
static int64_t count_of(int who, uint64_t seed) {
    return who % 3 == 2 ? 0 : (int64_t)(qdri_mix(seed + (uint64_t)who) % 700);
}
static int index_of(int who, uint64_t seed, int64_t i) {
    return (int)(qdri_mix(seed * 77 + (uint64_t)who * 1000 + (uint64_t)i) % KEYS);
}
static int64_t record_of(int who, int64_t i) {
    return who * 10000 + i;
}

/* ---- the owner ----------------------------------------------------------------------------------------- */

typedef struct total {
    int64_t key, times, sum;
} total;

static total *total_of(total *totals, int *known, int64_t key) {
    int at = 0;
    while (at < *known && totals[at].key != key) at++;
    if (at == *known) totals[(*known)++] = (total){key, 0, 0};
    return &totals[at];
}

static qdr_status count_keys(void *context, int visits, const qdri_visit *visit) {
    stage *here = context;
    total totals[KEYS + 1];
    int known = 0, previous = -1;
    here->calls++;
    for (int v = 0; v < visits; v++) {
        CHECK(visit[v].origin > previous && visit[v].count > 0);
        previous = visit[v].origin;
        for (int64_t i = 0; i < visit[v].count && known <= KEYS; i++) {
            int64_t record;
            memcpy(&record, visit[v].record + 8 * i, sizeof record);
            CHECK(qdri_owner(&here->placement, visit[v].key[i]) == rank);
            total *one = total_of(totals, &known, visit[v].key[i]);
            one->times++;
            one->sum += record;
            here->seen++;
        }
    }
    for (int v = 0; v < visits; v++)
        for (int64_t i = 0; i < visit[v].count && visit[v].reply; i++) {
            const total *one = total_of(totals, &known, visit[v].key[i]);
            const reply said = {one->times, one->sum, rank};
            memcpy(visit[v].reply + i * (int64_t)sizeof said, &said, sizeof said);
        }
    return here->fails ? qdri_fail(QDR_ERR_SYNTAX, "the owner is tired") : QDR_OK;
}

/* Takes note of what comes, and has nothing to say. */
static qdr_status listen(void *context, int visits, const qdri_visit *visit) {
    stage *here = context;
    for (int v = 0; v < visits; v++) here->seen += visit[v].count;
    return QDR_OK;
}

/* ---- the askers ---------------------------------------------------------------------------------------- */

static qdr_status meet(const qdri_rendezvous *call) {
    qdri_wire *wire;
    QDRI_TRY(qdri_wire_open(MPI_COMM_WORLD, &wire));
    qdri_lock(wire);
    qdr_status status = qdri_rendezvous_run(wire, call);
    qdri_unlock(wire);
    qdri_wire_release(&wire);
    return status;
}

/* By index; in a narrow range several have the same key, and the first stands for them all. */
static int first_of(int index, int64_t limit) {
    int first = 0;
    while (key_of(first, limit) != key_of(index, limit)) first++;
    return first;
}

static void tally(uint64_t seed, int64_t limit, total *totals) {
    memset(totals, 0, KEYS * sizeof *totals);
    for (int who = 0; who < ranks; who++)
        for (int64_t i = 0; i < count_of(who, seed); i++) {
            total *one = &totals[first_of(index_of(who, seed, i), limit)];
            one->times++;
            one->sum += record_of(who, i);
        }
}

static void ask(uint64_t seed, int64_t limit, const char *method) {
    int64_t count = count_of(rank, seed), seen = 0, brought = 0;
    int64_t *key = calloc((size_t)count + 1, 8), *record = calloc((size_t)count + 1, 8);
    reply *replies = calloc((size_t)count + 1, sizeof *replies);
    total totals[KEYS];
    stage here = {.placement = {ranks, limit}};
    for (int64_t i = 0; i < count; i++) {
        key[i] = key_of(index_of(rank, seed, i), limit);
        record[i] = record_of(rank, i);
    }
    qdri_rendezvous call = {.limit = limit,
                            .record_bytes = 8,
                            .reply_bytes = sizeof *replies,
                            .count = count,
                            .key = key,
                            .record = record,
                            .reply = replies,
                            .method = method,
                            .answer = count_keys,
                            .context = &here};
    CHECK_OK(meet(&call));
    tally(seed, limit, totals);
    for (int64_t i = 0; i < count; i++) {
        const total *expected = &totals[first_of(index_of(rank, seed, i), limit)];
        CHECK(replies[i].times == expected->times && replies[i].sum == expected->sum);
        CHECK(replies[i].owner == qdri_owner(&here.placement, key[i]));
    }
    MPI_Allreduce(&here.seen, &seen, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&count, &brought, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(seen == brought && here.calls == 1);
    free(key);
    free(record);
    free(replies);
}

static void against_the_oracle(void) {
    static const char *const methods[] = {NULL, "node", "alltoall", "reduce-scatter", "nbx"};
    static const int64_t limits[] = {0, 1, 5, 1000, INT64_C(1) << 50};
    for (int m = 0; m < 4; m++)
        for (int l = 0; l < 5; l++) ask((uint64_t)(10 * m + l), limits[l], methods[m]);
}

/* ---- placement, edges, mistakes ------------------------------------------------------------------------ */

static void blocks_cover_the_range(void) {
    for (int many = 1; many < 20; many++)
        for (int64_t limit = 1; limit < 60; limit++) {
            const qdri_placement placement = {many, limit};
            CHECK(qdri_block_start(&placement, 0) == 0 && qdri_block_start(&placement, many) == limit);
            for (int64_t key = 0; key < limit; key++) {
                int owner = qdri_owner(&placement, key);
                CHECK(owner >= 0 && owner < many && key >= qdri_block_start(&placement, owner) &&
                      key < qdri_block_start(&placement, owner + 1));
            }
        }
}

static void hash_spreads(void) {
    const qdri_placement placement = {7, 0};
    int share[7] = {0};
    for (int64_t key = -35000; key < 35000; key++) share[qdri_owner(&placement, key)]++;
    for (int i = 0; i < 7; i++)
        CHECK_SAYING(share[i] > 9500 && share[i] < 10500, "%d of 70000 keys", share[i]);
}

static void nothing_comes_back(void) {
    int64_t keys[3] = {5, 6, 5}, seen = 0;
    stage here = {.placement = {ranks, 0}};
    qdri_rendezvous call = {.count = 3, .key = keys, .answer = listen, .context = &here};
    CHECK_OK(meet(&call));
    MPI_Allreduce(&here.seen, &seen, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(seen == 3 * ranks);
}

static void check_refusal(const qdri_rendezvous *call, qdr_status expected, const char *words) {
    qdr_status status = meet(call);
    CHECK_SAYING(status == expected, "status %d, not %d: %s", status, expected, qdr_error_message());
    CHECK_SAYING(strstr(qdr_error_message(), words), "'%s' does not say '%s'", qdr_error_message(), words);
}

static void mistakes(void) {
    int64_t keys[2] = {5, 6}, replies[6] = {-1, -1};
    int wrong = rank == ranks - 1;
    stage here = {.placement = {ranks, 0}, .fails = wrong};
    qdri_rendezvous call = {.limit = 100, .count = 2, .key = keys, .answer = listen, .context = &here};
    keys[1] = wrong ? 100 : 6;
    check_refusal(&call, QDR_ERR_RANGE, "key 1 is 100; expected 0 to 99");
    keys[1] = 6;
    call.record_bytes = wrong ? 8 : 0;
    call.record = replies;
    if (ranks > 1)
        check_refusal(&call, QDR_ERR_MISMATCH, "differ in the size of a record: 0 and 8; expected");
    call.record_bytes = 8;
    call.count = wrong ? -1 : 0;
    check_refusal(&call, QDR_ERR_RANGE, "-1 items");
    call.count = 2;
    call.answer = wrong ? NULL : listen;
    check_refusal(&call, QDR_ERR_INVALID, "NULL");
    call.answer = count_keys;
    call.limit = 0;
    call.reply_bytes = sizeof(reply);
    call.reply = replies;
    check_refusal(&call, QDR_ERR_SYNTAX, "the owner is tired");
    CHECK(replies[0] == -1);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    blocks_cover_the_range();
    hash_spreads();
    against_the_oracle();
    nothing_comes_back();
    mistakes();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
