/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs: who was launched together. Each rank of the common communicator says the name of its program; from the
 * names, gathered on all ranks, follow the roster and each program's own communicator.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "couple/program/program.h"
#include "wire/flight.h"

/* ---- the roster ---------------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b) {
    return strcmp(a, b);
}

/* The names of all ranks, sorted and each once; then everybody's place among them. */
static qdr_status make_roster(qdr_program *program, char (*said)[QDRI_NAME], int ranks) {
    program->roster = qdri_alloc(ranks, sizeof *program->roster);
    program->program_of = QDRI_ARRAY(int, ranks);
    if (!program->roster || !program->program_of) return qdri_fail_memory();
    memcpy(program->roster, said, (size_t)ranks * sizeof *said);
    qsort(program->roster, (size_t)ranks, sizeof *program->roster, compare_names);
    for (int i = 0; i < ranks; i++)
        if (i == 0 || strcmp(program->roster[i], program->roster[program->programs - 1]) != 0)
            memmove(program->roster[program->programs++], program->roster[i], sizeof *said);
    for (int i = 0; i < ranks; i++) {
        char(*found)[QDRI_NAME] =
            bsearch(said[i], program->roster, (size_t)program->programs, sizeof *said, compare_names);
        program->program_of[i] = (int)(found - program->roster);
    }
    return QDR_OK;
}

/* What gathering the names needs, in memory of the flight. */
typedef struct gathering {
    qdri_flight *flight;
    qdri_flight_leg *leg;
    char (*said)[QDRI_NAME]; /* [ranks + 1]; the last is this rank's own */
    int64_t *start;          /* [ranks + 1] */
} gathering;

static qdr_status prepare(gathering *names, const char *name, double seconds, int ranks) {
    QDRI_TRY(qdri_check_name("the name of the program", name));
    QDRI_TRY(qdri_deadline_check("qdr_program_create: the deadline", seconds));
    if (!names->flight) return qdri_fail_memory();
    names->leg = qdri_flight_legs(names->flight, 1);
    names->said = qdri_flight_alloc(names->flight, ranks + 1, sizeof *names->said);
    names->start = QDRI_FLIGHT_ARRAY(names->flight, int64_t, ranks + 1);
    if (!names->leg || !names->said || !names->start) return qdri_fail_memory();
    for (int i = 0; i <= ranks; i++) names->start[i] = (int64_t)i * QDRI_NAME;
    strcpy(names->said[ranks], name);
    return QDR_OK;
}

static qdr_status gather_names(qdr_program *program, const gathering *names, qdr_status status) {
    static const char call[] = "qdr_program_create";
    qdri_wire *wire = program->wire;
    int ranks = qdri_wire_ranks(wire);
    QDRI_TRY(qdri_flight_agree(wire, names->flight, call, status));
    qdri_flight_note(names->leg, qdri_gather_all(wire, &names->leg->operation, names->said[ranks], QDRI_NAME,
                                                 names->said, names->start));
    QDRI_TRY(qdri_flight_wait_midway(names->flight));
    return qdri_flight_agree(wire, names->flight, call, make_roster(program, names->said, ranks));
}

/* ---- life ---------------------------------------------------------------------------------------------- */

static void dispose(qdr_program *program) {
    qdri_wire_release(&program->own_wire);
    qdri_wire_release(&program->wire);
    free(program->roster);
    free(program->program_of);
    free(program);
}

static qdr_status split(qdr_program *program) {
    int rank = qdri_wire_rank(program->wire);
    QDRI_TRY(qdri_comm_split(program->common, program->program_of[rank], rank, &program->own));
    return qdri_wire_open_within(program->own, program->seconds, &program->own_wire);
}

static qdr_status fill(qdr_program *program, const char *name, double seconds) {
    qdri_lock(program->wire);
    gathering names = {.flight = qdri_flight_create(program->wire, "gathering of program names")};
    if (names.flight) names.flight->deadline = qdri_deadline(seconds);
    qdr_status status = prepare(&names, name, seconds, qdri_wire_ranks(program->wire));
    status = gather_names(program, &names, status);
    if (!status) strcpy(program->name, name);
    if (names.flight) qdri_flight_end(&names.flight);
    qdri_unlock(program->wire);
    return status ? status : split(program);
}

qdr_status qdr_program_create(MPI_Comm comm, const char *name, double seconds, qdr_program **program) {
    if (!program) return qdri_fail(QDR_ERR_INVALID, "qdr_program_create: program is NULL");
    qdr_program *made = QDRI_ZERO_ARRAY(qdr_program, 1);
    if (!made) return qdri_fail_memory();
    made->common = comm;
    made->own = MPI_COMM_NULL;
    made->seconds = seconds;
    qdr_status status = qdri_wire_open_within(comm, seconds, &made->wire);
    if (!status) status = fill(made, name, seconds);
    if (status)
        dispose(made);
    else
        *program = made;
    return status;
}

MPI_Comm qdr_program_comm(const qdr_program *program) {
    return program ? program->own : MPI_COMM_NULL;
}

qdr_status qdr_program_destroy(qdr_program **program) {
    if (!program || !*program) return QDR_OK;
    qdr_program *closed = *program;
    if (closed->couplings > 0)
        return qdri_fail(QDR_ERR_BUSY, "%s: couplings are open (%d of them); destroy them first",
                         closed->name, closed->couplings);
    if (qdri_wire_usable(closed->own_wire)) qdri_comm_free(&closed->own);
    *program = NULL;
    dispose(closed);
    return QDR_OK;
}
