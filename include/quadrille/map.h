/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maps: plans at the level of elements. A map says which elements of an array here go to which elements of an
 * array there: the ghost layer of a mesh, the vector of a sparse matrix, the particles that leave a box.
 *
 *     qdr_indices needs = {.links = ghosts, .link_rank = owner, .place = here, .partner_place = there};
 *     qdr_map_create(comm, NULL, &needs, NULL, &map);      who needs what is discovered, once
 *     qdr_field u = {.source = x, .target = x, .type = QDR_DOUBLE, .width = 3};
 *     for (...) qdr_map_exchange(map, QDR_FORWARD, 1, &u);
 *     qdr_map_destroy(&map);
 *
 * Mathematics. A map is a set of *links* (rank p, element i) -> (rank q, element j). Forward, element i of p's source
 * array arrives at element j of q's target array. In reverse, element j of q's source arrives at element i of p's
 * target. On arrival a value replaces what is there, or is combined with it. The links from p to q form one message;
 * their order is that of the lists, the same at both ends. (Where one rank states both ends of its links and does not
 * keep what arrives, links are ordered by rising place in the forward target; links to one place keep the order of
 * the list.)
 *
 * Several *fields*, which are arrays of different type, width and operation, go in one message per partner. Width and
 * type are chosen per exchange, so one map serves all arrays of a mesh.
 *
 * Order. Contributions to one element are combined by ascending source rank, and inside a message in the order of its
 * links. So the result is the same, bit for bit, in every run, whatever the algorithm, the chunks, the window or the
 * transport. In an `unordered` map they are combined as they arrive, and sums of floating-point numbers may differ in
 * their last bits from run to run.
 *
 * Where it runs. Between ranks of one node a message is gathered straight into the receiver's memory, without MPI.
 * The rest goes as a plan of packed messages, with the schedules and pacing of quadrille/plan.h. Exchanges are
 * started, tested and waited for like those of plans.
 */
#ifndef QUADRILLE_MAP_H
#define QUADRILLE_MAP_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "quadrille/base.h"
#include "quadrille/discover.h"
#include "quadrille/places.h"
#include "quadrille/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qdr_map qdr_map;

/* ---- making one ---------------------------------------------------------------------------------------- */

/* One side of a map: its links. They are either flat, where link k is with rank link_rank[k], or grouped by partner,
 * where partner i has count[i] links, one group after the other, each partner once. Flat lists are grouped by rising rank;
 * links with one partner stay in their order. This rank may be its own partner.
 *
 * `partner_place` counts in the partner's array as the partner itself does: local numbers, not global ones. */
typedef struct qdr_indices {
    int64_t links;        /* flat: */
    const int *link_rank; /* [links] */
    int partners;         /* grouped: */
    const int *rank;      /* [partners] */
    const int64_t *count; /* [partners] */
    /* Elements of this rank's array, [links]; NULL: 0, 1, 2 ... in the order in which the links are given. */
    const int64_t *place;
    /* The elements at the other end, [links]; NULL: the partner states its own. */
    const int64_t *partner_place;
    /* The same as 32-bit numbers. Each stands for one of the lists above, which is then NULL. */
    const int32_t *count32, *place32, *partner_place32;
} qdr_indices;

typedef enum qdr_reverse {
    QDR_REVERSE_NONE,
    QDR_REVERSE_COMBINE, /* with an operation that combines */
    QDR_REVERSE_REPLACE, /* with any operation; create fails if an element is sent to several places */
} qdr_reverse;

typedef struct qdr_map_options {
    size_t size;                  /* sizeof(qdr_map_options) */
    const qdr_plan_options *plan; /* how it runs; NULL: defaults */
    const char *discovery;        /* a method of qdr_discovery(); NULL: by size */
    qdr_reverse reverse;          /* which exchanges in reverse there will be; 0: none */
    int unordered;                /* contributions are combined as they arrive, not by source rank */
    int keeps_incoming;           /* what arrives stays in the library's memory: see qdr_map_incoming();
                                   * targets, and the places of the receiving side, are then not used */
    int trusted;                  /* both sides are given, and are not compared */
} qdr_map_options;
#ifdef __cplusplus
#define QDR_MAP_OPTIONS qdr_map_options_initial()
static inline qdr_map_options qdr_map_options_initial(void) {
    qdr_map_options options = qdr_map_options();
    options.size = sizeof options;
    return options;
}
#else
#define QDR_MAP_OPTIONS                                                                                      \
    { .size = sizeof(qdr_map_options) }
#endif

/* Collective. `sends` says what leaves this rank, `receives` what comes to it. All ranks give the same sides:
 *
 *     both            each rank knows its own lists; counts are compared unless `trusted`
 *     receives alone  "I need your element partner_place[k] at my place[k]"; the owners learn their lists
 *     sends alone     the mirror image; without `partner_place`, what comes is ordered by rising source rank, at
 *                     elements 0, 1, 2 ... of the target
 *
 * Copies its inputs; allocates and communicates O(links), or O(partners) if both sides are given. Lists that are
 * contiguous or evenly spaced are recognised, and cost nothing. */
