/* SPDX-License-Identifier: BSD-3-Clause */
/* The factors of the conformance tests: every algorithm with its options, every pattern family, rank counts,
 * machines. */
#ifndef CASES_H
#define CASES_H

#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* For tables of the library, such as QDRI_EXECUTORS(CASE_NAME). */
#define CASE_NAME(name) #name,

static const char *const case_algorithms[] = {
    "async",
    "linear",
    "pairwise",
    "balanced",
    "recursive",
    "bruck",
    "bruck:3",
    "joined",
    "levels",
    "levels:3,inside=5",
    "rails",
    "rails:least=50,waves=3",
    "greedy",
    "random",
    "random-link:seed=2",
    "random-split",
    "random-split:limit=0.2,seed=3",
    "random-split:items=300",
    "random-link-split:limit=0.7",
    "two-stage",
    "two-stage:scheme=source,tight=no",
    "two-stage:scheme=destination,tight=yes",
    "two-stage:scheme=destination,tight=no",
    "two-stage:scheme=source,shuffle,seed=5",
    "two-stage:diagonal",
    "coloring",
    "split",
    "split:tau=500",
};

/* Pacing by stages is for those that pass on by a rule; NULL: none was asked for. */
static inline int case_goes_together(const char *algorithm, const char *pacing) {
    static const char *const by_rule[] = {"bruck", "joined", "levels"};
    if (!pacing || strcmp(pacing, "stages") != 0) return 1;
    for (int i = 0; algorithm && i < COUNT(by_rule); i++)
        if (!strncmp(algorithm, by_rule[i], strlen(by_rule[i]))) return 1;
    return 0;
}

/* %d is the number of ranks. Families that cannot have it refuse; the tests hold them to that too. */
static const char *const case_patterns[] = {
    "complete:n=%d,bytes=100",
    "complete:n=%d,bytes=1..5K,seed=3",
    "random:n=%d,density=0.3,bytes=256",
    "random:n=%d,density=0.05,bytes=1..100K,sizes=log",
    "random:n=%d,density=0.9,bytes=1..3",
    "random:n=%d,degree=1,bytes=8..9K",
    "random:n=%d,degree=6,bytes=1..1000",
    "transport:n=%d,fanout=4,traffic=9999,skew=1/4",
    "transport:n=%d,fanout=1,traffic=777",
    "permutation:n=%d,bytes=1..2K",
    "shift:n=%d,by=3",
    "transpose:n=%d,bytes=64",
    "alltoone:n=%d,root=0,bytes=1..700",
    "onetoall:n=%d,bytes=5",
    "hotspot:n=%d,hot=1,bytes=1K..4K",
    "zipf:n=%d,bytes=1..900",
    "powerlaw:n=%d,bytes=1K..64K,sizes=log",
    "moe:n=%d,experts=300,tokens=50,skew=0.8,bytes=16",
    "halo2d:n=%d,corners,periodic",
    "halo3d:n=%d,points=8,width=2",
    "complete:n=%d,bytes=0",
    "random:n=%d,density=0.4,bytes=0..3",
};

static const int case_ranks[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,  17,  18, 19,
                                 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 64, 100, 127, 256};

/* Machines for those that look at links; they change from case to case. */
static const char *const case_machines[] = {
    "hypercube", "mesh", "torus", "cm5", "ipsc860", "crossbar", "slingshot", "node:k=4", "grid", "infiniband",
};

static inline const char *case_pattern(int pattern, int ranks) {
    static char text[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, case_patterns[pattern], ranks);
#pragma GCC diagnostic pop
    return text;
}

#endif
