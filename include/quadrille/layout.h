/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts and regions: how an array lies on the ranks of a program, and which of its elements are meant.
 *
 * An array has one index space of any number of dimensions, the same for whoever looks at it: the *global* view. A
 * *layout* says which rank owns each element and where in that rank's memory it lies: the *local* view. A *region* is
 * an ordered set of elements, numbered 0, 1, 2 ... in that order: the *linear* view, which is all that two programs
 * need to have in common. Element k of one region corresponds to element k of the other, whatever the shapes of the
 * two arrays (Lee and Sussman, section 2.1).
 *
 *     qdr_axis axis[] = {{.extent = 1000, .spread = QDR_BLOCK, .parts = 2},
 *                        {.extent = 800, .spread = QDR_CYCLIC, .block = 16, .parts = 3}};
 *     qdr_layout_regular(2, axis, NULL, &layout);                         1000 x 800, on ranks 0 .. 5
 *     qdr_region_create(2, QDR_ROW_MAJOR, &region);
 *     qdr_region_add_box(region, lower, upper, NULL);                     lower <= index < upper
 *
 * *Compact* layouts, regular ones and boxes, follow from a few numbers, so every rank can have all of them.
 * *Explicit* layouts name each element's place, so they stay distributed: a rank states what it knows.
 *
 * Everything counts in elements, never in bytes: one layout serves arrays of any type. Nothing here communicates;
 * quadrille/couple.h does. Layouts and regions are small objects with a count of owners: whoever uses one keeps it
 * alive.
 */
#ifndef QUADRILLE_LAYOUT_H
#define QUADRILLE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "quadrille/base.h"
#include "quadrille/places.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qdr_layout qdr_layout;
typedef struct qdr_region qdr_region;

/* ---- regular layouts ----------------------------------------------------------------------------------- */

/* How one dimension is dealt out to the parts of the process grid along it. */
typedef enum qdr_spread {
    QDR_WHOLE,  /* not at all: one part has everything */
    QDR_BLOCK,  /* ceil(extent / parts) each; the last parts have less, or nothing */
    QDR_CYCLIC, /* `block` elements at a time, in turn */
    QDR_CUTS,   /* part p has cut[p] <= index < cut[p + 1] */
} qdr_spread;

typedef struct qdr_axis {
    int64_t extent; /* elements along it; may be 0 */
    qdr_spread spread;
    int parts;                        /* of the process grid; 0 means 1 */
    int64_t block;                    /* of QDR_CYCLIC; 0 means 1 */
    const int64_t *cut;               /* of QDR_CUTS: [parts + 1], from 0 to extent, never falling */
    int64_t ghost_below, ghost_above; /* layers in each rank's memory before and after its own elements */
} qdr_axis;

/* How local memory is laid out, the same on all ranks. A rank's part is a dense box of its own elements and ghosts
 * (with QDR_CYCLIC: its blocks one after the other), unless strides are given. */
typedef struct qdr_storage {
    size_t size; /* sizeof(qdr_storage) */
    qdr_order order;
    const int64_t *stride; /* [dimensions]: elements from one index to the next along each, at least 1; no two
                            * elements may share a place; NULL: dense in `order` */
    int64_t offset;        /* elements of memory before the box */
    const int *rank;       /* [product of parts]: who has which part, in row-major order of the process grid,
                            * no rank twice; NULL: 0, 1, 2 ... */
} qdr_storage;
#ifdef __cplusplus
#define QDR_STORAGE qdr_storage_initial()
static inline qdr_storage qdr_storage_initial(void) {
    qdr_storage storage = qdr_storage();
    storage.size = sizeof storage;
    return storage;
}
#else
#define QDR_STORAGE                                                                                          \
    { .size = sizeof(qdr_storage) }
#endif

/* Local. Arguments are the same on all ranks. `storage` NULL: row-major, dense. Copies its inputs. */
static inline qdr_status qdr_layout_regular(int dimensions, const qdr_axis *axis, const qdr_storage *storage,
                                            qdr_layout **layout);

/* ---- boxes --------------------------------------------------------------------------------------------- */

/* One box of an array, and where it lies in the memory of the rank that states it. */
typedef struct qdr_box {
    const int64_t *lower, *upper; /* [dimensions]: lower <= index < upper; may be empty */
    const int64_t *stride;        /* [dimensions]; NULL: dense in the array's order */
    int64_t offset;               /* of the element at `lower` */
} qdr_box;

/* Local. This rank's boxes of an array of this extent; every rank states its own. No element may be in two boxes. */
static inline qdr_status qdr_layout_boxes(int dimensions, const int64_t *extent, qdr_order order, int boxes,
                                          const qdr_box *box, qdr_layout **layout);

/* ---- explicit layouts ---------------------------------------------------------------------------------- */

/* Elements are named by their number in row-major order of the extent; in a one-dimensional array that is their
 * index. */

