"""Helper bones: bones below the rig's that carry the skin, and a few shape keys for the rest.

Every changed bone gets one below it, or two where it shears: two turns around a scale are a shear. The weights are
copied into vertex groups of the new bones, and the rig's bones no longer deform. All of this happens to a copy of the
armature's data; the bones, weights and actions from before are not changed.
"""
import bpy
import numpy as np
from mathutils import Matrix

from . import bake_shapes, baked, keyed, maths, rig as rigs, sample

PREFIX = "limber "
REST = {"location": (0, 0, 0), "rotation_quaternion": (1, 0, 0, 0), "scale": (1, 1, 1)}
BACK = np.array([-1, -1, -1, 1.0])  # times a quaternion: its inverse


def check(armature, session, settings, problem):
    bake_shapes.check(armature, session, settings, problem)
    if armature.data.library is not None or armature.override_library is not None:
        raise problem(f"The bones of {armature.name} are linked from another file. Bake to a mesh cache")
    if armature.animation_data is not None and armature.animation_data.use_tweak_mode:
        raise problem("A strip of the NLA is being tweaked. Leave tweak mode first")
    if session.rig.preserve_volume:
        raise problem("Helper bones scale, which Preserve Volume ignores. Switch it off, or bake to shape keys")
    parts = {part.name for part in session.rig.parts}
    for obj in bpy.data.objects:
        for modifier in obj.modifiers:
            if modifier.type != "ARMATURE" or modifier.object != armature:
                continue
            if obj.name_full not in parts or modifier.vertex_group or modifier.use_bone_envelopes:
                raise problem(f"{obj.name} follows {armature.name} in a way that helper bones cannot: with a vertex "
                              "group or envelopes, or it is no mesh. Bake to shape keys")


def compute(session, scene, settings):
    made = None
    for made in bake_shapes.in_thread(session, settings, "bones"):
        if isinstance(made, tuple):
            yield made
    return made, bake_shapes.placed(session, settings, made)


# --- bones ---

class Helper:
    """A new bone. `local` is its track of limber: the motion below `parent`, a bone's name or None."""

    def __init__(self, name, parent, rest, row=None, back=False):
        self.name, self.parent, self.rest, self.row, self.back = name, parent, rest, row, back
        self.deforms = True


def helpers(session, made):
    """([Helper], {joint: bone that carries its skin}, {number of limber's bone: bone})."""
    found, carriers, alone = [], {}, {}
    rest = session.rig.places()
    for number, row in enumerate(made.bones):
        at = row.joint
        if row.helper_mesh >= 0:
            at = int(np.asarray(session.rig.parts[row.helper_mesh].mesh.joints)[row.helper_bind])
        name = PREFIX + session.rig.names[row.joint] + (f" {number}" if row.helper_mesh >= 0 else "")
        turned = rest[at] @ maths.matrix_of((0, 0, 0, *row.axes, 1, 1, 1))
        found.append(Helper(_short(name), _above(session.rig, row.joint, rest, found), turned, row))
        if row.shears:
            found[-1].deforms = False
            found.append(Helper(_short(name, " back"), found[-1].name, rest[at], row, back=True))
        if row.helper_mesh >= 0:
            alone[number] = found[-1].name
        else:
            carriers[row.joint] = found[-1].name
    for joint in _beside(session, made) - set(carriers):
        name = _short(PREFIX + session.rig.names[joint])
        found.append(Helper(name, _above(session.rig, joint, rest, found), rest[joint]))
        carriers[joint] = name
    return found, carriers, alone


def _above(rig, joint, rest, found):
    """The bone that stands for a joint. A joint that carries a rigid part gets one, which stays still below its bone."""
    if joint == 0:
        return None
    if rig.is_bone(joint):
        return rig.names[joint]
    name = _short(PREFIX + rig.names[joint], " at")
    if not any(one.name == name for one in found):
        found.append(Helper(name, _above(rig, rig.parents[joint], rest, found), rest[joint]))
        found[-1].deforms = False
    return name


def _beside(session, made):
    """Joints with weights on vertices that a single bone moves: they need a group without those."""
    joints = set()
    for part, mesh in zip(session.rig.parts, made.meshes):
        if mesh.helper is not None and (mesh.helper >= 0).any() and rigs.is_skinned(part.object, session.armature):
            weights = rigs._Weights(part.object, part.object.data)
            groups = {weights.groups[g] for g in np.unique(weights.group[mesh.helper[weights.vertex] >= 0])}
            joints |= {session.rig.index[name] for name in groups if name in session.rig.index}
    return joints


