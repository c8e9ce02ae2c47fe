"""Plays a .pc2 or .mdd through Blender's Mesh Cache modifier and compares every frame with the .obj sequence.

    limber apply fox.glb -o run.obj && limber apply fox.glb -o run.pc2
    blender -b --python-exit-code 1 --python tests/io/blender_cache.py -- run.pc2 run.*.obj

A check to run by hand: Blender is too large to be needed by the tests.
"""
import sys

import bpy


def read_obj(path):
    points, faces = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if words[:1] == ["v"]:
                points.append([float(word) for word in words[1:4]])
            elif words[:1] == ["f"]:
                faces.append([int(word.split("/")[0]) - 1 for word in words[1:]])
    return points, faces


def play(cache, points, faces):
    mesh = bpy.data.meshes.new("cache")
    mesh.from_pydata(points, [], faces)
    thing = bpy.data.objects.new("cache", mesh)
    bpy.context.scene.collection.objects.link(thing)
    modifier = thing.modifiers.new("cache", "MESH_CACHE")
    modifier.cache_format = "PC2" if cache.lower().endswith(".pc2") else "MDD"
    modifier.filepath = cache
    modifier.interpolation = "NONE"
    modifier.frame_start = 1
    return thing


def evaluated(thing, frame):
    bpy.context.scene.frame_set(frame)
    mesh = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return [list(vertex.co) for vertex in mesh.vertices]


def main(cache, objs):
    first, faces = read_obj(objs[0])
    size = max(abs(x) for point in first for x in point)
    # The modifier starts from a mesh that is somewhere else, so that doing nothing cannot pass.
    thing = play(cache, [[x + size for x in point] for point in first], faces)
    worst = 0
    for index, path in enumerate(objs):
        wanted, _ = read_obj(path)
        got = evaluated(thing, index + 1)
        assert len(got) == len(wanted), f"{len(got)} points instead of {len(wanted)}"
        worst = max(worst, max(abs(a - b) for g, w in zip(got, wanted) for a, b in zip(g, w)))
    print(f"{cache}: {len(objs)} frames of {len(first)} points, largest difference {worst / size:g} of the size")
    assert worst <= 1e-6 * size


arguments = sys.argv[sys.argv.index("--") + 1 :]
main(arguments[0], sorted(arguments[1:]))
