/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of a wire. It begins with the first use of a communicator: a duplicate is made and cached as an
 * attribute whose copy function copies nothing, so a duplicate of the user's starts afresh. It ends when the
 * user frees his communicator, or with MPI_Finalize, which first deletes the attributes of MPI_COMM_SELF:
 * from then on the wire is gone, and what still holds it can only be destroyed. The memory goes with the last
 * owner. What is kept with a communicator owns the wire in its turn; that is no cycle, because the attribute
 * is what holds it, and lets go of it before it gives up its own share of the wire.
 */
#include "wire/wire.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "wire/inside.h"

qdri_wire *qdri_wires;
int qdri_threads_multiple;
static pthread_mutex_t wires_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int attribute = MPI_KEYVAL_INVALID, final_attribute = MPI_KEYVAL_INVALID;
static int finalising;

/* The communicator that was used last, and its wire: most programs use one. Without threads only. */
static MPI_Comm recent_comm;
static qdri_wire *recent_wire;

void qdri_wires_lock(void) {
    if (qdri_threads_multiple) pthread_mutex_lock(&wires_lock);
}

int qdri_wires_trylock(void) {
    return pthread_mutex_trylock(&wires_lock) == 0;
}

void qdri_wires_unlock(void) {
    if (qdri_threads_multiple) pthread_mutex_unlock(&wires_lock);
}

void qdri_lock(qdri_wire *wire) {
    if (qdri_threads_multiple) pthread_mutex_lock(&wire->lock);
}

void qdri_unlock(qdri_wire *wire) {
    if (qdri_threads_multiple) pthread_mutex_unlock(&wire->lock);
}

int qdri_wire_rank(const qdri_wire *wire) {
    return wire->rank;
}

int qdri_wire_ranks(const qdri_wire *wire) {
    return wire->ranks;
}

int qdri_wire_next_round(qdri_wire *wire) {
    return wire->round++;
}

void qdri_wire_break(qdri_wire *wire) {
    wire->broken = 1;
    qdri_board_leave(wire);
}

int qdri_wire_is_alone(const qdri_wire *wire) {
    return wire->far && wire->far->is_alone(wire);
}

int qdri_wire_usable(const qdri_wire *wire) {
    return !wire->gone && !wire->failed && !wire->broken;
}

/* One count for all wires: a freed communicator's messages may come to the next one that MPI makes. */
static _Atomic int64_t plans;

int64_t qdri_wire_next_plan(const qdri_wire *wire) {
    (void)wire;
    return atomic_fetch_add(&plans, 1);
}

void qdri_wire_plan_agreed(const qdri_wire *wire, int64_t number) {
    int64_t known = atomic_load(&plans);
    if (wire->far) return; /* another program counts for itself, and may say anything */
    while (known <= number && !atomic_compare_exchange_weak(&plans, &known, number + 1)) {
    }
}

qdr_status qdri_wire_state(const qdri_wire *wire) {
    if (wire->gone)
        return qdri_fail(QDR_GONE,
                         "the communicator was freed, or MPI is finalised; only destroying is left");
    if (wire->failed && *wire->failure) return qdri_fail(wire->failed, "%s", wire->failure);
    if (wire->failed) return qdri_fail(wire->failed, "rank %d: MPI could not test its messages", wire->rank);
    if (wire->broken)
        return qdri_fail(QDR_LOST,
                         "rank %d: a deadline passed in an earlier collective call on this communicator; it "
                         "cannot be used for further ones",
                         wire->rank);
    return QDR_OK;
}

/* ---- keepsakes ----------------------------------------------------------------------------------------- */

void qdri_wire_keep(qdri_wire *wire, qdri_keepsake *keepsake) {
    keepsake->next = wire->keepsakes;
    wire->keepsakes = keepsake;
}

qdri_keepsake *qdri_wire_kept(const qdri_wire *wire, qdri_release *kind, const char *name) {
    for (qdri_keepsake *keepsake = wire->keepsakes; keepsake; keepsake = keepsake->next)
        if (keepsake->release == kind && strcmp(keepsake->name, name) == 0) return keepsake;
    return NULL;
}

/* ---- the end ------------------------------------------------------------------------------------------- */

qdri_wire *qdri_wire_retain(qdri_wire *wire) {
    qdri_wires_lock();
    wire->owners++;
    qdri_wires_unlock();
    return wire;
}

