/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one rank of many spends on knowing what it passes on: time and memory of its relay (schedule/relay.h), and the hauls that it begins, for
 * 64 to 65,536 ranks, 32 to a node. A relay is made once with a plan; it follows from ranks and nodes alone, and so nothing is communicated.
 * Medians of five; the rank is one in the middle.
 *
 *     build/tests/relay_scale
 *
 * It fails where the memory of 65,536 ranks is more than 24 times that of 4,096: n lg n is 22 times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "schedule/relay.h"

enum { PER_NODE = 32, REPEATS = 5, FEWEST = 64, SOME = 4096, MOST = 65536 };

typedef qdr_status maker(int rank, int ranks, const int *node, qdri_relay *relay);

static qdr_status bruck(int rank, int ranks, const int *node, qdri_relay *relay) {
    (void)node;
    return qdri_relay_bruck(rank, ranks, 2, relay);
}

static qdr_status wide_bruck(int rank, int ranks, const int *node, qdri_relay *relay) {
    (void)node;
    return qdri_relay_bruck(rank, ranks, 32, relay);
}

static qdr_status levels(int rank, int ranks, const int *node, qdri_relay *relay) {
    return qdri_relay_levels(rank, ranks, node, 2, 2, relay);
}

static qdr_status wide_levels(int rank, int ranks, const int *node, qdri_relay *relay) {
    return qdri_relay_levels(rank, ranks, node, 4, 32, relay);
}

static const struct way {
    const char *name;
    maker *make;
} ways[] = {{"bruck", bruck},
            {"bruck:32", wide_bruck},
            {"levels", levels},
            {"levels:32,inside=4", wide_levels},
            {"joined", qdri_relay_joined}};
enum { WAYS = sizeof ways / sizeof *ways };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

typedef struct cost {
    double seconds, bytes;
    int hauls;
} cost;

/* The places' contents and lengths are the executor's. */
static double bytes_of(const qdri_relay *relay, int ranks) {
    return (double)relay->places * (double)(sizeof(char *) + sizeof(int64_t)) +
           (double)relay->listed * 2 * sizeof(int) + (double)(relay->outs + relay->ins) * sizeof(qdri_haul) +
           (double)ranks * sizeof(int);
}

static cost measure(maker *make, int ranks) {
    cost result = {0};
    double seconds[REPEATS];
    int *node = malloc((size_t)ranks * sizeof *node);
    if (!node) exit(2);
    for (int r = 0; r < ranks; r++) node[r] = r / PER_NODE * PER_NODE;
    for (int i = 0; i < REPEATS; i++) {
        qdri_relay relay;
        double start = now();
        if (make(ranks / 2 + 1, ranks, node, &relay)) exit(2);
        seconds[i] = now() - start;
        result.bytes = bytes_of(&relay, ranks);
        result.hauls = relay.outs;
        qdri_relay_free(&relay);
    }
    qsort(seconds, REPEATS, sizeof *seconds, by_size);
    result.seconds = seconds[REPEATS / 2];
    free(node);
    return result;
}

int main(void) {
    cost some[WAYS], most[WAYS];
    int missed = 0;
    printf("| ranks |");
    for (int w = 0; w < WAYS; w++) printf(" %s |", ways[w].name);
    printf("\n|--:|");
    for (int w = 0; w < WAYS; w++) printf("---|");
    printf("\n");
    for (int ranks = FEWEST; ranks <= MOST; ranks *= 4) {
        printf("| %d |", ranks);
        for (int w = 0; w < WAYS; w++) {
            cost cost = measure(ways[w].make, ranks);
            if (ranks == SOME) some[w] = cost;
            if (ranks == MOST) most[w] = cost;
            printf(" %.3g ms, %.3g MB, %d hauls |", 1e3 * cost.seconds, 1e-6 * cost.bytes, cost.hauls);
        }
        printf("\n");
    }
    for (int w = 0; w < WAYS; w++) {
        const double bar = 24;
        if (most[w].bytes <= bar * some[w].bytes) continue;
        printf("MISSED: %s: %.1f times the memory\n", ways[w].name, most[w].bytes / some[w].bytes);
        missed = 1;
    }
    return missed;
}
