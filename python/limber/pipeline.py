"""A clip and a time in, the character's vertices out."""

import ctypes
import os
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from ctypes import CFUNCTYPE, c_uint32, c_void_p
from typing import Any, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _memory as m
from . import _structs as s
from ._library import library
from .bake import Bake, Estimate, Progress, bake, estimate, subdivided
from .character import Character, ClipLike
from .edited import EditedClip
from .errors import ArgumentError, BusyError, fail
from .style import Style, style_of

__all__ = ["Pipeline", "Frame", "Frames", "SmearMesh", "Performance"]

_NORMALS, _SKINNED, _OFFSETS = 1, 2, 4


class SmearMesh(NamedTuple):
    """An in-between copy of a mesh, or the motion lines."""

    kind: str  #: "copy" or "lines"
    name: str  #: "multiple -2", "lines"
    number: int  #: of a copy: -past ... future, not 0
    source: int  #: of a copy: the mesh it is a copy of
    positions: "np.ndarray[Any, Any]"  #: (V, 3), world space
    normals: "np.ndarray[Any, Any]"  #: (V, 3)
    colors: "np.ndarray[Any, Any]"  #: (V, 4), linear; the last is the opacity
    triangles: "np.ndarray[Any, Any]"  #: (T, 3); the same in all frames
    visible: bool  #: whether this frame shows any of it


class Frame:
    """One moment. World space; vertices of all meshes follow each other (`CharacterMesh.slice`).

    The arrays are views of the pipeline's own buffers, valid until its next call, which writes the next frame into
    them. Keep a frame with `copy`.
    """

    __slots__ = (
        "time", "positions", "normals", "skinned", "deformed", "offsets", "meshes", "local", "world_from_joint",
        "morph_weights", "velocity", "acceleration", "angular_velocity", "angular_acceleration",
    )

    time: float  #: seconds of the clip, or of the live pose
    positions: "np.ndarray[Any, Any]"  #: (V, 3) after the effects and smears
    normals: "Optional[np.ndarray[Any, Any]]"  #: (V, 3), or None without that output
    skinned: "Optional[np.ndarray[Any, Any]]"  #: (V, 3) before the effects, or None without that output
    deformed: "Optional[np.ndarray[Any, Any]]"  #: (V, 3) before smearing; None in frames without smears
    offsets: "Optional[np.ndarray[Any, Any]]"  #: (V,) motion offsets, -1 to 1, or None
    meshes: List[SmearMesh]  #: in-between copies and motion lines
    local: "np.ndarray[Any, Any]"  #: (J, 10) the pose
    world_from_joint: "np.ndarray[Any, Any]"  #: (J, 4, 4), rows first
    morph_weights: "np.ndarray[Any, Any]"  #: (M,)
    velocity: "np.ndarray[Any, Any]"  #: (J, 3) m/s: each joint against its parent (0: only carried along), along world axes
    acceleration: "np.ndarray[Any, Any]"  #: (J, 3) m/s^2
    angular_velocity: "np.ndarray[Any, Any]"  #: (J, 3) rad/s
    angular_acceleration: "np.ndarray[Any, Any]"  #: (J, 3) rad/s^2

    def __init__(self, row: s.Frame, character: Character, owner: Any, smeared: Optional[s.Smeared] = None) -> None:
        vertices, joints = character.vertex_count, character.joint_count
        pose, motion = s.Pose.from_address(row.pose), s.Kinematics.from_address(row.motion)
        self.time = float(row.time_s)
        self.positions = m.view(row.positions, (vertices, 3), np.float32, owner)
        self.normals = m.maybe(row.normals, (vertices, 3), np.float32, owner)
        self.skinned = m.maybe(row.skinned, (vertices, 3), np.float32, owner)
        self.deformed, self.offsets, self.meshes = None, None, []
        self.local = m.view(pose.local, (joints, 10), np.float32, owner)
        self.world_from_joint = m.matrices(pose.world_from_joint, joints, owner)
        self.morph_weights = m.view(pose.morph_weights, (character.morph_count,), np.float32, owner)
        for name in ("velocity", "acceleration", "angular_velocity", "angular_acceleration"):
            setattr(self, name, m.view(getattr(motion, name), (joints, 3), np.float32, owner))
        if smeared is not None:
            self.deformed = m.maybe(smeared.deformed, (vertices, 3), np.float32, owner)
            self.offsets = m.maybe(smeared.offsets, (vertices,), np.float32, owner)
            rows = m.structs(smeared.meshes, smeared.mesh_count, s.SmearMesh)
            self.meshes = [_smear_mesh(mesh, owner) for mesh in rows]

    def copy(self) -> "Frame":
        """The same with arrays of its own, which stay as they are."""
        other = Frame.__new__(Frame)
        for name in Frame.__slots__:
            value = getattr(self, name)
            setattr(other, name, value.copy() if isinstance(value, np.ndarray) else value)
        arrays = ("positions", "normals", "colors", "triangles")
        other.meshes = [mesh._replace(**{name: getattr(mesh, name).copy() for name in arrays}) for mesh in self.meshes]
        return other

    def __repr__(self) -> str:
        return f"<limber frame at {self.time:g} s: {len(self.positions)} vertices>"


