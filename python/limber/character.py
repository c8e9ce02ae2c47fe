"""A character: one rig, its meshes, layers and clips. Read-only views of the library's arrays."""

import ctypes
import difflib
import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _memory as m
from . import _structs as s
from ._library import library
from .build import Channel, Clip, Joints, Mesh, fill_clips, fill_model
from .errors import ArgumentError

__all__ = ["Character", "CharacterMesh", "CharacterClip", "ClipChannel", "Material"]

Array = "np.ndarray[Any, Any]"

PATHS = ("translation", "rotation", "scale", "weights")
INTERPOLATIONS = ("step", "linear", "cubic")
_ENDS = ("meet", "joint off", "scale off", "morph off", "travel only", "one pose")


class Material(NamedTuple):
    """How a part of a mesh looks."""

    name: str
    base_color: Tuple[float, float, float, float]  #: linear
    metallic: float  #: 0 to 1
    roughness: float  #: 0 to 1
    double_sided: bool  #: it is seen from both sides
    blend: bool  #: its alpha blends


class ClipChannel(NamedTuple):
    """The curve of one joint, or of a mesh's morph weights."""

    path: str  #: "translation", "rotation", "scale" or "weights"
    interpolation: str  #: "step", "linear" or "cubic" (three values per key: in-tangent, value, out-tangent)
    target: int  #: joint, or mesh for weights
    times: "np.ndarray[Any, Any]"  #: (K,) seconds
    values: "np.ndarray[Any, Any]"  #: (K, width), cubic (K, 3, width)


