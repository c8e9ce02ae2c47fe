"""Frames are those of `limber dump`, to the bit."""

import json

import kit
import limber
import numpy as np


class EqualsDump(kit.Case):
    def compare(self, path, style):
        out = self.folder / "numbers"
        kit.program("dump", path, "--style", style, "-o", out)
        have = {file.stem: np.load(file) for file in out.glob("*.npy")}
        manifest = json.loads((out / "manifest.json").read_text())
        character = limber.load(path).character
        self.assertEqual(character.joint_names, [joint["name"] for joint in manifest["joints"]]
                         if isinstance(manifest["joints"][0], dict) else manifest["joints"])
        self.near(character.rest_positions, have["rest"], 0, "rest")
        self.near(character.triangles, have["triangles"], 0, "triangles")
        pipeline = limber.Pipeline(character, style)
        pipeline.set_outputs(offsets=True)
        clip = character.clips[0]
        self.near(clip.times(), have["time"], 1e-6)
        for i, time in enumerate(clip.times()):
            frame = pipeline.evaluate_smeared(0, time)
            self.near(frame.skinned, have["skinned"][i], 0, "skinned")
            self.near(frame.deformed, have["deformed"][i], 0, "deformed")
            self.near(frame.positions, have["smeared"][i], 0, "smeared")
            self.near(frame.offsets, have["offsets"][i], 0, "offsets")
            self.near(frame.world_from_joint[:, :3, 3], have["joint_position"][i], 0, "joint_position")
            for name in ("velocity", "acceleration", "angular_velocity", "angular_acceleration"):
                self.near(getattr(frame, name), have[name][i], 0, name)
            frame = pipeline.evaluate(0, time)
            self.near(frame.positions, have["deformed"][i], 0, "evaluate")
        self.assertGreater(len(have["time"]), 5)

    def test_dog_with_cartoon(self):
        self.compare(kit.sample("dog"), "cartoon")

    def test_flower_with_smears(self):
        self.compare(kit.sample("flower"), "smear")

    def test_cylinder_with_jelly(self):
        self.compare(kit.sample("cylinder"), "jelly")

    def test_a_file_from_outside(self):
        path = kit.asset("Fox.glb")
        if path is None:
            self.skipTest("LIMBER_TEST_ASSETS has no Fox.glb")
        self.compare(path, "cartoon")


