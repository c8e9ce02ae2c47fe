"""Bakes: what Blender plays is what limber showed; unbaking brings back what was there."""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from kit import *  # noqa: E402,F403
from limber_blender import bake, baked  # noqa: E402


def size(armature):
    return float(live.session_of(armature).character.size)


def character():
    """A swinging beam with shape keys of its own, modifiers above and below, a driver and a rigid part."""
    armature, obj = beam()
    obj.shape_key_add(name="Basis")
    block = obj.shape_key_add(name="Bulge")
    for v in block.data:
        v.co.x *= 1.5
    for frame, value in ((1, 0.0), (12, 1.0), (25, 0.0)):
        block.value = value
        block.keyframe_insert("value", frame=frame)
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 1
    obj.modifiers.new("Weights", "VERTEX_WEIGHT_EDIT").vertex_group = "Bone.0"
    obj.location.x = 0.5
    hat = bpy.data.objects.new("Hat", beam_mesh("Hat mesh", rings=3, height=0.4))
    bpy.context.collection.objects.link(hat)
    hat.parent, hat.parent_type, hat.parent_bone = armature, "BONE", "Bone.2"
    return armature, obj, hat


def state():
    """Everything that a bake could change, as text."""
    found = []
    for obj in sorted(bpy.data.objects, key=lambda o: o.name):
        found.append((obj.name, obj.data.name if obj.data else "", _custom(obj), _animation(obj), obj.parent_bone,
                      [tuple(round(x, 6) for x in row) for row in obj.matrix_parent_inverse]))
        found.append([(m.name, m.type, m.show_viewport, m.show_render, m.show_expanded) for m in obj.modifiers])
        if obj.type == "MESH" and nodes.OWNER not in obj:
            found.append([g.name for g in obj.vertex_groups] + [obj.vertex_groups.active_index])
            found.append((obj.active_shape_key_index, obj.show_only_shape_key))
            found.append(_mesh(obj.data))
        if obj.type == "ARMATURE":
            found.append([(b.name, b.parent and b.parent.name, b.use_deform, b.inherit_scale,
                           [round(x, 7) for row in b.matrix_local for x in row]) for b in obj.data.bones])
            found.append([(b.name, _custom(b), [c.name for c in b.constraints]) for b in obj.pose.bones])
    for rows in (bpy.data.actions, bpy.data.meshes, bpy.data.armatures, bpy.data.shape_keys, bpy.data.materials,
                 bpy.data.collections, bpy.data.node_groups, bpy.data.objects):
        found.append(sorted((r.name, r.users, r.use_fake_user) for r in rows))
    for action in sorted(bpy.data.actions, key=lambda a: a.name):
        found.append([(c.data_path, c.array_index, [tuple(k.co) for k in c.keyframe_points]) for c in action.fcurves])
    return found


def _custom(owner):
    return {k: str(owner[k]) for k in owner.keys() if k != "limber"}


def _animation(owner):
    data = owner.animation_data
    return data and (data.action and data.action.name, [d.data_path for d in data.drivers], len(data.nla_tracks))


def _mesh(mesh):
    keys = mesh.shape_keys
    weights = [[(g.group, g.weight) for g in v.groups] for v in mesh.vertices]
    blocks = keys and [(k.name, k.value, k.slider_min, k.slider_max, k.relative_key.name,
                        [tuple(p.co) for p in k.data]) for k in keys.key_blocks]
    return [tuple(v.co) for v in mesh.vertices], weights, blocks, keys and _animation(keys)


def same_state(a, b):
    for one, other in zip(a, b):
        assert one == other, f"{one}\nis not\n{other}"


