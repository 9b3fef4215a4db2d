/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coupling: two parallel programs exchange parts of distributed arrays.
 *
 * An ocean and an atmosphere, each on as many ranks as it likes, each with its array laid out as it likes. Neither
 * knows the other's decomposition; both name what they give and what they want, and the library finds out who has
 * to send what to whom, once, in parallel, and does it as often as they like (Lee and Sussman; "InterComm").
 *
 *     qdr_program_create(MPI_COMM_WORLD, "ocean", 0, &program);             who I am
 *     qdr_coupling_create(program, "atmos", NULL, &coupling);               whom I talk to
 *     qdr_coupled sst = {.name = "sst", .layout = mine, .region = surface, .type = QDR_DOUBLE};
 *     qdr_stream_create(coupling, "surface", 1, &sst, 0, NULL, NULL, &out); what I give, in one place; builds schedules
 *     for (...) qdr_export(out, time, &temperature);                      copied, and sent when asked for
 *     qdr_stream_destroy(&out), qdr_coupling_destroy(&coupling), qdr_program_destroy(&program);
 *
 * and in the other program qdr_stream_create(..., 0, NULL, 1, &sst, ...) and
 *
 *     qdr_import(in, time, QDR_EXACT, 0, &array, NULL);
 *
 * One launch or two. Programs that were launched together (`mpirun -n 4 ocean : -n 3 atmos`) are found over their
 * common communicator, and data goes by MPI or by the node's memory. Programs that were launched separately meet
 * through a contact file and talk over TCP, on whatever MPIs they have. The calls are the same; either may come
 * first; qdr_coupling_look() says what was chosen. Data and the contact between programs travel in clear; a token in
 * the contact file, readable by its owner only, keeps strangers out.
 *
 * Time. A *stream* is a sequence of exports, each with a time stamp that is higher than the one before. An import
 * asks for a time, and gets the export that matches it: exactly, the last before, the first after, or the nearest,
 * within a tolerance. Each side runs at its own pace: an export is copied into a queue and the exporter goes on; an
 * import waits until the answer is certain. It is certain as soon as no better match can come, which an exporter can
 * bring forward by a *promise* that it will export nothing before some time.
 *
 * Progress. There are no threads: a program serves the other while it is inside any call of this library that waits,
 * and in qdr_progress(), exports and tests. An exporter that computes for long may call qdr_progress() now and then; one
 * that waits for the importer in calls of its own, such as a barrier of both programs, keeps it waiting.
 *
 * Failure. Every call that waits has a deadline, and all ranks of both programs return the same error, with one
 * sentence that names programs, stream, field, rank and values. When the other program dies, every call that waits for
 * it returns at once (QDR_ERR_PEER), and each rank says what it was waiting for; in one launch MPI decides what a death
 * means, and the deadline holds. QDR_ERR_STALLED is each rank's own: near the deadline one may return it and another QDR_OK.
 * Only ranks that returned QDR_ERR_STALLED repeat the call.
 *
 * A call that is refused (QDR_ERR_INVALID) on all ranks harms nothing. When it is refused on some ranks of a program and not
 * on others, these say so at once, and the stream fails with QDR_ERR_MISMATCH on all ranks of both programs, as it does when
 * ranks name different times: an import before it ends, exports and promises soon after, for they do not wait.
 *
 * Calls marked Collective are called by all ranks of a program, in the same order; Both: by all ranks of both programs.
 */
#ifndef QUADRILLE_COUPLE_H
#define QUADRILLE_COUPLE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "quadrille/base.h"
#include "quadrille/places.h"
#include "quadrille/layout.h"
#include "quadrille/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qdr_program qdr_program;
typedef struct qdr_coupling qdr_coupling;
typedef struct qdr_stream qdr_stream;

/* ---- programs ------------------------------------------------------------------------------------------ */

