/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sides of a map that are boxes. A box becomes one piece of places, whatever its size; what is asked of a side, whether an
 * element stands in it twice, or in both, follows from the corners. Cost: O(boxes^2), and they are few: the neighbours.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "map/inside.h"

enum { MOST = QDR_MOST_DIMENSIONS };
_Static_assert((int)MOST <= (int)QDRI_MOST_AXES, "a box is one piece");

static const int64_t most_elements = INT64_C(1) << 56;

/* ---- checking ------------------------------------------------------------------------------------------ */

static qdr_status check_array(const qdr_boxes *given, const char *what) {
    int64_t room = 1;
    if (given->dimensions < 1 || given->dimensions > MOST)
        return qdri_fail(QDR_ERR_RANGE, "%s: %d dimensions; expected 1 to %d", what, given->dimensions, MOST);
    if (given->order != QDR_ROW_MAJOR && given->order != QDR_COLUMN_MAJOR)
        return qdri_fail(QDR_ERR_RANGE, "%s: there is no order %d", what, (int)given->order);
    if (!given->extent) return qdri_fail(QDR_ERR_INVALID, "%s: extent is NULL", what);
    if (given->boxes < 0) return qdri_fail(QDR_ERR_RANGE, "%s: %d boxes", what, given->boxes);
    if (given->boxes > 0 && (!given->rank || !given->lower || !given->count))
        return qdri_fail(QDR_ERR_INVALID, "%s: %d boxes, but rank, lower or count is NULL", what,
                         given->boxes);
    for (int d = 0; d < given->dimensions; d++) {
        if (given->extent[d] < 0 || (given->extent[d] > 0 && room > most_elements / given->extent[d]))
            return qdri_fail(QDR_ERR_RANGE, "%s: an extent of %lld; expected an array of up to 2^56 elements",
                             what, (long long)given->extent[d]);
        if (given->extent[d] > 0) room *= given->extent[d];
    }
    return QDR_OK;
}

static qdr_status check_box(const qdr_boxes *given, const char *what, int ranks, int box) {
    const int64_t *lower = given->lower + (size_t)box * (size_t)given->dimensions,
                  *count = given->count + (size_t)box * (size_t)given->dimensions;
    if (given->rank[box] < 0 || given->rank[box] >= ranks)
        return qdri_fail(QDR_ERR_RANGE, "%s: box %d is with rank %d; expected 0 to %d", what, box,
                         given->rank[box], ranks - 1);
    for (int d = 0; d < given->dimensions; d++)
        if (lower[d] < 0 || count[d] < 0 || lower[d] > given->extent[d] ||
            count[d] > given->extent[d] - lower[d])
            return qdri_fail(
                QDR_ERR_RANGE,
                "%s: box %d has %lld indices from %lld on in dimension %d, of which the array has %lld", what,
                box, (long long)count[d], (long long)lower[d], d, (long long)given->extent[d]);
    return QDR_OK;
}

/* ---- boxes and elements -------------------------------------------------------------------------------- */

/* How far an index of each dimension lies from the next. */
static void find_strides(const qdr_boxes *given, int64_t *stride) {
    int64_t next = 1;
    for (int i = 0; i < given->dimensions; i++) {
        int d = given->order == QDR_ROW_MAJOR ? given->dimensions - 1 - i : i;
        stride[d] = next;
        next *= given->extent[d];
    }
}

/* Adds a box to places; how many elements it has. */
static qdr_status add_box(const qdr_boxes *given, const int64_t *stride, int box, qdri_places *places) {
    const int64_t *lower = given->lower + (size_t)box * (size_t)given->dimensions,
                  *count = given->count + (size_t)box * (size_t)given->dimensions;
    qdri_span span[MOST];
    int64_t one[MOST];
    for (int i = 0; i < given->dimensions; i++) {
        int d = given->order == QDR_ROW_MAJOR ? i : given->dimensions - 1 - i;
        if (count[d] == 0) return QDR_OK;
        one[i] = 1;
        span[i] = (qdri_span){lower[d] * stride[d], count[d], stride[d]};
    }
    return qdri_places_add_product(places, given->dimensions, one, span);
}

