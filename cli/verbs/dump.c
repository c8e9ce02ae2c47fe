// `limber dump`: the numbers behind every frame, as .npy files.
#include "base/math.h"
#include "cli/cli.h"
#include "cli/pool.h"
#include "cli/report.h"
#include "cli/verbs/dump_files.h"
#include "io/npy.h"
#include "motion/kinematics.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct dump_options {
    cli_common common;
    cli_list what_ifs;
} dump_options;

static const cli_option options[] = {
    {"-o", "DIR", CLI_TEXT, offsetof(dump_options, common.output), "output folder, created if missing"},
    {"--clip", "NAME|INDEX", CLI_TEXT, offsetof(dump_options, common.clip), "clip to use (default: the first)"},
    {"--what-if", "JOINT.Q=X,Y,Z", CLI_LIST, offsetof(dump_options, what_ifs),
     "freeze the first frame and set a joint's velocity (repeatable)"},
};

static const cli_command command = {
    .usage = "limber dump IN -o DIR [options]",
    .summary = "Write every quantity as a NumPy array, for scripts.",
    .details = "Files, in world space; V vertices of all meshes in file order, J joints, F frames, T triangles:\n"
               "  rest [V,3]  triangles [T,3]  weights [V,J]  upward [V,J]  centroids [J,3]  time [F]\n"
               "  joint_position  velocity  angular_velocity  acceleration  angular_acceleration [F,J,3]\n"
               "  skinned  deformed  smeared  normals [F,V,3]  offsets [F,V]\n"
               "  rigid [V]          the rigid part of each vertex, -1: none; where the style keeps parts rigid\n"
               "  source_time [F]    which time of the plain clip each frame shows; where the style changes it\n"
               "  contact [F,J]      how much each joint is held by the ground, 0 to 1; where the style has contacts\n"
               "  manifest.json      names, parents, vertex ranges, size, fps, loop, ground, rigid parts\n"
               "\n"
               "--what-if also writes trajectory.npy [17,V,3]: the path of each vertex while the given velocity is "
               "ramped in.\n"
               "Q is linear, angular, linear_acceleration or angular_acceleration, in world space [units/s, rad/s,\n"
               "units/s^2, rad/s^2].",
    .examples = "  limber dump fox.glb -o numbers --clip Run\n"
                "  limber dump fox.glb -o numbers --style cartoon --what-if b_Head_05.angular=0,4,0\n"
                "  python3 -c \"import numpy; print(numpy.load('numbers/skinned.npy').shape)\"",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .common = true,
};

typedef struct dumper {
    const char *input, *folder;
    const limber_model* model;
    limber_pipeline* pipeline;
    const limber_clip* clip; // NULL: the default pose
    int32_t clip_index;
    double fps;
    uint32_t first, count;
    float* zeros;                     // offsets of what does not move
    const limber_kinematics* what_if; // given velocities instead of the clip's; NULL: none
    cli_progress progress;
    cli_dump_files files;
} dumper;

static bool open_array(dumper* d, limberi_npy* npy, const char* name, limberi_npy_type type, uint64_t a, uint64_t b,
                       uint64_t c) {
    const uint64_t shape[3] = {a, b, c};
    limberi_file* file = cli_dump_file(&d->files, name);
    if (file)
        *npy = limberi_npy_start(file, type, shape, 1 + (b || c) + (c != 0));
    return file != NULL;
}

static void close_array(dumper* d, limberi_npy* npy) {
    cli_dump_file_end(&d->files, npy->file);
}

static void fail(dumper* d, const char* name) {
    cli_dump_file_fails(&d->files, name, NULL);
}

static void dump_rest(dumper* d) {
    limberi_npy rest, triangles;
    if (!open_array(d, &rest, "rest.npy", LIMBERI_NPY_FLOAT32, d->model->vertex_count, 3, 0))
        return;
    bool opened = open_array(d, &triangles, "triangles.npy", LIMBERI_NPY_UINT32, d->model->triangle_count, 3, 0);
    for (uint32_t m = 0; opened && m < d->model->mesh_count; m++) {
        const limber_mesh* mesh = &d->model->meshes[m];
        float* positions = malloc((3 * (size_t)mesh->vertex_count + 1) * sizeof *positions);
        if (!positions) {
            fail(d, "rest.npy");
            break;
        }
        limber_mesh_rest_positions(d->model, mesh, positions);
        limberi_npy_write(&rest, positions, 3 * (size_t)mesh->vertex_count);
        free(positions);
        for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
            uint32_t vertex = mesh->triangles[i] + mesh->first_vertex;
            limberi_npy_write(&triangles, &vertex, 1);
        }
    }
    close_array(d, &rest);
    if (opened)
        close_array(d, &triangles);
}

