# SPDX-License-Identifier: BSD-3-Clause
"""Several arrays in one exchange, and contributions that go home: mpirun -n 4 python3 main.py

Particles on a ring push each other: each one the next few. They are dealt out in pieces, one per rank, and the first ones of the next
piece are ghosts of this one. Particles are records; each of their fields is an array to the library, without a copy:

    forward    position, charge and kind of each ghost come, in one message
    compute    every pair pushes both of its particles, ghosts too
    reverse    what ghosts were pushed goes to their owners: forces are added, pushes are counted, and of the hardest push the
               larger one stays; in one message again

One map does both. Contributions to one particle are combined by rising rank, so each run has the same result, to the last bit. In
the end the forces are held against those that one rank finds alone; the numbers are whole, so that both must be the same."""
import numpy as np
from mpi4py import MPI

import quadrille as q

OWN, REACH = 1000, 3  # particles of a rank; how many each one pushes
particle = np.dtype([("position", "f8", 3), ("charge", "f8"), ("kind", "i4"),
                     ("force", "f8", 3), ("hardest", "f8"), ("pushes", "i8")], align=True)
comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size


def begin(number):
    """Particles of these numbers, and nothing has happened to them."""
    made = np.zeros(len(number), particle)
    made["position"] = number[:, None] * (7919 + np.arange(3)) % 1009
    made["charge"], made["kind"] = 1 + number % 5, number % 3
    return made


def push(all_of_them, i, j):
    """Particles of one kind attract each other, and others repel each other."""
    one, other = all_of_them[i], all_of_them[j]
    strength = one["charge"] * other["charge"]
    sign = np.where(one["kind"] == other["kind"], 1, -1)
    force = (sign * strength)[:, None] * (other["position"] - one["position"])
    np.add.at(all_of_them["force"], i, force)
    np.subtract.at(all_of_them["force"], j, force)
    for end in (i, j):
        np.add.at(all_of_them["pushes"], end, 1)
        np.maximum.at(all_of_them["hardest"], end, strength)


def fields(*names, operation="replace"):
    """Of the particles of this rank."""
    return [q.Field(mine[name], operation=operation) for name in names]


mine = np.concatenate([begin(rank * OWN + np.arange(OWN)), np.zeros(REACH, particle)])
ghosts = q.Links([(rank + 1) % ranks] * REACH, place=OWN + np.arange(REACH), partner_place=np.arange(REACH))
with q.Map(comm, receives=ghosts, reverse="combine") as bring:
    bring.exchange(*fields("position", "charge", "kind"))
    for step in range(1, REACH + 1):
        push(mine, np.arange(OWN), np.arange(OWN) + step)
    bring.exchange(*fields("force", "pushes", operation="sum"), *fields("hardest", operation="maximum"), reverse=True)

alone = begin(np.arange(ranks * OWN))
for step in range(1, REACH + 1):
    push(alone, np.arange(ranks * OWN), (np.arange(ranks * OWN) + step) % (ranks * OWN))
wrong = comm.reduce(int((mine[:OWN] != alone[rank * OWN:(rank + 1) * OWN]).sum()))
pushes = comm.reduce(int(mine["pushes"][:OWN].sum()))
if rank == 0:
    print(f"{ranks * OWN} particles were pushed {pushes} times: {wrong} differ from what one rank finds")
