"""Live poses."""

import kit
import limber
import numpy as np


class Poses(kit.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.character = limber.load(kit.sample("dog")).character
        plain = limber.Pipeline(cls.character)
        cls.poses = [plain.evaluate("jump", i / 30).local.copy() for i in range(30)]

    def play(self, pipeline, poses, start=0.0):
        live = limber.Live(pipeline)
        return [live.push(pose, time=start + i / 30).evaluate().positions.copy() for i, pose in enumerate(poses)]

    def test_poses_move_the_character_with_effects(self):
        with_style = self.play(limber.Pipeline(self.character, "cartoon"), self.poses)
        plain = self.play(limber.Pipeline(self.character), self.poses)
        self.near(with_style[0], plain[0], 1e-3 * self.character.size)
        self.assertGreater(np.abs(with_style[15] - plain[15]).max(), 1e-3 * self.character.size)
        self.near(plain[7], limber.Pipeline(self.character).evaluate("jump", 7 / 30).positions, 1e-6)

    def test_when_it_started_does_not_matter(self):
        pipeline = limber.Pipeline(self.character, "cartoon")
        for a, b in zip(self.play(pipeline, self.poses), self.play(pipeline, self.poses, 64.0)):
            self.near(a, b, 1e-4 * self.character.size)

    def test_two_share_a_pipeline(self):
        pipeline = limber.Pipeline(self.character, "cartoon")
        alone = self.play(pipeline, self.poses)
        a, b = limber.Live(pipeline), limber.Live(pipeline)
        for i, pose in enumerate(self.poses):
            self.near(a.push(pose, time=i / 30).evaluate().positions, alone[i])
            b.push(self.poses[-1 - i], time=i / 30).evaluate()
        self.refuses("push a pose first", a.evaluate)

    def test_smears_once_per_pose(self):
        live = limber.Live(limber.Pipeline(self.character, "smear"))
        for i, pose in enumerate(self.poses):
            frame = live.push(pose, time=i / 30).evaluate_smeared()
        self.assertTrue(any(mesh.visible for mesh in frame.meshes))
        self.assertEqual(frame.offsets.shape, (self.character.vertex_count,))
        self.refuses("smeared already", live.evaluate_smeared)

    def test_motion_goes_on_in_another_style(self):
        first, second = limber.Pipeline(self.character, "cartoon"), limber.Pipeline(self.character, "cartoon")
        expected = self.play(first, self.poses)
        live = limber.Live(first)
        for i, pose in enumerate(self.poses[:15]):
            live.push(pose, time=i / 30)
        later = limber.Live(second, before=live)
        for i, pose in enumerate(self.poses[15:], 15):
            self.near(later.push(pose, time=i / 30).evaluate().positions, expected[i])
        other = limber.Pipeline(limber.load(kit.sample("cylinder")).character)
        self.refuses("another character", limber.Live, other, live)

    def test_the_ground_is_asked_for(self):
        asked = []

        def height(x, z):
            asked.append((x, z))
            return 0.0 if x < 1000 else None

        live = limber.Live(limber.Pipeline(self.character, {"contact": 1, "effects": {"floppy": {"angular": 0.3}}}),
                           ground=height)
        for i, pose in enumerate(self.poses):
            self.assertTrue(np.isfinite(live.push(pose, time=i / 30).evaluate().positions).all())
        self.assertTrue(asked)

    def test_reset_forgets_the_motion(self):
        live = limber.Live(limber.Pipeline(self.character, "cartoon"))
        fresh = live.push(self.poses[12], time=0.0).evaluate().positions.copy()
        for i, pose in enumerate(self.poses):
            live.push(pose, time=1 + i / 30)
        live.reset()
        self.near(live.push(self.poses[12], time=2.0).evaluate().positions, fresh, 1e-6 * self.character.size)
