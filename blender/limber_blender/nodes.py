"""How offsets get into Blender's modifier stack.

Python cannot make modifiers. A Geometry Nodes modifier right after the Armature modifier adds offsets instead. They
are the vertices of a carrier: a mesh object that is in no collection and has one vertex per vertex of the mesh, and one
more, the stamp: (frame, vertex count, 0). Where the stamp does not match the frame that is drawn, or the vertices that
arrive, nothing is added: without the add-on a file shows its plain animation.

Neither the mesh nor its attributes are touched, so linked meshes, and meshes that several objects share, work. A second
node group also hands on the carrier's attributes (attributes.py), for nodes of modifiers that follow.
"""
import bpy
import numpy as np

from . import attributes

GROUP = ".limber"
WITH_ATTRIBUTES = 101  # the layout of the group that hands on attributes
MODIFIER = "Limber"
LAYOUT = 1  # of the node group; another number makes a new group
OWNER = "limber_owner"
NEVER = -1e9  # the frame of a carrier that adds nothing


def register():
    pass


def unregister():
    pass


# --- the node group ---

def group(layout=LAYOUT):
    """The node group, made when there is none."""
    for found in bpy.data.node_groups:
        if found.library is None and found.get("limber") == layout:
            return found
    made = bpy.data.node_groups.new(GROUP, "GeometryNodeTree")
    made["limber"] = layout
    if hasattr(made, "is_modifier"):
        made.is_modifier = True
    _sockets(made)
    _fill(made, attributes.NAMES if layout == WITH_ATTRIBUTES else {})
    return made


def _sockets(made):
    rows = (("Geometry", "INPUT", "NodeSocketGeometry"), ("Offsets", "INPUT", "NodeSocketObject"),
            ("Geometry", "OUTPUT", "NodeSocketGeometry"))
    for name, side, kind in rows:
        if hasattr(made, "interface"):
            made.interface.new_socket(name=name, in_out=side, socket_type=kind)
        else:
            (made.inputs if side == "INPUT" else made.outputs).new(kind, name)


def _offsets_key(made):
    """The name of the modifier's property that holds the carrier."""
    rows = made.interface.items_tree if hasattr(made, "interface") else made.inputs
    return next(row.identifier for row in rows if row.name == "Offsets")


SOCKETS = {"FLOAT": "VALUE", "FLOAT_VECTOR": "VECTOR"}


