#!/usr/bin/env python3
"""The table of docs/retarget.md: motions on characters, by number.

    python3 docs/retarget_numbers.py build/limber [WORD]   only motions or characters with this word in their name

Files come from the folder in LIMBER_TEST_ASSETS, the built-in characters from the program.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

IS_MAIN = __name__ == "__main__"
PROGRAM = os.path.abspath(sys.argv[1]) if IS_MAIN else os.environ["LIMBER_PROGRAM"]
WORD = sys.argv[2] if IS_MAIN and len(sys.argv) > 2 else ""
ASSETS = os.environ.get("LIMBER_TEST_ASSETS", "")
FPS = 60
SECONDS = 5
FOLDER = tempfile.mkdtemp(prefix="limber-numbers-")

MOTIONS = [
    ("walk", "cmu_02_01.bvh", "capture"),
    ("basketball", "cmu_06_15.bvh", "capture"),
    ("run", "cmu_09_01.bvh", "capture"),
    ("jump and kick", "cmu_88_06.bvh", "capture"),
    ("samba", "more/SambaDancing.fbx", "capture"),
    ("second dance", "more/mixamo.fbx", "capture"),
    ("soldier's walk", "more/Soldier.glb#Walk", "capture, in place"),
    ("soldier's run", "more/Soldier.glb#Run", "capture, in place"),
    ("robot's dance", "RobotExpressive.glb#Dance", "keyed"),
    ("robot's jump", "RobotExpressive.glb#Jump", "keyed"),
    ("dancer's leap", "sample:dancer#leap", "keyed"),
    ("hero's jump", "sample:hero#jump", "keyed"),
]
CHARACTERS = ["more/Soldier.glb", "more/Mage.glb", "CesiumMan.glb", "RobotExpressive.glb", "sample:hero", "sample:toon"]
FOUR_LEGGED_MOTIONS = [
    ("dog's run", "sample:dog#run", "keyed"),
    ("dog's jump", "sample:dog#jump", "keyed"),
    ("fox's walk", "Fox.glb#Walk", "keyed"),
    ("fox's run", "Fox.glb#Run", "keyed"),
    ("wolf's gallop", "more/Wolf.glb#AnimalArmature|Gallop", "keyed"),
    ("cow's walk", "sample:cow#walk", "keyed"),
]
FOUR_LEGGED = ["sample:dog", "Fox.glb", "more/Wolf.glb", "sample:cow", "sample:giraffe"]
BONES = [f"{side} {half} {limb}" for limb in ("leg", "arm") for side in ("left", "right") for half in ("upper", "lower")]
NEXT = {"upper leg": "lower leg", "lower leg": "foot", "upper arm": "lower arm", "lower arm": "hand"}


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def path_of(name):
    """(file, clip) of `FOLDER/FILE#CLIP` or `sample:NAME#CLIP`."""
    file, _, clip = name.partition("#")
    if not file.startswith("sample:"):
        return os.path.join(ASSETS, file), clip
    made = os.path.join(FOLDER, file[7:] + ".glb")
    if not os.path.exists(made):
        run("sample", file[7:], "-o", made)
    return made, clip


def dump(file, *options):
    folder = os.path.join(FOLDER, "numbers")
    run("dump", file, "-o", folder, "--fps", str(FPS), "--quiet", *options)
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as text:
        manifest = json.load(text)
    read = lambda name: np.load(os.path.join(folder, name + ".npy"))
    names = manifest.get("joints") or manifest["joint_names"]
    names = [one["name"] if isinstance(one, dict) else one for one in names]
    return {"names": names, "joints": read("joint_position").astype(float), "skin": read("skinned"), "rest": read("rest"),
            "weights": read("weights"), "parents": manifest.get("parents")}


class Side:
    """A motion or a character: its joints by what they are in a body."""

    def __init__(self, data, parts, first):
        self.data, self.parts, self.first = data, parts, first
        box = data["rest"].max(0) - data["rest"].min(0)
        self.size = float(np.linalg.norm(box))

    def place(self, part):
        return self.data["joints"][self.first :, self.data["names"].index(self.parts[part])]

    def direction(self, bone):
        side, kind = bone.split(" ", 1)
        way = self.place(f"{side} {NEXT[kind]}") - self.place(bone)
        return way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)

    def leg(self):
        ways = [self.place("left lower leg") - self.place("left upper leg"), self.place("left foot") - self.place("left lower leg")]
        return sum(float(np.median(np.linalg.norm(way, axis=1))) for way in ways)

    def feet(self, hands):
        kinds = ("foot", "toes", "hand") if hands else ("foot", "toes")
        return [f"{side} {kind}" for side in ("left", "right") for kind in kinds if f"{side} {kind}" in self.parts]

    def sunk(self, hands):
        """How deep the feet's skin goes below where it stands, in L."""
        joints = {self.data["names"].index(self.parts[foot]) for foot in self.feet(hands)}
        parents = self.data["parents"]
        for joint in range(len(self.data["names"])):
            if parents and parents[joint] in joints:
                joints.add(joint)
        own = self.data["weights"][:, sorted(joints)].sum(1) > 0.5
        if not own.any():
            return 0.0, 0.0
        lows = self.data["skin"][self.first :, own, 1].min(1)
        return float(self.data["rest"][own, 1].min() - lows.min()) / self.size, float(np.percentile(lows, 5) - lows.min()) / self.size


