"""Copies and motion lines as objects; exaggerated actions."""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from kit import *  # noqa: E402,F403
from test_bake import same_state, state  # noqa: E402
from limber_blender import exaggerate, smear  # noqa: E402

SMEARS = ('{"smear": {"elongate": {"amount": "linear", "future": 0.5}, "multiples": {"past": 2, "future": 1}, '
          '"lines": {"count": 20}}}')


def dasher():
    """A beam that stands, dashes and stands again."""
    armature, obj = beam()
    armature.animation_data_clear()
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    for frame, x in ((1, 0), (20, 0), (24, 6), (50, 6)):
        armature.location.x = x
        armature.keyframe_insert("location", index=0, frame=frame)
    bpy.context.scene.frame_end = 50
    obj.data.materials.append(bpy.data.materials.new("Skin"))
    return armature, obj


def copies(armature):
    return [o for o in smear.objects_of(armature).values()]


def shown_ones(armature):
    return [o for o in copies(armature) if extent(shown(o)) > 1e-3]


def extent(points):
    return np.ptp(points, axis=0).max(initial=0)


def test_copies_and_lines_are_there_only_in_frames_that_show_them():
    armature, obj = dasher()
    add(armature, SMEARS)
    assert bpy.ops.limber.smears_add() == {"FINISHED"}
    home = bpy.data.collections[smear.COLLECTION]
    assert len(copies(armature)) == 4 and set(home.objects) == set(copies(armature))
    for frame in shuffled([2, 10, 22, 23, 40, 49]):
        bpy.context.scene.frame_set(frame)
        assert len(shown_ones(armature)) == (4 if frame in (22, 23) else 0), f"frame {frame}"
        assert extent(shown(obj)) > 2.9, f"the character is there at {frame}"
        near(at(frame, obj), plain(frame, obj), 0.0 if frame in (2, 49) else 9.0)


def test_copies_equal_those_of_limber_in_world_space():
    armature, obj = dasher()
    add(armature, SMEARS)
    bpy.ops.limber.smears_add()
    session = live.session_of(armature)
    for frame in (23, 22):
        bpy.context.scene.frame_set(frame)
        _, found = session.evaluate_frame(frame)
        wanted = {f"{m.source} {m.name}": m.positions.copy() for m in found.meshes}
        for key, made in smear.objects_of(armature).items():
            x, y, z = wanted[key].T
            near(shown(made, world=True), np.stack([x, -z, y], -1), 1e-6, key)


def test_ribbons_are_one_object_where_limber_has_them():
    armature, obj = beam(rings=25, height=6.0)
    armature.animation_data_clear()
    bone = armature.pose.bones["Bone.2"]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, 0), (20, 0), (22, 2.5), (50, 2.5)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", index=0, frame=frame)
    bpy.context.scene.frame_end = 50
    add(armature, '{"smear": {"ribbon": {"amount": 1}}}')
    assert bpy.ops.limber.smears_add() == {"FINISHED"}
    [ribbons] = copies(armature)
    session = live.session_of(armature)
    for frame in shuffled([5, 21, 22, 40]):
        bpy.context.scene.frame_set(frame)
        _, found = session.evaluate_frame(frame)
        [wanted] = found.meshes
        assert wanted.visible == (frame in (21, 22)), f"frame {frame}"
        assert (extent(shown(ribbons)) > 1e-3) == wanted.visible, f"frame {frame}"
        x, y, z = wanted.positions.T
        if wanted.visible:
            near(shown(ribbons, world=True), np.stack([x, -z, y], -1), 1e-5)


def test_copies_have_the_material_and_the_opacity():
    armature, obj = dasher()
    add(armature, SMEARS)
    bpy.ops.limber.smears_add()
    bpy.context.scene.frame_set(23)
    made = next(o for o in copies(armature) if "multiple" in o.name)
    assert made.data.materials[0].name == "Skin limber"
    colors = np.empty(4 * len(made.data.vertices), np.float32)
    made.data.attributes["limber"].data.foreach_get("color", colors)
    assert 0.05 < colors.reshape(-1, 4)[:, 3].mean() < 0.95
    assert obj.data.materials[0].name == "Skin" and not obj.data.materials[0].use_nodes


def test_smears_on_and_off_leave_nothing_behind():
    armature, _ = dasher()
    add(armature, SMEARS)
    bpy.context.scene.frame_set(23)
    before = state()
    bpy.ops.limber.smears_add()
    bpy.context.scene.frame_set(22)
    bpy.context.scene.frame_set(23)
    assert bpy.ops.limber.smears_remove() == {"FINISHED"}
    same_state(state(), before)
    bpy.ops.limber.smears_add()
    remove(armature)
    assert not bpy.data.collections and not [m for m in bpy.data.materials if "imber" in m.name]
    assert {o.name for o in bpy.data.objects} == {"Beam", "Beam skin"}


def test_a_style_with_other_smears_changes_the_objects():
    armature, _ = dasher()
    add(armature, SMEARS)
    bpy.ops.limber.smears_add()
    armature.limber.style = '{"smear": {"multiples": {"past": 3}}}'
    bpy.context.scene.frame_set(23)
    assert len(copies(armature)) == 3
    armature.limber.style = "{}"
    bpy.context.scene.frame_set(22)
    assert not copies(armature)


