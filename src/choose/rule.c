/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rule: see rule.h.
 *
 *     paced      is never bad, whatever the pattern: it comes first where nothing speaks for another
 *     pairwise   needs no grants, and where all phases end together it is the best
 *     async      is the cheapest for small messages, and where ports never overflow
 *     bruck      has lg n messages where the others have n; what it passes on makes it dear for large ones
 *     levels     the same where ranks share hosts: first inside them, then from host to host
 *     joined     where they are few: one message from each host to each other
 *     coloring   has the fewest phases, and has to be built: after some exchanges that has paid
 *     rails      uses all network cards of a node alike, where it is known to have several and sizes differ; it has to be built, too
 *
 * Sizes may differ at every exchange of a plan whose algorithm nobody asked for, unless it is said how often they are the
 * same; `coloring` has to know them. A rank that has nothing in an exchange does not know how large items are, and so not which candidate
 * runs it: where that may happen, nobody can be relied on to pass on anything. `pairwise` has a place only for messages that the plan knows of, so a partner without
 * items rules it out. Who has no partner may leave out exchanges, and can pass on nothing. Where nobody receives from more
 * than one rank no port of a rank overflows, but a link that many messages share may: there a window is worth a trial.
 */
#include "choose/rule.h"

#include "choose/relays.h"

#include <stdio.h>

typedef enum care { NO_CARE, RISKY, SMALL, LARGE } care;

static void add(qdri_rule_result *result, const char *algorithm, care care) {
    if (result->count == QDRI_CHOOSER_MOST) return;
    if (care == RISKY) result->care.risky |= 1u << result->count;
    if (care == SMALL) result->care.small |= 1u << result->count;
    if (care == LARGE) result->care.large |= 1u << result->count;
    result->algorithm[result->count++] = algorithm;
}

/* Whether a schedule of the whole pattern is worth its time and its memory, and every rank's knowing it. */
static int is_worth_building(const qdri_traits *facts) {
    const int64_t least_reuse = 100, most_messages = 4 << 20;
    return facts->reuse >= least_reuse && facts->fan_in <= most_messages / facts->ranks;
}

/* Whether so many have something for so many others that it may pay to pass it on; and everyone comes to every exchange, and
 * knows how large items are. */
static int is_passed_on(const qdri_traits *facts) {
    enum { FEWEST = 4 };
    return facts->reuse > 0 && facts->ranks >= FEWEST && 2 * facts->least_fan_in >= facts->ranks - 1 &&
           !facts->is_idle;
}

/* Who carries for others has to come to every exchange, and to know how large items are. */
static int has_rails(const qdri_traits *facts) {
    return facts->cards > 1 && is_worth_building(facts) && facts->least_fan_in > 0 && !facts->is_idle;
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
        snprintf(why, size, "nobody receives from more than one rank: the plain exchange first");
    else if (qdri_rule_is_even(facts))
        snprintf(why, size, "everyone sends about the same to everyone across a network: in pairs");
    else
        snprintf(why, size, "up to %lld ranks send to one across a network: receivers grant",
                 (long long)facts->fan_in);
}

/* True if it costs so much less than direct messages that few bytes go this way from the beginning. */
static int add_passing(const qdri_traits *facts, qdri_rule_result *result) {
    const double far_less = 0.55;
    double bytes = (double)(facts->largest + facts->smallest) / 2 *
                   (double)(facts->item_bytes > 1 ? facts->item_bytes : 1);
    qdri_relay_facts usual = qdri_relay_usual(facts->ranks, facts->sharing > 1 ? facts->sharing : 1, bytes);
    int way = qdri_relay_way(&usual);
    result->passed_on = result->count;
    add(result, qdri_relay_spec(way), SMALL);
    return qdri_relay_part(&usual, way) < far_less;
}

qdri_rule_result qdri_rule(const qdri_traits *facts, char *why, size_t size) {
    qdri_rule_result result = {.passed_on = -1};
    if (why) explain(facts, why, size);
    if (facts->one_host || facts->fan_in <= 1) {
        add(&result, "async", NO_CARE);
        if (!facts->one_host && facts->fan_in == 1) add(&result, "paced", LARGE);
        return result;
    }
    int is_even = qdri_rule_is_even(facts);
    if (is_even) add(&result, "pairwise", NO_CARE);
    add(&result, "paced", NO_CARE);
    if (!is_even && has_rails(facts))
        add(&result, "rails", NO_CARE); /* and four are enough */
    else if (!is_even && facts->smallest > 0)
        add(&result, "pairwise", NO_CARE);
    add(&result, "async", RISKY);
    int is_quick = is_passed_on(facts) && add_passing(facts, &result);
    result.care.quick = is_quick ? result.care.small : result.care.risky;
    if (is_worth_building(facts)) add(&result, "coloring", NO_CARE);
    return result;
}

void qdri_rule_reorder(qdri_rule_result *rule, int count, const int64_t *order) {
    qdri_rule_result given = *rule;
    *rule = (qdri_rule_result){.passed_on = -1};
    for (int i = 0; i < count; i++) {
        rule->care.quick |= (given.care.quick >> order[i] & 1) << rule->count;
        add(rule, given.algorithm[order[i]],
            given.care.risky >> order[i] & 1   ? RISKY
            : given.care.small >> order[i] & 1 ? SMALL
            : given.care.large >> order[i] & 1 ? LARGE
                                               : NO_CARE);
    }
}
