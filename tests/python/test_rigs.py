"""What presets promise for any rig: finite, bounded, and the same in whatever order the file has its nodes."""

import kit
import limber
import numpy as np
import rigs

# The bounds of `limber info --style` for the length of edges, styled over plain.
STRETCH = {"subtle": 1.3, "cartoon": 1.8, "rubberhose": 2.2, "jelly": 2.4}


class Rigs(kit.Case):
    def frames(self, path, style, count=16):
        character = limber.load(path).character
        pipeline = limber.Pipeline(character, style)
        clip = character.clips[0]
        plain, styled = [], []
        for time in np.linspace(clip.start, clip.end, count):
            frame = pipeline.evaluate(0, time)
            plain.append(np.array(frame.skinned))
            styled.append(np.array(frame.positions))
        return np.array(plain), np.array(styled), character.size

    def test_random_rigs_stay_in_bounds(self):
        for seed in range(6):
            rig = rigs.random_rig(seed)
            edges = rig.edges()
            paths = [self.folder / f"{seed}.glb", self.folder / f"{seed}-permuted.glb"]
            rigs.write(rig, paths[0])
            rigs.write(rig, paths[1], np.random.default_rng(seed).permutation(len(rig.parents)))
            for style, most in STRETCH.items():
                plain, styled, size = self.frames(paths[0], style)
                self.assertTrue(np.isfinite(styled).all(), (seed, style))
                before = np.linalg.norm(plain[:, edges[:, 0]] - plain[:, edges[:, 1]], axis=2)
                after = np.linalg.norm(styled[:, edges[:, 0]] - styled[:, edges[:, 1]], axis=2)
                ratios = (after / before)[before > 0.002 * size]
                self.assertLess(float(np.percentile(ratios, 99.9)), most, (seed, style))
                self.near(self.frames(paths[1], style)[1], styled, 2e-6 * size, (seed, style, "permuted"))

    def test_a_tail_without_keys_swings_on_a_body_that_bobs(self):
        path = self.folder / "tail.glb"
        rigs.write(rigs.bobbing_tail(0.05), path)
        for style in ("cartoon", "rubberhose", "jelly"):
            plain, styled, size = self.frames(path, style, 61)
            tip = plain[0, :, 2] <= plain[0, :, 2].min() + 1e-3 * size
            way = (styled - plain)[:, tip].mean(axis=1)
            self.assertGreater(float(np.ptp(way[:, 1])), 0.03 * size, style)
