"""Files: what is written can be read, by limber and by numpy."""

import os

import kit
import limber
import numpy as np


TRIANGLE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="body" name="Body"><mesh>
<source id="p"><float_array id="pa" count="9">0 0 0 3 0 0 0 4 0</float_array><technique_common>
<accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry>
</library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n" name="Body"><instance_geometry url="#body"/></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""


class Saved(kit.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = limber.load(kit.sample("dog"))
        cls.character = cls.file.character

    def test_styles_travel_with_the_character(self):
        path = self.folder / "styled.glb"
        for style in ("jelly", limber.Style("jelly"), limber.Style("jelly").dict, limber.Style("jelly").text):
            self.file.save(path, style=style)
            self.assertEqual(limber.Style().read(limber.load(path).style).dict, limber.Style("jelly").dict)
        limber.load(path).save(path, style="")
        self.assertIsNone(limber.load(path).style)
        self.refuses("unknown", self.file.save, self.folder / "bad.glb", style={"efects": {}})
        self.assertFalse((self.folder / "bad.glb").exists())

    def test_files_in_memory(self):
        data = kit.sample("dog").read_bytes()
        for given in (data, bytearray(data), memoryview(data), np.frombuffer(data, np.uint8)):
            self.near(limber.loads(given).character.rest_positions, self.character.rest_positions)
        for given in ("text", 3, None):
            self.refuses("must be bytes", limber.loads, given)
        for given in (b"", b"glTF", data[: len(data) // 2], b"\0" * 100):
            with self.assertRaises(limber.LimberError):
                limber.loads(given)

    def test_layers_are_written_and_removed(self):
        path, mesh = self.folder / "layers.glb", self.character.meshes[0]
        values = np.linspace(0, 1, mesh.vertex_count)
        self.file.save(path, layers={mesh.name: {"soft": values}})
        self.near(limber.load(path).character.mesh(mesh.name).layers["soft"], values, 1e-6)
        limber.load(path).save(path, layers={0: {"soft": None}})
        self.assertNotIn("soft", limber.load(path).character.meshes[0].layers)
        self.refuses("must have the shape", self.file.save, path, layers={0: {"soft": [1, 2]}})
        self.refuses("not finite", self.file.save, path, layers={0: {"soft": np.full(mesh.vertex_count, np.nan)}})

    def test_exaggerated_clips_replace_those_of_the_file(self):
        pipeline = limber.Pipeline(self.character, "sk-stretch")
        edited = [clip for clip in map(pipeline.edited_clip, range(len(self.character.clips))) if clip]
        self.assertTrue(edited)
        self.assertTrue(any(clip.stretches for clip in edited))
        path = self.folder / "edited.glb"
        self.file.save(path, clips=edited)
        again = limber.Pipeline(limber.load(path).character)
        index = edited[0].index
        for time in self.character.clips[index].times()[::3]:
            self.near(again.evaluate(index, time).positions, pipeline.evaluate(index, time).skinned,
                      2e-4 * self.character.size)
        other = limber.load(kit.sample("cylinder"))
        self.refuses("another character", other.save, path, clips=edited)
        self.refuses("Pipeline.edited_clip", other.save, path, clips=[3])

    def test_characters_of_arrays_are_written(self):
        joints, meshes = kit.arrays_of(self.character)
        built = limber.Character.build(joints, meshes, [clip.as_clip() for clip in self.character.clips])
        path = self.folder / "built.glb"
        file = limber.File.of(built)
        file.save(path, bake=limber.Pipeline(file.character, "cartoon").bake("corrective", clips=[0]))
        again = limber.load(path).character
        self.assertEqual(again.vertex_count, built.vertex_count)
        self.assertEqual([clip.name for clip in again.clips], [clip.name for clip in built.clips])
        del built, file
        self.near(limber.Pipeline(again).evaluate(0, 0.0).positions,
                  limber.Pipeline(self.character, "cartoon").evaluate(0, 0.0).positions, 1e-4 * again.size)

    def test_bvh_in_and_out(self):
        path = self.folder / "dog.bvh"
        report = limber.save_bvh(path, self.character, "jump")
        self.assertEqual(report.frame_count, len(self.character.clip("jump").times()))
        skeleton = limber.load(path)
        self.assertEqual(skeleton.character.joint_names, self.character.joint_names)
        skeleton.save(self.folder / "figure.glb")
        self.assertEqual(limber.load(self.folder / "figure.glb").character.joint_count, self.character.joint_count)
        self.refuses("needs a clip", limber.save_bvh, path, self.character, None)

    def test_compressed_files_go_through_the_program(self):
        packed = self.folder / "packed.glb"
        kit.program("apply", kit.sample("cow"), "--compress", "--bake", "none", "--quiet", "-o", packed)
        plain, unpacked = limber.load(kit.sample("cow")).character, limber.load(packed).character
        self.assertEqual(plain.joint_names, unpacked.joint_names)
        far = np.abs(plain.meshes[0].positions - unpacked.meshes[0].positions).max()
        self.assertLess(far, 1e-3 * plain.size)

    def test_collada_goes_through_the_program(self):
        path = self.folder / "triangle.dae"
        path.write_text(TRIANGLE)
        try:
            file = limber.load(path)
        except limber.DataError as error:
            self.assertIn("libassimp", str(error))  # a program that was built without it says so
            return
        expected = [[0, 0, 0], [3, 0, 0], [0, 4, 0]]
        self.assertEqual(sorted(np.round(file.character.meshes[0].positions, 5).tolist()), sorted(expected))
        with self.assertRaises(limber.DataError):
            limber.load(self.folder / "none.fbx")

    def test_without_a_program_it_says_so(self):
        kept = {name: os.environ.pop(name) for name in ("LIMBER_PROGRAM", "PATH")}
        try:
            with self.assertRaisesRegex(limber.UnsupportedError, "needs the program limber"):
                limber.load(self.folder / "any.fbx")
        finally:
            os.environ.update(kept)

    def test_folders_that_are_not_there(self):
        with self.assertRaises(OSError):
            self.file.save(self.folder / "nowhere" / "x.glb")
        with self.assertRaises(OSError):
            limber.save_bvh(self.folder / "nowhere" / "x.bvh", self.character)


class Caches(kit.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.character = limber.load(kit.sample("cylinder")).character
        cls.pipeline = limber.Pipeline(cls.character, "jelly")
        cls.frames = cls.pipeline.frames(0, fps=12)
        cls.expected = np.stack([frame.positions.copy() for frame in cls.frames])

    def test_pc2(self):
        path = self.folder / "run.pc2"
        limber.cache.save(path, self.character, self.frames)
        raw = path.read_bytes()
        header = np.frombuffer(raw[:32], np.dtype("S12,<i4,<i4,<f4,<f4,<i4"))[0]
        self.assertEqual((header[0], header[2], header[5]),
                         (b"POINTCACHE2", self.character.vertex_count, len(self.expected)))
        self.near(np.frombuffer(raw[32:], "<f4").reshape(self.expected.shape), self.expected)

    def test_mdd_of_plain_arrays(self):
        path = self.folder / "run.mdd"
        limber.cache.save(path, self.character, iter(self.expected), fps=24, start=0.5, count=len(self.expected))
        raw = path.read_bytes()
        frames, points = np.frombuffer(raw[:8], ">i4")
        self.assertEqual((frames, points), self.expected.shape[:2])
        times = np.frombuffer(raw[8 : 8 + 4 * frames], ">f4")
        self.near(times, 0.5 + np.arange(frames) / 24, 1e-6)
        self.near(np.frombuffer(raw[8 + 4 * frames :], ">f4").reshape(self.expected.shape), self.expected)

    def test_usda_obj_and_textures(self):
        limber.cache.save(self.folder / "run.usda", self.character, self.frames)
        self.assertIn("timeSamples", (self.folder / "run.usda").read_text())
        limber.cache.save(self.folder / "run.obj", self.character, self.frames)
        self.assertEqual(len(list(self.folder.glob("run.*.obj"))), len(self.expected))
        limber.cache.save_textures(self.folder / "vat", "run", self.character, self.frames, clip=0)
        self.assertTrue((self.folder / "vat" / "run_vat.png").exists())
        bake = self.pipeline.bake("corrective", clips=[0])
        limber.cache.save_skeleton(self.folder / "skel.usda", self.character, bake)
        self.assertIn("SkelAnimation", (self.folder / "skel.usda").read_text())

    def test_no_file_where_frames_are_wrong(self):
        path = self.folder / "bad.pc2"
        good = self.expected[0]
        save = limber.cache.save
        self.refuses("end before number 3", save, path, self.character, iter([good, good]), count=3)
        self.refuses("must have the shape", save, path, self.character, [good, good[:-1]])
        self.refuses("not finite", save, path, self.character, [good, good * np.nan])
        self.refuses("how many frames", save, path, self.character, iter([good]))
        self.refuses("count must be", save, path, self.character, iter([good]), count=2**40)
        self.refuses("too large", save, path, self.character, iter([good]), count=2**32 - 1)
        self.refuses("no frames", save, path, self.character, [])
        self.refuses("fps", save, path, self.character, [good], fps=-1)
        with self.assertRaisesRegex(KeyError, "mine"):
            save(path, self.character, (frame for frame in self.fails()), count=2)
        self.assertEqual(list(self.folder.iterdir()), [])
        with self.assertRaises(limber.LimberError):
            save(self.folder / "run.xyz", self.character, [good])
        self.assertTrue(limber.cache.knows("a.PC2"))
        self.assertFalse(limber.cache.knows("a.xyz"))

    def fails(self):
        yield self.expected[0]
        raise KeyError("mine")
