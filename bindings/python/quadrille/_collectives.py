# SPDX-License-Identifier: BSD-3-Clause
"""The regular exchanges of the CM-5 paper, all-to-all and broadcast: see quadrille/collectives.h."""
from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
from mpi4py import MPI

from ._arrays import Array, Numbers, dense, numbers, pointer
from ._base import check, refuse, telling_others
from ._c import ffi, lib
from ._partners import handle_of
from ._pending import Pending


def _blocks(comm: MPI.Comm, outgoing: Array, incoming: Optional[Array]) -> Tuple[int, Array, Array]:
    out = dense(outgoing, "outgoing")
    into = np.empty_like(out) if incoming is None else dense(incoming, "incoming", writable=True)
    if out.nbytes != into.nbytes:
        raise refuse(f"outgoing has {out.nbytes} bytes, incoming {into.nbytes}")
    if out.nbytes % comm.size:
        raise refuse(f"outgoing has {out.nbytes} bytes, which are no equal blocks for {comm.size} ranks")
    return out.nbytes // comm.size, out, into


def _name(algorithm: Optional[str]) -> Any:
    return ffi.NULL if algorithm is None else algorithm.encode()


def alltoall(comm: MPI.Comm, outgoing: Array, incoming: Optional[Array] = None, algorithm: Optional[str] = None) -> Array:
    """Collective. The r-th of equal blocks goes to rank r; returns what came, block by block."""
    handle = handle_of(comm)
    with telling_others(lib.qdr_alltoall, handle, _name(algorithm), -1, ffi.NULL, ffi.NULL):
        size, out, into = _blocks(comm, outgoing, incoming)
    check(lib.qdr_alltoall(handle, _name(algorithm), size, pointer(out, "void"), pointer(into, "void")))
    return into


def alltoall_start(comm: MPI.Comm, outgoing: Array, incoming: Optional[Array] = None,
                   algorithm: Optional[str] = None) -> Pending[Array]:
    """Collective. The same without waiting for the end."""
    handle, cell = handle_of(comm), ffi.new("qdr_pending **")
    with telling_others(lib.qdr_alltoall, handle, _name(algorithm), -1, ffi.NULL, ffi.NULL):
        size, out, into = _blocks(comm, outgoing, incoming)
    check(lib.qdr_alltoall_start(handle, _name(algorithm), size, pointer(out, "void"), pointer(into, "void"), cell))
    return Pending(cell, lambda: into, (out, into))


def broadcast(comm: MPI.Comm, group: Numbers, data: Array, algorithm: Optional[str] = None) -> None:
    """Collective over the ranks of `group` alone. group[0] has the data, the others get it. prepare() comes first."""
    members = numbers(group, "group", np.int32)
    array = dense(data, "data", writable=len(members) > 0 and members[0] != comm.rank)
    check(lib.qdr_broadcast(handle_of(comm), _name(algorithm), len(members), pointer(members, "int"), pointer(array, "void"),
                            array.nbytes))


def prepare(comm: MPI.Comm) -> None:
    """Collective. Makes what the library keeps with a communicator, so that later calls by a few of its ranks need no others."""
    check(lib.qdr_prepare(handle_of(comm)))
