# SPDX-License-Identifier: BSD-3-Clause
"""Schedules, from a pattern to phases: checked, predicted, compared, drawn. See quadrille/schedule.h."""
from __future__ import annotations

import html
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from ._arrays import Array, Numbers, copied, numbers, pointer
from ._base import Error, Owner, Status, check, refuse, text
from ._c import ffi, lib
from ._machine import Machine
from ._pattern import Pattern, read, written

_knowledge = ("row", "row and column", "matrix")
_promises = ("permutation", "pairs", "links", "limit")
step_type = np.dtype({"names": ["stage", "origin", "destination", "phase", "items", "start", "end"],
                      "formats": ["i4", "i4", "i4", "i8", "i8", "f8", "f8"],
                      "offsets": [ffi.offsetof("qdr_step", name)
                                  for name in ("stage", "from", "to", "phase", "items", "start", "end")],
                      "itemsize": ffi.sizeof("qdr_step")})


class Algorithm(NamedTuple):
    """An algorithm of the table."""
    name: str
    aliases: str
    summary: str
    source: str
    options: str
    knowledge: str
    promises: Sequence[str]
    direct: bool
    at_run_time: bool
    needs_machine: bool
    by_nodes: bool


def _promised(bits: int) -> Sequence[str]:
    return tuple(word for place, word in enumerate(_promises) if bits >> place & 1)


def _algorithm_of(given: Any) -> Algorithm:
    values: Dict[str, Any] = {name: text(getattr(given, name)) or "" for name in Algorithm._fields[:5]}
    values.update(knowledge=_knowledge[given.knowledge], promises=_promised(given.promises))
    values.update({name: bool(getattr(given, name)) for name in Algorithm._fields[7:]})
    return Algorithm(**values)


def algorithms() -> List[Algorithm]:
    """Local. All algorithms, those that are scheduled at run time too."""
    rows: List[Algorithm] = []
    while lib.qdr_algorithm(len(rows)) != ffi.NULL:
        rows.append(_algorithm_of(lib.qdr_algorithm(len(rows))))
    return rows


def algorithm(name: str) -> Algorithm:
    """Local. The one of this name, or of this name in the papers."""
    found = ffi.new("qdr_algorithm_info **")
    check(lib.qdr_algorithm_find(name.encode(), found))
    return _algorithm_of(found[0])


class ScheduleInfo(NamedTuple):
    """What a schedule is."""
    algorithm: str
    spec: str
    promises: Sequence[str]
    ranks: int
    stages: int
    phases: int
    transfers: int
    direct: bool


class Piece(NamedTuple):
    """A range of a message, in items."""
    origin: int
    destination: int
    offset: int
    length: int


class Transfer(NamedTuple):
    """What goes from one rank to another in a phase."""
    phase: int
    partner: int
    items: int
    pieces: Sequence[Piece]


class Row(NamedTuple):
    """What one rank does in one stage: the communication phase table of NICE."""
    rank: int
    stage: int
    send: Sequence[Transfer]
    receive: Sequence[Transfer]


class Prediction(NamedTuple):
    """What a schedule takes on a machine."""
    seconds: float
    barrier_seconds: float
    max_link_load: float
    unconfirmed: int
    unsafe: bool


class Bounds(NamedTuple):
    """Below which no exchange of a pattern can be on a machine, in seconds."""
    full_duplex: float
    half_duplex: float
    link: float
    relay: float
    direct: float
    any: float
    ports: float


def _handle_or_null(machine: Optional[Machine]) -> Any:
    return ffi.NULL if machine is None else machine._handle


