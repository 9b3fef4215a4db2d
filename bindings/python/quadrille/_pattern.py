# SPDX-License-Identifier: BSD-3-Clause
"""Patterns, who sends how much to whom: see quadrille/pattern.h."""
from __future__ import annotations

import os
from typing import Any, Callable, List, NamedTuple, Tuple, Union

import numpy as np

from . import _pictures
from ._arrays import Array, Numbers, copied, equally_long, numbers, pointer
from ._base import Owner, check, refuse, text, texts_of
from ._c import ffi, lib

Path = Union[str, "os.PathLike[str]"]


def written(write: Callable[[Any], Any]) -> str:
    """What C writes to a stream, as a text."""
    letters, count = ffi.new("char **"), ffi.new("size_t *")
    stream = lib.open_memstream(letters, count)
    if stream == ffi.NULL:
        raise MemoryError
    status = write(stream)
    lib.fclose(stream)
    made: str = ffi.buffer(letters[0], count[0])[:].decode("utf-8", "replace")
    lib.free(letters[0])
    check(status)
    return made


def read(content: str, take: Callable[[Any], Any]) -> None:
    """Gives C a text as a stream."""
    letters = ffi.new("char[]", content.encode() or b"\n")
    stream = lib.fmemopen(letters, max(len(letters) - 1, 1), b"r")
    status = take(stream)
    lib.fclose(stream)
    check(status)


class Statistics(NamedTuple):
    """Of the messages off the diagonal."""
    ranks: int
    messages: int
    items: int
    local_items: int
    density: float
    fan_out: int
    fan_in: int
    degree: int
    out_traffic: int
    in_traffic: int
    traffic: int
    both_traffic: int
    smallest: int
    largest: int
    mean: float
    deviation: float
    uniform: bool
    equal_traffic: bool
    symmetric_structure: bool
    kind: str


class Family(NamedTuple):
    """A family of patterns that Pattern() makes from a text."""
    name: str
    summary: str
    source: str
    example: str
    options: str


