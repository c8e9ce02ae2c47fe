"""Live poses, when no clip says what comes next."""

import ctypes
from contextlib import ExitStack
from ctypes import CFUNCTYPE, POINTER, c_bool, c_float, c_void_p
from typing import Any, Callable, Optional

import numpy as np

from . import _memory as m
from . import _structs as s
from ._library import library
from .errors import ArgumentError, fail
from .pipeline import Frame, Pipeline

__all__ = ["Live"]

_GROUND = CFUNCTYPE(c_bool, c_void_p, c_float, c_float, POINTER(c_float))


def _height(ground: Callable[[float, float], Optional[float]]) -> Any:
    def height(_user: Any, x: float, z: float, out: Any) -> bool:
        found = ground(x, z)
        if found is None:
            return False
        out[0] = found
        return True

    return height


class Live(m.NotPickled):
    """Takes one pose per frame and gives it to a pipeline. Several may share a pipeline, one per character, in one
    thread: another one that pushes gets a `BusyError`.

    >>> live = limber.Live(pipeline)
    >>> live.push(local, time=now)
    >>> frame = live.evaluate()

    `before` is a Live of another pipeline of the same character, whose motion continues here: use it to change the
    style while the character moves. `ground(x, z)` is the height of the ground at a place, or None where there is none.
    """

    _handle: m.Handle

    def __init__(
        self,
        pipeline: Pipeline,
        before: "Optional[Live]" = None,
        ground: Optional[Callable[[float, float], Optional[float]]] = None,
        fps: float = 30.0,
        history: int = 8,
    ) -> None:
        """`fps` and `history`: the frames that smears count in, and how many of them they can reach back."""
        if not isinstance(pipeline, Pipeline):
            raise ArgumentError(f"live poses need a limber.Pipeline, not {type(pipeline).__name__}")
        lib = library()
        if before is not None and not isinstance(before, Live):
            raise ArgumentError(f"before must be a limber.Live, not {type(before).__name__}")
        self.pipeline = pipeline  #: the one that it was made with
        self._token = object()  # for the pipeline to know whose pose it holds
        self._ready = False
        self._smears = m.default(lib.limber_smear_live_settings_init, s.SmearLiveSettings)
        self._smears.fps = m.seconds(fps)
        self._smears.history = int(m.integers(history, (), "history", np.uint32))
        callback = _GROUND(_height(ground)) if ground is not None else None
        old: Optional[m.Handle] = before._handle if before is not None else None
        others = [] if before is None or before.pipeline is pipeline else [before.pipeline]
        with ExitStack() as stack:
            for one in sorted([pipeline] + others, key=id):
                stack.enter_context(one._busy())
            made = m.create(lib.limber_live_create, pipeline._handle.pointer, old.pointer if old is not None else None)
            # The library forgets a Live in its pipeline: not while another thread is in there.
            self._handle = m.Handle(made, pipeline._gone.append, pipeline._handle, callback)
            lib.limber_live_set_ground(made, ctypes.cast(callback, c_void_p) if callback is not None else None, None)

    def push(self, local: Any, weights: Any = None, time: float = 0.0) -> "Live":
        """One pose: (J, 10) local transforms, (M,) morph weights (None: the defaults) and a time stamp in seconds."""
        character = self.pipeline.character
        pose = m.floats(local, (character.joint_count, 10), "local")
        morphs = None if weights is None else m.floats(weights, (character.morph_count,), "weights")
        with self.pipeline._busy():
            self.pipeline._claim()
            result = library().limber_live_push(
                self._handle.pointer, pose.ctypes.data, None if morphs is None else morphs.ctypes.data, m.seconds(time)
            )
            if result:
                fail(result, message="a pose has a number that is not finite")
            self.pipeline._posed = self._token, "pushed"
        return self

    def evaluate(self) -> Frame:
        """The last pose with the effects of the style, without smears."""
        row = s.Frame()
        with self.pipeline._busy() as pointer:
            self._holds_pose()
            library().limber_pipeline_evaluate_vertices(pointer, ctypes.byref(row))
        return Frame(row, self.pipeline.character, self._handle)

    def evaluate_smeared(self) -> Frame:
        """The same with smears, which reach into the past only. Call it once per pose."""
        row = s.Smeared()
        with self.pipeline._busy():
            self._holds_pose("smeared")
            if not self._ready:
                m.call(library().limber_live_set_smears, self._handle.pointer, ctypes.byref(self._smears))
                self._ready = True
            result = library().limber_live_evaluate_smeared(self._handle.pointer, ctypes.byref(row))
            if result:
                fail(result, message="the pose cannot be smeared")
            self.pipeline._posed = self._token, "smeared"
        return Frame(row.frame, self.pipeline.character, self._handle, row)

    def _holds_pose(self, done: str = "") -> None:
        self.pipeline._claim()
        holder, state = self.pipeline._posed
        if holder is not self._token:
            raise ArgumentError("push a pose first: the pipeline does not hold one of this Live")
        if state == done:
            raise ArgumentError("this pose was smeared already; push the next one")

    def reset(self) -> None:
        """The next pose counts as the first one, whatever its time."""
        with self.pipeline._busy():
            library().limber_live_reset(self._handle.pointer)
