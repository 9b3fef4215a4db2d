/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements that stand twice, or in two sets of lists.
 *
 * Most lists settle it by their ranges: what lies apart cannot meet. The rest goes through one set of the
 * elements of a window [lowest, lowest + span]: a bit per element where that takes no more memory than a hash
 * table of the entries would, else the table, with open addressing and at least half of it free. Neither
 * remembers the list an element came from; that is looked for in the one case where it is asked.
 *
 * Cost: O(entries) expected, plus O(lists log range) to order the ranges.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sort.h"
#include "places/walk.h"

/* ---- a set of elements --------------------------------------------------------------------------------- */

typedef struct element_set {
    int64_t lowest, highest; /* the window; elements outside are never members */
    uint64_t *word;          /* bits, or the table: 1 + element - lowest, 0 for a free place */
    uint64_t mask;           /* of a place in the table; 0: bits */
} element_set;

static qdr_status set_open(int64_t lowest, int64_t highest, int64_t entries, element_set *set) {
    if (entries > INT64_MAX / 64) return qdri_fail_memory();
    int64_t words = 4;
    while (words < 2 * entries) words *= 2;
    int64_t bit_words = (highest - lowest) / 64 + 1;
    int bits = bit_words <= words;
    *set = (element_set){lowest, highest, QDRI_ZERO_ARRAY(uint64_t, bits ? bit_words : words),
                         bits ? 0 : (uint64_t)words - 1};
    return set->word ? QDR_OK : qdri_fail_memory();
}

static int in_window(const element_set *set, int64_t element) {
    return element >= set->lowest && element <= set->highest;
}

/* The place where a key is, or where it would be. */
static uint64_t place_of(const element_set *set, uint64_t key) {
    uint64_t place = qdri_mix(key) & set->mask;
    while (set->word[place] && set->word[place] != key) place = (place + 1) & set->mask;
    return place;
}

/* Adds an element of the window; whether it was a member before. */
static int set_add(element_set *set, int64_t element) {
    uint64_t distance = (uint64_t)(element - set->lowest);
    if (set->mask) {
        uint64_t *place = set->word + place_of(set, distance + 1);
        int member = *place != 0;
        *place = distance + 1;
        return member;
    }
    uint64_t bit = UINT64_C(1) << (distance % 64), *word = set->word + distance / 64;
    int member = (*word & bit) != 0;
    *word |= bit;
    return member;
}

static int set_has(const element_set *set, int64_t element) {
    if (!in_window(set, element)) return 0;
    uint64_t distance = (uint64_t)(element - set->lowest);
    if (set->mask) return set->word[place_of(set, distance + 1)] != 0;
    return (int)(set->word[distance / 64] >> (distance % 64) & 1);
}

/* The total number of entries of the lists, as far as it can be counted. */
static int64_t add_count(int64_t total, const qdri_places *list) {
    return total > INT64_MAX - list->count ? INT64_MAX : total + list->count;
}

/* ---- twice --------------------------------------------------------------------------------------------- */

/* Sets suspect[i] for the lists that might hold an element twice, or share one with another: those whose
 * range meets another's, and those not known to be distinct. */
static void suspect_neighbours(const qdri_places *list, int lists, const int64_t *order, char *suspect) {
    int64_t reach = -1;
    int widest = -1; /* the list that reaches so far */
    for (int i = 0; i < lists; i++) {
        int here = (int)order[i];
        suspect[here] = list[here].count > 0 && !list[here].distinct;
        if (list[here].count == 0) continue;
        if (widest >= 0 && list[here].lowest <= reach) suspect[here] = suspect[widest] = 1;
        if (list[here].highest > reach) {
            reach = list[here].highest;
            widest = here;
        }
    }
}

static qdr_status find_suspects(const qdri_places *list, int lists, char *suspect) {
    int64_t *lowest = QDRI_ARRAY(int64_t, lists), *order = QDRI_ARRAY(int64_t, lists);
    qdr_status status = QDR_OK;
    if (lowest && order) {
        for (int i = 0; i < lists; i++) lowest[i] = list[i].lowest;
        if (!qdri_sort_order(lowest, lists, order)) status = qdri_fail_memory();
    } else {
        status = qdri_fail_memory();
    }
    if (status == QDR_OK) suspect_neighbours(list, lists, order, suspect);
    free(lowest);
    free(order);
    return status;
}

