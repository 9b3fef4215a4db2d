/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wires of communicators. One begins with the first use of a communicator: a duplicate is made and cached as an
 * attribute whose copy function copies nothing, so a duplicate of the user's starts afresh. It ends when the user frees
 * his communicator, or with MPI_Finalize, which first deletes the attributes of MPI_COMM_SELF.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "wire/council.h"
#include "wire/mpi/inside.h"

static atomic_int attribute = MPI_KEYVAL_INVALID, final_attribute = MPI_KEYVAL_INVALID;
static int finalising;

/* The communicator that was used last, and its wire: most programs use one. Without threads only. */
static MPI_Comm recent_comm;
static qdri_wire *recent_wire;

qdr_status qdri_fail_mpi(int code, const char *call) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (PMPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
    return qdri_fail(QDR_ERR_MPI, "%s: %.*s", call, length, text);
}

static int is_over(void) {
    int over = 0;
    return PMPI_Finalized(&over) != MPI_SUCCESS || over;
}

/* ---- the end ------------------------------------------------------------------------------------------- */

static int wait_for_duplicate(qdri_wire *wire, double deadline, int *done) {
    int code = PMPI_Test(&wire->mpi->duplicating, done, MPI_STATUS_IGNORE);
    while (code == MPI_SUCCESS && !*done && !(deadline > 0 && qdri_seconds() > deadline)) {
        if (!qdri_progress(NULL)) qdri_backend_here.yield();
        code = PMPI_Test(&wire->mpi->duplicating, done, MPI_STATUS_IGNORE);
    }
    return code;
}

/* What is under way on the duplicate may end. If something may be left there that nobody takes, the duplicate stays: else MPI
 * might bring it to the next communicator that it makes. */
void qdri_mpi_leave(qdri_wire *wire) {
    if (!wire->broken && !wire->has_leftovers && !finalising && wire->mpi && wire->mpi->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&wire->mpi->comm);
}

int qdri_mpi_close(qdri_wire *wire) {
    qdri_mpi *mpi = wire->mpi;
    if (wire->broken) return 0;
    if (!mpi) return 1;
    free(mpi->request);
    free(mpi->operation);
    free(mpi->index);
    free(mpi->status);
    free(mpi->finished);
    free(mpi->about);
    free(mpi->gather);
    free(mpi);
    return 1;
}

static int forget(MPI_Comm comm, int key, void *value, void *extra) {
    qdri_wire *wire = value;
    int done;
    (void)comm, (void)key, (void)extra;
    recent_wire = NULL;
    /* MPI must not lose what it is still duplicating; freeing it is collective, so the late ones are about to
     * come. */
    if (wire->mpi->duplicating != MPI_REQUEST_NULL && !finalising) wait_for_duplicate(wire, 0, &done);
    qdri_wire_release_keepsakes(wire);
    qdri_wire_part(wire);
    qdri_wire_release(&wire);
    return MPI_SUCCESS;
}

/* MPI_Finalize begins: all that is left goes, also wires whose communicators the program never freed. */
static int forget_all(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    finalising = 1;
    recent_wire = NULL;
    for (qdri_wire *wire = qdri_wires; wire; wire = wire->next) {
        qdri_wire_release_keepsakes(wire);
        qdri_wire_part(wire);
    }
    return MPI_SUCCESS;
}

/* ---- the beginning ------------------------------------------------------------------------------------- */

static qdr_status check_running(MPI_Comm comm) {
    int running = 0, over = 0;
    PMPI_Initialized(&running);
    PMPI_Finalized(&over);
    if (!running || over)
        return qdri_fail(QDR_ERR_INVALID, "MPI is %s; call MPI_Init first",
                         over ? "finalised" : "not initialised");
    if (comm == MPI_COMM_NULL) return qdri_fail(QDR_ERR_INVALID, "the communicator is MPI_COMM_NULL");
    return QDR_OK;
}

/* What a communicator must be to have a wire. */
static qdr_status check_kind(MPI_Comm comm) {
    int between = 0;
    int code = PMPI_Comm_test_inter(comm, &between);
    if (code != MPI_SUCCESS) return qdri_fail_mpi(code, "MPI_Comm_test_inter");
    if (between) return qdri_fail(QDR_ERR_INVALID, "an intercommunicator; expected an intracommunicator");
    return QDR_OK;
}

