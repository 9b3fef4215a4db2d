/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Discovery of parcels, by each method, against a dense exchange by MPI; for any number of ranks.
 */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "wire/flight.h"
#include "mpi_check.h"
#include "quadrille/discover.h"

static const char *const methods[] = {NULL, "node", "alltoall", "reduce-scatter", "nbx"};
enum { METHODS = sizeof methods / sizeof *methods, NODE = 1, NO_PARCEL = -1, LARGE = 2 << 20 };

static int rank, ranks;

#define CHECK_OK(call) CHECK_SAYING((call) == QDR_OK, "%s: %s", #call, qdr_error_message())

static char letter(int from, int to, int64_t at) {
    return (char)(7 * from + 13 * to + at);
}

/* ---- against the oracle -------------------------------------------------------------------------------- */

static qdr_parcel *make_parcels(const int64_t *bytes, int *count) {
    qdr_parcel *out = malloc(((size_t)ranks + 1) * sizeof *out);
    *count = 0;
    for (int i = ranks - 1; i >= 0; i--) { /* the order is the caller's own */
        if (bytes[i] == NO_PARCEL) continue;
        char *data = bytes[i] ? malloc((size_t)bytes[i]) : NULL;
        for (int64_t k = 0; k < bytes[i]; k++) data[k] = letter(rank, i, k);
        out[(*count)++] = (qdr_parcel){i, bytes[i], data};
    }
    return out;
}

static void free_parcels(qdr_parcel *out, int count) {
    for (int i = 0; i < count; i++) free(out[i].data);
    free(out);
}

static void check_parcel(const qdr_parcel *came) {
    const char *data = came->data;
    CHECK((uintptr_t)data % 16 == 0);
    for (int64_t k = 0; k < came->bytes; k++)
        if (data[k] != letter(came->rank, rank, k)) {
            CHECK_SAYING(0, "byte %lld of %lld from rank %d is wrong", (long long)k, (long long)came->bytes,
                         came->rank);
            return;
        }
}

/* bytes[i] goes to rank i. */
static void discover(const int64_t *bytes, const char *method) {
    int64_t *expected = malloc((size_t)ranks * sizeof *expected);
    int count, arrived = -1, next = 0;
    qdr_parcel *out = make_parcels(bytes, &count), *in = NULL;
    MPI_Alltoall(bytes, 1, MPI_INT64_T, expected, 1, MPI_INT64_T, MPI_COMM_WORLD);
    CHECK_OK(qdr_discover(MPI_COMM_WORLD, method, count, out, &arrived, &in));
    for (int i = 0; i < ranks; i++) {
        if (expected[i] == NO_PARCEL) continue;
        CHECK(next < arrived && in[next].rank == i && in[next].bytes == expected[i]);
        if (next < arrived) check_parcel(&in[next]);
        next++;
    }
    CHECK_SAYING(arrived == next, "%d parcels came by %s, not %d", arrived, method ? method : "default",
                 next);
    free(in);
    free_parcels(out, count);
    free(expected);
}

typedef int64_t size_function(qdri_random *random, int to);

static int64_t nothing(qdri_random *random, int to) {
    return (void)random, (void)to, NO_PARCEL;
}
static int64_t empty_to_all(qdri_random *random, int to) {
    return (void)random, (void)to, 0;
}
static int64_t self_only(qdri_random *random, int to) {
    return (void)random, to == rank ? 33 : NO_PARCEL;
}
static int64_t all_to_last(qdri_random *random, int to) {
    return (void)random, to == ranks - 1 ? 100 : NO_PARCEL;
}
static int64_t one_sender(qdri_random *random, int to) {
    return (void)random, rank == ranks / 2 ? 1 + to : NO_PARCEL;
}
static int64_t sparse(qdri_random *random, int to) {
    return (void)to, qdri_random_below(random, 3) ? NO_PARCEL : (int64_t)qdri_random_below(random, 64);
}
/* Around the size up to which parcels travel along. */
static int64_t around_the_edge(qdri_random *random, int to) {
    return (void)to, 4094 + (int64_t)qdri_random_below(random, 5);
}
static int64_t mixed(qdri_random *random, int to) {
    static const int64_t sizes[] = {NO_PARCEL, NO_PARCEL, 0, 1, 8, 4096, 4097, 70000};
    return (void)to, sizes[qdri_random_below(random, 8)];
}
static int64_t large_ring(qdri_random *random, int to) {
    return (void)random, to == (rank + 1) % ranks ? LARGE + rank : NO_PARCEL;
}