def round_trip(kind, most, tolerance=0.0, style=FLOPPY, **more):
    """Bakes, compares at frames in random order, unbakes; returns the largest difference in L."""
    armature, obj, hat = character()
    add(armature, style)
    frames = shuffled(range(1, 26))
    wanted = {f: at(f, obj, hat, world=True) for f in frames}
    plain_ones = {f: plain(f, obj, hat, world=True) for f in frames}
    length = size(armature)
    bpy.context.scene.frame_set(7)
    before = state()
    assert bpy.ops.limber.bake(kind=kind, tolerance=tolerance, **more) == {"FINISHED"}
    assert baked.kind(armature) and live.session_of(armature) is None
    worst = 0
    for f in shuffled(frames, 2):
        worst = max(worst, near(at(f, obj, hat, world=True), wanted[f], most * length, f"{kind} at {f}") / length)
    assert max(np.abs(wanted[f] - plain_ones[f]).max() for f in frames) > 100 * most * length
    assert bpy.ops.limber.unbake() == {"FINISHED"}
    bpy.context.scene.frame_set(7)
    same_state(state(), before)
    for f in frames:
        near(at(f, obj, hat, world=True), wanted[f], 1e-7 * length, f"live again at {f}")
    print(f"         {kind}: off by {worst:.2g} L at most")
    return worst


def test_a_shape_key_per_frame_shows_what_limber_showed():
    round_trip("SHAPES", 1e-5)


def test_few_shape_keys_stay_within_the_tolerance():
    round_trip("SHAPES", 2e-3, 2e-3)


def test_pc2_shows_what_limber_showed():
    round_trip("PC2", 1e-6, folder=str(temporary("caches")))


def test_mdd_shows_what_limber_showed():
    round_trip("MDD", 1e-6, folder=str(temporary("caches")))


def test_helper_bones_stay_within_the_tolerance():
    round_trip("BONES", 3e-3, 2e-3)


def test_the_smallest_is_shape_keys_or_helper_bones():
    from limber_blender import bake_shapes
    before = bake_shapes.in_thread
    for preserve, kind in ((False, "BONES"), (True, "SHAPES")):  # bones cannot preserve volume
        empty()
        armature, obj = beam()
        obj.modifiers["Armature"].use_deform_preserve_volume = preserve
        add(armature)
        bake_shapes.in_thread = lambda session, settings, one: before(session, settings, {"auto": "bones"}.get(one, one))
        try:
            assert bpy.ops.limber.bake() == {"FINISHED"}  # by default
        finally:
            bake_shapes.in_thread = before
        assert baked.kind(armature) == kind, baked.kind(armature)
        bpy.ops.limber.unbake()
    empty()
    round_trip("AUTO", 3e-3, 2e-3)


# --- which frames ---

def test_only_the_chosen_frames_are_baked():
    for kind in ("SHAPES", "PC2", "BONES"):
        empty()
        armature, obj = beam()
        add(armature)
        wanted = {f: (at if 8 <= f <= 14 else plain)(f, obj) for f in (2, 7, 8, 11, 14, 15, 24)}
        bpy.ops.limber.bake(kind=kind, first=8, last=14, tolerance=0.0005 if kind == "BONES" else 0, folder=str(
            temporary("caches")))
        for f in shuffled(wanted):
            near(at(f, obj), wanted[f], 3e-3 if kind == "BONES" else 3e-5, f"{kind} at {f}")


def test_cyclic_actions_bake_beyond_their_keys():
    armature, obj = beam()
    for curve in armature.animation_data.action.fcurves:
        curve.modifiers.new("CYCLES")
    bpy.context.scene.frame_end = 80
    add(armature)
    frames = [3, 26, 44, 61, 79]
    wanted = {f: at(f, obj) for f in frames}
    near(wanted[3] - wanted[3], at(27, obj) - at(51, obj), 1e-5)
    for kind in ("SHAPES", "PC2"):
        bpy.ops.limber.bake(kind=kind, tolerance=0, folder=str(temporary("caches")))
        for f in shuffled(frames):
            near(at(f, obj), wanted[f], 3e-5, f"{kind} at {f}")
        bpy.ops.limber.unbake()


