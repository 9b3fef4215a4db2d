/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a plan is asked to be, resolved: call option before environment before default. The environment is
 * read on rank 0 alone and spread, so that ranks never act on different values.
 */
#ifndef QDRI_SETTINGS_H
#define QDRI_SETTINGS_H

#include "plan/plan.h"
#include "schedule/algorithm.h"

typedef struct qdri_settings {
    char algorithm[256];   /* "" or "auto": what turns out to be best */
    char pacing[16];       /* "": what suits the algorithm */
    char transport[8];     /* "": by rule */
    int64_t chunk, window; /* 0: what suits the executor; what the network shows */
    int64_t window_exact;  /* else each executor takes its share of it */
    int64_t barrier, in_flight;
    int64_t scheduled; /* a schedule is given */
    int64_t reuse;     /* exchanges with the sizes of the partners; 0: sizes may differ */
    int64_t item_bytes;
} qdri_settings;

enum { QDRI_MOST_IN_FLIGHT = 16, QDRI_USUAL_IN_FLIGHT = 2 };

/* Local. From the options, with the environment where they say nothing. */
qdr_status qdri_settings_resolve(const qdr_plan_options *options, int with_environment,
                                 qdri_settings *settings);

/* Pure. Whether they are those of who asks for nothing, and of an environment that says nothing. */
int qdri_settings_are_plain(const qdri_settings *settings);

/* Pure. Whether no algorithm is asked for. */
int qdri_settings_are_open(const qdri_settings *settings);

/* Local. Whether what rank 0 told can be settings; ends their texts. */
qdr_status qdri_settings_decode(qdri_settings *told);

/* Which executor suits, by name or by algorithm. */
qdr_status qdri_executor_find(const char *pacing, const qdri_algorithm *algorithm,
                              const qdri_executor **executor);

#endif
