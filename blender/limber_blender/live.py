"""When something happens in Blender: which characters have to be looked at again, and what is written where.

Frames go through frame_change_pre, in the viewport, in renders and between frames for motion blur, so that Blender
evaluates every mesh once per frame. Posing and editing come by depsgraph_update_post. No exception leaves a handler:
a problem is a sentence in `Session.problem`, and the character shows its plain animation.
"""
import functools
import traceback

import bpy
from bpy.app.handlers import persistent

from . import baked, gains, library, nodes, props, pulls, rig as rigs, sample, scratch, smear
from .session import Session

SLOW_S = 0.15  # reading that takes longer than this waits until the user pauses
PAUSE_S = 0.25

_sessions = {}
_state = {"names": None, "count": 0, "busy": False, "blanked": [], "waiting": set()}


# --- for operators, panels and bakes ---

def attach(armature):
    """Adds what limber needs to all meshes of a character and shows the current frame."""
    _state["names"] = None
    session = Session(armature)
    _sessions[session.name] = session
    _show(session, bpy.context.scene)
    return session


def detach(armature):
    """Removes everything that `attach` added."""
    session = _sessions.pop(armature.name_full, None)
    _state["names"] = None
    smear.remove(armature)
    pulls.remove(armature)
    objects = rigs.objects_of(armature)
    if session is not None and session.rig is not None:
        objects += [part.object for part in session.rig.parts if part.object not in objects]
    for obj in objects:
        if obj is not None and obj.library is None:
            nodes.remove(obj)


def refresh(armature, *what):
    """The style or another setting changed. `what`: "structure", "motion" or "style"."""
    session = session_of(armature)
    if session is not None:
        session.forget(*(what or ("style",)))
        _show(session, bpy.context.scene)


def session_of(armature):
    """The session of a character, or None when limber is not on it. It may have a `problem`."""
    if not _is_on(armature):
        return None
    found = _sessions.get(armature.name_full)
    if found is None:
        found = _sessions[armature.name_full] = Session(armature)
    return found


def problem(armature):
    """None, or a sentence for the panel."""
    session = _sessions.get(armature.name_full)
    return library.problem() or (session.problem if session is not None else None)


def sessions(scene=None):
    """Of all characters with limber, or of those that a scene can show."""
    if _state["names"] is None or _state["count"] != len(bpy.data.objects):  # no handler says that some were linked
        on = [o.name_full for o in bpy.data.objects if _is_on(o)]
        _state["names"], _state["count"] = list(dict.fromkeys([*_sessions, *on])), len(bpy.data.objects)
    found = []
    for name in _state["names"]:
        armature = rigs.object_named(name)
        if armature is None or not _is_on(armature):
            _state["names"] = None
            gone = _sessions.pop(name, None)
            if gone is not None and gone.rig is not None and armature is None:
                _release([part.name for part in gone.rig.parts])
        elif scene in armature.users_scene if scene and armature.users_scene else _is_somewhere(armature):
            found.append(session_of(armature))
    return found


def _is_somewhere(obj):
    return bool(obj.users_scene) or _is_instanced(obj)


def _is_instanced(obj):
    """In no scene itself, but shown by an object that instances its collection."""
    return any(o.instance_type == "COLLECTION" and o.instance_collection is not None
               and obj in o.instance_collection.all_objects[:] for o in bpy.data.objects)


def _is_on(obj):
    """A baked character needs nothing of this, but for its copies and motion lines."""
    return props.is_on(obj) and (not baked.kind(obj) or smear.is_live(obj))


def switched(armature):
    """A script wrote `object.limber.enabled`: the next frame knows."""
    _state["names"] = None
    gone = None if _is_on(armature) else _sessions.pop(armature.name_full, None)
    if gone is not None:
        _blank(gone)


def baked_changed(armature):
    """A character was baked, or is live again."""
    _sessions.pop(armature.name_full, None)
    _state["names"] = None
    session = session_of(armature)
    if session is not None:
        _show(session, bpy.context.scene)


# --- one character, safely ---

def _show(session, scene):
    """Writes the current frame of one character, or says why not."""
    if library.limber() is None:
        session.problem = library.problem()
        return
    if _state["busy"]:
        return
    _state["busy"] = True
    try:
        _ensure(session, scene)
        if session.armature.limber.show:
            session.write(scene)
        else:
            session.update(scene)
        session.problem = _complaint(session)
    except Exception as error:
        session.problem = sentence(error)
        session.forget()
        _blank(session)
    finally:
        _state["busy"] = False


def _ensure(session, scene):
    """Every mesh has its modifier, in the right place."""
    if "structure" not in session._stale:
        if all(part.object is not None for part in session.rig.parts):
            return
        session.forget("structure")
    if baked.kind(session.armature):
        return
    objects = rigs.objects_of(session.armature)
    _release({part.name for part in (session.rig.parts if session.rig else ())} - {o.name_full for o in objects})
    for obj in objects:
        if len(obj.data.vertices) and (obj.library is None or nodes.modifier_of(obj) is not None):
            nodes.add(obj)


