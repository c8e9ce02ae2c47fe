"""Arrays in: the joints, meshes and clips that `Character.build` makes a character of."""

import ctypes
from dataclasses import dataclass, field
from typing import Any, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _memory as m
from . import _structs as s
from .errors import ArgumentError

__all__ = ["Joints", "Mesh", "Clip", "Channel"]

IDENTITY = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0)

_PATHS = {"translation": (0, 3), "rotation": (1, 4), "scale": (2, 3), "weights": (3, 0)}
_INTERPOLATIONS = {"step": 0, "linear": 1, "cubic": 2}


@dataclass
class Joints:
    """The hierarchy.

    names    one per joint
    parents  (J,) integers, -1 for a root; a parent comes before its children
    rest     (J, 10): tx ty tz  qx qy qz qw  sx sy sz of every joint in its parent
    bones    what each joint is in a human body ("leftUpperArm"), or None; styles know joints by this name, too
    """

    names: Sequence[str]
    parents: Any
    rest: Any
    bones: Optional[Sequence[Optional[str]]] = None


@dataclass
class Mesh:
    """A mesh and its skin.

    name            its name
    positions       (V, 3), in the mesh's own space
    triangles       (T, 3) vertex numbers
    joints          (K,) the joints that deform it, as numbers of the rig; a rigid part has one
    inverse_binds   (K, 4, 4) joint from mesh, rows first; None: the mesh is in world space, in the rest pose
    influences      (V, K) weights, or the triple first (V+1,), joint (N,) as number in `joints`, weight (N,);
                    None: all of joint 0
    normals         (V, 3); None: averaged from the triangles
    uvs             (V, 2) or None
    colors          (V, 4), linear, or None
    morphs          name: (V, 3), what is added to the positions
    morph_defaults  (M,) weights in the rest pose; None: zeros
    layers          name: (V,), -1 to 1
    """

    name: str
    positions: Any
    triangles: Any
    joints: Any = (0,)
    inverse_binds: Any = None
    influences: Any = None
    normals: Any = None
    uvs: Any = None
    colors: Any = None
    morphs: Mapping[str, Any] = field(default_factory=dict)
    morph_defaults: Any = None
    layers: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Channel:
    """The curve of one joint, or of a mesh's morph weights.

    path           "translation", "rotation", "scale" or "weights"
    target         joint, or mesh for weights
    times          (K,) seconds, strictly increasing
    values         (K, width); cubic: (K, 3, width) with in-tangent, value, out-tangent
    interpolation  "linear", "step" or "cubic"
    """

    path: str
    target: int
    times: Any
    values: Any
    interpolation: str = "linear"


@dataclass
class Clip:
    """A clip of channels, or of poses: `Clip.sampled`."""

    name: str
    channels: Sequence[Channel] = ()  #: the curves of joints and morph weights
    _times: Any = None
    _local: Any = None
    _weights: Any = None

    @classmethod
    def sampled(cls, name: str, times: Any, local: Any, weights: Any = None) -> "Clip":
        """A clip of poses, with linear channels between them.

        times    (F,) seconds, strictly increasing
        local    (F, J, 10): tx ty tz  qx qy qz qw  sx sy sz of every joint in its parent
        weights  (F, M) morph weights of all meshes, one mesh after the other

        Channels that never leave the rest pose are left out, others that never change have one key.
        """
        stamps = m.floats(times, (None,), "times")
        poses = m.floats(local, (len(stamps), None, 10), "local")
        if not len(stamps):
            raise ArgumentError("a clip needs at least one pose", f"clip '{name}'")
        rows = None if weights is None else m.floats(weights, (len(stamps), None), "weights")
        return cls(name, (), stamps, poses, rows)


def fill_model(model: s.Model, joints: Joints, meshes: Sequence[Mesh], clips: Sequence[Clip], keep: m.Keep) -> None:
    """Fills a limber_model with pointers into arrays that `keep` holds."""
    rest = _fill_rig(model.rig, joints, keep)
    worlds: List[Any] = []
    skins, rows, counts = [], [], []
    for index, mesh in enumerate(meshes):
        if not isinstance(mesh, Mesh):
            raise ArgumentError(f"meshes[{index}] must be a limber.Mesh, not {type(mesh).__name__}")
        if mesh.inverse_binds is None and not worlds:
            worlds.append(_world_from_joint(joints, rest))
        skins.append(_skin(mesh, len(rest), worlds[0] if worlds else None, keep))
        rows.append(_mesh(mesh, index, keep))
        counts.append(int(rows[-1].morph_count))
    model.skin_count = model.mesh_count = len(rows)
    model.skins, model.meshes = keep.structs(s.Skin, skins), keep.structs(s.Mesh, rows)
    fill_clips(model, clips, rest, counts, keep)


