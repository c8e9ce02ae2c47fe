#!/usr/bin/env bash
# The wheel in a fresh environment: a character in, a styled frame and a baked file out. Those for other systems have a
# library of that system inside.
# Usage: wheel.sh RELEASE_FOLDER PROGRAM
set -euo pipefail
python=/usr/bin/python3
wheel=$(ls "$1"/limber-*linux*_"$(uname -m)".whl 2>/dev/null) || { echo "there is no wheel"; exit 77; }
$python -c 'import ensurepip, numpy' 2>/dev/null || { echo "no venv or no numpy (Debian: python3-venv python3-numpy)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LIMBER_LIBRARY PYTHONPATH
$python -m venv "$work/venv"
# numpy is this system's: nothing comes from a network.
site=$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
$python -c 'import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))' >"$site/numpy_from_outside.pth"
"$work/venv/bin/python" -m pip install --quiet --no-index --no-deps --disable-pip-version-check "$wheel"
"$2" sample dog -o "$work/dog.glb"
cd "$work"
"$work/venv/bin/python" - <<'PYTHON'
import os
import numpy
import limber

assert os.path.realpath(limber.library_path()).startswith(os.path.realpath("venv")), limber.library_path()
dog = limber.load("dog.glb")
pipeline = limber.Pipeline(dog.character, "cartoon")
frame = pipeline.evaluate("jump", 0.7)
moved = float(numpy.abs(numpy.asarray(frame.positions) - numpy.asarray(frame.skinned)).max())
assert moved > 0.01, moved
dog.save("dog-cartoon.glb", bake=pipeline.bake())
print(f"limber {limber.version()}: the preset moves a vertex by {moved:.3f}; {os.path.getsize('dog-cartoon.glb')} bytes baked")
PYTHON

# Fixed places in the files: e_machine of ELF, Machine of PE.
for other in "$1"/limber-*.whl "$1"/limber_blender-*.zip; do
    $python - "$other" <<'PYTHON'
import sys
import zipfile

name, archive = sys.argv[1], zipfile.ZipFile(sys.argv[1])
inside = [n for n in archive.namelist() if n.endswith((".so.0", ".dll"))]
assert len(inside) == 1, inside
head = archive.read(inside[0])[:1024]
if "win" in name.rsplit("/", 1)[1].split("0.", 1)[1]:
    at = int.from_bytes(head[60:64], "little")
    assert head[:2] == b"MZ" and head[at + 4 : at + 6] == b"\x64\x86", name
else:
    arm = any(word in name.rsplit("/", 1)[1] for word in ("aarch64", "arm64"))
    assert head[:4] == b"\x7fELF" and head[18] == (183 if arm else 62), name
PYTHON
done
