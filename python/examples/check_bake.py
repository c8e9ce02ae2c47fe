"""What a bake costs and how exact it is: morph targets put together again by numpy, next to the frames themselves.

    build/limber sample dog -o dog.glb
    python3 python/examples/check_bake.py dog.glb --clip jump --style cartoon -o dog-cartoon.glb
"""

# %% A character with a style
import argparse

import limber
import numpy as np

parser = argparse.ArgumentParser(description="Bakes at several tolerances and checks each.")
parser.add_argument("character", help=".glb or .gltf file")
parser.add_argument("--clip", default="0", help="name or number (default: the first)")
parser.add_argument("--style", default="cartoon", help="preset (default: cartoon)")
parser.add_argument("-o", dest="output", help="file to write the last bake into")
options = parser.parse_args()

file = limber.load(options.character)
character = file.character
clip = character.clip_index(int(options.clip) if options.clip.isdigit() else options.clip)
styled = limber.Pipeline(character, options.style)


# %% What a player does: add the weighted targets to each mesh, then skin it with the clip that the bake brings
def play(bake, frame_number, pose):
    shown = np.zeros((character.vertex_count, 3))
    for mesh, baked in zip(character.meshes, bake.meshes):
        positions = mesh.positions.astype(np.float64)
        if baked.target_count:
            positions += np.tensordot(baked.weights[0][frame_number], baked.positions, 1)
        matrices = pose.world_from_joint[mesh.joints].astype(np.float64) @ mesh.inverse_binds
        blended = np.tensordot(mesh.weights, matrices, 1)
        shown[mesh.slice] = np.einsum("vij,vj->vi", blended[:, :3, :3], positions) + blended[:, :3, 3]
    return shown


def largest_error(bake):
    worst = 0.0
    for i, time in enumerate(bake.tracks[0].times):
        frame = styled.evaluate(clip, float(time))
        worst = max(worst, float(np.linalg.norm(play(bake, i, frame) - frame.positions, axis=1).max()))
    return worst / character.size


# %% Fewer targets for larger errors
print("tolerance  targets   error [L]   measured [L]")
for tolerance in (0.0, 0.0005, 0.001, 0.002, 0.005):
    bake = styled.bake("corrective", clips=[clip], tolerance=tolerance)
    measured = largest_error(bake)
    targets = sum(mesh.target_count for mesh in bake.meshes)
    print(f"{tolerance:9g} {targets:8} {bake.error:11.6f} {measured:14.6f}")
    if measured > max(tolerance, 1e-5) * 1.01:
        raise SystemExit("the bake is not as exact as it says")

# %% A file that any viewer plays
if options.output:
    file.save(options.output, bake=bake, style=options.style)
    print(f"wrote {options.output}")
