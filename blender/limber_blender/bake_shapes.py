"""Shape keys: one per frame, or few that are mixed. They come before the armature, so limber's bake is a corrective."""
import threading

import bpy
import numpy as np

from . import baked, keyed, library, rig as rigs, sample

PREFIX = "Limber "


def check(armature, session, settings, problem):
    if session.is_exaggerated:
        raise problem("The style changes the action: its timing, poses or bones. Press Exaggerated Action first, or "
                      "bake to a mesh cache")
    for part in session.rig.parts:
        check_mesh(armature, part.object, problem)


def check_mesh(armature, obj, problem):
    keys = obj.data.shape_keys
    if obj.data.library is not None or obj.data.override_library is not None:
        raise problem(f"The mesh of {obj.name} is linked from another file. Bake to a mesh cache")
    if obj.data.users > 1:
        raise problem(f"{obj.name} shares its mesh with other objects. Make it single user: Object > Relations, or "
                      "bake to a mesh cache")
    if keys is not None and not keys.use_relative:
        raise problem(f"The shape keys of {obj.name} are absolute. Switch Relative on, or bake to a mesh cache")
    skin = rigs.skin_modifier(obj, armature)
    before = list(obj.modifiers)[:list(obj.modifiers).index(skin)] if skin else ()
    for modifier in before:
        if modifier.type not in rigs.DEFORM_ONLY and modifier.show_viewport:
            raise problem(f"{obj.name}: the modifier {modifier.name} makes vertices that have no shape keys. Apply it, "
                          "or bake to a mesh cache")


def compute(session, scene, settings):
    """(limber's bake, weights of its targets at the frames of the scene)."""
    made = None
    for made in in_thread(session, settings, "corrective"):
        if isinstance(made, tuple):
            yield made
    return made, placed(session, settings, made)


def in_thread(session, settings, kind):
    """limber's bake, beside the interface: yields (done, total) and last the bake. Closing it stops the work."""
    limber = library.limber()
    pipeline = limber.Pipeline(session.character, session.style)
    box = {"at": (0, 1), "stop": False}

    def progress(done, total):
        box["at"] = (done, total)
        return not box["stop"]

    def work():
        try:
            box["made"] = pipeline.bake(kind, clips=[0], fps=session.fps, range=needed(session, settings),
                                        tolerance=settings.tolerance, normals=False, smear_meshes="none",
                                        progress=progress)
        except BaseException as error:
            box["error"] = error

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield box["at"]
        while thread.is_alive():
            thread.join(0.02)
            yield box["at"]
    finally:
        box["stop"] = True
        thread.join()
    if "error" in box:
        raise box["error"]
    yield box["made"]


def needed(session, settings):
    """Seconds of the clip that the frames show."""
    times = [session.time_of(float(frame)) for frame in settings.frames]
    if session.range.period > 0 and settings.last > session.range.end:
        times += [0.0, session.time_of(session.range.end)]
    return min(times), max(times)


def placed(session, settings, made):
    """Per mesh (F, T): the weights at the frames of the scene, as those of the clip lie around them."""
    times = np.array([session.time_of(float(frame)) for frame in settings.frames])
    known = np.asarray(made.tracks[0].times, float)
    right = np.clip(np.searchsorted(known, times - 1e-6), 0, len(known) - 1)
    left = np.clip(right - 1, 0, len(known) - 1)
    gap = np.maximum(known[right] - known[left], 1e-9)
    part = np.where(right > left, np.clip((times - known[left]) / gap, 0, 1), 1.0)
    part = np.where(part > 1 - 1e-3, 1.0, part)[:, None]
    found = []
    for mesh in made.meshes:
        rows = mesh.weights[0] if mesh.weights else np.zeros((len(known), 0), np.float32)
        found.append(rows[left] * (1 - part) + rows[right] * part)
    return found


def commit(armature, record, session, settings, result):
    made, weights = result
    for part, mesh, rows in zip(record.parts, made.meshes, weights):
        add(part, mesh.positions, rows, settings)
    baked.put(record, error=made.error)


def add(part, targets, weights, settings):
    """The keys of one mesh, and an action with their values."""
    obj = part.object
    used = [t for t in range(len(targets)) if np.abs(weights[:, t]).max(initial=0) > 1e-7]
    keys = obj.data.shape_keys
    baked.put(part, had_keys=keys is not None, had_data=bool(keys and keys.animation_data), blocks=[],
              active=obj.active_shape_key_index, pinned=obj.show_only_shape_key)
    if not used:
        return
    blocks, frames = _blocks(obj, targets, used, weights), settings.frames
    baked.put(part, blocks=[block.name for block, _, _ in blocks])
    obj.active_shape_key_index = baked.get(part, "active")
    keys = obj.data.shape_keys
    part.before, part.made = keyed.action_beside(keys, " limber", f"{obj.name} limber")
    curves, stretch = keyed.bag(keys), sample.stretch_of(bpy.context.scene)
    around = np.concatenate([[frames[0] - 1], frames, [frames[-1] + 1]]) * stretch
    for block, row, most in blocks:
        values = np.concatenate([[0], row / most, [0]])
        keyed.write(curves, f'key_blocks["{keyed.quoted(block.name)}"].value', 0, around, values, "Limber")


def _blocks(obj, targets, used, weights):
    """[(key block, its weights, what the largest of them is)]. Values stay within -1 and 1."""
    if obj.data.shape_keys is None:
        obj.shape_key_add(name="Basis", from_mix=False)
    basis = obj.data.shape_keys.reference_key
    base = np.empty(3 * len(basis.data), np.float32)
    basis.data.foreach_get("co", base)
    made = []
    for number, t in enumerate(used):
        most = float(np.abs(weights[:, t]).max())
        block = obj.shape_key_add(name=f"{PREFIX}{number + 1:03d}", from_mix=False)
        block.data.foreach_set("co", base + most * targets[t].ravel())
        block.relative_key = basis
        block.slider_min = -1.0 if weights[:, t].min() < 0 else 0.0
        made.append((block, weights[:, t], most))
    return made


def undo(obj, part):
    keys = obj.data.shape_keys
    if keys is None or baked.get(part, "blocks") is None:
        return
    if part.made is not None:
        keyed.give_back(keys, part.before, baked.get(part, "had_data", True))
    if not baked.get(part, "had_keys"):
        obj.shape_key_clear()
    else:
        for name in reversed(baked.get(part, "blocks")):
            if name in keys.key_blocks:
                obj.shape_key_remove(keys.key_blocks[name])
    obj.active_shape_key_index = baked.get(part, "active", 0)
    obj.show_only_shape_key = baked.get(part, "pinned", False)
