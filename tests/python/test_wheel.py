"""The wheel: the same bytes every time, and all that a fresh environment needs besides numpy."""

import base64
import csv
import hashlib
import io
import os
import subprocess
import sys
import unittest
import zipfile

import kit
import limber
import numpy

LIBRARY = os.environ["LIMBER_LIBRARY"]
ELF = b"\x7fELF" + bytes(14) + b"\xb7\0"  # the head of a library for 64-bit Arm
PE = b"MZ" + bytes(58) + b"\x40\0\0\0" + b"PE\0\0" + b"\x64\x86"


def build(folder, *options, **environment):
    command = [sys.executable, str(kit.SOURCE / "python" / "build_wheel.py"), LIBRARY, "-o", str(folder), *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **environment})
    return type(folder)(done.stdout.strip())


class Wheel(kit.Case):
    def test_the_same_sources_give_the_same_bytes(self):
        first = build(self.folder / "a", SOURCE_DATE_EPOCH="1700000000")
        second = build(self.folder / "b", SOURCE_DATE_EPOCH="1700000000")
        self.assertEqual(first.name, second.name)
        self.assertEqual(first.read_bytes(), second.read_bytes())
        with zipfile.ZipFile(first) as wheel:
            self.assertEqual({entry.date_time[:3] for entry in wheel.infolist()}, {(2023, 11, 14)})

    def test_it_says_what_is_in_it(self):
        path = build(self.folder)
        self.assertRegex(path.name, r"^limber-[0-9.]+-py3-none-(many)?linux_\w+\.whl$|-py3-none-(mac|win)")
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
            record = next(name for name in names if name.endswith("/RECORD"))
            rows = list(csv.reader(io.StringIO(wheel.read(record).decode())))
            self.assertEqual(sorted(row[0] for row in rows), sorted(names))
            for name, digest, size in rows:
                if name != record:
                    data = wheel.read(name)
                    made = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, size), (f"sha256={made}", str(len(data))))
            package = {f"limber/{file.name}" for file in (kit.SOURCE / "python" / "limber").glob("*.py")}
            self.assertLessEqual(package | {"limber/py.typed"}, set(names))
            tag = path.name[: -len(".whl")].split("-", 2)[2]
            self.assertIn(f"Tag: {tag}\n", wheel.read(next(n for n in names if n.endswith("/WHEEL"))).decode())

    def test_the_program_may_be_inside(self):
        with zipfile.ZipFile(build(self.folder, "--program", kit.PROGRAM)) as wheel:
            self.assertEqual(wheel.read("limber/limber"), type(self.folder)(kit.PROGRAM).read_bytes())
            self.assertEqual(wheel.getinfo("limber/limber").external_attr >> 16, 0o755)

    def test_the_program_beside_the_library_is_inside_unless_it_should_not_be(self):
        library, beside = self.folder / "liblimber.so", self.folder / "limber"
        library.write_bytes(ELF)
        beside.write_bytes(ELF)
        script = [sys.executable, str(kit.SOURCE / "python" / "build_wheel.py"), str(library), "-o", str(self.folder)]
        for more, inside in (([], True), (["--no-program"], False)):
            made = subprocess.run([*script, *more], check=True, capture_output=True, text=True).stdout.strip()
            with zipfile.ZipFile(made) as wheel:
                self.assertEqual("limber/limber" in wheel.namelist(), inside)
        beside.unlink()
        made = subprocess.run(script, check=True, capture_output=True, text=True).stdout.strip()
        with zipfile.ZipFile(made) as wheel:
            self.assertNotIn("limber/limber", wheel.namelist())

    def test_the_system_is_that_of_the_library_not_of_this_machine(self):
        script = [sys.executable, str(kit.SOURCE / "python" / "build_wheel.py")]
        for name, head, tag, inside in (("limber.so", ELF, "linux_aarch64", "liblimber.so.0"),
                                        ("limber.dll", PE, "win_amd64", "limber.dll")):
            library = self.folder / name
            library.write_bytes(head)
            made = subprocess.run([*script, str(library), "-o", str(self.folder)], check=True, capture_output=True,
                                  text=True).stdout.strip()
            self.assertRegex(made, rf"-py3-none-{tag}\.whl$")
            with zipfile.ZipFile(made) as wheel:
                self.assertEqual(wheel.read(f"limber/{inside}"), head)
        library.write_bytes(b"library")
        failed = subprocess.run([*script, str(library), "-o", str(self.folder)], capture_output=True, text=True)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("is no library for", failed.stderr)

    def test_a_fresh_environment_needs_nothing_else(self):
        try:
            import ensurepip  # noqa: F401
        except ImportError:
            raise unittest.SkipTest("no venv (Debian: python3-venv)") from None
        venv = self.folder / "venv"
        clean = {k: v for k, v in os.environ.items() if k not in ("LIMBER_LIBRARY", "PYTHONPATH", "LD_PRELOAD")}
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True, env=clean)
        python = str(venv / "bin" / "python")
        # numpy is the one that runs this test: nothing comes from a network.
        site = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True,
                              env=clean, capture_output=True, text=True).stdout.strip()
        (type(venv)(site) / "numpy_from_outside.pth").write_text(f"{os.path.dirname(os.path.dirname(numpy.__file__))}\n")
        install = [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check"]
        subprocess.run([*install, str(build(self.folder))], check=True, env=clean)
        code = (
            "import limber, sys; p = limber.Pipeline(limber.load(sys.argv[1]).character, 'cartoon'); "
            "print(limber.library_path()); print(float(p.evaluate(0, 0.3).positions.astype('f8').sum()))"
        )
        done = subprocess.run([python, "-c", code, str(kit.sample("dog"))], check=True, env=clean, cwd=self.folder,
                              capture_output=True, text=True)
        path, total = done.stdout.split()
        self.assertTrue(os.path.realpath(path).startswith(os.path.realpath(venv)), path)
        frame = limber.Pipeline(limber.load(kit.sample("dog")).character, "cartoon").evaluate(0, 0.3)
        self.assertEqual(float(total), float(frame.positions.astype("f8").sum()))
