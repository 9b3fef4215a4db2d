# SPDX-License-Identifier: BSD-3-Clause
"""Repartitioning while the load moves: mpirun -n 4 python3 main.py

A ring of cells, some of which cost twenty times as much as the others: those under a front that moves. Now and then the cells are dealt
out anew, so that every rank has the same work:

    q.migrate()          cells go to their new ranks, in place
    q.resolve_map()      "I own these cells, I need those": nobody has a list of who owns what, and the map comes from numbers alone
    bring.exchange()     then it is one halo per step, as if nothing had happened

In the end the cells are held against those of one rank alone; integers, so that both must be the same."""
import numpy as np
from mpi4py import MPI

import quadrille as q

CELLS, PHASES, STEPS, COST = 20000, 4, 5, 20
comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
cell = np.dtype([("id", "i8"), ("value", "i8")])
away = np.array([CELLS - 1, 1, 137])  # the cells that a cell depends on: its neighbours, and one farther away


def work(cells, phase):
    """What each of them costs."""
    return np.where((cells["id"] + CELLS - phase * CELLS // PHASES) % CELLS < CELLS // 8, COST, 1)


def busiest(cells, phase):
    """In percent of the mean: what the busiest rank has to do."""
    mine = int(work(cells, phase).sum())
    return 100 * comm.allreduce(mine, MPI.MAX) * ranks // comm.allreduce(mine)


def deal_out(cells, phase):
    """Cells lie by rising number over the ranks; each goes where the work before it says."""
    costs = work(cells, phase)
    before = (comm.exscan(int(costs.sum())) or 0) + np.cumsum(costs) - costs
    destination = before * ranks // comm.allreduce(int(costs.sum()))
    moved = comm.allreduce(int((destination != rank).sum()))
    cells = q.migrate(comm, array, destination).items
    cells.sort(order="id")
    return cells, moved


def compute(cells):
    """Values of own cells come first, then those that the links of each need, three by three."""
    count = len(cells)
    bring = q.resolve_map(comm, cells["id"], ((cells["id"][:, None] + away) % CELLS).ravel())
    values = np.concatenate((cells["value"], np.zeros(3 * count, np.int64)))
    field = q.Field(values[:count], values[count:])
    for _ in range(STEPS):
        bring.exchange(field)
        values[:count] = (values[count:].reshape(count, 3).sum(1) + values[:count]) // 4
    cells["value"] = values[:count]


array = np.zeros(CELLS, cell)  # one rank may have nearly all of the cheap cells
first, end = CELLS * rank // ranks, CELLS * (rank + 1) // ranks
own = array[:end - first]
own["id"] = np.arange(first, end)
own["value"] = own["id"] * 7919 % 1000003
for phase in range(PHASES):
    before = busiest(own, phase)
    own, moved = deal_out(own, phase)
    after = busiest(own, phase)
    if rank == 0:
        print(f"phase {phase}: the busiest rank has {before}% of the mean; {moved} cells move, and it has {after}%")
    compute(own)

alone = np.arange(CELLS) * 7919 % 1000003
for _ in range(PHASES * STEPS):
    alone = (sum(np.roll(alone, -int(shift)) for shift in away) + alone) // 4
different = comm.reduce(int((own["value"] != alone[own["id"]]).sum()))
if rank == 0:
    print(f"{different} of {CELLS} cells differ from those of one rank")
