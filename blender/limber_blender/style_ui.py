"""The panels: in the sidebar of the 3D viewport (tab Limber) and in the object properties.

They are generated from the table of keys: a key that the library gains appears by itself.
"""
import functools

import bpy

from . import bake_ui, gains, library, live, operators, props, rig, style, table, words
from .wrapped import wrapped

TITLES = {
    "effects.squash": "Squash and Stretch", "effects.followthrough": "Follow-Through",
    "effects.stretch": "Spin Stretch",
    "smear.elongate": "Elongation", "smear.multiples": "In-Between Copies", "smear.lines": "Motion Lines",
    "smear.offsets": "Front and Back", "exaggerate": "Exaggerate the Skeleton", "morphs": "Shape Keys in Motion",
}
GROUND = ("contact", "floor", "contacts", "rigid", "colliders", "impact.gain", "impact.min_speed")
AIR = ("wind", "gravity")
# What only means something inside a file, and what the Armature modifier decides (Preserve Volume).
HIDDEN = ("limber", "$schema", "baked", "skinning")
# Parts that cannot be switched off: their keys only tune others.
ALWAYS_ON = ("smear.motion", "smear.offsets", "smear.burst")


# --- sections ---

def section_of(path):
    """The part of the style that a value belongs to; "" for what stands alone."""
    first, *below = path.split(".")
    if path in GROUND or first == "impact":
        return "ground"
    if path in AIR:
        return "air"
    if not below:
        return ""
    return f"{first}.{below[0]}" if len(below) > 1 and first in ("effects", "smear") else first


@functools.lru_cache(maxsize=None)
def sections():
    """{section: rows}, in the order of the table."""
    found = {}
    for row in table.rows():
        if row.path not in HIDDEN:
            found.setdefault(section_of(row.path), []).append(row)
    return found


def title(section):
    return TITLES.get(section) or section.rsplit(".", 1)[-1].replace("_", " ").capitalize()


@functools.lru_cache(maxsize=None)
def summary(section):
    """What the schema says about a part."""
    at = library.limber().schema()
    for name in section.split("."):
        at = at.get("properties", {}).get(name, {})
    return at.get("description", "")


# --- pieces ---

def draw_key(layout, context, group, row, obj):
    """One value: its widget, a switch to a formula, and an arrow back to the preset where it was changed."""
    key = props.fault_key(group, row)
    wrong = props.fault(obj, key)
    now = props.value_of(group, row)
    line = layout.row(align=True)
    line.alert = wrong is not None
    as_text = row.takes_text and (wrong or isinstance(now, str) or (obj.name_full, key) in operators.typed)
    line.prop(group, props.text_id(row) if as_text else row.id, slider=True)
    per_mesh = row.path.startswith("*.")
    if row.takes_text and not per_mesh:
        line.operator("limber.formula", text="", icon="SMALL_CAPS", depress=bool(as_text)).path = row.path
    if is_changed(obj, group, row):
        back = line.operator("limber.reset_mesh" if per_mesh else "limber.reset", text="", icon="LOOP_BACK")
        back.path = row.path[2:] if per_mesh else row.path
    else:
        line.label(text="", icon="BLANK1")
    if wrong:
        wrapped(layout, context, f"{row.label}: {wrong[1]}", icon="ERROR", alert=True)


def is_changed(obj, group, row):
    if row.path.startswith("*."):
        return style.get(props.style_dict(obj), ("meshes", group.id_data.name, *row.path[2:].split("."))) is not None
    before = table.get(table.preset_style(obj.limber.preset), row.path)
    after = style.get(props.style_dict(obj), row.path)
    return after != before and not (before is None and after == row.default)


def filter_visible(group, row, rows):
    """A low-pass has no frequency, a spring no gamma."""
    if ".filter." not in row.path or row.name == "type":
        return True
    above = row.path.rsplit(".", 1)[0] + ".type"
    kind = next((props.value_of(group, r) for r in rows if r.path == above), None)
    return kind == ("lowpass" if row.name == "gamma" else "spring")