static void part(qdri_wire *wire);

static void unlink_wire(qdri_wire *wire) {
    for (qdri_wire **link = &qdri_wires; *link; link = &(*link)->next)
        if (*link == wire) {
            *link = wire->next;
            return;
        }
}

/* No communicator holds such a wire, and what MPI works on is never its memory. */
static void close_far(qdri_wire *wire) {
    part(wire);
    qdri_collectives_close(wire);
    wire->far->close(wire);
    wire->broken = 0;
}

void qdri_wire_release(qdri_wire **wire) {
    qdri_wire *released = *wire;
    if (!released) return;
    *wire = NULL;
    qdri_wires_lock();
    int last = --released->owners == 0;
    if (last) unlink_wire(released);
    qdri_wires_unlock();
    if (last && released->far) close_far(released);
    if (!last || released->broken) return; /* MPI may still write into the memory of a broken one */
    qdri_node_close(released);
    free(released->request);
    free(released->operation);
    free(released->index);
    free(released->status);
    free(released->finished);
    free(released->gather);
    pthread_mutex_destroy(&released->lock);
    free(released);
}

static int wait_for_duplicate(qdri_wire *wire, double deadline, int *done) {
    int code = PMPI_Test(&wire->duplicating, done, MPI_STATUS_IGNORE);
    while (code == MPI_SUCCESS && !*done && !(deadline > 0 && qdri_seconds() > deadline)) {
        if (!qdri_progress(NULL)) qdri_yield();
        code = PMPI_Test(&wire->duplicating, done, MPI_STATUS_IGNORE);
    }
    return code;
}

/* Whether tags were kept back: messages that nobody receives may still come. */
static int keeps_tags(const qdri_wire *wire) {
    for (int i = 0; i < QDRI_TAG_SPANS / 64; i++)
        if (wire->tag_span[i]) return 1;
    return 0;
}

/* Freeing the duplicate is collective, as is the call that leads here; what is under way on it may end.
 * Where ranks are missing, and when MPI ends anyway, it is left to MPI_Finalize; and so is that of a wire between
 * programs on which messages of something that has failed may be under way: MPI would give them to the next
 * communicator that it makes. */
static void part(qdri_wire *wire) {
    qdri_lock(wire);
    if (wire->far && !wire->gone) wire->far->leave(wire);
    if (!wire->gone && !wire->broken && !(wire->far && (wire->failed || keeps_tags(wire))) && !finalising &&
        wire->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&wire->comm);
    wire->gone = 1;
    qdri_unlock(wire);
}

/* Not on a broken wire: MPI may still write into what belongs to an exchange that was given up. */
static void release_keepsakes(qdri_wire *wire) {
    while (wire->keepsakes && !wire->broken) {
        qdri_keepsake *keepsake = wire->keepsakes;
        wire->keepsakes = keepsake->next;
        keepsake->release(keepsake);
    }
}

static int forget(MPI_Comm comm, int key, void *value, void *extra) {
    qdri_wire *wire = value;
    int done;
    (void)comm, (void)key, (void)extra;
    recent_wire = NULL;
    /* MPI must not lose what it is still duplicating; freeing it is collective, so the late ones are about to
     * come. */
    if (wire->duplicating != MPI_REQUEST_NULL && !finalising) wait_for_duplicate(wire, 0, &done);
    release_keepsakes(wire);
    part(wire);
    qdri_wire_release(&wire);
    return MPI_SUCCESS;
}

/* MPI_Finalize begins: all that is left goes, also wires whose communicators the program never freed. */
static int forget_all(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    finalising = 1;
    recent_wire = NULL;
    for (qdri_wire *wire = qdri_wires; wire; wire = wire->next) {
        release_keepsakes(wire);
        part(wire);
    }
    return MPI_SUCCESS;
}

/* ---- the beginning ------------------------------------------------------------------------------------- */

static qdr_status check_running(MPI_Comm comm) {
    int running = 0, over = 0;
    PMPI_Initialized(&running);
    PMPI_Finalized(&over);
    if (!running || over)
        return qdri_fail(QDR_INVALID, "MPI is %s; call MPI_Init first",
                         over ? "finalised" : "not initialised");
    if (comm == MPI_COMM_NULL) return qdri_fail(QDR_INVALID, "the communicator is MPI_COMM_NULL");
    return QDR_OK;
}

