# SPDX-License-Identifier: BSD-3-Clause
"""Coupling, two parallel programs exchange parts of distributed arrays: see quadrille/couple.h."""
from __future__ import annotations

import dataclasses
from typing import Any, List, NamedTuple, Optional, Sequence

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from ._arrays import Array, copied, dense, operations, type_of
from ._base import Owner, Seconds, chars, check, options_of, refuse, seconds, text, word_of
from ._c import ffi, lib
from ._layout import Layout, Region
from ._partners import handle_of
from ._pending import Pending
from ._plan import PlanOptions

_matches = ("exact", "before", "after", "nearest")
_names = operations()


class Program(Owner):
    """This program, by its name. Closing it is collective, and so is the end of `with`."""
    _type, _word, _destroy, _is_local = "qdr_program", "program", lib.qdr_program_destroy, False

    def __init__(self, comm: MPI.Comm, name: str, deadline: Seconds = 0) -> None:
        """Collective over `comm`, which holds the ranks of this program, or of several that were launched together."""
        super().__init__()
        check(lib.qdr_program_create(handle_of(comm), name.encode(), seconds(deadline), self._cell))

    @property
    def comm(self) -> MPI.Intracomm:
        """Local. The communicator of this program's ranks alone: use it where a program that runs alone would use COMM_WORLD."""
        made = MPI.Intracomm()
        ffi.cast("MPI_Comm *", MPI._addressof(made))[0] = lib.qdr_program_comm(self._handle)
        return made


class CouplingView(NamedTuple):
    """How two programs found each other."""
    name: str
    peer: str
    ranks: int
    peer_ranks: int
    transport: str
    how: str
    latency: float
    refused: int


def _row(row: Any, given: Any) -> Any:
    values = (getattr(given, name) for name in row._fields)
    return row(*(text(value) or "" if isinstance(value, ffi.CData) and ffi.typeof(value).cname in ("char *", "const char *") else value
                 for value in values))


class Coupling(Owner):
    """This program and another one, which may come first or later. Closing it is collective."""
    _type, _word, _destroy, _is_local = "qdr_coupling", "coupling", lib.qdr_coupling_destroy, False

    def __init__(self, program: Program, peer: str, *, directory: Optional[str] = None, address: Optional[str] = None,
                 deadline: Seconds = 0, transport: Optional[str] = None) -> None:
        """Both programs. A program may be coupled with itself: then streams redistribute data inside it."""
        super().__init__()
        how, keep = options_of("qdr_coupling_options"), [program]
        how.directory, how.address = chars(directory, keep), chars(address, keep)
        how.transport, how.deadline = chars(transport, keep), seconds(deadline)
        check(lib.qdr_coupling_create(program._handle, peer.encode(), how, self._cell))
        self._rank = program.comm.rank

    def look(self) -> CouplingView:
        """Local."""
        view: CouplingView = _row(CouplingView, lib.qdr_coupling_look(self._handle))
        return view


@dataclasses.dataclass
class Coupled:
    """One array as one program has it. Fields of both programs are paired by name; without a region it is the whole array. Of an
    import, the operation says how a value that comes is combined with what is there."""
    name: str
    layout: Layout
    dtype: npt.DTypeLike
    region: Optional[Region] = None
    width: int = 1
    operation: str = "replace"


@dataclasses.dataclass
class StreamOptions:
    """How schedules of a stream are built, and how it runs; what is left out is chosen."""
    computes: Optional[str] = None
    back: Optional[str] = None
    descriptors: Optional[str] = None
    queue: int = 0
    fails_when_full: bool = False
    converts: bool = False
    checksums: bool = False
    plan: Optional[PlanOptions] = None
    deadline: Seconds = 0

    def in_c(self, keep: List[Any]) -> Any:
        """As C has them."""
        made = options_of("qdr_stream_options")
        for name in ("computes", "back", "descriptors"):
            setattr(made, name, chars(getattr(self, name), keep))
        for name in ("queue", "fails_when_full", "converts", "checksums"):
            setattr(made, name, getattr(self, name))
        made.plan = ffi.NULL if self.plan is None else self.plan.in_c(keep)
        made.deadline = seconds(self.deadline)
        return made


class StreamView(NamedTuple):
    """How a stream's schedules were built, and what runs."""
    name: str
    computed: str
    back: str
    descriptors: str
    why: str
    fields: int
    elements: int
    messages_out: int
    messages_in: int
    bytes_out: int
    bytes_in: int
    runs_out: int
    runs_in: int
    build_seconds: float
    inside_messages: int
    inside_bytes: int
    across_messages: int
    across_bytes: int
    peak_bytes: int
    exports: int
    imports: int
    queued: int
    queue_bytes: int


class Schedules(NamedTuple):
    """What this rank sends, or receives, of a field: with partner[i] the places place[start[i]] up to place[start[i + 1]]."""
    partner: Array
    start: Array
    place: Array


