// limber/asset.h: a character: one rig, its skins, meshes, layers and clips.
//
// A limber_model is plain arrays. A file reader or a program fills one; limber_asset_create checks it, copies it,
// normalizes weights and computes every field marked "derived". All other stages rely on that and do not check again.
// Normals, texture coordinates and colors that are not finite count as 0; other such numbers are refused.
//
//     const char* joint_names[] = {"root"};
//     const int32_t parents[] = {LIMBER_NO_PARENT};
//     const limber_transform rest = limber_transform_identity();
//     const uint32_t joints[] = {0};
//     const limber_mat4 joint_from_mesh = limber_mat4_identity();
//     const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
//     const uint32_t triangles[] = {0, 1, 2}, influence_first[] = {0, 1, 2, 3};
//     const uint16_t influence_joint[] = {0, 0, 0};
//     const float influence_weight[] = {1, 1, 1};
//     const limber_skin skin = {.joint_count = 1, .joints = joints, .joint_from_mesh = &joint_from_mesh};
//     const limber_mesh mesh = {.name = "triangle", .vertex_count = 3, .triangle_count = 1, .positions = positions,
//                               .triangles = triangles, .influence_first = influence_first,
//                               .influence_joint = influence_joint, .influence_weight = influence_weight};
//     limber_model model = limber_model_default();
//     model.rig.joint_count = 1;
//     model.rig.names = joint_names;
//     model.rig.parents = parents;
//     model.rig.rest_local = &rest;
//     model.skin_count = model.mesh_count = 1;
//     model.skins = &skin;
//     model.meshes = &mesh;
//     limber_asset* asset;
//     limber_error error;
//     if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
//         return 1;
//     printf("L is %g\n", limber_asset_model(asset)->size);
//     limber_asset_destroy(asset);
//
// The rig holds every node that is a joint or an ancestor of one, parents before children. A rigid mesh has a skin with
// one joint (the node that carries it) and weight 1.
#ifndef LIMBER_ASSET_H
#define LIMBER_ASSET_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIMBER_JOINT_LIMIT 65535u  // max joints of a rig
#define LIMBER_NO_PARENT (-1)      // in limber_rig.parents: a root
#define LIMBER_COLLIDER_LIMIT 256u // max colliders of a style

// The hierarchy. Fields marked derived are ignored on input and filled by limber_asset_create.
typedef struct limber_rig {
    uint32_t joint_count;
    const char* const* names;           // [joint]
    const int32_t* parents;             // LIMBER_NO_PARENT for a root, otherwise smaller than the joint's own index
    const limber_transform* rest_local; // [joint] in the rest pose, in the frame of the parent
    // [joint] what it is in a human body ("leftUpperArm"), as avatars (VRM) say it, or NULL; styles know joints by this
    // name, too. NULL: not known.
    const char* const* bones;

    const limber_mat4* world_from_joint_rest; // derived: in the rest pose, which is the file's default pose
    const limber_vec3* centroid;              // derived, joint space: mean of the vertices it moves (upward weights)
    const limber_vec3* medial_axis;           // derived, joint space: unit vector to the centroid, or 0
    const limber_vec3* bone_direction; // derived, joint space: unit vector to the mean child (leaf: centroid), or 0
    // derived: what a joint hangs on for effects and contacts: its parent, unless that only moves it along with skin that
    // hangs elsewhere, as the paws of rigs with inverse kinematics do. Smaller than the joint's own index:
    // limber_asset_create_ordered.
    const int32_t* hangs_on;
    const void* reserved[3];
} limber_rig;

// The joints that deform a mesh. Vertex influences index `joints`, not the rig.
typedef struct limber_skin {
    const char* name;
    uint32_t joint_count;
    const uint32_t* joints;             // rig indices
    const limber_mat4* joint_from_mesh; // inverse bind matrices
    limber_mat4 world_from_mesh;        // derived: in the rest pose, by the topmost joint; its scale is the mesh's
} limber_skin;

// A run of triangles with one material (a glTF primitive).
typedef struct limber_part {
    uint32_t first_vertex, vertex_count;     // in the mesh
    uint32_t first_triangle, triangle_count; // in the mesh
    int32_t material;                        // -1: none
} limber_part;

// A morph target: what is added to a mesh at weight 1.
typedef struct limber_morph {
    const char* name;
    const float* positions; // 3 per vertex, added to the mesh's positions
    const float* normals;   // 3 per vertex or NULL
} limber_morph;

// A named value per vertex in [-1, 1]. In a mesh that lacks a layer it counts as 1 everywhere.
typedef struct limber_layer {
    const char* name;
    const float* values; // [vertex]
} limber_layer;

