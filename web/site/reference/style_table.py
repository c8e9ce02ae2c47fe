"""Prints what the library says of its style files as JSON: style_table.py LIBLIMBER_SO."""

import ctypes
import json
import sys

library = ctypes.CDLL(sys.argv[1])
library.limber_style_markdown.restype = ctypes.c_char_p
library.limber_key_at.restype = ctypes.POINTER(ctypes.c_char_p)  # a key begins with its path
paths = [library.limber_key_at(i)[0].decode() for i in range(library.limber_key_count())]
json.dump({"markdown": library.limber_style_markdown().decode(), "paths": paths}, sys.stdout)