def yaw_between(a, b):
    angle = np.arctan2((a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]).sum(), (a[:, 0] * b[:, 0] + a[:, 2] * b[:, 2]).sum())
    return np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])


def still_runs(places, size):
    """Spans of frames in which a joint of the motion rests on the ground."""
    speed = np.zeros(len(places))
    if len(places) > 2:
        speed[1:-1] = np.linalg.norm(places[2:] - places[:-2], axis=1) * FPS / 2 / size
        speed[0], speed[-1] = speed[1], speed[-2]
    rests = (speed < 0.15) & (places[:, 1] < np.percentile(places[:, 1], 5) + 0.03 * size)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], rests.astype(int), [0]])))
    return [(a, b) for a, b in edges.reshape(-1, 2) if b - a > 3]


def slide(source, result, hands):
    """How much farther than the motion's own, at the character's size, a foot moves while that of the motion rests, in L."""
    most = 0.0
    scale = result.leg() / source.leg()
    for foot in set(source.feet(hands)) & set(result.feet(hands)):
        there, here = source.place(foot), result.place(foot)
        for first, end in still_runs(there[: len(here)], source.size):
            way = lambda places: np.linalg.norm((places[first:end] - places[first])[:, [0, 2]], axis=1).max()
            most = max(most, (way(here) - scale * way(there)) / result.size)
    return most


def roughness(side):
    """What the hips are accelerated by, in legs: a change within a frame is large, whatever the motion does."""
    middle = side.place("left upper leg") + side.place("right upper leg")
    change = np.linalg.norm(middle[2:] - 2 * middle[1:-1] + middle[:-2], axis=1)
    return float(np.percentile(change, 95)) / side.leg() if len(change) else 0.0


def measure(motion, character, hands=False):
    file, clip = path_of(motion)
    target, _ = path_of(character)
    asked = f"{file}#{clip}" if clip else file
    first = 1 if file.endswith(".bvh") else 0  # before it, the rest pose of the capture
    length = f"0:{SECONDS}"
    matches = json.loads(run("info", target, "--motion", asked, "--json"))["motions"][0]["matches"]
    parts = lambda key: {one["part"]: one[key] for one in reversed(matches)}
    source = Side(dump(file, "--range", length, *(["--clip", clip] if clip else [])), parts("from"), first)
    result = Side(dump(target, "--motion", f"{asked}@{length}"), parts("joint"), first)
    count = min(len(source.data["joints"]), len(result.data["joints"])) - first
    for one in (source, result):
        one.data["joints"], one.data["skin"] = one.data["joints"][: count + first], one.data["skin"][: count + first]
    finite = bool(np.isfinite(result.data["joints"]).all() and np.isfinite(result.data["skin"]).all())
    a = np.stack([source.direction(bone) for bone in BONES], 1)
    b = np.stack([result.direction(bone) for bone in BONES], 1)
    turned = a @ yaw_between(a.reshape(-1, 3), b.reshape(-1, 3)).T
    angles = np.degrees(np.arccos(np.clip((turned * b).sum(2), -1, 1)))
    deep, _ = result.sunk(hands)
    _, own = source.sunk(hands)
    return {"finite": finite, "slide": slide(source, result, hands), "floor": deep - own, "legs": float(angles[:, :4].max()),
            "arms": float(angles[:, 4:].max()), "rough": roughness(result) / max(roughness(source), 1e-9),
            "most": float(np.percentile(angles, 95))}


def name_of(character):
    return character.rsplit("/", 1)[-1].split(":")[-1].split(".")[0]


def table(motions, characters, hands):
    """Rows of `slide · floor · legs`: thousandths of L, thousandths of L, degrees."""
    print("| motion | | " + " | ".join(name_of(one) for one in characters) + " |")
    print("|---|---|" + "---|" * len(characters))
    every = []
    for title, motion, kind in motions:
        cells = []
        for character in characters:
            if motion.split("#")[0] == character or WORD not in motion + character:
                cells.append("")
                continue
            try:
                found = measure(motion, character, hands)
            except RuntimeError as error:
                cells.append(str(error)[-60:])
                continue
            every.append(found)
            limbs = max(found["legs"], found["arms"]) if hands else found["legs"]
            cells.append(f"{1000 * max(found['slide'], 0):.0f} · {1000 * max(found['floor'], 0):.0f} · {limbs:.1f}")
        print(f"| {title} | {kind} | " + " | ".join(cells) + " |", flush=True)
    print(f"\n{len(every)} pairs, {sum(not one['finite'] for one in every)} not finite; "
          + ", ".join(f"{key} at most {max((one[key] for one in every), default=0):.4g}" for key in ("slide", "floor", "legs", "arms", "most")))


if IS_MAIN:
    table(MOTIONS, CHARACTERS, False)
    print()
    table(FOUR_LEGGED_MOTIONS, FOUR_LEGGED, True)
