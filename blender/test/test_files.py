"""Undo, save and load, duplicate, append, link, overrides, farms, and files without the add-on: the same numbers."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from kit import *  # noqa: E402,F403

STYLE = limber.Style("cartoon").text
FRAMES = (1, 5, 12, 19)


def character(name="Beam"):
    armature, obj = beam(name)
    add(armature, STYLE)
    return armature, obj, {f: at(f, obj) for f in FRAMES}


def same(obj, wanted, most=1e-6):
    for frame in shuffled(wanted):
        near(at(frame, obj), wanted[frame], most, f"{obj.name}, frame {frame}")


def saved(name="character.blend"):
    path = temporary(name)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def inventory():
    """Everything in the file that limber could leave something in."""
    found = {}
    for collection in dir(bpy.data):
        rows = getattr(bpy.data, collection)
        if isinstance(rows, bpy.types.bpy_prop_collection) and collection not in ("window_managers", "screens"):
            found[collection] = sorted((one.name_full, one.users) for one in rows)
    for obj in bpy.data.objects:
        found[obj.name_full] = (
            sorted(obj.keys()), [(m.name, m.type) for m in obj.modifiers], len(obj.constraints),
            [sorted(b.keys()) for b in obj.pose.bones] if obj.pose else None,
            obj.animation_data is not None, [c.name for c in obj.users_collection])
    for mesh in bpy.data.meshes:
        found["mesh " + mesh.name] = (sorted(mesh.attributes.keys()), sorted(mesh.keys()),
                                      [tuple(v.co) for v in mesh.vertices])
    for scene in bpy.data.scenes:
        found["scene " + scene.name] = (sorted(scene.keys()), sorted(o.name for o in scene.collection.all_objects),
                                        scene.frame_current, scene.frame_start, scene.frame_end)
    return found


def test_removing_leaves_the_file_as_it_was():
    armature, obj = beam()
    skin(armature, beam_mesh("Coat", 7, 3.0, 0.3))
    obj.modifiers.new("Subdivision", "SUBSURF")
    bpy.context.scene.frame_set(5)
    before = inventory()
    add(armature, STYLE)
    for frame in (3, 9, 5):
        bpy.context.scene.frame_set(frame)
    assert inventory() != before
    remove(armature)
    after = inventory()
    for name in before.keys() | after.keys():
        assert before.get(name) == after.get(name), f"{name}: {before.get(name)} became {after.get(name)}"


def test_save_and_load():
    armature, obj, wanted = character()
    bpy.context.scene.frame_set(5)
    path = saved()
    near(shown(obj), wanted[5], 1e-6, "saving changes nothing on the screen")
    same(obj, wanted)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    obj = bpy.data.objects["Beam skin"]
    assert bpy.context.scene.frame_current == 5
    bpy.context.view_layer.update()
    near(shown(obj), wanted[5], 1e-6, "the frame that was saved")
    same(obj, wanted)


def test_a_file_without_the_add_on_shows_its_plain_animation():
    armature, obj, _ = character()
    wanted = {f: plain(f, obj).tolist() for f in FRAMES}
    bpy.context.scene.frame_set(5)
    path = saved()
    seen = fresh_blender(f"""
import json
bpy.ops.wm.open_mainfile(filepath={str(path)!r})
assert not hasattr(bpy.types.Object, "limber")
bpy.context.view_layer.update()
obj = bpy.data.objects["Beam skin"]
print("answer", json.dumps([shown(obj).tolist()] + [at(f, obj).tolist() for f in {FRAMES!r}]))
""")
    rows = json.loads(seen[0])
    for frame, points in zip((5,) + FRAMES, rows):
        near(points, wanted[frame], 1e-6, f"frame {frame}")


def test_switching_the_add_on_off_shows_the_plain_animation():
    armature, obj, wanted = character()
    rest = {f: plain(f, obj) for f in FRAMES}
    bpy.context.scene.frame_set(5)
    limber_blender.unregister()
    try:
        bpy.context.view_layer.update()
        near(shown(obj), rest[5], 1e-6)
        same(obj, rest)
    finally:
        limber_blender.register()
    live._start_over()
    same(obj, wanted)


FARM = """
import json
limber_blender.register()
bpy.ops.wm.open_mainfile(filepath=sys.argv[-1])
scene = bpy.context.scene
scene.render.engine = "CYCLES"
scene.cycles.samples, scene.cycles.use_denoising = 1, False
scene.render.resolution_x = scene.render.resolution_y = 8
camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
scene.collection.objects.link(camera)
scene.camera = camera
scene.render.filepath = str(temporary("farm_"))
seen = []
def look(scene, graph=None):
    if scene.frame_current == 12:
        evaluated = bpy.data.objects["Beam skin"].evaluated_get(graph)
        rows = np.empty(3 * len(evaluated.data.vertices), np.float32)
        evaluated.data.vertices.foreach_get("co", rows)
        seen.append(rows.reshape(-1, 3).tolist())