static void write_weight_rows(dumper* d, const limber_mesh* mesh, limberi_npy* weights, limberi_npy* upward,
                              float* row) {
    const limber_skin* skin = &d->model->skins[mesh->skin];
    size_t joints = d->model->rig.joint_count;
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        memset(row, 0, joints * sizeof *row);
        for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
            row[skin->joints[mesh->influence_joint[i]]] += mesh->influence_weight[i];
        limberi_npy_write(weights, row, joints);
        limber_mesh_upward_weights(d->model, mesh, u, row);
        limberi_npy_write(upward, row, joints);
    }
}

static void dump_weights(dumper* d) {
    limberi_npy weights, upward;
    uint64_t vertices = d->model->vertex_count;
    uint64_t joints = d->model->rig.joint_count;
    float* row = malloc((joints + 1) * sizeof *row);
    if (!row || !open_array(d, &weights, "weights.npy", LIMBERI_NPY_FLOAT32, vertices, joints, 0)) {
        fail(d, "weights.npy");
        free(row);
        return;
    }
    bool opened = open_array(d, &upward, "upward.npy", LIMBERI_NPY_FLOAT32, vertices, joints, 0);
    for (uint32_t m = 0; opened && m < d->model->mesh_count; m++)
        write_weight_rows(d, &d->model->meshes[m], &weights, &upward, row);
    close_array(d, &weights);
    if (opened)
        close_array(d, &upward);
    free(row);
}

static void dump_centroids(dumper* d) {
    limberi_npy npy;
    const limber_rig* rig = &d->model->rig;
    if (!open_array(d, &npy, "centroids.npy", LIMBERI_NPY_FLOAT32, rig->joint_count, 3, 0))
        return;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        limber_vec3 c = limberi_mat4_point(&rig->world_from_joint_rest[j], rig->centroid[j]);
        limberi_npy_write(&npy, &c, 3);
    }
    close_array(d, &npy);
}

enum {
    TIME,
    JOINTS,
    VELOCITY,
    SPIN,
    ACCELERATION,
    SPIN_CHANGE,
    SKINNED,
    DEFORMED,
    NORMALS,
    SMEARED,
    OFFSETS,
    PER_FRAME
};

static const char* const frame_files[PER_FRAME] = {"time.npy",         "joint_position.npy",
                                                   "velocity.npy",     "angular_velocity.npy",
                                                   "acceleration.npy", "angular_acceleration.npy",
                                                   "skinned.npy",      "deformed.npy",
                                                   "normals.npy",      "smeared.npy",
                                                   "offsets.npy"};

static void write_frame(const dumper* d, limberi_npy* files, const limber_smeared* smeared) {
    const limber_frame* frame = &smeared->frame;
    size_t joints = d->model->rig.joint_count;
    size_t vertices = d->model->vertex_count;
    float time_s = (float)frame->time_s;
    limberi_npy_write(&files[TIME], &time_s, 1);
    for (size_t j = 0; j < joints; j++)
        limberi_npy_write(&files[JOINTS], frame->pose->world_from_joint[j].m + 12, 3);
    limberi_npy_write(&files[VELOCITY], frame->motion->velocity, 3 * joints);
    limberi_npy_write(&files[SPIN], frame->motion->angular_velocity, 3 * joints);
    limberi_npy_write(&files[ACCELERATION], frame->motion->acceleration, 3 * joints);
    limberi_npy_write(&files[SPIN_CHANGE], frame->motion->angular_acceleration, 3 * joints);
    limberi_npy_write(&files[SKINNED], frame->skinned, 3 * vertices);
    limberi_npy_write(&files[DEFORMED], smeared->deformed, 3 * vertices);
    limberi_npy_write(&files[SMEARED], frame->positions, 3 * vertices);
    limberi_npy_write(&files[OFFSETS], smeared->offsets ? smeared->offsets : d->zeros, vertices);
    limberi_npy_write(&files[NORMALS], frame->normals, 3 * vertices);
}

// The frozen pose of a what-if goes nowhere, so nothing is smeared.
static limber_result evaluate(const dumper* d, uint32_t i, limber_smeared* out) {
    double time_s = d->clip ? limber_clip_frame_time(d->clip, d->fps, d->first + i) : 0;
    if (!d->what_if)
        return limber_pipeline_evaluate_smeared(d->pipeline, d->clip_index, time_s, d->fps, out);
    memset(out, 0, sizeof *out);
    limber_result result =
        limber_pipeline_evaluate_what_if(d->pipeline, d->clip_index, time_s, d->what_if, 1, &out->frame);
    out->deformed = out->frame.positions;
    return result;
}

