// `limber info`: what is in a file.
#include "base/math.h"
#include "cli/cli.h"
#include "cli/explain.h"
#include "cli/report.h"
#include "deform/loose_parts.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct info_options {
    cli_common common; // of which only those below are options
    bool json;
} info_options;

#define COMMON(member) offsetof(info_options, common.member)
static const cli_option options[] = {
    {"--style", "FILE|PRESET", CLI_TEXT, COMMON(style), "explain what this style does to each clip"},
    {"--set", "PATH=VALUE", CLI_LIST, COMMON(sets), "set one style key, overriding --style (repeatable)"},
    {"--clip", "NAME|INDEX", CLI_TEXT, COMMON(clip), "clip to explain (default: all)"},
    {"--motion", "FILE[#CLIP][@A:B]", CLI_LIST, COMMON(motions), "add clips of another file's skeleton (repeatable)"},
    {"--match", "FILE", CLI_TEXT, COMMON(match), "joint pairs of --motion; written if not there"},
    CLI_MOTION_OPTIONS(COMMON),
    {"--threads", "N", CLI_COUNT, COMMON(threads), "number of threads, max 64 (default: all cores)"},
    {"--quiet", NULL, CLI_FLAG, COMMON(quiet), "print errors only"},
    {"--json", NULL, CLI_FLAG, offsetof(info_options, json), "machine-readable JSON"},
};

static const cli_command command = {
    .usage = "limber info FILE [--json] [--style STYLE [options]]",
    .summary = "Show the contents of a file: joints, meshes, clips, contacts, layers, cameras, style, size, problems.",
    .details =
        "Reads .glb, .gltf, .fbx, .dae and .bvh.\n"
        "\n"
        "With --style or --set it explains a style instead. Each clip (at most its middle 3 s) is played plain\n"
        "and styled at 120 fps; lengths are relative to the diagonal of the rest pose's box. It says how strong\n"
        "the style is and where, what stretches, what is limited, what is rigid, what stands on the ground, what\n"
        "timing, pose and body do to the clip (docs/acting.md), and which bounds break without timing.step: weak,\n"
        "strong, stretch, rigid, pop, floor, slide, seam, crack (docs/why.md).",
    .examples = "  limber info fox.glb\n"
                "  limber info walk.bvh\n"
                "  limber info fox.glb --json | jq '.clips[].name'\n"
                "  limber info fox.glb --style cartoon --clip Run\n"
                "  limber info fox.glb --style cartoon --json | jq '.clips[].broken'",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

static uint32_t max_influences(const limber_mesh* mesh) {
    uint32_t max = 0;
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        uint32_t count = mesh->influence_first[u + 1] - mesh->influence_first[u];
        max = count > max ? count : max;
    }
    return max;
}

// Which joints have skin. The others are joints because one with skin hangs below them.
static uint8_t* find_bound_joints(const limber_model* model) {
    uint8_t* bound = calloc((size_t)model->rig.joint_count + 1, 1);
    for (uint32_t s = 0; bound && s < model->skin_count; s++)
        for (uint32_t k = 0; k < model->skins[s].joint_count; k++)
            bound[model->skins[s].joints[k]] = 1;
    return bound;
}

enum { DEEPEST_INDENT = 48 };

static void print_joint(const limber_rig* rig, uint32_t joint, uint32_t depth, bool bound) {
    printf("  %*s", 2 * (int)(depth < DEEPEST_INDENT ? depth : DEEPEST_INDENT), "");
    cli_print_name(rig->names[joint]);
    if (rig->hangs_on[joint] != rig->parents[joint]) {
        printf("  (moves with ");
        cli_print_name(rig->names[rig->hangs_on[joint]]);
        printf(")");
    }
    printf("%s\n", bound ? "" : "  (unskinned, parent of other joints)");
}

