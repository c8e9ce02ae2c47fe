"""Operators and panels of bakes, smears and exaggerated actions."""
import time

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from . import bake, baked, exaggerate, live, node_examples, operators, props, smear
from .wrapped import wrapped

KINDS = (
    ("AUTO", "Smallest", "Make shape keys or helper bones, whichever takes less. Unbake removes them"),
    ("SHAPES", "Shape Keys", "Make shape keys on every mesh of this character, with an action that plays them. Unbake "
     "removes them"),
    ("PC2", "Mesh Cache (.pc2)", "Write the vertices of every frame to a file, and show it with a Mesh Cache modifier. "
     "Unbake removes the modifier; the file stays"),
    ("MDD", "Mesh Cache (.mdd)", "Write the vertices of every frame to a file, and show it with a Mesh Cache modifier. "
     "Unbake removes the modifier; the file stays"),
    ("BONES", "Helper Bones", "Make helper bones that carry the skin, with an action that moves them. Unbake brings "
     "back the bones and the action from before"),
)
STEP_S = 0.1  # between two looks at the keyboard


class LimberBakeSettings(bpy.types.PropertyGroup):
    """What the panel shows. Not saved in files."""

    kind: EnumProperty(name="To", description="What the motion becomes", items=KINDS)
    range_mode: EnumProperty(name="Frames", description="Frames to bake. Others show the plain animation", items=(
        ("SCENE", "Scene", "From the first to the last frame of the scene"), ("CUSTOM", "Custom", "The frames below")))
    first: IntProperty(name="First", description="First baked frame", default=1)
    last: IntProperty(name="Last", description="Last baked frame", default=250)
    tolerance: FloatProperty(name="Tolerance", description="Max error in parts of the character's size; 0 is exact, "
                             "with a shape key per frame", default=0.001, min=0, max=0.1, precision=4, step=0.1)
    folder: StringProperty(name="Folder", description="Where the files go; // is beside the .blend file",
                           default="//limber_cache", subtype="DIR_PATH")


