# SPDX-License-Identifier: BSD-3-Clause
"""The distributed directory, who owns what: see quadrille/directory.h."""
from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from ._arrays import Array, Numbers, dense, equally_long, numbers, pointer, wide_or_narrow
from ._base import Context, Owner, Seconds, chars, check, options_of, refuse, seconds, telling_others, texts_of
from ._c import ffi, lib
from ._map import Map, map_options
from ._partners import handle_of
from ._pending import Pending
from ._plan import PlanOptions

NOBODY: int = lib.QDR_NOBODY
"""The owner of an id that is not in the directory."""


@ffi.def_extern(error=-1)  # type: ignore[misc]
def quadrille_place(context: Any, number: int) -> int:
    """Asks the program which rank keeps an entry."""
    one = ffi.from_handle(context)
    return int(one.call(-1, one.target, number))


class Found(NamedTuple):
    """Of each id its owner (NOBODY: it is not there), its place there (-1), its payload if there is one, and how many are unknown."""
    owner: Array
    place: Array
    payload: Optional[Array]
    unknown: int


class DirectoryView(NamedTuple):
    """What this rank keeps, and what it has asked for."""
    entries: int
    bytes: int
    cached: int
    asked: int
    spared: int
    shared: bool


class _Call:
    """One call of the directory, with its lists."""

    def __init__(self, verb: int, dtype: Optional[np.dtype[Any]], id_: Numbers, owner: Optional[Numbers], place: Optional[Numbers],
                 payload: Optional[Array]) -> None:
        ids = numbers(id_, "id")
        owners = None if owner is None else numbers(owner, "owner", np.int32)
        places = None if place is None else numbers(place, "place")
        equally_long("id, owner and place", ids, owners, places)
        self.given = ffi.new("qdr_directory_call *")
        self.unknown = ffi.new("int64_t *")
        self.count = len(ids)
        self.given.verb, self.given.count, self.given.id = verb, len(ids), pointer(ids, "int64_t")
        self.given.owner, self.given.place = pointer(owners, "int"), pointer(places, "int64_t")
        if verb != lib.QDR_DIRECTORY_INSERT:
            self.given.unknown = self.unknown
        self._keep = [ids, owners, places, self._payload(payload, dtype)]
        self.found: Optional[Found] = None
        if verb == lib.QDR_DIRECTORY_FIND:
            self._expect(dtype)

    def _payload(self, payload: Optional[Array], dtype: Optional[np.dtype[Any]]) -> Optional[Array]:
        if payload is None:
            return None
        if dtype is None:
            raise refuse("this directory keeps no payload; payload=DTYPE when it is made")
        made = dense(payload, "payload")
        if made.dtype != dtype or made.shape != (self.count,):
            raise refuse(f"payload is {made.shape} of {made.dtype}; expected ({self.count},) of {dtype}")
        self.given.payload = pointer(made, "void")
        return made

    def _expect(self, dtype: Optional[np.dtype[Any]]) -> None:
        payload = None if dtype is None else np.zeros(self.count, dtype)
        self.found = Found(np.zeros(self.count, np.int32), np.zeros(self.count, np.int64), payload, 0)
        self.given.found_owner = pointer(self.found.owner, "int")
        self.given.found_place = pointer(self.found.place, "int64_t")
        self.given.found_payload = pointer(payload, "void")

    def learned(self) -> Any:
        """What the call is for."""
        return int(self.unknown[0]) if self.found is None else self.found._replace(unknown=int(self.unknown[0]))


def _call_wrongly(handle: Any, verb: int) -> None:
    wrong, cell = ffi.new("qdr_directory_call *", {"verb": verb, "count": -1}), ffi.new("qdr_pending **")
    if lib.qdr_directory_start(handle, wrong, cell) == lib.QDR_OK:
        lib.qdr_wait(cell)