// The path of every vertex while the given velocity is ramped in.
static void dump_trajectory(dumper* d) {
    limberi_npy npy;
    size_t vertices = d->model->vertex_count;
    if (!open_array(d, &npy, "trajectory.npy", LIMBERI_NPY_FLOAT32, CLI_WHAT_IF_STEPS, vertices, 3))
        return;
    double time_s = d->clip ? limber_clip_frame_time(d->clip, d->fps, d->first) : 0;
    for (uint32_t i = 0; i < CLI_WHAT_IF_STEPS; i++) {
        limber_frame frame;
        float amount = (float)i / (CLI_WHAT_IF_STEPS - 1);
        if (limber_pipeline_evaluate_what_if(d->pipeline, d->clip_index, time_s, d->what_if, amount, &frame) !=
            LIMBER_OK)
            cli_dump_file_fails(&d->files, "trajectory.npy", "the pose cannot be evaluated");
        else
            limberi_npy_write(&npy, frame.positions, 3 * vertices);
    }
    close_array(d, &npy);
}

static void dump_frames(dumper* d) {
    limberi_npy files[PER_FRAME];
    memset(files, 0, sizeof files);
    uint64_t frames = d->count;
    uint64_t joints = d->model->rig.joint_count;
    uint64_t vertices = d->model->vertex_count;
    for (int i = 0; i < PER_FRAME && !d->files.failed; i++) {
        uint64_t rows = i < SKINNED ? joints : vertices;
        if (i == TIME)
            rows = 0;
        open_array(d, &files[i], frame_files[i], LIMBERI_NPY_FLOAT32, frames, rows, i == TIME || i == OFFSETS ? 0 : 3);
    }
    limber_pipeline_set_outputs(d->pipeline, LIMBER_OUTPUT_NORMALS | LIMBER_OUTPUT_SKINNED | LIMBER_OUTPUT_OFFSETS);
    d->zeros = calloc((size_t)vertices + 1, sizeof *d->zeros);
    if (!d->zeros)
        fail(d, "offsets.npy");
    for (uint32_t i = 0; !d->files.failed && i < d->count; i++) {
        limber_smeared smeared;
        if (evaluate(d, i, &smeared) != LIMBER_OK)
            cli_dump_file_fails(&d->files, "skinned.npy", "the frame cannot be evaluated");
        else
            write_frame(d, files, &smeared);
        cli_progress_step(&d->progress, i, d->count);
    }
    for (int i = 0; i < PER_FRAME; i++)
        close_array(d, &files[i]);
    free(d->zeros);
}

static void write_cone(limberi_json_writer* w, const dumper* d, const char* key, const limber_cone* cone,
                       float residual) {
    const double apex[3] = {(double)cone->apex.x, (double)cone->apex.y, (double)cone->apex.z};
    const double axis[3] = {(double)cone->axis.x, (double)cone->axis.y, (double)cone->axis.z};
    cli_report_open(w, key, '{');
    cli_report_text(w, "joint", d->model->rig.names[cone->joint]);
    cli_report_reals(w, "apex", apex, 3);
    cli_report_reals(w, "axis", axis, 3);
    cli_report_real(w, "half_angle", (double)cone->half_angle_rad * 180 / 3.14159265358979323846);
    cli_report_real(w, "base_radius", (double)cone->base_radius);
    cli_report_real(w, "residual", (double)residual);
    limberi_json_close(w, '}');
}

// The first of them by itself, too.
static void report_cones(limberi_json_writer* w, const dumper* d) {
    limber_cone cone;
    float residual;
    if (!limber_pipeline_cone(d->pipeline, &cone, &residual)) {
        cli_report_null(w, "cone");
        return;
    }
    write_cone(w, d, "cone", &cone, residual);
    cli_report_open(w, "cones", '[');
    for (uint32_t i = 0; limber_pipeline_cone_at(d->pipeline, i, &cone, &residual); i++)
        write_cone(w, d, NULL, &cone, residual);
    limberi_json_close(w, ']');
}

static void report_model(limberi_json_writer* w, const limber_model* model) {
    cli_report_open(w, "joints", '[');
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        cli_report_text(w, NULL, model->rig.names[j]);
    limberi_json_close(w, ']');
    cli_report_open(w, "parents", '[');
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        cli_report_integer(w, NULL, model->rig.parents[j]);
    limberi_json_close(w, ']');
    cli_report_open(w, "meshes", '[');
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        cli_report_open(w, NULL, '{');
        cli_report_text(w, "name", mesh->name);
        cli_report_text(w, "node", mesh->node_name);
        cli_report_integer(w, "first", mesh->first_vertex);
        cli_report_integer(w, "count", mesh->vertex_count);
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, ']');
    cli_report_real(w, "size", (double)model->size);
}

