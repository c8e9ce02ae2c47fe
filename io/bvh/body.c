// A body for a skeleton that has none: a wooden figure, one turned piece per bone.
//
// Nothing is known of the skeleton but its bones. What a bone carries says how thick it should be, as with the branches
// of a tree: a trunk that carries arms and head is thick, a finger is thin.
#include "base/math.h"
#include "io/bvh/load.h"

// Proportions of a wooden artist's figure, as parts of the skeleton's diagonal in the rest pose with spread arms.
static const float thickest = 0.058f;
static const float thinnest = 0.003f;
static const float thickness = 0.083f; // of a bone that carries everything
static const float taper_power = 0.6f;
static const float head_radius = 0.050f;
static const float soft_ends = 1.1f;   // of the radius
static const float leaf_length = 0.5f; // of the bone before, for a joint whose bone ends nowhere
static const float handle_length = 2;  // of the longest bone behind it
static const float limb_bulge = 0.16f;
static const float tucked = 0.95f; // a bone ends inside the next one: two equal balls in one place would flicker

typedef struct bones {
    const limber_bvh* bvh;
    limber_vec3* at; // per node, rest pose
    float* length;   // from the node's parent
    float* carried;  // length of all bones below a node
    float* longest;  // of the bones that start at a node
    uint32_t* children;
    uint8_t* handle;
    float size, total;
} bones;

static void place_nodes(bones* b) {
    limber_vec3 low = {0, 0, 0};
    limber_vec3 high = {0, 0, 0};
    for (uint32_t i = 0; i < b->bvh->node_count; i++) {
        const limberi_bvh_node* node = &b->bvh->nodes[i];
        limber_vec3 offset = limberi_vec3((float)node->offset[0], (float)node->offset[1], (float)node->offset[2]);
        b->at[i] = node->parent < 0 ? offset : limberi_add(b->at[node->parent], offset);
        b->length[i] = node->parent < 0 ? 0 : limberi_length(offset);
        low = i ? limberi_vec3(fminf(low.x, b->at[i].x), fminf(low.y, b->at[i].y), fminf(low.z, b->at[i].z)) : b->at[i];
        high = i ? limberi_vec3(fmaxf(high.x, b->at[i].x), fmaxf(high.y, b->at[i].y), fmaxf(high.z, b->at[i].z))
                 : b->at[i];
    }
    b->size = limberi_distance(high, low);
    if (!(b->size > 0) || !isfinite(b->size))
        b->size = 1;
}

// A root that carries the figure from the ground, or a node above it, is a handle and no bone: it has one child, which
// is farther away than any bone behind it is long.
static void drop_handles(bones* b) {
    const limberi_bvh_node* nodes = b->bvh->nodes;
    for (uint32_t i = 0; i < b->bvh->node_count; i++)
        if (nodes[i].parent >= 0) {
            b->children[nodes[i].parent]++;
            b->longest[nodes[i].parent] = fmaxf(b->longest[nodes[i].parent], b->length[i]);
        }
    for (uint32_t i = 0; i < b->bvh->node_count; i++) {
        int32_t parent = nodes[i].parent;
        bool held = parent >= 0 && b->handle[parent];
        if (held && nodes[i].joint >= 0 && b->length[i] > handle_length * b->longest[i])
            b->length[i] = 0;
        b->handle[i] = b->children[i] == 1 && (parent < 0 || (held && b->length[i] == 0));
    }
}

static void weigh_nodes(bones* b) {
    for (uint32_t i = b->bvh->node_count; i-- > 0;) {
        int32_t parent = b->bvh->nodes[i].parent;
        if (parent >= 0) {
            b->carried[parent] += b->carried[i] + b->length[i];
        } else {
            b->total = fmaxf(b->total, b->carried[i]);
        }
    }
}

// Of the bone that ends at a node.
static float bone_radius(const bones* b, uint32_t node) {
    float part = b->total > 0 ? (b->carried[node] + b->length[node]) / b->total : 1;
    float radius = thickness * powf(fminf(part, 1), taper_power);
    return b->size * fminf(fmaxf(radius, thinnest), thickest);
}

static bool says_head(const char* name) {
    for (; *name; name++) {
        const char* word = "head";
        for (const char* c = name; *word && (*c | 32) == *word; c++)
            word++;
        if (!*word)
            return true;
    }
    return false;
}

