"""The evaluated animation of an armature over a range of frames: action, NLA, constraints and drivers.

A hidden scene that holds the armature alone is stepped through the range. Blender evaluates what the armature depends
on, wherever it is, and no mesh.
"""
import math

import bpy
import numpy as np

from . import animated, curves, scratch

RATE = 24.0  # samples per second at least: limber looks 1/24 s ahead and back
FRAME_LIMIT = 20000  # of the longest clip


class Samples:
    """frames (F,) of the scene; objects (F, 4, 4) world; pose (F, B, 4, 4); strength (F,); weights {(part, key): (F,)};
    controls {id: (F,)} of what is animated in the panels"""

    def __init__(self, frames, bone_count):
        self.frames = np.asarray(frames, float)
        self.objects = np.zeros((len(frames), 4, 4))
        self.pose = np.zeros((len(frames), bone_count, 4, 4))
        self.strength = np.ones(len(frames))
        self.weights, self.controls = {}, {}


class Range:
    """Which frames are one clip. `period` is not 0 when the animation repeats by itself after it; `is_loop` is true
    then, and where the action says so."""

    def __init__(self, start, end, period=0.0, is_loop=False):
        self.start, self.end = float(start), float(min(max(start, end), start + FRAME_LIMIT))
        self.period, self.is_loop = float(period), bool(is_loop or period > 0)

    def __eq__(self, other):
        return vars(self) == vars(other)

    def frames(self, fps):
        """Its ends and all whole frames between them, or halves, thirds, ... where frames are long."""
        parts = max(1, math.ceil(RATE / fps - 1e-6))
        whole = range(math.ceil(self.start * parts), math.floor(self.end * parts) + 1)
        return sorted({self.start, self.end} | {i / parts for i in whole})

    def place(self, frame):
        """The frame of the clip that is seen at a frame of the scene."""
        if self.period > 0 and not self.start <= frame <= self.end:
            frame = self.start + (frame - self.start) % self.period
        return min(max(frame, self.start), self.end)


def stretch_of(scene):
    """How many frames of the animation pass per frame of the scene (time remapping)."""
    return scene.render.frame_map_old / scene.render.frame_map_new


def clip_range(armature, scene):
    """The frames that the settings name.

    "ACTION" means what an animator sees: one period of an action that repeats, the action where the scene plays a part
    of it, and otherwise all that is played or keyed, so that a motion can settle after its last key.
    """
    settings = armature.limber
    if settings.range_mode == "CUSTOM":
        return Range(settings.frame_start, settings.frame_end)
    played = Range(*_played(armature, scene))
    if settings.range_mode == "SCENE":
        return played
    own, others = _action_span(armature, stretch_of(scene)), _other_spans(armature, stretch_of(scene))
    if own is None or others:
        ends = others + ([own[:2]] if own is not None else [])
        return Range(min([played.start] + [e[0] for e in ends]), max([played.end] + [e[1] for e in ends]))
    start, end, repeats, is_loop = own
    if repeats and end > start:
        return Range(start, end, end - start)
    if start - 1 <= played.start and played.end <= end + 1:
        return Range(start, end, is_loop=is_loop)
    return Range(min(start, played.start), max(end, played.end))


# Farms render pieces of a range. While Blender renders without a window, the range that the file was saved with counts.
rendering = {"now": False}


def _played(armature, scene):
    now, kept = (scene.frame_start, scene.frame_end), tuple(armature.limber.played)
    inside = kept[0] <= now[0] and now[1] <= kept[1] and kept != (0, 0)
    return kept if rendering["now"] and bpy.app.background and inside and armature.library is None else now


def movers(armature):
    """The armature, its parents, and what its constraints point to, and so on."""
    found, todo = {}, [armature]
    while todo:
        one = todo.pop()
        if one is None or one.name_full in found:
            continue
        found[one.name_full] = one
        constraints = list(one.constraints)
        for bone in one.pose.bones if one.pose else ():
            constraints += list(bone.constraints)
        todo += [one.parent] + [getattr(c, "target", None) for c in constraints]
    return list(found.values())


