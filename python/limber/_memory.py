"""Owners of C objects, numpy views of their memory, and numpy arrays that the library can read."""

import ctypes
import math
import os
import sys
import threading
from ctypes import c_void_p
from typing import Any, Callable, List, NoReturn, Optional, Sequence, Tuple, Type, TypeVar

import numpy as np

from . import _structs as s
from .errors import ArgumentError, BusyError, fail

Struct = TypeVar("Struct", bound=ctypes.Structure)
Shape = Tuple[int, ...]


class Handle:
    """Owns one C object. Whatever uses its memory keeps a reference to it; the last one destroys it.

    `keeps` are owners that must live longer, such as the asset of a pipeline.
    """

    __slots__ = ("pointer", "keeps", "_destroy", "__weakref__")

    def __init__(self, pointer: Any, destroy: Optional[Callable[[Any], None]], *keeps: Any) -> None:
        self.pointer = pointer
        self.keeps = keeps
        self._destroy = destroy

    def __del__(self) -> None:
        destroy, self._destroy = self._destroy, None
        if destroy is not None and sys is not None and not sys.is_finalizing():  # None: Python ends
            destroy(self.pointer)


class NotPickled:
    """C objects stay in their process."""

    __slots__ = ()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"limber.{type(self).__name__} cannot be pickled or copied: it holds an object of the C library. Pass the "
            "file or the arrays that it was made from, and make a new one there"
        )

    def __copy__(self) -> NoReturn:
        self.__reduce__()

    def __deepcopy__(self, memo: Any) -> NoReturn:
        self.__reduce__()


