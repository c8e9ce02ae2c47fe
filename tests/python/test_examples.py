"""The examples run, and find what they should."""

import os
import re
import shutil
import subprocess
import sys

import kit

EXAMPLES = kit.SOURCE / "python" / "examples"


class Examples(kit.Case):
    def run_example(self, name, *arguments):
        environment = {**os.environ, "PYTHONPATH": str(kit.SOURCE / "python"), "MPLCONFIGDIR": str(self.folder)}
        done = subprocess.run([sys.executable, str(EXAMPLES / name), *map(str, arguments)], cwd=self.folder,
                              env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_code_in_the_documentation_runs(self):
        for name in ("dog", "hero", "toon"):
            shutil.copy(kit.sample(name), self.folder / f"{name}.glb")
        for page in ("docs/python.md", "README.md", "python/README.md"):
            blocks = re.findall(r"^```python\n(.*?)^```", (kit.SOURCE / page).read_text(), re.M | re.S)
            self.assertTrue(blocks, page)
            script = self.folder / "page.py"
            script.write_text("".join(blocks))
            said = self.run_example(script)
            if page == "docs/python.md":
                self.assertIn("there is no preset 'carton'; did you mean 'cartoon'?", said)

    def test_every_example_is_here(self):
        tested = {"plot_motion.py", "check_bake.py", "find_style.py"}
        self.assertEqual({path.name for path in EXAMPLES.glob("*.py")}, tested)

    def test_plot_motion(self):
        said = self.run_example("plot_motion.py", kit.sample("dog"), "--clip", "jump", "-o", "motion.png")
        self.assertIn("Tongue", said)
        if "matplotlib is not installed" in said:
            self.assertFalse((self.folder / "motion.png").exists())
            self.skipTest("matplotlib is not installed (Debian: python3-matplotlib)")
        self.assertEqual((self.folder / "motion.png").read_bytes()[:4], b"\x89PNG")

    def test_check_bake(self):
        said = self.run_example("check_bake.py", kit.sample("flower"), "-o", "out.glb")
        rows = [line.split() for line in said.splitlines() if re.match(r" *[0-9.]+ +\d", line)]
        self.assertEqual(len(rows), 5)
        targets = [int(row[1]) for row in rows]
        self.assertEqual(targets, sorted(targets, reverse=True))
        self.assertLess(targets[-1], targets[0])
        self.assertTrue((self.folder / "out.glb").exists())

    def test_find_style(self):
        said = self.run_example("find_style.py", kit.sample("dog"), "--clip", "jump")
        self.assertIn("'effects.floppy.angular': 0.31", said)
        self.assertIn("'effects.squash.linear': 0.17", said)
        self.assertRegex(said, r"by 0\.04\d* L|by 0\.039\d* L")
