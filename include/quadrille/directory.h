/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The distributed directory: who owns what.
 *
 * Items have ids, any 64-bit numbers. A rank knows which items it owns and which it needs; nobody knows who owns the
 * needed ones. The directory is the meeting place. For each id one rank, which follows from the id alone, keeps an
 * *entry*: the item's owner, its place there, and a payload if wanted. Owners insert, the others find (Pinar and
 * Hendrickson, section 2).
 *
 *     qdr_directory_create(comm, NULL, &directory);
 *     qdr_directory_insert(directory, owned, my_id, NULL, NULL, NULL);       I own these: elements 0, 1, 2 ...
 *     qdr_directory_find(directory, needed, id, owner, place, NULL, NULL);   who has those?
 *     qdr_directory_destroy(&directory);
 *
 * If you only want the exchange itself, call qdr_resolve_map() below: it goes from "I own these, I need those" to a
 * map that brings their values.
 *
 * Calls are collective; each rank brings ids of its own, as many as it likes or none. They take effect in the order
 * in which they were started, the same on all ranks; inside one call, by rising rank, then by position. On one node
 * entries lie in shared memory, and ranks read them there. Across nodes requests go to the ranks that keep the
 * entries, and answers come back. Cost: O(ids brought + ids kept), messages only between ranks that have something
 * for each other, and O(log ranks) small ones.
 */
#ifndef QUADRILLE_DIRECTORY_H
#define QUADRILLE_DIRECTORY_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "quadrille/base.h"
#include "quadrille/map.h"
#include "quadrille/pending.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qdr_directory qdr_directory;

/* ---- having one ---------------------------------------------------------------------------------------- */

/* Which rank keeps the entry of an id. */
typedef enum qdr_placement {
    QDR_PLACE_HASH,     /* evenly, whatever the ids are */
    QDR_PLACE_BLOCK,    /* ids 0 .. limit-1 in blocks by rising rank: near ids are kept by the same rank */
    QDR_PLACE_FUNCTION, /* where the program says */
} qdr_placement;

/* Local. Returns a rank, the same on all ranks. */
typedef int qdr_place_function(void *context, int64_t id);

typedef struct qdr_directory_options {
    size_t size; /* sizeof(qdr_directory_options) */
    qdr_placement placement;
    int64_t limit;             /* of QDR_PLACE_BLOCK */
    qdr_place_function *place; /* of QDR_PLACE_FUNCTION */
    void *context;             /* for it */
    int64_t payload_bytes;     /* of each entry; 0: none */
    int caches;                /* ranks remember what they found, and ask again for what has changed;
                                * in shared memory entries are read in place, and nothing is remembered */
    double deadline;           /* of each call; 0: QDR_DEADLINE of the environment, else none */
} qdr_directory_options;
#ifdef __cplusplus
#define QDR_DIRECTORY_OPTIONS qdr_directory_options_initial()
static inline qdr_directory_options qdr_directory_options_initial(void) {
    qdr_directory_options options = qdr_directory_options();
    options.size = sizeof options;
    return options;
}
#else
#define QDR_DIRECTORY_OPTIONS                                                                                \
    { .size = sizeof(qdr_directory_options) }
#endif

/* Collective. Options are the same on all ranks, apart from `context`. */
qdr_status qdr_directory_create(MPI_Comm comm, const qdr_directory_options *options,
                                qdr_directory **directory);

/* Local. Sets the handle to NULL; NULL is accepted. QDR_ERR_BUSY while a call is under way. */
qdr_status qdr_directory_destroy(qdr_directory **directory);

/* What this rank keeps. */
typedef struct qdr_directory_view {
    int64_t entries;
    /* Of these entries: at most 32 bytes each beside the payload; with payloads beyond 24 bytes, up to two fifths
     * more. */
    int64_t bytes;
    int64_t cached; /* entries that it remembers */
    int64_t asked;  /* ids that it asked for */
    int64_t spared; /* ids that it did not have to ask for: cached or repeated */
    int shared;     /* entries lie in memory that all ranks read */
} qdr_directory_view;

