"""Rigs as people build them: constraints, drivers, NLA, modifiers, weights, transforms, shape keys, props."""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from kit import *  # noqa: E402,F403
from limber_blender import props  # noqa: E402
from limber_blender import sample  # noqa: E402

SMALL = 2e-4


def skin_agrees(armature, obj, frames=(3, 8, 14), most=2e-5):
    """limber's own skinning is Blender's: checked in the world, before any effect."""
    session = live.session_of(armature)
    session.update(bpy.context.scene)
    part = next(p for p in session.rig.parts if p.name == obj.name_full)
    for frame in frames:
        wanted = plain(frame, obj, world=True)
        seen = session.pipeline.evaluate(0, session.time_of(frame)).skinned[part.slice]
        near(seen[:, [0, 2, 1]] * [1, -1, 1], wanted, most, f"frame {frame}")


def same_effect(one, other, frames=(3, 8, 14), most=1e-4):
    for frame in frames:
        near(at(frame, one) - plain(frame, one), at(frame, other) - plain(frame, other), most, f"frame {frame}")


def test_object_transforms_and_parents():
    armature, obj = beam()
    armature.location, armature.rotation_euler, armature.scale = (3, -2, 1), (0.4, 0.2, 1), (0.7, 0.7, 0.7)
    holder = bpy.data.objects.new("Holder", None)
    bpy.context.collection.objects.link(holder)
    holder.location, holder.scale, holder.rotation_euler = (1, 1, 0), (2, 2, 2), (0, 0.5, 0)
    armature.parent = holder
    obj.location, obj.rotation_euler, obj.scale = (0.1, 0.2, 0), (0, 0, 0.5), (1, 1.5, 1)
    bpy.context.view_layer.update()
    add(armature)
    skin_agrees(armature, obj)
    assert moved(5, obj) > 0.01


def test_an_offset_does_not_depend_on_where_a_character_stands():
    armature, obj = beam()
    add(armature)
    wanted = {f: at(f, obj) for f in (3, 8)}
    armature.location, armature.rotation_euler = (5, 2, 1), (0, 0, 2)
    armature.scale = (3, 3, 3)
    bpy.context.view_layer.update()
    for frame, rows in wanted.items():
        near(at(frame, obj), rows, SMALL, f"frame {frame}")


def test_moving_objects_drag_their_skin():
    armature, obj = beam(keyed=False)
    for frame, x in ((1, 0), (13, 3), (25, 0)):
        armature.location.x = x
        armature.keyframe_insert("location", index=0, frame=frame)
    bpy.context.scene.frame_end = 25
    add(armature)
    assert moved(7, obj) > 0.01
    skin_agrees(armature, obj)


