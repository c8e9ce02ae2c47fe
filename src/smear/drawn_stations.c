// Stations along the parts: which vertices each is the mean of, by joints, so that a pose alone places them.
#include "base/sort.h"
#include "base/symmetric.h"
#include "smear/drawn.h"

#include <stdlib.h>
#include <string.h>

static const float stubby_below = 1.6f; // times its width: shorter parts have one path
static const float slim_from = 2.3f;    // times its width: shorter ones leave no ribbon
static const float slim_to = 2.58f;
static const float broad_from = 0.36f; // of a part's length: stations as wide leave no ribbon
static const float broad_to = 0.48f;
static const float min_width = 0.35f;   // of the usual diameter of a part
static const float coarse_from = 0.25f; // mean edge over width
static const float coarse_to = 0.5f;
static const float cap_share = 0.2f;    // of a joint's skin is one rigid piece: what is under it goes along
static const float under_share = 0.95f; // of a vertex' weight: it is all of that joint
static const float soft_share = 0.3f;   // of a joint's skin is not rigid: what sits on it goes along
static const double whole_share = 0.9;  // of a part is soft: it is no limb of a robot
static const double broad = 0.45;       // times as thick as long: a rigid head, hat or body, no blade
static const double sheet = 0.35;       // times as deep as thick: a cape, which may hang on soft skin
static const double broad_size = 0.043; // of L, standard deviation: smaller ones, as a fist, are not stretched
static const float cloth_from = 0.12f;  // of a part's weights are its neighbours': it is a panel of cloth
static const float cloth_to = 0.16f;
static const float floor_from = 0.08f; // of the character's height: parts that end so low stand on the floor
static const float floor_to = 0.16f;
static const uint32_t few_vertices = 12 * LIMBERI_STATIONS;
enum { COLOR_SAMPLES = 24, BAND = 2, LAST = LIMBERI_STATIONS - 1 };

// --- vertices ---

// Where a vertex lies along its part: on the pieces of its bones, by weight. The first and the last piece have no end.
static float arc_of(const limberi_drawn_builder* b, uint32_t bone, limber_vec3 p) {
    limber_vec3 way = limberi_sub(b->to[bone], b->from[bone]);
    float length = limberi_length(way);
    float t = length > 0 ? limberi_dot(limberi_sub(p, b->from[bone]), way) / (length * length) : 0;
    return b->arc[bone] + length * limberi_clamp(t, b->arc[bone] > 0 ? 0 : -1, b->last[bone] ? 2 : 1);
}

static void place_vertex(limberi_drawn_builder* b, const limber_mesh* mesh, uint32_t u) {
    struct limberi_drawn* d = b->drawn;
    const uint32_t* joints = b->smearer->model->skins[mesh->skin].joints;
    uint32_t v = mesh->first_vertex + u;
    uint8_t part = b->part_of_bone[b->bone_of[b->joint[v]]];
    float sum = 0;
    float arc = 0;
    d->part_of[v] = LIMBERI_PART_NONE;
    for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
        uint32_t bone = b->bone_of[joints[mesh->influence_joint[i]]];
        if (part == LIMBERI_PART_NONE || b->part_of_bone[bone] != part)
            continue;
        sum += mesh->influence_weight[i];
        arc += mesh->influence_weight[i] * arc_of(b, bone, limberi_load3(b->rest + 3 * (size_t)v));
    }
    if (!(sum > 0.5f) || limberi_smear_skips(b->smearer, mesh))
        return;
    float grip = b->grip[b->bone_of[b->joint[v]]];
    bool other = grip > 0 && arc / sum < grip;
    d->part_of[v] = other ? part + 1 : part;
    d->along[v] = other ? grip - arc / sum : arc / sum;
    d->hold[v] = limberi_ss(0.5f, 1, sum);
}