static inline qdr_status qdr_map_create(MPI_Comm comm, const qdr_indices *sends, const qdr_indices *receives,
                                        const qdr_map_options *options, qdr_map **map);

/* One side of a map between regular arrays: boxes of this rank's array, each with one partner. For example, the halo of a
 * mesh of 1000 x 1000 cells, of which each rank has a block with one layer of ghosts around it:
 *
 *     int64_t extent[] = {rows + 2, columns + 2};
 *     int rank[] = {north, south};
 *     int64_t edge[][2] = {{1, 1}, {rows, 1}}, ghost[][2] = {{0, 1}, {rows + 1, 1}};
 *     int64_t count[][2] = {{1, columns}, {1, columns}};
 *     qdr_boxes out = {.dimensions = 2, .extent = extent, .boxes = 2, .rank = rank, .lower = edge[0], .count = count[0]};
 *     qdr_boxes in = {.dimensions = 2, .extent = extent, .boxes = 2, .rank = rank, .lower = ghost[0], .count = count[0]};
 *     qdr_map_from_boxes(comm, &out, &in, NULL, &map);
 *
 * Elements of a box go in the order in which they lie in memory. Boxes with one partner go one after the other, in the
 * order given here, which must match at both ends: a rank that has the same neighbour on two sides names its boxes in the
 * neighbour's order. */
typedef struct qdr_boxes {
    int dimensions;        /* of the array: 1 to QDR_MOST_DIMENSIONS */
    const int64_t *extent; /* [dimensions]: of this rank's array in memory, with ghosts */
    int boxes;
    const int *rank;      /* [boxes]: the partner of each */
    const int64_t *lower; /* [boxes][dimensions]: the lowest indices */
    const int64_t *count; /* [boxes][dimensions]: how many elements from there on; 0: none */
    qdr_order order;      /* of the array in memory */
} qdr_boxes;

/* Collective. All ranks give both sides as boxes. Makes the same map as lists of all these elements would, in time
 * and memory that depend only on the number of boxes. */
static inline qdr_status qdr_map_from_boxes(MPI_Comm comm, const qdr_boxes *sends, const qdr_boxes *receives,
                                            const qdr_map_options *options, qdr_map **map);

/* Local. Gives other lists for the same partners, from the next start on: flat, or in the order of qdr_map_look().
 * NULL leaves a side as it is; where the library chose the order of links, both sides are needed. The two ends must
 * state the same counts. Counts may change only with algorithms that take any size (`paced`, `async`,
 * `distributed`), and where no algorithm was asked for.
 * QDR_ERR_BUSY while an exchange is under way. Allocates O(links). */
static inline qdr_status qdr_map_relist(qdr_map *map, const qdr_indices *sends, const qdr_indices *receives);

/* Local. As qdr_plan_destroy(). */
qdr_status qdr_map_destroy(qdr_map **map);

/* Local. The partners and counts; valid until the next relist. A side that was given grouped keeps its order; others
 * are by rising rank. */
static inline qdr_partners_view qdr_map_look(const qdr_map *map);

/* Local, free of cost. What arrays must have room for: one more than the highest element in the lists of what leaves, and of what
 * comes; 0 where there is none. For elements of varying size it is so many starts, and one more. */
void qdr_map_reach(const qdr_map *map, int64_t *sends, int64_t *receives);

/* Local. The plan behind the map, to look at; QDR_REVERSE only if reverse was asked for. */
typedef enum qdr_direction { QDR_FORWARD, QDR_REVERSE } qdr_direction;
const qdr_plan *qdr_map_plan(const qdr_map *map, qdr_direction direction);

/* ---- running it ---------------------------------------------------------------------------------------- */

/* One array. Forward, `source` is indexed by the sends' lists and `target` by the receives'; in reverse the
 * other way round. Type and width are the same on all ranks.
 *
 * Alignment: that of the type. Aliasing: source and target may be the same array if no element is both sent
 * and received; otherwise they must not overlap. Source is only read. Both are borrowed until the exchange
 * ends.
 *
 * Strides: elements are `width` values apart, or in an array of structures as many bytes as the structure has.
 *
 * Elements of varying size: element e lies at bytes [start[e], start[e + 1]) of its array. `type` is QDR_BYTE, `width` 0,
 * the operation QDR_REPLACE. Both ends must state the same sizes. */
