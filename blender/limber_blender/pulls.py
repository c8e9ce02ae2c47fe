"""Joints that are dragged in the viewport: an empty per joint, which follows it and whose location is the pull.

The empty copies the joint's location, with its own as an offset. Without keys it pulls at the frame it was made for;
with keys on its location, at each of them. Pulls are constraints of `exaggerate` (docs/exaggerate.md).
"""
import bpy
import numpy as np

from . import curves, style

COLLECTION = "Limber pulls"
OWNER, BONE, FRAME, WINDOW = "limber_pull_of", "limber_pull_bone", "limber_pull_frame", "limber_pull_window"


def collection():
    return next((c for c in bpy.data.collections if c.get("limber_pulls") and c.library is None), None)


def objects_of(armature):
    home = collection()
    return [o for o in home.objects if o.get(OWNER) == armature] if home is not None else []


def is_pull(obj):
    return obj is not None and OWNER in obj


def add(armature, bone, scene):
    """An empty at a joint, for the current frame."""
    home = collection()
    if home is None:
        home = bpy.data.collections.new(COLLECTION)
        home["limber_pulls"] = True
    if home.name not in scene.collection.children:
        scene.collection.children.link(home)
    made = bpy.data.objects.new(f"Pull {bone}", None)
    made.empty_display_type, made.empty_display_size = "SPHERE", 0.5 * armature.data.bones[bone].length
    made.show_in_front = True
    made[OWNER], made[BONE], made[FRAME], made[WINDOW] = armature, bone, scene.frame_current, 0.5
    made.id_properties_ui(WINDOW).update(min=0.01, max=10.0, description="Seconds before and after that the pull acts")
    follow = made.constraints.new("COPY_LOCATION")
    follow.target, follow.subtarget, follow.use_offset = armature, bone, True
    home.objects.link(made)
    return made


def of(armature):
    """[(bone, window, ((frame, (x, y, z)), ...))] in Blender's world."""
    found = []
    for obj in sorted(objects_of(armature), key=lambda o: o.name):
        if obj[BONE] in armature.data.bones:
            found.append((obj[BONE], float(obj[WINDOW]), _keys(obj)))
    return found


def _keys(obj):
    moving = {c.array_index: c for c in curves.of(obj) if c.data_path == "location"}
    if not moving:
        return ((float(obj[FRAME]), tuple(obj.location)),)
    frames = sorted({round(float(p.co[0]), 4) for c in moving.values() for p in c.keyframe_points})
    return tuple((f, tuple(moving[i].evaluate(f) if i in moving else obj.location[i] for i in range(3))) for f in frames)


def into(now, pulls, size, first, fps):
    """The style with the pulls among its constraints; "auto" ones make room for them."""
    rows = []
    for bone, window, keys in pulls:
        moved = [[round((f - first) / fps, 6), _turned(at, size)] for f, at in keys]
        if any(np.abs(at).max() > 1e-6 for _, at in moved):
            rows.append({"joint": bone, "relative": True, "window": window, "keys": moved})
    if not rows:
        return now
    own = style.get(now, "exaggerate.constraints")
    return style.put(now, "exaggerate.constraints", (own if isinstance(own, list) else []) + rows)


def _turned(at, size):
    x, y, z = at
    return [round(v / size, 7) for v in (x, z, -y)]


def remove(armature):
    for obj in objects_of(armature):
        bpy.data.objects.remove(obj)
    home = collection()
    if home is not None and not home.objects:
        bpy.data.collections.remove(home)
