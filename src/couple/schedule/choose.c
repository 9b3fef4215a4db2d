/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which way to build, when the program leaves it open (the future work of the paper's section 4). Both programs choose
 * from the same numbers, so they choose alike: the kinds of the layouts, the elements, the ranks, and what computing and
 * messages cost, as it was measured when they met (measure.c).
 *
 * Two compact layouts: both compute, nothing but descriptors crosses, and nothing goes back. Two explicit ones: what has to
 * be told is the same whoever computes, so all do. One of each: the compact side can help. It halves, or more, what
 * an explicit rank computes and sends back; for that the compact ranks have to be told their share of what was stated, and
 * all have to wait for results from across. The time of both ways is estimated, step by step: telling, computing,
 * sending back, the agreement at the end. The shorter is taken.
 *
 * Results go back through one process, and descriptors between representatives, where messages across cost clearly more
 * than the step inside that replaces them.
 */
#include <stdio.h>

#include "couple/schedule/build.h"

/* An element of a real table, to one of the small table that was measured: the former are not in the nearest cache, and
 * a compact layout is walked through for them. From 2 to 5 on two processors, with tables of 2^14 to 2^19 elements. */
static const double of_table = 3;
/* A rank's own places are put together from the parts that came: to the small table likewise. */
static const double of_assembling = 1;
/* Bytes of an element that is told, and of one that goes back (table.c, by_range.c). */
static const double told = 8, returned = 4;
/* A message that is longer goes in two (messages.c), less what stands before the places. */
static const double single = 4000;
/* Microseconds are not measured exactly: a step more is taken if it costs no more than half of what it saves. */
static const double clearly = 2;

/* ---- what leaves or enters a rank in one step ---------------------------------------------------------- */

/* Inside the program, and across. */
typedef struct traffic {
    double messages[2], bytes[2];
} traffic;

static double larger(double a, double b) {
    return a > b ? a : b;
}

static double handling(const qdri_case *about, traffic its, int where) {
    double count = its.messages[where], parts = count * single < its.bytes[where] ? 2 : 1;
    return count * parts * about->costs.link[where].message;
}

/* All goes through one port. What crosses is late by the way, but while it travels the rest goes on. */
static double port(const qdri_case *about, traffic its) {
    double across = its.bytes[QDRI_ACROSS] * about->costs.link[QDRI_ACROSS].byte, all = across;
    all += its.bytes[QDRI_INSIDE] * about->costs.link[QDRI_INSIDE].byte;
    for (int where = 0; where < 2; where++) all += handling(about, its, where);
    return its.messages[QDRI_ACROSS] > 0 ? larger(all, about->costs.latency / 2 + across) : all;
}

/* The first rank of the wire decides. Whose side it is on, that program's words need not cross. */
static double agreed(const qdri_case *about, const double finished[2]) {
    double way = about->costs.latency / 2;
    return larger(finished[about->root], finished[!about->root] + way) + way;
}

/* ---- one compact layout, one explicit ------------------------------------------------------------------ */

static int explicit_role(const qdri_case *about) {
    return about->compact[0] ? 1 : 0;
}

/* The explicit side tells its own ranks, which compute all and send everybody his part. */
static double alone(const qdri_case *about) {
    int role = explicit_role(about);
    double elements = (double)about->elements, own = about->ranks[role], far = about->ranks[!role];
    double others = own - 1, share = elements / own, element = about->costs.element[role], finished[2];
    double tell = port(about, (traffic){{others, 0}, {told * share * others / own, 0}});
    traffic out = {{others, far}, {returned * share * others / own, returned * share}};
    traffic in = {{others, 0}, {returned * share * others / own, 0}};
    traffic in_far = {{0, own}, {0, returned * elements / far}};
    finished[role] = port(about, in) + of_assembling * element * share;
    finished[!role] = larger(port(about, out), port(about, in_far)) +
                      of_assembling * about->costs.element[!role] * elements / far;
    return tell + of_table * element * share + agreed(about, finished);
}

/* It tells all ranks of both programs, which compute as much each, and send everybody his part. */
static double together(const qdri_case *about) {
    int role = explicit_role(about);
    double elements = (double)about->elements, all = about->ranks[0] + about->ranks[1];
    double own = about->ranks[role], far = about->ranks[!role], share = elements / own, finished[2], out = 0;
    double tell =
        port(about, (traffic){{own - 1, far}, {told * share * (own - 1) / all, told * share * far / all}});
    tell = larger(tell, port(about, (traffic){{0, own}, {0, told * elements / all}}));
    for (int i = 0; i < 2; i++) {
        double here = about->ranks[i], there = about->ranks[!i], mine = returned * elements / all;
        out = larger(out, port(about, (traffic){{here - 1, there}, {mine * (here - 1) / here, mine}}));
    }
    for (int i = 0; i < 2; i++) {
        double here = about->ranks[i], there = about->ranks[!i], mine = returned * elements / here;
        double in = port(about, (traffic){{here - 1, there}, {mine * (here - 1) / all, mine * there / all}});
        finished[i] = larger(out, in) + of_assembling * about->costs.element[i] * elements / here;
    }
    double element = larger(about->costs.element[0], about->costs.element[1]);
    return tell + of_table * element * elements / all + agreed(about, finished);
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
    if (together(about) <= alone(about)) {
        *why = "one layout is explicit, and telling costs less than computing: both compute";
        return QDRI_BY_BOTH;
    }
    *why = "one layout is explicit, and telling costs more than computing: its program computes";
    return explicit_role(about) ? QDRI_BY_IMPORTER : QDRI_BY_EXPORTER;
}

/* ---- steps inside in place of messages across ---------------------------------------------------------- */

/* Whether the results of `from` responsible ranks for the `to` of the other program, so many elements, go through one. */
static int pays_through_one(const qdri_case *about, double from, double to, double elements) {
    const qdri_link_costs *inside = &about->costs.link[QDRI_INSIDE],
                          *across = &about->costs.link[QDRI_ACROSS];
    double passed = returned * elements / (from < to ? from : to) * (to - 1) / to;
    return (to - 1) * across->message >
           clearly * (inside->way + (to - 1) * inside->message + passed * inside->byte);
}

static int choose_back(const qdri_case *about, int computes) {
    double all = about->ranks[0] + about->ranks[1];
    int are_compact = about->compact[0] && about->compact[1], pays = 0;
    for (int role = 0; role < 2; role++) { /* of those who compute */
        if (computes == (role ? QDRI_BY_EXPORTER : QDRI_BY_IMPORTER)) continue;
        double part = computes == QDRI_BY_BOTH ? about->ranks[role] / all : 1;
        double elements = are_compact ? 0 : part * (double)about->elements; /* else there are few pieces */
        pays |= pays_through_one(about, about->ranks[role], about->ranks[!role], elements);
    }
    return pays ? QDRI_BACK_ONE : QDRI_BACK_ALL;
}

int qdri_choose_descriptors(const qdri_costs *costs, const int ranks[2]) {
    const qdri_link_costs *inside = &costs->link[QDRI_INSIDE], *across = &costs->link[QDRI_ACROSS];
    for (int side = 0; side < 2; side++) {
        double from = ranks[side], to = ranks[!side], others = to - 1;
        if ((to / from - 1) * across->message > clearly * (inside->way + others * inside->message))
            return QDRI_REPRESENTATIVE;
    }
    return QDRI_DISJOINT;
}

/* ---- the choice ---------------------------------------------------------------------------------------- */

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
    if (made->back == QDRI_OPEN) made->back = choose_back(about, made->computes);
    if (made->computes == QDRI_BY_DEREF) made->back = QDRI_BACK_ALL;
    if (made->descriptors == QDRI_OPEN)
        made->descriptors = qdri_choose_descriptors(&about->costs, about->ranks);
    snprintf(why, (size_t)size, "%s (%.3g ms there and back, %.3g ns a byte across, %.3g ns an element)",
             reason, 1e3 * about->costs.latency, 1e9 * about->costs.link[QDRI_ACROSS].byte,
             1e9 * larger(about->costs.element[0], about->costs.element[1]));
}
