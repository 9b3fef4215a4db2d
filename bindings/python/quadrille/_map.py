# SPDX-License-Identifier: BSD-3-Clause
"""Maps, plans at the level of elements: see quadrille/map.h."""
from __future__ import annotations

import dataclasses
import weakref
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from mpi4py import MPI

from ._arrays import (Array, Numbers, address, array_of, dense, element_of, equally_long, flattened, numbers, operations, pointer,
                      type_of, wide_or_narrow)
from ._base import Context, Owner, chars, check, options_of, refuse, telling_others, word_of
from ._c import ffi, lib
from ._partners import PartnersView, handle_of, view_of
from ._pending import Pending
from ._plan import Candidate, PlanInfo, PlanOptions, candidates_of, info_of
from ._schedule import Schedule

_reverses = ("none", "combine", "replace")
_combine = lib.QDR_COMBINE
_names = operations()
Combine = Callable[[Array, Array], None]


@dataclasses.dataclass
class Links:
    """One side of a map. Flat: link k is with rank[k]. With `count` it is grouped: partner i, which is rank[i], has count[i] links,
    one group after the other.

    `place` are elements of this rank's array, and 0, 1, 2 ... if it is left out; `partner_place` those at the other end, which the
    partner states if it is left out. Lists of 32 bits are used as they are; all other whole numbers become 64."""
    rank: Numbers
    place: Optional[Numbers] = None
    partner_place: Optional[Numbers] = None
    count: Optional[Numbers] = None

    def in_c(self, keep: List[Any]) -> Any:
        """As C has it; the lists live as long as `keep`."""
        made = ffi.new("qdr_indices *")
        ranks = numbers(self.rank, "rank", np.int32)
        places = {name: None if given is None else wide_or_narrow(given, name)
                  for name, given in (("place", self.place), ("partner_place", self.partner_place))}
        if self.count is None:
            made.links, made.link_rank = len(ranks), pointer(ranks, "int")
            equally_long("rank, place and partner_place", ranks, *places.values())
        else:
            counts = wide_or_narrow(self.count, "count")
            equally_long("rank and count", ranks, counts)
            links = int(counts.sum())
            for name, one in places.items():
                if one is not None and len(one) != links:
                    raise refuse(f"{name} has {len(one)} numbers; the counts add up to {links}")
            made.partners, made.rank = len(ranks), pointer(ranks, "int")
            _set(made, "count", counts)
            keep.append(counts)
        for name, one in places.items():
            _set(made, name, one)
        keep.extend((ranks, places, made))
        return made


def _set(made: Any, name: str, given: Optional[Array]) -> None:
    if given is not None and given.dtype == np.int32:
        setattr(made, name + "32", pointer(given, "int32_t"))
    elif given is not None:
        setattr(made, name, pointer(given, "int64_t"))


@dataclasses.dataclass
class Boxes:
    """One side of a map between regular arrays: boxes of this rank's array, each with one partner. `lower` and `count` have a row of
    numbers for each box, in the order in which the arrays' dimensions go."""
    extent: Numbers
    rank: Numbers
    lower: Any
    count: Any
    order: str = "row"

    def in_c(self, keep: List[Any]) -> Any:
        """As C has it."""
        made = ffi.new("qdr_boxes *")
        extent, ranks = numbers(self.extent, "extent"), numbers(self.rank, "rank", np.int32)
        made.dimensions, made.extent = len(extent), pointer(extent, "int64_t")
        made.boxes, made.rank = len(ranks), pointer(ranks, "int")
        made.order = word_of(("row", "column"), self.order, "order")
        for name in ("lower", "count"):
            flat = numbers(np.asarray(getattr(self, name)).reshape(-1), name)
            if len(flat) != len(ranks) * len(extent):
                raise refuse(f"{name} has {len(flat)} numbers; expected {len(extent)} for each of {len(ranks)} boxes")
            setattr(made, name, pointer(flat, "int64_t"))
            keep.append(flat)
        keep.extend((extent, ranks, made))
        return made