// A mesh and its skin. Its node may have another name.
typedef struct limber_mesh {
    const char* name;
    const char* node_name; // of the node that has the mesh; NULL or empty: none
    uint32_t skin;         // index in the model
    uint32_t vertex_count;
    uint32_t triangle_count;
    const float* positions;          // 3 per vertex, mesh space
    const float* normals;            // 3 per vertex; NULL on input: averaged from the triangles
    const float* uvs;                // 2 per vertex or NULL
    const float* colors;             // 4 per vertex, linear, or NULL
    const uint32_t* triangles;       // 3 per triangle
    const uint32_t* influence_first; // vertex_count + 1 offsets into the two arrays below
    const uint16_t* influence_joint; // index into the skin's joints
    const float* influence_weight;   // normalized to sum 1 by limber_asset_create
    uint32_t part_count;
    const limber_part* parts;
    uint32_t morph_count;
    const limber_morph* morphs;
    const float* morph_defaults; // morph_count, or NULL for zeros
    uint32_t layer_count;
    const limber_layer* layers;

    uint32_t first_vertex; // derived: where this mesh's vertices start when all meshes follow each other
    uint32_t first_morph;  // derived: where its weights start in limber_pose.morph_weights
    const float* areas;    // derived: a third of the area of the triangles around each vertex, rest pose
    bool scenery;          // derived: no clip ever moves it (a floor, a wall); does not count for the size
    const void* reserved[6];
} limber_mesh;

// What a channel moves.
typedef enum limber_channel_path {
    LIMBER_CHANNEL_TRANSLATION,
    LIMBER_CHANNEL_ROTATION,
    LIMBER_CHANNEL_SCALE,
    LIMBER_CHANNEL_WEIGHTS // target is a mesh, values are morph weights
} limber_channel_path;

// What happens between the keys of a channel, as in glTF.
typedef enum limber_interpolation {
    LIMBER_INTERPOLATION_STEP,
    LIMBER_INTERPOLATION_LINEAR,
    LIMBER_INTERPOLATION_CUBIC // three values per key: in-tangent, value, out-tangent
} limber_interpolation;

// The curve of one joint, or of the morph weights of a mesh.
typedef struct limber_channel {
    limber_channel_path path;
    limber_interpolation interpolation;
    uint32_t target; // joint, or mesh for weights
    uint32_t key_count;
    const float* times;  // strictly increasing, seconds
    const float* values; // per key: 3 of a place or scale, 4 of a rotation, or a weight per morph target
} limber_channel;

// A place where the pose jumps although nothing moves fast on either side: an edit, not motion.
typedef struct limber_cut {
    double before_s, after_s; // the last time before the jump and the first one after it
} limber_cut;

// The same for one joint that jumps while the rest of the body moves on (a thumb that flips over between two keys).
typedef struct limber_joint_cut {
    uint32_t joint; // that jumps
    limber_cut cut;
} limber_joint_cut;

// What the two ends of a clip have to do with each other.
typedef enum limber_ends {
    LIMBER_ENDS_MEET,        // the last pose is the first one again, as far as a viewer can tell
    LIMBER_ENDS_JOINT_OFF,   // a joint is elsewhere: by more than 8 degrees or 0.02 L, in its parent's frame
    LIMBER_ENDS_SCALE_OFF,   // a joint's scale differs by more than 2 %
    LIMBER_ENDS_MORPH_OFF,   // a morph weight differs by more than 0.02
    LIMBER_ENDS_TRAVEL_ONLY, // nothing happens but travel: a fall, a slide
    LIMBER_ENDS_ONE_POSE     // it lasts no time
} limber_ends;

// What is missing between the last pose and the first one, at one joint in its parent's frame.
typedef struct limber_seam {
    uint32_t joint;         // in the rig
    float move[3], turn[3]; // turn: rotation vector, on the left
} limber_seam;

// Why a clip loops, or why it does not. A clip may end somewhere else (a walk that travels): the travel of its root,
// the topmost joint that carries the skin, and its yaw are taken out before the ends are compared. Derivatives and
// filters see the seams spread evenly over the clip; poses do not.
typedef struct limber_loop {
    limber_ends ends;
    uint32_t joint;                    // that is farthest off; for LIMBER_ENDS_MORPH_OFF the mesh
    double gap_rad, gap;               // of the joint that is farthest off: its rotation, and its place in L
    double off;                        // largest of scales (relative) and morph weights
    int32_t root;                      // that travels, or -1
    limber_vec3 travel;                // per turn, world space
    double yaw_rad;                    // per turn, about the world's Y axis
    double root_turn[4], root_step[3]; // the same in the frame of its parent: place -> turn * place + step
    uint32_t seam_count;
    const limber_seam* seams; // by joint
} limber_loop;

