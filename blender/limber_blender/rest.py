"""The pose that sizes, body parts and layers are measured in, where that is not the armature's rest pose.

glTF files have a default pose beside the bind pose that Blender makes the rest pose of. The importer shows it until the
first action plays, so it is kept when a file comes in: a custom property of the armature object, of the bones that
differ from their rest pose. Without it the armature's rest pose counts.
"""
import numpy as np
from mathutils import Matrix

from . import maths

KEY = "limber_rest"
SAME = 1e-5


def keep(armature):
    """Remembers the pose as it is now."""
    found = {}
    for bone in armature.pose.bones:
        basis = np.array(bone.matrix_basis, float)
        if np.abs(basis - np.eye(4)).max() > SAME:
            found[bone.name] = basis.ravel().tolist()
    forget(armature)
    if found:
        armature[KEY] = found


def forget(armature):
    if KEY in armature:
        del armature[KEY]


def take(armature, kept=None):
    """Poses the armature so, for actions without keys for some bones: those hold what the last action left."""
    kept = armature.get(KEY) or {} if kept is None else kept
    for bone in armature.pose.bones:
        basis = np.array(kept[bone.name]).reshape(4, 4).tolist() if bone.name in kept else np.eye(4).tolist()
        bone.matrix_basis = Matrix(basis)


def pose_of(armature, rig):
    """(B, 4, 4) of the bones in the armature."""
    kept = armature.get(KEY)
    if not kept:
        return rig.rest
    found = np.empty_like(rig.rest)
    for i, name in enumerate(rig.bones):
        basis = np.array(kept[name], float).reshape(4, 4) if name in kept else np.eye(4)
        above = rig.parents[i + 1] - 1
        moved = found[above] @ maths.inverse(rig.rest[above]) if above >= 0 else np.eye(4)
        found[i] = moved @ rig.rest[i] @ basis
    return found


class ImportedPose:
    """What Blender's glTF importer calls, by the name `glTF2ImportUserExtension` of an add-on."""

    def gather_import_scene_after_nodes_hook(self, _gltf_scene, _blender_scene, gltf):
        for node in gltf.vnodes.values():
            obj = getattr(node, "blender_object", None)
            if obj is not None and obj.type == "ARMATURE":
                keep(obj)
