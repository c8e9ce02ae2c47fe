"""The structs for other languages come from the headers."""

import sys
import unittest

import kit

sys.path.insert(0, str(kit.SOURCE / "io/bindings"))
import generate  # noqa: E402


def fields(body, before=""):
    headers = generate.Headers({"x.h": f"{before}\ntypedef struct limber_x {{\n{body}\n}} limber_x;\n"})
    return [(f[0], headers.python_type("limber_x", f)) for f in headers.structs["limber_x"]]


class Bindings(kit.Case):
    def test_the_committed_files_are_what_the_headers_say(self):
        for path, text in generate.generate(kit.SOURCE).items():
            self.assertEqual(path.read_text(), text, f"{path.name}: run python3 io/bindings/generate.py")

    def test_declarations_are_read(self):
        self.assertEqual(
            fields("    float a, b[3]; // a comment; with a semicolon\n    const char *c, *d;\n    const char* const* e;"),
            [("a", "c_float"), ("b", "c_float * 3"), ("c", "c_char_p"), ("d", "c_char_p"), ("e", "c_void_p")],
        )
        self.assertEqual(fields("    bool (*f)(void* user, size_t n);\n    void* user;"), [("f", "c_void_p"), ("user", "c_void_p")])
        before = "#define LIMBER_N 4u\ntypedef enum limber_e { LIMBER_A, LIMBER_B = 7, LIMBER_C } limber_e;"
        self.assertEqual(
            fields("    limber_e e;\n    uint8_t n[LIMBER_N][2], c[LIMBER_C];", before),
            [("e", "c_int"), ("n", "c_uint8 * 2 * 4"), ("c", "c_uint8 * 8")],
        )

    def test_what_is_not_understood_is_said(self):
        for body in ("    uint32_t flags : 3;", "    union { int a; float b; } u;", "    unsigned a;", "    float a[LIMBER_M];",
                     "    limber_y y;", "    struct { int a; } s;"):
            with self.assertRaises(generate.NotUnderstood, msg=body):
                fields(body)
        with self.assertRaises(generate.NotUnderstood):
            generate.Headers({"x.h": "typedef struct { int a; } limber_x;"})
        with self.assertRaises(generate.NotUnderstood):
            generate.Headers({"x.h": "typedef struct limber_x { int a; } limber_x;"})


if __name__ == "__main__":
    unittest.main()
