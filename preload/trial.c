/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paced or plain? Between nodes the drop-in paces. Whether that is better is a question about the network, and
 * only measuring answers it: where nothing is ever dropped and round trips are short, a window holds back for
 * no gain. So after 16 calls of a communicator, after 256 and so on, one call tries the other way, and is
 * held against the calls before and after it. Of a call that begins at different times on different ranks
 * the shortest time is the exchange itself, for that rank came last; hence the minimum over the ranks.
 *
 * The three are comparable if every rank had the same sizes in all of them; else the way stays. All ranks see
 * the same minima and decide the same.
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

static int other_is_better(qdri_trial *trial, MPI_Comm comm) {
    int same = trial->sizes[0] == trial->sizes[1] && trial->sizes[1] == trial->sizes[2];
    double mine[4] = {trial->seconds[0], trial->seconds[1], trial->seconds[2], same}, least[4];
    if (PMPI_Allreduce(mine, least, 4, MPI_DOUBLE, MPI_MIN, comm)) return 0;
    double usual = least[0] < least[2] ? least[0] : least[2];
    return least[3] > 0 && least[1] < worth_it * usual;
}

int qdri_trial_end(qdri_trial *trial, MPI_Comm comm, double seconds, uint64_t sizes) {
    int64_t place = trial->calls++ - trial->next + 1;
    if (trial->next == 0 || place < 0) return 0;
    trial->seconds[place] = seconds;
    trial->sizes[place] = sizes;
    if (place < 2) return 0;
    trial->next = trial->next < INT64_MAX / (2 * FACTOR) ? trial->next * FACTOR : 0;
    int changes = other_is_better(trial, comm);
    if (changes) trial->plain = !trial->plain;
    return changes;
}
