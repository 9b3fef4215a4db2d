# SPDX-License-Identifier: BSD-3-Clause
"""Deliveries, items to ranks that do not know what will come: see quadrille/deliver.h."""
from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np
from mpi4py import MPI

from ._arrays import Array, Numbers, copied, dense, equally_long, numbers, pointer
from ._base import check, refuse, telling_others
from ._c import ffi, lib
from ._partners import handle_of
from ._pending import Pending


class Arrivals(NamedTuple):
    """What has come, by rising source: all items, and how many of them came from each source."""
    data: Array
    source: Array
    items: Array


class _Delivery:
    """The two ends of one, as C wants them."""

    def __init__(self, items: Array, destination: Optional[Numbers], rank: Optional[Numbers], counts: Optional[Numbers]) -> None:
        self.data = dense(items, "items")
        if (destination is None) == (counts is None):
            raise refuse("give the destination of each item, or the counts of items that are grouped by rank; one of the two")
        self.leaving = ffi.new("qdr_items *")
        self.leaving.item_bytes = self.data.itemsize * int(np.prod(self.data.shape[1:], dtype=np.int64))
        self.leaving.data = pointer(self.data, "void")
        self._keep: List[Any] = []
        if destination is not None:
            self._take_each(numbers(destination, "destination", np.int32))
        elif counts is not None:
            self._take_groups(None if rank is None else numbers(rank, "rank", np.int32), numbers(counts, "counts"))
        self.came = ffi.new("qdr_arrivals *")

    def _take_each(self, destination: Array) -> None:
        equally_long("items and destination", self.data, destination)
        self.leaving.count, self.leaving.destination = len(destination), pointer(destination, "int")
        self._keep.append(destination)

    def _take_groups(self, rank: Optional[Array], counts: Array) -> None:
        equally_long("rank and counts", rank, counts)
        if counts.sum() != len(self.data):
            raise refuse(f"there are {len(self.data)} items; the counts add up to {counts.sum()}")
        self.leaving.groups, self.leaving.rank = len(counts), pointer(rank, "int")
        self.leaving.items = pointer(counts, "int64_t")
        self._keep.append((rank, counts))

    def taken(self) -> Arrivals:
        """What came, in an array that keeps the library's memory alive: nothing is copied."""
        came = self.came
        owner = ffi.gc(came, lib.qdr_arrivals_free)
        shape: Tuple[int, ...] = (came.count, *self.data.shape[1:])
        source, items = copied(came.source, came.sources, np.int32), copied(came.items, came.sources, np.int64)
        if came.count == 0 or self.leaving.item_bytes == 0:
            return Arrivals(np.zeros(shape, self.data.dtype), source, items)
        held = _Memory(owner, came.data, came.count * self.leaving.item_bytes)
        return Arrivals(np.asarray(held).view(self.data.dtype).reshape(shape), source, items)


class _Memory:
    """The library's memory as NumPy borrows it, which remembers its owner."""

    def __init__(self, owner: Any, data: Any, size: int) -> None:
        self._owner = owner
        self.__array_interface__ = {"data": (int(ffi.cast("uintptr_t", data)), False), "shape": (size,), "typestr": "|u1", "version": 3}


def _delivery(handle: Any, *given: Any) -> _Delivery:
    wrong, nothing, cell = ffi.new("qdr_items *", {"item_bytes": -1, "count": -1}), ffi.new("qdr_arrivals *"), ffi.new("qdr_pending **")
    with telling_others(lib.qdr_deliver_start, handle, wrong, nothing, cell):
        return _Delivery(*given)


def deliver(comm: MPI.Comm, items: Array, destination: Optional[Numbers] = None, *, rank: Optional[Numbers] = None,
            counts: Optional[Numbers] = None) -> Arrivals:
    """Collective. Sends item i to destination[i], and returns what comes to this rank.

    Or items are grouped: the first counts[0] go to rank[0] (to rank 0 without `rank`), and so on, no rank twice."""
    handle = handle_of(comm)
    one = _delivery(handle, items, destination, rank, counts)
    check(lib.qdr_deliver(handle, one.leaving, one.came))
    return one.taken()


def deliver_start(comm: MPI.Comm, items: Array, destination: Optional[Numbers] = None, *, rank: Optional[Numbers] = None,
                  counts: Optional[Numbers] = None) -> Pending[Arrivals]:
    """Collective. The same without waiting for the data; a communicator has one delivery at a time."""
    handle = handle_of(comm)
    one = _delivery(handle, items, destination, rank, counts)
    cell = ffi.new("qdr_pending **")
    check(lib.qdr_deliver_start(handle, one.leaving, one.came, cell))
    return Pending(cell, one.taken, one)
