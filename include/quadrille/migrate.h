/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Migration: items go to the ranks that are to own them, within a memory limit.
 *
 *     int64_t count = particles;                       of `capacity` in the array
 *     qdr_migration_options how = QDR_MIGRATION_OPTIONS;
 *     how.memory = 64 << 20;
 *     qdr_migrate_array(comm, &count, capacity, particle, sizeof *particle, owner, &how, NULL);
 *
 * Sending everything at once needs room for what leaves and for what comes at the same time. Here data moves in
 * phases (quadrille/moves.h), each of which frees room for the next. The limit is a hard one, for each rank by
 * itself: what the library allocates, tables and staging included, and what has come beyond what has left, together
 * never exceed `memory` bytes.
 *
 * The ranks gather the sizes of all messages once, and all build the same schedule. After that a receiver tells a
 * sender when it has room, and nothing is global. (`robust` gathers nothing: each rank knows only its neighbours.)
 * Messages never wait inside MPI for room: a sender sends only when it was told to.
 */
#ifndef QUADRILLE_MIGRATE_H
#define QUADRILLE_MIGRATE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "quadrille/base.h"
#include "quadrille/pending.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qdr_migration_report {
    char method[32];       /* the method of quadrille/moves.h that was used */
    int64_t phases, bound; /* of the schedule, and the fewest that there could be */
    int64_t left, came;    /* items that left this rank, and that came to it */
    int64_t bytes;         /* that all ranks moved to their destination */
    int64_t parked_bytes;  /* of these, bytes that were parked on the way */
    int64_t memory, peak;  /* of this rank: the limit, and the most that was in use */
} qdr_migration_report;

/* Called on each rank now and then: `moved` of the `bytes` that this rank sends and receives have moved. It must not
 * communicate. */
typedef void qdr_migration_progress(void *context, int64_t phase, int64_t phases, int64_t moved,
                                    int64_t bytes);

typedef struct qdr_migration_options {
    size_t size;        /* sizeof(qdr_migration_options) */
    const char *method; /* of qdr_moves_method(), with options; the same on all ranks; NULL: "auto" */
    int64_t memory;     /* the limit of this rank in bytes; 0: an array may use all of its capacity, objects
                         * as much as comes; may differ between ranks */
    qdr_migration_progress *progress; /* NULL: none */
    void *context;                    /* for it */
    double deadline;                  /* of the whole call; 0: QDR_DEADLINE of the environment, else none */
} qdr_migration_options;
#ifdef __cplusplus
#define QDR_MIGRATION_OPTIONS qdr_migration_options_initial()
static inline qdr_migration_options qdr_migration_options_initial(void) {
    qdr_migration_options options = qdr_migration_options();
    options.size = sizeof options;
    return options;
}
#else
#define QDR_MIGRATION_OPTIONS                                                                                \
    { .size = sizeof(qdr_migration_options) }
#endif

/* Collective. Items of `item_bytes` each lie at 0 .. *count-1 of an array with room for `capacity`; item i goes to
 * rank destination[i]. At the end this rank's items, those that stayed and those that came, lie at 0 .. *count-1, in
 * no particular order. The array is changed in place: what comes is received into the room behind the items and into
 * the places of those that left. Beyond that the library allocates only tables, and room and tables together stay
 * within the limit. `destination` is permuted with the items, and is undefined afterwards.
 *
 * QDR_ERR_RANGE, before anything has moved: a destination is out of range; a rank is to have more items than its
 * capacity or its limit holds; or a limit is too small for the method. The sentence names rank and numbers, and the
 * smallest limit that works. (Finding that limit may take more tables than the given limit allows; no data moves
 * then.) After QDR_ERR_STALLED the array must stay where it is until MPI_Finalize. `report` may be NULL. */
static inline qdr_status qdr_migrate_array(MPI_Comm comm, int64_t *count, int64_t capacity, void *items,
                                           int64_t item_bytes, int *destination,
                                           const qdr_migration_options *options,
                                           qdr_migration_report *report);

/* Objects of any size, wherever they lie: trees, cells with their particles. `size`, `pack` and `release` are called
 * on the rank that has the object, its origin; `unpack` on the rank that is to have it, its destination. Callbacks
 * return 0 on success; anything else is a failure. They are called on the thread that migrates, and must not
 * communicate. Memory that they are given is aligned to 8 bytes. */
typedef struct qdr_objects {
    int64_t count;
    const int *destination;                         /* [count] */
    int64_t (*size)(void *context, int64_t object); /* bytes, packed; also what it counts against the limit */
    int (*pack)(void *context, int64_t object, void *bytes);
    int (*release)(void *context, int64_t object); /* another rank has it: free it here */
    /* Make an object of rank `from` here. */
    int (*unpack)(void *context, int from, const void *bytes, int64_t size);
    void *context;
} qdr_objects;

