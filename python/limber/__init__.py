"""Cartoon motion for rigged characters: the C library limber, from Python.

    >>> import limber
    >>> fox = limber.load("fox.glb").character
    >>> pipeline = limber.Pipeline(fox, "cartoon")
    >>> frame = pipeline.evaluate("Run", 0.5)
    >>> frame.positions.shape
    (1728, 3)

Y up, meters, seconds, quaternions (x, y, z, w), float32. Arrays that objects of this module have are views without a
copy; they cannot be written to, and keep what they show alive.
"""

from . import cache
from ._library import VERSION as __version__
from ._library import library_path, version
from .bake import (
    Bake, BakeBone, BakeCurve, BakeMesh, BakePiece, BakeSmearMesh, BakeTrack, Estimate,
)
from .build import Channel, Clip, Joints, Mesh
from .character import Character, CharacterClip, CharacterMesh, ClipChannel, Material
from .crowd import Crowd, CrowdFrame, Member
from .edited import EditedClip, Stretch
from .errors import (
    ArgumentError, BusyError, DataError, FileError, LibraryError, LimberError, LimitError, UnsupportedError,
)
from .file import BvhReport, File, load, loads, save_bvh
from .live import Live
from .pipeline import Frame, Frames, Performance, Pipeline, SmearMesh
from .retarget import JointMatch, match, retarget
from .style import Key, Preset, Style, keys, presets, schema

__all__ = [
    "__version__", "ArgumentError", "Bake", "BakeBone", "BakeCurve", "BakeMesh", "BakePiece", "BakeSmearMesh",
    "BakeTrack", "BusyError", "BvhReport", "cache", "Channel", "Character", "CharacterClip", "CharacterMesh", "Clip",
    "ClipChannel", "Crowd", "CrowdFrame", "DataError", "EditedClip", "Estimate", "File", "FileError", "Frame",
    "Frames", "JointMatch", "Joints", "Key", "keys", "library_path", "LibraryError", "LimberError", "LimitError", "Live", "load",
    "loads", "match", "Material", "Member", "Mesh", "Performance", "Pipeline", "Preset", "presets", "retarget", "save_bvh", "schema", "SmearMesh",
    "Stretch", "Style", "UnsupportedError", "version",
]
