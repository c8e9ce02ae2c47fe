"""An armature and everything it moves, as the arrays of one limber character.

Joint 0 is the armature object, in limber's world (Y up); its bones follow in their own Blender axes, and then a joint
for every mesh that hangs on a bone, as such a node is one in a glTF file. Meshes keep their own space. So only joint 0
knows that limber's axes are not Blender's.
"""
import bpy
import numpy as np

from . import baked, curves, maths, nodes, rest, scratch

DEFORM_ONLY = {"ARMATURE", "CAST", "CURVE", "DISPLACE", "HOOK", "LAPLACIANDEFORM", "LATTICE", "MESH_DEFORM",
               "SHRINKWRAP", "SIMPLE_DEFORM", "SMOOTH", "CORRECTIVE_SMOOTH", "LAPLACIANSMOOTH", "SURFACE_DEFORM", "WARP",
               "WAVE", "COLLISION", "CLOTH", "SOFT_BODY", "MESH_CACHE", "DATA_TRANSFER", "NORMAL_EDIT",
               "WEIGHTED_NORMAL", "UV_PROJECT", "UV_WARP", "VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX",
               "VERTEX_WEIGHT_PROXIMITY"}


MINUS = " -"  # ends the names of vertex groups that make a layer negative: weights end at 0


class Part:
    """One mesh object of a character.

    name    of the object (name_full)
    joint   the joint that its space follows: 0 for skins, one of its own for rigid parts
    bind    (4, 4): joint from object
    mesh    a limber.Mesh without inverse binds for rigid parts; None when it has no vertices
    keys    its shape keys, as morphs: [name of the key block]
    slice   its vertices in the arrays of a frame
    """

    def __init__(self, name, joint, bind):
        self.name, self.joint, self.bind = name, joint, np.asarray(bind, float)
        self.mesh, self.keys, self.slice = None, [], slice(0, 0)

    @property
    def object(self):
        return object_named(self.name, "MESH")


def is_on(obj):
    """Whether a character has limber. Unlike `obj.limber.enabled` this leaves no empty settings on other objects."""
    return (obj is not None and obj.type == "ARMATURE" and obj.is_property_set("limber")
            and obj.limber.enabled)


def object_named(full, kind=None):
    """An object by its name_full: 'Fox', or 'Fox [rig.blend]' when it is linked. None when it is of another kind."""
    found = bpy.data.objects.get(full)
    if found is None or found.name_full != full:
        found = next((o for o in bpy.data.objects if o.name_full == full), None)
    return found if found is not None and kind in (None, found.type) else None


class Rig:
    """names, parents, bones (names of joints 1...), rest (B, 4, 4) of the bones in the armature, parts.

    hung: rows (10,) of the joints after the bones: where rigid parts are, below the bone that carries them.
    """

    def __init__(self, armature):
        bones = _sorted(armature.data.bones)
        index = {bone.name: i + 1 for i, bone in enumerate(bones)}
        self.bones = [bone.name for bone in bones]
        self.names = [_unused(armature.name, index)] + self.bones
        self.parents = np.array([-1] + [index[b.parent.name] if b.parent else 0 for b in bones], np.int32)
        self.rest = np.array([b.matrix_local for b in bones], float).reshape(-1, 4, 4)
        self.index, self.hung = index, []
        self.start = rest.pose_of(armature, self)
        self.parts = []
        self.preserve_volume = False
        self.notes = []  # sentences: what Blender does here and limber does not know

    def locals_of(self, object_matrices, pose):
        """(F, J, 10) of the armature object's world matrices (F, 4, 4) and poses (F, B, 4, 4) in the armature."""
        world = maths.LIMBER_FROM_BLENDER @ np.asarray(object_matrices, float)
        pose = np.asarray(pose, float)
        local = pose.copy()
        parents = self.parents[1: len(self.bones) + 1]
        below = parents > 0
        above = parents[below] - 1
        local[:, below] = maths.inverse(pose)[:, above] @ pose[:, below]
        hung = np.broadcast_to(np.reshape(self.hung, (-1, 10)), (len(world), len(self.hung), 10))
        return np.concatenate([maths.rows_of(world)[:, None], maths.rows_of(local), hung], 1)

    def hang(self, name, bone, bind):
        """A joint for a rigid part below the joint of a bone: (its number, joint from object)."""
        row = maths.rows_of(bind)
        self.names.append(_unused(name, self.names))
        self.parents = np.append(self.parents, np.int32(bone))
        self.hung.append(row)
        return len(self.names) - 1, maths.inverse(maths.matrix_of(row)) @ bind

    def is_bone(self, joint):
        return 0 < joint <= len(self.bones)

    def places(self):
        """(J, 4, 4) of all joints in the armature, in its rest pose."""
        found = [np.eye(4), *self.rest]
        for row, above in zip(self.hung, self.parents[len(found):]):
            found.append(found[above] @ maths.matrix_of(row))
        return np.array(found)

    def moves_like(self, other):
        """Whether the samples of one rig are those of the other."""
        return (self.names == other.names and np.array_equal(self.parents, other.parents)
                and np.array_equal(self.rest, other.rest) and np.array_equal(self.hung, other.hung) and [p.keys for p in self.parts] == [p.keys for p in other.parts]
                and not any(p.keys for p in self.parts))

    def joints(self, limber, object_matrix):
        found = self.locals_of(np.asarray(object_matrix)[None], self.start[None])[0]
        return limber.Joints(self.names, self.parents, found.astype(np.float32))