/* Local, free of cost. */
static inline qdr_directory_view qdr_directory_look(const qdr_directory *directory);

/* ---- using it ------------------------------------------------------------------------------------------ */

/* The owner of an id that is not in the directory. */
enum { QDR_NOBODY = -1 };

/* Collective. Arrays of `count`:
 *
 *     owner    NULL: this rank
 *     place    NULL: 0, 1, 2 ...; from 0 to below 2^63 / P; P: the ranks, rounded up to a power of two
 *     payload  payload_bytes each; NULL: zeros (insert), left as they are (update), not wanted (find)
 *
 * An id that is in the directory already, with the same owner and place, is legal and counted once. With another
 * owner or place it is QDR_ERR_MISMATCH on all ranks, with a sentence that names the smallest such id and both
 * owners: the first entry stays, and all others are inserted. An owner out of range is QDR_ERR_RANGE, and nothing is
 * done. */
qdr_status qdr_directory_insert(qdr_directory *directory, int64_t count, const int64_t *id, const int *owner,
                                const int64_t *place, const void *payload);

/* Collective. Changes entries that exist; of several changes to one id the last one holds. `unknown`, if not NULL, is
 * the number of this rank's ids that were not there; they are passed over. */
qdr_status qdr_directory_update(qdr_directory *directory, int64_t count, const int64_t *id, const int *owner,
                                const int64_t *place, const void *payload, int64_t *unknown);

/* Collective. Removes entries. If several ranks remove an id, it was there for all of them. */
qdr_status qdr_directory_remove(qdr_directory *directory, int64_t count, const int64_t *id, int64_t *unknown);

/* Collective. Writes owner[i], place[i] and payload[i], where these arrays are not NULL. For an id that is not in the
 * directory they are QDR_NOBODY, -1 and zero. Ids may be repeated. */
qdr_status qdr_directory_find(qdr_directory *directory, int64_t count, const int64_t *id, int *owner,
                              int64_t *place, void *payload, int64_t *unknown);

/* ---- split in two -------------------------------------------------------------------------------------- */

typedef enum qdr_directory_verb {
    QDR_DIRECTORY_INSERT,
    QDR_DIRECTORY_UPDATE,
    QDR_DIRECTORY_REMOVE,
    QDR_DIRECTORY_FIND,
} qdr_directory_verb;

/* One call. All arrays are borrowed until it ends. */
typedef struct qdr_directory_call {
    qdr_directory_verb verb;
    int64_t count;
    const int64_t *id;
    const int *owner; /* said by insert and update */
    const int64_t *place;
    const void *payload;
    int *found_owner; /* learned by find */
    int64_t *found_place;
    void *found_payload;
    /* Learned by update, remove and find; NULL: not wanted. */
    char *known;      /* [count]: whether id[i] was there */
    int64_t *unknown; /* how many were not */
} qdr_directory_call;

/* Collective, but does not wait. Any number of calls may be under way; they take effect in the order in which they
 * were started. The description is copied. */
static inline qdr_status qdr_directory_start(qdr_directory *directory, const qdr_directory_call *call,
                                             qdr_pending **pending);

/* ---- resolving ----------------------------------------------------------------------------------------- */

typedef struct qdr_resolve_options {
    size_t size; /* sizeof(qdr_resolve_options) */
    /* A name of qdr_resolve_method(), such as "torus:3"; the same on all ranks; NULL: "directory". */
    const char *method;
    int symmetric; /* `boundary` lists all own items that others may need; only these are told to others */
    int64_t boundaries;
    const int64_t *boundary;    /* [boundaries]: positions in the list of own ids; also used by `hybrid` */
    int64_t limit;              /* ids are 0 .. limit-1: entries are placed in blocks; 0: any ids, by hash */
    const qdr_map_options *map; /* of qdr_resolve_map(); NULL: defaults */
    /* A program that has its numbers in 32 bits gives them here, and NULL in the call: [owned], [needed], [needed]. */
    const int32_t *own_id32, *need_id32, *target32;
} qdr_resolve_options;
#ifdef __cplusplus
#define QDR_RESOLVE_OPTIONS qdr_resolve_options_initial()
static inline qdr_resolve_options qdr_resolve_options_initial(void) {
    qdr_resolve_options options = qdr_resolve_options();
    options.size = sizeof options;
    return options;
}
#else
#define QDR_RESOLVE_OPTIONS                                                                                  \
    { .size = sizeof(qdr_resolve_options) }
