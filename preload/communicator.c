/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is kept with a communicator, as an attribute of it. At the first call its ranks agree, with two
 * collectives of a few bytes, on what all later decisions are made from: whether they share a node, and what
 * the environment of rank 0 says. They leave the second at about the same time, which sets their clocks. It
 * goes with the communicator, or with MPI_Finalize, which deletes the attributes of MPI_COMM_SELF first.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/host.h"
#include "preload.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int key = MPI_KEYVAL_INVALID;
static qdri_communicator *all;

double qdri_wall_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* In one piece, for many ranks may speak at once. */
void qdri_preload_say(const char *format, ...) {
    char line[2048] = "quadrille: ";
    size_t begin = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + begin, sizeof line - begin - 1, format, arguments);
    va_end(arguments);
    strcat(line, "\n");
    fputs(line, stderr);
}

/* ---- its end ------------------------------------------------------------------------------------------- */

static void list_add(qdri_communicator *communicator) {
    pthread_mutex_lock(&lock);
    communicator->next = all;
    communicator->link = &all;
    if (all) all->link = &communicator->next;
    all = communicator;
    pthread_mutex_unlock(&lock);
}

static void list_remove(qdri_communicator *communicator) {
    pthread_mutex_lock(&lock);
    *communicator->link = communicator->next;
    if (communicator->next) communicator->next->link = communicator->link;
    pthread_mutex_unlock(&lock);
}

static int release(MPI_Comm comm, int keyval, void *value, void *extra) {
    qdri_communicator *communicator = value;
    (void)comm, (void)keyval, (void)extra;
    list_remove(communicator);
    for (int kind = 0; kind < QDRI_KINDS; kind++) {
        atomic_fetch_sub(&qdri_wishes, communicator->path[kind].wish != NULL);
        qdri_path_close(&communicator->path[kind]);
    }
    free(communicator);
    return MPI_SUCCESS;
}

/* Some MPIs delete the attributes of MPI_COMM_WORLD in MPI_Finalize and some do not; so here. */
static int finalize(MPI_Comm comm, int keyval, void *value, void *extra) {
    (void)comm, (void)keyval, (void)value, (void)extra;
    qdri_driver_stop();
    while (all) PMPI_Comm_delete_attr(all->comm, key);
    qdri_record_close();
    return MPI_SUCCESS;
}

static void prepare(void) {
    int at_end;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, release, &key, NULL);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalize, &at_end, NULL);
    PMPI_Comm_set_attr(MPI_COMM_SELF, at_end, NULL);
}

/* ---- its beginning ------------------------------------------------------------------------------------- */

/* A communicator of all processes lives long, and is worth a plan at once. Of others many are used once or
 * twice and freed, where making a plan would take longer than all their exchanges. */
enum { PATIENCE = 2 };

/* One process speaks for all that have met it. */
static int is_first(int *said) {
    pthread_mutex_lock(&lock);
    int first = !*said;
    *said = 1;
    pthread_mutex_unlock(&lock);
    return first;
}

static qdri_terms own_terms(const qdri_communicator *communicator) {
    static int64_t made; /* under the lock */
    qdri_terms terms = {.plain = 0};
    int world_rank, world_ranks;
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
    pthread_mutex_lock(&lock);
    terms.id = (int64_t)world_rank << 32 | made++;
    pthread_mutex_unlock(&lock);
    terms.patience = communicator->ranks < world_ranks ? PATIENCE : 0;
    terms.refused = !qdri_preload_terms(&terms, 0);
    terms.plain |= terms.refused;
    return terms;
}

/* One host has one digest. What some rank's own environment has wrong is wrong for all, and
 * the lowest such rank says it. */
static int compare_ranks(qdri_communicator *communicator) {
    static int said;
    qdri_setting node = {.given = 0};
    (void)qdri_environment_read(QDRI_ENV_NODE_RANKS, &node); /* what is refused is said elsewhere */
    int64_t host = qdri_host_digest(communicator->rank, (int)node.integer), most[4];
    int64_t refused = qdri_preload_own(0) ? 0 : communicator->ranks - communicator->rank;
    int64_t mine[4] = {host, -host, refused, !qdri_driver_is_there()};
    int code = PMPI_Allreduce(mine, most, 4, MPI_INT64_T, MPI_MAX, communicator->comm);
    communicator->one_node = most[0] == -most[1];
    communicator->can_start = !most[3];
    if (code || !most[2]) return code;
    communicator->terms.plain = 1;
    if (is_first(&said) && refused == most[2]) qdri_preload_own(1);
    return code;
}

static int agree(qdri_communicator *communicator) {
    static int said;
    qdri_terms again;
    MPI_Comm comm = communicator->comm;
    PMPI_Comm_rank(comm, &communicator->rank);
    PMPI_Comm_size(comm, &communicator->ranks);
    if (communicator->rank == 0) communicator->terms = own_terms(communicator);
    int failed = PMPI_Bcast(&communicator->terms, (int)sizeof communicator->terms, MPI_BYTE, 0, comm) ||
                 compare_ranks(communicator);
    communicator->zero = qdri_wall_clock();
    if (!failed && communicator->terms.refused && is_first(&said) && communicator->rank == 0)
        qdri_preload_terms(&again, 1);
    return failed;
}

qdri_communicator *qdri_communicator_seen(MPI_Comm comm) {
    qdri_communicator *communicator = NULL;
    int found = 0;
    if (comm == MPI_COMM_NULL) return NULL;
    pthread_once(&once, prepare);
    if (PMPI_Comm_get_attr(comm, key, &communicator, &found)) return NULL;
    return found ? communicator : NULL;
}

qdri_communicator *qdri_communicator_of(MPI_Comm comm) {
    int is_between = 0;
    qdri_communicator *communicator = qdri_communicator_seen(comm);
    if (communicator || comm == MPI_COMM_NULL) return communicator;
    if (PMPI_Comm_test_inter(comm, &is_between) || is_between) return NULL;
    communicator = calloc(1, sizeof *communicator);
    if (!communicator) {
        qdri_preload_say("too little memory");
        PMPI_Abort(comm, 1); /* the others are about to agree on something */
        return NULL;
    }
    communicator->comm = comm;
    list_add(communicator);
    PMPI_Comm_set_attr(comm, key, communicator);
    return communicator;
}

/* What could not be agreed is left to MPI for ever. */
int qdri_communicator_meet(qdri_communicator *communicator) {
    if (communicator->has_met) return 1;
    communicator->has_met = 1;
    if (!agree(communicator)) return 1;
    communicator->terms.plain = 1;
    return 0;
}