/* A set with room for all elements of the suspects; with none of them, an empty window. */
static qdr_status open_for_suspects(const qdri_places *list, int lists, const char *suspect,
                                    element_set *set) {
    int64_t lowest = INT64_MAX, highest = -1, total = 0;
    for (int i = 0; i < lists; i++) {
        if (!suspect[i]) continue;
        if (list[i].lowest < lowest) lowest = list[i].lowest;
        if (list[i].highest > highest) highest = list[i].highest;
        total = add_count(total, list + i);
    }
    return total > 0 ? set_open(lowest, highest, total, set) : QDR_OK;
}

/* Adds a list; whether an element of it was a member, or stood twice in it. */
static int add_all(element_set *set, const qdri_places *list, int64_t *repeated) {
    qdri_walk walk;
    for (qdri_walk_begin(&walk, list); qdri_walk_next(&walk);) QDRI_EACH_ELEMENT(walk, element)
    if (set_add(set, element)) {
        *repeated = element;
        return 1;
    }
    return 0;
}

static int has_element(const qdri_places *list, int64_t element) {
    qdri_walk walk;
    if (element < list->lowest || element > list->highest) return 0;
    for (qdri_walk_begin(&walk, list); qdri_walk_next(&walk);) QDRI_EACH_ELEMENT(walk, its)
    if (its == element) return 1;
    return 0;
}

static qdr_status look_for_twice(const qdri_places *list, int lists, const char *suspect, int *found,
                                 int64_t *element, int *list_a, int *list_b) {
    element_set set = {0};
    int64_t repeated = 0;
    int here = 0, first = 0;
    QDRI_TRY(open_for_suspects(list, lists, suspect, &set));
    while (here < lists && !(suspect[here] && add_all(&set, list + here, &repeated))) here++;
    free(set.word);
    *found = here < lists;
    if (!*found) return QDR_OK;
    while (!has_element(list + first, repeated)) first++;
    *element = repeated;
    *list_a = first;
    *list_b = here;
    return QDR_OK;
}

qdr_status qdri_places_twice(const qdri_places *list, int lists, int *found, int64_t *element, int *list_a,
                             int *list_b) {
    char *suspect = QDRI_ZERO_ARRAY(char, lists);
    if (!suspect) return qdri_fail_memory();
    qdr_status status = find_suspects(list, lists, suspect);
    if (status == QDR_OK) status = look_for_twice(list, lists, suspect, found, element, list_a, list_b);
    free(suspect);
    return status;
}

/* ---- meeting ------------------------------------------------------------------------------------------- */

/* Narrows a window to the range of these lists; if they are all empty, to nothing. */
static void narrow(const qdri_places *list, int lists, int64_t *lowest, int64_t *highest) {
    int64_t low = INT64_MAX, high = -1;
    for (int i = 0; i < lists; i++) {
        if (list[i].count == 0) continue;
        if (list[i].lowest < low) low = list[i].lowest;
        if (list[i].highest > high) high = list[i].highest;
    }
    if (low > *lowest) *lowest = low;
    if (high < *highest) *highest = high;
}

static int meets_window(const element_set *set, const qdri_places *list) {
    return list->count > 0 && list->lowest <= set->highest && list->highest >= set->lowest;
}

static void add_inside(element_set *set, const qdri_places *list) {
    qdri_walk walk;
    for (qdri_walk_begin(&walk, list); qdri_walk_next(&walk);) QDRI_EACH_ELEMENT(walk, element)
    if (in_window(set, element)) set_add(set, element);
}

static int find_member(const element_set *set, const qdri_places *list, int64_t *element) {
    qdri_walk walk;
    for (qdri_walk_begin(&walk, list); qdri_walk_next(&walk);) QDRI_EACH_ELEMENT(walk, its)
    if (set_has(set, its)) {
        *element = its;
        return 1;
    }
    return 0;
}

qdr_status qdri_places_intersect(const qdri_places *a, int as, const qdri_places *b, int bs, int *found,
                                 int64_t *element) {
    int64_t lowest = 0, highest = INT64_MAX, total = 0;
    int met = 0;
    narrow(a, as, &lowest, &highest);
    narrow(b, bs, &lowest, &highest);
    element_set set = {.lowest = lowest, .highest = highest};
    if (lowest <= highest) {
        for (int i = 0; i < as; i++)
            if (meets_window(&set, a + i)) total = add_count(total, a + i);
        QDRI_TRY(set_open(lowest, highest, total, &set));
        for (int i = 0; i < as; i++)
            if (meets_window(&set, a + i)) add_inside(&set, a + i);
        for (int i = 0; i < bs && !met; i++)
            met = meets_window(&set, b + i) && find_member(&set, b + i, element);
        free(set.word);
    }
    *found = met;
    return QDR_OK;
}