#endif

/* What resolving took. */
typedef struct qdr_resolve_report {
    int steps;      /* in which lists were passed on; 0 for `directory` */
    int64_t lists;  /* messages with ids that this rank sent */
    int64_t sent;   /* their bytes */
    int64_t memory; /* the most bytes that this rank held for lists, entries and answers at once */
} qdr_resolve_report;

/* Collective. This rank owns the items own_id[0 .. owned-1], in this order, and needs those of need_id. Writes the
 * owner of each needed item (QDR_NOBODY: nobody owns it) and its position there. An id that two ranks own is
 * QDR_ERR_MISMATCH if the method notices; `directory` does. `report` may be NULL. */
static inline qdr_status qdr_resolve(MPI_Comm comm, int64_t owned, const int64_t *own_id, int64_t needed,
                                     const int64_t *need_id, const qdr_resolve_options *options, int *owner,
                                     int64_t *place, qdr_resolve_report *report);

/* Collective. The same, and makes the map that brings element i, the item own_id[i], to element target[k] (NULL: k)
 * of each rank whose need_id[k] is that item. qdr_map_look() of the map is the pattern. An id that nobody owns is
 * QDR_ERR_UNKNOWN, with a sentence that names the first such id and who needs it. */
qdr_status qdr_resolve_map(MPI_Comm comm, int64_t owned, const int64_t *own_id, int64_t needed,
                           const int64_t *need_id, const int64_t *target, const qdr_resolve_options *options,
                           qdr_map **map);

typedef struct qdr_resolve_method_info {
    const char *name;
    const char *summary; /* one line */
    const char *memory;  /* what a rank needs; one line */
} qdr_resolve_method_info;

/* Local. The index-th method; NULL past the last. */
const qdr_resolve_method_info *qdr_resolve_method(int index);

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* The functions above call these in the library, with the size of the caller's structs added (docs/abi.md). */
void qdr_directory_look_sized(const qdr_directory *directory, qdr_directory_view *view, size_t view_bytes);
qdr_status qdr_directory_start_sized(qdr_directory *directory, const qdr_directory_call *call,
                                     size_t call_bytes, qdr_pending **pending);
qdr_status qdr_resolve_sized(MPI_Comm comm, int64_t owned, const int64_t *own_id, int64_t needed,
                             const int64_t *need_id, const qdr_resolve_options *options, int *owner,
                             int64_t *place, qdr_resolve_report *report, size_t report_bytes);

static inline qdr_directory_view qdr_directory_look(const qdr_directory *directory) {
    qdr_directory_view view;
    qdr_directory_look_sized(directory, &view, sizeof view);
    return view;
}
static inline qdr_status qdr_directory_start(qdr_directory *directory, const qdr_directory_call *call,
                                             qdr_pending **pending) {
    return qdr_directory_start_sized(directory, call, sizeof *call, pending);
}
static inline qdr_status qdr_resolve(MPI_Comm comm, int64_t owned, const int64_t *own_id, int64_t needed,
                                     const int64_t *need_id, const qdr_resolve_options *options, int *owner,
                                     int64_t *place, qdr_resolve_report *report) {
    return qdr_resolve_sized(comm, owned, own_id, needed, need_id, options, owner, place, report,
                             sizeof *report);
}

#ifdef __cplusplus
}
#endif
#endif
