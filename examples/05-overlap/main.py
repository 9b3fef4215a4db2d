# SPDX-License-Identifier: BSD-3-Clause
"""Computing while an exchange is under way: mpirun -n 4 python3 main.py

A field of many rows is cut into one slab per rank, the last touching the first. In each step every row becomes a mean of itself and
its two neighbours. The rows at the edges of a slab need one from the rank above and one from the rank below; all others can be
computed meanwhile:

    start both exchanges    one plan sends down, the other up; their arrays are borrowed from here on
    compute the inside      with q.progress() now and then: messages move while somebody looks after them
    wait                    and compute the two edges as their halos come

Even ranks wait for the halo from above first, odd ranks for the one from below. Each would wait for the other, if a wait advanced
only its own exchange; it advances everything. In the end the field is held against a run of one rank alone; integers, so that both
must be the same."""
import numpy as np
from mpi4py import MPI

import quadrille as q

ROWS, COLUMNS, STEPS = 12, 20000, 6
comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
below, above = (rank + 1) % ranks, (rank - 1) % ranks


def initial(first, count):
    """Rows as they are at the beginning."""
    line, column = np.arange(first, first + count)[:, None], np.arange(COLUMNS)
    return (line * 7919 + column * 104729) % 1000003


def smooth(up, here, down):
    """What a row becomes."""
    return (up + 2 * here + down) // 4


now = np.empty((ROWS + 2, COLUMNS), np.int64)  # rows 1..ROWS, between the halo from above and the one from below
now[1:-1] = initial(rank * ROWS, ROWS)
down = q.Plan(q.Partners.from_both(comm, [below], [COLUMNS], [above], [COLUMNS]))
up = q.Plan(q.Partners.from_both(comm, [above], [COLUMNS], [below], [COLUMNS]))
for _ in range(STEPS):
    edges = [(down.start(now[ROWS], now[0]), 1), (up.start(now[1], now[ROWS + 1]), ROWS)]
    after = np.empty_like(now)
    for row in range(2, ROWS):
        after[row] = smooth(now[row - 1], now[row], now[row + 1])
        q.progress()
    for exchange, row in edges if rank % 2 == 0 else edges[::-1]:
        exchange.wait()
        after[row] = smooth(now[row - 1], now[row], now[row + 1])
    now = after

alone = initial(0, ROWS * ranks)
for _ in range(STEPS):
    alone = smooth(np.roll(alone, 1, 0), alone, np.roll(alone, -1, 0))
different = comm.reduce(int((now[1:-1] != alone[rank * ROWS:(rank + 1) * ROWS]).sum()))
if rank == 0:
    print(f"{ranks} ranks, {ROWS} rows of {COLUMNS} each, {STEPS} steps: {different} numbers differ from the run of one rank")