static void dump_rigid(dumper* d) {
    limberi_npy npy;
    const limber_rigid_parts* parts = limber_pipeline_rigid_parts(d->pipeline);
    if (!parts || !open_array(d, &npy, "rigid.npy", LIMBERI_NPY_INT32, d->model->vertex_count, 0, 0))
        return;
    limberi_npy_write(&npy, limber_rigid_part_of_vertex(parts), d->model->vertex_count);
    close_array(d, &npy);
}

static const limber_contacts* contacts_of(const dumper* d) {
    const limber_contacts* contacts = NULL;
    if (d->clip_index < 0 || limber_pipeline_contacts(d->pipeline, (uint32_t)d->clip_index, &contacts) != LIMBER_OK)
        return NULL;
    return contacts;
}

// The time of the plain clip that a frame shows.
static double source_time(const dumper* d, uint32_t frame) {
    double time_s = limber_clip_frame_time(d->clip, d->fps, d->first + frame);
    return limber_pipeline_source_time(d->pipeline, (uint32_t)d->clip_index, time_s);
}

// Only where the style changes the timing.
static void dump_source_times(dumper* d) {
    limberi_npy npy;
    const limber_perform_settings* style = &limber_pipeline_stage_settings(d->pipeline)->perform;
    if (d->clip_index < 0 || (style->snap == 0 && style->hang == 0 && style->step == 1 && style->hold_count == 0) ||
        !open_array(d, &npy, "source_time.npy", LIMBERI_NPY_FLOAT32, d->count, 0, 0))
        return;
    for (uint32_t i = 0; i < d->count; i++) {
        float time_s = (float)source_time(d, i);
        limberi_npy_write(&npy, &time_s, 1);
    }
    close_array(d, &npy);
}

// As the style has them, before layers and the height of a vertex.
static void dump_contacts(dumper* d) {
    limberi_npy npy;
    const limber_contact_settings* style = &limber_pipeline_stage_settings(d->pipeline)->contacts;
    const limber_contacts* contacts = contacts_of(d);
    uint32_t joints = d->model->rig.joint_count;
    float* row = malloc(((size_t)joints + 1) * sizeof *row);
    if (!row)
        fail(d, "contact.npy");
    if (contacts && style->strength > 0 && row &&
        open_array(d, &npy, "contact.npy", LIMBERI_NPY_FLOAT32, d->count, joints, 0)) {
        for (uint32_t i = 0; i < d->count; i++) {
            limber_contacts_evaluate(contacts, source_time(d, i), row, NULL);
            for (uint32_t j = 0; j < joints; j++)
                row[j] *= style->strength * (style->of_joint ? style->of_joint[j] : 1);
            limberi_npy_write(&npy, row, joints);
        }
        close_array(d, &npy);
    }
    free(row);
}

static void report_manifest(limberi_json_writer* w, const dumper* d) {
    cli_report_open(w, NULL, '{');
    report_model(w, d->model);
    cli_report_real(w, "fps", d->fps);
    const limber_motion_settings* motion = &limber_pipeline_stage_settings(d->pipeline)->motion;
    cli_report_switch(w, "loop", d->clip && limberi_motion_loops(d->clip, motion));
    if (d->clip)
        cli_report_text(w, "clip", d->clip->name);
    else
        cli_report_null(w, "clip");
    cli_report_integer(w, "frames", d->count);
    cli_report_integer(w, "vertices", d->model->vertex_count);
    report_cones(w, d);
    cli_ground_report(w, d->model, contacts_of(d));
    cli_report_rigid(w, d->model, limber_pipeline_rigid_parts(d->pipeline));
    limberi_json_close(w, '}');
}

static void dump_manifest(dumper* d) {
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_json_writer w = {.out = &text, .indent = 1, .digits = 9};
    report_manifest(&w, d);
    if (text.failed)
        fail(d, "manifest.json");
    limberi_file* file = cli_dump_file(&d->files, "manifest.json");
    if (file)
        limberi_file_put(file, text.data, text.length);
    cli_dump_file_end(&d->files, file);
    limberi_buffer_free(&text);
}

// Names of files that only some dumps have.
static const char* const sometimes[] = {"rigid.npy", "contact.npy", "trajectory.npy", "source_time.npy"};

