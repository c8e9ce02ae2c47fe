"""Timing, poses and skeleton exaggeration as an action: a copy of the user's, with new curves for the bones that the
style changes.

The action before is never changed, and the new one remembers it. Bones without keys are not touched.
"""
import json
import re

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from . import curves, keyed, maths

MARK = "limber_exaggerated"
EDITS = ("timing", "pose", "exaggerate")  # what of a style changes the action
BEFORE = "limber_before"
INHERIT = "limber_inherit"
BONE = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(location|rotation_\w+|scale)$')
TURNS = {"QUATERNION": ("rotation_quaternion", 4), "AXIS_ANGLE": ("rotation_axis_angle", 4)}
SAME = 2e-5  # of a rotation, or of a length relative to the character


def is_exaggerated(armature):
    """Whether the action in use is one of ours."""
    data = armature.animation_data
    return bool(data is not None and data.action is not None and data.action.get(MARK))


def without(armature, style):
    """The style for a character: what its action already contains is left out."""
    return {k: v for k, v in style.items() if k not in EDITS} if is_exaggerated(armature) else style


def problem(armature, session):
    """None, or why there is no exaggerated action to make."""
    data = armature.animation_data
    if is_exaggerated(armature):
        return "This action is exaggerated already. Press Original Action first"
    if data is None or data.action is None:
        return f"{armature.name} has no action. Choose one in the Action Editor"
    if session is None or not session.is_exaggerated:
        return "The style does not change the action. Give it timing or poses, or switch Exaggerate the Skeleton on"
    return None


# --- making the action ---

def make(armature, session, only=None):
    """The new action, in use; `only`: names of bones. Returns (action, names of keyed bones that were left alone)."""
    edit = _Edit(armature, session)
    keyed_bones = _keyed(armature)
    wanted = [n for n in keyed_bones if n in session.rig.index and (only is None or n in only)]
    left = [n for n in wanted if _is_held(armature.pose.bones[n])]
    data = armature.animation_data
    before, made = keyed.action_beside(armature, " limber", "limber")
    made[MARK], made[BEFORE] = True, before
    made[INHERIT] = json.dumps(_free_children(armature, edit, wanted))
    bag = keyed.bag(armature)
    for name in wanted:
        if name not in left:
            _write_bone(bag, armature.pose.bones[name], edit)
    if only is None and "" in keyed_bones and armature.parent is None and not armature.constraints:
        _write_object(bag, armature, edit)
    data.action = made
    return made, left


def _keyed(armature):
    """Names of the bones with keys; "" is the armature object."""
    found = {}
    for curve in curves.of(armature):
        match = BONE.match(curve.data_path)
        if match:
            found[match.group(1).replace('\\"', '"').replace("\\\\", "\\")] = True
        elif re.match(r"^(location|rotation_\w+)$", curve.data_path):
            found[""] = True
    return list(found)


def _is_held(bone):
    """Other things than keys decide where this bone is."""
    return any(not c.mute and c.influence > 0 for c in bone.constraints) or not bone.bone.use_inherit_rotation


class _Edit:
    """local, plain (F, J, 10): poses with and without exaggeration; stretch (F, J, 3): scale along the bones' axes."""

    def __init__(self, armature, session):
        self.session, self.rig = session, session.rig
        self.frames = session.samples.frames
        found = [session.pipeline.evaluate(0, session.time_of(f)).local.copy() for f in self.frames]
        self.local = np.stack(found).astype(float)
        self.plain = session._locals
        self.size = float(session.character.size)
        self.stretch = np.ones(self.local.shape[:2] + (3,))
        times = np.array([session.time_of(f) for f in self.frames])
        for one in session.pipeline.edited_clip(0).stretches:
            if one.joint == 0 or np.abs(self.plain[:, one.joint, 7:] - 1).max() > 1e-3:
                continue  # what is scaled already keeps its children's inheritance
            factor = np.interp(times, one.times, one.factors)
            axis = np.asarray(one.axis, float)
            self.stretch[:, one.joint] = 1 + (factor[:, None] - 1) * axis[None] ** 2

    def stretched(self, joint):
        return joint > 0 and np.abs(self.stretch[:, joint] - 1).max() > 1e-4

    def basis(self, joint):
        """Location, rotation matrix and scale of a bone over its rest pose: (F, 3), (F, 3, 3), (F, 3)."""
        above = self.rig.parents[joint]
        rest = self.rig.rest[joint - 1]
        if above > 0:
            rest = maths.inverse(self.rig.rest[above - 1]) @ rest
        back = maths.inverse(rest)
        rows = self.local[:, joint]
        place = rows[:, :3] / self.stretch[:, above] if above > 0 else rows[:, :3]
        location = place @ back[:3, :3].T + back[:3, 3]
        turn = np.array([np.array(Quaternion((q[3], q[0], q[1], q[2])).to_matrix()) for q in rows[:, 3:7]])
        return location, back[:3, :3] @ turn, rows[:, 7:] * self.stretch[:, joint]

    def changes(self, joint):
        """Whether its location, its rotation and its scale change."""
        now, was = self.local[:, joint], self.plain[:, joint]
        above = self.rig.parents[joint] if joint else 0
        turned = 1 - np.abs(np.einsum("fi,fi->f", now[:, 3:7], was[:, 3:7])) > SAME ** 2
        return (np.abs(now[:, :3] - was[:, :3]).max() > SAME * self.size or self.stretched(above), turned.any(),
                np.abs(now[:, 7:] * self.stretch[:, joint] - was[:, 7:]).max() > 1e-4)