def _smear_mesh(row: s.SmearMesh, owner: Any) -> SmearMesh:
    count, triangles = int(row.vertex_count), int(row.triangle_count)
    return SmearMesh(
        ("copy", "lines")[row.kind], m.text(row.name), int(row.number), int(row.source),
        m.view(row.positions, (count, 3), np.float32, owner), m.view(row.normals, (count, 3), np.float32, owner),
        m.view(row.colors, (count, 4), np.float32, owner), m.view(row.triangles, (triangles, 3), np.uint32, owner),
        bool(row.visible),
    )


class Frames:
    """The frames of a clip, one after the other; each is valid until the next one."""

    def __init__(self, pipeline: "Pipeline", clip: int, times: List[float], fps: float, smeared: bool) -> None:
        self.pipeline, self.clip, self.times, self.fps, self.smeared = pipeline, clip, times, fps, smeared

    @property
    def start(self) -> float:
        """The time of the first frame, seconds."""
        return self.times[0] if self.times else 0.0

    def __len__(self) -> int:
        return len(self.times)

    def __iter__(self) -> Iterator[Frame]:
        for time in self.times:
            if self.smeared:
                yield self.pipeline.evaluate_smeared(self.clip, time, self.fps)
            else:
                yield self.pipeline.evaluate(self.clip, time)


class Performance(NamedTuple):
    """What a style's `timing`, `pose` and `body` found out about a character, and did to one of its clips."""

    hips: Optional[int]  #: the joint
    head: Optional[int]  #: the joint
    trunk: List[int]  #: parents first
    legs: List[int]  #: the first joint of each
    limbs: List[int]  #: the first joint of each, without the legs
    gait: bool  #: travels steadily, or is a loop that never comes to rest: keeps its timing
    key_times: List[float]  #: of key poses, seconds of the plain clip
    flights: int  #: leaps
    retimed: bool  #: runs faster and slower than the plain clip
    max_shift: float  #: seconds
    slowest: float  #: of the plain speed
    fastest: float  #: of the plain speed
    lingers: float  #: share of the time that runs at less than 0.8 of the plain speed
    posed: bool  #: poses are stronger than in the plain clip
    pose_gain: float  #: how much larger poses become
    amplitude: float  #: rms distance of the skin from its mean shape in the plain clip, in body heights
    new_amplitude: float  #: and in the performed one
    shaped: bool  #: the body is squashed or bent
    shortest: float  #: height of the body where it is squashed most, as a part of its own
    tallest: float  #: where it is stretched most
    held_frames: "tuple[int, int, int]"  #: of a step of "auto": frames of 1/24 s on ones, twos and threes
    holds: int  #: single holds of the style in this clip