def _release(names):
    """Objects that left a character lose what limber added to them."""
    armatures = [o for o in bpy.data.objects if _is_on(o)]
    for obj in map(rigs.object_named, names):
        if obj is not None and obj.library is None and not any(rigs.belongs(obj, a) for a in armatures):
            nodes.remove(obj)


def _complaint(session):
    """What goes wrong without an exception."""
    if not session.rig.parts:
        return f"No mesh moves with {session.armature.name}. Parent one to it with automatic weights"
    for part in session.rig.parts if not baked.kind(session.armature) else ():
        obj = part.object
        if obj is None:
            continue
        if nodes.modifier_of(obj) is None:
            return (f"{obj.name} is linked from another file and has no Limber modifier. Make an override: "
                    "Object > Library Override > Make")
        if not nodes.in_place(obj):
            return f"Move the Limber modifier of {obj.name} to the place right after its Armature modifier"
        other = rigs.differs_in_renders(obj)
        if other is not None:
            return (f"{other.name} of {obj.name} comes before the Armature modifier and is not the same in renders, which "
                    "will not show limber. Move it after the Armature modifier, or make both the same")
    return None


def sentence(error):
    if type(error).__module__.split(".")[0] in ("limber", __package__.split(".")[0]):
        return str(error)
    traceback.print_exc()
    return f"Something went wrong in the add-on ({type(error).__name__}: {error}). The console has more"


def _blank(session):
    armature = session.armature
    for obj in rigs.objects_of(armature) if armature is not None else ():
        try:
            nodes.blank(obj)
        except Exception:
            traceback.print_exc()


# --- handlers ---

def _guarded(handler):
    @functools.wraps(handler)
    def safe(*arguments):
        try:
            handler(*arguments)
        except Exception:
            traceback.print_exc()
    return persistent(safe)


@_guarded
def _gains_updated(scene, graph=None):
    """The slider of a bone was moved."""
    if graph is None or library.limber() is None:
        return
    for update in graph.updates:
        obj = update.id.original if isinstance(update.id, bpy.types.Object) else None
        if props.is_on(obj) and gains.changed(obj):
            refresh(obj)


@_guarded
def _gains_frame_change(scene, *_):
    """A script set the value of a bone, and said nothing. Comes before `_frame_change`."""
    if library.limber() is None:
        return
    for session in sessions(scene):
        if session.armature is not None and gains.changed(session.armature):
            session.forget("style")


@_guarded
def _frame_change(scene, *_):
    if _state["busy"] or scratch.is_ours(scene):
        return
    for session in sessions(scene):
        if session.is_posed or session.values_changed():
            session.forget("motion")
        if session.pulls_changed():
            session.forget("style")
        _show(session, scene)


@_guarded
def _updated(scene, graph=None):
    if _state["busy"] or scratch.is_ours(scene) or graph is None:
        return
    changed = _Changes(graph)
    if changed.instancers or any(_is_on(rigs.object_named(n)) and n not in _sessions for n in changed.armatures):
        _state["names"] = None
    for session in sessions(scene):
        _look(session, scene, graph, changed)


class _Changes:
    """Names of what Blender says it has evaluated again, by kind."""

    def __init__(self, graph):
        self.objects, self.armatures, self.actions, self.shapes = set(), set(), set(), set()
        self.scene = self.instancers = False
        for update in graph.updates:
            one = update.id.original if update.id is not None else None
            if isinstance(one, bpy.types.Object):
                self.objects.add(one.name_full)
                self.instancers |= one.instance_type == "COLLECTION"
                if one.type == "ARMATURE":
                    self.armatures.add(one.name_full)
            elif isinstance(one, bpy.types.Action):
                self.actions.add(one.name_full)
            elif isinstance(one, (bpy.types.Mesh, bpy.types.Key)):
                self.shapes.add((type(one).__name__, one.name_full))
            elif isinstance(one, bpy.types.Scene):
                self.scene = True


def _look(session, scene, graph, changed):
    """One character after an update."""
    armature = session.armature
    if armature is None or not (changed.objects or changed.actions or changed.shapes or changed.scene):
        return
    touched = session.name in changed.armatures
    if _shape_changed(session, armature, changed):
        session.forget("structure")
    if changed.actions and changed.actions & session.actions() or touched and session.motion_changed():
        session.forget("motion")
    if session.pulls_changed():
        session.forget("style")
    if touched and not session._stale and _posed(session, scene, graph):
        return
    if session._stale:
        _soon(session, scene)
    elif session.written != scene.frame_current_final:  # a script has set the frame, which calls no frame handler
        _show(session, scene)


