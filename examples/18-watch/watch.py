# SPDX-License-Identifier: BSD-3-Clause
"""A program in Python that watches one in Fortran: mpirun -n 3 heat : -n 2 python3 watch.py [picture.svg]

heat.f90 has a plate on some ranks, by columns. This program wants the same plate on its own ranks, by rows; neither knows how many ranks
the other has, and the library finds out who has to send what to whom. It looks at every hundredth step, and draws the picture anew:
open it in a browser, and load it again. The two may also be started one by one, in either order, by launchers of their own."""
import sys

import numpy as np
from mpi4py import MPI

import quadrille as q

ROWS, COLUMNS, STEPS, EVERY = 48, 60, 400, 100
picture = sys.argv[1] if len(sys.argv) > 1 else "plate.svg"


def draw(plate, time):
    """The temperature as colours, with a line around what is warmer than 50."""
    cell, edge = 10, 40
    with q.Picture(COLUMNS * cell + 2 * edge, ROWS * cell + 2 * edge, 14) as made:
        made.text(edge, edge - 14, f"temperature after {time:g} steps")
        made.window(edge, edge, COLUMNS * cell, ROWS * cell)
        for (row, column), degrees in np.ndenumerate(plate):
            red, blue = int(2.55 * degrees), int(255 - 2.55 * degrees)
            made.rectangle(column * cell, row * cell, cell + 0.5, cell + 0.5, f'fill="rgb({red},60,{blue})"',
                           f"{degrees:.1f} degrees")
        made.path('stroke="#fff" fill="none"')
        for row, column in zip(*np.nonzero((plate > 50) != np.roll(plate > 50, -1, axis=0))):
            made.pen_move(column * cell, (row + 1) * cell)
            made.pen_line((column + 1) * cell, (row + 1) * cell)
        made.path_end()
        made.window_end()
    with open(picture, "w", encoding="utf-8") as file:
        file.write(made.svg)


with q.Program(MPI.COMM_WORLD, "watch") as program, q.Coupling(program, "heat") as coupling:
    comm = program.comm
    how = coupling.look()
    if comm.rank == 0:
        print(f"watch: {how.ranks} ranks, {how.peer} has {how.peer_ranks}: {how.transport}", flush=True)
    layout = q.Layout(q.Axis(ROWS, "block", comm.size), q.Axis(COLUMNS))
    with q.Stream(coupling, "plate", imports=[q.Coupled("temperature", layout, "f8")]) as stream:
        mine = np.zeros((layout.room(comm.rank) // COLUMNS, COLUMNS))
        for time in range(0, STEPS + 1, EVERY):
            stream.import_(time, mine)
            plate = np.concatenate(comm.allgather(mine))
            if comm.rank == 0:
                print(f"watch: step {time}: mean {plate.mean():.4f}, {int((plate > 50).sum())} cells are warmer than 50", flush=True)
                draw(plate, time)
