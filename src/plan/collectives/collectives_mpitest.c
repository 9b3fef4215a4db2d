/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The regular exchanges against MPI's own: every name of the algorithm table against MPI_Alltoall, and both
 * broadcasts against what MPI_Bcast brings on a communicator of the same group; then what is kept, what is
 * refused, and what is left behind.
 */
#include "quadrille/collectives.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mpi_check.h"
#include "quadrille/schedule.h"
#include "wire/inside.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static int rank, ranks;
static const int64_t sizes[] = {0, 1, 1000, 100000};

static unsigned char *make_bytes(int64_t bytes) {
    unsigned char *made = calloc((size_t)bytes + 1, 1);
    if (!made) MPI_Abort(MPI_COMM_WORLD, 1);
    return made;
}

static void fill(unsigned char *data, int64_t bytes, uint64_t seed) {
    for (int64_t i = 0; i < bytes; i++) data[i] = (unsigned char)qdri_mix(seed << 32 ^ (uint64_t)i);
}

/* The same everywhere: the number of ranks that say yes. */
static int votes(int yes) {
    int all = 0;
    MPI_Allreduce(&yes, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* How many plans this process was part of, apart from those that asking for it counts. */
static int64_t plans_made(MPI_Comm comm) {
    static int64_t asked;
    qdri_wire *wire;
    CHECK(qdri_wire_open(comm, &wire) == QDR_OK);
    int64_t plans = qdri_wire_next_plan(wire) - asked++;
    qdri_wire_release(&wire);
    return plans;
}

static int wires(void) {
    int count = 0;
    for (const qdri_wire *wire = qdri_wires; wire; wire = wire->next) count++;
    return count;
}

/* ---- complete exchange --------------------------------------------------------------------------------- */

static void exchange(MPI_Comm comm, const char *algorithm, int64_t bytes, int round) {
    unsigned char *out = make_bytes(bytes * ranks), *in = make_bytes(bytes * ranks),
                  *expected = make_bytes(bytes * ranks);
    fill(out, bytes * ranks, (uint64_t)(100 * round + rank));
    MPI_Alltoall(out, (int)bytes, MPI_BYTE, expected, (int)bytes, MPI_BYTE, comm);
    qdr_status status = qdr_alltoall(comm, algorithm, bytes, out, in);
    CHECK_SAYING(status == QDR_OK, "%s, %lld bytes: %s", algorithm ? algorithm : "NULL", (long long)bytes,
                 qdr_error_message());
    if (votes(status != QDR_OK)) MPI_Abort(MPI_COMM_WORLD, 1);
    CHECK_SAYING(memcmp(in, expected, (size_t)(bytes * ranks) + 1) == 0, "%s, %lld bytes, round %d: wrong",
                 algorithm ? algorithm : "NULL", (long long)bytes, round);
    free(out);
    free(in);
    free(expected);
}

/* All sizes, each twice in a row, so that two exchanges of one plan meet. */
static void exchange_sizes(const char *algorithm) {
    for (int s = 0; s < COUNT(sizes); s++)
        for (int round = 0; round < 2; round++) exchange(MPI_COMM_WORLD, algorithm, sizes[s], round);
}

static void refuse_without_machine(const char *algorithm) {
    unsigned char *out = make_bytes(ranks), *in = make_bytes(ranks);
    qdr_status status = qdr_alltoall(MPI_COMM_WORLD, algorithm, 1, out, in);
    CHECK_SAYING(status == QDR_ERR_INVALID, "%s without a machine: %s", algorithm, qdr_status_text(status));
    free(out);
    free(in);
}

/* Every name that the table has, the papers' names included. */
static void test_every_name(void) {
    const qdr_algorithm_info *info;
    for (int index = 0; (info = qdr_algorithm(index)); index++) {
        if (info->needs_machine) {
            refuse_without_machine(info->name);
            continue;
        }
        exchange_sizes(info->name);
        char aliases[100], *rest = aliases;
        snprintf(aliases, sizeof aliases, "%s", info->aliases);
        for (char *name; (name = strtok_r(rest, " ", &rest));) exchange(MPI_COMM_WORLD, name, 1000, 2);
    }
    exchange_sizes(NULL);
    exchange_sizes("random-split:limit=0.4,seed=3");
    exchange_sizes("two-stage:scheme=destination");
}

/* One plan for all names of an algorithm and all sizes; another for other options, another communicator. */
static void test_kept(void) {
    static const char *const same[] = {"PEX", "pairwise", "LP", "pex", "linear-permutation"};
    MPI_Comm comm, other;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(comm, &other);
    int64_t before = plans_made(comm);
    for (int i = 0; i < COUNT(same); i++) exchange(comm, same[i], 10 * i, i);
    CHECK(plans_made(comm) == before + 1);
    /* All share a node: there the default is no algorithm's plan. */
    for (int i = 0; i < 3; i++) exchange(comm, NULL, i * 100000, i);
    CHECK(plans_made(comm) == before + 2);
    before++;
    exchange(comm, "random:seed=1", 8, 0);
    exchange(comm, "random:seed=2", 8, 0);
    exchange(comm, "random:seed=1", 8, 1);
    CHECK(plans_made(comm) == before + 3);
    exchange(other, "PEX", 8, 0);
    CHECK(plans_made(comm) == before + 4);
    MPI_Comm_free(&comm);
    exchange(other, "PEX", 8, 0);
    MPI_Comm_free(&other);
}

static int released;
static void count_released(qdri_keepsake *keepsake) {
    (void)keepsake;
    released++;
}

/* A freed communicator leaves nothing, although the plans that it kept owned its wire. */
static void test_released(void) {
    int before = wires();
    for (int i = 0; i < 20; i++) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
        exchange(comm, i % 2 ? "REX" : "GS", 100, i);
        exchange(comm, "paced", 100, i);
        CHECK(wires() == before + 1);
        MPI_Comm_free(&comm);
        CHECK_SAYING(wires() == before, "%d wires are left of %d", wires(), before);
    }
    MPI_Comm comm;
    qdri_wire *wire;
    qdri_keepsake mine = {.release = count_released, .name = "mine"};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK(qdri_wire_open(comm, &wire) == QDR_OK);
    qdri_wire_keep(wire, &mine);
    CHECK(qdri_wire_kept(wire, count_released, "mine") == &mine);
    CHECK(qdri_wire_kept(wire, count_released, "yours") == NULL && released == 0);
    MPI_Comm_free(&comm);
    CHECK(released == 1 && qdri_wire_state(wire) == QDR_ERR_GONE);
    qdri_wire_release(&wire);
    CHECK(wires() == before);
}

/* What is wrong on one rank at the first call is an error on all, and the communicator is as good as
 * before. */
static void test_exchange_refusals(void) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int last = rank == ranks - 1;
    unsigned char *out = make_bytes(8 * ranks), *in = make_bytes(8 * ranks);
    CHECK(qdr_alltoall(comm, "no-such", 8, out, in) == QDR_ERR_UNKNOWN);
    CHECK(qdr_alltoall(comm, "PEX:no=1", 8, out, in) == QDR_ERR_SYNTAX);
    CHECK(qdr_alltoall(MPI_COMM_NULL, "PEX", 8, out, in) == QDR_ERR_INVALID);
    CHECK(qdr_alltoall(comm, "PEX", last ? -1 : 8, out, in) == QDR_ERR_RANGE);
    CHECK(qdr_alltoall(comm, "PEX", 8, last ? NULL : out, in) == QDR_ERR_INVALID);
    CHECK(qdr_alltoall(comm, "PEX", 8, out, last ? NULL : in) == QDR_ERR_INVALID);
    CHECK(qdr_alltoall(comm, "PEX", INT64_MAX, out, in) == QDR_ERR_RANGE);
    CHECK(strstr(qdr_error_message(), "; expected 0 to 4611686018427387904") || ranks > 1);
    if (ranks > 1) CHECK(qdr_alltoall(comm, "PEX", last ? 7 : 8, out, in) == QDR_ERR_MISMATCH);
    CHECK(qdr_alltoall(comm, "PEX", 0, NULL, NULL) == QDR_OK);
    CHECK(qdr_alltoall(comm, "PEX", 8, out, out) == QDR_ERR_INVALID);
    CHECK(qdr_alltoall(comm, "PEX", -1, out, in) == QDR_ERR_RANGE);
    exchange(comm, "PEX", 8, 0);
    MPI_Comm_free(&comm);
    free(out);
    free(in);
}

