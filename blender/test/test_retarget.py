"""The motion of one armature on another: the same poses as `limber convert --motion` gives."""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from kit import *  # noqa: E402,F403
from limber_blender import retarget  # noqa: E402


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


def test_poses_are_those_of_the_program():
    folder = temporary("retarget")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("hero", "toon"):
        program("sample", name, "--detail", "0.5", "-o", folder / f"{name}.glb")
    program("convert", folder / "toon.glb", "--motion", f"{folder / 'hero.glb'}#jump", "-o", folder / "both.glb")
    hero, toon, wanted = (imported(folder / f"{name}.glb") for name in ("hero", "toon", "both"))
    play(hero, "jump")
    play(wanted, "jump 2")
    toon.animation_data_clear()
    choose(hero, toon)
    before = hero.animation_data.action
    assert bpy.ops.limber.motion() == {"FINISHED"}
    assert hero.animation_data.action == before and toon.animation_data.action.name.startswith(before.name)
    names = ["Hips", "Chest", "Head", "HandLeft", "HandRight", "LegLowerLeft", "LegFootLeft", "LegFootRight"]
    for frame in (1, 20, 34, 50):
        bpy.context.scene.frame_set(frame)
        near(places(toon, names), places(wanted, names), 0.02, f"frame {frame}")


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
