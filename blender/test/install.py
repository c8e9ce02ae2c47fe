"""Runs in an empty Blender: installs the zip, uses it, removes it; then the zip of the extension, in other packages."""
import importlib
import os
import sys
import zipfile

import bpy
import numpy as np

ADDON = "limber_blender"
zip_path, extension_path, folder = sys.argv[sys.argv.index("--") + 1:]


def character():
    """A mesh on a bone that swings."""
    for kind in ("objects", "meshes", "armatures", "actions"):
        bpy.data.batch_remove(list(getattr(bpy.data, kind)))
    bpy.ops.object.armature_add()
    armature = bpy.context.object
    bpy.ops.mesh.primitive_cylinder_add(location=(0, 0, 0.5), depth=1, radius=0.2)
    mesh = bpy.context.object
    mesh.vertex_groups.new(name="Bone").add(range(len(mesh.data.vertices)), 1, "REPLACE")
    mesh.modifiers.new("Armature", "ARMATURE").object = armature
    bone = armature.pose.bones["Bone"]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, 0), (10, 1.5), (20, 0)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_end = 20
    bpy.context.view_layer.objects.active = armature
    return armature, mesh


def shown(mesh):
    bpy.context.scene.frame_set(7)
    evaluated = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([v.co for v in evaluated.data.vertices])


def data_blocks():
    return {name: sorted(one.name for one in getattr(bpy.data, name)) for name in dir(bpy.data)
            if isinstance(getattr(bpy.data, name), bpy.types.bpy_prop_collection)}


def state():
    """What an add-on can leave behind in a running Blender."""
    handlers = {n: len(getattr(bpy.app.handlers, n)) for n in dir(bpy.app.handlers)
                if isinstance(getattr(bpy.app.handlers, n), list)}
    types = [n for n in dir(bpy.types) if "limber" in n.lower()]
    return handlers, types, hasattr(bpy.types.Object, "limber"), [n for n in dir(bpy.ops) if n == "limber"]


def check_it_works(module):
    armature, mesh = character()
    before, blocks = shown(mesh), data_blocks()
    assert bpy.ops.limber.add(preset="cartoon") == {"FINISHED"}
    assert importlib.import_module(module + ".live").problem(armature) is None
    moved = np.abs(shown(mesh) - before).max()
    assert moved > 0.01, f"limber moves nothing ({moved})"
    assert bpy.ops.limber.remove() == {"FINISHED"}
    assert np.array_equal(shown(mesh), before), "remove leaves vertices moved"
    assert data_blocks() == blocks, "remove leaves data blocks"
    assert not list(armature.keys()) and not list(mesh.keys()), "remove leaves properties"
    return moved


def check_disabling():
    """Without remove: the file shows its plain animation while the add-on is off, and its settings are kept."""
    armature, mesh = character()
    before = shown(mesh)
    bpy.ops.limber.add(preset="cartoon")
    with_limber = shown(mesh)
    bpy.ops.preferences.addon_disable(module=ADDON)
    assert np.array_equal(shown(mesh), before), "a disabled add-on still moves vertices"
    bpy.ops.preferences.addon_enable(module=ADDON)
    sys.modules[ADDON + ".live"]._start_over()
    assert np.allclose(shown(mesh), with_limber, atol=1e-6), "settings are lost"
    bpy.ops.limber.remove()


plain = state()
bpy.ops.preferences.addon_install(filepath=zip_path)
bpy.ops.preferences.addon_enable(module=ADDON)
assert sys.modules[ADDON].__file__.startswith(os.environ["BLENDER_USER_SCRIPTS"]), sys.modules[ADDON].__file__
library = sys.modules[ADDON + ".library"]
assert library.problem() is None, library.problem()
assert library.limber().__name__ == ADDON + ".limber", "the module inside the zip is not used"
print("installed: moves by", check_it_works(ADDON))
check_disabling()
bpy.ops.preferences.addon_disable(module=ADDON)
assert state() == plain, state()
try:
    bpy.ops.preferences.addon_remove(module=ADDON)
except RuntimeError as error:  # it wants to redraw a window; install.sh checks that the files are gone
    assert "tag_redraw" in str(error), error
for name in [n for n in sys.modules if n.split(".")[0] == ADDON]:
    del sys.modules[name]

# Extensions are packages in packages: bl_ext.REPOSITORY.limber_blender.
nested = os.path.join(folder, "bl_ext_like", "user_default", ADDON)
os.makedirs(nested)
with zipfile.ZipFile(extension_path) as archive:
    assert "@" not in archive.read("blender_manifest.toml").decode()
    archive.extractall(nested)
sys.path.insert(0, folder)
extension = importlib.import_module("bl_ext_like.user_default." + ADDON)
extension.register()
print("extension: moves by", check_it_works(extension.__name__))
extension.unregister()
assert state() == plain, state()
print("all passed")