/* ---- broadcast ----------------------------------------------------------------------------------------- */

static int place_of(int count, const int *group, int member) {
    for (int k = 0; k < count; k++)
        if (group[k] == member) return k;
    return -1;
}

static const char *broadcast_name(int round) {
    static const char *const names[] = {"LIB", "REB", "linear", "recursive", NULL};
    return names[round % COUNT(names)];
}

/* The group gets what its first has, as `seed` makes it; and the bytes behind stay. */
static void broadcast(const char *algorithm, int count, const int *group, int64_t bytes, uint64_t seed) {
    unsigned char *data = make_bytes(bytes), *expected = make_bytes(bytes);
    fill(expected, bytes, seed);
    if (rank == group[0]) memcpy(data, expected, (size_t)bytes);
    qdr_status status = qdr_broadcast(MPI_COMM_WORLD, algorithm, count, group, data, bytes);
    CHECK_SAYING(status == QDR_OK, "%lld bytes to %d from %d: %s", (long long)bytes, count, group[0],
                 qdr_error_message());
    CHECK_SAYING(memcmp(data, expected, (size_t)bytes + 1) == 0, "%lld bytes to %d from %d: wrong",
                 (long long)bytes, count, group[0]);
    free(data);
    free(expected);
}

/* Against MPI_Bcast, over everyone, from every root. */
static void test_broadcast_to_all(void) {
    for (int root = 0; root < ranks; root++)
        for (int s = 0; s < COUNT(sizes); s++) {
            int group[64];
            unsigned char *data = make_bytes(sizes[s]), *expected = make_bytes(sizes[s]);
            for (int k = 0; k < ranks; k++) group[k] = (root + k) % ranks;
            fill(data, sizes[s], (uint64_t)rank);
            memcpy(expected, data, (size_t)sizes[s]);
            MPI_Bcast(expected, (int)sizes[s], MPI_BYTE, root, MPI_COMM_WORLD);
            qdr_status status =
                qdr_broadcast(MPI_COMM_WORLD, broadcast_name(root + s), ranks, group, data, sizes[s]);
            CHECK_SAYING(status == QDR_OK, "%s", qdr_error_message());
            CHECK(memcmp(data, expected, (size_t)sizes[s]) == 0);
            free(data);
            free(expected);
        }
}

