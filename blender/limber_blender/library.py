"""Finds the Python module `limber` and, through it, the C library.

The zip of the add-on contains both. Without them, an installed module is used. Nothing else in the add-on imports
`limber` directly: a missing library must leave Blender, and the rest of the add-on, working.
"""
import importlib
import sys

NOTHING = "no_library"
_state = {"module": None, "problem": None}

WHAT_TO_DO = "Install the add-on from a zip made for this system, then restart Blender"


def load():
    """Imports the module. Returns it, or None; then `problem()` says why."""
    _state["module"], _state["problem"] = None, None
    module, reason = _import()
    if module is None:
        _state["problem"] = reason
        return None
    try:
        module.version()
        module.keys()
    except Exception as error:  # a library of another version, or none
        _state["problem"] = _sentence(f"The limber library does not work: {error}")
        return None
    _state["module"] = module
    return module


def limber():
    """The module, or None when it cannot be used."""
    return _state["module"]


def problem():
    """None, or a sentence that says what is missing and what to do."""
    if _state["module"] is not None:
        return None
    return _state["problem"] or _sentence("The limber library is not loaded")


def _import():
    reasons = []
    for name, package in ((".limber", __package__), ("limber", None)):
        try:
            return importlib.import_module(name, package), None
        except ModuleNotFoundError as error:
            if error.name and error.name.split(".")[-1] == "numpy":
                return None, "Python's numpy is missing. Use the Blender from blender.org, or install python3-numpy"
        except Exception as error:
            reasons.append(str(error))
    if reasons:
        return None, _sentence(f"The limber library does not work: {reasons[0]}")
    return None, _sentence("The limber library is missing")


def _sentence(text):
    text = text.strip().rstrip(".")
    return text if ": " in text and "install" in text.lower() else f"{text}. {WHAT_TO_DO}"


def forget():
    """Drops the module, so that `load` starts over (after the library was installed)."""
    _state["module"] = None
    for name in [n for n in sys.modules if n == "limber" or n.startswith(("limber.", f"{__package__}.limber"))]:
        if name != __package__:
            del sys.modules[name]
