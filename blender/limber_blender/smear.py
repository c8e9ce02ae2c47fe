"""In-between copies and motion lines, as objects of a collection of their own.

There is one object per copy and mesh, and one for the lines, with the same vertices in all frames: only positions and
colors are written. In frames that do not show it, an object has no size. The character itself is never hidden.
"""
import bpy
import numpy as np

from . import baked, smear_materials

COLLECTION = "Limber smears"
OWNER = "limber_smear_of"  # a pointer to the armature
KEY = "limber_smear"  # which copy of which mesh
COLOR = smear_materials.COLOR


def is_on(armature):
    return armature.is_property_set("limber") and armature.limber.smears


def is_live(armature):
    """Whether copies and lines follow while the character is baked. Helper bones would be read as part of the rig."""
    return is_on(armature) and baked.kind(armature) != "BONES"


def objects_of(armature):
    """{key: object}"""
    home = collection()
    return {o[KEY]: o for o in home.objects if o.get(OWNER) == armature} if home is not None else {}


def collection():
    return next((c for c in bpy.data.collections if c.get("limber") and c.library is None), None)


# --- every frame ---

def show(session, frame):
    """Writes the copies and lines of a frame of limber."""
    armature = session.armature
    if not is_on(armature):
        return
    there = objects_of(armature)
    for mesh in frame.meshes:
        key = f"{mesh.source} {mesh.name}"
        obj = there.pop(key, None)
        if obj is None or not _fits(obj, mesh):
            if obj is not None:
                _remove([obj])
            obj = _new(session, mesh, key)
        _write(obj, mesh)
    _remove(there.values())


def _fits(obj, mesh):
    return len(obj.data.vertices) == len(mesh.positions) and len(obj.data.polygons) == len(mesh.triangles)


def _write(obj, mesh):
    if not mesh.visible:
        hide(obj)
        return
    x, y, z = mesh.positions.T
    obj.data.vertices.foreach_set("co", np.stack([x, -z, y], -1).ravel())
    obj.data.attributes[COLOR].data.foreach_set("color", np.ascontiguousarray(mesh.colors, np.float32).ravel())
    obj.data["limber_shown"] = True
    obj.data.update()


def hide(obj):
    """Gives an object no size."""
    if not obj.data.get("limber_shown", True):
        return
    mesh = obj.data
    first = np.array(mesh.vertices[0].co if len(mesh.vertices) else (0, 0, 0), np.float32)
    mesh.vertices.foreach_set("co", np.tile(first, len(mesh.vertices)))
    mesh["limber_shown"] = False
    mesh.update()


def is_shown(obj):
    return bool(obj.data.get("limber_shown"))


def hide_all():
    for obj in collection().objects if collection() is not None else ():
        if KEY in obj:
            hide(obj)


# --- making them ---

def _new(session, mesh, key):
    part = session.rig.parts[mesh.source] if mesh.kind == "copy" else None
    source = part.object if part is not None else session.armature
    made = bpy.data.meshes.new(f"{source.name} {mesh.name}")
    made.from_pydata([(0, 0, 0)] * len(mesh.positions), [], mesh.triangles.tolist())
    made.polygons.foreach_set("use_smooth", np.ones(len(made.polygons), bool))
    if part is not None:
        _dress(made, source)
    else:
        made.materials.append(smear_materials.lines())
    made.attributes.new(COLOR, "FLOAT_COLOR", "POINT")
    if made.color_attributes.active_color is None:
        made.color_attributes.active_color = made.color_attributes[COLOR]
    obj = bpy.data.objects.new(made.name, made)
    obj[OWNER], obj[KEY] = session.armature, key
    _home(session).objects.link(obj)
    return obj


def _dress(made, source):
    """The materials, UV coordinates and colors of the mesh that it is a copy of."""
    data = source.data
    slots = [slot.material for slot in source.material_slots] or [None]
    for material in slots:
        made.materials.append(smear_materials.copy_of(material))
    data.calc_loop_triangles()
    if len(data.loop_triangles) != len(made.polygons):
        return
    numbers = np.empty(len(made.polygons), np.int32)
    data.loop_triangles.foreach_get("material_index", numbers)
    made.polygons.foreach_set("material_index", numbers)
    loops = np.empty(3 * len(made.polygons), np.int32)
    data.loop_triangles.foreach_get("loops", loops)
    for layer in data.uv_layers:
        places = np.empty(2 * len(data.loops), np.float32)
        layer.data.foreach_get("uv", places)
        copy = made.uv_layers.new(name=layer.name)
        if copy is not None:
            copy.data.foreach_set("uv", places.reshape(-1, 2)[loops].ravel())
    for layer in data.color_attributes:
        if layer.domain == "CORNER" or len(data.vertices) == len(made.vertices):
            rows = colors(layer)[loops] if layer.domain == "CORNER" else colors(layer)
            made.attributes.new(layer.name, layer.data_type, layer.domain).data.foreach_set("color", rows.ravel())
    made.color_attributes.active_color_index = data.color_attributes.active_color_index
    made.color_attributes.render_color_index = data.color_attributes.render_color_index


def colors(layer):
    """(N, 4) of a color attribute, linear."""
    found = np.empty(4 * len(layer.data), np.float32)
    layer.data.foreach_get("color", found)
    return found.reshape(-1, 4)


def _home(session):
    found = collection()
    if found is None:
        found = bpy.data.collections.new(COLLECTION)
        found["limber"] = True
    scene = bpy.data.scenes.get(session.scene[0]) or bpy.context.scene
    if found.name not in scene.collection.children:
        scene.collection.children.link(found)
    return found


# --- removing them ---

def remove(armature):
    """Removes the copies and lines of a character, and the collection and materials when they were the last."""
    _remove(objects_of(armature).values())
    home = collection()
    if home is not None and not home.objects and not home.children:
        bpy.data.collections.remove(home)
    smear_materials.remove_unused()


def _remove(objects):
    for obj in list(objects):
        mesh = obj.data
        bpy.data.objects.remove(obj)
        if mesh.users == 0:
            bpy.data.meshes.remove(mesh)
