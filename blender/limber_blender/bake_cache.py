"""Mesh caches (.pc2, .mdd): positions of every frame in a file, shown by Blender's Mesh Cache modifier.

The modifier stands where limber's does, so modifiers above and below work as before. Positions are Blender's own, of
the modifiers up to the armature, plus limber's offsets.
"""
import os
import struct

import bpy
import numpy as np

from . import baked, nodes, sample, scratch

MODIFIER = "Limber Bake"
FACTOR = f'modifiers["{MODIFIER}"].factor'
CHUNK = 24  # frames per visit of the hidden scene


def check(armature, session, settings, problem):
    folder = bpy.path.abspath(settings.folder)
    if settings.folder.startswith("//") and not bpy.data.filepath:
        raise problem("Save the file first, so that there is a place for the caches, or choose a folder")
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise problem(f"The folder {folder} cannot be made: {error.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise problem(f"The folder {folder} cannot be written to. Choose another one")


def file_of(obj, settings):
    name = bpy.path.clean_name(obj.name)
    return os.path.join(settings.folder, f"{name}.limber.{settings.kind.lower()}")


def compute(session, scene, settings):
    """Writes the files under other names; `commit` gives them theirs."""
    frames = settings.frames
    writers = {part.name: Writer(bpy.path.abspath(file_of(part.object, settings)), settings, session.fps,
                                 part.slice.stop - part.slice.start) for part in session.rig.parts}
    done = False
    try:
        for first in range(0, len(frames), CHUNK):
            some = frames[first:first + CHUNK]
            for frame, plain in zip(some, Plain(session).positions(scene, some)):
                for name, offsets in session.evaluate(float(frame)).items():
                    writers[name].add(plain[name] + offsets)
            yield first + len(some), len(frames)
        for writer in writers.values():
            writer.close()
        done = True
        return writers
    finally:
        if not done:
            for writer in writers.values():
                writer.discard()


class Plain:
    """What Blender's own modifiers make of the meshes, up to where limber's stands."""

    def __init__(self, session):
        self.session = session

    def positions(self, scene, frames):
        """[{object: (V, 3)}] at frames of the scene."""
        copies = {}
        try:
            for part in self.session.rig.parts:
                copies[part.name] = _below(part.object)
            with scratch.scene(scene, [self.session.armature, *copies.values()]) as made:
                return [self._read(made, int(frame), copies) for frame in frames]
        finally:
            for copy in copies.values():
                bpy.data.objects.remove(copy)

    def _read(self, made, frame, copies):
        made.frame_set(frame)
        graph = made.view_layers[0].depsgraph
        return {name: vertices(copy.evaluated_get(graph).data) for name, copy in copies.items()}


def vertices(mesh):
    found = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", found)
    return found.reshape(-1, 3)


def _below(obj):
    """A copy of an object without limber's modifier and those after it."""
    copy = obj.copy()
    ours = [m.name for m in obj.modifiers].index(nodes.modifier_of(obj).name)
    for modifier in list(copy.modifiers)[ours:]:
        copy.modifiers.remove(modifier)
    copy.hide_viewport = False
    return copy


class Writer:
    """One file, frame by frame. It gets its name when it is complete."""

    def __init__(self, path, settings, fps, count):
        self.path, self.beside, self.count, self.kind = path, path + ".part", count, settings.kind
        self.frames = len(settings.frames)
        self.file = open(self.beside, "wb")
        if self.kind == "PC2":
            self.file.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, count, 0.0, 1.0, self.frames))
        else:
            self.file.write(struct.pack(">ii", self.frames, count))
            self.file.write((np.arange(self.frames) / fps).astype(">f4").tobytes())

    def add(self, positions):
        if len(positions) != self.count:
            raise ValueError(f"a mesh has {len(positions)} vertices in one frame and {self.count} in another")
        self.file.write(positions.astype("<f4" if self.kind == "PC2" else ">f4").tobytes())

    def close(self):
        self.file.close()

    def discard(self):
        self.file.close()
        for path in (self.beside,):
            if os.path.exists(path):
                os.remove(path)


def commit(armature, record, session, settings, writers):
    for writer in writers.values():
        os.replace(writer.beside, writer.path)
    stretch = sample.stretch_of(bpy.context.scene)
    for part in record.parts:
        obj = part.object
        baked.put(part, had_data=obj.animation_data is not None, path=file_of(obj, settings))
        _add(obj, file_of(obj, settings), settings, stretch)


def _add(obj, path, settings, stretch):
    modifier = obj.modifiers.new(MODIFIER, "MESH_CACHE")
    modifier.name = MODIFIER
    modifier.time_mode, modifier.play_mode, modifier.interpolation = "FRAME", "SCENE", "LINEAR"
    modifier.deform_mode = "OVERWRITE"
    modifier.frame_scale, modifier.frame_start = 1 / stretch, settings.first
    modifier.show_expanded = False
    nodes.move(obj, modifier, list(obj.modifiers).index(nodes.modifier_of(obj)) + 1)
    modifier.cache_format, modifier.filepath = settings.kind, path  # now that its vertices are those of the file
    driver = obj.driver_add(f'modifiers["{modifier.name}"].factor').driver
    driver.type = "SCRIPTED"
    first, last = settings.first * stretch, settings.last * stretch
    driver.expression = f"frame > {first - 0.01:g} and frame < {last + 0.01:g}"


def undo(obj, part):
    modifier = obj.modifiers.get(MODIFIER)
    if modifier is None or modifier.type != "MESH_CACHE":
        return
    obj.driver_remove(FACTOR)
    obj.modifiers.remove(modifier)
    data = obj.animation_data
    if data is not None and not baked.get(part, "had_data", True) and data.action is None and not data.drivers:
        obj.animation_data_clear()