def test_time_remapping_is_baked():
    armature, obj = beam()
    scene = bpy.context.scene
    scene.render.frame_map_old, scene.render.frame_map_new = 100, 200
    scene.frame_end = 49
    add(armature)
    wanted = {f: at(f, obj) for f in (3, 20, 41)}
    for kind in ("SHAPES", "PC2", "MDD", "BONES"):
        bpy.ops.limber.bake(kind=kind, tolerance=0.0005 if kind == "BONES" else 0, folder=str(temporary("caches")))
        for f in wanted:
            near(at(f, obj), wanted[f], 3e-3 if kind == "BONES" else 3e-5, f"{kind} at {f}")
        bpy.ops.limber.unbake()


def test_elongation_is_baked():
    armature, obj = beam()
    add(armature, '{"smear": {"elongate": {"amount": "linear", "past": 1.5}}}')
    wanted = {f: at(f, obj) for f in (4, 9, 17)}
    assert moved(9, obj) > 1e-3
    for kind in ("SHAPES", "PC2"):
        bpy.ops.limber.bake(kind=kind, tolerance=0, folder=str(temporary("caches")))
        for f in wanted:
            near(at(f, obj), wanted[f], 3e-5, f"{kind} at {f}")
        bpy.ops.limber.unbake()


# --- files ---

BAKED = """
bpy.ops.wm.open_mainfile(filepath=sys.argv[-1])
obj = bpy.data.objects["Beam skin"]
rows = np.stack([at(f, obj) for f in (17, 4, 11)])
np.save(sys.argv[-1] + ".npy", rows)
print("answer", "limber" in dir(bpy.types.Object))
"""


def test_a_baked_file_plays_the_same_without_the_add_on():
    for kind in ("SHAPES", "MDD", "BONES"):
        empty()
        armature, obj = beam()
        add(armature)
        path = temporary(f"baked_{kind}.blend")
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        assert bpy.ops.limber.bake(kind=kind, tolerance=0.001) == {"FINISHED"}
        wanted = np.stack([at(f, obj) for f in (17, 4, 11)])
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        assert fresh_blender(BAKED, path) == ["False"]
        near(np.load(str(path) + ".npy"), wanted, 1e-6, kind)


def test_a_baked_file_is_still_baked_after_reloading_and_can_be_unbaked():
    for kind in ("SHAPES", "PC2", "BONES"):
        empty()
        character()
        add(bpy.data.objects["Beam"])
        bpy.context.scene.frame_set(3)
        before, wanted = state(), at(11, bpy.data.objects["Beam skin"])
        bpy.context.scene.frame_set(3)
        path = temporary(f"again_{kind}.blend")
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        bpy.ops.limber.bake(kind=kind, tolerance=0.001)
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        bpy.ops.wm.open_mainfile(filepath=str(path))
        armature, obj = bpy.data.objects["Beam"], bpy.data.objects["Beam skin"]
        assert baked.kind(armature) == ("CACHE" if kind == "PC2" else kind) and live.session_of(armature) is None
        near(at(11, obj), wanted, 5e-3, kind)
        bpy.context.view_layer.objects.active = armature
        bpy.ops.limber.unbake()
        near(at(11, obj), wanted, 1e-5, kind)
        bpy.context.scene.frame_set(3)
        same_state(state(), before)


def test_the_cache_is_beside_the_file():
    armature, obj = beam()
    add(armature)
    folder = temporary("beside")
    folder.mkdir(exist_ok=True)
    fails("Save the file first", kind="PC2")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "x.blend"))
    bpy.ops.limber.bake(kind="PC2")
    assert [p.name for p in (folder / "limber_cache").iterdir()] == ["Beam_skin.limber.pc2"]
    assert obj.modifiers["Limber Bake"].filepath.startswith("//")
    assert [m.name for m in obj.modifiers] == ["Armature", "Limber", "Limber Bake"]


# --- what goes wrong ---

def fails(sentence, **settings):
    try:
        bpy.ops.limber.bake(**settings)
    except RuntimeError as error:
        assert sentence in str(error), error
        return
    raise AssertionError(f"no error: {sentence}")


