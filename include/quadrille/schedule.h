/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schedules: from a pattern to phases.
 *
 * A *piece* is a range of one message. A *transfer* carries a list of pieces from one rank to another: one piece in
 * direct schedules, many where data is stored and forwarded. A *phase* is a set of transfers. A *stage* is a sequence
 * of phases; what a rank received in one stage it may send on in the next. A schedule is a list of stages. Ranks are
 * loosely synchronous: a transfer may start when its sender and its receiver have finished what comes before it.
 * There is no barrier between phases.
 *
 * Each phase keeps what the algorithm *promises*: nothing, a partial permutation (each rank sends at most once and
 * receives at most once), disjoint pairs (each rank has at most one partner), no link loaded beyond its capacity, a
 * size limit. qdr_schedule_check() holds every schedule to exactly that.
 *
 * A schedule is read by row: all that one rank does in one stage, in the order in which it does it. Rows are stored,
 * or computed while they are read; the reader cannot tell which.
 */
#ifndef QUADRILLE_SCHEDULE_H
#define QUADRILLE_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "quadrille/base.h"
#include "quadrille/machine.h"
#include "quadrille/pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qdr_schedule qdr_schedule;

/* ---- algorithms ---------------------------------------------------------------------------------------- */

/* What a rank has to know to find its own row, beside what others tell it as they pass things on. */
typedef enum qdr_knowledge {
    QDR_KNOWS_ROW,            /* whom it sends to */
    QDR_KNOWS_ROW_AND_COLUMN, /* and whom it receives from */
    QDR_KNOWS_MATRIX,         /* the whole pattern */
} qdr_knowledge;

/* What each phase promises; a set of bits. Coverage is always promised. */
enum {
    QDR_PROMISES_PERMUTATION = 1, /* each rank sends at most one transfer and receives at most one */
    QDR_PROMISES_PAIRS = 2,       /* each rank has at most one partner */
    QDR_PROMISES_LINKS = 4,       /* no link carries more than its streams, on the machine it was built for */
    QDR_PROMISES_LIMIT = 8,       /* no transfer is larger than its phase's limit */
};

typedef struct qdr_algorithm_info {
    const char *name;
    const char *aliases; /* names in the papers, separated by blanks */
    const char *summary; /* one line */
    const char *source;  /* paper and section */
    const char *options; /* one line per key: "key=default  meaning\n" */
    qdr_knowledge knowledge;
    unsigned promises;
    int direct;        /* every message goes straight from origin to destination */
    int at_run_time;   /* has no schedule beforehand; the order is decided while the exchange runs */
    int needs_machine; /* cannot be built without one */
    int by_nodes; /* differs from others only where ranks share nodes: on such a machine, and in a plan */
} qdr_algorithm_info;

/* Local. The index-th algorithm; NULL past the last. `options` lives until the calling thread's next call that describes
 * something; the other texts are static. */
const qdr_algorithm_info *qdr_algorithm(int index);

/* Local. Finds an algorithm by its name or by a name of the papers. An unknown name is an error that lists the valid
 * ones. */
qdr_status qdr_algorithm_find(const char *name, const qdr_algorithm_info **info);

/* ---- making one ---------------------------------------------------------------------------------------- */

/* Local and pure: the same arguments give the same schedule everywhere. `algorithm` is a name of the table or of the
 * papers, with options if wanted ("random:seed=7", "RS_NH:limit=0.5"). `machine` may be NULL for algorithms that do
 * not use it. The schedule keeps pattern and machine alive. The cost depends on the algorithm; a schedule whose rows
 * are computed is read once, to count its phases. */
qdr_status qdr_schedule_create(const qdr_pattern *pattern, const char *algorithm, const qdr_machine *machine,
                               qdr_schedule **schedule);

/* Local. As qdr_pattern_destroy(). */
void qdr_schedule_destroy(qdr_schedule **schedule);

typedef struct qdr_schedule_info {
    const char *algorithm; /* the table's name; "loaded" for one that was read from a file */
    const char *spec;      /* as it was asked for */
    unsigned promises;
    int ranks;
    int stages;
    int64_t phases;    /* not counting empty ones, all stages together */
    int64_t transfers; /* all stages together */
    int direct;
} qdr_schedule_info;

/* Local, free of cost. */
static inline qdr_status qdr_schedule_look(const qdr_schedule *schedule, qdr_schedule_info *info);

/* Local, free of cost. Valid as long as the schedule. Where the schedule moves what ranks have for themselves (`two-stage:diagonal`)
 * these are messages of its pattern, and nothing is local. */
const qdr_pattern *qdr_schedule_pattern(const qdr_schedule *schedule);

/* ---- reading it by row --------------------------------------------------------------------------------- */

