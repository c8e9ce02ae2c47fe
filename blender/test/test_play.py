"""Frames: any order, forwards and backwards, renders, loops, ranges, subframes, keyed strength."""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from kit import *  # noqa: E402,F403


def test_scrubbing_backwards_gives_the_same_frame():
    armature, obj = beam()
    add(armature, limber.Style("cartoon").text)
    forwards = {f: at(f, obj) for f in range(1, 26)}
    for frame in list(range(25, 0, -1)) + shuffled(range(1, 26)):
        near(at(frame, obj), forwards[frame], 0, f"frame {frame}")
    assert moved(5, obj) > 0.01


def test_loops_close():
    armature, obj = beam()
    add(armature, limber.Style("cartoon").text)
    near(at(1, obj), at(25, obj), 1e-4, "the ends")
    assert live.session_of(armature).character.clips[0].loops
    assert moved(1, obj) > 0.01, "the seam of a loop moves on"


def test_an_action_that_repeats_is_one_period():
    armature, obj = beam()
    for curve in armature.animation_data.action.fcurves:
        curve.modifiers.new("CYCLES")
    bpy.context.scene.frame_end = 200
    add(armature, limber.Style("cartoon").text)
    session = live.session_of(armature)
    assert (session.range.start, session.range.end, session.range.period) == (1, 25, 24)
    for frame in (3, 9, 14):
        for turn in (1, 4, -2):
            near(at(frame, obj), at(frame + 24 * turn, obj), 2e-5, f"frame {frame}, turn {turn}")
    near(at(25, obj), at(1, obj), 1e-4)


def test_a_walk_that_travels_repeats():
    armature, obj = beam(keyed=False)
    swing(armature, 1, 25, travel=2)
    for curve in armature.animation_data.action.fcurves:
        cycle = curve.modifiers.new("CYCLES")
        if curve.data_path == "location":
            cycle.mode_before = cycle.mode_after = "REPEAT_OFFSET"
            for point in curve.keyframe_points:
                point.interpolation = "LINEAR"
    bpy.context.scene.frame_end = 200
    add(armature, limber.Style("cartoon").text)
    assert live.session_of(armature).range.period == 24
    for frame in (4, 17):
        near(at(frame + 48, obj), at(frame, obj), 2e-5, f"frame {frame}")


def test_curves_that_swing_back_and_forth_are_not_one_period():
    armature, obj = beam()
    for curve in armature.animation_data.action.fcurves:
        curve.modifiers.new("CYCLES").mode_after = "MIRROR"
    bpy.context.scene.frame_end = 100
    add(armature, limber.Style("cartoon").text)
    assert (live.session_of(armature).range.period, live.session_of(armature).range.end) == (0, 100)


STILL = {"pose": {"exaggerate": 0, "anticipate": 0}, "timing": {"snap": 0, "hang": 0}}  # a pose that is held is larger


def test_a_motion_settles_after_its_last_key():
    armature, obj = beam()
    bpy.context.scene.frame_end = 120
    add(armature, limber.Style("cartoon").read(STILL).text)
    assert live.session_of(armature).range.end == 120
    assert moved(27, obj) > 1e-3, "follows through"
    assert moved(115, obj) < 1e-3, "and comes to rest"


def test_nothing_vanishes_on_still_frames():
    armature, obj = beam()
    bpy.context.scene.frame_end = 120
    add(armature, limber.Style("cartoon").read(STILL).text)
    found = at(110, obj)
    assert len(found) == len(obj.data.vertices) and np.isfinite(found).all()
    near(found, plain(110, obj), 2e-3)


def test_frames_outside_of_the_range_are_its_ends():
    armature, obj = beam()
    add(armature, FLOPPY)
    first, last = at(1, obj), at(25, obj)
    for frame in (-30, 0, 0.5):
        near(at(frame, obj) - plain(frame, obj), first - plain(1, obj), 1e-5, f"frame {frame}")
    near(at(400, obj) - plain(400, obj), last - plain(25, obj), 1e-5)


def test_subframes_lie_between_their_frames():
    armature, obj = beam()
    add(armature)
    a, b, c = at(4, obj) - plain(4, obj), at(4.5, obj) - plain(4.5, obj), at(5, obj) - plain(5, obj)
    near(b, (a + c) / 2, 0.2 * np.abs(a - c).max() + 1e-3)
    assert np.abs(b - a).max() > 1e-3 and np.abs(b - c).max() > 1e-3


