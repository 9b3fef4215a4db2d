/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan's way or MPI's? Between nodes the drop-in has a plan, which tries its candidates by itself. Whether the best of them is
 * better than what MPI does is a question about the network and about MPI, and only measuring answers it. So after 16 calls of a communicator, after 256 and so on, one call tries the other way, and is
 * held against the calls before and after it. An exchange takes from the moment when the last rank has come
 * to the one when the last has gone; the clocks of the ranks were set when they met first.
 *
 * The three are comparable if every rank had the same sizes in all of them; else the way stays. All ranks see
 * the same times and decide the same.
 */
#include "preload.h"

enum { FIRST = 16, FACTOR = 16 };
static const double worth_it = 0.9; /* of the time, to change */

void qdri_trial_begin(qdri_trial *trial) {
    *trial = (qdri_trial){.next = FIRST};
}

int qdri_trial_way(const qdri_trial *trial) {
    return trial->calls == trial->next && trial->next > 0 ? !trial->plain : trial->plain;
}

/* The last to come and the last to go, of each of the three; whether a rank had other sizes. */
static int other_is_better(qdri_trial *trial, MPI_Comm comm) {
    double mine[7], last[7], seconds[3];
    for (int i = 0; i < 3; i++) {
        mine[2 * i] = trial->begin[i];
        mine[2 * i + 1] = trial->end[i];
    }
    mine[6] = trial->sizes[0] != trial->sizes[1] || trial->sizes[1] != trial->sizes[2];
    if (PMPI_Allreduce(mine, last, 7, MPI_DOUBLE, MPI_MAX, comm)) return 0;
    for (int i = 0; i < 3; i++) seconds[i] = last[2 * i + 1] - last[2 * i];
    double usual = seconds[0] < seconds[2] ? seconds[0] : seconds[2];
    return last[6] == 0 && seconds[1] < worth_it * usual;
}

int qdri_trial_end(qdri_trial *trial, MPI_Comm comm, double begin, double end, uint64_t sizes) {
    int64_t place = trial->calls++ - trial->next + 1;
    if (trial->next == 0 || place < 0) return 0;
    trial->begin[place] = begin;
    trial->end[place] = end;
    trial->sizes[place] = sizes;
    if (place < 2) return 0;
    trial->next = trial->next < INT64_MAX / (2 * FACTOR) ? trial->next * FACTOR : 0;
    int changes = other_is_better(trial, comm);
    if (changes) trial->plain = !trial->plain;
    return changes;
}
