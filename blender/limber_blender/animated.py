"""Values of the panels that have keys or a driver.

A style has one text for the whole clip, so what moves is read over its frames, by Blender, and goes into the style as a
formula of the time. What takes no formula has its value of each frame.
"""
import numpy as np

from . import curves, formulas, style, table

PREFIX = "limber.controls."
ROOM = 900  # characters of a formula

_now = {}  # (name of the object, id of the row): what Blender's animation, or the user before a key, has set last
_known = {}  # name of the object: (what it was found from, ids)


def ids_of(obj):
    """Properties of `object.limber.controls` that have keys or a driver, also in strips of the NLA."""
    obj = obj.original
    data = obj.animation_data
    if data is None:
        return ()
    strips = [s.action for t in data.nla_tracks for s in t.strips if s.action is not None]
    found = [curves.of(obj), curves.drivers(obj), *map(curves.of_action, strips)]
    mark = (data.action and data.action.name_full, *map(len, found))
    if _known.get(obj.name_full, (None,))[0] != mark:
        paths = {c.data_path[len(PREFIX):] for some in found for c in some if c.data_path.startswith(PREFIX)}
        _known[obj.name_full] = mark, tuple(sorted(paths))
    return _known[obj.name_full][1]


def signature(obj):
    """Changes with the keys of the values, which scripts may set without a word."""
    found = []
    for curve in curves.of(obj) if ids_of(obj) else ():
        if curve.data_path.startswith(PREFIX):
            rows = np.empty(2 * len(curve.keyframe_points), np.float32)
            curve.keyframe_points.foreach_get("co", rows)
            found.append((curve.data_path, rows.tobytes()))
    return ids_of(obj), tuple(found)


def now(obj, row):
    """What an animated value is, or None."""
    return _now.get((obj.name_full, row.id)) if row.id in ids_of(obj) else None


def take(obj, row, value):
    """Keeps a value that is animated: the style is not changed. False where it is not."""
    if row.id not in ids_of(obj):
        return False
    _now[obj.name_full, row.id] = value
    return True


def rows_of(obj):
    """[row] of the animated values."""
    ids = ids_of(obj)
    return [row for row in table.rows() if row.id in ids and row.kind in ("number", "constant", "count")]


def into(now_style, rows, values, times):
    """(the style with what moves, {path: (F,) of what has to be set frame by frame})."""
    steps = {}
    for row in rows:
        track = np.clip(values[row.id], row.min, row.max)
        track = np.rint(track).astype(int) if row.kind == "count" else track
        value = style.number_text(float(track[0])) if row.kind != "count" else int(track[0])
        if np.ptp(track) > 0 and row.kind == "number":
            value = formulas.of_curve(times, track, ROOM)
        elif np.ptp(track) > 0:
            steps[row.path] = track.tolist()
        now_style = style.put(now_style, row.path, value)
    return now_style, steps


def unregister():
    _now.clear()
    _known.clear()