// From lengths to stations.
static void scale_places(struct limberi_drawn* d, uint32_t vertices) {
    float low[LIMBERI_PARTS], high[LIMBERI_PARTS];
    for (uint32_t i = 0; i < LIMBERI_PARTS; i++) {
        low[i] = HUGE_VALF;
        high[i] = -HUGE_VALF;
    }
    for (uint32_t v = 0; v < vertices; v++) {
        uint8_t i = d->part_of[v];
        if (i == LIMBERI_PART_NONE)
            continue;
        low[i] = fminf(low[i], d->along[v]);
        high[i] = fmaxf(high[i], d->along[v]);
    }
    for (uint32_t v = 0; v < vertices; v++) {
        uint8_t i = d->part_of[v];
        if (i == LIMBERI_PART_NONE)
            continue;
        float span = d->parts[i].length = high[i] - low[i];
        d->along[v] = span > 0 ? limberi_clamp((d->along[v] - low[i]) / span, 0, 1) * LAST : 0;
    }
}

// Panels of a skirt share their skin with each other all the way down; limbs only where they begin.
static void find_panels(limberi_drawn_builder* b) {
    const limber_model* model = b->smearer->model;
    struct limberi_drawn* d = b->drawn;
    double area[LIMBERI_PARTS] = {0};
    double shared[LIMBERI_PARTS] = {0};
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const uint32_t* joints = model->skins[mesh->skin].joints;
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            uint32_t v = mesh->first_vertex + u;
            uint8_t part = d->part_of[v];
            if (part == LIMBERI_PART_NONE || d->along[v] < LAST / 3.0f)
                continue;
            area[part] += (double)d->areas[v];
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
                uint8_t other = b->part_of_bone[b->bone_of[joints[mesh->influence_joint[i]]]];
                if (other != LIMBERI_PART_NONE && other != b->part_of_bone[b->bone_of[b->joint[v]]])
                    shared[part] += (double)mesh->influence_weight[i] * (double)d->areas[v];
            }
        }
    }
    for (uint32_t i = 0; i < d->limb_count; i++) {
        float panel = limberi_ss(cloth_from, cloth_to, (float)(shared[i] / fmax(area[i], 1e-30)));
        d->parts[i].cloth = fmaxf(d->parts[i].cloth, panel);
        d->parts[i].slim *= 1 - panel;
    }
}

// --- shares ---

static void add_share(struct limberi_drawn* d, uint32_t station, uint32_t joint, const limberi_drawn_cloud* s,
                      double whole) {
    if (!(s->weight > 1e-6 * whole))
        return;
    limberi_drawn_share* share = &d->shares[d->share_count++];
    double mean[3];
    double spread[9];
    limberi_drawn_cloud_spread(s, mean, spread);
    share->station = station;
    share->joint = joint;
    share->share = (float)(s->weight / whole);
    share->mean = limberi_vec3((float)mean[0], (float)mean[1], (float)mean[2]);
    for (size_t i = 0, n = 0; i < 3; i++)
        for (size_t k = i; k < 3; k++)
            share->spread[n++] = (float)spread[3 * i + k];
}

// How much of a station a vertex is: a hat as wide as the distance to its neighbours.
static double hat(const struct limberi_drawn* d, uint32_t v, uint32_t part, uint32_t station) {
    float at = limberi_drawn_place(d, v, part);
    if (at < 0)
        return 0;
    if (d->parts[part].stubby)
        return 1;
    return (double)fmaxf(1 - fabsf(at - (float)station) / d->parts[part].hat, 0);
}

// All joints of one station; `part` LIMBERI_PART_NONE: of the whole body, `joint` >= 0: of what hangs on it. Returns its
// weight.
static double gather(limberi_drawn_builder* b, uint32_t part, uint32_t station, int32_t joint,
                     limberi_drawn_cloud* of_joint) {
    const limber_model* model = b->smearer->model;
    struct limberi_drawn* d = b->drawn;
    double whole = 0;
    memset(of_joint, 0, model->rig.joint_count * sizeof *of_joint);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const limber_skin* skin = &model->skins[mesh->skin];
        for (uint32_t u = 0; !limberi_smear_skips(b->smearer, mesh) && u < mesh->vertex_count; u++) {
            uint32_t v = mesh->first_vertex + u;
            double weight = part == LIMBERI_PART_NONE ? 1 : hat(d, v, part, station);
            if (!(weight > 0) || (joint >= 0 && b->joint[v] != (uint32_t)joint))
                continue;
            weight *= (double)d->areas[v] + 1e-30;
            whole += weight;
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
                uint32_t slot = mesh->influence_joint[i];
                limber_vec3 p =
                    limberi_mat4_point(&skin->joint_from_mesh[slot], limberi_load3(mesh->positions + 3 * (size_t)u));
                limberi_drawn_cloud_add(&of_joint[skin->joints[slot]], weight * (double)mesh->influence_weight[i], p);
            }
        }
    }
    return whole;
}

