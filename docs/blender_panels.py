"""The panels of docs/blender.md, in a window of Blender without a screen or graphics card:

    xvfb-run -s "-screen 0 1280x1400x24" blender --factory-startup --window-geometry 0 0 900 1300 --no-window-focus \
        --enable-event-simulate --python docs/blender_panels.py -- OUT.png COLUMN

COLUMN is overlap, bone or ground: the panels that are open. OUT.png gets the sidebar. LIMBER_LIBRARY is the library and
LIMBER the program (default: those of build/).
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

import bpy
import numpy as np

np.bool = bool  # the glTF importer of Blender 3.4 wants it
ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT, COLUMN = sys.argv[sys.argv.index("--") + 1:]
PROGRAM = os.environ.get("LIMBER", str(ROOT / "build" / "limber"))
os.environ.setdefault("LIMBER_LIBRARY", str(ROOT / "build" / "liblimber.so"))
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "blender")]
import limber_blender  # noqa: E402
from limber_blender import style_ui  # noqa: E402

OPEN = {"overlap": ("effects", "effects_overlap"), "bone": ("bone",), "ground": ("ground", "air", "layers", "files")}
TAB = {"bone": 235}.get(COLUMN, 165)  # pixels from the top; pose mode has a tab more
HEIGHT = 1126
make_panel = style_ui._panel


def opened(place, name, *rest, **extra):
    made = make_panel(place, name, *rest, **extra)
    if name != "main":
        made.bl_options = set() if made.bl_idname.split("_", 3)[3] in OPEN[COLUMN] else {"DEFAULT_CLOSED"}
    return made


def window():
    return bpy.context.window_manager.windows[0]


def view():
    return max((a for a in window().screen.areas if a.type == "VIEW_3D"), key=lambda a: a.width)


def region(kind):
    return next(r for r in view().regions if r.type == kind)


def load():
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    path = os.path.join(tempfile.mkdtemp(), "dog.glb")
    subprocess.run([PROGRAM, "sample", "dog", "-o", path], check=True)
    bpy.ops.import_scene.gltf(filepath=path)
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    bpy.context.view_layer.objects.active = armature
    bpy.ops.limber.add()
    armature.limber.preset = "cartoon"
    return armature


def change(armature):
    if COLUMN == "overlap":
        keys = armature.limber.controls
        keys.effects_overlap_gain = 5
        keys.effects_overlap_max_t = "8 * smoothstep(0, 0.5, t)"
        keys.effects_overlap_layer = "ears"
        keys.effects_overlap_twist_t = "2 * tt"
    if COLUMN == "bone":
        bpy.ops.object.mode_set(mode="POSE")
        bone = armature.pose.bones["Ear1Left"]
        for other in armature.data.bones:
            other.select = other == bone.bone
        armature.data.bones.active = bone.bone
        bone["limber_squash"], bone["limber_overlap"] = 0.0, 1.8


def fill_window():
    change(load())
    with bpy.context.temp_override(window=window(), area=view(), region=region("WINDOW")):
        bpy.ops.screen.screen_full_area()


def show_sidebar():
    view().spaces.active.show_region_ui = True
    view().spaces.active.show_gizmo = False


def click_tab():
    bar = region("UI")
    for kind, value in (("MOUSEMOVE", "NOTHING"), ("LEFTMOUSE", "PRESS"), ("LEFTMOUSE", "RELEASE")):
        window().event_simulate(type=kind, value=value, x=bar.x + bar.width - 12, y=bar.y + bar.height - TAB)


def leave_tab():
    window().event_simulate(type="MOUSEMOVE", value="NOTHING", x=60, y=60)


def save():
    bar = region("UI")
    left, top = bar.x + 8, bar.y + bar.height - 2
    with bpy.context.temp_override(window=window()):
        bpy.ops.screen.screenshot(filepath=OUT)
    whole = bpy.data.images.load(OUT)
    pixels = np.array(whole.pixels[:], np.float32).reshape(whole.size[1], whole.size[0], 4)
    part = pixels[max(top - HEIGHT, 0):top, left:]
    made = bpy.data.images.new("part", part.shape[1], part.shape[0])
    made.pixels = part.ravel()
    made.filepath_raw, made.file_format = OUT, "PNG"
    made.save()
    os._exit(0)  # Blender would ask whether to save


STEPS = [fill_window, show_sidebar, click_tab, leave_tab, save]


def step():
    try:
        STEPS.pop(0)()
    except Exception:
        traceback.print_exc()
        os._exit(1)
    return 1.5  # seconds; the window is drawn in between


bpy.context.preferences.view.show_splash = False
style_ui._panel = opened
limber_blender.register()
bpy.app.timers.register(step, first_interval=1.5)
