"""A copy of a glTF file with a linear key in every frame.

Blender's importer makes its own curves: quaternions go component by component between sparse keys, and cubic splines
lose their tangents. With a key per frame there is one answer.
"""
import json
import struct

import numpy as np

_WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def read(path):
    raw = open(path, "rb").read()
    assert raw[:4] == b"glTF", path
    size = struct.unpack_from("<I", raw, 12)[0]
    text = json.loads(raw[20: 20 + size])
    return text, bytearray(raw[28 + size:])


def write(path, text, data):
    data += b"\0" * (-len(data) % 4)
    text["buffers"][0]["byteLength"] = len(data)
    words = json.dumps(text).encode()
    words += b" " * (-len(words) % 4)
    with open(path, "wb") as file:
        file.write(struct.pack("<4sIIII", b"glTF", 2, 28 + len(words) + len(data), len(words), 0x4E4F534A) + words)
        file.write(struct.pack("<II", len(data), 0x004E4942) + data)


def _array(text, data, index):
    row = text["accessors"][index]
    view = text["bufferViews"][row["bufferView"]]
    width = _WIDTHS[row["type"]]
    assert row["componentType"] == 5126 and view.get("byteStride", 4 * width) == 4 * width
    begin = view.get("byteOffset", 0) + row.get("byteOffset", 0)
    return np.frombuffer(bytes(data[begin: begin + 4 * width * row["count"]]), np.float32).reshape(-1, width)


def _add(text, data, values, kind):
    data += b"\0" * (-len(data) % 4)
    values = np.ascontiguousarray(values, np.float32)
    text["bufferViews"].append({"buffer": 0, "byteOffset": len(data), "byteLength": values.nbytes})
    data += values.tobytes()
    text["accessors"].append({"bufferView": len(text["bufferViews"]) - 1, "componentType": 5126, "type": kind,
                              "count": len(values), "min": values.min(0).tolist(), "max": values.max(0).tolist()})
    return len(text["accessors"]) - 1


def _slerp(a, b, u):
    b = np.where((a * b).sum(-1, keepdims=True) < 0, -b, b)
    angle = np.arccos(np.clip((a * b).sum(-1, keepdims=True), -1, 1))
    small = angle < 1e-4
    s = np.where(small, 1, np.sin(angle))
    out = np.where(small, (1 - u) * a + u * b, (np.sin((1 - u) * angle) * a + np.sin(u * angle) * b) / s)
    return out / np.linalg.norm(out, axis=-1, keepdims=True)


def _resampled(times, values, kind, path, grid):
    cubic = kind == "CUBICSPLINE"
    keys = values.reshape(len(times), 3, -1) if cubic else values[:, None]
    after = np.clip(np.searchsorted(times, grid, side="right"), 1, max(len(times) - 1, 1))
    if len(times) == 1:
        return np.repeat(keys[:, 1 if cubic else 0], len(grid), 0)
    before = after - 1
    span = (times[after] - times[before])[:, None]
    u = np.clip((grid - times[before])[:, None] / span, 0, 1)
    if kind == "STEP":
        u = np.floor(u)
    if not cubic:
        a, b = keys[before, 0], keys[after, 0]
        return _slerp(a, b, u) if path == "rotation" else (1 - u) * a + u * b
    a, b, out, into = keys[before, 1], keys[after, 1], keys[before, 2] * span, keys[after, 0] * span
    found = (2 * u**3 - 3 * u**2 + 1) * a + (u**3 - 2 * u**2 + u) * out + (3 * u**2 - 2 * u**3) * b + (u**3 - u**2) * into
    return found / np.linalg.norm(found, axis=-1, keepdims=True) if path == "rotation" else found


def dense_copy(path, to, fps, only=None):
    """Every animation (or `only` one) with a linear key in every frame, from its first key to its last one."""
    text, data = read(path)
    for number, animation in enumerate(text["animations"]):
        animation.setdefault("name", f"clip{number}")
    text["animations"] = [a for a in text["animations"] if only in (None, a["name"])]
    for animation in text["animations"]:
        inputs = [_array(text, data, s["input"])[:, 0].astype(float) for s in animation["samplers"]]
        start, end = min(t[0] for t in inputs), max(t[-1] for t in inputs)
        first, last = int(np.ceil(start * fps - 1e-3)), int(np.floor(end * fps + 1e-3))
        grid = np.arange(first, last + 1) / fps
        if end - grid[-1] > 1e-3 / fps:
            grid = np.append(grid, end)
        shared = _add(text, data, grid[:, None], "SCALAR")
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            where = channel["target"]["path"]
            times = _array(text, data, sampler["input"])[:, 0].astype(float)
            values = _array(text, data, sampler["output"]).astype(float)
            if where == "weights":
                values = values.reshape(len(times), -1)
            kind = {"rotation": "VEC4", "weights": "SCALAR"}.get(where, "VEC3")
            made = _resampled(times, values, sampler.get("interpolation", "LINEAR"), where, grid)
            rows = made.reshape(-1, 1) if where == "weights" else made
            channel["sampler"] = ("new", {"input": shared, "output": _add(text, data, rows, kind),
                                          "interpolation": "LINEAR"})
        animation["samplers"] = [channel["sampler"][1] for channel in animation["channels"]]
        for i, channel in enumerate(animation["channels"]):
            channel["sampler"] = i
    write(to, text, data)
    return to
