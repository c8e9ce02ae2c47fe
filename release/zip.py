"""zip.py OUT.zip FOLDER: packs a folder, in order and with the date of SOURCE_DATE_EPOCH: the same files, the same bytes."""

import os
import sys
import time
import zipfile
from pathlib import Path


def main(out, folder):
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{folder.name}/{path.relative_to(folder).as_posix()}", when)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: zip.py OUT.zip FOLDER")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
