"""F-curves, in the old way (action.fcurves) and the new one (slots, layers and strips of Blender 4.4 and later)."""
import re

KEY_VALUE = re.compile(r'^key_blocks\["(.*)"\]\.value$')


def of_action(action, data=None):
    """All F-curves of an action, or those that animation data `data` uses."""
    if action is None:
        return []
    slot = getattr(data, "action_slot", None)
    if slot is not None and hasattr(action, "layers"):
        found = []
        for layer in action.layers:
            for strip in layer.strips:
                bag = strip.channelbag(slot)
                found += list(bag.fcurves) if bag is not None else []
        return found
    return list(getattr(action, "fcurves", ()))


def of(owner):
    """The F-curves of an object, a key or anything else with animation data."""
    data = getattr(owner, "animation_data", None)
    return of_action(data.action, data) if data is not None else []


def drivers(owner):
    data = getattr(owner, "animation_data", None)
    return list(data.drivers) if data is not None else []


def key_name(curve):
    found = KEY_VALUE.match(curve.data_path)
    return unquoted(found.group(1)) if found else None


def unquoted(name):
    return name.replace('\\"', '"').replace("\\\\", "\\")


def moving_keys(keys):
    """Names of the shape keys that have a curve or a driver."""
    return {key_name(curve) for curve in of(keys) + drivers(keys)} - {None}


def cycles(curve, span):
    """Whether a curve repeats for ever after its last key, with this span as its period. Places may go on from turn to
    turn (a walk that travels); other values come back."""
    modes = ("REPEAT", "REPEAT_OFFSET") if curve.data_path.endswith("location") else ("REPEAT",)
    return any(m.type == "CYCLES" and not m.mute and m.mode_after in modes and m.cycles_after == 0
               and not m.use_restricted_range for m in curve.modifiers) and tuple(curve.range()) == tuple(span)


def key_span(found):
    """First and last frame of the keys of some curves, or None."""
    ends = [curve.range() for curve in found if len(curve.keyframe_points)]
    return (min(e[0] for e in ends), max(e[1] for e in ends)) if ends else None
