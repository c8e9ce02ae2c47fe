// Whether an imported character can be right. Formats that say the same in several ways are misread without an error:
// meshes away from their bones, bones torn apart, a body on its head. Each finding is a sentence in `problems`.
#include "base/math.h"
#include "base/sort.h"
#include "cli/import/scene.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_BONES = 3 };                // fewer may be a telescope
static const float off_max = 0.01f;    // of the character's size; rounding is 1e-6
static const float longer_max = 1.5f;  // stretched on purpose by more: a few bones, not half of them
static const float size_min = 0.01f;   // meters
static const float size_max = 100;     // meters
static const float upright_min = 0.2f; // height of head over feet by their distance

typedef struct character {
    import_scene* s;
    const limber_model* model;
    float size;         // L, in meters
    limber_mat4* world; // [joint], rest pose
    bool* bound;        // [joint]: of a skin
} character;

static double two_digits(float value) {
    double unit = value > 0 ? pow(10, floor(log10((double)value)) - 1) : 1;
    return round((double)value / unit) * unit;
}

static void find_joints(character* c) {
    import_find_world(&c->model->rig, c->model->rig.rest_local, c->world);
    for (uint32_t m = 0; m < c->model->mesh_count; m++) {
        const limber_skin* skin = &c->model->skins[m];
        for (uint32_t k = 0; k < skin->joint_count && skin->joint_count > 1; k++)
            c->bound[skin->joints[k]] = true;
    }
}

// --- the bind pose gives the mesh back ---

typedef limber_vec3 box[2];

static limber_vec3 corner_of(const box b, int corner) {
    return limberi_vec3(b[corner & 1].x, b[corner >> 1 & 1].y, b[corner >> 2].z);
}

// How far two joints of a skin are apart in where they put the corners of the mesh's box.
static float disagreement(const limber_mat4* one, const limber_mat4* other, const box b) {
    float worst = 0;
    for (int corner = 0; corner < 8; corner++) {
        limber_vec3 p = limberi_mat4_point(one, corner_of(b, corner));
        limber_vec3 q = limberi_mat4_point(other, corner_of(b, corner));
        worst = fmaxf(worst, limberi_distance(p, q));
    }
    return worst;
}

static void find_box(const limber_mesh* mesh, box b) {
    b[0] = b[1] = limberi_load3(mesh->positions);
    for (uint32_t v = 1; v < mesh->vertex_count; v++) {
        limber_vec3 p = limberi_load3(mesh->positions + 3 * (size_t)v);
        b[0] = limberi_vec3(fminf(b[0].x, p.x), fminf(b[0].y, p.y), fminf(b[0].z, p.z));
        b[1] = limberi_vec3(fmaxf(b[1].x, p.x), fmaxf(b[1].y, p.y), fmaxf(b[1].z, p.z));
    }
}

// Vertices without weights hang on the mesh's own node.
static bool is_own(const character* c, uint32_t node, uint32_t joint) {
    return c->s->nodes[node].joint == (int32_t)joint;
}

static void check_agreement(const character* c, uint32_t node, const limber_skin* skin, const box b) {
    limber_mat4 first = limber_mat4_identity();
    float worst = 0;
    bool found = false;
    for (uint32_t k = 0; k < skin->joint_count; k++) {
        if (is_own(c, node, skin->joints[k]))
            continue;
        limber_mat4 placed = limberi_mat4_mul(&c->world[skin->joints[k]], &skin->joint_from_mesh[k]);
        worst = found ? fmaxf(worst, disagreement(&first, &placed, b)) : 0;
        first = found ? first : placed;
        found = true;
    }
    if (!(worst <= off_max * c->size))
        import_tell(c->s, "mesh '%s' was bound in another pose than the meshes before it: %g of the size away",
                    c->model->meshes[c->s->mesh_of_node[node]].name, two_digits(worst / c->size));
}

// Bones are in their mesh or near it: half of them are not farther away than three times the size of the mesh.
static void check_nearness(const character* c, uint32_t node, const limber_skin* skin, const box b) {
    limber_vec3 middle = limberi_scale(limberi_add(b[0], b[1]), 0.5f);
    float reach = 3 * limberi_distance(b[1], b[0]);
    uint32_t bones = 0;
    uint32_t far = 0;
    for (uint32_t k = 0; k < skin->joint_count; k++) {
        limber_mat4 mesh_from_joint;
        if (is_own(c, node, skin->joints[k]) || !limberi_mat4_inverse(&skin->joint_from_mesh[k], &mesh_from_joint))
            continue;
        bones++;
        far += !(limberi_distance(limberi_mat4_column(&mesh_from_joint, 3), middle) <= reach);
    }
    if (skin->joint_count > MIN_BONES && 2 * far > bones)
        import_tell(c->s, "mesh '%s' is far from its bones (%u of %u)", c->model->meshes[c->s->mesh_of_node[node]].name,
                    far, bones);
}