typedef struct qdr_piece {
    int origin, destination; /* the message */
    int64_t offset, length;  /* the range of it, in items; length 0 only if the message has none */
} qdr_piece;

typedef struct qdr_transfer {
    int64_t phase; /* rising inside a row; numbers of empty phases may be missing */
    int partner;
    int64_t items; /* sum of the lengths */
    int64_t first; /* the pieces are piece[first] .. piece[first + pieces - 1] of the row */
    int64_t pieces;
} qdr_transfer;

/* One rank's part of one stage: the communication phase table of NICE. */
typedef struct qdr_row {
    int rank, stage;
    int64_t sends, receives;
    const qdr_transfer *send, *receive; /* by rising phase */
    const qdr_piece *piece;
} qdr_row;

typedef struct qdr_row_reader qdr_row_reader;

/* Local. A reader owns the memory of the row that it read last, and uses it again for the next. It keeps the schedule
 * alive. */
qdr_status qdr_row_reader_create(const qdr_schedule *schedule, qdr_row_reader **reader);
static inline qdr_status qdr_row_read(qdr_row_reader *reader, int rank, int stage, qdr_row *row);
void qdr_row_reader_destroy(qdr_row_reader **reader);

/* ---- reading it by phase ------------------------------------------------------------------------------- */

/* One transfer, seen from above. */
typedef struct qdr_step {
    int stage;
    int from, to;
    int64_t phase;
    int64_t items;
    double start, end; /* seconds; 0 until a prediction fills them in */
} qdr_step;

/* Local. All transfers by rising (stage, phase, from, order of sending). The caller frees *steps with free(). */
qdr_status qdr_schedule_steps(const qdr_schedule *schedule, int64_t *count, qdr_step **steps);

/* ---- checking it --------------------------------------------------------------------------------------- */

/* Local. QDR_OK if every item of every message goes from its origin to its destination exactly once, no rank sends
 * what it does not hold at the start of a stage, both ends of every transfer agree, and every phase keeps what the
 * algorithm promises. Otherwise QDR_ERR_BROKEN with a sentence that names ranks, stage, phase and items. Reads rows
 * one at a time; memory O(one rank's pieces + transfers when links are promised). */
qdr_status qdr_schedule_check(const qdr_schedule *schedule);

/* ---- predicting it ------------------------------------------------------------------------------------- */

/* Lower bounds on the time of any exchange of a pattern on a machine, each sound for the schedules that it names. */
typedef struct qdr_bounds {
    /* Direct, synchronous sends. Full ports: max over ranks of tau * messages + mu * bytes, out or in. Half ports: the same with
     * out and in added. */
    double full_duplex, half_duplex;
    double link;  /* direct: most loaded link under the machine's routes (0: no links) */
    double relay; /* any schedule: startups of a spreading tree, or all bytes through the busiest port */
    double
        direct; /* the largest that holds for direct schedules on this machine; where sends are buffered, startups may
                    * pass while earlier bytes are on their way */
    double any;   /* the largest that holds for every schedule on this machine */
    double ports; /* direct: of the ports of ranks alone; `direct` is the larger of it and of `link` */
} qdr_bounds;

/* Local. Cost: O(messages * route length). */
static inline qdr_status qdr_bounds_compute(const qdr_pattern *pattern, const qdr_machine *machine,
                                            int64_t item_bytes, qdr_bounds *bounds);

typedef struct qdr_prediction {
    double seconds;         /* loosely synchronous makespan */
    double barrier_seconds; /* makespan with a barrier after each phase */
    double max_link_load;   /* most senders on a link in one phase / the streams it carries; 0: no links */
    int64_t unconfirmed;    /* most bytes that several senders push at one receiver inside one phase */
    int unsafe; /* sends are buffered, and `unconfirmed` exceeds the machine's buffer (NICE 3.1) */
} qdr_prediction;

/* Local. Also fills in start and end of `steps`, if not NULL; they must be the schedule's own list. */
static inline qdr_status qdr_schedule_predict(const qdr_schedule *schedule, const qdr_machine *machine,
                                              int64_t item_bytes, qdr_step *steps,
                                              qdr_prediction *prediction);

/* One way to run an exchange, as plans do (plan.h). */
typedef struct qdr_way {
    const char *algorithm; /* also one that is scheduled at run time */
    const char *pacing;    /* NULL: what suits the algorithm */
    int barrier;           /* all ranks meet after each phase */
    int64_t window;        /* bytes that may be under way to a port; 0: what it would find out for itself */
} qdr_way;

/* Local. What an exchange takes in one way: qdr_schedule_predict() asks what a schedule allows, this what the rule of a
 * pacing makes of it. QDR_ERR_INVALID: that way is not predicted, which are `requests`, and `grants` by a schedule. */
