/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that the ranks of a test tell each other through memory that they share, beside MPI and beside the
 * library: so a rank that comes too late can wait until the others have noticed, however slow the machine is,
 * and those who survive a rank can wait for each other. Each event is a counter; all ranks take them in the
 * same order.
 */
#ifndef MPI_EVENTS_H
#define MPI_EVENTS_H

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "mpi_check.h"

enum { MPI_EVENTS = 512 };
static const double mpi_events_patience = 60; /* seconds */

static _Atomic int *mpi_events;
static int mpi_events_taken;

/* Collective over MPI_COMM_WORLD, whose ranks are on one machine; nothing is left behind. */
static inline void events_open(void) {
    int rank, file, seed[2] = {(int)getpid(), (int)time(NULL)};
    char name[64];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(seed, 2, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/quadrille-test-%d-%d", seed[0], seed[1]);
    if (rank == 0) {
        file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        CHECK(file >= 0 && ftruncate(file, MPI_EVENTS * sizeof *mpi_events) == 0);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        file = shm_open(name, O_RDWR, 0600);
        CHECK(file >= 0);
    }
    mpi_events = mmap(NULL, MPI_EVENTS * sizeof *mpi_events, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(mpi_events != MAP_FAILED);
    close(file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) shm_unlink(name);
}

/* The next event; the same on all ranks, if all take as many. */
static inline int event_next(void) {
    return mpi_events_taken++ % MPI_EVENTS;
}

static inline void event_say(int event) {
    atomic_fetch_add(&mpi_events[event], 1);
}

static inline void event_rest(double seconds) {
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

/* Sleeps until so many have said so. False: they did not. */
static inline int event_await(int event, int count) {
    double until = MPI_Wtime() + mpi_events_patience;
    while (atomic_load(&mpi_events[event]) < count && MPI_Wtime() < until) event_rest(0.002);
    return atomic_load(&mpi_events[event]) >= count;
}

/* Collective over MPI_COMM_WORLD: a deadline that those who come in time do not miss on this machine as it is: so many
 * seconds, or more when a rank that yields waits for long until it has its next turn. The same on all ranks. */
static inline double events_deadline(double least) {
    const double looks_for = 0.1; /* seconds */
    double begin = MPI_Wtime(), last = begin, longest = 0, of_all = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    do {
        double now = MPI_Wtime();
        if (now - last > longest) longest = now - last;
        last = now;
        sched_yield();
    } while (last - begin < looks_for);
    MPI_Allreduce(&longest, &of_all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return 20 * of_all > least ? 20 * of_all : least;
}

#endif