def test_a_moving_parent_counts_as_motion():
    armature, obj = beam(keyed=False)
    holder = bpy.data.objects.new("Holder", None)
    bpy.context.collection.objects.link(holder)
    armature.parent = holder
    for frame, x in ((1, 0), (13, 3), (25, 0)):
        holder.location.x = x
        holder.keyframe_insert("location", index=0, frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 25
    add(armature)
    assert moved(7, obj) > 0.01
    skin_agrees(armature, obj)


def test_constraints_are_followed():
    armature, obj = beam(keyed=False)
    target = bpy.data.objects.new("Target", None)
    bpy.context.collection.objects.link(target)
    reach = armature.pose.bones["Bone.2"].constraints.new("IK")
    reach.target, reach.chain_count = target, 3
    for frame, x in ((1, -1.5), (13, 1.5), (25, -1.5)):
        target.location = (x, 0.5, 2)
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 25
    add(armature)
    skin_agrees(armature, obj)
    assert moved(7, obj) > 0.01
    was = at(7, obj)
    target.animation_data.action.fcurves[0].keyframe_points[1].co.y = 2.5
    target.animation_data.action.fcurves[0].update()
    bpy.context.view_layer.update()
    assert np.abs(at(7, obj) - was).max() > 1e-3
    skin_agrees(armature, obj)


def test_drivers_are_followed():
    armature, obj = beam(keyed=False)
    armature.pose.bones["Bone.1"].rotation_mode = "XYZ"
    driver = armature.driver_add('pose.bones["Bone.1"].rotation_euler', 0).driver
    driver.type, driver.expression = "SCRIPTED", "sin(frame / 4)"
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 40
    add(armature)
    skin_agrees(armature, obj)
    assert moved(7, obj) > 0.01


def test_nla_strips_are_followed():
    armature, obj = beam()
    action = armature.animation_data.action
    track = armature.animation_data.nla_tracks.new()
    strip = track.strips.new("swing", 10, action)
    strip.scale = 2
    armature.animation_data.action = None
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 60
    add(armature)
    assert live.session_of(armature).range.end == 60
    skin_agrees(armature, obj, (5, 20, 40))
    assert moved(22, obj) > 0.005
    bpy.context.scene.frame_set(5)
    strip.scale = 1
    armature.update_tag()
    bpy.context.view_layer.update()
    skin_agrees(armature, obj, (5, 20, 40))


def test_another_action_is_seen():
    armature, obj = beam()
    first = armature.animation_data.action
    armature.animation_data.action = None
    swing(armature, 1, 25, 0.2)
    second = armature.animation_data.action
    add(armature)
    slow = at(4, obj)
    armature.animation_data.action = first
    bpy.context.view_layer.update()
    assert not live.session_of(armature).is_posed
    fast = at(4, obj)
    assert np.abs(fast - slow).max() > 0.01
    skin_agrees(armature, obj)
    armature.animation_data.action = second
    bpy.context.view_layer.update()
    near(at(4, obj), slow, 1e-6)


def test_a_muted_constraint_is_seen_at_all_frames():
    armature, obj = beam()
    bend = armature.pose.bones["Bone.1"].constraints.new("LIMIT_ROTATION")
    bend.use_limit_x, bend.min_x, bend.max_x, bend.owner_space = True, -0.1, 0.1, "LOCAL"
    bpy.context.view_layer.update()
    add(armature)
    bpy.context.scene.frame_set(1)
    skin_agrees(armature, obj)
    bpy.context.scene.frame_set(1)
    bend.mute = True
    bpy.context.view_layer.update()
    skin_agrees(armature, obj)


def test_posing_without_keys_is_live():
    armature, obj = beam(bones=4, keyed=False)
    armature.animation_data_create()
    for bone in list(armature.pose.bones)[:3]:
        bone.rotation_mode = "XYZ"
    swing_only = armature.pose.bones["Bone.0"]
    for frame, angle in ((1, 0), (7, 0.5), (19, -0.5), (25, 0)):
        swing_only.rotation_euler.x = angle
        swing_only.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 25
    add(armature)
    bpy.context.scene.frame_set(4)
    bpy.context.view_layer.update()
    armature.pose.bones["Bone.2"].rotation_euler = (0, 1.0, 0)
    bpy.context.view_layer.update()
    posed = shown(obj)
    assert live.session_of(armature).is_posed
    bpy.context.scene.frame_set(9)
    assert not live.session_of(armature).is_posed
    near(at(4, obj), posed, 1e-4, "a bone without keys, posed, is the same when frames are read again")
    bpy.context.view_layer.update()
    near(shown(obj), posed, 1e-4)


def test_posing_a_keyed_bone_keeps_the_motion():
    armature, obj = beam()
    add(armature)
    bpy.context.scene.frame_set(5)
    keys = [tuple(p.co) for c in armature.animation_data.action.fcurves for p in c.keyframe_points]
    before = shown(obj)
    armature.pose.bones["Bone.1"].rotation_euler.y += 0.4
    bpy.context.view_layer.update()
    bpy.context.view_layer.update()
    assert live.problem(armature) is None, live.problem(armature)
    assert np.abs(shown(obj) - before).max() > 0.05
    near(at(5, obj), before, 1e-6, "the next look at the frame shows its keys again")
    assert keys == [tuple(p.co) for c in armature.animation_data.action.fcurves for p in c.keyframe_points]


def test_a_new_key_is_seen():
    armature, obj = beam()
    add(armature)
    before = at(5, obj)
    bone = armature.pose.bones["Bone.1"]
    bone.rotation_euler.x = 1.5
    bone.keyframe_insert("rotation_euler", frame=8)
    bpy.context.view_layer.update()
    assert np.abs(at(5, obj) - before).max() > 1e-3
    skin_agrees(armature, obj)


def test_subdivision_above_smooths_the_deformed_mesh():
    armature, obj = beam()
    sub = obj.modifiers.new("Subdivision", "SUBSURF")
    sub.levels = 2
    add(armature)
    assert [m.type for m in obj.modifiers] == ["ARMATURE", "NODES", "SUBSURF"]
    count = len(at(5, obj))
    assert count > 8 * len(obj.data.vertices)
    fine = np.abs(at(5, obj) - plain(5, obj)).max()
    sub.show_viewport = False
    coarse = np.abs(at(5, obj) - plain(5, obj)).max()
    assert 0.4 * coarse < fine <= 1.01 * coarse


def test_modifiers_added_or_reordered_later():
    armature, obj = beam()
    add(armature)
    wanted = at(5, obj)
    for kind in ("SUBSURF", "WELD"):
        later = obj.modifiers.new(kind, kind)
        later.show_viewport = later.show_render = False
    bpy.context.view_layer.update()
    near(at(5, obj), wanted, 0)
    obj.modifiers["SUBSURF"].levels = obj.modifiers["SUBSURF"].render_levels = 1
    with bpy.context.temp_override(object=obj):
        bpy.ops.object.modifier_move_to_index(modifier="Armature", index=3)
    bpy.context.view_layer.update()
    stack = [m.type for m in obj.modifiers]
    assert stack.index("NODES") == stack.index("ARMATURE") + 1, stack
    assert live.problem(armature) is None, live.problem(armature)


def test_mirror_before_the_armature():
    armature, obj = beam()
    mirror = obj.modifiers.new("Mirror", "MIRROR")
    mirror.use_axis, mirror.use_bisect_axis = (True, False, False), (True, False, False)
    with bpy.context.temp_override(object=obj):
        bpy.ops.object.modifier_move_to_index(modifier="Mirror", index=0)
    add(armature)
    assert [m.type for m in obj.modifiers] == ["MIRROR", "ARMATURE", "NODES"]
    assert len(at(3, obj)) > len(obj.data.vertices)
    assert moved(3, obj) > 0.01
    skin_agrees(armature, obj)


def test_preserve_volume():
    armature, obj = beam()
    obj.modifiers["Armature"].use_deform_preserve_volume = True
    add(armature)
    skin_agrees(armature, obj, most=1e-4)


def test_weights_as_blender_treats_them():
    armature, obj = beam()
    groups = obj.vertex_groups
    groups["Bone.0"].remove([0, 1])  # none left
    groups["Bone.0"].add([4, 5], 0.2, "REPLACE")  # do not sum to 1
    groups["Bone.1"].add([4, 5], 0.1, "REPLACE")
    groups.new(name="nobody").add([8, 9], 0.7, "REPLACE")
    armature.data.bones["Bone.2"].use_deform = False
    add(armature)
    skin_agrees(armature, obj)


def test_masked_armature_modifiers():
    for invert in (False, True):
        empty()
        armature, obj = beam()
        mask = obj.vertex_groups.new(name="mask")
        for v in obj.data.vertices:
            mask.add([v.index], v.co.z / 3, "REPLACE")
        obj.modifiers["Armature"].vertex_group = "mask"
        obj.modifiers["Armature"].invert_vertex_group = invert
        add(armature)
        skin_agrees(armature, obj)


def test_parented_with_deform_and_no_modifier():
    armature, obj = beam()
    obj.modifiers.clear()
    obj.parent_type = "ARMATURE"
    bpy.context.view_layer.update()
    add(armature)
    skin_agrees(armature, obj)
    assert moved(5, obj) > 0.01


def test_a_mesh_with_two_armature_modifiers():
    armature, obj = beam()
    other, spare = beam("Other")
    obj.modifiers.new("Second", "ARMATURE").object = other
    add(armature)
    assert [m.type for m in obj.modifiers] == ["ARMATURE", "ARMATURE", "NODES"]
    assert moved(5, obj) > 0.001


def test_several_meshes_and_props_are_one_character():
    armature, obj = beam()
    second = skin(armature, beam_mesh("Coat", 7, 3.0, 0.3))
    prop = bpy.data.objects.new("Hat", beam_mesh("Hat", 3, 0.4, 0.3))
    bpy.context.collection.objects.link(prop)
    prop.parent, prop.parent_type, prop.parent_bone = armature, "BONE", "Bone.2"
    prop.location, prop.rotation_euler = (0, 0.1, 0.2), (0.3, 0, 0.2)
    badge = bpy.data.objects.new("Badge", beam_mesh("Badge", 3, 0.1, 0.05))
    bpy.context.collection.objects.link(badge)
    badge.parent = prop
    badge.location.z = 0.5
    bpy.context.view_layer.update()
    add(armature)
    session = live.session_of(armature)
    assert sorted(p.name for p in session.rig.parts) == ["Badge", "Beam skin", "Coat", "Hat"]
    for one in (obj, second, prop, badge):
        skin_agrees(armature, one)
        assert moved(5, one) > 0.005, one.name
    hat, badge_moves = (at(5, o, world=True) - plain(5, o, world=True) for o in (prop, badge))
    assert np.abs(hat.mean(0) - badge_moves.mean(0)).max() < 0.5 * np.abs(hat).max()


def test_shape_keys_below():
    armature, obj = beam()
    obj.shape_key_add(name="Basis")
    wide = obj.shape_key_add(name="Wide")
    for i, v in enumerate(obj.data.vertices):
        wide.data[i].co = (v.co.x * 2, v.co.y, v.co.z)
    off = obj.shape_key_add(name="Off")
    for i, v in enumerate(obj.data.vertices):
        off.data[i].co = (v.co.x, v.co.y + 1, v.co.z)
    for frame, value in ((1, 0), (13, 1), (25, 0)):
        wide.value = value
        wide.keyframe_insert("value", frame=frame)
    add(armature)
    skin_agrees(armature, obj)
    session = live.session_of(armature)
    assert session.rig.parts[0].keys == ["Wide"]
    off.value = 0.5
    bpy.context.view_layer.update()
    skin_agrees(armature, obj)


def test_shape_keys_with_drivers():
    armature, obj = beam()
    obj.shape_key_add(name="Basis")
    wide = obj.shape_key_add(name="Wide")
    for i, v in enumerate(obj.data.vertices):
        wide.data[i].co = (v.co.x * 2, v.co.y, v.co.z)
    driver = wide.driver_add("value").driver
    variable = driver.variables.new()
    variable.name, variable.type = "turn", "TRANSFORMS"
    variable.targets[0].id, variable.targets[0].bone_target = armature, "Bone.1"
    variable.targets[0].transform_type, variable.targets[0].transform_space = "ROT_X", "LOCAL_SPACE"
    driver.expression = "abs(turn)"
    bpy.context.view_layer.update()
    add(armature)
    skin_agrees(armature, obj)


def test_an_armature_without_animation_rests():
    armature, obj = beam(keyed=False)
    add(armature)
    assert live.problem(armature) is None
    for frame in (1, 100):
        near(at(frame, obj), plain(frame, obj), 1e-6)


def test_a_hidden_armature_still_moves():
    armature, obj = beam()
    add(armature)
    wanted = at(5, obj)
    armature.hide_viewport = True
    bpy.context.view_layer.update()
    live.refresh(armature, "structure", "motion", "style")
    near(at(5, obj), wanted, 1e-6)


def test_painted_vertex_groups_are_layers():
    armature, obj = beam()
    group = obj.vertex_groups.new(name="soft")
    top = [v.index for v in obj.data.vertices if v.co.z > 1.6]
    group.add(top, 1.0, "REPLACE")
    add(armature, '{"effects": {"floppy": {"angular": 0.2, "layer": "soft"}}}')
    difference = np.abs(at(5, obj) - plain(5, obj)).max(1)
    assert difference[top].max() > 0.01
    assert np.delete(difference, top).max() < 1e-6


def test_other_actions_bones_keys_and_modifiers_are_not_touched():
    armature, obj = beam()
    spare = bpy.data.actions.new("Spare")
    spare.fcurves.new("location", index=0).keyframe_points.insert(3, 4)
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 2

    def state():
        return ([(a.name, a.users, [(c.data_path, c.array_index, [tuple(p.co) for p in c.keyframe_points])
                                    for c in a.fcurves]) for a in bpy.data.actions],
                [(b.name, [tuple(r) for r in b.matrix_local], b.use_deform) for b in armature.data.bones],
                [(b.name, tuple(b.rotation_euler), tuple(b.location), len(b.constraints)) for b in armature.pose.bones],
                [(m.name, m.type, m.show_viewport) for m in obj.modifiers if m.name != nodes.MODIFIER],
                [tuple(v.co) for v in obj.data.vertices], list(obj.data.attributes.keys()),
                bpy.context.scene.frame_start, bpy.context.scene.frame_end, bpy.context.scene.frame_current)
    bpy.context.scene.frame_set(5)
    before = state()
    add(armature)
    for frame in (9, 20, 5):
        bpy.context.scene.frame_set(frame)
    assert state() == before


def test_a_second_group_makes_a_layer_negative():
    armature, obj = beam()
    count = len(obj.data.vertices)
    obj.vertex_groups.new(name="soft").add(range(count), 1.0, "REPLACE")
    add(armature, '{"effects": {"floppy": {"linear": 0.05, "angular": 0.02, "layer": "soft"}}}')
    forward = at(7, obj) - plain(7, obj)
    assert np.abs(forward).max() > 0.01
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.limber.paint_layer(layer="soft", minus=True) == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    near(at(7, obj) - plain(7, obj), forward, 1e-6, "an empty group changes nothing")
    obj.vertex_groups["soft -"].add(range(count), 1.0, "REPLACE")
    bpy.context.view_layer.update()
    live.refresh(armature, "structure", "style")
    near(at(7, obj) - plain(7, obj), -forward, 0.05 * np.abs(forward).max(), "the other way")
    assert props.layer_names(armature) == ["soft"]


def test_joints_are_pulled_by_empties():
    armature, obj = beam()
    add(armature, "{}")
    top = np.array([v.co.z > 2.9 for v in obj.data.vertices])
    bpy.context.view_layer.objects.active = armature
    bpy.context.scene.frame_set(10)
    assert bpy.ops.limber.pull(bone="Bone.2") == {"FINISHED"}
    empty_ = bpy.context.object
    near(at(10, obj), plain(10, obj), 1e-6, "nothing was dragged yet")
    joint = armature.matrix_world @ armature.pose.bones["Bone.2"].head
    near(empty_.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation, joint, 1e-5)
    empty_.location = (0.5, 0.2, 0.1)
    moved_ = at(10, obj, world=True) - plain(10, obj, world=True)
    assert np.abs(moved_[top].mean(0) - [0.5, 0.2, 0.1]).max() < 0.2, moved_[top].mean(0)
    wanted = limber.Style({"exaggerate": {"constraints": [{"joint": "Bone.2", "relative": True, "keys": [
        [9 / 24, [v / live.session_of(armature).character.size for v in (0.5, 0.1, -0.2)]]]}]}})
    bpy.context.view_layer.objects.active = armature
    seen = at(10, obj)
    bpy.data.objects.remove(empty_)
    armature.limber.style = wanted.text
    near(at(10, obj), seen, 1e-5, "the same as text")
    remove(armature)
    assert "Limber pulls" not in bpy.data.collections


def test_pulls_with_keys_on_their_location():
    armature, obj = beam()
    add(armature, "{}")
    bpy.context.view_layer.objects.active = armature
    bpy.ops.limber.pull(bone="Bone.2")
    one = bpy.context.object
    for frame, x in ((6, 0.0), (10, 0.4), (14, 0.0)):
        one.location.x = x
        one.keyframe_insert("location", index=0, frame=frame)
    assert moved(10, obj) > 0.1 and moved(6, obj) < 0.5 * moved(10, obj)


main(globals())