// As a tree, whatever their order: each branch below its parent.
static void print_joints(const limber_model* model) {
    const limber_rig* rig = &model->rig;
    size_t count = (size_t)rig->joint_count + 1;
    int32_t* first = calloc(count, sizeof *first); // child of each joint, at the end of the roots
    int32_t* next = calloc(count, sizeof *next);   // sibling
    uint8_t* bound = find_bound_joints(model);
    bool memory = first && next && bound;
    uint32_t depth = 0;
    printf("joints: %u\n", rig->joint_count);
    for (size_t i = 0; memory && i < count; i++)
        first[i] = -1;
    for (uint32_t j = rig->joint_count; memory && j-- > 0;) {
        int32_t* head = &first[rig->parents[j] < 0 ? rig->joint_count : (uint32_t)rig->parents[j]];
        next[j] = *head;
        *head = (int32_t)j;
    }
    int32_t j = memory ? first[rig->joint_count] : -1;
    while (j >= 0) {
        print_joint(rig, (uint32_t)j, depth, bound[j]);
        if (first[j] >= 0) {
            j = first[j];
            depth++;
            continue;
        }
        while (j >= 0 && next[j] < 0) {
            j = rig->parents[j];
            depth--;
        }
        j = j >= 0 ? next[j] : -1;
    }
    free(first);
    free(next);
    free(bound);
}

static void print_meshes(const limber_model* model) {
    printf("meshes: %u (%u vertices, %u triangles)\n", model->mesh_count, model->vertex_count, model->triangle_count);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        printf("  ");
        cli_print_name(mesh->name);
        printf(": %u vertices, %u triangles, %u joints, up to %u per vertex", mesh->vertex_count, mesh->triangle_count,
               model->skins[mesh->skin].joint_count, max_influences(mesh));
        if (mesh->morph_count)
            printf(", %u morph targets", mesh->morph_count);
        printf("%s\n", mesh->scenery ? ", static" : "");
        for (uint32_t i = 0; i < mesh->layer_count; i++) {
            printf("    layer ");
            cli_print_name(mesh->layers[i].name);
            printf("\n");
        }
    }
}

// Frames before the first cut when they are too few to be motion: a T-pose that somebody put there. 0: none.
static uint32_t inserted_pose(const limber_clip* clip) {
    const double longest_s = 0.25;
    if (!clip->cut_count || clip->cuts[0].before_s - clip->start_s > longest_s)
        return 0;
    return limber_clip_frames_between(clip, clip->fps, clip->start_s, clip->cuts[0].before_s + 0.5 / clip->fps).count;
}

static void print_cuts(const limber_clip* clip) {
    uint32_t inserted = inserted_pose(clip);
    if (inserted == 1)
        printf("    the first frame is an inserted pose (jump cut at %.4f s), ignored by filters and derivatives\n",
               clip->cuts[0].after_s);
    else if (inserted)
        printf(
            "    the first %u frames are an inserted pose (jump cut at %.4f s), ignored by filters and derivatives\n",
            inserted, clip->cuts[0].after_s);
    for (uint32_t i = inserted ? 1 : 0; i < clip->cut_count; i++)
        printf("    jump cut between %.4f and %.4f s: not counted as motion\n", clip->cuts[i].before_s,
               clip->cuts[i].after_s);
}

// One line per joint: a thumb can flip over hundreds of times.
static void print_joint_cuts(const limber_model* model, const limber_clip* clip) {
    for (uint32_t i = 0, end; i < clip->joint_cut_count; i = end) {
        const limber_joint_cut* first = &clip->joint_cuts[i];
        for (end = i + 1; end < clip->joint_cut_count && clip->joint_cuts[end].joint == first->joint;)
            end++;
        printf("    joint ");
        cli_print_name(model->rig.names[first->joint]);
        if (end - i == 1)
            printf(" jumps between %.4f and %.4f s: not counted as motion of this joint\n", first->cut.before_s,
                   first->cut.after_s);
        else
            printf(" jumps %u times, first between %.4f and %.4f s: not counted as motion of this joint\n", end - i,
                   first->cut.before_s, first->cut.after_s);
    }
}

static double degrees(double rad) {
    return rad * 180 / LIMBERI_PI;
}