class Schedule(Owner):
    """The phases of a pattern: `Schedule(pattern, "coloring")`. It never changes."""
    _type, _word, _destroy = "qdr_schedule", "schedule", lib.qdr_schedule_destroy

    def __init__(self, pattern: Pattern, algorithm: str, machine: Optional[Machine] = None) -> None:
        """Local. The same arguments give the same schedule everywhere."""
        super().__init__()
        check(lib.qdr_schedule_create(pattern._handle, algorithm.encode(), _handle_or_null(machine), self._cell))
        self._pattern: Optional[Pattern] = pattern

    @classmethod
    def from_json(cls, content: str, pattern: Pattern, machine: Optional[Machine] = None, name: str = "text") -> "Schedule":
        """Local. Reads what to_json() wrote. Nothing but its form is certain until check() has been called."""
        made = cls.__new__(cls)
        Owner.__init__(made)
        read(content, lambda stream: lib.qdr_schedule_read_json(stream, name.encode(), pattern._handle, _handle_or_null(machine),
                                                                made._cell))
        made._pattern = pattern
        return made

    @classmethod
    def borrowed(cls, handle: Any, owner: object) -> "Schedule":
        """A schedule that belongs to a plan."""
        made = _Borrowed.__new__(_Borrowed)
        Owner.__init__(made)
        made._cell[0] = handle
        made._pattern = None
        made._keep.append(owner)
        return made

    def look(self) -> ScheduleInfo:
        """Local."""
        given = ffi.new("qdr_schedule_info *")
        check(lib.qdr_schedule_look(self._handle, given))
        return ScheduleInfo(text(given.algorithm) or "", text(given.spec) or "", _promised(given.promises), given.ranks, given.stages,
                            given.phases, given.transfers, bool(given.direct))

    def pattern_text(self) -> str:
        """Local. The pattern that it is of, as a file of Matrix Market."""
        return written(lambda stream: lib.qdr_pattern_write(lib.qdr_schedule_pattern(self._handle), stream))

    def row(self, rank: int, stage: int = 0) -> Row:
        """Local. All that one rank does in one stage."""
        known = self.look()
        if not 0 <= rank < known.ranks or not 0 <= stage < max(known.stages, 1):
            raise refuse(f"there is no rank {rank} in stage {stage}; the schedule has {known.ranks} ranks and {known.stages} stages")
        reader, given = ffi.new("qdr_row_reader **"), ffi.new("qdr_row *")
        check(lib.qdr_row_reader_create(self._handle, reader))
        try:
            check(lib.qdr_row_read(reader[0], rank, stage, given))
            return Row(rank, stage, _transfers(given.send, given.sends, given.piece),
                       _transfers(given.receive, given.receives, given.piece))
        finally:
            lib.qdr_row_reader_destroy(reader)

    def steps(self) -> Array:
        """Local. All transfers, by rising stage, phase and origin: an array with fields stage, origin, destination, phase, items, and
        start and end, which are 0 until predicted_steps() has them."""
        count, list_ = ffi.new("int64_t *"), ffi.new("qdr_step **")
        check(lib.qdr_schedule_steps(self._handle, count, list_))
        return _owned_steps(count[0], list_[0])

    def check(self) -> None:
        """Local. Raises BROKEN unless every item arrives exactly once, and every phase keeps what the algorithm promises."""
        check(lib.qdr_schedule_check(self._handle))

    def predict(self, machine: Machine, item_bytes: int = 1) -> Prediction:
        """Local. What it takes."""
        return self._predict(machine, item_bytes, ffi.NULL)

    def predicted_steps(self, machine: Machine, item_bytes: int = 1) -> Array:
        """Local. steps(), with start and end in seconds."""
        made = self.steps()
        self._predict(machine, item_bytes, pointer(made, "qdr_step"))
        return made

    def _predict(self, machine: Machine, item_bytes: int, steps: Any) -> Prediction:
        made = ffi.new("qdr_prediction *")
        check(lib.qdr_schedule_predict(self._handle, machine._handle, item_bytes, steps, made))
        return Prediction(made.seconds, made.barrier_seconds, made.max_link_load, made.unconfirmed, bool(made.unsafe))

    def to_json(self) -> str:
        """Local. Every transfer and piece."""
        return written(lambda stream: lib.qdr_schedule_write_json(self._handle, stream))

    def to_text(self) -> str:
        """Local. A line for each phase, as the papers print theirs."""
        return steps_text(self.steps())

    def to_svg(self, machine: Union[Machine, str] = "crossbar", item_bytes: int = 1, title: Optional[str] = None) -> str:
        """Local. A picture: the pattern as a heat map, and the steps as bars, ranks by predicted time, one colour per partner."""
        known = self.look()
        of = Machine(machine, known.ranks) if isinstance(machine, str) else machine
        made = self.predicted_steps(of, item_bytes)
        limits = ffi.new("qdr_bounds *")
        check(lib.qdr_bounds_compute(lib.qdr_schedule_pattern(self._handle), of._handle, item_bytes, limits))
        named = (title or f"{known.spec} on {of.spec}").encode()
        return written(lambda stream: lib.qdr_schedule_write_svg(self._handle, len(made), pointer(made, "qdr_step"), limits.direct,
                                                                 named, stream))

    def __repr__(self) -> str:
        if self.closed:
            return "<Schedule, closed>"
        known = self.look()
        return f"<Schedule {known.spec} of {known.ranks} ranks: {known.phases} phases, {known.transfers} transfers>"

    def _repr_svg_(self) -> str:
        return self.to_svg()


