/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Persistent exchanges: MPI_Alltoall_init and its relatives. Initializing one is a collective call that may wait for all
 * ranks, so its plan is made there. Ranks may start several requests in different orders; so each has a plan of its own, on
 * a communicator of its own, and outlives the program's.
 *
 * The program's request is a persistent receive of nothing from this rank itself, on a communicator that nobody else
 * has: MPI's functions start it, test it, wait for it and free it. MPI_Start begins the exchange too, and when that has
 * ended, the message that the receive waits for is sent. So the functions that start and free requests are intercepted,
 * which costs a look at one number as long as there is no such request.
 *
 * With MPICH they are MPI's: in 4.0 a rank that waits for a message to itself does not see that another thread has sent it, and
 * only another thread could (driver.c).
 *
 * There are communicators for a few such requests, not for thousands: those beyond are MPI's, as all ranks agree.
 */
#include "persistent.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/memory.h"

enum { MOST = 64 };

typedef struct persistent {
    qdri_errand errand; /* first */
    qdri_communicator own;
    qdri_path path;
    qdri_landings departures;
    MPI_Comm comm;
    atomic_int is_active;
} persistent;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static persistent *known[MOST]; /* by tag */
static MPI_Comm self = MPI_COMM_NULL;
atomic_int qdri_persistents;

/* ---- its end ------------------------------------------------------------------------------------------- */

static void discard(persistent *dropped) {
    qdri_path_close(&dropped->path);
    qdri_lanes_close(&dropped->errand.out);
    qdri_lanes_close(&dropped->errand.in);
    qdri_landings_close(&dropped->errand.landings);
    qdri_landings_close(&dropped->departures);
    qdri_enter();
    if (dropped->comm != MPI_COMM_NULL) PMPI_Comm_free(&dropped->comm);
    qdri_leave();
    free(dropped);
}

static int tag_of(const persistent *of) {
    for (int i = 0; i < MOST; i++)
        if (known[i] == of) return i;
    return -1;
}

/* The receive is posted: it was started first. */
static void complete(qdri_errand *ended) {
    persistent *of = (persistent *)ended;
    int tag = tag_of(of);
    if (ended->code) PMPI_Comm_call_errhandler(of->comm, ended->code);
    of->is_active = 0;
    PMPI_Send(NULL, 0, MPI_BYTE, 0, tag, self);
}

/* ---- its beginning ------------------------------------------------------------------------------------- */

static int reserve_tag(persistent *made) {
    int tag = -1;
    pthread_mutex_lock(&lock);
    if (self == MPI_COMM_NULL && PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &self)) self = MPI_COMM_NULL;
    for (int i = 0; i < MOST && tag < 0 && self != MPI_COMM_NULL; i++)
        if (!known[i]) known[tag = i] = made;
    pthread_mutex_unlock(&lock);
    return tag;
}

static void release_tag(const persistent *made) {
    pthread_mutex_lock(&lock);
    int tag = tag_of(made);
    if (tag >= 0) known[tag] = NULL;
    pthread_mutex_unlock(&lock);
}

/* Local. What the call says is read once; the arrays are the program's, and may go. */
static int read_call(persistent *made, const qdri_call *call) {
    qdri_errand *errand = &made->errand;
    return qdri_path_open(&made->path, call->comm, qdri_kind_of(call)) &&
           qdri_lanes_like(&errand->out, &made->path.out) && qdri_lanes_like(&errand->in, &made->path.in) &&
           qdri_lanes_read(&errand->out, &errand->in, call) &&
           qdri_landings_open(&made->departures, &errand->out, &call->out) &&
           qdri_landings_open(&errand->landings, &errand->in, &call->in);
}