class _Memory:
    """What numpy asks for the address; becomes the `base` of the array and so keeps the owner alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, address: int, shape: Shape, dtype: "np.dtype[Any]", owner: Any) -> None:
        self.__array_interface__ = {
            "version": 3, "data": (address, True), "shape": shape, "typestr": dtype.str, "strides": None,
        }
        self.owner = owner


def view(address: Optional[int], shape: Shape, dtype: Any, owner: Any) -> "np.ndarray[Any, Any]":
    """A read-only array over C memory that keeps `owner` alive. No copy."""
    kind = np.dtype(dtype)
    if not address or 0 in shape:
        empty = np.zeros(tuple(0 if not address and i == 0 else n for i, n in enumerate(shape)), kind)
        empty.flags.writeable = False
        return empty
    return np.asarray(_Memory(address, shape, kind, owner))


def maybe(address: Optional[int], shape: Shape, dtype: Any, owner: Any) -> "Optional[np.ndarray[Any, Any]]":
    """The same; None where the pointer is NULL."""
    return view(address, shape, dtype, owner) if address else None


def matrices(address: Optional[int], count: int, owner: Any) -> "np.ndarray[Any, Any]":
    """limber_mat4[count] as (count, 4, 4) with rows first, as numpy people write matrices. No copy."""
    return view(address, (count, 4, 4), np.float32, owner).transpose(0, 2, 1)


def structs(address: Optional[int], count: int, kind: Type[Struct]) -> Sequence[Struct]:
    """The structs of an array in C memory."""
    found: Any = (kind * count).from_address(address) if address and count else ()
    return found  # type: ignore[no-any-return]


def text(raw: Optional[bytes]) -> str:
    return raw.decode("utf-8", "replace") if raw else ""


def strings(address: Optional[int], count: int) -> List[str]:
    return [text(one) for one in (ctypes.c_char_p * count).from_address(address)] if address and count else []


def encode(value: Any, what: str) -> bytes:
    """A name for the library: UTF-8 without zeros."""
    if not isinstance(value, str):
        raise ArgumentError(f"{what} must be text, not {type(value).__name__}")
    try:
        raw = value.encode("utf-8")
    except UnicodeEncodeError:
        raise ArgumentError(f"{what} cannot be written as UTF-8") from None
    if b"\0" in raw:
        raise ArgumentError(f"{what} contains a zero character")
    return raw


def encode_path(path: Any) -> bytes:
    try:
        raw = os.fsencode(path)
    except TypeError:
        raise ArgumentError(f"a path must be text or a path object, not {type(path).__name__}") from None
    if b"\0" in raw:
        raise ArgumentError("the path contains a zero character")
    return raw


def floats(value: Any, shape: Tuple[Optional[int], ...], what: str, dtype: Any = np.float32) -> "np.ndarray[Any, Any]":
    """`value` as a contiguous array of floats; None in `shape` is any length. Copies only where it must."""
    array = _array(value, what)
    if not np.can_cast(array.dtype, dtype, "same_kind"):
        raise ArgumentError(f"{what} must be numbers, not {array.dtype}")
    with np.errstate(over="ignore"):
        return _shaped(np.asarray(array, dtype=dtype, order="C"), shape, what)


def integers(value: Any, shape: Tuple[Optional[int], ...], what: str, dtype: Any) -> "np.ndarray[Any, Any]":
    """`value` as a contiguous array of integers that fit `dtype`."""
    array = _array(value, what)
    if array.size == 0:
        return _shaped(np.asarray(array.astype(dtype), order="C"), shape, what)
    if array.dtype.kind not in "iu":
        raise ArgumentError(f"{what} must be integers, not {array.dtype}")
    limits = np.iinfo(dtype)
    low, high = int(array.min()), int(array.max())
    if low < int(limits.min) or high > int(limits.max):
        raise ArgumentError(f"{what} must be {limits.min} to {limits.max}, not {low if low < limits.min else high}")
    return _shaped(np.asarray(array, dtype=dtype, order="C"), shape, what)


def _array(value: Any, what: str) -> "np.ndarray[Any, Any]":
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as problem:
        raise ArgumentError(f"{what}: {problem}") from None
    if array.dtype.kind not in "biuf" and array.size:
        raise ArgumentError(f"{what} must be numbers, not {array.dtype}")
    if array.size == 0 and array.dtype.kind not in "biuf":
        array = np.zeros(array.shape, np.float32)
    return array


def _shaped(array: "np.ndarray[Any, Any]", shape: Tuple[Optional[int], ...], what: str) -> "np.ndarray[Any, Any]":
    if array.size == 0 and array.ndim == 1 and len(shape) > 1 and shape[0] in (None, 0):  # [] for no rows
        array = array.reshape((0,) + tuple(n or 0 for n in shape[1:]))
    fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape))
    if not fits:
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise ArgumentError(f"{what} must have the shape ({wanted}), not {array.shape}")
    return array


class Keep:
    """Collects what a struct points to until the library has read it."""

    def __init__(self) -> None:
        self.things: List[Any] = []

    def address(self, array: "np.ndarray[Any, Any]") -> Optional[int]:
        self.things.append(array)
        return int(array.ctypes.data) if array.size else None

    def structs(self, kind: Type[Struct], values: Sequence[Struct]) -> Optional[int]:
        if not values:
            return None
        array = (kind * len(values))(*values)
        self.things += [array, values]
        return ctypes.addressof(array)

    def names(self, names: Sequence[str], what: str) -> Optional[int]:
        if not names:
            return None
        raw = [encode(name, what) for name in names]
        array = (ctypes.c_char_p * len(raw))(*raw)
        self.things += [array, raw]
        return ctypes.addressof(array)


def default(init: Any, kind: Type[Struct]) -> Struct:
    """A struct with the library's defaults, from its function limber_..._init."""
    made = kind()
    init(ctypes.byref(made), ctypes.sizeof(made))
    return made


def create(function: Any, *arguments: Any) -> int:
    """Calls function(*arguments, &handle, &error); raises what it says."""
    handle, error = c_void_p(), s.Error()
    result = function(*arguments, ctypes.byref(handle), ctypes.byref(error))
    if result:
        fail(result, error)
    return handle.value or 0


def call(function: Any, *arguments: Any) -> None:
    """The same for functions that only say whether they worked."""
    error = s.Error()
    result = function(*arguments, ctypes.byref(error))
    if result:
        fail(result, error)


def seconds(time: Any) -> float:
    """A finite time."""
    try:
        value = float(time)
    except (TypeError, ValueError):
        raise ArgumentError(f"a time must be a number, not {type(time).__name__}") from None
    if not math.isfinite(value):
        raise ArgumentError(f"a time must be finite, not {value}")
    return value


def rate(fps: Any) -> float:
    """Frames per second; 0: that of the clip."""
    value = seconds(fps)
    if value and not 0.001 <= value <= 1e6:
        raise ArgumentError(f"fps must be 0 or 0.001 to 1000000, not {value:g}")
    return value


def claim(owner: Optional[int], what: str) -> int:
    """The thread that may go on, this one: frames show memory that no other living thread may have frames in."""
    me = threading.get_ident()
    if owner not in (None, me) and any(thread.ident == owner for thread in threading.enumerate()):
        raise BusyError(f"another thread has frames of {what}; this one needs its own")
    return me
