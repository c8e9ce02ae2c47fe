"""The structs of the public headers for other languages: io/bindings/layout.c and python/limber/_structs.py.

    python3 io/bindings/generate.py            writes both
    python3 io/bindings/generate.py --check    says whether both are what it would write

Understands the C of our headers and no more: whatever else it meets ends it with the line.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAYOUT = ROOT / "io/bindings/layout.c"
PYTHON = ROOT / "python/limber/_structs.py"

#: Of limber/stages/, which most bindings do not need, these only.
STAGES = {
    "keys.h": ["limber_key"],
    "motion.h": ["limber_kinematics"],
    "perform.h": ["limber_performance"],
    "pose.h": ["limber_pose"],
    "retarget.h": ["limber_joint_match", "limber_joint_pair", "limber_retarget_settings"],
    "smear_live.h": ["limber_smear_live_settings"],
}

NUMBERS = {
    "bool": "c_bool", "char": "c_char", "double": "c_double", "float": "c_float", "int": "c_int", "int16_t": "c_int16",
    "int32_t": "c_int32", "int8_t": "c_int8", "size_t": "c_size_t", "uint16_t": "c_uint16", "uint32_t": "c_uint32",
    "uint64_t": "c_uint64", "uint8_t": "c_uint8",
}

WIDTH = 120


class NotUnderstood(Exception):
    """A line of a header that this script does not know how to read."""


class Headers:
    def __init__(self, texts):
        """`texts`: the text of each header by its name."""
        self.sizes = {}  # of arrays, by their name in the headers
        self.words = set()  # types that are ints: enums
        self.functions = set()  # types that are pointers to functions
        self.structs = {}  # name: [(field, type, is pointer, [array sizes])]
        self.headers = {}  # name: header
        plain = {name: re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S) for name, text in texts.items()}
        for text in plain.values():
            self._read_names(text)
        for name, text in plain.items():
            self._read_structs(name, text)

    def _read_names(self, text):
        for name, size in re.findall(r"^#define (LIMBER_\w+) (\d+)u?\s*$", text, flags=re.M):
            self.sizes[name] = int(size)
        for body, name in re.findall(r"typedef enum \w+ \{(.*?)\} (\w+);", text, flags=re.S):
            self.words.add(name)
            self._count_words(body)
        for body in re.findall(r"^enum \{(.*?)\};", text, flags=re.S | re.M):
            self._count_words(body)
        self.functions.update(re.findall(r"typedef [\w ]+\*? ?\(\*(\w+)\)\(", text))

    def _count_words(self, body):
        following = 0
        for word in filter(None, (part.strip() for part in body.split(","))):
            name, _, value = (part.strip() for part in word.partition("="))
            if value and not value.isdigit():
                return  # of no array's size
            following = int(value) if value else following
            self.sizes[name] = following
            following += 1

    def _read_structs(self, header, text):
        before = len(self.structs)
        for match in re.finditer(r"typedef struct (\w+) \{(.*?)\n\} (\w+);", text, flags=re.S):
            tag, body, name = match.groups()
            if tag != name:
                raise NotUnderstood(f"{header}: struct {tag} is called {name}")
            if name in self.structs:
                raise NotUnderstood(f"{header}: {name} is there twice")
            fields = []
            for line in filter(None, (" ".join(part.split()) for part in body.split(";"))):
                fields += self._fields(f"{header}: {name}", line)
            self.structs[name] = fields
            self.headers[name] = header
        written = len(re.findall(r"\b(?:struct|union)\b[^;()*]*\{", text))
        if written != len(self.structs) - before:
            raise NotUnderstood(f"{header}: it has {written} structs, of which {len(self.structs) - before} can be read")

    def _fields(self, place, line):
        function = re.fullmatch(r"[\w ]+\*? ?\(\*(\w+)\)\([^()]*\)", line)
        if function:
            return [(function.group(1), "void", True, [])]
        match = re.fullmatch(r"((?:const |struct )*)(\w+)((?: const)?[ *].*)", line)
        if not match:
            raise NotUnderstood(f"{place}: {line}")
        fields = []
        for declared in match.group(3).split(","):
            one = re.fullmatch(r"((?: |\*|const\b)*)(\w+)((?:\[\w+\])*)", declared)
            if not one:
                raise NotUnderstood(f"{place}: {line}")
            stars = one.group(1).count("*")
            sizes = [self._size(place, size) for size in re.findall(r"\[(\w+)\]", one.group(3))]
            kind = "text" if match.group(2) == "char" and stars == 1 and "const" in match.group(1) else match.group(2)
            fields.append((one.group(2), kind, stars > 0, sizes))
        return fields

    def _size(self, place, size):
        if size.isdigit():
            return int(size)
        if size not in self.sizes:
            raise NotUnderstood(f"{place}: [{size}]")
        return self.sizes[size]

    def ordered(self, names):
        """The structs with those inside of them, which come first."""
        found = []

        def add(name):
            if name in found:
                return
            for _, kind, pointer, _ in self.structs[name]:
                if not pointer and kind in self.structs:
                    add(kind)
            found.append(name)

        for name in names:
            add(name)
        return found

    def python_type(self, struct, field):
        name, kind, pointer, sizes = field
        if kind == "text":
            made = "c_char_p"
        elif pointer or kind in self.functions:
            made = "c_void_p"
        elif kind in NUMBERS:
            made = NUMBERS[kind]
        elif kind in self.words:
            made = "c_int"
        elif kind in self.structs:
            made = class_name(kind)
        else:
            raise NotUnderstood(f"{struct}: {name} is a {kind}, which no header has")
        return " * ".join([made, *map(str, reversed(sizes))])


def class_name(struct):
    return "".join(word.capitalize() for word in struct.split("_")[1:])


def wrapped(parts, indent):
    """Lines of at most WIDTH characters."""
    lines = [indent]
    for part in parts:
        if len(lines[-1]) + len(part) > WIDTH and lines[-1] != indent:
            lines.append(indent)
        lines[-1] += part if lines[-1] == indent else " " + part
    return "\n".join(lines)


def python_text(headers, names):
    classes = [
        f"class {class_name(name)}(Structure):\n    _fields_ = [\n"
        + wrapped([f'("{f[0]}", {headers.python_type(name, f)}),' for f in headers.structs[name]], " " * 8)
        + "\n    ]\n"
        for name in names
    ]
    used = sorted(set(re.findall(r"\bc_\w+\b", "".join(classes))))
    table = wrapped([f'"{name}": {class_name(name)},' for name in names], " " * 4)
    return (
        '"""The structs of the C library, as they lie in memory. Made by io/bindings/generate.py from the headers.\n\n'
        "``_library.py`` compares them with the library's own table (limber/stages/layout.h) when it is loaded. Pointers to\n"
        'arrays are plain addresses here; ``_memory.py`` makes numpy arrays of them.\n"""\n\n'
        f"from ctypes import (\n{wrapped([word + ',' for word in ['Structure', *used]], ' ' * 4)}\n)\n"
        "from typing import Dict, Type\n\n\n" + "\n\n".join(classes) + "\n\n#: By the names that they have in C.\n"
        f"STRUCTS: Dict[str, Type[Structure]] = {{\n{table}\n}}\n"
    )