def test_frame_rates_change_speeds():
    armature, obj = beam()
    add(armature)
    slow = moved(5, obj)
    bpy.context.scene.render.fps_base = 0.5
    assert moved(5, obj) > 1.5 * slow
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 48, 2
    near(moved(5, obj), slow, 1e-4)


def test_time_remapping_is_followed():
    armature, obj = beam(keyed=False)
    swing(armature, 0, 24)
    add(armature)
    scene = bpy.context.scene
    scene.render.fps = 12
    slow = {f: at(f, obj) for f in (6, 8.5, 20)}
    scene.render.fps, scene.frame_end = 24, 48
    scene.render.frame_map_old, scene.render.frame_map_new = 100, 200
    for frame, wanted in slow.items():
        near(at(2 * frame, obj), wanted, 1e-5, f"frame {frame}")


def test_frame_step_skips_frames_only():
    armature, obj = beam()
    add(armature)
    wanted = at(7, obj)
    bpy.context.scene.frame_step = 3
    at(1, obj)
    near(at(7, obj), wanted, 0)


def test_two_characters_have_their_own_ranges():
    one, first = beam("One")
    two, second = beam("Two", keyed=False)
    swing(two, 40, 90, travel=2)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 90
    add(one)
    add(two)
    alone = at(6, first), at(60, second)
    remove(two)
    near(at(6, first), alone[0], 0)
    add(two)
    remove(one)
    near(at(60, second), alone[1], 0)


def test_strength_can_be_keyed():
    armature, obj = beam(keyed=False)
    swing(armature, 1, 49)
    add(armature)
    wanted = {}
    for frame in (1, 7, 13, 25, 37):
        armature.limber.strength = (frame - 1) / 24
        wanted[frame] = at(frame, obj)
    for frame, value in ((1, 0), (25, 1), (49, 2)):
        armature.limber.strength = value
        armature.keyframe_insert("limber.strength", frame=frame)
    for curve in armature.animation_data.action.fcurves:
        if curve.data_path == "limber.strength":
            for point in curve.keyframe_points:
                point.interpolation = "LINEAR"
    bpy.context.view_layer.update()
    for frame in shuffled(wanted):
        near(at(frame, obj), wanted[frame], 1e-4, f"frame {frame}")
    near(at(1, obj), plain(1, obj), 1e-6)


def test_strength_can_be_driven():
    armature, obj = beam()
    add(armature)
    armature.limber.strength = 0.5
    wanted = at(5, obj)
    armature["knob"] = 0.25
    driver = armature.driver_add("limber.strength").driver
    driver.type, driver.expression = "SCRIPTED", "2 * knob"
    variable = driver.variables.new()
    variable.name = "knob"
    variable.targets[0].id, variable.targets[0].data_path = armature, '["knob"]'
    bpy.context.view_layer.update()
    live.refresh(armature, "motion")
    near(at(5, obj), wanted, 1e-5)


def shown_with(frame, obj, armature, name, value):
    """A frame with one value of the style set for all frames."""
    setattr(armature.limber.controls, name, value)
    return at(frame, obj)


def test_values_of_the_style_can_be_keyed_and_driven():
    armature, obj = beam()
    add(armature)
    values = {frame: 0.02 + 0.01 * frame for frame in (1, 13, 25)}
    wanted = {f: shown_with(f, obj, armature, "effects_floppy_linear", v) for f, v in values.items()}
    for frame, value in values.items():
        armature.limber.controls.effects_floppy_linear = value
        armature.keyframe_insert("limber.controls.effects_floppy_linear", frame=frame)
    kept = armature.limber.style
    for frame in shuffled(values):
        near(at(frame, obj), wanted[frame], 2e-4, f"keyed, frame {frame}")
        assert abs(armature.limber.controls.effects_floppy_linear - values[frame]) < 1e-6
    assert armature.limber.style == kept, "the curve has changed the style"
    armature.animation_data.action.fcurves.remove(armature.animation_data.action.fcurves.find(
        "limber.controls.effects_floppy_linear"))
    driver = armature.driver_add("limber.controls.effects_floppy_linear").driver
    driver.expression = "0.02 + 0.01 * frame"
    for frame in shuffled(values):
        near(at(frame, obj), wanted[frame], 2e-4, f"driven, frame {frame}")


