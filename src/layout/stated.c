/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank stated of an explicit layout, as numbers of a region.
 *
 * Ranks state single elements by the million, so what is done for one must be little. A box of the region
 * is a *line* where its elements, in the order of their numbers, are equally far apart in the array: every
 * strided box of one dimension, whole rows, a column, the whole array. The elements of a line are
 * lower + k * stride, and k costs one multiplication with the inverse of the stride modulo 2^64: of all
 * 2^64 words, the multiples 0, stride, 2 * stride ... alone are mapped to 0, 1, 2 ... below the count, so
 * that one comparison says whether the element is in it at all. Of other boxes each row is a line, which is
 * set up when a run enters another row of the array: runs that stay in a row share it.
 *
 * Listed elements are looked up where they are spread out (listed.c): in one table, if that box is a range
 * of elements, too, else in the table's part for the row. Those that are not spread out are found row by row
 * in the hash table, or the list is held against the row, if it is shorter.
 */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/memory.h"

/* Elements lower, lower + stride ... with the numbers start, start + pace ...; stride = odd << shift. */
typedef struct line {
    qdri_progression element;
    int64_t start, pace;
    uint64_t inverse; /* of the odd factor */
    int shift;
    const qdri_item *item;
} line;

/* The row of the array that the lines of rows are set up for: elements [from, until). The last index is
 * whatever was looked at last. */
typedef struct row {
    int64_t from, until, index[MOST];
} row;

/* Positions of listed elements first, first + 1 ... */
typedef struct table {
    const uint32_t *position; /* [size] */
    int64_t first, size;
} table;

/* How listed elements are found; a table is of the whole array, or of the row. */
typedef enum search { NOTHING_LISTED, TABLE_OF_ARRAY, TABLE_OF_ROW, HASHED } search;

typedef struct reading {
    const qdr_layout *layout;
    const qdr_region *region;
    line *line; /* [boxes]: `lines` of the array, then those of rows */
    int64_t lines, boxes;
    search search;
    table table;
    const qdri_item *list; /* NULL: there are several */
    int by_rows;           /* there is something that only rows find */
    row row;
    qdri_joiner joiner;
} reading;

/* ---- lines --------------------------------------------------------------------------------------------- */

static line make_line(const qdri_item *item, const qdri_progression *element, int64_t pace) {
    int shift = qdri_lowest_bit((uint64_t)element->stride);
    uint64_t odd = (uint64_t)element->stride >> shift, inverse = odd;
    /* Newton: odd * odd ends in 001, and each step doubles the bits that are right. */
    for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - odd * inverse;
    return (line){*element, item->start, pace, inverse, shift, item};
}

/* The k of lower + k * stride; something beyond the count for elements that are not in the line. */
static inline uint64_t place_in_line(const line *line, int64_t element) {
    uint64_t product = (uint64_t)(element - line->element.lower) * line->inverse;
    return product >> line->shift | product << ((64 - line->shift) & 63);
}

static inline qdr_status visit_element(reading *reading, const line *line, int64_t element, int rank,
                                       int64_t place) {
    uint64_t k = place_in_line(line, element);
    if (k >= (uint64_t)line->element.count) return QDR_OK;
    return qdri_joiner_add(&reading->joiner, line->start + (int64_t)k * line->pace, 1, rank, place, 1);
}

/* How many of [element, element + count) are in the line, and the k of the first. Most lines have no gaps;
 * these are spared the divisions. */
static inline int64_t find_stretch(const line *line, int64_t element, int64_t count, int64_t *k) {
    const qdri_progression *own = &line->element;
    int64_t from = qdri_most(element - own->lower, 0);
    int64_t until = qdri_least(element + count - own->lower, (own->count - 1) * own->stride + 1);
    if (from >= until) return 0;
    *k = qdri_ceiling(from, own->stride);
    return qdri_ceiling(until, own->stride) - *k;
}

