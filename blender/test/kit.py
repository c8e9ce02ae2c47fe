"""What the tests of the add-on share. Run one with

    blender -b --factory-startup --python-exit-code 7 --python blender/test/test_NAME.py

LIMBER_LIBRARY names the library, LIMBER_PROGRAM the program `limber`, LIMBER_TEST_ASSETS the folder with characters
from outside. Functions whose names start with test_ run one after the other, each in an empty file.
"""
import atexit
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import traceback

import bpy
import numpy as np

np.bool = bool  # the glTF importer of Blender 3.4 wants it

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("LIMBER_BUILD", ROOT / "build"))
PROGRAM = os.environ.get("LIMBER_PROGRAM", str(BUILD / "limber"))
os.environ.setdefault("LIMBER_LIBRARY", str(BUILD / "liblimber.so"))
for folder in (ROOT / "python", ROOT / "blender"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

import limber  # noqa: E402
import limber_blender  # noqa: E402
from limber_blender import live, nodes, rig  # noqa: E402

FLOPPY = '{"effects": {"floppy": {"linear": 0.1, "angular": 0.3}, "squash": {"linear": 0.1, "angular": 0.1}}}'


class Skipped(Exception):
    pass


# --- running ---

def empty():
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)  # add-ons stay, which saves most of the time
    bpy.context.scene.render.fps = 24


def main(names):
    """Runs the tests of a module's globals()."""
    limber_blender.register()
    failed = []
    only = [a for a in sys.argv[sys.argv.index("--") + 1:]] if "--" in sys.argv else []
    for name, test in sorted(names.items()):
        if not name.startswith("test_") or (only and not any(o in name for o in only)):
            continue
        try:
            empty()
            test()
            print(f"passed   {name}", flush=True)
        except Skipped as why:
            print(f"skipped  {name}: {why}", flush=True)
        except Exception:
            traceback.print_exc()
            print(f"FAILED   {name}", flush=True)
            failed.append(name)
    if failed:
        raise SystemExit(f"failed: {' '.join(failed)}")
    limber_blender.unregister()
    print("all passed", flush=True)


def near(a, b, most, what=""):
    a, b = np.asarray(a, float), np.asarray(b, float)
    assert a.shape == b.shape, f"{what}: {a.shape} is not {b.shape}"
    off = np.abs(a - b).max(initial=0)
    assert off <= most, f"{what}: off by {off:.3g}, at most {most:.3g}"
    return off


def asset(name):
    """A character from outside."""
    folder = os.environ.get("LIMBER_TEST_ASSETS")
    path = pathlib.Path(folder or ".") / name
    if not folder or not path.exists():
        raise Skipped(f"{name} is not in LIMBER_TEST_ASSETS")
    return path


def temporary(name):
    """A path in a folder that goes when Blender ends."""
    folder = pathlib.Path(tempfile.gettempdir()) / f"limber_blender_{os.getpid()}"
    if not folder.exists():
        folder.mkdir()
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder / name


def program(*arguments):
    subprocess.run([PROGRAM, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def fresh_blender(code, *arguments):
    """Runs code in another Blender and returns what it prints after 'answer '."""
    script = temporary("fresh.py")
    script.write_text(f"import sys\nsys.path.insert(0, {str(HERE)!r})\nimport kit\nfrom kit import *\n{code}\n")
    run = subprocess.run([bpy.app.binary_path, "-b", "--factory-startup", "--python-exit-code", "7", "--python",
                          str(script), "--", *map(str, arguments)], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return [line[7:] for line in run.stdout.splitlines() if line.startswith("answer ")]


# --- characters ---

def beam(name="Beam", rings=9, bones=3, keyed=True, height=3.0):
    """A beam of a few bones that swings: (armature object, mesh object)."""
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for i in range(bones):
        bone = data.edit_bones.new(f"Bone.{i}")
        bone.head, bone.tail = (0, 0, height * i / bones), (0, 0, height * (i + 1) / bones)
        bone.parent, above = above, bone
    bpy.ops.object.mode_set(mode="OBJECT")
    obj = skin(armature, beam_mesh(name + " skin", rings, height), bones, height)
    if keyed:
        swing(armature)
    return armature, obj


def beam_mesh(name, rings=9, height=3.0, radius=0.2):
    points, faces = [], []
    for r in range(rings):
        z = height * r / (rings - 1)
        points += [(radius, radius, z), (-radius, radius, z), (-radius, -radius, z), (radius, -radius, z)]
    for r in range(rings - 1):
        for k in range(4):
            a, b = 4 * r + k, 4 * r + (k + 1) % 4
            faces.append((a, b, b + 4, a + 4))
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    return mesh


def skin(armature, mesh, bones=3, height=3.0, modifier=True):
    """A mesh object with smooth weights along the bones, on an armature."""
    obj = bpy.data.objects.new(mesh.name, mesh)
    bpy.context.collection.objects.link(obj)
    obj.parent = armature
    groups = [obj.vertex_groups.new(name=f"Bone.{i}") for i in range(bones)]
    for v in mesh.vertices:
        at = v.co.z / height * bones - 0.5
        for i, group in enumerate(groups):
            weight = max(0.0, 1 - abs(at - i))
            if (i == 0 and at < 0) or (i == bones - 1 and at > i):
                weight = 1.0
            if weight > 0:
                group.add([v.index], weight, "REPLACE")
    if modifier:
        obj.modifiers.new("Armature", "ARMATURE").object = armature
    return obj


def swing(armature, start=1, end=25, turn=0.6, travel=0.0):
    """A loop: all bones swing; with travel the object moves along x."""
    for bone in armature.pose.bones:
        bone.rotation_mode = "XYZ"
        for frame, angle in ((start, 0), (start + (end - start) / 4, turn), (start + 3 * (end - start) / 4, -turn),
                             (end, 0)):
            bone.rotation_euler = (angle, 0.3 * angle, 0)
            bone.keyframe_insert("rotation_euler", frame=frame)
    if travel:
        for frame, x in ((start, 0), (end, travel)):
            armature.location.x = x
            armature.keyframe_insert("location", index=0, frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = int(start), int(end)


def add(armature, style=FLOPPY):
    """Limber by its operator, with a style."""
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.limber.add() == {"FINISHED"}
    armature.limber.style = style
    assert live.problem(armature) is None, live.problem(armature)


def remove(armature):
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.limber.remove() == {"FINISHED"}


# --- what Blender shows ---

def shown(obj, world=False):
    """The evaluated vertices of an object (V, 3)."""
    graph = bpy.context.evaluated_depsgraph_get()
    evaluated = obj.evaluated_get(graph)
    mesh = evaluated.data
    found = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", found)
    found = found.reshape(-1, 3).astype(float)
    if world:
        matrix = np.array(evaluated.matrix_world)
        found = found @ matrix[:3, :3].T + matrix[:3, 3]
    return found


def at(frame, *objects, world=False):
    whole = int(np.floor(frame))
    bpy.context.scene.frame_set(whole, subframe=frame - whole)
    return np.concatenate([shown(o, world) for o in objects])


def plain(frame, *objects, world=False):
    """The same without limber."""
    modifiers = [nodes.modifier_of(o) for o in objects]
    for m in modifiers:
        m.show_viewport = False
    found = at(frame, *objects, world=world)
    for m in modifiers:
        m.show_viewport = True
    return found


def moved(frame, *objects):
    """How far limber moves vertices at most."""
    return np.abs(at(frame, *objects) - plain(frame, *objects)).max()


def shuffled(frames, seed=1):
    found = list(frames)
    random.Random(seed).shuffle(found)
    return found