class Directory(Owner):
    """The meeting place of those who own items and those who need them. Items have ids, any 64-bit numbers.

    Calls are collective; each rank brings ids of its own, or none. They take effect in the order in which they were made."""
    _type, _word, _destroy = "qdr_directory", "directory", lib.qdr_directory_destroy

    def __init__(self, comm: MPI.Comm, *, placement: Union[str, Callable[[int], int]] = "hash", limit: int = 0,
                 payload: npt.DTypeLike = None, caches: bool = False, deadline: Seconds = 0) -> None:
        """Collective. The entry of an id is kept by a rank that follows from the id: by "hash"; by "block", for ids 0 .. limit - 1;
        or where a function of yours says. `payload` is the type of a value that each entry has beside owner and place."""
        super().__init__()
        self._payload = None if payload is None else np.dtype(payload)
        self._context: Optional[Context] = None
        how = options_of("qdr_directory_options")
        words = {"hash": lib.QDR_PLACE_HASH, "block": lib.QDR_PLACE_BLOCK}
        if callable(placement):
            self._context = Context(placement)
            how.placement, how.place, how.context = lib.QDR_PLACE_FUNCTION, lib.quadrille_place, self._context.handle
        elif placement in words:
            how.placement = words[placement]
        else:
            raise refuse(f"placement is {placement!r}; expected hash, block or a function")
        how.limit, how.caches, how.deadline = limit, caches, seconds(deadline)
        how.payload_bytes = 0 if self._payload is None else self._payload.itemsize
        self._keep.append(self._context)
        check(lib.qdr_directory_create(handle_of(comm), how, self._cell))

    def look(self) -> DirectoryView:
        """Local."""
        view = lib.qdr_directory_look(self._handle)
        return DirectoryView(view.entries, view.bytes, view.cached, view.asked, view.spared, bool(view.shared))

    def _call(self, verb: int, *lists: Any) -> _Call:
        with telling_others(_call_wrongly, self._handle, verb):
            return _Call(verb, self._payload, *lists)

    def _raise_if_any(self) -> None:
        if self._context is not None:
            self._context.raise_if_any()

    def _checked(self, status: int) -> None:
        self._raise_if_any()
        check(status)

    def insert(self, id: Numbers, owner: Optional[Numbers] = None, place: Optional[Numbers] = None,
               payload: Optional[Array] = None) -> None:
        """Collective. Without `owner` it is this rank; without `place` they are 0, 1, 2 ..."""
        one = self._call(lib.QDR_DIRECTORY_INSERT, id, owner, place, payload).given
        self._checked(lib.qdr_directory_insert(self._handle, one.count, one.id, one.owner, one.place, one.payload))

    def update(self, id: Numbers, owner: Optional[Numbers] = None, place: Optional[Numbers] = None,
               payload: Optional[Array] = None) -> int:
        """Collective. Changes entries that exist; returns how many of this rank's ids were not there."""
        call = self._call(lib.QDR_DIRECTORY_UPDATE, id, owner, place, payload)
        one = call.given
        self._checked(lib.qdr_directory_update(self._handle, one.count, one.id, one.owner, one.place, one.payload, call.unknown))
        return int(call.unknown[0])

    def remove(self, id: Numbers) -> int:
        """Collective. Returns how many of this rank's ids were not there."""
        call = self._call(lib.QDR_DIRECTORY_REMOVE, id, None, None, None)
        self._checked(lib.qdr_directory_remove(self._handle, call.count, call.given.id, call.unknown))
        return int(call.unknown[0])

    def find(self, id: Numbers) -> Found:
        """Collective. Who has these?"""
        call = self._call(lib.QDR_DIRECTORY_FIND, id, None, None, None)
        one = call.given
        self._checked(lib.qdr_directory_find(self._handle, one.count, one.id, one.found_owner, one.found_place, one.found_payload,
                                             call.unknown))
        found: Found = call.learned()
        return found

    def _start(self, verb: int, *lists: Any) -> Pending[Any]:
        call, cell = self._call(verb, *lists), ffi.new("qdr_pending **")
        self._checked(lib.qdr_directory_start(self._handle, call.given, cell))

        def ended() -> Any:
            self._raise_if_any()
            return call.learned()
        return Pending(cell, ended, (self, call))

    def insert_start(self, id: Numbers, owner: Optional[Numbers] = None, place: Optional[Numbers] = None,
                     payload: Optional[Array] = None) -> Pending[int]:
        """Collective. insert() without waiting."""
        return self._start(lib.QDR_DIRECTORY_INSERT, id, owner, place, payload)

    def update_start(self, id: Numbers, owner: Optional[Numbers] = None, place: Optional[Numbers] = None,
                     payload: Optional[Array] = None) -> Pending[int]:
        """Collective. update() without waiting."""
        return self._start(lib.QDR_DIRECTORY_UPDATE, id, owner, place, payload)

    def remove_start(self, id: Numbers) -> Pending[int]:
        """Collective. remove() without waiting."""
        return self._start(lib.QDR_DIRECTORY_REMOVE, id, None, None, None)

    def find_start(self, id: Numbers) -> Pending[Found]:
        """Collective. find() without waiting."""
        return self._start(lib.QDR_DIRECTORY_FIND, id, None, None, None)