class CharacterMesh:
    """One mesh of a character. All arrays are views without a copy, and cannot be written to."""

    def __init__(self, row: s.Mesh, skin: s.Skin, index: int, owner: m.Handle) -> None:
        self._row, self._skin, self._owner = row, skin, owner
        self.index = index  #: its number in the character
        self.name = m.text(row.name)
        self.node_name = m.text(row.node_name)  #: of the node that has the mesh
        #: where its vertices are in the arrays of a frame
        self.slice = slice(row.first_vertex, row.first_vertex + row.vertex_count)
        #: where its weights are in the morph weights of a pose
        self.morph_slice = slice(row.first_morph, row.first_morph + row.morph_count)
        self.scenery = bool(row.scenery)  #: no clip ever moves it (a floor, a wall)

    def _view(self, address: Optional[int], *shape: int, dtype: Any = np.float32) -> "np.ndarray[Any, Any]":
        return m.view(address, shape, dtype, self._owner)

    def _maybe(self, address: Optional[int], *shape: int) -> "Optional[np.ndarray[Any, Any]]":
        return m.maybe(address, shape, np.float32, self._owner)

    @property
    def vertex_count(self) -> int:
        """How many vertices it has."""
        return int(self._row.vertex_count)

    @property
    def triangle_count(self) -> int:
        """How many triangles it has."""
        return int(self._row.triangle_count)

    @property
    def positions(self) -> "np.ndarray[Any, Any]":
        """(V, 3), in the mesh's own space."""
        return self._view(self._row.positions, self.vertex_count, 3)

    @property
    def normals(self) -> "np.ndarray[Any, Any]":
        """(V, 3)"""
        return self._view(self._row.normals, self.vertex_count, 3)

    @property
    def uvs(self) -> "Optional[np.ndarray[Any, Any]]":
        """(V, 2) or None"""
        return self._maybe(self._row.uvs, self.vertex_count, 2)

    @property
    def colors(self) -> "Optional[np.ndarray[Any, Any]]":
        """(V, 4), linear, or None"""
        return self._maybe(self._row.colors, self.vertex_count, 4)

    @property
    def triangles(self) -> "np.ndarray[Any, Any]":
        """(T, 3) uint32"""
        return self._view(self._row.triangles, self.triangle_count, 3, dtype=np.uint32)

    @property
    def joints(self) -> "np.ndarray[Any, Any]":
        """(K,) uint32: the joints of its skin, as indices into the rig."""
        return self._view(self._skin.joints, self._skin.joint_count, dtype=np.uint32)

    @property
    def inverse_binds(self) -> "np.ndarray[Any, Any]":
        """(K, 4, 4): joint from mesh, rows first."""
        return m.matrices(self._skin.joint_from_mesh, self._skin.joint_count, self._owner)

    @property
    def influences(self) -> "Tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """first (V+1,), joint (N,) as index into `joints`, weight (N,)."""
        first = self._view(self._row.influence_first, self.vertex_count + 1, dtype=np.uint32)
        count = int(first[-1]) if len(first) else 0
        return (
            first, self._view(self._row.influence_joint, count, dtype=np.uint16),
            self._view(self._row.influence_weight, count),
        )

    @property
    def weights(self) -> "np.ndarray[Any, Any]":
        """(V, K): the influences as a dense array of its own."""
        first, joint, weight = self.influences
        dense = np.zeros((self.vertex_count, self._skin.joint_count), np.float32)
        rows = np.repeat(np.arange(self.vertex_count), np.diff(first.astype(np.int64)))
        np.add.at(dense, (rows, joint), weight)
        return dense

    @property
    def areas(self) -> "np.ndarray[Any, Any]":
        """(V,): a third of the area of the triangles around each vertex, rest pose."""
        return self._view(self._row.areas, self.vertex_count)

    @property
    def morphs(self) -> "Dict[str, np.ndarray[Any, Any]]":
        """Name: (V, 3), what is added to the positions. Morphs without a name, or with one twice, get their number."""
        found: "Dict[str, np.ndarray[Any, Any]]" = {}
        for i, morph in enumerate(m.structs(self._row.morphs, self._row.morph_count, s.Morph)):
            name = m.text(morph.name)
            found[name if name and name not in found else f"{name or 'morph'} {i}"] = self._view(
                morph.positions, self.vertex_count, 3
            )
        return found

    @property
    def layers(self) -> "Dict[str, np.ndarray[Any, Any]]":
        """Name: (V,), -1 to 1."""
        rows = m.structs(self._row.layers, self._row.layer_count, s.Layer)
        return {m.text(layer.name): self._view(layer.values, self.vertex_count) for layer in rows}

    def __repr__(self) -> str:
        return f"<limber mesh {self.name!r}: {self.vertex_count} vertices, {self.triangle_count} triangles>"


class CharacterClip:
    """One clip of a character."""

    def __init__(self, row: s.Clip, index: int, owner: m.Handle, morph_counts: Sequence[int]) -> None:
        self._row, self._owner, self._morph_counts = row, owner, morph_counts
        self.index = index  #: its number in the character
        self.name = m.text(row.name)
        self.start = float(row.start_s)  #: seconds: first key
        self.end = float(row.end_s)  #: seconds: last key
        self.fps = float(row.fps)  #: rate of its keys, 30 when they have none
        self.loops = bool(row.loops)  #: the motion is a cycle
        self.travels = bool(row.travels)  #: each turn starts where the last one ended
        self.ends = _ENDS[row.loop.ends]  #: what the two ends have to do with each other: "meet", "joint off", ...
        cuts = m.structs(row.cuts, row.cut_count, s.Cut)
        self.cuts = [(cut.before_s, cut.after_s) for cut in cuts]  #: where the pose jumps, seconds

    @property
    def duration(self) -> float:
        """Seconds from the first key to the last."""
        return self.end - self.start

    @property
    def channels(self) -> List[ClipChannel]:
        """Its curves, as views without a copy."""
        return [self._channel(row) for row in m.structs(self._row.channels, self._row.channel_count, s.Channel)]

    def _channel(self, row: s.Channel) -> ClipChannel:
        width = (3, 4, 3)[row.path] if row.path < 3 else self._morph_counts[row.target]
        count = int(row.key_count)
        shape = (count, 3, width) if row.interpolation == 2 else (count, width)
        return ClipChannel(
            PATHS[row.path], INTERPOLATIONS[row.interpolation], int(row.target),
            m.view(row.times, (count,), np.float32, self._owner), m.view(row.values, shape, np.float32, self._owner),
        )

    def times(self, fps: float = 0, start: Optional[float] = None, end: Optional[float] = None) -> List[float]:
        """The times of its frames at a rate (0: its own), as the program counts them: the exact end is the last one."""
        rate = float(fps) or self.fps
        if not 0.001 <= rate <= 1e6:
            raise ArgumentError(f"fps must be 0.001 to 1000000, not {rate}")
        lib, row = library(), ctypes.byref(self._row)
        first = self.start - 1 if start is None else float(start)
        last = self.end + 1 if end is None else float(end)
        if not (math.isfinite(first) and math.isfinite(last)):
            raise ArgumentError("a time must be finite")
        span = lib.limber_clip_frames_between(row, rate, first, last)
        return [lib.limber_clip_frame_time(row, rate, span.first + i) for i in range(span.count)]

    def as_clip(self) -> Clip:
        """The same as a clip to build characters with (`Character.with_clips`)."""
        return Clip(self.name, [Channel(c.path, c.target, c.times, c.values, c.interpolation) for c in self.channels])

    def __repr__(self) -> str:
        loop = ", loops" if self.loops else ""
        return f"<limber clip {self.name!r}: {self.start:g} to {self.end:g} s, {self.fps:g} fps{loop}>"


#: A clip of a character, by itself, its number or its name; None: the rest pose.
ClipLike = Union[None, int, str, CharacterClip]


class Character(m.NotPickled):
    """A character. `limber.load` reads one from a file, `Character.build` makes one of arrays."""

    def __init__(self, handle: m.Handle) -> None:
        """Not for programs: use `limber.load` or `Character.build`."""
        if not isinstance(handle, m.Handle):
            raise TypeError("use limber.load or limber.Character.build to make a character")
        self._handle = handle
        self._model: s.Model = library().limber_asset_model(handle.pointer).contents
        model, rig = self._model, self._model.rig
        skins = m.structs(model.skins, model.skin_count, s.Skin)
        meshes = m.structs(model.meshes, model.mesh_count, s.Mesh)
        clips = m.structs(model.clips, model.clip_count, s.Clip)
        counts = [int(mesh.morph_count) for mesh in meshes]
        self.size = float(model.size)  #: L: the diameter of the smallest ball around the rest pose
        self.vertex_count = int(model.vertex_count)  #: over all meshes
        self.triangle_count = int(model.triangle_count)  #: over all meshes
        self.morph_count = int(model.morph_count)  #: over all meshes
        self.joint_names = m.strings(rig.names, rig.joint_count)  #: parents before children
        #: in the order of the file
        self.meshes = [CharacterMesh(mesh, skins[mesh.skin], i, handle) for i, mesh in enumerate(meshes)]
        #: in the order of the file
        self.clips = [CharacterClip(clip, i, handle, counts) for i, clip in enumerate(clips)]
        self.rest_min = (model.rest_min.x, model.rest_min.y, model.rest_min.z)  #: the box of the rest pose
        self.rest_max = (model.rest_max.x, model.rest_max.y, model.rest_max.z)  #: the box of the rest pose

    @classmethod
    def build(cls, joints: Joints, meshes: Sequence[Mesh], clips: Sequence[Clip] = ()) -> "Character":
        """A character of arrays. The library checks and copies them; say what is wrong as an exception."""
        lib = library()
        keep = m.Keep()
        model = m.default(lib.limber_model_init, s.Model)
        fill_model(model, joints, meshes, clips, keep)
        return cls(m.Handle(m.create(lib.limber_asset_create, ctypes.byref(model)), lib.limber_asset_destroy))

    def with_clips(self, clips: Sequence[Clip]) -> "Character":
        """The same character with these clips instead of its own."""
        lib = library()
        keep = m.Keep()
        model = s.Model.from_buffer_copy(self._model)
        morph_counts = [mesh.morph_slice.stop - mesh.morph_slice.start for mesh in self.meshes]
        fill_clips(model, clips, self.rest, morph_counts, keep)
        return Character(m.Handle(m.create(lib.limber_asset_create, ctypes.byref(model)), lib.limber_asset_destroy))

    @property
    def joint_count(self) -> int:
        """How many joints the rig has."""
        return len(self.joint_names)

    @property
    def parents(self) -> "np.ndarray[Any, Any]":
        """(J,) int32, -1 for roots; parents come before their children."""
        return m.view(self._model.rig.parents, (self.joint_count,), np.int32, self._handle)

    @property
    def rest(self) -> "np.ndarray[Any, Any]":
        """(J, 10): tx ty tz  qx qy qz qw  sx sy sz of every joint in its parent, in the rest pose."""
        return m.view(self._model.rig.rest_local, (self.joint_count, 10), np.float32, self._handle)

    @property
    def world_from_joint(self) -> "np.ndarray[Any, Any]":
        """(J, 4, 4), rows first, in the rest pose."""
        return m.matrices(self._model.rig.world_from_joint_rest, self.joint_count, self._handle)

    @property
    def centroids(self) -> "np.ndarray[Any, Any]":
        """(J, 3), joint space: the mean of the vertices that each joint moves."""
        return m.view(self._model.rig.centroid, (self.joint_count, 3), np.float32, self._handle)

    @property
    def triangles(self) -> "np.ndarray[Any, Any]":
        """(T, 3) uint32: those of all meshes, as indices into the vertices of a frame. A copy."""
        rows = [mesh.triangles + np.uint32(mesh.slice.start) for mesh in self.meshes]
        return np.concatenate(rows) if rows else np.zeros((0, 3), np.uint32)

    @property
    def materials(self) -> List[Material]:
        """The materials of the file."""
        rows = m.structs(self._model.materials, self._model.material_count, s.Material)
        found = []
        for row in rows:
            red, green, blue, alpha = row.base_color
            color = (red, green, blue, alpha)
            found.append(Material(m.text(row.name), color, row.metallic, row.roughness, row.double_sided, row.blend))
        return found

    @property
    def rest_positions(self) -> "np.ndarray[Any, Any]":
        """(V, 3): all vertices in the rest pose, world space. A copy."""
        out = np.zeros((self.vertex_count, 3), np.float32)
        for mesh in self.meshes:
            part = out[mesh.slice]
            library().limber_mesh_rest_positions(
                ctypes.byref(self._model), ctypes.byref(mesh._row), part.ctypes.data if part.size else None
            )
        return out

    def joint(self, name: str) -> int:
        """The index of a joint."""
        return _find(self.joint_names, name, "joint")

    def mesh(self, name: str) -> CharacterMesh:
        """The mesh of a name."""
        return self.meshes[_find([mesh.name for mesh in self.meshes], name, "mesh")]

    def clip(self, name: str) -> CharacterClip:
        """The clip of a name."""
        return self.clips[_find([clip.name for clip in self.clips], name, "clip")]

    def clip_index(self, clip: "Union[None, int, str, CharacterClip]") -> int:
        """What functions accept where they need a clip: its number, its name or itself; None or -1: the rest pose."""
        if clip is None:
            return -1
        if isinstance(clip, str):
            return self.clip(clip).index
        if isinstance(clip, CharacterClip):
            if clip._owner is not self._handle:
                raise ArgumentError(f"the clip '{clip.name}' belongs to another character")
            return clip.index
        if isinstance(clip, (int, np.integer)) and not isinstance(clip, bool):
            if not -1 <= clip < len(self.clips):
                raise ArgumentError(f"there is no clip {clip}; this character has {len(self.clips)}")
            return int(clip)
        raise ArgumentError(f"a clip is a number, a name or a clip of the character, not {type(clip).__name__}")

    def __repr__(self) -> str:
        return (
            f"<limber character: {self.joint_count} joints, {len(self.meshes)} meshes, {self.vertex_count} vertices, "
            f"{len(self.clips)} clips>"
        )


def _find(names: Sequence[str], name: str, what: str) -> int:
    if name in names:
        return list(names).index(name)
    near = difflib.get_close_matches(str(name), names, 1, 0.5)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    raise ArgumentError(f"there is no {what} '{name}'{hint}")