// A station without vertices lies between its neighbours.
static void fill_hole(struct limberi_drawn* d, uint32_t station, uint32_t before, uint32_t after, uint32_t known) {
    float t = after > before ? (float)(station - before) / (float)(after - before) : 0;
    for (uint32_t i = 0; i < known; i++) {
        limberi_drawn_share share = d->shares[i];
        float part = share.station == before ? 1 - t : 0;
        part += share.station == after ? t : 0;
        if (!(part > 0))
            continue;
        share.station = station;
        share.share *= part;
        d->shares[d->share_count++] = share;
    }
}

static void fill_holes(struct limberi_drawn* d, uint32_t first, const bool* full, uint32_t known) {
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
        uint32_t before = k;
        uint32_t after = k;
        while (before > 0 && !full[before])
            before--;
        while (after < LAST && !full[after])
            after++;
        if (full[k] || !(full[before] || full[after]))
            continue;
        before = full[before] ? before : after;
        after = full[after] ? after : before;
        fill_hole(d, first + k, first + before, first + after, known);
    }
}

static void add_stations(limberi_drawn_builder* b, uint32_t part, limberi_drawn_cloud* of_joint) {
    struct limberi_drawn* d = b->drawn;
    uint32_t first = part * LIMBERI_STATIONS;
    bool full[LIMBERI_STATIONS];
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
        double whole = gather(b, part, k, -1, of_joint);
        full[k] = whole > 0;
        for (uint32_t j = 0; full[k] && j < b->smearer->model->rig.joint_count; j++)
            add_share(d, first + k, j, &of_joint[j], whole);
    }
    fill_holes(d, first, full, d->share_count);
}

// --- sizes ---

// The usual width in the rest pose.
static float measure_part(struct limberi_drawn* d, uint32_t part, const limberi_drawn_point* points) {
    limberi_drawn_part* p = &d->parts[part];
    float radii[LIMBERI_STATIONS];
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
        const float* s = points[k].spread;
        float along = limberi_drawn_extent(s, limberi_drawn_axis(points, k, d->smearer->size));
        radii[k] = sqrtf(fmaxf(s[0] + s[3] + s[5] - along * along / 12, 0));
        p->lean[k] = 1 - limberi_ss(broad_from * p->length, broad_to * p->length, sqrtf(6) * radii[k]);
    }
    qsort(radii, LIMBERI_STATIONS, sizeof radii[0], limberi_compare_floats);
    float radius = 0.5f * (radii[LAST / 2] + radii[LAST / 2 + 1]);
    p->min_width = fmaxf(min_width * 2 * radius, 1e-3f * d->smearer->size);
    return sqrtf(6) * radius; // of a bar with this standard deviation to either side
}

// Parts whose edges are as long as they are thick would break, and rigid ones do not bend.
static void measure_edges(limberi_drawn_builder* b, uint32_t part, float width) {
    const limber_model* model = b->smearer->model;
    const struct limberi_drawn* d = b->drawn;
    double sum = 0;
    double count = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
            uint32_t v = mesh->first_vertex + mesh->triangles[i];
            uint32_t w = mesh->first_vertex + mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
            if (limberi_drawn_place(d, v, part) < 0 || limberi_drawn_place(d, w, part) < 0)
                continue;
            limber_vec3 edge =
                limberi_sub(limberi_load3(b->rest + 3 * (size_t)v), limberi_load3(b->rest + 3 * (size_t)w));
            sum += (double)limberi_length(edge);
            count++;
        }
    }
    float edge = count > 0 && width > 0 ? (float)(sum / count) / width : 1;
    b->drawn->parts[part].fine = 1 - limberi_ss(coarse_from, coarse_to, edge);
}

