"""Mistakes are exceptions that people expect, with the library's sentence; nothing crashes the interpreter."""

import copy
import pickle

import kit
import limber
import numpy as np


class Exceptions(kit.Case):
    def test_kinds(self):
        for kind, base in (
            (limber.ArgumentError, ValueError), (limber.DataError, ValueError), (limber.LimitError, ValueError),
            (limber.FileError, OSError), (limber.UnsupportedError, NotImplementedError),
            (limber.LibraryError, ImportError), (limber.BusyError, RuntimeError),
        ):
            self.assertTrue(issubclass(kind, limber.LimberError) and issubclass(kind, base))
            error = kind("what", "where", "more")
            self.assertEqual((str(error), error.message, error.place, error.detail),
                             ("where: what\nmore", "what", "where", "more"))
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again)), (kind, str(error)))

    def test_files(self):
        self.assertIsInstance(self.refuses("No such file", limber.load, "nothing.glb"), OSError)
        path = self.folder / "bad.glb"
        path.write_bytes(b"glTF" + b"\0" * 5)
        with self.assertRaises(limber.DataError):
            limber.load(path)
        self.refuses("zero character", limber.load, "a\0b.glb")
        self.refuses("a path must be", limber.load, 3)
        self.refuses("a path must be", limber.load, None)
        with self.assertRaises(limber.LimberError):
            limber.load(self.folder)

    def test_objects_of_the_library_are_not_pickled(self):
        file = limber.load(kit.sample("cylinder"))
        pipeline = limber.Pipeline(file.character)
        for thing in (file, file.character, pipeline, limber.Style(), limber.Live(pipeline), pipeline.bake()):
            for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
                with self.assertRaisesRegex(TypeError, "cannot be pickled or copied"):
                    attempt(thing)
        frame = pipeline.evaluate(0, 0.1).copy()
        self.near(pickle.loads(pickle.dumps(frame.positions)), frame.positions)


class Hostile(kit.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.character = limber.load(kit.sample("cylinder")).character
        cls.pipeline = limber.Pipeline(cls.character, "sm-elongate")

    def test_clips_and_times(self):
        for evaluate in (self.pipeline.evaluate, self.pipeline.evaluate_smeared):
            for clip in (99, -2, 2**40, "nothing", 1.5, b"x", True, [], limber.load(kit.sample("dog")).character.clips[0]):
                with self.assertRaises(limber.ArgumentError):
                    evaluate(clip, 0.0)
            for time in (float("nan"), float("inf"), -float("inf"), "soon", None, 1j, []):
                with self.assertRaises(limber.ArgumentError):
                    evaluate(0, time)
            for time in (1e300, -1e300, 1e-300, np.float32(0.1), np.int64(3)):
                self.assertTrue(np.isfinite(evaluate(0, time).positions).all())
        for fps in (-1, 1e9, float("nan"), "fast"):
            with self.assertRaises(limber.ArgumentError):
                self.pipeline.evaluate_smeared(0, 0.0, fps)

    def test_pipelines(self):
        for character in (None, 3, "dog.glb", self.character._handle):
            with self.assertRaises(limber.ArgumentError):
                limber.Pipeline(character)
        for threads in (-1, 10**9, 1.5, "all"):
            with self.assertRaises(limber.ArgumentError):
                limber.Pipeline(self.character, None, threads)

    def test_bakes(self):
        for options in (
            dict(kind="cake"), dict(clips=[]), dict(clips=[-1]), dict(clips=["nothing"]), dict(clips=[None]),
            dict(fps=-3), dict(fps=float("nan")), dict(range=(float("nan"), 1)), dict(range=(5, 4)),
            dict(range=(1e9, 2e9)), dict(tolerance=-1), dict(tolerance=float("nan")), dict(tolerance=2),
            dict(smear_meshes="some"), dict(target_limit=-1), dict(target_limit=2**40), dict(max_bytes=-1),
            dict(max_bytes=1), dict(fps=1e6, max_bytes=1000),
        ):
            with self.subTest(**options), self.assertRaises(limber.LimberError):
                self.pipeline.bake(**options)

    def test_live(self):
        live = limber.Live(self.pipeline)
        rest = self.character.rest
        for pose in (None, rest[:-1], rest[:, :9], rest.astype(complex), "pose", np.full(rest.shape, np.nan)):
            with self.assertRaises(limber.ArgumentError):
                live.push(pose)
        for time in (float("nan"), "now"):
            with self.assertRaises(limber.ArgumentError):
                live.push(rest, None, time)
        with self.assertRaises(limber.ArgumentError):
            live.push(rest, [1, 2, 3], 0)
        with self.assertRaises(limber.ArgumentError):
            live.evaluate()
        with self.assertRaises(limber.ArgumentError):
            limber.Live(None)
        with self.assertRaises(limber.ArgumentError):
            limber.Live(self.pipeline, 3)
        with self.assertRaises(limber.ArgumentError):
            limber.Live(self.pipeline, history=-1)
        with self.assertRaises(limber.LimberError):
            limber.Live(self.pipeline, history=2**31).push(rest).evaluate_smeared()
        with self.assertRaises(limber.LimberError):
            limber.Live(self.pipeline, fps=-5).push(rest).evaluate_smeared()

    def test_frames_of_a_clip(self):
        clip = self.character.clips[0]
        for options in (dict(fps=-1), dict(fps=1e-9), dict(start=float("nan")), dict(end=float("inf"))):
            with self.assertRaises(limber.ArgumentError):
                clip.times(**options)
        self.assertEqual(clip.times(start=100, end=101), [])
