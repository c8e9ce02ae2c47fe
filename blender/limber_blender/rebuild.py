"""Makes panels and properties again after the library was found or replaced."""
import bpy

from . import gains, library, props, style, style_ui, table


class LIMBER_OT_try_again(bpy.types.Operator):
    """Look for the library again"""

    bl_idname = "limber.try_again"
    bl_label = "Try Again"
    bl_options = {"INTERNAL"}

    def execute(self, context):
        library.forget()
        library.load()
        bpy.app.timers.register(rebuild, first_interval=0.01)
        return {"FINISHED"}


def rebuild():
    """Properties and panels for the table of the library that is loaded now."""
    table.forget()
    style.forget()
    gains.rows_by_name.cache_clear()
    style_ui.unregister()
    props.unregister()
    props.register()
    style_ui.register()


def register():
    bpy.utils.register_class(LIMBER_OT_try_again)


def unregister():
    bpy.utils.unregister_class(LIMBER_OT_try_again)
