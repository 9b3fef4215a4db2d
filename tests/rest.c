/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sched_yield for MPI programs beside other work, preloaded by tests/mpirun. More ranks than cores wait by yielding.
 * Beside a program that computes, a yield gives it a whole turn, milliseconds, for every look at a message; whoever
 * sleeps for a moment instead is woken before such a program. So after a yield that took a turn of somebody else the
 * next ones are naps, the more the more often that happens. On an idle machine nothing changes.
 *
 * Tests that wait for most of their time, for deadlines and for the dead, say REST_MICROSECONDS: there every yield is a nap of so
 * many, and others have the processors meanwhile.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec % 1000000 * 1000000000L + time.tv_nsec;
}

int sched_yield(void) {
    enum { TURN = 1000000, FEWEST_NAPS = 16, MOST_NAPS = 1024 };
    static _Thread_local int naps, naps_left;
    static long always = -1;
    if (always < 0) always = getenv("REST_MICROSECONDS") ? 1000 * atol(getenv("REST_MICROSECONDS")) : 0;
    if (always > 0) return nanosleep(&(struct timespec){.tv_nsec = always}, NULL), 0;
    if (naps_left > 0) {
        naps_left--;
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
        return 0;
    }
    long begin = nanoseconds();
    syscall(SYS_sched_yield);
    if (nanoseconds() - begin < TURN)
        naps = 0;
    else if (naps < MOST_NAPS)
        naps = naps ? 2 * naps : FEWEST_NAPS;
    naps_left = naps;
    return 0;
}
