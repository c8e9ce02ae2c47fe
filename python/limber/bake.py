"""Frames as morph targets or bones, for files that any viewer can play."""

import ctypes
import math
from ctypes import CFUNCTYPE, c_bool, c_uint32, c_void_p
from typing import Any, Callable, List, NamedTuple, Optional, Sequence

import numpy as np

from . import _memory as m
from . import _structs as s
from ._library import library
from .character import Character, ClipLike
from .edited import EditedClip
from .errors import ArgumentError

__all__ = ["Bake", "Estimate", "BakeTrack", "BakeMesh", "BakeBone", "BakeCurve", "BakePiece", "BakeSmearMesh"]

KINDS = ("corrective", "vertex", "bones", "auto")
SMEAR_MESHES = ("separate", "merged", "none")
CURVES = ("translation", "rotation", "scale", "back")

#: Called between frames with (done, total); return False to stop.
Progress = Callable[[int, int], Any]


class Estimate(NamedTuple):
    """What a bake will come to."""

    frame_count: int  #: of all clips
    target_count: int  #: of the mesh that has most
    byte_count: int  #: of all targets and weights in a glTF file
    tolerance: float  #: of what is estimated; "auto": that of the smaller corrective bake, 0 is exact


class BakeTrack(NamedTuple):
    """The frames of one clip."""

    clip: int  #: number in the character
    times: "np.ndarray[Any, Any]"  #: (F,) seconds
    shift_times: "np.ndarray[Any, Any]"  #: (S,) keys of shifted textures (``smear.spin``)


class BakeMesh(NamedTuple):
    """The morph targets of one mesh, and the weight of each at each frame of each track."""

    target_count: int  #: 0: this mesh needs no targets
    base_positions: "Optional[np.ndarray[Any, Any]]"  #: (V, 3) of a vertex bake: world space, replaces the mesh's
    base_normals: "Optional[np.ndarray[Any, Any]]"  #: (V, 3) of a vertex bake, or None
    positions: "np.ndarray[Any, Any]"  #: (T, V, 3), what is added
    normals: "Optional[np.ndarray[Any, Any]]"  #: (T, V, 3), what is added, or None
    weights: "List[np.ndarray[Any, Any]]"  #: per track (F, T)
    shifts: "List[np.ndarray[Any, Any]]"  #: per track (S,): how far the texture is shifted along u; empty: never
    helper: "Optional[np.ndarray[Any, Any]]"  #: (V,) of a bone bake: the bone that alone moves a vertex, or -1


class BakeCurve(NamedTuple):
    """Keys, linear between them; none: at rest."""

    frames: "np.ndarray[Any, Any]"  #: (K,) frame numbers of the track
    values: "np.ndarray[Any, Any]"  #: (K, 3), rotations (K, 4)


class BakeBone(NamedTuple):
    """A new node below a joint that carries the joint's part of the skin, or, as a helper, pieces of one mesh.

    At rest it only turns by `axes`, which a second turn undoes: a constant one in the inverse bind matrix, or one with
    keys ("back") in a node below it.
    """

    joint: int  #: that it hangs below
    helper_mesh: int  #: -1: it carries the joint's skin
    helper_bind: int  #: of a helper: number in the skin of the joint whose inverse bind matrix it takes
    axes: "tuple[float, float, float, float]"  #: rotation at rest, x y z w
    shears: bool  #: "back" has keys
    curves: "List[dict[str, BakeCurve]]"  #: per track: "translation", "rotation", "scale", "back"


class BakePiece(NamedTuple):
    """A copy of a mesh, or the motion lines, in a `BakeSmearMesh`."""

    source: int  #: mesh whose triangles the copy has; -1: lines
    first_vertex: int  #: in the smear mesh
    vertex_count: int  #: in the smear mesh
    triangles: "Optional[np.ndarray[Any, Any]]"  #: (T, 3) of lines, else None


class BakeSmearMesh(NamedTuple):
    """In-between copies or motion lines: a mesh beside the character's own. World space, relative to `center`."""

    name: str
    source: int  #: the mesh it belongs to; -1: all of them
    pieces: List[BakePiece]  #: the copies and lines that it consists of
    center: "tuple[float, float, float]"  #: of the rest pose, in the world
    base_positions: "np.ndarray[Any, Any]"  #: (V, 3)
    base_normals: "np.ndarray[Any, Any]"  #: (V, 3)
    base_colors: "np.ndarray[Any, Any]"  #: (V, 4), linear
    target_count: int  #: those that move vertices, and those that change opacities
    positions: "np.ndarray[Any, Any]"  #: (shapes, V, 3) of the first targets
    normals: "Optional[np.ndarray[Any, Any]]"  #: (shapes, V, 3) of the same targets, or None
    opacities: "np.ndarray[Any, Any]"  #: (opacities, V) of the last targets, added to the base opacity
    weights: "List[np.ndarray[Any, Any]]"  #: per track (F, T)
    visible: "List[np.ndarray[Any, Any]]"  #: per track (F,) of 0 or 1


