# SPDX-License-Identifier: BSD-3-Clause
"""Partners, one rank's share of a pattern, and discovery: see quadrille/discover.h."""
from __future__ import annotations

from typing import Any, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np
from mpi4py import MPI

from ._arrays import Array, Numbers, copied, equally_long, numbers, pointer
from ._base import Owner, check, refuse, telling_others, texts_of
from ._c import ffi, lib
from ._pattern import Pattern


def handle_of(comm: MPI.Comm) -> Any:
    """A communicator as C has it."""
    if not isinstance(comm, MPI.Comm):
        raise refuse(f"the communicator is {type(comm).__name__}; expected one of mpi4py")
    return ffi.cast("MPI_Comm *", MPI._addressof(comm))[0]


class PartnersView(NamedTuple):
    """Whom this rank sends to and receives from, with the items; buffers of an exchange follow this order."""
    rank: int
    ranks: int
    destination: Array
    send_items: Array
    source: Array
    receive_items: Array


def view_of(view: Any) -> PartnersView:
    """As arrays of their own."""
    return PartnersView(view.rank, view.ranks, copied(view.destination, view.sends, np.int32),
                        copied(view.send_items, view.sends, np.int64), copied(view.source, view.receives, np.int32),
                        copied(view.receive_items, view.receives, np.int64))


def _side(rank: Numbers, items: Numbers, what: str) -> Tuple[int, Any, Any, Any]:
    ranks, amounts = numbers(rank, what, np.int32), numbers(items, "items")
    equally_long(f"{what} and items", ranks, amounts)
    return len(ranks), pointer(ranks, "int"), pointer(amounts, "int64_t"), (ranks, amounts)


class Partners(Owner):
    """One rank's share of a pattern, learned from the others: whom it sends to, whom it receives from."""
    _type, _word, _destroy = "qdr_partners", "set of partners", lib.qdr_partners_destroy

    def __init__(self, comm: MPI.Comm, pattern: Pattern) -> None:
        """Collective. This rank's row and column of a pattern that every rank has."""
        super().__init__()
        check(lib.qdr_partners_from_pattern(handle_of(comm), pattern._handle, self._cell))

    @classmethod
    def _empty(cls) -> "Partners":
        made = cls.__new__(cls)
        Owner.__init__(made)
        return made

    @classmethod
    def from_sends(cls, comm: MPI.Comm, destination: Numbers, items: Numbers, method: Optional[str] = None) -> "Partners":
        """Collective. This rank sends items[i] to destination[i]; the sources are discovered."""
        made = cls._empty()
        handle = handle_of(comm)
        with telling_others(lib.qdr_partners_from_sends, handle, -1, ffi.NULL, ffi.NULL, ffi.NULL, made._cell):
            count, ranks, amounts, _keep = _side(destination, items, "destination")
        check(lib.qdr_partners_from_sends(handle, count, ranks, amounts, _name(method), made._cell))
        return made

    @classmethod
    def from_receives(cls, comm: MPI.Comm, source: Numbers, items: Numbers, method: Optional[str] = None) -> "Partners":
        """Collective. This rank needs items[i] from source[i]; the destinations are discovered."""
        made = cls._empty()
        handle = handle_of(comm)
        with telling_others(lib.qdr_partners_from_receives, handle, -1, ffi.NULL, ffi.NULL, ffi.NULL, made._cell):
            count, ranks, amounts, _keep = _side(source, items, "source")
        check(lib.qdr_partners_from_receives(handle, count, ranks, amounts, _name(method), made._cell))
        return made

    @classmethod
    def from_both(cls, comm: MPI.Comm, destination: Numbers, send_items: Numbers, source: Numbers, receive_items: Numbers,
                  trusted: bool = False) -> "Partners":
        """Collective. Both sides are known, and are compared unless they are trusted."""
        made = cls._empty()
        handle, null = handle_of(comm), ffi.NULL
        with telling_others(lib.qdr_partners_from_both, handle, -1, null, null, -1, null, null, trusted, made._cell):
            *out, _keep = _side(destination, send_items, "destination")
            *in_, _kept = _side(source, receive_items, "source")
        check(lib.qdr_partners_from_both(handle, *out, *in_, trusted, made._cell))
        return made

    def look(self) -> PartnersView:
        """Local."""
        return view_of(lib.qdr_partners_look(self._handle))

    def gather(self) -> Pattern:
        """Collective. The whole matrix, on every rank."""
        cell = ffi.new("qdr_pattern **")
        check(lib.qdr_partners_gather(self._handle, cell))
        return Pattern.of_handle(cell)


def _name(method: Optional[str]) -> Any:
    return ffi.NULL if method is None else method.encode()


class Discovery(NamedTuple):
    """A way to learn who sends to this rank."""
    name: str
    summary: str


def discoveries() -> List[Discovery]:
    """Local."""
    return texts_of(lib.qdr_discovery, Discovery, Discovery._fields)


def discover(comm: MPI.Comm, parcels: Mapping[int, Any], method: Optional[str] = None) -> "dict[int, bytes]":
    """Collective. Sends one parcel of bytes, or of anything that has a buffer, to each rank that is named; returns what came, by rank."""
    handle, arrived, came = handle_of(comm), ffi.new("int *"), ffi.new("qdr_parcel **")
    with telling_others(lib.qdr_discover, handle, ffi.NULL, -1, ffi.NULL, arrived, came):
        held = [(rank, memoryview(parcel).cast("B")) for rank, parcel in parcels.items()]
        views = [ffi.from_buffer(parcel) for _, parcel in held]
        out = ffi.new("qdr_parcel[]", max(len(held), 1))
        for one, (rank, parcel), view in zip(out, held, views):
            one.rank, one.bytes, one.data = rank, len(parcel), ffi.cast("void *", view)
    check(lib.qdr_discover(handle, _name(method), len(held), out, arrived, came))
    made = {one.rank: bytes(ffi.buffer(one.data, one.bytes)) if one.bytes else b"" for one in came[0][0:arrived[0]]}
    lib.free(came[0])
    return made