def _write_bone(bag, bone, edit):
    joint = edit.rig.index[bone.name]
    moves, turns, scales = edit.changes(joint)
    location, turn, scale = edit.basis(joint)
    prefix = f'pose.bones["{keyed.quoted(bone.name)}"].'
    frames = edit.frames
    if moves:
        write(bag, prefix + "location", frames, location, bone.name)
    if turns:
        write_turn(bag, prefix, bone, frames, turn, bone.name)
    if scales:
        write(bag, prefix + "scale", frames, scale, bone.name)


def _write_object(bag, armature, edit):
    moves, turns, _ = edit.changes(0)
    rows = edit.local[:, 0]
    world = maths.LIMBER_FROM_BLENDER[:3, :3].T
    if moves:
        write(bag, "location", edit.frames, rows[:, :3] @ world.T, "Object Transforms")
    if turns:
        turn = [world @ np.array(Quaternion((q[3], q[0], q[1], q[2])).to_matrix()) for q in rows[:, 3:7]]
        write_turn(bag, "", armature, edit.frames, np.array(turn), "Object Transforms")


def write_turn(bag, prefix, owner, frames, turns, group):
    name, _ = TURNS.get(owner.rotation_mode, ("rotation_euler", 3))
    values, last = [], None
    for turn in turns:
        q = Matrix(turn.tolist()).to_quaternion()
        if name == "rotation_euler":
            last = q.to_euler(owner.rotation_mode, last) if last is not None else q.to_euler(owner.rotation_mode)
            values.append(tuple(last))
            continue
        if last is not None and last.dot(q) < 0:
            q.negate()
        last = q
        axis, angle = q.to_axis_angle()
        values.append(tuple(q) if name == "rotation_quaternion" else (angle, *axis))
    write(bag, prefix + name, frames, np.array(values), group)


def write(bag, path, frames, values, group):
    stretch = bpy.context.scene.render.frame_map_old / bpy.context.scene.render.frame_map_new
    for index in range(values.shape[1]):
        old = bag.find(path, index=index)
        repeats = [(m.mode_before, m.mode_after) for m in old.modifiers if m.type == "CYCLES"] if old else ()
        curve = keyed.write(bag, path, index, frames * stretch, values[:, index], group)
        for before, after in repeats:
            cycle = curve.modifiers.new("CYCLES")
            cycle.mode_before, cycle.mode_after = before, after


# --- children of stretched bones ---

def _free_children(armature, edit, wanted):
    """Children do not inherit a stretch. {bone: what it inherited before}"""
    changed = {}
    for name in wanted:
        if edit.stretched(edit.rig.index[name]):
            for child in armature.data.bones[name].children:
                if child.inherit_scale not in ("NONE", "NONE_LEGACY"):
                    changed[child.name] = child.inherit_scale
                    child.inherit_scale = "NONE"
    return changed


def back(armature):
    """The action from before. The exaggerated one stays in the file."""
    made = armature.animation_data.action
    for name, inherited in json.loads(made.get(INHERIT, "{}")).items():
        bone = armature.data.bones.get(name)
        if bone is not None:
            bone.inherit_scale = inherited
    made.use_fake_user = True
    armature.animation_data.action = made.get(BEFORE)
    return made
