#!/usr/bin/env python3
"""Packs the add-on: python3 blender/package.py LIBRARY FOLDER

Writes two zips into FOLDER, with the Python module and the C library inside:

    limber_blender-VERSION-PLATFORM.zip            for Edit > Preferences > Add-ons > Install (Blender 3.4 and later)
    limber_blender-VERSION-PLATFORM-extension.zip  for Edit > Preferences > Get Extensions > Install from Disk (4.2 ...)

The same input gives the same bytes.
"""
import ast
import os
import pathlib
import re
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))
from build_wheel import LIBRARY_NAMES, target  # noqa: E402

ADDON = ROOT / "blender" / "limber_blender"
MODULE = ROOT / "python" / "limber"
MANIFEST = "blender_manifest.toml"
LONG_AGO = (1980, 1, 1, 0, 0, 0)


def fail(text):
    sys.exit(f"package.py: {text}")


def platform_name(library):
    """As Blender spells it: linux-x64, linux-arm64, windows-x64, macos-arm64."""
    system, machine = target(library)
    return f"{system}-{ {'x86_64': 'x64', 'aarch64': 'arm64'}.get(machine, machine) }"


def versions():
    """Those of the project, bl_info and the manifest, which must agree."""
    project = re.search(r"project\(limber VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    tree = ast.parse((ADDON / "__init__.py").read_text(encoding="utf-8"))
    info = next(ast.literal_eval(n.value) for n in tree.body
                if isinstance(n, ast.Assign) and n.targets[0].id == "bl_info")
    manifest = re.search(r'^version = "(.*)"', (ADDON / MANIFEST).read_text(), re.M).group(1)
    return {"CMakeLists.txt": project, "bl_info": ".".join(map(str, info["version"])), MANIFEST: manifest}


def contents(library):
    """{name in the add-on: bytes}."""
    found = {path.relative_to(ADDON).as_posix(): path.read_bytes() for path in ADDON.rglob("*.py")}
    for path in MODULE.rglob("*"):
        if path.suffix == ".py" or path.name == "py.typed":
            found["limber/" + path.relative_to(MODULE).as_posix()] = path.read_bytes()
    found["limber/" + LIBRARY_NAMES[target(library)[0]]] = library.read_bytes()
    found["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    return {name: data for name, data in found.items() if "__pycache__" not in name}


def write(path, files):
    """Sorted, without times and owners; written beside and renamed."""
    beside = path.with_name(path.name + ".tmp")
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name])
    os.replace(beside, path)
    print(path)


def main(library, folder):
    library, folder = pathlib.Path(library).resolve(), pathlib.Path(folder)
    if not library.is_file():
        fail(f"{library} is missing; build it first (./dev build)")
    told = versions()
    if len(set(told.values())) != 1:
        fail("versions differ: " + ", ".join(f"{place} says {version}" for place, version in told.items()))
    folder.mkdir(parents=True, exist_ok=True)
    where = platform_name(library)
    files = contents(library)
    stem = f"limber_blender-{told['bl_info']}-{where}"
    write(folder / f"{stem}.zip", {f"limber_blender/{name}": data for name, data in files.items()})
    manifest = (ADDON / MANIFEST).read_text().replace("@PLATFORM@", where)
    write(folder / f"{stem}-extension.zip", {**files, MANIFEST: manifest.encode()})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        fail("usage: package.py LIBRARY FOLDER")
    main(*sys.argv[1:])
