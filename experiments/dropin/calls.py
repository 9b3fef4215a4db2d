# SPDX-License-Identifier: BSD-3-Clause
#
# calls.py: all-to-all exchanges from Python, of sizes that depend on sender, receiver and step. Each rank checks what it got;
# a digest of all of it is printed.
import hashlib

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
digest = hashlib.sha256()


def items(sender, receiver, step):
    return (7 * sender + 3 * receiver + step) % 40 * (1 if step % 5 else 200)


def places(counts):
    return [sum(counts[:i]) for i in range(len(counts))]


def sides(step):
    out = [items(rank, r, step) for r in range(ranks)]
    into = [items(r, rank, step) for r in range(ranks)]
    data = numpy.concatenate([numpy.full(n, 1000.0 * rank + r + step) for r, n in enumerate(out)] + [numpy.zeros(1)])
    return out, into, data, numpy.full(sum(into) + 1, -1.0)


def check(step, into, got):
    at = 0
    for r, n in enumerate(into):
        assert (got[at : at + n] == 1000.0 * r + rank + step).all(), (rank, r, step)
        at += n
    assert got[-1] == -1
    digest.update(got.tobytes())


pair = MPI.DOUBLE.Create_vector(1, 1, 2).Create_resized(0, 16).Commit()
for step in range(60):
    out, into, data, got = sides(step)
    comm.Alltoallv([data, out, places(out), MPI.DOUBLE], [got, into, places(into), MPI.DOUBLE])
    check(step, into, got)

    flights = []
    for i in range(5):
        out, into, data, got = sides(step + i)
        request = comm.Ialltoallv([data, out, places(out), MPI.DOUBLE], [got, into, places(into), MPI.DOUBLE])
        flights.append((request, into, data, got, step + i))
    comm.Barrier()
    if step % 2:
        MPI.Request.Waitall([f[0] for f in flights])
    else:
        for f in reversed(flights):
            while not f[0].Test():
                pass
    for _, into, data, got, at in flights:
        check(at, into, got)

    each = 600 if step % 3 else 3
    data, got = numpy.arange(each * ranks) + 1.0 * rank, numpy.empty(each * ranks)
    comm.Alltoall(data, got)
    digest.update(got.tobytes())
    request = comm.Ialltoall([data, each, MPI.DOUBLE], [got, each, MPI.DOUBLE])
    request.Wait()
    digest.update(got.tobytes())
    wide = numpy.full(2 * each * ranks, -1.0)
    comm.Alltoall([data, each, MPI.DOUBLE], [wide, each, pair])
    assert (wide[0::2] == got).all() and (wide[1::2] == -1).all()
    digest.update(wide.tobytes())

all_digests = comm.gather(digest.hexdigest(), 0)
if rank == 0:
    print("digest", hashlib.sha256("".join(all_digests).encode()).hexdigest())
