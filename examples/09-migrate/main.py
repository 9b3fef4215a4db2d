# SPDX-License-Identifier: BSD-3-Clause
"""Particles that change their ranks when memory is short: mpirun -n 4 python3 main.py

Each rank owns a stripe of the unit square, and the particles in it. At first they lie as they were read, dealt out like cards; then
they drift, and some leave their stripe. Both times they have to be brought to their owners, and there is place for 5 % more than a
rank has at first: nowhere near enough for what comes while what leaves is still there. migrate() moves them in phases, in place: the
array is longer than what it holds, and the rest is all the room there is.

The last step has a limit that is smaller than the array; the report says what was used of it."""
import numpy as np
from mpi4py import MPI

import quadrille as q

PARTICLES, CAPACITY, STEPS, LIMIT = 20000, 21000, 3, 24 * 1024
comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
particle = np.dtype([("x", "f8"), ("y", "f8"), ("speed", "f8", 2), ("number", "i8")])


def chance(number, purpose):
    """A number between 0 and 1 for each particle and purpose, the same on every machine."""
    word = (number.astype(np.uint64) * np.uint64(4) + np.uint64(purpose + 1)) * np.uint64(0x9e3779b97f4a7c15)
    word = (word ^ word >> np.uint64(31)) * np.uint64(0xbf58476d1ce4e5b9)
    return ((word ^ word >> np.uint64(29)) >> np.uint64(11)) * 2.0 ** -53


def owner(particles):
    """The ranks of their stripes."""
    return np.minimum((particles["x"] * ranks).astype(np.int32), ranks - 1)


def migrate(own, label, limit=0):
    """Brings all to their owners, and makes sure that each is in its stripe, and that none is missing."""
    own, report = q.migrate(comm, array, owner(own), memory=limit)
    assert (owner(own) == rank).all(), "a particle is where it does not belong"
    total = PARTICLES * ranks
    assert comm.allreduce(len(own)) == total and comm.allreduce(int(own["number"].sum())) == total * (total - 1) // 2
    assert not limit or report.peak <= limit, "more was in use than the limit"
    if rank == 0:
        print(f"{label:<12s} {report.bytes // particle.itemsize:6d} particles moved", end="")
        print(f", with no more than {limit // 1024} KiB in use on any rank" if limit else
              f", in {report.phases} phases; none can do with fewer than {report.bound}")
    return own


array = np.zeros(CAPACITY, particle)
own = array[:PARTICLES]
own["number"] = np.arange(PARTICLES) * ranks + rank
own["x"], own["y"] = chance(own["number"], 0), chance(own["number"], 1)
own["speed"][:, 0] = 0.1 * (chance(own["number"], 2) - 0.3)
own["speed"][:, 1] = 0.1 * (chance(own["number"], 3) - 0.5)
if rank == 0:
    print(f"{ranks} ranks with {PARTICLES} particles each, and place for {CAPACITY}\n")
try:  # what a program would do that has memory enough
    q.migrate(comm, array, owner(own), method="direct")
    fits = "fits"
except q.Error:
    fits = "does not fit"
if rank == 0:
    print(f"{'all at once':<12s} {fits}")
own = migrate(own, "as read")
for step in range(1, STEPS + 1):
    for place, axis in enumerate(("x", "y")):
        own[axis] += own["speed"][:, place]
        own[axis] -= np.floor(own[axis])
    own = migrate(own, f"step {step}", LIMIT if step == STEPS else 0)
