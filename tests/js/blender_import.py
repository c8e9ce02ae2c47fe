"""Opens a file as Blender does and writes where its vertices are: for import.mjs.

    blender -b --factory-startup --python-exit-code 7 --python blender_import.py -- model.fbx out.json 0 0.5 1.0

The times are seconds. Positions are meters, with Y up as in glTF: first those of the bind pose, then one list per time.
"""
import json
import sys

import numpy

if not hasattr(numpy, "bool"):
    numpy.bool = bool  # which Blender 3.4 expects of an older numpy

import bpy


def positions(graph):
    """Of every mesh, in the order of names, x y z of each vertex."""
    found = {}
    for item in sorted((o for o in bpy.data.objects if o.type == "MESH"), key=lambda o: o.name):
        shown = item.evaluated_get(graph)
        place = shown.matrix_world
        spots = (place @ vertex.co for vertex in shown.data.vertices)
        found[item.name] = [round(c, 7) for p in spots for c in (p.x, p.z, -p.y)]
    return found


def show_bind_pose(rest):
    for armature in bpy.data.armatures:
        armature.pose_position = "REST" if rest else "POSE"


path, out, *times = sys.argv[sys.argv.index("--") + 1:]
bpy.ops.wm.read_homefile(use_empty=True)
if path.endswith(".dae"):
    bpy.ops.wm.collada_import(filepath=path)
else:
    bpy.ops.import_scene.fbx(filepath=path)
scene = bpy.context.scene
rate = scene.render.fps / scene.render.fps_base
lists = []
for time in [None, *map(float, times)]:
    show_bind_pose(time is None)
    frame = 1 + (time or 0) * rate  # Blender's clips start at frame 1
    scene.frame_set(int(frame), subframe=frame - int(frame))
    lists.append(positions(bpy.context.evaluated_depsgraph_get()))
with open(out, "w") as file:
    json.dump({"rate": rate, "lists": lists}, file)
