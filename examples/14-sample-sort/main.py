# SPDX-License-Identifier: BSD-3-Clause
"""Sample sort: mpirun -n 4 python3 main.py

Every rank has keys, and in the end rank 0 is to have the smallest, rank 1 the next, and so on. Each sorts its own and shows a few of
them to all; from these come the splitters, the limits between ranks. Then each key goes where it belongs, and that is one call: sorted
keys lie in the right order already, so many for rank 0, so many for rank 1, and deliver() finds out what comes, makes room, and
brings it. What came is a sorted run from each rank; a last sort makes one of them."""
import numpy as np
from mpi4py import MPI

import quadrille as q

KEYS, SAMPLES = 100000, 64
comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size


def keys_of(number):
    """A key for each number, the same on every machine; small ones are more frequent."""
    word = (number.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9e3779b97f4a7c15)
    word = (word ^ word >> np.uint64(31)) * np.uint64(0xbf58476d1ce4e5b9)
    word = (word ^ word >> np.uint64(29)) >> np.uint64(33)
    return (word * word >> np.uint64(31)).astype(np.int64)


keys = np.sort(keys_of(np.arange(KEYS) * ranks + rank))
shown = np.sort(np.concatenate(comm.allgather(keys[np.arange(SAMPLES) * KEYS // SAMPLES])))
limits = shown[SAMPLES::SAMPLES]  # rank r takes the keys below limits[r] that no rank before it takes
counts = np.diff(np.searchsorted(keys, limits), prepend=0, append=KEYS)

came = q.deliver(comm, keys, counts=counts).data
came.sort()

ends = [end for end in comm.allgather((came[0], came[-1]) if len(came) else ()) if end]
is_right = all(before[1] <= after[0] for before, after in zip(ends, ends[1:]))
is_right &= comm.allreduce(len(came)) == KEYS * ranks
is_right &= comm.allreduce(int(came.sum())) == int(keys_of(np.arange(KEYS * ranks)).sum())
most = comm.allreduce(len(came), MPI.MAX)
if rank == 0:
    print(f"{ranks} ranks, {KEYS} keys each: {'sorted' if is_right else 'not sorted'}; the busiest rank has {most} of them")