class Builder:
    """Makes nodes and links them. Sockets are found by type: their names and numbers differ between versions."""

    def __init__(self, tree):
        self.tree = tree

    def node(self, kind, **settings):
        found = self.tree.nodes.new(kind)
        for name, value in settings.items():
            setattr(found, name, value)
        return found

    def link(self, start, end):
        self.tree.links.new(start, end)

    @staticmethod
    def socket(sockets, kind, index=0):
        return [s for s in sockets if s.type == kind and s.enabled][index]

    def count(self, geometry):
        """Vertices of a geometry."""
        found = self.node("GeometryNodeAttributeDomainSize", component="MESH")
        self.link(geometry, found.inputs[0])
        return found.outputs["Point Count"]

    def position_at(self, geometry, index):
        found = self.node("GeometryNodeSampleIndex", data_type="FLOAT_VECTOR", domain="POINT")
        self.link(geometry, found.inputs["Geometry"])
        self.link(self.node("GeometryNodeInputPosition").outputs[0], self.socket(found.inputs, "VECTOR"))
        self.link(index, found.inputs["Index"])
        return self.socket(found.outputs, "VECTOR")

    def named(self, name, kind):
        """The value of an attribute."""
        found = self.node("GeometryNodeInputNamedAttribute", data_type=kind)
        found.inputs["Name"].default_value = name
        return self.socket(found.outputs, SOCKETS[kind])

    def attribute_at(self, geometry, name, kind, index):
        found = self.node("GeometryNodeSampleIndex", data_type=kind, domain="POINT")
        self.link(geometry, found.inputs["Geometry"])
        self.link(self.named(name, kind), self.socket(found.inputs, SOCKETS[kind]))
        self.link(index, found.inputs["Index"])
        return self.socket(found.outputs, SOCKETS[kind])

    def stored(self, geometry, name, kind, value, where):
        """A geometry with an attribute, where a condition holds."""
        found = self.node("GeometryNodeStoreNamedAttribute", data_type=kind, domain="POINT")
        self.link(geometry, found.inputs["Geometry"])
        if "Selection" in found.inputs:
            self.link(where, found.inputs["Selection"])
        found.inputs["Name"].default_value = name
        self.link(value, self.socket(found.inputs, SOCKETS[kind]))
        return found.outputs["Geometry"]

    def spread(self):
        """Nodes in rows, for whoever opens the group."""
        for i, one in enumerate(self.tree.nodes):
            one.location = (200 * (i % 6), -200 * (i // 6))

    def equal(self, a, b):
        found = self.node("FunctionNodeCompare", data_type="FLOAT", operation="EQUAL")
        self.link(a, self.socket(found.inputs, "VALUE", 0))
        self.link(b, self.socket(found.inputs, "VALUE", 1))
        self.socket(found.inputs, "VALUE", 2).default_value = 1e-3
        return found.outputs[0]

    def both(self, a, b):
        found = self.node("FunctionNodeBooleanMath", operation="AND")
        self.link(a, found.inputs[0])
        self.link(b, found.inputs[1])
        return found.outputs[0]


def _fill(made, names):
    build = Builder(made)
    start, end = build.node("NodeGroupInput"), build.node("NodeGroupOutput")
    geometry = start.outputs["Geometry"]
    info = build.node("GeometryNodeObjectInfo", transform_space="ORIGINAL")
    build.link(start.outputs["Offsets"], info.inputs["Object"])
    carrier, count = info.outputs["Geometry"], build.count(geometry)
    stamp = build.node("ShaderNodeSeparateXYZ")
    build.link(build.position_at(carrier, count), stamp.inputs[0])
    now = build.node("GeometryNodeInputSceneTime").outputs["Frame"]
    fits = build.both(build.equal(stamp.outputs[0], now), build.equal(stamp.outputs[1], count))
    move = build.node("GeometryNodeSetPosition")
    build.link(geometry, move.inputs["Geometry"])
    build.link(fits, move.inputs["Selection"])
    index = build.node("GeometryNodeInputIndex").outputs[0]
    build.link(build.position_at(carrier, index), move.inputs["Offset"])
    shown = move.outputs[0]
    for name, kind in names.items():
        shown = build.stored(shown, name, kind, build.attribute_at(carrier, name, kind, index), fits)
    build.link(shown, end.inputs[0])
    build.spread()


# --- the modifier ---

def modifier_of(obj):
    """The modifier that limber added to an object, or None."""
    for modifier in getattr(obj, "modifiers", ()):
        if modifier.type == "NODES" and _is_ours(modifier):
            return modifier
    return None


def _is_ours(modifier):
    used = modifier.node_group
    return bool(used.get("limber")) if used is not None else modifier.name == MODIFIER


def carrier_of(obj):
    modifier = modifier_of(obj)
    return modifier.get(_offsets_key(modifier.node_group)) if modifier and modifier.node_group else None


def wanted_index(obj):
    """Where the modifier belongs: right after the last Armature modifier, or first."""
    rest = [m for m in obj.modifiers if m != modifier_of(obj)]
    armatures = [i for i, m in enumerate(rest) if m.type == "ARMATURE"]
    return armatures[-1] + 1 if armatures else 0


def in_place(obj):
    modifier = modifier_of(obj)
    return modifier is not None and list(obj.modifiers).index(modifier) == wanted_index(obj)


def put_in_place(obj):
    """Moves the modifier where it belongs. False when Blender does not let it."""
    modifier = modifier_of(obj)
    move(obj, modifier, wanted_index(obj))
    return in_place(obj)


def move(obj, modifier, index):
    """Puts a modifier at a place in the stack, where Blender lets it."""
    now = list(obj.modifiers).index(modifier)
    if index == now:
        return
    if hasattr(obj.modifiers, "move"):
        obj.modifiers.move(now, index)
    else:
        with bpy.context.temp_override(object=obj, active_object=obj):
            try:
                bpy.ops.object.modifier_move_to_index(modifier=modifier.name, index=index)
            except RuntimeError:
                pass


def add(obj):
    """The modifier and its carrier, made when they are missing. Changes nothing when all is well."""
    modifier = modifier_of(obj)
    if modifier is None:
        modifier = obj.modifiers.new(MODIFIER, "NODES")
        old, modifier.node_group = modifier.node_group, None  # some versions make a group for every new modifier
        if old is not None and old.users == 0:
            bpy.data.node_groups.remove(old)
        modifier.show_expanded = False
        modifier.show_in_editmode = False
    if modifier.node_group is None:
        modifier.node_group = group()
    carrier = carrier_of(obj)
    key = _offsets_key(modifier.node_group)
    if carrier is None or carrier.library or carrier.data.library or _is_taken(carrier, obj):
        modifier[key] = _new_carrier(obj)  # what is linked cannot be written to; for a linked object this is not saved
        obj.update_tag()
    elif carrier.get(OWNER) != obj.name_full:
        carrier[OWNER] = obj.name_full
    return put_in_place(obj)


def use_attributes(obj, on):
    """Changes the node group of an object's modifier; its carrier stays."""
    modifier, carrier = modifier_of(obj), carrier_of(obj)
    old = modifier.node_group if modifier is not None else None
    layout = WITH_ATTRIBUTES if on else LAYOUT
    if old is None or old.get("limber") == layout or obj.library is not None:
        return
    modifier.node_group = group(layout)
    modifier[_offsets_key(modifier.node_group)] = carrier
    if old.library is None and old.users == 0:
        bpy.data.node_groups.remove(old)


def _is_taken(carrier, obj):
    """A duplicated object comes with the carrier of the first one."""
    owner = carrier.get(OWNER)
    if owner is None or owner == obj.name_full:
        return False
    other = next((o for o in bpy.data.objects if o.name_full == owner), None)
    return other is not None and other != obj and carrier_of(other) == carrier


def _new_carrier(obj):
    mesh = bpy.data.meshes.new(f"{GROUP} {obj.name}")
    carrier = bpy.data.objects.new(f"{GROUP} {obj.name}", mesh)
    carrier[OWNER] = obj.name_full
    return carrier


def remove(obj):
    """Removes the modifier, its carrier and, when it was the last one, the node group."""
    modifier = modifier_of(obj)
    if modifier is None:
        return
    used, carrier = modifier.node_group, carrier_of(obj)
    obj.modifiers.remove(modifier)
    if carrier is not None and carrier.library is None and not _users(carrier):
        mesh = carrier.data
        bpy.data.objects.remove(carrier)
        if mesh.users == 0:
            bpy.data.meshes.remove(mesh)
    if used is not None and used.library is None and used.users == 0:
        bpy.data.node_groups.remove(used)


def _users(carrier):
    return any(carrier_of(o) == carrier for o in bpy.data.objects if o.type == "MESH")


# --- offsets ---

def write(obj, offsets, frame, more=None):
    """Offsets (V, 3) in the object's space for a frame (with its fraction) of the scene, and attributes by name."""
    carrier = carrier_of(obj)
    count = len(offsets)
    rows = np.empty((count + 1, 3), np.float32)
    rows[:count] = offsets
    rows[count] = (frame, count, 0)
    mesh = carrier.data
    if len(mesh.vertices) != count + 1:
        mesh.clear_geometry()
        mesh.vertices.add(count + 1)
    mesh.vertices.foreach_set("co", rows.ravel())
    for name, values in (more or {}).items():
        kind = attributes.NAMES[name]
        row = mesh.attributes.get(name) or mesh.attributes.new(name, kind, "POINT")
        flat = np.zeros((count + 1) * (3 if kind == "FLOAT_VECTOR" else 1), np.float32)
        flat[: values.size] = values.ravel()
        row.data.foreach_set("vector" if kind == "FLOAT_VECTOR" else "value", flat)
    mesh.update_tag()


def blank(obj):
    """From now on nothing is added to an object, until offsets are written. Returns what undoes that."""
    carrier = carrier_of(obj)
    if carrier is None or not len(carrier.data.vertices):
        return None
    stamp = carrier.data.vertices[-1]
    was = tuple(stamp.co)
    stamp.co = (NEVER, was[1], 0)
    carrier.data.update_tag()
    return was


def unblank(obj, was):
    carrier = carrier_of(obj)
    if carrier is not None and was is not None and len(carrier.data.vertices):
        carrier.data.vertices[-1].co = was
        carrier.data.update_tag()
