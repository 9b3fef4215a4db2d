/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Couplings: the way to the other program is the first that leads there. Itself; a program of the same launch, over
 * the common communicator; any other, over TCP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sized.h"
#include "couple/program/greet.h"
#include "couple/program/measure.h"
#include "wire/tcp/tcp.h"

/* ---- ways ---------------------------------------------------------------------------------------------- */

static qdr_status couple_with_itself(qdr_coupling *coupling) {
    qdri_wire *wire = qdri_wire_retain(coupling->program->own_wire);
    int *side_of = QDRI_ZERO_ARRAY(int, qdri_wire_ranks(wire));
    qdr_status status = side_of ? qdri_space_open(&coupling->space, wire, side_of) : qdri_fail_memory();
    free(side_of);
    if (status) {
        qdri_wire_release(&wire);
        return status;
    }
    qdri_space *space = &coupling->space;
    free(space->rank[1]);
    space->rank[1] = space->rank[0];
    space->count[1] = space->count[0];
    space->is_self = 1;
    coupling->transport = "self";
    snprintf(coupling->how, sizeof coupling->how, "%s (%d ranks) with itself", coupling->name,
             space->count[0]);
    return QDR_OK;
}

static void leave(qdri_wire *wire) {
    qdri_lock(wire);
    qdri_bridge_leave(wire);
    qdri_unlock(wire);
}

/* Options first, then the environment. */
static qdr_status find_place(const qdr_coupling_options *options, const char **directory,
                             const char **address) {
    QDRI_TRY(qdri_environment_or(options->directory, QDRI_ENV_COUPLE_DIRECTORY, directory));
    return qdri_environment_or(options->address, QDRI_ENV_COUPLE_ADDRESS, address);
}

static qdr_status couple_by_tcp(qdr_coupling *coupling, const qdr_coupling_options *options,
                                double deadline) {
    const char *directory, *address;
    QDRI_TRY(find_place(options, &directory, &address)); /* all agreed that it is right */
    qdri_bridge_request request = {.name = coupling->name,
                                   .peer = coupling->peer,
                                   .directory = directory && *directory ? directory : ".",
                                   .address = address && *address ? address : NULL,
                                   .deadline = deadline};
    qdri_bridge_view view;
    qdri_wire *wire = NULL;
    QDRI_TRY(qdri_bridge_open(coupling->program->own, &request, &wire, &view));
    int ranks = qdri_wire_ranks(wire);
    int *side_of = QDRI_ZERO_ARRAY(int, ranks);
    for (int rank = view.ranks[0]; side_of && rank < ranks; rank++) side_of[rank] = 1;
    qdr_status status = side_of ? qdri_space_open(&coupling->space, wire, side_of) : qdri_fail_memory();
    free(side_of);
    if (status) {
        leave(wire);
        qdri_wire_release(&wire);
        return status;
    }
    coupling->transport = "tcp";
    coupling->costs.latency = view.latency;
    snprintf(coupling->how, sizeof coupling->how, "%s", view.how);
    return QDR_OK;
}

/* ---- opening ------------------------------------------------------------------------------------------- */

static qdr_status check(const qdr_program *program, const char *peer, const qdr_coupling_options *options) {
    QDRI_TRY(qdri_check_name("the name of the other program", peer));
    QDRI_TRY(qdri_sized_refuse("qdr_coupling_options", options->size, sizeof *options));
    QDRI_TRY(qdri_deadline_check("qdr_coupling_options.deadline", options->deadline));
    const char *transport = options->transport;
    if (transport && strcmp(transport, "mpi") != 0 && strcmp(transport, "tcp") != 0)
        return qdri_fail(QDR_ERR_UNKNOWN, "transport \"%s\" is none of: mpi, tcp", transport);
    int known = 0;
    for (int i = 0; i < program->programs; i++) known |= strcmp(program->roster[i], peer) == 0;
    if (transport && strcmp(transport, "mpi") == 0 && !known)
        return qdri_fail(QDR_ERR_INVALID, "%s was not launched together with %s: MPI cannot connect them",
                         peer, program->name);
    int by_tcp = strcmp(program->name, peer) != 0 && (!known || (transport && strcmp(transport, "tcp") == 0));
    const char *directory, *address;
    return by_tcp ? find_place(options, &directory, &address) : QDR_OK;
}

