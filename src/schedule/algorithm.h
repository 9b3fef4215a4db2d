/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shape of an algorithm. Each is one file in algorithms/ that ends with one of these, and one line in
 * table.h; the command's list, the documentation and the tests all follow from that line.
 */
#ifndef QDRI_ALGORITHM_H
#define QDRI_ALGORITHM_H

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "schedule/handing.h"
#include "schedule/schedule.h"

/* What a builder is given. */
typedef struct qdri_request {
    qdr_pattern_view view;
    const qdr_machine *machine; /* NULL unless given */
    const qdri_spec *options;
} qdri_request;

struct qdri_algorithm {
    const char *name;
    const char *aliases;   /* names in the papers, separated by blanks */
    const char *spellings; /* other words for it that are accepted; may be NULL */
    const char *summary;
    const char *source;
    qdr_knowledge knowledge;
    unsigned promises;
    int staged;
    int at_run_time;
    int by_nodes; /* where ranks share no nodes it is what another is */
    int any_size; /* a plan of it takes other sizes at every call: both ends know enough by themselves */
    const qdri_handing *handing; /* where that is a rule of ranks alone: plans rehearse it; else NULL */
    const char *pacing;          /* how plans run it unless asked otherwise; NULL: by arrivals */
    int needs_machine;
    const qdri_option *options;
    int option_count;
    /* Gives the schedule its rows (one of qdri_rows_from_*, or rows and state) and, where it differs from 1,
     * its number of stages. NULL for those that are scheduled at run time. */
    qdr_status (*build)(const qdri_request *request, qdr_schedule *schedule);
};

#define QDRI_SEED_OPTION                                                                                     \
    { "seed", QDRI_INTEGER, "1", 0, 9e18, NULL, "all ranks build the same schedule from one seed", 0 }

/* How a plan runs it: schedules are the same with and without. An algorithm without a table takes these; one that has
 * options of its own puts these behind them. */
#define QDRI_PACE_OPTIONS                                                                                    \
    {"chunk", QDRI_INTEGER, "", 1, 1e15, NULL, "bytes of a message in a plan; else the plan's", 0}, {        \
        "window", QDRI_INTEGER, "", 1, 1e15, NULL, "bytes under way to a rank in a plan; else the plan's", 0 \
    }

#endif