static qdr_status visit_stretch(reading *reading, const line *line, int64_t element, int64_t count, int rank,
                                int64_t place) {
    int64_t k, stride = line->element.stride, found = find_stretch(line, element, count, &k);
    if (found == 0) return QDR_OK;
    int64_t number = line->start + k * line->pace;
    place += line->element.lower + k * stride - element;
    if (line->pace == 1) return qdri_joiner_add(&reading->joiner, number, found, rank, place, stride);
    for (int64_t i = 0; i < found; i++)
        QDRI_TRY(qdri_joiner_add(&reading->joiner, number + i * line->pace, 1, rank, place + i * stride, 1));
    return QDR_OK;
}

static inline qdr_status visit_line(reading *reading, const line *line, int64_t element, int64_t count,
                                    int rank, int64_t place) {
    return count == 1 ? visit_element(reading, line, element, rank, place)
                      : visit_stretch(reading, line, element, count, rank, place);
}

static int fits(const qdr_layout *layout, const qdri_progression *box) {
    for (int d = 0; d < layout->dimensions; d++)
        if (box[d].lower + (box[d].count - 1) * box[d].stride >= layout->extent[d]) return 0;
    return 1;
}

/* Whether a box is a line of the array: from the fastest dimension of its numbers on, the next index of one
 * must be as far away as one more of those before would be. */
static int find_line(const qdr_layout *layout, const qdr_region *region, const qdri_progression *box,
                     qdri_progression *element) {
    int axis[MOST];
    int64_t width[MOST], size = 1;
    if (!fits(layout, box)) return 0;
    for (int d = layout->dimensions - 1; d >= 0; size *= layout->extent[d--]) width[d] = size;
    qdri_order_axes(region->order, region->dimensions, axis);
    *element = (qdri_progression){0, 1, 1};
    for (int a = layout->dimensions - 1; a >= 0; a--) {
        int d = axis[a];
        element->lower += box[d].lower * width[d];
        if (box[d].count == 1) continue;
        int64_t stride = box[d].stride * width[d];
        if (element->count == 1) element->stride = stride;
        if (element->stride * element->count != stride && element->count > 1) return 0;
        element->count *= box[d].count;
    }
    return 1;
}

/* ---- tables of listed elements ------------------------------------------------------------------------- */

static inline qdr_status visit_position(reading *reading, int64_t position, int rank, int64_t place) {
    const qdri_item *list = reading->list;
    int64_t number =
        list ? list->start + position - list->listed : qdri_listed_number(reading->region, position);
    return qdri_joiner_add(&reading->joiner, number, 1, rank, place, 1);
}

static inline qdr_status look_up(reading *reading, int64_t element, int rank, int64_t place) {
    uint64_t at = (uint64_t)(element - reading->table.first);
    if (at >= (uint64_t)reading->table.size) return QDR_OK;
    uint32_t position = reading->table.position[at];
    return position == QDRI_NOT_LISTED ? QDR_OK : visit_position(reading, position, rank, place);
}

static qdr_status look_up_each(reading *reading, int64_t element, int64_t count, int rank, int64_t place) {
    int64_t from = qdri_most(element, reading->table.first);
    int64_t until = qdri_least(element + count, reading->table.first + reading->table.size);
    for (int64_t e = from; e < until; e++) QDRI_TRY(look_up(reading, e, rank, place + e - element));
    return QDR_OK;
}

static inline qdr_status visit_table(reading *reading, int64_t element, int64_t count, int rank,
                                     int64_t place) {
    return count == 1 ? look_up(reading, element, rank, place)
                      : look_up_each(reading, element, count, rank, place);
}

