/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this layer share.
 *
 * Along one dimension, what a part owns is a *comb*: `block` indices of every `period`, between two bounds.
 * (A plain interval is a comb with one tooth.) What a rank owns is a few *tiles*, products of combs: one of
 * a regular layout, as many as there are boxes of the others. What a region selects along one dimension is
 * a *progression*. All closed forms are about a comb and a progression.
 */
#ifndef QDRI_LAYOUT_INSIDE_H
#define QDRI_LAYOUT_INSIDE_H

#include <stdatomic.h>

#include "bytes.h"
#include "base/owned.h"
#include "layout.h"

enum { MOST = QDR_MOST_DIMENSIONS };
_Static_assert((int)MOST <= (int)QDRI_MOST_AXES, "a box of any array is one piece");

/* No count, index or place is beyond, so that two of them can be added. */
#define QDRI_LARGEST (INT64_C(1) << 62)

/* Numbers that are not negative; 0 when the result would be beyond QDRI_LARGEST. */
static inline int qdri_multiply(int64_t a, int64_t b, int64_t *product) {
    if (a > 0 && b > QDRI_LARGEST / a) return 0;
    *product = a * b;
    return 1;
}

static inline int qdri_add(int64_t a, int64_t b, int64_t *sum) {
    if (a > QDRI_LARGEST - b) return 0;
    *sum = a + b;
    return 1;
}

static inline int64_t qdri_least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t qdri_most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Of a number that is not negative. */
static inline int64_t qdri_ceiling(int64_t number, int64_t divisor) {
    if (divisor == 1) return number; /* by far the most frequent */
    return number / divisor + (number % divisor != 0);
}

/* ---- combs and progressions (comb.c) ------------------------------------------------------------------- */

/* Indices lower + k * period + i for i < block, below `upper`, which is one beyond the last. Empty:
 * lower == upper. block >= 1, period >= block. */
typedef struct qdri_comb {
    int64_t lower, upper, block, period;
} qdri_comb;

/* lower + c * stride for the coordinates c = 0 .. count - 1; stride >= 1. */
typedef struct qdri_progression {
    int64_t lower, stride, count;
} qdri_progression;

qdri_comb qdri_comb_interval(int64_t lower, int64_t upper);
int64_t qdri_comb_count(const qdri_comb *comb);
/* How many indices of the comb stand before this one; -1 if it is not in it. */
int64_t qdri_comb_local(const qdri_comb *comb, int64_t index);
int64_t qdri_comb_index(const qdri_comb *comb, int64_t local);

/* How many of a progression lie in [lower, upper), and the first coordinate of them. */
int64_t qdri_progression_within(const qdri_progression *progression, int64_t lower, int64_t upper,
                                int64_t *first);
/* Whether two progressions have an index in common, and the lowest. */
int qdri_progressions_intersect(const qdri_progression *a, const qdri_progression *b, int64_t *index);

/* A progression seen through a comb: the coordinates whose indices are in both. */
typedef struct qdri_sieve {
    qdri_comb comb;
    qdri_progression progression;
    int64_t scale; /* elements of memory from one index of the comb to the next */
    int empty, dense;
} qdri_sieve;

/* Coordinates coordinate .. + count - 1, at place, place + step ... of the memory. */
typedef struct qdri_cut {
    int64_t coordinate, count, place, step;
} qdri_cut;

qdri_sieve qdri_sieve_open(const qdri_comb *comb, const qdri_progression *progression, int64_t scale);
/* The first cut at or behind coordinate `from`; 0 if there is none. */
int qdri_sieve_find(const qdri_sieve *sieve, int64_t from, qdri_cut *cut);

/* ---- tiles (tile.c) ------------------------------------------------------------------------------------ */

typedef struct qdri_tile {
    int64_t base; /* the place of its first element */
    qdri_comb comb[MOST];
    int64_t stride[MOST];
} qdri_tile;

