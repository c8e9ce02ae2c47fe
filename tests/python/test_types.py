"""The type hints hold, as mypy sees them."""

import shutil
import subprocess
import tempfile
import unittest

import kit

MYPY = shutil.which("mypy", path="/usr/bin") or shutil.which("mypy")


@unittest.skipUnless(MYPY, "mypy is not installed (Debian: mypy)")
class Types(kit.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cache = tempfile.mkdtemp(prefix="limber-mypy-")
        cls.addClassCleanup(shutil.rmtree, cls.cache, True)

    def check(self, *arguments):
        done = subprocess.run([MYPY, "--strict", "--python-version", "3.9", "--cache-dir", str(self.cache), *arguments],
                              cwd=kit.SOURCE / "python", capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_module(self):
        self.check("limber")

    def test_a_program_that_uses_it(self):
        program = self.folder / "program.py"
        program.write_text(
            "import limber\n"
            "character = limber.load('dog.glb').character\n"
            "style = limber.Style('cartoon').set('strength', 0.5)\n"
            "frame = limber.Pipeline(character, style).evaluate('jump', 0.5)\n"
            "total: float = float(frame.positions.sum())\n"
            "name: str = character.clips[0].name\n"
        )
        self.check(str(program))
        program.write_text("import limber\nlimber.load('dog.glb').character.size.upper()\n")
        with self.assertRaises(AssertionError):
            self.check(str(program))
