"""The structs of the module are those of the library."""

import ctypes
import ctypes.util
import os
import subprocess
import sys
import unittest

import kit
import limber
from limber import _library, _structs


class Layout(kit.Case):
    def test_every_field_lies_where_the_library_has_it(self):
        library = _library.library()
        self.assertEqual(_library.layout_of_module(), _library.layout_of_library(library))

    def test_a_struct_that_differs_is_named(self):
        library = _library.library()
        rows = _structs.Clip._fields_
        changed = type("Clip", (ctypes.Structure,), {"_fields_": [("extra", ctypes.c_double), *rows]})
        original = _structs.STRUCTS["limber_clip"]
        _structs.STRUCTS["limber_clip"] = changed
        try:
            self.assertIn("limber_clip", _library._difference(library))
        finally:
            _structs.STRUCTS["limber_clip"] = original

    def test_the_version_is_that_of_the_sources(self):
        text = (kit.SOURCE / "CMakeLists.txt").read_text()
        self.assertIn(f"project(limber VERSION {limber.__version__} ", text)
        self.assertEqual(limber.version(), limber.__version__)


def say(library):
    """What the module says about a library, in an interpreter of its own."""
    code = "import limber\ntry: print(limber.version())\nexcept limber.LibraryError as e: print(e)"
    environment = {**os.environ, "PYTHONPATH": str(kit.SOURCE / "python")}
    environment.pop("LIMBER_LIBRARY")
    if library:
        environment["LIMBER_LIBRARY"] = str(library)
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


class WrongLibrary(kit.Case):
    def test_a_library_that_is_not_there_is_named(self):
        self.assertIn("LIMBER_LIBRARY is /nowhere/liblimber.so, but it cannot be loaded", say("/nowhere/liblimber.so"))

    def test_another_library_is_refused(self):
        self.assertIn("is not the C library of limber", say(ctypes.util.find_library("m") or "libm.so.6"))

    @unittest.skipUnless(os.path.exists("/usr/bin/cc"), "no C compiler")
    def test_a_library_of_another_version_or_build_is_refused(self):
        for version, sentence in (("9.1.0", "has version 9.1.0"), (limber.__version__, "built from other sources")):
            path = self.folder / f"{version}.so"
            source = self.folder / "old.c"
            source.write_text(f'const char* limber_version(void) {{ return "{version}"; }}\n')
            subprocess.run(["/usr/bin/cc", "-shared", "-fPIC", str(source), "-o", str(path)], check=True,
                           env={k: v for k, v in os.environ.items() if k != "LD_PRELOAD"})
            self.assertIn(sentence, say(path))

    def test_without_a_library_it_says_what_to_do(self):
        said = say(None)
        self.assertTrue("LIMBER_LIBRARY" in said or said == limber.__version__, said)
