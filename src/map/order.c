/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of links inside a message. Where one rank states both ends of its links, their order is free, as
 * long as nobody can see it: what arrives is scattered, or combined in an order that is the library's to fix.
 * Then links go by rising place in the target, which makes of many a shuffled list a contiguous one.
 * The sort is stable, so links to one place stay in their order. Cost: O(links), nothing for lists in order.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "map/inside.h"

static int is_rising(const int64_t *key, int64_t count) {
    for (int64_t k = 1; k < count; k++)
        if (key[k] < key[k - 1]) return 0;
    return 1;
}

/* The place where there is no list is the link's own number. */
static void put(const qdr_indices *given, int64_t from, int64_t to, qdri_map_links *sorted) {
    sorted->place[to] = given->place ? given->place[from] : from;
    sorted->partner_place[to] = given->partner_place[from];
}

static int sort_partner(const qdr_indices *given, const int64_t *key, int64_t first, int64_t count,
                        int64_t *order, qdri_map_links *sorted) {
    if (is_rising(key + first, count)) {
        for (int64_t k = first; k < first + count; k++) put(given, k, k, sorted);
        return 1;
    }
    if (!qdri_sort_order(key + first, count, order)) return 0;
    for (int64_t k = 0; k < count; k++) put(given, first + order[k], first + k, sorted);
    return 1;
}

qdr_status qdri_map_sort(const qdr_indices *given, int by_place, qdri_map_links *sorted) {
    const int64_t *key = by_place ? given->place : given->partner_place;
    int64_t total = 0, first = 0;
    *sorted = (qdri_map_links){NULL, NULL};
    for (int i = 0; i < given->partners; i++) total += given->count[i];
    if (!key || is_rising(key, total)) return QDR_OK;
    int64_t *order = QDRI_ARRAY(int64_t, total);
    sorted->place = QDRI_ARRAY(int64_t, total);
    sorted->partner_place = QDRI_ARRAY(int64_t, total);
    int done = order && sorted->place && sorted->partner_place;
    for (int i = 0; done && i < given->partners; i++) {
        done = sort_partner(given, key, first, given->count[i], order, sorted);
        first += given->count[i];
    }
    free(order);
    if (done) return QDR_OK;
    qdri_map_links_free(sorted);
    return qdri_fail_memory();
}

void qdri_map_links_free(qdri_map_links *links) {
    free(links->place);
    free(links->partner_place);
    *links = (qdri_map_links){NULL, NULL};
}