// Whether the stations of a part are flat as seen from above, as those of a cape are and of no leg.
static bool is_sheet(const limberi_drawn_point* points) {
    double spread[4] = {0, 0, 0, 0};
    double values[2];
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
        spread[0] += (double)points[k].spread[0];
        spread[1] = spread[2] += (double)points[k].spread[2];
        spread[3] += (double)points[k].spread[5];
    }
    limberi_eigen_small(spread, 2, values);
    return values[1] < sheet * sheet * values[0];
}

// Legs swing one after the other in every walk.
static void find_legs(limberi_drawn_builder* b, const limberi_drawn_point* points) {
    struct limberi_drawn* d = b->drawn;
    float low = HUGE_VALF;
    float high = -HUGE_VALF;
    for (uint32_t v = 0; v < b->smearer->model->vertex_count; v++) {
        float y = b->rest[3 * (size_t)v + 1];
        low = d->areas[v] > 0 ? fminf(low, y) : low;
        high = d->areas[v] > 0 ? fmaxf(high, y) : high;
    }
    for (uint32_t i = 0; i < d->limb_count && high > low; i++) {
        const limberi_drawn_point* tip = points + i * LIMBERI_STATIONS + LAST;
        float bottom = tip->center.y - sqrtf(3 * fmaxf(tip->spread[3], 0));
        bool leg = d->limb_count > 1 && !d->parts[i].stubby;
        float stands = leg ? 1 - limberi_ss(floor_from, floor_to, (bottom - low) / (high - low)) : 0;
        d->parts[i].cloth = stands > 0 && is_sheet(tip - LAST) ? 1 : 0;
        d->parts[i].stands = stands * (1 - d->parts[i].cloth);
    }
}

static void pose_rest(const struct limberi_drawn* d, limberi_drawn_point* points) {
    limber_pose rest;
    memset(&rest, 0, sizeof rest);
    rest.world_from_joint = (limber_mat4*)(uintptr_t)d->smearer->model->rig.world_from_joint_rest; // only read
    limberi_drawn_pose(d, &rest, points);
}

static uint32_t count_part(const struct limberi_drawn* d, uint32_t part) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < d->smearer->model->vertex_count; v++)
        count += limberi_drawn_place(d, v, part) >= 0;
    return count;
}

static void measure_parts(limberi_drawn_builder* b, uint32_t first, limberi_drawn_cloud* of_joint,
                          limberi_drawn_point* points) {
    struct limberi_drawn* d = b->drawn;
    for (uint32_t i = first; i < d->part_count; i++) {
        uint32_t kept = d->share_count;
        d->parts[i].hat = count_part(d, i) < few_vertices ? 2 : 1; // a few would jump from side to side
        add_stations(b, i, of_joint);
        pose_rest(d, points);
        float width = measure_part(d, i, points + i * LIMBERI_STATIONS);
        measure_edges(b, i, width);
        d->parts[i].stubby = d->parts[i].length < stubby_below * width;
        d->parts[i].slim = limberi_ss(slim_from * width, slim_to * width, d->parts[i].length);
        d->parts[i].fine = i < d->limb_count ? d->parts[i].fine : 0;
        if (!d->parts[i].stubby)
            continue;
        d->share_count = kept;
        add_stations(b, i, of_joint);
    }
}

// --- what sits on what ---

// What find_riders knows of joints and islands.
typedef struct riders {
    double *soft, *largest; // [joint] area of its skin, and of its largest rigid island
    uint8_t* broad;         // [joint] rigid, but broad enough to be stretched
    double* areas;          // [island]
    uint16_t* number;       // [joint, island] of those that move together, from 1 on
} riders;

// Whether most of the skin of a joint is rigid.
static bool is_stiff(const limberi_drawn_builder* b, const riders* r, uint32_t joint) {
    return r->soft[joint] < (double)soft_share * b->own[joint];
}