// The first joint down the tree that is called a head, unless the whole figure hangs on it.
static bool is_head(const bones* b, uint32_t node) {
    const limberi_bvh_node* nodes = b->bvh->nodes;
    int32_t parent = nodes[node].parent;
    return nodes[node].joint >= 0 && parent >= 0 && says_head(nodes[node].name) && !says_head(nodes[parent].name) &&
           b->carried[node] < 0.25f * b->total;
}

// From the joint of `node` along its bone: to its first child, or on from the bone before.
static limber_vec3 head_direction(const bones* b, uint32_t node) {
    const limberi_bvh_node* nodes = b->bvh->nodes;
    for (uint32_t i = node + 1; i < b->bvh->node_count && nodes[i].parent >= (int32_t)node; i++)
        if (nodes[i].parent == (int32_t)node && b->length[i] > 0)
            return limberi_normalize(limberi_sub(b->at[i], b->at[node]));
    limber_vec3 on = limberi_normalize(limberi_sub(b->at[node], b->at[nodes[node].parent]));
    return limberi_dot(on, on) > 0 ? on : limberi_vec3(0, 1, 0);
}

static void add_head(const bones* b, limberi_bvh_body_plan* plan, uint32_t node) {
    limber_vec3 direction = head_direction(b, node);
    float radius = b->size * head_radius;
    if (b->longest[node] > 0) // hair and ears may be longer than the head
        radius = fminf(fmaxf(radius, 0.45f * fminf(b->longest[node], 3 * radius)), 1.6f * b->longest[node]);
    limberi_bvh_piece* piece = &plan->pieces[plan->piece_count++];
    piece->joint = b->bvh->nodes[node].joint;
    piece->before = piece->after = -1;
    piece->start = limberi_sub(b->at[node], limberi_scale(direction, 0.25f * radius));
    piece->end = limberi_add(piece->start, limberi_scale(direction, 2 * radius));
    piece->start_radius = piece->end_radius = 0.78f * radius;
    piece->round = true;
}

static void add_bone(const bones* b, limberi_bvh_body_plan* plan, uint32_t node, const float* thickest_child) {
    const limberi_bvh_node* nodes = b->bvh->nodes;
    uint32_t from = (uint32_t)nodes[node].parent;
    float length = b->length[node];
    float radius = bone_radius(b, node);
    limberi_bvh_piece* piece = &plan->pieces[plan->piece_count++];
    piece->joint = nodes[from].joint;
    piece->before = nodes[from].parent < 0 ? -1 : nodes[nodes[from].parent].joint;
    piece->after = nodes[node].joint;
    piece->start = b->at[from];
    piece->end = b->at[node];
    piece->start_radius = radius;
    // How thick the bones go on behind a node.
    float onward = b->children[node] ? thickest_child[node] : 0.55f * radius;
    piece->end_radius = tucked * fminf(fmaxf(onward, 0.5f * radius), radius);
    piece->start_soft = fminf(soft_ends * piece->start_radius, 0.5f * length);
    piece->end_soft = fminf(soft_ends * piece->end_radius, 0.5f * length);
    piece->bulge = length > 2 * radius ? limb_bulge : 0;
}

// A joint that nothing hangs below: a short piece on from the bone before, or a ball.
static void add_leaf(const bones* b, limberi_bvh_body_plan* plan, uint32_t node) {
    const limberi_bvh_node* nodes = b->bvh->nodes;
    int32_t parent = nodes[node].parent;
    float radius = parent < 0 ? b->size * thickest : 0.6f * bone_radius(b, node);
    limber_vec3 on = parent < 0 ? limberi_vec3(0, 0, 0) : limberi_sub(b->at[node], b->at[parent]);
    limberi_bvh_piece* piece = &plan->pieces[plan->piece_count++];
    piece->joint = nodes[node].joint;
    piece->before = parent < 0 ? -1 : nodes[parent].joint;
    piece->after = -1;
    piece->start = b->at[node];
    piece->end = limberi_add(b->at[node], limberi_scale(on, leaf_length));
    piece->start_radius = radius;
    piece->end_radius = 0.7f * radius;
    piece->start_soft = fminf(soft_ends * radius, 0.5f * leaf_length * b->length[node]);
}