typedef struct qdr_field {
    const void *source; /* NULL if nothing is sent */
    void *target;       /* NULL if nothing comes, or if incoming is kept */
    qdr_type type;
    int64_t width;                 /* values per element */
    qdr_operation operation;       /* 0 is QDR_REPLACE */
    qdr_combine_function *combine; /* of QDR_COMBINE */
    void *context;
    const int64_t *source_start, *target_start; /* of elements of varying size; else NULL */
    int64_t source_stride, target_stride; /* bytes from one element to the next; 0: that of `width` values */
    qdr_memory memory;                    /* of both arrays */
    void *stream;                         /* of a device: must be NULL */
} qdr_field;

enum { QDR_MOST_FIELDS = 64 };

/* Local. Starts an exchange of these fields, which ends like an exchange of a plan. The descriptions are copied. */
static inline qdr_status qdr_map_start(qdr_map *map, qdr_direction direction, int fields,
                                       const qdr_field *field, qdr_pending **pending);

/* Local. Start and wait. */
static inline qdr_status qdr_map_exchange(qdr_map *map, qdr_direction direction, int fields,
                                          const qdr_field *field);

/* Local, free of cost. With `keeps_incoming`: the elements of one field that came from the source-th partner of
 * qdr_map_look() (in reverse, the destination-th) in the last exchange of that direction that has ended. They lie one
 * after the other in the order of the list, aligned as the type requires. They stay valid while the next exchange in
 * this direction is under way, and end when the one after that starts, or with the next relist. Until then the sizes
 * of varying elements, `target_start`, must stay. NULL before the first exchange. */
const void *qdr_map_incoming(const qdr_map *map, qdr_direction direction, int source, int field);

/* Local. With `keeps_incoming`: where each ghost lies, once for all exchanges. For a flat list of the receiving side
 * (in reverse, of the sending side), link k is element position[k] of what comes from the source[k]-th partner.
 * Allocates O(ranks), which it frees again. */
qdr_status qdr_map_ghost_places(const qdr_map *map, qdr_direction direction, int64_t links,
                                const int *link_rank, int *source, int64_t *position);

/* Local. After an exchange: pointers to these elements of one field, where they lie; valid as long as
 * qdr_map_incoming(). Not for elements of varying size. */
qdr_status qdr_map_ghosts(const qdr_map *map, qdr_direction direction, int field, int64_t links,
                          const int *source, const int64_t *position, const void **ghost);

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* The functions above call these in the library, with the size of the caller's structs added (docs/abi.md). */
qdr_status qdr_map_create_sized(MPI_Comm comm, const qdr_indices *sends, const qdr_indices *receives,
                                size_t indices_bytes, const qdr_map_options *options, qdr_map **map);
qdr_status qdr_map_from_boxes_sized(MPI_Comm comm, const qdr_boxes *sends, const qdr_boxes *receives,
                                    size_t boxes_bytes, const qdr_map_options *options, qdr_map **map);
qdr_status qdr_map_relist_sized(qdr_map *map, const qdr_indices *sends, const qdr_indices *receives,
                                size_t indices_bytes);
void qdr_map_look_sized(const qdr_map *map, qdr_partners_view *view, size_t view_bytes);
qdr_status qdr_map_start_sized(qdr_map *map, qdr_direction direction, int fields, const qdr_field *field,
                               size_t field_bytes, qdr_pending **pending);
qdr_status qdr_map_exchange_sized(qdr_map *map, qdr_direction direction, int fields, const qdr_field *field,
                                  size_t field_bytes);

static inline qdr_status qdr_map_create(MPI_Comm comm, const qdr_indices *sends, const qdr_indices *receives,
                                        const qdr_map_options *options, qdr_map **map) {
    return qdr_map_create_sized(comm, sends, receives, sizeof *sends, options, map);
}
static inline qdr_status qdr_map_from_boxes(MPI_Comm comm, const qdr_boxes *sends, const qdr_boxes *receives,
                                            const qdr_map_options *options, qdr_map **map) {
    return qdr_map_from_boxes_sized(comm, sends, receives, sizeof *sends, options, map);
}
static inline qdr_status qdr_map_relist(qdr_map *map, const qdr_indices *sends, const qdr_indices *receives) {
    return qdr_map_relist_sized(map, sends, receives, sizeof *sends);
}
static inline qdr_partners_view qdr_map_look(const qdr_map *map) {
    qdr_partners_view view;
    qdr_map_look_sized(map, &view, sizeof view);
    return view;
}
static inline qdr_status qdr_map_start(qdr_map *map, qdr_direction direction, int fields,
                                       const qdr_field *field, qdr_pending **pending) {
    return qdr_map_start_sized(map, direction, fields, field, sizeof *field, pending);
}
static inline qdr_status qdr_map_exchange(qdr_map *map, qdr_direction direction, int fields,
                                          const qdr_field *field) {
    return qdr_map_exchange_sized(map, direction, fields, field, sizeof *field);
}

#ifdef __cplusplus
}
#endif
#endif