static void describe_travel(const limber_clip* clip, char* text, size_t size) {
    double travel = (double)limberi_length(clip->loop.travel);
    double yaw = fabs(degrees(clip->loop.yaw_rad));
    bool moves = travel > 0.001;
    bool turns = yaw > 0.1;
    if (moves && turns)
        snprintf(text, size, "travels %.3g and turns %.3g degrees per turn", travel, yaw);
    else if (turns)
        snprintf(text, size, "turns %.3g degrees per turn", yaw);
    else
        snprintf(text, size, "travels %.3g per turn", travel);
}

// Why a clip does not loop; empty when it does.
static void describe_gap(const limber_model* model, const limber_clip* clip, char* text, size_t size) {
    const limber_loop* loop = &clip->loop;
    const char* joint = loop->joint < model->rig.joint_count ? model->rig.names[loop->joint] : "";
    text[0] = 0;
    if (loop->ends == LIMBER_ENDS_JOINT_OFF && degrees(loop->gap_rad) / 8 > loop->gap / 0.02)
        snprintf(text, size, "%s is %.3g degrees off at the end", joint, degrees(loop->gap_rad));
    else if (loop->ends == LIMBER_ENDS_JOINT_OFF)
        snprintf(text, size, "%s is %.3g L off at the end", joint, loop->gap);
    else if (loop->ends == LIMBER_ENDS_SCALE_OFF)
        snprintf(text, size, "the scale of %s is %.3g %% off at the end", joint, 100 * loop->off);
    else if (loop->ends == LIMBER_ENDS_MORPH_OFF)
        snprintf(text, size, "a morph weight of %s is %.3g off at the end", model->meshes[loop->joint].name, loop->off);
    else if (loop->ends == LIMBER_ENDS_TRAVEL_ONLY)
        snprintf(text, size, "it only travels");
    else if (loop->ends == LIMBER_ENDS_ONE_POSE)
        snprintf(text, size, "it is one pose");
}

static void print_loop(const limber_model* model, const limber_clip* clip) {
    char text[256];
    if (!clip->loops) {
        describe_gap(model, clip, text, sizeof text);
        printf(", does not loop: ");
        cli_print_name(text);
    } else if (clip->travels) {
        describe_travel(clip, text, sizeof text);
        printf(", loops, %s", text);
    } else {
        printf(", loops");
    }
    printf("\n");
}

// A pose that never moves says nothing about the ground. NULL also when memory is short.
static limber_contacts* find_ground(const limber_asset* asset, uint32_t index) {
    const limber_clip* clip = &limber_asset_model(asset)->clips[index];
    limber_contacts* contacts = NULL;
    if (clip->end_s > clip->start_s && limber_contacts_find(asset, index, NULL, &contacts, NULL) != LIMBER_OK)
        return NULL;
    return contacts;
}

static void print_ground(const limber_asset* asset, uint32_t index) {
    char text[1024];
    limber_contacts* contacts = find_ground(asset, index);
    if (!contacts)
        return;
    cli_ground_describe(limber_asset_model(asset), contacts, text, sizeof text);
    printf("    ");
    cli_print_name(text);
    printf("\n");
    limber_contacts_destroy(contacts);
}

static void print_clips(const limber_asset* asset) {
    const limber_model* model = limber_asset_model(asset);
    printf("clips: %u\n", model->clip_count);
    for (uint32_t c = 0; c < model->clip_count; c++) {
        const limber_clip* clip = &model->clips[c];
        printf("  ");
        cli_print_name(clip->name);
        printf(": %.3f s at %g fps (%u frames)", clip->end_s - clip->start_s, clip->fps,
               limber_clip_frame_count(clip, clip->fps));
        print_loop(model, clip);
        print_cuts(clip);
        print_joint_cuts(model, clip);
        print_ground(asset, c);
    }
}

static const char* lens_name(const limber_camera* camera) {
    if (camera->orthographic)
        return "orthographic";
    return camera->field_of_view_rad > 0 ? "perspective" : "unknown lens";
}

