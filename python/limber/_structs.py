"""The structs of the C library, as they lie in memory. Made by io/bindings/generate.py from the headers.

``_library.py`` compares them with the library's own table (limber/stages/layout.h) when it is loaded. Pointers to
arrays are plain addresses here; ``_memory.py`` makes numpy arrays of them.
"""

from ctypes import (
    Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int32, c_size_t, c_uint32, c_uint64, c_void_p,
)
from typing import Dict, Type


class Rig(Structure):
    _fields_ = [
        ("joint_count", c_uint32), ("names", c_void_p), ("parents", c_void_p), ("rest_local", c_void_p),
        ("bones", c_void_p), ("world_from_joint_rest", c_void_p), ("centroid", c_void_p), ("medial_axis", c_void_p),
        ("bone_direction", c_void_p), ("hangs_on", c_void_p), ("reserved", c_void_p * 3),
    ]


class Mat4(Structure):
    _fields_ = [
        ("m", c_float * 16),
    ]


class Skin(Structure):
    _fields_ = [
        ("name", c_char_p), ("joint_count", c_uint32), ("joints", c_void_p), ("joint_from_mesh", c_void_p),
        ("world_from_mesh", Mat4),
    ]


class Part(Structure):
    _fields_ = [
        ("first_vertex", c_uint32), ("vertex_count", c_uint32), ("first_triangle", c_uint32),
        ("triangle_count", c_uint32), ("material", c_int32),
    ]


class Morph(Structure):
    _fields_ = [
        ("name", c_char_p), ("positions", c_void_p), ("normals", c_void_p),
    ]


class Layer(Structure):
    _fields_ = [
        ("name", c_char_p), ("values", c_void_p),
    ]


class Mesh(Structure):
    _fields_ = [
        ("name", c_char_p), ("node_name", c_char_p), ("skin", c_uint32), ("vertex_count", c_uint32),
        ("triangle_count", c_uint32), ("positions", c_void_p), ("normals", c_void_p), ("uvs", c_void_p),
        ("colors", c_void_p), ("triangles", c_void_p), ("influence_first", c_void_p), ("influence_joint", c_void_p),
        ("influence_weight", c_void_p), ("part_count", c_uint32), ("parts", c_void_p), ("morph_count", c_uint32),
        ("morphs", c_void_p), ("morph_defaults", c_void_p), ("layer_count", c_uint32), ("layers", c_void_p),
        ("first_vertex", c_uint32), ("first_morph", c_uint32), ("areas", c_void_p), ("scenery", c_bool),
        ("reserved", c_void_p * 6),
    ]


class Channel(Structure):
    _fields_ = [
        ("path", c_int), ("interpolation", c_int), ("target", c_uint32), ("key_count", c_uint32), ("times", c_void_p),
        ("values", c_void_p),
    ]


class Cut(Structure):
    _fields_ = [
        ("before_s", c_double), ("after_s", c_double),
    ]


class JointCut(Structure):
    _fields_ = [
        ("joint", c_uint32), ("cut", Cut),
    ]


class Seam(Structure):
    _fields_ = [
        ("joint", c_uint32), ("move", c_float * 3), ("turn", c_float * 3),
    ]


class Vec3(Structure):
    _fields_ = [
        ("x", c_float), ("y", c_float), ("z", c_float),
    ]


class Loop(Structure):
    _fields_ = [
        ("ends", c_int), ("joint", c_uint32), ("gap_rad", c_double), ("gap", c_double), ("off", c_double),
        ("root", c_int32), ("travel", Vec3), ("yaw_rad", c_double), ("root_turn", c_double * 4),
        ("root_step", c_double * 3), ("seam_count", c_uint32), ("seams", c_void_p),
    ]


class Clip(Structure):
    _fields_ = [
        ("name", c_char_p), ("channel_count", c_uint32), ("channels", c_void_p), ("camera_channel_count", c_uint32),
        ("camera_channels", c_void_p), ("start_s", c_double), ("end_s", c_double), ("key_step_s", c_double),
        ("fps", c_double), ("loops", c_bool), ("travels", c_bool), ("loop", Loop), ("cut_count", c_uint32),
        ("cuts", c_void_p), ("joint_cut_count", c_uint32), ("joint_cuts", c_void_p), ("channel_of_joint", c_void_p),
        ("weights_of_mesh", c_void_p), ("reserved", c_void_p * 6),
    ]


