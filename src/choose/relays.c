/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways of passing on, counted: see relays.h. */
#include "choose/relays.h"

#define LEVELS(radix)                                                                                        \
    "levels:" radix ",inside=2", "levels:" radix ",inside=4", "levels:" radix ",inside=8",                   \
        "levels:" radix ",inside=16", "levels:" radix ",inside=32", "levels:" radix ",inside=64"

/* Radices of powers of two: of `bruck`; then, for each of them between hosts, all of them inside. */
static const char *const specs[QDRI_RELAY_WAYS] = {
    "bruck",     "bruck:4",   "bruck:8",    "bruck:16",   "bruck:32",   "bruck:64", LEVELS("2"),
    LEVELS("4"), LEVELS("8"), LEVELS("16"), LEVELS("32"), LEVELS("64"), "joined"};

const char *qdri_relay_spec(int way) {
    return specs[way];
}

/* Around a circle, where a rank has `each` bytes for every other place. A stage waits for the one before it, for about as long as a startup takes. */
static double round_costs(const qdri_relay_facts *facts, int64_t count, int64_t radix, double each) {
    int64_t steps = 0, stages = 0, moved = 0;
    for (int64_t weight = 1; weight < count; weight *= radix) {
        int64_t digits = (count - 1) / weight, rest = count % (weight * radix);
        int64_t stay = count / (weight * radix) * weight + (rest < weight ? rest : weight); /* digit 0 here */
        steps += digits < radix - 1 ? digits : radix - 1;
        stages++;
        moved += count - stay;
    }
    return (double)(steps + stages) * facts->startup + (double)moved * each;
}

static double joined_costs(const qdri_relay_facts *facts, int64_t hosts) {
    double k = (double)facts->sharing, others = (double)(hosts - 1), all = others * k * facts->bytes;
    int64_t led = (hosts - 1 + facts->sharing - 1) / facts->sharing;
    return (double)(led + 1) * facts->startup + k * all +
           facts->inside * 2 * (k * facts->startup + all * (k - 1) / k);
}

static double way_costs(const qdri_relay_facts *facts, int way) {
    int64_t hosts = (facts->ranks + facts->sharing - 1) / facts->sharing;
    int place = way - QDRI_RELAY_RADICES;
    int64_t radix = INT64_C(2) << (place < 0 ? way : place / QDRI_RELAY_RADICES),
            inside = INT64_C(2) << (place < 0 ? 0 : place % QDRI_RELAY_RADICES);
    double k = (double)facts->sharing;
    if (way == QDRI_RELAY_WAYS - 1) return joined_costs(facts, hosts);
    if (place < 0) return round_costs(facts, facts->ranks, radix, facts->bytes);
    return round_costs(facts, hosts, radix, k * k * facts->bytes) +
           facts->inside * round_costs(facts, facts->sharing, inside, (double)hosts * facts->bytes);
}

int qdri_relay_way(const qdri_relay_facts *facts) {
    int shared = facts->sharing > 1, best = -1;
    double least = 0;
    for (int way = 0; way < QDRI_RELAY_WAYS; way++) {
        double costs = shared == (way >= QDRI_RELAY_RADICES) ? way_costs(facts, way) : -1;
        if (costs < 0 || (best >= 0 && costs >= least)) continue;
        least = costs;
        best = way;
    }
    return best;
}

double qdri_relay_part(const qdri_relay_facts *facts, int way) {
    double others = (double)(facts->ranks - facts->sharing), near = (double)(facts->sharing - 1);
    double direct = facts->startup + others * (facts->startup + (double)facts->sharing * facts->bytes) +
                    facts->inside * near * (facts->startup + facts->bytes);
    return direct > 0 ? way_costs(facts, way) / direct : 1;
}
