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
LIBRARY_NAMES = {"windows": "limber.dll", "macos": "liblimber.0.dylib", "linux": "liblimber.so.0"}  # as _library.py has them


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


def target(binary):
    """The system and the processor that a library or a program is for: ("linux", "x86_64"), from its first bytes."""
    head = binary.read_bytes()[:4096]
    number = lambda at, size: int.from_bytes(head[at : at + size], "little")
    if head[:4] == b"\x7fELF":
        return "linux", {62: "x86_64", 183: "aarch64"}.get(number(18, 2), "unknown")
    if head[:2] == b"MZ":
        return "windows", {0x8664: "x86_64", 0xAA64: "aarch64"}.get(number(number(60, 4) + 4, 2), "unknown")
    if head[:4] == b"\xcf\xfa\xed\xfe":
        return "macos", {0x01000007: "x86_64", 0x0100000C: "aarch64"}.get(number(4, 4), "unknown")
    return fail(f"{binary} is no library for Linux, Windows or macOS")


def platform(library):
    """linux_aarch64; manylinux_2_17_aarch64 where the library needs nothing but the C library of that version."""
    system, machine = target(library)
    if system == "windows":
        return {"x86_64": "win_amd64", "aarch64": "win_arm64"}.get(machine, machine)
    if system == "macos":
        return re.sub(r"[-.]", "_", sysconfig.get_platform())
    tag = f"linux_{machine}"
    try:
        dump = subprocess.run(["readelf", "-d", "-V", str(library)], capture_output=True, text=True).stdout
    except OSError:
        return tag
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dump)
    versions = [(int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", dump)]
    if not versions or not all(re.match(r"(libc|libm|ld-linux.*)\.so\.\d+$", name) for name in needed):
        return tag
    return "manylinux_{}_{}_".format(*max(versions)) + machine


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
    system = target(library)[0]
    files["limber/" + LIBRARY_NAMES[system]] = library.read_bytes()
    if program:
        files["limber/limber.exe" if system == "windows" else "limber/limber"] = program.read_bytes()
    files[f"{info}/METADATA"] = metadata("limber")
    files[f"{info}/LICENSE"] = (HERE.parent / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: limber {version()}\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    )
    record = f"{info}/RECORD"
    files[record] = record_of(files, record)
    return files


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
    beside = options.library.with_name("limber.exe" if options.library.suffix == ".dll" else "limber")
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
