"""Bakes: put together again by numpy, or by another reader, they are the frames."""

import signal

import kit
import limber
import numpy as np


def skin(character, mesh, positions, frame):
    """Linear blend skinning in numpy."""
    matrices = frame.world_from_joint[mesh.joints] @ mesh.inverse_binds
    per_vertex = np.einsum("vk,kij->vij", mesh.weights.astype(np.float64), matrices)
    return np.einsum("vij,vj->vi", per_vertex[:, :3, :3], positions) + per_vertex[:, :3, 3]


class Bakes(kit.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = limber.load(kit.sample("dog"))
        cls.character = cls.file.character
        cls.pipeline = limber.Pipeline(cls.character, "cartoon")

    def test_corrective_targets_and_the_skin_give_the_frames(self):
        for tolerance in (0.0, 0.002):
            bake = self.pipeline.bake("corrective", clips=["jump"], tolerance=tolerance)
            self.assertLessEqual(bake.error, tolerance)
            limit = (tolerance + 1e-5) * self.character.size
            for i, time in enumerate(bake.tracks[0].times):
                pose = self.pipeline.evaluate("jump", float(time))
                wanted = pose.positions
                for mesh, baked in zip(self.character.meshes, bake.meshes):
                    moved = mesh.positions.copy()
                    if baked.target_count:
                        moved = moved + np.tensordot(baked.weights[0][i], baked.positions, 1)
                    self.near(skin(self.character, mesh, moved, pose), wanted[mesh.slice], limit)

    def test_bakes_bring_the_clips_that_the_style_edits(self):
        bake = self.pipeline.bake("corrective", clips=["jump"], tolerance=0.002)
        self.assertEqual([clip.index for clip in bake.clips], [self.character.clip_index("jump")])
        edited = self.pipeline.edited_clip("jump")
        for mine, theirs in zip(bake.clips[0].as_clip().channels, edited.as_clip().channels):
            self.near(mine.values, theirs.values)
        self.file.save(self.folder / "edited.glb", bake=bake)
        again = limber.Pipeline(limber.load(self.folder / "edited.glb").character)
        for time in bake.tracks[0].times[::7]:
            wanted = self.pipeline.evaluate("jump", float(time)).positions
            self.near(again.evaluate("jump", float(time)).positions, wanted, 0.003 * self.character.size)
        plain = limber.Pipeline(self.character, {"effects": {"floppy": {"angular": 0.4}}})
        self.assertEqual(plain.bake("corrective", clips=["jump"]).clips, [])

    def test_vertex_targets_are_the_frames(self):
        bake = self.pipeline.bake("vertex", clips=["jump"], fps=12)
        for i, time in enumerate(bake.tracks[0].times):
            wanted = self.pipeline.evaluate("jump", float(time)).positions
            for mesh, baked in zip(self.character.meshes, bake.meshes):
                moved = baked.base_positions.astype(np.float64)
                if baked.target_count:
                    moved = moved + np.tensordot(baked.weights[0][i].astype(np.float64), baked.positions, 1)
                self.near(moved, wanted[mesh.slice], 1e-5 * self.character.size)

    def test_bones_play_as_baked(self):
        bake = self.pipeline.bake("bones", clips=["jump"], tolerance=0.003)
        self.assertTrue(bake.bones)
        self.assertLessEqual(bake.error, 0.003)
        curves = [bone.curves[0]["rotation"] for bone in bake.bones]
        self.assertTrue(any(len(curve.frames) for curve in curves))
        for curve in curves:
            self.near(np.linalg.norm(curve.values, axis=1), np.ones(len(curve.values)), 1e-4)
        self.file.save(self.folder / "bones.glb", bake=bake)
        again = limber.Pipeline(limber.load(self.folder / "bones.glb").character)
        for time in bake.tracks[0].times:
            self.near(again.evaluate("jump", float(time)).positions,
                      self.pipeline.evaluate("jump", float(time)).positions, 0.0035 * self.character.size)

    def test_saved_bakes_play_as_baked(self):
        for kind in ("corrective", "vertex"):
            bake = self.pipeline.bake(kind, clips=["jump"])
            self.file.save(self.folder / f"{kind}.glb", bake=bake)
            again = limber.Pipeline(limber.load(self.folder / f"{kind}.glb").character)
            for time in bake.tracks[0].times:
                self.near(again.evaluate("jump", float(time)).positions,
                          self.pipeline.evaluate("jump", float(time)).positions, 1e-5 * self.character.size)

    def test_estimates_are_near(self):
        guess = self.pipeline.estimate("corrective", clips=["jump"])
        bake = self.pipeline.bake("corrective", clips=["jump"])
        self.assertEqual(guess.frame_count, len(bake.tracks[0].times))
        self.assertEqual(guess.target_count, max(mesh.target_count for mesh in bake.meshes))
        self.assertGreater(guess.byte_count, 0)

    def test_the_default_is_the_smallest(self):
        sizes = {}
        for kind, tolerance in (("auto", None), ("corrective", None), ("corrective", 0.001), ("bones", None)):
            bake = self.pipeline.bake(kind, clips=["jump"], tolerance=tolerance)
            path = self.folder / "size.glb"
            self.file.save(path, bake=bake)
            sizes[kind, tolerance] = path.stat().st_size
            if kind == "auto":
                self.assertIn(bake.kind, ("corrective", "bones"))
                self.assertLessEqual(bake.error, 0.001)
        self.assertEqual(self.pipeline.bake(clips=["jump"]).kind, bake.kind)  # bones, for the dog
        self.assertLessEqual(sizes["auto", None], min(sizes.values()) * 1.02)
        guess = self.pipeline.estimate(clips=["jump"])
        self.assertIn(guess.tolerance, (0, 0.001))
        exact = self.pipeline.bake(clips=["jump"], tolerance=0)
        self.assertEqual((exact.kind, exact.error), ("corrective", 0))

    def test_ranges_and_clips(self):
        bake = self.pipeline.bake("corrective", clips=["jump", 0], range=(0.2, 0.5), fps=10)
        self.assertEqual(len(bake.tracks), 2)
        self.near(bake.tracks[0].times, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 1e-6)  # with a plain frame on either side
        for mesh in bake.meshes:
            self.near(mesh.weights[0][[0, -1]], np.zeros((2, mesh.target_count)))

    def test_bakes_have_normals_whatever_frames_have(self):
        pipeline = limber.Pipeline(self.character, "cartoon")
        pipeline.set_outputs(normals=False, skinned=False)
        for kind in ("corrective", "vertex", "bones"):
            bake = pipeline.bake(kind, clips=["jump"], range=(0.2, 0.5))
            self.assertTrue(kind == "bones" or bake.meshes[0].normals is not None)
        self.assertIsNone(pipeline.evaluate(0, 0.1).normals)

    def test_smear_meshes_come_along(self):
        pipeline = limber.Pipeline(self.character, {"smear": {"multiples": {"past": 2}, "lines": {"count": 20},
                                                              "ribbon": {"amount": 1}}})
        for smear_meshes, count in (("separate", 4), ("merged", 1), ("none", 0)):
            bake = pipeline.bake(clips=["jump"], range=(0.4, 0.8), smear_meshes=smear_meshes)
            self.assertGreaterEqual(len(bake.smear_meshes), count)
            for mesh in bake.smear_meshes:
                self.assertEqual(mesh.base_colors.shape, (len(mesh.base_positions), 4))
                self.assertEqual(mesh.weights[0].shape, (len(bake.tracks[0].times), mesh.target_count))
                self.assertTrue(mesh.visible[0].any())

    def test_progress_is_told_and_can_stop(self):
        told = []
        self.pipeline.bake("corrective", clips=["jump"], progress=lambda done, total: told.append((done, total)))
        self.assertTrue(told)
        self.assertEqual(told, sorted(told))
        self.refuses("was stopped", self.pipeline.bake, clips=["jump"], progress=lambda done, total: done < 3)

        def fails(done, total):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            self.pipeline.bake(clips=["jump"], progress=fails)
        with self.assertRaises(KeyboardInterrupt):
            self.pipeline.bake(clips=["jump"], progress=lambda done, total: signal.raise_signal(signal.SIGINT))

    def test_a_bake_of_another_character_is_refused(self):
        other = limber.load(kit.sample("cylinder"))
        self.refuses("another character", other.save, self.folder / "x.glb", bake=self.pipeline.bake(clips=["jump"]))
        self.assertFalse((self.folder / "x.glb").exists())

    def test_subdivided_characters_keep_their_clips(self):
        style = limber.Style("sm-elongate").set("smear.elongate.subdivide", 1).set("smear.elongate.tear", 0.001)
        pipeline = limber.Pipeline(self.character, style)
        more = pipeline.subdivided(clips=["jump"])
        self.assertGreater(more.vertex_count, self.character.vertex_count)
        self.assertEqual([clip.name for clip in more.clips], [clip.name for clip in self.character.clips])
        self.assertIsNone(self.pipeline.subdivided())