class LIMBER_OT_bake(operators.OnCharacter, bpy.types.Operator):
    """Bake the motion, so that Blender plays it without the add-on. Unbake brings back what was there"""

    bl_idname = "limber.bake"
    bl_label = "Bake"

    kind: EnumProperty(name="To", items=KINDS, options={"SKIP_SAVE"})
    first: IntProperty(name="First", description="First baked frame", options={"SKIP_SAVE"})
    last: IntProperty(name="Last", description="Last baked frame", options={"SKIP_SAVE"})
    tolerance: FloatProperty(name="Tolerance", description="Max error in parts of the character's size; 0 is exact",
                             default=0.001, min=0, max=1, options={"SKIP_SAVE"})
    folder: StringProperty(name="Folder", default="//limber_cache", subtype="DIR_PATH", options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        return next(text for kind, _, text in KINDS if kind == properties.kind)

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        if baked.kind(operators.character(context)):
            cls.poll_message_set("This character is baked. Press Unbake first")
            return False
        return True

    def _steps(self, context):
        scene = context.scene
        first = self.first if self.properties.is_property_set("first") else scene.frame_start
        last = self.last if self.properties.is_property_set("last") else scene.frame_end
        return bake.run(operators.character(context), scene,
                        bake.Settings(self.kind, first, last, self.tolerance, self.folder))

    def execute(self, context):
        try:
            bake.finish(self._steps(context))
        except Exception as error:
            return self._failed(error)
        return {"FINISHED"}

    def invoke(self, context, event):
        self._job = self._steps(context)
        manager = context.window_manager
        manager.progress_begin(0, 100)
        self._timer = manager.event_timer_add(0.01, window=context.window)
        manager.modal_handler_add(self)
        context.workspace.status_text_set("Baking. Esc cancels")
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self._job.close()
            self._over(context)
            self.report({"INFO"}, "The bake was canceled; nothing has changed")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        try:
            until = time.perf_counter() + STEP_S
            while time.perf_counter() < until:
                done, total = next(self._job)
                context.window_manager.progress_update(100 * done // max(total, 1))
        except StopIteration:
            self._over(context)
            return {"FINISHED"}
        except Exception as error:
            self._over(context)
            return self._failed(error)
        return {"RUNNING_MODAL"}

    def _over(self, context):
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)

    def _failed(self, error):
        sentence = str(error) if isinstance(error, bake.Problem) else live.sentence(error)
        self.report({"ERROR"}, sentence)
        return {"CANCELLED"}


class LIMBER_OT_unbake(operators.OnCharacter, bpy.types.Operator):
    """Remove the bake and bring back what was there. Files of mesh caches stay"""

    bl_idname = "limber.unbake"
    bl_label = "Unbake"

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        if not baked.kind(operators.character(context)):
            cls.poll_message_set("This character is not baked")
            return False
        return True

    def execute(self, context):
        bake.unbake(operators.character(context))
        return {"FINISHED"}


class LIMBER_OT_smears_add(operators.OnCharacter, bpy.types.Operator):
    """Show in-between copies and motion lines as objects of the collection Limber smears. Remove Smears removes them"""

    bl_idname = "limber.smears_add"
    bl_label = "Show Copies and Lines"

    def execute(self, context):
        armature = operators.character(context)
        armature.limber.smears = True
        live.refresh(armature, "structure")
        if not smear.objects_of(armature):
            self.report({"WARNING"}, "The style has no in-between copies or motion lines yet. Switch them on in Smears")
        return {"FINISHED"}


class LIMBER_OT_smears_remove(operators.OnCharacter, bpy.types.Operator):
    """Remove the objects of in-between copies and motion lines, and their materials. The style stays as it is"""

    bl_idname = "limber.smears_remove"
    bl_label = "Remove Copies and Lines"

    def execute(self, context):
        armature = operators.character(context)
        armature.limber.property_unset("smears")
        smear.remove(armature)
        return {"FINISHED"}


class LIMBER_OT_exaggerate(operators.OnCharacter, bpy.types.Operator):
    """Make an action with the exaggerated skeleton beside the one in use. Original Action goes back to it"""

    bl_idname = "limber.exaggerate"
    bl_label = "Exaggerated Action"

    selected: bpy.props.BoolProperty(name="Selected Bones", description="Change only the selected bones",
                                     options={"SKIP_SAVE"})

    def execute(self, context):
        armature = operators.character(context)
        session = live.session_of(armature)
        if session is not None:
            session.update(context.scene)
        reason = exaggerate.problem(armature, session)
        if reason:
            self.report({"ERROR"}, reason)
            return {"CANCELLED"}
        only = {b.name for b in armature.pose.bones if b.bone.select} if self.selected else None
        made, left = exaggerate.make(armature, session, only)
        live.refresh(armature, "structure", "motion", "style")
        if left:
            self.report({"WARNING"}, f"{len(left)} bones follow constraints and were left alone: {', '.join(left[:5])}")
        return {"FINISHED"}


class LIMBER_OT_original(operators.OnCharacter, bpy.types.Operator):
    """Use the action from before the exaggeration. The exaggerated one stays in the file"""

    bl_idname = "limber.original_action"
    bl_label = "Original Action"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and exaggerate.is_exaggerated(operators.character(context))

    def execute(self, context):
        armature = operators.character(context)
        exaggerate.back(armature)
        live.refresh(armature, "structure", "motion", "style")
        return {"FINISHED"}


# --- panels ---

def draw_bake(layout, context, obj):
    if baked.kind(obj):
        record = obj.limber_bake
        what = {"SHAPES": "shape keys", "CACHE": "a mesh cache", "BONES": "helper bones"}[record.kind]
        wrapped(layout, context, f"Baked to {what}, frames {record.first} to {record.last}. The style has no "
                "effect until you unbake.", icon="CHECKMARK")
        error = baked.get(record, "error", 0)
        if error:
            wrapped(layout, context, f"Max error: {100 * error:.2f} % of the character's size")
        for path in bake.missing_files(obj):
            wrapped(layout, context, f"{path} is missing. Unbake and bake again", icon="ERROR", alert=True)
        layout.operator("limber.unbake", icon="LOOP_BACK")
        return
    layout.use_property_split = True
    layout.use_property_decorate = False
    settings = context.window_manager.limber_bake
    layout.prop(settings, "kind")
    layout.prop(settings, "range_mode")
    if settings.range_mode == "CUSTOM":
        column = layout.column(align=True)
        column.prop(settings, "first")
        column.prop(settings, "last")
    layout.prop(settings, "folder" if settings.kind in ("PC2", "MDD") else "tolerance")
    do = layout.operator("limber.bake", icon="RENDER_ANIMATION")
    do.kind, do.tolerance, do.folder = settings.kind, settings.tolerance, settings.folder
    custom = settings.range_mode == "CUSTOM"
    do.first = settings.first if custom else context.scene.frame_start
    do.last = settings.last if custom else context.scene.frame_end


def draw_smears(layout, context, obj):
    """At the top of the panel of smears."""
    on = smear.is_on(obj)
    layout.operator("limber.smears_remove" if on else "limber.smears_add", icon="X" if on else "GHOST_ENABLED")
    layout.prop(obj.limber, "attributes")
    layout.operator_menu_enum("limber.example_nodes", "kind", icon="NODETREE")


def draw_exaggerate(layout, context, obj):
    """At the top of the panel of skeleton exaggeration."""
    if exaggerate.is_exaggerated(obj):
        layout.operator("limber.original_action", icon="LOOP_BACK")
        return
    row = layout.row(align=True)
    row.operator("limber.exaggerate", icon="ACTION")
    if context.mode == "POSE":
        row.operator("limber.exaggerate", text="Selected Bones", icon="BONE_DATA").selected = True


class LIMBER_OT_example_nodes(operators.OnCharacter, bpy.types.Operator):
    """Geometry nodes that use limber's attributes, on every mesh of this character: a start for your own"""

    bl_idname = "limber.example_nodes"
    bl_label = "Example Nodes"

    kind: EnumProperty(name="Nodes", items=node_examples.KINDS)

    def execute(self, context):
        armature = operators.character(context)
        armature.limber.attributes = True
        for obj in props.meshes_of(armature):
            if obj.library is None:
                node_examples.add(obj, self.kind)
        return {"FINISHED"}


CLASSES = (LimberBakeSettings, LIMBER_OT_example_nodes, LIMBER_OT_bake, LIMBER_OT_unbake, LIMBER_OT_smears_add, LIMBER_OT_smears_remove,
           LIMBER_OT_exaggerate, LIMBER_OT_original)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.WindowManager.limber_bake = PointerProperty(type=LimberBakeSettings)


def unregister():
    del bpy.types.WindowManager.limber_bake
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
