# SPDX-License-Identifier: BSD-3-Clause
"""Failures as exceptions, objects that own something of C, texts, and the version: see quadrille/base.h."""
from __future__ import annotations

import contextlib
import datetime
import enum
from typing import Any, Callable, ClassVar, Dict, Iterator, List, NamedTuple, Optional, Sequence, Type, TypeVar, Union

from ._c import ffi, lib

Seconds = Union[float, datetime.timedelta]
Self = TypeVar("Self", bound="Owner")


class Status(enum.IntEnum):
    """What went wrong, in one word."""
    OK = 0
    INVALID = 1
    SYNTAX = 2
    UNKNOWN = 3
    RANGE = 4
    MEMORY = 5
    FILE = 6
    VALUELESS = 7
    BROKEN = 8
    RUNTIME = 9
    MPI = 10
    MISMATCH = 11
    STALLED = 12
    LOST = 13
    GONE = 14
    BUSY = 15
    PEER = 16
    UNMATCHED = 17
    DEADLOCK = 18
    FULL = 19

    @property
    def text(self) -> str:
        """The fixed text of a status."""
        return text(lib.qdr_status_text(int(self))) or ""


class Error(Exception):
    """Something failed. `status` says what, in a word; the exception's text is one sentence that says what was wrong, and where.

    After a collective call all ranks raise the same."""
    status: Status = Status.INVALID

    @staticmethod
    def of(status: int, sentence: str) -> "Error":
        """The exception of a status, of the class that suits it."""
        made = _classes.get(Status(status), Error)(sentence)
        made.status = Status(status)
        return made


class ArgumentError(Error, ValueError):
    """An argument is not what it should be: INVALID, SYNTAX, RANGE or VALUELESS."""


class UnknownError(Error, LookupError):
    """A name, an id or a place that is not known: UNKNOWN."""


class StalledError(Error, TimeoutError):
    """The deadline passed: STALLED. `stall_report()` has more lines."""


class PeerError(Error, ConnectionError):
    """The other program is gone: PEER."""


class OutOfMemoryError(Error, MemoryError):
    """There is no memory: MEMORY."""


class FileError(Error, OSError):
    """A file cannot be read or written: FILE."""


_classes: Dict[Status, Type[Error]] = {
    Status.INVALID: ArgumentError, Status.SYNTAX: ArgumentError, Status.RANGE: ArgumentError, Status.VALUELESS: ArgumentError,
    Status.UNKNOWN: UnknownError, Status.STALLED: StalledError, Status.PEER: PeerError, Status.MEMORY: OutOfMemoryError,
    Status.FILE: FileError}


def check(status: int) -> None:
    """Raises what a status of C means, unless it is well."""
    if status:
        raise Error.of(status, text(lib.qdr_error_message()) or "")


def refuse(sentence: str) -> ArgumentError:
    """The exception for what Python itself finds wrong."""
    made = ArgumentError(sentence)
    made.status = Status.INVALID
    return made


def version() -> str:
    """Local. The version of the library that runs."""
    return text(lib.qdr_version()) or ""


def text(given: Any) -> Optional[str]:
    """A text of C; None for NULL."""
    return None if given == ffi.NULL else ffi.string(given).decode("utf-8", "replace")


def chars(given: Optional[str], keep: List[Any]) -> Any:
    """A text for C, which lives as long as `keep`."""
    if given is None:
        return ffi.NULL
    made = ffi.new("char[]", given.encode())
    keep.append(made)
    return made


def seconds(given: Seconds) -> float:
    """A deadline as C counts it."""
    return given.total_seconds() if isinstance(given, datetime.timedelta) else float(given)


def word_of(words: Sequence[str], word: str, what: str) -> int:
    """The number of a word in a list; a sentence that has the list if it is not there."""
    try:
        return words.index(word)
    except ValueError:
        raise refuse(f"{what} is {word!r}; expected {', '.join(words)}") from None


@contextlib.contextmanager
def telling_others(function: Callable[..., Any], *arguments: Any) -> Iterator[None]:
    """Around the arguments of a collective call. What Python refuses on one rank would leave the others waiting for it; so it takes
    part with arguments that C refuses on all."""
    try:
        yield
    except Exception:
        function(*arguments)
        raise


def options_of(name: str) -> Any:
    """Options of C, which carry their length."""
    made = ffi.new(name + " *")
    made.size = ffi.sizeof(name)
    return made


class Owner:
    """An object of C. It is gone when it is closed, at the end of `with`, or when nobody has it any more."""
    _type: ClassVar[str]
    _word: ClassVar[str]
    _destroy: ClassVar[Callable[[Any], Any]]
    _is_local: ClassVar[bool] = True  # closing it needs nobody else, so that Python may do it at any time

    def __init__(self) -> None:
        self._cell: Any = ffi.new(self._type + " **")
        self._keep: List[Any] = []

    @property
    def _handle(self) -> Any:
        handle = self._cell[0]
        if handle == ffi.NULL:
            raise refuse(f"this {self._word} was closed, or never made")
        return handle

    @property
    def closed(self) -> bool:
        """Local. Whether it is gone."""
        return bool(self._cell[0] == ffi.NULL)

    def close(self) -> None:
        """Gives back what it has. What is closed already stays so."""
        status = type(self)._destroy(self._cell)
        if status:
            check(status)
        self._keep.clear()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if self._is_local and getattr(self, "_cell", None) is not None:
            type(self)._destroy(self._cell)  # which refuses what is under way


class Context:
    """A Python object that C calls back; what it raises is kept until C returns."""
    def __init__(self, target: Any) -> None:
        self.target = target
        self.error: Optional[BaseException] = None
        self.handle = ffi.new_handle(self)

    def call(self, failure: Any, function: Callable[..., Any], *arguments: Any) -> Any:
        """What the function says, or `failure` if it raises something."""
        try:
            return function(*arguments)
        except BaseException as error:  # pylint: disable=broad-except # it must not cross C
            self.error = self.error or error
            return failure

    def raise_if_any(self) -> None:
        """What was raised on the way, once."""
        error, self.error = self.error, None
        if error is not None:
            raise error


class Variable(NamedTuple):
    """A variable of the environment that the library reads."""
    name: str
    kind: str
    expected: str
    standard: str
    reader: str
    meaning: str


def texts_of(table: Callable[[int], Any], row: Callable[..., Any], names: Sequence[str]) -> List[Any]:
    """A table of C: a row for each index until there is none."""
    rows: List[Any] = []
    while True:
        one = table(len(rows))
        if one == ffi.NULL:
            return rows
        values = (getattr(one, name) for name in names)
        rows.append(row(*(text(value) if isinstance(value, ffi.CData) else value for value in values)))


def environment() -> List[Variable]:
    """Local. The variables of the environment, with what they mean."""
    return texts_of(lib.qdr_environment, Variable, Variable._fields)


_log: Optional[Context] = None


@ffi.def_extern()  # type: ignore[misc]
def quadrille_say(context: Any, line: Any) -> None:
    """A line of the library's log."""
    one = ffi.from_handle(context)
    one.call(None, one.target, text(line))


def set_log(function: Optional[Callable[[str], None]]) -> None:
    """Local. `function(line)` is told what the library says beside its results: why it chose as it did; None: nobody is."""
    global _log  # pylint: disable=global-statement
    _log = None if function is None else Context(function)
    if _log is None:
        lib.qdr_set_log(ffi.NULL, ffi.NULL)
    else:
        lib.qdr_set_log(lib.quadrille_say, _log.handle)
