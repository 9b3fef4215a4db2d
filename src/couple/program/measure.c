/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measuring what building a schedule will cost between two programs that have just met. The best way to build depends on
 * what an element takes to compute and what a byte and a message take to travel, inside a program and across, and
 * machines differ in each by a factor of a hundred. So nothing is assumed: each rank works through a small table as
 * a responsible one does (by_range.c). Then ranks in pairs, all at once, send there and back one word, several words, and
 * one long message: several words say what a message costs, many bytes what a byte does. All pairs do it at
 * once, since what they share, a link or a processor, they will share when they build.
 *
 * A machine is never faster than it can be, only slower for a moment: of several times the least counts, on each rank. The
 * slowest rank is what building waits for, so both programs agree on the most of these, within bounds.
 *
 * Cost: two agreements; 9 times there and back inside and as often across, 3 of them with 64 KiB; 6 and 2 where the
 * programs are far apart. Some 90 microseconds of computing, and 200 KiB of memory for as long as it takes.
 */
#include "couple/program/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/flight.h"

enum { TIMES = 3, FEWER_TIMES = 2, MANY = 16, LONG = 1 << 16, WORD = 8 };
/* Seconds there and back beyond which fewer times are enough: what disturbs is short beside that, and waiting is long. */
static const double is_far = 1e-3;

/* ---- computing ----------------------------------------------------------------------------------------- */

enum { ELEMENTS = 4096, OWNERS = 8, TABLES = 4 };

/* A message about owners, a table made from it, and what goes back. */
typedef struct sample {
    uint32_t number[ELEMENTS], place[ELEMENTS];
    int32_t owner[ELEMENTS];
    uint32_t where[ELEMENTS];
    uint32_t back[2][OWNERS][2 * ELEMENTS / OWNERS];
} sample;

static void state(sample *self) {
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        self->number[i] = i * 2741u % ELEMENTS; /* odd, so each is there once, and far from the one before */
        self->place[i] = i;
    }
}

/* As hearing, counting and writing do it, with memory that is read and written in the same order. */
static uint32_t work_through(sample *self) {
    uint32_t end[2][OWNERS] = {{0}}, all = 0;
    memset(self->owner, 0xff, sizeof self->owner);
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        uint32_t at = self->number[i];
        if (at >= ELEMENTS || self->owner[at] != -1) continue;
        self->owner[at] = (int32_t)(self->place[i] % OWNERS);
        self->where[at] = self->place[i];
    }
    for (uint32_t i = 0; i < ELEMENTS; i++) all += (uint32_t)self->owner[i];
    for (int role = 0; role < 2; role++)
        for (uint32_t i = 0; i < ELEMENTS; i++) {
            uint32_t *next = &end[role][self->owner[i]];
            if (*next < 2 * ELEMENTS / OWNERS) self->back[role][self->owner[i]][(*next)++] = self->where[i];
        }
    return all + self->back[1][OWNERS - 1][0];
}

static volatile uint32_t kept; /* else nobody would have to compute it */

