"""What the tests share: characters, a folder that goes away, and the program to compare with."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import limber
import numpy as np

PROGRAM = os.environ["LIMBER_PROGRAM"]
LONG = "LIMBER_TEST_LONG" in os.environ
SOURCE = Path(__file__).resolve().parent.parent.parent

# The program may need other things in front of it than Python does.
_PLAIN = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}

_folder = tempfile.mkdtemp(prefix="limber-python-")
_samples = {}
_kept = os.environ.get("LIMBER_MODELS")  # a folder in which tests keep what takes long to make


def program(*arguments):
    subprocess.run([PROGRAM, *map(str, arguments)], check=True, env=_PLAIN, stdout=subprocess.DEVNULL)


def sample(name):
    """The file of a built-in character."""
    if name not in _samples:
        path = Path(_folder) / f"{name}.glb"
        kept = Path(_kept or _folder) / path.name
        if not kept.exists() or kept.stat().st_mtime < os.stat(PROGRAM).st_mtime:
            part = kept.with_name(f"{os.getpid()}-{name}.glb")  # tests run side by side
            program("sample", name, "-o", part)
            os.replace(part, kept)
        if kept != path:
            shutil.copyfile(kept, path)
        _samples[name] = path
    return _samples[name]


def asset(name):
    """A file of LIMBER_TEST_ASSETS, or None."""
    folder = os.environ.get("LIMBER_TEST_ASSETS")
    path = Path(folder) / name if folder else None
    return path if path is not None and path.exists() else None


class Case(unittest.TestCase):
    """A test with a folder of its own, `self.folder`."""

    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(shutil.rmtree, _folder, True)
        cls.addClassCleanup(_samples.clear)
        os.makedirs(_folder, exist_ok=True)

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="limber-python-"))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def near(self, a, b, tolerance=0.0, what=""):
        """Arrays are the same, to a tolerance."""
        a, b = np.asarray(a), np.asarray(b)
        self.assertEqual(a.shape, b.shape, what)
        if a.size:
            self.assertLessEqual(float(np.abs(a.astype(np.float64) - b).max()), tolerance, what)

    def refuses(self, sentence, function, *arguments, **named):
        """The call raises a ValueError of limber whose text has `sentence` in it."""
        with self.assertRaises(limber.LimberError) as caught:
            function(*arguments, **named)
        self.assertIn(sentence, str(caught.exception))
        return caught.exception


def arrays_of(character):
    """The joints and meshes of a character, as if a program had made them."""
    joints = limber.Joints(character.joint_names, character.parents, character.rest)
    meshes = [
        limber.Mesh(
            mesh.name, mesh.positions, mesh.triangles, mesh.joints, mesh.inverse_binds, mesh.influences, mesh.normals,
            mesh.uvs, mesh.colors, mesh.morphs, None, mesh.layers,
        )
        for mesh in character.meshes
    ]
    return joints, meshes


def triangle(**changes):
    """The arguments of a small mesh, one triangle on one joint."""
    mesh = dict(name="triangle", positions=[[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles=[[0, 1, 2]])
    mesh.update(changes)
    return limber.Mesh(**mesh)


def two_joints(**changes):
    rest = np.tile(np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1], np.float32), (2, 1))
    rest[1, 1] = 1
    joints = dict(names=["root", "tip"], parents=[-1, 0], rest=rest)
    joints.update(changes)
    return limber.Joints(**joints)