static qdr_status make_attributes(void) {
    if (attribute != MPI_KEYVAL_INVALID) return QDR_OK;
    int made, made_final;
    int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_all, &made_final, NULL);
    if (code == MPI_SUCCESS) code = PMPI_Comm_set_attr(MPI_COMM_SELF, made_final, NULL);
    if (code == MPI_SUCCESS) code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &made, NULL);
    if (code == MPI_SUCCESS) {
        final_attribute = made_final;
        attribute = made;
    }
    return code == MPI_SUCCESS ? QDR_OK : qdri_fail_mpi(code, "MPI_Comm_create_keyval");
}

/* The library keeps the number of spans at what the standard promises for tags, or at its own limit. */
int qdri_tag_spans(void) {
    int *highest = NULL, found = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, (void *)&highest, &found);
    int64_t tags = (found ? (int64_t)*highest : 32767) + 1 - QDRI_FREE_TAGS;
    return (int)(tags / QDRI_TAGS < QDRI_TAG_SPANS ? tags / QDRI_TAGS : QDRI_TAG_SPANS);
}

/* The duplicate, without a blocking call: others may come here only after exchanges that need this rank's
 * help. When the deadline passes, MPI may still write the duplicate into the wire. */
static qdr_status duplicate(qdri_wire *wire, MPI_Comm comm, double deadline) {
    qdri_mpi *mpi = wire->mpi;
    int code = qdri_duplicate(comm, &mpi->comm, &mpi->duplicating);
    int done = mpi->duplicating == MPI_REQUEST_NULL;
    if (code == MPI_SUCCESS && !done) code = wait_for_duplicate(wire, deadline, &done);
    if (code == MPI_SUCCESS && !done) {
        qdri_wire_break(wire,
                        qdri_fail(QDR_ERR_STALLED,
                                  "rank %d: not all ranks came to the first call on this communicator before "
                                  "the deadline; later calls name those that did not",
                                  wire->rank));
        return QDR_ERR_STALLED;
    }
    if (code == MPI_SUCCESS) code = PMPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN);
    return code == MPI_SUCCESS ? QDR_OK : qdri_fail_mpi(code, "MPI_Comm_idup");
}

qdr_status qdri_mpi_open(qdri_wire *wire, MPI_Comm comm, int first, double deadline) {
    int rank = 0, ranks = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    wire->rank = first + rank;
    wire->leads = rank == 0;
    wire->mpi = QDRI_ZERO_ARRAY(qdri_mpi, 1);
    if (!wire->mpi) return qdri_fail_memory();
    wire->mpi->comm = MPI_COMM_NULL;
    wire->mpi->duplicating = MPI_REQUEST_NULL;
    wire->mpi->first = first;
    wire->mpi->gather = QDRI_ARRAY(int, 2 * (int64_t)ranks);
    return duplicate(wire, comm, deadline);
}

static qdr_status establish(qdri_wire *wire, MPI_Comm comm, double seconds) {
    PMPI_Comm_size(comm, &wire->ranks);
    (void)qdri_wire_environment(wire); /* for the deadline; what is refused is said when all have come */
    double deadline = qdri_deadline(seconds);
    QDRI_TRY(qdri_mpi_open(wire, comm, 0, deadline));
    wire->tag_spans = qdri_tag_spans();
    wire->council = qdri_council_open(
        wire,
        &(qdri_council_shape){.members = wire->ranks, .place = wire->rank, .first_tag = QDRI_TAG_COUNCIL});
    if (!wire->council) return qdri_fail_memory();
    qdri_lock(wire); /* from here on other threads can see it */
    qdri_wire_enlist(wire);
    qdr_status status = qdri_node_open(wire, wire->mpi->gather ? QDR_OK : qdri_fail_memory(), deadline);
    if (wire->one_node) (void)qdri_council_close(&wire->council);
    qdri_unlock(wire);
    return status;
}