static inline qdr_status qdr_way_predict(const qdr_pattern *pattern, const qdr_way *way,
                                         const qdr_machine *machine, int64_t item_bytes, double *seconds);

/* Local. The algorithms among which a plan of this pattern chooses by trying them (plan.h) where none is asked for and each
 * rank has a host of its own: the index-th, the most promising first; NULL past the last. `reuse` is that of its options. */
const char *qdr_auto_candidate(const qdr_pattern *pattern, int64_t reuse, int index);

/* Local. Why the first comes first, in one sentence; valid until this thread asks again. */
const char *qdr_auto_reason(const qdr_pattern *pattern);

/* ---- broadcast ----------------------------------------------------------------------------------------- */

/* Local. The steps by which group[0] brings `items` items to the other count - 1 ranks of the group, one stage per
 * step: "linear" (LIB), one rank after the other, or "recursive" (REB), doubling (CM-5, section 3.6). The caller
 * frees *steps. */
qdr_status qdr_broadcast_steps(const char *algorithm, int count, const int *group, int64_t items,
                               int64_t *step_count, qdr_step **steps);

/* Local. Predicts any list of steps in the order of qdr_schedule_steps(). */
static inline qdr_status qdr_steps_predict(int64_t count, qdr_step *steps, const qdr_machine *machine,
                                           int64_t item_bytes, qdr_prediction *prediction);

/* ---- writing it ---------------------------------------------------------------------------------------- */

/* As JSON and as a picture: quadrille-io.h. A function that writes to a stream flushes it at the end. It returns
 * QDR_OK only if every byte was written, otherwise QDR_ERR_FILE, or QDR_ERR_MEMORY where a stream in memory could not
 * grow. After a failure the contents of the stream are useless. */

/* Local. One line per phase that is not empty, as the papers print theirs: "  1  0<->1  2->3". */
qdr_status qdr_steps_write_text(int64_t count, const qdr_step *steps, FILE *stream);

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* The functions above call these in the library, with the size of the caller's structs added (docs/abi.md). */
qdr_status qdr_schedule_look_sized(const qdr_schedule *schedule, qdr_schedule_info *info, size_t info_bytes);
qdr_status qdr_row_read_sized(qdr_row_reader *reader, int rank, int stage, qdr_row *row, size_t row_bytes);
qdr_status qdr_bounds_compute_sized(const qdr_pattern *pattern, const qdr_machine *machine,
                                    int64_t item_bytes, qdr_bounds *bounds, size_t bounds_bytes);
qdr_status qdr_schedule_predict_sized(const qdr_schedule *schedule, const qdr_machine *machine,
                                      int64_t item_bytes, qdr_step *steps, qdr_prediction *prediction,
                                      size_t prediction_bytes);
qdr_status qdr_steps_predict_sized(int64_t count, qdr_step *steps, const qdr_machine *machine,
                                   int64_t item_bytes, qdr_prediction *prediction, size_t prediction_bytes);

qdr_status qdr_way_predict_sized(const qdr_pattern *pattern, const qdr_way *way, size_t way_bytes,
                                 const qdr_machine *machine, int64_t item_bytes, double *seconds);

static inline qdr_status qdr_schedule_look(const qdr_schedule *schedule, qdr_schedule_info *info) {
    return qdr_schedule_look_sized(schedule, info, sizeof *info);
}
static inline qdr_status qdr_row_read(qdr_row_reader *reader, int rank, int stage, qdr_row *row) {
    return qdr_row_read_sized(reader, rank, stage, row, sizeof *row);
}
static inline qdr_status qdr_bounds_compute(const qdr_pattern *pattern, const qdr_machine *machine,
                                            int64_t item_bytes, qdr_bounds *bounds) {
    return qdr_bounds_compute_sized(pattern, machine, item_bytes, bounds, sizeof *bounds);
}
static inline qdr_status qdr_schedule_predict(const qdr_schedule *schedule, const qdr_machine *machine,
                                              int64_t item_bytes, qdr_step *steps,
                                              qdr_prediction *prediction) {
    return qdr_schedule_predict_sized(schedule, machine, item_bytes, steps, prediction, sizeof *prediction);
}
static inline qdr_status qdr_steps_predict(int64_t count, qdr_step *steps, const qdr_machine *machine,
                                           int64_t item_bytes, qdr_prediction *prediction) {
    return qdr_steps_predict_sized(count, steps, machine, item_bytes, prediction, sizeof *prediction);
}

static inline qdr_status qdr_way_predict(const qdr_pattern *pattern, const qdr_way *way,
                                         const qdr_machine *machine, int64_t item_bytes, double *seconds) {
    return qdr_way_predict_sized(pattern, way, sizeof *way, machine, item_bytes, seconds);
}

#ifdef __cplusplus
}
#endif
#endif