// Rigid heads, hats and bodies of figures made of pieces are stretched like soft ones; what sits on soft skin, blades,
// limbs and what is held are not.
static limber_result find_broad(limberi_drawn_builder* b, riders* r) {
    const struct limberi_drawn* d = b->drawn;
    uint32_t joints = b->smearer->model->rig.joint_count;
    limberi_drawn_cloud* of_joint = LIMBERI_ALLOCATE(&b->scratch, limberi_drawn_cloud, joints);
    r->broad = LIMBERI_ALLOCATE(&b->scratch, uint8_t, joints);
    if (b->scratch.failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t v = 0; v < b->smearer->model->vertex_count; v++)
        if (b->rigid[v])
            limberi_drawn_cloud_add(&of_joint[b->joint[v]], (double)d->areas[v],
                                    limberi_load3(b->rest + 3 * (size_t)v));
    for (uint32_t j = 0; j < joints; j++) {
        uint8_t part = b->part_of_bone[b->bone_of[j]];
        bool limb = part != LIMBERI_PART_NONE && d->parts[part].slim > 0.5f && !d->parts[part].stubby;
        int32_t above = b->parents[j];
        while (above >= 0 && !(b->own[above] > 0))
            above = b->parents[above];
        bool on_soft = above >= 0 && !is_stiff(b, r, (uint32_t)above);
        if (limb || b->prop[b->bone_of[j]] || !is_stiff(b, r, j))
            continue;
        limberi_drawn_bar bar = limberi_drawn_cloud_bar(&of_joint[j]);
        bool cape = part != LIMBERI_PART_NONE && bar.depth < sheet * bar.width;
        r->broad[j] =
            (cape || !on_soft) && bar.width > broad * bar.length && bar.length > broad_size * (double)b->smearer->size;
    }
    return LIMBER_OK;
}

static limber_result measure_riders(limberi_drawn_builder* b, riders* r) {
    const limber_model* model = b->smearer->model;
    uint32_t joints = model->rig.joint_count;
    r->soft = LIMBERI_ALLOCATE(&b->scratch, double, joints);
    r->largest = LIMBERI_ALLOCATE(&b->scratch, double, joints);
    r->areas = LIMBERI_ALLOCATE(&b->scratch, double, b->islands);
    r->number = LIMBERI_ALLOCATE(&b->scratch, uint16_t, (size_t)joints + b->islands);
    if (b->scratch.failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        double area = (double)b->drawn->areas[v];
        r->soft[b->joint[v]] += b->rigid[v] ? 0 : area;
        r->areas[b->island[v]] += b->rigid[v] ? area : 0;
    }
    for (uint32_t i = 0; i < b->islands; i++)
        r->largest[b->island_joint[i]] = fmax(r->largest[b->island_joint[i]], r->areas[i]);
    return find_broad(b, r);
}

// Rigid islands keep their shape: those on soft skin (eyes, buttons) each go with it, all others of a joint together. So
// does the skin under a large one, as hair: it would come out of it.
static limber_result find_riders(limberi_drawn_builder* b) {
    const limber_model* model = b->smearer->model;
    struct limberi_drawn* d = b->drawn;
    uint32_t joints = model->rig.joint_count;
    riders r;
    d->island_stiff = LIMBERI_ALLOCATE(&b->smearer->arena, uint8_t, (size_t)joints + b->islands);
    if (!d->island_stiff || measure_riders(b, &r))
        return LIMBER_ERROR_MEMORY;
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        uint32_t island = b->island[v];
        uint32_t joint = b->rigid[v] ? b->island_joint[island] : b->joint[v];
        bool drawn_out = r.broad[joint] && b->rigid[v] && r.areas[island] > (double)cap_share * b->own[joint];
        bool stiff = !r.broad[joint] && is_stiff(b, &r, joint);
        bool capped = !r.broad[joint] && r.largest[joint] > (double)cap_share * b->own[joint];
        bool under = !b->rigid[v] && capped && !stiff && b->weight[v] > under_share;
        uint16_t* n = &r.number[stiff || capped ? joint : joints + island];
        d->island_of[v] = LIMBERI_NO_ISLAND;
        if (!(b->rigid[v] || under) || drawn_out || d->part_count < 2) // one piece alone is smeared as if it were soft
            continue;
        if (!*n && d->island_count < LIMBERI_NO_ISLAND - 1)
            *n = (uint16_t)++d->island_count;
        d->island_of[v] = *n ? (uint16_t)(*n - 1) : LIMBERI_NO_ISLAND;
        d->hold[v] = stiff ? 0 : d->hold[v];
        if (*n)
            d->island_stiff[*n - 1] = stiff;
    }
    d->island_steps = LIMBERI_ALLOCATE(&b->smearer->arena, limber_vec3, d->island_count);
    d->island_areas = LIMBERI_ALLOCATE(&b->smearer->arena, float, d->island_count);
    return b->smearer->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