// An animation: curves of joints and morph weights, and what limber finds out about it.
typedef struct limber_clip {
    const char* name;
    uint32_t channel_count;
    const limber_channel* channels;
    uint32_t camera_channel_count;
    const limber_channel* camera_channels; // targets are camera nodes

    double start_s, end_s;              // derived: first and last key
    double key_step_s;                  // derived: median key spacing (1/30 when there is none)
    double fps;                         // derived: the rate of its keys, 30 when they have none
    bool loops;                         // derived: the motion is a cycle
    bool travels;                       // derived: each turn starts where the last one ended, not in the same place
    limber_loop loop;                   // derived: why
    uint32_t cut_count;                 // derived
    const limber_cut* cuts;             // derived: of the whole character, by time
    uint32_t joint_cut_count;           // derived
    const limber_joint_cut* joint_cuts; // derived: of single joints, by joint, then by time
    const int32_t* channel_of_joint;    // derived: [joint * 3 + path], -1 when not animated
    const int32_t* weights_of_mesh;     // derived: [mesh], -1 when not animated
    const void* reserved[6];
} limber_clip;

// Whether a clip counts as a loop: when its ends meet (limber_clip.loops), never, or always.
typedef enum limber_loop_mode { LIMBER_LOOP_AUTO, LIMBER_LOOP_NEVER, LIMBER_LOOP_ALWAYS } limber_loop_mode;

// How much longer the skin of one joint is along its bone, at every key.
typedef struct limber_stretch {
    uint32_t joint;   // in the rig
    limber_vec3 axis; // unit vector, joint space (limber_rig.bone_direction)
    uint32_t key_count;
    const float* times;   // [key] seconds
    const float* factors; // 1: unchanged
} limber_stretch;

// A clip that replaces one of the model's, such as an exaggerated one, or is a new one.
#define LIMBER_NEW_CLIP UINT32_MAX
typedef struct limber_edited_clip {
    uint32_t index; // in the model; LIMBER_NEW_CLIP: none yet
    const limber_clip* clip;
    uint32_t stretch_count;
    const limber_stretch* stretches;
} limber_edited_clip;

// How a part looks, as far as pictures, smears and files need it.
typedef struct limber_material {
    const char* name;
    float base_color[4];       // linear
    float metallic, roughness; // 0 ... 1, as in glTF
    bool double_sided, blend;  // it is seen from both sides; its alpha blends
    int32_t image;             // base color texture, -1: none
    bool ends;                 // the texture does not repeat along u
} limber_material;

// A picture as the file holds it (PNG, JPEG, ...), not decoded.
typedef struct limber_image {
    const char* name;
    const uint8_t* bytes; // of the file
    size_t byte_count;
    const char* file; // where it comes from, below the folder of the character's file; NULL: from that file itself
} limber_image;

// Cameras and the nodes above them that are not joints. A camera is not part of the character: it moves no vertex and
// does not count for loops and cuts.
typedef struct limber_camera_node {
    int32_t parent;              // a camera node with a smaller index, or -1
    int32_t joint;               // when parent is -1: the joint it is attached to, or -1: the world
    limber_transform rest_local; // in the frame of the parent, the joint or the world
} limber_camera_node;

// A camera of a file.
typedef struct limber_camera {
    const char* name;              // of its node
    uint32_t node;                 // a camera node; the camera looks along its -Z
    bool orthographic;             // without perspective
    float field_of_view_rad;       // perspective: vertical; 0: unknown
    float aspect;                  // perspective: width over height; 0: that of the picture
    float half_width, half_height; // orthographic; 0: unknown
    float nearest, farthest;       // clipping distances; farthest 0: no limit
} limber_camera;

// What kind of body a collider is.
typedef enum limber_collider_shape {
    LIMBER_COLLIDER_CAPSULE,
    LIMBER_COLLIDER_SPHERE,
    LIMBER_COLLIDER_PLANE
} limber_collider_shape;

// A simple body that skin does not enter (stages/colliders.h), fixed to a joint or to the world.
typedef struct limber_collider {
    limber_collider_shape shape;
    int32_t joint;     // whose frame the numbers below are in; -1: the world's
    limber_vec3 from;  // capsule: one end; sphere: its center; plane: a point of it
    limber_vec3 to;    // capsule: the other end; plane: its normal, to the side where skin may be
    float radius;      // not of a plane
    const char* layer; // of the meshes: values from 0 to 1 scale how much a vertex obeys; NULL: all of it
    const uint8_t*
        obey; // [joint] 1: skin on this joint obeys; NULL: all skin but that of its own joint and those next to it
} limber_collider;

