/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which algorithms are worth trying where none was asked for, the most promising first. Contests (chooser.h) find the best
 * of them; a plan that runs once runs the first. Pure: all ranks come to the same list, from what is equal on all.
 */
#ifndef QDRI_RULE_H
#define QDRI_RULE_H

#include <stddef.h>
#include <stdint.h>

#include "choose/chooser.h"

typedef struct qdri_traits {
    int ranks, one_host;
    int64_t sharing;              /* most ranks on one host; 0 is 1 */
    int64_t fan_in, least_fan_in; /* most and fewest messages with items into one rank */
    int64_t largest, smallest;    /* items of a message; a partner without items has one of 0 */
    int64_t reuse;                /* exchanges with these very sizes; 0: sizes may differ */
    int64_t item_bytes;           /* 0 is 1 */
    int is_idle;                  /* a rank has no partner, and may leave out exchanges */
    int64_t cards;                /* of a node, where the machine is known; else 0 */
} qdri_traits;

typedef struct qdri_rule_result {
    const char *algorithm[QDRI_CHOOSER_MOST];
    int count;
    qdri_care care;
    int passed_on; /* which of them passes messages on; -1: none */
} qdri_rule_result;

/* Whether everyone has about the same for everyone. */
int qdri_rule_is_even(const qdri_traits *facts);

/* Puts them in another order, and leaves out the rest: `order` has `count` places of this list. */
void qdri_rule_reorder(qdri_rule_result *rule, int count, const int64_t *order);

/* With one sentence why, unless there is no room for it (NULL). */
qdri_rule_result qdri_rule(const qdri_traits *facts, char *why, size_t size);

#endif
