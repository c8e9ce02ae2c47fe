"""The stills of docs/blender.md: blender -b --factory-startup --python docs/blender_stills.py -- FOLDER [PICTURE...]

Cycles draws a strip per row, the plain animation above and the one with limber below, all by the add-on's operators.
LIMBER_LIBRARY is the library and LIMBER the program (default: those of build/).
"""
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import bpy
import numpy as np
from mathutils import Vector

np.bool = bool  # the glTF importer of Blender 3.4 wants it
ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = pathlib.Path(sys.argv[sys.argv.index("--") + 1]).resolve()
ONLY = sys.argv[sys.argv.index("--") + 2:]
WORK = pathlib.Path(tempfile.mkdtemp())
PROGRAM = os.environ.get("LIMBER", str(ROOT / "build" / "limber"))
os.environ.setdefault("LIMBER_LIBRARY", str(ROOT / "build" / "liblimber.so"))
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "blender")]
import limber_blender  # noqa: E402

SIZE = 300  # pixels of a still


def load(name, clip):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    path = WORK / f"{name}.glb"
    subprocess.run([PROGRAM, "sample", name, "-o", str(path)], check=True)
    bpy.context.scene.render.fps = 30
    bpy.ops.import_scene.gltf(filepath=str(path))
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    for obj in bpy.data.objects:
        data = obj.animation_data
        for track in data.nla_tracks if data else ():
            if track.name == clip:
                data.action = track.strips[0].action
    first, last = armature.animation_data.action.frame_range
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = int(first), int(last)
    bpy.context.view_layer.objects.active = armature
    return armature


def sheet_of_paper():
    mesh = bpy.data.meshes.new("Floor")
    mesh.from_pydata([(-50, -50, 0), (50, -50, 0), (50, 50, 0), (-50, 50, 0)], [], [(0, 1, 2, 3)])
    floor = bpy.data.objects.new("Floor", mesh)
    material = bpy.data.materials.new("Paper")
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.42, 0.50, 0.58, 1)
    material.node_tree.nodes["Principled BSDF"].inputs["Roughness"].default_value = 1
    mesh.materials.append(material)
    bpy.context.collection.objects.link(floor)


def light(yaw):
    world = bpy.data.worlds.new("World")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs[0].default_value = (0.55, 0.68, 0.85, 1)
    world.node_tree.nodes["Background"].inputs[1].default_value = 0.6
    bpy.context.scene.world = world
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.data.angle = 2.6, 0.2
    sun.rotation_euler = (math.radians(45), math.radians(10), yaw + math.radians(-35))
    bpy.context.collection.objects.link(sun)


def camera(height, yaw):
    data = bpy.data.cameras.new("Camera")
    data.type, data.ortho_scale = "ORTHO", height
    found = bpy.data.objects.new("Camera", data)
    away = Vector((math.sin(yaw), -math.cos(yaw), 0.25)) * 20
    found.rotation_euler = (-away).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(found)
    bpy.context.scene.camera = found
    return away


def middle(frame):
    """Where the character is, from above."""
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    points = [o.matrix_world @ v.co for o in bpy.data.objects if o.type == "MESH" and o.name != "Floor"
              for v in o.evaluated_get(graph).data.vertices]
    return [(min(p[i] for p in points) + max(p[i] for p in points)) / 2 for i in (0, 1)]


def settings():
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 24, False
    scene.cycles.use_adaptive_sampling = False
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x = scene.render.resolution_y = SIZE
    scene.render.resolution_percentage = 100
    scene.render.use_persistent_data = True


def still(frame, name, place):
    scene = bpy.context.scene
    scene.frame_set(frame)
    scene.camera.location = place
    scene.render.filepath = str(WORK / f"{name}_{frame}.png")
    bpy.ops.render.render(write_still=True)
    return scene.render.filepath


def strip(name, clip, preset, frames, level, height, yaw, picture, smears=False, cut=(0, 1)):
    """A row of plain stills above a row with limber; `cut`: from where to where, of their height."""
    if ONLY and picture not in ONLY:
        return
    load(name, clip)
    sheet_of_paper()
    light(math.radians(yaw))
    away = camera(height, math.radians(yaw))
    settings()
    places = [Vector((*middle(frame), level)) + away for frame in frames]
    above = [still(frame, "plain", place) for frame, place in zip(frames, places)]
    assert bpy.ops.limber.add(preset=preset) == {"FINISHED"}
    if smears:
        assert bpy.ops.limber.smears_add() == {"FINISHED"}
    below = [still(frame, "limber", place) for frame, place in zip(frames, places)]
    inputs = [part for path in above + below for part in ("-i", path)]
    count = len(frames)
    rows = [f"{''.join(f'[{r * count + i}:v]' for i in range(count))}hstack=inputs={count},"
            f"crop=iw:{SIZE * (cut[1] - cut[0]):.0f}:0:{SIZE * cut[0]:.0f}[r{r}]" for r in (0, 1)]
    subprocess.run(["ffmpeg", "-y", "-loglevel", "error", *inputs, "-filter_complex",
                    ";".join(rows) + ";[r0][r1]vstack=inputs=2", "-frames:v", "1", "-q:v", "3", str(OUT / picture)],
                   check=True)
    print(OUT / picture)


limber_blender.register()
OUT.mkdir(parents=True, exist_ok=True)
strip("dog", "jump", "cartoon", (19, 22, 28, 35, 38), 0.8, 2.1, 60, "blender-dog.jpg")
strip("snail", "dash-stop", "smear", (22, 29, 33, 46), 0.5, 2.5, 90, "blender-snail.jpg", smears=True, cut=(0.25, 0.8))
