# SPDX-License-Identifier: BSD-3-Clause
"""Migration, items go to the ranks that are to own them, within a memory limit: see quadrille/migrate.h."""
from __future__ import annotations

import pickle
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, TypeVar

import numpy as np
from mpi4py import MPI

from ._arrays import Array, Numbers, dense, numbers, pointer
from ._base import Context, Error, Seconds, chars, check, options_of, refuse, seconds, telling_others, text
from ._c import ffi, lib
from ._partners import handle_of
from ._pending import Pending

Progress = Callable[[int, int, int, int], None]
Item = TypeVar("Item")


class MigrationReport(NamedTuple):
    """What a migration took: items that left this rank and came to it, bytes of all ranks, and the memory of this one."""
    method: str
    phases: int
    bound: int
    left: int
    came: int
    bytes: int
    parked_bytes: int
    memory: int
    peak: int


class Migrated(NamedTuple):
    """This rank's items, as the beginning of the array that was given, and what it took."""
    items: Array
    report: MigrationReport


@ffi.def_extern()  # type: ignore[misc]
def quadrille_progress(context: Any, phase: int, phases: int, moved: int, size: int) -> None:
    """How far a migration is."""
    one = ffi.from_handle(context)
    one.call(None, one.target, phase, phases, moved, size)


class _How:
    """Options, report, and what progress has raised."""

    def __init__(self, method: Optional[str], memory: int, progress: Optional[Progress], deadline: Seconds) -> None:
        self._keep: List[Any] = []
        self.options = options_of("qdr_migration_options")
        self.options.method, self.options.memory = chars(method, self._keep), memory
        self.options.deadline = seconds(deadline)
        self.context: Optional[Context] = None
        if progress is not None:
            self.context = Context(progress)
            self.options.progress, self.options.context = lib.quadrille_progress, self.context.handle
        self._report = ffi.new("qdr_migration_report *")

    @property
    def report_cell(self) -> Any:
        """Where C writes it."""
        return self._report

    def report(self) -> MigrationReport:
        """What it took."""
        if self.context is not None:
            self.context.raise_if_any()
        values = (getattr(self._report, name) for name in MigrationReport._fields[1:])
        return MigrationReport(text(self._report.method) or "", *values)


class _Array:
    """An array of items as C moves it."""

    def __init__(self, items: Array, destination: Numbers) -> None:
        self.items = dense(items, "items", writable=True)
        self.destination = numbers(destination, "destination", np.int32).copy()
        if len(self.destination) > len(self.items):
            raise refuse(f"there are {len(self.destination)} destinations for an array of {len(self.items)} items")
        self.count = ffi.new("int64_t *", len(self.destination))
        self.item_bytes = self.items.itemsize * int(np.prod(self.items.shape[1:], dtype=np.int64))

    def arguments(self) -> Tuple[Any, ...]:
        """Of the call of C."""
        return (self.count, len(self.items), pointer(self.items, "void"), self.item_bytes, pointer(self.destination, "int"))

    def kept(self) -> Array:
        """The items of this rank."""
        return self.items[:self.count[0]]


def _prepare(handle: Any, items: Array, destination: Numbers, how: Tuple[Any, ...]) -> Tuple[_Array, _How]:
    null, cell = ffi.NULL, ffi.new("qdr_pending **")
    wrong = ffi.new("int64_t *", -1)
    with telling_others(lib.qdr_migrate_array_start, handle, wrong, -1, null, 1, null, null, null, cell):
        return _Array(items, destination), _How(*how)


def migrate(comm: MPI.Comm, items: Array, destination: Numbers, *, method: Optional[str] = None, memory: int = 0,
            progress: Optional[Progress] = None, deadline: Seconds = 0) -> Migrated:
    """Collective. Item i, one index of the first dimension, goes to rank destination[i]; there is one for each item that this rank has.

    The array may be longer than that: the rest is room for what comes, and is all the room there is; with a `memory` limit, in
    bytes, tables count too. It is changed in place, and the items that this rank has at the end are at its beginning."""
    handle = handle_of(comm)
    array, how = _prepare(handle, items, destination, (method, memory, progress, deadline))
    check(lib.qdr_migrate_array(handle, *array.arguments(), how.options, how.report_cell))
    return Migrated(array.kept(), how.report())


def migrate_start(comm: MPI.Comm, items: Array, destination: Numbers, *, method: Optional[str] = None, memory: int = 0,
                  progress: Optional[Progress] = None, deadline: Seconds = 0) -> Pending[Migrated]:
    """Collective. The same without waiting for the data; until it has ended the array is borrowed."""
    handle, cell = handle_of(comm), ffi.new("qdr_pending **")
    array, how = _prepare(handle, items, destination, (method, memory, progress, deadline))
    check(lib.qdr_migrate_array_start(handle, *array.arguments(), how.options, how.report_cell, cell))
    return Pending(cell, lambda: Migrated(array.kept(), how.report()), (array, how))


# ---- objects -----------------------------------------------------------------------------------------------------------------------


