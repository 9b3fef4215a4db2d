/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lists of a map's sides. What is asked of a whole side later, at every exchange or at create, is found
 * out here: its range, and whether an element stands in it twice, so that replacing would depend on the order
 * of arrival. Cost: O(entries), less where lists are contiguous.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "map/inside.h"

static qdr_status check_places(const int64_t *place, int64_t count, const char *what, const char *list) {
    for (int64_t k = 0; place && k < count; k++)
        if (place[k] < 0)
            return qdri_fail(QDR_ERR_RANGE, "%s: %s[%lld] is %lld; elements count from 0", what, list,
                             (long long)k, (long long)place[k]);
    return QDR_OK;
}

qdr_status qdri_map_check_indices(const qdr_indices *indices, const char *what, int ranks) {
    int64_t total = 0;
    if (indices->partners < 0 || indices->partners > ranks)
        return qdri_fail(QDR_ERR_RANGE, "%s: %d partners; expected 0 to %d", what, indices->partners, ranks);
    if (indices->partners > 0 && (!indices->rank || !indices->count))
        return qdri_fail(QDR_ERR_INVALID, "%s: %d partners, but rank or count is NULL", what,
                         indices->partners);
    for (int i = 0; i < indices->partners; i++) {
        if (indices->rank[i] < 0 || indices->rank[i] >= ranks)
            return qdri_fail(QDR_ERR_RANGE, "%s: partner %d is rank %d; expected 0 to %d", what, i,
                             indices->rank[i], ranks - 1);
        if (indices->count[i] < 0 || indices->count[i] > (INT64_C(1) << 56) - total)
            return qdri_fail(QDR_ERR_RANGE,
                             "%s: %lld elements with rank %d cannot be counted; expected 0 to 2^56 in all",
                             what, (long long)indices->count[i], indices->rank[i]);
        total += indices->count[i];
    }
    QDRI_TRY(check_places(indices->place, total, what, "place"));
    return check_places(indices->partner_place, total, what, "partner_place");
}

static qdr_status find_twice(qdri_map_side *side, const int *rank) {
    int a = 0, b = 0;
    QDRI_TRY(qdri_places_twice(side->list, side->partners, &side->twice, &side->twice_element, &a, &b));
    if (side->twice) {
        side->twice_rank[0] = rank[a];
        side->twice_rank[1] = rank[b];
    }
    return QDR_OK;
}

/* What the side has of a list that was opened. */
static void add_list(qdri_map_side *side, int partner) {
    const qdri_places *list = &side->list[partner];
    side->count[partner] = list->count;
    side->entries += list->count;
    if (list->count == 0) return;
    if (side->highest < 0 || list->lowest < side->lowest) side->lowest = list->lowest;
    if (list->highest > side->highest) side->highest = list->highest;
}

static qdr_status open_lists(qdri_map_side *side, const int *rank, const int64_t *count,
                             const int64_t *place) {
    int64_t first = 0;
    for (int i = 0; i < side->partners; i++) {
        QDRI_TRY(qdri_places_open(place ? place + first : NULL, first, count[i], &side->list[i]));
        add_list(side, i);
        first += count[i];
    }
    return find_twice(side, rank);
}

qdr_status qdri_map_side_open(qdri_map_side *side, int partners, const int *rank, const int64_t *count,
                              const int64_t *place) {
    *side = (qdri_map_side){.partners = partners, .highest = -1};
    side->list = QDRI_ZERO_ARRAY(qdri_places, partners);
    side->count = QDRI_ARRAY(int64_t, partners);
    qdr_status status = side->list && side->count ? open_lists(side, rank, count, place) : qdri_fail_memory();
    if (status) qdri_map_side_close(side);
    return status;
}

qdr_status qdri_map_side_of_boxes(qdri_map_side *side, qdri_map_boxes *boxes) {
    *side = (qdri_map_side){.partners = boxes->partners, .highest = -1};
    side->count = QDRI_ARRAY(int64_t, boxes->partners);
    if (!side->count) return qdri_fail_memory();
    side->list = boxes->places;
    boxes->places = NULL;
    for (int i = 0; i < side->partners; i++) add_list(side, i);
    side->twice = boxes->twice;
    side->twice_element = boxes->twice_element;
    memcpy(side->twice_rank, boxes->twice_partner, sizeof side->twice_rank);
    return QDR_OK;
}

void qdri_map_side_close(qdri_map_side *side) {
    for (int i = 0; side->list && i < side->partners; i++) qdri_places_close(&side->list[i]);
    free(side->list);
    free(side->count);
    *side = (qdri_map_side){.highest = -1};
}