bpy.app.handlers.frame_change_post.append(look)
scene.frame_start = scene.frame_end = 12
bpy.ops.render.render(animation=True)
print("answer", json.dumps(seen[0]))
"""


def test_a_farm_renders_one_frame():
    armature, obj, wanted = character()
    seen = fresh_blender(FARM, saved())
    near(json.loads(seen[0]), wanted[12], 1e-6)


def test_a_farm_renders_one_frame_of_a_longer_scene():
    armature, obj = beam(keyed=False)
    swing(armature, 8, 20)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 60
    add(armature, STYLE)
    wanted = at(12, obj)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 9, 15
    assert np.abs(at(12, obj) - wanted).max() > 1e-5, "the range matters: this could fail"
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 60
    seen = fresh_blender(FARM, saved())
    near(json.loads(seen[0]), wanted, 1e-6)


def test_undo_and_redo():
    armature, obj, wanted = character()
    bpy.context.scene.frame_set(5)
    bpy.ops.ed.undo_push(message="start")
    armature.limber.style = FLOPPY
    bpy.context.view_layer.update()
    floppy = shown(obj)
    assert np.abs(floppy - wanted[5]).max() > 1e-3
    bpy.ops.ed.undo_push(message="style")
    bpy.ops.ed.undo()
    bpy.context.view_layer.update()
    obj = bpy.data.objects["Beam skin"]
    same(obj, wanted)
    bpy.ops.ed.redo()
    near(at(5, bpy.data.objects["Beam skin"]), floppy, 1e-6)


def test_undo_of_adding_limber():
    armature, obj = beam()
    bpy.context.view_layer.objects.active = armature
    rest = {f: at(f, obj) for f in FRAMES}
    bpy.ops.ed.undo_push(message="start")
    before = inventory()
    add(armature, STYLE)
    bpy.ops.ed.undo_push(message="add")
    bpy.ops.ed.undo()
    obj = bpy.data.objects["Beam skin"]
    same(obj, rest)
    assert nodes.modifier_of(obj) is None
    bpy.ops.ed.redo()
    assert nodes.modifier_of(bpy.data.objects["Beam skin"]) is not None
    assert np.abs(at(5, bpy.data.objects["Beam skin"]) - rest[5]).max() > 1e-3


def test_duplicates_are_characters_of_their_own():
    armature, obj, wanted = character()
    for one in (armature, obj):
        one.select_set(True)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.duplicate()
    copy = next(o for o in bpy.context.selected_objects if o.type == "MESH")
    twin = copy.parent
    assert twin != armature and twin.limber.enabled and copy.modifiers["Armature"].object == twin
    twin.location.x = 5
    bpy.context.view_layer.update()
    same(copy, wanted, 2e-5)
    same(obj, wanted)
    assert nodes.carrier_of(copy) != nodes.carrier_of(obj)
    twin.limber.style = "{}"
    near(at(5, copy), plain(5, copy), 1e-6)
    same(obj, wanted)
    remove(twin)
    same(obj, wanted)


def test_objects_that_share_a_mesh():
    armature, obj, wanted = character()
    for one in bpy.data.objects:
        one.select_set(one in (armature, obj))
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.duplicate(linked=True)
    copy = next(o for o in bpy.context.selected_objects if o.type == "MESH")
    assert copy.data == obj.data
    copy.parent.animation_data.action = None
    for bone in copy.parent.pose.bones:
        bone.rotation_euler = (0, 0, 0)
    bpy.context.view_layer.update()
    near(at(5, copy), plain(5, copy), 1e-5, "the one without motion")
    same(obj, wanted)


def test_appended_characters():
    armature, obj, wanted = character()
    path = saved()
    empty()
    with bpy.data.libraries.load(str(path)) as (there, here):
        here.objects = ["Beam", "Beam skin"]
    for one in here.objects:
        bpy.context.collection.objects.link(one)
    bpy.context.scene.frame_end = 25
    bpy.context.view_layer.update()
    same(bpy.data.objects["Beam skin"], wanted)


def linked(path, override, update=True):
    """The character of another file, in a collection; optionally overridden."""
    with bpy.data.libraries.load(str(path), link=True) as (there, here):
        here.collections = ["Character"]
    collection = here.collections[0]
    if override:
        made = collection.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
        objects = {o.name: o for o in made.all_objects}
    else:
        bpy.context.scene.collection.children.link(collection)
        objects = {o.name: o for o in collection.all_objects}
    bpy.context.scene.frame_end = 25
    if update:
        bpy.context.view_layer.update()
    return objects


def library_file(with_limber, subdivided=False):
    collection = bpy.data.collections.new("Character")
    bpy.context.scene.collection.children.link(collection)
    bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection.children["Character"]
    armature, obj = beam()
    if subdivided:
        obj.modifiers.new("Subdivision", "SUBSURF").show_viewport = False
    add(armature, STYLE)
    wanted = {f: at(f, obj) for f in FRAMES}
    if not with_limber:
        remove(armature)
    path = saved("library.blend")
    empty()
    return path, wanted


def test_linked_characters_that_have_limber():
    path, wanted = library_file(True)
    objects = linked(path, override=False)
    assert objects["Beam"].library is not None
    same(objects["Beam skin"], wanted)


def test_linked_characters_move_in_the_first_frame():
    path, wanted = library_file(True)
    live.sessions(bpy.context.scene)  # a handler has looked around before
    objects = linked(path, override=False, update=False)
    bpy.context.scene.frame_set(12)
    near(shown(objects["Beam skin"]), wanted[12], 1e-6)


def test_instances_of_linked_collections():
    path, wanted = library_file(True)
    with bpy.data.libraries.load(str(path), link=True) as (there, here):
        here.collections = ["Character"]
    holder = bpy.data.objects.new("Holder", None)
    holder.instance_type, holder.instance_collection = "COLLECTION", here.collections[0]
    holder.location.x = 3
    bpy.context.scene.collection.objects.link(holder)
    bpy.context.scene.frame_end = 25
    bpy.context.view_layer.update()
    for frame in shuffled(wanted):
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        seen = 0
        for one in graph.object_instances:
            if one.is_instance and one.object.name == "Beam skin":
                rows = np.empty(3 * len(one.object.data.vertices), np.float32)
                one.object.data.vertices.foreach_get("co", rows)
                near(rows.reshape(-1, 3), wanted[frame], 1e-6, f"frame {frame}")
                seen += 1
        assert seen == 1


def test_overrides_of_characters_that_have_limber():
    path, wanted = library_file(True)
    objects = linked(path, override=True)
    assert objects["Beam"].library is None
    same(objects["Beam skin"], wanted)
    objects["Beam"].limber.strength = 0
    near(at(5, objects["Beam skin"]), plain(5, objects["Beam skin"]), 1e-5)


def test_limber_on_an_override():
    path, wanted = library_file(False)
    objects = linked(path, override=True)
    armature, obj = objects["Beam"], objects["Beam skin"]
    assert obj.data.library is not None
    add(armature, STYLE)
    same(obj, wanted)
    again = saved("override.blend")
    bpy.ops.wm.open_mainfile(filepath=str(again))
    obj = next(o for o in bpy.data.objects if o.name == "Beam skin" and o.library is None)
    same(obj, wanted)


def test_limber_on_an_override_with_subdivision():
    path, wanted = library_file(False, subdivided=True)
    objects = linked(path, override=True)
    add(objects["Beam"], STYLE)
    stack = [m.type for m in objects["Beam skin"].modifiers]
    assert stack == ["ARMATURE", "NODES", "SUBSURF"], stack
    same(objects["Beam skin"], wanted)


main(globals())