/* Whether two boxes of arrays of the same extents share an element, and the first of those. */
static int share_element(const qdr_boxes *a, int box_a, const qdr_boxes *b, int box_b, int64_t *element) {
    size_t dimensions = (size_t)a->dimensions;
    const int64_t *lower_a = a->lower + (size_t)box_a * dimensions,
                  *lower_b = b->lower + (size_t)box_b * dimensions;
    const int64_t *count_a = a->count + (size_t)box_a * dimensions,
                  *count_b = b->count + (size_t)box_b * dimensions;
    int64_t stride[MOST], first = 0;
    find_strides(a, stride);
    for (int d = 0; d < a->dimensions; d++) {
        int64_t lower = lower_a[d] > lower_b[d] ? lower_a[d] : lower_b[d];
        if (lower >= lower_a[d] + count_a[d] || lower >= lower_b[d] + count_b[d]) return 0;
        first += lower * stride[d];
    }
    *element = first;
    return 1;
}

int qdri_map_boxes_intersect(const qdr_boxes *a, const qdr_boxes *b, int64_t *element) {
    if (a->dimensions != b->dimensions || a->order != b->order ||
        memcmp(a->extent, b->extent, (size_t)a->dimensions * sizeof *a->extent) != 0)
        return -1;
    for (int j = 0; j < b->boxes; j++)
        for (int i = 0; i < a->boxes; i++)
            if (share_element(a, i, b, j, element)) return 1;
    return 0;
}

/* ---- by partner ---------------------------------------------------------------------------------------- */

static int partner_of(qdri_map_boxes *made, int rank) {
    for (int i = 0; i < made->partners; i++)
        if (made->rank[i] == rank) return i;
    made->rank[made->partners] = rank;
    return made->partners++;
}

static void find_twice(const qdr_boxes *given, qdri_map_boxes *made) {
    for (int j = 1; j < given->boxes && !made->twice; j++)
        for (int i = 0; i < j && !made->twice; i++)
            if (share_element(given, i, given, j, &made->twice_element)) {
                made->twice = 1;
                made->twice_partner[0] = given->rank[i];
                made->twice_partner[1] = given->rank[j];
            }
}

static qdr_status fill(const qdr_boxes *given, const char *what, int ranks, qdri_map_boxes *made) {
    int64_t stride[MOST], total = 0;
    find_strides(given, stride);
    for (int i = 0; i < given->boxes; i++) {
        QDRI_TRY(check_box(given, what, ranks, i));
        int partner = partner_of(made, given->rank[i]);
        QDRI_TRY(add_box(given, stride, i, &made->places[partner]));
    }
    for (int i = 0; i < made->partners; i++) {
        made->count[i] = made->places[i].count;
        if (made->count[i] > most_elements - total)
            return qdri_fail(QDR_ERR_RANGE, "%s: all boxes together have more than 2^56 elements", what);
        total += made->count[i];
    }
    find_twice(given, made);
    return QDR_OK;
}

qdr_status qdri_map_boxes_open(const qdr_boxes *given, const char *what, int ranks, qdri_map_boxes *made) {
    *made = (qdri_map_boxes){.partners = 0};
    if (!given)
        return qdri_fail(QDR_ERR_INVALID, "qdr_map_from_boxes: %s is NULL; expected both sides", what);
    QDRI_TRY(check_array(given, what));
    made->rank = QDRI_ARRAY(int, given->boxes);
    made->count = QDRI_ARRAY(int64_t, given->boxes);
    made->places = QDRI_ZERO_ARRAY(qdri_places, given->boxes);
    qdr_status status =
        made->rank && made->count && made->places ? fill(given, what, ranks, made) : qdri_fail_memory();
    if (status) qdri_map_boxes_close(made);
    return status;
}

void qdri_map_boxes_close(qdri_map_boxes *boxes) {
    for (int i = 0; boxes->places && i < boxes->partners; i++) qdri_places_close(&boxes->places[i]);
    free(boxes->rank);
    free(boxes->count);
    free(boxes->places);
    *boxes = (qdri_map_boxes){.partners = 0};
}