def _below(section, path):
    """The sub-part of a section that a value belongs to: "filter", "cone", "filter.velocity" or ""."""
    return path[len(section) + 1:].rpartition(".")[0] if section and path.startswith(section + ".") else ""


def draw_section(layout, context, obj, section):
    layout.use_property_split = True
    layout.use_property_decorate = False
    group = obj.limber.controls
    rows = sections().get(section, ())
    last = ""
    for row in rows:
        below = _below(section, row.path)
        if below.startswith("filter."):
            continue  # in a panel of their own
        if below != last and below:
            layout.separator()
            layout.label(text=title(below))
        last = below
        if filter_visible(group, row, rows):
            draw_key(layout, context, group, row, obj)


def draw_signals(layout, context, obj, section):
    """A filter for each quantity of an effect."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    group = obj.limber.controls
    rows = [r for r in sections().get(section, ()) if _below(section, r.path).startswith("filter.")]
    for row in rows:
        if row.name == "type":
            layout.label(text=title(row.path.split(".")[-2]))
        if filter_visible(group, row, rows):
            draw_key(layout, context, group, row, obj)


# --- panels ---

def ready(context):
    obj = props.armature_of(context.object)
    return library.limber() is not None and props.is_on(obj)


class Main:
    bl_label = "Limber"

    @classmethod
    def poll(cls, context):
        return cls.bl_space_type == "VIEW_3D" or (context.object is not None
                                                  and context.object.type in ("MESH", "ARMATURE"))

    def draw_header(self, context):
        if ready(context):
            limber = props.armature_of(context.object).limber
            self.layout.prop(limber, "show", text="")

    def draw(self, context):
        layout = self.layout
        obj = props.armature_of(context.object)
        if not ready(context):
            draw_beginning(layout, context)
            return
        if props.is_linked(obj):
            wrapped(layout, context, operators.why_not(context), icon="LINKED")
        column = layout.column()
        column.enabled = not props.is_linked(obj)
        draw_preset(column, context, obj)
        column.use_property_split = True
        draw_words(column, context, obj)
        column.prop(obj.limber, "strength", slider=True)
        draw_frames(column, obj)
        draw_messages(layout, context, obj)


def draw_beginning(layout, context):
    """What to do when there is nothing to show yet."""
    reason = operators.why_not(context)
    if reason:
        wrapped(layout, context, reason, icon="INFO")
        if library.problem():
            layout.operator("limber.try_again", icon="FILE_REFRESH")
        return
    obj = props.armature_of(context.object)
    wrapped(layout, context, f"Give {obj.name} cartoon motion: parts lag behind, overshoot and settle. Then choose a "
            "preset and play the animation.")
    layout.operator("limber.add", icon="ADD")


def draw_preset(layout, context, obj):
    name = obj.limber.preset
    changed = not style.is_preset(props.style_dict(obj), name)
    row = layout.row(align=True)
    row.menu("LIMBER_MT_presets", text=(f"{name} (changed)" if changed else name) if name else "Own style")
    if changed and name:
        row.operator("limber.reset", text="", icon="LOOP_BACK").path = ""
    row.operator("limber.remove", text="", icon="X")
    found = next((p for p in table.presets() if p.name == name), None)
    if found:
        wrapped(layout, context, found.summary[:1].upper() + found.summary[1:])


def draw_words(layout, context, obj):
    """Timing, pose, anticipation, squash and drag, as much as the style had when it was chosen or more or less."""
    column = layout.column(align=True)
    column.use_property_decorate = False
    for word in words.WORDS:
        wrong = props.fault(obj, word.name)
        line = column.row(align=True)
        line.alert = wrong is not None
        line.prop(obj.limber.words, word.name, slider=True)
        if props.is_amount_changed(obj, word):
            line.operator("limber.reset_word", text="", icon="LOOP_BACK").name = word.name
        else:
            line.label(text="", icon="BLANK1")
        if wrong:
            wrapped(column, context, f"{word.name.capitalize()}: {wrong[1]}", icon="ERROR", alert=True)


def draw_frames(layout, obj):
    layout.prop(obj.limber, "range_mode")
    if obj.limber.range_mode == "CUSTOM":
        column = layout.column(align=True)
        column.prop(obj.limber, "frame_start")
        column.prop(obj.limber, "frame_end")


def draw_messages(layout, context, obj):
    """What is wrong and what to know, as sentences."""
    problem = style.problem(obj.limber.style)
    if problem:
        wrapped(layout, context, f"The style is wrong; the last good one is used. {problem}", icon="ERROR", alert=True)
    for kind, name in props.unmatched(obj):
        row = layout.row()
        wrapped(row, context, f"The style names the {kind[:-1]} '{name}', which this character does not have",
                icon="ERROR")
        drop = row.operator("limber.drop_name", text="", icon="X")
        drop.kind, drop.name = kind, name
    if not is_animated(obj):
        wrapped(layout, context, f"Nothing moves yet: {obj.name} has no animation. Choose an action for it, or insert "
                "keyframes", icon="INFO")
    if live.problem(obj):
        wrapped(layout, context, live.problem(obj), icon="ERROR", alert=True)
    session = live.session_of(obj)
    for text in session.notes if session else ():
        if not is_from_preset(obj, text):
            wrapped(layout, context, text[:1].upper() + text[1:], icon="INFO")


def is_from_preset(obj, note):
    """A preset may name a layer that nobody painted: it counts as 1, and nobody needs to know."""
    path = note.partition(":")[0]
    value = style.get(props.style_dict(obj), path)
    return path.endswith("layer") and value is not None and value == table.get(
        table.preset_style(obj.limber.preset), path)


def is_animated(obj):
    data = obj.animation_data
    if data and (data.action or any(track.strips for track in data.nla_tracks) or data.drivers):
        return True
    return any(bone.constraints for bone in obj.pose.bones) or bool(obj.constraints) or obj.parent is not None


class LIMBER_MT_presets(bpy.types.Menu):
    bl_label = "Presets"

    def draw(self, context):
        for preset in table.presets():
            if not table.is_from_paper(preset.name):
                self.layout.operator("limber.preset", text=preset.name).name = preset.name
        self.layout.menu("LIMBER_MT_papers")


class LIMBER_MT_papers(bpy.types.Menu):
    bl_label = "From the Papers"

    def draw(self, context):
        for preset in table.presets():
            if table.is_from_paper(preset.name):
                self.layout.operator("limber.preset", text=preset.name).name = preset.name


class Sub:
    """A panel below another one, there while the character has limber."""

    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return ready(context)

    def body(self, context):
        """The layout and the character; greyed out when its settings are in another file."""
        obj = props.armature_of(context.object)
        self.layout.enabled = not props.is_linked(obj)
        return self.layout, obj


class Part(Sub):
    """A part of the style, with a switch in its header where it can be switched off."""

    section = ""

    def draw_header(self, context):
        if self.section not in _switched():
            return
        obj = props.armature_of(context.object)
        on = style.get(props.style_dict(obj), self.section) is not None
        self.layout.enabled = not props.is_linked(obj)
        self.layout.operator("limber.switch", text="", icon="CHECKBOX_HLT" if on else "CHECKBOX_DEHLT",
                             emboss=False).path = self.section

    def draw(self, context):
        layout, obj = self.body(context)
        text = summary(self.section).split(". ")[0].rstrip(".")
        if text:
            wrapped(layout, context, text + ".")
        if self.section in _switched() and style.get(props.style_dict(obj), self.section) is None:
            layout.operator("limber.switch", text="Switch On", icon="CHECKBOX_DEHLT").path = self.section
            return
        if self.section == "exaggerate":
            bake_ui.draw_exaggerate(layout, context, obj)
        draw_section(layout, context, obj, self.section)
        if self.section == "air":
            wrapped(layout, context, "Three numbers are along Blender's X, Z and -Y.", icon="INFO")


@functools.lru_cache(maxsize=None)
def _switched():
    return tuple(s for s in sections() if s.startswith(("effects.", "smear.")) and s not in ALWAYS_ON
                 or s in ("exaggerate", "morphs"))


class Signals(Sub):
    bl_label = "Filter per Signal"
    section = ""

    @classmethod
    def poll(cls, context):
        obj = props.armature_of(context.object)
        return ready(context) and style.get(props.style_dict(obj), cls.section) is not None

    def draw(self, context):
        layout, obj = self.body(context)
        draw_signals(layout, context, obj, self.section)


class Group(Sub):
    """Holds the panels of several parts, and the values that belong to all of them."""

    section = None

    def draw(self, context):
        layout, obj = self.body(context)
        if self.section == "smear":
            bake_ui.draw_smears(layout, context, obj)
        if self.section is not None:
            draw_section(layout, context, obj, self.section)


class Bake(Sub):
    bl_label = "Bake"

    def draw(self, context):
        layout, obj = self.body(context)
        bake_ui.draw_bake(layout, context, obj)


class Layers(Sub):
    bl_label = "Layers"

    def draw(self, context):
        layout, obj = self.body(context)
        wrapped(layout, context, "A layer is a vertex group that scales an effect: 0 holds still, 1 is the full "
                "effect; the minus paints where it goes the other way.")
        wanted = props.wanted_layers(obj)
        for name in dict.fromkeys([*wanted, *props.layer_names(obj)]):
            there = any(name in mesh.vertex_groups or name + rig.MINUS in mesh.vertex_groups for mesh in props.meshes_of(obj))
            row = layout.row()
            row.label(text=name, icon="GROUP_VERTEX")
            row.operator("limber.paint_layer", text="", icon="BRUSH_DATA").layer = name
            other = row.operator("limber.paint_layer", text="", icon="REMOVE")
            other.layer, other.minus = name, True
            used = f"Used by {', '.join(wanted[name])}" if name in wanted else "Not used by any effect"
            wrapped(layout, context, f"{used}; {'painted' if there else 'not painted, so it is 1 everywhere'}.")
        if not wanted:
            wrapped(layout, context, "No effect uses a layer. Type the name of a vertex group into the Layer field of "
                    "an effect.", icon="INFO")


class Bone(Sub):
    bl_label = "Bone"

    @classmethod
    def poll(cls, context):
        return ready(context) and context.active_pose_bone is not None

    def draw(self, context):
        draw_bone(self.layout, context, context.active_pose_bone)


def draw_bone(layout, context, bone):
    layout.use_property_split = True
    there = [row for row in table.joint_rows() if gains.name_of(row) in bone]
    layout.label(text=bone.name, icon="BONE_DATA")
    for row in there:
        line = layout.row(align=True)
        label = row.label if row.path == "*.*" else row.path[2:].replace("_", " ").replace(".", ", ").capitalize()
        line.prop(bone, f'["{gains.name_of(row)}"]', text=label, slider=True)
        line.operator("limber.remove_gain", text="", icon="X").name = gains.name_of(row)
    if not there:
        wrapped(layout, context, f"{bone.name} follows the style. Add a value to make it looser, stiffer or still: 0 "
                "switches an effect off for this bone, 2 doubles it.")
    layout.operator_menu_enum("limber.add_gain", "key", icon="ADD")
    layout.operator("limber.pull", icon="EMPTY_AXIS").bone = bone.name


class Mesh(Sub):
    bl_label = "Mesh"

    @classmethod
    def poll(cls, context):
        return ready(context) and context.object.type == "MESH"

    def draw(self, context):
        layout, obj = self.body(context)
        layout.use_property_split = True
        layout.use_property_decorate = False
        wrapped(layout, context, f"For {context.object.name} alone: gains of effects, and smears.")
        for row in table.mesh_rows():
            draw_key(layout, context, context.object.limber.mesh, row, obj)


class Files(Sub):
    bl_label = "Style File"

    def draw(self, context):
        layout, obj = self.body(context)
        row = layout.row(align=True)
        row.operator("limber.import_style", icon="IMPORT")
        row.operator("limber.export_style", icon="EXPORT")
        row = layout.row(align=True)
        row.operator("limber.copy_style", icon="COPYDOWN")
        row.operator("limber.paste_style", icon="PASTEDOWN")
        row = layout.row(align=True)
        row.operator("limber.edit_text", icon="TEXT")
        row.operator("limber.apply_text", icon="CHECKMARK")


class LIMBER_PT_bone_properties(bpy.types.Panel):
    """The values of a bone, beside its other properties."""

    bl_label = "Limber"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "bone"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return ready(context) and context.active_pose_bone is not None

    def draw(self, context):
        draw_bone(self.layout, context, context.active_pose_bone)


# --- one class per panel and place ---

PLACES = {
    "VIEW3D": {"bl_space_type": "VIEW_3D", "bl_region_type": "UI", "bl_category": "Limber"},
    "OBJECT": {"bl_space_type": "PROPERTIES", "bl_region_type": "WINDOW", "bl_context": "object"},
}


def _panel(place, name, base, parent=None, **extra):
    values = {**PLACES[place], "bl_idname": f"LIMBER_PT_{place.lower()}_{name}", "__module__": __name__, **extra}
    if parent:
        values["bl_parent_id"] = f"LIMBER_PT_{place.lower()}_{parent}"
    return type(values["bl_idname"], (base, bpy.types.Panel), values)


def _panels(place):
    made = [_panel(place, "main", Main, **({"bl_options": {"DEFAULT_CLOSED"}} if place == "OBJECT" else {}))]
    if library.limber() is None:
        return made

    def add(name, base, parent="main", **extra):
        made.append(_panel(place, name.replace(".", "_"), base, parent, **extra))

    add("effects", Group, bl_label="Effects", bl_options=set())
    for section in sorted((s for s in sections() if s.startswith("effects.")), key=_effect_order):
        add(section, Part, "effects", bl_label=title(section), section=section)
        if any(_below(section, r.path).startswith("filter.") for r in sections()[section]):
            add(section + "_signals", Signals, section.replace(".", "_"), section=section)
    add("ground", Part, bl_label="Ground and Colliders", section="ground")
    add("air", Part, bl_label="Wind and Gravity", section="air")
    add("smear", Group, bl_label="Smears", section="smear")
    for section in (s for s in sections() if s.startswith("smear.")):
        add(section, Part, "smear", bl_label=title(section), section=section)
    for section in (s for s in sections() if s and "." not in s and s not in ("ground", "air", "smear")):
        add(section, Part, bl_label=title(section), section=section)
    add("bake", Bake)
    add("general", Group, bl_label="General", section="")
    add("bone", Bone)
    add("mesh", Mesh)
    add("layers", Layers)
    add("files", Files)
    return made


def _effect_order(section):
    return table.effects().index(section.split(".")[1])


_classes = []


def forget():
    for cached in (sections, summary, _switched):
        cached.cache_clear()


def register():
    forget()
    found = [LIMBER_MT_papers, LIMBER_MT_presets, *_panels("VIEW3D"), *_panels("OBJECT"), LIMBER_PT_bone_properties]
    for cls in found:
        bpy.utils.register_class(cls)
        _classes.append(cls)


def unregister():
    while _classes:
        bpy.utils.unregister_class(_classes.pop())