class AnyOrder(kit.Case):
    def test_a_frame_does_not_depend_on_those_before(self):
        pipeline = limber.Pipeline(limber.load(kit.sample("dog")).character, "cartoon")
        times = [0.1, 0.4, 0.2, 0.35, 0.0]
        first = [pipeline.evaluate(0, t).positions.copy() for t in times]
        again = [pipeline.evaluate(0, t).positions.copy() for t in reversed(times)]
        for a, b in zip(first, reversed(again)):
            self.near(a, b)

    def test_clips_by_number_name_and_themselves(self):
        character = limber.load(kit.sample("dog")).character
        pipeline, clip = limber.Pipeline(character, "cartoon"), character.clips[1]
        by_number = pipeline.evaluate(1, 0.2).positions.copy()
        self.near(pipeline.evaluate(clip.name, 0.2).positions, by_number)
        self.near(pipeline.evaluate(clip, 0.2).positions, by_number)
        rest = pipeline.evaluate(None).positions
        self.near(rest, character.rest_positions, 1e-6 * character.size)

    def test_outputs_that_nobody_wants_are_left_out(self):
        pipeline = limber.Pipeline(limber.load(kit.sample("cylinder")).character, "jelly")
        pipeline.set_outputs(normals=False, skinned=False)
        frame = pipeline.evaluate(0, 0.1)
        self.assertIsNone(frame.normals)
        self.assertIsNone(frame.skinned)
        pipeline.set_outputs()
        self.assertIsNotNone(pipeline.evaluate(0, 0.1).normals)

    def test_copies_stay_views_change(self):
        pipeline = limber.Pipeline(limber.load(kit.sample("cylinder")).character, "jelly")
        view = pipeline.evaluate(0, 0.1)
        copy = view.copy()
        pipeline.evaluate(0, 0.5)
        self.assertTrue(np.any(view.positions != copy.positions))
        self.assertFalse(view.positions.flags.owndata)
        self.assertTrue(copy.positions.flags.owndata)

    def test_views_cannot_be_written_to(self):
        frame = limber.Pipeline(limber.load(kit.sample("cylinder")).character).evaluate(0, 0.1)
        with self.assertRaises(ValueError):
            frame.positions[0] = 0
        with self.assertRaises(ValueError):
            frame.positions.flags.writeable = True

    def test_smear_meshes_are_copies_and_lines(self):
        character = limber.load(kit.sample("dog")).character
        frame = limber.Pipeline(character, {"smear": {"multiples": {"past": 1}, "lines": {"count": 20}, "ribbon": {
            "amount": 1}}}).evaluate_smeared("jump", 0.6)
        kinds = {mesh.kind for mesh in frame.meshes}
        self.assertEqual(frame.meshes[-1].name, "ribbons")
        self.assertEqual(kinds, {"copy", "lines"})
        for mesh in frame.meshes:
            self.assertEqual(mesh.positions.shape, mesh.normals.shape)
            self.assertEqual(mesh.colors.shape, (len(mesh.positions), 4))
            self.assertLess(int(mesh.triangles.max()), len(mesh.positions))
            if mesh.kind == "copy":
                self.near(mesh.triangles, character.meshes[mesh.source].triangles)

    def test_an_edited_clip_is_what_the_pipeline_plays(self):
        character = limber.load(kit.sample("dog")).character
        pipeline = limber.Pipeline(character, "sk-filter")
        edited = pipeline.edited_clip(0)
        self.assertIsNone(limber.Pipeline(character, {"effects": {"floppy": {"angular": 0.4}}}).edited_clip(0))
        other = limber.Pipeline(character.with_clips([edited.as_clip()]))
        for time in (0.0, 0.3, 0.7):
            self.near(other.evaluate(0, time).positions, pipeline.evaluate(0, time).skinned, 1e-5 * character.size)

    def test_performances_say_which_time_is_on_show(self):
        path, out = kit.sample("hero"), self.folder / "numbers"
        holds = [{"clip": "jump", "at": 2.1, "length": 0.5}]
        keys = {"timing": {"snap": 0.75, "hang": 1, "step": "auto", "holds": holds}, "pose": {"exaggerate": 0.8}}
        kit.program("dump", path, "--set", "timing.snap=0.75", "--set", "timing.hang=1", "--set", "timing.step=auto",
                    "--set", 'timing.holds=[{"clip": "jump", "at": 2.1, "length": 0.5}]', "--set", "pose.exaggerate=0.8", "--clip", "jump", "-o", out)
        character = limber.load(path).character
        pipeline = limber.Pipeline(character, keys)
        shown = [pipeline.source_time("jump", time) for time in np.load(out / "time.npy")]
        self.near(shown, np.load(out / "source_time.npy"), 1e-6)
        self.assertLess(len(set(shown)), 0.8 * len(shown))
        self.assertEqual(limber.Pipeline(character).source_time("jump", 0.3), 0.3)
        self.assertEqual(pipeline.source_time(None, 0.3), 0.3)
        act, names = pipeline.performance("jump"), character.joint_names
        self.assertEqual((names[act.hips], names[act.head]), ("Hips", "Head"))
        self.assertEqual([names[j] for j in act.legs], ["LegUpperLeft", "LegUpperRight"])
        self.assertEqual([names[j] for j in act.trunk], ["Hips", "Spine", "Chest"])
        self.assertIn("ArmUpperLeft", [names[j] for j in act.limbs])
        self.assertTrue(act.posed and act.retimed and not act.gait and not act.shaped)
        self.assertEqual((len(act.key_times), act.flights), (4, 1))
        self.assertGreater(act.new_amplitude, act.amplitude)
        self.assertEqual(sum(act.held_frames), round(24 * character.clips[1].duration))
        self.assertEqual((act.holds, pipeline.performance("run").holds), (1, 0))
        self.assertTrue(pipeline.performance("run").gait)
        self.assertIsNone(limber.Pipeline(character, "subtle").performance(None))
        self.assertIsNone(limber.Pipeline(character).performance("jump"))
