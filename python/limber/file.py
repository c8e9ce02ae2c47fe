"""Files in and out: glTF and BVH."""

import ctypes
from pathlib import Path
from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _memory as m
from . import _program
from . import _structs as s
from ._library import library
from .bake import Bake
from .character import Character, ClipLike
from .errors import ArgumentError, UnsupportedError
from .edited import EditedClip
from .style import Style, presets

__all__ = ["load", "loads", "File", "save_bvh", "BvhReport"]


def load(path: Any) -> "File":
    """Reads a character from a .glb, .gltf, .vrm, .fbx or .dae file, or a skeleton with motion from a .bvh file.

    FBX, Collada and compressed glTF go through the program `limber`: that of the environment variable LIMBER_PROGRAM, one
    inside of the wheel, or the one on the path.
    """
    lib = library()
    raw = m.encode_path(path)
    if Path(path).suffix.lower() in _program.NEEDED:
        return _load_converted(path, _program.find())
    if Path(path).suffix.lower() == ".bvh":
        handle = m.Handle(m.create(lib.limber_bvh_load_file, raw, None), lib.limber_bvh_destroy)
        return File(handle, lib.limber_bvh_asset(handle.pointer), None)
    try:
        handle = m.Handle(m.create(lib.limber_gltf_load_file, raw, None), lib.limber_gltf_destroy)
    except UnsupportedError:
        program = _program.find()
        if program is None:
            raise
        return _load_converted(path, program)
    return File(handle, lib.limber_gltf_asset(handle.pointer), handle)


def _load_converted(path: Any, program: Optional[str]) -> "File":
    if program is None:
        raise UnsupportedError("needs the program limber, which is neither in this wheel nor on the path", str(path))
    data, warnings = _program.convert(path, program)
    file = loads(data)
    file.warnings = warnings + file.warnings
    return file


def loads(data: Any, folder: Any = None) -> "File":
    """The same for the bytes of a glTF file. `folder` resolves relative addresses in it; None: they are refused."""
    try:
        raw = bytes(memoryview(data))
    except TypeError:
        raise ArgumentError(f"a file's contents must be bytes, not {type(data).__name__}") from None
    lib = library()
    place = None if folder is None else m.encode_path(folder)
    handle = m.Handle(m.create(lib.limber_gltf_load_memory, raw, len(raw), place, None), lib.limber_gltf_destroy, raw)
    return File(handle, lib.limber_gltf_asset(handle.pointer), handle)


