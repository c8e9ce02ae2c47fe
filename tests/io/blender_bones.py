"""Plays the first clip of a baked .glb in Blender and compares every frame with the numbers of `limber dump`.

    limber dump cow.glb --style cartoon --clip 0 -o numbers
    limber apply cow.glb --style cartoon --bake bones --tolerance 3 -o cow-baked.glb
    blender -b --factory-startup --python-exit-code 1 --python tests/io/blender_bones.py -- cow-baked.glb numbers 3

The last number is the largest distance allowed, in thousandths of L. A check to run by hand: Blender is too large to be
needed by the tests.
"""
import json
import os
import sys

import bpy
import numpy

numpy.bool = bool  # Blender 3.4's importer asks for a name that numpy has dropped


def evaluated(things):
    graph = bpy.context.evaluated_depsgraph_get()
    rows = []
    for thing in things:
        shown = thing.evaluated_get(graph)
        mesh = shown.to_mesh()
        points = numpy.empty(3 * len(mesh.vertices), dtype=numpy.float32)
        mesh.vertices.foreach_get("co", points)
        world = numpy.array(shown.matrix_world)
        rows.append(points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3])
        shown.to_mesh_clear()
    z_up = numpy.concatenate(rows)
    return numpy.stack([z_up[:, 0], z_up[:, 2], -z_up[:, 1]], axis=1)


def main(file, numbers, limit):
    with open(os.path.join(numbers, "manifest.json"), encoding="utf-8") as text:
        manifest = json.load(text)
    wanted = numpy.load(os.path.join(numbers, "smeared.npy"))
    times = numpy.load(os.path.join(numbers, "time.npy"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = 30
    bpy.ops.import_scene.gltf(filepath=file)
    meshes = [thing for thing in bpy.data.objects if thing.type == "MESH" and not thing.name.startswith("Icosphere")]
    worst = 0
    for time, row in zip(times, wanted):
        frame = float(time) * scene.render.fps
        scene.frame_set(int(frame), subframe=frame - int(frame))
        shown = evaluated(meshes)
        if shown.shape != row.shape:
            sys.exit(f"Blender has {len(shown)} vertices, limber {len(row)}")
        worst = max(worst, numpy.linalg.norm(shown - row, axis=1).max())
    worst *= 1000 / manifest["size"]
    print(f"{len(times)} frames, largest distance {worst:.3f} thousandths of L, {limit} allowed")
    sys.exit(0 if worst <= limit * 1.01 else 1)


main(*sys.argv[sys.argv.index("--") + 1 :][:2], float(sys.argv[-1]))
