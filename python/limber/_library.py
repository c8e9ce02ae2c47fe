"""Finds the C library, loads it once, and makes sure that it is the one this module was written for."""

import ctypes
import os
import sys
import threading
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from . import _structs as s
from .errors import LibraryError

#: The version of this module, and of the library that it needs.
VERSION = "0.1.0"

_HANDLE = POINTER(c_void_p)
_ERROR = POINTER(s.Error)

Signature = Tuple[Any, List[Any]]

#: name: (what it returns, what it takes)
FUNCTIONS: Dict[str, Signature] = {
    "limber_version": (c_char_p, []),
    "limber_layout_count": (c_uint32, []),
    "limber_layout_at": (c_void_p, [c_uint32]),
    # asset.h
    "limber_model_init": (None, [POINTER(s.Model), c_size_t]),
    "limber_asset_create": (c_int, [POINTER(s.Model), _HANDLE, _ERROR]),
    "limber_asset_destroy": (None, [c_void_p]),
    "limber_asset_model": (POINTER(s.Model), [c_void_p]),
    "limber_mesh_rest_positions": (None, [POINTER(s.Model), POINTER(s.Mesh), c_void_p]),
    "limber_clip_frame_count": (c_uint32, [POINTER(s.Clip), c_double]),
    "limber_clip_frame_time": (c_double, [POINTER(s.Clip), c_double, c_uint32]),
    "limber_clip_frames_between": (s.FrameRange, [POINTER(s.Clip), c_double, c_double, c_double]),
    # style.h, stages/keys.h
    "limber_style_create": (c_int, [_HANDLE, _ERROR]),
    "limber_style_destroy": (None, [c_void_p]),
    "limber_style_read_preset": (c_int, [c_void_p, c_char_p, _ERROR]),
    "limber_style_read": (c_int, [c_void_p, c_char_p, c_size_t, _ERROR]),
    "limber_style_set": (c_int, [c_void_p, c_char_p, c_char_p, _ERROR]),
    "limber_style_text": (c_char_p, [c_void_p]),
    "limber_preset_count": (c_uint32, []),
    "limber_preset_at": (POINTER(s.Preset), [c_uint32]),
    "limber_key_count": (c_uint32, []),
    "limber_key_at": (POINTER(s.Key), [c_uint32]),
    "limber_style_schema": (c_char_p, []),
    # pipeline.h
    "limber_pipeline_create": (c_int, [c_void_p, c_void_p, _HANDLE, _ERROR]),
    "limber_pipeline_destroy": (None, [c_void_p]),
    "limber_pipeline_warning_count": (c_uint32, [c_void_p]),
    "limber_pipeline_warning": (c_char_p, [c_void_p, c_uint32]),
    "limber_pipeline_set_outputs": (None, [c_void_p, c_uint32]),
    "limber_pipeline_set_parallel": (c_int, [c_void_p, POINTER(s.Parallel)]),
    "limber_pipeline_evaluate": (c_int, [c_void_p, c_int32, c_double, POINTER(s.Frame)]),
    "limber_pipeline_evaluate_vertices": (None, [c_void_p, POINTER(s.Frame)]),
    "limber_pipeline_evaluate_smeared": (c_int, [c_void_p, c_int32, c_double, c_double, POINTER(s.Smeared)]),
    "limber_pipeline_texture_shifts": (c_bool, [c_void_p, c_int32, c_double, c_void_p]),
    "limber_pipeline_edited_clip": (c_bool, [c_void_p, c_uint32, POINTER(s.EditedClip)]),
    # stages/settings.h
    "limber_pipeline_source_time": (c_double, [c_void_p, c_uint32, c_double]),
    "limber_pipeline_performance": (c_bool, [c_void_p, c_uint32, POINTER(s.Performance)]),
    # stages/retarget.h
    "limber_retarget_settings_init": (None, [POINTER(s.RetargetSettings), c_size_t]),
    "limber_retarget_create": (
        c_int, [POINTER(s.Model), POINTER(s.Model), POINTER(s.RetargetSettings), _HANDLE, _ERROR],
    ),
    "limber_retarget_destroy": (None, [c_void_p]),
    "limber_retarget_match_count": (c_uint32, [c_void_p]),
    "limber_retarget_match": (s.JointMatch, [c_void_p, c_uint32]),
    "limber_retarget_clip": (c_int, [c_void_p, POINTER(s.Clip), _HANDLE, _ERROR]),
    # live.h
    "limber_live_create": (c_int, [c_void_p, c_void_p, _HANDLE, _ERROR]),
    "limber_live_destroy": (None, [c_void_p]),
    "limber_live_push": (c_int, [c_void_p, c_void_p, c_void_p, c_double]),
    "limber_live_reset": (None, [c_void_p]),
    "limber_live_set_ground": (None, [c_void_p, c_void_p, c_void_p]),
    "limber_live_evaluate_smeared": (c_int, [c_void_p, POINTER(s.Smeared)]),
    "limber_smear_live_settings_init": (None, [POINTER(s.SmearLiveSettings), c_size_t]),
    "limber_live_set_smears": (c_int, [c_void_p, POINTER(s.SmearLiveSettings), _ERROR]),
    # crowd.h
    "limber_crowd_settings_init": (None, [POINTER(s.CrowdSettings), c_size_t]),
    "limber_crowd_create": (c_int, [POINTER(s.CrowdSettings), _HANDLE, _ERROR]),
    "limber_crowd_destroy": (None, [c_void_p]),
    "limber_crowd_evaluate": (
        c_int, [c_void_p, POINTER(s.CrowdMember), c_uint32, c_double, c_uint64, POINTER(s.CrowdMemory), _ERROR],
    ),
    "limber_crowd_prepare": (c_int, [c_void_p, c_uint32, c_uint32, _ERROR]),
    "limber_crowd_computed": (c_uint32, [c_void_p]),
    # bake.h
    "limber_bake_settings_init": (None, [POINTER(s.BakeSettings), c_size_t]),
    "limber_pipeline_bake": (c_int, [c_void_p, POINTER(s.BakeSettings), _HANDLE, _ERROR]),
    "limber_bake_destroy": (None, [c_void_p]),
    "limber_pipeline_bake_estimate": (c_int, [c_void_p, POINTER(s.BakeSettings), POINTER(s.BakeEstimate), _ERROR]),
    "limber_pipeline_subdivide": (c_int, [c_void_p, POINTER(s.BakeSettings), _HANDLE, _ERROR]),
    # gltf.h, bvh.h, cache.h, usd.h, vat.h
    "limber_gltf_load_file": (c_int, [c_char_p, c_void_p, _HANDLE, _ERROR]),
    "limber_gltf_load_memory": (c_int, [c_char_p, c_size_t, c_char_p, c_void_p, _HANDLE, _ERROR]),
    "limber_gltf_from_asset": (c_int, [c_void_p, _HANDLE, _ERROR]),
    "limber_gltf_destroy": (None, [c_void_p]),
    "limber_gltf_asset": (c_void_p, [c_void_p]),
    "limber_gltf_warning_count": (c_uint32, [c_void_p]),
    "limber_gltf_warning": (c_char_p, [c_void_p, c_uint32]),
    "limber_gltf_style": (c_char_p, [c_void_p]),
    "limber_gltf_edits_init": (None, [POINTER(s.GltfEdits), c_size_t]),
    "limber_gltf_save_file": (c_int, [c_void_p, POINTER(s.GltfEdits), c_char_p, _ERROR]),
    "limber_bvh_load_file": (c_int, [c_char_p, c_void_p, _HANDLE, _ERROR]),
    "limber_bvh_destroy": (None, [c_void_p]),
    "limber_bvh_asset": (c_void_p, [c_void_p]),
    "limber_bvh_settings_init": (None, [POINTER(s.BvhSettings), c_size_t]),
    "limber_bvh_save_file": (c_int, [POINTER(s.Model), POINTER(s.BvhSettings), c_char_p, POINTER(s.BvhReport), _ERROR]),
    "limber_cache_job_init": (None, [POINTER(s.CacheJob), c_size_t]),
    "limber_cache_save": (c_int, [POINTER(s.CacheJob), c_char_p, _ERROR]),
    "limber_cache_knows": (c_bool, [c_char_p]),
    "limber_usd_job_init": (None, [POINTER(s.UsdJob), c_size_t]),
    "limber_usd_save": (c_int, [POINTER(s.UsdJob), c_char_p, _ERROR]),
    "limber_vat_save": (c_int, [POINTER(s.CacheJob), POINTER(s.Clip), c_char_p, c_char_p, _ERROR]),
}