def _sorted(bones):
    """Parents before children, and each with all that is below it, as files have them."""
    found, todo = [], [bone for bone in reversed(bones) if bone.parent is None]
    while todo:
        found.append(todo.pop())
        todo += reversed(found[-1].children)
    return found


def _unused(name, taken):
    while name in taken:
        name += " object"
    return name


# --- which objects ---

def skin_modifier(obj, armature):
    """The Armature modifier that makes a mesh follow this armature. A mesh with several belongs to one character."""
    found = [m for m in obj.modifiers if m.type == "ARMATURE" and m.object is not None]
    first = next((m for m in found if is_on(m.object)), found[0] if found else None)
    return first if first is not None and first.object == armature else None


def is_skinned(obj, armature):
    return skin_modifier(obj, armature) is not None or (obj.parent == armature and obj.parent_type == "ARMATURE")


def carrying_bone(obj, armature):
    """(the object at the top of the chain, its bone) when an object hangs on a bone, itself or by its parents."""
    while obj.parent is not None:
        if obj.parent == armature:
            return (obj, obj.parent_bone) if obj.parent_type == "BONE" else (obj, None)
        if obj.parent_type not in ("OBJECT", "ARMATURE"):
            break
        obj = obj.parent
    return obj, None


def belongs(obj, armature):
    if obj.type != "MESH" or nodes.OWNER in obj:
        return False
    return is_skinned(obj, armature) or bool(carrying_bone(obj, armature)[1])


def objects_of(armature):
    """Every mesh object that the armature skins or that hangs on one of its bones."""
    return sorted((o for o in bpy.data.objects if belongs(o, armature)), key=lambda o: o.name_full)


def signature(armature):
    """{name: tuple} of everything that shapes a character but the insides of its meshes. "" is the armature's own."""
    found = {o.name_full: object_signature(o) for o in objects_of(armature)}
    found[""] = armature_signature(armature)
    return found


def object_signature(obj):
    return (len(obj.data.vertices), tuple(_stack(obj)), obj.parent and obj.parent.name_full, obj.parent_type,
            obj.parent_bone, _flat(obj.matrix_basis), _flat(obj.matrix_parent_inverse))


def armature_signature(armature):
    bones = armature.data.bones
    rest, deform = np.empty(16 * len(bones), np.float32), np.empty(len(bones), bool)
    bones.foreach_get("matrix_local", rest)
    bones.foreach_get("use_deform", deform)
    return tuple(bone.name for bone in bones), rest.tobytes(), deform.tobytes()


def _stack(obj):
    for m in obj.modifiers:
        extra = ()
        if m.type == "ARMATURE":
            extra = (m.object and m.object.name_full, m.use_vertex_groups, m.vertex_group, m.invert_vertex_group,
                     m.use_deform_preserve_volume, m.use_bone_envelopes)
        yield (m.type, m.name) + extra


def _flat(matrix):
    return tuple(round(v, 6) for row in matrix for v in row)


# --- building ---

def build(limber, armature):
    """The rig with all its parts."""
    rig = Rig(armature)
    for obj in objects_of(armature):
        part = _part(limber, rig, armature, obj)
        if part is not None:
            rig.parts.append(part)
    first = 0
    for part in rig.parts:
        part.slice = slice(first, first + len(part.mesh.positions))
        first = part.slice.stop
    return rig


