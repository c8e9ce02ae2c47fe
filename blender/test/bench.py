"""Measures, and asserts nothing: what limber costs beyond Blender's own playback.

    blender -b --factory-startup --python blender/test/bench.py [-- CHARACTER.glb CLIP]
"""
import os
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from kit import *  # noqa: E402,F403
from limber_blender import sample, session as sessions  # noqa: E402

limber_blender.register()
arguments = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []


class Cost:
    """Milliseconds on the clock and of all processors, the best of several runs."""

    def __init__(self, wall, cpu):
        self.wall, self.cpu = wall, cpu

    def __truediv__(self, count):
        return Cost(self.wall / count, self.cpu / count)


def best(work, count=5):
    found = []
    for _ in range(count):
        begin = time.perf_counter(), time.process_time()
        work()
        found.append((time.perf_counter() - begin[0], time.process_time() - begin[1]))
    return Cost(*(1e3 * min(row[i] for row in found) for i in (0, 1)))


def per_frame(frames):
    """Milliseconds per frame: the best of several passes."""
    scene = bpy.context.scene

    def play():
        for frame in frames:
            scene.frame_set(frame)
    play()
    return best(play, 4) / len(frames)


def say(what, cost):
    print(f"{what:58s} {cost.wall:9.2f} ms, processors {cost.cpu:9.2f} ms", flush=True)


empty()
bpy.context.scene.render.fps = 30
path = arguments[0] if arguments else temporary("dancer.glb")
if not arguments:
    program("sample", "dancer", "-o", path)
bpy.ops.import_scene.gltf(filepath=str(path))
armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
meshes = rig.objects_of(armature)
if len(arguments) > 1:
    armature.animation_data.action = next(a for a in bpy.data.actions if a.name.startswith(arguments[1]))
first, last = (int(f) for f in armature.animation_data.action.frame_range)
scene = bpy.context.scene
scene.frame_start, scene.frame_end = first, last
frames = range(first, min(last, first + 30))
print(f"{sum(len(o.data.vertices) for o in meshes)} vertices, {len(armature.pose.bones)} bones, frames {first} to {last}, "
      f"Blender {bpy.app.version_string}")
say("Blender alone, per frame", per_frame(frames))
bpy.context.view_layer.objects.active = armature
say("adding limber, preset cartoon", best(lambda: bpy.ops.limber.add(), 1))
assert live.problem(armature) is None, live.problem(armature)
say("Blender and limber, per frame", per_frame(frames))
session = live.session_of(armature)
say("  limber.Pipeline.evaluate and offsets, per frame", best(lambda: [session.evaluate(f) for f in frames]) / len(frames))
rows = [(o, session.evaluate(first)[o.name_full]) for o in meshes]
say("  writing offsets, per frame", best(lambda: [nodes.write(o, r, first) for o, r in rows]))
for o in meshes:
    nodes.modifier_of(o).show_viewport = False
handlers = bpy.app.handlers.frame_change_pre
handlers.remove(live._frame_change)
say("Blender alone again, per frame", per_frame(frames))
handlers.append(live._frame_change)
for o in meshes:
    nodes.modifier_of(o).show_viewport = True
count = len(session.samples.frames)
say(f"reading {count} frames of animation", best(lambda: sample.sample(armature, session.rig, scene, session.samples.frames)))
say("reading rig and meshes", best(lambda: rig.build(limber, armature)))
say("character from arrays with a clip", best(lambda: session._make_character(limber, session._locals)))
session.forget("style")
say("pipeline after a change of style", best(lambda: (session.forget("style"), session._make_pipeline(limber, armature))))
bone = armature.pose.bones[len(armature.pose.bones) // 2]


def pose():
    bone.location.x += 0.01
    bpy.context.view_layer.update()


say("posing a bone: one update, with limber", best(pose, 8))
pipeline = session.pipeline
longer = [i % count for i in range(1020)]
say("1,020 frames: evaluate and offsets", best(lambda: [session.evaluate(session.samples.frames[i]) for i in longer], 1))