def test_renders_in_background_show_the_same():
    armature, _ = dasher()
    add(armature, SMEARS)
    bpy.ops.limber.smears_add()
    scene = bpy.context.scene
    wanted = {}
    for frame in (21, 23):
        scene.frame_set(frame)
        wanted[frame] = [shown(o) for o in copies(armature)]
    seen = {}

    def look(scene, *_):
        seen[scene.frame_current] = [np.array([v.co for v in o.data.vertices]) for o in copies(armature)]

    bpy.app.handlers.render_post.append(look)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera, scene.render.engine = camera, "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 1, False
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.render.filepath = str(temporary("smear_"))
    scene.frame_start, scene.frame_end, scene.frame_step = 21, 23, 2
    bpy.ops.render.render(animation=True)
    bpy.app.handlers.render_post.remove(look)
    for frame, rows in wanted.items():
        for a, b in zip(rows, seen[frame]):
            near(a, b, 1e-6, f"render of {frame}")


def test_a_file_without_the_add_on_shows_no_frozen_smears():
    armature, _ = dasher()
    add(armature, SMEARS)
    bpy.ops.limber.smears_add()
    bpy.context.scene.frame_set(23)
    path = temporary("smears.blend")
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    assert len(shown_ones(armature)) == 4, "still there after saving"
    answer = fresh_blender(f"""
bpy.ops.wm.open_mainfile(filepath={str(path)!r})
homes = [c for c in bpy.data.collections if c.name == 'Limber smears']
print('answer', max(np.ptp(shown(o), axis=0).max() for o in homes[0].objects))""")
    assert float(answer[0]) == 0


# --- exaggerated actions ---

EXAGGERATE = '{"exaggerate": {"filter": {"amount": 0.6, "sigma": 0.1}}}'
STRETCH = ('{"exaggerate": {"constraints": [{"joint": "Bone.2", "elongate": 0.2}], "stretch_skin": true}}')


def action_state(action):
    return [(c.data_path, c.array_index, [tuple(k.co) for k in c.keyframe_points]) for c in action.fcurves]


def test_the_exaggerated_action_shows_what_limber_showed():
    armature, obj = beam()
    add(armature, EXAGGERATE)
    old = armature.animation_data.action
    before = action_state(old)
    wanted = {f: at(f, obj, world=True) for f in shuffled(range(1, 26))}
    assert max(moved(f, obj) for f in (6, 12, 18)) > 0.01
    assert bpy.ops.limber.exaggerate() == {"FINISHED"}
    made = armature.animation_data.action
    assert made.name == f"{old.name} limber" and made != old and action_state(old) == before
    for f in shuffled(range(1, 26), 2):
        near(at(f, obj, world=True), wanted[f], 2e-5, f"frame {f}")
    near(at(1, obj), at(25, obj), 1e-5, "the loop closes")
    assert bpy.ops.limber.original_action() == {"FINISHED"}
    assert armature.animation_data.action == old
    for f in (3, 20, 11):
        near(at(f, obj, world=True), wanted[f], 1e-6, f"frame {f}")


def test_stretched_bones_have_keys_of_scale_and_children_do_not_inherit_it():
    armature, obj = beam()
    add(armature, STRETCH)
    wanted = {f: at(f, obj, world=True) for f in (1, 7, 13, 19)}
    inherits = [b.inherit_scale for b in armature.data.bones]
    assert bpy.ops.limber.exaggerate() == {"FINISHED"}
    curves = armature.animation_data.action.fcurves
    assert any(c.data_path.endswith("scale") for c in curves)
    for f, positions in wanted.items():
        near(at(f, obj, world=True), positions, 1e-4 * 3, f"frame {f}")
    bpy.ops.limber.original_action()
    assert [b.inherit_scale for b in armature.data.bones] == inherits


def test_bones_without_keys_and_bones_not_selected_are_not_touched():
    armature, _ = beam()
    for curve in list(armature.animation_data.action.fcurves):
        if "Bone.1" in curve.data_path:
            armature.animation_data.action.fcurves.remove(curve)
    add(armature, EXAGGERATE)
    old = dict(((c.data_path, c.array_index), [tuple(k.co) for k in c.keyframe_points])
               for c in armature.animation_data.action.fcurves)
    for bone in armature.data.bones:
        bone.select = bone.name == "Bone.2"
    assert bpy.ops.limber.exaggerate(selected=True) == {"FINISHED"}
    changed = set()
    for c in armature.animation_data.action.fcurves:
        assert "Bone.1" not in c.data_path
        if old.get((c.data_path, c.array_index)) != [tuple(k.co) for k in c.keyframe_points]:
            changed.add(c.data_path)
    assert changed == {'pose.bones["Bone.2"].rotation_euler'}, changed


def test_a_style_without_exaggeration_says_what_to_do():
    armature, _ = beam()
    add(armature)
    before = len(bpy.data.actions)
    try:
        bpy.ops.limber.exaggerate()
        raise AssertionError("no error")
    except RuntimeError as error:
        assert "switch Exaggerate the Skeleton on" in str(error), error
    assert len(bpy.data.actions) == before


if __name__ == "__main__":
    main(globals())