/* The box in which they are spread out is a range of elements if it is whole but in the slowest dimension. */
static search choose_search(const qdr_layout *layout, const qdr_region *region, table *table) {
    if (region->listed == 0) return NOTHING_LISTED;
    if (!region->direct) return HASHED;
    int64_t width = 1;
    for (int d = 1; d < layout->dimensions; d++) {
        if (region->direct_extent[d] != layout->extent[d] || region->direct_low[d] != 0) return TABLE_OF_ROW;
        width *= layout->extent[d];
    }
    if (region->direct_low[0] >= layout->extent[0]) return TABLE_OF_ROW;
    table->position = region->direct;
    table->first = region->direct_low[0] * width;
    table->size = region->direct_extent[0] * width;
    return TABLE_OF_ARRAY;
}

/* The part of a row; `index` is of any element of it. */
static table table_of_row(const qdr_region *region, int64_t from, int64_t *index) {
    int last = region->dimensions - 1;
    index[last] = region->direct_low[last];
    int64_t place = qdri_listed_place(region, index);
    if (place < 0) return (table){0};
    return (table){region->direct + place, from + region->direct_low[last], region->direct_extent[last]};
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* The line of a box in any row, empty until a row is entered. */
static line make_row_line(const qdr_region *region, const qdri_item *item) {
    const qdri_progression *box = qdri_item_box(region, item);
    int last = region->dimensions - 1;
    int64_t pace = 1;
    for (int d = 0; d < last && region->order == QDR_COLUMN_MAJOR; d++) pace *= box[d].count;
    return make_line(item, &(qdri_progression){0, box[last].stride, 0}, pace);
}

static void enter_row(reading *reading, int64_t element) {
    row *row = &reading->row;
    int last = reading->layout->dimensions - 1;
    qdri_layout_split(reading->layout, element, row->index);
    row->from = element - row->index[last];
    row->until = row->from + reading->layout->extent[last];
    for (int64_t i = reading->lines; i < reading->boxes; i++) {
        line *line = reading->line + i;
        const qdri_progression *box = qdri_item_box(reading->region, line->item);
        row->index[last] = box[last].lower;
        int64_t number = qdri_box_number(reading->region, box, row->index);
        line->start = line->item->start + number;
        line->element.lower = row->from + box[last].lower;
        line->element.count = number < 0 ? 0 : box[last].count;
    }
    if (reading->search == TABLE_OF_ROW)
        reading->table = table_of_row(reading->region, row->from, row->index);
}

static qdr_status find_in_lists(reading *reading, int64_t element, int64_t count, int rank, int64_t place) {
    row *row = &reading->row;
    int last = reading->layout->dimensions - 1;
    for (int64_t i = 0; i < count; i++) {
        row->index[last] = element + i - row->from;
        int64_t position = qdri_listed_find(reading->region, row->index);
        if (position >= 0) QDRI_TRY(visit_position(reading, position, rank, place + i));
    }
    return QDR_OK;
}

static qdr_status find_in_row(reading *reading, int64_t element, int64_t count, int rank, int64_t place) {
    const qdr_region *region = reading->region;
    const row *row = &reading->row;
    int last = region->dimensions - 1;
    for (int64_t p = 0; p < region->listed; p++) {
        const int64_t *index = region->index + p * region->dimensions;
        int64_t within = row->from + index[last] - element;
        if (within < 0 || within >= count || memcmp(index, row->index, (size_t)last * sizeof *index))
            continue;
        QDRI_TRY(visit_position(reading, p, rank, place + within));
    }
    return QDR_OK;
}

static qdr_status visit_row(reading *reading, int64_t element, int64_t count, int rank, int64_t place) {
    for (int64_t i = reading->lines; i < reading->boxes; i++)
        QDRI_TRY(visit_line(reading, reading->line + i, element, count, rank, place));
    if (reading->search == TABLE_OF_ROW) return visit_table(reading, element, count, rank, place);
    if (reading->search != HASHED) return QDR_OK;
    return count < reading->region->listed ? find_in_lists(reading, element, count, rank, place)
                                           : find_in_row(reading, element, count, rank, place);
}

static qdr_status visit_rows(reading *reading, int64_t element, int64_t count, int rank, int64_t place) {
    const row *row = &reading->row;
    for (int64_t end = element + count, length; element < end; element += length, place += length) {
        if (element < row->from || element >= row->until) enter_row(reading, element);
        length = qdri_least(end, row->until) - element;
        QDRI_TRY(visit_row(reading, element, length, rank, place));
    }
    return QDR_OK;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static qdr_status visit_all(void *context, int64_t element, int64_t count, int rank, int64_t place,
                            int64_t step) {
    reading *reading = context;
    (void)step;
    for (int64_t i = 0; i < reading->lines; i++)
        QDRI_TRY(visit_line(reading, reading->line + i, element, count, rank, place));
    if (reading->search == TABLE_OF_ARRAY) QDRI_TRY(visit_table(reading, element, count, rank, place));
    return reading->by_rows ? visit_rows(reading, element, count, rank, place) : QDR_OK;
}

/* The common cases: one box, which is a line, or even a range; lists alone. */
static qdr_status visit_only_line(void *context, int64_t element, int64_t count, int rank, int64_t place,
                                  int64_t step) {
    reading *reading = context;
    (void)step;
    return visit_line(reading, reading->line, element, count, rank, place);
}

static qdr_status visit_only_range(void *context, int64_t element, int64_t count, int rank, int64_t place,
                                   int64_t step) {
    reading *reading = context;
    const line *line = reading->line;
    int64_t from = qdri_most(element, line->element.lower);
    int64_t until = qdri_least(element + count, line->element.lower + line->element.count);
    (void)step;
    if (from >= until) return QDR_OK;
    return qdri_joiner_add(&reading->joiner, line->start + from - line->element.lower, until - from, rank,
                           place + from - element, 1);
}

static qdr_status visit_only_table(void *context, int64_t element, int64_t count, int rank, int64_t place,
                                   int64_t step) {
    (void)step;
    return visit_table(context, element, count, rank, place);
}

static qdri_visit *choose_visit(const reading *reading) {
    if (reading->by_rows) return visit_all;
    if (reading->lines == 1 && reading->search == NOTHING_LISTED)
        return reading->line->element.stride == 1 ? visit_only_range : visit_only_line;
    if (reading->lines == 0 && reading->search == TABLE_OF_ARRAY) return visit_only_table;
    return visit_all;
}

/* Lines of the array from the front, those of rows from the back. */
static void sort_items(reading *reading) {
    const qdr_region *region = reading->region;
    int64_t lists = 0, back = region->boxes;
    for (int64_t i = 0; i < region->items; i++) {
        const qdri_item *item = region->item + i;
        qdri_progression element;
        if (item->box < 0)
            reading->list = lists++ == 0 ? item : NULL;
        else if (find_line(reading->layout, region, qdri_item_box(region, item), &element))
            reading->line[reading->lines++] = make_line(item, &element, 1);
        else
            reading->line[--back] = make_row_line(region, item);
    }
    reading->boxes = region->boxes;
    reading->search = choose_search(reading->layout, region, &reading->table);
    reading->by_rows =
        reading->lines < reading->boxes || reading->search == TABLE_OF_ROW || reading->search == HASHED;
}

qdr_status qdri_side_stated(const qdri_array_side *side, qdri_visit *visit, void *context) {
    QDRI_TRY(qdri_side_check(side, 0));
    if (!side->layout->type->stated)
        return qdri_fail(QDR_ERR_INVALID, "the boxes of one rank are no explicit layout");
    reading reading = {.layout = side->layout,
                       .region = side->region,
                       .line = QDRI_ARRAY(line, side->region->boxes),
                       .joiner = {.visit = visit, .context = context}};
    if (!reading.line) return qdri_fail_memory();
    sort_items(&reading);
    qdr_status status = side->layout->type->stated(side->layout, choose_visit(&reading), &reading);
    if (!status) status = qdri_joiner_flush(&reading.joiner);
    free(reading.line);
    return status;
}
