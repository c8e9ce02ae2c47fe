"""Characters of arrays: the same numbers as those of files; wrong arrays are refused, and never crash."""

import kit
import limber
import numpy as np


class BuildEqualsFile(kit.Case):
    def rebuilt(self, name):
        character = limber.load(kit.sample(name)).character
        joints, meshes = kit.arrays_of(character)
        clips = []
        plain = limber.Pipeline(character)
        for clip in character.clips:
            times = np.unique(np.concatenate([channel.times for channel in clip.channels]))
            if any(channel.interpolation == "cubic" for channel in clip.channels):
                times = np.array(clip.times(8 * clip.fps))
            poses = np.stack([plain.evaluate(clip, float(time)).local.copy() for time in times])
            weights = np.stack([plain.evaluate(clip, float(time)).morph_weights.copy() for time in times])
            clips.append(limber.Clip.sampled(clip.name, times, poses, weights))
        return character, limber.Character.build(joints, meshes, clips)

    def test_sampled_clips_play_like_the_file(self):
        for name in ("cylinder", "flower", "dog"):
            character, built = self.rebuilt(name)
            curved = any(c.interpolation == "cubic" for clip in character.clips for c in clip.channels)
            tolerance = (2e-4 if curved else 1e-6) * character.size  # poses are joined by lines
            self.assertEqual(built.size, character.size)
            a, b = limber.Pipeline(character, "cartoon"), limber.Pipeline(built, "cartoon")
            for i, clip in enumerate(character.clips):
                self.assertEqual(built.clips[i].loops, clip.loops)
                self.near([built.clips[i].start, built.clips[i].end], [clip.start, clip.end], 1e-6)
                for time in clip.times()[::12]:
                    self.near(a.evaluate(i, time).positions, b.evaluate(i, time).positions, tolerance)

    def test_channels_give_the_same_clip_to_the_bit(self):
        character = limber.load(kit.sample("dog")).character
        joints, meshes = kit.arrays_of(character)
        built = limber.Character.build(joints, meshes, [clip.as_clip() for clip in character.clips])
        a, b = limber.Pipeline(character, "cartoon"), limber.Pipeline(built, "cartoon")
        for time in (0.0, 0.21, 0.6):
            self.near(a.evaluate(0, time).positions, b.evaluate(0, time).positions, 1e-6 * character.size)

    def test_dense_weights_are_the_same_as_lists(self):
        character = limber.load(kit.sample("dog")).character
        joints, meshes = kit.arrays_of(character)
        for mesh, own in zip(meshes, character.meshes):
            mesh.influences = own.weights
        built = limber.Character.build(joints, meshes)
        for mesh, own in zip(built.meshes, character.meshes):
            self.near(mesh.weights, own.weights, 1e-7)

    def test_other_clips_for_the_same_character(self):
        character = limber.load(kit.sample("dog")).character
        other = character.with_clips([character.clips[1].as_clip()])
        self.assertEqual([clip.name for clip in other.clips], [character.clips[1].name])
        a = limber.Pipeline(character, "cartoon").evaluate(1, 0.3)
        b = limber.Pipeline(other, "cartoon").evaluate(0, 0.3)
        self.near(a.positions, b.positions, 1e-6 * character.size)

    def test_arrays_are_views_of_the_character(self):
        character = limber.load(kit.sample("dog")).character
        mesh = character.meshes[0]
        for array in (mesh.positions, mesh.normals, mesh.triangles, mesh.joints, mesh.inverse_binds, character.rest):
            self.assertFalse(array.flags.owndata)
            self.assertFalse(array.flags.writeable)
            self.assertEqual(array.ctypes.data, array.ctypes.data)

    def test_morphs_and_layers_come_back(self):
        smile = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], np.float32)
        mesh = kit.triangle(morphs={"smile": smile}, layers={"floppy": [0, 0.5, 1]}, morph_defaults=[0.25])
        times = [0, 0.5, 1]
        poses = np.tile(kit.two_joints().rest, (3, 1, 1))
        clip = limber.Clip.sampled("grin", times, poses, [[0], [1], [0]])
        character = limber.Character.build(kit.two_joints(), [mesh], [clip])
        self.near(character.meshes[0].morphs["smile"], smile)
        self.near(character.meshes[0].layers["floppy"], [0, 0.5, 1])
        pipeline = limber.Pipeline(character)
        self.near(pipeline.evaluate("grin", 0.5).positions[0], [0, 0, 1], 1e-6)
        self.near(pipeline.evaluate(None).positions[0], [0, 0, 0.25], 1e-6)

    def test_meshes_without_bind_matrices_are_where_they_are(self):
        mesh = kit.triangle(joints=[0, 1], influences=np.array([[1, 0], [0, 1], [0.5, 0.5]]))
        character = limber.Character.build(kit.two_joints(), [mesh])
        self.near(character.rest_positions, mesh.positions, 1e-6)


