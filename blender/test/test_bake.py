"""Bakes: what Blender plays is what limber showed; unbaking brings back what was there."""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from kit import *  # noqa: E402,F403
from limber_blender import bake, baked  # noqa: E402


def size(armature):
    return float(live.session_of(armature).character.size)


def character():
    """A swinging beam with shape keys of its own, modifiers above and below, a driver and a rigid part."""
    armature, obj = beam()
    obj.shape_key_add(name="Basis")
    block = obj.shape_key_add(name="Bulge")
    for v in block.data:
        v.co.x *= 1.5
    for frame, value in ((1, 0.0), (12, 1.0), (25, 0.0)):
        block.value = value
        block.keyframe_insert("value", frame=frame)
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 1
    obj.modifiers.new("Weights", "VERTEX_WEIGHT_EDIT").vertex_group = "Bone.0"
    obj.location.x = 0.5
    hat = bpy.data.objects.new("Hat", beam_mesh("Hat mesh", rings=3, height=0.4))
    bpy.context.collection.objects.link(hat)
    hat.parent, hat.parent_type, hat.parent_bone = armature, "BONE", "Bone.2"
    return armature, obj, hat


def state():
    """Everything that a bake could change, as text."""
    found = []
    for obj in sorted(bpy.data.objects, key=lambda o: o.name):
        found.append((obj.name, obj.data.name if obj.data else "", _custom(obj), _animation(obj), obj.parent_bone,
                      [tuple(round(x, 6) for x in row) for row in obj.matrix_parent_inverse]))
        found.append([(m.name, m.type, m.show_viewport, m.show_render, m.show_expanded) for m in obj.modifiers])
        if obj.type == "MESH" and nodes.OWNER not in obj:
            found.append([g.name for g in obj.vertex_groups] + [obj.vertex_groups.active_index])
            found.append((obj.active_shape_key_index, obj.show_only_shape_key))
            found.append(_mesh(obj.data))
        if obj.type == "ARMATURE":
            found.append([(b.name, b.parent and b.parent.name, b.use_deform, b.inherit_scale,
                           [round(x, 7) for row in b.matrix_local for x in row]) for b in obj.data.bones])
            found.append([(b.name, _custom(b), [c.name for c in b.constraints]) for b in obj.pose.bones])
    for rows in (bpy.data.actions, bpy.data.meshes, bpy.data.armatures, bpy.data.shape_keys, bpy.data.materials,
                 bpy.data.collections, bpy.data.node_groups, bpy.data.objects):
        found.append(sorted((r.name, r.users, r.use_fake_user) for r in rows))
    for action in sorted(bpy.data.actions, key=lambda a: a.name):
        found.append([(c.data_path, c.array_index, [tuple(k.co) for k in c.keyframe_points]) for c in action.fcurves])
    return found


def _custom(owner):
    return {k: str(owner[k]) for k in owner.keys() if k != "limber"}


def _animation(owner):
    data = owner.animation_data
    return data and (data.action and data.action.name, [d.data_path for d in data.drivers], len(data.nla_tracks))


def _mesh(mesh):
    keys = mesh.shape_keys
    weights = [[(g.group, g.weight) for g in v.groups] for v in mesh.vertices]
    blocks = keys and [(k.name, k.value, k.slider_min, k.slider_max, k.relative_key.name,
                        [tuple(p.co) for p in k.data]) for k in keys.key_blocks]
    return [tuple(v.co) for v in mesh.vertices], weights, blocks, keys and _animation(keys)


def same_state(a, b):
    for one, other in zip(a, b):
        assert one == other, f"{one}\nis not\n{other}"


def round_trip(kind, most, tolerance=0.0, style=FLOPPY, **more):
    """Bakes, compares at frames in random order, unbakes; returns the largest difference in L."""
    armature, obj, hat = character()
    add(armature, style)
    frames = shuffled(range(1, 26))
    wanted = {f: at(f, obj, hat, world=True) for f in frames}
    plain_ones = {f: plain(f, obj, hat, world=True) for f in frames}
    length = size(armature)
    bpy.context.scene.frame_set(7)
    before = state()
    assert bpy.ops.limber.bake(kind=kind, tolerance=tolerance, **more) == {"FINISHED"}
    assert baked.kind(armature) and live.session_of(armature) is None
    worst = 0
    for f in shuffled(frames, 2):
        worst = max(worst, near(at(f, obj, hat, world=True), wanted[f], most * length, f"{kind} at {f}") / length)
    assert max(np.abs(wanted[f] - plain_ones[f]).max() for f in frames) > 100 * most * length
    assert bpy.ops.limber.unbake() == {"FINISHED"}
    bpy.context.scene.frame_set(7)
    same_state(state(), before)
    for f in frames:
        near(at(f, obj, hat, world=True), wanted[f], 1e-7 * length, f"live again at {f}")
    print(f"         {kind}: off by {worst:.2g} L at most")
    return worst


def test_a_shape_key_per_frame_shows_what_limber_showed():
    round_trip("SHAPES", 1e-5)


def test_few_shape_keys_stay_within_the_tolerance():
    round_trip("SHAPES", 2e-3, 2e-3)


def test_pc2_shows_what_limber_showed():
    round_trip("PC2", 1e-6, folder=str(temporary("caches")))


def test_mdd_shows_what_limber_showed():
    round_trip("MDD", 1e-6, folder=str(temporary("caches")))


def test_helper_bones_stay_within_the_tolerance():
    round_trip("BONES", 3e-3, 2e-3)


if __name__ == "__main__":
    main(globals())