// A part that is not stretched leaves a ribbon instead.
static void find_stiff(limberi_drawn_builder* b) {
    struct limberi_drawn* d = b->drawn;
    double area[LIMBERI_PARTS] = {0};
    double soft[LIMBERI_PARTS] = {0};
    double gain[LIMBERI_PARTS] = {0};
    for (uint32_t v = 0; v < b->smearer->model->vertex_count; v++) {
        uint8_t i = d->part_of[v];
        if (i == LIMBERI_PART_NONE)
            continue;
        double a = (double)d->areas[v] + 1e-30;
        area[i] += a;
        soft[i] += d->hold[v] > 0 ? a : 0;
        gain[i] += a * (b->smearer->gains ? (double)b->smearer->gains[v] : 1);
    }
    for (uint32_t i = 0; i < d->part_count; i++) {
        float bends = area[i] > 0 ? (float)limberi_smooth_step(0.2, 0.6, soft[i] / area[i]) : 0;
        d->parts[i].stiff = 1 - bends;
        d->parts[i].pieces = soft[i] < whole_share * area[i];
        d->parts[i].fine *= bends;
        d->parts[i].gain = area[i] > 0 ? (float)(gain[i] / area[i]) : 0;
        // Heads and hats move as one or are stretched; a ribbon through their middle would be a smudge.
        d->parts[i].slim = 1 - fmaxf(d->parts[i].stiff, d->parts[i].fine) * (1 - d->parts[i].slim);
        d->parts[i].head = d->parts[i].slim < 0.5f && d->parts[i].stands < 0.5f && !d->parts[i].stubby;
    }
}

// --- colours ---

static uint32_t count_vertices(const limberi_drawn_builder* b, uint32_t part, uint32_t station) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < b->smearer->model->vertex_count; v++)
        count += hat(b->drawn, v, part, station) > 0;
    return count;
}

static uint32_t look_at_colors(limberi_drawn_builder* b, uint32_t part, uint32_t station, float (*found)[4],
                               float* areas) {
    const limber_model* model = b->smearer->model;
    uint32_t stride = count_vertices(b, part, station) / COLOR_SAMPLES + 1;
    uint32_t seen = 0;
    uint32_t count = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        for (uint32_t u = 0; u < model->meshes[m].vertex_count; u++) {
            uint32_t v = model->meshes[m].first_vertex + u;
            if (!(hat(b->drawn, v, part, station) > 0) || seen++ % stride)
                continue;
            limberi_smear_seed seed = {m, {v, v, v}, {1, 0, 0}, {0}, {0}};
            areas[count] = b->drawn->areas[v] * (float)hat(b->drawn, v, part, station);
            limberi_smear_surface_color(b->smearer, &seed, found[count++]);
        }
    return count;
}

// The colour that is nearest to all others: one that is there, and no odd one.
static void usual_color(float (*found)[4], const float* areas, uint32_t count, float* out) {
    float best = HUGE_VALF;
    for (uint32_t i = 0; i < count; i++) {
        float off = 0;
        for (uint32_t k = 0; k < count; k++)
            for (int c = 0; c < 3; c++)
                off += areas[k] * fabsf(found[i][c] - found[k][c]);
        if (!(off < best))
            continue;
        best = off;
        memcpy(out, found[i], 4 * sizeof *out);
    }
}

