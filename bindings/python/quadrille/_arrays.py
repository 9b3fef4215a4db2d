# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's arrays as C sees them: types, elements, lists of numbers; nothing is copied unless it says so. See quadrille/places.h."""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._base import refuse, text, word_of
from ._c import ffi, lib

Array = npt.NDArray[Any]
Numbers = Union[Sequence[int], npt.NDArray[Any]]

_types = {
    ("b", 1): lib.QDR_UINT8, ("i", 1): lib.QDR_INT8, ("i", 2): lib.QDR_INT16, ("i", 4): lib.QDR_INT32, ("i", 8): lib.QDR_INT64,
    ("u", 1): lib.QDR_UINT8, ("u", 2): lib.QDR_UINT16, ("u", 4): lib.QDR_UINT32, ("u", 8): lib.QDR_UINT64,
    ("f", 4): lib.QDR_FLOAT, ("f", 8): lib.QDR_DOUBLE, ("c", 8): lib.QDR_FLOAT_COMPLEX, ("c", 16): lib.QDR_DOUBLE_COMPLEX}


def operations() -> List[str]:
    """Local. What may happen to an element when a value for it arrives, beside a function of yours."""
    names = [text(lib.qdr_operation_name(number)) for number in range(lib.QDR_COMBINE)]
    return [name for name in names if name]


def types() -> List[str]:
    """Local. The library's names of the types of values."""
    return [text(lib.qdr_type_name(number)) or "" for number in range(lib.QDR_BYTE, lib.QDR_DOUBLE_COMPLEX + 1)]


def type_of(dtype: npt.DTypeLike) -> int:
    """Local. The library's type of such values; QDR_BYTE for what is only moved."""
    known = np.dtype(dtype)
    if known.hasobject:
        raise refuse(f"values of {known} are objects of Python; they can be migrated, but not exchanged as numbers")
    return int(_types.get((known.kind, known.itemsize), lib.QDR_BYTE) if known.isnative else lib.QDR_BYTE)


def suits(operation: str, dtype: npt.DTypeLike) -> bool:
    """Local. Whether the operation is defined for such values."""
    return bool(lib.qdr_operation_suits(word_of(operations(), operation, "operation"), type_of(dtype)))


def value_bytes(dtype: npt.DTypeLike) -> int:
    """Local. The bytes of one value, as the library counts them; 1 for what is only moved."""
    return int(lib.qdr_type_bytes(type_of(dtype)))


def array_of(given: Any, what: str, writable: bool = False) -> Array:
    """It is an array, with at least one dimension, that can be used as it lies in memory."""
    if not isinstance(given, np.ndarray):
        raise refuse(f"{what} is {type(given).__name__}; expected an array of NumPy")
    if given.ndim == 0:
        raise refuse(f"{what} is a single value; expected an array with at least one dimension")
    if given.dtype.hasobject:
        raise refuse(f"{what} holds objects of Python; they can be migrated, but not exchanged as numbers")
    if writable and not given.flags.writeable:
        raise refuse(f"{what} cannot be written")
    return given


def address(array: Array) -> Any:
    """Where an array begins."""
    return ffi.cast("char *", array.__array_interface__["data"][0])


def flattened(array: Array, dimensions: int, what: str) -> Array:
    """The same memory with one index for elements, which so many of the first dimensions count, in the order in which they lie."""
    if dimensions == 1:
        return array
    if array.ndim < dimensions:
        raise refuse(f"{what} has {array.ndim} dimensions; expected at least {dimensions}")
    inner = array.shape[dimensions:]
    made = array.reshape(-1, order="F") if not inner and array.flags.f_contiguous else array.reshape(-1, *inner)
    if array.size and not np.shares_memory(made, array):
        raise refuse(f"{what} is not contiguous; numpy.ascontiguousarray() copies it")
    return made


def element_of(array: Array, what: str) -> Tuple[int, int]:
    """Bytes of an element, which is what one index of the first dimension stands for, and from one to the next."""
    inner, expected = array.itemsize, array.itemsize
    for extent, stride in zip(reversed(array.shape[1:]), reversed(array.strides[1:])):
        if extent > 1 and stride != expected:
            raise refuse(f"{what} has elements that are not contiguous; numpy.ascontiguousarray() copies them")
        expected *= extent
        inner = expected
    stride = array.strides[0] if array.shape[0] > 1 else inner
    if stride < inner:
        raise refuse(f"{what} has elements that overlap or run backwards; numpy.ascontiguousarray() copies them")
    return inner, stride


def dense(given: Any, what: str, writable: bool = False) -> Array:
    """It is an array without gaps."""
    array = array_of(given, what, writable)
    if not array.flags.c_contiguous:
        raise refuse(f"{what} is not contiguous; numpy.ascontiguousarray() copies it")
    return array


def numbers(given: Numbers, what: str, dtype: npt.DTypeLike = np.int64) -> Array:
    """A list of whole numbers of this type: the array itself if it is one, else a copy. Numbers that do not fit are refused."""
    array = np.asarray(given)
    if array.size == 0:
        return np.zeros(0, dtype)
    if array.dtype.kind not in "iu":
        raise refuse(f"{what} holds {array.dtype}; expected whole numbers")
    if array.ndim != 1:
        raise refuse(f"{what} has {array.ndim} dimensions; expected one")
    made = np.ascontiguousarray(array, dtype)
    if made.dtype != array.dtype and not np.array_equal(made, array):
        raise refuse(f"{what} holds numbers beyond {np.dtype(dtype)}")
    return made


def wide_or_narrow(given: Numbers, what: str) -> Array:
    """A list of whole numbers of 64 bits, or of 32 if it is one."""
    is_narrow = isinstance(given, np.ndarray) and given.dtype == np.int32
    return numbers(given, what, np.int32 if is_narrow else np.int64)


def pointer(array: Optional[Array], kind: str) -> Any:
    """An array's memory as C wants it; NULL for none."""
    return ffi.NULL if array is None else ffi.cast(kind + " *", array.__array_interface__["data"][0])


def copied(source: Any, count: int, dtype: npt.DTypeLike) -> Array:
    """A list of C as an array of its own."""
    known = np.dtype(dtype)
    if count == 0:
        return np.zeros(0, known)
    return np.frombuffer(ffi.buffer(source, count * known.itemsize), known).copy()


def equally_long(what: str, *lists: Optional[Array]) -> None:
    """Lists that belong together have one length."""
    lengths = {len(one) for one in lists if one is not None}
    if len(lengths) > 1:
        raise refuse(f"{what} have different lengths: {', '.join(str(len(one)) for one in lists if one is not None)}")
