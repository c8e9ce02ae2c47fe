"""The add-on shows what the program computes: vertices of `limber dump`, for the same style, within 1e-4 of the size.

Both read the same copy of a file, with a key in every frame (gltf.py says why).
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from kit import *  # noqa: E402,F403
import gltf  # noqa: E402
from limber_blender import rest  # noqa: E402


def dumped(path, clip, style, fps):
    folder = temporary(f"dump_{path.stem}_{clip}")
    options = ["--set", style] if "=" in style else ["--style", style]
    program("dump", path, "-o", folder, "--clip", clip, "--fps", fps, "--quiet", *options)
    about = json.loads((folder / "manifest.json").read_text())
    return about, np.load(folder / "time.npy"), np.load(folder / "deformed.npy"), np.load(folder / "skinned.npy")


def imported(path, clip):
    bpy.context.preferences.addons.new().module = "limber_blender"  # so that the importer asks it, too
    bpy.ops.import_scene.gltf(filepath=str(path))
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    rest.take(armature)
    for owner in bpy.data.objects:
        data = owner.animation_data
        if data is not None:
            names = [s.action for t in data.nla_tracks if t.name == clip for s in t.strips]
            data.action = names[0] if names else data.action
    assert armature.animation_data.action.name.startswith(clip), armature.animation_data.action
    scene = bpy.context.scene
    first, last = armature.animation_data.action.frame_range
    scene.frame_start, scene.frame_end = int(np.ceil(first)), int(np.floor(last))
    return armature


def matched(path, armature):
    """[(Blender's object, its vertices' numbers in the file's character)]. A mesh of the file with several primitives is
    several meshes there and one object here; the importer leaves out vertices that no triangle uses."""
    character = limber.load(path).character
    found = {}
    for mesh in character.meshes:
        obj = next((o for o in rig.objects_of(armature) if mesh.node_name in (o.name, o.data.name)), None)
        obj = obj or next(o for o in rig.objects_of(armature) if o.data.name == mesh.name)
        used = np.unique(mesh.triangles)
        paint(obj, sum(map(len, found.get(obj, []))), {name: values[used] for name, values in mesh.layers.items()})
        found.setdefault(obj, []).append(mesh.slice.start + used)
    for obj, numbers in found.items():
        assert len(obj.data.vertices) == sum(map(len, numbers)), f"{obj.name}: other vertices than in the file"
    return character, [(obj, np.concatenate(numbers)) for obj, numbers in found.items()]


def paint(obj, first, layers):
    """The file's layers as vertex groups: the importer leaves them out."""
    for name, values in layers.items():
        group = obj.vertex_groups.get(name) or obj.vertex_groups.new(name=name)
        for i, value in enumerate(values.tolist()):
            group.add([first + i], value, "REPLACE")


EXACT = 1e-4


def compare(path, clip, style, fps, count=6, most=EXACT):
    """At random frames, in random order. The file has all its clips."""
    bpy.context.scene.render.fps = fps
    copy = gltf.dense_copy(path, temporary(f"{path.stem}_{fps}.glb"), fps)
    armature = imported(copy, clip)
    about, times, wanted, skinned = dumped(copy, clip, style, fps)
    character, pairs = matched(copy, armature)
    add(armature, limber.Style(style).text)
    frames = shuffled(range(len(times)), 7)[:count] + [0]
    worst = strong = 0
    for number in frames + frames[:2]:
        frame = times[number] * fps
        for obj, part in pairs:
            seen = at(frame, obj, world=True)[:, [0, 2, 1]] * [1, 1, -1]
            strong = max(strong, np.abs(wanted[number, part] - skinned[number, part]).max())
            worst = max(worst, np.abs(seen - wanted[number, part]).max())
    print(f"    {path.stem} {clip} {style}: off by {worst / character.size:.2e} L; limber moves by "
          f"{strong / character.size:.3f} L", flush=True)
    still = np.ptp(skinned, axis=0).max() < 1e-6 * character.size  # a T pose
    assert still or strong > 0.002 * character.size, "the style does nothing"
    assert worst <= most * character.size, f"off by {worst / character.size:.2e} L"


def built_in(name, clip, style, most=EXACT):
    path = temporary(f"{name}.glb")
    program("sample", name, "-o", path)
    compare(path, clip, style, 30, most=most)


def with_long():
    """The tests that call it run with --long only."""
    if not os.environ.get("LIMBER_TEST_LONG"):
        raise Skipped("LIMBER_TEST_LONG is not set")


def test_cow_walks_as_in_the_program():
    built_in("cow", "walk", "cartoon")


def test_effects_are_exactly_those_of_the_program():
    built_in("cow", "walk", "as-drag")


def test_toon_jumps_as_in_the_program():
    built_in("toon", "jump", "cartoon")


def test_dancer_spins_as_in_the_program():
    with_long()
    built_in("dancer", "spin", "cartoon")


def test_fox_surveys_as_in_the_program():
    with_long()
    compare(asset("Fox.glb"), "Survey", "cartoon", 24)


def test_fox_runs_as_in_the_program():
    compare(asset("Fox.glb"), "Run", "cartoon", 24)


def test_soldier_runs_as_in_the_program():
    compare(asset("more/Soldier.glb"), "Run", "cartoon", 30)


def test_mage_with_props_shoots_as_in_the_program():
    with_long()
    compare(asset("more/Mage.glb"), "1H_Ranged_Shoot", "cartoon", 30, 3)


def test_files_with_one_clip():
    with_long()
    for name in ("CesiumMan", "RiggedFigure", "RiggedSimple"):
        empty()
        compare(asset(f"{name}.glb"), "clip0", "cartoon", 30, 3)
    empty()
    compare(asset("spot.glb"), "move_and_stop", "cartoon", 30, 3)


def test_files_whose_default_pose_is_not_the_bind_pose():
    """Sizes and bodies come from the pose that the importer showed."""
    for name, clip in (("Puffer", "Fish_Armature|Attack"), ("Snake", "SnakeArmature|Snake_Attack"),
                       ("Wolf", "AnimalArmature|Gallop")):
        empty()
        compare(asset(f"more/{name}.glb"), clip, "cartoon", 30, 3)


def test_robot_of_rigid_parts_dances_as_in_the_program():
    compare(asset("RobotExpressive.glb"), "Dance", "cartoon", 30, 3)


def test_every_clip():
    """Of many files: bodies, floors and contacts come from all clips."""
    with_long()
    paths = [asset(f"{name}.glb") for name in ("Fox", "RobotExpressive", "more/Puffer", "more/Snake", "more/Soldier")]
    for name in ("cow", "dancer", "dog", "hero", "snail"):
        paths.append(temporary(f"{name}.glb"))
        program("sample", name, "-o", paths[-1])
    wrong = []
    for path in paths:
        for clip in [c["name"] for c in gltf.read(path)[0]["animations"]]:
            empty()
            try:
                compare(path, clip, "cartoon", 30, 2)
            except AssertionError as why:
                wrong.append(f"{path.stem} {clip}: {why}")
    assert not wrong, "\n".join(wrong)


def test_brain_stem_that_lies_in_its_bind_pose():
    with_long()
    compare(asset("more/BrainStem.glb"), "clip0", "cartoon", 30, 2)


main(globals())