/* All ranks of this program have come, and want the same; addresses are those of their hosts. */
static qdr_status agree_to_open(qdr_program *program, qdr_status status, const char *peer,
                                const qdr_coupling_options *options, double deadline) {
    uint64_t digest = 1;
    const char *said[] = {peer, options->transport, options->directory};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        for (const char *c = said[i] ? said[i] : "\1"; *c; c++)
            digest = qdri_mix(digest + (unsigned char)*c + 256 * i);
    qdri_term term = QDRI_IS_SAME("program, transport or directory", (int64_t)(digest >> 2));
    qdri_agreement agreement = {
        .call = "qdr_coupling_create", .status = status, .term = &term, .terms = 1, .deadline = deadline};
    qdri_lock(program->own_wire);
    status = qdri_agree(program->own_wire, &agreement);
    qdri_unlock(program->own_wire);
    return status;
}

static qdr_status find_each_other(qdr_coupling *coupling, const qdr_coupling_options *options,
                                  double deadline) {
    const qdr_program *program = coupling->program;
    int by_tcp = options->transport && strcmp(options->transport, "tcp") == 0;
    for (int other = 0; other < program->programs && !by_tcp; other++)
        if (strcmp(program->roster[other], coupling->peer) == 0) return qdri_greet(coupling, other, deadline);
    return couple_by_tcp(coupling, options, deadline);
}

static qdr_status connect_programs(qdr_coupling *coupling, const qdr_coupling_options *options,
                                   double deadline) {
    if (strcmp(coupling->name, coupling->peer) == 0) return couple_with_itself(coupling);
    QDRI_TRY(find_each_other(coupling, options, deadline));
    return qdri_measure(coupling, deadline);
}

static void dispose(qdr_coupling *coupling) {
    qdri_wire *wire = coupling->space.wire;
    int is_tcp = coupling->transport && strcmp(coupling->transport, "tcp") == 0;
    if (is_tcp && wire) leave(wire);
    int usable = wire && qdri_wire_usable(wire);
    qdri_space_close(&coupling->space);
    if (wire) qdri_wire_release(&wire);
    if (usable) qdri_comm_free(&coupling->made);
    free(coupling);
}

qdr_status qdr_coupling_create(qdr_program *program, const char *peer, const qdr_coupling_options *options,
                               qdr_coupling **coupling) {
    enum { PATIENCE = 60 };
    qdr_coupling_options known;
    if (!program || !coupling)
        return qdri_fail(QDR_ERR_INVALID, "qdr_coupling_create: %s is NULL",
                         program ? "coupling" : "program");
    qdri_sized_read(&known, sizeof known, options);
    options = &known;
    qdr_coupling *made = QDRI_ZERO_ARRAY(qdr_coupling, 1);
    qdr_status status = made ? check(program, peer, options) : qdri_fail_memory();
    double patience = qdri_patience(options->deadline);
    double deadline = qdri_seconds() + (patience > 0 ? patience : PATIENCE);
    status = agree_to_open(program, status, peer ? peer : "", options, deadline);
    if (status) {
        free(made);
        return status;
    }
    made->program = program;
    made->made = MPI_COMM_NULL;
    made->seconds = options->deadline;
    strcpy(made->name, program->name);
    strcpy(made->peer, peer);
    status = connect_programs(made, options, deadline);
    if (status) {
        dispose(made);
        return status;
    }
    int swapped = strcmp(made->name, made->peer) > 0;
    made->space.name[swapped] = made->name;
    made->space.name[!swapped] = made->peer;
    program->couplings++;
    qdri_explain(program->own_wire, "coupling: %s", made->how);
    *coupling = made;
    return QDR_OK;
}

void qdr_coupling_look_sized(const qdr_coupling *coupling, qdr_coupling_view *view, size_t view_bytes) {
    const qdri_space *space = &coupling->space;
    int is_tcp = strcmp(coupling->transport, "tcp") == 0;
    qdr_coupling_view known = {.name = coupling->name,
                               .peer = coupling->peer,
                               .ranks = space->count[space->side],
                               .peer_ranks = space->count[!space->side],
                               .transport = coupling->transport,
                               .how = coupling->how,
                               .latency = coupling->costs.latency,
                               .refused = is_tcp ? qdri_bridge_refused(space->wire) : 0};
    qdri_sized_fill(view, view_bytes, &known, sizeof known);
}

qdr_status qdr_coupling_destroy(qdr_coupling **coupling) {
    if (!coupling || !*coupling) return QDR_OK;
    qdr_coupling *closed = *coupling;
    if (closed->streams > 0)
        return qdri_fail(QDR_ERR_BUSY, "%s with %s: streams are open (%d of them); destroy them first",
                         closed->name, closed->peer, closed->streams);
    qdr_status status = closed->end_streams ? closed->end_streams(closed) : QDR_OK;
    *coupling = NULL;
    closed->program->couplings--;
    dispose(closed);
    return status;
}