class Pattern(Owner):
    """Who sends how much to whom: a sparse matrix, which never changes.

    `Pattern("random:n=64,density=0.25,bytes=512")` generates one; `pattern_families()` lists what there is."""
    _type, _word, _destroy = "qdr_pattern", "pattern", lib.qdr_pattern_destroy

    def __init__(self, spec: str) -> None:
        """Local."""
        super().__init__()
        check(lib.qdr_pattern_from_spec(spec.encode(), self._cell))

    @classmethod
    def of_handle(cls, cell: Any) -> "Pattern":
        """Of a handle of C, which it takes over."""
        made = cls.__new__(cls)
        Owner.__init__(made)
        made._cell = cell
        return made

    @classmethod
    def from_messages(cls, ranks: int, origin: Numbers, destination: Numbers, items: Numbers) -> "Pattern":
        """Local. Message k goes from origin[k] to destination[k]; no pair twice."""
        rows, columns = numbers(origin, "origin", np.int32), numbers(destination, "destination", np.int32)
        amounts = numbers(items, "items")
        equally_long("origin, destination and items", rows, columns, amounts)
        kind = np.dtype([("origin", "i4"), ("destination", "i4"), ("items", "i8")])
        messages = np.zeros(len(rows), kind)
        messages["origin"], messages["destination"], messages["items"] = rows, columns, amounts
        cell = ffi.new("qdr_pattern **")
        check(lib.qdr_pattern_create(ranks, len(rows), pointer(messages, "qdr_message"), cell))
        return cls.of_handle(cell)

    @classmethod
    def from_matrix(cls, matrix: Any) -> "Pattern":
        """Local. Of a square matrix, one of NumPy or a sparse one of SciPy: entry (i, j) is what rank i sends to rank j."""
        if hasattr(matrix, "tocoo"):
            entries = matrix.tocoo(copy=True)
            entries.sum_duplicates()
            shape, rows, columns, amounts = entries.shape, entries.row, entries.col, entries.data
        else:
            full = np.asarray(matrix)
            shape = full.shape
            if full.ndim != 2:
                raise refuse(f"the matrix has {full.ndim} dimensions; expected two")
            rows, columns = np.nonzero(full)
            amounts = full[rows, columns]
        if shape[0] != shape[1]:
            raise refuse(f"the matrix is {shape[0]} x {shape[1]}; expected a row and a column for each rank")
        whole = np.asarray(amounts).astype(np.int64)
        if not np.array_equal(whole, amounts):
            raise refuse("the matrix has entries that are not whole numbers")
        return cls.from_messages(shape[0], rows, columns, whole)

    @classmethod
    def from_text(cls, content: str, name: str = "text", pattern_items: int = 0) -> "Pattern":
        """Local. Reads a file of Matrix Market; where it has no values, each entry stands for so many items."""
        cell = ffi.new("qdr_pattern **")
        read(content, lambda stream: lib.qdr_pattern_read(stream, name.encode(), pattern_items, cell))
        return cls.of_handle(cell)

    @classmethod
    def load(cls, path: Path, pattern_items: int = 0) -> "Pattern":
        """Local. The same from a file on disk."""
        with open(path, encoding="utf-8", errors="replace") as file:
            return cls.from_text(file.read(), os.fspath(path), pattern_items)

    def to_text(self) -> str:
        """Local. As a file of Matrix Market."""
        return written(lambda stream: lib.qdr_pattern_write(self._handle, stream))

    def save(self, path: Path) -> None:
        """Local."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_text())

    @property
    def _view(self) -> Any:
        return lib.qdr_pattern_look(self._handle)

    @property
    def ranks(self) -> int:
        """Local."""
        return int(self._view.ranks)

    def messages(self) -> Tuple[Array, Array, Array]:
        """Local. Origin, destination and items of all messages off the diagonal, by rising origin and destination."""
        view = self._view
        return (copied(view.origin, view.messages, np.int32), copied(view.destination, view.messages, np.int32),
                copied(view.items, view.messages, np.int64))

    def local(self) -> Array:
        """Local. What stays on each rank: the diagonal."""
        view = self._view
        return copied(view.local, view.ranks, np.int64)

    def matrix(self) -> Array:
        """Local. All of it, the diagonal included, as a full matrix."""
        origin, destination, items = self.messages()
        made: Array = np.diag(self.local())
        made[origin, destination] = items
        return made

    def to_scipy(self) -> Any:
        """Local. All of it as a sparse matrix of SciPy, by rows."""
        from scipy import sparse  # pylint: disable=import-outside-toplevel # wanted here alone
        origin, destination, items = self.messages()
        local = self.local()
        (kept,) = np.nonzero(local)
        rows, columns = np.concatenate((origin, kept)), np.concatenate((destination, kept))
        return sparse.csr_matrix((np.concatenate((items, local[kept])), (rows, columns)), shape=(self.ranks, self.ranks))

    def measure(self) -> Statistics:
        """Local. Degrees, traffic, sizes, and the class that the transportation paper puts it in."""
        made = ffi.new("qdr_pattern_statistics *")
        lib.qdr_pattern_measure(self._handle, made)
        values = {name: getattr(made, name) for name in Statistics._fields}
        for name in ("uniform", "equal_traffic", "symmetric_structure"):
            values[name] = bool(values[name])
        values["kind"] = text(lib.qdr_pattern_class_text(made.kind))
        return Statistics(**values)

    def __repr__(self) -> str:
        if self.closed:
            return "<Pattern, closed>"
        known = self.measure()
        return f"<Pattern of {known.ranks} ranks: {known.kind}, {known.messages} messages, {known.items} items>"

    def _repr_svg_(self) -> str:
        return _pictures.matrix(self)


def pattern_families() -> List[Family]:
    """Local. What Pattern() can generate, with an example for each."""
    return texts_of(lib.qdr_pattern_family, Family, Family._fields)
