/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flights (flight.h): counting what is under way, and letting go of it.
 *
 * A flight is over when its count of operations is zero and its owner expects no more. Ending it earlier,
 * after a failure, takes back the receives; whatever cannot be taken back (a send whose receiver never came,
 * a collective that not all ranks joined) keeps the flight alive, and the last such operation frees it, from
 * inside qdri_progress(). If that operation never ends, the memory is never freed: a few blocks per deadline
 * that passed, on a communicator that cannot be used any more. The same holds when receives were taken back,
 * since MPI does not say whether it had begun to fill them.
 */
#include "wire/flight.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "wire/agree.h"
#include "wire/node.h"

typedef struct qdri_flight_block {
    struct qdri_flight_block *next;
    max_align_t data[];
} block;

/* ---- beginning and end --------------------------------------------------------------------------------- */

qdri_flight *qdri_flight_create(qdri_wire *wire, const char *what) {
    qdri_flight *flight = QDRI_ZERO_ARRAY(qdri_flight, 1);
    if (!flight) return NULL;
    flight->wire = wire;
    flight->what = what;
    flight->deadline = qdri_deadline(0);
    flight->begun = flight->deadline > 0 ? qdri_seconds() : 0;
    return flight;
}

static void dispose(qdri_flight *flight) {
    for (block *gone = flight->blocks, *next; gone; gone = next) {
        next = gone->next;
        free(gone);
    }
    free(flight->result);
    free(flight);
}

void qdri_flight_end(qdri_flight **flight) {
    qdri_flight *ended = *flight;
    int taken_back = 0;
    if (!ended) return;
    *flight = NULL;
    for (qdri_flight_leg *leg = ended->legs; leg && ended->under_way; leg = leg->next)
        if (leg->under_way && leg->is_receive) {
            qdri_cancel(ended->wire, &leg->operation);
            taken_back = 1;
        }
    (void)qdri_wire_reserve(ended->wire, -ended->reserved);
    if (ended->under_way || taken_back)
        ended->abandoned = 1;
    else
        dispose(ended);
}

qdr_status qdri_flight_open(MPI_Comm comm, const char *what, qdri_wire **wire, qdri_flight **flight) {
    QDRI_TRY(qdri_wire_open(comm, wire));
    qdri_lock(*wire);
    *flight = qdri_flight_create(*wire, what);
    return QDR_OK;
}

