/* SPDX-License-Identifier: BSD-3-Clause */
/* What plans would choose from, of a whole pattern: see quadrille/schedule.h. */
#include "base/error.h"
#include "choose/rule.h"
#include "quadrille/pattern.h"
#include "quadrille/schedule.h"

/* The fewest messages with items into one rank, and whether a rank has none either way. */
static void look_at_ranks(const qdr_pattern_view *view, qdri_traits *facts) {
    facts->least_fan_in = view->ranks;
    for (int rank = 0; rank < view->ranks; rank++) {
        int64_t count = 0;
        for (int64_t i = view->column_start[rank]; i < view->column_start[rank + 1]; i++)
            count += view->items[view->column_message[i]] > 0;
        if (count < facts->least_fan_in) facts->least_fan_in = count;
        facts->is_idle |= view->column_start[rank] == view->column_start[rank + 1] &&
                          view->row_start[rank] == view->row_start[rank + 1];
    }
}

static qdri_traits traits_of(const qdr_pattern *pattern) {
    qdr_pattern_view view = qdr_pattern_look(pattern);
    qdr_pattern_statistics statistics;
    qdr_pattern_measure(pattern, &statistics);
    qdri_traits facts = {.ranks = view.ranks, .fan_in = statistics.fan_in, .smallest = INT64_MAX};
    for (int64_t i = 0; i < view.messages; i++) {
        if (view.items[i] > facts.largest) facts.largest = view.items[i];
        if (view.items[i] < facts.smallest) facts.smallest = view.items[i];
    }
    look_at_ranks(&view, &facts);
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