/* The ranks in random order are cut into groups of random sizes, which broadcast at the same time; the next
 * cut overlaps with it in all ways, and nobody waits in between. */
static void test_groups(void) {
    enum { ROUNDS = 200 };
    qdri_random random = qdri_random_seed(7);
    int order[64];
    for (int round = 0; round < ROUNDS; round++) {
        for (int r = 0; r < ranks; r++) order[r] = r;
        qdri_random_shuffle(&random, order, ranks); /* the same everywhere */
        int64_t bytes = round % 20 ? (int64_t)qdri_random_below(&random, 300) : 100000;
        for (int begin = 0, count; begin < ranks; begin += count) {
            count = 1 + (int)qdri_random_below(&random, (uint64_t)(ranks - begin));
            if (place_of(count, order + begin, rank) >= 0)
                broadcast(broadcast_name(round), count, order + begin, bytes, (uint64_t)(round * 64 + begin));
        }
    }
}

/* Many broadcasts of one rank run ahead of the others, of different groups, sizes and roots; then back. */
static void test_order(void) {
    int forth[64], back[64];
    for (int k = 0; k < ranks; k++) {
        forth[k] = k;
        back[k] = ranks - 1 - k;
    }
    for (int i = 0; i < 100; i++) {
        int count = 1 + i % ranks;
        if (place_of(count, forth, rank) >= 0) broadcast(broadcast_name(i), count, forth, i % 7, (uint64_t)i);
        if (i % 10 == 9) broadcast(broadcast_name(i), ranks, back, 10 + i, (uint64_t)i);
    }
}

