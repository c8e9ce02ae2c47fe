"""Named attributes of the mesh, and the nodes that use them."""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from kit import *  # noqa: E402,F403


def read(obj, name):
    """A named attribute of the evaluated mesh."""
    found = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.attributes[name]
    width = 3 if found.data_type == "FLOAT_VECTOR" else 1
    rows = np.empty(width * len(found.data), np.float32)
    found.data.foreach_get("vector" if width == 3 else "value", rows)
    return rows.reshape(-1, width) if width == 3 else rows


def swinging():
    armature, obj = beam()
    swing(armature, travel=2.0)
    add(armature)
    armature.limber.attributes = True
    return armature, obj


def test_attributes_are_what_the_mesh_does():
    armature, obj = swinging()
    before = {f: at(f, obj, world=True) for f in (8, 9, 10, 11)}
    seen = at(10, obj)
    near(read(obj, "limber_offset"), seen - plain(10, obj), 1e-5, "offset")
    at(10, obj)
    turn = np.array(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)[:3, :3]
    near(read(obj, "limber_path_1") @ turn.T, before[9] - before[10], 1e-4, "a frame before")
    near(read(obj, "limber_path_2") @ turn.T, before[8] - before[10], 1e-4, "two frames before")
    speed = np.linalg.norm(before[11] - before[9], axis=-1) * 24 / 2
    near(read(obj, "limber_speed"), speed, 1e-3 * speed.max(), "speed")


def test_contact_is_where_a_vertex_rests_on_the_ground():
    armature, obj = beam(keyed=False)
    for frame, height in ((1, 1.0), (10, 0.0), (30, 0.0)):
        armature.location.z = height
        armature.keyframe_insert("location", index=2, frame=frame)
    bpy.context.scene.frame_end = 30
    add(armature, "{}")
    armature.limber.attributes = True
    at(25, obj)
    contact, height = read(obj, "limber_contact"), np.array([v.co.z for v in obj.data.vertices])
    assert (contact[height < 0.01] > 0.99).all() and (contact[height > 0.3] == 0).all(), contact
    at(2, obj)
    assert read(obj, "limber_contact").max() == 0


def test_attributes_are_off_unless_asked_for():
    armature, obj = beam()
    add(armature)
    at(5, obj)
    names = [a.name for a in obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.attributes]
    assert not [n for n in names if n.startswith("limber")]
    seen = at(7, obj)
    armature.limber.attributes = True
    near(at(7, obj), seen, 0)
    armature.limber.attributes = False
    near(at(7, obj), seen, 0)
    assert len([g for g in bpy.data.node_groups if g.get("limber")]) == 1


def test_example_nodes_draw_ghosts_and_lines():
    armature, obj = swinging()
    count = len(obj.data.vertices)
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.limber.example_nodes(kind="GHOSTS") == {"FINISHED"}
    ghosts = at(10, obj)
    assert len(ghosts) == 5 * count, len(ghosts)
    assert np.abs(ghosts[count:].reshape(4, count, 3) - ghosts[:count]).max() > 0.05
    assert bpy.ops.limber.example_nodes(kind="LINES") == {"FINISHED"}
    obj.modifiers.remove(obj.modifiers["Limber Ghosts"])
    assert len(at(10, obj)) > count
    remove(armature)
    assert [m.type for m in obj.modifiers] == ["ARMATURE"]


main(globals())
