# SPDX-License-Identifier: BSD-3-Clause
"""Layouts and regions, how an array lies on the ranks and which of its elements are meant: see quadrille/layout.h."""
from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._arrays import Array, Numbers, copied, equally_long, numbers, pointer
from ._base import Context, Owner, UnknownError, check, options_of, refuse, word_of
from ._c import ffi, lib

HERE: int = lib.QDR_HERE
"""The rank that a layout which knows only what was stated here gives to it."""

_spreads = ("whole", "block", "cyclic", "cuts")
_orders = ("row", "column")
Dereference = Callable[[Array], Tuple[Numbers, Numbers]]


class Axis(NamedTuple):
    """How one dimension is dealt out: `spread` is "whole", "block", "cyclic" or "cuts"."""
    extent: int
    spread: str = "whole"
    parts: int = 1
    block: int = 0
    cut: Optional[Numbers] = None
    ghost_below: int = 0
    ghost_above: int = 0


class Box(NamedTuple):
    """A box of an array, lower <= index < upper, and where it lies in this rank's memory."""
    lower: Numbers
    upper: Numbers
    stride: Optional[Numbers] = None
    offset: int = 0


def _order(order: str) -> int:
    return word_of(_orders, order, "order")


def _list(given: Optional[Numbers], what: str, length: int) -> Optional[Array]:
    if given is None:
        return None
    made = numbers(given, what)
    if len(made) != length:
        raise refuse(f"{what} has {len(made)} numbers; expected {length}")
    return made


@ffi.def_extern(error=1)  # type: ignore[misc]
def quadrille_dereference(context: Any, count: int, element: Any, owner: Any, place: Any) -> int:
    """Asks the program where elements are."""
    one = ffi.from_handle(context)

    def ask() -> int:
        owners, places = one.target(copied(element, count, np.int64))
        listed, where = numbers(owners, "owner", np.int32), numbers(places, "place")
        if len(listed) != count or len(where) != count:
            raise refuse(f"the function has returned {len(listed)} owners and {len(where)} places; expected {count}")
        ffi.memmove(owner, pointer(listed, "char"), listed.nbytes)
        ffi.memmove(place, pointer(where, "char"), where.nbytes)
        return 0

    return int(one.call(1, ask))


class Layout(Owner):
    """Which rank owns each element of an array, and where in that rank's memory it lies."""
    _type, _word, _destroy = "qdr_layout", "layout", lib.qdr_layout_destroy
    _dimensions = 0

    def __init__(self, *axes: Axis, order: str = "row", stride: Optional[Numbers] = None, offset: int = 0,
                 rank: Optional[Numbers] = None) -> None:
        """Local. A regular one: an Axis for each dimension; the same on all ranks."""
        super().__init__()
        self._dimensions = len(axes)
        keep: List[Any] = []
        given = ffi.new("qdr_axis[]", max(len(axes), 1))
        parts = 1
        for one, axis in zip(given, axes):
            cut = _list(axis.cut, "cut", axis.parts + 1)
            keep.append(cut)
            one.extent, one.spread, one.parts = axis.extent, word_of(_spreads, axis.spread, "spread"), axis.parts
            one.block, one.cut = axis.block, pointer(cut, "int64_t")
            one.ghost_below, one.ghost_above = axis.ghost_below, axis.ghost_above
            parts *= max(axis.parts, 1)
        storage = options_of("qdr_storage")
        steps = _list(stride, "stride", len(axes))
        ranks = None if rank is None else numbers(rank, "rank", np.int32)
        if ranks is not None and len(ranks) != parts:
            raise refuse(f"rank has {len(ranks)} numbers; expected one for each of {parts} parts")
        storage.order, storage.offset = _order(order), offset
        storage.stride, storage.rank = pointer(steps, "int64_t"), pointer(ranks, "int")
        check(lib.qdr_layout_regular(len(axes), given, storage, self._cell))

    @classmethod
    def _empty(cls, extent: Numbers) -> Tuple["Layout", Array]:
        made = cls.__new__(cls)
        Owner.__init__(made)
        sides = numbers(extent, "extent")
        made._dimensions = len(sides)
        return made, sides

    @classmethod
    def boxes(cls, extent: Numbers, boxes: Sequence[Box], order: str = "row") -> "Layout":
        """Local. This rank's boxes of an array of this extent; every rank states its own."""
        made, sides = cls._empty(extent)
        keep: List[Any] = []
        given = ffi.new("qdr_box[]", max(len(boxes), 1))
        for one, box in zip(given, boxes):
            lists = [_list(box.lower, "lower", len(sides)), _list(box.upper, "upper", len(sides)),
                     _list(box.stride, "stride", len(sides))]
            keep.append(lists)
            one.lower, one.upper, one.stride = (pointer(each, "int64_t") for each in lists)
            one.offset = box.offset
        check(lib.qdr_layout_boxes(len(sides), pointer(sides, "int64_t"), _order(order), len(boxes), given, made._cell))
        return made

    @classmethod
    def runs(cls, extent: Numbers, first: Numbers, count: Optional[Numbers] = None) -> "Layout":
        """Local. This rank owns first[i], first[i] + 1 ... of the elements in row-major order, count[i] of them (one each)."""
        made, sides = cls._empty(extent)
        starts = numbers(first, "first")
        counts = _list(count, "count", len(starts))
        check(lib.qdr_layout_runs(len(sides), pointer(sides, "int64_t"), len(starts), pointer(starts, "int64_t"),
                                  pointer(counts, "int64_t"), made._cell))
        return made

    @classmethod
    def entries(cls, extent: Numbers, element: Numbers, owner: Numbers, place: Numbers) -> "Layout":
        """Local. This rank states that element[i] is owned by owner[i], and lies at place[i] there."""
        made, sides = cls._empty(extent)
        elements, owners, places = numbers(element, "element"), numbers(owner, "owner", np.int32), numbers(place, "place")
        equally_long("element, owner and place", elements, owners, places)
        check(lib.qdr_layout_entries(len(sides), pointer(sides, "int64_t"), len(elements), pointer(elements, "int64_t"),
                                     pointer(owners, "int"), pointer(places, "int64_t"), made._cell))
        return made

    @classmethod
    def dereferenced(cls, extent: Numbers, first: int, count: int, function: Dereference) -> "Layout":
        """Local. `function(elements)` returns owners and places; this rank answers for first .. first + count - 1."""
        made, sides = cls._empty(extent)
        context = Context(function)
        status = lib.qdr_layout_dereferenced(len(sides), pointer(sides, "int64_t"), first, count, lib.quadrille_dereference,
                                             context.handle, made._cell)
        context.raise_if_any()
        check(status)
        return made

    def _index(self, index: Numbers) -> Array:
        made = numbers(index, "index")
        if len(made) != self._dimensions:
            raise refuse(f"the index has {len(made)} numbers; the array has {self._dimensions} dimensions")
        return made

    def locate(self, index: Numbers) -> Tuple[int, int]:
        """Local. The owner of an element, and its place there."""
        rank, place = ffi.new("int *"), ffi.new("int64_t *")
        check(lib.qdr_layout_locate(self._handle, pointer(self._index(index), "int64_t"), rank, place))
        return int(rank[0]), int(place[0])

    def index(self, rank: int, place: int) -> Tuple[int, ...]:
        """Local. Which element lies there."""
        made = ffi.new("int64_t[]", max(self._dimensions, 1))
        check(lib.qdr_layout_index(self._handle, rank, place, made))
        return tuple(made[0:self._dimensions])

    def share(self, rank: int) -> Tuple[int, int]:
        """Local. How many elements a rank owns, and how many its memory must have room for."""
        elements, room = ffi.new("int64_t *"), ffi.new("int64_t *")
        check(lib.qdr_layout_share(self._handle, rank, elements, room))
        return int(elements[0]), int(room[0])

    def room(self, rank: int) -> int:
        """Local. How many elements this rank's own memory must have room for."""
        for known in (rank, HERE):
            try:
                return self.share(known)[1]
            except UnknownError:
                continue
            except ValueError:
                continue
        return 0


