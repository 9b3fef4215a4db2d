/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coupling: two parallel programs exchange parts of distributed arrays.
 *
 * An ocean and an atmosphere each run on as many ranks as they like, each with its array laid out as it likes.
 * Neither knows the other's decomposition. Both name what they give and what they want. The library finds out, once
 * and in parallel, who has to send what to whom, and does it as often as they like (Lee and Sussman; "InterComm").
 *
 *     qdr_program_create(MPI_COMM_WORLD, "ocean", 0, &program);             who I am
 *     qdr_coupling_create(program, "atmos", NULL, &coupling);               whom I talk to
 *     qdr_coupled sst = {.name = "sst", .layout = mine, .region = surface, .type = QDR_DOUBLE};
 *     qdr_stream_create(coupling, "surface", 1, &sst, 0, NULL, NULL, &out); what I give; builds schedules
 *     for (...) qdr_export(out, time, &temperature);                        copied, and sent when asked for
 *     qdr_stream_destroy(&out), qdr_coupling_destroy(&coupling), qdr_program_destroy(&program);
 *
 * and in the other program qdr_stream_create(..., 0, NULL, 1, &sst, ...) and
 *
 *     qdr_import(in, time, QDR_EXACT, 0, &array, NULL);
 *
 * One launch or two. Programs that were launched together (`mpirun -n 4 ocean : -n 3 atmos`) find each other over
 * their common communicator, and data goes by MPI or by the node's memory. Programs that were launched separately
 * meet through a contact file and talk over TCP, whatever MPI each of them has. The calls are the same, and either
 * program may come first. qdr_coupling_look() says what was chosen. Nothing that travels between the programs is
 * encrypted. A token in the contact file, readable by its owner only, keeps strangers out.
 *
 * Time. A *stream* is a sequence of exports, each with a time stamp that is higher than the one before. An import
 * asks for a time, and gets the export that matches it: exactly, the last before, the first after, or the nearest,
 * within a tolerance. Each side runs at its own pace. An export is copied into a queue, and the exporter goes on. An
 * import waits until its answer is certain: until no better match can come. An exporter can make it certain sooner by
 * a *promise* that it will export nothing before some time.
 *
 * Progress. There are no threads. A program serves the other while it is inside any call of this library that waits,
 * and in qdr_progress(), exports and tests. An exporter that computes for long may call qdr_progress() now and then.
 * An exporter that waits for the importer outside the library, such as in a barrier of both programs, keeps the
 * importer waiting.
 *
 * Failure. Every call that waits has a deadline, and all ranks of both programs return the same error, with one
 * sentence that names programs, stream, field, rank and values. When the other program dies, every call that waits
 * for it returns QDR_ERR_PEER at once, and each rank says what it was waiting for. In one launch MPI decides what a
 * death means; if it does nothing, the deadline holds. QDR_ERR_STALLED is each rank's own: near the deadline one rank
 * may return it and another QDR_OK. Only ranks that returned QDR_ERR_STALLED repeat the call.
 *
 * A call that is refused (QDR_ERR_INVALID) on all ranks harms nothing. If only some ranks of a program are refused,
 * these return at once, and the stream fails with QDR_ERR_MISMATCH on all ranks of both programs. It fails in the
 * same way when ranks name different times. An import notices this before it ends. Exports and promises do not wait,
 * and notice it soon after.
 *
 * All ranks of a program make the calls marked Collective, in the same order. All ranks of both programs make those
 * marked Both.
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

/* Collective over `comm`, which holds the ranks of this program, or of several that were launched together; each rank
 * gives the name of its own. Names have at most 63 letters, digits and - _ . and do not begin with a dot. `deadline`
 * 0: QDR_DEADLINE of the environment, else none. */
qdr_status qdr_program_create(MPI_Comm comm, const char *name, double deadline, qdr_program **program);

/* Local. The communicator of this program's ranks alone. Use it where a program that runs alone would use
 * MPI_COMM_WORLD. Valid until the program is destroyed. */
MPI_Comm qdr_program_comm(const qdr_program *program);

/* Collective. QDR_ERR_BUSY while couplings of it are open. */
qdr_status qdr_program_destroy(qdr_program **program);

/* ---- couplings ----------------------------------------------------------------------------------------- */

