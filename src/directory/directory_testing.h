/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of the directory have in common: checks of a status together with its sentence, on one rank
 * or alike on all of them, and communicators whose ranks stand on nodes of the test's making. After
 * "mpi_check.h".
 */
#ifndef QDRI_DIRECTORY_CASES_H
#define QDRI_DIRECTORY_CASES_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mpi_expect.h"
#include "quadrille/directory.h"

static int rank, ranks, last;

static inline void enter_mpi(int *count, char ***words) {
    MPI_Init(count, words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    last = ranks - 1;
}

static inline int leave_mpi(void) {
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}

/* ---- sentences ----------------------------------------------------------------------------------------- */

/* Whether a number stands in a sentence, as a whole. */
static inline int says_number(const char *sentence, int64_t number) {
    char text[32];
    size_t length = (size_t)snprintf(text, sizeof text, "%lld", (long long)number);
    for (const char *at = strstr(sentence, text); at; at = strstr(at + 1, text)) {
        int begins = at == sentence || (!isdigit((unsigned char)at[-1]) && at[-1] != '-');
        if (begins && !isdigit((unsigned char)at[length])) return 1;
    }
    return 0;
}

/* Collective: all ranks say the same. */
static inline void alike_at(const char *file, int line, qdr_status status) {
    enum { ROOM = 1200 };
    char own[ROOM] = "", first[ROOM];
    snprintf(own, sizeof own, "%s: %s", qdr_status_text(status), status ? qdr_error_message() : "");
    memcpy(first, own, sizeof first);
    MPI_Bcast(first, ROOM, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (strcmp(own, first)) mpi_check_failed(file, line, "'%s' here, '%s' on rank 0", own, first);
}

/* A mistake that all ranks hear of. */
#define EXPECT_ALIKE(call, wanted, word)                                                                     \
    do {                                                                                                     \
        qdr_status got = (call);                                                                             \
        expect_at(__FILE__, __LINE__, got, wanted, word);                                                    \
        alike_at(__FILE__, __LINE__, got);                                                                   \
    } while (0)

/* ---- ranks and nodes ----------------------------------------------------------------------------------- */

/* How many ranks stand on a node; 0: all that are on this machine. */
static const int node_ranks[] = {0, 1, 2};
enum { LAYOUTS = 3 };

static inline int is_one_node(int layout) {
    return node_ranks[layout] == 0 || node_ranks[layout] >= ranks;
}

/* Collective. A communicator of all ranks with that layout, which the library has seen. */
static inline MPI_Comm comm_on_nodes(int layout) {
    char text[16];
    MPI_Comm comm;
    qdr_directory *first = NULL;
    snprintf(text, sizeof text, "%d", node_ranks[layout]);
    if (node_ranks[layout])
        setenv("QDR_NODE_RANKS", text, 1);
    else
        unsetenv("QDR_NODE_RANKS");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    FINE(qdr_directory_create(comm, NULL, &first));
    FINE(qdr_directory_destroy(&first));
    unsetenv("QDR_NODE_RANKS");
    return comm;
}

/* ---- limits -------------------------------------------------------------------------------------------- */

/* The largest place that an entry can have. */
static inline int64_t most_local(void) {
    int bits = 0;
    while (1 << bits < ranks) bits++;
    return INT64_MAX >> bits;
}

static inline int64_t sum_of(int64_t value) {
    int64_t sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* Some number that follows from three. */
static inline uint64_t drawn(uint64_t a, uint64_t b, uint64_t c) {
    return qdri_mix(qdri_mix(qdri_mix(a) ^ b) + c);
}

#endif
