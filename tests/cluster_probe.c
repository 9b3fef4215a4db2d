/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program sees of the emulated cluster. The ranks come in groups of RANKS-PER-HOST, the first argument; a group
 * must be one host: one host name, no other host with the same, one shared-memory communicator of just these ranks.
 * A ring exchange then has to carry the right data between all neighbours, and a message of 1 MB from the first rank
 * to the last one gives the speed of the wire, which is printed as "bandwidth B" in bits per second; one without content
 * and its answer give the time of a round trip, printed as "roundtrip T" in microseconds. At the end all
 * ranks send to the first at once, which a shallow port buffer cannot hold: the switch must drop, and TCP repair it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 64, WORDS = 4096, MEGABYTE = 1 << 20, ROUNDS = 3, TRIPS = 10, INCAST = 1 << 18 };

static int rank, ranks;

static int complain(const char *what, long long seen, long long expected) {
    printf("rank %d: %s is %lld, expected %lld\n", rank, what, seen, expected);
    return 1;
}

/* Equal names exactly inside a group. */
static int check_names(int per_host) {
    char own[NAME] = {0};
    gethostname(own, NAME - 1);
    char(*all)[NAME] = malloc((size_t)ranks * NAME);
    if (all == NULL) return complain("memory", 0, ranks);
    MPI_Allgather(own, NAME, MPI_CHAR, all, NAME, MPI_CHAR, MPI_COMM_WORLD);
    int failures = 0;
    for (int other = 0; other < ranks; ++other) {
        const int same = strcmp(own, all[other]) == 0;
        const int expected = other / per_host == rank / per_host;
        if (same != expected) failures += complain("sameness of a host name", same, expected);
    }
    free(all);
    return failures;
}

static int check_shared_memory(int per_host) {
    MPI_Comm node;
    int members;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &members);
    MPI_Comm_free(&node);
    return members == per_host ? 0 : complain("size of the shared-memory communicator", members, per_host);
}

/* MPI asks the launcher who shares memory; this asks the file system. Each group's first rank leaves a file behind the
   barrier, and nobody else may see it. */
static int check_private_folder(int per_host) {
    char path[NAME];
    int failures = 0;
    snprintf(path, sizeof path, "/dev/shm/probe-%d", rank / per_host);
    if (rank % per_host == 0) {
        FILE *file = fopen(path, "w");
        if (file == NULL || fclose(file) != 0) failures += complain("writing to /dev/shm", 0, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int host = 0; host < ranks / per_host; ++host) {
        snprintf(path, sizeof path, "/dev/shm/probe-%d", host);
        const int visible = access(path, F_OK) == 0;
        const int expected = host == rank / per_host;
        if (visible != expected) failures += complain("sight of a file in /dev/shm", visible, expected);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return failures;
}

static int check_ring(void) {
    static long long out[WORDS], in[WORDS];
    const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    for (int i = 0; i < WORDS; ++i) out[i] = (long long)rank * WORDS + i;
    MPI_Sendrecv(out, WORDS, MPI_LONG_LONG, next, 0, in, WORDS, MPI_LONG_LONG, previous, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < WORDS; ++i) {
        const long long expected = (long long)previous * WORDS + i;
        if (in[i] != expected) return complain("a word from the left neighbour", in[i], expected);
    }
    return 0;
}

/* The best of some rounds, since the first one also connects and opens the congestion window. */
static int measure(void) {
    static char message[MEGABYTE];
    const int last = ranks - 1;
    double best = 0;
    for (int round = 0; round < ROUNDS && ranks > 1; ++round) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        if (rank == 0) {
            MPI_Send(message, MEGABYTE, MPI_CHAR, last, 1, MPI_COMM_WORLD);
            MPI_Recv(message, 0, MPI_CHAR, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == last) {
            MPI_Recv(message, MEGABYTE, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(message, 0, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
        }
        const double speed = 8.0 * MEGABYTE / (MPI_Wtime() - begin);
        if (speed > best) best = speed;
    }
    if (rank == 0) printf("bandwidth %.0f\n", best);
    return 0;
}

/* The shortest of some, since whoever waits for a processor is late. */
static int measure_round_trip(void) {
    const int last = ranks - 1;
    double best = 1e9;
    for (int round = 0; round < TRIPS && ranks > 1; ++round) {
        const double begin = MPI_Wtime();
        if (rank == 0) {
            MPI_Send(NULL, 0, MPI_CHAR, last, 4, MPI_COMM_WORLD);
            MPI_Recv(NULL, 0, MPI_CHAR, last, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == last) {
            MPI_Recv(NULL, 0, MPI_CHAR, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(NULL, 0, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
        }
        const double seconds = MPI_Wtime() - begin;
        if (seconds < best) best = seconds;
    }
    if (rank == 0) printf("roundtrip %.0f\n", 1e6 * best);
    return 0;
}

static int check_incast(void) {
    const int sources = rank == 0 ? ranks : 0;
    static unsigned char out[INCAST];
    unsigned char *in = calloc((size_t)sources + 1, INCAST);
    MPI_Request *requests = calloc((size_t)sources + 1, sizeof *requests);
    int failures = in == NULL || requests == NULL ? complain("memory", 0, sources) : 0;
    if (failures) MPI_Abort(MPI_COMM_WORLD, 3);
    memset(out, rank % 251, INCAST);
    for (int source = 0; source < sources; ++source) {
        MPI_Irecv(in + (size_t)source * INCAST, INCAST, MPI_BYTE, source, 3, MPI_COMM_WORLD,
                  &requests[source]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(out, INCAST, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
    MPI_Waitall(sources, requests, MPI_STATUSES_IGNORE);
    for (size_t i = 0; failures == 0 && i < (size_t)sources * INCAST; ++i) {
        const int expected = (int)(i / INCAST) % 251;
        if (in[i] != expected) failures = complain("a byte of the incast", in[i], expected);
    }
    free(requests);
    free(in);
    return failures;
}

int main(int argc, char **argv) {
    int failures = 0, total = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int per_host = argc > 1 ? atoi(argv[1]) : 1;
    if (per_host < 1 || ranks % per_host != 0) {
        failures = complain("ranks left over by hosts of the size in argument 1", ranks, 0);
    } else {
        failures = check_names(per_host) + check_shared_memory(per_host) + check_private_folder(per_host) +
                   check_ring() + measure() + measure_round_trip() + check_incast();
    }
    MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return total == 0 ? 0 : 3;
}
