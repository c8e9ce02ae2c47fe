"""What a character's motion should look like: which effects, and how strong."""

import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np

from . import _memory as m
from . import _structs as s
from ._library import library
from .errors import ArgumentError

__all__ = ["Style", "Key", "Preset", "keys", "presets", "schema"]

_KEY_TYPES = ("number", "constant", "switch", "choice", "text", "list", "vector", "other")


@dataclass(frozen=True)
class Key:
    """One row of the table of style keys."""

    path: str  #: "effects.floppy.angular"; may contain a star: "joints.*.floppy"
    type: str  #: "number" (or a formula), "constant", "switch", "choice", "text", "list", "vector" or "other"
    unit: str  #: "degrees", "1/s", ... or ""
    min: float  #: range of a number
    max: float  #: range of a number
    min_is_excluded: bool  #: the value must be above `min`
    default: Any  #: as `json.loads` gives it; None: no default
    choices: Tuple[str, ...]  #: a number with choices may also be one of these words
    help: str  #: one line


@dataclass(frozen=True)
class Preset:
    """A style that ships with limber."""

    name: str  #: "cartoon"
    summary: str  #: what it does, in one line
    text: str  #: JSON


def keys() -> List[Key]:
    """Every key that a style may have."""
    lib = library()
    return [_key(lib.limber_key_at(i).contents) for i in range(lib.limber_key_count())]


def _key(row: s.Key) -> Key:
    try:
        default = json.loads(row.default_text) if row.default_text is not None else None
    except ValueError:
        default = m.text(row.default_text)
    return Key(
        m.text(row.path), _KEY_TYPES[row.type], m.text(row.unit), row.min, row.max, row.min_is_excluded, default,
        tuple(m.text(row.choices).split()), m.text(row.help),
    )


def presets() -> List[Preset]:
    """The styles that ship with limber."""
    lib = library()
    rows = [lib.limber_preset_at(i).contents for i in range(lib.limber_preset_count())]
    return [Preset(m.text(row.name), m.text(row.summary), m.text(row.text)) for row in rows]


def schema() -> Dict[str, Any]:
    """The JSON Schema of style files."""
    text = library().limber_style_schema()
    if text is None:
        raise MemoryError("not enough memory")
    loaded: Dict[str, Any] = json.loads(text)
    return loaded


class Style(m.NotPickled):
    """A style. It starts empty (plain skinning); presets, style files and single keys go on top of each other.

    >>> style = Style("cartoon").set("effects.floppy.angular", 0.5)

    A call that fails leaves the style as it was.
    """

    def __init__(self, start: "Union[None, str, Mapping[str, Any], Style]" = None) -> None:
        """`start`: the name of a preset, a dict, or another style to begin with."""
        lib = library()
        self._handle = m.Handle(m.create(lib.limber_style_create), lib.limber_style_destroy)
        self._lock = threading.Lock()
        if isinstance(start, Style):
            self.read(start.text)
        elif isinstance(start, str):
            self.preset(start)
        elif start is not None:
            self.read(start)

    @classmethod
    def load(cls, path: Any) -> "Style":
        """The style of a file."""
        return cls().read(Path(path).read_text(encoding="utf-8"))

    def _call(self, function: Any, *arguments: Any) -> "Style":
        with self._lock:
            m.call(function, self._handle.pointer, *arguments)
        return self

    def preset(self, name: str) -> "Style":
        """Puts a preset on top."""
        return self._call(library().limber_style_read_preset, m.encode(name, "the name of a preset"))

    def read(self, style: Union[str, Mapping[str, Any]]) -> "Style":
        """Puts JSON text (comments and trailing commas are allowed) or a dict on top."""
        if isinstance(style, str):
            raw = style.encode("utf-8", "surrogatepass")
        elif isinstance(style, Mapping):
            raw = to_json(dict(style)).encode("utf-8", "surrogatepass")
        else:
            raise ArgumentError(f"a style must be text or a dict, not {type(style).__name__}")
        return self._call(library().limber_style_read, raw, len(raw))

    def set(self, path: str, value: Any) -> "Style":
        """One key, as ``--set path=value`` gives it. Text may be a word, a formula or JSON."""
        word = value if isinstance(value, str) else to_json(value)
        return self._call(library().limber_style_set, m.encode(path, "a path"), m.encode(word, "a value"))

    @property
    def text(self) -> str:
        """The style as compact JSON."""
        with self._lock:
            raw = library().limber_style_text(self._handle.pointer)
        if raw is None:
            raise MemoryError("not enough memory")
        return m.text(raw)

    @property
    def dict(self) -> Dict[str, Any]:
        """The style as a dict of its own; changing it does not change the style."""
        loaded: Dict[str, Any] = json.loads(self.text)
        return loaded

    def copy(self) -> "Style":
        """A style of its own with the same keys."""
        return Style(self)

    def __repr__(self) -> str:
        return f"limber.Style({self.text})"

    def _create_pipeline(self, asset: Any) -> int:
        with self._lock:
            return m.create(library().limber_pipeline_create, asset, self._handle.pointer)


def to_json(value: Any) -> str:
    """JSON of Python and numpy values."""
    try:
        return json.dumps(value, default=_plain, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as problem:
        raise ArgumentError(f"this is no value of a style: {problem}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no JSON")


def style_of(style: "Union[None, str, Mapping[str, Any], Style]") -> Optional[Style]:
    """What functions accept where they need a style."""
    return style if style is None or isinstance(style, Style) else Style(style)


