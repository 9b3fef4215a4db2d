# SPDX-License-Identifier: BSD-3-Clause
"""Plans, patterns that are run over and over: see quadrille/plan.h."""
from __future__ import annotations

import dataclasses
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._arrays import Array, Numbers, dense, numbers, pointer
from ._base import Context, Owner, Seconds, check, chars, options_of, refuse, seconds, text, texts_of
from ._c import ffi, lib
from ._machine import Machine
from ._partners import Partners, PartnersView
from ._pending import Pending
from ._schedule import Schedule

_events = ("start", "grant", "send", "arrival", "end", "window")
Data = Union[Array, Sequence[Optional[Array]]]


class Event(NamedTuple):
    """One thing that happened in an exchange, by this rank's own clock."""
    kind: str
    seconds: float
    exchange: int
    partner: int
    phase: int
    offset: int
    bytes: int


@ffi.def_extern()  # type: ignore[misc]
def quadrille_trace(context: Any, event: Any) -> None:
    """An event of a plan."""
    one = ffi.from_handle(context)
    one.call(None, one.target, Event(_events[event.kind], *(getattr(event, name) for name in Event._fields[1:])))


@dataclasses.dataclass
class PlanOptions:
    """How a plan runs. All that is left out is chosen; all but trace and deadline are the same on all ranks."""
    algorithm: Optional[str] = None
    machine: Optional[Machine] = None
    pacing: Optional[str] = None
    chunk: int = 0
    window: int = 0
    transport: Optional[str] = None
    barrier: bool = False
    in_flight: int = 0
    deadline: Seconds = 0
    trace: Optional[Callable[[Event], None]] = None
    reuse: int = 0
    item_bytes: int = 0

    def in_c(self, keep: List[Any]) -> Any:
        """As C has them; what they point to lives as long as `keep`."""
        made = options_of("qdr_plan_options")
        for name in ("algorithm", "pacing", "transport"):
            setattr(made, name, chars(getattr(self, name), keep))
        for name in ("chunk", "window", "barrier", "in_flight", "reuse", "item_bytes"):
            setattr(made, name, getattr(self, name))
        if self.machine is not None:
            made.machine = self.machine._handle
        made.deadline = seconds(self.deadline)
        if self.trace is not None:
            context = Context(self.trace)
            made.trace, made.trace_context = lib.quadrille_trace, context.handle
            keep.append(context)
        keep.append(made)
        return made


class PlanInfo(NamedTuple):
    """What a plan runs, and why."""
    algorithm: str
    pacing: str
    transport: str
    why: str
    chunk: int
    window: int
    stages: int
    phases: int
    messages_out: int
    messages_in: int
    near_out: int
    near_in: int
    items_out: int
    items_in: int
    in_flight: int
    exchanges: int
    staging_items: int
    build_seconds: float


def info_of(handle: Any) -> PlanInfo:
    """Of a plan of C."""
    made = ffi.new("qdr_plan_info *")
    check(lib.qdr_plan_look(handle, made))
    values = (getattr(made, name) for name in PlanInfo._fields)
    return PlanInfo(*(text(value) or "" if isinstance(value, ffi.CData) else value for value in values))


class Candidate(NamedTuple):
    """One way in which a plan can run its exchanges; 0 seconds: it was not tried, or is the only one."""
    algorithm: str
    pacing: str
    seconds: float
    tries: int
    in_use: bool


def candidates_of(handle: Any) -> List[Candidate]:
    """Of a plan of C."""
    rows: List[Candidate] = []
    one = ffi.new("qdr_candidate *")
    while lib.qdr_plan_candidate(handle, len(rows), one) == lib.QDR_OK:
        rows.append(Candidate(text(one.algorithm) or "", text(one.pacing) or "", one.seconds, one.tries, bool(one.in_use)))
    return rows


class Pacing(NamedTuple):
    """When the next chunk goes."""
    name: str
    summary: str


def pacings() -> List[Pacing]:
    """Local."""
    return texts_of(lib.qdr_pacing, Pacing, Pacing._fields)