static int dump_all(dumper* d) {
    if (!cli_dump_files_open(&d->files, d->folder))
        return cli_fail(d->folder, "cannot create the folder: %s", strerror(errno));
    dump_rest(d);
    dump_weights(d);
    dump_centroids(d);
    dump_rigid(d);
    if (!d->files.failed)
        dump_frames(d);
    if (!d->files.failed)
        dump_contacts(d);
    if (!d->files.failed)
        dump_source_times(d);
    if (!d->files.failed && d->what_if)
        dump_trajectory(d);
    if (!d->files.failed)
        dump_manifest(d);
    cli_progress_end(&d->progress);
    return d->files.failed ? cli_dump_files_discard(&d->files)
                           : cli_dump_files_commit(&d->files, sometimes, sizeof sometimes / sizeof *sometimes);
}

static int choose_frames(dumper* d, const cli_common* common) {
    double start_s, end_s;
    int status = cli_parse_range(common->range, &start_s, &end_s);
    uint32_t clip = cli_first_clip();
    if (!status && common->clip)
        status = cli_find_clip(d->input, d->model, common->clip, &clip);
    if (status)
        return status;
    d->clip_index = -1;
    d->fps = common->fps > 0 ? common->fps : 30;
    d->count = 1;
    if (!d->model->clip_count)
        return CLI_DONE;
    d->clip = &d->model->clips[clip];
    d->clip_index = (int32_t)clip;
    d->fps = common->fps > 0 ? common->fps : d->clip->fps;
    limber_frame_range range = limber_clip_frames_between(d->clip, d->fps, start_s, end_s);
    d->first = range.first;
    d->count = range.count;
    if (!d->count)
        return cli_fail(d->input, "no frame of clip '%s' (%g to %g s) is in --range %s", d->clip->name,
                        d->clip->start_s, d->clip->end_s, common->range);
    if (d->count > 1000000)
        return cli_fail(d->input, "clip '%s' has %u frames (max 1000000); use --range to select a part", d->clip->name,
                        d->count);
    return CLI_DONE;
}

static int dump(const char* input, const cli_common* common, const cli_list* what_ifs) {
    limber_gltf* gltf;
    int status = cli_load_with_motion(input, common, &gltf);
    if (status)
        return status;
    dumper d = {0};
    d.input = input;
    d.folder = common->output;
    d.model = limber_asset_model(limber_gltf_asset(gltf));
    d.progress = cli_progress_start("frame", common->quiet);
    limber_error error;
    limber_kinematics what_if = {NULL, NULL, NULL, NULL};
    cli_look look;
    status = cli_look_open(input, gltf, common, &look);
    bool looked = !status;
    if (!status)
        status = choose_frames(&d, common);
    if (!status && what_ifs->count) {
        if (limber_kinematics_create(d.model, &what_if) != LIMBER_OK)
            status = cli_fail_memory(input);
        else
            status = cli_what_if_parse(input, d.model, what_ifs, &what_if);
        d.what_if = &what_if;
        d.count = 1; // one frozen pose
    }
    limber_asset* subdivided = NULL;
    if (!status &&
        limber_pipeline_create_from_settings(limber_gltf_asset(gltf), &look.settings, &d.pipeline, &error) != LIMBER_OK)
        status = cli_fail_error(input, &error);
    if (!status && !d.what_if)
        status = cli_subdivide_clip(input, d.clip_index, common, &d.pipeline, &subdivided);
    d.model = limber_asset_model(subdivided ? subdivided : limber_gltf_asset(gltf));
    cli_pool* pool = NULL;
    if (!status && cli_pool_lend(&pool, common->threads, d.pipeline) != LIMBER_OK)
        status = cli_fail_memory(input);
    if (!status)
        status = dump_all(&d);
    limber_pipeline_destroy(d.pipeline);
    cli_pool_destroy(pool);
    limber_kinematics_destroy(&what_if);
    if (looked)
        cli_look_close(&look);
    limber_asset_destroy(subdivided);
    limber_gltf_destroy(gltf);
    return status;
}

int limber_cli_dump(int argc, char** argv) {
    dump_options o = {0};
    const char* input;
    bool over;
    int status = cli_parse(&command, argc, argv, &o, &input, &over);
    if (status || over)
        return status;
    if (!input || !o.common.output)
        return cli_usage("dump needs an input and -o DIR; see limber dump --help");
    limber_skinning skinning;
    status = cli_parse_skinning(o.common.skinning, &skinning);
    if (!status)
        status = cli_check_rate(o.common.fps);
    return status ? status : dump(input, &o.common, &o.what_ifs);
}