class ResolveReport(NamedTuple):
    """What resolving took."""
    steps: int
    lists: int
    sent: int
    memory: int


class Resolved(NamedTuple):
    """Of each needed item its owner and its place there, and what it took to find them."""
    owner: Array
    place: Array
    report: ResolveReport


class ResolveMethod(NamedTuple):
    """A way to resolve."""
    name: str
    summary: str
    memory: str


def resolve_methods() -> List[ResolveMethod]:
    """Local."""
    return texts_of(lib.qdr_resolve_method, ResolveMethod, ResolveMethod._fields)


class _Ids:
    """Own and needed ids, in 64 bits, or all of them in 32."""

    def __init__(self, own: Numbers, need: Numbers, target: Optional[Numbers], how: Any) -> None:
        lists = [wide_or_narrow(own, "own"), wide_or_narrow(need, "need"),
                 None if target is None else wide_or_narrow(target, "target")]
        if any(one is not None and one.dtype != np.int32 for one in lists):
            lists = [None if one is None else numbers(one, "ids") for one in lists]
        equally_long("need and target", lists[1], lists[2])
        self.keep = lists
        self.owned, self.needed = _length(lists[0]), _length(lists[1])
        narrow = lists[0] is not None and lists[0].dtype == np.int32
        self.own, self.need, self.target = (ffi.NULL if narrow else pointer(one, "int64_t") for one in lists)
        if narrow:
            how.own_id32, how.need_id32, how.target32 = (pointer(one, "int32_t") for one in lists)


def _length(array: Optional[Array]) -> int:
    return 0 if array is None else len(array)


def _resolve_options(keep: List[Any], method: Optional[str], boundary: Optional[Numbers], limit: int, plan: Optional[Any]) -> Any:
    how = options_of("qdr_resolve_options")
    how.method, how.limit = chars(method, keep), limit
    if boundary is not None:
        places = numbers(boundary, "boundary")
        how.symmetric, how.boundaries, how.boundary = 1, len(places), pointer(places, "int64_t")
        keep.append(places)
    if plan is not None:
        how.map = plan
    return how


def resolve(comm: MPI.Comm, own: Numbers, need: Numbers, *, method: Optional[str] = None, boundary: Optional[Numbers] = None,
            limit: int = 0) -> Resolved:
    """Collective. This rank owns the items `own`, in this order, and needs those of `need`: who has them, and where?"""
    handle, null = handle_of(comm), ffi.NULL
    report = ffi.new("qdr_resolve_report *")
    with telling_others(lib.qdr_resolve, handle, -1, null, -1, null, null, null, null, report):
        keep: List[Any] = []
        how = _resolve_options(keep, method, boundary, limit, None)
        ids = _Ids(own, need, None, how)
    owner, place = np.zeros(ids.needed, np.int32), np.zeros(ids.needed, np.int64)
    check(lib.qdr_resolve(handle, ids.owned, ids.own, ids.needed, ids.need, how, pointer(owner, "int"), pointer(place, "int64_t"),
                          report))
    return Resolved(owner, place, ResolveReport(report.steps, report.lists, report.sent, report.memory))


def resolve_map(comm: MPI.Comm, own: Numbers, need: Numbers, target: Optional[Numbers] = None, *, method: Optional[str] = None,
                boundary: Optional[Numbers] = None, limit: int = 0, reverse: str = "none",
                plan: Optional[PlanOptions] = None) -> Map:
    """Collective. From "I own these, I need those" to the map that brings their values: own[i] is element i of its owner's array, and
    need[k] becomes element target[k] here (k without `target`)."""
    handle, null, cell = handle_of(comm), ffi.NULL, ffi.new("qdr_map **")
    keep: List[Any] = []
    with telling_others(lib.qdr_resolve_map, handle, -1, null, -1, null, null, null, cell):
        of_map = map_options(keep, reverse, plan)
        how = _resolve_options(keep, method, boundary, limit, of_map)
        ids = _Ids(own, need, target, how)
    check(lib.qdr_resolve_map(handle, ids.owned, ids.own, ids.needed, ids.need, ids.target, how, cell))
    made = Map.of_handle(cell)
    made._keep.extend(keep)
    return made
