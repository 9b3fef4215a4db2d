# SPDX-License-Identifier: BSD-3-Clause
"""The exchange itself: mpirun -n 4 python3 main.py

Each rank knows whom it has something for, and how much; nobody knows the whole pattern. So it goes with particles that have left
their part of space, or with the rows of a matrix that others need. Two lines of it are the exchange: partners and plan are made
once, and run as often as one likes.

A pattern counts items. An item is what one index of an array's first dimension stands for: here one number, then a point in
space, then ten numbers. What comes is a new array unless one is given."""
import numpy as np
from mpi4py import MPI

import quadrille as q

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size

# Whom a rank sends to, and how much. Here it is a formula; in a program, it comes from the data.
destination = [other for other in range(ranks) if other != rank and (rank + 2 * other) % 3 < 2]
items = [1 + (rank + 2 * other) % 5 for other in destination]


def content(origin, destination, count, width):
    """The numbers of a message, others for every message: so that a mix-up shows."""
    return (1000 * origin + destination + 0.001 * np.arange(count * width)).reshape(count, width)


partners = q.Partners.from_sends(comm, destination, items)
plan = q.Plan(partners)
view = partners.look()
if rank == 0:
    for other, count in zip(view.destination, view.send_items):
        print(f"rank 0: {count} items to rank {other}")
    for other, count in zip(view.source, view.receive_items):  # nobody had told it
        print(f"rank 0: {count} items from rank {other}")
    how = plan.look()
    print(f"plan: {how.algorithm}, pacing {how.pacing} ({how.why})")

for width in (1, 3, 10):
    outgoing = np.concatenate([content(rank, *message, width) for message in zip(view.destination, view.send_items)])
    expected = np.concatenate([content(origin, rank, count, width) for origin, count in zip(view.source, view.receive_items)])
    incoming = plan.exchange(outgoing)
    wrong = comm.reduce(int((incoming != expected).sum()))
    if rank == 0:
        print(f"items of {8 * width} bytes: {wrong} numbers wrong on all ranks")
