# SPDX-License-Identifier: BSD-3-Clause
"""The halo of a regular grid: mpirun -n 4 python3 main.py

A grid of rows and columns is cut into blocks, one per rank, each with one layer of ghosts around it. In every step a cell becomes a mean
of its four neighbours and itself, so the edges of the neighbouring blocks have to come first. Two things are said once:

    q.Map.from_boxes()   which box of the array goes where; no lists of cells, nothing is packed
    reuse                how often: then ways that take time to prepare are tried as well, and the fastest one stays

What the plan has settled on goes to the standard error, as it depends on the machine. In the end the grid is held against that of
one rank alone; integers, so that both must be the same."""
import sys

import numpy as np
from mpi4py import MPI

import quadrille as q

ROWS, COLUMNS, STEPS = 120, 180, 200
comm = MPI.COMM_WORLD
high, wide = MPI.Compute_dims(comm.size, 2)
i, j = divmod(comm.rank, wide)


def initial(first_row, end_row, first_column, end_column):
    """A part of the grid, between ghosts."""
    row, column = np.arange(first_row, end_row)[:, None] + 1, np.arange(first_column, end_column) + 1
    return np.pad((row * 7919 + column * 104729) % 1000003, 1)


def smooth(x):
    """What the cells between the ghosts become."""
    return (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + 4 * x[1:-1, 1:-1]) // 8


def make_map(x):
    """The last row touches the first, and the last column too. Where two sides have the same neighbour, what goes north from here arrives
    there in the south: so the ghosts are named in the order south, north, east, west."""
    rows, columns = x.shape[0] - 2, x.shape[1] - 2
    north, south = (i - 1) % high * wide + j, (i + 1) % high * wide + j
    west, east = i * wide + (j - 1) % wide, i * wide + (j + 1) % wide
    count = [(1, columns), (1, columns), (rows, 1), (rows, 1)]
    edges = q.Boxes(x.shape, [north, south, west, east], [(1, 1), (rows, 1), (1, 1), (1, columns)], count)
    ghosts = q.Boxes(x.shape, [south, north, east, west], [(rows + 1, 1), (0, 1), (1, columns + 1), (1, 0)], count)
    return q.Map.from_boxes(comm, edges, ghosts, plan=q.PlanOptions(reuse=STEPS))


here = (ROWS * i // high, ROWS * (i + 1) // high, COLUMNS * j // wide, COLUMNS * (j + 1) // wide)
own = initial(*here)
with make_map(own) as halo:
    for _ in range(STEPS):
        halo.exchange(own)
        own[1:-1, 1:-1] = smooth(own)
    used = [one for one in halo.candidates() if one.in_use]

everything = initial(0, ROWS, 0, COLUMNS)
for _ in range(STEPS):
    everything = np.pad(smooth(np.pad(everything[1:-1, 1:-1], 1, "wrap")), 1)
alone = everything[1:-1, 1:-1][here[0]:here[1], here[2]:here[3]]
different = comm.reduce(int((own[1:-1, 1:-1] != alone).sum()))
if comm.rank == 0:
    for one in used:
        print(f"settled on {one.algorithm}, with pacing by '{one.pacing}'", file=sys.stderr)
    print(f"{high} x {wide} blocks of {ROWS} x {COLUMNS} cells, {STEPS} steps: {different} differ from the grid of one rank")