const qdri_path *qdri_persistent_make(const qdri_communicator *communicator, const qdri_call *call,
                                      const char *algorithm) {
    persistent *made = QDRI_ZERO_ARRAY(persistent, 1);
    if (!made) {
        qdri_preload_say("%s: too little memory", call->name);
        PMPI_Abort(call->comm, 1); /* the others are about to agree on something */
        return NULL;
    }
    made->comm = MPI_COMM_NULL;
    made->own = (qdri_communicator){.rank = communicator->rank, .ranks = communicator->ranks};
    int tag = reserve_tag(made), can = tag >= 0 && read_call(made, call);
    made->path.has_lanes &= can; /* what all agree on */
    int code = PMPI_Comm_split(call->comm, 0, communicator->rank, &made->comm);
    if (!code) qdri_path_plan(&made->path, made->comm, algorithm);
    if (!made->path.plan || PMPI_Recv_init(NULL, 0, MPI_BYTE, 0, tag, self, call->request)) {
        release_tag(made);
        discard(made);
        return NULL;
    }
    made->errand.communicator = &made->own;
    made->errand.path = &made->path;
    made->errand.comm = made->own.comm = made->comm;
    made->errand.name = call->name;
    made->errand.complete = complete;
    made->errand.request = *call->request;
    atomic_fetch_add(&qdri_persistents, 1);
    return &made->path;
}

/* ---- MPI_Start and MPI_Request_free --------------------------------------------------------------------- */

static persistent *find(MPI_Request request) {
    persistent *found = NULL;
    if (!qdri_persistents || request == MPI_REQUEST_NULL) return NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST && !found; i++)
        if (known[i] && known[i]->path.plan && known[i]->errand.request == request) found = known[i];
    pthread_mutex_unlock(&lock);
    return found;
}

int qdri_persistent_is(MPI_Request request) {
    return find(request) != NULL;
}

int qdri_persistent_start(MPI_Request request) {
    persistent *started = find(request);
    int code = PMPI_Start(&request);
    if (code || !started) return code;
    if (qdri_landings_pack(&started->departures, started->comm)) {
        qdri_preload_say("%s: %s", started->errand.name, qdr_error_message());
        PMPI_Abort(started->comm, 1); /* the others count on this rank */
    }
    started->is_active = 1;
    qdri_errand_start(&started->errand);
    return MPI_SUCCESS;
}

void qdri_persistent_free(MPI_Request request) {
    persistent *freed = find(request);
    if (!freed) return;
    for (; freed->is_active; sched_yield()) qdri_errands_advance(); /* which a program must not ask for */
    atomic_fetch_sub(&qdri_persistents, 1);
    release_tag(freed);
    discard(freed);
}

typedef int start_function(MPI_Request *request);
typedef int startall_function(int count, MPI_Request request[]);

static uintptr_t next_of(const char *name, uintptr_t own) {
    uintptr_t next = (uintptr_t)dlsym(RTLD_NEXT, name);
    return next ? next : own;
}

QDRI_EXPORTED int MPI_Start(MPI_Request *request) {
    static start_function *next;
    if (!next) next = (start_function *)next_of("MPI_Start", (uintptr_t)PMPI_Start);
    return qdri_persistents && request && qdri_persistent_is(*request) ? qdri_persistent_start(*request)
                                                                       : next(request);
}

QDRI_EXPORTED int MPI_Startall(int count, MPI_Request request[]) {
    static startall_function *next;
    int ours = 0, code = MPI_SUCCESS;
    if (!next) next = (startall_function *)next_of("MPI_Startall", (uintptr_t)PMPI_Startall);
    for (int i = 0; qdri_persistents && request && i < count; i++) ours += qdri_persistent_is(request[i]);
    if (!ours) return next(count, request);
    for (int i = 0; i < count && !code; i++) code = MPI_Start(&request[i]);
    return code;
}

QDRI_EXPORTED int MPI_Request_free(MPI_Request *request) {
    static start_function *next;
    if (!next) next = (start_function *)next_of("MPI_Request_free", (uintptr_t)PMPI_Request_free);
    if (qdri_persistents && request) qdri_persistent_free(*request);
    return next(request);
}
