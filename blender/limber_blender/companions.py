"""The other actions of an armature, as clips beside the one that plays.

Bodies, loose parts, floors and contacts are found from all motions of a character, as the program finds them from all
clips of a file: one clip alone does not show that a hand opens in another. An action belongs to an armature when one of
its NLA tracks plays it, or when it has curves of bones, all of which the armature has, and no other armature uses it.
"""
import hashlib
import re

import bpy
import numpy as np

from . import curves, maths, rest, sample, scratch

FRAME_LIMIT = 20000  # of all of them together
COPY = " limber"  # ends the names of exaggerated actions and of bakes
BONE = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\]\.')


class Companions:
    """clips: {name of the action: (times (F,), poses in the joints' parents (F, J, 10), {(part, key): (F,)})}"""

    def __init__(self):
        self.clips, self._stamps = {}, {}

    def forget(self):
        self._stamps = {}

    def read(self, armature, rig, scene, fps):
        """Brings the clips up to date: those of actions that are new or have changed are read."""
        wanted = {action.name_full: action for action in of(armature)}
        stamps = {name: (fps, sample.stretch_of(scene), _stamp(action)) for name, action in wanted.items()}
        missing = [action for name, action in wanted.items() if self._stamps.get(name) != stamps[name]]
        known = {**self.clips, **(_read(armature, rig, scene, fps, missing) if missing else {})}
        self.clips, self._stamps = {name: known[name] for name in wanted if name in known}, stamps

    def made(self, limber, rig):
        """The clips for the library."""
        return [limber.Clip.sampled(name, times, local, sample.weight_rows(rig, keys, len(times)))
                for name, (times, local, keys) in self.clips.items()]


# --- which ---

def of(armature):
    """The actions that belong to an armature and do not play now, by name."""
    data = armature.animation_data
    if data is None:
        return []
    own = {s.action for t in data.nla_tracks for s in t.strips if s.action is not None}
    playing = {data.action} | {s.action for s in _played(data)}
    taken = {a for o in bpy.data.objects if o.type == "ARMATURE" and o != armature for a in _all_of(o.animation_data)}
    fitting = {a for a in bpy.data.actions if a not in taken and _fits(a, armature.data.bones)}
    replaced = {a.name[: -len(COPY)] for a in playing if a is not None and a.name.endswith(COPY)}
    return sorted((a for a in (own | fitting) - playing if not a.name.endswith(COPY) and a.name not in replaced),
                  key=lambda a: a.name_full)


def _played(data):
    solo = [t for t in data.nla_tracks if t.is_solo]
    tracks = solo or [t for t in data.nla_tracks if not t.mute]
    return [s for t in tracks for s in t.strips if not s.mute and s.action is not None] if data.use_nla else []


def _all_of(data):
    if data is None:
        return []
    return [a for a in [data.action, *(s.action for t in data.nla_tracks for s in t.strips)] if a is not None]


def _fits(action, bones):
    matches = (BONE.match(curve.data_path) for curve in curves.of_action(action))
    named = {curves.unquoted(match.group(1)) for match in matches if match}
    return bool(named) and all(name in bones for name in named)


def _stamp(action):
    """Changes with its keys. Blender does not say when an action changes that nothing plays."""
    found = hashlib.blake2b(digest_size=16)
    for curve in curves.of_action(action):
        keys = np.empty(6 * len(curve.keyframe_points), np.float32)
        for i, name in enumerate(("co", "handle_left", "handle_right")):
            curve.keyframe_points.foreach_get(name, keys[i * len(keys) // 3:(i + 1) * len(keys) // 3])
        found.update(curve.data_path.encode() + keys.tobytes())
    return found.digest()


# --- reading ---

def _read(armature, rig, scene, fps, actions):
    """A copy of the armature plays one action after the other, in a hidden scene."""
    copy, found, room = armature.copy(), {}, FRAME_LIMIT
    try:
        copy.animation_data.use_nla = False
        with scratch.scene(scene, [copy]) as made:
            for action in actions:
                frames = _frames(action, scene, fps)
                room -= len(frames)
                if room >= 0:
                    found[action.name_full] = _play(armature, copy, rig, made, frames, fps, action)
    finally:
        bpy.data.objects.remove(copy)
    return found


def _frames(action, scene, fps):
    stretch = sample.stretch_of(scene)
    first, last = action.frame_range
    return np.array(sample.Range(first / stretch, last / stretch).frames(fps))


def _play(armature, copy, rig, made, frames, fps, action):
    rest.take(copy)
    copy.animation_data.action = action
    slots = getattr(copy.animation_data, "action_suitable_slots", None)
    if slots and copy.animation_data.action_slot is None:
        copy.animation_data.action_slot = slots[0]
    objects, poses = sample.play(copy, rig, made, frames)
    local = maths.steady(rig.locals_of(objects, poses))
    keys = sample.key_values(rig, frames * sample.stretch_of(made), lambda keys: _key_curves(armature, keys, action))
    return (frames - frames[0]) / fps, local, keys


def _key_curves(armature, keys, action):
    """Curves of shape keys that play with an action: importers put both on NLA tracks of one name."""
    tracks = {t.name for t in armature.animation_data.nla_tracks if any(s.action == action for s in t.strips)}
    data = keys.animation_data
    beside = [s.action for t in data.nla_tracks if t.name in tracks for s in t.strips] if data is not None else []
    return [curve for one in beside for curve in curves.of_action(one)]
