/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Partners from sends, receives, both and a pattern, and the gathered matrix, against a dense matrix that MPI
 * exchanges; for any number of ranks.
 */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "discover/partners.h"
#include "mpi_check.h"
#include "quadrille/discover.h"

static const char *const methods[] = {NULL, "node", "alltoall", "reduce-scatter", "nbx"};
enum { METHODS = sizeof methods / sizeof *methods, NONE = -1, MOST = 64 };

static int rank, ranks;

#define CHECK_OK(call) CHECK_SAYING((call) == QDR_OK, "%s: %s", #call, qdr_error_message())

/* One side as lists, and as a dense vector with NONE where there is no entry. */
typedef struct side {
    int count, rank[MOST];
    int64_t items[MOST], dense[MOST];
} side;

static void list(side *one) {
    one->count = 0;
    for (int i = ranks - 1; i >= 0; i--) /* not by rising rank: the given order must be kept */
        if (one->dense[i] != NONE) {
            one->rank[one->count] = i;
            one->items[one->count++] = one->dense[i];
        }
}

/* A random row, and the column that goes with it. */
static void make_matrix(uint64_t seed, int density, side *row, side *column) {
    qdri_random random = qdri_random_seed(seed * 1000 + (uint64_t)rank);
    for (int i = 0; i < ranks; i++)
        row->dense[i] =
            (int)qdri_random_below(&random, 100) < density ? (int64_t)qdri_random_below(&random, 50) : NONE;
    MPI_Alltoall(row->dense, 1, MPI_INT64_T, column->dense, 1, MPI_INT64_T, MPI_COMM_WORLD);
    list(row);
    list(column);
}

static void check_given(const side *given, int count, const int *partner, const int64_t *items) {
    CHECK(count == given->count);
    if (count != given->count) return;
    CHECK(!memcmp(partner, given->rank, (size_t)count * sizeof *partner));
    CHECK(!memcmp(items, given->items, (size_t)count * sizeof *items));
}

static void check_rising(const side *expected, int count, const int *partner, const int64_t *items) {
    int at = 0;
    CHECK_SAYING(count == expected->count, "%d partners, not %d", count, expected->count);
    for (int i = 0; i < ranks; i++)
        if (expected->dense[i] != NONE) {
            CHECK(at < count && partner[at] == i && items[at] == expected->dense[i]);
            at++;
        }
}

/* Every rank sees the whole matrix. */
static void check_matrix(const qdr_pattern *pattern, const side *row) {
    int64_t *all = malloc((size_t)ranks * (size_t)ranks * sizeof *all), messages = 0;
    MPI_Allgather(row->dense, ranks, MPI_INT64_T, all, ranks, MPI_INT64_T, MPI_COMM_WORLD);
    qdr_pattern_view view = qdr_pattern_look(pattern);
    CHECK(view.ranks == ranks);
    for (int i = 0; i < ranks; i++) {
        int64_t own = all[i * ranks + i];
        CHECK(view.local[i] == (own == NONE ? 0 : own));
        for (int j = 0; j < ranks; j++) messages += i != j && all[i * ranks + j] > 0;
    }
    CHECK(view.messages == messages);
    for (int64_t m = 0; m < view.messages; m++)
        CHECK(view.items[m] == all[view.origin[m] * ranks + view.destination[m]]);
    free(all);
}

static void gather(qdr_partners *partners, const side *row) {
    qdr_pattern *first = NULL, *second = NULL;
    CHECK_OK(qdr_partners_gather(partners, &first));
    if (!first) return;
    check_matrix(first, row);
    CHECK(qdri_partners_pattern(partners) == first);
    if (rank == 0) CHECK_OK(qdr_partners_gather(partners, &second)); /* local: the others need not be there */
    CHECK(rank != 0 || second == first);
    qdr_pattern_destroy(&first);
    qdr_pattern_destroy(&second);
}

/* ---- what must work ------------------------------------------------------------------------------------ */

static void sends_and_receives(const side *row, const side *column, const char *method) {
    qdr_partners *partners = NULL;
    CHECK_OK(qdr_partners_from_sends(MPI_COMM_WORLD, row->count, row->rank, row->items, method, &partners));
    if (!partners) return;
    qdr_partners_view view = qdr_partners_look(partners);
    CHECK(view.rank == rank && view.ranks == ranks);
    check_given(row, view.sends, view.destination, view.send_items);
    check_rising(column, view.receives, view.source, view.receive_items);
    gather(partners, row);
    qdr_partners *shared = qdri_partners_retain(partners);
    qdr_partners_destroy(&partners);
    CHECK(!partners && qdr_partners_look(shared).sends == row->count);
    qdr_partners_destroy(&shared);

    CHECK_OK(qdr_partners_from_receives(MPI_COMM_WORLD, column->count, column->rank, column->items, method,
                                        &partners));
    if (!partners) return;
    view = qdr_partners_look(partners);
    check_rising(row, view.sends, view.destination, view.send_items);
    check_given(column, view.receives, view.source, view.receive_items);
    gather(partners, row);
    qdr_partners_destroy(&partners);
}