class Bake(m.NotPickled):
    """Made by `Pipeline.bake`. Its arrays are views without a copy, and do not depend on the pipeline."""

    def __init__(self, handle: m.Handle, character: Character) -> None:
        """Not for programs: use `Pipeline.bake`."""
        self._handle = handle
        self._counts = [mesh.vertex_count for mesh in character.meshes]
        row = s.Bake.from_address(handle.pointer)
        self.kind = KINDS[row.kind]  #: "corrective", "vertex" or "bones"
        self.error = float(row.error)  #: how far a vertex is off at most, in L; 0: exact but for rounding
        tracks = m.structs(row.tracks, row.track_count, s.BakeTrack)
        #: one per clip
        self.tracks = [
            BakeTrack(
                int(track.clip), self._view(track.times, track.frame_count),
                self._view(track.shift_times, track.shift_count),
            )
            for track in tracks
        ]
        meshes = m.structs(row.meshes, row.mesh_count, s.BakeMesh)
        #: in the order of the character's
        self.meshes = [self._mesh(mesh, count) for mesh, count in zip(meshes, self._counts)]
        #: of a bone bake
        self.bones = [self._bone(bone) for bone in m.structs(row.bones, row.bone_count, s.BakeBone)]
        #: clips as the style edits them, where it does; `File.save` writes them with the bake
        self.clips = [EditedClip(clip, character, handle) for clip in m.structs(row.clips, row.clip_count, s.EditedClip)]
        smears = m.structs(row.smear_meshes, row.smear_mesh_count, s.BakeSmearMesh)
        #: in-between copies and motion lines
        self.smear_meshes = [self._smear_mesh(smear) for smear in smears]

    def _view(self, address: Optional[int], *shape: int, dtype: Any = np.float32) -> "np.ndarray[Any, Any]":
        return m.view(address, shape, dtype, self._handle)

    def _maybe(self, address: Optional[int], *shape: int, dtype: Any = np.float32) -> "Optional[np.ndarray[Any, Any]]":
        return m.maybe(address, shape, dtype, self._handle)

    def _rows(
        self, address: Optional[int], width: Optional[int], dtype: Any = np.float32
    ) -> "List[np.ndarray[Any, Any]]":
        """An array per track of (F, width), or (F,)."""
        if not address:
            return []
        pointers = (c_void_p * len(self.tracks)).from_address(address)
        rest = () if width is None else (width,)
        return [m.view(at, (len(track.times),) + rest, dtype, self._handle) for at, track in zip(pointers, self.tracks)]

    def _mesh(self, row: s.BakeMesh, vertices: int) -> BakeMesh:
        targets = int(row.target_count)
        shifts = []
        if row.shifts:
            pointers = (c_void_p * len(self.tracks)).from_address(row.shifts)
            shifts = [self._view(at, len(track.shift_times)) for at, track in zip(pointers, self.tracks)]
        return BakeMesh(
            targets, self._maybe(row.base_positions, vertices, 3), self._maybe(row.base_normals, vertices, 3),
            self._view(row.positions, targets, vertices, 3), self._maybe(row.normals, targets, vertices, 3),
            self._rows(row.weights, targets), shifts, self._maybe(row.helper, vertices, dtype=np.int32),
        )

    def _bone(self, row: s.BakeBone) -> BakeBone:
        curves = m.structs(row.curves, len(self.tracks) * len(CURVES), s.BakeCurve)
        tracks = [
            {name: self._curve(curves[t * len(CURVES) + i], i) for i, name in enumerate(CURVES)}
            for t in range(len(self.tracks))
        ]
        axes = (row.axes.x, row.axes.y, row.axes.z, row.axes.w)
        return BakeBone(int(row.joint), int(row.helper_mesh), int(row.helper_bind), axes, bool(row.shears), tracks)

    def _curve(self, row: s.BakeCurve, part: int) -> BakeCurve:
        width = 4 if CURVES[part] in ("rotation", "back") else 3
        return BakeCurve(
            self._view(row.frames, row.key_count, dtype=np.uint32), self._view(row.values, row.key_count, width)
        )

    def _smear_mesh(self, row: s.BakeSmearMesh) -> BakeSmearMesh:
        count = int(row.vertex_count)
        pieces = [
            BakePiece(
                int(piece.source), int(piece.first_vertex), int(piece.vertex_count),
                self._maybe(piece.triangles, piece.triangle_count, 3, dtype=np.uint32),
            )
            for piece in m.structs(row.pieces, row.piece_count, s.BakePiece)
        ]
        return BakeSmearMesh(
            m.text(row.name), int(row.source), pieces, (row.center.x, row.center.y, row.center.z),
            self._view(row.base_positions, count, 3), self._view(row.base_normals, count, 3),
            self._view(row.base_colors, count, 4), int(row.target_count),
            self._view(row.positions, row.shape_count, count, 3), self._maybe(row.normals, row.shape_count, count, 3),
            self._view(row.opacities, row.opacity_count, count), self._rows(row.weights, int(row.target_count)),
            self._rows(row.visible, None, np.uint8),
        )

    def _fits(self, character: Character) -> None:
        if [mesh.vertex_count for mesh in character.meshes] != self._counts:
            raise ArgumentError("the bake belongs to another character")

    def __repr__(self) -> str:
        frames = sum(len(track.times) for track in self.tracks)
        targets = sum(mesh.target_count for mesh in self.meshes)
        bones = f", {len(self.bones)} bones" if self.bones else ""
        return f"<limber {self.kind} bake: {frames} frames, {targets} targets{bones}, error {self.error:g} L>"


