"""How fast the joints of a character are, and how far a style moves its skin: one picture of one clip.

    build/limber sample dog -o dog.glb
    python3 python/examples/plot_motion.py dog.glb --clip jump --style cartoon -o motion.png

The cells (# %%) open as a notebook in Jupyter and in most editors.
"""

# %% What to look at
import argparse

import limber
import numpy as np

parser = argparse.ArgumentParser(description="Plots joint speeds and what a style does to the skin.")
parser.add_argument("character", help=".glb, .gltf or .bvh file")
parser.add_argument("--clip", default="0", help="name or number (default: the first)")
parser.add_argument("--style", default="cartoon", help="preset (default: cartoon)")
parser.add_argument("-o", dest="picture", default="motion.png", help="picture to write (default: motion.png)")
options = parser.parse_args()

character = limber.load(options.character).character
clip = int(options.clip) if options.clip.isdigit() else options.clip
clip = character.clips[character.clip_index(clip)]
pipeline = limber.Pipeline(character, options.style)

# %% One array per quantity: lengths in L, the size of the character
times = np.array(clip.times(60))
places = np.zeros((len(times), character.joint_count, 3))  # L
moved = np.zeros((len(times), character.vertex_count))  # L
for i, time in enumerate(times):
    frame = pipeline.evaluate(clip, time)  # its arrays are views: valid until the next frame
    places[i] = frame.world_from_joint[:, :3, 3] / character.size
    moved[i] = np.linalg.norm(frame.positions - frame.skinned, axis=1) / character.size
speed = np.linalg.norm(np.gradient(places, times, axis=0), axis=2)  # L/s

fastest = []  # of those that move alike, one
for joint in np.argsort(speed.max(axis=0))[::-1]:
    alike = [np.corrcoef(speed[:, joint], speed[:, other])[0, 1] for other in fastest if speed[:, joint].any()]
    if speed[:, joint].any() and max(alike, default=0) < 0.95 and len(fastest) < 4:
        fastest.append(int(joint))
print(f"{clip.name}: {len(times)} frames of {character.vertex_count} vertices")
for joint in fastest:
    print(f"  {character.joint_names[joint]:20} up to {speed[:, joint].max():.2f} L/s")
peak = int(moved.max(axis=1).argmax())
print(f"  the style moves a vertex by {moved[peak].max():.3f} L at {times[peak]:.2f} s")

# %% The picture
try:
    import matplotlib
except ImportError:
    print("no picture: matplotlib is not installed (Debian: python3-matplotlib)")
    raise SystemExit(0)

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
figure, (above, below, side) = plt.subplots(1, 3, figsize=(11, 3.2), gridspec_kw={"width_ratios": [1, 1, 1.15]})
for joint in fastest:
    above.plot(times, speed[:, joint], label=character.joint_names[joint])
above.set(title="Speed of the fastest joints", xlabel="time [s]", ylabel="L / s", ylim=(0, None))
above.legend(frameon=False)

for share, name in ((100, "farthest vertex"), (75, "3/4 of the vertices"), (50, "half of them")):
    below.fill_between(times, np.percentile(moved, share, axis=1), label=name, alpha=0.45, linewidth=0)
below.axvline(times[peak], color="gray", linewidth=0.8, linestyle=":")
below.set(title=f"How far '{options.style}' moves the skin", xlabel="time [s]", ylabel="L", ylim=(0, 1.3 * moved.max()))
below.legend(frameon=False)

frame = pipeline.evaluate(clip, times[peak])
# Seen from the side that is widest: x or z along the picture.
along = 0 if np.ptp(frame.skinned[:, 0]) > np.ptp(frame.skinned[:, 2]) else 2
triangles = character.triangles
side.triplot(frame.skinned[:, along], frame.skinned[:, 1], triangles, color="0.75", linewidth=0.25)
points = side.tripcolor(
    frame.positions[:, along], frame.positions[:, 1], triangles, moved[peak], cmap="magma", shading="gouraud", alpha=0.85
)
side.set(title=f"At {times[peak]:.2f} s, plain in gray", aspect="equal", xticks=[], yticks=[])
for spine in side.spines.values():
    spine.set_visible(False)
figure.colorbar(points, ax=side, label="moved [L]", shrink=0.85)
figure.tight_layout()
figure.savefig(options.picture, dpi=110, metadata={"Software": None})
print(f"wrote {options.picture}")