def test_values_without_formulas_have_those_of_each_frame():
    armature, obj = beam()
    add(armature)
    armature.limber.preset = "cartoon"
    name = "effects_overlap_ahead"
    values = {5: 0.01, 12: 0.05, 20: 0.03}
    wanted = {f: shown_with(f, obj, armature, name, v) for f, v in values.items()}
    for frame, value in values.items():
        setattr(armature.limber.controls, name, value)
        armature.keyframe_insert(f"limber.controls.{name}", frame=frame)
    for frame in shuffled(values):
        near(at(frame, obj), wanted[frame], 1e-5, f"frame {frame}")
    try:
        bpy.ops.limber.bake(kind="SHAPES", first=1, last=25)
        assert not live.session_of(armature).has_steps, "baked"
    except RuntimeError as error:
        assert "mesh cache" in str(error)


def test_strength_without_keys_is_the_slider():
    armature, obj = beam()
    add(armature, '{"effects": {"floppy": {"linear": 0.1}}}')
    armature.location.x = 0
    armature.keyframe_insert("location", frame=1)
    armature.location.x = 2
    armature.keyframe_insert("location", frame=25)
    bpy.context.view_layer.update()
    full = at(9, obj) - plain(9, obj)
    armature.limber.strength = 0.5
    near(at(9, obj) - plain(9, obj), full / 2, 1e-5)
    armature.limber.strength = 0
    near(at(9, obj), plain(9, obj), 1e-6)


def test_scripts_switch_a_character_off_and_on():
    armature, obj = beam()
    add(armature)
    wanted = {f: at(f, obj) for f in (5, 9)}
    armature.limber.enabled = False
    for frame in wanted:
        near(at(frame, obj), plain(frame, obj), 1e-6, f"off, frame {frame}")
    armature.limber.enabled = True
    for frame in wanted:
        near(at(frame, obj), wanted[frame], 0, f"on again, frame {frame}")