static void check_skins(const character* c) {
    for (uint32_t n = 0; n < c->s->node_count; n++) {
        uint32_t m = c->s->mesh_of_node[n];
        if (m == IMPORT_NONE)
            continue;
        box b;
        find_box(&c->model->meshes[m], b);
        if (c->s->rest_is_bind)
            check_agreement(c, n, &c->model->skins[m], b);
        check_nearness(c, n, &c->model->skins[m], b);
    }
}

// --- clips keep the lengths of bones ---

// By how much a clip's first keys make the middle one of all bones longer, or shorter: 1 or more; 0: it has too few.
static float find_stretch(const character* c, const limber_clip* clip, float* ratios) {
    const limber_rig* rig = &c->model->rig;
    uint32_t count = 0;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        float rest = limberi_length(rig->rest_local[j].translation);
        if (rig->parents[j] < 0 || !c->bound[j] || !c->bound[rig->parents[j]] || !(rest > 1e-4f * c->size))
            continue;
        float now = rest;
        for (uint32_t i = 0; i < clip->channel_count; i++)
            if (clip->channels[i].path == LIMBER_CHANNEL_TRANSLATION && clip->channels[i].target == j)
                now = limberi_length(limberi_load3(clip->channels[i].values));
        ratios[count++] = fmaxf(now / rest, rest / fmaxf(now, 1e-6f * rest));
    }
    qsort(ratios, count, sizeof *ratios, limberi_compare_floats);
    return count < MIN_BONES ? 0 : ratios[count / 2];
}

static void check_clips(const character* c) {
    float* ratios = LIMBERI_ALLOCATE(&c->s->arena, float, c->model->rig.joint_count);
    for (uint32_t i = 0; ratios && i < c->model->clip_count; i++) {
        float stretch = find_stretch(c, &c->model->clips[i], ratios);
        if (stretch > longer_max)
            import_tell(c->s, "clip '%s' has bones of other lengths than the bind pose (half of them by %g times)",
                        c->model->clips[i].name, two_digits(stretch));
    }
}

// --- size and axes ---

static bool contains(const char* name, const char* word) {
    size_t length = strlen(word);
    for (; *name; name++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)name[i]) == word[i])
            i++;
        if (i == length)
            return true;
    }
    return false;
}

// The middle of all joints with a word in their name.
static bool find_named(const character* c, const char* word, limber_vec3* middle) {
    float count = 0;
    *middle = limberi_vec3(0, 0, 0);
    for (uint32_t j = 0; j < c->model->rig.joint_count; j++) {
        if (!c->bound[j] || !contains(c->model->rig.names[j], word))
            continue;
        *middle = limberi_add(*middle, limberi_mat4_column(&c->world[j], 3));
        count++;
    }
    *middle = limberi_scale(*middle, 1 / fmaxf(count, 1));
    return count > 0;
}

static void check_size(const character* c) {
    limber_vec3 head;
    limber_vec3 feet;
    if (!(c->size >= size_min && c->size <= size_max))
        import_tell(c->s, "is %g m large: the unit of length in the file may be wrong", two_digits(c->size));
    if (!find_named(c, "head", &head) || !find_named(c, "foot", &feet))
        return;
    float high = head.y - feet.y;
    if (!(high >= upright_min * limberi_distance(head, feet)))
        import_tell(c->s, "its head is not above its feet: the axes in the file may be wrong, or it was saved lying");
}

limber_result import_check(import_scene* s, float size) {
    const limber_model* model = &s->model;
    character c = {s, model, size, LIMBERI_ALLOCATE(&s->arena, limber_mat4, model->rig.joint_count),
                   LIMBERI_ALLOCATE(&s->arena, bool, model->rig.joint_count)};
    if (!c.world || !c.bound)
        return limberi_fail_memory(s->error);
    find_joints(&c);
    check_skins(&c);
    check_clips(&c);
    check_size(&c);
    return LIMBER_OK;
}
