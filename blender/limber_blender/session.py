"""One character: what was read from Blender, what limber made of it, and when which of it is out of date.

Nothing depends on which frames were seen before: a session answers any frame with the same numbers.
"""
import time

import numpy as np

from . import animated, attributes, baked, companions, curves, exaggerate, formulas, gains, library, maths, nodes, props, pulls, rig as rigs
from . import sample, smear, style as styles

FORMULA_LENGTH = 1000  # characters of a formula that limber accepts, less a few
STILL = 1e-5  # of a pose that counts as the sampled one, relative to its numbers


class Session:
    """
    problem   None, or a sentence that says what is wrong and what to do
    notes     sentences: warnings of the style, and what limber does not know about this rig
    rig, samples, range, character, pipeline
    """

    def __init__(self, armature):
        self.name = armature.name_full
        self.problem, self.notes = None, []
        self.rig = self.samples = self.range = self.character = self.pipeline = self.style = None
        self.scene, self.fps = ("",), 24.0
        self.cost_s = self.pose_s = 0.0  # what the last reading and the last posing took
        self.written = None  # frame that the offsets in Blender are for
        self._signature, self._base, self._base_world = None, None, None
        self._plain, self._smears, self._locals, self._posed, self._motion = None, False, None, False, None
        self._keys = self.ground = self._pulls = None
        self._steps, self._step = {}, None  # values that are set frame by frame, and those that are in force
        self.companions = companions.Companions()
        self._stale = {"structure", "motion", "style"}

    # --- what is out of date ---

    @property
    def armature(self):
        return rigs.object_named(self.name, "ARMATURE")

    def forget(self, *what):
        """"structure": rig and meshes; "motion": the animation; "style". What depends on it follows."""
        self._stale |= set(what or ("structure", "motion", "style"))

    @property
    def is_exaggerated(self):
        """Whether the style moves the skeleton itself."""
        return self._plain is not None

    @property
    def is_posed(self):
        return self._posed

    def actions(self):
        """Names of the actions that move this character."""
        found = set()
        for one in sample.movers(self.armature):
            data = one.animation_data
            if data is not None:
                strips = [s.action for t in data.nla_tracks for s in t.strips]
                found |= {a.name_full for a in [data.action] + strips if a is not None}
        return found | self._key_actions()

    def _key_actions(self):
        objects = [part.object for part in self.rig.parts] if self.rig else []
        keys = [o.data.shape_keys for o in objects if o is not None and o.data.shape_keys is not None]
        return {k.animation_data.action.name_full for k in keys if k.animation_data and k.animation_data.action}

    # --- bringing it up to date ---

    def update(self, scene):
        """Reads again what changed. Raises what limber raises; `live` turns that into `problem`."""
        armature = self.armature
        fps = scene.render.fps / scene.render.fps_base
        clock = (scene.name, fps, sample.stretch_of(scene))
        if clock != self.scene[:3]:
            self.fps = fps
            self.forget("motion")
        elif self.scene[3:] != (scene.frame_start, scene.frame_end):
            self.forget("range")
        self.scene = clock + (scene.frame_start, scene.frame_end)
        if not self._stale:
            return
        begin, limber = time.perf_counter(), library.limber()
        if "structure" in self._stale:
            self._read_structure(limber, armature)
        if "motion" in self._stale or sample.clip_range(armature, scene) != self.range:
            self._read_motion(limber, armature, scene)
        elif self._base is None:
            self._make_character(limber, self._locals)
        self._make_pipeline(limber, armature)
        self._step = None
        self._stale.clear()
        self.cost_s = time.perf_counter() - begin

    def _read_structure(self, limber, armature):
        old, self.rig = self.rig, rigs.build(limber, armature)
        self._signature = rigs.signature(armature)
        self._base = None
        self.companions.forget()
        if old is None or not old.moves_like(self.rig) or self._posed:
            self._stale.add("motion")

    def structure_changed(self, names=None):
        """Whether the character has to be read again, judged by all objects, or by those that Blender says changed."""
        armature = self.armature
        if self.rig is None or armature is None:
            return True
        if names is None:
            return rigs.signature(armature) != self._signature
        if any(part.object is None for part in self.rig.parts):
            return True
        if self.name in names and rigs.armature_signature(armature) != self._signature[""]:
            return True
        objects = [o for o in map(rigs.object_named, names) if o is not None and o.type == "MESH"]
        return any(rigs.object_signature(o) != self._signature.get(o.name_full) if rigs.belongs(o, armature)
                   else o.name_full in self._signature for o in objects)

    def _read_motion(self, limber, armature, scene):
        self.range = sample.clip_range(armature, scene)
        self.samples = sample.sample(armature, self.rig, scene, self.range.frames(self.fps))
        self._locals = maths.steady(self.rig.locals_of(self.samples.objects, self.samples.pose))
        self._posed, self._motion, self._keys = False, sample.signature(armature), animated.signature(armature)
        self.companions.read(armature, self.rig, scene, self.fps)
        self._make_character(limber, self._locals)

    def values_changed(self):
        """Whether keys of the style were set since the motion was read."""
        return self.samples is not None and self._keys != animated.signature(self.armature)

    def pulls_changed(self):
        return self._pulls is not None and self._pulls != pulls.of(self.armature)

    def motion_changed(self):
        """Whether other frames than the current one have to be read again."""
        return self._motion != sample.signature(self.armature)

    def _make_character(self, limber, local):
        first = self.samples.objects[0]
        if self._base is None or not np.array_equal(first, self._base_world):
            meshes = [part.mesh for part in self.rig.parts]
            self._base = limber.Character.build(self.rig.joints(limber, first), meshes)
            self._base_world = first
        times = self._times()
        weights = sample.weight_rows(self.rig, self.samples.weights, len(times))
        played = limber.Clip.sampled("Blender", times, local, weights)
        self.character = self._base.with_clips([played] + self.companions.made(limber, self.rig))
        self.pipeline = self._plain = None

    def _make_pipeline(self, limber, armature, frame=0):
        if self.pipeline is not None and "style" not in self._stale:
            return
        style = limber.Style().read(props.style_text(armature))
        gains.used(armature)
        chosen, self._steps = animated.into(style.dict, animated.rows_of(armature), self.samples.controls, self._times())
        for path, values in self._steps.items():
            chosen = styles.put(chosen, path, values[self._row(frame)])
        self._pulls = pulls.of(armature)
        chosen = pulls.into(chosen, self._pulls, float(self.character.size), self.samples.frames[0], self.fps)
        chosen = exaggerate.without(armature, chosen)
        if chosen != style.dict:
            style = limber.Style().read(chosen)
        self._smears = "smear" in chosen
        style.set("skinning", "dualquat" if self.rig.preserve_volume else "linear")
        if self.range.is_loop and chosen.get("loop", "auto") == "auto":
            style.set("loop", True)
        style.set("strength", self._strength(armature, chosen.get("strength", 1)))
        self.style = style
        self.pipeline = limber.Pipeline(self.character, style)
        self.pipeline.set_outputs(normals=False, skinned=True)
        self._plain = self.ground = None
        if self.pipeline.edited_clip(0) is not None:
            self._plain = limber.Pipeline(self.character, {"skinning": style.dict["skinning"]}
                                          if self.rig.preserve_volume else None)
            self._plain.set_outputs(normals=False, skinned=True)
        self.notes = list(self.rig.notes) + list(self.pipeline.warnings)

    # --- strength ---

    def _strength(self, armature, own):
        """The property, over time when it has keys or a driver, times the strength that the style has itself."""
        moving = [c for c in curves.of(armature) + curves.drivers(armature) if c.data_path == "limber.strength"]
        values = self.samples.strength if moving or np.ptp(self.samples.strength) > 0 else None
        if values is None:
            value = armature.limber.strength
            return round(value * own, 6) if isinstance(own, (int, float)) else f"min(2, ({own}) * {value:.6g})"
        times = self._times()
        room = FORMULA_LENGTH - (len(own) + 20 if isinstance(own, str) else 20)
        text = formulas.of_curve(times, np.clip(values, 0, 2), room)
        return text if own == 1 else f"min(2, ({own}) * {text})"

    # --- frames ---

    def _times(self):
        """Seconds in the clip of the samples."""
        return (self.samples.frames - self.samples.frames[0]) / self.fps

    def _row(self, frame):
        """The sample that is nearest to a frame of the scene."""
        return int(np.argmin(np.abs(self.samples.frames - self.range.place(frame))))

    @property
    def has_steps(self):
        """Whether a value that takes no formula is animated: every frame has a style of its own."""
        return bool(self._steps)

    def _keep_step(self, frame):
        wanted = tuple(values[self._row(frame)] for values in self._steps.values())
        if wanted != self._step:
            self.pipeline = None
            self._make_pipeline(library.limber(), self.armature, frame)
            self._step = wanted

    def time_of(self, frame):
        """Seconds in the clip at a frame of the scene, with its fraction."""
        return (self.range.place(frame) - self.samples.frames[0]) / self.fps

    def evaluate(self, frame):
        """{name of the object: offsets (V, 3) float32 in the object's own space} at a frame of the scene.

        `update` comes first. What Blender shows without limber, plus the offset, is what it shows with limber.
        """
        found, _ = self.evaluate_frame(frame)
        return found

    def evaluate_frame(self, frame):
        """The offsets, and limber's own frame with smears and everything else (valid until the next call)."""
        if not self.rig.parts:
            return {}, None
        if self._steps:
            self._keep_step(frame)
        at = self.time_of(frame)
        if self._smears:
            moved = self.pipeline.evaluate_smeared(0, at, self.fps)
        else:
            moved = self.pipeline.evaluate(0, at)
        plain = self._plain.evaluate(0, at) if self._plain is not None else moved
        shift = moved.positions - plain.skinned
        found = {}
        for part in self.rig.parts:
            world = plain.world_from_joint[part.joint].astype(float) @ part.bind
            turn = maths.inverse(world)[:3, :3].astype(np.float32)
            found[part.name] = shift[part.slice] @ turn.T
        return found, moved

    def worlds(self, frame):
        """{name of the object: (4, 4) limber's world from its own space} in what Blender plays without limber."""
        plain = (self._plain or self.pipeline).evaluate(0, self.time_of(frame))
        return {part.name: plain.world_from_joint[part.joint].astype(float) @ part.bind for part in self.rig.parts}

    def write(self, scene):
        """Brings everything up to date and writes the offsets of the scene's current frame."""
        self.update(scene)
        stamp, frame = scene.frame_current_final, scene.frame_current + scene.frame_subframe
        found, moved = self.evaluate_frame(frame)
        if moved is not None:
            smear.show(self, moved)
        more = attributes.of(self, frame, found) if found and attributes.is_on(self.armature) else {}
        for name, offsets in found.items() if not baked.kind(self.armature) else ():
            obj = rigs.object_named(name, "MESH")
            if obj is not None and nodes.carrier_of(obj) is not None:
                nodes.use_attributes(obj, name in more)
                nodes.write(obj, offsets, stamp, more.get(name))
        self.written = stamp

    # --- posing without keys ---

    def pose(self, scene, graph):
        """Compares what is on the screen with the samples. True when the user has posed the rig: then the whole clip
        takes the same turn, as a bone without keys does, so that its motion stays what it is."""
        if self._stale or self.samples is None or scene.name != self.scene[0]:
            return False
        frame = self.range.place(scene.frame_current + scene.frame_subframe)
        row = int(np.argmin(np.abs(self.samples.frames - frame)))
        if abs(self.samples.frames[row] - frame) > 1e-3:
            return False
        world, pose = sample.current(self.armature, self.rig, graph)
        if _same(world, self.samples.objects[row]) and _same(pose, self.samples.pose[row]):
            if not self._posed:
                return False
            local = self._locals
        else:
            local = _turned(self._locals, row, self.rig.locals_of(world[None], pose[None])[0])
        self._posed = local is not self._locals
        begin, limber = time.perf_counter(), library.limber()
        self._make_character(limber, local)
        self._make_pipeline(limber, self.armature)
        self.pose_s = time.perf_counter() - begin
        return True


def _same(a, b):
    return np.abs(a - b).max(initial=0) <= STILL * max(1.0, np.abs(b).max(initial=0))


def _turned(local, row, posed):
    """All poses, changed as the one at `row` has to be to become `posed`."""
    was, out = local[row], local.copy()
    out[..., :3] += posed[:, :3] - was[:, :3]
    turn = maths.product(posed[:, 3:7], was[:, 3:7] * [-1, -1, -1, 1])
    out[..., 3:7] = maths.product(np.broadcast_to(turn, out[..., 3:7].shape), out[..., 3:7])
    ratio = np.where(np.abs(was[:, 7:]) > 1e-9, posed[:, 7:] / np.where(np.abs(was[:, 7:]) > 1e-9, was[:, 7:], 1), 1)
    out[..., 7:] *= ratio
    return out
