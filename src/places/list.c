/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recognising the shape of a list.
 *
 * One pass learns the range, whether the steps are all alike, whether they all go one way, and how many runs
 * of consecutive elements there are. Then
 *
 *     all steps alike                       two numbers
 *     runs of LONG_RUN elements on average  32 bytes per run
 *     a range below 2^32                    4 bytes per entry: half the index traffic of what was given
 *     else                                  runs, however short: arrays beyond 2^32 elements are rare
 *
 * A run costs a call of memcpy and a length that is hard to predict, 3 to 5 ns; an index a fraction of one.
 * They break even where runs have about 14 elements of 8 bytes, 8 of 24 or 12 of 64.
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/memory.h"
#include "places/pieces.h"

enum { LONG_RUN = 12 };

typedef struct survey {
    int64_t lowest, highest, runs;
    int even, rising, falling;
} survey;

static qdr_status check_range(const int64_t *index, int64_t first, int64_t count) {
    if (count < 0) return qdri_fail(QDR_ERR_RANGE, "a list of %" PRId64 " entries", count);
    if (!index && count > 0 && first < 0)
        return qdri_fail(QDR_ERR_RANGE, "a list begins with element %" PRId64 "; elements count from 0",
                         first);
    if (!index && count > 0 && first > INT64_MAX - count)
        return qdri_fail(QDR_ERR_RANGE,
                         "a list of %" PRId64 " entries from element %" PRId64 " ends beyond 2^63", count,
                         first);
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
    return qdri_fail(QDR_ERR_RANGE,
                     "entry %" PRId64 " of a list is element %" PRId64 "; elements count from 0", k,
                     index[k]);
}

static qdr_status store_runs(const int64_t *index, int64_t runs, qdri_places *places) {
    int64_t count = places->count;
    if (!qdri_places_reserve(places, 1, runs)) return qdri_fail_memory();
    places->shape = QDRI_PIECES;
    places->piece[places->pieces++] = (qdri_piece){0, 0, 0, 1};
    places->axis_spans[places->axes++] = runs;
    for (int64_t k = 0; k < count; k++)
        if (k > 0 && index[k] - index[k - 1] == 1) {
            places->span[places->spans - 1].count++;
        } else {
            places->position[places->spans] = k;
            places->span[places->spans++] = (qdri_span){index[k], 1, 1};
        }
    return QDR_OK;
}

static qdr_status store_distances(const int64_t *index, qdri_places *places) {
    places->distance = QDRI_ARRAY(uint32_t, places->count);
    if (!places->distance) return qdri_fail_memory();
    for (int64_t k = 0; k < places->count; k++) places->distance[k] = (uint32_t)(index[k] - places->lowest);
    return QDR_OK;
}

static qdr_status recognise(const int64_t *index, qdri_places *places) {
    survey seen = look_over(index, places->count);
    if (seen.lowest < 0) return fail_negative(index);
    places->lowest = seen.lowest;
    places->highest = seen.highest;
    places->distinct = seen.rising || seen.falling;
    if (seen.even) {
        places->first = index[0];
        places->stride = places->count > 1 ? index[1] - index[0] : 1;
        return QDR_OK;
    }
    if (places->count / LONG_RUN >= seen.runs || seen.highest - seen.lowest > UINT32_MAX) {
        qdr_status status = store_runs(index, seen.runs, places);
        if (status) qdri_places_close(places);
        return status;
    }
    places->shape = QDRI_SCATTERED;
    return store_distances(index, places);
}

qdr_status qdri_places_open(const int64_t *index, int64_t first, int64_t count, qdri_places *places) {
    QDRI_TRY(check_range(index, first, count));
    qdri_places made = {.count = count, .highest = -1, .distinct = 1, .stride = 1};
    if (count > 0 && index) {
        QDRI_TRY(recognise(index, &made));
    } else if (count > 0) {
        made.first = made.lowest = first;
        made.highest = first + (count - 1);
    }
    *places = made;
    return QDR_OK;
}