void qdri_flight_close(qdri_wire **wire, qdri_flight **flight) {
    qdri_flight_end(flight);
    qdri_unlock(*wire);
    qdri_wire_release(wire);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static void *take(qdri_flight *flight, int64_t count, size_t size,
                  void *(*alloc)(int64_t count, size_t size)) {
    if (count < 0 || (uint64_t)count > (PTRDIFF_MAX - sizeof(block)) / size) return NULL;
    int64_t bytes = (int64_t)(sizeof(block) + (size_t)count * size);
    block *made = alloc(bytes, 1);
    if (!made) return NULL;
    flight->block_bytes += bytes;
    made->next = flight->blocks;
    flight->blocks = made;
    return made->data;
}

void *qdri_flight_alloc(qdri_flight *flight, int64_t count, size_t size) {
    return take(flight, count, size, qdri_alloc_zero);
}

void *qdri_flight_space(qdri_flight *flight, int64_t count, size_t size) {
    return take(flight, count, size, qdri_alloc);
}

int64_t qdri_flight_bytes(const qdri_flight *flight) {
    return (int64_t)sizeof *flight + flight->block_bytes + flight->result_bytes +
           qdri_wire_reserve_bytes(flight->wire, flight->reserved);
}

int64_t qdri_flight_needs(const qdri_wire *wire, int64_t legs, int64_t arrays, int64_t bytes) {
    return (int64_t)sizeof(qdri_flight) + arrays * (int64_t)sizeof(block) +
           legs * (int64_t)sizeof(qdri_flight_leg) + bytes + qdri_wire_reserve_bytes(wire, legs);
}

void *qdri_flight_result(qdri_flight *flight, int64_t bytes) {
    if (!flight->result) {
        flight->result = qdri_alloc(bytes, 1);
        flight->result_bytes = bytes;
    }
    void *resized =
        bytes == flight->result_bytes ? NULL : realloc(flight->result, bytes > 0 ? (size_t)bytes : 1);
    if (resized) {
        flight->result = resized;
        flight->result_bytes = bytes;
    }
    return bytes <= flight->result_bytes ? flight->result : NULL;
}

void *qdri_flight_take_result(qdri_flight *flight) {
    void *result = flight->result;
    flight->result = NULL;
    return result;
}

/* ---- operations ---------------------------------------------------------------------------------------- */

void qdri_flight_fail(qdri_flight *flight, qdr_status status) {
    if (flight->failed == QDR_OK) {
        flight->failed = status;
        snprintf(flight->sentence, sizeof flight->sentence, "%s", qdr_error_message());
    }
    flight->over = 1;
}

static void landed(qdri_operation *operation, qdr_status status) {
    qdri_flight_leg *leg = (qdri_flight_leg *)operation;
    qdri_flight *flight = leg->flight;
    leg->under_way = 0;
    flight->under_way--;
    if (flight->abandoned) {
        if (!flight->under_way) dispose(flight);
        return;
    }
    if (!status && leg->is_receive && leg->expected > 0)
        status = qdri_decode_length((qdri_teller){NULL, operation->partner}, flight->what, operation->bytes,
                                    leg->expected);
    if (status)
        qdri_flight_fail(flight, status);
    else if (leg->landing)
        leg->landing(leg);
    if (!flight->under_way && !flight->expects_more) flight->over = 1;
}

qdri_flight_leg *qdri_flight_legs(qdri_flight *flight, int64_t count) {
    qdri_flight_leg *legs = QDRI_FLIGHT_ARRAY(flight, qdri_flight_leg, count);
    if (!legs || qdri_wire_reserve(flight->wire, count)) return NULL;
    flight->reserved += count;
    for (int64_t i = 0; i < count; i++) {
        legs[i].operation.done = landed;
        legs[i].flight = flight;
    }
    return legs;
}

void qdri_flight_note(qdri_flight_leg *leg, qdr_status started) {
    qdri_flight *flight = leg->flight;
    if (started) {
        qdri_flight_fail(flight, started);
        return;
    }
    leg->under_way = 1;
    flight->under_way++;
    if (leg->listed) return;
    leg->listed = 1;
    leg->next = flight->legs;
    flight->legs = leg;
}

/* The lowest rank above `last` that something under way of this kind waits for; -1: none. */
static int next_awaited(const qdri_flight *flight, int is_receive, int last) {
    int found = -1;
    for (const qdri_flight_leg *leg = flight->legs; leg; leg = leg->next) {
        int rank = leg->operation.partner;
        if (!leg->under_way || leg->operation.joined || leg->is_receive != is_receive || rank <= last)
            continue;
        if (found < 0 || rank < found) found = rank;
    }
    return found;
}

/* Messages that have not come; if there are none, those that nobody has taken. */
static void name_awaited(const qdri_flight *flight, char *text, size_t size) {
    enum { MOST = 4 };
    int is_receive = next_awaited(flight, 1, -1) >= 0, rank = next_awaited(flight, is_receive, -1);
    size_t used = 0;
    *text = '\0';
    for (int named = 0; rank >= 0 && used < size; named++) {
        const char *before = named > 0    ? ","
                             : is_receive ? "; nothing has come from rank"
                                          : "; not taken by rank";
        int length = named == MOST ? snprintf(text + used, size - used, " and others")
                                   : snprintf(text + used, size - used, "%s %d", before, rank);
        used += length > 0 ? (size_t)length : 0;
        rank = named == MOST ? -1 : next_awaited(flight, is_receive, rank);
    }
    if (used > 0 && used < size && qdri_wire_joins_programs(flight->wire))
        snprintf(text + used, size - used, " of the wire");
}

static int is_over(const qdri_flight *flight) {
    return flight->failed || (!flight->under_way && !flight->expects_more);
}

/* The waiting has ended, with this status; what the flight says of it. */
static qdr_status judge(const qdri_flight *flight, qdr_status status) {
    if (status == QDR_OK && flight->failed) status = qdri_fail(flight->failed, "%s", flight->sentence);
    if (status == QDR_ERR_STALLED) {
        char awaited[120], absent[400];
        name_awaited(flight, awaited, sizeof awaited);
        qdri_status_absent(flight->wire, absent, sizeof absent);
        qdri_fail(QDR_ERR_STALLED,
                  "rank %d: the %s did not end before the deadline; %lld operations are under way%s%s",
                  qdri_wire_rank(flight->wire), flight->what, (long long)flight->under_way, awaited, absent);
    }
    return status;
}

static qdr_status wait_for_all(qdri_flight *flight) {
    flight->over = is_over(flight);
    return judge(flight, qdri_wait_until(flight->wire, &flight->over, flight->deadline));
}

/* The others may be anywhere in the protocol. */
static qdr_status end(qdri_flight *flight, qdr_status status) {
    if (status) qdri_wire_break(flight->wire, status);
    return status;
}

qdr_status qdri_flight_wait(qdri_flight *flight) {
    return end(flight, wait_for_all(flight));
}

qdr_status qdri_flight_test(qdri_flight *flight, int *over) {
    qdr_status status = QDR_OK;
    qdri_progress(flight->wire);
    *over = is_over(flight);
    if (!*over) {
        double now = qdri_seconds();
        qdri_look_around(flight->wire, now);
        status = qdri_wire_state(flight->wire);
        if (!status && flight->deadline > 0 && now > flight->deadline)
            status = qdri_fail(QDR_ERR_STALLED, "the deadline passed");
        *over = status != QDR_OK;
    }
    return *over ? end(flight, judge(flight, status)) : QDR_OK;
}

void qdri_flight_renew(qdri_flight *flight) {
    if (flight->deadline <= 0) return;
    double now = qdri_seconds();
    flight->deadline += now - flight->begun;
    flight->begun = now;
}

qdr_status qdri_flight_wait_midway(qdri_flight *flight) {
    qdr_status status = wait_for_all(flight);
    if (!status) return QDR_OK;
    qdri_wire_break_midway(flight->wire, status);
    return qdri_flight_agree(flight->wire, flight, flight->what, status);
}

qdr_status qdri_flight_agree(qdri_wire *wire, const qdri_flight *flight, const char *call,
                             qdr_status status) {
    return qdri_agree_status(wire, call, status, flight ? flight->deadline : qdri_deadline(0));
}