def _short(name, end=""):
    return name.encode()[:63 - len(end)].decode(errors="ignore") + end


def commit(armature, record, session, settings, result):
    made, weights = result
    found, carriers, alone = helpers(session, made)
    baked.put(record, error=made.error, had_data=armature.animation_data is not None)
    record.bones = armature.data
    data = _grown(armature.data, found, {session.rig.names[j] for j in carriers if session.rig.is_bone(j)})
    for number, part in enumerate(record.parts):
        mesh, obj = made.meshes[number], part.object
        if rigs.is_skinned(obj, armature):
            _weigh(obj, part, session.rig, mesh.helper, carriers, alone)
        else:
            _hang(obj, part, armature, data, carriers.get(session.rig.parts[number].joint))
        bake_shapes.add(part, mesh.positions, weights[number], settings)
    armature.data = data
    record.before, record.made = keyed.action_beside(armature, " limber bones", "limber bones")
    curves, frames = keyed.bag(armature), _frames(session, settings, made)
    for one in found:
        if one.row is not None:
            _animate(curves, one, data, frames, settings)


def _grown(old, found, carried):
    """A copy of the armature's data with the new bones. The rig's own bones stop deforming where those carry."""
    data = old.copy()
    data.name = f"{old.name} limber"
    layer, scene = bpy.context.view_layer, bpy.context.scene
    active = layer.objects.active
    mode = active.mode if active is not None else "OBJECT"
    if mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    handle = bpy.data.objects.new("limber handle", data)
    scene.collection.objects.link(handle)
    try:
        layer.objects.active = handle
        bpy.ops.object.mode_set(mode="EDIT")
        for one in found:
            _new_bone(data, one)
        for name in carried:
            data.edit_bones[name].use_deform = False
        bpy.ops.object.mode_set(mode="OBJECT")
    finally:
        bpy.data.objects.remove(handle)
        layer.objects.active = active
        if mode != "OBJECT":
            bpy.ops.object.mode_set(mode=mode)
    return data


def _new_bone(data, one):
    bone = data.edit_bones.new(one.name)
    above = data.edit_bones.get(one.parent) if one.parent else None
    bone.head, bone.tail = (0, 0, 0), (0, 0.25 * above.length if above else 0.1, 0)
    bone.matrix = Matrix(one.rest.tolist())
    bone.parent, bone.use_connect, bone.use_deform = above, False, one.deforms
    bone.inherit_scale = "FULL"
    if above is not None:
        bone.layers = above.layers[:] if hasattr(bone, "layers") else ()
    one.name = bone.name


# --- weights ---

def _weigh(obj, part, rig, helper, carriers, alone):
    """The weights of carried joints, in groups of the new bones."""
    weights = rigs._Weights(obj, obj.data)
    free = np.ones(weights.count, bool) if helper is None else helper < 0
    rows = {}
    for group, name in enumerate(weights.groups):
        joint = rig.index.get(name)
        if joint in carriers:
            use = (weights.group == group) & (weights.weight > 0) & free[weights.vertex]
            rows.setdefault(carriers[joint], []).append((weights.vertex[use], weights.weight[use]))
    for number, name in alone.items():
        use = np.nonzero(helper == number)[0] if helper is not None else ()
        rows.setdefault(name, []).append((np.asarray(use, int), np.ones(len(use))))
    if 0 in carriers:
        bones = [i for i, name in enumerate(weights.groups) if name in rig.index]
        held = np.isin(weights.group, bones)
        total = np.bincount(weights.vertex[held], weights.weight[held], weights.count) if held.any() else \
            np.zeros(weights.count)
        use = np.nonzero((total < 1e-4) & free)[0]
        rows.setdefault(carriers[0], []).append((use, np.ones(len(use))))
    active, made = obj.vertex_groups.active_index, []
    for name, parts in rows.items():
        vertex, weight = (np.concatenate(some) for some in zip(*parts))
        if len(vertex):
            group = obj.vertex_groups.new(name=name)
            made.append(group.name)
            _fill(group, vertex, weight)
    obj.vertex_groups.active_index = active
    baked.put(part, groups=made, active_group=active)


def _fill(group, vertex, weight):
    """Vertices with the same weight go together: one call each is slow."""
    order = np.argsort(weight, kind="stable")
    for some in np.split(order, np.nonzero(np.diff(weight[order]))[0] + 1):
        if len(some):
            group.add(vertex[some].tolist(), float(weight[some[0]]), "REPLACE")


