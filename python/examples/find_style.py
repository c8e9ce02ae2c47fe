"""Finds the settings of a style by optimization, in two ways.

    build/limber sample dog -o dog.glb
    python3 python/examples/find_style.py dog.glb --clip jump

First: how strong may a preset be, so that no vertex goes farther than a given part of the character's size? Then: which
settings give frames that are already there? Here they come from a style that the search does not look at; they could
come from sculpted poses, or from another program.
"""

# %% Something to search with
import argparse

import limber
import numpy as np

parser = argparse.ArgumentParser(description="Finds settings of a style.")
parser.add_argument("character", help=".glb or .gltf file")
parser.add_argument("--clip", default="0", help="name or number (default: the first)")
options = parser.parse_args()

character = limber.load(options.character).character
clip = character.clips[character.clip_index(int(options.clip) if options.clip.isdigit() else options.clip)]
times = clip.times(12)


def offsets(style):
    """(F, V, 3): how far the style moves each vertex in each frame, in L."""
    pipeline = limber.Pipeline(character, style)
    pipeline.set_outputs(normals=False)  # nobody looks at them here
    frames = (pipeline.evaluate(clip, time) for time in times)
    return np.stack([(frame.positions - frame.skinned) / character.size for frame in frames])


# %% The strength at which 'cartoon' moves no vertex farther than 4 % of L, by halving
def reach(strength):
    return float(np.linalg.norm(offsets(limber.Style("cartoon").set("strength", strength)), axis=2).max())


wanted = 0.04
low, high = 0.0, 4.0
for _ in range(16):
    middle = 0.5 * (low + high)
    low, high = (low, middle) if reach(middle) > wanted else (middle, high)
print(f"strength {low:.3f}: 'cartoon' moves a vertex by {reach(low):.4f} L at most (wanted {wanted})")

# %% Settings that give known frames, by Gauss-Newton with differences
keys = ["effects.floppy.angular", "effects.floppy.linear", "effects.squash.linear"]
secret = [0.31, 0.06, 0.17]


def styled(values):
    style = limber.Style().set("compose", "sum")
    for key, value in zip(keys, values):
        style.set(key, max(float(value), 0.0))
    return style


target = offsets(styled(secret)).ravel()
values = np.array([0.1, 0.01, 0.05])
for step in range(12):
    residual = target - offsets(styled(values)).ravel()
    print(f"step {step}: off by {np.sqrt(np.mean(residual**2)):.2e} L  " + "  ".join(f"{v:.4f}" for v in values))
    if np.abs(residual).max() < 1e-6:
        break
    slopes = []
    for k in range(len(keys)):
        ahead = values.copy()
        ahead[k] += 0.01
        slopes.append((offsets(styled(ahead)).ravel() - target + residual) / 0.01)
    change = np.linalg.lstsq(np.stack(slopes, 1), residual, rcond=None)[0]
    values = np.maximum(values + change, 0.0)

found = dict(zip(keys, (round(float(v), 4) for v in values)))
print(f"found {found}")
if not np.allclose(values, secret, atol=0.002):
    raise SystemExit(f"that is not what the frames were made with: {secret}")