/* `node` needs one; and with many ranks, the patterns with few bytes. */
static void patterns_against_the_oracle(int has_node, int few) {
    static size_function *const shapes[] = {nothing, self_only,    all_to_last,     one_sender, large_ring,
                                            sparse,  empty_to_all, around_the_edge, mixed,      mixed};
    size_t count = few ? 4 : sizeof shapes / sizeof *shapes;
    int64_t *bytes = malloc((size_t)ranks * sizeof *bytes);
    qdri_random random = qdri_random_seed(100 + (uint64_t)rank);
    for (int m = 0; m < METHODS; m++)
        for (size_t s = 0; s < count && (has_node || m != NODE); s++) {
            for (int i = 0; i < ranks; i++) bytes[i] = shapes[s](&random, i);
            discover(bytes, methods[m]);
        }
    free(bytes);
}

/* Nothing between the rounds holds fast ranks back. Each parcel carries its round's number. */
static void rounds_back_to_back(const char *method) {
    qdri_random random = qdri_random_seed(5 + (uint64_t)rank);
    for (int64_t round = 0; round < 200; round++) {
        qdr_parcel out[3], *in = NULL;
        int count = 0, arrived = 0, shift = 1 + (int)(round % ranks), total = 0;
        if (qdri_random_below(&random, 4)) out[count++] = (qdr_parcel){(rank + shift) % ranks, 8, &round};
        CHECK_OK(qdr_discover(MPI_COMM_WORLD, method, count, out, &arrived, &in));
        CHECK(arrived <= 1);
        for (int i = 0; i < arrived; i++) {
            int64_t number = -1;
            memcpy(&number, in[i].data, sizeof number);
            CHECK_SAYING(number == round, "a parcel of round %lld came in round %lld", (long long)number,
                         (long long)round);
            CHECK((in[i].rank + shift) % ranks == rank);
            total++;
        }
        free(in);
        if (total != arrived) break;
    }
}

/* ---- mistakes ------------------------------------------------------------------------------------------ */

/* All ranks must have returned this status, with the same sentence, and it must contain `words`. */
static void check_refusal(qdr_status status, qdr_status expected, const char *words) {
    char own[1024], first[1024];
    snprintf(own, sizeof own, "%s", qdr_error_message());
    memcpy(first, own, sizeof own);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK_SAYING(status == expected, "status %d, not %d: %s", status, expected, own);
    CHECK_SAYING(strstr(own, words), "'%s' does not say '%s'", own, words);
    CHECK_SAYING(!strcmp(own, first), "'%s' is not '%s'", own, first);
}

/* The last rank makes the mistake. */
static void refuse(const char *method, int count, const qdr_parcel *out, qdr_status expected,
                   const char *words) {
    qdr_parcel *in = (void *)&rank;
    int arrived = -5, wrong = rank == ranks - 1;
    qdr_status status = qdr_discover(MPI_COMM_WORLD, wrong ? method : NULL, wrong ? count : 0,
                                     wrong ? out : NULL, &arrived, &in);
    check_refusal(status, expected, words);
    CHECK(in == (void *)&rank && arrived == -5);
}

