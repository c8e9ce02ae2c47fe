"""Whatever is deleted first: arrays keep what they show alive."""

import gc
import itertools
import weakref

import kit
import limber
import numpy as np


def churn():
    """Memory that was given back is used for something else."""
    gc.collect()
    return [np.full(n, 7, np.uint8) for n in (1000, 10000, 100000, 1000000) for _ in range(8)]


class Order(kit.Case):
    def test_arrays_outlive_everything(self):
        file = limber.load(kit.sample("dog"))
        pipeline = limber.Pipeline(file.character, "smear")
        pipeline.set_outputs(offsets=True)
        frame = pipeline.evaluate_smeared("jump", 0.6)
        bake = pipeline.bake("corrective", clips=["jump"])
        edited = limber.Pipeline(file.character, "sk-stretch").edited_clip(0)
        arrays = [
            file.character.meshes[0].positions, file.character.rest, file.character.clips[0].channels[0].values,
            frame.positions, frame.normals, frame.local, frame.offsets, frame.meshes[0].positions, frame.velocity,
            bake.meshes[0].positions, bake.tracks[0].times, bake.meshes[0].weights[0], edited.clip.channels[0].times,
        ]
        before = [array.copy() for array in arrays]
        del file, pipeline, frame, bake, edited
        noise = churn()
        for array, copy in zip(arrays, before):
            self.near(array, copy)
        del noise

    def test_every_order_of_deletion(self):
        names = ("file", "character", "style", "pipeline", "live", "frame")
        orders = list(itertools.permutations(range(len(names))))
        # Every day one in seven: each thing goes first and last, and right after each other, in some of them.
        for order in orders if kit.LONG else orders[::7]:
            file = limber.load(kit.sample("cylinder"))
            character = file.character
            style = limber.Style("smear")
            pipeline = limber.Pipeline(character, style)
            live = limber.Live(pipeline)
            live.push(character.rest, time=0.0)
            frame = live.push(character.rest, time=0.1).evaluate_smeared()
            things = [file, character, style, pipeline, live, frame]
            del file, character, style, pipeline, live, frame
            for i in order:
                things[i] = None
                if i == order[0]:
                    gc.collect(0)
                left = things[5]
                if left is not None:
                    self.assertTrue(np.isfinite(left.positions).all())

    def test_nothing_is_kept_for_ever(self):
        character = limber.load(kit.sample("cylinder")).character
        pipeline = limber.Pipeline(character, "jelly", threads=2)
        live = limber.Live(pipeline, ground=lambda x, z: 0.0)
        live.push(character.rest).evaluate()
        handles = [weakref.ref(thing._handle) for thing in (character, pipeline, live)]
        del character, pipeline, live
        gc.collect()
        self.assertEqual([handle() for handle in handles], [None] * 3)

    def test_a_live_that_is_gone_does_not_disturb_its_pipeline(self):
        character = limber.load(kit.sample("cylinder")).character
        pipeline = limber.Pipeline(character, "smear")
        for _ in range(20):
            live = limber.Live(pipeline)
            live.push(character.rest).evaluate_smeared()
            del live
            self.assertTrue(np.isfinite(pipeline.evaluate_smeared(0, 0.2).positions).all())

    def test_styles_may_change_after_the_pipeline_was_made(self):
        character = limber.load(kit.sample("dog")).character
        style = limber.Style("cartoon")
        pipeline = limber.Pipeline(character, style)
        before = pipeline.evaluate(0, 0.3).positions.copy()
        style.set("strength", 0)
        del style
        churn()
        self.near(pipeline.evaluate(0, 0.3).positions, before)
