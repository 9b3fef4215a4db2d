/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recognising the shape of a list.
 *
 * One pass learns the range, whether the steps are all alike, whether they all go one way, and how many runs
 * of consecutive elements there are. Then
 *
 *     all steps alike                       two numbers
 *     runs of LONG_RUN elements on average  16 bytes per run
 *     a range below 2^32                    4 bytes per entry: half the index traffic of what was given
 *     else                                  runs, however short: arrays beyond 2^32 elements are rare
 *
 * A run costs a call of memcpy and a length that is hard to predict, 3 to 5 ns; an index a fraction of one.
 * They break even where runs have about 14 elements of 8 bytes, 8 of 24 or 12 of 64.
 */
#include "list.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

enum { LONG_RUN = 12 };

typedef struct survey {
    int64_t lowest, highest, runs;
    int even, rising, falling;
} survey;

static qdr_status check_range(const int64_t *index, int64_t first, int64_t count) {
    if (count < 0) return qdri_fail(QDR_RANGE, "a list of %" PRId64 " entries", count);
    if (!index && count > 0 && first < 0)
        return qdri_fail(QDR_RANGE, "a list begins with element %" PRId64 "; elements count from 0", first);
    if (!index && count > 0 && first > INT64_MAX - count)
        return qdri_fail(QDR_RANGE, "a list of %" PRId64 " entries from element %" PRId64 " ends beyond 2^63",
                         count, first);
    return QDR_OK;
}

/* At least one entry. Negative entries are looked for afterwards: `lowest` tells. */
static survey look_over(const int64_t *index, int64_t count) {
    survey seen = {index[0], index[0], 1, 1, 1, 1};
    uint64_t stride = count > 1 ? (uint64_t)index[1] - (uint64_t)index[0] : 1;
    for (int64_t k = 1; k < count; k++) {
        int64_t before = index[k - 1], here = index[k];
        uint64_t step = (uint64_t)here - (uint64_t)before;
        if (here < seen.lowest) seen.lowest = here;
        if (here > seen.highest) seen.highest = here;
        seen.runs += step != 1;
        seen.even &= step == stride;
        seen.rising &= here > before;
        seen.falling &= here < before;
    }
    return seen;
}

static qdr_status fail_negative(const int64_t *index) {
    int64_t k = 0;
    while (index[k] >= 0) k++;
    return qdri_fail(QDR_RANGE, "entry %" PRId64 " of a list is element %" PRId64 "; elements count from 0",
                     k, index[k]);
}

static qdr_status store_runs(const int64_t *index, qdri_list *list) {
    list->run = QDRI_ARRAY(qdri_run, list->runs + 1);
    if (!list->run) return qdri_fail_memory();
    int64_t runs = 0;
    for (int64_t k = 0; k < list->count; k++)
        if (k == 0 || index[k] - index[k - 1] != 1) list->run[runs++] = (qdri_run){index[k], k};
    list->run[runs] = (qdri_run){0, list->count};
    return QDR_OK;
}

static qdr_status store_distances(const int64_t *index, qdri_list *list) {
    list->distance = QDRI_ARRAY(uint32_t, list->count);
    if (!list->distance) return qdri_fail_memory();
    for (int64_t k = 0; k < list->count; k++) list->distance[k] = (uint32_t)(index[k] - list->lowest);
    return QDR_OK;
}

static qdr_status recognise(const int64_t *index, qdri_list *list) {
    survey seen = look_over(index, list->count);
    if (seen.lowest < 0) return fail_negative(index);
    list->lowest = seen.lowest;
    list->highest = seen.highest;
    list->distinct = seen.rising || seen.falling;
    if (seen.even) {
        list->first = index[0];
        list->stride = list->count > 1 ? index[1] - index[0] : 1;
        return QDR_OK;
    }
    if (list->count / LONG_RUN >= seen.runs || seen.highest - seen.lowest > UINT32_MAX) {
        list->shape = QDRI_RUNS;
        list->runs = seen.runs;
        return store_runs(index, list);
    }
    list->shape = QDRI_SCATTERED;
    return store_distances(index, list);
}

qdr_status qdri_list_open(const int64_t *index, int64_t first, int64_t count, qdri_list *list) {
    QDRI_TRY(check_range(index, first, count));
    qdri_list made = {.count = count, .highest = -1, .distinct = 1, .stride = 1};
    if (count > 0 && index) {
        QDRI_TRY(recognise(index, &made));
    } else if (count > 0) {
        made.first = made.lowest = first;
        made.highest = first + (count - 1);
    }
    *list = made;
    return QDR_OK;
}

void qdri_list_close(qdri_list *list) {
    free(list->run);
    free(list->distance);
    *list = (qdri_list){.highest = -1, .distinct = 1, .stride = 1};
}

/* The last run that begins at or before a position. */
static const qdri_run *find_run(const qdri_list *list, int64_t position) {
    int64_t low = 0, high = list->runs;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (list->run[middle].position <= position)
            low = middle;
        else
            high = middle;
    }
    return &list->run[low];
}

int64_t qdri_list_at(const qdri_list *list, int64_t k) {
    const qdri_run *run;
    switch (list->shape) {
    case QDRI_EVEN:
        return list->first + k * list->stride;
    case QDRI_RUNS:
        run = find_run(list, k + list->before);
        return run->first + (k + list->before - run->position);
    case QDRI_SCATTERED:
        break;
    }
    return list->lowest + (int64_t)list->distance[k];
}

qdri_list qdri_list_part(const qdri_list *list, int64_t from, int64_t to) {
    qdri_list part = *list;
    part.count = to - from;
    if (from == to) return part;
    switch (list->shape) {
    case QDRI_EVEN:
        part.first += from * list->stride;
        break;
    case QDRI_RUNS:
        part.before += from;
        part.run = (qdri_run *)find_run(list, part.before);
        part.runs -= part.run - list->run;
        break;
    case QDRI_SCATTERED:
        part.distance += from;
        break;
    }
    return part;
}