def _shape_changed(session, armature, changed):
    if not _is_edited(session) and session.structure_changed(changed.objects):
        return True
    data = set()
    for part in session.rig.parts if session.rig else ():
        obj = part.object
        if obj is not None:
            data.add(("Mesh", obj.data.name_full))
            if obj.data.shape_keys is not None:
                data.add(("Key", obj.data.shape_keys.name_full))
    return bool(changed.shapes & data) and not _is_edited(session)


def _is_edited(session):
    """A mesh or the bones are in edit mode: their data comes when it is left."""
    objects = [session.armature] + [part.object for part in (session.rig.parts if session.rig else ())]
    return any(o is not None and o.mode == "EDIT" for o in objects)


def _posed(session, scene, graph, at_once=False):
    """Whether the user has posed the rig, which is then shown, at once or when the user pauses."""
    if session.armature.mode == "EDIT" or library.limber() is None:
        return False
    if session.pose_s > SLOW_S and not (at_once or bpy.app.background):
        _later(session)
        return True
    try:
        if session.pose(scene, graph):
            session.write(scene)
            return True
    except Exception as error:
        session.problem = sentence(error)
        session.forget()
    return False


def _soon(session, scene):
    """Now when that is quick; otherwise when the user pauses, so that dragging a key stays smooth."""
    if bpy.app.background or session.cost_s < SLOW_S:
        _show(session, scene)
    else:
        _later(session)


def _later(session):
    _state["waiting"].add(session.name)
    if bpy.app.timers.is_registered(_after_pause):
        bpy.app.timers.unregister(_after_pause)
    bpy.app.timers.register(_after_pause, first_interval=PAUSE_S)


def _after_pause():
    try:
        waiting, _state["waiting"] = _state["waiting"], set()
        scene = bpy.context.scene
        for session in sessions(scene):
            if session.name not in waiting:
                continue
            if session._stale:
                _show(session, scene)
            else:
                _posed(session, scene, bpy.context.evaluated_depsgraph_get(), at_once=True)
    except Exception:
        traceback.print_exc()
    return None


def _start_over():
    """After another file, or another past of this one: nothing that was read is true any more."""
    _sessions.clear()
    _state["names"] = None
    try:
        for session in sessions(bpy.context.scene):
            _show(session, bpy.context.scene)
    except Exception:
        traceback.print_exc()
    return None


@_guarded
def _loaded(*_):
    _start_over()


@_guarded
def _undone(*_):
    if bpy.app.background:
        _start_over()
    else:  # data blocks that are made inside of an undo would confuse it
        _sessions.clear()
        _state["names"] = None
        bpy.app.timers.register(_start_over, first_interval=0)


@_guarded
def _saving(*_):
    """A file that is opened without the add-on shows its plain animation, in all frames."""
    for session in sessions():
        armature = session.armature
        if armature.library is None and armature.users_scene:
            scene = armature.users_scene[0]
            armature.limber.played = (scene.frame_start, scene.frame_end)
    _state["blanked"] = []
    for obj in bpy.data.objects:
        if obj.type == "MESH" and nodes.modifier_of(obj) is not None:
            _state["blanked"].append((obj.name_full, nodes.blank(obj)))
    smear.hide_all()


@_guarded
def _saved(*_):
    for name, was in _state["blanked"]:
        obj = rigs.object_named(name)
        if obj is not None:
            nodes.unblank(obj, was)
    _state["blanked"] = []
    for session in sessions(bpy.context.scene):
        if smear.is_on(session.armature):
            _show(session, bpy.context.scene)


@_guarded
def _render_starts(*_):
    sample.rendering["now"] = True


@_guarded
def _render_ends(*_):
    sample.rendering["now"] = False


def _handlers():
    lists = bpy.app.handlers
    return ((lists.depsgraph_update_post, _gains_updated), (lists.frame_change_pre, _gains_frame_change),
            (lists.frame_change_pre, _frame_change), (lists.depsgraph_update_post, _updated),
            (lists.load_post, _loaded), (lists.undo_post, _undone), (lists.redo_post, _undone),
            (lists.save_pre, _saving), (lists.save_post, _saved), (lists.render_init, _render_starts),
            (lists.render_complete, _render_ends), (lists.render_cancel, _render_ends))


def register():
    props.engine.update(refresh=refresh, problem=problem, switched=switched)
    for handlers, handler in _handlers():
        handlers.append(handler)
    bpy.app.timers.register(_start_over, first_interval=0)


def unregister():
    for handlers, handler in _handlers():
        if handler in handlers:
            handlers.remove(handler)
    for timer in (_start_over, _after_pause):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)
    for obj in getattr(bpy.data, "objects", ()):  # not there while Blender starts
        if obj.type == "MESH" and nodes.modifier_of(obj) is not None:
            nodes.blank(obj)
    smear.hide_all()
    _sessions.clear()
    _state["names"] = None