_PROGRESS = CFUNCTYPE(c_bool, c_void_p, c_uint32, c_uint32)


class _Watch:
    """Calls the program's progress function; what it raises comes out of the bake."""

    def __init__(self, progress: Optional[Progress]) -> None:
        self.progress = progress
        self.raised: Optional[BaseException] = None
        self.callback = _PROGRESS(self._call)

    def _call(self, _user: Any, done: int, total: int) -> bool:
        try:
            return self.progress is None or self.progress(done, total) is not False
        except BaseException as problem:
            self.raised = problem
            return False


def _settings(
    character: Character, keep: m.Keep, kind: str, clips: Optional[Sequence[ClipLike]], fps: float,
    range: "Optional[tuple[float, float]]", tolerance: Optional[float], normals: bool, smear_meshes: str,
    target_limit: Optional[int], max_bytes: int,
) -> s.BakeSettings:
    row = m.default(library().limber_bake_settings_init, s.BakeSettings)
    if kind not in KINDS:
        raise ArgumentError(f"unknown kind of bake '{kind}'; there are {', '.join(KINDS)}")
    if smear_meshes not in SMEAR_MESHES:
        raise ArgumentError(f"unknown smear_meshes '{smear_meshes}'; there are {', '.join(SMEAR_MESHES)}")
    row.kind, row.smear_meshes = KINDS.index(kind), SMEAR_MESHES.index(smear_meshes)
    if clips is not None:
        indices = [character.clip_index(clip) for clip in ([clips] if isinstance(clips, str) else clips)]
        if not indices or min(indices) < 0:
            raise ArgumentError("a bake needs at least one clip; None: all clips")
        row.clip_count, row.clips = len(indices), keep.address(np.array(indices, np.uint32))
    row.fps = m.rate(fps)
    if range is not None:
        row.range_start_s, row.range_end_s = (float(end) for end in range)
        if math.isnan(row.range_start_s) or math.isnan(row.range_end_s):
            raise ArgumentError("the range must be two numbers")
    if tolerance is not None:
        if not 0 <= float(tolerance) <= 1:
            raise ArgumentError(f"the tolerance must be 0 to 1 [L], not {tolerance}")
        row.tolerance = float(tolerance)
    row.normals = bool(normals)
    row.max_bytes = int(m.integers(max_bytes, (), "max_bytes", np.uint64))
    if target_limit is not None:
        row.target_limit = int(m.integers(target_limit, (), "target_limit", np.uint32))
    return row


def bake(pipeline: Any, character: Character, kind: str, *options: Any) -> Bake:
    """`pipeline`: the library's, which no other call may be using."""
    keep, watch = m.Keep(), _Watch(options[-1])
    row = _settings(character, keep, kind, *options[:-1])
    row.progress = ctypes.cast(watch.callback, c_void_p)  # also so that Ctrl-C stops it
    lib = library()
    try:
        made = m.create(lib.limber_pipeline_bake, pipeline, ctypes.byref(row))
    except Exception:
        if watch.raised is not None:
            raise watch.raised from None
        raise
    return Bake(m.Handle(made, lib.limber_bake_destroy), character)


def estimate(pipeline: Any, character: Character, kind: str, *options: Any) -> Estimate:
    keep, found = m.Keep(), s.BakeEstimate()
    row = _settings(character, keep, kind, *options[:-1])
    m.call(library().limber_pipeline_bake_estimate, pipeline, ctypes.byref(row), ctypes.byref(found))
    return Estimate(int(found.frame_count), int(found.target_count), int(found.byte_count), float(found.tolerance))


def subdivided(pipeline: Any, character: Character, clips: Any, fps: float, range: Any) -> Optional[Character]:
    keep, lib = m.Keep(), library()
    row = _settings(character, keep, "corrective", clips, fps, range, 0.0, True, "none", None, 0)
    asset = m.create(lib.limber_pipeline_subdivide, pipeline, ctypes.byref(row))
    return Character(m.Handle(asset, lib.limber_asset_destroy)) if asset else None
