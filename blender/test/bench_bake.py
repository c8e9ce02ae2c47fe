"""Measures, and asserts nothing: bakes of 1,020 frames, beyond Blender's own playback, and how far they are off.

    blender -b --factory-startup --python blender/test/bench_bake.py [-- CHARACTER.glb CLIP FRAMES KIND...]
"""
import os
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from kit import *  # noqa: E402,F403

limber_blender.register()
arguments = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
KINDS = (("PC2", 0.0), ("MDD", 0.0), ("SHAPES", 0.001), ("SHAPES", 0.0), ("BONES", 0.002))


def open_character():
    empty()
    bpy.context.scene.render.fps = 30
    path = arguments[0] if arguments and arguments[0] != "-" else temporary("dancer.glb")
    if path == temporary("dancer.glb"):
        program("sample", "dancer", "-o", path)
    bpy.ops.import_scene.gltf(filepath=str(path))
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    if len(arguments) > 1:
        armature.animation_data.action = next(a for a in bpy.data.actions if a.name.startswith(arguments[1]))
    for track in list(armature.animation_data.nla_tracks):
        armature.animation_data.nla_tracks.remove(track)
    return armature


def repeat(action, count):
    """The same motion again and again, as keys, until `count` frames are full."""
    first, last = action.frame_range
    for curve in action.fcurves:
        keys = np.empty(2 * len(curve.keyframe_points))
        curve.keyframe_points.foreach_get("co", keys)
        keys = keys.reshape(-1, 2)
        turns = int(np.ceil(count / max(last - first, 1)))
        rows = np.concatenate([keys + (i * (last - first), 0) for i in range(turns)])
        rows = rows[np.concatenate([[True], np.diff(rows[:, 0]) > 1e-3])]
        curve.keyframe_points.add(len(rows) - len(keys))
        curve.keyframe_points.foreach_set("co", rows.ravel())
        curve.keyframe_points.foreach_set("interpolation", np.ones(len(rows), np.int32))
        curve.update()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = int(first), int(first) + count - 1


def seconds(work):
    """Of the processor, all threads together: what a busy machine does meanwhile does not count."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def play():
    scene = bpy.context.scene
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)


count = int(arguments[2]) if len(arguments) > 2 else 1020
armature = open_character()
repeat(armature.animation_data.action, count)
meshes = rig.objects_of(armature)
print(f"{sum(len(o.data.vertices) for o in meshes)} vertices, {len(armature.pose.bones)} bones, {count} frames, "
      f"Blender {bpy.app.version_string}", flush=True)
alone = seconds(play)
print(f"Blender's own playback                 {alone:7.2f} s of processor time", flush=True)
bpy.context.view_layer.objects.active = armature
bpy.ops.limber.add()
assert live.problem(armature) is None, live.problem(armature)
scene = bpy.context.scene
frames = shuffled(range(scene.frame_start, scene.frame_end + 1))[:12]
wanted = {f: at(f, *meshes, world=True) for f in frames}
length = live.session_of(armature).character.size
for kind, tolerance in KINDS:
    if len(arguments) > 3 and kind not in arguments[3:]:
        continue
    took = seconds(lambda: bpy.ops.limber.bake(kind=kind, tolerance=tolerance, folder=str(temporary("bench"))))
    off = max(np.abs(at(f, *meshes, world=True) - wanted[f]).max() for f in frames) / length
    again = seconds(play)
    back = seconds(lambda: bpy.ops.limber.unbake())
    print(f"{kind:7s} tolerance {tolerance:<6g} bake {took:7.2f} s   off by {off:8.2g} L   playback {again:6.2f} s   "
          f"unbake {back:5.2f} s", flush=True)