/* What a communicator must be to have a wire. */
static qdr_status check_kind(MPI_Comm comm) {
    int between = 0;
    int code = PMPI_Comm_test_inter(comm, &between);
    if (code != MPI_SUCCESS) return qdri_fail_mpi(code, "MPI_Comm_test_inter");
    if (between) return qdri_fail(QDR_INVALID, "an intercommunicator; expected an intracommunicator");
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
    int code = qdri_duplicate(comm, &wire->comm, &wire->duplicating);
    int done = wire->duplicating == MPI_REQUEST_NULL;
    if (code == MPI_SUCCESS && !done) code = wait_for_duplicate(wire, deadline, &done);
    if (code == MPI_SUCCESS && !done) {
        wire->broken = 1;
        return qdri_fail(QDR_STALLED,
                         "rank %d: not all ranks came to the first collective call on this communicator "
                         "before the deadline",
                         wire->rank);
    }
    if (code == MPI_SUCCESS) code = PMPI_Comm_set_errhandler(wire->comm, MPI_ERRORS_RETURN);
    return code == MPI_SUCCESS ? QDR_OK : qdri_fail_mpi(code, "MPI_Comm_idup");
}

static void enlist(qdri_wire *wire) {
    qdri_wires_lock();
    wire->next = qdri_wires;
    qdri_wires = wire;
    qdri_wires_unlock();
}

static qdr_status establish(qdri_wire *wire, MPI_Comm comm, double seconds) {
    (void)qdri_wire_environment(wire); /* for the deadline; what is refused is said when all have come */
    double deadline = qdri_deadline(seconds);
    QDRI_TRY(duplicate(wire, comm, deadline));
    wire->tag_spans = qdri_tag_spans();
    qdri_lock(wire); /* from here on other threads can see it */
    enlist(wire);
    qdr_status status = qdri_node_open(wire, deadline);
    qdri_unlock(wire);
    return status;
}

/* With one owner: the attribute, or whoever asked for it. */
static qdri_wire *allocate(MPI_Comm comm) {
    qdri_wire *made = QDRI_ZERO_ARRAY(qdri_wire, 1);
    if (!made) return NULL;
    pthread_mutex_init(&made->lock, NULL);
    made->comm = MPI_COMM_NULL;
    made->duplicating = MPI_REQUEST_NULL;
    made->owners = 1;
    PMPI_Comm_rank(comm, &made->rank);
    PMPI_Comm_size(comm, &made->ranks);
    made->own = made->ranks;
    return made;
}

/* A wire that broke at once stays with its communicator, so that later calls on it fail at once too. */
static qdr_status create(MPI_Comm comm, double seconds, qdri_wire **wire) {
    qdri_wire *made = allocate(comm);
    if (!made) return qdri_fail_memory();
    qdr_status status = establish(made, comm, seconds);
    if (!status || made->broken) {
        int code = PMPI_Comm_set_attr(comm, attribute, made);
        if (code == MPI_SUCCESS) {
            *wire = made;
            return status;
        }
        status = qdri_fail_mpi(code, "MPI_Comm_set_attr");
    }
    part(made);
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
            QDR_INVALID,
            "the library was not used on this communicator before; call qdr_prepare() on all its "
            "ranks first");
    *wire = qdri_wire_retain(found);
    return QDR_OK;
}

/* ---- wires between programs ---------------------------------------------------------------------------- */

/* All ranks must have one before any goes on: a duplicate that some lack cannot be freed. */
qdr_status qdri_wire_open_far(MPI_Comm comm, const qdri_far_shape *shape, const qdri_far *far, void *state,
                              double deadline, qdri_wire **wire) {
    qdri_wire *made = allocate(comm);
    if (!made) return qdri_fail_memory();
    qdr_status status = duplicate(made, comm, deadline);
    if (status && made->broken) return status; /* MPI may still write into it */
    if (status) {
        pthread_mutex_destroy(&made->lock);
        free(made);
        return status;
    }
    made->first = shape->first;
    made->own = shape->own;
    made->rank += shape->first;
    made->ranks = shape->ranks;
    made->tag_spans = shape->tag_spans;
    made->own_line = (qdri_status_line){.plan = -1, .exchange = -1, .waits_for = -1, .pid = getpid()};
    (void)qdri_wire_environment(made); /* the wire of the program has been through it */
    made->far = far;
    made->far_state = state;
    enlist(made);
    *wire = made;
    return QDR_OK;
}