def stall_report() -> str:
    """Local. The most recent stall, in several lines: who waits for whom."""
    return text(lib.qdr_stall_report()) or ""


class Plan(Owner):
    """A pattern bound to a communicator, made once and run often.

        plan = Plan(Partners.from_sends(comm, destination, items))
        incoming = plan.exchange(outgoing)
    """
    _type, _word, _destroy = "qdr_plan", "plan", lib.qdr_plan_destroy

    def __init__(self, partners: Partners, algorithm: Optional[str] = None, *, options: Optional[PlanOptions] = None,
                 schedule: Optional[Schedule] = None, **changes: Any) -> None:
        """Collective. `changes` are fields of PlanOptions: Plan(partners, "paced", window=65536). With a schedule it runs that."""
        super().__init__()
        how = dataclasses.replace(options or PlanOptions(), **changes)
        if algorithm is not None:
            how = dataclasses.replace(how, algorithm=algorithm)
        given = how.in_c(self._keep)
        self._view: PartnersView = partners.look()
        if schedule is None:
            check(lib.qdr_plan_create(partners._handle, given, self._cell))
        else:
            check(lib.qdr_plan_create_scheduled(partners._handle, schedule._handle, given, self._cell))

    def look(self) -> PlanInfo:
        """Local. What runs, and why."""
        return info_of(self._handle)

    @property
    def partners(self) -> PartnersView:
        """Local. Whom this rank sends to and receives from; buffers follow this order."""
        return self._view

    def candidates(self) -> List[Candidate]:
        """Local. What it could run, as its exchanges have shown it."""
        return candidates_of(self._handle)

    def tune(self) -> None:
        """Local, by all ranks between the same two exchanges. Forgets what candidates have shown, and tries them again."""
        check(lib.qdr_plan_tune(self._handle))

    def schedule(self) -> Optional[Schedule]:
        """Local. What it runs, to be read by row; None where that is found at run time."""
        handle = lib.qdr_plan_schedule(self._handle)
        return None if handle == ffi.NULL else Schedule.borrowed(handle, self)

    def start(self, outgoing: Data, incoming: Optional[Data] = None, *, outgoing_items: Optional[Numbers] = None,
              incoming_items: Optional[Numbers] = None, outgoing_offset: Optional[Numbers] = None,
              incoming_offset: Optional[Numbers] = None) -> Pending[Data]:
        """Local. Starts an exchange; wait() of what it returns gives what came. Arguments are those of exchange()."""
        given, keep, result = self._buffers(outgoing, incoming, outgoing_items, incoming_items, outgoing_offset, incoming_offset)
        cell = ffi.new("qdr_pending **")
        check(lib.qdr_plan_start(self._handle, given, cell))
        return Pending(cell, lambda: self._ended(result), (self, keep))

    def exchange(self, outgoing: Data, incoming: Optional[Data] = None, *, outgoing_items: Optional[Numbers] = None,
                 incoming_items: Optional[Numbers] = None, outgoing_offset: Optional[Numbers] = None,
                 incoming_offset: Optional[Numbers] = None) -> Data:
        """Local. Sends `outgoing` and returns what came.

        Each is an array with an item for each index of its first dimension, partner after partner in the order of `partners`, or
        where the offsets say; or a list with an array for each partner. Without `incoming` an array is made. The numbers of items
        are those of the partners, unless they are given for this exchange, which not all algorithms can do."""
        given, _keep, result = self._buffers(outgoing, incoming, outgoing_items, incoming_items, outgoing_offset, incoming_offset)
        check(lib.qdr_plan_exchange(self._handle, given))
        return self._ended(result)

    def _ended(self, result: Data) -> Data:
        for one in self._keep:
            if isinstance(one, Context):
                one.raise_if_any()
        return result

    def _buffers(self, outgoing: Data, incoming: Optional[Data], outgoing_items: Optional[Numbers],
                 incoming_items: Optional[Numbers], outgoing_offset: Optional[Numbers],
                 incoming_offset: Optional[Numbers]) -> Tuple[Any, Any, Data]:
        made = ffi.new("qdr_buffers *")
        out = _Side("outgoing", outgoing, self._view.send_items, outgoing_items, outgoing_offset, False)
        if incoming is None:
            amounts = self._view.receive_items if incoming_items is None else numbers(incoming_items, "incoming_items")
            incoming = np.empty((int(amounts.sum()), *out.inner), out.dtype)
        in_ = _Side("incoming", incoming, self._view.receive_items, incoming_items, incoming_offset, True)
        if out.item_bytes and in_.item_bytes and out.item_bytes != in_.item_bytes:
            raise refuse(f"an outgoing item has {out.item_bytes} bytes, an incoming one {in_.item_bytes}")
        made.item_bytes = out.item_bytes or in_.item_bytes
        if out.is_list:
            made.outgoing = out.pointers
        else:
            made.outgoing_base = out.base
        if in_.is_list:
            made.incoming = in_.pointers
        else:
            made.incoming_base = in_.base
        made.outgoing_offset, made.outgoing_items = out.offset, out.items
        made.incoming_offset, made.incoming_items = in_.offset, in_.items
        return made, (out, in_, made), incoming


