"""Runs several scripts of tests one after the other in one Blender, which takes longer to start than many of them run:

    blender -b --factory-startup --python-exit-code 7 --python blender/test/run.py -- bake edges
"""
import pathlib
import runpy
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
at = sys.argv.index("--")
names = sys.argv[at + 1:]
del sys.argv[at:]  # a script would take them for names of its tests
for name in names:
    print(f"--- test_{name}.py ---", flush=True)
    runpy.run_path(str(HERE / f"test_{name}.py"), run_name="__main__")
print(f"all scripts passed: {' '.join(names)}", flush=True)
