"""The motion of one armature on another: the same poses as `limber convert --motion` gives."""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from kit import *  # noqa: E402,F403
from limber_blender import keyed, retarget  # noqa: E402


def imported(path):
    before = set(bpy.data.objects)
    bpy.ops.import_scene.gltf(filepath=str(path))
    return next(o for o in set(bpy.data.objects) - before if o.type == "ARMATURE")


def places(armature, names):
    graph = bpy.context.evaluated_depsgraph_get()
    posed = armature.evaluated_get(graph)
    return np.array([posed.matrix_world @ posed.pose.bones[name].head for name in names])


def play(armature, clip):
    for track in armature.animation_data.nla_tracks:
        if track.name == clip:
            armature.animation_data.action = track.strips[0].action
        track.mute = True


def choose(source, target):
    for obj in bpy.data.objects:
        obj.select_set(obj in (source, target))
    bpy.context.view_layer.objects.active = target


NAMES = ["Hips", "Chest", "Head", "HandLeft", "HandRight", "LegLowerLeft", "LegFootLeft", "LegFootRight"]


def compare_with_program(clip, options, frames, **choices):
    """The operator's poses of the toon against the program's; returns the toon."""
    bpy.context.scene.render.fps = 30  # that of the clips
    folder = temporary("retarget")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("hero", "toon"):
        program("sample", name, "--detail", "0.5", "-o", folder / f"{name}.glb")
    motion = f"{folder / 'hero.glb'}#{clip}"
    program("convert", folder / "toon.glb", "--motion", motion, *options, "-o", folder / "both.glb")
    hero, toon, wanted = (imported(folder / f"{name}.glb") for name in ("hero", "toon", "both"))
    play(hero, clip)
    play(wanted, f"{clip} 2")
    toon.animation_data_clear()
    choose(hero, toon)
    before = hero.animation_data.action
    assert bpy.ops.limber.motion(**choices) == {"FINISHED"}
    assert hero.animation_data.action == before and toon.animation_data.action.name.startswith(before.name)
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        near(places(toon, NAMES), places(wanted, NAMES), 0.02, f"frame {frame}")
    return toon


def test_poses_are_those_of_the_program():
    compare_with_program("jump", [], (1, 20, 34, 50))


def test_the_travel_moves_to_the_root():
    toon = compare_with_program("run", ["--root-motion"], (2, 10, 18), root_motion=True)
    hips = [c for c in keyed.bag(toon) if c.data_path == 'pose.bones["Hips"].location']
    assert all(np.ptp([k.co[1] for k in c.keyframe_points]) < 0.2 for c in hips), "the hips still travel"


def test_a_cycle_is_found_and_closed():
    toon = compare_with_program("run", ["--cycle"], (2, 8), cycle=True)
    for curve in keyed.bag(toon):
        if "rotation" in curve.data_path:
            near(curve.keyframe_points[0].co[1], curve.keyframe_points[-1].co[1], 1e-3, curve.data_path)


def test_what_cannot_be_is_said():
    first, second = beam("First")[0], beam("Second")[0]
    choose(first, second)
    action = second.animation_data.action
    try:
        bpy.ops.limber.motion()
    except RuntimeError as error:
        assert "cannot find two legs" in str(error), error
    else:
        raise AssertionError("nothing was said")
    assert second.animation_data.action == action
    choose(second, second)
    assert not bpy.ops.limber.motion.poll()


main(globals())
