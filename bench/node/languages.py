# SPDX-License-Identifier: BSD-3-Clause
"""What Python adds to an exchange: mpirun -n 2 python3 languages.py LIBRARY [--bar]

The exchange of languages.c, on one map and array: by C alone, from LIBRARY (liblanguages-often.so), many times in one call of Python; and from Python,
with a Field that was made before, and with a plain array. In turn, and medians. With --bar the exit code is 1 where Python takes more than 3 us
more than C for each exchange."""
import sys
import time

import cffi
import numpy as np
from mpi4py import MPI

import quadrille as q

OWN, GHOSTS, SAMPLES, TIMES, BAR = 2000, 500, 101, 100, 3e-6
comm = MPI.COMM_WORLD
ffi = cffi.FFI()
ffi.cdef("void exchange_often(void *map, double *x, int times);")
library = ffi.dlopen(sys.argv[1])
k = np.arange(GHOSTS)
halo = q.Map(comm, receives=q.Links(np.full(GHOSTS, (comm.rank + 1) % comm.size), OWN + k, (k * 4 + k % 3) % OWN))
x = np.zeros(OWN + GHOSTS)
field = q.Field(x)
handle, values = ffi.cast("void *", int(q._base.ffi.cast("uintptr_t", halo._handle))), ffi.cast("double *", x.ctypes.data)


def by_c():
    library.exchange_often(handle, values, TIMES)


def by_field():
    for _ in range(TIMES):
        halo.exchange(field)


def by_array():
    for _ in range(TIMES):
        halo.exchange(x)


ways = {"C": by_c, "Python, a Field": by_field, "Python, an array": by_array}
seconds = {name: [] for name in ways}
for _ in range(SAMPLES):
    for name, way in ways.items():
        comm.Barrier()
        start = time.perf_counter()
        way()
        seconds[name].append(comm.allreduce(time.perf_counter() - start, MPI.MAX) / TIMES)
median = {name: float(np.median(times)) for name, times in seconds.items()}
missed = 0
if comm.rank == 0:
    print(f"{'language':>18s} {'[us]':>8s} {'more':>8s}")
    for name, one in median.items():
        more = one - median["C"]
        missed += more > BAR
        print(f"{name:>18s} {1e6 * one:8.3f} {1e6 * more:8.3f}{'  missed' if more > BAR else ''}")
missed = comm.bcast(missed)
sys.exit(bool("--bar" in sys.argv and missed))