def test_a_bake_that_is_stopped_leaves_nothing():
    folder = temporary("stopped")
    for kind in ("SHAPES", "PC2", "BONES"):
        empty()
        armature, _, _ = character()
        bpy.context.scene.frame_end = 400
        add(armature)
        bpy.context.scene.frame_set(3)
        before = state()
        steps = bake.run(armature, bpy.context.scene, bake.Settings(kind, 1, 400, 0.001, str(folder)))
        done, total = next(steps)
        assert done < total
        steps.close()
        same_state(state(), before)
        assert not baked.kind(armature) and live.session_of(armature) is not None
    assert not list(folder.iterdir())


def test_a_bake_that_fails_at_the_end_leaves_nothing():
    from limber_blender import bake_bones, bake_cache, keyed
    rows = (("SHAPES", keyed, "write"), ("BONES", bake_bones, "_animate"), ("PC2", bake_cache, "_add"))
    for kind, room, name in rows:
        empty()
        armature, _, _ = character()
        add(armature)
        bpy.context.scene.frame_set(3)
        before, right = state(), getattr(room, name)

        def wrong(*_):
            raise OSError("the disk is full")
        setattr(room, name, wrong)
        try:
            fails("the disk is full", kind=kind, folder=str(temporary("caches")))
        finally:
            setattr(room, name, right)
        same_state(state(), before)


def test_what_cannot_be_baked_is_said():
    armature, obj = beam()
    add(armature)
    fails("is before the first", kind="PC2", first=9, last=3, folder=str(temporary("caches")))
    other = bpy.data.objects.new("Other", obj.data)
    fails("shares its mesh", kind="SHAPES")
    bpy.data.objects.remove(other)
    obj.modifiers.new("Mirror", "MIRROR")
    nodes.move(obj, obj.modifiers["Mirror"], 0)
    fails("Mirror makes vertices", kind="SHAPES")
    obj.modifiers.remove(obj.modifiers["Mirror"])
    armature.limber.style = '{"exaggerate": {"filter": {"amount": 0.6, "sigma": 0.1}}}'
    fails("Press Exaggerated Action first", kind="SHAPES")
    armature.limber.show = False
    fails("Limber is hidden", kind="SHAPES")


def test_an_exaggerated_skeleton_bakes_to_a_cache():
    armature, obj = beam()
    add(armature, '{"exaggerate": {"filter": {"amount": 0.6, "sigma": 0.1}}}')
    wanted = {f: at(f, obj) for f in (4, 9, 17)}
    bpy.ops.limber.bake(kind="PC2", folder=str(temporary("caches")))
    for f in wanted:
        near(at(f, obj), wanted[f], 1e-6)


def test_generated_vertices_bake_to_a_cache():
    armature, obj = beam()
    obj.modifiers.new("Mirror", "MIRROR")
    nodes.move(obj, obj.modifiers["Mirror"], 0)
    add(armature)
    wanted = {f: at(f, obj) for f in (4, 9, 17)}
    bpy.ops.limber.bake(kind="MDD", folder=str(temporary("caches")))
    for f in wanted:
        near(at(f, obj), wanted[f], 1e-6)


# --- what else is there ---

def test_removing_limber_from_a_baked_character_leaves_the_file_as_it_was():
    for kind in ("SHAPES", "PC2", "BONES"):
        empty()
        armature, _, _ = character()
        bpy.context.scene.frame_set(3)
        before = state()
        add(armature)
        bpy.ops.limber.bake(kind=kind, tolerance=0.001, folder=str(temporary("caches")))
        bpy.context.scene.frame_set(9)
        remove(armature)
        bpy.context.scene.frame_set(3)
        same_state(state(), before)