class _Borrowed(Schedule):
    """A schedule of a plan, whose end is not its own."""
    _destroy = staticmethod(lambda cell: cell.__setitem__(0, ffi.NULL))  # type: ignore[assignment]


def _transfers(given: Any, count: int, piece: Any) -> Sequence[Transfer]:
    made = []
    for one in given[0:count]:
        pieces = tuple(Piece(part.origin, part.destination, part.offset, part.length)
                       for part in piece[one.first:one.first + one.pieces])
        made.append(Transfer(one.phase, one.partner, one.items, pieces))
    return tuple(made)


def _owned_steps(count: int, given: Any) -> Array:
    made = copied(given, count, step_type)
    lib.free(given)
    return made


def _steps_of(steps: Array) -> Array:
    if not isinstance(steps, np.ndarray) or steps.dtype != step_type or not steps.flags.c_contiguous or steps.ndim != 1:
        raise refuse("steps are not an array as Schedule.steps() makes them")
    return steps


def steps_text(steps: Array) -> str:
    """Local. A line for each phase that is not empty."""
    return written(lambda stream: lib.qdr_steps_write_text(len(_steps_of(steps)), pointer(steps, "qdr_step"), stream))


def predict_steps(steps: Array, machine: Machine, item_bytes: int = 1) -> Prediction:
    """Local. What any list of steps takes; fills in their start and end."""
    made = ffi.new("qdr_prediction *")
    check(lib.qdr_steps_predict(len(_steps_of(steps)), pointer(steps, "qdr_step"), machine._handle, item_bytes, made))
    return Prediction(made.seconds, made.barrier_seconds, made.max_link_load, made.unconfirmed, bool(made.unsafe))


def broadcast_steps(algorithm: str, group: Numbers, items: int) -> Array:
    """Local. How group[0] brings items to the others: "linear" or "recursive"."""
    members = numbers(group, "group", np.int32)
    count, list_ = ffi.new("int64_t *"), ffi.new("qdr_step **")
    check(lib.qdr_broadcast_steps(algorithm.encode(), len(members), pointer(members, "int"), items, count, list_))
    return _owned_steps(count[0], list_[0])


def bounds(pattern: Pattern, machine: Machine, item_bytes: int = 1) -> Bounds:
    """Local. Lower bounds on any exchange of the pattern."""
    made = ffi.new("qdr_bounds *")
    check(lib.qdr_bounds_compute(pattern._handle, machine._handle, item_bytes, made))
    return Bounds(*(getattr(made, name) for name in Bounds._fields))