double qdri_measure_element(void) {
    sample *made = QDRI_ARRAY(sample, 1);
    double least = 0;
    if (!made) return 0;
    state(made);
    for (int i = 0; i < TABLES; i++) {
        double begin = qdri_seconds();
        kept = work_through(made);
        double taken = qdri_seconds() - begin;
        if (i == 1 || (i > 1 && taken < least)) least = taken; /* the first finds caches cold */
    }
    free(made);
    return least / ELEMENTS;
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* Memory and operations for all swaps of this rank. */
typedef struct swapper {
    qdri_flight *flight;
    qdri_flight_leg *leg; /* [MANY] */
    char *data;           /* [LONG] */
    int times;
} swapper;

static qdr_status prepare(qdri_wire *wire, double deadline, swapper *self) {
    *self = (swapper){.flight = qdri_flight_create(wire, "measuring of messages")};
    if (!self->flight) return qdri_fail_memory();
    self->flight->deadline = deadline;
    self->data = QDRI_FLIGHT_ARRAY(self->flight, char, LONG);
    self->leg = qdri_flight_legs(self->flight, MANY);
    return self->data && self->leg ? QDR_OK : qdri_fail_memory();
}

/* So many messages of so many bytes to that rank, or from it. */
static qdr_status pass(swapper *self, int rank, int is_receive, int count, int64_t bytes) {
    qdri_flight *flight = self->flight;
    for (int i = 0; i < count && !flight->failed; i++) {
        qdri_flight_leg *leg = &self->leg[i];
        char *data = self->data + i * bytes;
        leg->is_receive = is_receive;
        leg->expected = is_receive ? bytes : 0;
        qdri_flight_note(
            leg, is_receive ? qdri_receive(flight->wire, &leg->operation, rank, QDRI_TAG_MEASURE, data, bytes)
                            : qdri_send(flight->wire, &leg->operation, rank, QDRI_TAG_MEASURE, data, bytes));
    }
    return qdri_flight_wait(flight);
}

/* There and back, the least time of several. Both wait for all of it before they go on, so neither is ever ahead. */
static qdr_status least_of(swapper *self, int rank, int leads, int count, int64_t bytes, double *least) {
    *least = 0;
    for (int i = 0; i < self->times; i++) {
        double begin = qdri_seconds();
        QDRI_TRY(pass(self, rank, !leads, count, bytes));
        QDRI_TRY(pass(self, rank, leads, count, bytes));
        double seconds = qdri_seconds() - begin;
        if (i == 0 || seconds < *least) *least = seconds;
    }
    return QDR_OK;
}

static double more(double with, double without, double count) {
    return with > without ? (with - without) / count : 0;
}

/* With one partner. Whoever leads has measured something; nobody has two partners at a time, so nobody waits in a
 * circle. */
static qdr_status measure_messages(swapper *self, int rank, qdri_link_costs *costs) {
    double word, words, bytes;
    int leads = qdri_wire_rank(self->flight->wire) < rank;
    QDRI_TRY(least_of(self, rank, leads, 1, WORD, &word));
    QDRI_TRY(least_of(self, rank, leads, MANY, WORD, &words));
    QDRI_TRY(least_of(self, rank, leads, 1, LONG, &bytes));
    if (leads)
        *costs = (qdri_link_costs){word / 2, more(words, word, 2 * (MANY - 1)),
                                   more(bytes, word, 2 * (LONG - WORD))};
    return QDR_OK;
}

/* Inside: the next one or the one before. Across: who has the same place; over TCP the two are linked already. */
static int partner_inside(const qdri_space *space) {
    int place = space->own ^ 1;
    return place < space->count[space->side] ? space->rank[space->side][place] : -1;
}

static int partner_across(const qdri_space *space) {
    return space->own < space->count[!space->side] ? space->rank[!space->side][space->own] : -1;
}

/* ---- what both agree on -------------------------------------------------------------------------------- */

enum { ELEMENT, LINK = 2, LINK_TERMS = 3 };
_Static_assert(QDRI_COST_TERMS == LINK + 2 * LINK_TERMS, "a term for each cost");

/* Picoseconds within the bounds, whatever a clock has said; what another rank says is refused outside of them. */
static qdri_term term_of(const char *name, double seconds, int64_t most) {
    double value = seconds > 0 ? 1e12 * seconds : 0;
    return QDRI_IS_MOST(name, value < (double)most ? (int64_t)value : most, 0, most);
}

void qdri_costs_ask(const qdri_costs *mine, int side, qdri_term term[QDRI_COST_TERMS]) {
    static const char *const element[2] = {"picoseconds of an element in the first program",
                                           "picoseconds of an element in the second program"};
    static const char *const link[2][LINK_TERMS] = {
        {"picoseconds of a way inside", "picoseconds of a message inside", "picoseconds of a byte inside"},
        {"picoseconds of a way across", "picoseconds of a message across", "picoseconds of a byte across"}};
    for (int i = 0; i < 2; i++) {
        const qdri_link_costs *of = &mine->link[i];
        qdri_term *its = &term[LINK + i * LINK_TERMS];
        term[ELEMENT + i] = term_of(element[i], i == side ? mine->element[i] : 0, QDRI_MOST_OF_ELEMENT);
        its[0] = term_of(link[i][0], of->way, QDRI_MOST_OF_WAY);
        its[1] = term_of(link[i][1], of->message, QDRI_MOST_OF_MESSAGE);
        its[2] = term_of(link[i][2], of->byte, QDRI_MOST_OF_BYTE);
    }
}

qdr_status qdri_costs_keep(const qdri_term term[QDRI_COST_TERMS], qdri_costs *costs) {
    for (int i = 0; i < QDRI_COST_TERMS; i++)
        QDRI_TRY(qdri_decode_word(QDRI_SOMEBODY, term[i].name, term[i].value, term[i].least, term[i].most));
    for (int i = 0; i < 2; i++) {
        const qdri_term *its = &term[LINK + i * LINK_TERMS];
        costs->element[i] = 1e-12 * (double)term[ELEMENT + i].value;
        costs->link[i] = (qdri_link_costs){1e-12 * (double)its[0].value, 1e-12 * (double)its[1].value,
                                           1e-12 * (double)its[2].value};
    }
    return QDR_OK;
}

static qdr_status agree(qdri_wire *wire, qdr_status status, qdri_term *term, int terms, double deadline) {
    if (status && !qdri_wire_usable(wire)) return status; /* nobody would hear it */
    qdri_agreement agreement = {
        .call = "qdr_coupling_create", .status = status, .term = term, .terms = terms, .deadline = deadline};
    return qdri_agree(wire, &agreement);
}

/* What was left behind by a meeting that failed. Nobody sends anything before all have agreed. */
static void sweep(qdri_wire *wire) {
    int from = QDRI_ANYONE, gone = 1;
    for (int64_t bytes; gone && qdri_is_there(wire, &from, QDRI_TAG_MEASURE, &bytes); from = QDRI_ANYONE)
        gone = qdri_discard(wire, from, QDRI_TAG_MEASURE, bytes);
}

/* The first agreement says that all have come and have memory, so that nobody waits for a partner in vain; and how long
 * the way is, of which the programs may have different ideas where a greeting of an earlier meeting was still there. */
static qdr_status measure(const qdri_space *space, qdri_costs *mine, double deadline) {
    swapper self;
    int rank[2] = {partner_inside(space), partner_across(space)};
    qdri_term term[QDRI_COST_TERMS];
    qdri_term way = QDRI_IS_MOST("nanoseconds there and back", (int64_t)(1e9 * mine->latency), 0,
                                 QDRI_MOST_OF_WAY / 1000 * 2);
    if (way.value > way.most) way.value = way.most;
    sweep(space->wire);
    qdr_status status = agree(space->wire, prepare(space->wire, deadline, &self), &way, 1, deadline);
    if (!status) {
        mine->latency = 1e-9 * (double)way.value;
        self.times = mine->latency < is_far ? TIMES : FEWER_TIMES; /* alike on all ranks */
        /* Across first, where more is shared: ranks of a program come from an agreement at about the same time. */
        for (int i = QDRI_ACROSS; i >= QDRI_INSIDE && !status; i--)
            if (rank[i] >= 0) status = measure_messages(&self, rank[i], &mine->link[i]);
        qdri_costs_ask(mine, space->side, term);
        status = agree(space->wire, status, term, QDRI_COST_TERMS, deadline);
    }
    if (!status) status = qdri_costs_keep(term, mine); /* all have the same words, and refuse them alike */
    if (self.flight) qdri_flight_end(&self.flight);
    return status;
}

qdr_status qdri_measure(qdr_coupling *coupling, double deadline) {
    const double least_patience = 10; /* seconds: the other has come, be it at the last moment */
    const qdri_space *space = &coupling->space;
    qdri_costs mine = {.latency = coupling->costs.latency};
    double patient = qdri_seconds() + least_patience;
    mine.element[space->side] = qdri_measure_element();
    qdri_lock(space->wire);
    qdr_status status = measure(space, &mine, deadline > 0 && deadline < patient ? patient : deadline);
    qdri_unlock(space->wire);
    if (!status) coupling->costs = mine;
    return status;
}