static void print_cameras(const limber_model* model) {
    if (model->camera_count)
        printf("cameras: %u\n", model->camera_count);
    for (uint32_t i = 0; i < model->camera_count; i++) {
        printf("  ");
        cli_print_name(model->cameras[i].name);
        printf(" (%s)\n", lens_name(&model->cameras[i]));
    }
}

// "14 colliders: capsule on UpperLeg.l, capsule on UpperLeg.r, ..."
static void print_colliders(const limber_model* model, const limber_colliders* colliders) {
    uint32_t count = limber_collider_count(colliders);
    printf("%u collider%s", count, count == 1 ? "" : "s");
    for (uint32_t i = 0; i < count && i < CLI_MAX_LISTED; i++) {
        limber_collider c = limber_collider_at(colliders, i);
        printf("%s%s ", i ? ", " : ": ", cli_collider_shape(c.shape));
        printf(c.joint < 0 ? "in the world" : "on ");
        if (c.joint >= 0)
            cli_print_name(model->rig.names[c.joint]);
    }
    if (count > CLI_MAX_LISTED)
        printf(", and %u more", count - CLI_MAX_LISTED);
    printf("\n");
}

// What "auto" finds in a character.
typedef struct found_bodies {
    limber_rigid_parts* parts;
    limber_colliders* colliders;
    limberi_arena arena;
    limberi_loose_parts loose;
} found_bodies;

// "3 loose parts: from Ear1.L, Ear1.R, Tail2"; nothing where there are none.
static void print_loose(const limber_model* model, const limberi_loose_parts* loose) {
    if (loose->count)
        printf("%u loose part%s", loose->count, loose->count == 1 ? "" : "s");
    for (uint32_t i = 0; i < loose->count && i < CLI_MAX_LISTED; i++) {
        printf("%s", i ? ", " : ": from ");
        cli_print_name(model->rig.names[loose->parts[i].joint]);
    }
    if (loose->count > CLI_MAX_LISTED)
        printf(", and %u more", loose->count - CLI_MAX_LISTED);
    if (loose->count)
        printf("\n");
}

static void print_text(const char* path, const limber_gltf* gltf, const limber_model* model,
                       const found_bodies* found) {
    cli_print_name(path);
    printf("\n");
    printf("size: %g (diameter of the smallest ball around the rest pose)\n", (double)model->size);
    printf("skins: %u\n", model->skin_count);
    print_joints(model);
    print_meshes(model);
    cli_print_rigid(model, found->parts);
    print_loose(model, &found->loose);
    print_colliders(model, found->colliders);
    print_clips(limber_gltf_asset(gltf));
    print_cameras(model);
    const char* style = limber_gltf_style(gltf);
    printf("embedded style: %s\n", style ? "yes" : "no");
    for (uint32_t i = 0; i < limber_gltf_warning_count(gltf); i++) {
        printf("problem: ");
        cli_print_name(limber_gltf_warning(gltf, i));
        printf("\n");
    }
}

static void report_joints(limberi_json_writer* w, const limber_model* model) {
    uint8_t* bound = find_bound_joints(model);
    cli_report_open(w, "joints", '[');
    for (uint32_t j = 0; bound && j < model->rig.joint_count; j++) {
        cli_report_open(w, NULL, '{');
        cli_report_text(w, "name", model->rig.names[j]);
        cli_report_integer(w, "parent", model->rig.parents[j]);
        cli_report_switch(w, "bound", bound[j]);
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, ']');
    free(bound);
}

static void report_mesh(limberi_json_writer* w, const limber_model* model, const limber_mesh* mesh) {
    cli_report_open(w, NULL, '{');
    cli_report_text(w, "name", mesh->name);
    cli_report_text(w, "node", mesh->node_name);
    cli_report_integer(w, "vertices", mesh->vertex_count);
    cli_report_integer(w, "triangles", mesh->triangle_count);
    cli_report_integer(w, "joints", model->skins[mesh->skin].joint_count);
    cli_report_integer(w, "influences", max_influences(mesh));
    cli_report_integer(w, "morphs", mesh->morph_count);
    cli_report_open(w, "layers", '[');
    for (uint32_t i = 0; i < mesh->layer_count; i++)
        cli_report_text(w, NULL, mesh->layers[i].name);
    limberi_json_close(w, ']');
    cli_report_switch(w, "scenery", mesh->scenery);
    limberi_json_close(w, '}');
}