typedef struct qdr_coupling_options {
    size_t size; /* sizeof(qdr_coupling_options) */
    /* Where contact files are, the same for both programs; NULL: QDR_COUPLE_DIRECTORY, else ".". */
    const char *directory;
    /* Where sockets listen: an address, a host name or an interface of this host; NULL: QDR_COUPLE_ADDRESS, else
     * loopback if the directory is local to the host, else the address of the host's name. */
    const char *address;
    /* Of each call on the coupling; 0: QDR_DEADLINE, else 60 seconds for creating it and none for the rest. */
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

/* Both. Connects this program with the one of that name. A program may be coupled with several, and with itself: then
 * streams redistribute data inside it. If the other program does not come before the deadline, the call returns
 * QDR_ERR_STALLED; the sentence says what was looked for, where, and what was found. */
qdr_status qdr_coupling_create(qdr_program *program, const char *peer, const qdr_coupling_options *options,
                               qdr_coupling **coupling);

typedef struct qdr_coupling_view {
    const char *name, *peer;
    int ranks, peer_ranks;
    const char *transport; /* "mpi", "tcp" or "self" */
    const char *how;       /* one line: how the two found each other */
    double latency;        /* of a round trip between the two, in seconds, measured when they met */
    int64_t refused;       /* strangers that were turned away from this rank's sockets */
} qdr_coupling_view;

/* Local. Texts live as long as the coupling. */
static inline qdr_coupling_view qdr_coupling_look(const qdr_coupling *coupling);

/* Collective. QDR_ERR_BUSY while streams of it are open. Waits for importers that could not be waited for when their
 * streams were destroyed. Safe after failures. Sets the handle to NULL; NULL is accepted. */
qdr_status qdr_coupling_destroy(qdr_coupling **coupling);

/* ---- streams ------------------------------------------------------------------------------------------- */

/* One array as one program has it. */
typedef struct qdr_coupled {
    const char *name; /* fields of both programs are paired by name; at most 63 characters */
    const qdr_layout *layout;
    const qdr_region *region; /* NULL: the whole array, in row-major order */
    qdr_type type;
    int64_t width; /* values per element; 0 is 1 */
    /* Of an import: how the value that comes is combined with the element, once in each import; 0 is QDR_REPLACE. Not
     * QDR_COMBINE. */
    qdr_operation operation;
} qdr_coupled;

typedef struct qdr_stream_options {
    size_t size; /* sizeof(qdr_stream_options) */

    /* How schedules are built. Where one side leaves an option NULL, it follows the other. */
    /* Who computes: "both" (BothCom); "exporter" or "importer" (OneCom: one computes for both); "deref" (as
     * Meta-Chaos did); NULL: whatever should be fastest, by layouts, sizes, and what computing and
     * messages cost, as measured when the programs met. */
    const char *computes;
    /* How results go back: "all", to each rank directly; "one", through one rank; NULL: chosen. */
    const char *back;
    /* How compact layouts travel: to "disjoint" sets of ranks, or between two ranks, "representative"; NULL:
     * chosen. */
    const char *descriptors;

    /* How it runs. */
    int queue;                    /* most exports that wait to be asked for; 0: 8 */
    int fails_when_full;          /* an export into a full queue fails with QDR_ERR_FULL; else it waits */
    int converts;                 /* importer: converts values when the types differ; else that is an error */
    int checksums;                /* one with every message; either side may ask for them */
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
 * pair of fields. Copies its inputs. These errors are the same on all ranks: names, region sizes, types (unless
 * `converts`) or widths that differ; an element outside the array, owned twice or owned by nobody; arguments that
 * differ between ranks. */
static inline qdr_status qdr_stream_create(qdr_coupling *coupling, const char *name, int exported,
                                           const qdr_coupled *exports, int imported,
                                           const qdr_coupled *imports, const qdr_stream_options *options,
                                           qdr_stream **stream);

typedef struct qdr_stream_view {
    const char *name;
    /* How its schedule was built; with several fields, that of the first by name. */
    const char *computed;    /* "both", "exporter", "importer", "deref" */
    const char *back;        /* "all", "one", or "none" where nothing went back */
    const char *descriptors; /* "disjoint", "representative", or "none" where no compact layout travelled */
    const char *why;         /* one sentence: how it was chosen */
    int fields;
    int64_t elements;                  /* of all fields, per export */
    int64_t messages_out, messages_in; /* of this rank, per export */
    int64_t bytes_out, bytes_in;       /* headers included */
    int64_t runs_out, runs_in;         /* contiguous pieces of memory */
    /* Building, both programs together unless it says otherwise. Index 0 is the exporting program, 1 the importing
     * one. */
    double seconds_most[2], seconds_mean[2]; /* that ranks of each program computed, without waiting */
    double build_seconds;                    /* from the declarations to the schedules, on the slowest rank */
    int64_t computed_most[2], computed_all[2]; /* elements, or pieces of closed forms, that ranks worked on */
    int64_t inside_messages, inside_bytes;     /* between ranks of one program */
    int64_t across_messages, across_bytes;     /* between the programs */
    int64_t peak_bytes;          /* the most that this rank had allocated at once for building */
    int64_t exports, imports;    /* done so far */
    int64_t queued, queue_bytes; /* exports that wait, and their memory on this rank */
} qdr_stream_view;

/* Local. Texts live as long as the stream. */
static inline qdr_stream_view qdr_stream_look(const qdr_stream *stream);

/* Local. What this rank sends (`outgoing`), or receives, of a field: for each partner rank of the other program, by
 * rising rank, the places in local memory in the order of the message. Those of partner i are place[start[i]] ..
 * place[start[i + 1] - 1]. The caller frees the arrays with free(). For checking and drawing; O(elements). */
qdr_status qdr_stream_schedule(const qdr_stream *stream, int outgoing, int field, int *partners, int **rank,
                               int64_t **start, int64_t **place);

/* Collective. An exporter waits, up to the deadline, until the importer has destroyed the stream too, for until then
 * it may be asked. (Where both programs destroy what they export, neither waits; the streams end with the coupling.)
 * An importer says that it will ask no more, and does not wait for the exporter. QDR_ERR_BUSY while imports are
 * started and not waited for, unless the stream has failed: then their handles outlive it, and report the failure.
 * Otherwise sets the handle to NULL; NULL is accepted. After a failure of the stream the call is local. */
qdr_status qdr_stream_destroy(qdr_stream **stream);

/* ---- exporting ----------------------------------------------------------------------------------------- */

/* Collective. data[f] is this rank's array of the f-th exported field; it is copied before the call returns. `time`
 * must be higher than that of the previous export, and not lower than what was promised; else QDR_ERR_INVALID. Does not
 * wait for the importer unless the queue is full. While it waits it promises `time`, and that stays promised after
 * QDR_ERR_STALLED. */
qdr_status qdr_export(qdr_stream *stream, double time, const void *const *data);

/* Collective. An exporter promises to export nothing before `time`. An importer promises to ask for nothing that an
 * export before `time` could match, so that the exporter can forget such exports. Does not wait. */
qdr_status qdr_stream_promise(qdr_stream *stream, double time);

/* ---- importing ----------------------------------------------------------------------------------------- */

/* Which export answers an import for time t, with a tolerance: */
typedef enum qdr_match {
    QDR_EXACT,  /* the one at t */
    QDR_BEFORE, /* REGL: the last in [t - tolerance, t] */
    QDR_AFTER,  /* REGU: the first in [t, t + tolerance] */
    QDR_NEAREST /* REG: the nearest in [t - tolerance, t + tolerance]; of two, the earlier */
} qdr_match;

/* Collective. data[f] is this rank's array of the f-th imported field. `time` must not be lower than that of the
 * previous import. `matched`, if not NULL, is the time of the export that came. QDR_ERR_UNMATCHED: it is certain that
 * no export matches; nothing is written, and the stream goes on. QDR_ERR_DEADLOCK: both programs wait for each other;
 * the sentence has the streams and times of both. */
qdr_status qdr_import(qdr_stream *stream, double time, qdr_match match, double tolerance, void *const *data,
                      double *matched);

/* Collective, but does not wait. Several imports may be under way. The arrays and `matched` are borrowed until the
 * import ends (quadrille/pending.h). After QDR_ERR_STALLED it is still under way, and the handle stays. */
qdr_status qdr_import_start(qdr_stream *stream, double time, qdr_match match, double tolerance,
                            void *const *data, double *matched, qdr_pending **pending);

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* The functions above call these in the library, with the size of the caller's structs added (docs/abi.md). */
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
