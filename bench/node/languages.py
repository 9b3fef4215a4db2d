# SPDX-License-Identifier: BSD-3-Clause
"""What Python adds: mpirun -n 2 python3 languages.py LIBRARY [--bar]

The exchange of languages.c, on one map and array: by C alone, from LIBRARY (liblanguages-often.so), many times in one call of Python; and from Python,
with a Field that was made before, and with a plain array. And the exchange of a sample sort of 10^7 keys, by C and by Python, with memory of its own for
what comes. In turn, and medians. With --bar the exit code is 1 where Python takes more than 3 us more than C for an exchange, or more than
1.1 times as long for the keys."""
import sys
import time

import cffi
import numpy as np
from mpi4py import MPI

import quadrille as q

OWN, GHOSTS, TIMES, KEYS = 2000, 500, 100, 10_000_000
comm = MPI.COMM_WORLD
ffi = cffi.FFI()
ffi.cdef("int exchange_often(void *map, double *x, int times); int64_t deliver_keys(int comm, int64_t *key, int ranks, int64_t *items);")
library = ffi.dlopen(sys.argv[1])


def measure(ways, samples, times):
    """Seconds of each way, once; medians of so many samples, in turn."""
    seconds = {name: [] for name in ways}
    for _ in range(samples):
        for name, way in ways.items():
            comm.Barrier()
            start = time.perf_counter()
            way()
            seconds[name].append(comm.allreduce(time.perf_counter() - start, MPI.MAX) / times)
    return {name: float(np.median(one)) for name, one in seconds.items()}


def exchanges():
    """Whether Python takes at most 3 us more."""
    k = np.arange(GHOSTS)
    halo = q.Map(comm, receives=q.Links(np.full(GHOSTS, (comm.rank + 1) % comm.size), OWN + k, (k * 4 + k % 3) % OWN))
    x = np.zeros(OWN + GHOSTS)
    field = q.Field(x)
    handle, values = ffi.cast("void *", int(q._base.ffi.cast("uintptr_t", halo._handle))), ffi.cast("double *", x.ctypes.data)

    def by_field():
        for _ in range(TIMES):
            halo.exchange(field)

    def by_array():
        for _ in range(TIMES):
            halo.exchange(x)

    median = measure({"C": lambda: library.exchange_often(handle, values, TIMES), "a Field": by_field, "an array": by_array}, 101, TIMES)
    if comm.rank == 0:
        for name, one in median.items():
            print(f"exchange, {name:<10s} {1e6 * one:10.3f} us, {1e6 * (one - median['C']):6.3f} us more")
    return max(median.values()) - median["C"] <= 3e-6


def keys():
    """Whether Python takes at most 1.1 times as long."""
    share = KEYS // comm.size
    key = np.sort(np.random.default_rng(comm.rank).integers(0, 2 ** 62, share))
    counts = np.diff(np.searchsorted(key, np.arange(1, comm.size) * (2 ** 62 // comm.size)), prepend=0, append=share)
    given, items = ffi.cast("int64_t *", key.ctypes.data), ffi.cast("int64_t *", counts.ctypes.data)
    median = measure({"C": lambda: library.deliver_keys(comm.py2f(), given, comm.size, items),
                      "Python": lambda: q.deliver(comm, key, counts=counts)}, 15, 1)
    if comm.rank == 0:
        for name, one in median.items():
            print(f"10^7 keys, {name:<9s} {1e3 * one:10.3f} ms, {one / median['C']:6.3f} times C")
    return median["Python"] <= 1.1 * median["C"]


reached = [exchanges(), keys()]
if comm.rank == 0 and not all(reached):
    print("missed")
sys.exit("--bar" in sys.argv and not all(comm.bcast(reached)))