static void mistakes_are_everybodys(void) {
    char byte = 0;
    const qdr_parcel beyond[] = {{ranks, 1, &byte}}, below[] = {{-1, 1, &byte}}, bare[] = {{0, 1, NULL}};
    const qdr_parcel shrunk[] = {{0, -3, &byte}}, two[] = {{0, 1, &byte}, {0, 1, &byte}};
    refuse(NULL, 1, beyond, QDR_ERR_RANGE, "expected 0 to");
    refuse(NULL, 1, below, QDR_ERR_RANGE, "parcel 0 is rank -1");
    refuse(NULL, 1, bare, QDR_ERR_INVALID, "its data is NULL");
    refuse(NULL, 1, shrunk, QDR_ERR_RANGE, "-3 bytes; expected 0 to 9223372036854775807");
    refuse(NULL, -1, NULL, QDR_ERR_RANGE, "the number of parcels is -1");
    refuse(NULL, 1, NULL, QDR_ERR_INVALID, "is NULL");
    if (ranks > 1) refuse(NULL, 2, two, QDR_ERR_INVALID, "rank 0 is given twice");
    refuse(NULL, ranks + 1, two, QDR_ERR_RANGE, "expected each rank once");
    refuse("telepathy", 0, NULL, QDR_ERR_UNKNOWN, "there are node, alltoall, reduce-scatter, nbx");
    if (ranks > 1) refuse("nbx", 0, NULL, QDR_ERR_MISMATCH, "differ in the way of discovery");
    CHECK(qdr_discover(MPI_COMM_NULL, NULL, 0, NULL, NULL, NULL) == QDR_ERR_INVALID);
    discover((int64_t[64]){0}, NULL); /* and life goes on */
}

static void different_calls_meet(void) {
    qdr_parcel *in = NULL;
    int arrived;
    qdr_partners *partners = NULL;
    if (ranks == 1) return;
    qdr_status status =
        rank ? qdr_discover(MPI_COMM_WORLD, NULL, 0, NULL, &arrived, &in)
             : qdr_partners_from_both(MPI_COMM_WORLD, 0, NULL, NULL, 0, NULL, NULL, 1, &partners);
    check_refusal(
        status, QDR_ERR_MISMATCH,
        "ranks are in different collective calls: rank 0 in qdr_partners_from_both without a check, rank");
}

static void table(void) {
    const qdr_discovery_info *info;
    for (int i = 0; i < METHODS - 1; i++) {
        CHECK((info = qdr_discovery(i)));
        CHECK(!strcmp(info->name, methods[i + 1]) && info->summary[0]);
    }
    CHECK(!qdr_discovery(METHODS - 1) && !qdr_discovery(-1));
}

/* ---- deadlines ----------------------------------------------------------------------------------------- */