// A whole character. Start with limber_model_default().
typedef struct limber_model {
    uint32_t struct_size; // set by limber_model_default
    limber_rig rig;
    uint32_t skin_count;
    const limber_skin* skins;
    uint32_t mesh_count;
    const limber_mesh* meshes;
    uint32_t clip_count;
    const limber_clip* clips;
    uint32_t material_count;
    const limber_material* materials;
    uint32_t image_count;
    const limber_image* images;
    uint32_t camera_node_count;
    const limber_camera_node* camera_nodes;
    uint32_t camera_count;
    const limber_camera* cameras;

    uint32_t vertex_count;          // derived: over all meshes
    uint32_t triangle_count;        // derived
    uint32_t morph_count;           // derived: over all meshes
    float size;                     // derived: L, the diameter of the smallest ball around the rest pose
    limber_vec3 rest_min, rest_max; // derived

    uint32_t collider_count; // that a file brings along (VRM)
    const limber_collider* colliders;
} limber_model;

// A character that was checked and completed. It never changes, so threads and pipelines may share it.
typedef struct limber_asset limber_asset;

LIMBER_DEFAULT(limber_model)

// On failure *asset is NULL and `error` (may be NULL) says what is wrong and where.
LIMBER_API LIMBER_MUST_USE limber_result limber_asset_create(const limber_model* model, limber_asset** asset,
                                                             limber_error* error);
// For readers of files. Paws of rigs with inverse kinematics move with their leg (limber_rig.hangs_on) only when they come
// after it; where they do not, the joints are put in another order. order[joint of the asset] is the joint of `model`.
LIMBER_API LIMBER_MUST_USE limber_result limber_asset_create_ordered(const limber_model* model, uint32_t* order,
                                                                     limber_asset** asset, limber_error* error);
LIMBER_API void limber_asset_destroy(limber_asset* asset);

// The character with every derived field. It belongs to the asset.
LIMBER_API const limber_model* limber_asset_model(const limber_asset* asset);

// -1 or NULL when there is none of that name.
LIMBER_API int32_t limber_rig_find_joint(const limber_rig* rig, const char* name);
LIMBER_API int32_t limber_model_find_clip(const limber_model* model, const char* name);
LIMBER_API const limber_layer* limber_mesh_find_layer(const limber_mesh* mesh, const char* name);

// The vertices in the rest pose, world space, 3 per vertex.
LIMBER_API void limber_mesh_rest_positions(const limber_model* model, const limber_mesh* mesh, float* positions);

// The upward weights of one vertex (velocity skinning, equation 8; acceleration skinning, equation 3): for each joint,
// the sum of the vertex's weights for that joint and all its descendants. `dense` has rig.joint_count entries.
LIMBER_API void limber_mesh_upward_weights(const limber_model* model, const limber_mesh* mesh, uint32_t vertex,
                                           float* dense);

// The frames of a clip at a rate: start_s + i / fps, and the clip's exact end as the last one.
LIMBER_API uint32_t limber_clip_frame_count(const limber_clip* clip, double fps);
LIMBER_API double limber_clip_frame_time(const limber_clip* clip, double fps, uint32_t frame);

// A run of frames of a clip.
typedef struct limber_frame_range {
    uint32_t first, count; // the number of the first frame, and how many there are
} limber_frame_range;

// The frames whose times lie in [start_s, end_s] (clip time); they keep the numbers they have in the whole clip.
LIMBER_API limber_frame_range limber_clip_frames_between(const limber_clip* clip, double fps, double start_s,
                                                         double end_s);

// What a mesh of smears is: an in-between copy of a mesh, or lines and ribbons.
typedef enum limber_smear_kind { LIMBER_SMEAR_KIND_COPY, LIMBER_SMEAR_KIND_LINES } limber_smear_kind;

// A mesh that smears add to a character. Its triangles are the same in all frames; hidden ones have no area. A copy has
// the vertices, triangles and parts of the mesh it is a copy of.
typedef struct limber_smear_mesh {
    limber_smear_kind kind;
    char name[32];   // "multiple -2", "lines", "ribbons"
    int32_t number;  // of a copy: -past ... future, not 0
    uint32_t source; // of a copy: index in model.meshes
    uint32_t vertex_count, triangle_count;
    const uint32_t* triangles; // 3 per triangle
    const float* positions;    // of the current frame, 3 per vertex
    const float* normals;      // 3 per vertex
    const float* colors;       // 4 per vertex, linear; the last is the opacity
    bool visible;              // whether the current frame shows any of it
} limber_smear_mesh;

#ifdef __cplusplus
}
#endif

#endif
