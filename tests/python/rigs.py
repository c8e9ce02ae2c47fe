"""Rigs nobody has seen: random skeletons with mirrored and unevenly scaled limbs, bones without a length and several
roots, as .glb files whose nodes come in any order."""

import json
import struct

import numpy as np

SIDES = 8
RINGS = 6


def turn(axis, angle):
    """A quaternion x, y, z, w."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.append(axis * np.sin(angle / 2), np.cos(angle / 2))


def product(a, b):
    """Of two quaternions."""
    u, v = a[:3], b[:3]
    return np.append(a[3] * v + b[3] * u + np.cross(u, v), a[3] * b[3] - u @ v)


def matrix(translation, rotation, scale):
    x, y, z, w = rotation
    out = np.eye(4)
    out[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    out[:3, :3] *= np.asarray(scale)
    out[:3, 3] = translation
    return out


class Rig:
    """Joints with parents before children, a tube of skin around every bone, and one clip."""

    def __init__(self):
        self.parents, self.translations, self.rotations, self.scales = [], [], [], []

    def joint(self, parent, translation, rotation=(0, 0, 0, 1)):
        self.parents.append(parent)
        self.translations.append(np.asarray(translation, float))
        self.rotations.append(np.asarray(rotation, float))
        self.scales.append(np.ones(3))
        return len(self.parents) - 1

    def world(self):
        out = []
        for parent, *local in zip(self.parents, self.translations, self.rotations, self.scales):
            out.append(matrix(*local) if parent < 0 else out[parent] @ matrix(*local))
        return np.array(out)

    def add_tube(self, joint, start, end):
        parent = self.parents[joint]
        above = self.parents[parent]
        way = end - start
        side = np.cross(way, [0.3, 0.9, 0.2])
        side /= np.linalg.norm(side)
        other = np.cross(way, side) / np.linalg.norm(way)
        first = len(self.positions)
        for at in np.linspace(0, 1, RINGS):
            weights = np.array([1, 0.5 * max(0, at - 0.7) / 0.3, 0.5 * max(0, 0.3 - at) / 0.3 if above >= 0 else 0, 0])
            for angle in np.arange(SIDES) * 2 * np.pi / SIDES:
                self.positions.append(start + way * at + 0.07 * (side * np.cos(angle) + other * np.sin(angle)))
                self.joints.append([parent, joint, max(above, 0), parent])
                self.weights.append(weights / weights.sum())
        for ring in range(RINGS - 1):
            for k in range(SIDES):
                a = first + SIDES * ring + k
                b = first + SIDES * ring + (k + 1) % SIDES
                self.triangles += [[a, a + SIDES, b], [b, a + SIDES, b + SIDES]]

    def add_skin(self):
        self.positions, self.joints, self.weights, self.triangles = [], [], [], []
        places = self.world()[:, :3, 3]
        for joint, parent in enumerate(self.parents):
            if parent >= 0 and np.linalg.norm(places[joint] - places[parent]) > 1e-6:
                self.add_tube(joint, places[parent], places[joint])

    def edges(self):
        triangles = np.array(self.triangles)
        return np.unique(np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]]]), axis=1), axis=0)


def random_rig(seed):
    rng = np.random.default_rng(seed)
    rig = Rig()
    rolled = lambda: turn(rng.normal(0, 1, 3), rng.normal(0, 0.3))
    for _ in range(rng.integers(1, 3)):
        rig.joint(-1, rng.normal(0, 0.2, 3) + (0, 1, 0), rolled())
    for _ in range(rng.integers(2, 5)):
        at = 0
        way = rng.normal(0, 1, 3)
        mirrored = rng.random() < 0.25
        for k in range(rng.integers(2, 6)):
            length = 0 if rng.random() < 0.1 else rng.uniform(0.15, 0.4)
            at = rig.joint(at, way / np.linalg.norm(way) * length, rolled())
            if k == 0 and mirrored:
                rig.scales[at][0] = -1
            elif rng.random() < 0.1:
                rig.scales[at] = rng.uniform(0.8, 1.25, 3)
            way = way + rng.normal(0, 0.25, 3)
    rig.add_skin()
    rig.times = np.arange(46) / 30
    phase = 2 * np.pi * rig.times / rig.times[-1]
    rig.turns = {}
    for joint, rest in enumerate(rig.rotations):
        axis, often, size, start = rng.normal(0, 1, 3), rng.integers(1, 4), rng.uniform(0, 0.5), rng.uniform(0, 6)
        rig.turns[joint] = [product(rest, turn(axis, size * np.sin(often * x + start))) for x in phase]
    hop = np.stack([0.1 * np.sin(phase), 0.15 * np.abs(np.sin(phase)), 0 * phase], axis=1)
    rig.moves = {j: rig.translations[j] + hop for j, parent in enumerate(rig.parents) if parent < 0}
    return rig


def bobbing_tail(bob):
    """A body that goes up and down by `bob` of its size at the pace of a run, with a tail that has no keys."""
    rig = Rig()
    at = rig.joint(-1, (0, 1, 0))
    at = rig.joint(at, (0, 0, -0.5))
    for _ in range(8):
        at = rig.joint(at, (0, 0, -0.12))
    rig.add_skin()
    size = np.linalg.norm(np.ptp(np.array(rig.positions), axis=0))
    rig.times = np.arange(61) / 30
    hop = np.zeros((61, 3))
    hop[:, 1] = 0.5 * bob * size * np.sin(2 * np.pi * 2.5 * rig.times)
    rig.turns = {}
    rig.moves = {0: rig.translations[0] + hop}
    return rig


class _Buffer:
    def __init__(self):
        self.bytes, self.views, self.accessors = b"", [], []

    def add(self, values, kind, component, bounds=False):
        values = np.ascontiguousarray(values)
        data = values.tobytes()
        self.views.append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)})
        self.bytes += data + b"\0" * (-len(data) % 4)
        accessor = {"bufferView": len(self.views) - 1, "componentType": component, "type": kind, "count": len(values)}
        if bounds:
            accessor["min"] = np.atleast_1d(values.min(0)).tolist()
            accessor["max"] = np.atleast_1d(values.max(0)).tolist()
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def floats(self, values, kind, bounds=False):
        return self.add(np.asarray(values, "<f4"), kind, 5126, bounds)


def _nodes(rig, order):
    nodes = [None] * len(rig.parents)
    for j, parent in enumerate(rig.parents):
        node = {"name": f"j{j}", "translation": rig.translations[j].tolist(), "rotation": rig.rotations[j].tolist()}
        node["scale"] = rig.scales[j].tolist()
        children = sorted(int(order[k]) for k, p in enumerate(rig.parents) if p == j)
        nodes[order[j]] = {**node, "children": children} if children else node
    return nodes + [{"name": "body", "mesh": 0, "skin": 0}]


def _animation(rig, order, buffer):
    time = buffer.floats(rig.times, "SCALAR", True)
    channels, samplers = [], []
    for path, kind, keys in (("rotation", "VEC4", rig.turns), ("translation", "VEC3", rig.moves)):
        for joint, values in keys.items():
            channels.append({"sampler": len(samplers), "target": {"node": int(order[joint]), "path": path}})
            samplers.append({"input": time, "output": buffer.floats(values, kind)})
    return {"name": "move", "channels": channels, "samplers": samplers}


def write(rig, path, order=None):
    """`order`: joint k of the rig becomes node order[k]; the skin lists joints in the order of the nodes."""
    count = len(rig.parents)
    order = np.arange(count) if order is None else np.asarray(order)
    listed = np.argsort(order)
    buffer = _Buffer()
    inverse = np.linalg.inv(rig.world())[listed]
    attributes = {
        "POSITION": buffer.floats(rig.positions, "VEC3", True),
        "JOINTS_0": buffer.add(order[np.array(rig.joints)].astype("<u2"), "VEC4", 5123),
        "WEIGHTS_0": buffer.floats(rig.weights, "VEC4"),
    }
    roots = sorted(int(order[j]) for j, parent in enumerate(rig.parents) if parent < 0)
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": roots + [count]}],
        "nodes": _nodes(rig, order),
        "meshes": [{"primitives": [{
            "attributes": attributes, "indices": buffer.add(np.array(rig.triangles, "<u2").ravel(), "SCALAR", 5123)}]}],
        "skins": [{
            "joints": list(range(count)),
            "inverseBindMatrices": buffer.floats(inverse.transpose(0, 2, 1).reshape(-1, 16), "MAT4")}],
        "animations": [_animation(rig, order, buffer)],
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": len(buffer.bytes)}],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as out:
        out.write(struct.pack("<III", 0x46546C67, 2, 28 + len(text) + len(buffer.bytes)))
        out.write(struct.pack("<II", len(text), 0x4E4F534A) + text)
        out.write(struct.pack("<II", len(buffer.bytes), 0x004E4942) + buffer.bytes)