class Sampled(kit.Case):
    def character(self, times, poses):
        return limber.Character.build(
            kit.two_joints(), [kit.triangle(joints=[1])], [limber.Clip.sampled("a", times, poses)]
        )

    def poses(self, count):
        return np.tile(kit.two_joints().rest, (count, 1, 1))

    def test_what_does_not_move_has_no_channel(self):
        poses = self.poses(5)
        poses[:, 1, 0] = [0, 1, 2, 1, 0]
        clip = self.character(np.arange(5) / 24, poses).clips[0]
        self.assertEqual([(c.path, c.target, len(c.times)) for c in clip.channels], [("translation", 1, 5)])

    def test_what_stands_elsewhere_has_one_key(self):
        poses = self.poses(5)
        poses[:, 1, 0] = [0, 1, 2, 1, 0]
        poses[:, 0, 1] = 7
        clip = self.character(np.arange(5) / 24, poses).clips[0]
        self.assertEqual(sorted((c.path, c.target, len(c.times)) for c in clip.channels),
                         [("translation", 0, 1), ("translation", 1, 5)])

    def test_a_clip_that_stands_still_has_its_length(self):
        clip = self.character(np.arange(25) / 24, self.poses(25)).clips[0]
        self.assertAlmostEqual(clip.end, 1.0, 6)
        self.assertAlmostEqual(clip.fps, 24.0, 3)

    def test_a_rotation_may_change_its_sign(self):
        poses = self.poses(9)
        angles = np.linspace(0, 1, 9)
        poses[:, 1, 3:7] = np.stack([0 * angles, 0 * angles, np.sin(angles / 2), np.cos(angles / 2)], 1)
        flipped = poses.copy()
        flipped[::2, 1, 3:7] *= -1
        a, b = (limber.Pipeline(self.character(np.arange(9) / 24, p)) for p in (poses, flipped))
        for time in np.linspace(0, 8 / 24, 20):
            self.near(a.evaluate(0, time).positions, b.evaluate(0, time).positions, 1e-6)


