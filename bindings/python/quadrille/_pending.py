# SPDX-License-Identifier: BSD-3-Clause
"""What is under way: see quadrille/pending.h."""
from __future__ import annotations

import asyncio
from typing import Any, Callable, Generator, Generic, Optional, Sequence, Set, TypeVar

from ._base import Error, check, refuse
from ._c import ffi, lib

Result = TypeVar("Result")
_under_way: Set["Pending[Any]"] = set()  # which borrow what they were given, even if nobody else remembers them


class Pending(Generic[Result]):
    """Something that was started: an exchange, a call of a directory, an import, a delivery, a migration.

    Test it, wait for it, `await` it, or put it behind `with`, at whose end it is waited for. Until it has ended it borrows the arrays
    that it was given. A wait advances everything that is under way in the process."""

    def __init__(self, cell: Any, result: Callable[[], Result], keep: Any) -> None:
        self._cell = cell
        self._result = result
        self._keep: Any = keep
        self._value: Optional[Result] = None
        self._error: Optional[BaseException] = None
        self._ended = False
        _under_way.add(self)

    def _end(self, status: int, failure: Optional[BaseException] = None) -> None:
        try:
            if failure is not None:
                raise failure
            if status:
                check(status)
            self._value = self._result()
        except BaseException as error:
            if self._cell[0] != ffi.NULL:
                raise  # the deadline has passed, and it is still under way
            self._error = error
        self._ended = True
        self._keep = None
        _under_way.discard(self)

    def _outcome(self) -> Result:
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]

    @property
    def done(self) -> bool:
        """Local. Whether it was seen to have ended; advances nothing."""
        return self._ended

    def test(self) -> bool:
        """Local. Advances everything that is under way; says whether this has ended. Raises what it failed with."""
        if not self._ended:
            done = ffi.new("int *")
            status = lib.qdr_test(self._cell, done)
            if status or done[0]:
                self._end(status)
            if not self._ended:
                return False
        self._outcome()
        return True

    def wait(self) -> Result:
        """Local. Waits until it has ended, and gives what it is for."""
        if not self._ended:
            self._end(lib.qdr_wait(self._cell))
        return self._outcome()

    def __await__(self) -> Generator[Any, None, Result]:
        while not self.test():
            yield from asyncio.sleep(0).__await__()
        return self._outcome()

    def __enter__(self) -> "Pending[Result]":
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()


class _Several:
    """Handles of several as a list of C, and back."""

    def __init__(self, pendings: Sequence[Pending[Any]]) -> None:
        for one in pendings:
            if not isinstance(one, Pending):
                raise refuse(f"{type(one).__name__} is not under way; expected what a start has returned")
        self.pendings = pendings
        self.cells = ffi.new("qdr_pending *[]", [one._cell[0] for one in pendings])

    def take(self, status: int) -> None:
        """What has ended in C has ended in Python. Where something failed, C does not say which; so all that have ended raise it."""
        try:
            check(status)
        except Error as error:
            failure: Optional[Error] = error
        else:
            failure = None
        for one, handle in zip(self.pendings, self.cells):
            if not one._ended and handle == ffi.NULL:
                one._cell[0] = ffi.NULL
                one._end(lib.QDR_OK, failure)
        if failure is not None:
            raise failure


def wait_all(*pendings: Pending[Any]) -> None:
    """Local. Waits until all of them have ended. Raises what the first that failed has failed with."""
    several = _Several(pendings)
    several.take(lib.qdr_wait_all(len(pendings), several.cells))


def wait_any(*pendings: Pending[Any]) -> int:
    """Local. Waits until one has ended, and says which, as its place in the list; -1 if all had ended before."""
    several, which = _Several(pendings), ffi.new("int64_t *", -1)
    several.take(lib.qdr_wait_any(len(pendings), several.cells, which))
    return int(which[0])


def test_all(*pendings: Pending[Any]) -> bool:
    """Local. Whether all of them have ended."""
    several, done = _Several(pendings), ffi.new("int *")
    several.take(lib.qdr_test_all(len(pendings), several.cells, done))
    return bool(done[0])


def test_any(*pendings: Pending[Any]) -> int:
    """Local. Which of them has ended; -1 if none has, or all had before."""
    several, which = _Several(pendings), ffi.new("int64_t *", -1)
    several.take(lib.qdr_test_any(len(pendings), several.cells, which))
    return int(which[0])


def progress() -> None:
    """Local. Advances everything that is under way a little: for long computations between start and wait."""
    lib.qdr_progress()