class Region(Owner):
    """An ordered set of elements of an array."""
    _type, _word, _destroy = "qdr_region", "region", lib.qdr_region_destroy

    def __init__(self, dimensions: int, order: str = "row") -> None:
        """Local. An empty one; `order` is that of the elements inside a box."""
        super().__init__()
        self._dimensions = dimensions
        check(lib.qdr_region_create(dimensions, _order(order), self._cell))

    @classmethod
    def all(cls, layout: Layout, order: str = "row") -> "Region":
        """Local. The whole array."""
        made = cls.__new__(cls)
        Owner.__init__(made)
        made._dimensions = layout._dimensions
        check(lib.qdr_region_all(layout._handle, _order(order), made._cell))
        return made

    def add_box(self, lower: Numbers, upper: Numbers, stride: Optional[Numbers] = None) -> "Region":
        """Local. Adds lower, lower + stride ... below upper, in each dimension; returns the region."""
        lists = [_list(lower, "lower", self._dimensions), _list(upper, "upper", self._dimensions),
                 _list(stride, "stride", self._dimensions)]
        check(lib.qdr_region_add_box(self._handle, *(pointer(one, "int64_t") for one in lists)))
        return self

    def add_list(self, index: Any) -> "Region":
        """Local. Adds single elements, in this order: an array with a row of indices for each; returns the region."""
        made = np.asarray(index)
        if made.ndim == 1 and self._dimensions == 1:
            made = made.reshape(-1, 1)
        if made.ndim != 2 or made.shape[1] != self._dimensions:
            raise refuse(f"the list has shape {made.shape}; expected a row of {self._dimensions} numbers for each element")
        flat = numbers(made.reshape(-1), "index")
        check(lib.qdr_region_add_list(self._handle, len(made), pointer(flat, "int64_t")))
        return self

    def __len__(self) -> int:
        return int(lib.qdr_region_elements(self._handle))

    def number(self, index: Numbers) -> int:
        """Local. Which element of the region this is."""
        made = ffi.new("int64_t *")
        wanted = _list(index, "index", self._dimensions)
        check(lib.qdr_region_number(self._handle, pointer(wanted, "int64_t"), made))
        return int(made[0])

    def index(self, number: int) -> Tuple[int, ...]:
        """Local. The index of an element of the region."""
        made = ffi.new("int64_t[]", max(self._dimensions, 1))
        check(lib.qdr_region_index(self._handle, number, made))
        return tuple(made[0:self._dimensions])