class Refused(kit.Case):
    def build(self, joints=None, mesh=None, clip=None):
        return limber.Character.build(joints or kit.two_joints(), [mesh or kit.triangle()], [clip] if clip else [])

    def test_meshes(self):
        many = np.zeros((3, 2))
        for sentence, changes in (
            ("positions of mesh 'triangle' must have the shape (any, 3), not (2, 2)", dict(positions=[[0, 0], [1, 1]])),
            ("must be numbers", dict(positions=[["a", "b", "c"]])),
            ("must be numbers", dict(positions=np.zeros((3, 3), complex))),
            ("must be numbers", dict(positions=np.zeros((3, 3), object))),
            ("is not finite", dict(positions=[[0, 0, np.nan], [1, 0, 0], [0, 1, 0]])),
            ("is not finite", dict(positions=[[0, 0, 1e300], [1, 0, 0], [0, 1, 0]])),
            ("must be integers", dict(triangles=[[0.0, 1.0, 2.0]])),
            ("must be 0 to 4294967295, not -1", dict(triangles=[[0, 1, -1]])),
            ("not 4294967296", dict(triangles=[[0, 1, 2**32]])),
            ("refers to vertex 3", dict(triangles=[[0, 1, 3]])),
            ("refers to vertex 4294967295", dict(triangles=[[0, 1, 2**32 - 1]])),
            ("there is no joint 2", dict(joints=[2])),
            ("out of range", dict(joints=[2], inverse_binds=np.eye(4)[None])),
            ("must have the shape (1, 4, 4)", dict(inverse_binds=np.eye(4))),
            ("not finite", dict(inverse_binds=np.full((1, 4, 4), np.inf))),
            ("must have the shape (3, 1)", dict(influences=many)),
            ("vertex 0 has no joint", dict(joints=[0, 1], influences=many)),
            ("negative or not finite", dict(influences=[[-1], [1], [1]])),
            ("negative or not finite", dict(influences=[[np.nan], [1], [1]])),
            ("negative or not finite", dict(influences=([0, 1, 2, 3], [0, 0, 0], [1, np.inf, 1]))),
            ("must rise from 0 to 3", dict(influences=([0, 1, 2, 9], [0, 0, 0], [1, 1, 1]))),
            ("must rise from 0 to 3", dict(influences=([0, 2, 1, 3], [0, 0, 0], [1, 1, 1]))),
            ("must be 0 to 65535", dict(influences=([0, 1, 2, 3], [0, 70000, 0], [1, 1, 1]))),
            ("vertex 1", dict(influences=([0, 1, 2, 3], [0, 9, 0], [1, 1, 1]))),
            ("(first, joint, weight)", dict(influences=([0, 1, 2, 3], [0, 0, 0]))),
            ("normals of mesh 'triangle' must have the shape (3, 3)", dict(normals=[[0, 0, 1]])),
            ("uvs", dict(uvs=np.zeros((3, 3)))),
            ("colors", dict(colors=np.zeros((2, 4)))),
            ("normals of mesh 'triangle' must be finite", dict(normals=np.full((3, 3), np.nan))),
            ("uvs of mesh 'triangle' must be finite", dict(uvs=np.full((3, 2), np.inf))),
            ("colors of mesh 'triangle' must be finite", dict(colors=np.full((3, 4), np.nan))),
            ("the morph 'a'", dict(morphs={"a": np.zeros((2, 3))})),
            ("morph target 0 is not finite", dict(morphs={"a": np.full((3, 3), np.nan)})),
            ("morph_defaults", dict(morph_defaults=[1, 2])),
            ("not finite", dict(morphs={"a": np.zeros((3, 3))}, morph_defaults=[np.nan])),
            ("the layer 'a'", dict(layers={"a": [1]})),
            ("layer", dict(layers={"a": [0, np.nan, 0]})),
            ("must be text", dict(name=3)),
            ("zero character", dict(name="a\0b")),
        ):
            with self.subTest(sentence=sentence):
                self.refuses(sentence, self.build, mesh=kit.triangle(**changes))

    def test_joints(self):
        for sentence, changes in (
            ("must come after its parent", dict(parents=[1, 0])),
            ("must come after its parent", dict(parents=[0, 0])),
            ("must come after its parent", dict(parents=[-1, 1])),
            ("must come after its parent", dict(parents=[-1, 2**31 - 1])),
            ("parents must have the shape (2)", dict(parents=[-1])),
            ("must be integers", dict(parents=[-1.0, 0.0])),
            ("rest must have the shape (2, 10)", dict(rest=np.zeros((2, 7)))),
            ("must come after its parent", dict(names="abc", parents=[-1, 2, 1], rest=np.tile(kit.two_joints().rest[:1], (3, 1)))),
            ("not finite", dict(rest=np.full((2, 10), np.nan))),
            ("must be text", dict(names=["a", None])),
            ("bones must have one entry", dict(bones=["hips"])),
        ):
            with self.subTest(sentence=sentence):
                mesh = kit.triangle(inverse_binds=np.eye(4)[None])
                self.refuses(sentence, self.build, joints=kit.two_joints(**changes), mesh=mesh)

    def test_clips(self):
        rest = kit.two_joints().rest
        self.refuses("at least one pose", limber.Clip.sampled, "a", [], np.zeros((0, 2, 10)))
        self.refuses("local must have the shape (2, any, 10)", limber.Clip.sampled, "a", [0, 1], [rest])
        self.refuses("weights must have the shape", limber.Clip.sampled, "a", [0], [rest], [1])
        channel = limber.Channel("rotation", 0, [0, 1], [[0, 0, 0, 1], [0, 0, 0, 1]])
        for sentence, clip in (
            ("3 joints, the rig 2", limber.Clip.sampled("a", [0], np.zeros((1, 3, 10)))),
            ("5 morph weights, the meshes 0", limber.Clip.sampled("a", [0], [rest], np.zeros((1, 5)))),
            ("not later than the previous", limber.Clip.sampled("a", [1, 0], np.random.rand(2, 2, 10))),
            ("is not finite", limber.Clip.sampled("a", [0, 1], np.full((2, 2, 10), np.nan))),
            ("is not later", limber.Clip.sampled("a", [0, np.inf], np.random.rand(2, 2, 10))),
            ("unknown path", limber.Clip("a", [limber.Channel("spin", 0, [0], [[0]])])),
            ("unknown interpolation", limber.Clip("a", [limber.Channel("scale", 0, [0], [[1, 1, 1]], "slow")])),
            ("target is out of range", limber.Clip("a", [limber.Channel("scale", 2, [0], [[1, 1, 1]])])),
            ("target must be", limber.Clip("a", [limber.Channel("scale", -1, [0], [[1, 1, 1]])])),
            ("must have the shape (1, 3)", limber.Clip("a", [limber.Channel("scale", 0, [0], [[1, 1]])])),
            ("must have the shape (1, 3, 4)", limber.Clip("a", [limber.Channel("rotation", 0, [0], [[0, 0, 0, 1]], "cubic")])),
            ("has no keys", limber.Clip("a", [limber.Channel("scale", 0, [], [])])),
            ("limber.Channel", limber.Clip("a", [channel, 3])),
        ):
            with self.subTest(sentence=sentence):
                self.refuses(sentence, self.build, clip=clip)

    def test_wrong_kinds_of_things(self):
        for arguments in ((None, []), (kit.two_joints(), [None]), (kit.two_joints(), [kit.triangle()], [None])):
            self.refuses("must be", limber.Character.build, *arguments)
        with self.assertRaises(TypeError):
            limber.Character(3)
        with self.assertRaises(TypeError):
            limber.File(3, 4, 5)

    def test_nothing_is_allowed_where_nothing_is_needed(self):
        empty = limber.Character.build(limber.Joints([], [], []), [])
        self.assertEqual((empty.vertex_count, empty.joint_count), (0, 0))
        frame = limber.Pipeline(empty, "cartoon").evaluate(None)
        self.assertEqual(frame.positions.shape, (0, 3))
        no_vertices = limber.Character.build(kit.two_joints(), [kit.triangle(positions=[], triangles=[])])
        self.assertEqual(limber.Pipeline(no_vertices, "cartoon").evaluate(None).positions.shape, (0, 3))

    def test_too_many_joints(self):
        count = 70000
        rest = np.tile(kit.two_joints().rest[:1], (count, 1))
        joints = limber.Joints([str(i) for i in range(count)], np.arange(count) - 1, rest)
        self.refuses("too many joints", limber.Character.build, joints, [])