/* Collective over `comm`, which holds the ranks of this program, or those of several that were launched together:
 * each rank says the name of its own. Names are letters, digits and - _ . and do not begin
 * with a dot; at most 63 characters. `deadline` 0: QDR_DEADLINE of the
 * environment, else none. */
qdr_status qdr_program_create(MPI_Comm comm, const char *name, double deadline, qdr_program **program);

/* Local. The communicator of this program's ranks alone, to be used where a program that runs alone would use
 * MPI_COMM_WORLD; valid until the program is closed. */
MPI_Comm qdr_program_comm(const qdr_program *program);

/* Collective. QDR_ERR_BUSY while couplings of it are open. */
qdr_status qdr_program_destroy(qdr_program **program);

/* ---- couplings ----------------------------------------------------------------------------------------- */

typedef struct qdr_coupling_options {
    size_t size; /* sizeof(qdr_coupling_options) */
    /* Of contact files, the same for both programs; NULL: QDR_COUPLE_DIRECTORY, else ".". */
    const char *directory;
    /* That sockets listen on: a name or number of this host; NULL: QDR_COUPLE_ADDRESS, else loopback if the directory is
     * local to the host, else that of the host's name. */
    const char *address;
    /* Of each call on the coupling; 0: QDR_DEADLINE, else 60 seconds for creating it, none for the rest. */
    double deadline;
    /* "mpi", "tcp" (also between programs of one launch); NULL: mpi where it is possible. */
    const char *transport;
} qdr_coupling_options;
#ifdef __cplusplus
#define QDR_COUPLING_OPTIONS qdr_coupling_options_initial()
static inline qdr_coupling_options qdr_coupling_options_initial(void) {
    qdr_coupling_options options = qdr_coupling_options();
    options.size = sizeof options;
    return options;
}
#else
#define QDR_COUPLING_OPTIONS                                                                                 \
    { .size = sizeof(qdr_coupling_options) }
#endif

/* Both. Connects this program with the one of that name; a program may be coupled with several, and with itself:
 * then streams redistribute inside it. When the other does not come before the deadline: QDR_ERR_STALLED, saying what was
 * looked for, where, and what was found. */
qdr_status qdr_coupling_create(qdr_program *program, const char *peer, const qdr_coupling_options *options,
                               qdr_coupling **coupling);

typedef struct qdr_coupling_view {
    const char *name, *peer;
    int ranks, peer_ranks;
    const char *transport; /* "mpi", "tcp" or "self" */
    const char *how;       /* one line: how the two found each other */
    double latency;        /* of a round trip between them, in seconds, measured when it was opened */
    int64_t refused;       /* strangers that were turned away from this rank's sockets */
} qdr_coupling_view;

/* Local. Texts live as long as the coupling. */
static inline qdr_coupling_view qdr_coupling_look(const qdr_coupling *coupling);

/* Collective. QDR_ERR_BUSY while streams of it are open. Waits for the importers of streams that it was not possible to wait
 * for when they were closed. Safe after failures. Sets the handle to NULL; NULL is accepted. */
qdr_status qdr_coupling_destroy(qdr_coupling **coupling);

/* ---- streams ------------------------------------------------------------------------------------------- */

/* One array as one program has it. */
typedef struct qdr_coupled {
    const char *name; /* fields of both programs are paired by name; at most 63 characters */
    const qdr_layout *layout;
    const qdr_region *region; /* NULL: the whole array, in row-major order */
    qdr_type type;
    int64_t width;            /* values per element; 0 is 1 */
    qdr_operation
        operation; /* of an import: what becomes of an element when its value comes, once in each import; 0 is
                               * QDR_REPLACE. Not QDR_COMBINE */
} qdr_coupled;

