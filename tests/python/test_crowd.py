"""Crowds: many characters in one call, with the numbers that one pipeline each gives."""

import kit
import limber
import numpy as np


class Crowds(kit.Case):
    def setUp(self):
        super().setUp()
        self.dog = limber.load(kit.sample("dog")).character
        self.tube = limber.load(kit.sample("cylinder")).character

    def test_members_are_what_pipelines_say(self):
        pipelines = [limber.Pipeline(self.dog, "cartoon"), limber.Pipeline(self.tube)]
        members = [limber.Member(i % 2, 0, start=0.13 * i, speed=1 - 0.1 * i) for i in range(6)]
        for threads in (None, 3):
            crowd = limber.Crowd([(self.dog, "cartoon"), self.tube], 6, normals=True, threads=threads)
            crowd.prepare(0, 0)
            for now in (0.0, 0.21):
                frame = crowd.evaluate(members, now)
                self.assertEqual((len(frame), frame.computed), (6, 6))
                for member, positions, normals in zip(members, frame.positions, frame.normals):
                    clip = crowd.characters[member.kind].clips[0]
                    time = clip.start + (member.start + now * member.speed) % (clip.end - clip.start)
                    expected = pipelines[member.kind].evaluate(0, time)
                    self.near(positions, expected.positions, 1e-5)
                    self.near(normals, expected.normals, 1e-3)

    def test_members_in_one_moment_are_computed_once(self):
        crowd = limber.Crowd([(self.dog, "jelly")], 5)
        frame = crowd.evaluate([limber.Member(clip="jump", start=0.4)] * 4 + [limber.Member(clip=None)], 0.3)
        self.assertEqual(frame.computed, 2)
        self.assertEqual(frame.same_as.tolist(), [0, 0, 0, 0, 4])
        self.near(frame.positions[3], limber.Pipeline(self.dog, "jelly").evaluate("jump", 0.7).positions)
        self.assertIsNone(frame.normals)
        self.assertFalse(frame.positions[0].flags.writeable)

    def test_a_far_member_keeps_its_numbers(self):
        crowd = limber.Crowd([(self.tube, "cartoon")], 1)
        member = limber.Member(every=2)
        first = crowd.evaluate([member], 0.0, frame=0).positions[0].copy()
        self.near(crowd.evaluate([member], 0.1, frame=1).positions[0], first)
        self.assertGreater(np.abs(crowd.evaluate([member], 0.2, frame=2).positions[0] - first).max(), 0)

    def test_mistakes(self):
        crowd = limber.Crowd([self.tube], 2)
        self.assertEqual(len(crowd.evaluate([])), 0)
        self.refuses("member", crowd.evaluate, [limber.Member()] * 3)
        self.refuses("there is no kind 1", crowd.evaluate, [limber.Member(1)])
        self.refuses("there is no clip", crowd.evaluate, [limber.Member(clip=99)])
        self.refuses("finite", crowd.evaluate, [limber.Member(speed=float("nan"))])
        self.refuses("limber.Members", crowd.evaluate, [(0, 0)])
        self.refuses("limber.Character", limber.Crowd, ["dog"], 2)
        self.refuses("kind", limber.Crowd, [], 2)
