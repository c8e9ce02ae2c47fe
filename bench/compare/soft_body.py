"""Blender's soft body on the tail: blender -b --factory-startup --python soft_body.py -- FOLDER

The tail is a mesh that hangs on the body, with the modifier Soft Body and a goal that is stiff at the root. FOLDER has
runs.json; tips.json gets the tips, and what the simulation of a frame costs, in nanoseconds."""

import json
import pathlib
import sys
import time

import bpy
from mathutils import Matrix

FOLDER = pathlib.Path(sys.argv[sys.argv.index("--") + 1])
ASKED = json.loads((FOLDER / "runs.json").read_text())
SETTINGS = ASKED["settings"]


def make_tail(scale):
    """An empty scene with the body and the tail on it."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    body = bpy.data.objects.new("body", None)
    tail = ASKED["tail"]
    mesh = bpy.data.meshes.new("tail")
    corners = tail["triangles"]
    mesh.from_pydata([[x * scale for x in p] for p in tail["positions"]], [],
                     [corners[i:i + 3] for i in range(0, len(corners), 3)])
    skin = bpy.data.objects.new("tail", mesh)
    skin.parent = body
    for thing in (body, skin):
        scene.collection.objects.link(thing)
    group = skin.vertex_groups.new(name="goal")
    rings = len(tail["positions"]) // tail["sides"] - 1
    for i in range(len(mesh.vertices)):
        along = (i // tail["sides"]) / rings
        group.add([i], 1 + along * (SETTINGS["goal_at_tip"] - 1) if along else 1, "REPLACE")
    soft = skin.modifiers.new("soft", "SOFT_BODY").settings
    soft.vertex_group_goal = "goal"
    soft.effector_weights.gravity = 0
    for name in ("goal_spring", "goal_friction", "pull", "push", "bend"):
        setattr(soft, name, SETTINGS[name])
    return scene, body, skin


def place(body, frame, scale):
    """Location and rotation of the body, in limber's axes."""
    body.matrix_basis = Matrix.Translation((0, frame[2] * scale, 0)) @ Matrix.Rotation(frame[3], 4, "Y")


def key_body(body, frames, scale):
    """One key per frame of the scene."""
    for number, frame in frames.items():
        place(body, frame, scale)
        body.keyframe_insert("location", frame=number)
        body.keyframe_insert("rotation_euler", frame=number)


def tip(skin):
    """The middle of the last ring."""
    graph = bpy.context.evaluated_depsgraph_get()
    shown = skin.evaluated_get(graph)
    sides = ASKED["tail"]["sides"]
    last = [shown.matrix_world @ v.co for v in shown.data.vertices[-sides:]]
    return [sum(v[axis] for v in last) / sides for axis in range(3)]


def play(run):
    """The frames of a run in their order, by the number that each has at the rate of the run."""
    scene, body, skin = make_tail(run["scale"])
    scene.render.fps = run["fps"]
    numbers = [1 + round(frame[1] * run["fps"]) for frame in run["frames"]]
    keys = {1 + round(frame[1] * run["fps"]): frame for frame in run["frames"] + run["keys"]}
    key_body(body, keys, run["scale"])
    cache = skin.modifiers["soft"].point_cache
    cache.frame_start, cache.frame_end = 1, max(keys)
    scene.frame_end = max(keys)
    tips = []
    simulated = passes(scene, numbers, lambda: tips.append(tip(skin)))
    cached = passes(scene, numbers, lambda: tip(skin))
    return tips, 1e9 * (simulated - cached) / len(numbers)


def passes(scene, numbers, look):
    """Processor seconds that all frames take: the second time they come from the cache."""
    start = time.process_time()
    for number in numbers:
        scene.frame_set(number)
        look()
    return time.process_time() - start


results = [play(run) for run in ASKED["runs"]]
(FOLDER / "tips.json").write_text(json.dumps({"tips": [r[0] for r in results], "ns": [r[1] for r in results]}))
