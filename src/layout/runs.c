/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explicit layouts, by runs: a rank states which elements its memory holds, one run after the other.
 *
 * A run takes 16 bytes, or 8 where all are single elements. Where an element lies is found in the runs by
 * rising first element. A rank may, by mistake, state an element twice; so beside each run of that order
 * stands the one that reaches farthest among those up to it: if it does not hold the element, none does.
 */
#include "ordered.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

typedef struct runs {
    qdr_layout head;
    int64_t count, elements;
    int64_t *first;  /* [count] */
    int64_t *start;  /* [count + 1]: the place of each; NULL: runs of one element */
    qdri_lazy order; /* [2 * count]: runs by rising first element; behind them, the farthest so far */
} runs;

static runs *runs_of(const qdr_layout *layout) {
    return (runs *)(void *)layout;
}

static int64_t start_of(const runs *self, int64_t run) {
    return self->start ? self->start[run] : run;
}

static int64_t end_of(const runs *self, int64_t run) { /* one beyond its last element */
    return self->first[run] + start_of(self, run + 1) - start_of(self, run);
}

static int64_t *make_order(runs *self) {
    int64_t *order = QDRI_ARRAY(int64_t, 2 * self->count);
    if (!order || !qdri_sort_order(self->first, self->count, order)) {
        free(order);
        return NULL;
    }
    int64_t *farthest = order + self->count;
    for (int64_t i = 0; i < self->count; i++) {
        farthest[i] = order[i];
        if (i > 0 && end_of(self, farthest[i - 1]) > end_of(self, order[i])) farthest[i] = farthest[i - 1];
    }
    return order;
}

static qdr_status locate(const qdr_layout *layout, const int64_t *index, int *rank, int64_t *place) {
    runs *self = runs_of(layout);
    int64_t element = qdri_layout_element(layout, index), *order = atomic_load(&self->order);
    if (!order) order = qdri_lazy_publish(&self->order, make_order(self));
    if (!order) return qdri_fail_memory();
    int64_t last = qdri_order_last(self->first, order, self->count, element);
    int64_t run = last < 0 ? -1 : order[self->count + last];
    if (run < 0 || end_of(self, run) <= element) return QDR_ERR_UNKNOWN;
    *rank = QDR_HERE;
    *place = start_of(self, run) + element - self->first[run];
    return QDR_OK;
}

static qdr_status index_at(const qdr_layout *layout, int rank, int64_t place, int64_t *index) {
    const runs *self = runs_of(layout);
    if (rank != QDR_HERE || place >= self->elements) return QDR_ERR_UNKNOWN;
    int64_t low = 0, high = self->count; /* start[low] <= place < start[high] */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (start_of(self, middle) <= place)
            low = middle;
        else
            high = middle;
    }
    qdri_layout_split(layout, self->first[low] + place - start_of(self, low), index);
    return QDR_OK;
}

static qdr_status share(const qdr_layout *layout, int rank, int64_t *elements, int64_t *room) {
    if (rank != QDR_HERE) return QDR_ERR_UNKNOWN;
    *elements = *room = runs_of(layout)->elements;
    return QDR_OK;
}

static qdr_status stated(const qdr_layout *layout, qdri_visit *visit, void *context) {
    const runs *self = runs_of(layout);
    for (int64_t i = 0; i < self->count; i++) {
        int64_t start = start_of(self, i);
        QDRI_TRY(visit(context, self->first[i], start_of(self, i + 1) - start, QDR_HERE, start, 1));
    }
    return QDR_OK;
}

static void close(qdr_layout *layout) {
    runs *self = runs_of(layout);
    free(self->first);
    free(self->start);
    free(atomic_load(&self->order));
    free(self);
}

static qdr_status check_run(const runs *self, int64_t number, int64_t first, int64_t count) {
    if (count < 0)
        return qdri_fail(QDR_ERR_INVALID, "run %" PRId64 " has %" PRId64 " elements; expected 0 or more",
                         number, count);
    if (first < 0 || first > self->head.elements || count > self->head.elements - first)
        return qdri_fail(QDR_ERR_RANGE,
                         "run %" PRId64 ": elements %" PRId64 " to %" PRId64 " + %" PRId64
                         " - 1 are not all in 0..%" PRId64,
                         number, first, first, count, self->head.elements - 1);
    return QDR_OK;
}

static qdr_status fill(runs *self, int64_t given, const int64_t *first, const int64_t *count) {
    self->first = QDRI_ARRAY(int64_t, given);
    if (count) self->start = QDRI_ARRAY(int64_t, given + 1);
    if (!self->first || (count && !self->start)) return qdri_fail_memory();
    for (int64_t i = 0; i < given; i++) {
        int64_t length = count ? count[i] : 1;
        QDRI_TRY(check_run(self, i, first[i], length));
        if (length == 0) continue;
        self->first[self->count] = first[i];
        if (count) self->start[self->count] = self->elements;
        if (!qdri_add(self->elements, length, &self->elements))
            return qdri_fail(QDR_ERR_RANGE, "the runs have more than 2^62 elements");
        self->count++;
    }
    if (count) self->start[self->count] = self->elements;
    return QDR_OK;
}

qdr_status qdr_layout_runs(int dimensions, const int64_t *extent, int64_t given, const int64_t *first,
                           const int64_t *count, qdr_layout **layout) {
    if (!layout || given < 0 || (given > 0 && !first))
        return qdri_fail(QDR_ERR_INVALID, "qdr_layout_runs was given %" PRId64 " runs, or NULL", given);
    runs *self = QDRI_ZERO_ARRAY(runs, 1);
    if (!self) return qdri_fail_memory();
    atomic_init(&self->order, NULL);
    qdr_status status = qdri_layout_head(&self->head, &qdri_runs_type, dimensions, extent);
    if (!status) status = fill(self, given, first, count);
    if (status)
        close(&self->head);
    else
        *layout = &self->head;
    return status;
}

static void put(const qdr_layout *layout, qdri_writer *writer) {
    (void)layout, (void)writer; /* kind and extent say what travels */
}

static qdr_status get(qdri_reader *reader, int dimensions, const int64_t *extent, qdr_layout **layout) {
    (void)reader;
    return qdr_layout_runs(dimensions, extent, 0, NULL, NULL, layout);
}

const qdri_layout_type qdri_runs_type = {
    .kind = QDRI_RUNS_OF,
    .locate = locate,
    .index = index_at,
    .share = share,
    .put = put,
    .get = get,
    .close = close,
    .stated = stated,
};