class Stretch(Structure):
    _fields_ = [
        ("joint", c_uint32), ("axis", Vec3), ("key_count", c_uint32), ("times", c_void_p), ("factors", c_void_p),
    ]


class EditedClip(Structure):
    _fields_ = [
        ("index", c_uint32), ("clip", c_void_p), ("stretch_count", c_uint32), ("stretches", c_void_p),
    ]


class Material(Structure):
    _fields_ = [
        ("name", c_char_p), ("base_color", c_float * 4), ("metallic", c_float), ("roughness", c_float),
        ("double_sided", c_bool), ("blend", c_bool), ("image", c_int32), ("ends", c_bool),
    ]


class Image(Structure):
    _fields_ = [
        ("name", c_char_p), ("bytes", c_void_p), ("byte_count", c_size_t), ("file", c_char_p),
    ]


class Quat(Structure):
    _fields_ = [
        ("x", c_float), ("y", c_float), ("z", c_float), ("w", c_float),
    ]


class Transform(Structure):
    _fields_ = [
        ("translation", Vec3), ("rotation", Quat), ("scale", Vec3),
    ]


class CameraNode(Structure):
    _fields_ = [
        ("parent", c_int32), ("joint", c_int32), ("rest_local", Transform),
    ]


class Camera(Structure):
    _fields_ = [
        ("name", c_char_p), ("node", c_uint32), ("orthographic", c_bool), ("field_of_view_rad", c_float),
        ("aspect", c_float), ("half_width", c_float), ("half_height", c_float), ("nearest", c_float),
        ("farthest", c_float),
    ]


class Collider(Structure):
    _fields_ = [
        ("shape", c_int), ("joint", c_int32), ("from", Vec3), ("to", Vec3), ("radius", c_float), ("layer", c_char_p),
        ("obey", c_void_p),
    ]


class Model(Structure):
    _fields_ = [
        ("struct_size", c_uint32), ("rig", Rig), ("skin_count", c_uint32), ("skins", c_void_p), ("mesh_count", c_uint32),
        ("meshes", c_void_p), ("clip_count", c_uint32), ("clips", c_void_p), ("material_count", c_uint32),
        ("materials", c_void_p), ("image_count", c_uint32), ("images", c_void_p), ("camera_node_count", c_uint32),
        ("camera_nodes", c_void_p), ("camera_count", c_uint32), ("cameras", c_void_p), ("vertex_count", c_uint32),
        ("triangle_count", c_uint32), ("morph_count", c_uint32), ("size", c_float), ("rest_min", Vec3),
        ("rest_max", Vec3), ("collider_count", c_uint32), ("colliders", c_void_p),
    ]


class FrameRange(Structure):
    _fields_ = [
        ("first", c_uint32), ("count", c_uint32),
    ]


class SmearMesh(Structure):
    _fields_ = [
        ("kind", c_int), ("name", c_char * 32), ("number", c_int32), ("source", c_uint32), ("vertex_count", c_uint32),
        ("triangle_count", c_uint32), ("triangles", c_void_p), ("positions", c_void_p), ("normals", c_void_p),
        ("colors", c_void_p), ("visible", c_bool),
    ]


class BakeStore(Structure):
    _fields_ = [
        ("put", c_void_p), ("get", c_void_p), ("user", c_void_p),
    ]


class BakeEstimate(Structure):
    _fields_ = [
        ("frame_count", c_uint32), ("target_count", c_uint32), ("byte_count", c_uint64), ("tolerance", c_double),
    ]


class BakeSettings(Structure):
    _fields_ = [
        ("struct_size", c_uint32), ("kind", c_int), ("clip_count", c_uint32), ("clips", c_void_p), ("fps", c_double),
        ("range_start_s", c_double), ("range_end_s", c_double), ("tolerance", c_double), ("normals", c_bool),
        ("smear_meshes", c_int), ("progress", c_void_p), ("user", c_void_p), ("store", c_void_p),
        ("max_bytes", c_uint64), ("target_limit", c_uint32), ("packs_clips", c_uint32), ("shares", c_bool),
        ("estimate", c_void_p),
    ]


class BakeMesh(Structure):
    _fields_ = [
        ("target_count", c_uint32), ("base_positions", c_void_p), ("base_normals", c_void_p), ("positions", c_void_p),
        ("normals", c_void_p), ("weights", c_void_p), ("rows", c_void_p), ("shown", c_void_p), ("shifts", c_void_p),
        ("helper", c_void_p),
    ]


