"""What goes wrong, as exceptions that carry the library's own sentence."""

from typing import Any, Dict, NoReturn, Type

from . import _structs

__all__ = [
    "LimberError", "ArgumentError", "DataError", "UnsupportedError", "LimitError", "FileError", "BusyError",
    "LibraryError",
]


class LimberError(Exception):
    """The library refused something. ``str(error)`` is a sentence that says what and where."""

    #: "argument", "data", "unsupported", "limit", "file", "library" or "busy"
    result: str = "data"

    def __init__(self, message: str, place: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.message = message  #: what is wrong
        self.place = place  #: where: "accessors[3]", "joint 'Head'"; may be empty
        self.detail = detail  #: more lines for a person, such as a formula with a caret under the mistake

    def __str__(self) -> str:
        # As the program says it: "line 2: unknown key" but "joint 'Head' has no parent".
        text = f"{self.place}: {self.message}" if self.place else self.message
        return f"{text}\n{self.detail.rstrip()}" if self.detail else text

    def __reduce__(self) -> Any:
        return type(self), (self.message, self.place, self.detail)


class ArgumentError(LimberError, ValueError):
    """An argument is invalid."""

    result = "argument"


class DataError(LimberError, ValueError):
    """The data is malformed."""

    result = "data"


class UnsupportedError(LimberError, NotImplementedError):
    """The data is valid but needs a feature that limber does not have."""

    result = "unsupported"


class LimitError(LimberError, ValueError):
    """The data exceeds a limit."""

    result = "limit"


class FileError(LimberError, OSError):
    """A file could not be opened, read or written."""

    result = "file"

    def __new__(cls, *_: Any) -> "FileError":
        return super().__new__(cls)


class BusyError(LimberError, RuntimeError):
    """A pipeline or crowd is in use: by the work whose callback used it again, or by another thread."""

    result = "busy"


class LibraryError(LimberError, ImportError):
    """The C library is missing, or does not go with this module."""

    result = "library"


_CLASSES: Dict[int, Type[LimberError]] = {
    2: ArgumentError, 3: DataError, 4: UnsupportedError, 5: LimitError, 6: FileError,
}

_PLAIN = {
    2: "an argument is invalid", 3: "the data is malformed", 4: "this is not supported", 5: "a limit is exceeded",
    6: "the file could not be read or written",
}


def fail(result: int, error: "_structs.Error | None" = None, message: str = "", place: str = "") -> NoReturn:
    """Raises what belongs to a limber_result other than LIMBER_OK."""
    detail = ""
    if error is not None:
        place = place or _text(error.place)
        message = _text(error.message) or message
        detail = _text(error.detail)
    if result == 1:
        raise MemoryError(message or "not enough memory")
    raise _CLASSES.get(result, LimberError)(message or _PLAIN.get(result, "unknown problem"), place, detail)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