def _hang(obj, part, armature, data, carrier):
    """A rigid part hangs on the new bone instead, in the same place."""
    top, name = rigs.carrying_bone(obj, armature)
    if carrier is None or top.parent_bone != name:
        return
    bone, old = data.bones[carrier], data.bones[name]
    baked.put(part, top=top.name, bone=name, inverse=[list(row) for row in top.matrix_parent_inverse])
    inverse = np.array(top.matrix_parent_inverse)
    if old.use_relative_parent:
        bone.use_relative_parent = True
    else:
        inverse = (_along(-bone.length) @ maths.inverse(np.array(bone.matrix_local)) @ np.array(old.matrix_local)
                   @ _along(old.length) @ inverse)
    top.parent_bone = bone.name
    top.matrix_parent_inverse = Matrix(inverse.tolist())


def _along(length):
    found = np.eye(4)
    found[1, 3] = length
    return found


# --- motion ---

def _frames(session, settings, made):
    """(frames of the scene, which frame of the track each of them shows, with a fraction)."""
    times = np.array([session.time_of(float(frame)) for frame in settings.frames])
    known = np.asarray(made.tracks[0].times, float)
    return settings.frames, np.interp(times, known, np.arange(len(known)))


def _animate(curves, one, data, frames, settings):
    """Keys of a new bone, over its rest pose: what limber says of its place below the bone above."""
    bone = data.bones[one.name]
    rest = np.array(bone.matrix_local, float)
    if bone.parent is not None:
        rest = maths.inverse(np.array(bone.parent.matrix_local, float)) @ rest
    back = maths.quaternions(rest[None, :3, :3])[0] * BACK
    track = one.row.curves[0]
    scene, at = frames
    path = f'pose.bones["{keyed.quoted(one.name)}"].'
    turn = _sampled(track["back" if one.back else "rotation"], at,
                    np.asarray(one.row.axes) * BACK if one.back else one.row.axes)
    turn = maths.product(np.broadcast_to(back, turn.shape), turn)
    turn /= np.linalg.norm(turn, axis=-1, keepdims=True)
    _write(curves, path, "rotation_quaternion", scene, _steady(turn)[:, [3, 0, 1, 2]], one.name)
    if one.back:
        return
    place = _sampled(track["translation"], at, (0, 0, 0)) - rest[:3, 3]
    _write(curves, path, "location", scene, place @ rest[:3, :3], one.name)
    _write(curves, path, "scale", scene, _sampled(track["scale"], at, (1, 1, 1)), one.name)


def _sampled(curve, at, rest):
    if not len(curve.frames):
        return np.tile(np.asarray(rest, float), (len(at), 1))
    values = np.asarray(curve.values, float)
    if values.shape[1] == 4:
        values = _steady(values)
    return np.stack([np.interp(at, curve.frames, values[:, i]) for i in range(values.shape[1])], -1)


def _steady(turns):
    """Neighbors on the same side: q and -q are the same turn."""
    turns = turns.copy()
    sign = np.cumprod(np.where(np.einsum("fi,fi->f", turns[1:], turns[:-1]) < 0, -1.0, 1.0))
    turns[1:] *= sign[:, None]
    return turns * (-1.0 if turns[0, 3] < 0 else 1.0)


def _write(curves, path, name, frames, values, group):
    rest = np.array(REST[name], float)
    if np.abs(values - rest).max() < 1e-6:
        return
    stretch = sample.stretch_of(bpy.context.scene)
    around = np.concatenate([[frames[0] - 1], frames, [frames[-1] + 1]]) * stretch
    values = np.concatenate([rest[None], values, rest[None]])
    for index in range(values.shape[1]):
        keyed.write(curves, path + name, index, around, values[:, index], group)


# --- undoing it ---

def undo(obj, part):
    bake_shapes.undo(obj, part)
    for name in reversed(baked.get(part, "groups", [])):
        if name in obj.vertex_groups:
            obj.vertex_groups.remove(obj.vertex_groups[name])
    if baked.get(part, "groups"):
        obj.vertex_groups.active_index = baked.get(part, "active_group")
    top = bpy.data.objects.get(baked.get(part, "top", ""))
    if top is not None:
        top.parent_bone = baked.get(part, "bone")
        top.matrix_parent_inverse = Matrix(baked.get(part, "inverse"))


def undo_armature(armature, record):
    made = armature.data
    if record.bones is not None and record.bones != made:
        armature.data = record.bones
        if made.users == 0:
            bpy.data.armatures.remove(made)
    if record.made is not None:
        keyed.give_back(armature, record.before, baked.get(record, "had_data", True))
