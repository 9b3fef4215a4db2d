# SPDX-License-Identifier: BSD-3-Clause
"""Moves, schedules for when memory is short: see quadrille/moves.h."""
from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from ._arrays import Array, Numbers, copied, numbers, pointer
from ._base import Owner, check, refuse, text, texts_of
from ._c import ffi, lib
from ._pattern import Pattern, written

move_type = np.dtype({"names": ["message", "offset", "units", "origin", "destination"], "formats": ["i8", "i8", "i8", "i4", "i4"],
                      "offsets": [ffi.offsetof("qdr_move", name) for name in ("message", "offset", "units", "from", "to")],
                      "itemsize": ffi.sizeof("qdr_move")})


class MovesMethod(NamedTuple):
    """A way to schedule moves."""
    name: str
    summary: str
    promise: str
    options: str
    parks: bool


def moves_methods() -> List[MovesMethod]:
    """Local."""
    rows = texts_of(lib.qdr_moves_method, MovesMethod, MovesMethod._fields)
    return [row._replace(parks=bool(row.parks)) for row in rows]


class MovesInfo(NamedTuple):
    """What moves are: total units, units of room, the fewest phases that there could be, units that are parked on the way."""
    method: str
    ranks: int
    phases: int
    total: int
    room: int
    bound: int
    parked: int


def _room_of(pattern: Pattern, room: Numbers) -> Array:
    made = numbers(room, "room")
    if len(made) != pattern.ranks:
        raise refuse(f"room has {len(made)} numbers; expected one for each of {pattern.ranks} ranks")
    return made


class Moves(Owner):
    """Phases in which data moves to where it belongs; none takes in more than there is room for."""
    _type, _word, _destroy = "qdr_moves", "list of moves", lib.qdr_moves_destroy

    def __init__(self, pattern: Pattern, room: Numbers, method: Optional[str] = None) -> None:
        """Local. `room` is what each rank can take in beyond what it has, in the items of the pattern."""
        super().__init__()
        self._pattern, self._room = pattern, _room_of(pattern, room)
        name = ffi.NULL if method is None else method.encode()
        check(lib.qdr_moves_create(pattern._handle, pointer(self._room, "int64_t"), name, self._cell))

    @property
    def _view(self) -> Any:
        return lib.qdr_moves_look(self._handle)

    def look(self) -> MovesInfo:
        """Local."""
        view = self._view
        return MovesInfo(text(view.method) or "", view.ranks, view.phases, view.total, view.room, view.bound, view.parked)

    def phases(self) -> List[Array]:
        """Local. The moves of each phase, as arrays with fields message, offset, units, origin and destination."""
        view = self._view
        start = copied(view.phase_start, view.phases + 1, np.int64)
        moves = copied(view.move, int(start[-1]), move_type)
        return [moves[start[phase]:start[phase + 1]] for phase in range(view.phases)]

    def check(self) -> None:
        """Local. Raises BROKEN unless every unit arrives exactly once, and no rank takes in more than it has room for."""
        check(lib.qdr_moves_check(self._pattern._handle, pointer(self._room, "int64_t"), self._handle))

    def to_text(self) -> str:
        """Local. Phase by phase."""
        return written(lambda stream: lib.qdr_moves_write_text(self._handle, stream))

    def to_json(self) -> str:
        """Local."""
        return written(lambda stream: lib.qdr_moves_write_json(self._handle, stream))

    def to_svg(self) -> str:
        """Local. A picture: the memory of each rank over the phases."""
        return written(lambda stream: lib.qdr_moves_write_svg(self._pattern._handle, pointer(self._room, "int64_t"), self._handle,
                                                              stream))

    def _repr_svg_(self) -> str:
        return self.to_svg()


def least_room(pattern: Pattern) -> Tuple[int, int]:
    """Local. The least room, the same on all ranks, with which the data can be moved: with parking, and without."""
    parking, without = ffi.new("int64_t *"), ffi.new("int64_t *")
    check(lib.qdr_moves_least_room(pattern._handle, parking, without))
    return int(parking[0]), int(without[0])
