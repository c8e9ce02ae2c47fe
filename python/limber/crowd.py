"""Many characters at once: one call poses all of them."""

import ctypes
import threading
from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _memory as m
from . import _structs as s
from ._library import library
from .character import Character, ClipLike
from .errors import ArgumentError
from .pipeline import _pool_of
from .style import Style, style_of

__all__ = ["Crowd", "Member", "CrowdFrame"]

#: What functions accept where they need a style: the name of a preset, a dict or a style; None: plain skinning.
StyleLike = Union[None, str, Mapping[str, Any], Style]

_POSITIONS, _NORMALS = 4, 8


class Member(NamedTuple):
    """One character of a crowd: which kind it is, what it plays, and how often it is computed."""

    kind: int = 0  #: number of the character with its style
    clip: ClipLike = 0  #: number, name or clip; None: the default pose
    start: float = 0.0  #: its time in the clip when the clock is 0, in seconds from the clip's start
    speed: float = 1.0  #: of its time; 1: as animated, negative: backwards
    every: int = 1  #: it is computed in every n-th frame, for members that are far away


class CrowdFrame:
    """One moment of all members. World space, each at the origin of its own file.

    The arrays are valid until the crowd's next call; members that share a moment share an array.
    """

    __slots__ = ("positions", "normals", "same_as", "computed")

    positions: "List[np.ndarray[Any, Any]]"  #: of each member: (V, 3)
    normals: "Optional[List[np.ndarray[Any, Any]]]"  #: of each member: (V, 3), or None without that output
    same_as: "np.ndarray[Any, Any]"  #: (members,) the member whose numbers a member has; itself: its own
    computed: int  #: how many were computed; the others are the same as one of them, or not due

    def __init__(
        self, positions: "List[np.ndarray[Any, Any]]", normals: "Optional[List[np.ndarray[Any, Any]]]",
        same_as: "np.ndarray[Any, Any]", computed: int,
    ) -> None:
        self.positions, self.normals, self.same_as, self.computed = positions, normals, same_as, computed

    def __len__(self) -> int:
        return len(self.positions)

    def __repr__(self) -> str:
        return f"<limber frame of {len(self)} members, {self.computed} of them computed>"


