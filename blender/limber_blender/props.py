"""The settings of a character, on its armature object: `object.limber`.

`style` is the text of a style file, and the only place where a style is kept. The values in the panels
(`object.limber.controls`, `object.limber.mesh`) read and write that text; there is no second copy.
"""
import re

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, IntVectorProperty
from bpy.props import PointerProperty, StringProperty

from . import animated, baked, gains, library, nodes, pulls, rig, style, table, words

OVERRIDE = {"LIBRARY_OVERRIDABLE"}

# What was typed and is wrong: (object, path) -> (text, sentence). The last good style stays in force.
_faults = {}
_good = {}
_naming = []  # not empty while the name of a preset is kept without using it
# What the engine does when a setting changes. `live`, which knows the settings, fills it in.
engine = {"refresh": lambda obj, *what: None, "problem": lambda obj: None, "switched": lambda obj: None}


# --- which character ---

is_on = rig.is_on


def armature_of(obj):
    """The armature object that carries the settings for an object: itself, or what skins or carries a mesh."""
    if obj is None or obj.type == "ARMATURE":
        return obj
    if pulls.is_pull(obj):
        return obj[pulls.OWNER]
    found = [m.object for m in getattr(obj, "modifiers", ()) if m.type == "ARMATURE" and m.object is not None]
    if found:
        return next((one for one in found if is_on(one)), found[0])
    parent = obj.parent
    return parent if parent is not None and parent.type == "ARMATURE" else None


def meshes_of(armature):
    """The meshes that move with an armature."""
    return rig.objects_of(armature) if armature is not None else []


def is_linked(obj):
    """Whether the settings are in another file: they cannot be changed here. An override can."""
    return obj.library is not None


# --- the style ---

def style_dict(obj):
    """The style without gains of bones. Do not change it."""
    return style.parse(good_text(obj))


def good_text(obj):
    """The text of the style, or the last one that was right."""
    text = obj.limber.style
    if style.problem(text) is None:
        _good[obj.name_full] = text
        return text
    return _good.get(obj.name_full, "{}")


def unmatched(obj):
    """[("joints" or "meshes", pattern)] of the style that no bone or mesh has: it was renamed or removed."""
    now = style_dict(obj)
    there = {"joints": [obj.name, *obj.data.bones.keys(), *(mesh.name for mesh in meshes_of(obj))],
             "meshes": [n for mesh in meshes_of(obj) for n in (mesh.name, mesh.data.name)]}
    return [(kind, pattern) for kind, known in there.items() for pattern in now.get(kind, ())
            if not any(style.matches(pattern, name) for name in known)]


def full_style(obj):
    """The style in force: that of the panels without names that match nothing, and the gains of the bones on top."""
    found = dict(style_dict(obj))
    for path in unmatched(obj):
        found = style.put(found, path, None)
    joints = gains.of(obj)
    if joints:
        found["joints"] = {**found.get("joints", {})}
        for bone, values in joints.items():
            own = found["joints"].pop(bone, {})  # last, because later patterns win
            found["joints"][bone] = {**own, **values}
    return found


def style_text(obj):
    """The style in force as text; what export writes and the engine reads."""
    full = full_style(obj)
    return good_text(obj) if full == style_dict(obj) else style.text_of(full)


def set_style(obj, new):
    obj.limber.style = style.text_of(new)


def name_preset(obj, name):
    """Keeps which preset the style started from, and leaves the style alone."""
    _naming.append(name)
    obj.limber.preset = name
    _naming.pop()


def _preset_changed(limber, context):
    """`object.limber.preset = "jelly"` uses a preset; an unknown name changes nothing."""
    obj, name = limber.id_data, limber.preset
    if _naming or not name or not library.limber():
        return
    if not any(p.name == name for p in table.presets()):
        limber.base = limber.style
        name_preset(obj, "")
        return
    limber.shelf, limber.base = "{}", ""
    forget_faults()
    set_style(obj, style.with_preset(style_dict(obj), name))


def _style_changed(limber, context):
    refresh(limber.id_data)


def refresh(obj, *what):
    if is_on(obj) and library.limber():
        engine["refresh"](obj, *what)


def fault(obj, path):
    """None, or (what was typed, why it is wrong)."""
    return _faults.get((obj.name_full, path))


def forget_faults(*_):
    _faults.clear()


def change(obj, path, value, key="", typed=""):
    """Sets one value (None removes it). A wrong one is kept as a fault and changes nothing."""
    return change_to(obj, style.put(style_dict(obj), path, value), key, typed)


