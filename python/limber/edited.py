"""Clips as a style edits them."""

from typing import Any, NamedTuple

import numpy as np

from . import _memory as m
from . import _structs as s
from .build import Clip
from .character import Character, CharacterClip
from .errors import ArgumentError

__all__ = ["EditedClip", "Stretch"]


class Stretch(NamedTuple):
    """How much longer the skin of one joint is along its bone, at every key."""

    joint: int  #: number in the rig
    axis: "tuple[float, float, float]"  #: unit vector, joint space
    times: "np.ndarray[Any, Any]"  #: (K,)
    factors: "np.ndarray[Any, Any]"  #: (K,), 1: unchanged


class EditedClip(m.NotPickled):
    """What a style makes of a clip (`timing`, `pose`, `exaggerate`): `clip` has the channels, `stretches` how skins
    become longer."""

    def __init__(self, row: s.EditedClip, character: Character, owner: m.Handle) -> None:
        self._row = row
        self._owner = owner
        self._counts = _counts(character)
        self.index = int(row.index)  #: the clip it replaces
        morphs = [mesh.morph_slice.stop - mesh.morph_slice.start for mesh in character.meshes]
        self.clip = CharacterClip(s.Clip.from_address(row.clip), self.index, owner, morphs)
        self.stretches = [
            Stretch(
                int(one.joint), (one.axis.x, one.axis.y, one.axis.z),
                m.view(one.times, (one.key_count,), np.float32, owner),
                m.view(one.factors, (one.key_count,), np.float32, owner),
            )
            for one in m.structs(row.stretches, row.stretch_count, s.Stretch)
        ]

    def as_clip(self) -> Clip:
        """The same as a clip to build characters with (`Character.with_clips`); without stretched skins."""
        return self.clip.as_clip()

    def _fits(self, character: Character) -> None:
        if _counts(character) != self._counts:
            raise ArgumentError(f"the edited clip '{self.clip.name}' belongs to another character")


def _counts(character: Character) -> Any:
    return character.joint_count, [mesh.vertex_count for mesh in character.meshes], len(character.clips)