def _fill_rig(rig: s.Rig, joints: Joints, keep: m.Keep) -> "np.ndarray[Any, Any]":
    if not isinstance(joints, Joints):
        raise ArgumentError(f"joints must be a limber.Joints, not {type(joints).__name__}")
    names = list(joints.names)
    parents = m.integers(joints.parents, (len(names),), "parents", np.int32)
    rest = m.floats(joints.rest, (len(names), 10), "rest")
    rig.joint_count = len(names)
    rig.names = keep.names(names, "the name of a joint")
    rig.parents, rig.rest_local = keep.address(parents), keep.address(rest)
    if joints.bones is not None:
        bones = [None if bone is None else m.encode(bone, "a bone") for bone in joints.bones]
        if len(bones) != len(names):
            raise ArgumentError(f"bones must have one entry per joint ({len(names)}), not {len(bones)}")
        array = (ctypes.c_char_p * max(len(bones), 1))(*bones)
        keep.things += [array, bones]
        rig.bones = ctypes.addressof(array)
    return rest


def _skin(mesh: Mesh, joint_count: int, worlds: Any, keep: m.Keep) -> s.Skin:
    place = f"the joints of mesh '{mesh.name}'"
    joints = m.integers(mesh.joints, (None,), place, np.uint32)
    if mesh.inverse_binds is None:
        if joints.size and int(joints.max()) >= joint_count:
            raise ArgumentError(f"{place}: there is no joint {int(joints.max())}")
        try:
            binds = np.linalg.inv(worlds[joints].astype(np.float64))
        except np.linalg.LinAlgError:
            raise ArgumentError(f"{place}: a joint has no size in the rest pose; give inverse_binds") from None
    else:
        binds = m.floats(mesh.inverse_binds, (len(joints), 4, 4), f"the inverse_binds of mesh '{mesh.name}'")
    with np.errstate(over="ignore"):
        columns = np.ascontiguousarray(binds.transpose(0, 2, 1), dtype=np.float32)
    skin = s.Skin()
    skin.joint_count = len(joints)
    skin.joints, skin.joint_from_mesh = keep.address(joints), keep.address(columns)
    return skin


def _world_from_joint(joints: Joints, rest: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """(J, 4, 4) in the rest pose."""
    parents = np.asarray(joints.parents)
    world = matrices_from_rows(rest)
    for j, parent in enumerate(parents):
        if parent >= j:
            raise ArgumentError("it must come after its parent", f"joint '{list(joints.names)[j]}'")
        if parent >= 0:
            with np.errstate(all="ignore"):  # the library says what is wrong
                world[j] = world[parent] @ world[j]
    return world


def matrices_from_rows(rows: Any) -> "np.ndarray[Any, Any]":
    """(..., 4, 4) of (..., 10) rows tx ty tz  qx qy qz qw  sx sy sz."""
    rows = np.asarray(rows, np.float64)
    q = rows[..., 3:7]
    norm = np.linalg.norm(q, axis=-1, keepdims=True)
    x, y, z, w = np.moveaxis(q / np.where(norm > 0, norm, 1), -1, 0)
    out = np.zeros(rows.shape[:-1] + (4, 4))
    out[..., 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], -1)
    out[..., 1, :3] = np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], -1)
    out[..., 2, :3] = np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1)
    out[..., :3, :3] *= rows[..., None, 7:10]
    out[..., :3, 3] = rows[..., :3]
    out[..., 3, 3] = 1
    return out


