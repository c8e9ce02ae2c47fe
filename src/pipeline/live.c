// Live use: poses come from outside, one by one, and the next one is unknown. Motion by backward differences, time
// filters stepped with the real time between poses, smears into the past.
#include "motion/live.h"
#include "base/build.h"
#include "base/error.h"
#include "base/memory.h"
#include "motion/kinematics.h"
#include "motion/time_filter.h"
#include "perform/live_acting.h"
#include "pipeline/pipeline_private.h"
#include <limber/stages/smear_live.h>

#include <math.h>
#include <string.h>

// What a pose leaves in a pipeline.
typedef struct posed {
    limber_pose pose;
    limber_kinematics world_motion, filtered[LIMBERI_SLOTS];
    float *skinned, *deformed, *normals, *morph_rates;
    const limber_contacts* contacts;
    const limberi_live_contacts* live_contacts;
    const limberi_live_acting* live_acting;
    const limber_live* live;
    int32_t clip;
    double time_s;
    bool is_filtered, is_what_if, by_program;
} posed;

struct limber_live {
    limber_pipeline* pipeline;
    posed* own; // of limber_live_evaluate; NULL until the first one
    limber_tracker* tracker;
    limberi_live_filter* filters[LIMBERI_SLOTS]; // [pipeline->filter_count]
    bool running;                                // some pose was pushed since the last reset
    double start_s, time_s;                      // of the first pose and of the newest
    limber_smear_live* smears;                   // NULL until they are asked for
    limber_ground_height ground;                 // NULL: the floor of the style, if it has one
    void* ground_user;
    limberi_live_contacts* contacts;    // NULL: the style has none
    float *morph_weights, *morph_rates; // of the newest pose; NULL: nothing looks at how they change
    bool knows_morphs;                  // some pose has filled them since the last reset
    limberi_live_acting* acting;        // NULL: the style has neither poses nor a body
    limberi_averager* averager;
    float *positions, *normals, *offsets; // of the smeared frame
};

// --- the stream ---

// As if the stream had gone through this pipeline before: equal filters go on, others start from the motion as it is.
static void continue_stream(limber_live* live, const limber_live* before) {
    const limber_pipeline* p = live->pipeline;
    const limber_pipeline* q = before->pipeline;
    limberi_tracker_copy(live->tracker, before->tracker);
    live->running = before->running;
    live->start_s = before->start_s;
    live->time_s = before->time_s;
    if (LIMBERI_HAS_ACTING && live->acting && before->acting)
        limberi_live_acting_copy(live->acting, before->acting);
    if (live->morph_rates && before->morph_rates) {
        memcpy(live->morph_weights, before->morph_weights, p->model->morph_count * sizeof *live->morph_weights);
        memcpy(live->morph_rates, before->morph_rates, p->model->morph_count * sizeof *live->morph_rates);
        live->knows_morphs = before->knows_morphs;
    }
    for (uint32_t i = 0; i < p->filter_count; i++) {
        limberi_live_filter_start(live->filters[i], limber_tracker_kinematics(live->tracker));
        for (uint32_t k = 0; k < q->filter_count; k++)
            if (limberi_filters_equal(&p->filters[i], &q->filters[k]))
                limberi_live_filter_copy(live->filters[i], before->filters[k]);
    }
}

static bool acts(const limber_perform_settings* s) {
    return LIMBERI_HAS_ACTING && (s->exaggerate != 0 || s->squash != 0 || s->bend != 0);
}

