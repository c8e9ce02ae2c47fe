"""Values of single bones: custom properties of pose bones, so that they follow renames and can be keyed.

bone["limber_floppy"] = 1.5 is what joints.<bone>.floppy = 1.5 is in a style file; limber_all is the gain of all
effects.
"""
import functools
import re

import bpy
import numpy as np

from . import curves, formulas, sample, style, table

PREFIX = "limber_"
PATH = re.compile(r'^pose\.bones\["(.*)"\]\["(limber_.*)"\]$')
ROOM = 900  # characters of a formula

# The values that are in force: name of the character -> text.
_seen = {}


def name_of(row):
    return PREFIX + ("all" if row.path == "*.*" else row.path[2:])


@functools.lru_cache(maxsize=1)
def rows_by_name():
    return {name_of(row): row for row in table.joint_rows()}


def add(bone, row):
    """The property with its default, and the limits and help of its slider."""
    name = name_of(row)
    if name in bone:
        return
    start = row.default if row.default is not None else (row.choices[0] if row.choices else 1)
    numeric = row.kind in ("number", "constant")
    bone[name] = [float(v) for v in start] if row.kind == "vector" else float(start) if numeric else start
    shown = bone.id_properties_ui(name)
    if numeric:
        low, high = table.slider_range(row)
        shown.update(min=max(row.min, -1e6), max=min(row.max, 1e6), soft_min=low, soft_max=high, default=float(start),
                     description=row.help)
    elif row.kind != "switch":
        shown.update(description=row.help)


def remove_all(obj):
    known = rows_by_name()
    for bone in obj.pose.bones if obj.pose else ():
        for name in [n for n in bone.keys() if n in known]:
            del bone[name]


def of(obj):
    """{bone: {key: value}}; what has keyframes is a formula over the clip."""
    known, moving = rows_by_name(), None
    found = {}
    for bone in obj.pose.bones if obj.pose else ():
        for name in bone.keys():
            row = known.get(name)
            if row is None:
                continue
            moving = _curves(obj) if moving is None else moving
            curve = moving.get((bone.name, name)) if row.kind == "number" else None
            value = _formula(obj, curve) if curve else _plain(row, bone[name])
            found.setdefault(bone.name, {})[row.path[2:]] = value
    return found


def _plain(row, value):
    if row.kind == "switch":
        return bool(value)
    if row.kind == "vector":
        return [style.number_text(v) for v in value]
    return style.number_text(value) if isinstance(value, (int, float)) else value


def _curves(obj):
    found = {}
    for curve in curves.of(obj):
        match = PATH.match(curve.data_path)
        if match:
            found[match.group(1).replace('\\"', '"').replace("\\\\", "\\"), match.group(2)] = curve
    return found


def _formula(obj, curve):
    scene = bpy.context.scene
    fps = scene.render.fps / scene.render.fps_base
    frames = np.array(sample.clip_range(obj, scene).frames(fps))
    stretch = sample.stretch_of(scene)
    values = np.array([curve.evaluate(frame * stretch) for frame in frames])
    if np.ptp(values) == 0:
        return style.number_text(float(values[0]))
    times = (frames - frames[0]) / fps
    return formulas.of_curve(times, values, ROOM)


# --- a value of a bone was changed ---

def used(obj):
    """The engine has read the values of a character."""
    _seen[obj.name_full] = str(of(obj))


def changed(obj):
    """Since the engine has read them."""
    return obj.name_full in _seen and _seen[obj.name_full] != str(of(obj))


def unregister():
    rows_by_name.cache_clear()
    _seen.clear()