def _part(limber, rig, armature, obj):
    skinned = is_skinned(obj, armature)
    joint, bind = (0, _armature_from(obj, armature)) if skinned else _bone_from(rig, obj, armature)
    modifier = skin_modifier(obj, armature) if skinned else None
    with _base(obj, modifier) as mesh:
        if not len(mesh.vertices):
            return None
        if joint:
            joint, bind = rig.hang(obj.name, joint, bind)
        part = Part(obj.name_full, joint, bind)
        positions, morphs, defaults = _shape(obj, mesh)
        part.keys = list(morphs)
        weights = _Weights(obj, mesh)
        used, influences = _influences(rig, weights, modifier, armature) if skinned else ([joint], None)
        part.mesh = limber.Mesh(
            obj.name, positions, _triangles(mesh), joints=used, influences=influences,
            inverse_binds=_binds(rig, used, part.bind) if skinned else part.bind[None],
            colors=_colors(mesh), morphs=morphs, morph_defaults=defaults if morphs else None,
            layers={**_attribute_layers(mesh), **weights.layers(rig.index)})
    _notes(rig, obj, modifier)
    return part


def _notes(rig, obj, modifier):
    if modifier is None:
        return
    rig.preserve_volume |= modifier.use_deform_preserve_volume
    if modifier.use_bone_envelopes:
        rig.notes.append(f"{obj.name}: bone envelopes are not known to limber; effects follow its vertex groups only")


def _armature_from(obj, armature):
    """Armature from object, without looking at the current frame when the object hangs on the armature."""
    found, above = np.eye(4), obj
    while above is not None and above != armature:
        found = np.array(above.matrix_parent_inverse @ above.matrix_basis, float) @ found
        if above.parent is not None and above.parent_type not in ("OBJECT", "ARMATURE"):
            above = None
            break
        above = above.parent
    if above == armature:
        return found
    return maths.inverse(np.array(armature.matrix_world)) @ np.array(obj.matrix_world)


def _bone_from(rig, obj, armature):
    top, name = carrying_bone(obj, armature)
    bone = armature.data.bones.get(name)
    if bone is None:
        return 0, _armature_from(obj, armature)
    found, above = np.eye(4), obj
    while True:
        found = np.array(above.matrix_parent_inverse @ above.matrix_basis, float) @ found
        if above == top:
            break
        above = above.parent
    joint = rig.index[name]
    if bone.use_relative_parent:
        return joint, maths.inverse(rig.rest[joint - 1]) @ found
    tail = np.eye(4)
    tail[1, 3] = bone.length
    return joint, tail @ found


def _binds(rig, used, armature_from_mesh):
    return maths.inverse(rig.places()[np.asarray(used)]) @ armature_from_mesh


def differs_in_renders(obj):
    """A modifier before the Armature modifier that makes other vertices in renders than in the viewport, or None."""
    for modifier in list(obj.modifiers)[: nodes.wanted_index(obj)]:
        levels = getattr(modifier, "levels", 0) != getattr(modifier, "render_levels", 0)
        if modifier.type in DEFORM_ONLY or not modifier.show_render:
            continue
        if levels or not modifier.show_viewport:
            return modifier
    return None


class _base:
    """The mesh as it reaches the Armature modifier: its own data, or what modifiers such as Mirror make of it."""

    def __init__(self, obj, modifier):
        stack = list(obj.modifiers)
        before = stack[: stack.index(modifier)] if modifier in stack else []
        self.obj, self.made = obj, None
        self.keep = len(before) if any(m.type not in DEFORM_ONLY and m.show_viewport for m in before) else 0

    def __enter__(self):
        if not self.keep:
            return self.obj.data
        self.made = scratch.evaluated_mesh(self.obj, self.keep)
        return self.made

    def __exit__(self, *_):
        if self.made is not None:
            bpy.data.meshes.remove(self.made)


def _triangles(mesh):
    mesh.calc_loop_triangles()
    found = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", found)
    return found.reshape(-1, 3).astype(np.uint32)


def _places(rows, count):
    found = np.empty(3 * count, np.float32)
    rows.foreach_get("co", found)
    return found.reshape(-1, 3)


def _shape(obj, mesh):
    """Positions, {key block: (V, 3)} of the keys that do anything, and their values now."""
    count = len(mesh.vertices)
    keys = mesh.shape_keys
    if keys is None or not keys.use_relative or mesh != obj.data:
        return _places(mesh.vertices, count), {}, []
    positions = _places(keys.reference_key.data, count)
    moving = curves.moving_keys(keys)
    morphs, defaults = {}, []
    for block in keys.key_blocks:
        idle = block.value == 0 and block.name not in moving
        if block == keys.reference_key or block.mute or idle or baked.is_ours(block.name):
            continue
        shift = _places(block.data, count) - _places(block.relative_key.data, count)
        if block.vertex_group in obj.vertex_groups:
            shift *= _Weights(obj, mesh).of(obj.vertex_groups[block.vertex_group].index)[:, None]
        morphs[block.name] = shift
        defaults.append(0.0 if block.name in moving else block.value)  # the size must not depend on the frame
    return positions, morphs, defaults