def change_to(obj, new, key="", typed=""):
    """Uses another style, or keeps why not as a fault."""
    message = style.check_style(new) or _try(obj, new)
    if message:
        _faults[(obj.name_full, key)] = (typed, message)
        return message
    _faults.pop((obj.name_full, key), None)
    return None


def _try(obj, new):
    """Uses a style. One that does not go with this character is taken back; returns why."""
    before = obj.limber.style
    if new == style_dict(obj):
        return None
    set_style(obj, new)
    message = engine["problem"](obj) if is_on(obj) else None
    if message:
        obj.limber.style = before
        if engine["problem"](obj) is None:
            return re.sub(r"^line \d+, column \d+ \([^)]*\): ", "", message)
        set_style(obj, new)  # that was not it
    return None


# --- a Blender property for every key ---

def _place(group, row):
    """(armature, path of the value in its style) for the property of a row."""
    obj = group.id_data
    path = row.path
    if path.startswith("*."):
        return armature_of(obj), ("meshes", obj.name, *path[2:].split("."))
    return obj, tuple(path.split("."))


def value_of(group, row):
    armature, path = _place(group, row)
    value = style.get(style_dict(armature), path) if armature else None
    return row.default if value is None else value


def _write(group, row, value, typed=""):
    """A value that is the one in force already is not written: overrides set all controls when a file is loaded, after
    its style."""
    armature, path = _place(group, row)
    if armature is None or is_linked(armature):
        return
    if value is not None and value == value_of(group, row):
        _faults.pop((armature.name_full, fault_key(group, row)), None)
    else:
        change(armature, path, value, key=fault_key(group, row), typed=typed or str(value))


def fault_key(group, row):
    return f"{group.id_data.name_full}:{row.path}" if row.path.startswith("*.") else row.path


def _number(row, whole):
    def get(group):
        value = animated.now(group.id_data, row)
        value = value_of(group, row) if value is None else value
        value = value if isinstance(value, (int, float)) and not isinstance(value, bool) else max(row.min, 0)
        return int(value) if whole else float(value)

    def put(group, value):
        if not animated.take(group.id_data, row, value):
            _write(group, row, int(value) if whole else style.number_text(value))

    low, high = table.slider_range(row)
    limit = 2**31 - 1 if whole else 1e9
    low, high, least, most = (max(-limit, min(limit, v)) for v in (low, high, row.min, row.max))
    common = {**_common(row), "options": set() if row.path.startswith("*.") else {"ANIMATABLE"}}
    if whole:
        return IntProperty(get=get, set=put, min=int(least), max=int(most), soft_min=int(low), soft_max=int(high),
                           **common)
    return FloatProperty(get=get, set=put, min=least, max=most, soft_min=low, soft_max=high, precision=_digits(high),
                         step=max(0.1, 100 * (high - low) / 100), **common)


def _digits(high):
    return 2 if high > 10 else 3 if high > 0.5 else 4


def _common(row):
    text = row.help[:1].upper() + row.help[1:]
    if row.default is not None:
        text += f". Default: {style.show_typed(row, row.default)}"
    return {"name": row.label, "description": text, "options": set(), "override": OVERRIDE}


def _text(row):
    def get(group):
        armature, _ = _place(group, row)
        wrong = fault(armature, fault_key(group, row)) if armature else None
        return wrong[0] if wrong else style.show_typed(row, value_of(group, row))

    def put(group, typed):
        armature, _ = _place(group, row)
        if not typed.strip() and row.kind != "text":
            _write(group, row, None)
            return
        try:
            _write(group, row, style.read_typed(row, typed), typed)
        except ValueError as error:
            _faults[(armature.name_full, fault_key(group, row))] = (typed, f"is not JSON: {error}")

    common = _common(row)
    if row.kind == "number":
        common["description"] += ". A number, or a formula such as 0.4 * smoothstep(0.2, 1, height)"
    inside = table.structure_keys(row.path)
    if inside:
        common["description"] += ". " + "; ".join(f"{r.name}: {r.help}" for r in inside)
    search = _search(row)
    if search:
        return StringProperty(get=get, set=put, search=search, search_options={"SUGGESTION"}, **common)
    return StringProperty(get=get, set=put, **common)


def _search(row):
    """What a text field suggests: vertex groups, bones, or the words of a key."""
    if row.name in ("layer", "joint_layer"):
        return lambda group, context, typed: layer_names(armature_of(group.id_data))
    if row.name in ("joint", "joints"):
        return lambda group, context, typed: [bone.name for bone in armature_of(group.id_data).data.bones]
    return (lambda group, context, typed: list(row.choices)) if row.choices else None