def rendered(frame, obj, armature, blur=False):
    """The corners of what Cycles draws: (first column, last column) with light."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    camera.location, camera.rotation_euler = (20, 0, 1.5), (np.pi / 2, 0, np.pi / 2)
    camera.data.type, camera.data.ortho_scale = "ORTHO", 8
    scene.camera = camera
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 4, False
    scene.render.resolution_x = scene.render.resolution_y = 96
    scene.render.use_motion_blur = blur
    scene.render.film_transparent = True
    scene.render.filepath = str(temporary("still"))
    scene.frame_set(frame)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(temporary("still.png")))
    alpha = np.array(image.pixels[:]).reshape(96, 96, 4)[..., 3]
    bpy.data.images.remove(image)
    bpy.data.objects.remove(camera)
    return alpha


def outline(points):
    """The same picture from vertices: which pixels of an orthographic camera their box covers."""
    y, z = points[:, 1], points[:, 2]
    return (np.array([y.min(), y.max()]) / 8 + 0.5) * 96, (np.array([z.min(), z.max()]) - 1.5) / 8 * 96 + 48


def test_render_equals_viewport():
    armature, obj = beam()
    add(armature, '{"effects": {"floppy": {"angular": 0.1}}}')
    for frame in (4, 9):
        columns, rows = outline(at(frame, obj))
        plain_columns, _ = outline(plain(frame, obj))
        assert np.abs(columns - plain_columns).max() > 2, "the test can tell"
        alpha = rendered(frame, obj, armature) > 0.5
        lit = np.nonzero(alpha.any(0))[0]
        near([lit[0], lit[-1] + 1], columns, 1.6, f"frame {frame}")


def test_motion_blur_sees_subframes():
    armature, obj = beam()
    add(armature, '{"effects": {"floppy": {"angular": 0.1}}}')
    sharp, blurred = rendered(4, obj, armature), rendered(4, obj, armature, blur=True)
    assert ((blurred > 0.02) & (blurred < 0.98)).sum() > 1.5 * ((sharp > 0.02) & (sharp < 0.98)).sum()
    near(at(4, obj), at(4, obj), 0)


def test_a_thousand_frames():
    armature, obj = beam(keyed=False)
    swing(armature, 1, 1001)
    add(armature, limber.Style("cartoon").text)
    session = live.session_of(armature)
    assert len(session.samples.frames) == 1001
    for frame in shuffled(range(1, 1002))[:20]:
        assert np.isfinite(session.evaluate(frame)[obj.name_full]).all()


def test_elongation_of_the_style_moves_the_skin():
    armature, obj = beam()
    add(armature, "{}")
    near(at(5, obj), plain(5, obj), 1e-6)
    armature.limber.style = '{"smear": {"elongate": {"amount": "2 * offset"}}}'
    assert live.problem(armature) is None, live.problem(armature)
    assert moved(5, obj) > 1e-3


def test_exaggeration_is_seen_live_and_the_action_is_not_touched():
    armature, obj = beam()
    add(armature, "{}")
    action = armature.animation_data.action
    before = [tuple(p.co) for c in action.fcurves for p in c.keyframe_points]
    armature.limber.style = '{"exaggerate": {"filter": {"amount": 1}}}'
    assert live.problem(armature) is None, live.problem(armature)
    assert max(moved(f, obj) for f in (3, 7, 12)) > 1e-2
    assert before == [tuple(p.co) for c in action.fcurves for p in c.keyframe_points]


def other_action(armature, name, turn):
    """An action beside the one that plays: the bones swing by another angle."""
    data, kept = armature.animation_data, armature.animation_data.action
    data.action = None
    swing(armature, turn=turn)
    made, data.action = data.action, kept
    made.name, made.use_fake_user = name, True
    return made


def clips_of(armature):
    return [clip.name for clip in live.session_of(armature).character.clips]


def test_other_actions_of_the_armature_are_clips_too():
    armature, obj = beam()
    other_action(armature, "B", 1.2)
    add(armature)
    at(3, obj)
    assert clips_of(armature) == ["Blender", "B"], clips_of(armature)
    clip = live.session_of(armature).character.clips[1]
    assert abs(clip.duration - 1) < 1e-6, clip.duration


def test_actions_of_another_armature_are_none_of_it():
    armature, obj = beam()
    second, _ = beam("Second")
    foreign = other_action(second, "Foreign", 0.9)
    second.animation_data.nla_tracks.new().strips.new("Foreign", 1, foreign)
    stranger = bpy.data.actions.new("Stranger")
    stranger.fcurves.new('pose.bones["Nobody"].location', index=0).keyframe_points.insert(1, 0)
    bpy.data.actions.new("Empty").use_fake_user = True
    add(armature)
    at(3, obj)
    assert clips_of(armature) == ["Blender"], clips_of(armature)


def test_a_change_of_another_action_is_seen():
    armature, obj = beam()
    made = other_action(armature, "B", 1.2)
    add(armature)
    at(3, obj)
    before = live.session_of(armature).companions.clips["B"][1].copy()
    for curve in made.fcurves:
        for key in curve.keyframe_points:
            key.co.y *= 0.5
        curve.update()
    live.refresh(armature, "motion")
    after = live.session_of(armature).companions.clips["B"][1]
    assert np.abs(before - after).max() > 0.05


def test_bones_without_keys_rest_in_other_actions():
    """They hold what the action before left; a companion does not see that."""
    armature, obj = beam()
    made = other_action(armature, "B", 1.2)
    for curve in [c for c in made.fcurves if "Bone.2" in c.data_path]:
        made.fcurves.remove(curve)
    bpy.context.scene.frame_set(7)
    add(armature)
    session = live.session_of(armature)
    at(7, obj)
    turns = session.companions.clips["B"][1][:, session.rig.index["Bone.2"], 3:7]
    near(np.abs(turns[:, 3]), np.ones(len(turns)), 1e-6)


def test_the_clip_is_the_same_from_whichever_action_it_is_read():
    """Played, or as a companion of another one."""
    armature, obj = beam()
    first, made = armature.animation_data.action, other_action(armature, "B", 1.2)
    add(armature)
    at(3, obj)
    beside = live.session_of(armature).companions.clips["B"][1].copy()
    armature.animation_data.action = made
    bpy.context.view_layer.update()
    at(4, obj)
    assert clips_of(armature) == ["Blender", first.name], clips_of(armature)
    near(live.session_of(armature)._locals, beside, 1e-6)


main(globals())