/* A wire that broke at once stays with its communicator, so that later calls on it fail at once too. */
static qdr_status create(MPI_Comm comm, double seconds, qdri_wire **wire) {
    qdri_wire *made = qdri_wire_make();
    if (!made) return qdri_fail_memory();
    made->backend = &qdri_backend_here;
    qdr_status status = establish(made, comm, seconds);
    if (!status || made->broken) {
        int code = PMPI_Comm_set_attr(comm, attribute, made);
        if (code == MPI_SUCCESS) {
            *wire = made;
            return status;
        }
        status = qdri_fail_mpi(code, "MPI_Comm_set_attr");
    }
    qdri_wire_part(made);
    qdri_wire_release(&made);
    return status;
}

/* The wire of this communicator; NULL: it has none. */
static qdr_status look_up(MPI_Comm comm, qdri_wire **wire) {
    int there = 0;
    QDRI_TRY(check_running(comm));
    if (attribute == MPI_KEYVAL_INVALID) {
        qdri_threads_multiple = qdri_has_threads();
        qdri_wires_lock();
        qdr_status status = make_attributes();
        qdri_wires_unlock();
        if (status) return status;
    }
    int code = PMPI_Comm_get_attr(comm, attribute, (void *)wire, &there);
    if (code != MPI_SUCCESS) return qdri_fail_mpi(code, "MPI_Comm_get_attr");
    if (there) return QDR_OK;
    *wire = NULL;
    return check_kind(comm);
}

qdr_status qdri_wire_open(MPI_Comm comm, qdri_wire **wire) {
    return qdri_wire_open_within(comm, 0, wire);
}

qdr_status qdri_wire_open_within(MPI_Comm comm, double seconds, qdri_wire **wire) {
    qdri_wire *found = NULL;
    if (recent_wire && recent_comm == comm && !qdri_threads_multiple) {
        *wire = qdri_wire_retain(recent_wire);
        return QDR_OK;
    }
    QDRI_TRY(look_up(comm, &found));
    if (!found) QDRI_TRY(create(comm, seconds, &found));
    if (!qdri_threads_multiple) {
        recent_comm = comm;
        recent_wire = found;
    }
    *wire = qdri_wire_retain(found);
    return QDR_OK;
}

qdr_status qdri_wire_find(MPI_Comm comm, qdri_wire **wire) {
    qdri_wire *found = NULL;
    QDRI_TRY(look_up(comm, &found));
    if (!found)
        return qdri_fail(
            QDR_ERR_INVALID,
            "the library was not used on this communicator before; call qdr_prepare() on all its "
            "ranks first");
    *wire = qdri_wire_retain(found);
    return QDR_OK;
}

/* ---- communicators of the library's own ---------------------------------------------------------------- */

qdr_status qdri_comm_split(MPI_Comm comm, int part, int order, MPI_Comm *made) {
    int code = PMPI_Comm_split(comm, part, order, made);
    return code == MPI_SUCCESS ? QDR_OK : qdri_fail_mpi(code, "MPI_Comm_split");
}

qdr_status qdri_comm_of_some(MPI_Comm comm, int members, const int *member, MPI_Comm *made) {
    MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
    int code = PMPI_Comm_group(comm, &all);
    if (code == MPI_SUCCESS) code = PMPI_Group_incl(all, members, member, &some);
    if (code == MPI_SUCCESS) code = PMPI_Comm_create_group(comm, some, QDRI_TAG_GREET, made);
    if (some != MPI_GROUP_NULL) PMPI_Group_free(&some);
    if (all != MPI_GROUP_NULL) PMPI_Group_free(&all);
    return code == MPI_SUCCESS ? QDR_OK : qdri_fail_mpi(code, "MPI_Comm_create_group");
}

void qdri_comm_free(MPI_Comm *comm) {
    if (*comm != MPI_COMM_NULL && !is_over()) PMPI_Comm_free(comm);
    *comm = MPI_COMM_NULL;
}

int64_t qdri_wire_library(void) {
    char name[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    uint64_t digest = 3;
    PMPI_Get_library_version(name, &length);
    for (int i = 0; i < length; i++) digest = qdri_mix(digest ^ (unsigned char)name[i]);
    return (int64_t)(digest >> 1);
}