class _Pool:
    """Lends Python threads to the library: ctypes gives up the interpreter lock while a piece runs."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.executor = ThreadPoolExecutor(count - 1, thread_name_prefix="limber")
        self.callback = _RUN(self._run)
        self.row = s.Parallel(count, ctypes.cast(self.callback, c_void_p), None)

    def _run(self, _pool: Any, count: int, step: int, task: Any, user: Any) -> None:
        # Calls from Python cost more than the pieces the library would like: two for each worker.
        step = max(step, 1, -(-count // (2 * self.count)))
        starts = iter(range(0, count, step))
        lock = threading.Lock()

        def work(worker: int) -> None:
            while True:
                with lock:
                    first = next(starts, None)
                if first is None:
                    return
                task(user, first, min(first + step, count), worker)

        others = min(self.count, -(-count // step)) - 1
        futures = []
        try:
            futures = [self.executor.submit(work, worker) for worker in range(1, others + 1)]
        except RuntimeError:  # the interpreter is shutting down: this thread does it all
            pass
        work(0)
        wait(futures)


_TASK = CFUNCTYPE(None, c_void_p, c_uint32, c_uint32, c_uint32)
_RUN = CFUNCTYPE(None, c_void_p, c_uint32, c_uint32, _TASK, c_void_p)


class Pipeline(m.NotPickled):
    """A character with a style. Any time of any clip can be evaluated in any order.

    A pipeline does one thing at a time: calls from several threads wait for each other. Make one pipeline per thread to
    work in parallel; they may share the character.
    """

    def __init__(
        self,
        character: Character,
        style: "Union[None, str, Mapping[str, Any], Style]" = None,
        threads: Optional[int] = None,
    ) -> None:
        """`style`: None is plain skinning. `threads`: how many share the work of a call; 0: one per core."""
        if not isinstance(character, Character):
            raise ArgumentError(f"a pipeline needs a limber.Character, not {type(character).__name__}")
        lib = library()
        chosen = style_of(style)
        asset = character._handle.pointer
        pointer = m.create(lib.limber_pipeline_create, asset, None) if chosen is None else chosen._create_pipeline(asset)
        self.character = character  #: the one that it was made with
        self._style = None if chosen is None else chosen.copy()  # for twins
        self._twins: "List[Pipeline]" = []
        self._lock = threading.Lock()
        self._user: Optional[int] = None
        self._owner: Optional[int] = None  # the thread whose frames lie in this pipeline
        self._others = threading.local()  # .twin: where those of another thread lie
        self._outputs: Optional[int] = None  # None: as they were made
        self._gone: List[Any] = []  # Lives that nobody has any more; destroyed when no call is running
        self._posed: "tuple[Any, str]" = (None, "")  # the Live whose pose the pipeline holds
        self._pool = _pool_of(threads)
        self._handle = m.Handle(pointer, _destroyer(self._gone), character._handle, self._pool)
        count = lib.limber_pipeline_warning_count(pointer)
        #: what the style says that does not fit this character
        self.warnings: List[str] = [m.text(lib.limber_pipeline_warning(pointer, i)) for i in range(count)]
        if self._pool is not None:
            result = lib.limber_pipeline_set_parallel(pointer, ctypes.byref(self._pool.row))
            if result:
                fail(result)

    def _check_idle(self) -> None:
        if self._user == threading.get_ident():
            raise BusyError("this pipeline is at work already; use another one in callbacks")

    @contextmanager
    def _busy(self) -> Iterator[Any]:
        """Only one call at a time; a callback that calls back would wait for itself."""
        self._check_idle()
        with self._lock:
            self._user = threading.get_ident()
            _bury(self._gone)
            try:
                yield self._handle.pointer
            finally:
                self._user = None

    def set_outputs(self, normals: bool = True, skinned: bool = True, offsets: bool = False) -> None:
        """What evaluations compute besides positions. Leaving out what is not needed saves time."""
        bits = (_NORMALS if normals else 0) | (_SKINNED if skinned else 0) | (_OFFSETS if offsets else 0)
        with self._busy() as pointer:
            library().limber_pipeline_set_outputs(pointer, bits)
            self._outputs = bits

    def _claim(self) -> None:
        """Live poses need this very pipeline: no other thread may have frames in it. Called by who holds the lock."""
        self._owner = m.claim(self._owner, "this pipeline, which live poses need")

    def _mine(self) -> "Pipeline":
        """The pipeline of this thread: a frame shows its memory, which no other thread may overwrite."""
        me = threading.get_ident()
        with self._lock:
            self._owner = self._owner or me
            outputs = self._outputs
        if self._owner == me:
            return self
        twin: Optional[Pipeline] = getattr(self._others, "twin", None)
        if twin is None:
            twin = self._others.twin = Pipeline(self.character, self._style)
        if twin._outputs != outputs and outputs is not None:
            with twin._busy() as pointer:
                library().limber_pipeline_set_outputs(pointer, outputs)
                twin._outputs = outputs
        return twin

    def evaluate(self, clip: ClipLike, time: float = 0.0) -> Frame:
        """The frame of a clip (number, name or clip; None: the rest pose) at a time in seconds, without smears."""
        index, at = self.character.clip_index(clip), m.seconds(time)
        self._check_idle()
        mine = self._mine()
        with mine._busy():
            return mine._evaluate(index, at)

    def _evaluate(self, clip: int, time: float) -> Frame:
        row = s.Frame()
        self._posed = (None, "")
        result = library().limber_pipeline_evaluate(self._handle.pointer, clip, time, ctypes.byref(row))
        if result:
            fail(result, message=f"the time {time} of clip {clip} cannot be evaluated")
        return Frame(row, self.character, self._handle)

    def evaluate_smeared(self, clip: ClipLike, time: float = 0.0, fps: float = 0.0) -> Frame:
        """The same with the smears of the style, which count in frames of `fps` (0: the clip's own)."""
        index, at, rate = self.character.clip_index(clip), m.seconds(time), m.rate(fps)
        self._check_idle()
        mine = self._mine()
        with mine._busy():
            return mine._evaluate_smeared(index, at, rate)

    def _evaluate_smeared(self, clip: int, time: float, fps: float) -> Frame:
        row = s.Smeared()
        self._posed = (None, "")
        result = library().limber_pipeline_evaluate_smeared(self._handle.pointer, clip, time, fps, ctypes.byref(row))
        if result:
            fail(result, message=f"the time {time} of clip {clip} cannot be evaluated")
        return Frame(row.frame, self.character, self._handle, row)

    def frames(
        self, clip: ClipLike, fps: float = 0.0, start: Optional[float] = None, end: Optional[float] = None,
        smeared: bool = True,
    ) -> "Frames":
        """Every frame of a clip at a rate (0: its own), one after the other: for loops and for `limber.cache.save`."""
        index = self.character.clip_index(clip)
        if index < 0:
            return Frames(self, index, [0.0], m.rate(fps) or 30.0, smeared)
        row = self.character.clips[index]
        return Frames(self, index, row.times(m.rate(fps), start, end), m.rate(fps) or row.fps, smeared)

    def positions(
        self, clip: ClipLike, times: Any = None, fps: float = 0.0, smeared: bool = False, threads: int = 1
    ) -> "np.ndarray[Any, Any]":
        """(F, V, 3): the vertices of many moments of a clip at once, in an array of its own.

        times    (F,) seconds; None: the frames of the whole clip at `fps` (0: its own)
        threads  how many work on it, each with a pipeline like this one; 0: one per core
        """
        frames = self.frames(clip, fps, smeared=smeared)
        if times is not None:
            frames.times = [m.seconds(time) for time in m.floats(times, (None,), "times", np.float64)]
        out = np.empty((len(frames), self.character.vertex_count, 3), np.float32)
        count = max(min(_thread_count(threads), len(frames)), 1)
        while len(self._twins) < count - 1:
            self._twins.append(Pipeline(self.character, self._style))
        twins = [self._mine()] + self._twins

        def fill(worker: int) -> None:
            # Neighbors share the work of smears: each worker has a part of the clip.
            part = slice(worker * len(frames) // count, (worker + 1) * len(frames) // count)
            pipeline = twins[worker]
            for row, time in zip(out[part], frames.times[part]):
                with pipeline._busy():  # until the frame is copied
                    if smeared:
                        row[:] = pipeline._evaluate_smeared(frames.clip, time, frames.fps).positions
                    else:
                        row[:] = pipeline._evaluate(frames.clip, time).positions

        with ThreadPoolExecutor(count) as executor:
            list(executor.map(fill, range(count)))
        return out

    def texture_shifts(self, clip: ClipLike, time: float = 0.0) -> "Optional[np.ndarray[Any, Any]]":
        """(meshes,) how far textures are shifted along u (``smear.spin``); None: no texture ever is."""
        shifts = np.zeros(max(len(self.character.meshes), 1), np.float32)
        index = self.character.clip_index(clip)
        with self._busy() as pointer:
            shifted = library().limber_pipeline_texture_shifts(pointer, index, m.seconds(time), shifts.ctypes.data)
        return shifts[: len(self.character.meshes)] if shifted else None

    def source_time(self, clip: ClipLike, time: float) -> float:
        """The time of the plain clip that is on show at a time: another one where the style has a `timing`."""
        index, seconds = self.character.clip_index(clip), m.seconds(time)
        if index < 0:
            return seconds
        with self._busy() as pointer:
            return float(library().limber_pipeline_source_time(pointer, index, seconds))

    def performance(self, clip: ClipLike) -> Optional[Performance]:
        """What `timing`, `pose` and `body` do to a clip; None: nothing that takes a look at the clip."""
        index, row = self.character.clip_index(clip), s.Performance()
        if index < 0:
            return None
        with self._busy() as pointer:
            if not library().limber_pipeline_performance(pointer, index, ctypes.byref(row)):
                return None
            trunk, limbs = ([int(j) for j in m.view(at, (count,), np.uint32, self._handle)]
                            for at, count in ((row.trunk, row.trunk_count), (row.limbs, row.limb_count)))
            keys = [float(t) for t in m.view(row.key_times, (row.key_count,), np.float64, self._handle)]
        return Performance(
            row.hips if row.hips >= 0 else None, row.head if row.head >= 0 else None, trunk,
            limbs[: row.leg_count], limbs[row.leg_count :], bool(row.gait), keys, int(row.flight_count),
            bool(row.retimed), row.max_shift_s, row.slowest, row.fastest, row.lingers, bool(row.posed), row.pose_gain,
            row.amplitude, row.new_amplitude, bool(row.shaped), row.shortest, row.tallest,
            (int(row.held_frames[0]), int(row.held_frames[1]), int(row.held_frames[2])),
            int(row.hold_count),
        )

    def edited_clip(self, clip: ClipLike) -> Optional[EditedClip]:
        """What the style makes of a clip (`timing`, `pose`, `exaggerate`); None where it leaves it as it is."""
        index, row = self.character.clip_index(clip), s.EditedClip()
        if index < 0:
            return None
        with self._busy() as pointer:
            edited = library().limber_pipeline_edited_clip(pointer, index, ctypes.byref(row))
        return EditedClip(row, self.character, self._handle) if edited else None

    def bake(
        self,
        kind: str = "auto",
        clips: "Optional[Sequence[ClipLike]]" = None,
        fps: float = 0.0,
        range: "Optional[tuple[float, float]]" = None,
        tolerance: Optional[float] = None,
        normals: bool = True,
        smear_meshes: str = "separate",
        target_limit: Optional[int] = None,
        max_bytes: int = 0,
        progress: Optional[Progress] = None,
    ) -> Bake:
        """Every frame as morph targets ("corrective", "vertex") or as bones ("bones"): see `limber.Bake`.

        "auto" makes the smallest of a corrective and a bone bake; `Bake.kind` says which. The tolerance is in L; None:
        0.001 for "auto" and "bones", else 0, which is exact.
        """
        options = (clips, fps, range, tolerance, normals, smear_meshes, target_limit, max_bytes, progress)
        with self._busy() as pointer:
            return bake(pointer, self.character, kind, *options)

    def estimate(
        self,
        kind: str = "auto",
        clips: "Optional[Sequence[ClipLike]]" = None,
        fps: float = 0.0,
        range: "Optional[tuple[float, float]]" = None,
        tolerance: Optional[float] = None,
        normals: bool = True,
        target_limit: Optional[int] = None,
    ) -> Estimate:
        """What a bake will come to, from a few of its frames."""
        options = (clips, fps, range, tolerance, normals, "none", target_limit, 0, None)
        with self._busy() as pointer:
            return estimate(pointer, self.character, kind, *options)

    def subdivided(
        self,
        clips: "Optional[Sequence[ClipLike]]" = None,
        fps: float = 0.0,
        range: "Optional[tuple[float, float]]" = None,
    ) -> Optional[Character]:
        """The character with more triangles where smears would tear it (``smear.elongate.subdivide``), or None."""
        with self._busy() as pointer:
            return subdivided(pointer, self.character, clips, fps, range)

    def __repr__(self) -> str:
        return f"<limber pipeline of {self.character!r}>"


def _bury(gone: List[Any]) -> None:
    while gone:
        library().limber_live_destroy(gone.pop())


def _destroyer(gone: List[Any]) -> Any:
    def destroy(pointer: Any) -> None:
        _bury(gone)
        library().limber_pipeline_destroy(pointer)

    return destroy


def _pool_of(threads: Optional[int]) -> Optional[_Pool]:
    count = 1 if threads is None else _thread_count(threads)
    return _Pool(count) if count > 1 else None


def _thread_count(threads: Any) -> int:
    if not isinstance(threads, (int, np.integer)) or not 0 <= threads <= 256:
        raise ArgumentError(f"threads must be 0 to 256, not {threads}")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(threads) or cores
