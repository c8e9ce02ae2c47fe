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

from ._library import VERSION as __version__
from ._library import library_path, version
from .build import Channel, Clip, Joints, Mesh
from .character import Character, CharacterClip, CharacterMesh, ClipChannel, Material
from .errors import (
    ArgumentError, BusyError, DataError, FileError, LibraryError, LimberError, LimitError, UnsupportedError,
)
from .file import File, load
from .pipeline import EditedClip, Frame, Pipeline, SmearMesh, Stretch
from .style import Key, Preset, Style, keys, presets, schema

__all__ = [
    "ArgumentError", "BusyError", "Channel", "Character", "CharacterClip", "CharacterMesh", "Clip", "ClipChannel",
    "DataError", "EditedClip", "File", "FileError", "Frame", "Joints", "Key", "LibraryError", "LimberError",
    "LimitError", "Material", "Mesh", "Pipeline", "Preset", "SmearMesh", "Stretch", "Style", "UnsupportedError",
    "__version__", "keys", "library_path", "load", "presets", "schema", "version",
]