class BakeCurve(Structure):
    _fields_ = [
        ("key_count", c_uint32), ("frames", c_void_p), ("values", c_void_p),
    ]


class BakeBone(Structure):
    _fields_ = [
        ("joint", c_uint32), ("helper_mesh", c_int32), ("helper_bind", c_uint32), ("axes", Quat), ("shears", c_bool),
        ("packed", c_bool), ("curves", c_void_p),
    ]


class BakeShare(Structure):
    _fields_ = [
        ("vertex", c_uint32), ("bone", c_uint32), ("weight", c_float),
    ]


class BakePiece(Structure):
    _fields_ = [
        ("source", c_int32), ("first_vertex", c_uint32), ("vertex_count", c_uint32), ("triangle_count", c_uint32),
        ("triangles", c_void_p),
    ]


class BakeSmearMesh(Structure):
    _fields_ = [
        ("name", c_char * 32), ("source", c_int32), ("piece_count", c_uint32), ("pieces", c_void_p),
        ("vertex_count", c_uint32), ("center", Vec3), ("base_positions", c_void_p), ("base_normals", c_void_p),
        ("base_colors", c_void_p), ("target_count", c_uint32), ("shape_count", c_uint32), ("opacity_count", c_uint32),
        ("positions", c_void_p), ("normals", c_void_p), ("opacities", c_void_p), ("weights", c_void_p),
        ("visible", c_void_p),
    ]


class BakeTrack(Structure):
    _fields_ = [
        ("clip", c_uint32), ("frame_count", c_uint32), ("times", c_void_p), ("shift_count", c_uint32),
        ("shift_times", c_void_p),
    ]


class Bake(Structure):
    _fields_ = [
        ("kind", c_int), ("mesh_count", c_uint32), ("meshes", c_void_p), ("track_count", c_uint32), ("tracks", c_void_p),
        ("smear_mesh_count", c_uint32), ("smear_meshes", c_void_p), ("error", c_double), ("store", BakeStore),
        ("stored_normals", c_bool), ("bone_count", c_uint32), ("bones", c_void_p), ("clip_count", c_uint32),
        ("clips", c_void_p), ("clip_memory", c_void_p), ("share_count", c_uint32), ("shares", c_void_p),
    ]


class Error(Structure):
    _fields_ = [
        ("result", c_int), ("place", c_char * 256), ("message", c_char * 384), ("detail", c_char * 512),
    ]


class Allocator(Structure):
    _fields_ = [
        ("allocate", c_void_p), ("release", c_void_p), ("user", c_void_p),
    ]


class Parallel(Structure):
    _fields_ = [
        ("worker_count", c_uint32), ("run", c_void_p), ("pool", c_void_p),
    ]


class BvhLimits(Structure):
    _fields_ = [
        ("struct_size", c_uint32), ("file_bytes", c_uint64), ("joints", c_uint32), ("key_values", c_uint64),
    ]


class BvhSettings(Structure):
    _fields_ = [
        ("struct_size", c_uint32), ("layout", c_void_p), ("clip", c_uint32), ("fps", c_double),
    ]


class BvhReport(Structure):
    _fields_ = [
        ("frame_count", c_uint32), ("stretched_joint_count", c_uint32), ("dropped_mesh_count", c_uint32),
        ("dropped_scale", c_bool),
    ]


class CacheJob(Structure):
    _fields_ = [
        ("struct_size", c_uint32), ("model", c_void_p), ("fps", c_double), ("start_s", c_double),
        ("frame_count", c_uint32), ("frame", c_void_p), ("user", c_void_p),
    ]


class CrowdKind(Structure):
    _fields_ = [
        ("asset", c_void_p), ("style", c_void_p),
    ]


class CrowdSettings(Structure):
    _fields_ = [
        ("struct_size", c_uint32), ("kind_count", c_uint32), ("kinds", c_void_p), ("member_limit", c_uint32),
        ("outputs", c_uint32), ("step_s", c_double), ("parallel", c_void_p),
    ]


class CrowdMember(Structure):
    _fields_ = [
        ("kind", c_uint32), ("clip", c_int32), ("start_s", c_double), ("speed", c_double), ("every", c_uint32),
    ]


