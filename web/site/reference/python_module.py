"""Prints what the modules of a Python package define as JSON: python_module.py FOLDER.

The sources are parsed, not run: neither numpy nor the library is needed. Each module: its docstring, __all__, and its
functions, classes and constants with signatures, docstrings and `#:` comments.
"""

import ast
import json
import sys
from pathlib import Path


def signature(node, method):
    """The parameters and what comes back, as they are written."""
    arguments = ast.parse(ast.unparse(node)).body[0].args
    if method and not any(ast.unparse(d) == "staticmethod" for d in node.decorator_list):
        (arguments.posonlyargs or arguments.args).pop(0)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({ast.unparse(arguments)}){returns}"


def function(node, method=False):
    decorators = [ast.unparse(d) for d in node.decorator_list]
    kind = "property" if "property" in decorators or "cached_property" in decorators else "function"
    for word in ("classmethod", "staticmethod"):
        kind = word if word in decorators else kind
    if any(d.endswith(".setter") for d in decorators):
        kind = "setter"
    return {"kind": kind, "name": node.name, "signature": signature(node, method), "doc": ast.get_docstring(node) or ""}


def remark(node, lines):
    """The `#:` comment behind an attribute, and its further lines; or those right above it."""
    first = lines[node.end_lineno - 1]
    found = [first.split("#:", 1)[1].strip()] if "#:" in first else []
    for line in lines[node.end_lineno:]:
        if not found or not line.strip().startswith("#:"):
            break
        found.append(line.strip()[2:].strip())
    above = []
    for line in reversed(lines[: node.lineno - 1]):
        if not line.strip().startswith("#:"):
            break
        above.insert(0, line.strip()[2:].strip())
    return " ".join(found or above)


def attribute(node, lines):
    annotation = ast.unparse(node.annotation).strip("'\"")
    value = ast.unparse(node.value) if node.value else ""
    return {"kind": "attribute", "name": node.target.id, "signature": annotation, "value": value, "doc": remark(node, lines)}


def shown(name):
    return not name.startswith("_") or name in ("__init__", "__len__", "__iter__", "__getitem__", "__enter__", "__exit__")


def members(node, lines):
    for child in node.body:
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) and shown(child.name):
            yield function(child, True)
        elif isinstance(child, ast.AnnAssign) and shown(child.target.id):
            yield attribute(child, lines)


TYPES = {"float": "float", "int": "int", "bool": "bool", "slice": "slice", "m.text": "str", "m.strings": "List[str]"}


def type_of(value, parameters, methods):
    """The type of what an object is given, where that is plain to see."""
    if isinstance(value, ast.ListComp):
        inner = type_of(value.elt, parameters, methods)
        return f"List[{inner}]" if inner else ""
    if isinstance(value, ast.Call):
        called = ast.unparse(value.func)
        return TYPES.get(called) or methods.get(called, called if called[0].isupper() and called.isidentifier() else "")
    return parameters.get(value.id, "") if isinstance(value, ast.Name) else ""


def own_attributes(node, lines):
    """What __init__ gives an object, with `#:` comments."""
    functions = [c for c in node.body if isinstance(c, ast.FunctionDef)]
    methods = {f"self.{f.name}": ast.unparse(f.returns) for f in functions if f.returns}
    for init in [f for f in functions if f.name == "__init__"]:
        parameters = {a.arg: ast.unparse(a.annotation) for a in init.args.args + init.args.kwonlyargs if a.annotation}
        for one in ast.walk(init):
            targets = one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AnnAssign) else []
            for target in targets:
                if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self" and shown(target.attr):
                    typed = ast.unparse(one.annotation) if isinstance(one, ast.AnnAssign) else type_of(one.value, parameters, methods)
                    yield {"kind": "attribute", "name": target.attr, "signature": typed.strip("'\""), "value": "", "doc": remark(one, lines)}


def defined(node, lines):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return function(node)
    if isinstance(node, ast.ClassDef):
        found = list(members(node, lines))
        for one in own_attributes(node, lines):
            same = next((m for m in found if m["name"] == one["name"]), None)
            if same is None:
                found.append(one)
            elif not same["doc"]:
                same["doc"] = one["doc"]
        bases = [ast.unparse(b) for b in node.bases]
        return {"kind": "class", "name": node.name, "bases": bases, "doc": ast.get_docstring(node) or "", "members": found,
                "decorators": [ast.unparse(d) for d in node.decorator_list]}
    return None


def aliases(tree, lines):
    """Names that a module gives to types, with `#:` comments."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and shown(node.targets[0].id):
            yield {"name": node.targets[0].id, "value": ast.unparse(node.value), "doc": remark(node, lines)}


def module(path):
    text = path.read_text()
    tree = ast.parse(text)
    lines = text.split("\n")
    names = []
    imports = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names = ast.literal_eval(node.value)
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            imports.update({(a.asname or a.name): node.module or a.name for a in node.names})
    entries = [one for one in (defined(node, lines) for node in tree.body) if one]
    return {"name": path.stem, "doc": ast.get_docstring(tree) or "", "all": names, "imports": imports,
            "entries": entries, "aliases": list(aliases(tree, lines))}


json.dump([module(path) for path in sorted(Path(sys.argv[1]).glob("*.py"))], sys.stdout)