def layout_text(headers, names):
    rows = [
        wrapped([f"WHOLE({name}),", *(f"FIELD({name}, {field[0]})," for field in headers.structs[name])], " " * 4)
        for name in names
    ]
    stages = "".join(f"#include <limber/stages/{name}>\n" for name in sorted([*STAGES, "layout.h"]))
    return (
        "// Where the fields of public structs are, for bindings. Made by io/bindings/generate.py from the headers.\n"
        f"#include <limber/limber.h>\n{stages}\n"
        "// clang-format off\n"
        '#define WHOLE(type) {#type, "", 0, (uint32_t)sizeof(type)}\n'
        "#define FIELD(type, name) {#type, #name, (uint32_t)offsetof(type, name), (uint32_t)sizeof(((type*)0)->name)}\n\n"
        "static const limber_layout rows[] = {\n" + "\n".join(rows) + "\n};\n"
        "// clang-format on\n\n"
        "uint32_t limber_layout_count(void) {\n    return (uint32_t)(sizeof rows / sizeof *rows);\n}\n\n"
        "const limber_layout* limber_layout_at(uint32_t index) {\n"
        "    return index < limber_layout_count() ? &rows[index] : NULL;\n}\n"
    )


def generate(root):
    folder = root / "include/limber"
    top = {path.name: path.read_text() for path in sorted(folder.glob("*.h"))}
    stages = {name: (folder / "stages" / name).read_text() for name in STAGES}
    headers = Headers({**top, **stages})
    wanted = [name for name in headers.structs if headers.headers[name] in top]
    wanted += [name for names in STAGES.values() for name in names]
    names = headers.ordered(wanted)
    return {LAYOUT: layout_text(headers, names), PYTHON: python_text(headers, names)}


def main(words):
    try:
        made = generate(ROOT)
    except NotUnderstood as problem:
        print(f"generate.py does not understand {problem}", file=sys.stderr)
        return 1
    stale = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    if words == ["--check"]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what the headers say: run python3 io/bindings/generate.py")
        return 1 if stale else 0
    for path in stale:
        path.write_text(made[path])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
