"""Draws the picture of docs/compare.md: draw.py CURVES.json OUT.png"""

import json
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

COLORS = {24: "#d1495b", 30: "#edae49", 60: "#3d6fb4", 144: "#2e8b7a"}
INK = "#33373d"


def draw(axes, curve):
    """One tool: a line per frame rate, and a ring where a jump ends."""
    for line in curve["played"]:
        times, sides = zip(*line["points"])
        wide = 1.6 if line["fps"] != 144 else 3.6
        axes.plot(times, sides, color=COLORS[line["fps"]], linewidth=wide, label=f"{line['fps']} fps",
                  zorder=2 if line["fps"] == 144 else 3, alpha=0.5 if line["fps"] == 144 else 0.95)
    times, sides = zip(*curve["jumps"])
    axes.plot(times, sides, "o", color=INK, markersize=5, fillstyle="none", zorder=4, label="started there")
    axes.axvline(2, color="#c8ccd2", linewidth=1, zorder=1)
    axes.set_title(curve["name"], loc="left", fontsize=11, color=INK, fontweight="bold")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.tick_params(colors=INK, labelsize=9)
    axes.grid(axis="y", color="#eceef1", linewidth=0.8)


def main(curves_file, picture):
    with open(curves_file, encoding="utf-8") as file:
        curves = json.load(file)
    figure, rows = pyplot.subplots(len(curves), 1, figsize=(9, 6.6), sharex=True, sharey=True)
    for axes, curve in zip(rows, curves):
        draw(axes, curve)
    rows[1].set_ylabel("tip, off to the side [lengths of the tail]", color=INK, fontsize=9)
    rows[-1].set_xlabel("seconds; the clip is two seconds long and loops", color=INK, fontsize=9)
    rows[0].legend(loc="upper right", ncol=5, fontsize=8.5, frameon=False, bbox_to_anchor=(1, 1.3))
    figure.tight_layout()
    figure.savefig(picture, dpi=110, pil_kwargs={"optimize": True})


main(*sys.argv[1:])