static void both(const side *row, const side *column) {
    for (int check = 0; check < 2; check++) {
        qdr_partners *partners = NULL;
        CHECK_OK(qdr_partners_from_both(MPI_COMM_WORLD, row->count, row->rank, row->items, column->count,
                                        column->rank, column->items, !check, &partners));
        if (!partners) return;
        qdr_partners_view view = qdr_partners_look(partners);
        check_given(row, view.sends, view.destination, view.send_items);
        check_given(column, view.receives, view.source, view.receive_items);
        gather(partners, row);
        qdr_partners_destroy(&partners);
    }
}

/* From the gathered matrix: the same partners, but for messages of nothing. */
static void pattern(const side *row, const side *column) {
    side no_zeros[2] = {*row, *column};
    qdr_partners *partners = NULL, *again = NULL;
    qdr_pattern *matrix = NULL;
    CHECK_OK(qdr_partners_from_sends(MPI_COMM_WORLD, row->count, row->rank, row->items, NULL, &partners));
    CHECK_OK(qdr_partners_gather(partners, &matrix));
    CHECK_OK(qdr_partners_from_pattern(MPI_COMM_WORLD, matrix, &again));
    if (again) {
        for (int s = 0; s < 2; s++) {
            for (int i = 0; i < ranks; i++)
                if (no_zeros[s].dense[i] == 0) no_zeros[s].dense[i] = NONE;
            list(&no_zeros[s]);
        }
        qdr_partners_view view = qdr_partners_look(again);
        check_rising(&no_zeros[0], view.sends, view.destination, view.send_items);
        check_rising(&no_zeros[1], view.receives, view.source, view.receive_items);
        CHECK(qdri_partners_pattern(again) == matrix);
    }
    qdr_pattern_destroy(&matrix);
    qdr_partners_destroy(&partners);
    qdr_partners_destroy(&again);
}

static void matrices(void) {
    static const int densities[] = {0, 10, 50, 100};
    for (int d = 0; d < 4; d++) {
        side row, column;
        make_matrix((uint64_t)d, densities[d], &row, &column);
        for (int m = 0; m < METHODS; m++) sends_and_receives(&row, &column, methods[m]);
        both(&row, &column);
        pattern(&row, &column);
    }
}

/* ---- what must be refused ------------------------------------------------------------------------------ */

static void check_refusal(qdr_status status, qdr_status expected, const char *words) {
    char own[1024], first[1024];
    snprintf(own, sizeof own, "%s", qdr_error_message());
    memcpy(first, own, sizeof own);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK_SAYING(status == expected, "status %d, not %d: %s", status, expected, own);
    CHECK_SAYING(strstr(own, words), "'%s' does not say '%s'", own, words);
    CHECK_SAYING(!strcmp(own, first), "'%s' is not '%s'", own, first);
}

/* One rank makes a mistake in one call; all the calls are right on the others. */
static void refuse(int count, const int *partner, const int64_t *items, qdr_status expected,
                   const char *words) {
    int wrong = rank == ranks / 2;
    qdr_partners *partners = NULL;
    char here[1100], prefix[32];
    snprintf(prefix, sizeof prefix, "rank %d: ", ranks / 2);
    if (!wrong) count = 0;
    snprintf(here, sizeof here, "%sdestination%s", prefix, words);
    check_refusal(qdr_partners_from_sends(MPI_COMM_WORLD, count, partner, items, NULL, &partners), expected,
                  here);
    snprintf(here, sizeof here, "%ssource%s", prefix, words);
    check_refusal(qdr_partners_from_receives(MPI_COMM_WORLD, count, partner, items, "nbx", &partners),
                  expected, here);
    for (int check = 0; check < 2; check++)
        check_refusal(
            qdr_partners_from_both(MPI_COMM_WORLD, 0, NULL, NULL, count, partner, items, !check, &partners),
            expected, here);
    CHECK(!partners);
}

