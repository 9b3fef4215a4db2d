/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan's way or MPI's? Between nodes the drop-in has a plan, which tries its candidates by itself. Whether the best of
 * them is better than what MPI does is a question about the network and about MPI, and only measuring answers it. So after 16
 * calls of a communicator, after 256 and so on, one call tries the other way, and is held against the calls before and after
 * it. An exchange takes from the moment when the last rank has come to the one when the last has gone; the clocks of the ranks
 * were set when they met first.
 *
 * Where some rank had other sizes in one of the three, each is held against the bytes of its busiest rank, if these are
 * so many that they set the pace; if they are not, the way stays. All ranks see the same words and decide the same.
 */
#include "preload.h"

enum { FIRST = 16, FACTOR = 16 };
static const double worth_it = 0.9; /* of the time, to change */
static const double enough_bytes = 64 << 10;

void qdri_trial_begin(qdri_trial *trial) {
    *trial = (qdri_trial){.next = FIRST};
}

int qdri_trial_way(const qdri_trial *trial) {
    return trial->calls == trial->next && trial->next > 0 ? !trial->plain : trial->plain;
}

/* Of each of the three: the last to come, the last to go, and the bytes of the busiest; and whether a rank had other sizes. */
static int other_is_better(const qdri_trial *trial, MPI_Comm comm) {
    enum { BEGIN, END, BUSIEST, WORDS };
    double mine[3 * WORDS + 1], most[3 * WORDS + 1], seconds[3];
    mine[3 * WORDS] = 0;
    for (int i = 0; i < 3; i++) {
        mine[i * WORDS + BEGIN] = trial->begin[i];
        mine[i * WORDS + END] = trial->end[i];
        mine[i * WORDS + BUSIEST] = (double)trial->sizes[i].busiest;
        if (trial->sizes[i].digest != trial->sizes[0].digest) mine[3 * WORDS] = 1;
    }
    if (PMPI_Allreduce(mine, most, 3 * WORDS + 1, MPI_DOUBLE, MPI_MAX, comm)) return 0;
    for (int i = 0; i < 3; i++) {
        const double *of = &most[i * WORDS];
        seconds[i] = of[END] - of[BEGIN];
        if (most[3 * WORDS] > 0 && of[BUSIEST] < enough_bytes) return 0;
        if (most[3 * WORDS] > 0) seconds[i] /= of[BUSIEST];
    }
    double usual = seconds[0] < seconds[2] ? seconds[0] : seconds[2];
    return seconds[1] < worth_it * usual;
}

int qdri_trial_end(qdri_trial *trial, MPI_Comm comm, double begin, double end, const qdri_call_sizes *sizes) {
    int64_t place = trial->calls++ - trial->next + 1;
    if (trial->next == 0 || place < 0) return 0;
    trial->begin[place] = begin;
    trial->end[place] = end;
    trial->sizes[place] = *sizes;
    if (place < 2) return 0;
    trial->next = trial->next < INT64_MAX / (2 * FACTOR) ? trial->next * FACTOR : 0;
    int changes = other_is_better(trial, comm);
    if (changes) trial->plain = !trial->plain;
    return changes;
}