def _strips(data):
    return [s for t in data.nla_tracks if not t.mute for s in t.strips if not s.mute] if data is not None else []


def _other_spans(armature, stretch):
    """Where NLA strips and objects besides the armature have keys, in frames of the scene."""
    found = []
    for one in movers(armature):
        found += [(s.frame_start, s.frame_end) for s in _strips(one.animation_data)]
        span = curves.key_span(curves.of(one)) if one != armature else None
        found += [span] if span is not None and span[1] > span[0] else []
    return [(start / stretch, end / stretch) for start, end in found]


def _action_span(armature, stretch):
    """First and last frame of the armature's action, whether it repeats, whether it says that it is a loop."""
    data = armature.animation_data
    found = [c for c in curves.of(armature) if not c.data_path.startswith("limber.")]
    span = curves.key_span(found)
    if span is None:
        return None
    moving = [c for c in found if len(c.keyframe_points) > 1]
    repeats = bool(moving) and all(curves.cycles(c, span) for c in moving)
    manual = getattr(data.action, "use_frame_range", False)
    if manual:
        span = (data.action.frame_start, data.action.frame_end)
    return span[0] / stretch, span[1] / stretch, repeats, manual and data.action.use_cyclic


def signature(armature):
    """Changes with settings that move an armature at other frames than the current one: which action, NLA strips,
    constraints, drivers. Blender only says that something about the armature changed."""
    data = armature.animation_data
    rows = [armature.data.pose_position, armature.mode == "EDIT"]
    if data is not None:
        rows += [data.action and data.action.name_full, data.use_nla, data.action_influence, data.action_blend_type]
        rows += [(t.mute, t.is_solo, tuple(_strip(s) for s in t.strips)) for t in data.nla_tracks]
        rows += [(d.data_path, d.array_index, d.mute, d.driver.expression) for d in data.drivers]
    rows += [_constraint(c) for c in armature.constraints]
    for bone in armature.pose.bones:
        rows += [_constraint(c) for c in bone.constraints]
    return rows


def _strip(strip):
    return (strip.action and strip.action.name_full, strip.frame_start, strip.frame_end, strip.action_frame_start,
            strip.action_frame_end, strip.scale, strip.repeat, strip.mute, strip.influence, strip.blend_type,
            strip.extrapolation, strip.use_reverse)


def _constraint(one):
    target = getattr(one, "target", None)
    return (one.type, one.mute, one.influence, target and target.name_full, getattr(one, "subtarget", ""))


def sample(armature, rig, scene, frames):
    """Samples at frames of the scene."""
    found = Samples(frames, len(rig.bones))
    bones = _bone_order(armature, rig)
    raw = np.empty(16 * len(armature.pose.bones), np.float32)
    probe = _Probe(rig)
    found.controls = {name: np.zeros(len(frames)) for name in animated.ids_of(armature)}
    try:
        with scratch.scene(scene, [armature] + probe.objects(armature)) as made:
            for i, frame in enumerate(frames):
                whole = math.floor(frame)
                made.frame_set(whole, subframe=frame - whole)
                graph = made.view_layers[0].depsgraph
                evaluated = armature.evaluated_get(graph)
                found.objects[i], found.pose[i] = read(evaluated, bones, raw)
                found.strength[i] = evaluated.limber.strength
                for name, values in found.controls.items():
                    values[i] = getattr(evaluated.limber.controls, name)
                probe.read(graph, i, len(frames))
            found.weights = probe.values
    finally:
        probe.remove()
    _key_curves(rig, found, stretch_of(scene))
    return found


def play(armature, rig, made, frames):
    """World matrices (F, 4, 4) and poses (F, B, 4, 4) of an armature in a scene of `scratch`."""
    bones, raw = _bone_order(armature, rig), np.empty(16 * len(armature.pose.bones), np.float32)
    found = []
    for frame in frames:
        whole = math.floor(frame)
        made.frame_set(whole, subframe=frame - whole)
        found.append(read(armature.evaluated_get(made.view_layers[0].depsgraph), bones, raw))
    return np.stack([world for world, _ in found]), np.stack([pose for _, pose in found])


