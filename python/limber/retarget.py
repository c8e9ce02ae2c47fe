"""The motion of one character's skeleton on another."""

import ctypes
from typing import Any, List, Mapping, NamedTuple, Optional

from . import _memory as m
from . import _structs as s
from ._library import library
from .build import Clip
from .character import Character, CharacterClip, ClipLike
from .errors import ArgumentError

__all__ = ["retarget", "match", "JointMatch"]

_NO_SOURCE = 2**32 - 1


class JointMatch(NamedTuple):
    """A joint of the character, and the joint whose motion it takes."""

    joint: str  #: of the character
    source: str  #: the joint of the motion that it follows
    part: str  #: "left upper leg"
    sure: float  #: 0 to 1: how sure the match is


def retarget(
    motion: Character, character: Character, clip: ClipLike = 0, *, name: Optional[str] = None, fps: float = 0,
    start: float = 0, end: float = 0, mirror: bool = False, in_place: bool = False, root_motion: bool = False,
    loop: bool = False, touch: bool = False,
    pairs: Optional[Mapping[str, Optional[str]]] = None, motion_bones: Optional[Mapping[str, str]] = None,
    character_bones: Optional[Mapping[str, str]] = None,
) -> Clip:
    """A clip of `motion` as one that `character` can play, for `Character.with_clips`.

    fps              rate of the new keys; 0: the motion's own
    start            start of the part of the clip, seconds since its start
    end              end of that part; 0: all of it
    mirror           left and right are swapped
    in_place         the steady travel of the hips is taken out
    root_motion      the way of the hips along the ground moves to the topmost joint above them
    loop             the result is a cycle: the one that is found, or the part from start to end; its end is closed
    touch            hands that touch each other or the body in the motion come as close, within limits
    pairs            joints of the character and those of the motion that they follow (None: keep the rest pose), where
                     what is found by itself is wrong
    motion_bones     what joints of the motion are in a body ("leftUpperLeg"), where neither names nor shape tell
    character_bones  the same of the character
    """
    _check(motion, character)
    index = motion.clip_index(clip)
    if index < 0:
        raise ArgumentError("a clip of the motion is needed")
    settings = m.default(library().limber_retarget_settings_init, s.RetargetSettings)
    settings.fps, settings.start_s, settings.end_s = float(fps), float(start), float(end)
    settings.mirror, settings.in_place, settings.touch = bool(mirror), bool(in_place), bool(touch)
    settings.root_motion, settings.loop = bool(root_motion), bool(loop)
    settings.name = None if name is None else m.encode(name, "name")
    keep = m.Keep()
    handle = _create(motion, character, settings, pairs, motion_bones, character_bones, keep)
    source = motion.clips[index]
    made = m.create(library().limber_retarget_clip, handle.pointer, ctypes.byref(source._row))
    counts = [mesh.morph_slice.stop - mesh.morph_slice.start for mesh in character.meshes]
    return CharacterClip(s.Clip.from_address(made), 0, handle, counts).as_clip()


def match(
    motion: Character, character: Character, pairs: Optional[Mapping[str, Optional[str]]] = None,
    motion_bones: Optional[Mapping[str, str]] = None, character_bones: Optional[Mapping[str, str]] = None,
) -> List[JointMatch]:
    """Which joint of the character follows which joint of the motion."""
    _check(motion, character)
    settings = m.default(library().limber_retarget_settings_init, s.RetargetSettings)
    keep = m.Keep()
    handle = _create(motion, character, settings, pairs, motion_bones, character_bones, keep)
    lib = library()
    found = [lib.limber_retarget_match(handle.pointer, i) for i in range(lib.limber_retarget_match_count(handle.pointer))]
    return [
        JointMatch(character.joint_names[one.joint], motion.joint_names[one.source], m.text(one.part), float(one.sure))
        for one in found
    ]


def _check(*characters: Any) -> None:
    for one in characters:
        if not isinstance(one, Character):
            raise ArgumentError(f"a limber.Character is needed, not {type(one).__name__}")


def _bones(character: Character, said: Optional[Mapping[str, str]], keep: m.Keep) -> Optional[int]:
    if not said:
        return None
    array = (ctypes.c_char_p * character.joint_count)()
    for joint, bone in said.items():
        array[character.joint(joint)] = m.encode(bone, "a bone")
    keep.things.append(array)
    return ctypes.addressof(array)


def _create(
    motion: Character, character: Character, settings: s.RetargetSettings,
    pairs: Optional[Mapping[str, Optional[str]]], motion_bones: Optional[Mapping[str, str]],
    character_bones: Optional[Mapping[str, str]], keep: m.Keep,
) -> m.Handle:
    rows: List[Any] = [
        s.JointPair(character.joint(joint), _NO_SOURCE if source is None else motion.joint(source))
        for joint, source in (pairs or {}).items()
    ]
    settings.pairs, settings.pair_count = keep.structs(s.JointPair, rows), len(rows)
    settings.motion_bones = _bones(motion, motion_bones, keep)
    settings.character_bones = _bones(character, character_bones, keep)
    lib = library()
    pointer = m.create(
        lib.limber_retarget_create, ctypes.byref(motion._model), ctypes.byref(character._model), ctypes.byref(settings),
    )
    return m.Handle(pointer, lib.limber_retarget_destroy, motion._handle, character._handle, keep)
