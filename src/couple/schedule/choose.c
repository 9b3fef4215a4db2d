/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which way to build, when the program leaves it open (the future work of the paper's section 4). Both programs choose
 * from the same numbers, so they choose alike: the kinds of the layouts, the elements, the ranks, and the latency between the
 * programs as it was measured when they met.
 *
 * Two compact layouts: both compute, nothing but descriptors crosses, and nothing goes back. Two explicit ones: what has to
 * be told is the same whoever computes, so all do. One of each: the compact side can help, but has to be told its share of
 * what the explicit side has stated; that pays if the computing it saves takes longer than telling. Results go back
 * through one process, and descriptors between representatives, where a crossing message costs more than one more step
 * inside.
 */
#include <stdio.h>

#include "couple/schedule/build.h"

/* Seconds. Of an element that somebody is responsible for; of a byte between ranks of a node, and over a network; of the
 * way there and back, beyond which two programs do not share a node, or not even a cluster. */
static const double of_element = 60e-9, of_byte_near = 0.5e-9, of_byte_far = 10e-9;
static const double beyond_node = 50e-6, beyond_cluster = 1e-3;

static int explicit_role(const qdri_case *about) {
    return about->compact[0] ? 1 : 0;
}

/* Whether the compact side's help is worth what it has to be told: one more way across, and eight bytes for each element
 * that it takes over, from all explicit ranks at once. */
static int helps(const qdri_case *about) {
    double elements = (double)about->elements, stated = about->ranks[explicit_role(about)];
    double all = about->ranks[0] + about->ranks[1], taken_over = elements * (all - stated) / all;
    double of_byte = about->latency < beyond_node ? of_byte_near : of_byte_far;
    return elements * of_element * (1 / stated - 1 / all) >
           about->latency / 2 + 8 * taken_over / stated * of_byte;
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
    if (helps(about)) {
        *why = "one layout is explicit, and telling costs less than computing: both compute";
        return QDRI_BY_BOTH;
    }
    *why = "one layout is explicit, and telling costs more than computing: its program computes";
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
        made->back = about->latency >= beyond_cluster && about->ranks[0] + about->ranks[1] > 2
                         ? QDRI_BACK_ONE
                         : QDRI_BACK_ALL;
    if (made->computes == QDRI_BY_DEREF) made->back = QDRI_BACK_ALL;
    if (made->descriptors == QDRI_OPEN)
        made->descriptors = about->latency >= beyond_cluster ? QDRI_REPRESENTATIVE : QDRI_DISJOINT;
    snprintf(why, (size_t)size, "%s (%.3g ms there and back)", reason, 1e3 * about->latency);
}