// Bands of a station or two, as rings and cuffs, would be stripes in a ribbon: a station has the usual colour of those
// around it.
static void drop_bands(float (*colors)[4]) {
    static const float same[2 * BAND + 1] = {1, 1, 1, 1, 1};
    float all[LIMBERI_STATIONS][4];
    memcpy(all, colors, sizeof all);
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
        uint32_t first = k > BAND ? k - BAND : 0;
        uint32_t last = k + BAND < LAST ? k + BAND : LAST;
        usual_color(all + first, same, last - first + 1, colors[k]);
    }
}

static void color_parts(limberi_drawn_builder* b) {
    struct limberi_drawn* d = b->drawn;
    for (uint32_t i = 0; i < d->part_count; i++) {
        float(*colors)[4] = d->colors + (size_t)i * LIMBERI_STATIONS;
        for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
            float found[COLOR_SAMPLES][4];
            float areas[COLOR_SAMPLES];
            if (k > 0)
                memcpy(colors[k], colors[k - 1], sizeof *colors); // a station without vertices
            usual_color(found, areas, look_at_colors(b, i, k, found, areas), colors[k]);
        }
        drop_bands(colors);
    }
}

// --- the trunk ---

// The two bones of the trunk and the limb that hold most of a vertex, and their shares.
static void hang_vertex(limberi_drawn_builder* b, const limber_mesh* mesh, uint32_t u, const uint8_t* number) {
    struct limberi_drawn* d = b->drawn;
    const uint32_t* joints = b->smearer->model->skins[mesh->skin].joints;
    uint32_t v = mesh->first_vertex + u;
    float of_limb = 0;
    float of_trunk[2] = {0, 0};
    d->trunk_of[v][0] = d->trunk_of[v][1] = d->limb_of[v] = LIMBERI_PART_NONE;
    for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
        uint32_t joint = joints[mesh->influence_joint[i]];
        uint8_t part = b->part_of_bone[b->bone_of[joint]];
        float weight = mesh->influence_weight[i];
        if (part != LIMBERI_PART_NONE && part < d->limb_count && weight > of_limb) {
            of_limb = weight;
            d->limb_of[v] = part;
        }
        if (part != LIMBERI_PART_NONE || number[joint] == LIMBERI_PART_NONE || !(weight > of_trunk[1]))
            continue;
        int rank = weight > of_trunk[0] ? 0 : 1;
        of_trunk[1] = rank ? weight : of_trunk[0];
        d->trunk_of[v][1] = rank ? number[joint] : d->trunk_of[v][0];
        of_trunk[0] = rank ? of_trunk[0] : weight;
        d->trunk_of[v][0] = rank ? d->trunk_of[v][0] : number[joint];
    }
    float trunk = of_trunk[0] + of_trunk[1];
    d->limb_share[v] = of_limb + trunk > 0 ? of_limb / (of_limb + trunk) : 0;
    d->trunk_share[v] = trunk > 0 ? of_trunk[1] / trunk : 0;
}

// Bones of the trunk, each with a point: what of a body stands while its limbs go is not smeared with it.
static limber_result find_trunk(limberi_drawn_builder* b, limberi_drawn_cloud* of_joint) {
    const limber_model* model = b->smearer->model;
    struct limberi_drawn* d = b->drawn;
    uint32_t joints = model->rig.joint_count;
    uint8_t* number = LIMBERI_ALLOCATE(&b->scratch, uint8_t, joints);
    d->trunk_of = (uint8_t(*)[2])limberi_arena_allocate(&b->smearer->arena, model->vertex_count, sizeof *d->trunk_of);
    d->trunk_share = LIMBERI_ALLOCATE(&b->smearer->arena, float, model->vertex_count);
    d->limb_of = LIMBERI_ALLOCATE(&b->smearer->arena, uint8_t, model->vertex_count);
    d->limb_share = LIMBERI_ALLOCATE(&b->smearer->arena, float, model->vertex_count);
    if (b->scratch.failed || b->smearer->arena.failed)
        return LIMBER_ERROR_MEMORY;
    memset(number, LIMBERI_PART_NONE, joints);
    uint32_t joint_of[LIMBERI_TRUNK_BONES];
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        uint32_t joint = b->joint[v];
        if (d->part_of[v] != LIMBERI_PART_NONE || !(d->areas[v] > 0) || number[joint] != LIMBERI_PART_NONE ||
            b->part_of_bone[b->bone_of[joint]] != LIMBERI_PART_NONE || d->trunk_count == LIMBERI_TRUNK_BONES)
            continue;
        joint_of[d->trunk_count] = joint;
        number[joint] = (uint8_t)d->trunk_count++;
    }
    for (uint32_t m = 0; m < model->mesh_count; m++)
        for (uint32_t u = 0; u < model->meshes[m].vertex_count; u++)
            hang_vertex(b, &model->meshes[m], u, number);
    uint32_t first = d->part_count * LIMBERI_STATIONS + 1;
    for (uint32_t k = 0; k < d->trunk_count; k++) {
        double whole = gather(b, LIMBERI_PART_NONE, 0, (int32_t)joint_of[k], of_joint);
        for (uint32_t j = 0; whole > 0 && j < joints; j++)
            add_share(d, first + k, j, &of_joint[j], whole);
    }
    return LIMBER_OK;
}

