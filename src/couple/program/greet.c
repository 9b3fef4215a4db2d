/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Meeting inside one launch. The roots greet each other over the common communicator, with messages that can be waited
 * for with a deadline; a root greets when all ranks of its program have come, so after that nobody waits in vain, and a
 * communicator of the two programs can be made where the common one has others in it. Greeting a few times more
 * measures the latency.
 */
#include "couple/program/greet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/flight.h"

qdr_status qdri_program_agree(qdr_program *program, qdr_status status, double *seconds, double deadline) {
    qdri_wire *wire = program->own_wire;
    int64_t nanoseconds = seconds && qdri_wire_rank(wire) == 0 ? (int64_t)(*seconds * 1e9) : 0;
    qdri_term term = QDRI_IS_MOST("nanoseconds there and back", nanoseconds, 0, INT64_MAX);
    qdri_agreement agreement = {
        .call = "qdr_coupling_create", .status = status, .term = &term, .terms = 1, .deadline = deadline};
    qdri_lock(wire);
    status = qdri_agree(wire, &agreement);
    qdri_unlock(wire);
    if (!status && seconds) *seconds = 1e-9 * (double)term.value;
    return status;
}

/* One word to that rank, one from it. The wire stays usable when nobody comes: others may want to meet on it. */
static qdr_status greet(qdri_wire *wire, int rank, int64_t out, int64_t *in, double deadline) {
    qdri_lock(wire);
    qdri_flight *flight = qdri_flight_create(wire, "greeting");
    qdr_status status = QDR_OK;
    int64_t *word = flight ? QDRI_FLIGHT_ARRAY(flight, int64_t, 2) : NULL;
    qdri_flight_leg *leg = word ? qdri_flight_legs(flight, 2) : NULL;
    if (leg) {
        word[0] = out;
        leg[1].is_receive = 1;
        leg[1].expected = sizeof word[1];
        qdri_flight_note(&leg[1], qdri_receive(wire, &leg[1].operation, rank, QDRI_TAG_GREET, &word[1], 8));
        if (!flight->failed)
            qdri_flight_note(&leg[0], qdri_send(wire, &leg[0].operation, rank, QDRI_TAG_GREET, &word[0], 8));
        status = flight->failed ? flight->failed : qdri_wait_until(wire, &flight->over, deadline);
        if (!status && flight->failed) status = flight->failed;
        if (!status) *in = word[1];
    } else {
        status = qdri_fail_memory();
    }
    if (flight) qdri_flight_end(&flight);
    qdri_unlock(wire);
    return status;
}

static int compare_seconds(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The roots: the first greeting waits for the other. Of the rest two are measured together: what one side waits less in
 * one of them, because the other was early, it waits more in the next; both together are once there and back. */
static qdr_status greet_and_measure(qdri_wire *wire, int rank, double *latency, double deadline) {
    enum { TIMES = 7 };
    double taken[TIMES];
    int64_t word = 0, theirs = 0;
    QDRI_TRY(greet(wire, rank, 0, &word, deadline));
    for (int i = 0; i < TIMES; i++) {
        double begin = qdri_seconds();
        for (int twice = 0; twice < 2; twice++) QDRI_TRY(greet(wire, rank, 0, &word, deadline));
        taken[i] = qdri_seconds() - begin;
    }
    qsort(taken, TIMES, sizeof *taken, compare_seconds);
    int64_t mine = (int64_t)(1e9 * taken[TIMES / 2]);
    QDRI_TRY(greet(wire, rank, mine, &theirs, deadline));
    QDRI_TRY(qdri_decode_word((qdri_teller){NULL, rank}, "nanoseconds there and back", theirs, 0, INT64_MAX));
    *latency = 1e-9 * (double)(mine > theirs ? mine : theirs);
    return QDR_OK;
}

static int first_rank(const qdr_program *program, int which, int *count) {
    int first = -1;
    *count = 0;
    for (int rank = qdri_wire_ranks(program->wire) - 1; rank >= 0; rank--)
        if (program->program_of[rank] == which) {
            first = rank;
            ++*count;
        }
    return first;
}

/* A communicator of the two programs alone. */
static qdr_status make_wire(qdr_coupling *coupling, int own, int other, qdri_wire **wire) {
    qdr_program *program = coupling->program;
    if (program->programs == 2) {
        *wire = qdri_wire_retain(program->wire);
        return QDR_OK;
    }
    int ranks = qdri_wire_ranks(program->wire), members = 0;
    int *member = QDRI_ARRAY(int, ranks);
    if (!member) return qdri_fail_memory();
    for (int rank = 0; rank < ranks; rank++)
        if (program->program_of[rank] == own || program->program_of[rank] == other) member[members++] = rank;
    qdr_status status = qdri_comm_of_some(program->common, members, member, &coupling->made);
    free(member);
    return status ? status : qdri_wire_open(coupling->made, wire);
}

/* Who is who on it: its ranks are those of the two programs, in the order of the common communicator. */
static qdr_status make_space(qdr_coupling *coupling, int own, int other, qdri_wire *wire) {
    const qdr_program *program = coupling->program;
    int ranks = qdri_wire_ranks(program->wire), members = 0;
    int *side_of = QDRI_ARRAY(int, ranks);
    if (!side_of) return qdri_fail_memory();
    for (int rank = 0; rank < ranks; rank++)
        if (program->program_of[rank] == own || program->program_of[rank] == other)
            side_of[members++] = program->program_of[rank] == (own > other ? own : other);
    qdr_status status = qdri_space_open(&coupling->space, wire, side_of);
    free(side_of);
    return status;
}

qdr_status qdri_greet(qdr_coupling *coupling, int other, double deadline) {
    qdr_program *program = coupling->program;
    int rank = qdri_wire_rank(program->wire), own = program->program_of[rank], count, own_count;
    int peer = first_rank(program, other, &count), root = first_rank(program, own, &own_count);
    qdr_status status = QDR_OK;
    if (rank == root) status = greet_and_measure(program->wire, peer, &coupling->costs.latency, deadline);
    if (status == QDR_ERR_STALLED)
        qdri_fail(status,
                  "%s, launched together with %s (%d ranks, the first is %d of the common communicator), has "
                  "not opened a "
                  "coupling with it before the deadline",
                  coupling->peer, coupling->name, count, peer);
    /* The root has waited up to the deadline; the others must hear from it. */
    QDRI_TRY(qdri_program_agree(program, status, &coupling->costs.latency, deadline > 0 ? deadline + 5 : 0));
    qdri_wire *wire;
    QDRI_TRY(make_wire(coupling, own, other, &wire));
    status = make_space(coupling, own, other, wire);
    if (status) qdri_wire_release(&wire);
    coupling->transport = "mpi";
    snprintf(coupling->how, sizeof coupling->how,
             "%s (%d ranks) and %s (%d ranks) were launched together: by MPI, %.1f us there and back",
             coupling->name, own_count, coupling->peer, count, 1e6 * coupling->costs.latency);
    return status;
}
