/* SPDX-License-Identifier: BSD-3-Clause */
/* What plans would choose from, of a whole pattern: see quadrille/schedule.h. */
#include "base/error.h"
#include "choose/rule.h"
#include "quadrille/pattern.h"
#include "quadrille/schedule.h"

static qdri_traits traits_of(const qdr_pattern *pattern) {
    qdr_pattern_view view = qdr_pattern_look(pattern);
    qdr_pattern_statistics statistics;
    qdr_pattern_measure(pattern, &statistics);
    qdri_traits facts = {.ranks = view.ranks, .fan_in = statistics.fan_in, .smallest = INT64_MAX};
    for (int64_t i = 0; i < view.messages; i++) {
        if (view.origin[i] == view.destination[i]) continue;
        if (view.items[i] > facts.largest) facts.largest = view.items[i];
        if (view.items[i] < facts.smallest) facts.smallest = view.items[i];
    }
    int64_t pairs = (int64_t)view.ranks * (view.ranks - 1);
    facts.least_fan_in = statistics.messages == pairs && facts.smallest > 0 ? view.ranks - 1 : 0;
    return facts;
}

static _Thread_local char why[256];

const char *qdr_auto_candidate(const qdr_pattern *pattern, int64_t reuse, int index) {
    if (!pattern || index < 0) return NULL;
    qdri_traits facts = traits_of(pattern);
    facts.reuse = reuse;
    qdri_rule_result rule = qdri_rule(&facts, why, sizeof why);
    return index < rule.count ? rule.algorithm[index] : NULL;
}

const char *qdr_auto_reason(const qdr_pattern *pattern) {
    return qdr_auto_candidate(pattern, 0, 0) ? why : "";
}
