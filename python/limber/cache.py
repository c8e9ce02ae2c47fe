"""Moving vertices as files that other programs play: .pc2, .mdd, .usda and .obj sequences, and textures."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_int, c_uint32, c_void_p
from typing import Any, Iterable, Iterator, Optional

import numpy as np

from . import _memory as m
from . import _structs as s
from ._library import library
from .bake import Bake
from .character import Character, ClipLike
from .edited import EditedClip
from .errors import ArgumentError
from .pipeline import Frame

__all__ = ["knows", "save", "save_textures", "save_skeleton"]

_FRAME = CFUNCTYPE(c_int, c_void_p, c_uint32, POINTER(c_void_p), POINTER(c_void_p))


def knows(path: Any) -> bool:
    """Whether `save` knows the extension of `path`."""
    return bool(library().limber_cache_knows(m.encode_path(path)))


class _Source:
    """Gives the library one frame after the other; what a frame raises comes out of `save`."""

    def __init__(self, character: Character, frames: Iterable[Any]) -> None:
        self.character = character
        self.frames: Iterator[Any] = iter(frames)
        self.shown: Any = None
        self.raised: Optional[BaseException] = None
        self.callback = _FRAME(self._call)

    def _call(self, _user: Any, index: int, positions: Any, normals: Any) -> int:
        try:
            frame = next(self.frames, None)
            if frame is None:
                raise ArgumentError(f"the frames end before number {index + 1}")
            shape = (self.character.vertex_count, 3)
            points, sides = (frame.positions, frame.normals) if isinstance(frame, Frame) else (frame, None)
            points = m.floats(points, shape, f"frame {index + 1}")
            sides = None if sides is None else m.floats(sides, shape, f"the normals of frame {index + 1}")
            if not np.isfinite(points).all():
                raise ArgumentError(f"frame {index + 1} has a number that is not finite")
            self.shown = points, sides
            positions[0] = points.ctypes.data
            normals[0] = None if sides is None else sides.ctypes.data
            return 0
        except BaseException as problem:
            self.raised = problem
            return 2


def _job(
    character: Character, source: _Source, frames: Any, fps: float, start: Optional[float], count: Optional[int]
) -> s.CacheJob:
    if not isinstance(character, Character):
        raise ArgumentError(f"a cache needs a limber.Character, not {type(character).__name__}")
    if count is None:
        if not hasattr(frames, "__len__"):
            raise ArgumentError("say how many frames there are: count=N")
        count = len(frames)
    job = m.default(library().limber_cache_job_init, s.CacheJob)
    job.model = ctypes.addressof(character._model)
    job.fps = m.rate(fps) or float(getattr(frames, "fps", 0)) or 30.0
    job.start_s = m.seconds(getattr(frames, "start", 0.0) if start is None else start)
    job.frame_count = int(m.integers(count, (), "count", np.uint32))
    job.frame = ctypes.cast(source.callback, c_void_p)
    return job


def _run(source: _Source, function: Any, *arguments: Any) -> None:
    try:
        m.call(function, *arguments)
    except Exception:
        if source.raised is not None:
            raise source.raised from None
        raise


def save(
    path: Any,
    character: Character,
    frames: Iterable[Any],
    fps: float = 0.0,
    start: Optional[float] = None,
    count: Optional[int] = None,
) -> None:
    """Writes the frames of all meshes; the ending of `path` chooses the format.

    frames  what `Pipeline.frames` gives, or anything that yields Frames or (V, 3) arrays; only one is in memory
    fps     0: that of the frames, else 30
    start   time of the first frame in seconds; None: that of the frames
    count   how many there are, where `frames` has no length

    Files appear complete or not at all.
    """
    source = _Source(character, frames)
    job = _job(character, source, frames, fps, start, count)
    _run(source, library().limber_cache_save, ctypes.byref(job), m.encode_path(path))


def save_textures(
    folder: Any,
    name: str,
    character: Character,
    frames: Iterable[Any],
    fps: float = 0.0,
    start: Optional[float] = None,
    count: Optional[int] = None,
    clip: ClipLike = None,
) -> None:
    """Vertex animation textures, in the layout of OpenVAT: three files in `folder`."""
    source = _Source(character, frames)
    job = _job(character, source, frames, fps, start, count)
    index = character.clip_index(clip)
    row = ctypes.byref(character.clips[index]._row) if index >= 0 else None
    raw = m.encode(name, "a name")
    _run(source, library().limber_vat_save, ctypes.byref(job), row, m.encode_path(folder), raw)


def save_skeleton(
    path: Any,
    character: Character,
    bake: Optional[Bake] = None,
    track: int = 0,
    edited: Optional[EditedClip] = None,
    fps: float = 24.0,
) -> None:
    """The character with its skeleton as UsdSkel (.usda); the effect rides in a corrective bake."""
    keep = m.Keep()
    job = m.default(library().limber_usd_job_init, s.UsdJob)
    job.model = ctypes.addressof(character._model)
    if bake is not None:
        bake._fits(character)
        if bake.kind != "corrective":
            raise ArgumentError(f"UsdSkel needs a corrective bake, not a {bake.kind} bake")
        job.bake = bake._handle.pointer
        job.track = int(m.integers(track, (), "track", np.uint32))
        if bake.tracks and job.track >= len(bake.tracks):
            raise ArgumentError(f"the bake has {len(bake.tracks)} tracks; there is no track {track}")
        if any(one.clip >= len(character.clips) for one in bake.tracks):
            raise ArgumentError("the bake belongs to another character")
    if edited is not None:
        edited._fits(character)
        job.edited = keep.structs(s.EditedClip, [edited._row])
    job.fps = m.rate(fps) or 24.0
    m.call(library().limber_usd_save, ctypes.byref(job), m.encode_path(path))