def _mesh(mesh: Mesh, skin: int, keep: m.Keep) -> s.Mesh:
    of = f"of mesh '{mesh.name}'"
    row = s.Mesh()
    row.name = row.node_name = m.encode(mesh.name, "the name of a mesh")
    row.skin = skin
    positions = m.floats(mesh.positions, (None, 3), f"the positions {of}")
    triangles = m.integers(mesh.triangles, (None, 3), f"the triangles {of}", np.uint32)
    count = len(positions)
    row.vertex_count, row.triangle_count = count, len(triangles)
    row.positions, row.triangles = keep.address(positions), keep.address(triangles)
    for name, width in (("normals", 3), ("uvs", 2), ("colors", 4)):
        value = getattr(mesh, name)
        if value is not None:
            numbers = m.floats(value, (count, width), f"the {name} {of}")
            if not np.isfinite(numbers).all():
                raise ArgumentError(f"the {name} {of} must be finite numbers")
            setattr(row, name, keep.address(numbers))
    _influences(mesh, row, count, keep)
    _morphs(mesh, row, count, keep)
    layers = [
        s.Layer(m.encode(name, "the name of a layer"),
                keep.address(m.floats(values, (count,), f"the layer '{name}' {of}")))
        for name, values in mesh.layers.items()
    ]
    row.layer_count, row.layers = len(layers), keep.structs(s.Layer, layers)
    return row


def _morphs(mesh: Mesh, row: s.Mesh, count: int, keep: m.Keep) -> None:
    of = f"of mesh '{mesh.name}'"
    morphs = [
        s.Morph(m.encode(name, "the name of a morph"),
                keep.address(m.floats(values, (count, 3), f"the morph '{name}' {of}")), None)
        for name, values in mesh.morphs.items()
    ]
    row.morph_count, row.morphs = len(morphs), keep.structs(s.Morph, morphs)
    if mesh.morph_defaults is not None:
        defaults = m.floats(mesh.morph_defaults, (len(morphs),), f"the morph_defaults {of}")
        row.morph_defaults = keep.address(defaults)


def _influences(mesh: Mesh, row: s.Mesh, count: int, keep: m.Keep) -> None:
    of = f"of mesh '{mesh.name}'"
    given = mesh.influences
    if given is None:
        first = np.arange(count + 1, dtype=np.uint32)
        joint, weight = np.zeros(count, np.uint16), np.ones(count, np.float32)
    elif isinstance(given, tuple):
        if len(given) != 3:
            raise ArgumentError(f"the influences {of} must be (first, joint, weight), not {len(given)} things")
        first = m.integers(given[0], (count + 1,), f"influences first {of}", np.uint32)
        joint = m.integers(given[1], (None,), f"influences joint {of}", np.uint16)
        weight = m.floats(given[2], (len(joint),), f"influences weight {of}")
        rising = count == 0 or bool(np.all(first[1:] >= first[:-1]))
        if not rising or int(first[0]) != 0 or int(first[-1]) != len(joint):
            raise ArgumentError(f"influences first {of} must rise from 0 to {len(joint)}, the number of weights")
    else:
        dense = m.floats(given, (count, len(np.atleast_1d(mesh.joints))), f"the influences {of}")
        rows, columns = np.nonzero(dense)
        first = np.zeros(count + 1, np.uint32)
        np.cumsum(np.bincount(rows, minlength=count), out=first[1:], dtype=np.uint32)
        joint, weight = columns.astype(np.uint16), np.ascontiguousarray(dense[rows, columns])
    row.influence_first = keep.address(first)
    # Even where there are none, the library wants to be shown where they would be.
    row.influence_joint = keep.address(joint if joint.size else np.zeros(1, np.uint16))
    row.influence_weight = keep.address(weight if weight.size else np.zeros(1, np.float32))


# --- clips ---


def fill_clips(
    model: s.Model, clips: Sequence[Clip], rest: "np.ndarray[Any, Any]", morph_counts: Sequence[int], keep: m.Keep
) -> None:
    """Fills the clips of a model whose rig and meshes are known."""
    rows = [_clip(clip, rest, morph_counts, keep) for clip in clips]
    model.clip_count, model.clips = len(rows), keep.structs(s.Clip, rows)


def _clip(clip: Clip, rest: "np.ndarray[Any, Any]", morph_counts: Sequence[int], keep: m.Keep) -> s.Clip:
    if not isinstance(clip, Clip):
        raise ArgumentError(f"clips must be limber.Clip, not {type(clip).__name__}")
    row = s.Clip()
    row.name = m.encode(clip.name, "the name of a clip")
    channels = list(clip.channels)
    if clip._local is not None:
        channels += _sampled_channels(clip, rest, morph_counts)
    rows = [_channel(channel, i, clip.name, len(rest), morph_counts, keep) for i, channel in enumerate(channels)]
    row.channel_count, row.channels = len(rows), keep.structs(s.Channel, rows)
    return row


