/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explicit layouts, by entries: whoever knows where an element lies says so, 20 bytes each. Questions by
 * element and by place are answered from two orders, each made when it is first needed.
 */
#include "ordered.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

typedef struct entries {
    qdr_layout head;
    int64_t count;
    int64_t *element, *local; /* [count] */
    int *owner;               /* [count] */
    qdri_lazy by_element, by_place;
} entries;

static entries *entries_of(const qdr_layout *layout) {
    return (entries *)(void *)layout;
}

static int64_t *sorted_by(const int64_t *key, int64_t count) {
    int64_t *order = QDRI_ARRAY(int64_t, count);
    if (order && qdri_sort_order(key, count, order)) return order;
    free(order);
    return NULL;
}

static qdr_status locate(const qdr_layout *layout, const int64_t *index, int *rank, int64_t *place) {
    entries *self = entries_of(layout);
    int64_t element = qdri_layout_element(layout, index), *order = atomic_load(&self->by_element);
    if (!order) order = qdri_lazy_publish(&self->by_element, sorted_by(self->element, self->count));
    if (!order) return qdri_fail_memory();
    int64_t last = qdri_order_last(self->element, order, self->count, element);
    if (last < 0 || self->element[order[last]] != element) return QDR_ERR_UNKNOWN;
    *rank = self->owner[order[last]];
    *place = self->local[order[last]];
    return QDR_OK;
}

static qdr_status index_at(const qdr_layout *layout, int rank, int64_t place, int64_t *index) {
    entries *self = entries_of(layout);
    int64_t *order = atomic_load(&self->by_place);
    if (!order) order = qdri_lazy_publish(&self->by_place, sorted_by(self->local, self->count));
    if (!order) return qdri_fail_memory();
    int64_t at = qdri_order_last(self->local, order, self->count, place);
    for (; at >= 0 && self->local[order[at]] == place; at--) { /* one of each owner */
        if (self->owner[order[at]] != rank) continue;
        qdri_layout_split(layout, self->element[order[at]], index);
        return QDR_OK;
    }
    return QDR_ERR_UNKNOWN;
}

static qdr_status share(const qdr_layout *layout, int rank, int64_t *elements, int64_t *room) {
    const entries *self = entries_of(layout);
    int64_t sum = 0, most = 0;
    if (rank == QDR_HERE) return QDR_ERR_UNKNOWN;
    for (int64_t i = 0; i < self->count; i++)
        if (self->owner[i] == rank) {
            sum++;
            most = qdri_most(most, self->local[i] + 1);
        }
    *elements = sum;
    *room = most;
    return QDR_OK;
}

static qdr_status stated(const qdr_layout *layout, qdri_visit *visit, void *context) {
    const entries *self = entries_of(layout);
    for (int64_t i = 0; i < self->count; i++)
        QDRI_TRY(visit(context, self->element[i], 1, self->owner[i], self->local[i], 1));
    return QDR_OK;
}

static void close(qdr_layout *layout) {
    entries *self = entries_of(layout);
    free(self->element);
    free(self->local);
    free(self->owner);
    free(atomic_load(&self->by_element));
    free(atomic_load(&self->by_place));
    free(self);
}

static qdr_status check_entry(const entries *self, int64_t number, int64_t element, int owner,
                              int64_t local) {
    if (element < 0 || element >= self->head.elements)
        return qdri_fail(QDR_ERR_RANGE, "entry %" PRId64 ": element %" PRId64 " is not in 0..%" PRId64,
                         number, element, self->head.elements - 1);
    if (owner < 0 || owner == INT_MAX)
        return qdri_fail(QDR_ERR_RANGE, "entry %" PRId64 ": owner %d of element %" PRId64 " is no rank",
                         number, owner, element);
    if (local < 0 || local >= QDRI_LARGEST)
        return qdri_fail(QDR_ERR_RANGE,
                         "entry %" PRId64 ": place %" PRId64 " of element %" PRId64 " is not in 0..2^62",
                         number, local, element);
    return QDR_OK;
}

static qdr_status fill(entries *self, int64_t given, const int64_t *element, const int *owner,
                       const int64_t *local) {
    for (int64_t i = 0; i < given; i++) {
        QDRI_TRY(check_entry(self, i, element[i], owner[i], local[i]));
        if (owner[i] >= self->head.ranks) self->head.ranks = owner[i] + 1;
    }
    self->element = QDRI_ARRAY(int64_t, given);
    self->local = QDRI_ARRAY(int64_t, given);
    self->owner = QDRI_ARRAY(int, given);
    if (!self->element || !self->local || !self->owner) return qdri_fail_memory();
    if (given == 0) return QDR_OK;
    memcpy(self->element, element, (size_t)given * sizeof *element);
    memcpy(self->local, local, (size_t)given * sizeof *local);
    memcpy(self->owner, owner, (size_t)given * sizeof *owner);
    self->count = given;
    return QDR_OK;
}

qdr_status qdr_layout_entries(int dimensions, const int64_t *extent, int64_t given, const int64_t *element,
                              const int *owner, const int64_t *place, qdr_layout **layout) {
    if (!layout || given < 0 || (given > 0 && (!element || !owner || !place)))
        return qdri_fail(QDR_ERR_INVALID, "qdr_layout_entries was given %" PRId64 " entries, or NULL", given);
    entries *self = QDRI_ZERO_ARRAY(entries, 1);
    if (!self) return qdri_fail_memory();
    atomic_init(&self->by_element, NULL);
    atomic_init(&self->by_place, NULL);
    qdr_status status = qdri_layout_head(&self->head, &qdri_entries_type, dimensions, extent);
    if (!status) status = fill(self, given, element, owner, place);
    if (status)
        close(&self->head);
    else
        *layout = &self->head;
    return status;
}

qdr_status qdr_layout_dereferenced(int dimensions, const int64_t *extent, int64_t first, int64_t count,
                                   qdr_dereference_function *ask, void *context, qdr_layout **layout) {
    if (!layout || !ask || first < 0 || count < 0 || count > QDRI_LARGEST - first)
        return qdri_fail(QDR_ERR_INVALID,
                         "qdr_layout_dereferenced: elements %" PRId64 " and %" PRId64
                         " more, or an argument is NULL",
                         first, count);
    int64_t *element = QDRI_ARRAY(int64_t, count), *place = QDRI_ARRAY(int64_t, count);
    int *owner = QDRI_ARRAY(int, count), refused = 0;
    qdr_status status = element && place && owner ? QDR_OK : qdri_fail_memory();
    for (int64_t i = 0; !status && i < count; i++) element[i] = first + i;
    if (!status && count > 0) refused = ask(context, count, element, owner, place);
    if (refused)
        status = qdri_fail(QDR_ERR_UNKNOWN,
                           "the function that knows owners returned %d for elements %" PRId64 " to %" PRId64,
                           refused, first, first + count - 1);
    if (!status) status = qdr_layout_entries(dimensions, extent, count, element, owner, place, layout);
    free(element);
    free(place);
    free(owner);
    return status;
}

static void put(const qdr_layout *layout, qdri_writer *writer) {
    (void)layout, (void)writer; /* kind and extent say what travels */
}

static qdr_status get(qdri_reader *reader, int dimensions, const int64_t *extent, qdr_layout **layout) {
    (void)reader;
    return qdr_layout_entries(dimensions, extent, 0, NULL, NULL, NULL, layout);
}

const qdri_layout_type qdri_entries_type = {
    .kind = QDRI_ENTRIES,
    .locate = locate,
    .index = index_at,
    .share = share,
    .put = put,
    .get = get,
    .close = close,
    .stated = stated,
};