typedef struct qdr_stream_options {
    size_t size; /* sizeof(qdr_stream_options) */

    /* How schedules are built; a side that leaves something open follows the other. */
    /* Who: "both" (BothCom), "exporter", "importer" (OneCom: one computes for both), "deref" (as Meta-Chaos did); NULL:
     * chosen, from sizes and latency. */
    const char *computes;
    /* Results to each process directly, "all", or through one, "one"; NULL: chosen. */
    const char *back;
    /* Compact layouts go to "disjoint" sets of processes, or between "representative"s; NULL: chosen. */
    const char *descriptors;

    /* How it runs. */
    int queue;           /* exports that wait to be asked for, at most; 0: 8 */
    int fails_when_full; /* an export into a full queue fails with QDR_ERR_FULL; else it waits */
    int converts;        /* importer: values are converted when the types differ; else that is an error */
    int checksums;       /* one with every message; either side may ask for them */
    const qdr_plan_options *plan; /* of the transfer; NULL: defaults */
    double deadline;              /* of each call; 0: that of the coupling */
} qdr_stream_options;
#ifdef __cplusplus
#define QDR_STREAM_OPTIONS qdr_stream_options_initial()
static inline qdr_stream_options qdr_stream_options_initial(void) {
    qdr_stream_options options = qdr_stream_options();
    options.size = sizeof options;
    return options;
}
#else
#define QDR_STREAM_OPTIONS                                                                                   \
    { .size = sizeof(qdr_stream_options) }
#endif

enum { QDR_MOST_COUPLED = 64 };

/* Both, in the same order in both programs. One program names the fields that it exports, the other those that it
 * imports; they share messages. (A program that is coupled with itself gives both lists.) Builds the schedule of each
 * pair of fields. Errors, the same everywhere: names that differ, sizes of regions, types (unless `converts`), widths,
 * an element outside the array, owned twice or by nobody, arguments that differ between ranks. Copies what it is
 * given. */
static inline qdr_status qdr_stream_create(qdr_coupling *coupling, const char *name, int exported,
                                           const qdr_coupled *exports, int imported,
                                           const qdr_coupled *imports, const qdr_stream_options *options,
                                           qdr_stream **stream);

typedef struct qdr_stream_view {
    const char *name;
    /* How its schedule was built: of several fields, that of the first by name. */
    const char *computed;    /* "both", "exporter", "importer", "deref" */
    const char *back;        /* "all", "one", or "none" where nothing went back */
    const char *descriptors; /* "disjoint", "representative", or "none" where no compact layout travelled */
    const char *why;         /* one sentence: how it was chosen */
    int fields;
    int64_t elements;                  /* of all fields, per export */
    int64_t messages_out, messages_in; /* of this rank, per export */
    int64_t bytes_out, bytes_in;       /* headers included */
    int64_t runs_out, runs_in;         /* contiguous pieces of memory */
    /* Building, of both programs together unless it says otherwise; the exporting program is 0, the importing 1. */
    double seconds_most[2], seconds_mean[2]; /* that ranks of each computed, without waiting */
    double build_seconds; /* from the declarations to the schedules, the most of all ranks */
    int64_t computed_most[2], computed_all[2]; /* elements, or pieces of closed forms, that ranks worked on */
    int64_t inside_messages, inside_bytes;     /* between ranks of one program */
    int64_t across_messages, across_bytes;     /* between the programs */
    int64_t peak_bytes;                        /* that this rank allocated for building, at most at once */
    int64_t exports, imports;                  /* done so far */
    int64_t queued, queue_bytes;               /* exports that wait, and their memory on this rank */
} qdr_stream_view;

/* Local. Texts live as long as the stream. */
static inline qdr_stream_view qdr_stream_look(const qdr_stream *stream);

/* Local. What this rank sends (`outgoing`), or receives, of a field: for each partner rank of the other program, by
 * rising rank, the places in local memory in the order of the message. Arrays that the caller frees with free(): the
 * partner's places are place[start[i]] .. place[start[i + 1] - 1]. For checking and drawing; O(elements). */
qdr_status qdr_stream_schedule(const qdr_stream *stream, int outgoing, int field, int *partners, int **rank,
                               int64_t **start, int64_t **place);

