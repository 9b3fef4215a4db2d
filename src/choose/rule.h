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
    int64_t fan_in;       /* most messages into one rank */
    int uniform_complete; /* everyone sends about the same to everyone */
    int has_empty;        /* some rank has a partner without items for it */
    int most;             /* candidates, for which there is room */
} qdri_traits;

typedef struct qdri_rule_result {
    const char *algorithm[QDRI_CHOOSER_MOST];
    int count;
    unsigned risky; /* bits: those that may overflow a port */
} qdri_rule_result;

/* With one sentence why. */
qdri_rule_result qdri_rule(const qdri_traits *facts, char *why, size_t size);

#endif
