# SPDX-License-Identifier: BSD-3-Clause
"""The same as consumer.c for a program in Python."""
import numpy as np
from mpi4py import MPI

import quadrille as q

comm = MPI.COMM_WORLD
q.Schedule(q.Pattern("random:n=16,density=0.5,seed=1"), "coloring").check()
plan = q.Plan(q.Partners.from_sends(comm, [1 - comm.rank], [1]))
(incoming,) = plan.exchange(np.array([100.0 + comm.rank]))
# Lines that ranks print by themselves may run into each other.
lines = comm.gather(f"rank {comm.rank} got {incoming:g}")
if lines:
    print("\n".join(lines))
