# SPDX-License-Identifier: BSD-3-Clause
"""Breadth-first search: mpirun -n 4 python3 main.py

The vertices of a graph are dealt out to the ranks. From one of them the search spreads, level by level: whoever was reached last tells
its neighbours, and those that hear of it for the first time are the next level. What a rank has to tell the others differs in every
level, from almost nothing to most of the edges and back to nothing; q.deliver() brings the number of each vertex to its owner, and
the search ends when no rank has reached anybody. In the end the levels are held against those that one rank finds alone."""
import numpy as np
from mpi4py import MPI

import quadrille as q

VERTICES, EDGES = 50000, 4
comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size


def neighbours(vertices):
    """Where their edges lead: nearby mostly, and now and then far away."""
    word = (vertices[:, None] * EDGES + np.arange(EDGES) + 1).astype(np.uint64) * np.uint64(0x9e3779b97f4a7c15)
    word = (word ^ word >> np.uint64(31)) * np.uint64(0xbf58476d1ce4e5b9)
    word = ((word ^ word >> np.uint64(29)) >> np.uint64(33)).astype(np.int64)
    near = (vertices[:, None] + 1 + word % 50) % VERTICES
    return np.where(word % 1000 != 0, near, word % VERTICES).ravel()


def search(bring, root, first, step, say):
    """The levels of the vertices first, first + step ...; `bring` gives each rank what others have told of its own."""
    level = np.full(len(range(first, VERTICES, step)), -1)
    front = np.unique(bring(np.array(root, np.int64)))
    now = 0
    while True:
        front = front[level[front // step] < 0]  # who hears of it for the first time
        level[front // step] = now
        if not say(now, len(front)):
            return level
        front = np.unique(bring(neighbours(front)))
        now += 1


def tell_owners(vertices):
    """Each vertex goes to the rank that owns it."""
    return q.deliver(comm, vertices, vertices % ranks).data


def say(now, count):
    """Whether anybody was reached, anywhere."""
    reached = comm.allreduce(count)
    if rank == 0 and reached:
        print(f"level {now}: {reached} vertices")
    return reached > 0


level = search(tell_owners, [0] if rank == 0 else [], rank, ranks, say)
alone = search(lambda vertices: vertices, [0], 0, 1, lambda _now, count: count > 0)
different = comm.reduce(int((level != alone[rank::ranks]).sum()))
if rank == 0:
    print(f"{different} of {VERTICES} vertices differ from the search of one rank")
