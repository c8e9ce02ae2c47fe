"""What goes wrong in real files: no exception, and a sentence where something can be done."""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from kit import *  # noqa: E402,F403


def quiet(work):
    """Runs something; a handler that fails prints a traceback, which counts as a failure here."""
    said = []
    was = traceback.print_exc
    traceback.print_exc = lambda *a, **k: said.append(traceback.format_exc())
    try:
        work()
        bpy.context.view_layer.update()
        bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1)
    finally:
        traceback.print_exc = was
    assert not said, said[0]


def edit(obj):
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")


def leave():
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()


def test_a_mesh_in_edit_mode():
    armature, obj = beam()
    add(armature)
    wanted = at(5, obj)
    edit(obj)
    quiet(lambda: bpy.context.scene.frame_set(7))
    quiet(lambda: bpy.context.scene.frame_set(4))
    leave()
    near(at(5, obj), wanted, 1e-6)
    assert live.problem(armature) is None


def test_an_edited_mesh_is_read_again():
    armature, obj = beam()
    add(armature)
    edit(obj)
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    quiet(lambda: bpy.context.scene.frame_set(7))
    leave()
    quiet(lambda: None)
    assert len(obj.data.vertices) > 36
    assert live.problem(armature) is None, live.problem(armature)
    assert len(at(5, obj)) == len(obj.data.vertices)
    assert moved(5, obj) > 0.01


def test_an_armature_in_edit_mode():
    armature, obj = beam()
    add(armature)
    edit(armature)
    armature.data.edit_bones["Bone.2"].tail.x += 0.5
    quiet(lambda: bpy.context.scene.frame_set(7))
    leave()
    quiet(lambda: None)
    assert live.problem(armature) is None, live.problem(armature)
    assert moved(5, obj) > 0.01


def test_renamed_and_deleted_bones():
    armature, obj = beam()
    add(armature)
    edit(armature)
    armature.data.edit_bones.remove(armature.data.edit_bones["Bone.2"])
    leave()
    quiet(lambda: None)
    assert live.problem(armature) is None, live.problem(armature)
    armature.data.bones["Bone.1"].name = "Middle"
    quiet(lambda: None)
    assert "Middle" in live.session_of(armature).rig.names
    assert moved(5, obj) > 0.001


def test_a_deleted_mesh():
    armature, obj = beam()
    coat = skin(armature, beam_mesh("Coat", 7, 3.0, 0.3))
    add(armature)
    quiet(lambda: bpy.data.objects.remove(obj))
    assert live.problem(armature) is None, live.problem(armature)
    assert moved(5, coat) > 0.01
    quiet(lambda: bpy.data.objects.remove(coat))
    assert "No mesh" in live.problem(armature)


def test_a_deleted_armature():
    armature, obj = beam()
    rest = at(5, obj)
    add(armature)
    quiet(lambda: bpy.data.objects.remove(armature))
    bpy.context.scene.frame_set(5)
    assert np.isfinite(shown(obj)).all()
    near(shown(obj), [tuple(v.co) for v in obj.data.vertices], 1e-6)
    assert not live.sessions()


def test_meshes_without_vertices():
    armature, obj = beam()
    nothing = skin(armature, bpy.data.meshes.new("Nothing"))
    add(armature)
    quiet(lambda: None)
    assert live.problem(armature) is None
    assert moved(5, obj) > 0.01
    assert nodes.modifier_of(nothing) is None


def test_only_a_mesh_without_vertices():
    armature, obj = beam()
    bpy.data.objects.remove(obj)
    skin(armature, bpy.data.meshes.new("Nothing"))
    bpy.context.view_layer.objects.active = armature
    bpy.ops.limber.add()
    quiet(lambda: None)
    assert "No mesh" in live.problem(armature), live.problem(armature)


def test_a_mesh_that_joins_later():
    armature, obj = beam()
    add(armature)
    coat = skin(armature, beam_mesh("Coat", 7, 3.0, 0.3))
    quiet(lambda: None)
    assert moved(5, coat) > 0.01
    coat.modifiers.remove(coat.modifiers["Armature"])
    coat.parent = None
    quiet(lambda: None)
    assert live.problem(armature) is None
    assert nodes.modifier_of(coat) is None, "what left the character has nothing of limber left"


def test_changed_weights_are_seen():
    armature, obj = beam()
    add(armature)
    before = at(5, obj)
    for v in obj.data.vertices:
        obj.vertex_groups["Bone.0"].add([v.index], 1.0, "REPLACE")
        obj.vertex_groups["Bone.2"].remove([v.index])
    obj.data.update()
    quiet(lambda: None)
    assert np.abs((at(5, obj) - plain(5, obj))).max() > 1e-3
    assert np.abs(at(5, obj) - before).max() > 1e-2


def test_the_modifier_is_deleted_by_hand():
    armature, obj = beam()
    add(armature)
    wanted = at(5, obj)
    quiet(lambda: obj.modifiers.remove(nodes.modifier_of(obj)))
    bpy.context.view_layer.update()
    assert nodes.modifier_of(obj) is not None
    near(at(5, obj), wanted, 1e-6)


def test_the_node_group_and_the_carrier_are_deleted_by_hand():
    armature, obj = beam()
    add(armature)
    quiet(lambda: bpy.data.objects.remove(nodes.carrier_of(obj)))
    live.refresh(armature, "structure")
    assert moved(5, obj) > 0.01
    quiet(lambda: bpy.data.node_groups.remove(nodes.modifier_of(obj).node_group))
    live.refresh(armature, "structure")
    assert live.problem(armature) is None, live.problem(armature)
    assert moved(5, obj) > 0.01
    assert len(obj.modifiers) == 2, [m.name for m in obj.modifiers]