def test_the_actions_of_before_are_not_changed():
    armature, obj, _ = character()
    add(armature)
    old, old_keys = armature.animation_data.action, obj.data.shape_keys.animation_data.action
    curves = {a.name: [(c.data_path, len(c.keyframe_points)) for c in a.fcurves] for a in (old, old_keys)}
    bpy.ops.limber.bake(kind="BONES", tolerance=0.001)
    for action in (old, old_keys):
        assert [(c.data_path, len(c.keyframe_points)) for c in action.fcurves] == curves[action.name]
        assert action.users > 0
    now = armature.animation_data.action
    assert now != old and {c.data_path for c in old.fcurves} < {c.data_path for c in now.fcurves}
    assert any(b.name.startswith("limber ") for b in armature.data.bones)


def test_two_characters_are_baked_on_their_own():
    (one, a), (two, b) = beam("One"), beam("Two")
    two.location.x = 3
    for armature in (one, two):
        add(armature)
    wanted = {f: (at(f, a), at(f, b)) for f in (5, 14)}
    bpy.context.view_layer.objects.active = one
    bpy.ops.limber.bake(kind="SHAPES", tolerance=0)
    assert baked.kind(one) and not baked.kind(two)
    for f, (x, y) in wanted.items():
        near(at(f, a), x, 3e-5)
        near(at(f, b), y, 1e-6)


def test_unbaking_a_duplicate_leaves_the_original_baked():
    for kind in ("SHAPES", "PC2", "BONES"):
        empty()
        armature, obj = beam()
        add(armature)
        bpy.ops.limber.bake(kind=kind, tolerance=0.001, folder=str(temporary("caches")))
        wanted = {f: at(f, obj) for f in (5, 14)}
        copy = armature.copy()
        bpy.context.collection.objects.link(copy)
        bake.unbake(copy)
        assert baked.kind(armature) and not baked.kind(copy)
        for f in wanted:
            near(at(f, obj), wanted[f], 1e-6, f"{kind} at {f}")


def test_copies_follow_while_the_character_is_baked():
    from limber_blender import smear
    armature, obj = beam()
    add(armature, '{"effects": {"floppy": {"angular": 0.3}}, "smear": {"multiples": {"past": 1, "min_speed": 0}}}')
    bpy.ops.limber.smears_add()
    wanted = {}
    for f in (5, 14):
        bpy.context.scene.frame_set(f)
        wanted[f] = [shown(o) for o in smear.objects_of(armature).values()]
    for kind in ("SHAPES", "PC2"):
        bpy.ops.limber.bake(kind=kind, tolerance=0, folder=str(temporary("caches")))
        for f in wanted:
            bpy.context.scene.frame_set(f)
            for x, y in zip(wanted[f], [shown(o) for o in smear.objects_of(armature).values()]):
                near(x, y, 1e-5, f"{kind} at {f}")
        bpy.ops.limber.unbake()


def test_characters_from_outside_are_baked():
    import gltf  # noqa: F401
    bpy.ops.import_scene.gltf(filepath=str(asset("Fox.glb")))
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    armature.animation_data.action = next(a for a in bpy.data.actions if a.name.startswith("Run"))
    meshes = rig.objects_of(armature)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 18
    bpy.context.view_layer.objects.active = armature
    bpy.ops.limber.add()
    fails("Press Exaggerated Action first", kind="SHAPES")
    bpy.ops.limber.exaggerate()
    wanted = {f: at(f, *meshes) for f in (3, 8, 15)}
    length = size(armature) / np.linalg.norm(np.array(meshes[0].matrix_world)[:3, 0])
    for kind, tolerance, most in (("SHAPES", 0, 1e-5), ("PC2", 0, 1e-6), ("BONES", 0.002, 0.0025)):
        bpy.ops.limber.bake(kind=kind, tolerance=tolerance, folder=str(temporary("caches")))
        worst = max(near(at(f, *meshes), wanted[f], most * length, f"{kind} at {f}") for f in shuffled(wanted))
        print(f"         Fox, {kind}: off by {worst / length:.2g} L at most")
        bpy.ops.limber.unbake()


if __name__ == "__main__":
    main(globals())
