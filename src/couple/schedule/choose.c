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
 * a compact layout is walked through for them. It is from 2 to 5, with tables of 2^14 to 2^18 elements; the
 * least, for the larger the table, the clearer the choice. */
static const double of_table = 2;
/* A rank's own places are put together from the parts that came: to the small table likewise. */
static const double of_assembling = 1;
/* A message of a schedule, to one of the words that were measured: a rank that sends it receives another, and both are made
 * room for, sealed, opened and sorted. Measured with 31 others at once. */
static const double of_letter = 3;
/* Bytes of an element that is told, and of one that goes back (table.c, by_range.c). */
static const double told = 8, returned = 4;
/* A message that is longer goes in two (messages.c), less what stands before the places. */
static const double single = 4000;
/* Costs are not measured exactly: a step more has to promise this share of the time without it. */
static const double clearly = 0.9;

/* ---- what leaves or enters a rank in one step ---------------------------------------------------------- */

/* Inside the program, and across. */
typedef struct traffic {
    double messages[2], bytes[2];
} traffic;

static double larger(double a, double b) {
    return a > b ? a : b;
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

/* All goes through one port, and one processor handles it. */
static double busy(const qdri_costs *costs, traffic its) {
    double seconds = 0;
    for (int where = 0; where < 2; where++) {
        double parts = its.messages[where] * single < its.bytes[where] ? 2 : 1;
        seconds += its.messages[where] * parts * of_letter * costs->link[where].message +
                   its.bytes[where] * costs->link[where].byte;
    }
    return seconds;
}

/* Until the last of it is there. What crosses is late by the way, but while it travels the rest goes on. */
static double arrived(const qdri_costs *costs, traffic its) {
    double late = costs->latency / 2 + its.bytes[QDRI_ACROSS] * costs->link[QDRI_ACROSS].byte;
    return its.messages[QDRI_ACROSS] > 0 ? larger(busy(costs, its), late) : busy(costs, its);
}

/* ---- the steps ----------------------------------------------------------------------------------------- */

/* One way to build. */
typedef struct way {
    const qdri_case *about;
    int responsible[2], through_one;
    double elements, ranks[2], all; /* all: that are responsible */
} way;

/* Explicit ranks tell all responsible ones. */
static double telling(const way *self) {
    const qdri_case *about = self->about;
    double longest = 0;
    for (int i = 0; i < 2; i++) {
        double here = self->ranks[i], there = self->ranks[!i];
        double stated = told * self->elements / here, range = told * self->elements / self->all;
        traffic out = {{0, 0}, {0, 0}}, in = out;
        if (!about->compact[i] && self->responsible[i]) {
            out.messages[QDRI_INSIDE] = in.messages[QDRI_INSIDE] = here - 1;
            out.bytes[QDRI_INSIDE] = stated * (here - 1) / self->all;
            in.bytes[QDRI_INSIDE] = range * (here - 1) / here;
        }
        if (!about->compact[i] && self->responsible[!i]) {
            out.messages[QDRI_ACROSS] = there;
            out.bytes[QDRI_ACROSS] = stated * there / self->all;
        }
        if (!about->compact[!i] && self->responsible[i]) {
            in.messages[QDRI_ACROSS] = there;
            in.bytes[QDRI_ACROSS] = range;
        }
        longest = larger(longest, larger(arrived(&about->costs, out), arrived(&about->costs, in)));
    }
    return longest;
}

/* Ranges are even: the slowest has as much as the fastest. */
static double computing(const way *self) {
    double element = 0;
    for (int i = 0; i < 2; i++)
        if (self->responsible[i]) element = larger(element, self->about->costs.element[i]);
    return of_table * element * self->elements / self->all;
}

/* What a responsible rank of this program sends. */
static traffic results(const way *self, int i) {
    double here = self->ranks[i], there = self->ranks[!i], part = returned * self->elements / self->all;
    if (!self->responsible[i]) return (traffic){{0, 0}, {0, 0}};
    return (traffic){{here - 1, self->through_one ? 1 : there}, {part * (here - 1) / here, part}};
}

/* When a program has its schedule: its ranks have sent what they worked out, what others did has come, was passed on, and is put
 * together. */
static double returning(const way *self, int i) {
    const qdri_costs *costs = &self->about->costs;
    double here = self->ranks[i], there = self->ranks[!i], all = returned * self->elements, passed = 0;
    traffic in = {{0, 0}, {0, 0}};
    if (self->responsible[i]) {
        in.messages[QDRI_INSIDE] = here - 1;
        in.bytes[QDRI_INSIDE] = all / here * (here - 1) / self->all;
    }
    if (self->responsible[!i]) {
        double stops = self->through_one ? smaller(here, there) : here;
        in.messages[QDRI_ACROSS] = self->through_one ? there / stops : there;
        in.bytes[QDRI_ACROSS] = all * there / self->all / stops;
        if (self->through_one && here > 1) {
            traffic on = {{here - 1, 0}, {in.bytes[QDRI_ACROSS] * (here - 1) / here, 0}};
            passed = costs->link[QDRI_INSIDE].way + busy(costs, on);
        }
    }
    double come = larger(arrived(costs, in), arrived(costs, results(self, !i)));
    return larger(busy(costs, results(self, i)), come) + passed +
           of_assembling * costs->element[i] * self->elements / here;
}

/* The first rank of the wire decides: the words of the other program have to cross before, and the decision after. */
static double estimate(const qdri_case *about, int computes, int back) {
    way self = {.about = about,
                .responsible = {computes != QDRI_BY_IMPORTER, computes != QDRI_BY_EXPORTER},
                .through_one = back == QDRI_BACK_ONE,
                .elements = (double)about->elements,
                .ranks = {about->ranks[0], about->ranks[1]}};
    for (int i = 0; i < 2; i++) self.all += self.responsible[i] ? self.ranks[i] : 0;
    if (about->compact[0] && about->compact[1]) self.elements = 0; /* there are a few pieces */
    double crossing = about->costs.latency / 2;
    double decided = larger(returning(&self, about->root), returning(&self, !about->root) + crossing);
    return telling(&self) + computing(&self) + decided + crossing;
}

/* ---- who computes, and how results go back ------------------------------------------------------------- */

static int explicit_role(const qdri_case *about) {
    return about->compact[0] ? 1 : 0;
}

/* The better of the ways back, unless one was asked for; and what it would take. */
static int choose_back(const qdri_case *about, int computes, int asked, double *seconds) {
    double all = estimate(about, computes, QDRI_BACK_ALL), one = estimate(about, computes, QDRI_BACK_ONE);
    int back = asked != QDRI_OPEN ? asked : one < clearly * all ? QDRI_BACK_ONE : QDRI_BACK_ALL;
    *seconds = back == QDRI_BACK_ONE ? one : all;
    return back;
}

static int choose_who(const qdri_case *about, int back, const char **why) {
    if (about->compact[0] && about->compact[1]) {
        *why = "both layouts are compact: both compute, and no schedule travels";
        return QDRI_BY_BOTH;
    }
    if (!about->compact[0] && !about->compact[1]) {
        *why = "both layouts are explicit: what must be told is the same whoever computes, so all do";
        return QDRI_BY_BOTH;
    }
    int by = explicit_role(about) ? QDRI_BY_IMPORTER : QDRI_BY_EXPORTER;
    double alone, together;
    choose_back(about, by, back, &alone);
    choose_back(about, QDRI_BY_BOTH, back, &together);
    if (together <= alone) {
        *why = "one layout is explicit, and telling costs less than computing: both compute";
        return QDRI_BY_BOTH;
    }
    *why = "one layout is explicit, and telling costs more than computing: its program computes";
    return by;
}

/* ---- descriptors --------------------------------------------------------------------------------------- */

int qdri_choose_descriptors(const qdri_costs *costs, const int ranks[2]) {
    const qdri_link_costs *inside = &costs->link[QDRI_INSIDE], *across = &costs->link[QDRI_ACROSS];
    for (int side = 0; side < 2; side++) {
        double from = ranks[side], to = ranks[!side], others = to - 1;
        if (clearly * (to / from - 1) * across->message > inside->way + others * inside->message)
            return QDRI_REPRESENTATIVE;
    }
    return QDRI_DISJOINT;
}

/* ---- the choice ---------------------------------------------------------------------------------------- */

void qdri_choose(const qdri_case *about, const qdri_choice *asked, qdri_choice *made, char *why, int size) {
    const char *reason = "as it was asked for";
    int mixed = about->compact[0] != about->compact[1];
    double seconds;
    *made = *asked;
    if (made->computes == QDRI_OPEN) made->computes = choose_who(about, asked->back, &reason);
    /* A compact side alone would have to be told everything. */
    if (mixed && (made->computes == QDRI_BY_EXPORTER || made->computes == QDRI_BY_IMPORTER)) {
        int by = explicit_role(about) ? QDRI_BY_IMPORTER : QDRI_BY_EXPORTER;
        if (by != made->computes) reason = "the explicit side computes, for what it states need not travel";
        made->computes = by;
    }
    if (made->computes == QDRI_BY_DEREF) made->back = QDRI_BACK_ALL;
    made->back = choose_back(about, made->computes, made->back, &seconds);
    if (made->descriptors == QDRI_OPEN)
        made->descriptors = qdri_choose_descriptors(&about->costs, about->ranks);
    snprintf(why, (size_t)size, "%s (%.3g ms there and back, %.3g ns a byte across, %.3g ns an element)",
             reason, 1e3 * about->costs.latency, 1e9 * about->costs.link[QDRI_ACROSS].byte,
             1e9 * larger(about->costs.element[0], about->costs.element[1]));
}
