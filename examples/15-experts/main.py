# SPDX-License-Identifier: BSD-3-Clause
"""Mixture of experts: mpirun -n 4 python3 main.py

In a large model a layer has many experts, spread over the ranks, and a router says for each token which of them are to see it. So in
every step every rank has other numbers of tokens for the others, a few experts are popular, and nobody knows what will come:

    dispatch   q.deliver() brings each token to its experts' ranks, with what it needs to find its way back
    compute    here an expert multiplies by its number
    combine    q.deliver() brings the results home, where those of one token are added up by their weights

A token is an item of a structured array, and travels as it lies in memory."""
import numpy as np
from mpi4py import MPI

import quadrille as q

TOKENS, WIDTH, EXPERTS, CHOICES, STEPS = 3000, 16, 16, 2, 5
comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
token = np.dtype([("home", "i4"), ("place", "i4"), ("expert", "i4"), ("weight", "f4"), ("value", "f4", WIDTH)])
weights = np.array([0.75, 0.25], "f4")


def route(step):
    """The router: a token's experts are two draws, in which low numbers are more frequent; from step to step they change."""
    place, choice = np.divmod(np.arange(TOKENS * CHOICES), CHOICES)
    word = (((rank * TOKENS + place) * STEPS + step) * CHOICES + choice + 1).astype(np.uint64) * np.uint64(0x9e3779b97f4a7c15)
    word = (word ^ word >> np.uint64(31)) * np.uint64(0xbf58476d1ce4e5b9)
    word = (word ^ word >> np.uint64(29)) >> np.uint64(44)
    return ((word * word >> np.uint64(20)) * np.uint64(EXPERTS) >> np.uint64(20)).astype(np.int32).reshape(TOKENS, CHOICES)


values = ((rank + np.arange(TOKENS)[:, None] + np.arange(WIDTH)) % 64).astype("f4")
for step in range(STEPS):
    experts = route(step)
    out = np.zeros((TOKENS, CHOICES), token)
    out["home"], out["place"] = rank, np.arange(TOKENS)[:, None]
    out["expert"], out["weight"], out["value"] = experts, weights, values[:, None]

    came = q.deliver(comm, out.ravel(), experts.ravel() % ranks).data
    came["value"] *= (came["expert"] + 1)[:, None]
    back = q.deliver(comm, came, came["home"]).data
    output = np.zeros_like(values)
    np.add.at(output, back["place"], back["weight"][:, None] * back["value"])

    factor = (weights * (experts + 1)).sum(1, dtype="f4")
    wrong = comm.allreduce(int((output != factor[:, None] * values).sum()))
    most = comm.allreduce(len(came), MPI.MAX)
    if rank == 0:
        print(f"step {step}: {TOKENS * CHOICES * ranks} tokens for {EXPERTS} experts, {most} on the busiest rank; {wrong} numbers wrong")
