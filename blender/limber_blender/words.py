"""Five words that animators use for a style: timing, pose, anticipation, squash, drag. Knows nothing of Blender.

Each stands for a few keys of the style. 1 is what the style had when it was chosen, 0 is none of it. The same as in the
studio (web/studio/src/core/words.ts); docs/acting.md lists the keys.
"""
import re
from typing import NamedTuple, Tuple

from . import style, table

MAX = 2


class Word(NamedTuple):
    name: str
    help: str
    keys: Tuple[str, ...]  # what it multiplies
    limits: Tuple[str, ...] = ()  # upper limits that follow; 0 would be no limit, so they stay as they are at 0


WORDS = (
    Word("timing", "Key poses are held, the way between them is short, leaps hang in the air",
         ("timing.snap", "timing.hang")),
    Word("pose", "Poses go farther; feet stay where they are", ("pose.exaggerate",)),
    Word("anticipation", "Motions start a little the other way and end with an overshoot", ("pose.anticipate",)),
    Word("squash", "The body squashes, stretches and bends, and lands with weight",
         ("body.squash", "body.bend", "impact.gain", "effects.squash.linear", "effects.squash.angular"),
         ("effects.squash.max",)),
    Word("drag", "Loose parts lag behind, overshoot and settle",
         ("effects.overlap.gain", "effects.overlap.linear", "effects.floppy.linear", "effects.floppy.angular",
          "effects.drag.linear", "effects.drag.angular", "effects.followthrough.linear",
          "effects.followthrough.angular"),
         ("effects.overlap.max", "effects.overlap.max_linear", "effects.floppy.max_bend", "effects.drag.max_bend",
          "effects.followthrough.max_bend")),
)


def _is_some(value):
    return isinstance(value, str) or (isinstance(value, (int, float)) and value != 0)


def _reference(word, base):
    """What 1 stands for: the style as it was chosen, or the preset cartoon if that has nothing of the word."""
    return base if any(_is_some(table.get(base, path)) for path in word.keys) else table.preset_style("cartoon")


def _row(path):
    return next((row for row in table.rows() if row.path == path), None)


def _times(path, value, amount):
    """A value times an amount, within the limits of its key. A formula stays one."""
    if isinstance(value, str):
        return 0 if amount == 0 else value if amount == 1 else f"{amount:.6g} * ({value})"
    row = _row(path)
    return float(f"{min(value * amount, row.max if row else value * amount):.6g}")


def _ratio(value, reference):
    """How many times the reference a value is."""
    if isinstance(value, (int, float)) and isinstance(reference, (int, float)):
        return value / reference
    if value == reference:
        return 1
    scaled = re.fullmatch(r"([\d.]+) \* \((.*)\)", str(value), re.DOTALL)
    if scaled and scaled[2] == reference:
        return float(scaled[1])
    return 1 if isinstance(value, str) else 0


def amount_of(word, now, base):
    """How much of a word a style has: 1 is as much as `base`."""
    reference = _reference(word, base)
    ratios = [_ratio(table.get(now, path) or 0, table.get(reference, path)) for path in word.keys
              if _is_some(table.get(reference, path))]
    return max([0, *ratios])


def with_amount(word, amount, now, base):
    """The style with another amount of a word. Effects that it lacks are taken from the reference."""
    reference = _reference(word, base)
    used = [path for path in word.keys if _is_some(table.get(reference, path))]
    groups = dict.fromkeys(path.rpartition(".")[0] for path in used)
    for group in groups:
        if table.get(now, group) is None:
            now = style.put(now, group, table.get(reference, group))
    for path in used:
        now = style.put(now, path, _times(path, table.get(reference, path), amount))
    for path in (one for one in word.limits if one.rpartition(".")[0] in groups):
        own, row = table.get(reference, path), _row(path)
        limit = own if own is not None else row.default if row else None
        if _is_some(limit) and (own is not None or amount != 1):
            now = style.put(now, path, _times(path, limit, amount or 1))
        else:
            now = style.put(now, path, own)
    return now


def as_chosen(word, now, base):
    """The style with as much of a word as `base` has, by the same keys."""
    paths = (*word.keys, *word.limits)
    for path in paths:
        if table.get(now, path.rpartition(".")[0]) is not None:
            now = style.put(now, path, table.get(base, path))
    for group in dict.fromkeys(path.rpartition(".")[0] for path in paths):
        there, before = table.get(now, group), table.get(base, group)
        # What a slider switched on goes; of the rest, what is empty.
        if there is not None and before is None and (group.startswith("effects.") or not there):
            now = style.put(now, group, None)
        elif there is None and before is not None:
            now = style.put(now, group, before)
    return now