int64_t qdri_tile_elements(const qdri_tile *tile, int dimensions);
/* -1 if it has no such element. */
int64_t qdri_tile_place(const qdri_tile *tile, int dimensions, const int64_t *index);
/* 0 if no element lies there. */
int qdri_tile_index(const qdri_tile *tile, int dimensions, int64_t place, int64_t *index);
/* Dense strides of a box of so many elements in each dimension. */
void qdri_dense_strides(int dimensions, const int64_t *room, qdr_order order, int64_t *stride);
/* Refuses strides below 1, strides that make elements of such a box meet, and boxes beyond QDRI_LARGEST;
 * else `reach` is the last place, counted from the first. */
qdr_status qdri_strides_check(const char *what, int dimensions, const int64_t *room, const int64_t *stride,
                              int64_t *reach);

/* ---- layouts ------------------------------------------------------------------------------------------- */

typedef struct qdri_walker qdri_walker;

/* What a kind of layout can do. Index and rank have been checked; QDR_ERR_UNKNOWN needs no sentence. */
typedef struct qdri_layout_type {
    qdri_layout_kind kind;
    int compact;
    qdr_status (*locate)(const qdr_layout *layout, const int64_t *index, int *rank, int64_t *place);
    qdr_status (*index)(const qdr_layout *layout, int rank, int64_t place, int64_t *index);
    qdr_status (*share)(const qdr_layout *layout, int rank, int64_t *elements, int64_t *room);
    void (*put)(const qdr_layout *layout, qdri_writer *writer); /* what kind and extent do not say */
    qdr_status (*get)(qdri_reader *reader, int dimensions, const int64_t *extent, qdr_layout **layout);
    void (*close)(qdr_layout *layout);
    /* Compact. */
    int64_t (*tiles)(const qdr_layout *layout, int rank);
    void (*tile)(const qdr_layout *layout, int rank, int64_t number, qdri_tile *tile);
    /* How many elements of a box of a region somebody owns. */
    int64_t (*owned)(const qdr_layout *layout, const qdri_progression *box);
    /* Fills in cursor->rank, place, step and until for the element at `index`. */
    qdr_status (*open_cursor)(qdri_walker *cursor);
    void (*seek)(qdri_walker *cursor, const int64_t *index);
    /* Explicit: calls `visit` with elements (row-major) in place of numbers. */
    qdr_status (*stated)(const qdr_layout *layout, qdri_visit *visit, void *context);
} qdri_layout_type;

struct qdr_layout {
    const qdri_layout_type *type;
    qdri_owned owned;
    int dimensions, ranks;
    int64_t extent[MOST];
    int64_t elements;
};

extern const qdri_layout_type qdri_regular_type, qdri_boxes_type, qdri_joined_type, qdri_runs_type,
    qdri_entries_type;

/* Checks and fills in the head of a layout. */
qdr_status qdri_layout_head(qdr_layout *layout, const qdri_layout_type *type, int dimensions,
                            const int64_t *extent);
/* The number of an element in row-major order of the extent, and back. */
int64_t qdri_layout_element(const qdr_layout *layout, const int64_t *index);
void qdri_layout_split(const qdr_layout *layout, int64_t element, int64_t *index);
/* Writes "(3, 4)" into text[size] and returns it: for sentences. */
const char *qdri_index_text(char *text, size_t size, int dimensions, const int64_t *index);
enum { INDEX_TEXT = 200 };

/* Finds who owns what, element after element. Elements asked for one after the other cost less when they
 * are neighbours. */
typedef struct qdri_slice { /* indices [from, until) of one axis have one part; `from` lies at `local` */
    int64_t from, until, local, room;
    int64_t part;
} qdri_slice;

struct qdri_walker {
    const qdr_layout *layout;
    int axis[MOST]; /* dimensions, the one that changes least first */
    qdri_slice slice[MOST];
    int64_t *candidate; /* of boxes: [dimensions][boxes], those that are left after each axis but the last */
    int64_t candidates[MOST];
    /* The answer: the elements from the index to `until` - 1 along the last axis belong to `rank`, the
     * first at `place`, the others `step` apart. QDR_HERE: nobody's. */
    int rank;
    int64_t place, step, until;
};

