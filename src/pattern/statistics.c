/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What can be said of a pattern without scheduling it: density, fan-out and fan-in (f, g, h), traffic (r, c,
 * t), the spread of the message sizes and the class, in the words of the transportation paper, section 2.
 * Only messages that leave their rank count.
 *
 * One walk over the ranks, each with its row and its column, is enough; it needs no memory. The structure is
 * symmetric exactly when every rank's list of destinations is its list of origins, and both lists rise, so
 * that too is a comparison side by side.
 *
 * Cost: O(messages + ranks). No sum overflows, because a pattern holds at most 2^62 items.
 */
#include "pattern.h"

#include <math.h>
#include <string.h>

#include "base/order.h"
#include "base/sized.h"

/* One rank's row and column. */
typedef struct sides {
    int64_t fan_out, fan_in, out_traffic, in_traffic;
    int same_partners;
} sides;

/* Counts over all ranks that decide the class. */
typedef struct census {
    int64_t senders, receivers, full_senders;
} census;

static sides measure_rank(const qdr_pattern_view *view, int rank) {
    int64_t row = view->row_start[rank], column = view->column_start[rank];
    sides side = {.fan_out = view->row_start[rank + 1] - row,
                  .fan_in = view->column_start[rank + 1] - column};
    side.same_partners = side.fan_out == side.fan_in;
    for (int64_t k = 0; k < side.fan_out; k++) side.out_traffic += view->items[row + k];
    for (int64_t k = 0; k < side.fan_in; k++) {
        int64_t message = view->column_message[column + k];
        side.in_traffic += view->items[message];
        side.same_partners = side.same_partners && view->origin[message] == view->destination[row + k];
    }
    return side;
}

static void measure_sizes(const qdr_pattern_view *view, qdr_pattern_statistics *statistics) {
    double sum = 0;
    if (view->messages == 0) return;
    statistics->smallest = view->items[0];
    for (int64_t m = 0; m < view->messages; m++) {
        statistics->items += view->items[m];
        if (view->items[m] < statistics->smallest) statistics->smallest = view->items[m];
        if (view->items[m] > statistics->largest) statistics->largest = view->items[m];
    }
    statistics->mean = (double)statistics->items / (double)view->messages;
    for (int64_t m = 0; m < view->messages; m++) {
        double off = (double)view->items[m] - statistics->mean;
        sum += off * off;
    }
    statistics->deviation = sqrt(sum / (double)view->messages);
}

/* The first class in the order of the enumeration that fits. */
static qdr_pattern_class classify(const qdr_pattern_statistics *statistics, const census *count) {
    int64_t ranks = statistics->ranks;
    if (statistics->messages == 0) return QDR_CLASS_EMPTY;
    if (statistics->messages == 1) return QDR_CLASS_ONE_TO_ONE;
    if (count->senders == 1) return count->full_senders ? QDR_CLASS_ONE_TO_ALL : QDR_CLASS_ONE_TO_MANY;
    if (count->receivers == 1)
        return count->senders == ranks - 1 ? QDR_CLASS_ALL_TO_ONE : QDR_CLASS_MANY_TO_ONE;
    if (statistics->degree == 1) return QDR_CLASS_PERMUTATION;
    if (count->full_senders == ranks) return QDR_CLASS_ALL_TO_ALL;
    if (count->senders == ranks) return QDR_CLASS_ALL_TO_MANY;
    if (count->full_senders == count->senders && count->receivers == ranks) return QDR_CLASS_MANY_TO_ALL;
    return QDR_CLASS_MANY_TO_MANY;
}

static void measure(const qdr_pattern *pattern, qdr_pattern_statistics *statistics) {
    qdr_pattern_view view = qdr_pattern_look(pattern);
    census count = {0};
    int64_t pairs = (int64_t)view.ranks * (view.ranks - 1);
    memset(statistics, 0, sizeof *statistics);
    statistics->ranks = view.ranks;
    statistics->messages = view.messages;
    statistics->density = pairs ? (double)view.messages / (double)pairs : 0;
    statistics->symmetric_structure = 1;
    measure_sizes(&view, statistics);
    statistics->uniform = statistics->smallest == statistics->largest;
    for (int rank = 0; rank < view.ranks; rank++) {
        sides side = measure_rank(&view, rank);
        statistics->local_items += view.local[rank];
        statistics->fan_out = qdri_larger(statistics->fan_out, side.fan_out);
        statistics->fan_in = qdri_larger(statistics->fan_in, side.fan_in);
        statistics->out_traffic = qdri_larger(statistics->out_traffic, side.out_traffic);
        statistics->in_traffic = qdri_larger(statistics->in_traffic, side.in_traffic);
        statistics->both_traffic = qdri_larger(statistics->both_traffic, side.out_traffic + side.in_traffic);
        statistics->symmetric_structure = statistics->symmetric_structure && side.same_partners;
        count.senders += side.fan_out > 0;
        count.receivers += side.fan_in > 0;
        count.full_senders += side.fan_out == view.ranks - 1;
    }
    statistics->degree = qdri_larger(statistics->fan_out, statistics->fan_in);
    statistics->traffic = qdri_larger(statistics->out_traffic, statistics->in_traffic);
    /* No row and no column passes t, so the items are n t only if all of them reach it. */
    statistics->equal_traffic =
        statistics->items % view.ranks == 0 && statistics->items / view.ranks == statistics->traffic;
    statistics->kind = classify(statistics, &count);
}

void qdr_pattern_measure_sized(const qdr_pattern *pattern, qdr_pattern_statistics *statistics,
                               size_t statistics_bytes) {
    qdr_pattern_statistics known;
    measure(pattern, &known);
    qdri_sized_fill(statistics, statistics_bytes, &known, sizeof known);
}

const char *qdr_pattern_class_text(qdr_pattern_class kind) {
    switch (kind) {
    case QDR_CLASS_EMPTY:
        return "empty";
    case QDR_CLASS_ONE_TO_ONE:
        return "one-to-one";
    case QDR_CLASS_ONE_TO_MANY:
        return "one-to-many";
    case QDR_CLASS_ONE_TO_ALL:
        return "one-to-all";
    case QDR_CLASS_MANY_TO_ONE:
        return "many-to-one";
    case QDR_CLASS_ALL_TO_ONE:
        return "all-to-one";
    case QDR_CLASS_PERMUTATION:
        return "permutation";
    case QDR_CLASS_ALL_TO_ALL:
        return "all-to-all";
    case QDR_CLASS_ALL_TO_MANY:
        return "all-to-many";
    case QDR_CLASS_MANY_TO_ALL:
        return "many-to-all";
    case QDR_CLASS_MANY_TO_MANY:
        return "many-to-many";
    }
    return "unknown class";
}
