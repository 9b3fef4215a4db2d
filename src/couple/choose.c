/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which way to build, when the program leaves it open (the future work of the paper's section 4). Both programs choose
 * from the same numbers, so they choose alike: the kinds of the layouts, the ranks, and the latency between the programs
 * as it was measured when they met.
 *
 * Two compact layouts: both compute, nothing but descriptors crosses, and nothing goes back. Two explicit ones: what has to
 * be told is the same whoever computes, so all do. One of each: where messages are cheap the compact side helps, at
 * the price of telling it half of what the explicit side has stated; where they are not, the explicit side alone computes.
 * Results go back through one process, and descriptors between representatives, where a crossing message costs more than
 * one more step inside.
 */
#include <stdio.h>

#include "couple/build.h"

/* Seconds there and back: below the first a message costs about as much as a few hundred elements of computing, as on
 * one node; above the second it costs more than all steps inside a cluster. */
static const double near_by = 50e-6, far_away = 1e-3;

static int explicit_role(const qdri_case *about) {
    return about->compact[0] ? 1 : 0;
}

static int choose_who(const qdri_case *about, const char **why) {
    if (about->compact[0] && about->compact[1]) {
        *why = "both layouts are compact: both compute, and no schedule travels";
        return QDRI_BY_BOTH;
    }
    if (!about->compact[0] && !about->compact[1]) {
        *why = "both layouts are explicit: what must be told is the same whoever computes, so all do";
        return QDRI_BY_BOTH;
    }
    if (about->latency < near_by) {
        *why = "one layout is explicit and messages are cheap: both compute";
        return QDRI_BY_BOTH;
    }
    *why = "one layout is explicit and messages are dear: its program computes";
    return explicit_role(about) ? QDRI_BY_IMPORTER : QDRI_BY_EXPORTER;
}

void qdri_choose(const qdri_case *about, const qdri_choice *asked, qdri_choice *made, char *why, int size) {
    const char *reason = "as it was asked for";
    int mixed = about->compact[0] != about->compact[1];
    *made = *asked;
    if (made->computes == QDRI_OPEN) made->computes = choose_who(about, &reason);
    /* A compact side alone would have to be told everything. */
    if (mixed && (made->computes == QDRI_BY_EXPORTER || made->computes == QDRI_BY_IMPORTER)) {
        int by = explicit_role(about) ? QDRI_BY_IMPORTER : QDRI_BY_EXPORTER;
        if (by != made->computes) reason = "the explicit side computes, for what it states need not travel";
        made->computes = by;
    }
    if (made->back == QDRI_OPEN)
        made->back = about->latency >= far_away && about->ranks[0] + about->ranks[1] > 2 ? QDRI_BACK_ONE
                                                                                         : QDRI_BACK_ALL;
    if (made->computes == QDRI_BY_DEREF) made->back = QDRI_BACK_ALL;
    if (made->descriptors == QDRI_OPEN)
        made->descriptors = about->latency >= far_away ? QDRI_REPRESENTATIVE : QDRI_DISJOINT;
    snprintf(why, (size_t)size, "%s (%.3g ms there and back)", reason, 1e3 * about->latency);
}
