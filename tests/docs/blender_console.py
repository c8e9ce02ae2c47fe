"""Blocks of a page, one after the other, as if typed into Blender's Python console with the add-on switched on.

    blender -b --factory-startup --python-exit-code 7 --python blender_console.py -- BLOCKS.json

BLOCKS.json is a list of {"text", "line"}. LIMBER_LIBRARY names the library (default: that of build/).
"""
import json
import os
import pathlib
import sys

import bpy
import numpy as np

np.bool = bool  # the glTF importer of Blender 3.4 wants it
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
os.environ.setdefault("LIMBER_LIBRARY", str(ROOT / "build" / "liblimber.so"))
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "blender")]
import limber_blender  # noqa: E402

limber_blender.register()
console = {"bpy": bpy}
for block in json.loads(pathlib.Path(sys.argv[-1]).read_text()):
    lines = "\n" * block["line"] + block["text"]
    exec(compile(lines, "the page", "exec"), console)
    sys.stdout.flush()