class File(m.NotPickled):
    """A character and the rest of the file that it came from: materials, textures, lights, ..."""

    def __init__(self, handle: m.Handle, asset: Any, gltf: Optional[m.Handle]) -> None:
        """Not for programs: use `limber.load` or `File.of`."""
        if not isinstance(handle, m.Handle):
            raise TypeError("use limber.load to read a file, or limber.File.of for a character")
        self._gltf = gltf
        self.character = Character(m.Handle(asset, None, handle))  #: its rig, meshes and clips
        self.warnings: List[str] = []  #: problems that did not prevent the file from being read
        self.style: Optional[str] = None  #: the style that the file carries, as JSON text
        if gltf is not None:
            lib = library()
            count = lib.limber_gltf_warning_count(gltf.pointer)
            self.warnings = [m.text(lib.limber_gltf_warning(gltf.pointer, i)) for i in range(count)]
            style = lib.limber_gltf_style(gltf.pointer)
            self.style = None if style is None else m.text(style)

    @classmethod
    def of(cls, character: Character) -> "File":
        """A new glTF document for a character of arrays."""
        lib = library()
        handle = m.Handle(
            m.create(lib.limber_gltf_from_asset, character._handle.pointer), lib.limber_gltf_destroy, character._handle
        )
        file = cls(handle, lib.limber_gltf_asset(handle.pointer), handle)
        return file

    def save(
        self,
        path: Any,
        style: "Union[None, str, Mapping[str, Any], Style]" = None,
        bake: Optional[Bake] = None,
        layers: Optional[Mapping[Union[int, str], Mapping[str, Any]]] = None,
        clips: Optional[Sequence[EditedClip]] = None,
    ) -> None:
        """Writes a .glb, or a .gltf with a .bin beside it. The file appears complete or not at all.

        style   travels with the character: a preset, JSON text, a dict or a Style; "": removes the file's
        bake    of a pipeline of this file's character; brings the clips that its style edits
        layers  mesh (number or name): {layer: (V,) values, or None to remove it}
        clips   edited clips of `Pipeline.edited_clip`, which replace the file's
        """
        if self._gltf is None:
            self = File.of(self.character)
        gltf = self._gltf
        assert gltf is not None
        keep = m.Keep()
        edits = m.default(library().limber_gltf_edits_init, s.GltfEdits)
        edits.style = _style_text(style)
        if bake is not None:
            bake._fits(self.character)
            edits.bake = bake._handle.pointer
        rows = self._layers(layers or {}, keep)
        edits.layer_count, edits.layers = len(rows), keep.structs(s.GltfLayer, rows)
        edited = [_edited(clip, self.character) for clip in clips or ()]
        keep.things.append(clips)
        edits.clip_count, edits.clips = len(edited), keep.structs(s.EditedClip, edited)
        m.call(library().limber_gltf_save_file, gltf.pointer, ctypes.byref(edits), m.encode_path(path))

    def _layers(self, layers: Mapping[Union[int, str], Mapping[str, Any]], keep: m.Keep) -> List[s.GltfLayer]:
        rows = []
        for key, named in layers.items():
            mesh = self.character.mesh(key) if isinstance(key, str) else self.character.meshes[key]
            for name, values in named.items():
                address = None
                if values is not None:
                    array = m.floats(values, (mesh.vertex_count,), f"the layer '{name}' of mesh '{mesh.name}'")
                    if not np.isfinite(array).all():
                        raise ArgumentError(f"the layer '{name}' of mesh '{mesh.name}' has a value that is not finite")
                    address = keep.address(array)
                rows.append(s.GltfLayer(mesh.index, s.Layer(m.encode(name, "the name of a layer"), address)))
        return rows

    def __repr__(self) -> str:
        return f"<limber file: {self.character!r}>"


def _edited(clip: Any, character: Character) -> s.EditedClip:
    if not isinstance(clip, EditedClip):
        raise ArgumentError(f"clips to write come from Pipeline.edited_clip, not {type(clip).__name__}")
    clip._fits(character)
    return clip._row


class BvhReport(NamedTuple):
    """What writing a .bvh changed or left out."""

    frame_count: int  #: of the file
    stretched_joint_count: int  #: joints that got translation channels they did not have
    dropped_mesh_count: int  #: BVH holds skeletons only
    dropped_scale: bool  #: the clip scales joints: positions are kept, sizes are lost


def save_bvh(path: Any, character: Character, clip: ClipLike = 0, fps: float = 0.0) -> BvhReport:
    """Writes the skeleton and one clip; fps 0: the clip's own rate."""
    if character.clips and character.clip_index(clip) < 0:
        raise ArgumentError("a .bvh file needs a clip")
    settings, report = m.default(library().limber_bvh_settings_init, s.BvhSettings), s.BvhReport()
    settings.clip = character.clip_index(clip) if character.clips else 0
    settings.fps = m.rate(fps)
    m.call(
        library().limber_bvh_save_file, ctypes.byref(character._model), ctypes.byref(settings), m.encode_path(path),
        ctypes.byref(report),
    )
    return BvhReport(
        int(report.frame_count), int(report.stretched_joint_count), int(report.dropped_mesh_count),
        bool(report.dropped_scale),
    )


def _style_text(style: "Union[None, str, Mapping[str, Any], Style]") -> Optional[bytes]:
    """What is written can be read: plain JSON, checked."""
    if style is None or style == "":
        return None if style is None else b""
    if isinstance(style, str) and style not in [preset.name for preset in presets()]:
        style = Style().read(style)
    return m.encode((style if isinstance(style, Style) else Style(style)).text, "a style")