@ffi.def_extern()  # type: ignore[misc]
def quadrille_combine(context: Any, into: Any, given: Any, count: int, size: int) -> None:
    """Combines what has come with what is there, as the program says."""
    one = ffi.from_handle(context)
    function, dtype, inner = one.target
    shape = (count, *inner)

    def combine() -> None:
        there = np.frombuffer(ffi.buffer(into, count * size), dtype).reshape(shape)
        came = np.frombuffer(ffi.buffer(given, count * size), dtype).reshape(shape)
        function(there, came)

    one.call(None, combine)


class Field:
    """One array that a map exchanges, or two: what is read, and what is written. An element is what one index of the first dimension
    stands for; elements may be some way apart, and nothing is copied.

    The operation is "replace", "sum" and so on (`operations()`), or a function of yours, `function(there, came)`, which changes the
    array `there`. An array of structures is moved as it is; with an operation each of its fields is combined by itself.

    A Field that is made once saves most of what a call costs in Python."""

    __slots__ = ("_given", "_keep", "_contexts", "_reads", "_writes", "number", "_map")

    def __init__(self, source: Optional[Array], target: Optional[Array] = None, operation: Union[str, Combine] = "replace", *,
                 dimensions: int = 1, source_start: Optional[Numbers] = None, target_start: Optional[Numbers] = None) -> None:
        """Without a target it is one array, which is read and written. Where elements are counted by several dimensions, as in a map of
        boxes, `dimensions` says by how many. With `source_start` and `target_start` elements have varying
        sizes: element e is the values start[e] up to start[e + 1] of a flat array."""
        if target is None and source_start is None and target_start is None:
            target = source
        self._keep: List[Any] = [source, target]
        self._contexts: List[Context] = []
        self._map: Any = None  # for which it is known to be long enough
        reads = None if source is None else flattened(array_of(source, "source"), dimensions, "source")
        writes = None if target is None else flattened(array_of(target, "target", writable=True), dimensions, "target")
        if reads is None and writes is None:
            raise refuse("a field has neither a source nor a target")
        if reads is not None and writes is not None and reads.dtype != writes.dtype:
            raise refuse(f"the source holds {reads.dtype}, the target {writes.dtype}")
        self._reads = self._writes = 0
        if source_start is not None or target_start is not None:
            self._set_varying(reads, writes, source_start, target_start)
            return
        if reads is not None and writes is not None and reads.shape[1:] != writes.shape[1:]:
            raise refuse(f"an element of the source is {reads.shape[1:]}, of the target {writes.shape[1:]}")
        self._reads, self._writes = (0 if one is None else len(one) for one in (reads, writes))
        one = reads if reads is not None else writes
        assert one is not None
        if one.dtype.names and operation != "replace":
            parts = [(None if reads is None else reads[name], None if writes is None else writes[name]) for name in one.dtype.names]
        else:
            parts = [(reads, writes)]
        self.number = len(parts)
        self._given = ffi.new("qdr_field[]", len(parts))
        for made, (from_, into) in zip(self._given, parts):
            self._set(made, from_, into, operation)

    def _set(self, made: Any, reads: Optional[Array], writes: Optional[Array], operation: Union[str, Combine]) -> None:
        one = reads if reads is not None else writes
        assert one is not None
        made.type = lib.QDR_BYTE if operation == "replace" and one.dtype.names else type_of(one.dtype)
        sizes = []
        for name, array in (("source", reads), ("target", writes)):
            if array is not None:
                bytes_, stride = element_of(array, name)
                sizes.append(bytes_)
                setattr(made, name, address(array))
                setattr(made, name + "_stride", stride if stride != bytes_ else 0)
        made.width = sizes[0] // lib.qdr_type_bytes(made.type)
        if callable(operation):
            context = Context((operation, one.dtype, one.shape[1:]))
            self._contexts.append(context)
            made.operation, made.combine, made.context = _combine, lib.quadrille_combine, context.handle
            return
        made.operation = word_of(_names, operation, "operation")
        if made.operation and (made.type == lib.QDR_BYTE or not lib.qdr_operation_suits(made.operation, made.type)):
            raise refuse(f"{operation} is not defined for values of {one.dtype}")

    def _set_varying(self, reads: Optional[Array], writes: Optional[Array], source_start: Optional[Numbers],
                     target_start: Optional[Numbers]) -> None:
        self.number = 1
        self._given = ffi.new("qdr_field[]", 1)
        made = self._given[0]
        made.type, made.width = lib.QDR_BYTE, 0
        for name, array, start in (("source", reads, source_start), ("target", writes, target_start)):
            if (array is None) != (start is None):
                raise refuse(f"{name} and {name}_start belong together; only one of them was given")
            if array is None or start is None:
                continue
            flat, starts = dense(array, name), numbers(start, f"{name}_start")
            if flat.ndim != 1:
                raise refuse(f"{name} has {flat.ndim} dimensions; elements of varying size lie in a flat array")
            if len(starts) == 0 or starts[0] < 0 or (np.diff(starts) < 0).any() or starts[-1] > len(flat):
                raise refuse(f"{name}_start does not rise from 0 to at most {len(flat)}")
            scaled = starts * flat.itemsize
            self._keep.append(scaled)
            setattr(made, name, address(flat))
            setattr(made, name + "_start", pointer(scaled, "int64_t"))
            if name == "source":
                self._reads = len(starts) - 1
            else:
                self._writes = len(starts) - 1

    def raise_if_any(self) -> None:
        """What a function of the program has raised."""
        for context in self._contexts:
            context.raise_if_any()