static limber_result create_acting(const limber_pipeline* p, limberi_live_acting** acting) {
    const limberi_performer* performer = limberi_pipeline_live_performer(p);
    *acting = performer ? limberi_live_acting_create(performer, &p->settings.perform) : NULL;
    return *acting ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

limber_result limber_live_create(limber_pipeline* p, const limber_live* before, limber_live** live,
                                 limber_error* error) {
    *live = NULL;
    if (before && before->pipeline->asset != p->asset)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the motion to continue belongs to another character");
    limber_live* made = limberi_allocate_zeroed(1, sizeof *made);
    limber_result result = made ? limber_tracker_create(p->model, &made->tracker, NULL) : LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; !result && i < p->filter_count; i++)
        result = limberi_live_filter_create(p->model, &p->filters[i], p->settings.motion.step_s, &made->filters[i]);
    if (LIMBERI_HAS_CONTACTS && !result && p->ground &&
        (p->settings.contacts.strength > 0 || p->settings.impact.gain > 0 || acts(&p->settings.perform))) {
        made->contacts = limberi_live_contacts_create(p->asset);
        result = made->contacts ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    }
    if (LIMBERI_HAS_ACTING && !result && acts(&p->settings.perform) && p->model->rig.joint_count)
        result = create_acting(p, &made->acting);
    if (!result && p->morph_rates) {
        made->morph_weights = limberi_allocate_zeroed(p->model->morph_count, sizeof *made->morph_weights);
        made->morph_rates = limberi_allocate_zeroed(p->model->morph_count, sizeof *made->morph_rates);
        result = made->morph_weights && made->morph_rates ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    }
    if (result) {
        limber_live_destroy(made);
        return limberi_fail_memory(error);
    }
    made->pipeline = p;
    limberi_tracker_window(made->tracker, p->settings.motion.step_s);
    if (before) {
        continue_stream(made, before);
        made->ground = before->ground;
        made->ground_user = before->ground_user;
    }
    *live = made;
    return LIMBER_OK;
}

static void destroy_posed(posed* own) {
    if (!own)
        return;
    limber_pose_destroy(&own->pose);
    limber_kinematics_destroy(&own->world_motion);
    for (uint32_t i = 0; i < LIMBERI_SLOTS; i++)
        limber_kinematics_destroy(&own->filtered[i]);
    limberi_release(own->skinned);
    limberi_release(own->deformed);
    limberi_release(own->normals);
    limberi_release(own->morph_rates);
    limberi_release(own);
}

void limber_live_destroy(limber_live* live) {
    if (!live)
        return;
    if (live->pipeline && live->pipeline->posed_live == live)
        live->pipeline->posed_live = NULL;
    if (live->pipeline && live->acting && live->pipeline->live_acting == live->acting)
        live->pipeline->live_acting = NULL;
    limber_tracker_destroy(live->tracker);
    for (uint32_t i = 0; i < LIMBERI_SLOTS; i++)
        limberi_live_filter_destroy(live->filters[i]);
    if (live->pipeline && live->contacts && live->pipeline->live_contacts == live->contacts)
        live->pipeline->live_contacts = NULL;
    limberi_live_contacts_destroy(live->contacts);
    if (LIMBERI_HAS_ACTING)
        limberi_live_acting_destroy(live->acting);
    limber_smear_live_destroy(live->smears);
    limberi_averager_destroy(live->averager);
    destroy_posed(live->own);
    limberi_release(live->positions);
    limberi_release(live->normals);
    limberi_release(live->offsets);
    limberi_release(live->morph_weights);
    limberi_release(live->morph_rates);
    limberi_release(live);
}

void limber_live_reset(limber_live* live) {
    limber_tracker_reset(live->tracker);
    if (live->smears)
        limber_smear_live_reset(live->smears);
    if (live->contacts)
        limberi_live_contacts_reset(live->contacts);
    if (LIMBERI_HAS_ACTING && live->acting)
        limberi_live_acting_reset(live->acting);
    live->running = live->knows_morphs = false;
}

static bool all_finite(const float* values, size_t count) {
    float sum = 0; // of zeros; what is not finite times zero is no number
    for (size_t i = 0; i < count; i++)
        sum += 0 * values[i];
    return sum == 0;
}

// A pose with holes would stay in the filters for good.
static bool usable(const limber_model* model, const limber_transform* local, const float* morph_weights,
                   double time_s) {
    size_t numbers = sizeof *local / sizeof(float) * model->rig.joint_count;
    return isfinite(time_s) && all_finite(&local->translation.x, numbers) &&
           (!morph_weights || all_finite(morph_weights, model->morph_count));
}

