"""Curves as formulas of a style."""
import numpy as np


def of_curve(times, values, room):
    """A text for a curve, within a thousandth where that fits into `room` characters.

    limber's key() eases in and out of every key as Blender's own keys do by default. Other curves become straight lines.
    """
    tolerance = 5e-4 * max(1.0, np.abs(values).max())
    while True:
        text = min(_eased(times, values, tolerance), _straight(times, values, tolerance), key=len)
        if len(text) <= room:
            return text
        tolerance *= 1.5


def _eased(times, values, tolerance):
    rows = _corners(times, values, tolerance, lambda u: u * u * (3 - 2 * u))
    return "key(" + ", ".join(f"{times[i]:.6g}, {values[i]:.5g}" for i in rows) + ")"


def _straight(times, values, tolerance):
    rows = _corners(times, values, tolerance, lambda u: u)
    at, height = times[rows], values[rows]
    slopes = np.concatenate([[0], np.diff(height) / np.maximum(np.diff(at), 1e-9), [0]])
    bends = [(t, d) for t, d in zip(at, np.diff(slopes)) if abs(d) > 1e-9]
    return f"({height[0]:.5g}" + "".join(f"{d:+.6g}*max(0,t-{t:.6g})" for t, d in bends) + ")"


def _corners(times, values, tolerance, ease):
    """Douglas and Peucker, by values."""
    keep, todo = {0, len(times) - 1}, [(0, len(times) - 1)]
    while todo:
        first, last = todo.pop()
        if last - first < 2:
            continue
        inside = slice(first + 1, last)
        u = (times[inside] - times[first]) / (times[last] - times[first])
        off = np.abs(values[inside] - values[first] - (values[last] - values[first]) * ease(u))
        worst = int(np.argmax(off))
        if off[worst] > tolerance:
            at = first + 1 + worst
            keep.add(at)
            todo += [(first, at), (at, last)]
    return sorted(keep)
