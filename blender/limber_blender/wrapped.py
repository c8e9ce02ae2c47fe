"""Sentences in panels."""
import textwrap


def wrapped(layout, context, text, icon="NONE", alert=False):
    """A sentence over as many lines as the panel needs."""
    width = context.region.width if context.region else 300
    letters = max(20, int(width / (6 * (context.preferences.system.ui_scale or 1))) - 6)
    letters -= 4 if icon != "NONE" else 0
    column = layout.column(align=True)
    column.scale_y = 0.8
    column.alert = alert
    for i, line in enumerate(textwrap.wrap(text, letters)):
        column.label(text=line, icon=icon if i == 0 else "BLANK1" if icon != "NONE" else "NONE")