def _sampled_channels(clip: Clip, rest: "np.ndarray[Any, Any]", morph_counts: Sequence[int]) -> List[Channel]:
    times, local, weights = clip._times, clip._local, clip._weights
    if local.shape[1] != len(rest):
        raise ArgumentError(f"its poses have {local.shape[1]} joints, the rig {len(rest)}", f"clip '{clip.name}'")
    moves = np.any(local != local[:1], axis=0) if len(local) > 1 else np.zeros(local.shape[1:], bool)
    channels: List[Channel] = []
    for path, part in (("translation", slice(0, 3)), ("rotation", slice(3, 7)), ("scale", slice(7, 10))):
        moving = moves[:, part].any(axis=1)
        away = (local[0, :, part] != rest[:, part]).any(axis=1)
        for joint in np.nonzero(moving | away)[0]:
            values = local[:, joint, part] if moving[joint] else local[:1, joint, part]
            channels.append(Channel(path, int(joint), times[: len(values)], _unflipped(path, values)))
    channels += _weight_channels(clip, morph_counts)
    if len(times) > 1 and not any(len(channel.times) == len(times) for channel in channels):
        channels = _hold_first_joint(channels, times, local)
    return channels


def _unflipped(path: str, values: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Quaternions q and -q are the same rotation; neighbors get the same sign."""
    if path != "rotation" or len(values) < 2:
        return values
    opposite = np.einsum("fi,fi->f", values[1:], values[:-1]) < 0
    signs = np.where(np.cumsum(opposite) % 2 == 1, np.float32(-1), np.float32(1))
    return np.concatenate([values[:1], values[1:] * signs[:, None]])


def _weight_channels(clip: Clip, morph_counts: Sequence[int]) -> List[Channel]:
    weights = clip._weights
    if weights is None:
        return []
    if weights.shape[1] != sum(morph_counts):
        raise ArgumentError(
            f"it has {weights.shape[1]} morph weights, the meshes {sum(morph_counts)}", f"clip '{clip.name}'"
        )
    channels, first = [], 0
    for mesh, count in enumerate(morph_counts):
        part = weights[:, first : first + count]
        first += count
        if count:
            still = not np.any(part != part[:1])
            part = part[:1] if still else part
            channels.append(Channel("weights", mesh, clip._times[: len(part)], part))
    return channels


def _hold_first_joint(channels: List[Channel], times: Any, local: Any) -> List[Channel]:
    """A clip lasts from its first key to its last: where nothing moves, one joint says how long."""
    if not local.shape[1]:
        return channels
    rest = [c for c in channels if not (c.path == "rotation" and c.target == 0)]
    return [Channel("rotation", 0, times, local[:, 0, 3:7])] + rest


def _channel(
    channel: Channel, index: int, clip: str, joint_count: int, morph_counts: Sequence[int], keep: m.Keep
) -> s.Channel:
    place = f"channel {index} of clip '{clip}'"
    if not isinstance(channel, Channel):
        raise ArgumentError(f"channels must be limber.Channel, not {type(channel).__name__}", place)
    if channel.path not in _PATHS:
        raise ArgumentError(f"unknown path '{channel.path}'; there are {', '.join(_PATHS)}", place)
    if channel.interpolation not in _INTERPOLATIONS:
        raise ArgumentError(
            f"unknown interpolation '{channel.interpolation}'; there are {', '.join(_INTERPOLATIONS)}", place
        )
    path, width = _PATHS[channel.path]
    limit = len(morph_counts) if channel.path == "weights" else joint_count
    target = int(m.integers(channel.target, (), "target", np.uint32))
    if target >= limit:
        raise ArgumentError("its target is out of range", place)
    if channel.path == "weights":
        width = morph_counts[target]
    times = m.floats(channel.times, (None,), f"the times of {place}")
    shape: Tuple[int, ...] = (len(times), 3, width) if channel.interpolation == "cubic" else (len(times), width)
    values = m.floats(channel.values, shape, f"the values of {place}")
    row = s.Channel()
    row.path, row.interpolation = path, _INTERPOLATIONS[channel.interpolation]
    row.target, row.key_count = target, len(times)
    row.times, row.values = keep.address(times), keep.address(values)
    return row