/* Collective. An object whose destination is another rank is packed at its origin, unpacked at its destination, and
 * released at its origin, in this order, with as many at a time as the limit allows. An object that is parked on the
 * way stays packed on the rank where it waits. Its origin releases it when that rank has it, before it is unpacked at
 * its destination. `size` is asked twice for each object that leaves, and must return the same. For an object that
 * stays no callback is called.
 *
 * When a callback fails, its object stays where it is, and so do objects that find no room because of that; the rest
 * moves. Every object is then at exactly one place: `release` was called for those that left, `unpack` for those that
 * came or that stay where they were parked. (A parked object that can be unpacked nowhere is lost.) All ranks return
 * QDR_ERR_INVALID, with a sentence that names the rank, the object, the callback and what it returned, and how many
 * objects moved, stayed and were lost. */
static inline qdr_status qdr_migrate_objects(MPI_Comm comm, const qdr_objects *objects,
                                             const qdr_migration_options *options,
                                             qdr_migration_report *report);

/* ---- started --------------------------------------------------------------------------------------------- */

/* Collective. The same two without waiting for the data: they return when all ranks know the schedule and have their
 * tables, and items or objects move while the program does something else and calls qdr_progress(), or tests or waits
 * for them (quadrille/pending.h). Until then everything that was given is the library's: the items, their number and
 * their destinations; objects, whose callbacks are called by whoever tests, waits or makes progress; and the report.
 * A communicator may have several under way. The deadline counts from the start. What is refused is refused by the
 * start; what fails on the way, callbacks included, by the end, with the same status and sentence on all ranks. */
static inline qdr_status qdr_migrate_array_start(MPI_Comm comm, int64_t *count, int64_t capacity, void *items,
                                                 int64_t item_bytes, int *destination,
                                                 const qdr_migration_options *options,
                                                 qdr_migration_report *report, qdr_pending **pending);
static inline qdr_status qdr_migrate_objects_start(MPI_Comm comm, const qdr_objects *objects,
                                                   const qdr_migration_options *options,
                                                   qdr_migration_report *report, qdr_pending **pending);

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* The functions above call these in the library, with the size of the caller's structs added (docs/abi.md). */
qdr_status qdr_migrate_array_sized(MPI_Comm comm, int64_t *count, int64_t capacity, void *items,
                                   int64_t item_bytes, int *destination, const qdr_migration_options *options,
                                   qdr_migration_report *report, size_t report_bytes);
qdr_status qdr_migrate_objects_sized(MPI_Comm comm, const qdr_objects *objects, size_t objects_bytes,
                                     const qdr_migration_options *options, qdr_migration_report *report,
                                     size_t report_bytes);

qdr_status qdr_migrate_array_start_sized(MPI_Comm comm, int64_t *count, int64_t capacity, void *items,
                                         int64_t item_bytes, int *destination,
                                         const qdr_migration_options *options, qdr_migration_report *report,
                                         size_t report_bytes, qdr_pending **pending);
qdr_status qdr_migrate_objects_start_sized(MPI_Comm comm, const qdr_objects *objects, size_t objects_bytes,
                                           const qdr_migration_options *options, qdr_migration_report *report,
                                           size_t report_bytes, qdr_pending **pending);

static inline qdr_status qdr_migrate_array(MPI_Comm comm, int64_t *count, int64_t capacity, void *items,
                                           int64_t item_bytes, int *destination,
                                           const qdr_migration_options *options,
                                           qdr_migration_report *report) {
    return qdr_migrate_array_sized(comm, count, capacity, items, item_bytes, destination, options, report,
                                   sizeof *report);
}
static inline qdr_status qdr_migrate_objects(MPI_Comm comm, const qdr_objects *objects,
                                             const qdr_migration_options *options,
                                             qdr_migration_report *report) {
    return qdr_migrate_objects_sized(comm, objects, sizeof *objects, options, report, sizeof *report);
}
static inline qdr_status qdr_migrate_array_start(MPI_Comm comm, int64_t *count, int64_t capacity, void *items,
                                                 int64_t item_bytes, int *destination,
                                                 const qdr_migration_options *options,
                                                 qdr_migration_report *report, qdr_pending **pending) {
    return qdr_migrate_array_start_sized(comm, count, capacity, items, item_bytes, destination, options,
                                         report, sizeof *report, pending);
}
static inline qdr_status qdr_migrate_objects_start(MPI_Comm comm, const qdr_objects *objects,
                                                   const qdr_migration_options *options,
                                                   qdr_migration_report *report, qdr_pending **pending) {
    return qdr_migrate_objects_start_sized(comm, objects, sizeof *objects, options, report, sizeof *report,
                                           pending);
}

#ifdef __cplusplus
}
#endif
#endif