def _in_c(fields: Sequence[Coupled], keep: List[Any]) -> Any:
    made = ffi.new("qdr_coupled[]", max(len(fields), 1))
    for one, field in zip(made, fields):
        one.name, one.layout = chars(field.name, keep), field.layout._handle
        one.region = ffi.NULL if field.region is None else field.region._handle
        one.type, one.width = type_of(field.dtype), field.width
        if one.type == lib.QDR_BYTE:
            one.width = field.width * np.dtype(field.dtype).itemsize
        one.operation = word_of(_names, field.operation, "operation")
    keep.append(made)
    return made


class Stream(Owner):
    """A sequence of exports, each with a time, which imports of the other program ask for. Closing it is collective."""
    _type, _word, _destroy, _is_local = "qdr_stream", "stream", lib.qdr_stream_destroy, False

    def __init__(self, coupling: Coupling, name: str, exports: Sequence[Coupled] = (), imports: Sequence[Coupled] = (),
                 options: Optional[StreamOptions] = None) -> None:
        """Both programs, in the same order. One gives exports, the other imports; a program that is coupled with itself gives both."""
        super().__init__()
        self._exports, self._imports, self._rank = list(exports), list(imports), coupling._rank
        keep: List[Any] = []
        out, in_ = _in_c(self._exports, keep), _in_c(self._imports, keep)
        how = (options or StreamOptions()).in_c(self._keep)
        check(lib.qdr_stream_create(coupling._handle, name.encode(), len(self._exports), out, len(self._imports), in_, how, self._cell))

    def look(self) -> StreamView:
        """Local."""
        view: StreamView = _row(StreamView, lib.qdr_stream_look(self._handle))
        return view

    def schedule(self, field: int = 0, outgoing: bool = True) -> Schedules:
        """Local. Whom this rank exchanges which places of a field with: for checking and drawing."""
        count, partner = ffi.new("int *"), ffi.new("int **")
        start, place = ffi.new("int64_t **"), ffi.new("int64_t **")
        check(lib.qdr_stream_schedule(self._handle, outgoing, field, count, partner, start, place))
        starts = copied(start[0], count[0] + 1, np.int64)
        made = Schedules(copied(partner[0], count[0], np.int32), starts, copied(place[0], int(starts[-1]), np.int64))
        for one in (partner, start, place):
            lib.free(one[0])
        return made

    def _arrays(self, fields: Sequence[Coupled], arrays: Sequence[Array], writable: bool) -> Any:
        if len(arrays) != len(fields):
            raise refuse(f"there are {len(arrays)} arrays; the stream has {len(fields)} fields")
        made = ffi.new("void *[]", max(len(fields), 1))
        for place, (field, array) in enumerate(zip(fields, arrays)):
            held, dtype = dense(array, field.name, writable), np.dtype(field.dtype)
            if held.dtype != dtype:
                raise refuse(f"{field.name} holds {held.dtype}; the stream has {dtype}")
            room = field.layout.room(self._rank) * field.width
            if held.size < room:
                raise refuse(f"{field.name} has {held.size} values; its layout needs {room} on rank {self._rank}")
            made[place] = ffi.cast("void *", held.__array_interface__["data"][0])
        return made

    def export(self, time: float, *arrays: Array) -> None:
        """Collective. Copies an array for each exported field, and goes on; it is sent when it is asked for. Times rise."""
        check(lib.qdr_export(self._handle, time, self._arrays(self._exports, arrays, False)))

    def promise(self, time: float) -> None:
        """Collective. Nothing will be exported, or asked for, before this time."""
        check(lib.qdr_stream_promise(self._handle, time))

    def import_(self, time: float, *arrays: Array, match: str = "exact", tolerance: float = 0) -> Optional[float]:
        """Collective. Fills an array for each imported field with the export that matches: "exact", "before", "after" or "nearest",
        within the tolerance. Returns its time; None if it is certain that there is none, and then nothing is written."""
        data, matched = self._arrays(self._imports, arrays, True), ffi.new("double *")
        status = lib.qdr_import(self._handle, time, word_of(_matches, match, "match"), tolerance, data, matched)
        if status == lib.QDR_ERR_UNMATCHED:
            return None
        check(status)
        return float(matched[0])

    def import_start(self, time: float, *arrays: Array, match: str = "exact", tolerance: float = 0) -> Pending[float]:
        """Collective. The same without waiting; where nothing matches, wait() raises UNMATCHED."""
        data, matched = self._arrays(self._imports, arrays, True), ffi.new("double *")
        cell = ffi.new("qdr_pending **")
        check(lib.qdr_import_start(self._handle, time, word_of(_matches, match, "match"), tolerance, data, matched, cell))
        return Pending(cell, lambda: float(matched[0]), (self, arrays, data))
