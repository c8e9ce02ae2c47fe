// The joints of an imported scene: names, units, axes, helper nodes folded away.
#include "base/math.h"
#include "cli/import/scene.h"

#include <stdlib.h>
#include <string.h>

limber_mat4 import_matrix(const struct aiMatrix4x4* from, float meters) {
    const float rows[4][4] = {{from->a1, from->a2, from->a3, from->a4 * meters},
                              {from->b1, from->b2, from->b3, from->b4 * meters},
                              {from->c1, from->c2, from->c3, from->c4 * meters},
                              {0, 0, 0, 1}};
    limber_mat4 to;
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            to.m[4 * c + r] = rows[r][c];
    return to;
}

// --- names ---

typedef struct named {
    const char* name;
    bool has_mesh;
    uint32_t node;
} named;

// Bones before meshes of the same name: they are what clips and skins mean.
static int compare_names(const void* a, const void* b) {
    const named* x = a;
    const named* y = b;
    int order = strcmp(x->name, y->name);
    if (!order)
        order = (int)x->has_mesh - (int)y->has_mesh;
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

static limber_result sort_names(import_scene* s) {
    named* all = LIMBERI_ALLOCATE(&s->arena, named, s->node_count);
    s->by_name = LIMBERI_ALLOCATE(&s->arena, uint32_t, s->node_count);
    if (!all || !s->by_name)
        return limberi_fail_memory(s->error);
    for (uint32_t n = 0; n < s->node_count; n++) {
        all[n].name = s->nodes[n].source->mName.data;
        all[n].has_mesh = s->nodes[n].source->mNumMeshes > 0;
        all[n].node = n;
    }
    qsort(all, s->node_count, sizeof *all, compare_names);
    for (uint32_t n = 0; n < s->node_count; n++)
        s->by_name[n] = all[n].node;
    return LIMBER_OK;
}

uint32_t import_find_name(const import_scene* s, const char* name) {
    uint32_t low = 0;
    uint32_t high = s->node_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(s->nodes[s->by_name[middle]].source->mName.data, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool import_is_named(const import_scene* s, uint32_t place, const char* name) {
    return place < s->node_count && strcmp(s->nodes[s->by_name[place]].source->mName.data, name) == 0;
}

uint32_t import_find_node(const import_scene* s, const char* name) {
    uint32_t place = import_find_name(s, name);
    return import_is_named(s, place, name) ? s->by_name[place] : IMPORT_NONE;
}

// --- nodes ---

static limber_result list_nodes(import_scene* s) {
    s->nodes = LIMBERI_ALLOCATE(&s->arena, import_node, LIMBER_JOINT_LIMIT);
    if (!s->nodes)
        return limberi_fail_memory(s->error);
    s->nodes[0].source = s->source->mRootNode;
    s->nodes[0].parent = IMPORT_NONE;
    s->node_count = 1;
    for (uint32_t n = 0; n < s->node_count; n++) {
        const struct aiNode* from = s->nodes[n].source;
        for (uint32_t c = 0; c < from->mNumChildren; c++) {
            if (s->node_count == LIMBER_JOINT_LIMIT)
                return limberi_fail(s->error, LIMBER_ERROR_LIMIT, "has too many nodes (max %u)", LIMBER_JOINT_LIMIT);
            s->nodes[s->node_count].source = from->mChildren[c];
            s->nodes[s->node_count++].parent = n;
        }
    }
    return LIMBER_OK;
}

// A number that the file says about itself, or about a node; `missing` when it does not.
static double metadata(const struct aiMetadata* about, const char* key, double missing) {
    for (uint32_t i = 0; about && i < about->mNumProperties; i++) {
        const struct aiMetadataEntry* entry = &about->mValues[i];
        if (strcmp(about->mKeys[i].data, key) != 0)
            continue;
        if (entry->mType == AI_DOUBLE)
            return *(const double*)entry->mData;
        if (entry->mType == AI_FLOAT)
            return (double)*(const float*)entry->mData;
        if (entry->mType == AI_INT32)
            return (double)*(const int32_t*)entry->mData;
    }
    return missing;
}

// FBX names the axes that point right, up and to the front; here these are X, Y and Z.
static limber_mat4 upright(const struct aiScene* scene) {
    static const char* const keys[3][2] = {
        {"CoordAxis", "CoordAxisSign"}, {"UpAxis", "UpAxisSign"}, {"FrontAxis", "FrontAxisSign"}};
    limber_mat4 turn = {{0}};
    uint32_t seen = 0;
    for (int row = 0; row < 3; row++) {
        double axis = metadata(scene->mMetaData, keys[row][0], row);
        double sign = metadata(scene->mMetaData, keys[row][1], 1);
        int column = axis == 0 || axis == 1 ? (int)axis : 2;
        turn.m[4 * column + row] = sign < 0 ? -1.0f : 1.0f;
        seen |= 1u << column;
    }
    turn.m[15] = 1;
    limber_vec3 x = limberi_mat4_column(&turn, 0);
    limber_vec3 y = limberi_mat4_column(&turn, 1);
    bool rotation = seen == 7 && limberi_dot(limberi_cross(x, y), limberi_mat4_column(&turn, 2)) > 0.5f;
    return rotation ? turn : limber_mat4_identity();
}

static bool is_animated(const import_scene* s, const char* name) {
    for (uint32_t a = 0; a < s->source->mNumAnimations; a++)
        for (uint32_t c = 0; c < s->source->mAnimations[a]->mNumChannels; c++)
            if (strcmp(s->source->mAnimations[a]->mChannels[c]->mNodeName.data, name) == 0)
                return true;
    return false;
}

// Collada's unit is a scale of the root. It moves into the lengths below, where no effect has to divide by it.
static void move_root_scale(import_scene* s, bool root_moves) {
    limber_mat4* root = &s->nodes[0].local;
    limber_transform t;
    *root = import_matrix(&s->nodes[0].source->mTransformation, s->meters);
    float shear = limberi_mat4_decompose(root, &t);
    float scale = t.scale.x;
    bool even = fabsf(t.scale.y - scale) < 1e-4f * scale && fabsf(t.scale.z - scale) < 1e-4f * scale;
    if (root_moves || !even || !(shear < 1e-4f) || !(scale > 1e-6f))
        return;
    s->meters *= scale;
    t.scale = limberi_vec3(1, 1, 1);
    *root = limberi_mat4_from_transform(&t);
}

static bool is_identity(const limber_mat4* a) {
    limber_mat4 identity = limber_mat4_identity();
    float worst = 0;
    for (int i = 0; i < 16; i++)
        worst = fmaxf(worst, fabsf(a->m[i] - identity.m[i]));
    return worst < 1e-6f;
}

// In the names of nodes that Assimp adds, between that of the joint and the kind of transform.
static const char helper_mark[] = "_$AssimpFbx$_";

const char* import_helper_kind(const import_scene* s, uint32_t node, uint32_t helper) {
    const char* name = s->nodes[helper].source->mName.data;
    size_t length = strlen(s->nodes[node].source->mName.data);
    bool same = strncmp(name, s->nodes[node].source->mName.data, length) == 0;
    bool marked = same && strncmp(name + length, helper_mark, strlen(helper_mark)) == 0;
    return marked ? name + length + strlen(helper_mark) : NULL;
}

uint32_t import_folded_above(const import_scene* s, uint32_t node) {
    uint32_t up = s->nodes[node].parent;
    return up != IMPORT_NONE && s->nodes[up].joint < 0 ? up : IMPORT_NONE;
}

uint32_t import_scale_source(const import_scene* s, uint32_t node) {
    uint32_t up = s->nodes[node].own_scale ? s->nodes[node].parent : IMPORT_NONE;
    while (up != IMPORT_NONE && s->nodes[up].joint < 0)
        up = s->nodes[up].parent;
    return up;
}

limber_mat4 import_without_scale(const limber_mat4* local, const limber_mat4* above) {
    limber_mat4 result = *local;
    limber_transform t;
    (void)limberi_mat4_decompose(above, &t);
    const float scale[3] = {t.scale.x, t.scale.y, t.scale.z};
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            result.m[4 * column + row] /= fabsf(scale[row]) > 1e-6f ? scale[row] : 1;
    return result;
}

static bool is_folded(const struct aiNode* node) {
    return strstr(node->mName.data, helper_mark) && node->mNumMeshes == 0 && node->mNumChildren > 0;
}

// --- joints ---

static limber_result allocate_rig(import_scene* s, uint32_t joints) {
    limber_rig* rig = &s->model.rig;
    rig->joint_count = joints;
    rig->names = LIMBERI_ALLOCATE(&s->arena, const char*, joints);
    rig->parents = LIMBERI_ALLOCATE(&s->arena, int32_t, joints);
    rig->rest_local = LIMBERI_ALLOCATE(&s->arena, limber_transform, joints);
    s->node_of_joint = LIMBERI_ALLOCATE(&s->arena, uint32_t, joints);
    return s->arena.failed ? limberi_fail_memory(s->error) : LIMBER_OK;
}

// With the folded nodes above.
static limber_mat4 saved_transform(const import_scene* s, uint32_t node) {
    limber_mat4 local = s->nodes[node].local;
    for (uint32_t up = import_folded_above(s, node); up != IMPORT_NONE; up = import_folded_above(s, up))
        local = limberi_mat4_mul(&s->nodes[up].local, &local);
    return local;
}

static void fill_joint(import_scene* s, uint32_t n, uint32_t joint) {
    limber_mat4 local = saved_transform(s, n);
    uint32_t up = s->nodes[n].parent;
    while (up != IMPORT_NONE && s->nodes[up].joint < 0)
        up = s->nodes[up].parent;
    uint32_t scaled = import_scale_source(s, n);
    if (scaled != IMPORT_NONE) {
        limber_mat4 above = saved_transform(s, scaled);
        local = import_without_scale(&local, &above);
    }
    const limber_rig* rig = &s->model.rig;
    ((const char**)rig->names)[joint] = import_name(s, &s->nodes[n].source->mName);
    ((int32_t*)rig->parents)[joint] = up == IMPORT_NONE ? LIMBER_NO_PARENT : s->nodes[up].joint;
    (void)limberi_mat4_decompose(&local, &((limber_transform*)rig->rest_local)[joint]);
    s->node_of_joint[joint] = n;
}

limber_result import_rig(import_scene* s) {
    limber_result result = list_nodes(s);
    if (!result)
        result = sort_names(s);
    if (result)
        return result;
    bool root_moves = is_animated(s, s->source->mRootNode->mName.data);
    double unit = metadata(s->source->mMetaData, "UnitScaleFactor", 0);
    s->meters = (float)(unit > 1e-6 && unit < 1e9 ? 0.01 * unit : 1); // FBX counts in centimeters
    move_root_scale(s, root_moves);
    limber_mat4 turn = upright(s->source);
    s->nodes[0].local = limberi_mat4_mul(&turn, &s->nodes[0].local);
    uint32_t joints = 0;
    for (uint32_t n = 0; n < s->node_count; n++) {
        const struct aiNode* from = s->nodes[n].source;
        if (n)
            s->nodes[n].local = import_matrix(&from->mTransformation, s->meters);
        enum { INHERITS_NO_SCALE = 2 };
        s->nodes[n].own_scale = metadata(from->mMetaData, "InheritType", 0) == INHERITS_NO_SCALE;
        if (!limberi_mat4_is_finite(&s->nodes[n].local))
            return limberi_fail(s->error, LIMBER_ERROR_DATA, "node '%s' has a transform that is not finite",
                                from->mName.data);
        bool idle = n == 0 && !root_moves && !from->mNumMeshes && from->mNumChildren && is_identity(&s->nodes[n].local);
        s->nodes[n].joint = idle || is_folded(from) ? -1 : (int32_t)joints++;
    }
    result = allocate_rig(s, joints);
    if (result)
        return result;
    for (uint32_t n = 0; n < s->node_count; n++)
        if (s->nodes[n].joint >= 0)
            fill_joint(s, n, (uint32_t)s->nodes[n].joint);
    return LIMBER_OK;
}
