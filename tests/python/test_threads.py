"""Threads of Python: the same numbers, and no crash whoever calls what."""

import threading

import kit
import limber
import numpy as np


class Threads(kit.Case):
    def run_all(self, *works):
        problems = []

        def guarded(work):
            try:
                work()
            except Exception as problem:  # for the main thread to see
                problems.append(problem)

        threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])

    def test_a_frame_is_the_same_with_any_number_of_threads(self):
        character = limber.load(kit.sample("dog")).character
        one = limber.Pipeline(character, "smear")
        for threads in (0, 2, 3):
            many = limber.Pipeline(character, "smear", threads=threads)
            for time in (0.1, 0.6):
                self.near(many.evaluate_smeared("jump", time).positions, one.evaluate_smeared("jump", time).positions)

    def test_many_frames_at_once(self):
        character = limber.load(kit.sample("dog")).character
        for style in (None, "cartoon", "smear"):
            pipeline = limber.Pipeline(character, style)
            for smeared in (False, True):
                expected = np.stack([f.positions.copy() for f in pipeline.frames("jump", 12, smeared=smeared)])
                for threads in (0, 1, 3):
                    self.near(pipeline.positions("jump", fps=12, smeared=smeared, threads=threads), expected)
        times = [0.9, 0.1, 0.5]
        expected = np.stack([pipeline.evaluate("jump", time).positions.copy() for time in times])
        self.near(pipeline.positions("jump", times, threads=2), expected)
        self.assertEqual(pipeline.positions("jump", []).shape, (0, character.vertex_count, 3))
        self.refuses("finite", pipeline.positions, "jump", [float("nan")])

    def test_pipelines_share_a_character(self):
        character = limber.load(kit.sample("dog")).character
        expected = [limber.Pipeline(character, "cartoon").evaluate(0, i / 30).positions.copy() for i in range(10)]

        def work():
            pipeline = limber.Pipeline(character, "cartoon")
            for i in range(10):
                self.near(pipeline.evaluate(0, i / 30).positions, expected[i])

        self.run_all(work, work, work)

    def test_one_pipeline_many_threads(self):
        character = limber.load(kit.sample("cylinder")).character
        pipeline = limber.Pipeline(character, "smear")

        def frames():
            for i in range(40):
                self.assertTrue(np.isfinite(pipeline.evaluate_smeared(0, i / 40).positions).all())

        def lives():
            for i in range(40):
                try:
                    limber.Live(pipeline).push(character.rest, time=i / 30)
                except limber.BusyError:  # the frames are another thread's
                    pass

        def outputs():
            for i in range(40):
                pipeline.set_outputs(normals=i % 2 == 0)

        self.run_all(frames, lives, outputs, lambda: pipeline.bake(clips=[0]), frames, lives)

    def test_frames_of_one_pipeline_belong_to_their_threads(self):
        pipeline = limber.Pipeline(limber.load(kit.sample("cylinder")).character, "jelly")
        times = [i / 40 for i in range(30)]
        expected = [pipeline.evaluate(0, time).positions.copy() for time in times]
        turn = threading.Barrier(4)
        wrong = []

        def work(own):
            for i in range(len(times)):
                at = (i * (own + 1) + own) % len(times)
                frame = pipeline.evaluate(0, times[at])
                turn.wait()  # all have evaluated, each another time
                if not np.array_equal(frame.positions, expected[at]):
                    wrong.append(at)
                turn.wait()

        self.run_all(*[lambda own=own: work(own) for own in range(4)])
        self.assertEqual(wrong, [])

    def test_live_poses_stay_in_one_thread(self):
        character = limber.load(kit.sample("cylinder")).character
        pipeline = limber.Pipeline(character, "jelly")
        live = limber.Live(pipeline)
        frame = live.push(character.rest, time=0.0).evaluate()
        before = frame.positions.copy()

        def other():
            moved = character.rest + np.float32(0.1)
            for work in (lambda: limber.Live(pipeline).push(moved), lambda: live.push(moved, time=0.1), live.evaluate,
                         live.evaluate_smeared):
                with self.assertRaisesRegex(limber.BusyError, "another thread has frames"):
                    work()

        self.run_all(other)
        self.assertTrue(np.array_equal(frame.positions, before))
        live.push(character.rest, time=0.1).evaluate()

    def test_a_crowd_stays_in_one_thread(self):
        crowd = limber.Crowd([limber.load(kit.sample("cylinder")).character], limit=2)
        members = [limber.Member(clip=0)]
        frame = crowd.evaluate(members)
        before = frame.positions[0].copy()

        def other():
            with self.assertRaisesRegex(limber.BusyError, "another thread has frames"):
                crowd.evaluate(members, now=0.3)

        self.run_all(other)
        self.assertTrue(np.array_equal(frame.positions[0], before))

    def test_live_poses_may_go_on_when_their_thread_has_ended(self):
        character = limber.load(kit.sample("cylinder")).character
        live = limber.Live(limber.Pipeline(character, "jelly"))
        self.run_all(lambda: live.push(character.rest, time=0.0).evaluate())
        self.assertTrue(np.isfinite(live.push(character.rest, time=0.1).evaluate().positions).all())

    def test_outputs_are_those_of_all_threads(self):
        pipeline = limber.Pipeline(limber.load(kit.sample("cylinder")).character, "jelly")
        pipeline.evaluate(0, 0.1)
        pipeline.set_outputs(normals=False)
        found = []
        self.run_all(lambda: found.append(pipeline.evaluate(0, 0.1).normals))
        self.assertEqual(found, [None])

    def test_many_frames_from_many_threads(self):
        pipeline = limber.Pipeline(limber.load(kit.sample("cylinder")).character, "jelly")
        expected = pipeline.positions(0)

        def work():
            for _ in range(4):
                self.near(pipeline.positions(0, threads=2), expected)

        self.run_all(work, work, work)

    def test_one_style_many_threads(self):
        style = limber.Style("cartoon")
        character = limber.load(kit.sample("cylinder")).character

        def change():
            for i in range(200):
                style.set("strength", i / 200)
                self.assertIn("strength", style.text)

        def use():
            for _ in range(20):
                limber.Pipeline(character, style)

        self.run_all(change, use, change, use)

    def test_a_callback_cannot_use_its_own_pipeline(self):
        character = limber.load(kit.sample("cylinder")).character
        pipeline, other = limber.Pipeline(character, "jelly"), limber.Pipeline(character, "jelly")
        with self.assertRaises(limber.BusyError):
            pipeline.bake(progress=lambda done, total: pipeline.evaluate(0, 0.1) is not None)
        bake = pipeline.bake(progress=lambda done, total: other.evaluate(0, 0.1) is not None)
        self.assertTrue(bake.tracks)