def predict_way(pattern: Pattern, machine: Machine, algorithm: str, pacing: Optional[str] = None, item_bytes: int = 1,
                barrier: bool = False, window: int = 0) -> float:
    """Local. Seconds of an exchange in one way, as plans do it, pacing included."""
    names = [ffi.new("char[]", algorithm.encode()), ffi.NULL if pacing is None else ffi.new("char[]", pacing.encode())]
    way = ffi.new("qdr_way *", {"algorithm": names[0], "pacing": names[1], "barrier": barrier, "window": window})
    made = ffi.new("double *")
    check(lib.qdr_way_predict(pattern._handle, way, machine._handle, item_bytes, made))
    return float(made[0])


def candidates(pattern: Pattern, reuse: int = 0) -> List[str]:
    """Local. The algorithms that a plan of this pattern would try, the most promising first."""
    names: List[str] = []
    while True:
        name = text(lib.qdr_auto_candidate(pattern._handle, reuse, len(names)))
        if name is None:
            return names
        names.append(name)


def reason(pattern: Pattern) -> str:
    """Local. Why the first of candidates() comes first, in one sentence."""
    return text(lib.qdr_auto_reason(pattern._handle)) or ""


class Table:
    """Algorithms side by side. A notebook shows it as a table; `to_pandas()` makes a frame of it."""

    def __init__(self, rows: Sequence[Dict[str, Any]], bound: float, title: str) -> None:
        self.rows = list(rows)
        self.bound = bound
        self.title = title

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> Dict[str, Any]:
        return self.rows[place]

    @property
    def best(self) -> Dict[str, Any]:
        """The fastest."""
        if not self.rows:
            raise refuse("the table is empty; no algorithm could be used")
        return self.rows[0]

    def _cells(self) -> List[List[str]]:
        decimals = 3 if self.rows and self.rows[0]["milliseconds"] >= 1 else 6
        return [[row["algorithm"], str(row["phases"]), str(row["transfers"]), f"{row['milliseconds']:.{decimals}f}",
                 f"{row['of_bound']:.3f}"] for row in self.rows]

    _heads = ("algorithm", "phases", "transfers", "ms", "of bound")

    def __str__(self) -> str:
        lines = [list(self._heads)] + self._cells()
        widths = [max(len(line[place]) for line in lines) for place in range(len(self._heads))]
        return "\n".join("  ".join(word.ljust(width) if place == 0 else word.rjust(width)
                                   for place, (word, width) in enumerate(zip(line, widths))).rstrip() for line in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{word}</th>" for word in self._heads)
        body = "".join(f"<tr><td>{html.escape(name)}</td>" + "".join(f'<td style="text-align:right">{cell}</td>' for cell in rest)
                       + "</tr>" for name, *rest in self._cells())
        return f"<table><caption>{html.escape(self.title)}</caption><tr>{heads}</tr>{body}</table>"

    def to_pandas(self) -> Any:
        """As a frame of pandas."""
        import pandas  # pylint: disable=import-outside-toplevel # wanted here alone
        return pandas.DataFrame(self.rows)


def compare(pattern: Pattern, machine: Union[Machine, str] = "crossbar", algorithms: Optional[Sequence[str]] = None,
            item_bytes: int = 1) -> Table:
    """Local. Predicts algorithms on a machine, the fastest first: all that can be scheduled beforehand, or those that are named."""
    of = Machine(machine, pattern.ranks) if isinstance(machine, str) else machine
    bound = bounds(pattern, of, item_bytes).direct
    rows = []
    for name in algorithms if algorithms is not None else _usual():
        try:
            with Schedule(pattern, name, of) as schedule:
                known, seconds = schedule.look(), schedule.predict(of, item_bytes).seconds
        except Error as error:
            if algorithms is not None or error.status == Status.MEMORY:
                raise
            continue  # it is for other patterns, or other numbers of ranks
        rows.append({"algorithm": name, "phases": known.phases, "transfers": known.transfers, "milliseconds": 1e3 * seconds,
                     "of_bound": seconds / bound if bound > 0 else 1.0})
    rows.sort(key=lambda row: (row["milliseconds"], row["algorithm"]))
    return Table(rows, bound, f"{repr(pattern).strip('<>')}, on {of.spec}")


def _usual() -> List[str]:
    return [one.name for one in algorithms() if not one.at_run_time]