/* Local. This rank owns the runs first[i], first[i] + 1 ... first[i] + count[i] - 1, which lie in its memory in this
 * order from element 0 on. `count` NULL: one each. */
qdr_status qdr_layout_runs(int dimensions, const int64_t *extent, int64_t runs, const int64_t *first,
                           const int64_t *count, qdr_layout **layout);

/* Local. This rank states that element[i] is owned by owner[i] and lies at place[i] of that rank's memory. The owner
 * need not be this rank. */
qdr_status qdr_layout_entries(int dimensions, const int64_t *extent, int64_t entries, const int64_t *element,
                              const int *owner, const int64_t *place, qdr_layout **layout);

/* Finds the owner of each of `count` elements, and where it lies there: the *dereference* function of Meta-Chaos and
 * InterComm. Returns 0 if it knows all of them. It must not call the library. */
typedef int qdr_dereference_function(void *context, int64_t count, const int64_t *element, int *owner,
                                     int64_t *place);

/* Local. A layout that asks the program: this rank states what the function says of elements first .. first + count -
 * 1. Ranks share the array as they like, but each element is asked for once. Allocates O(count). */
qdr_status qdr_layout_dereferenced(int dimensions, const int64_t *extent, int64_t first, int64_t count,
                                   qdr_dereference_function *ask, void *context, qdr_layout **layout);

/* Local. Gives up this handle, which becomes NULL; NULL is accepted. */
void qdr_layout_destroy(qdr_layout **layout);

/* ---- regions ------------------------------------------------------------------------------------------- */

/* Local. An empty region of arrays with so many dimensions. `order` is that of the elements inside a box. */
qdr_status qdr_region_create(int dimensions, qdr_order order, qdr_region **region);

/* Local. Adds the elements lower, lower + stride ... below upper, in each dimension; `stride` NULL: 1. A region is a
 * set: an element that it already has is refused. O(boxes), or O(boxes + log) per element where lists are among
 * them. */
qdr_status qdr_region_add_box(qdr_region *region, const int64_t *lower, const int64_t *upper,
                              const int64_t *stride);

/* Local. Adds single elements in this order: index[i * dimensions + d]. */
qdr_status qdr_region_add_list(qdr_region *region, int64_t count, const int64_t *index);

/* Local. The whole array, in this order. */
qdr_status qdr_region_all(const qdr_layout *layout, qdr_order order, qdr_region **region);

/* Local. Gives up this handle, which becomes NULL; NULL is accepted. */
void qdr_region_destroy(qdr_region **region);

/* Local, free of cost. The number of elements. */
int64_t qdr_region_elements(const qdr_region *region);

/* ---- the three views ----------------------------------------------------------------------------------- */

/* Local. Global to local: the owner of an element and its place there. An explicit layout, and boxes, know only what
 * this rank stated (this rank is QDR_HERE there); else QDR_ERR_UNKNOWN. O(1) for regular layouts, O(boxes), O(log
 * entries). */
enum { QDR_HERE = -1 };
qdr_status qdr_layout_locate(const qdr_layout *layout, const int64_t *index, int *rank, int64_t *place);

/* Local. Local to global: which element lies there. QDR_ERR_UNKNOWN for ghosts, padding and places of which nothing
 * is known. `rank` is QDR_HERE for what this rank stated itself. */
qdr_status qdr_layout_index(const qdr_layout *layout, int rank, int64_t place, int64_t *index);

/* Local. How many elements a rank owns, and how many its memory must have room for, including offset, ghosts and
 * strides. */
qdr_status qdr_layout_share(const qdr_layout *layout, int rank, int64_t *elements, int64_t *room);

/* Local. Global to linear: the number of an element in a region; QDR_ERR_UNKNOWN if it is not in it. */
qdr_status qdr_region_number(const qdr_region *region, const int64_t *index, int64_t *number);

/* Local. Linear to global. */
qdr_status qdr_region_index(const qdr_region *region, int64_t number, int64_t *index);

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* The functions above call these in the library, with the size of the caller's structs added (docs/abi.md). */
qdr_status qdr_layout_regular_sized(int dimensions, const qdr_axis *axis, size_t axis_bytes,
                                    const qdr_storage *storage, qdr_layout **layout);
qdr_status qdr_layout_boxes_sized(int dimensions, const int64_t *extent, qdr_order order, int boxes,
                                  const qdr_box *box, size_t box_bytes, qdr_layout **layout);

static inline qdr_status qdr_layout_regular(int dimensions, const qdr_axis *axis, const qdr_storage *storage,
                                            qdr_layout **layout) {
    return qdr_layout_regular_sized(dimensions, axis, sizeof *axis, storage, layout);
}
static inline qdr_status qdr_layout_boxes(int dimensions, const int64_t *extent, qdr_order order, int boxes,
                                          const qdr_box *box, qdr_layout **layout) {
    return qdr_layout_boxes_sized(dimensions, extent, order, boxes, box, sizeof *box, layout);
}

#ifdef __cplusplus
}
#endif
#endif