Given = Union[Field, Array]


class GhostPlaces(NamedTuple):
    """Where ghosts lie that are kept where they arrived."""
    source: Array
    position: Array


def _lay_of(array: Any) -> Tuple[Any, ...]:
    """What may change of an array that stays where it is."""
    return array.shape, array.strides, array.dtype, array.flags.writeable


class Map(Owner):
    """Which elements of an array here go to which elements of an array there.

        halo = Map(comm, receives=Links(owner, place=here, partner_place=there))
        halo.exchange(u)
    """
    _type, _word, _destroy = "qdr_map", "map", lib.qdr_map_destroy
    _keeps = False
    _dimensions = 1  # that count elements
    _last: Tuple[Any, Any, Optional[Field]] = (None, None, None)  # the array that came alone, how it lay, and what it was made into

    def __init__(self, comm: MPI.Comm, sends: Optional[Links] = None, receives: Optional[Links] = None, *, reverse: str = "none",
                 plan: Optional[PlanOptions] = None, discovery: Optional[str] = None, unordered: bool = False,
                 keeps_incoming: bool = False, trusted: bool = False) -> None:
        """Collective. All ranks give the same sides: what leaves, what comes, or both; who needs what is discovered. `reverse` says
        which exchanges in reverse there will be: "none", "combine" or "replace"."""
        super().__init__()
        handle = handle_of(comm)
        wrong = ffi.new("qdr_indices *", {"links": -1})
        sides = (ffi.NULL if one is None else wrong for one in (sends, receives))
        with telling_others(lib.qdr_map_create, handle, *sides, ffi.NULL, self._cell):
            how = map_options(self._keep, reverse, plan, discovery, unordered, keeps_incoming, trusted)
            keep: List[Any] = []
            out, in_ = (ffi.NULL if one is None else one.in_c(keep) for one in (sends, receives))
        check(lib.qdr_map_create(handle, out, in_, how, self._cell))
        self._keeps = keeps_incoming
        self._look()

    @classmethod
    def from_boxes(cls, comm: MPI.Comm, sends: Boxes, receives: Boxes, *, reverse: str = "none", plan: Optional[PlanOptions] = None,
                   unordered: bool = False, keeps_incoming: bool = False, trusted: bool = False) -> "Map":
        """Collective. Boxes of regular arrays, such as halos; in time and memory that depend on the number of boxes alone."""
        made = cls._empty()
        handle = handle_of(comm)
        wrong = ffi.new("qdr_boxes *", {"dimensions": -1, "boxes": -1})
        with telling_others(lib.qdr_map_from_boxes, handle, wrong, wrong, ffi.NULL, made._cell):
            how = map_options(made._keep, reverse, plan, None, unordered, keeps_incoming, trusted)
            keep: List[Any] = []
            out, in_ = sends.in_c(keep), receives.in_c(keep)
        check(lib.qdr_map_from_boxes(handle, out, in_, how, made._cell))
        made._keeps = keeps_incoming
        made._dimensions = len(numbers(sends.extent, "extent"))
        made._look()
        return made

    @classmethod
    def _empty(cls) -> "Map":
        made = cls.__new__(cls)
        Owner.__init__(made)
        return made

    @classmethod
    def of_handle(cls, cell: Any) -> "Map":
        """Of a handle of C, which it takes over."""
        made = cls._empty()
        made._cell = cell
        made._look()
        return made

    def _look(self) -> None:
        sends, receives = ffi.new("int64_t *"), ffi.new("int64_t *")
        lib.qdr_map_reach(self._handle, sends, receives)
        self._reach = (int(sends[0]), int(receives[0]))
        self._version = object()

    def close(self) -> None:
        """Local. Gives back what it has."""
        super().close()
        self._version = object()  # no field is known to be right any more

    @property
    def reach(self) -> Tuple[int, int]:
        """Local. How many elements arrays must have: those that are sent from, and those that are received into."""
        return self._reach

    @property
    def partners(self) -> PartnersView:
        """Local. The partners and counts, until the next relist."""
        return view_of(lib.qdr_map_look(self._handle))

    def plan(self, reverse: bool = False) -> Optional[PlanInfo]:
        """Local. The plan behind it; None for a direction that was not asked for."""
        handle = lib.qdr_map_plan(self._handle, reverse)
        return None if handle == ffi.NULL else info_of(handle)

    def candidates(self, reverse: bool = False) -> List[Candidate]:
        """Local. What that plan could run, as exchanges have shown it."""
        return candidates_of(lib.qdr_map_plan(self._handle, reverse))

    def schedule(self, reverse: bool = False) -> Optional[Schedule]:
        """Local. What that plan runs, to be read by row; None where that is found at run time."""
        handle = lib.qdr_plan_schedule(lib.qdr_map_plan(self._handle, reverse))
        return None if handle == ffi.NULL else Schedule.borrowed(handle, self)

    def relist(self, sends: Optional[Links] = None, receives: Optional[Links] = None) -> None:
        """Local. Other lists for the same partners; a side that is left out stays."""
        keep: List[Any] = []
        out, in_ = (ffi.NULL if one is None else one.in_c(keep) for one in (sends, receives))
        check(lib.qdr_map_relist(self._handle, out, in_))
        self._look()

    def exchange(self, *fields: Given, reverse: bool = False) -> None:
        """Local. Exchanges these arrays or fields, in one message for each partner. An array is read and written."""
        field = self._met(fields[0]) if len(fields) == 1 else None
        if field is not None and field._map == (self._version, reverse):
            status = lib.qdr_map_exchange(self._cell[0], reverse, field.number, field._given)
            if status:
                check(status)
            if field._contexts:
                field.raise_if_any()
            return
        known, given, number = self._fields(fields, reverse)
        check(lib.qdr_map_exchange(self._handle, reverse, number, given))
        for one in known:
            one.raise_if_any()
        if len(fields) == 1:
            self._remember(fields[0], known[0])

    def _met(self, given: Given) -> Optional[Field]:
        """The field that it is, or that it was made into the last time."""
        if type(given) is Field:
            return given
        array, lay, field = self._last
        if field is None or array() is not given or lay != _lay_of(given):
            return None
        return field

    def start(self, *fields: Given, reverse: bool = False) -> Pending[None]:
        """Local. The same without waiting; the arrays are borrowed until it has ended."""
        known, given, number = self._fields(fields, reverse)
        cell = ffi.new("qdr_pending **")
        check(lib.qdr_map_start(self._handle, reverse, number, given, cell))

        def ended() -> None:
            for one in known:
                one.raise_if_any()
        return Pending(cell, ended, (self, known))

    def _remember(self, given: Given, field: Field) -> None:
        """An array that comes again costs little more than a Field. It is not kept alive; NumPy moves none that somebody refers to."""
        if isinstance(given, np.ndarray) and field._map is not None:
            field._keep.clear()
            self._last = (weakref.ref(given), _lay_of(given), field)

    def _fields(self, fields: Sequence[Given], reverse: bool) -> Tuple[List[Field], Any, int]:
        known = [self._fitting(one if isinstance(one, Field) else Field(one, dimensions=self._dimensions), reverse) for one in fields]
        if len(known) == 1:
            return known, known[0]._given, known[0].number
        number = sum(one.number for one in known)
        given = ffi.new("qdr_field[]", max(number, 1))
        at = 0
        for one in known:
            given[at:at + one.number] = one._given
            at += one.number
        return known, given, number

    def _fitting(self, field: Field, reverse: bool) -> Field:
        key = (self._version, reverse)
        if field._map != key:
            read, written = reversed(self._reach) if reverse else self._reach
            if field._reads < read:
                raise refuse(f"the source has {field._reads} elements; the map reads {read}")
            if field._writes < written and not self._keeps:
                raise refuse(f"the target has {field._writes} elements; the map writes {written}")
            field._map = key
        return field

    def incoming(self, partner: int, dtype: Any, inner: Sequence[int] = (), *, field: int = 0, reverse: bool = False) -> Array:
        """Local. With keeps_incoming: what came of one field from a partner, by its place in `partners`, as it lies in the library's
        memory: elements of this type and inner shape. It stays valid until the exchange after the next one starts."""
        view = self.partners
        counts = view.send_items if reverse else view.receive_items
        if not 0 <= partner < len(counts):
            raise refuse(f"there is no partner {partner}; expected 0 to {len(counts) - 1}")
        shape = (int(counts[partner]), *inner)
        memory = lib.qdr_map_incoming(self._handle, reverse, partner, field)
        known = np.dtype(dtype)
        if memory == ffi.NULL or 0 in shape:
            return np.empty((0, *inner), known)
        size = int(np.prod(shape)) * known.itemsize
        made: Array = np.frombuffer(ffi.buffer(memory, size), known).reshape(shape)
        return made

    def ghost_places(self, link_rank: Numbers, reverse: bool = False) -> GhostPlaces:
        """Local. With keeps_incoming: where each ghost of a flat list lies, once for all exchanges."""
        ranks = numbers(link_rank, "link_rank", np.int32)
        made = GhostPlaces(np.zeros(len(ranks), np.int32), np.zeros(len(ranks), np.int64))
        check(lib.qdr_map_ghost_places(self._handle, reverse, len(ranks), pointer(ranks, "int"), pointer(made.source, "int"),
                                       pointer(made.position, "int64_t")))
        return made

    def ghosts(self, places: GhostPlaces, *, field: int = 0, reverse: bool = False) -> Array:
        """Local. After an exchange: the addresses of these elements, where they lie."""
        source, position = numbers(places.source, "source", np.int32), numbers(places.position, "position")
        equally_long("source and position", source, position)
        made = np.zeros(len(source), np.uintp)
        check(lib.qdr_map_ghosts(self._handle, reverse, field, len(source), pointer(source, "int"), pointer(position, "int64_t"),
                                 ffi.cast("const void **", pointer(made, "char"))))
        return made


def map_options(keep: List[Any], reverse: str, plan: Optional[PlanOptions], discovery: Optional[str] = None,
                unordered: bool = False, keeps_incoming: bool = False, trusted: bool = False) -> Any:
    """Options of a map in C; what they point to lives as long as `keep`."""
    how = options_of("qdr_map_options")
    how.reverse = word_of(_reverses, reverse, "reverse")
    how.discovery = chars(discovery, keep)
    how.plan = ffi.NULL if plan is None else plan.in_c(keep)
    how.unordered, how.keeps_incoming, how.trusted = unordered, keeps_incoming, trusted
    keep.append(how)
    return how
