/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rule: see rule.h.
 *
 *     paced      is never bad, whatever the pattern: it comes first where nothing speaks for another
 *     pairwise   needs no grants, and where all phases end together it is the best
 *     async      is the cheapest for small messages, and where ports never overflow
 *
 * Sizes may differ at every exchange of a plan whose algorithm nobody asked for. `pairwise` has a place only for messages
 * that the plan knows of, so a partner without items rules it out.
 */
#include "choose/rule.h"

#include <stdio.h>

static void add(qdri_rule_result *result, int most, const char *algorithm, int is_risky) {
    if (result->count >= most || result->count == QDRI_CHOOSER_MOST) return;
    if (is_risky) result->risky |= 1u << result->count;
    result->algorithm[result->count++] = algorithm;
}

/* Phases of pairs end at about the same time for all: where sizes differ by more, pairs wait for each other as long as
 * grants cost (docs/performance.md). */
int qdri_rule_is_even(const qdri_traits *facts) {
    enum { PART = 10 };
    return facts->least_fan_in == facts->ranks - 1 && facts->smallest > 0 &&
           facts->smallest >= facts->largest - facts->largest / PART;
}

static void explain(const qdri_traits *facts, char *why, size_t size) {
    if (facts->one_host)
        snprintf(why, size, "all %d ranks share a node: no schedule", facts->ranks);
    else if (facts->fan_in <= 1)
        snprintf(why, size, "nobody receives from more than one rank: the plain exchange");
    else if (qdri_rule_is_even(facts))
        snprintf(why, size, "everyone sends about the same to everyone across a network: in pairs");
    else
        snprintf(why, size, "up to %lld ranks send to one across a network: receivers grant",
                 (long long)facts->fan_in);
}

qdri_rule_result qdri_rule(const qdri_traits *facts, char *why, size_t size) {
    qdri_rule_result result = {.count = 0};
    if (why) explain(facts, why, size);
    if (facts->one_host || facts->fan_in <= 1) {
        add(&result, 1, "async", 0);
        return result;
    }
    if (qdri_rule_is_even(facts)) {
        add(&result, facts->most, "pairwise", 0);
        add(&result, facts->most, "paced", 0);
    } else {
        add(&result, facts->most, "paced", 0);
        if (facts->smallest > 0) add(&result, facts->most, "pairwise", 0);
    }
    add(&result, facts->most, "async", 1);
    return result;
}
