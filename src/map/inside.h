/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside a map: shared by the files of this folder only. */
#ifndef QDRI_MAP_INSIDE_H
#define QDRI_MAP_INSIDE_H

#include "base/error.h"
#include "places/kernels.h"
#include "plan/cargo.h"
#include "quadrille/map.h"

/* One side: the lists of its partners, in the order of the partners. */
typedef struct qdri_map_side {
    int partners;
    qdri_places *list;       /* [partners] */
    int64_t *count;          /* [partners]; what an exchange is told after a relist */
    int64_t entries;         /* of all lists */
    int64_t lowest, highest; /* elements of all lists; 0 and -1: none */
    int twice;               /* an element stands in it twice: */
    int64_t twice_element;
    int twice_rank[2];
} qdri_map_side;

/* Bytes of the widest element. */
#define QDRI_WIDEST (INT64_C(1) << 40)

/* A field as it travels. */
typedef struct qdri_load_field {
    qdr_field field;                      /* as given */
    int64_t bytes;                        /* of an element; 0: varying */
    int64_t source_stride, target_stride; /* never 0 but then */
    int number;                           /* of the caller's */
} qdri_load_field;

/* What one exchange carries. */
typedef struct qdri_load {
    qdri_cargo cargo; /* first: callbacks convert */
    const qdri_map_side *from, *to;
    int64_t checked; /* the lists with which these fields were found to be right; -1: none */
    int fields;
    qdri_load_field field[QDR_MOST_FIELDS]; /* in the order in which they are packed */
    int64_t *bytes;                         /* [partners of from and to], for elements of varying size */
} qdri_load;

struct qdr_map {
    qdr_partners *partners;
    qdr_plan *plan[2];  /* by direction; in reverse NULL if not asked for */
    qdri_load *load[2]; /* [loads]: of what is under way, of what ended last, and for a start that may fail */
    int loads;
    qdri_map_side sends, receives;
    qdr_reverse reverse;
    int unordered, keeps;
    int64_t relisted; /* how often */
    int may_sort;     /* the order of links is the library's, until they are relisted */
    int meet;         /* an element is both sent and received; -1: not known */
    int64_t meet_element;
};

/* ---- boxes --------------------------------------------------------------------------------------------- */

/* Boxes by partner: as many places as there are partners, of which each is a few pieces. */
typedef struct qdri_map_boxes {
    int partners, *rank;
    int64_t *count;
    qdri_places *places;
    int twice, twice_partner[2];
    int64_t twice_element;
} qdri_map_boxes;

/* Local. `what` is "sends" or "receives". */
qdr_status qdri_map_boxes_open(const qdr_boxes *given, const char *what, int ranks, qdri_map_boxes *made);
void qdri_map_boxes_close(qdri_map_boxes *boxes);
/* Local. Whether an element is in a box of both: -1 if that cannot be told from boxes. */
int qdri_map_boxes_intersect(const qdr_boxes *a, const qdr_boxes *b, int64_t *element);

/* ---- lists --------------------------------------------------------------------------------------------- */

/* Local. Indices as another release has them; NULL stays NULL. */
qdr_status qdri_map_read_indices(const qdr_indices **given, size_t bytes, qdr_indices *known);
/* Local. The lists of one side as given: counts and places are right, and not too many. */
qdr_status qdri_map_check_indices(const qdr_indices *indices, const char *what, int ranks);

/* Local. Opens a side; `place` NULL: 0, 1, 2 ... through all. */
qdr_status qdri_map_side_open(qdri_map_side *side, int partners, const int *rank, const int64_t *count,
                              const int64_t *place);
/* The same of boxes, whose places it takes over. */
qdr_status qdri_map_side_of_boxes(qdri_map_side *side, qdri_map_boxes *boxes);
void qdri_map_side_close(qdri_map_side *side);

/* A side as it was given, grouped by partner if it was flat. */
typedef struct qdri_map_group {
    qdr_indices indices; /* what to go on with */
    int partners, *rank;
    int64_t *count, *place, *partner_place;
} qdri_map_group;

/* Local. `order` [partners] is that of the partners; NULL: by rising rank. */
qdr_status qdri_map_group_open(const qdr_indices *given, const char *what, int ranks, int partners,
                               const int *order, qdri_map_group *group);
void qdri_map_group_close(qdri_map_group *group);

/* Both ends of links, as one rank states them, by rising place in the target. */
typedef struct qdri_map_links {
    int64_t *place, *partner_place; /* NULL: they were in order */
} qdri_map_links;

/* Local. The target is here (`by_place`) or there. Elements are not negative. */
qdr_status qdri_map_sort(const qdr_indices *given, int by_place, qdri_map_links *sorted);
void qdri_map_links_free(qdri_map_links *links);

/* ---- fields -------------------------------------------------------------------------------------------- */

/* Local. Checks the fields of an exchange and takes them in, ordered so that each is aligned. */
qdr_status qdri_load_fill(qdr_map *map, qdr_direction direction, const qdr_field *field, int fields,
                          qdri_load *load);

/* A cargo's, of a load. */
void qdri_load_pack_part(const qdri_cargo *cargo, int destination, qdri_part *part, void *to);
void qdri_load_unpack_part(const qdri_cargo *cargo, int source, qdri_part *part, const void *from);

/* Where a field begins in the packed message of a partner. */
int64_t qdri_load_offset(const qdri_load *load, int source, int field);

/* Whether a pointer belongs to a device whose runtime is loaded. */
int qdri_is_device_pointer(const void *pointer);

#endif