def layer_names(armature):
    """Vertex groups of the character that are not there for its bones."""
    bones = set(armature.data.bones.keys())
    groups = dict.fromkeys(g.name for mesh in meshes_of(armature) for g in mesh.vertex_groups)
    return list(dict.fromkeys(name.removesuffix(rig.MINUS) for name in groups if name not in bones))


def wanted_layers(obj):
    """{layer: the parts of the style that use it}."""
    found = {}

    def visit(value, path):
        if isinstance(value, dict):
            for name, inside in value.items():
                visit(inside, [*path, name])
        elif isinstance(value, str) and value and path[-1] in ("layer", "joint_layer"):
            found.setdefault(value, []).append(".".join(path[1:-1] or path))
        elif isinstance(value, str):
            for name in re.findall(r"paint\.([A-Za-z_][A-Za-z0-9_]*)", value):
                found.setdefault(name, []).append(".".join(path[1:]))

    visit(style_dict(obj), [])
    return found


def _switch(row):
    return BoolProperty(get=lambda group: value_of(group, row) is True,
                        set=lambda group, value: _write(group, row, bool(value)), **_common(row))


def _word(value):
    return {True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else value


def _choice(row):
    words = {"dualquat": "Dual quaternion", "true": "Yes", "false": "No"}
    items = [(w, words.get(w, w.replace("_", " ").capitalize()), "", i) for i, w in enumerate(row.choices)]

    def get(group):
        value = _word(value_of(group, row))
        return row.choices.index(value) if value in row.choices else 0

    def put(group, index):
        word = row.choices[index]
        _write(group, row, {"true": True, "false": False}.get(word, word))

    return EnumProperty(items=items, get=get, set=put, **_common(row))


def _words(row):
    def get(group):
        return sum(1 << i for i, w in enumerate(row.choices) if w in (value_of(group, row) or ()))

    def put(group, bits):
        _write(group, row, [w for i, w in enumerate(row.choices) if bits >> i & 1])

    common = {**_common(row), "options": {"ENUM_FLAG"}}
    items = [(w, w.capitalize(), "", 1 << i) for i, w in enumerate(row.choices)]
    return EnumProperty(items=items, get=get, set=put, **common)


def _vector(row):
    def get(group):
        value = value_of(group, row)
        return value if isinstance(value, list) and len(value) == 3 else (0, 0, 0)

    return FloatVectorProperty(size=3, get=get, set=lambda g, v: _write(g, row, [style.number_text(x) for x in v]),
                               **_common(row))


def text_id(row):
    """The property with the value as text, for what takes formulas or words."""
    return row.id + "_t" if row.takes_text else row.id


def _properties(rows):
    made = {}
    for row in rows:
        if row.kind in ("number", "constant", "count"):
            made[row.id] = _number(row, row.kind == "count")
            if row.takes_text:
                made[text_id(row)] = _text(row)
        elif row.kind == "list" and row.choices:
            made[row.id] = _words(row)
        else:
            make = {"switch": _switch, "choice": _choice, "vector": _vector}.get(row.kind, _text)
            made[row.id] = make(row)
    return made


# --- five words ---

def base_style(obj):
    """The style as it was chosen, from a preset or a file: where the five words are at 1."""
    return table.preset_style(obj.limber.preset) if obj.limber.preset else style.parse(obj.limber.base)


def amount_of(obj, word):
    return words.amount_of(word, style_dict(obj), base_style(obj))


def set_amount(obj, word, amount):
    """Like `_write`, it leaves a value alone that is in force already."""
    if not is_linked(obj) and abs(amount - amount_of(obj, word)) > 1e-6:
        new = words.with_amount(word, style.number_text(amount), style_dict(obj), base_style(obj))
        change_to(obj, new, key=word.name, typed=str(amount))


def reset_amount(obj, word):
    change_to(obj, words.as_chosen(word, style_dict(obj), base_style(obj)), key=word.name)


def is_amount_changed(obj, word):
    base = base_style(obj)
    return abs(amount_of(obj, word) - words.amount_of(word, base, base)) > 1e-6


def _word_property(word):
    return FloatProperty(get=lambda group: amount_of(group.id_data, word),
                         set=lambda group, value: set_amount(group.id_data, word, value),
                         name=word.name.capitalize(), description=word.help + ". 1: as chosen, 0: none",
                         default=1, min=0, max=words.MAX, precision=2, step=5, options=set(), override=OVERRIDE)


# --- what Blender keeps ---

def _enabled_changed(limber, context):
    engine["switched"](limber.id_data)


def _shown_changed(limber, context):
    obj = limber.id_data
    if baked.kind(obj):
        return
    for mesh in meshes_of(obj):
        modifier = nodes.modifier_of(mesh)
        if modifier:
            modifier.show_viewport = modifier.show_render = limber.show
    refresh(obj)


def _attributes_changed(limber, context):
    for mesh in meshes_of(limber.id_data):
        nodes.use_attributes(mesh, limber.attributes)
    refresh(limber.id_data)


def _range_changed(limber, context):
    refresh(limber.id_data, "motion")


RANGES = (
    ("ACTION", "Action", "The frames of the armature's action; of the scene, where it has none"),
    ("SCENE", "Scene", "From the first to the last frame of the scene"),
    ("CUSTOM", "Custom", "From and to the frames below"),
)


def _settings(groups):
    made = {
        "enabled": BoolProperty(name="Limber", description="This character has cartoon motion", override=OVERRIDE,
                                options=set(), update=_enabled_changed),
        "style": StringProperty(name="Style", description="The style as JSON, as a style file has it",
                                override=OVERRIDE, default="{}", options=set(), update=_style_changed),
        "preset": StringProperty(name="Preset", description="The preset that the style started from; another name "
                                 "replaces the style", override=OVERRIDE, options=set(), update=_preset_changed),
        "base": StringProperty(name="Base", description="The style file that the style started from",
                               override=OVERRIDE, options=set()),
        "shelf": StringProperty(name="Shelf", description="Values of parts that are switched off", default="{}",
                                override=OVERRIDE, options=set()),
        "strength": FloatProperty(name="Strength", description="Multiplies the whole style. Keyframes and drivers work",
                                  default=1, min=0, max=2, override=OVERRIDE, options={"ANIMATABLE"},
                                  update=_style_changed),
        "show": BoolProperty(name="Show", description="Show cartoon motion; switch off to compare with the plain one",
                             default=True, override=OVERRIDE, options=set(), update=_shown_changed),
        "attributes": BoolProperty(name="Attributes", description="Meshes have limber_offset, limber_speed, limber_contact "
                                   "and limber_path_1 ... 4, for the nodes of modifiers that follow", override=OVERRIDE,
                                   options=set(), update=_attributes_changed),
        "smears": BoolProperty(name="Copies and Lines", description="In-between copies and motion lines are objects of "
                               "the collection Limber smears", override=OVERRIDE, options=set()),
        "range_mode": EnumProperty(name="Frames", description="Frames that are one clip: motion outside is not seen",
                                   items=RANGES, override=OVERRIDE, options=set(), update=_range_changed),
        "frame_start": IntProperty(name="First", description="First frame of the clip", default=1, override=OVERRIDE,
                                   options=set(), update=_range_changed),
        "frame_end": IntProperty(name="Last", description="Last frame of the clip", default=250, override=OVERRIDE,
                                 options=set(), update=_range_changed),
        "played": IntVectorProperty(name="Played", description="The scene's frames when the file was saved", size=2,
                                    override=OVERRIDE, options={"HIDDEN"}),
    }
    for name, group in groups.items():
        made[name] = PointerProperty(type=group, override=OVERRIDE)
    return made


def _group(name, annotations):
    return type(name, (bpy.types.PropertyGroup,), {"__annotations__": annotations, "__module__": __name__})


_classes = []


def register():
    keys = _group("LimberKeys", _properties(table.rows()))
    mesh = _group("LimberMeshKeys", _properties(table.mesh_rows()))
    five = _group("LimberWords", {word.name: _word_property(word) for word in words.WORDS})
    for group in (keys, mesh, five):
        bpy.utils.register_class(group)
    settings = _group("LimberSettings", _settings({"controls": keys, "mesh": mesh, "words": five}))
    bpy.utils.register_class(settings)
    _classes.extend((keys, mesh, five, settings))
    bpy.types.Object.limber = PointerProperty(type=settings, override=OVERRIDE)
    for handlers in (bpy.app.handlers.undo_post, bpy.app.handlers.redo_post, bpy.app.handlers.load_post):
        handlers.append(_forget)


@bpy.app.handlers.persistent
def _forget(*_):
    forget_faults()


def unregister():
    for handlers in (bpy.app.handlers.undo_post, bpy.app.handlers.redo_post, bpy.app.handlers.load_post):
        if _forget in handlers:
            handlers.remove(_forget)
    del bpy.types.Object.limber
    while _classes:
        bpy.utils.unregister_class(_classes.pop())
    forget_faults()
    _good.clear()