/* Collective. An exporter waits, up to the deadline, until the importer has closed the stream too: until then it may be
 * asked. (Where both programs close what they export, neither waits; the streams end with the coupling.) An importer says
 * that it will ask no more, and does not wait for the exporter. QDR_ERR_BUSY while imports are started and not waited for,
 * unless the stream has failed: then their handles outlive it, and say so. Otherwise sets the handle to NULL; NULL is
 * accepted. After a failure it is local. */
qdr_status qdr_stream_destroy(qdr_stream **stream);

/* ---- exporting ----------------------------------------------------------------------------------------- */

/* Collective. data[f] is this rank's array of the f-th exported field; copied before the call returns. `time` must be
 * higher than that of the export before, and not lower than what was promised: else QDR_ERR_INVALID. Does not wait for the
 * importer unless the queue is full. While it does it promises `time`, and that stays promised after QDR_ERR_STALLED. */
qdr_status qdr_export(qdr_stream *stream, double time, const void *const *data);

/* Collective. An exporter promises to export nothing before `time`; an importer to ask for nothing that an export
 * before `time` could match, so that the exporter can forget it. Does not wait. */
qdr_status qdr_stream_promise(qdr_stream *stream, double time);

/* ---- importing ----------------------------------------------------------------------------------------- */

/* Which export answers an import for time t, with a tolerance: */
typedef enum qdr_match {
    QDR_EXACT,  /* the one at t */
    QDR_BEFORE, /* REGL: the last in [t - tolerance, t] */
    QDR_AFTER,  /* REGU: the first in [t, t + tolerance] */
    QDR_NEAREST /* REG: the nearest in [t - tolerance, t + tolerance]; of two, the earlier */
} qdr_match;

/* Collective. data[f] is this rank's array of the f-th imported field. Times of imports never fall. `matched`, if not
 * NULL, is the time of the export that came. QDR_ERR_UNMATCHED: it is certain that no export matches; nothing is written, and
 * the stream goes on. When both programs wait for each other: QDR_ERR_DEADLOCK, with the streams and times of both. */
qdr_status qdr_import(qdr_stream *stream, double time, qdr_match match, double tolerance, void *const *data,
                      double *matched);

/* Collective, but does not wait. Several may be under way; arrays, and `matched`, are borrowed until it ends
 * (quadrille/pending.h). After QDR_ERR_STALLED it is still under way, and the handle stays. */
qdr_status qdr_import_start(qdr_stream *stream, double time, qdr_match match, double tolerance,
                            void *const *data, double *matched, qdr_pending **pending);

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* What the functions above call in the library: the same, and how large the caller's structs are (docs/abi.md). */
void qdr_coupling_look_sized(const qdr_coupling *coupling, qdr_coupling_view *view, size_t view_bytes);
void qdr_stream_look_sized(const qdr_stream *stream, qdr_stream_view *view, size_t view_bytes);
qdr_status qdr_stream_create_sized(qdr_coupling *coupling, const char *name, int exported,
                                   const qdr_coupled *exports, int imported, const qdr_coupled *imports,
                                   size_t coupled_bytes, const qdr_stream_options *options,
                                   qdr_stream **stream);

static inline qdr_coupling_view qdr_coupling_look(const qdr_coupling *coupling) {
    qdr_coupling_view view;
    qdr_coupling_look_sized(coupling, &view, sizeof view);
    return view;
}
static inline qdr_stream_view qdr_stream_look(const qdr_stream *stream) {
    qdr_stream_view view;
    qdr_stream_look_sized(stream, &view, sizeof view);
    return view;
}
static inline qdr_status qdr_stream_create(qdr_coupling *coupling, const char *name, int exported,
                                           const qdr_coupled *exports, int imported,
                                           const qdr_coupled *imports, const qdr_stream_options *options,
                                           qdr_stream **stream) {
    return qdr_stream_create_sized(coupling, name, exported, exports, imported, imports, sizeof *exports,
                                   options, stream);
}

#ifdef __cplusplus
}
#endif
#endif
