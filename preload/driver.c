/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who advances exchanges that the program does not wait for here. A program may leave MPI_Ialltoallv and wait in any
 * other call of MPI, for a message of a rank that waits for the exchange; MPI advances its own exchanges there, and
 * so ours must be advanced there too. Intercepting the calls that test and wait for requests would not do: the
 * program may wait in MPI_Recv, in a window or in a file. So there are two ways:
 *
 *     hook     Open MPI has a list of functions that it calls whenever it waits, on which its own nonblocking
 *              collectives are, and other libraries may be (opal_progress_register). What they do there, sending,
 *              receiving and testing, is what is done here.
 *     thread   with MPI_THREAD_MULTIPLE, of any MPI, a thread of our own, which sleeps while there is nothing to do.
 *
 * Where there is neither, nonblocking calls are MPI's.
 *
 * The hook must not run inside the library, whose functions wait in MPI themselves: whoever goes in says so
 * (qdri_enter), and waits there in a way that advances everything (base/aside.h). Threads have the library's locks.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "preload.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int has_threads, inside;
static int (*hook_in)(int (*callback)(void)), (*hook_out)(int (*callback)(void));

static void look_around(void) {
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    has_threads = level == MPI_THREAD_MULTIPLE;
#if defined(OPEN_MPI)
    hook_in = (int (*)(int (*)(void)))(uintptr_t)dlsym(RTLD_DEFAULT, "opal_progress_register");
    hook_out = (int (*)(int (*)(void)))(uintptr_t)dlsym(RTLD_DEFAULT, "opal_progress_unregister");
#endif
}

int qdri_driver_has_threads(void) {
    pthread_once(&once, look_around);
    return has_threads;
}

int qdri_driver_is_there(void) {
    return qdri_driver_has_threads() || (hook_in && hook_out);
}

void qdri_enter(void) {
    if (!has_threads) inside++;
}

void qdri_leave(void) {
    if (!has_threads) inside--;
}

/* ---- hook ---------------------------------------------------------------------------------------------- */

static int is_hooked;

static int advance(void) {
    if (inside || !qdri_errands_active()) return 0;
    qdri_errands_advance();
    return 0;
}

/* ---- thread -------------------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static int is_running, stops;

static void *run(void *nothing) {
    const struct timespec pause = {.tv_nsec = 20000}; /* others need the processor, and MPI's locks */
    pthread_mutex_lock(&lock);
    while (!stops) {
        if (!qdri_errands_active()) {
            pthread_cond_wait(&woken, &lock);
            continue;
        }
        pthread_mutex_unlock(&lock);
        qdri_errands_advance();
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return nothing;
}

/* Signals are the program's. */
static int begin_thread(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&thread, NULL, run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

/* ---- both ---------------------------------------------------------------------------------------------- */

static void fail(void) {
    qdri_preload_say("a nonblocking exchange cannot be advanced: too little memory");
    PMPI_Abort(MPI_COMM_WORLD, 1); /* the others count on this rank */
}

void qdri_driver_wake(void) {
    if (!qdri_driver_has_threads()) {
        if (!is_hooked && hook_in(advance)) fail();
        is_hooked = 1;
        return;
    }
    pthread_mutex_lock(&lock);
    if (!is_running && !begin_thread()) fail();
    is_running = 1;
    pthread_cond_signal(&woken);
    pthread_mutex_unlock(&lock);
}

/* A thread that still has something to do may wait for a lock that this one has: only one that sleeps is waited for. */
void qdri_driver_stop(void) {
    if (is_hooked) hook_out(advance);
    is_hooked = 0;
    pthread_mutex_lock(&lock);
    int sleeps = is_running && !qdri_errands_active();
    stops = 1;
    pthread_cond_signal(&woken);
    pthread_mutex_unlock(&lock);
    if (sleeps) pthread_join(thread, NULL);
    is_running = 0;
}
