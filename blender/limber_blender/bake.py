"""Bakes: what limber shows, as shape keys, mesh caches or bones that Blender plays without the add-on.

A bake is a generator that yields (done, total). Until its last step it changes nothing in the file, so it can be
stopped anywhere; `unbake` puts back what was there. Outside of the baked frames the plain animation plays.
"""
import os

import bpy
import numpy as np

from . import bake_bones, bake_cache, bake_shapes, baked, live, nodes, rig as rigs

KINDS = {"SHAPES": bake_shapes, "PC2": bake_cache, "MDD": bake_cache, "BONES": bake_bones}


class Problem(Exception):
    """A sentence for the user: what is wrong, and what to do."""


class Settings:
    """kind: a key of KINDS, or "AUTO"; first, last: frames; tolerance in L, 0 is exact; folder of caches."""

    def __init__(self, kind, first, last, tolerance=0.0, folder="//"):
        self.kind, self.first, self.last, self.tolerance, self.folder = kind, int(first), int(last), tolerance, folder

    @property
    def frames(self):
        return np.arange(self.first, self.last + 1)


def run(armature, scene, settings):
    """Bakes a character. Yields (done, total); the work is done when it ends."""
    session = _session(armature, scene, settings)
    if settings.kind == "AUTO":
        result = yield from _smallest(armature, session, settings)
    else:
        KINDS[settings.kind].check(armature, session, settings, Problem)
        result = yield from KINDS[settings.kind].compute(session, scene, settings)
    _commit(armature, session, settings, KINDS[settings.kind], result)


def _smallest(armature, session, settings):
    """Shape keys or helper bones, which takes less; the kind of the settings becomes theirs."""
    bake_shapes.check(armature, session, settings, Problem)
    try:
        bake_bones.check(armature, session, settings, Problem)
        kind = "auto"
    except Problem:
        kind = "corrective"
    made = None
    for made in bake_shapes.in_thread(session, settings, kind):
        if isinstance(made, tuple):
            yield made
    settings.kind = "BONES" if made.kind == "bones" else "SHAPES"
    return made, bake_shapes.placed(session, settings, made)


def finish(steps):
    """All of a bake at once."""
    for _ in steps:
        pass


def _session(armature, scene, settings):
    if baked.kind(armature):
        raise Problem(f"{armature.name} is baked already. Press Unbake first")
    session = live.session_of(armature)
    if session is None:
        raise Problem("Press Add Limber first")
    if settings.last < settings.first:
        raise Problem(f"The last frame ({settings.last}) is before the first ({settings.first})")
    if not armature.limber.show:
        raise Problem("Limber is hidden. Switch Show on, so that there is something to bake")
    if session.is_posed:
        session.forget("motion")
    session.update(scene)
    if session.has_steps and settings.kind not in ("PC2", "MDD"):
        raise Problem("A value is keyed that takes no formula, so that every frame has a style of its own. Bake to a mesh "
                      "cache")
    if not session.rig.parts:
        raise Problem(f"No mesh moves with {armature.name}. Parent one to it with automatic weights")
    for part in session.rig.parts:
        if part.object is None or part.object.library is not None:
            raise Problem(f"{part.name} is linked from another file. Make an override: Object > Library Override > "
                          "Make")
    return session


def _commit(armature, session, settings, room, result):
    record = armature.limber_bake
    record.kind = "CACHE" if room is bake_cache else settings.kind
    record.first, record.last = settings.first, settings.last
    try:
        for part in session.rig.parts:
            _silence(record, part.object)
        room.commit(armature, record, session, settings, result)
    except BaseException:
        unbake(armature)
        raise
    live.baked_changed(armature)
    bpy.context.view_layer.update()


def _silence(record, obj):
    """The Limber modifier stays, and does nothing."""
    part = record.parts.add()
    part.object = obj
    modifier = nodes.modifier_of(obj)
    if modifier is not None:
        baked.put(part, shown=[modifier.show_viewport, modifier.show_render])
        nodes.blank(obj)
        modifier.show_viewport = modifier.show_render = False


def unbake(armature):
    """Puts back what was there before the bake. Files of caches stay."""
    record = armature.limber_bake
    room = bake_cache if record.kind == "CACHE" else KINDS[record.kind]
    for part in record.parts:
        if part.object is not None and rigs.belongs(part.object, armature):  # a duplicate may name another's meshes
            room.undo(part.object, part)
            shown, modifier = baked.get(part, "shown"), nodes.modifier_of(part.object)
            if shown is not None and modifier is not None:
                modifier.show_viewport, modifier.show_render = shown
    if hasattr(room, "undo_armature"):
        room.undo_armature(armature, record)
    actions = [record.made] + [part.made for part in record.parts]
    armature.property_unset("limber_bake")
    for action in actions:
        if action is not None and action.users == 0:
            bpy.data.actions.remove(action)
    live.baked_changed(armature)


def missing_files(armature):
    """Names of caches that are not where they were."""
    gone = []
    for part in armature.limber_bake.parts if baked.kind(armature) == "CACHE" else ():
        path = baked.get(part, "path", "")
        if path and not os.path.exists(bpy.path.abspath(path)):
            gone.append(path)
    return gone
