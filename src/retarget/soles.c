// The soles of a character's feet: the lowest skin that hangs on the ankles, from heel to tip.
#include "base/memory.h"
#include "retarget/figure_private.h"
#include "retarget/retarget_private.h"

#include <math.h>

static const double sole_part = 0.35; // of the ankle's height: skin that is lower belongs to the sole

typedef struct sole_search {
    limber_retarget* r;
    limberi_foot* foot;
    double ankle[3];
    double low;                        // height of the lowest skin
    double ahead, behind, left, right; // how far the sole reaches
    double nose, nose_height;          // how far the foot reaches ahead, and at which height above the sole
    bool* is_foot;                     // [joint]
} sole_search;

static double height(const sole_search* s, const float* p) {
    const double* up = s->r->to.up;
    return (double)p[0] * up[0] + (double)p[1] * up[1] + (double)p[2] * up[2];
}

// Whether most of a vertex hangs on the foot.
static bool belongs(const sole_search* s, const limber_mesh* mesh, uint32_t vertex) {
    const limber_skin* skin = &s->r->character->skins[mesh->skin];
    double weight = 0;
    for (uint32_t i = mesh->influence_first[vertex]; i < mesh->influence_first[vertex + 1]; i++)
        if (s->is_foot[skin->joints[mesh->influence_joint[i]]])
            weight += (double)mesh->influence_weight[i];
    return weight > 0.5;
}

static void look_low(sole_search* s, const float* p) {
    double h = height(s, p);
    s->low = h < s->low ? h : s->low;
}

static void look_far(sole_search* s, const float* p) {
    const double* up = s->r->to.up;
    const double* front = s->r->to.front;
    double ankle = s->ankle[0] * up[0] + s->ankle[1] * up[1] + s->ankle[2] * up[2];
    double forward = 0;
    double aside = 0;
    for (int i = 0; i < 3; i++) {
        forward += ((double)p[i] - s->ankle[i]) * front[i];
        aside += ((double)p[i] - s->ankle[i]) * s->r->to.side[i];
    }
    if (forward > s->nose && height(s, p) < ankle) {
        s->nose = forward;
        s->nose_height = height(s, p) - s->low;
    }
    if (height(s, p) > s->low + sole_part * (ankle - s->low))
        return;
    s->ahead = forward > s->ahead ? forward : s->ahead;
    s->behind = forward < s->behind ? forward : s->behind;
    s->left = aside > s->left ? aside : s->left;
    s->right = aside < s->right ? aside : s->right;
}

static bool go_through_skin(sole_search* s, void (*look)(sole_search*, const float*)) {
    const limber_model* model = s->r->character;
    for (uint32_t i = 0; i < model->mesh_count; i++) {
        const limber_mesh* mesh = &model->meshes[i];
        float* places = limberi_allocate((size_t)mesh->vertex_count * 3 * sizeof *places);
        if (!places)
            return false;
        limber_mesh_rest_positions(model, mesh, places);
        for (uint32_t v = 0; v < mesh->vertex_count; v++)
            if (belongs(s, mesh, v))
                look(s, places + 3 * (size_t)v);
        limberi_release(places);
    }
    return true;
}

static bool find_sole(sole_search* s) {
    const limber_rig* rig = &s->r->character->rig;
    uint32_t end = (uint32_t)s->foot->to->end;
    for (uint32_t j = 0; j < rig->joint_count; j++)
        s->is_foot[j] = j == end || (rig->parents[j] >= 0 && s->is_foot[rig->parents[j]]);
    limberi_rest_place(rig, end, s->ankle);
    s->low = INFINITY;
    s->ahead = s->behind = s->left = s->right = s->nose = s->nose_height = 0;
    if (!go_through_skin(s, look_low))
        return false;
    s->foot->has_sole = isfinite(s->low);
    return !s->foot->has_sole || go_through_skin(s, look_far);
}

static void set_point(const sole_search* s, double forward, double aside, double* point) {
    const double* up = s->r->to.up;
    double ankle = s->ankle[0] * up[0] + s->ankle[1] * up[1] + s->ankle[2] * up[2];
    for (int i = 0; i < 3; i++)
        point[i] = forward * s->r->to.front[i] + aside * s->r->to.side[i] + (s->low - ankle) * up[i];
}

static double forward_of(const sole_search* s, const double* way) {
    const double* front = s->r->to.front;
    return way[0] * front[0] + way[1] * front[1] + way[2] * front[2];
}

// How far ahead the part of the sole ends that turns with the ankle: toes that turn on their own are not part of it, but
// for what of them lies nearer than the motion's toes do.
static double ball_of(const sole_search* s) {
    double toes = forward_of(s, s->foot->toes);
    double wanted = forward_of(s, s->foot->from_toes);
    double ball = toes > wanted ? toes : wanted;
    return s->foot->has_toes && ball > 0 && ball < s->ahead ? ball : s->ahead;
}

static void set_pivot(const sole_search* s) {
    limberi_foot* foot = s->foot;
    foot->can_roll = foot->has_toes;
    double farther = foot->has_sole ? forward_of(s, foot->ball) - forward_of(s, foot->toes) : 0;
    for (int i = 0; i < 3; i++) {
        foot->pivot[i] = foot->has_toes ? foot->toes[i] + farther * s->r->to.front[i] : foot->tip[i];
        foot->longer[i] = foot->pivot[i] - foot->from_toes[i];
    }
}

limber_result limberi_find_soles(limber_retarget* r) {
    sole_search s = {0};
    s.r = r;
    s.is_foot = limberi_allocate(r->character->rig.joint_count * sizeof *s.is_foot);
    if (!s.is_foot)
        return LIMBER_ERROR_MEMORY;
    bool done = true;
    r->sole = INFINITY;
    for (uint32_t i = 0; done && i < r->foot_count; i++) {
        s.foot = &r->feet[i];
        done = find_sole(&s);
        double middle = 0.5 * (s.left + s.right);
        double half = 0.5 * (s.ahead + s.behind);
        set_point(&s, s.ahead, middle, s.foot->tip);
        set_point(&s, ball_of(&s), middle, s.foot->ball);
        set_point(&s, s.behind, middle, s.foot->heel);
        set_point(&s, half, s.left, s.foot->left);
        set_point(&s, half, s.right, s.foot->right);
        set_point(&s, s.nose, middle, s.foot->nose);
        for (int k = 0; k < 3; k++)
            s.foot->nose[k] += s.nose_height * r->to.up[k];
        set_pivot(&s);
        r->sole = s.foot->has_sole && s.low < r->sole ? s.low : r->sole;
    }
    limberi_release(s.is_foot);
    return done ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}
