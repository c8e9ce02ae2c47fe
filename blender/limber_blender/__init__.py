"""Limber: cartoon motion for rigged characters, live in the viewport and in renders.

The rooms of the add-on: `library` finds the C library, `table`, `style` and `words` know style files, `props` keeps the settings
of a character, `operators` and `style_ui` are what a user clicks; `rig`, `rest`, `sample`, `live` and `nodes` do the work;
`attributes`, `bake`, `smear` and `exaggerate` hand it on, and `bake_ui` has their buttons; `retarget` brings motions from elsewhere.
"""
bl_info = {
    "name": "Limber",
    "author": "The limber authors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D viewport > Sidebar > Limber",
    "description": "Cartoon motion for rigged characters: drag, follow-through, squash and stretch, smears",
    "category": "Animation",
}

from . import animated, bake_ui, baked, gains, library, live, nodes, operators, props, rebuild, retarget, style_ui  # noqa: E402
from .rest import ImportedPose as glTF2ImportUserExtension  # noqa: E402, F401

ROOMS = (props, animated, baked, nodes, operators, rebuild, bake_ui, style_ui, gains, retarget, live)


def register():
    library.load()
    for room in ROOMS:
        if hasattr(room, "register"):
            room.register()


def unregister():
    for room in reversed(ROOMS):
        if hasattr(room, "unregister"):
            room.unregister()