// A head covers the bones below it that would only stick out of it.
static bool hidden_in_head(const bones* b, uint32_t node) {
    const limberi_bvh_node* nodes = b->bvh->nodes;
    return nodes[node].joint < 0 && nodes[node].parent >= 0 && is_head(b, (uint32_t)nodes[node].parent);
}

static void plan_pieces(const bones* b, limberi_bvh_body_plan* plan, float* thickest_child) {
    const limberi_bvh_node* nodes = b->bvh->nodes;
    for (uint32_t i = 0; i < b->bvh->node_count; i++) {
        if (nodes[i].joint >= 0)
            plan->places[nodes[i].joint] = b->at[i];
        if (nodes[i].parent >= 0)
            thickest_child[nodes[i].parent] = fmaxf(thickest_child[nodes[i].parent], bone_radius(b, i));
    }
    for (uint32_t i = 0; i < b->bvh->node_count; i++) {
        if (nodes[i].parent >= 0 && b->length[i] > 1e-5f * b->size && !hidden_in_head(b, i))
            add_bone(b, plan, i, thickest_child);
        if (is_head(b, i))
            add_head(b, plan, i);
        else if (nodes[i].joint >= 0 && !b->children[i])
            add_leaf(b, plan, i);
    }
}

limber_result limberi_bvh_body(const limber_bvh* bvh, limberi_arena* scratch, limber_model* model) {
    size_t nodes = bvh->node_count;
    bones b = {.bvh = bvh};
    limberi_bvh_body_plan plan = {0, NULL, NULL};
    b.at = LIMBERI_ALLOCATE(scratch, limber_vec3, nodes);
    b.length = LIMBERI_ALLOCATE(scratch, float, nodes);
    b.carried = LIMBERI_ALLOCATE(scratch, float, nodes);
    b.longest = LIMBERI_ALLOCATE(scratch, float, nodes);
    b.children = LIMBERI_ALLOCATE(scratch, uint32_t, nodes);
    b.handle = LIMBERI_ALLOCATE(scratch, uint8_t, nodes);
    float* thickest_child = LIMBERI_ALLOCATE(scratch, float, nodes);
    plan.pieces = LIMBERI_ALLOCATE(scratch, limberi_bvh_piece, 2 * nodes);
    plan.places = LIMBERI_ALLOCATE(scratch, limber_vec3, bvh->joint_count);
    if (scratch->failed)
        return LIMBER_ERROR_MEMORY;
    place_nodes(&b);
    drop_handles(&b);
    weigh_nodes(&b);
    plan_pieces(&b, &plan, thickest_child);
    return plan.piece_count ? limberi_bvh_body_mesh(&plan, scratch, model) : LIMBER_OK;
}

// The bones as a .bvh would have them, whose joints have the world's axes.
static bool list_bones(const limber_rig* rig, const limber_mat4* world, limberi_arena* arena, limber_bvh* bvh) {
    bvh->node_count = bvh->joint_count = rig->joint_count;
    bvh->nodes = LIMBERI_ALLOCATE(arena, limberi_bvh_node, rig->joint_count);
    for (uint32_t j = 0; bvh->nodes && j < rig->joint_count; j++) {
        limberi_bvh_node* node = &bvh->nodes[j];
        node->name = rig->names[j];
        node->joint = (int32_t)j;
        node->parent = rig->parents[j];
        for (int i = 0; i < 3; i++)
            node->offset[i] =
                (double)world[j].m[12 + i] - (node->parent < 0 ? 0 : (double)world[node->parent].m[12 + i]);
    }
    return bvh->nodes != NULL;
}

limber_result limberi_skeleton_body(const limber_mat4* world, limberi_arena* arena, limber_model* model) {
    limber_bvh bvh = {0};
    if (!list_bones(&model->rig, world, arena, &bvh))
        return LIMBER_ERROR_MEMORY;
    limber_result result = limberi_bvh_body(&bvh, arena, model);
    for (uint32_t j = 0; !result && model->skin_count && j < model->rig.joint_count; j++)
        (void)limberi_mat4_inverse(&world[j], (limber_mat4*)&model->skins[0].joint_from_mesh[j]);
    return result;
}