class _Objects:
    """Python's own objects, packed one by one as they leave."""

    def __init__(self, objects: Sequence[Any], destination: Numbers, dumps: Callable[[Any], bytes],
                 loads: Callable[[bytes], Any]) -> None:
        self.here: Dict[int, Any] = dict(enumerate(objects))
        self.came: List[Any] = []
        self._packed: Dict[int, bytes] = {}
        self._dumps, self._loads = dumps, loads
        self.destination = numbers(destination, "destination", np.int32)
        if len(self.destination) != len(self.here):
            raise refuse(f"there are {len(self.here)} objects and {len(self.destination)} destinations")
        self.context = Context(self)
        self.given = ffi.new("qdr_objects *")
        self.given.count, self.given.destination = len(self.here), pointer(self.destination, "int")
        self.given.size, self.given.pack = lib.quadrille_object_size, lib.quadrille_object_pack
        self.given.release, self.given.unpack = lib.quadrille_object_release, lib.quadrille_object_unpack
        self.given.context = self.context.handle

    def size(self, number: int) -> int:
        """Packs it, as its size is wanted."""
        self._packed[number] = self._dumps(self.here[number])
        return len(self._packed[number])

    def pack(self, number: int, memory: Any) -> int:
        """What was packed leaves."""
        packed = self._packed.pop(number, None)
        if packed is None:
            packed = self._dumps(self.here[number])
        ffi.memmove(memory, packed, len(packed))
        return 0

    def release(self, number: int) -> int:
        """Another rank has it."""
        del self.here[number]
        return 0

    def unpack(self, memory: Any, size: int) -> int:
        """It has come."""
        self.came.append(self._loads(bytes(ffi.buffer(memory, size))))
        return 0

    def kept(self) -> List[Any]:
        """What this rank has: those that stayed, in their order, and those that came."""
        self.context.raise_if_any()
        return list(self.here.values()) + self.came

    def check(self, status: int) -> None:
        """What the program raised comes before what C makes of it."""
        if status:
            try:
                check(status)
            except Error as error:
                self.context.error, cause = None, self.context.error
                raise error from cause


@ffi.def_extern(error=-1)  # type: ignore[misc]
def quadrille_object_size(context: Any, number: int) -> int:
    """Of an object that leaves."""
    one = ffi.from_handle(context)
    return int(one.call(-1, one.target.size, number))


@ffi.def_extern(error=1)  # type: ignore[misc]
def quadrille_object_pack(context: Any, number: int, memory: Any) -> int:
    """An object leaves."""
    one = ffi.from_handle(context)
    return int(one.call(1, one.target.pack, number, memory))


@ffi.def_extern(error=1)  # type: ignore[misc]
def quadrille_object_release(context: Any, number: int) -> int:
    """An object has left."""
    one = ffi.from_handle(context)
    return int(one.call(1, one.target.release, number))


@ffi.def_extern(error=1)  # type: ignore[misc]
def quadrille_object_unpack(context: Any, _from: int, memory: Any, size: int) -> int:
    """An object comes."""
    one = ffi.from_handle(context)
    return int(one.call(1, one.target.unpack, memory, size))


def _objects(handle: Any, objects: Sequence[Any], destination: Numbers, dumps: Callable[[Any], bytes], loads: Callable[[bytes], Any],
             how: Tuple[Any, ...]) -> Tuple[_Objects, _How]:
    wrong, null, cell = ffi.new("qdr_objects *", {"count": -1}), ffi.NULL, ffi.new("qdr_pending **")
    with telling_others(lib.qdr_migrate_objects_start, handle, wrong, null, null, cell):
        return _Objects(objects, destination, dumps, loads), _How(*how)


def migrate_objects(comm: MPI.Comm, objects: Sequence[Item], destination: Numbers, *, dumps: Callable[[Item], bytes] = pickle.dumps,
                    loads: Callable[[bytes], Item] = pickle.loads, method: Optional[str] = None, memory: int = 0,
                    progress: Optional[Progress] = None, deadline: Seconds = 0) -> Tuple[List[Item], MigrationReport]:
    """Collective. The i-th object goes to rank destination[i], packed by `dumps` and unpacked by `loads`; those that stay are not
    touched. Returns what this rank has: those that stayed, then those that came.

    If an object cannot be packed or unpacked, it stays where it is, the others move, and all ranks raise one error."""
    handle = handle_of(comm)
    moved, how = _objects(handle, objects, destination, dumps, loads, (method, memory, progress, deadline))
    moved.check(lib.qdr_migrate_objects(handle, moved.given, how.options, how.report_cell))
    return moved.kept(), how.report()


def migrate_objects_start(comm: MPI.Comm, objects: Sequence[Item], destination: Numbers, *,
                          dumps: Callable[[Item], bytes] = pickle.dumps, loads: Callable[[bytes], Item] = pickle.loads,
                          method: Optional[str] = None, memory: int = 0, progress: Optional[Progress] = None,
                          deadline: Seconds = 0) -> Pending[Tuple[List[Item], MigrationReport]]:
    """Collective. The same without waiting for the data."""
    handle, cell = handle_of(comm), ffi.new("qdr_pending **")
    moved, how = _objects(handle, objects, destination, dumps, loads, (method, memory, progress, deadline))
    moved.check(lib.qdr_migrate_objects_start(handle, moved.given, how.options, how.report_cell, cell))
    return Pending(cell, lambda: (moved.kept(), how.report()), (moved, how))
