"""The motion of one armature on another: a new action for the active one, sampled from what the other one plays.

Neither the action before nor the other armature is changed. Bones that the motion does not have get no keys.
"""
import bpy
import numpy as np
from bpy.props import BoolProperty
from mathutils import Matrix, Quaternion

from . import exaggerate, keyed, library, maths, rig as rigs, sample, scratch


def source_of(context):
    """The other armature that is selected, with an action; None: there is none, or there are several."""
    found = [o for o in context.selected_objects if o.type == "ARMATURE" and o != context.active_object]
    data = found[0].animation_data if len(found) == 1 else None
    return found[0] if data is not None and data.action is not None else None


def make(source, target, scene, cycle=False, root_motion=False):
    """The new action, in use by `target`. Raises what limber raises: the reason, in a sentence.

    cycle: the cycle that is found in the motion, with its end closed. root_motion: the way along the ground moves to the
    topmost bone above the hips, else to the object.
    """
    limber = library.limber()
    first, last = (int(f) for f in source.animation_data.action.frame_range)
    fps = scene.render.fps / scene.render.fps_base
    rig = rigs.Rig(source)
    clip = limber.Clip.sampled("motion", np.arange(last - first + 1) / fps, _locals(source, rig, scene, first, last))
    motion = limber.Character.build(rig.joints(limber, source.matrix_world), [], [clip])
    goal = rigs.build(limber, target)
    meshes = [part.mesh for part in goal.parts]
    character = limber.Character.build(goal.joints(limber, target.matrix_world), meshes)
    found = limber.retarget(motion, character, 0, loop=cycle, root_motion=root_motion)
    data = target.animation_data or target.animation_data_create()
    data.action = bpy.data.actions.new(f"{source.animation_data.action.name} {target.name}")
    bag = keyed.bag(target)
    for channel in found.channels:
        if channel.target > 0:
            _write_channel(bag, target.pose.bones[goal.bones[channel.target - 1]], goal, channel, first, fps)
        elif root_motion and channel.path == "translation":  # of the object itself
            _write_object(bag, target, channel, first, fps)
    return data.action


def _locals(armature, rig, scene, first, last):
    """(F, J, 10) at the whole frames from first to last."""
    place = {bone.name: i for i, bone in enumerate(armature.pose.bones)}
    order = np.array([place[name] for name in rig.bones], int)
    raw = np.empty(16 * len(armature.pose.bones), np.float32)
    objects, poses = [], []
    with scratch.scene(scene, [armature]) as made:
        for frame in range(first, last + 1):
            made.frame_set(frame)
            world, pose = sample.read(armature.evaluated_get(made.view_layers[0].depsgraph), order, raw)
            objects.append(world)
            poses.append(pose.copy())
    return maths.steady(rig.locals_of(np.array(objects), np.array(poses)))


def _write_channel(bag, bone, goal, channel, first, fps):
    joint = goal.index[bone.name]
    above = goal.parents[joint]
    rest = goal.rest[joint - 1] if above <= 0 else maths.inverse(goal.rest[above - 1]) @ goal.rest[joint - 1]
    back = maths.inverse(rest)
    frames = first + np.asarray(channel.times, float) * fps
    prefix = f'pose.bones["{keyed.quoted(bone.name)}"].'
    values = np.asarray(channel.values, float)
    if channel.path == "rotation":
        turns = np.array([back[:3, :3] @ np.array(Quaternion((q[3], q[0], q[1], q[2])).to_matrix()) for q in values])
        exaggerate.write_turn(bag, prefix, bone, frames, turns, bone.name)
    elif channel.path == "translation":
        exaggerate.write(bag, prefix + "location", frames, values @ back[:3, :3].T + back[:3, 3], bone.name)


def _write_object(bag, target, channel, first, fps):
    """Where the object is, in the space of its parent."""
    back = np.array((target.matrix_parent_inverse.inverted() @ target.parent.matrix_world.inverted())
                    if target.parent else Matrix())
    places = np.asarray(channel.values, float) @ maths.inverse(maths.LIMBER_FROM_BLENDER)[:3, :3].T
    frames = first + np.asarray(channel.times, float) * fps
    exaggerate.write(bag, "location", frames, places @ back[:3, :3].T + back[:3, 3], "Object Transforms")


class LIMBER_OT_motion(bpy.types.Operator):
    """Put the motion of the other selected armature onto the active one, as a new action"""

    bl_idname = "limber.motion"
    bl_label = "Motion of Selected Armature"
    bl_options = {"REGISTER", "UNDO"}

    cycle: BoolProperty(name="Cycle", description="Find the cycle of the motion and close it")
    root_motion: BoolProperty(name="Root Motion", description="Move the travel from the hips to the root")

    @classmethod
    def poll(cls, context):
        active = context.active_object
        return active is not None and active.type == "ARMATURE" and source_of(context) is not None

    def execute(self, context):
        try:
            make(source_of(context), context.active_object, context.scene, self.cycle, self.root_motion)
        except library.limber().LimberError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


def _draw(self, context):
    self.layout.operator("limber.motion", icon="ARMATURE_DATA")


def register():
    bpy.utils.register_class(LIMBER_OT_motion)
    bpy.types.VIEW3D_MT_object_animation.append(_draw)


def unregister():
    bpy.types.VIEW3D_MT_object_animation.remove(_draw)
    bpy.utils.unregister_class(LIMBER_OT_motion)