static void set_morphs(limber_pipeline* p, const float* weights) {
    for (uint32_t m = 0; m < p->model->mesh_count; m++) {
        const limber_mesh* mesh = &p->model->meshes[m];
        const float* from = weights ? weights + mesh->first_morph : mesh->morph_defaults;
        for (uint32_t i = 0; i < mesh->morph_count; i++)
            p->pose.morph_weights[mesh->first_morph + i] = from ? from[i] : 0;
    }
}

static void push_filter(limber_live* live, uint32_t filter, limberi_tracked tracked, double time_s) {
    limber_pipeline* p = live->pipeline;
    const limber_kinematics* plain = limber_tracker_kinematics(live->tracker);
    limberi_moment at = limberi_moment_of(NULL, time_s - live->start_s);
    if (p->air && p->filters[filter].set.air) {
        limberi_air_find(p->air, p->filters[filter].set.air, &at, &p->pose, &p->air_only);
        limberi_kinematics_copy(plain, p->model->rig.joint_count, &p->aired);
        limberi_air_add(p->model, &p->air_only, &p->aired);
        plain = &p->aired;
        tracked.air = &p->air_only;
    }
    limberi_live_filter_push(live->filters[filter], tracked, &at, plain, &p->filtered[filter]);
}

static void find_motion(limber_live* live, limber_pipeline* p, double time_s) {
    limberi_tracked tracked = limberi_tracker_push_pose(live->tracker, p->pose.local, time_s);
    const limber_kinematics* plain = limber_tracker_kinematics(live->tracker);
    limber_motion_to_world(p->model, &p->pose, plain, &p->world_motion);
    for (uint32_t i = 0; i < p->filter_count; i++) {
        push_filter(live, i, tracked, time_s);
        limber_motion_to_world(p->model, &p->pose, &p->filtered[i], &p->filtered[i]);
    }
}

void limber_live_set_ground(limber_live* live, limber_ground_height height, void* user) {
    live->ground = height;
    live->ground_user = user;
}

static bool floor_of_style(void* user, float x, float z, float* height) {
    const limber_contact_settings* contacts = user;
    (void)x;
    (void)z;
    *height = contacts->height;
    return contacts->floor == LIMBER_FLOOR_GIVEN;
}

// Only the game knows where the ground is; a style may name one floor.
static void push_contacts(limber_live* live, limber_pipeline* p, double time_s) {
    bool given = p->settings.contacts.floor == LIMBER_FLOOR_GIVEN;
    p->live_contacts = live->contacts && (live->ground || given) ? live->contacts : NULL;
    if (p->live_contacts)
        limberi_live_contacts_push(live->contacts, &p->pose, time_s, live->ground ? live->ground : floor_of_style,
                                   live->ground ? live->ground_user : (void*)&p->settings.contacts);
}

// The plain pose becomes what the character makes of it: contacts are those of the plain one.
static void act(limber_live* live, limber_pipeline* p, double time_s) {
    double step_s = limberi_tracker_step(live->tracker, p->pose.local, time_s);
    limberi_live_ground ground = {NULL, NULL};
    if (step_s < 0) {
        limberi_live_acting_reset(live->acting);
        step_s = 0;
    }
    if (live->contacts)
        limber_pose_update_world(p->model, &p->pose);
    push_contacts(live, p, time_s);
    if (p->live_contacts) {
        limberi_live_footing footing = limberi_live_contacts_footing(p->live_contacts);
        ground.touching = footing.touching;
        ground.height = footing.height;
    }
    limberi_live_acting_pose(live->acting, &ground, step_s, p->pose.local);
    limberi_pipeline_move(p, NULL, 0);
    limberi_live_acting_shape(live->acting, &p->pose, step_s);
}

static const double longest_gap_s = 0.25; // as that of the tracker