class Crowd(m.NotPickled):
    """Characters with styles, of which many members are posed at once.

    >>> crowd = limber.Crowd([(dog, "cartoon"), (cow, None)], limit=100)
    >>> members = [limber.Member(clip="walk", start=i / 10) for i in range(100)]
    >>> frame = crowd.evaluate(members, now=0.5)

    The numbers are those of `Pipeline.evaluate`, to the bit. Nothing is kept from call to call but the numbers of
    members with `every` above 1. A crowd and its frames belong to one thread; another one that evaluates it gets
    a `BusyError`.
    """

    def __init__(
        self,
        kinds: "Sequence[Union[Character, Tuple[Character, StyleLike]]]",
        limit: int,
        normals: bool = False,
        step: float = 0.0,
        threads: Optional[int] = None,
    ) -> None:
        """`limit`: no call has more members. `step`: times in clips are rounded to multiples of it [s], so that more
        members share a moment. `threads`: how many share the members of a call; 0: one per core."""
        pairs = [_pair(kind) for kind in kinds]
        styles = [None if style is None else style.copy() for _, style in pairs]
        #: the character of each kind
        self.characters: List[Character] = [character for character, _ in pairs]
        self._limit = int(m.integers(limit, (), "limit", np.uint32))
        self._lock = threading.Lock()
        self._owner: Optional[int] = None  # the thread that has frames
        self._pool = _pool_of(threads)
        rows = (s.CrowdKind * max(len(pairs), 1))()
        for row, character, style in zip(rows, self.characters, styles):
            row.asset = character._handle.pointer
            row.style = None if style is None else style._handle.pointer
        settings = m.default(library().limber_crowd_settings_init, s.CrowdSettings)
        settings.kind_count, settings.kinds = len(pairs), ctypes.addressof(rows)
        settings.member_limit, settings.step_s = self._limit, m.seconds(step)
        settings.outputs = _POSITIONS | (_NORMALS if normals else 0)
        settings.parallel = None if self._pool is None else ctypes.addressof(self._pool.row)
        pointer = m.create(library().limber_crowd_create, ctypes.byref(settings))
        keeps = [character._handle for character in self.characters]
        self._handle = m.Handle(pointer, library().limber_crowd_destroy, self._pool, *keeps)
        self._stride = 3 * max([character.vertex_count for character in self.characters])
        self._positions = np.zeros((self._limit, self._stride), np.float32)
        self._normals = np.zeros_like(self._positions) if normals else None

    def evaluate(self, members: Sequence[Member], now: float = 0.0, frame: int = 0) -> CrowdFrame:
        """All members at a time of the clock, in seconds. `frame` counts frames, for members with `every`."""
        rows = self._rows(members)
        at, number = m.seconds(now), int(m.integers(frame, (), "frame", np.uint64))
        same_as = np.arange(max(len(members), 1), dtype=np.uint32)
        memory = s.CrowdMemory(
            positions=self._positions.ctypes.data, vertex_stride=self._stride, same_as=same_as.ctypes.data,
            normals=None if self._normals is None else self._normals.ctypes.data,
        )
        with self._lock:
            self._owner = m.claim(self._owner, "this crowd")
            pointer = self._handle.pointer
            m.call(library().limber_crowd_evaluate, pointer, rows, len(members), at, number, ctypes.byref(memory))
            computed = int(library().limber_crowd_computed(pointer))
        same_as = same_as[: len(members)]
        normals = None if self._normals is None else self._views(self._normals, members, same_as)
        return CrowdFrame(self._views(self._positions, members, same_as), normals, same_as, computed)

    def prepare(self, kind: int, clip: ClipLike) -> None:
        """Makes what a clip needs, which its first evaluation does otherwise."""
        number = self._kind(kind)
        index = self.characters[number].clip_index(clip)
        with self._lock:
            if index >= 0:
                m.call(library().limber_crowd_prepare, self._handle.pointer, number, index)

    def _kind(self, kind: Any) -> int:
        number = int(m.integers(kind, (), "kind", np.uint32))
        if number >= len(self.characters):
            raise ArgumentError(f"there is no kind {number}; this crowd has {len(self.characters)}")
        return number

    def _rows(self, members: Sequence[Member]) -> Any:
        rows = (s.CrowdMember * max(len(members), 1))()
        for row, member in zip(rows, members):
            if not isinstance(member, Member):
                raise ArgumentError(f"a crowd has limber.Members, not {type(member).__name__}")
            row.kind = self._kind(member.kind)
            row.clip = self.characters[row.kind].clip_index(member.clip)
            row.start_s, row.speed = m.seconds(member.start), m.seconds(member.speed)
            row.every = int(m.integers(member.every, (), "every", np.uint32))
        return rows

    def _views(
        self, arrays: "np.ndarray[Any, Any]", members: Sequence[Member], same_as: "np.ndarray[Any, Any]"
    ) -> "List[np.ndarray[Any, Any]]":
        found = []
        for member, row in zip(members, same_as):
            count = self.characters[member.kind].vertex_count
            view = arrays[row, : 3 * count].reshape(count, 3)
            view.flags.writeable = False
            found.append(view)
        return found

    def __repr__(self) -> str:
        return f"<limber crowd of {len(self.characters)} kinds and at most {self._limit} members>"


def _pair(kind: Any) -> "Tuple[Character, Optional[Style]]":
    character, style = kind if isinstance(kind, tuple) and len(kind) == 2 else (kind, None)
    if not isinstance(character, Character):
        raise ArgumentError(f"a kind is a limber.Character, alone or with a style, not {type(character).__name__}")
    return character, style_of(style)