class CrowdMemory(Structure):
    _fields_ = [
        ("palettes", c_void_p), ("palette_stride", c_size_t), ("texels", c_void_p), ("texel_stride", c_size_t),
        ("texel_counts", c_void_p), ("columns", c_void_p), ("column_stride", c_size_t), ("positions", c_void_p),
        ("normals", c_void_p), ("vertex_stride", c_size_t), ("same_as", c_void_p), ("changed", c_void_p),
    ]


class GltfPacked(Structure):
    _fields_ = [
        ("mode", c_int), ("filter", c_int), ("bytes", c_void_p), ("byte_count", c_size_t), ("count", c_size_t),
        ("stride", c_size_t), ("out", c_void_p),
    ]


class GltfPackedAttribute(Structure):
    _fields_ = [
        ("id", c_uint32), ("component", c_uint32), ("width", c_uint32), ("stride", c_uint32), ("out", c_void_p),
    ]


class GltfPackedMesh(Structure):
    _fields_ = [
        ("bytes", c_void_p), ("byte_count", c_size_t), ("vertex_count", c_uint32), ("index_count", c_uint32),
        ("attribute_count", c_uint32), ("attributes", c_void_p), ("indices", c_void_p), ("counts", c_void_p),
    ]


class GltfUnpacked(Structure):
    _fields_ = [
        ("mode", c_int), ("filter", c_int), ("bits", c_uint32), ("group", c_size_t), ("bytes", c_void_p),
        ("count", c_size_t), ("stride", c_size_t), ("out", c_void_p), ("room", c_size_t),
    ]


class GltfLimits(Structure):
    _fields_ = [
        ("struct_size", c_uint32), ("file_bytes", c_uint64), ("nodes", c_uint32), ("vertices", c_uint64),
        ("key_values", c_uint64), ("unpack", c_void_p), ("unpack_mesh", c_void_p),
    ]


class GltfLayer(Structure):
    _fields_ = [
        ("mesh", c_uint32), ("layer", Layer),
    ]


class GltfEdits(Structure):
    _fields_ = [
        ("struct_size", c_uint32), ("bake", c_void_p), ("style", c_char_p), ("layer_count", c_uint32),
        ("layers", c_void_p), ("clip_count", c_uint32), ("clips", c_void_p), ("repairs", c_uint32),
        ("repaired", c_void_p), ("pack", c_void_p), ("unpack", c_void_p), ("parallel", c_void_p),
        ("bone_count", c_void_p), ("dense", c_bool),
    ]


class PackLayout(Structure):
    _fields_ = [
        ("influences", c_uint32), ("joint_bytes", c_uint32), ("column_count", c_uint32), ("column_bytes", c_uint32),
        ("columns_change", c_bool), ("max_texels", c_uint32), ("obeyed_texels", c_uint32),
    ]


class Frame(Structure):
    _fields_ = [
        ("time_s", c_double), ("pose", c_void_p), ("motion", c_void_p), ("skinned", c_void_p), ("positions", c_void_p),
        ("normals", c_void_p), ("reserved", c_void_p * 6),
    ]


class Smeared(Structure):
    _fields_ = [
        ("frame", Frame), ("deformed", c_void_p), ("offsets", c_void_p), ("mesh_count", c_uint32), ("meshes", c_void_p),
        ("reserved", c_void_p * 6),
    ]


class Preset(Structure):
    _fields_ = [
        ("name", c_char_p), ("summary", c_char_p), ("text", c_char_p),
    ]


class UsdJob(Structure):
    _fields_ = [
        ("struct_size", c_uint32), ("model", c_void_p), ("bake", c_void_p), ("track", c_uint32), ("edited", c_void_p),
        ("fps", c_double), ("range_start_s", c_double), ("range_end_s", c_double), ("textures", c_void_p),
    ]


class Key(Structure):
    _fields_ = [
        ("path", c_char_p), ("type", c_int), ("unit", c_char_p), ("min", c_double), ("max", c_double),
        ("min_is_excluded", c_bool), ("default_text", c_char_p), ("choices", c_char_p), ("help", c_char_p),
    ]


class Kinematics(Structure):
    _fields_ = [
        ("velocity", c_void_p), ("acceleration", c_void_p), ("angular_velocity", c_void_p),
        ("angular_acceleration", c_void_p),
    ]


