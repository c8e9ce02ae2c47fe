"""Two node groups that use limber's attributes, as a start for one's own: ghosts and lines behind what is fast.

Each is a modifier after Limber's. Its inputs are sliders of the modifier.
"""
import bpy

from . import attributes, nodes

KINDS = (("GHOSTS", "Ghosts", "Copies of the mesh where it was in the frames before"),
         ("LINES", "Lines", "Lines along the way of vertices that are fast"))
MARK = "limber_example"


def group(kind):
    """The node group, made when there is none."""
    for found in bpy.data.node_groups:
        if found.library is None and found.get(MARK) == kind:
            return found
    made = bpy.data.node_groups.new(f"Limber {kind.capitalize()}", "GeometryNodeTree")
    made[MARK] = kind
    if hasattr(made, "is_modifier"):
        made.is_modifier = True
    build = nodes.Builder(made)
    rows = {"GHOSTS": [("Speed", 0.5)], "LINES": [("Speed", 0.5), ("Density", 0.2), ("Radius", 0.005)]}[kind]
    sockets(made, rows)
    start, end = build.node("NodeGroupInput"), build.node("NodeGroupOutput")
    fill = {"GHOSTS": _ghosts, "LINES": _lines}[kind]
    build.link(fill(build, start.outputs), end.inputs[0])
    build.spread()
    return made


def sockets(made, rows):
    """Geometry in and out, and numbers with their defaults."""
    for side in ("INPUT", "OUTPUT"):
        if hasattr(made, "interface"):
            made.interface.new_socket(name="Geometry", in_out=side, socket_type="NodeSocketGeometry")
        else:
            (made.inputs if side == "INPUT" else made.outputs).new("NodeSocketGeometry", "Geometry")
    for name, value in rows:
        if hasattr(made, "interface"):
            socket = made.interface.new_socket(name=name, in_out="INPUT", socket_type="NodeSocketFloat")
        else:
            socket = made.inputs.new("NodeSocketFloat", name)
        socket.default_value = value


def _path(build, number):
    return build.named(f"{attributes.PATH}{number}", "FLOAT_VECTOR")


def _fast(build, limit):
    """Where vertices are faster than a limit."""
    found = build.node("FunctionNodeCompare", data_type="FLOAT", operation="GREATER_THAN")
    build.link(build.named(attributes.SPEED, "FLOAT"), build.socket(found.inputs, "VALUE", 0))
    build.link(limit, build.socket(found.inputs, "VALUE", 1))
    return found.outputs[0]


def _without(build, geometry, where):
    """A geometry without the points where a condition holds."""
    found = build.node("GeometryNodeDeleteGeometry", domain="POINT")
    build.link(geometry, found.inputs["Geometry"])
    build.link(where, found.inputs["Selection"])
    return found.outputs["Geometry"]


def _not(build, value):
    found = build.node("FunctionNodeBooleanMath", operation="NOT")
    build.link(value, found.inputs[0])
    return found.outputs[0]


def _ghosts(build, given):
    """The mesh, and what of it is fast, where it was one to four frames before."""
    fast = _without(build, given["Geometry"], _not(build, _fast(build, given["Speed"])))
    join = build.node("GeometryNodeJoinGeometry")
    build.link(given["Geometry"], join.inputs[0])
    for number in range(1, attributes.PAST + 1):
        move = build.node("GeometryNodeSetPosition")
        build.link(fast, move.inputs["Geometry"])
        build.link(_path(build, number), move.inputs["Offset"])
        build.link(move.outputs[0], join.inputs[0])
    return join.outputs[0]


def _lines(build, given):
    """The mesh, and tubes along the way of some of its fast vertices."""
    some = build.node("FunctionNodeRandomValue", data_type="BOOLEAN")
    build.link(given["Density"], some.inputs["Probability"])
    points = build.node("GeometryNodeMeshToPoints", mode="VERTICES")
    build.link(given["Geometry"], points.inputs["Mesh"])
    build.link(build.both(_fast(build, given["Speed"]), build.socket(some.outputs, "BOOLEAN")),
               points.inputs["Selection"])
    vertices = build.node("GeometryNodePointsToVertices")
    build.link(points.outputs[0], vertices.inputs[0])
    shown, top = vertices.outputs[0], None
    for number in range(1, attributes.PAST + 1):
        shown, top = _grown(build, shown, top, number)
    curve = build.node("GeometryNodeMeshToCurve")
    build.link(shown, curve.inputs["Mesh"])
    circle = build.node("GeometryNodeCurvePrimitiveCircle")
    circle.inputs["Resolution"].default_value = 4
    build.link(given["Radius"], circle.inputs["Radius"])
    tube = build.node("GeometryNodeCurveToMesh")
    build.link(curve.outputs[0], tube.inputs["Curve"])
    build.link(circle.outputs["Curve"], tube.inputs["Profile Curve"])
    join = build.node("GeometryNodeJoinGeometry")
    for one in (tube.outputs[0], given["Geometry"]):
        build.link(one, join.inputs[0])
    return join.outputs[0]


def _grown(build, geometry, top, number):
    """An edge on from the last ends: (geometry, which vertices are the new ends)."""
    found = build.node("GeometryNodeExtrudeMesh", mode="VERTICES")
    build.link(geometry, found.inputs["Mesh"])
    way = _path(build, number)
    if top is not None:
        build.link(top, found.inputs["Selection"])
        between = build.node("ShaderNodeVectorMath", operation="SUBTRACT")
        build.link(way, between.inputs[0])
        build.link(_path(build, number - 1), between.inputs[1])
        way = between.outputs[0]
    build.link(way, found.inputs["Offset"])
    return found.outputs["Mesh"], found.outputs["Top"]


def remove(obj):
    """The modifiers, and the groups that nothing uses then."""
    for modifier in [m for m in obj.modifiers if m.type == "NODES" and m.node_group and MARK in m.node_group]:
        used = modifier.node_group
        obj.modifiers.remove(modifier)
        if used.users == 0:
            bpy.data.node_groups.remove(used)


def add(obj, kind):
    """The modifier right after Limber's."""
    name = f"Limber {kind.capitalize()}"
    made = obj.modifiers.get(name) or obj.modifiers.new(name, "NODES")
    made.node_group = group(kind)
    if nodes.modifier_of(obj) is not None:
        nodes.move(obj, made, list(obj.modifiers).index(nodes.modifier_of(obj)) + 1)
    return made