def _bone_order(armature, rig):
    place = {bone.name: i for i, bone in enumerate(armature.pose.bones)}
    return np.array([place[name] for name in rig.bones], int)


def read(evaluated, bones, raw):
    """The world matrix of an evaluated armature, and its pose in the rig's order. Blender stores columns."""
    evaluated.pose.bones.foreach_get("matrix", raw)
    return np.array(evaluated.matrix_world), raw.reshape(-1, 4, 4)[bones].transpose(0, 2, 1)


def current(armature, rig, graph):
    """What the user's own scene shows now."""
    raw = np.empty(16 * len(armature.pose.bones), np.float32)
    return read(armature.evaluated_get(graph), _bone_order(armature, rig), raw)


# --- shape keys ---

def _keys_of(part):
    obj = part.object
    return obj.data.shape_keys if obj is not None and part.keys else None


class _Probe:
    """An object that carries copies of the drivers of shape keys, because keys come with their meshes only.

    A hidden armature (disabled in viewports) is evaluated only when something needs it: then this does.
    """

    def __init__(self, rig):
        self.drivers, self.values, self.made = [], {}, None
        for number, part in enumerate(rig.parts):
            keys = _keys_of(part)
            for driver in curves.drivers(keys) if keys is not None else ():
                name = curves.key_name(driver)
                if name in part.keys and not driver.mute:
                    self.drivers.append((number, name, driver))

    def objects(self, armature):
        if not self.drivers and not armature.hide_viewport:
            return []
        mesh = bpy.data.meshes.new(".limber probe")
        mesh.vertices.add(1)
        self.made = bpy.data.objects.new(".limber probe", mesh)
        self.made.parent = armature
        needs = self.made.modifiers.new("Armature", "ARMATURE")
        needs.object, needs.use_bone_envelopes = armature, True  # without envelopes only bones of vertex groups count
        data = self.made.animation_data_create()
        for i, (_, _, driver) in enumerate(self.drivers):
            self.made[f"p{i}"] = 0.0
            data.drivers.from_existing(src_driver=driver).data_path = f'["p{i}"]'
        return [self.made]

    def read(self, graph, row, count):
        if not self.drivers:
            return
        evaluated = self.made.evaluated_get(graph)
        for i, (part, name, _) in enumerate(self.drivers):
            self.values.setdefault((part, name), np.zeros(count))[row] = evaluated[f"p{i}"]

    def remove(self):
        if self.made is not None:
            mesh = self.made.data
            bpy.data.objects.remove(self.made)
            bpy.data.meshes.remove(mesh)


def _key_curves(rig, found, stretch):
    """Weights of the shape keys over the samples. Those of drivers are there already."""
    made = key_values(rig, found.frames * stretch, curves.of, found.weights)
    found.weights.update(made)


def key_values(rig, frames, curves_of, known=()):
    """{(part, key): its values (F,)} as the sliders limit them, at frames of the curves that `curves_of(keys)` has."""
    found = {}
    for number, part in enumerate(rig.parts):
        keys = _keys_of(part)
        by_name = {curves.key_name(c): c for c in curves_of(keys) if not c.mute} if keys is not None else {}
        for name in part.keys if keys is not None else ():
            block = keys.key_blocks.get(name)
            if block is None:
                continue
            values = np.full(len(frames), block.value)
            if (number, name) in known:
                values = known[number, name]
            elif name in by_name:
                values = np.array([by_name[name].evaluate(frame) for frame in frames])
            found[number, name] = np.clip(values, block.slider_min, block.slider_max)
    return found


def weight_rows(rig, values, count):
    """(F, M) of all keys of all parts, or None where there are none."""
    rows = [values.get((number, key), np.zeros(count)) for number, part in enumerate(rig.parts) for key in part.keys]
    return np.stack(rows, -1).astype(np.float32) if rows else None
