"""The numbers of docs/retarget.md on the pairs that were hardest."""

import shutil
import sys
import unittest

from kit import SOURCE, Case, asset

sys.path.insert(0, str(SOURCE / "docs"))
import retarget_numbers as numbers  # noqa: E402

SLIDE, FLOOR, DEGREES = 0.010, 0.005, 5


class Numbers(Case):
    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(numbers.FOLDER, True)

    def hold(self, motion, *characters, slide=SLIDE, floor=FLOOR, degrees=DEGREES, all_fours=False, rough=6):
        for name in (motion, *characters):
            file = name.split("#")[0]
            if not file.startswith("sample:") and not asset(file):
                self.skipTest(f"{file} is not there")
        for character in characters:
            found = numbers.measure(motion, character, all_fours)
            self.assertTrue(found["finite"])
            self.assertLess(found["slide"], slide, character)
            self.assertLess(found["floor"], floor, character)
            self.assertLess(found["legs"], degrees, character)
            self.assertLess(found["arms"], degrees, character)
            self.assertLess(found["rough"], rough, character)

    def test_a_kick_whose_feet_come_and_go_within_frames(self):
        self.hold("cmu_88_06.bvh", "more/Mage.glb", "RobotExpressive.glb")
        self.hold("cmu_02_01.bvh", "more/Mage.glb", rough=4)

    def test_a_run_with_one_foot_on_the_ground_at_a_time(self):
        self.hold("cmu_09_01.bvh", "more/Mage.glb", floor=0.001, degrees=1.5)

    def test_paws_of_more_joints(self):
        self.hold("more/Wolf.glb#AnimalArmature|Gallop", "sample:dog", degrees=20, all_fours=True)
        self.hold("sample:dog#jump", "more/Wolf.glb", degrees=35, all_fours=True)

    def test_toes_that_roll(self):
        self.hold("cmu_06_15.bvh", "more/Soldier.glb", "more/Mage.glb")

    def test_feet_twice_as_long_that_turn_on_the_spot(self):
        self.hold("more/SambaDancing.fbx", "sample:toon", slide=0.016)
        self.hold("more/mixamo.fbx", "sample:toon")

    def test_keys_that_lie_far_apart(self):
        self.hold("RobotExpressive.glb#Jump", "more/Soldier.glb")
        self.hold("sample:hero#jump", "sample:toon")


if __name__ == "__main__":
    unittest.main()
