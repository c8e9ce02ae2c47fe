"""What a bake did to a character, so that it can be undone: `armature.limber_bake`, saved with the file.

Pointers keep what was replaced (actions, bones) in the file, and survive renames.
"""
import json
import re

import bpy
from bpy.props import CollectionProperty, IntProperty, PointerProperty, StringProperty


class LimberBakedPart(bpy.types.PropertyGroup):
    """One mesh object."""

    object: PointerProperty(type=bpy.types.Object)
    before: PointerProperty(type=bpy.types.Action)  # of its shape keys
    made: PointerProperty(type=bpy.types.Action)
    state: StringProperty()  # JSON: names of what was added, and values that were changed


class LimberBaked(bpy.types.PropertyGroup):
    kind: StringProperty()  # "SHAPES", "CACHE" or "BONES"; "" while not baked
    first: IntProperty()
    last: IntProperty()
    state: StringProperty()
    parts: CollectionProperty(type=LimberBakedPart)
    before: PointerProperty(type=bpy.types.Action)  # of the armature
    made: PointerProperty(type=bpy.types.Action)
    bones: PointerProperty(type=bpy.types.Armature)  # its data before


def kind(armature):
    """"" or the kind of bake. Leaves no empty record on other objects."""
    if armature is None or not armature.is_property_set("limber_bake"):
        return ""
    return armature.limber_bake.kind


def is_ours(block):
    """Whether a shape key has a name that bakes give."""
    return re.fullmatch(r"Limber \d{3,}", block) is not None


def get(owner, name, default=None):
    return json.loads(owner.state or "{}").get(name, default)


def put(owner, **values):
    owner.state = json.dumps({**json.loads(owner.state or "{}"), **values})


def register():
    for cls in (LimberBakedPart, LimberBaked):
        bpy.utils.register_class(cls)
    bpy.types.Object.limber_bake = PointerProperty(type=LimberBaked)


def unregister():
    del bpy.types.Object.limber_bake
    for cls in (LimberBaked, LimberBakedPart):
        bpy.utils.unregister_class(cls)