// --- all of it ---

static limber_result allocate(limberi_drawn_builder* b, uint32_t joints, uint32_t vertices) {
    struct limberi_drawn* d = b->drawn;
    limberi_arena* arena = &b->smearer->arena;
    size_t stations = (size_t)LIMBERI_PARTS * LIMBERI_STATIONS + 1 + LIMBERI_TRUNK_BONES;
    d->part_of = LIMBERI_ALLOCATE(arena, uint8_t, vertices);
    d->along = LIMBERI_ALLOCATE(arena, float, vertices);
    d->hold = LIMBERI_ALLOCATE(arena, float, vertices);
    d->island_of = LIMBERI_ALLOCATE(arena, uint16_t, vertices);
    d->shares = LIMBERI_ALLOCATE(&b->scratch, limberi_drawn_share, 2 * stations * joints + 1);
    d->colors = (float(*)[4])limberi_arena_allocate(arena, stations, sizeof *d->colors);
    return arena->failed || b->scratch.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

limber_result limberi_drawn_place_stations(limberi_drawn_builder* b) {
    const limber_model* model = b->smearer->model;
    struct limberi_drawn* d = b->drawn;
    limberi_drawn_cloud* of_joint = LIMBERI_ALLOCATE(&b->scratch, limberi_drawn_cloud, model->rig.joint_count);
    limberi_drawn_point* points =
        LIMBERI_ALLOCATE(&b->scratch, limberi_drawn_point, (size_t)LIMBERI_PARTS * LIMBERI_STATIONS + 1);
    if (allocate(b, model->rig.joint_count, model->vertex_count) || !of_joint || !points)
        return LIMBER_ERROR_MEMORY;
    d->limb_count = d->part_count;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        for (uint32_t u = 0; u < model->meshes[m].vertex_count; u++)
            place_vertex(b, &model->meshes[m], u);
    scale_places(d, model->vertex_count);
    measure_parts(b, 0, of_joint, points);
    uint32_t holders = 0;
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        holders += b->own[j] > 0;
    d->one_piece = holders == 1 && d->limb_count == 1 && !d->parts[0].stubby;
    find_legs(b, points);
    if (find_riders(b))
        return LIMBER_ERROR_MEMORY;
    find_stiff(b);
    find_panels(b);
    if (limberi_drawn_find_spikes(b))
        return LIMBER_ERROR_MEMORY;
    measure_parts(b, d->limb_count, of_joint, points);
    double whole = gather(b, LIMBERI_PART_NONE, 0, -1, of_joint);
    for (uint32_t j = 0; whole > 0 && j < model->rig.joint_count; j++)
        add_share(d, d->part_count * LIMBERI_STATIONS, j, &of_joint[j], whole);
    if (find_trunk(b, of_joint))
        return LIMBER_ERROR_MEMORY;
    d->shares = LIMBERI_COPY(&b->smearer->arena, limberi_drawn_share, d->shares, d->share_count);
    if (!d->shares)
        return LIMBER_ERROR_MEMORY;
    color_parts(b);
    return LIMBER_OK;
}