/* A receive that nothing comes for, and a send that is taken only when its flight has been abandoned. */
static void deadline_inside_a_flight(void) {
    enum { TAG = QDRI_FREE_TAGS - 1 };
    MPI_Comm comm;
    qdri_wire *wire, *kept;
    qdri_flight *flight;
    static char room[8];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK_OK(qdri_flight_open(comm, "test", &wire, &flight));
    kept = qdri_wire_retain(wire);
    flight->deadline = qdri_seconds() + 0.05;
    qdri_flight_leg *legs = qdri_flight_legs(flight, 2);
    char *memory = qdri_flight_alloc(flight, 8, 1);
    int sends = rank % 2 == 1, receives = rank % 2 == 0 && rank + 1 < ranks;
    if (sends)
        qdri_flight_note(legs, qdri_send_matched(wire, &legs->operation, rank - 1, TAG, memory, 8));
    else {
        legs->is_receive = 1;
        qdri_flight_note(legs, qdri_receive(wire, &legs->operation, rank, TAG, memory, 8));
    }
    CHECK(qdri_flight_wait(flight) == QDR_ERR_STALLED);
    CHECK(strstr(qdr_error_message(), "the test did not end before the deadline; 1 operations"));
    char missed[60];
    snprintf(missed, sizeof missed, sends ? "not taken by rank %d" : "nothing has come from rank %d",
             sends ? rank - 1 : rank);
    CHECK_SAYING(strstr(qdr_error_message(), missed) != NULL, "%s", qdr_error_message());
    CHECK(qdri_wire_state(wire) == QDR_ERR_LOST);
    qdri_flight_close(&wire, &flight);
    MPI_Barrier(MPI_COMM_WORLD);
    if (receives) {
        qdri_flight *second = qdri_flight_create(kept, "second test");
        qdri_flight_leg *leg = qdri_flight_legs(second, 1);
        qdri_flight_note(leg, qdri_receive(kept, &leg->operation, rank + 1, TAG, room, 8));
        CHECK_OK(qdri_flight_wait(second));
        qdri_flight_end(&second);
    }
    for (int i = 0; sends && i < 2000; i++) (void)qdri_progress(NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    qdri_wire_release(&kept);
    MPI_Comm_free(&comm);
}

/* The last rank waits in vain in the middle of a call, whose end the others have come to. All are told of it alike, and that
 * nothing goes on afterwards. */
static void deadline_midway(const char *node_ranks) {
    MPI_Comm comm;
    qdri_wire *wire;
    qdri_flight *flight;
    static char sentence[2][600], first[600];
    setenv("QDR_NODE_RANKS", node_ranks, 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK_OK(qdri_flight_open(comm, "test", &wire, &flight));
    flight->deadline = qdri_seconds() + (rank == ranks - 1 ? 0.05 : 5);
    qdri_flight_leg *leg = qdri_flight_legs(flight, 1);
    char *memory = qdri_flight_alloc(flight, 8, 1);
    qdr_status status;
    if (rank == ranks - 1) {
        leg->is_receive = 1;
        qdri_flight_note(leg, qdri_receive(wire, &leg->operation, rank, QDRI_FREE_TAGS - 1, memory, 8));
        status = qdri_flight_wait_midway(flight);
    } else {
        status = qdri_flight_agree(wire, flight, "the test", QDR_OK);
    }
    CHECK(status == QDR_ERR_STALLED);
    snprintf(sentence[0], sizeof *sentence, "%s", qdr_error_message());
    CHECK(qdri_flight_agree(wire, flight, "another call", QDR_OK) == QDR_ERR_LOST);
    snprintf(sentence[1], sizeof *sentence, "%s", qdr_error_message());
    for (int i = 0; i < 2; i++) {
        memcpy(first, sentence[i], sizeof first);
        MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
        CHECK_SAYING(strcmp(first, sentence[i]) == 0, "'%s', but rank 0 '%s'", sentence[i], first);
    }
    CHECK(strstr(first, "the test did not end before the deadline; 1 operations"));
    qdri_flight_close(&wire, &flight);
    MPI_Comm_free(&comm);
    unsetenv("QDR_NODE_RANKS");
}

/* Collective. The deadline of the environment holds from the next communicator on that the library sees. */
static void set_deadline(const char *seconds) {
    MPI_Comm fresh;
    qdr_parcel *in = NULL;
    int arrived;
    if (seconds)
        setenv("QDR_DEADLINE", seconds, 1);
    else
        unsetenv("QDR_DEADLINE");
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    CHECK(qdr_discover(fresh, NULL, 0, NULL, &arrived, &in) == QDR_OK);
    free(in);
    MPI_Comm_free(&fresh);
}

/* The first rank stays away; the others are told, and are told again at once. */
static void deadline_of_a_call(void) {
    MPI_Comm comm;
    qdr_parcel *in = NULL;
    int arrived;
    if (ranks == 1) return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK_OK(qdr_discover(comm, "nbx", 0, NULL, &arrived, &in));
    free(in);
    in = NULL;
    set_deadline("0.1");
    if (rank > 0) {
        CHECK(qdr_discover(comm, "nbx", 0, NULL, &arrived, &in) == QDR_ERR_STALLED && !in);
        CHECK(qdr_discover(comm, "nbx", 0, NULL, &arrived, &in) == QDR_ERR_LOST && !in);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    set_deadline(NULL);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    table();
    if (argc > 1 && !strcmp(argv[1], "few")) { /* no node, many ranks */
        patterns_against_the_oracle(0, 1);
        int few = mpi_check_verdict();
        MPI_Finalize();
        return few;
    }
    patterns_against_the_oracle(1, 0);
    for (int m = 0; m < METHODS; m++) rounds_back_to_back(methods[m]);
    mistakes_are_everybodys();
    different_calls_meet();
    deadline_inside_a_flight();
    deadline_midway("1000");
    deadline_midway("1");
    deadline_of_a_call();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
