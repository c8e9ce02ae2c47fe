"""A scene of our own, for moments only: to step through frames without the meshes and without moving the user's scene."""
import contextlib

import bpy

NAME = ".limber"
_busy = []


def is_ours(scene):
    return bool(_busy) and scene.name in _busy


@contextlib.contextmanager
def scene(like, objects):
    """A hidden scene with the clock of `like` and these objects. Handlers of other add-ons sleep meanwhile."""
    lists = (bpy.app.handlers.frame_change_pre, bpy.app.handlers.frame_change_post,
             bpy.app.handlers.depsgraph_update_pre, bpy.app.handlers.depsgraph_update_post)
    kept = [list(handlers) for handlers in lists]
    for handlers in lists:
        handlers.clear()
    made = bpy.data.scenes.new(NAME)
    _busy.append(made.name)
    try:
        for name in ("fps", "fps_base", "frame_map_old", "frame_map_new"):
            setattr(made.render, name, getattr(like.render, name))
        for obj in objects:
            made.collection.objects.link(obj)
        yield made
    finally:
        _busy.pop()
        bpy.data.scenes.remove(made)
        for handlers, was in zip(lists, kept):
            handlers[:] = was


def evaluated_mesh(obj, modifier_count):
    """A new mesh: an object's, after the first so many of its modifiers."""
    copy = obj.copy()
    copy.animation_data_clear()
    for modifier in list(copy.modifiers)[modifier_count:]:
        copy.modifiers.remove(modifier)
    copy.parent = None
    try:
        with scene(bpy.context.scene, [copy]) as made:
            made.frame_set(made.frame_current)
            graph = made.view_layers[0].depsgraph
            return bpy.data.meshes.new_from_object(copy.evaluated_get(graph), preserve_all_data_layers=True,
                                                   depsgraph=graph)
    finally:
        bpy.data.objects.remove(copy)