// By the way since the pose before. A pause keeps the rates; a fresh start has none.
static void find_morph_rates(limber_live* live, limber_pipeline* p, double step_s) {
    bool known = live->knows_morphs && step_s > 0 && step_s <= longest_gap_s;
    bool held = live->knows_morphs && step_s == 0;
    for (uint32_t i = 0; i < p->model->morph_count && !held; i++) {
        float weight = p->pose.morph_weights[i];
        live->morph_rates[i] = known ? (float)(((double)weight - (double)live->morph_weights[i]) / step_s) : 0;
        live->morph_weights[i] = weight;
    }
    live->knows_morphs = true;
    memcpy(p->morph_rates, live->morph_rates, p->model->morph_count * sizeof *p->morph_rates);
    limber_deform_job job = limberi_pipeline_job(p);
    limberi_pipeline_drag_morphs(p, (double)limberi_deform_strength(p->deformer, &job));
}

limber_result limber_live_push(limber_live* live, const limber_transform* local, const float* morph_weights,
                               double time_s) {
    limber_pipeline* p = live->pipeline;
    if (!usable(p->model, local, morph_weights, time_s))
        return LIMBER_ERROR_ARGUMENT;
    double step_s = time_s - live->time_s;
    if (!live->running || time_s < live->start_s)
        live->start_s = time_s;
    live->running = true;
    live->time_s = time_s;
    memcpy(p->pose.local, local, p->model->rig.joint_count * sizeof *local);
    set_morphs(p, morph_weights);
    p->contacts = NULL;
    if (LIMBERI_HAS_ACTING && live->acting)
        act(live, p, time_s);
    else {
        limberi_pipeline_move(p, NULL, 0);
        if (LIMBERI_HAS_CONTACTS)
            push_contacts(live, p, time_s);
    }
    find_motion(live, p, time_s);
    p->posed_clip = -1;
    p->posed_time_s = time_s - live->start_s;
    p->posed_live = live;
    p->live_acting = live->acting;
    p->posed_filtered = p->posed_by_program = true;
    if (LIMBERI_HAS_MORPHS && live->morph_rates)
        find_morph_rates(live, p, step_s);
    return LIMBER_OK;
}

// --- frames of its own ---

static posed* create_posed(const limber_pipeline* p) {
    size_t bytes = (3 * (size_t)p->model->vertex_count + 1) * sizeof(float);
    posed* own = limberi_allocate_zeroed(1, sizeof *own);
    if (!own)
        return NULL;
    limber_result result = limber_pose_create(p->model, &own->pose);
    if (!result)
        result = limber_kinematics_create(p->model, &own->world_motion);
    for (uint32_t i = 0; !result && i < p->filter_count; i++)
        result = limber_kinematics_create(p->model, &own->filtered[i]);
    own->skinned = limberi_allocate(bytes);
    own->deformed = limberi_allocate(bytes);
    own->normals = limberi_allocate(bytes);
    own->morph_rates = p->morph_rates ? limberi_allocate_zeroed(p->model->morph_count, sizeof(float)) : NULL;
    bool all = own->skinned && own->deformed && own->normals && (own->morph_rates || !p->morph_rates);
    if (!result && all)
        return own;
    destroy_posed(own);
    return NULL;
}

static posed get_posed(const limber_pipeline* p) {
    posed now = {.pose = p->pose,
                 .world_motion = p->world_motion,
                 .skinned = p->skinned,
                 .deformed = p->deformed,
                 .normals = p->normals,
                 .morph_rates = p->morph_rates,
                 .contacts = p->contacts,
                 .live_contacts = p->live_contacts,
                 .live_acting = p->live_acting,
                 .live = p->posed_live,
                 .clip = p->posed_clip,
                 .time_s = p->posed_time_s,
                 .is_filtered = p->posed_filtered,
                 .is_what_if = p->posed_what_if,
                 .by_program = p->posed_by_program};
    memcpy(now.filtered, p->filtered, sizeof now.filtered);
    return now;
}

static void set_posed(limber_pipeline* p, const posed* to) {
    p->pose = to->pose;
    p->world_motion = to->world_motion;
    memcpy(p->filtered, to->filtered, sizeof p->filtered);
    p->skinned = to->skinned;
    p->deformed = to->deformed;
    p->normals = to->normals;
    p->morph_rates = to->morph_rates;
    p->contacts = to->contacts;
    p->live_contacts = to->live_contacts;
    p->live_acting = to->live_acting;
    p->posed_live = to->live;
    p->posed_clip = to->clip;
    p->posed_time_s = to->time_s;
    p->posed_filtered = to->is_filtered;
    p->posed_what_if = to->is_what_if;
    p->posed_by_program = to->by_program;
}

