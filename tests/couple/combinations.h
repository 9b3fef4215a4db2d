/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All pairs of so many ranks of one program and so many of another, in rounds: in a round no program needs more ranks
 * than it has, and as few as possible rest. The largest first, each into the first round that has room for it.
 */
#ifndef COUPLE_COMBINATIONS_H
#define COUPLE_COMBINATIONS_H

#include <stddef.h>
#include <stdint.h>

enum { COMBINATIONS = 64 };

typedef struct combination {
    int ranks[2], first[2]; /* of each program: how many ranks, and which is the first */
    int round;
} combination;

typedef struct combinations {
    int count, rounds;
    combination all[COMBINATIONS];
} combinations;

/* Of 1 to `most` ranks each; at most 8. */
static inline combinations plan_combinations(int most) {
    combinations plan = {0};
    int used[COMBINATIONS][2] = {{0}};
    for (int sum = 2 * most; sum >= 2; sum--)
        for (int m = 1; m <= most; m++) {
            int n = sum - m, round = 0;
            if (n < 1 || n > most) continue;
            while (used[round][0] + m > most || used[round][1] + n > most) round++;
            plan.all[plan.count++] = (combination){{m, n}, {used[round][0], used[round][1]}, round};
            used[round][0] += m;
            used[round][1] += n;
            if (round >= plan.rounds) plan.rounds = round + 1;
        }
    return plan;
}

/* The cost of a case grows with about the square of the ranks. So that there are many pairs, few ranks get more of the
 * work than many; four and four get `usual` cases. */
static inline int64_t share_of_work(const combination *one, int64_t usual) {
    int64_t ranks = one->ranks[0] + one->ranks[1], share = usual * 512 / (ranks * ranks * ranks);
    return share > 2 ? share : 2;
}

/* In which combination of a round a rank of a program takes part; NULL: it rests. */
static inline const combination *find_combination(const combinations *plan, int round, int side, int rank) {
    for (int i = 0; i < plan->count; i++) {
        const combination *one = &plan->all[i];
        if (one->round == round && rank >= one->first[side] && rank < one->first[side] + one->ranks[side])
            return one;
    }
    return NULL;
}

#endif
