"""The program `limber`, which reads what the library does not: FBX, Collada and compressed glTF."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, List, Optional, Tuple

from .errors import DataError

NEEDED = (".fbx", ".dae")  #: endings of files that the program alone reads


def find() -> Optional[str]:
    """That of LIMBER_PROGRAM, the one inside of the wheel, or the one on the path."""
    given = os.environ.get("LIMBER_PROGRAM")
    inside = Path(__file__).with_name("limber.exe" if os.name == "nt" else "limber")
    return given or (str(inside) if inside.is_file() else shutil.which("limber"))


def convert(path: Any, program: str) -> Tuple[bytes, List[str]]:
    """The file as a .glb, and what the program warned of."""
    with tempfile.TemporaryDirectory(prefix="limber") as folder:
        out = os.path.join(folder, "file.glb")
        done = subprocess.run([program, "convert", os.fspath(path), "-o", out], capture_output=True, text=True)
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        if done.returncode != 0:
            raise DataError(lines[0] if lines else f"the program {program} cannot read it")
        return Path(out).read_bytes(), lines