class _Side:
    """One side of an exchange: where its items are, held against how many there have to be."""

    def __init__(self, name: str, data: Data, usual: Array, items: Optional[Numbers], offset: Optional[Numbers],
                 writable: bool) -> None:
        self._name, self._partners = name, len(usual)
        own = None if items is None else self._list(items, "items")
        places = None if offset is None else self._list(offset, "offset")
        wanted = usual if own is None else own
        self._keep: List[Any] = [own, places, data]
        self.items, self.offset = pointer(own, "int64_t"), pointer(places, "int64_t")
        self.is_list = not isinstance(data, np.ndarray)
        if isinstance(data, np.ndarray):
            self._take_array(dense(data, name, writable), wanted, places)
        elif isinstance(data, (list, tuple)):
            self._take_list(data, wanted, writable)
        else:
            raise refuse(f"{name} is {type(data).__name__}; expected an array, or a list with an array for each partner")

    def _list(self, given: Numbers, what: str) -> Array:
        made = numbers(given, f"{self._name}_{what}")
        if len(made) != self._partners:
            raise refuse(f"{self._name}_{what} has {len(made)} numbers; expected one for each of {self._partners} partners")
        if (made < 0).any():
            raise refuse(f"{self._name}_{what} has {made.min()}; expected no number below 0")
        return made

    def _take_array(self, array: Array, wanted: Array, places: Optional[Array]) -> None:
        self.dtype, self.inner = array.dtype, array.shape[1:]
        self.item_bytes = array.itemsize * int(np.prod(array.shape[1:], dtype=np.int64))
        needed = int(wanted.sum()) if places is None else int((wanted + places)[wanted > 0].max(initial=0))
        if len(array) < needed:
            raise refuse(f"{self._name} has {len(array)} items; the exchange needs {needed}")
        self.base = pointer(array, "void")

    def _take_list(self, arrays: Sequence[Optional[Array]], wanted: Array, writable: bool) -> None:
        if len(arrays) != self._partners:
            raise refuse(f"{self._name} has {len(arrays)} arrays; expected one for each of {self._partners} partners")
        self.pointers = ffi.new("void *[]", max(self._partners, 1))
        self._keep.append(self.pointers)
        self.dtype, self.inner, self.item_bytes = np.dtype("u1"), (), 0
        for place, (array, count) in enumerate(zip(arrays, wanted)):
            if array is None or count == 0:
                if count:
                    raise refuse(f"{self._name}[{place}] is None; the exchange needs {count} items there")
                continue
            one = dense(array, f"{self._name}[{place}]", writable)
            bytes_ = one.itemsize * int(np.prod(one.shape[1:], dtype=np.int64))
            if self.item_bytes not in (0, bytes_):
                raise refuse(f"{self._name}[{place}] has items of {bytes_} bytes, those before it of {self.item_bytes}")
            if len(one) < count:
                raise refuse(f"{self._name}[{place}] has {len(one)} items; the exchange needs {count}")
            self.dtype, self.inner, self.item_bytes = one.dtype, one.shape[1:], bytes_
            self.pointers[place] = pointer(one, "void")