static void test_broadcast_refusals(void) {
    int twice[] = {0, 0}, outside[] = {0, ranks}, negative[] = {0, -1}, own[] = {rank},
        other[] = {(rank + 1) % ranks};
    char byte = 1;
    CHECK(qdr_broadcast(MPI_COMM_WORLD, "LIB", 2, twice, &byte, 1) == QDR_ERR_INVALID);
    CHECK(qdr_broadcast(MPI_COMM_WORLD, "LIB", 2, outside, &byte, 1) == QDR_ERR_RANGE);
    CHECK(qdr_broadcast(MPI_COMM_WORLD, "LIB", 2, negative, &byte, 1) == QDR_ERR_RANGE);
    CHECK(qdr_broadcast(MPI_COMM_WORLD, "LIB", 0, own, &byte, 1) == QDR_ERR_INVALID);
    CHECK(qdr_broadcast(MPI_COMM_WORLD, "LIB", 1, NULL, &byte, 1) == QDR_ERR_INVALID);
    CHECK(qdr_broadcast(MPI_COMM_WORLD, "ring", 1, own, &byte, 1) == QDR_ERR_UNKNOWN);
    CHECK(qdr_broadcast(MPI_COMM_WORLD, "LIB", 1, own, &byte, -1) == QDR_ERR_RANGE);
    CHECK(qdr_broadcast(MPI_COMM_WORLD, "LIB", 1, own, NULL, 1) == QDR_ERR_INVALID);
    CHECK(qdr_broadcast(MPI_COMM_WORLD, "LIB", 1, own, NULL, 0) == QDR_OK);
    if (ranks > 1) CHECK(qdr_broadcast(MPI_COMM_WORLD, "LIB", 1, other, &byte, 1) == QDR_ERR_INVALID);
    CHECK(byte == 1);
}

/* A communicator that was not prepared is refused at once, and not waited on. */
static void test_prepare(void) {
    MPI_Comm comm;
    int own[] = {rank};
    char byte = 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK(qdr_broadcast(comm, NULL, 1, own, &byte, 1) == QDR_ERR_INVALID);
    CHECK(strstr(qdr_error_message(), "qdr_prepare"));
    CHECK(qdr_prepare(comm) == QDR_OK && qdr_prepare(comm) == QDR_OK);
    CHECK(qdr_broadcast(comm, NULL, 1, own, &byte, 1) == QDR_OK);
    MPI_Comm_free(&comm);
    CHECK(qdr_prepare(MPI_COMM_NULL) == QDR_ERR_INVALID);
}

/* ---- deadlines ----------------------------------------------------------------------------------------- */

/* Collective. The deadline of the environment holds from the next communicator on that the library sees. */
static void set_deadline(const char *seconds) {
    MPI_Comm fresh;
    if (seconds)
        setenv("QDR_DEADLINE", seconds, 1);
    else
        unsetenv("QDR_DEADLINE");
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    CHECK(qdr_prepare(fresh) == QDR_OK);
    MPI_Comm_free(&fresh);
}

/* Rank 0 does not come. Its partners say so after the deadline, and the communicator is not used again. */
static void test_deadlines(void) {
    MPI_Comm comm;
    unsigned char *out = make_bytes(ranks), *in = make_bytes(ranks);
    int pair[] = {0, 1};
    for (int with_broadcast = 0; with_broadcast < 2; with_broadcast++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        CHECK(qdr_alltoall(comm, "BEX", 1, out, in) == QDR_OK);
        set_deadline("0.3");
        if (with_broadcast ? rank == 1 : rank > 0) {
            qdr_status status = with_broadcast ? qdr_broadcast(comm, "REB", 2, pair, out, 1)
                                               : qdr_alltoall(comm, "BEX", 1, out, in);
            CHECK_SAYING(status == QDR_ERR_STALLED, "%s: %s", qdr_status_text(status), qdr_error_message());
            if (with_broadcast) CHECK(strstr(qdr_error_message(), "waiting for rank 0"));
            CHECK(qdr_alltoall(comm, "BEX", 1, out, in) == QDR_ERR_LOST);
            CHECK(qdr_broadcast(comm, "REB", 2, pair, out, 1) ==
                  (rank == 1 ? QDR_ERR_LOST : QDR_ERR_INVALID));
        }
        MPI_Barrier(MPI_COMM_WORLD);
        set_deadline(NULL);
        MPI_Comm_free(&comm);
    }
    free(out);
    free(in);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    test_prepare();
    test_every_name();
    test_kept();
    test_released();
    test_exchange_refusals();
    test_broadcast_to_all();
    test_groups();
    test_order();
    test_broadcast_refusals();
    test_deadlines();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
