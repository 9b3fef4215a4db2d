/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scale SIZES BYTES METHOD...: what an exchange between all ranks takes in simulated time, by each method: `mpi-pairwise` (MPI_Sendrecv
 * with the rank one ahead, then two, ...) or an algorithm of plans, behind a slash its pacing, and before a star the number of exchanges, of which the
 * last counts (6*pairwise/arrivals). SIZES is how lengths of messages are distributed, with a mean of BYTES:
 * equal, uniform, normal or powerlaw. No rank holds more than its own row and column, so that a thousand of them fit. It fails where a
 * method is slower than the first one, if it is the only other one.
 *
 *     QDR_NODE_RANKS=32 scripts/sim 1024 infiniband:k=32 build-sim/tests/sim/scale uniform 8 mpi-pairwise bruck:4
 */
#include <string.h>

#include "base/random.h"
#include "simulated.h"

static const char *sizes;
static double mean;

/* Between 0 and 1, for a message. */
static double drawn(int from, int to, int nth) {
    uint64_t word = qdri_mix(qdri_mix((uint64_t)from << 32 | (uint64_t)to) + (uint64_t)nth);
    return ((double)(word >> 11) + 0.5) / (double)(UINT64_C(1) << 53);
}

static int64_t bytes_of(int from, int to) {
    const double pi = 3.14159265358979323846, spread = 0.25, most = 100;
    double u = drawn(from, to, 1), v = drawn(from, to, 2), bytes = mean;
    if (!strcmp(sizes, "uniform")) bytes = 2 * mean * u;
    if (!strcmp(sizes, "normal")) bytes = mean * (1 + spread * sqrt(-2 * log(u)) * cos(2 * pi * v));
    if (!strcmp(sizes, "powerlaw"))
        bytes = fmin(mean / (2 * sqrt(u)), most * mean); /* density ~ x^-3, so a mean exists */
    return bytes < 1 ? 1 : (int64_t)(bytes + 0.5);
}

static int64_t *row_of(int is_column, int64_t *total) {
    int64_t *items = malloc((size_t)ranks * sizeof *items);
    *total = 0;
    for (int other = 0; other < ranks; other++) {
        items[other] = other == rank ? 0 : is_column ? bytes_of(other, rank) : bytes_of(rank, other);
        *total += items[other];
    }
    return items;
}

static double by_mpi(const int64_t *out, const int64_t *in, char *from, char *to) {
    double start = begin_together(), end, last;
    for (int step = 1; step < ranks; step++) {
        int next = (rank + step) % ranks, before = (rank - step + ranks) % ranks;
        MPI_Sendrecv(from, (int)out[next], MPI_BYTE, next, 0, to, (int)in[before], MPI_BYTE, before, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    end = MPI_Wtime();
    MPI_Allreduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return last - start;
}

/* What paces itself knows nothing yet in its first exchange; for all others the second takes as long as the first. */
static int learns(const char *algorithm) {
    return strstr(algorithm, "paced") || strstr(algorithm, "grants") || strstr(algorithm, "auto");
}

static double by_plan(const char *algorithm, const int64_t *out, const int64_t *in, char *from, char *to) {
    qdr_partners *partners;
    qdr_plan *plan;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    qdr_buffers buffers = {0};
    char name[100];
    int *other = malloc((size_t)ranks * sizeof *other), count = 0;
    int64_t *send = malloc((size_t)ranks * sizeof *send), *receive = malloc((size_t)ranks * sizeof *receive);
    for (int r = 0; r < ranks; r++)
        if (r != rank) {
            other[count] = r;
            send[count] = out[r];
            receive[count++] = in[r];
        }
    const char *star = strchr(algorithm, '*');
    int before = star ? atoi(algorithm) - 1 : learns(algorithm);
    snprintf(name, sizeof name, "%s", star ? star + 1 : algorithm);
    char *pacing = strchr(name, '/');
    if (pacing) *pacing++ = 0;
    options.algorithm = name;
    options.pacing = pacing;
    options.transport = "net";
    TRY(qdr_partners_from_both(MPI_COMM_WORLD, count, other, send, count, other, receive, 1, &partners));
    TRY(qdr_plan_create(partners, &options, &plan));
    buffers.item_bytes = 1;
    buffers.outgoing_base = from;
    buffers.incoming_base = to;
    while (before-- > 0) run(plan, &buffers);
    double seconds = run(plan, &buffers);
    TRY(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
    free(other);
    free(send);
    free(receive);
    return seconds;
}

int main(int count, char **words) {
    double first = 0, seconds = 0;
    int64_t sent, received;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (count < 4) MPI_Abort(MPI_COMM_WORLD, 2);
    sizes = words[1];
    mean = atof(words[2]);
    int64_t *out = row_of(0, &sent), *in = row_of(1, &received);
    char *from = SMPI_SHARED_MALLOC((size_t)sent + 1), *to = SMPI_SHARED_MALLOC((size_t)received + 1);
    for (int i = 3; i < count; i++) {
        seconds = strcmp(words[i], "mpi-pairwise") ? by_plan(words[i], out, in, from, to)
                                                   : by_mpi(out, in, from, to);
        if (i == 3) first = seconds;
        if (rank == 0) {
            printf("%s %s %s %.1f\n", sizes, words[2], words[i], 1e6 * seconds);
            fflush(stdout);
        }
    }
    SMPI_SHARED_FREE(from);
    SMPI_SHARED_FREE(to);
    free(out);
    free(in);
    MPI_Finalize();
    return rank == 0 && count == 5 && seconds > first;
}