def _colors(mesh):
    """(V, 4), linear: the color attribute that is drawn. Motion lines have the color of where they start."""
    layers = mesh.color_attributes
    layer = layers[layers.render_color_index] if 0 <= layers.render_color_index < len(layers) else None
    if layer is None:
        return None
    found = np.empty(4 * len(layer.data), np.float32)
    layer.data.foreach_get("color", found)
    found = np.clip(np.nan_to_num(found.reshape(-1, 4)), 0, 1)
    if layer.domain == "POINT":
        return found
    corner = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corner)
    colors = np.ones((len(mesh.vertices), 4), np.float32)
    colors[corner] = found
    return colors


def _attribute_layers(mesh):
    """Layers that a glTF importer kept: attributes _LIMBER_<NAME>. Unlike vertex groups they may be negative."""
    found = {}
    for row in mesh.attributes:
        if row.name.startswith("_LIMBER_") and (row.domain, row.data_type) == ("POINT", "FLOAT"):
            values = np.empty(len(mesh.vertices), np.float32)
            row.data.foreach_get("value", values)
            found[row.name[8:].lower()] = np.clip(np.nan_to_num(values), -1, 1)
    return found


class _Weights:
    """The vertex groups of a mesh as arrays: rows (vertex, group, weight)."""

    def __init__(self, obj, mesh):
        self.groups, self.count = [g.name for g in obj.vertex_groups], len(mesh.vertices)
        rows = [(v.index, g.group, g.weight) for v in mesh.vertices for g in v.groups] if self.groups else []
        rows = np.array(rows, float).reshape(-1, 3)
        rows = rows[rows[:, 1] < len(self.groups)]
        self.vertex, self.group, self.weight = rows[:, 0].astype(int), rows[:, 1].astype(int), rows[:, 2]

    def of(self, group):
        found = np.zeros(self.count, np.float32)
        rows = self.group == group
        found[self.vertex[rows]] = self.weight[rows]
        return found

    def layers(self, bones):
        """Vertex groups that no bone is named after. One named after another with a minus takes that towards -1."""
        found = {name: np.clip(self.of(i), 0, 1) for i, name in enumerate(self.groups) if name not in bones}
        for name in [name for name in found if name.endswith(MINUS)]:
            below, layer = found.pop(name), name[: -len(MINUS)]
            found[layer] = found.get(layer, np.ones(self.count, np.float32)) * (1 - below) - below
        return found


def _influences(rig, weights, modifier, armature):
    """Which joints, and (first, joint, weight): what Blender's Armature modifier does with the weights.

    It divides by the sum of the weights of deforming bones. A vertex without any stays with the object, and so does
    what a vertex group masks out: both are joint 0.
    """
    deforms = np.zeros(len(weights.groups) + 1, int)
    if modifier is None or modifier.use_vertex_groups:
        for i, name in enumerate(weights.groups):
            if name in rig.index and armature.data.bones[name].use_deform:
                deforms[i] = rig.index[name]
    rows = (deforms[weights.group] > 0) & (weights.weight > 0) if len(weights.group) else np.zeros(0, bool)
    vertex, joint, weight = weights.vertex[rows], deforms[weights.group[rows]], weights.weight[rows]
    total = np.bincount(vertex, weight, weights.count)
    follows = np.where(total > 1e-4, _mask(weights, modifier), 0.0)
    weight = weight * follows[vertex] / np.maximum(total[vertex], 1e-4)
    stays = np.nonzero(follows < 1)[0]
    vertex = np.concatenate([vertex, stays])
    joint = np.concatenate([joint, np.zeros(len(stays), int)])
    weight = np.concatenate([weight, 1 - follows[stays]])
    rows = np.nonzero(weight > 0)[0]
    rows = rows[np.argsort(vertex[rows], kind="stable")]
    used, number = np.unique(joint[rows], return_inverse=True)
    first = np.concatenate([[0], np.cumsum(np.bincount(vertex[rows], minlength=weights.count))])
    return used.astype(np.uint32), (first.astype(np.uint32), number.reshape(-1).astype(np.uint16),
                                    weight[rows].astype(np.float32))


def _mask(weights, modifier):
    name = modifier.vertex_group if modifier is not None else ""
    if name not in weights.groups:
        return np.ones(weights.count)
    found = weights.of(weights.groups.index(name)).astype(float)
    return 1 - found if modifier.invert_vertex_group else found
