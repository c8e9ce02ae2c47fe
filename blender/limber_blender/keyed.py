"""Writing F-curves: an action of limber's own beside the user's, which is never changed."""
import bpy
import numpy as np

LINEAR = 1  # of Keyframe.interpolation


def action_beside(owner, suffix, fallback):
    """(action before, new action with the same curves), the new one in use by `owner` (an object, a key, ...)."""
    data = owner.animation_data or owner.animation_data_create()
    before = data.action
    made = before.copy() if before is not None else bpy.data.actions.new(fallback)
    made.name = f"{before.name if before else fallback}{suffix}"
    made.use_fake_user = False
    slot = getattr(data, "action_slot", None)
    data.action = made
    if slot is not None and hasattr(data, "action_slot"):
        same = [s for s in made.slots if s.identifier == slot.identifier]
        data.action_slot = same[0] if same else data.action_slot
    return before, made


def bag(owner):
    """What holds the F-curves that `owner` uses: the action, or in Blender 5 the bag of its slot."""
    data = owner.animation_data
    if hasattr(data.action, "fcurves"):
        return data.action.fcurves
    from bpy_extras import anim_utils
    if data.action_slot is None:
        data.action_slot = data.action.slots.new(owner.id_type, owner.name)
    return anim_utils.action_ensure_channelbag_for_slot(data.action, data.action_slot).fcurves


def write(curves, path, index, frames, values, group=""):
    """A new curve of straight lines, in place of the one that was there. Only the keys that it needs."""
    old = curves.find(path, index=index)
    if old is not None:
        group = old.group.name if old.group else group
        curves.remove(old)
    try:
        curve = curves.new(path, index=index, action_group=group)
    except TypeError:  # another name since Blender 5
        curve = curves.new(path, index=index, group_name=group)
    rows = np.stack([np.asarray(frames, float), np.asarray(values, float)], -1)[corners(np.asarray(values))]
    curve.keyframe_points.add(len(rows))
    curve.keyframe_points.foreach_set("co", rows.ravel())
    curve.keyframe_points.foreach_set("interpolation", np.full(len(rows), LINEAR, np.int32))
    curve.update()
    return curve


def corners(values):
    """Keys that differ from a neighbor: where a value holds, its first and last key are enough."""
    keep = np.ones(len(values), bool)
    if len(values) > 2:
        keep[1:-1] = (values[1:-1] != values[:-2]) | (values[1:-1] != values[2:])
    return keep


def quoted(name):
    return name.replace("\\", "\\\\").replace('"', '\\"')


def give_back(owner, before, had_data):
    """`owner` uses the action that it had."""
    if owner.animation_data is None:
        return
    owner.animation_data.action = before
    if not had_data and not owner.animation_data.drivers and not owner.animation_data.nla_tracks:
        owner.animation_data_clear()