static void report_cut(limberi_json_writer* w, const char* key, const limber_cut* cut) {
    const double ends[2] = {cut->before_s, cut->after_s};
    cli_report_reals(w, key, ends, 2);
}

static void report_cuts(limberi_json_writer* w, const limber_model* model, const limber_clip* clip) {
    cli_report_open(w, "cuts", '[');
    for (uint32_t i = 0; i < clip->cut_count; i++)
        report_cut(w, NULL, &clip->cuts[i]);
    limberi_json_close(w, ']');
    cli_report_open(w, "joint_cuts", '[');
    for (uint32_t i = 0; i < clip->joint_cut_count; i++) {
        cli_report_open(w, NULL, '{');
        cli_report_text(w, "joint", model->rig.names[clip->joint_cuts[i].joint]);
        report_cut(w, "cut", &clip->joint_cuts[i].cut);
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, ']');
}

static void report_loop(limberi_json_writer* w, const limber_model* model, const limber_clip* clip) {
    const limber_loop* loop = &clip->loop;
    const double travel[3] = {(double)loop->travel.x, (double)loop->travel.y, (double)loop->travel.z};
    char reason[256];
    describe_gap(model, clip, reason, sizeof reason);
    cli_report_open(w, "loop", '{');
    if (reason[0])
        cli_report_text(w, "reason", reason);
    else
        cli_report_null(w, "reason");
    cli_report_real(w, "gap_degrees", degrees(loop->gap_rad));
    cli_report_real(w, "gap", loop->gap);
    if ((loop->gap_rad > 0 || loop->gap > 0) && loop->ends != LIMBER_ENDS_MORPH_OFF)
        cli_report_text(w, "joint", model->rig.names[loop->joint]);
    else
        cli_report_null(w, "joint");
    cli_report_reals(w, "travel", travel, 3);
    cli_report_real(w, "yaw_degrees", degrees(loop->yaw_rad));
    limberi_json_close(w, '}');
}

static void report_clip(limberi_json_writer* w, const limber_asset* asset, uint32_t index) {
    const limber_model* model = limber_asset_model(asset);
    const limber_clip* clip = &model->clips[index];
    limber_contacts* contacts = find_ground(asset, index);
    uint32_t inserted = inserted_pose(clip);
    cli_report_open(w, NULL, '{');
    cli_report_text(w, "name", clip->name);
    cli_report_real(w, "start", clip->start_s);
    cli_report_real(w, "end", clip->end_s);
    cli_report_real(w, "fps", clip->fps);
    cli_report_integer(w, "frames", limber_clip_frame_count(clip, clip->fps));
    cli_report_switch(w, "loops", clip->loops);
    report_loop(w, model, clip);
    report_cuts(w, model, clip);
    if (inserted) {
        cli_report_open(w, "inserted_pose", '{');
        cli_report_integer(w, "frames", inserted);
        cli_report_real(w, "cut", clip->cuts[0].after_s);
        limberi_json_close(w, '}');
    } else {
        cli_report_null(w, "inserted_pose");
    }
    cli_ground_report(w, model, contacts);
    limberi_json_close(w, '}');
    limber_contacts_destroy(contacts);
}

static void report_lists(limberi_json_writer* w, const limber_asset* asset) {
    const limber_model* model = limber_asset_model(asset);
    report_joints(w, model);
    cli_report_open(w, "meshes", '[');
    for (uint32_t m = 0; m < model->mesh_count; m++)
        report_mesh(w, model, &model->meshes[m]);
    limberi_json_close(w, ']');
    cli_report_open(w, "clips", '[');
    for (uint32_t c = 0; c < model->clip_count; c++)
        report_clip(w, asset, c);
    limberi_json_close(w, ']');
    cli_report_open(w, "cameras", '[');
    for (uint32_t i = 0; i < model->camera_count; i++) {
        cli_report_open(w, NULL, '{');
        cli_report_text(w, "name", model->cameras[i].name);
        cli_report_text(w, "lens", lens_name(&model->cameras[i]));
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, ']');
}