// Matrices and morphed meshes are made of the pose again. No need to where no program waits for it.
static void return_to_pose(limber_pipeline* p) {
    if (!p->posed_by_program)
        return;
    limberi_pipeline_move(p, p->posed_clip < 0 ? NULL : &p->model->clips[p->posed_clip], p->posed_time_s);
    if (p->morph_rates) {
        limber_deform_job job = limberi_pipeline_job(p);
        limberi_pipeline_drag_morphs(p, (double)limberi_deform_strength(p->deformer, &job));
    }
}

limber_result limber_live_evaluate(limber_live* live, const limber_transform* local, const float* morph_weights,
                                   double time_s, limber_frame* frame) {
    limber_pipeline* p = live->pipeline;
    live->own = live->own ? live->own : create_posed(p);
    if (!live->own)
        return LIMBER_ERROR_MEMORY;
    const posed before = get_posed(p);
    set_posed(p, live->own);
    limber_result result = limber_live_push(live, local, morph_weights, time_s);
    if (!result) {
        limber_pipeline_evaluate_vertices(p, frame);
        *live->own = get_posed(p);
        frame->pose = &live->own->pose;
        frame->motion = &live->own->world_motion;
    }
    set_posed(p, &before);
    if (!result)
        return_to_pose(p);
    return result;
}

// --- smears ---

static bool allocate_frame(limber_live* live) {
    const limber_model* model = live->pipeline->model;
    size_t vertices = (size_t)model->vertex_count + 1;
    if (live->averager)
        return true;
    limberi_release(live->positions);
    limberi_release(live->normals);
    limberi_release(live->offsets);
    live->positions = limberi_allocate(3 * vertices * sizeof(float));
    live->normals = limberi_allocate(3 * vertices * sizeof(float));
    live->offsets = limberi_allocate(vertices * sizeof(float));
    if (live->positions && live->normals && live->offsets)
        live->averager = limberi_averager_create(live->pipeline->asset);
    return live->averager != NULL;
}

limber_result limber_live_set_smears(limber_live* live, const limber_smear_live_settings* settings,
                                     limber_error* error) {
    limber_smear_live* made = NULL;
    limber_pipeline* p = live->pipeline;
    if (!allocate_frame(live))
        return limberi_fail_memory(error);
    limber_result result = limber_smear_live_create(p->asset, &p->settings.smear, settings, &made, error);
    if (result)
        return result;
    limber_smear_live_destroy(live->smears);
    live->smears = made;
    return LIMBER_OK;
}

limber_result limber_live_evaluate_smeared(limber_live* live, limber_smeared* out) {
    limber_pipeline* p = live->pipeline;
    memset(out, 0, sizeof *out);
    if (p->posed_live != live)
        return LIMBER_ERROR_ARGUMENT;
    limber_result result = live->smears ? LIMBER_OK : limber_live_set_smears(live, NULL, NULL);
    if (result)
        return result;
    limber_pipeline_evaluate_vertices(p, &out->frame);
    out->deformed = out->frame.positions;
    limber_smear_live_push(live->smears, out->frame.positions, out->frame.normals, &p->pose, live->time_s);
    result = limber_smear_live_evaluate(live->smears, live->positions, live->offsets);
    if (result)
        return result;
    bool moved = limber_smear_live_moved(live->smears);
    if (moved && out->frame.normals) {
        limberi_average_job job = {out->deformed, out->frame.normals, live->positions, live->normals, p->variant};
        limberi_averager_run_everywhere(live->averager, &job);
        out->frame.normals = live->normals;
    }
    out->frame.positions = moved ? live->positions : out->deformed;
    out->offsets = live->offsets;
    out->mesh_count = limber_smear_live_mesh_count(live->smears);
    out->meshes = out->mesh_count ? limber_smear_live_mesh(live->smears, 0) : NULL;
    return LIMBER_OK;
}
