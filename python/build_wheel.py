"""build_wheel.py LIBRARY -o FOLDER: makes the wheel, with the C library inside. Needs nothing but Python.

The program that lies beside the library, or that --program names, is inside, too, for FBX, Collada and compressed glTF;
the wheel then needs the libraries that the program needs, and is for this system alone. With --no-program it is not.

The same inputs give the same bytes: files are in order and have the date of SOURCE_DATE_EPOCH, or that of the last
commit, or the first one that a zip file can have.
"""

import argparse
import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "limber"
FIRST_DATE = 315532800  # 1980-01-01


def fail(message):
    print(f"build_wheel.py: {message}", file=sys.stderr)
    sys.exit(1)


def version():
    return re.search(r'^VERSION = "([^"]+)"$', (PACKAGE / "_library.py").read_text(), re.M).group(1)


def date():
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if not given:
        command = ["git", "-C", str(HERE), "log", "-1", "--format=%ct"]
        try:
            given = subprocess.run(command, capture_output=True, text=True).stdout.strip()
        except OSError:
            pass
    return time.gmtime(max(int(given or 0), FIRST_DATE))[:6]


def platform(library):
    """linux_aarch64; manylinux_2_17_aarch64 where the library needs nothing but the C library of that version."""
    tag = re.sub(r"[-.]", "_", sysconfig.get_platform())
    if not tag.startswith("linux_"):
        return tag
    try:
        dump = subprocess.run(["objdump", "-p", str(library)], capture_output=True, text=True).stdout
    except OSError:
        return tag
    needed = re.findall(r"NEEDED\s+(\S+)", dump)
    versions = [(int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", dump)]
    if not versions or not all(re.match(r"(libc|libm|ld-linux.*)\.so\.\d+$", name) for name in needed):
        return tag
    return "manylinux_{}_{}_".format(*max(versions)) + tag[len("linux_"):]


def metadata(name):
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    return (
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version()}\n"
        "Summary: Cartoon motion for rigged characters\nRequires-Python: >=3.9\nRequires-Dist: numpy>=1.24\n"
        "Description-Content-Type: text/markdown\nLicense-File: LICENSE\n\n" + readme
    ).encode()


def files_of(library, program, tag):
    """Names in the wheel and their bytes."""
    info = f"limber-{version()}.dist-info"
    files = {f"limber/{path.name}": path.read_bytes() for path in PACKAGE.iterdir() if path.suffix in (".py", ".typed")}
    files["limber/" + library_name()] = library.read_bytes()
    if program:
        files["limber/limber"] = program.read_bytes()
    files[f"{info}/METADATA"] = metadata("limber")
    files[f"{info}/LICENSE"] = (HERE.parent / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: limber {version()}\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    )
    record = f"{info}/RECORD"
    files[record] = record_of(files, record)
    return files


def library_name():
    if sys.platform == "win32":
        return "limber.dll"
    return "liblimber.0.dylib" if sys.platform == "darwin" else "liblimber.so.0"


def record_of(files, record):
    lines = []
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(files[name])}\n")
    return "".join(lines + [f"{record},,\n"]).encode()


def write(path, files):
    temporary = path.with_name(path.name + ".tmp")
    when = date()
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        # RECORD comes last, as pip writes it.
        for name in sorted(files, key=lambda name: (".dist-info/" in name, name.endswith("RECORD"), name)):
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o755 if ".so" in name or name == "limber/limber" else 0o644) << 16
            wheel.writestr(entry, files[name])
    os.replace(temporary, path)


def main():
    parser = argparse.ArgumentParser(description="Makes the wheel of the Python module.")
    parser.add_argument("library", type=Path, help="the shared C library")
    parser.add_argument("-o", dest="folder", type=Path, required=True, help="folder for the wheel")
    parser.add_argument("--program", type=Path, help="the program, to be inside of the wheel (default: beside the library)")
    parser.add_argument("--no-program", action="store_true", help="a wheel without it, for more systems")
    options = parser.parse_args()
    beside = options.library.with_name("limber.exe" if sys.platform == "win32" else "limber")
    if options.no_program:
        options.program = None
    elif options.program is None and beside.is_file():
        options.program = beside
    for path in filter(None, (options.library, options.program)):
        if not path.is_file():
            fail(f"{path} is not there; build it first")
    tag = f"py3-none-{platform(options.program or options.library)}"
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / f"limber-{version()}-{tag}.whl"
    write(path, files_of(options.library, options.program, tag))
    print(path)


if __name__ == "__main__":
    main()
