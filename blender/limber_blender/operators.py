"""What a user clicks: add and remove, presets, single values, style files, gains of bones, layers."""
import json
import os
import tempfile

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from . import bake, baked, gains, library, live, node_examples, props, pulls, rig, style, table, words

FIRST_PRESET = "cartoon"


def character(context):
    return props.armature_of(context.object)


def why_not(context):
    """None, or why limber cannot work on the active object, and what to do."""
    if library.problem():
        return library.problem()
    obj = context.object
    if obj is None:
        return "Select a character: its armature, or a mesh that the armature moves"
    armature = props.armature_of(obj)
    if armature is None:
        return (f"{obj.name} has no armature. Add an Armature modifier, or parent it to an armature with "
                "automatic weights")
    if props.is_linked(armature):
        return (f"{armature.name} is linked from another file and cannot be changed here. Make an override: "
                "Object > Library Override > Make")
    if not props.meshes_of(armature):
        return f"No mesh moves with {armature.name}. Parent one to it with automatic weights"
    return None


class OnCharacter:
    """An operator that needs a character with limber."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = why_not(context) or (None if props.is_on(character(context)) else "Press Add Limber first")
        if reason:
            cls.poll_message_set(reason)
        return reason is None


class LIMBER_OT_add(bpy.types.Operator):
    """Give this character cartoon motion. Its actions, bones and modifiers stay as they are"""

    bl_idname = "limber.add"
    bl_label = "Add Limber"
    bl_options = {"REGISTER", "UNDO"}

    preset: StringProperty(name="Preset", description="Style to start with", default=FIRST_PRESET)

    @classmethod
    def poll(cls, context):
        reason = why_not(context)
        if reason is None and props.is_on(character(context)):
            reason = "This character has limber already"
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        obj = character(context)
        if obj.limber.style in ("", "{}"):
            if not any(p.name == self.preset for p in table.presets()):
                self.report({"ERROR"}, f"There is no preset '{self.preset}'")
                return {"CANCELLED"}
            obj.limber.preset = self.preset
        obj.limber.enabled = True
        live.attach(obj)
        return {"FINISHED"}


class LIMBER_OT_remove(OnCharacter, bpy.types.Operator):
    """Remove cartoon motion and everything limber added to this character"""

    bl_idname = "limber.remove"
    bl_label = "Remove Limber"

    def execute(self, context):
        obj = character(context)
        if baked.kind(obj):
            bake.unbake(obj)
        for mesh in props.meshes_of(obj):
            if mesh.library is None:
                node_examples.remove(mesh)
        live.detach(obj)
        remove_settings(obj)
        return {"FINISHED"}


def remove_settings(obj):
    """Drops `object.limber` and the values of the bones, so that nothing is left in the file."""
    gains.remove_all(obj)
    obj.property_unset("limber")


class LIMBER_OT_preset(OnCharacter, bpy.types.Operator):
    """Use a preset. It replaces the style; gains of bones, joints and meshes stay"""

    bl_idname = "limber.preset"
    bl_label = "Preset"

    name: StringProperty(name="Preset", options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        found = [p for p in table.presets() if p.name == properties.name]
        return found[0].summary[:1].upper() + found[0].summary[1:] if found else cls.__doc__

    def execute(self, context):
        obj = character(context)
        if not any(p.name == self.name for p in table.presets()):
            self.report({"ERROR"}, f"There is no preset '{self.name}'")
            return {"CANCELLED"}
        lost = not style.is_preset(props.style_dict(obj), obj.limber.preset)
        obj.limber.preset = self.name
        if lost:
            self.report({"INFO"}, f"Preset {self.name} replaced your changes; Ctrl Z brings them back")
        return {"FINISHED"}


class LIMBER_OT_reset(OnCharacter, bpy.types.Operator):
    """Reset to the value of the preset"""

    bl_idname = "limber.reset"
    bl_label = "Reset to Preset"

    path: StringProperty(options={"SKIP_SAVE"})

    def execute(self, context):
        obj = character(context)
        props.forget_faults()
        if not self.path:
            props.set_style(obj, style.with_preset(props.style_dict(obj), obj.limber.preset))
            return {"FINISHED"}
        value = table.get(table.preset_style(obj.limber.preset), self.path)
        message = props.change(obj, self.path, value, key=self.path)
        if message:
            self.report({"ERROR"}, message)
            return {"CANCELLED"}
        return {"FINISHED"}


class LIMBER_OT_reset_word(OnCharacter, bpy.types.Operator):
    """As much as the style had when it was chosen"""

    bl_idname = "limber.reset_word"
    bl_label = "Reset"
    name: StringProperty(options={"SKIP_SAVE"})

    def execute(self, context):
        for word in words.WORDS:
            if word.name == self.name:
                props.reset_amount(character(context), word)
        return {"FINISHED"}


class LIMBER_OT_reset_mesh(OnCharacter, bpy.types.Operator):
    """Remove the value of this mesh"""

    bl_idname = "limber.reset_mesh"
    bl_label = "Reset"

    path: StringProperty(options={"SKIP_SAVE"})

    def execute(self, context):
        props.change(character(context), ("meshes", context.object.name, *self.path.split(".")), None)
        return {"FINISHED"}


class LIMBER_OT_switch(OnCharacter, bpy.types.Operator):
    """Switch this part on or off. Its values are kept while it is off"""

    bl_idname = "limber.switch"
    bl_label = "Switch"

    path: StringProperty(options={"SKIP_SAVE"})

    def execute(self, context):
        obj = character(context)
        shelf = json.loads(obj.limber.shelf or "{}")
        now = style.get(props.style_dict(obj), self.path)
        if now is not None:
            shelf[self.path] = now
            value = None
        else:
            value = shelf.pop(self.path, None) or style.beginning(self.path, props.layer_names(obj))
        message = props.change(obj, self.path, value)
        if message:
            self.report({"ERROR"}, message)
            return {"CANCELLED"}
        obj.limber.shelf = json.dumps(shelf)
        return {"FINISHED"}


# Values shown as text although they are numbers, because the user is about to type a formula.
typed = set()


class LIMBER_OT_formula(OnCharacter, bpy.types.Operator):
    """Type a formula instead of a number, or go back to the slider"""

    bl_idname = "limber.formula"
    bl_label = "Formula"
    bl_options = {"REGISTER"}

    path: StringProperty(options={"SKIP_SAVE"})

    def execute(self, context):
        obj = character(context)
        place = (obj.name_full, self.path)
        if isinstance(style.get(props.style_dict(obj), self.path), str):
            before = table.get(table.preset_style(obj.limber.preset), self.path)
            props.change(obj, self.path, None if isinstance(before, str) else before, key=self.path)
            typed.discard(place)
        elif place in typed:
            props.forget_faults()
            typed.discard(place)
        else:
            typed.add(place)
        return {"FINISHED"}


# --- style files ---

class LIMBER_OT_import_style(OnCharacter, bpy.types.Operator, ImportHelper):
    """Read a style file, as `limber apply --style` does"""

    bl_idname = "limber.import_style"
    bl_label = "Open Style"
    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    def execute(self, context):
        try:
            with open(self.filepath, encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            self.report({"ERROR"}, f"{os.path.basename(self.filepath)} cannot be read: {error}")
            return {"CANCELLED"}
        return use_text(self, character(context), text, os.path.basename(self.filepath))


def use_text(operator, obj, text, source):
    """A whole style from outside: all of it, or an error and nothing."""
    message = style.problem(text)
    if message:
        operator.report({"ERROR"}, f"{source}: {message}")
        return {"CANCELLED"}
    props.forget_faults()
    obj.limber.shelf = "{}"
    props.name_preset(obj, "")
    obj.limber.base = text
    obj.limber.style = text
    return {"FINISHED"}


class LIMBER_OT_export_style(OnCharacter, bpy.types.Operator, ExportHelper):
    """Write the style and the gains of the bones to a file for `limber apply --style`"""

    bl_idname = "limber.export_style"
    bl_label = "Save Style"
    filename_ext = ".limber.json"
    filter_glob: StringProperty(default="*.limber.json", options={"HIDDEN"})

    def execute(self, context):
        try:
            write_whole(self.filepath, props.style_text(character(context)))
        except OSError as error:
            self.report({"ERROR"}, f"{os.path.basename(self.filepath)} cannot be written: {error}")
            return {"CANCELLED"}
        return {"FINISHED"}


def write_whole(path, text):
    """Writes beside and renames: the file appears complete or not at all."""
    handle, beside = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(path)), suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text if text.endswith("\n") else text + "\n")
        os.replace(beside, path)
    except OSError:
        os.unlink(beside)
        raise


class LIMBER_OT_copy_style(OnCharacter, bpy.types.Operator):
    """Copy the style to the clipboard, as JSON"""

    bl_idname = "limber.copy_style"
    bl_label = "Copy Style"
    bl_options = {"REGISTER"}

    def execute(self, context):
        context.window_manager.clipboard = props.style_text(character(context))
        return {"FINISHED"}


class LIMBER_OT_paste_style(OnCharacter, bpy.types.Operator):
    """Use the style on the clipboard"""

    bl_idname = "limber.paste_style"
    bl_label = "Paste Style"

    def execute(self, context):
        return use_text(self, character(context), context.window_manager.clipboard, "The clipboard")


class LIMBER_OT_edit_text(OnCharacter, bpy.types.Operator):
    """Open the style as JSON in the Text Editor"""

    bl_idname = "limber.edit_text"
    bl_label = "Edit as Text"

    def execute(self, context):
        obj = character(context)
        name = text_name(obj)
        text = bpy.data.texts.get(name) or bpy.data.texts.new(name)
        text.from_string(obj.limber.style)
        for area in context.screen.areas if context.screen else ():
            if area.type == "TEXT_EDITOR":
                area.spaces.active.text = text
        self.report({"INFO"}, f"The style is the text '{name}' of the Text Editor; Apply Text uses it")
        return {"FINISHED"}


def text_name(obj):
    return f"{obj.name}.limber.json"


class LIMBER_OT_apply_text(OnCharacter, bpy.types.Operator):
    """Use the style that was edited in the Text Editor"""

    bl_idname = "limber.apply_text"
    bl_label = "Apply Text"

    def execute(self, context):
        obj = character(context)
        text = bpy.data.texts.get(text_name(obj))
        if text is None:
            self.report({"ERROR"}, f"There is no text '{text_name(obj)}'; press Edit as Text first")
            return {"CANCELLED"}
        preset, base = obj.limber.preset, obj.limber.base
        result = use_text(self, obj, text.as_string(), text.name)
        if result == {"FINISHED"}:
            props.name_preset(obj, preset)
            obj.limber.base = base
        return result


# --- bones and layers ---

def gain_items(self, context):
    return [(r.path, r.label if r.path == "*.*" else r.path[2:], r.help) for r in table.joint_rows()]


class LIMBER_OT_add_gain(OnCharacter, bpy.types.Operator):
    """Give the selected bones a value of their own. It is a custom property and can be keyed"""

    bl_idname = "limber.add_gain"
    bl_label = "Add Value"

    key: bpy.props.EnumProperty(name="Value", items=gain_items, options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return super().poll(context) and context.active_pose_bone is not None

    def execute(self, context):
        row = next(r for r in table.joint_rows() if r.path == self.key)
        for bone in context.selected_pose_bones or [context.active_pose_bone]:
            gains.add(bone, row)
        props.refresh(character(context))
        return {"FINISHED"}


class LIMBER_OT_pull(OnCharacter, bpy.types.Operator):
    """Drag this joint: an empty follows it, and where you move it the skeleton is pulled at this frame"""

    bl_idname = "limber.pull"
    bl_label = "Pull Joint"

    bone: StringProperty(name="Bone", description="Name of the bone whose head is pulled", options={"SKIP_SAVE"})

    def execute(self, context):
        obj = character(context)
        bone = self.bone or (context.active_pose_bone.name if context.active_pose_bone else "")
        if bone not in obj.data.bones:
            self.report({"ERROR"}, f"There is no bone '{bone}'. Select one in pose mode")
            return {"CANCELLED"}
        made = pulls.add(obj, bone, context.scene)
        if context.object.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        for other in context.selected_objects:
            other.select_set(False)
        made.select_set(True)
        context.view_layer.objects.active = made
        return {"FINISHED"}


class LIMBER_OT_remove_gain(OnCharacter, bpy.types.Operator):
    """Remove this value from the selected bones"""

    bl_idname = "limber.remove_gain"
    bl_label = "Remove Value"

    name: StringProperty(options={"SKIP_SAVE"})

    def execute(self, context):
        for bone in {context.active_pose_bone, *(context.selected_pose_bones or ())} - {None}:
            if self.name in bone:
                del bone[self.name]
        props.refresh(character(context))
        return {"FINISHED"}


class LIMBER_OT_paint_layer(OnCharacter, bpy.types.Operator):
    """Paint this layer: 0 holds still, 1 is the full effect. The minus paints a second vertex group, where the effect
    goes the other way"""

    bl_idname = "limber.paint_layer"
    bl_label = "Paint"

    layer: StringProperty(name="Layer", default="squash", options={"SKIP_SAVE"})
    minus: BoolProperty(name="Minus", description="Paint what makes the layer negative", options={"SKIP_SAVE"})

    def execute(self, context):
        mesh = context.object
        if mesh.type != "MESH":
            meshes = props.meshes_of(character(context))
            mesh = next((m for m in meshes if self.layer in m.vertex_groups), meshes[0])
        name = self.layer + (rig.MINUS if self.minus else "")
        group = mesh.vertex_groups.get(name)
        if group is None:
            group = mesh.vertex_groups.new(name=name)
            group.add(range(len(mesh.data.vertices)), 0.0 if self.minus else 1.0, "REPLACE")
        mesh.vertex_groups.active = group
        self._enter(context, mesh)
        props.refresh(character(context))
        return {"FINISHED"}

    def _enter(self, context, mesh):
        if context.object.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        context.view_layer.objects.active = mesh
        mesh.select_set(True)
        bpy.ops.object.mode_set(mode="WEIGHT_PAINT")


class LIMBER_OT_drop_name(OnCharacter, bpy.types.Operator):
    """Remove what the style says about a name that this character does not have"""

    bl_idname = "limber.drop_name"
    bl_label = "Remove From Style"

    kind: StringProperty(options={"SKIP_SAVE"})
    name: StringProperty(options={"SKIP_SAVE"})

    def execute(self, context):
        obj = character(context)
        props.change(obj, (self.kind, self.name), None)
        return {"FINISHED"}


CLASSES = (LIMBER_OT_add, LIMBER_OT_remove, LIMBER_OT_preset, LIMBER_OT_reset, LIMBER_OT_reset_word, LIMBER_OT_reset_mesh, LIMBER_OT_switch,
           LIMBER_OT_formula, LIMBER_OT_import_style, LIMBER_OT_export_style, LIMBER_OT_copy_style,
           LIMBER_OT_paste_style, LIMBER_OT_edit_text, LIMBER_OT_apply_text, LIMBER_OT_add_gain, LIMBER_OT_remove_gain,
           LIMBER_OT_paint_layer, LIMBER_OT_drop_name, LIMBER_OT_pull)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
    typed.clear()
