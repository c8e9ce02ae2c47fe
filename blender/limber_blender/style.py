"""Styles as text and as dicts: reading, checking, changing one value. Knows nothing of Blender.

A path is a tuple of names, because names of joints may contain dots: ("joints", "Arm.L", "floppy.angular").
"""
import functools
import json
import re

from . import library, table

# What a part starts with when no preset has it.
BEGINNINGS = {
    "smear.multiples": {"past": 2, "future": 1},
    "smear.lines": {"count": 60},
    "exaggerate": {"filter": {"amount": 0.5, "sigma": 0.12}},
    "morphs": {"drag": 0.05, "squash": 0.2, "max": 0.05},
    "effects.derivative": {"by": "jerk", "angular": 0.001, "max_bend": 30},
}


def names(path):
    return tuple(path.split(".")) if isinstance(path, str) else path


@functools.lru_cache(maxsize=256)
def _parsed(text):
    try:
        return json.loads(text or "{}")
    except ValueError:  # comments and trailing commas, which only the library reads
        style, _ = check(text)
        return style if style is not None else {}


def parse(text):
    """The style as a dict, {} when it cannot be read. Do not change it: it is shared."""
    style = _parsed(text)
    return style if isinstance(style, dict) else {}


def check(text):
    """(dict, None) for a style that the library accepts, else (None, a sentence)."""
    limber = library.limber()
    if limber is None:
        return None, library.problem()
    try:
        style = limber.Style()
        style.read(text or "{}")
        return json.loads(style.text), None
    except Exception as error:
        return None, sentence(error)


@functools.lru_cache(maxsize=64)
def _problem(text):
    return check(text)[1]


def problem(text):
    """None, or why the library does not accept a style."""
    return _problem(text) if library.limber() else None


def check_style(style):
    """None, or the sentence about the first value that is wrong, without a line number."""
    limber = library.limber()
    if limber is None:
        return library.problem()
    try:
        limber.Style().read(json.dumps(style))
        return None
    except Exception as error:
        return str(getattr(error, "message", "") or error)


def forget():
    _problem.cache_clear()
    _parsed.cache_clear()


def sentence(error):
    """The words of the library, without its name."""
    place, message = getattr(error, "place", ""), getattr(error, "message", "")
    return f"{place}: {message}" if place and message else str(message or error)


def text_of(style):
    return json.dumps(style, indent=2, ensure_ascii=False)


def get(style, path):
    at = style
    for name in names(path):
        if not isinstance(at, dict) or name not in at:
            return None
        at = at[name]
    return at


def put(style, path, value):
    """A new dict with the value at the path; None removes it, and what is then empty above it, parts excepted."""
    first, *below = names(path)
    changed = dict(style)
    if not below:
        changed.pop(first, None)
        if value is not None:
            changed[first] = value
        return changed
    inside = style.get(first)
    inside = put(inside if isinstance(inside, dict) else {}, tuple(below), value)
    if inside or value is not None or len(below) == 1:
        changed[first] = inside
    else:
        changed.pop(first, None)
    return changed


def beginning(path, layers=()):
    """What a part contains when it is switched on: what the first preset that has it says."""
    found = BEGINNINGS.get(path)
    for preset in table.presets():
        if found is None:
            found = table.get(table.preset_style(preset.name), path)
    found = dict(found or {})
    if found.get("layer") not in layers:
        found.pop("layer", None)
    return found


def with_preset(style, name):
    """A preset in place of the style. What was set for single joints and meshes stays."""
    kept = {key: style[key] for key in ("joints", "meshes") if key in style}
    return {**table.preset_style(name), **kept}


def is_preset(style, name):
    plain = {key: value for key, value in style.items() if key not in ("joints", "meshes")}
    return plain == {k: v for k, v in table.preset_style(name).items() if k not in ("joints", "meshes")}


def matches(pattern, name):
    """Whether a name of the style, with stars, is that of a joint."""
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), name, re.DOTALL) is not None


def number_text(value):
    """A number as JSON has it: what Blender keeps as 32-bit floats comes back as it was typed."""
    return float(f"{value:.7g}")


def read_typed(row, typed):
    """What a user typed, as a value of the style; ValueError when it is neither JSON nor a word."""
    typed = typed.strip()
    if row.kind == "list":
        return json.loads(typed) if typed.startswith("[") else [n.strip() for n in typed.split(",") if n.strip()]
    if row.kind == "text":
        return typed
    try:
        return json.loads(typed)
    except ValueError:
        if typed[:1] in "[{" and typed:
            raise
        return typed


def show_typed(row, value):
    """A value as a user would type it."""
    if value is None:
        return ""
    if row.kind == "list" and isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
