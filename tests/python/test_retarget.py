"""Motions of one skeleton on another."""

import unittest

import limber
import numpy as np

from kit import Case, program, sample


class Retarget(Case):
    def setUp(self):
        super().setUp()
        self.hero = limber.load(sample("hero")).character
        self.toon = limber.load(sample("toon")).character

    def test_equals_the_program(self):
        path = self.folder / "both.glb"
        program("convert", sample("toon"), "--motion", f"{sample('hero')}#jump", "-o", path)
        made = self.toon.with_clips([limber.retarget(self.hero, self.toon, "jump")])
        theirs = limber.load(path).character
        plain = limber.Style()
        a = limber.Pipeline(made, plain).evaluate(0, 1.2).positions
        b = limber.Pipeline(theirs, plain).evaluate(len(theirs.clips) - 1, 1.2).positions
        self.assertLess(np.abs(a - b).max(), 1e-5 * self.toon.size)

    def test_matches_have_names_and_parts(self):
        found = {one.joint: one for one in limber.match(self.hero, self.toon)}
        self.assertEqual(found["LegUpperLeft"].source, "LegUpperLeft")
        self.assertEqual(found["LegUpperLeft"].part, "left upper leg")
        self.assertNotIn("Hat", found)
        given = {one.joint: one for one in limber.match(self.hero, self.toon, {"Hat": "Head", "HandLeft": None})}
        self.assertEqual((given["Hat"].source, given["Hat"].sure), ("Head", 1))
        self.assertNotIn("HandLeft", given)

    def test_joints_are_what_they_are_said_to_be(self):
        said = {}
        for side, other in (("Left", "right"), ("Right", "left")):  # whoever says so means it
            said.update({f"ArmUpper{side}": f"{other}UpperArm", f"ArmLower{side}": f"{other}LowerArm",
                         f"Hand{side}": f"{other}Hand", f"Shoulder{side}": f"{other}Shoulder"})
        said = {joint: bone for joint, bone in said.items() if joint in self.hero.joint_names}
        found = {one.joint: one.source for one in limber.match(self.hero, self.toon, motion_bones=said)}
        self.assertEqual(found["ArmUpperLeft"], "ArmUpperRight")
        self.assertEqual(found["LegUpperLeft"], "LegUpperLeft")

    def test_a_part_with_a_name(self):
        clip = limber.retarget(self.hero, self.toon, "jump", name="hop", start=0.5, end=1.0)
        self.assertEqual(clip.name, "hop")
        self.assertAlmostEqual(float(clip.channels[0].times[-1]), 0.5, 5)

    def test_a_cycle_with_root_motion(self):
        clip = limber.retarget(self.hero, self.toon, "jump", start=0.2, end=0.7, loop=True, root_motion=True)
        places = {one.target: one.values for one in clip.channels if one.path == "translation"}
        self.assertEqual(len(places), 2)
        self.assertAlmostEqual(float(clip.channels[0].times[-1]), 0.5, 5)
        turns = [one.values for one in clip.channels if one.path == "rotation"]
        self.assertGreater(min(abs(float(np.dot(one[0], one[-1]))) for one in turns), 0.9999)

    def test_hands_touch_when_asked(self):
        plain = limber.retarget(self.hero, self.toon, "jump")
        touching = limber.retarget(self.hero, self.toon, "jump", touch=True)
        self.assertEqual(len(plain.channels), len(touching.channels))
        path = self.folder / "touching.glb"
        program("convert", sample("toon"), "--motion", f"{sample('hero')}#jump", "--touch", "-o", path)
        theirs = limber.load(path).character
        made = self.toon.with_clips([touching])
        a = limber.Pipeline(made, limber.Style()).evaluate(0, 1.2).positions
        b = limber.Pipeline(theirs, limber.Style()).evaluate(len(theirs.clips) - 1, 1.2).positions
        self.assertLess(np.abs(a - b).max(), 1e-5 * self.toon.size)

    def test_says_what_is_wrong(self):
        dog = limber.load(sample("dog")).character
        with self.assertRaisesRegex(limber.ArgumentError, "all fours"):
            limber.retarget(dog, self.toon)
        with self.assertRaisesRegex(limber.ArgumentError, "HandLeft"):
            limber.match(self.hero, self.toon, {"HandLfet": "HandLeft"})
        with self.assertRaisesRegex(limber.ArgumentError, "Character"):
            limber.retarget("hero.glb", self.toon)
        with self.assertRaises(limber.ArgumentError):
            limber.retarget(self.hero, self.toon, None)


if __name__ == "__main__":
    unittest.main()