_loaded: Optional[ctypes.CDLL] = None
_loading = threading.Lock()


class _LayoutRow(ctypes.Structure):
    _fields_ = [("structure", c_char_p), ("field", c_char_p), ("offset", c_uint32), ("size", c_uint32)]


def library() -> ctypes.CDLL:
    """The C library, loaded and checked on first use. Calls give up the interpreter lock while they run."""
    global _loaded
    if _loaded is None:
        with _loading:
            if _loaded is None:
                _loaded = _load()
    return _loaded


def version() -> str:
    """The version of the C library, such as "0.1.0". Raises `LibraryError` where there is none that fits."""
    return str(library().limber_version().decode())


def library_path() -> str:
    """Where the C library was found."""
    return str(library()._name)


def _file_names() -> List[str]:
    if sys.platform == "win32":
        return ["limber.dll", "liblimber.dll"]
    if sys.platform == "darwin":
        return ["liblimber.0.dylib", "liblimber.dylib"]
    return ["liblimber.so.0", "liblimber.so"]


def _load() -> ctypes.CDLL:
    chosen = os.environ.get("LIMBER_LIBRARY")
    if chosen:
        return _check(_open(chosen, f"LIMBER_LIBRARY is {chosen}"), chosen)
    for folder in (Path(__file__).parent, Path(__file__).parent / "lib"):
        for name in _file_names():
            if (folder / name).exists():
                return _check(_open(str(folder / name), f"{folder / name} is there"), str(folder / name))
    for name in _file_names():
        try:
            return _check(ctypes.CDLL(name), name)
        except OSError:
            continue
    raise LibraryError(
        f"the C library of limber ({_file_names()[0]}) was not found: install it, or install the wheel, which has it "
        "inside, or set LIMBER_LIBRARY to its file"
    )