class Performance(Structure):
    _fields_ = [
        ("hips", c_int32), ("head", c_int32), ("trunk_count", c_uint32), ("limb_count", c_uint32),
        ("leg_count", c_uint32), ("trunk", c_void_p), ("limbs", c_void_p), ("posed", c_bool), ("retimed", c_bool),
        ("gait", c_bool), ("shaped", c_bool), ("key_count", c_uint32), ("key_times", c_void_p),
        ("flight_count", c_uint32), ("max_shift_s", c_double), ("slowest", c_double), ("fastest", c_double),
        ("lingers", c_double), ("pose_gain", c_double), ("amplitude", c_double), ("new_amplitude", c_double),
        ("shortest", c_double), ("tallest", c_double), ("held_frames", c_uint32 * 3), ("hold_count", c_uint32),
        ("reserved", c_void_p * 6),
    ]


class Pose(Structure):
    _fields_ = [
        ("local", c_void_p), ("world_from_joint", c_void_p), ("morph_weights", c_void_p),
    ]


class JointMatch(Structure):
    _fields_ = [
        ("joint", c_uint32), ("source", c_uint32), ("part", c_char_p), ("sure", c_float),
    ]


class JointPair(Structure):
    _fields_ = [
        ("joint", c_uint32), ("source", c_uint32),
    ]


class RetargetSettings(Structure):
    _fields_ = [
        ("struct_size", c_uint32), ("fps", c_double), ("start_s", c_double), ("end_s", c_double), ("in_place", c_bool),
        ("mirror", c_bool), ("name", c_char_p), ("pair_count", c_uint32), ("pairs", c_void_p),
        ("motion_bones", c_void_p), ("character_bones", c_void_p), ("touch", c_bool), ("root_motion", c_bool),
        ("loop", c_bool),
    ]


class SmearLiveSettings(Structure):
    _fields_ = [
        ("struct_size", c_uint32), ("fps", c_double), ("history", c_uint32), ("teleport", c_float),
    ]


#: By the names that they have in C.
STRUCTS: Dict[str, Type[Structure]] = {
    "limber_rig": Rig, "limber_mat4": Mat4, "limber_skin": Skin, "limber_part": Part, "limber_morph": Morph,
    "limber_layer": Layer, "limber_mesh": Mesh, "limber_channel": Channel, "limber_cut": Cut,
    "limber_joint_cut": JointCut, "limber_seam": Seam, "limber_vec3": Vec3, "limber_loop": Loop, "limber_clip": Clip,
    "limber_stretch": Stretch, "limber_edited_clip": EditedClip, "limber_material": Material, "limber_image": Image,
    "limber_quat": Quat, "limber_transform": Transform, "limber_camera_node": CameraNode, "limber_camera": Camera,
    "limber_collider": Collider, "limber_model": Model, "limber_frame_range": FrameRange, "limber_smear_mesh": SmearMesh,
    "limber_bake_store": BakeStore, "limber_bake_estimate": BakeEstimate, "limber_bake_settings": BakeSettings,
    "limber_bake_mesh": BakeMesh, "limber_bake_curve": BakeCurve, "limber_bake_bone": BakeBone,
    "limber_bake_share": BakeShare, "limber_bake_piece": BakePiece, "limber_bake_smear_mesh": BakeSmearMesh,
    "limber_bake_track": BakeTrack, "limber_bake": Bake, "limber_error": Error, "limber_allocator": Allocator,
    "limber_parallel": Parallel, "limber_bvh_limits": BvhLimits, "limber_bvh_settings": BvhSettings,
    "limber_bvh_report": BvhReport, "limber_cache_job": CacheJob, "limber_crowd_kind": CrowdKind,
    "limber_crowd_settings": CrowdSettings, "limber_crowd_member": CrowdMember, "limber_crowd_memory": CrowdMemory,
    "limber_gltf_packed": GltfPacked, "limber_gltf_packed_attribute": GltfPackedAttribute,
    "limber_gltf_packed_mesh": GltfPackedMesh, "limber_gltf_unpacked": GltfUnpacked, "limber_gltf_limits": GltfLimits,
    "limber_gltf_layer": GltfLayer, "limber_gltf_edits": GltfEdits, "limber_pack_layout": PackLayout,
    "limber_frame": Frame, "limber_smeared": Smeared, "limber_preset": Preset, "limber_usd_job": UsdJob,
    "limber_key": Key, "limber_kinematics": Kinematics, "limber_performance": Performance, "limber_pose": Pose,
    "limber_joint_match": JointMatch, "limber_joint_pair": JointPair, "limber_retarget_settings": RetargetSettings,
    "limber_smear_live_settings": SmearLiveSettings,
}