// `motions`: JSON of what --motion matched; NULL: there is none.
static int print_json(const char* path, const limber_gltf* gltf, const limber_model* model, const found_bodies* found,
                      const char* motions) {
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_json_writer writer = {.out = &text, .indent = 2, .digits = 9};
    limberi_json_writer* w = &writer;
    cli_report_open(w, NULL, '{');
    cli_report_text(w, "file", path);
    cli_report_real(w, "size", (double)model->size);
    cli_report_integer(w, "skins", model->skin_count);
    cli_report_integer(w, "vertices", model->vertex_count);
    cli_report_integer(w, "triangles", model->triangle_count);
    report_lists(w, limber_gltf_asset(gltf));
    cli_report_rigid(w, model, found->parts);
    cli_report_open(w, "loose_parts", '[');
    for (uint32_t i = 0; i < found->loose.count; i++)
        cli_report_text(w, NULL, model->rig.names[found->loose.parts[i].joint]);
    limberi_json_close(w, ']');
    cli_report_colliders(w, model, found->colliders);
    cli_report_json(w, "style", limber_gltf_style(gltf));
    cli_report_import(w, path);
    if (motions)
        cli_report_json(w, "motions", motions);
    cli_report_open(w, "problems", '[');
    for (uint32_t i = 0; i < limber_gltf_warning_count(gltf); i++)
        cli_report_text(w, NULL, limber_gltf_warning(gltf, i));
    limberi_json_close(w, ']');
    limberi_json_close(w, '}');
    return cli_report_print(w, path);
}

static int print_contents(const char* input, const limber_gltf* gltf, bool json, const char* motions) {
    const limber_model* model = limber_asset_model(limber_gltf_asset(gltf));
    found_bodies found = {0};
    limber_error error;
    int status = CLI_DONE;
    if (limber_rigid_parts_find(limber_gltf_asset(gltf), NULL, &found.parts, &error) != LIMBER_OK ||
        limber_colliders_find(limber_gltf_asset(gltf), NULL, &found.colliders, &error) != LIMBER_OK)
        status = cli_fail_error(input, &error);
    else if (!limberi_loose_parts_find(&found.arena, model, &found.loose))
        status = cli_fail_memory(input);
    else if (json)
        status = print_json(input, gltf, model, &found, motions);
    else
        print_text(input, gltf, model, &found);
    limber_rigid_parts_destroy(found.parts);
    limber_colliders_destroy(found.colliders);
    limberi_arena_free(&found.arena);
    return status;
}

static int load_and_print(const char* input, info_options* o, bool explains) {
    limber_gltf* gltf = NULL;
    limberi_buffer matches = {NULL, 0, 0, false};
    limberi_json_writer writer = {.out = &matches, .digits = 9};
    o->common.lists_matches = !o->json;
    o->common.matches = o->json ? &writer : NULL;
    cli_report_open(&writer, NULL, '[');
    int status = cli_load_with_motion(input, &o->common, &gltf);
    limberi_json_close(&writer, ']');
    if (!status && matches.failed)
        status = cli_fail_memory(input);
    if (!status && explains)
        status = cli_explain(input, gltf, &o->common, o->json);
    else if (!status)
        status = print_contents(input, gltf, o->json, o->common.motions.count ? matches.data : NULL);
    limberi_buffer_free(&matches);
    limber_gltf_destroy(gltf);
    return status;
}

int limber_cli_info(int argc, char** argv) {
    info_options o = {0};
    const char* input;
    bool over;
    int status = cli_parse(&command, argc, argv, &o, &input, &over);
    if (status || over)
        return status;
    bool explains = o.common.style || o.common.sets.count;
    if (!input)
        return cli_usage("info needs a file; see limber info --help");
    if (o.common.clip && !explains)
        return cli_usage("--clip needs a style to explain: --style or --set");
    return load_and_print(input, &o, explains);
}