static void mistakes(void) {
    qdr_partners *partners = NULL;
    const int beyond[] = {ranks}, zero[] = {0};
    const int64_t one[] = {1}, negative[] = {-1}, huge[] = {INT64_MAX};
    refuse(1, beyond, one, QDR_ERR_RANGE, " 0 is rank ");
    refuse(1, zero, negative, QDR_ERR_RANGE, " 0, rank 0, has -1 items");
    check_refusal(qdr_partners_from_sends(MPI_COMM_WORLD, 1, zero, huge, NULL, &partners), QDR_ERR_RANGE,
                  "2^62");
    check_refusal(qdr_partners_from_sends(MPI_COMM_WORLD, 1, zero, NULL, NULL, &partners), QDR_ERR_INVALID,
                  "is NULL");
    check_refusal(qdr_partners_from_sends(MPI_COMM_WORLD, 0, NULL, NULL, "x", &partners), QDR_ERR_UNKNOWN,
                  "unknown method");
    check_refusal(
        qdr_partners_from_sends(MPI_COMM_WORLD, 0, NULL, NULL, NULL, rank == ranks - 1 ? NULL : &partners),
        QDR_ERR_INVALID, "expected a handle");
    check_refusal(qdr_partners_from_pattern(MPI_COMM_WORLD, NULL, &partners), QDR_ERR_INVALID,
                  "the pattern is NULL");
    CHECK(qdr_partners_gather(NULL, NULL) == QDR_ERR_INVALID);
    CHECK(!partners);
    qdr_partners_destroy(&partners);
    qdr_partners_destroy(NULL);
}

/* The first rank sends `sent` items to the last, which expects `awaited`; NONE: no entry. */
static void disagree(int64_t sent, int64_t awaited) {
    const int from[] = {0}, to[] = {ranks - 1};
    int sends = rank == 0 && sent != NONE, receives = rank == ranks - 1 && awaited != NONE;
    qdr_partners *partners = NULL;
    char words[128];
    qdr_status status =
        qdr_partners_from_both(MPI_COMM_WORLD, sends, to, &sent, receives, from, &awaited, 0, &partners);
    int64_t said = sent == NONE ? 0 : sent, heard = awaited == NONE ? 0 : awaited;
    snprintf(words, sizeof words, "rank 0 sends %lld items to rank %d, which expects %lld", (long long)said,
             ranks - 1, (long long)heard);
    if (said != heard)
        check_refusal(status, QDR_ERR_MISMATCH, words);
    else
        CHECK_OK(status);
    qdr_partners_destroy(&partners);
}

/* A message of nothing that is not expected comes before one that is, and that nobody sends. */
static void disagree_after_nothing(void) {
    const int next[] = {1}, to[] = {ranks - 1};
    const int64_t none = 0, four = 4;
    int sends = rank == 0, receives = rank == ranks - 1;
    qdr_partners *partners = NULL;
    if (ranks < 2) return;
    check_refusal(
        qdr_partners_from_both(MPI_COMM_WORLD, sends, to, &none, receives, next, &four, 0, &partners),
        QDR_ERR_MISMATCH, "rank 1 sends 0 items to rank");
}

static void mismatches(void) {
    disagree(5, 4);
    disagree(5, NONE);
    disagree(NONE, 4);
    disagree(0, NONE);
    disagree(NONE, 0);
    disagree(7, 7);
    disagree_after_nothing();
}

static void different_patterns(void) {
    const qdr_message message = {0, ranks - 1, rank == 0 ? 3 : 4};
    qdr_pattern *matrix = NULL;
    qdr_partners *partners = NULL;
    if (ranks > 1) {
        CHECK_OK(qdr_pattern_create(ranks, 1, &message, &matrix));
        check_refusal(qdr_partners_from_pattern(MPI_COMM_WORLD, matrix, &partners), QDR_ERR_MISMATCH,
                      "the digest of the pattern");
        qdr_pattern_destroy(&matrix);
    }
    CHECK_OK(qdr_pattern_create(ranks + 1, 0, NULL, &matrix));
    check_refusal(qdr_partners_from_pattern(MPI_COMM_WORLD, matrix, &partners), QDR_ERR_INVALID,
                  "on a communicator of");
    qdr_pattern_destroy(&matrix);
    CHECK(!partners);
}

/* The communicator may go first, and even MPI. */
static qdr_partners *outlive_the_communicator(void) {
    MPI_Comm comm;
    qdr_partners *partners = NULL;
    qdr_pattern *matrix = NULL;
    const int64_t items = 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK_OK(qdr_partners_from_sends(comm, 1, &rank, &items, NULL, &partners));
    MPI_Comm_free(&comm);
    CHECK(qdr_partners_gather(partners, &matrix) == QDR_ERR_GONE && !matrix);
    return partners;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK_SAYING(ranks <= MOST, "this test has room for %d ranks", MOST);
    if (ranks <= MOST) {
        matrices();
        mistakes();
        mismatches();
        different_patterns();
    }
    qdr_partners *last = outlive_the_communicator();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    qdr_partners_destroy(&last);
    return verdict;
}
