/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the wire does where MPI is simulated (SimGrid's SMPI); mpi/native.c is its twin for a real MPI.
 *
 * There, ranks are contexts of one process which switch only inside MPI calls, and time passes only there. So
 * memory is no way between them, and whoever has nothing to do waits inside MPI for the next of its requests:
 * time then jumps to the moment when it is done, and asking again and again adds nothing to it. (A deadline
 * is not looked at meanwhile; when all ranks wait for each other, the simulator says so and ends.) Only where
 * something has to be probed for is it asked again, every so often.
 *
 * SMPI has collectives without blocking, but all of them send from every rank to every other at once, or
 * through one rank, which is neither what a real MPI does nor to be simulated with hundreds of ranks. So they
 * are made of messages (rounds.c).
 */
#include <unistd.h>

#include "wire/mpi/inside.h"
#include "wire/rounds.h"

int qdri_has_threads(void) {
    return 0;
}

int qdri_duplicate(MPI_Comm comm, MPI_Comm *duplicate, MPI_Request *request) {
    *request = MPI_REQUEST_NULL;
    return PMPI_Comm_dup(comm, duplicate);
}

int qdri_look_for_done(qdri_mpi *mpi, int may_wait, int *done) {
    if (!may_wait) return PMPI_Testsome((int)mpi->count, mpi->request, done, mpi->index, mpi->status);
    int code = PMPI_Waitany((int)mpi->count, mpi->request, mpi->index, mpi->status);
    *done = mpi->index[0] != MPI_UNDEFINED;
    return code;
}

static void yield(void) {
    usleep(1);
}

/* ---- messages whose length is not known ---------------------------------------------------------------- */

/* Nobody else can take what was found, so no handle is needed. */
static qdr_status find(qdri_wire *wire, int tag, qdri_message *found) {
    MPI_Status status;
    int count = 0, is_there = 0;
    if (wire->gone) return qdri_wire_state(wire);
    int code = PMPI_Iprobe(MPI_ANY_SOURCE, tag, wire->mpi->comm, &is_there, &status);
    if (code == MPI_SUCCESS && is_there) code = PMPI_Get_count(&status, MPI_BYTE, &count);
    if (code != MPI_SUCCESS) return qdri_fail_mpi(code, "MPI_Iprobe");
    *found = (qdri_message){.is_there = is_there};
    if (is_there) *found = (qdri_message){1, status.MPI_SOURCE + wire->mpi->first, tag, count, 0};
    return QDR_OK;
}

static qdr_status receive_found(qdri_wire *wire, qdri_operation *operation, qdri_message *found, void *data) {
    return qdri_mpi_receive(wire, operation, found->from, found->tag, data, found->bytes);
}

static int cancel(qdri_wire *wire, qdri_operation *operation) {
    return qdri_rounds_cancel(wire, operation) || qdri_mpi_cancel(wire, operation);
}

const qdri_backend qdri_backend_here = {QDRI_MPI_FUNCTIONS, QDRI_ROUNDS_FUNCTIONS,
                                        .find = find,       .receive_found = receive_found,
                                        .cancel = cancel,   .yield = yield};
