"""The table of style keys, as the panels need it: one row per value, in sections, with a range for its slider."""
import functools
import json
import math
import re
import zlib
from typing import NamedTuple, Optional, Tuple

from . import library

UNITS = {"degrees": "\u00b0", "s^2": "s\u00b2", "s^n": "s\u207f", "L/s^2": "L/s\u00b2", "L per frame": "L/frame",
         "model units": "units"}
SIGNALS = ("velocity", "acceleration", "angular_velocity", "angular_acceleration")
FILTER = "effects.*.filter."
# The table does not say which constants are counts.
COUNTS = ("count", "seed", "step", "subdivide", "past", "future", "smooth")


class Row(NamedTuple):
    """One value. `path` has no star, except in the rows of `joint_rows` and `mesh_rows`, where it starts with one."""

    path: str
    kind: str  # number, constant, count, switch, choice, text, list, vector, other
    unit: str
    min: float
    max: float
    default: object  # None: no default
    choices: Tuple[str, ...]
    help: str

    @property
    def name(self):
        return self.path.rsplit(".", 1)[-1]

    @property
    def label(self):
        name = self.path.replace(".", " ") if self.path.startswith("impact.") else self.name  # beside other keys
        text = "All effects" if name == "*" else name.replace("_", " ").capitalize()
        return f"{text} ({UNITS.get(self.unit, self.unit)})" if self.unit else text

    @property
    def id(self):
        """The name of its Blender property."""
        name = re.sub(r"[^A-Za-z0-9]+", "_", self.path).strip("_")
        return name if len(name) <= 60 else f"key_{zlib.crc32(name.encode()):08x}"

    @property
    def takes_text(self):
        """Formulas, or words in place of a number."""
        return self.kind == "number" or (self.kind in ("constant", "count") and bool(self.choices))


def _row(key):
    kind = str(getattr(key.type, "name", key.type)).lower()
    name = key.path.rsplit(".", 1)[-1]
    if kind == "constant" and name in COUNTS and (not key.unit or key.unit.startswith("frames")):
        kind = "count"
    return Row(key.path, kind, key.unit or "", key.min, key.max, key.default, tuple(key.choices or ()), key.help or "")


@functools.lru_cache(maxsize=None)
def _all():
    limber = library.limber()
    return tuple(_row(key) for key in limber.keys()) if limber else ()


def forget():
    for cached in (_all, rows, joint_rows, mesh_rows, effects, presets, preset_style, _largest, _known):
        cached.cache_clear()


@functools.lru_cache(maxsize=None)
def effects():
    """The names of the effects, in the order of the table; overlap, which does most, first."""
    names = list(dict.fromkeys(r.path.split(".")[1] for r in _all() if re.match(r"effects\.[^*.]+\.", r.path)))
    return tuple(sorted(names, key=lambda name: name != "overlap"))


@functools.lru_cache(maxsize=None)
def rows():
    """Every value a character has, filters of the effects included. Not those per joint and per mesh."""
    found = []
    for row in _all():
        if row.path.startswith(FILTER):
            found += [r for e in effects() if (r := row._replace(path=row.path.replace("*", e, 1))) and _accepted(r)]
        elif "*" not in row.path and "[" not in row.path:
            found.append(row)
    return tuple(found)


def _accepted(row):
    """Whether an effect has this filter: some read no accelerations."""
    return _known(row.path.rsplit(".", 1)[0] + ".type")


@functools.lru_cache(maxsize=None)
def _known(path):
    try:
        library.limber().Style().set(path, "none")
    except Exception:
        return False
    return True


@functools.lru_cache(maxsize=None)
def joint_rows():
    return tuple(r._replace(path=r.path[len("joints."):]) for r in _all() if r.path.startswith("joints.*."))


@functools.lru_cache(maxsize=None)
def mesh_rows():
    return tuple(r._replace(path=r.path[len("meshes."):]) for r in _all() if r.path.startswith("meshes.*."))


def structure_keys(path):
    """What a structure that is edited as text may contain: `exaggerate.constraints` has joint, elongate ..."""
    return tuple(r for r in _all() if r.path.startswith(path + "[]."))


@functools.lru_cache(maxsize=None)
def presets():
    limber = library.limber()
    return tuple(limber.presets()) if limber else ()


@functools.lru_cache(maxsize=None)
def preset_style(name):
    """The style of a preset as a dict, {} for an unknown one."""
    limber = library.limber()
    if not limber or not any(p.name == name for p in presets()):
        return {}
    return json.loads(limber.Style(name).text)


def is_from_paper(name):
    """Presets that remake the figures of single papers."""
    return re.match(r"(vs|as|sk|sm)-", name) is not None


# --- sliders ---

# For keys that no preset uses.
USUAL = {"s": 1, "s^2": 0.05, "s^n": 0.01, "Hz": 10, "L": 0.5, "L/s": 5, "L per frame": 0.2, "frames": 8, "radii": 10}


@functools.lru_cache(maxsize=None)
def _largest(path):
    values = [get(preset_style(p.name), path) for p in presets()]
    return max((abs(v) for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)), default=0)


def slider_range(row):
    """Where a slider ends. Typed values may go on to the limits of the key."""
    low, high = row.min, row.max
    if row.name == "seed":
        return low, 100
    most = 2 * max(_largest(row.path), abs(row.default) if isinstance(row.default, (int, float)) else 0)
    if high - low <= 360 and not 0 < most < (high - low) / 4:
        return low, high
    most = _round_up(most) if most else USUAL.get(row.unit, 2)
    return max(low, -most if row.name in ("delay", "length", "amount") else 0), min(high, most)


def _round_up(value):
    """The next of 1, 2, 5, 10 ..."""
    step = 10 ** math.floor(math.log10(value))
    return next(n * step for n in (1, 2, 5, 10) if n * step >= value * 0.999)


def get(style, path):
    """The value at a path of a dict, or None."""
    at = style
    for name in path.split("."):
        if not isinstance(at, dict) or name not in at:
            return None
        at = at[name]
    return at