/* `axis`: the dimensions, the one that changes least first. */
qdr_status qdri_walker_open(qdri_walker *cursor, const qdr_layout *layout, const int *axis);
void qdri_walker_close(qdri_walker *cursor);

/* ---- regions (region.c, listed.c) ---------------------------------------------------------------------- */

typedef struct qdri_item { /* a box, or single elements */
    int64_t start, elements;
    int64_t box;    /* its number among the boxes; -1: a list */
    int64_t listed; /* how many elements the lists before it have */
} qdri_item;

struct qdr_region {
    qdri_owned owned;
    int dimensions;
    qdr_order order;
    int64_t elements;
    int64_t items, item_capacity;
    qdri_item *item; /* [items], by rising start, none empty */
    int64_t boxes, box_capacity;
    qdri_progression *box; /* [boxes][dimensions] */
    int64_t listed, index_capacity;
    int64_t *index; /* [listed][dimensions] */
    int64_t slots;
    int64_t *slot; /* [slots]: a hash table of those; -1: free */
    /* Where they lie close together, the box that they lie in: their positions, QDRI_NOT_LISTED
     * elsewhere; else NULL. */
    uint32_t *direct;
    int64_t direct_low[MOST], direct_extent[MOST];
};
#define QDRI_NOT_LISTED UINT32_MAX

/* The dimensions from the slowest to the fastest. */
void qdri_order_axes(qdr_order order, int dimensions, int *axis);
/* The number of the item that element `number` belongs to. */
int64_t qdri_region_item_of(const qdr_region *region, int64_t number);
static inline const qdri_progression *qdri_item_box(const qdr_region *region, const qdri_item *item) {
    return region->box + item->box * region->dimensions;
}

/* The number of an element in a box of the region, from 0 on; -1 if the box does not hold it. */
int64_t qdri_box_number(const qdr_region *region, const qdri_progression *box, const int64_t *index);

/* The listed elements. */
int64_t qdri_listed_number(const qdr_region *region, int64_t position); /* in the region */
int qdri_listed_reserve(qdr_region *region, int64_t count); /* room for so many more; 0 without memory */
int64_t qdri_listed_find(const qdr_region *region, const int64_t *index);  /* its position, or -1 */
int64_t qdri_listed_place(const qdr_region *region, const int64_t *index); /* in `direct`, or -1 */
void qdri_listed_insert(qdr_region *region, int64_t position);
int qdri_listed_spread(
    qdr_region *region); /* after many were added: makes `direct` if it pays; 0 without memory */
void qdri_listed_remove(qdr_region *region, int64_t position); /* the last that was inserted */

/* Whether a region can select from an array. */
qdr_status qdri_side_check(const qdri_array_side *side, int compact);

/* ---- runs ---------------------------------------------------------------------------------------------- */

/* Passes runs on, neighbours joined. Begins as { .visit = , .context = }; qdri_joiner_flush() ends it. */
typedef struct qdri_joiner {
    qdri_visit *visit;
    void *context;
    int64_t number, count, place, step;
    int rank;
} qdri_joiner;

qdr_status qdri_joiner_flush(qdri_joiner *joiner);

/* Step 0: nobody's. */
static inline qdr_status qdri_joiner_add(qdri_joiner *joiner, int64_t number, int64_t count, int rank,
                                         int64_t place, int64_t step) {
    if (count == 1 && step > 0) step = 1;
    if (joiner->count > 0) {
        if (rank == joiner->rank && number == joiner->number + joiner->count && step == joiner->step &&
            place == joiner->place + joiner->count * step) {
            joiner->count += count;
            return QDR_OK;
        }
        qdr_status status = qdri_joiner_flush(joiner);
        if (status != QDR_OK) return status;
    }
    joiner->number = number;
    joiner->count = count;
    joiner->rank = rank;
    joiner->place = place;
    joiner->step = step;
    return QDR_OK;
}

#endif