def _open(path: str, what: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(path)
    except OSError as problem:
        raise LibraryError(f"{what}, but it cannot be loaded: {problem}") from None


def _check(found: ctypes.CDLL, name: str) -> ctypes.CDLL:
    try:
        found.limber_version.restype = c_char_p
        theirs = found.limber_version().decode("utf-8", "replace")
    except AttributeError:
        raise LibraryError(f"{name} is not the C library of limber") from None
    if theirs.split(".")[:2] != VERSION.split(".")[:2]:
        raise LibraryError(
            f"{name} has version {theirs}, but this module needs {VERSION}: install both from the same release, or set "
            "LIMBER_LIBRARY to the library that belongs to this module"
        )
    for function, (result, arguments) in FUNCTIONS.items():
        try:
            entry = getattr(found, function)
        except AttributeError:
            raise LibraryError(f"{name} has no {function}: it was built from other sources than this module") from None
        entry.restype, entry.argtypes = result, arguments
    difference = _difference(found)
    if difference:
        raise LibraryError(f"{name} was built from other sources than this module: {difference}")
    return found


def layout_of_library(found: ctypes.CDLL) -> Dict[Tuple[str, str], Tuple[int, int]]:
    """(struct, field): (offset, size), as the library has it; field "" is the whole struct."""
    rows: Dict[Tuple[str, str], Tuple[int, int]] = {}
    for i in range(found.limber_layout_count()):
        row = _LayoutRow.from_address(found.limber_layout_at(i))
        rows[row.structure.decode(), row.field.decode()] = (row.offset, row.size)
    return rows


def layout_of_module() -> Dict[Tuple[str, str], Tuple[int, int]]:
    """The same, as this module has it."""
    rows: Dict[Tuple[str, str], Tuple[int, int]] = {}
    for name, struct in s.STRUCTS.items():
        rows[name, ""] = (0, ctypes.sizeof(struct))
        for field in struct._fields_:
            place = getattr(struct, field[0])
            rows[name, field[0]] = (place.offset, place.size)
    return rows


def _difference(found: ctypes.CDLL) -> str:
    ours, theirs = layout_of_module(), layout_of_library(found)
    for (struct, field), place in ours.items():
        there = theirs.get((struct, field))
        if there != place:
            what = f"{struct}.{field}" if field else struct
            return f"{what} is at {place} here and at {there} there (byte, bytes)"
    return ""