def test_renamed_objects():
    armature, obj = beam()
    add(armature)
    wanted = at(5, obj)

    def rename():
        armature.name, obj.name, obj.data.name = "Anna", "Berta", "Clara"
    quiet(rename)
    near(at(5, obj), wanted, 1e-6)
    assert live.problem(armature) is None, live.problem(armature)


def test_a_style_that_is_wrong_says_so():
    armature, obj = beam()
    add(armature)
    armature.limber.style = '{"effects": {"lift": {"angular": 0.1, "cone": {"joint": "Nobody"}}}}'
    quiet(lambda: None)
    said = live.problem(armature)
    assert said and "Nobody" in said, said
    near(at(5, obj), plain(5, obj), 1e-6)
    armature.limber.style = FLOPPY
    assert live.problem(armature) is None, live.problem(armature)
    assert moved(5, obj) > 0.01


def test_bones_without_size():
    armature, obj = beam()
    add(armature)
    for bone in armature.pose.bones:
        bone.scale = (0, 0, 0)
    bpy.context.view_layer.update()
    quiet(lambda: None)
    assert np.isfinite(at(5, obj)).all()


def test_mirrored_objects():
    armature, obj = beam()
    armature.scale = (-1, 1, 1)
    bpy.context.view_layer.update()
    add(armature)
    quiet(lambda: None)
    assert np.isfinite(at(5, obj)).all() and moved(5, obj) > 0.01


def test_names_that_change_places():
    armature, obj = beam()
    coat = skin(armature, beam_mesh("Coat", 7, 3.0, 0.3))
    add(armature)
    wanted = at(5, obj), at(5, coat)

    def swap():
        armature.name, obj.name = "Spare", "Beam"
        armature.name = "Beam skin"
    quiet(swap)
    assert (armature.name, obj.name) == ("Beam skin", "Beam")
    near(at(5, obj), wanted[0], 1e-6)
    near(at(5, coat), wanted[1], 1e-6)


def test_frames_read_in_edit_mode_are_read_again():
    armature, obj = beam()
    add(armature)
    wanted = at(5, obj)
    edit(armature)
    quiet(lambda: live.refresh(armature, "motion"))
    leave()
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(5)
    near(shown(obj), wanted, 1e-6)


def test_several_scenes():
    armature, obj = beam()
    add(armature)
    wanted = at(5, obj)
    other = bpy.data.scenes.new("Other")
    other.render.fps = 48
    for one in (armature, obj):
        other.collection.objects.link(one)
    quiet(lambda: other.frame_set(9))
    near(at(5, obj), wanted, 1e-6)
    assert sorted(s.name for s in bpy.data.scenes) == ["Other", "Scene"]


def test_only_limbers_handlers_sleep_and_come_back():
    armature, obj = beam()
    seen = []

    def other(scene, *_):
        seen.append(scene.name)
    bpy.app.handlers.frame_change_pre.append(other)
    try:
        add(armature)
        bpy.context.scene.frame_set(3)
        live.refresh(armature, "motion")
    finally:
        bpy.app.handlers.frame_change_pre.remove(other)
    assert set(seen) == {"Scene"}, seen
    assert live._frame_change in list(bpy.app.handlers.frame_change_pre)


def test_a_script_that_sets_the_frame():
    armature, obj = beam()
    add(armature)
    wanted = at(9, obj)
    bpy.context.scene.frame_set(3)
    bpy.context.scene.frame_current = 9
    bpy.context.view_layer.update()
    bpy.context.view_layer.update()
    near(shown(obj), wanted, 1e-6)


def test_subdivision_before_the_armature_that_differs_in_renders():
    armature, obj = beam()
    sub = obj.modifiers.new("Subdivision", "SUBSURF")
    sub.levels, sub.render_levels = 1, 2
    with bpy.context.temp_override(object=obj):
        bpy.ops.object.modifier_move_to_index(modifier="Subdivision", index=0)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.limber.add()
    armature.limber.style = FLOPPY
    assert "Subdivision" in live.problem(armature), live.problem(armature)
    assert moved(5, obj) > 0.01
    sub.render_levels = 1
    quiet(lambda: live.refresh(armature))
    assert live.problem(armature) is None, live.problem(armature)


def test_custom_ranges():
    armature, obj = beam()
    add(armature)
    armature.limber.range_mode = "CUSTOM"
    armature.limber.frame_start, armature.limber.frame_end = 3, 9
    assert (live.session_of(armature).range.start, live.session_of(armature).range.end) == (3, 9)
    assert moved(5, obj) > 0.01
    armature.limber.frame_end = 1
    quiet(lambda: None)
    assert live.problem(armature) is None, live.problem(armature)
    armature.limber.range_mode = "SCENE"
    bpy.context.scene.frame_end = 60
    live.refresh(armature)
    assert live.session_of(armature).range.end == 60


def test_the_range_follows_the_scene():
    armature, obj = beam()
    add(armature)
    assert live.session_of(armature).range.end == 25
    bpy.context.scene.frame_end = 80
    bpy.context.view_layer.update()
    at(5, obj)
    assert live.session_of(armature).range.end == 80


main(globals())
