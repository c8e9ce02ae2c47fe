// `limber apply`: a style on a character, written as a file.
#include "cli/bake_limits.h"
#include "cli/bake_store.h"
#include "cli/cli.h"
#include "cli/like.h"
#include "cli/pool.h"
#include "cli/stamp.h"
#include "io/file.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct apply_options {
    cli_common common;
    const char* bake;
    const char* vat; // a folder; also the output
    const char* smear_meshes;
    const char* stamp;
    double tolerance; // thousandths of L
    const char *max_size, *profile;
    const char* like; // a file
    uint32_t targets;
    bool no_normals;
    bool compress;
    cli_list what_ifs;
} apply_options;

static const cli_option options[] = {
    {"--bake", "KIND", CLI_TEXT, offsetof(apply_options, bake),
     "auto, corrective, bones, vertex or none (default: auto)"},
    {"--tolerance", "X", CLI_NUMBER, offsetof(apply_options, tolerance),
     "max error [1/1000 character size] (default: 1; corrective, vertex: 0)"},
    {"--max-size", "SIZE", CLI_TEXT, offsetof(apply_options, max_size),
     "choose the tolerance by file size: 3x (of the plain file), 2MB"},
    {"--profile", "PLAYER", CLI_TEXT, offsetof(apply_options, profile),
     "keep to what godot, unity, unreal, web or blender can read"},
    {"--like", "FILE", CLI_TEXT, offsetof(apply_options, like),
     "move IN with the bones of FILE's bake (levels of detail)"},
    {"--targets", "N", CLI_COUNT, offsetof(apply_options, targets), "bones: max morph targets per mesh, 0 for none"},
    {"--no-normals", NULL, CLI_FLAG, offsetof(apply_options, no_normals),
     "leave normals out of morph targets and textures (smaller file)"},
    {"--compress", NULL, CLI_FLAG, offsetof(apply_options, compress),
     "pack a .glb or .gltf with EXT_meshopt_compression"},
    {"--vat", "DIR", CLI_TEXT, offsetof(apply_options, vat),
     "write vertex animation textures of one clip into a folder, not -o"},
    {"--smear-meshes", "MODE", CLI_TEXT, offsetof(apply_options, smear_meshes),
     "separate, merged or none (default: separate)"},
    {"--what-if", "JOINT.Q=X,Y,Z", CLI_LIST, offsetof(apply_options, what_ifs),
     "freeze the first frame and set a joint's velocity (repeatable)"},
    {"--stamp", "FILE", CLI_TEXT, offsetof(apply_options, stamp),
     "write what OUT was made from (limber batch reads it)"},
};

static const cli_command command = {
    .usage = "limber apply IN (-o OUT | --vat DIR) [options]",
    .summary = "Apply a style and write the animated result.",
    .details =
        "The extension of OUT selects the format:\n"
        "  .glb .gltf         the whole input file, with the effects baked into it\n"
        "  .usda              UsdSkel: skeleton, one clip, and the effects as blend shapes\n"
        "  .usdz              the same with its pictures in one file, for phones and viewers\n"
        "  .pc2 .mdd          a vertex cache of one clip\n"
        "  .obj               one file per frame of one clip, such as run.%04d.obj\n"
        "\n"
        "How a .glb, .gltf or .usda plays the effects (--bake):\n"
        "  auto               the smallest of corrective, with or without --tolerance, and bones (.usda: corrective)\n"
        "  corrective         skin and clips stay; morph targets correct the skinned shape\n"
        "  bones              new nodes below the joints carry the skin; few morph targets or none (not .usda)\n"
        "  vertex             morph targets replace the skin; a .usda becomes a vertex cache\n"
        "  none               nothing is baked; the file only carries the style (not .usda)\n"
        "\n"
        "--vat DIR writes the clip for a vertex shader, in the layout of OpenVAT (docs/vat.md): NAME_vat.png with the\n"
        "vertices and normals of all frames, NAME-remap_info.json, and NAME.glb, the mesh without skin. NAME is that "
        "of IN.\n"
        "\n"
        "In-between copies and motion lines of smears (--smear-meshes; only .glb and .gltf have them):\n"
        "  separate           one mesh per copy\n"
        "  merged             one mesh per mesh of the character\n"
        "  none               not written\n"
        "\n"
        "--what-if writes a frozen pose with the given velocity ramped in. Q is linear, angular, linear_acceleration\n"
        "or angular_acceleration, in world space [units/s, rad/s, units/s^2, rad/s^2].\n"
        "\n"
        "--compress makes .glb and .gltf files a half to two thirds smaller, for players that know\n"
        "EXT_meshopt_compression (three.js and Babylon.js do; Blender does not). Targets are rounded to 16 bits.\n"
        "\n"
        "--max-size doubles --tolerance, from 1, until the file is small enough, and says what it became.\n"
        "--like moves IN with the bones of FILE's bake: levels of detail of one skeleton keep together. Targets stay\n"
        "with FILE.\n"
        "--profile bakes into bones where there would be more morph targets than the player knows, writes no sparse\n"
        "accessors for godot, unity and unreal, refuses --compress for all but web, and warns of what the player\n"
        "will not read. Without it, files play in all of them.\n"
        "\n"
        "Before the work a line says how many targets and bytes to expect; after it another says what was written, "
        "and\n"
        "how far the farthest vertex is off with --tolerance, in thousandths of character size. Programs seldom play\n"
        "more than 256 targets on a mesh.\n"
        "\n"
        "The style is stored in the output, marked as baked. `limber help style` lists presets and style keys.",
    .examples = "  limber apply fox.glb --style cartoon -o out.glb\n"
                "  limber apply fox.glb --style jelly --set effects.floppy.angular=0.6 -o out.glb\n"
                "  limber apply fox.glb --style cartoon --bake vertex --tolerance 0.5 -o small.glb\n"
                "  limber apply fox.glb --style cartoon --tolerance 1 --compress -o web.glb\n"
                "  limber apply fox.glb --style cartoon --bake bones --targets 0 -o game.glb\n"
                "  limber apply fox_lod1.glb --like fox.glb --style cartoon -o game_lod1.glb\n"
                "  limber apply fox.glb --style smear --smear-meshes merged --clip Run -o out.glb\n"
                "  limber apply fox.glb --style cartoon --clip Run --tolerance 1 -o run.usda\n"
                "  limber apply fox.glb --style cartoon --clip Run --fps 24 -o run.pc2\n"
                "  limber apply fox.glb --style cartoon --clip Run --fps 24 --vat fox_vat",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .common = true,
};

// A viewer keeps every target of every copy in memory.
static const double many_bytes = 256e6;
// WebGL 2 promises textures of so many layers, one for each target.
static const uint32_t many_targets = 256;
// Of --tolerance; packing rounds, by far less than the rest.
static const double unpacked_share = 0.98;
static const double glb_bytes = 4294967295.0;
static const double text_size = 3.7;       // numbers in a .usda, by those in a .glb
static const double certainly_more = 1.02; // times the estimate; nearer to it the frames decide

static int parse_smear_meshes(const char* text, limber_bake_smear_meshes* extras) {
    static const char* const names[] = {"separate", "merged", "none"};
    for (int i = 0; text && i < 3; i++) {
        if (strcmp(text, names[i]) != 0)
            continue;
        *extras = (limber_bake_smear_meshes)i;
        return CLI_DONE;
    }
    return text ? cli_usage("--smear-meshes must be separate, merged or none, not '%s'", text) : CLI_DONE;
}

static bool is_usd(const char* output) {
    return cli_has_ending(output, ".usda") || cli_has_ending(output, ".usdz");
}

static int parse_bake(const apply_options* o, limber_bake_settings* bake) {
    static const char* const names[] = {"corrective", "vertex", "bones", "auto", "none"}; // as limber_bake_kind
    int kind = o->bake ? 0 : LIMBER_BAKE_AUTO;
    while (o->bake && kind < 5 && strcmp(o->bake, names[kind]) != 0)
        kind++;
    if (kind == 5)
        return cli_usage("--bake must be auto, corrective, bones, vertex or none, not '%s'", o->bake);
    bool holds_bones = !o->vat && !is_usd(o->common.output);
    bool chosen = kind < LIMBER_BAKE_AUTO || (kind == LIMBER_BAKE_AUTO && holds_bones);
    bake->kind = chosen ? (limber_bake_kind)kind : LIMBER_BAKE_CORRECTIVE;
    bake->target_limit = o->like ? 0 : o->targets;
    bake->kind = o->like ? LIMBER_BAKE_BONES : bake->kind;
    if (o->targets != LIMBER_TO_END && bake->kind != LIMBER_BAKE_BONES)
        return cli_usage("--targets goes with --bake bones");
    return CLI_DONE;
}

// One clip, frame by frame.
static bool writes_frames(const apply_options* o) {
    return o->vat || limber_cache_knows(o->common.output);
}

static int check_vat(const apply_options* o) {
    if (!o->vat)
        return CLI_DONE;
    if (o->common.output)
        return cli_usage("apply writes either -o OUT or --vat DIR");
    if (!*o->vat)
        return cli_usage("--vat needs a folder");
    return o->bake || !isnan(o->tolerance) ? cli_usage("--bake and --tolerance are for .glb and .gltf") : CLI_DONE;
}

static int check_limits(const apply_options* o) {
    const cli_profile* profile;
    double bytes;
    int status = cli_find_profile(o->profile, &profile);
    if (!status && o->max_size)
        status = cli_parse_size(o->max_size, 1, &bytes);
    if (status)
        return status;
    bool gltf = !writes_frames(o) && !is_usd(o->common.output) && !o->what_ifs.count;
    if ((o->profile || o->max_size) && (!gltf || (o->bake && strcmp(o->bake, "none") == 0)))
        return cli_usage("--profile and --max-size are for bakes in .glb and .gltf");
    if (o->like && (!gltf || o->max_size || (o->bake && strcmp(o->bake, "bones") != 0)))
        return cli_usage("--like bakes bones into .glb and .gltf, without --max-size");
    if (o->max_size && !isnan(o->tolerance))
        return cli_usage("--max-size chooses the --tolerance: only one of them");
    if (o->compress && profile && !profile->packed)
        return cli_usage("%s cannot read what --compress writes", profile->name);
    return CLI_DONE;
}

static int check_options(const apply_options* o, limber_bake_settings* bake) {
    limber_skinning skinning;
    int status = cli_parse_range(o->common.range, &bake->range_start_s, &bake->range_end_s);
    if (!status)
        status = cli_parse_skinning(o->common.skinning, &skinning);
    if (!status)
        status = cli_check_rate(o->common.fps);
    if (status)
        return status;
    status = parse_bake(o, bake);
    if (!status)
        status = check_limits(o);
    if (status)
        return status;
    if (o->tolerance < 0)
        return cli_usage("--tolerance must be 0 or more");
    limber_gltf_edits edits;
    if (o->compress && writes_frames(o))
        return cli_usage("--compress is for .glb and .gltf");
    if (o->compress && cli_compress(&edits) != CLI_DONE)
        return CLI_USAGE;
    status = parse_smear_meshes(o->smear_meshes, &bake->smear_meshes);
    if (status)
        return status;
    bake->fps = o->common.fps;
    double usual = bake->kind == LIMBER_BAKE_AUTO ? 1 : 0;
    double tolerance = isnan(o->tolerance) ? usual : o->tolerance;
    bake->tolerance = tolerance / 1000 * (o->compress ? unpacked_share : 1);
    bake->normals = !o->no_normals;
    return CLI_DONE;
}

typedef struct apply_work {
    const char* input;
    const apply_options* options;
    const limber_gltf* gltf;
    limber_gltf* coarse; // IN of --like, whose FILE is `input` and `gltf`; else NULL
    const char* coarse_input;
    limber_asset* subdivided; // with more triangles than the file, or NULL
    const limber_model* model;
    limber_pipeline* pipeline;
    cli_pool* pool;
    cli_look look;
    limber_bake_settings* settings;
    limber_bake_store* store;   // of exact targets, or NULL
    const cli_profile* profile; // or NULL
    double started_s;
} apply_work;

static bool bakes(const apply_options* o, const char* kind) {
    return strcmp(o->bake && strcmp(o->bake, "auto") != 0 ? o->bake : "corrective", kind) == 0;
}

static bool writes_skeleton(const apply_options* o) {
    return !o->vat && is_usd(o->common.output) && bakes(o, "corrective") && !o->what_ifs.count;
}

// The style stays in the file, marked as baked so that nobody applies it a second time.
static int embedded_style(const apply_work* w, bool baked, const char** text) {
    limber_error error;
    *text = NULL;
    if (!w->options->common.style && !w->options->common.sets.count && !limber_gltf_style(w->gltf))
        return CLI_DONE;
    if (limber_style_set(w->look.style, "baked", baked ? "true" : "false", &error) != LIMBER_OK)
        return cli_fail_error(w->input, &error);
    *text = limber_style_text(w->look.style);
    return *text ? CLI_DONE : cli_fail_memory(w->input);
}

// Morph targets of a subdivided mesh do not fit the meshes of the input file.
static int write_subdivided(const apply_work* w, limber_gltf** finer) {
    limber_error error;
    cli_warn(w->input,
             "smear.elongate.subdivide adds triangles (%u instead of %u), so the output is a new file with "
             "character, clips and base colors only: no lights, cameras, other textures or extras",
             w->model->triangle_count, limber_asset_model(limber_gltf_asset(w->gltf))->triangle_count);
    return limber_gltf_from_asset(w->subdivided, finer, &error) == LIMBER_OK ? CLI_DONE
                                                                             : cli_fail_error(w->input, &error);
}

static int begin_edits(const apply_work* w, const limber_bake* bake, limber_gltf_edits* edits) {
    *edits = limber_gltf_edits_default();
    edits->bake = bake;
    edits->dense = w->profile && w->profile->dense;
    if (w->options->compress && cli_compress(edits) != CLI_DONE)
        return CLI_USAGE;
    return embedded_style(w, bake != NULL, &edits->style);
}

static int save(const apply_work* w, const limber_bake* bake, uint32_t* bones) {
    limber_error error;
    limber_gltf_edits edits;
    uint32_t repaired[LIMBER_REPAIR_COUNT] = {0};
    limber_parallel parallel = cli_pool_parallel(w->pool);
    int status = begin_edits(w, bake, &edits);
    edits.repaired = repaired;
    edits.bone_count = bones;
    edits.parallel = &parallel;
    limber_gltf* finer = NULL;
    if (!status && w->subdivided && bake)
        status = write_subdivided(w, &finer);
    const limber_gltf* gltf = finer ? finer : w->gltf;
    gltf = w->coarse ? w->coarse : gltf;
    if (!status && limber_gltf_save_file(gltf, &edits, w->options->common.output, &error) != LIMBER_OK)
        status = cli_fail_error(w->options->common.output, &error);
    if (!status && !w->options->common.quiet)
        cli_list_repairs(w->options->common.output, repaired);
    limber_gltf_destroy(finer);
    return status;
}

static void warn_of_size(const apply_work* w, const limber_bake* bake) {
    double bytes = 0;
    for (uint32_t i = 0; i < bake->smear_mesh_count; i++) {
        const limber_bake_smear_mesh* extra = &bake->smear_meshes[i];
        bytes +=
            ((extra->normals ? 24.0 : 12.0) * extra->shape_count + 4.0 * extra->opacity_count) * extra->vertex_count;
    }
    if (bytes > many_bytes)
        cli_warn(w->options->common.output,
                 "in-between copies and motion lines need %.0f MB; to save space use --tolerance, --no-normals, "
                 "--clip, fewer copies or --smear-meshes none",
                 bytes / 1e6);
}

// Too much for the format is said before the first frame.
static int check_bytes(const apply_work* w, double bytes) {
    bool single =
        cli_has_ending(w->options->common.output, ".glb") && !w->options->compress; // who knows how far it packs
    w->settings->max_bytes = single ? (uint64_t)glb_bytes : 0;
    if (!single || bytes <= certainly_more * glb_bytes || w->settings->kind == LIMBER_BAKE_AUTO)
        return CLI_DONE;
    return cli_fail(w->options->common.output,
                    "a .glb can hold 4 GiB, but this one needs about %s; use --tolerance, --bake bones, --clip or a "
                    "lower --fps, or write a .gltf",
                    cli_bytes(bytes));
}

// Where the targets of an exact bake go. A subdivided character becomes another file.
static int open_store(apply_work* w, const limber_bake_estimate* e) {
    const char* output = w->options->common.output;
    const limber_gltf* inside = w->options->compress || w->subdivided ? NULL : w->gltf;
    limber_error error;
    if (cli_bake_store(w->model, inside, w->settings, e, output, &w->store, &error) != LIMBER_OK)
        return cli_fail_error(output, &error);
    w->settings->store = w->store;
    return CLI_DONE;
}

static void warn_of_targets(const apply_work* w, uint32_t count) {
    if (count > many_targets)
        cli_warn(w->options->common.output,
                 "few programs play more than %u targets on a mesh; fewer with --tolerance, --bake bones, --fps or "
                 "--clip",
                 many_targets);
}

// What the bake will come to.
static int estimate(apply_work* w) {
    const char* output = w->options->common.output;
    limber_bake_estimate e;
    limber_error error;
    if (limber_pipeline_bake_estimate(w->pipeline, w->settings, &e, &error) != LIMBER_OK)
        return cli_fail_error(w->input, &error);
    double bytes = (double)e.byte_count * (writes_skeleton(w->options) ? text_size : 1);
    int status = check_bytes(w, bytes);
    if (status)
        return status;
    if (e.target_count && w->settings->kind == LIMBER_BAKE_AUTO)
        cli_tell(output, "%u frames, about %s as morph targets", e.frame_count, cli_bytes(bytes));
    else if (e.target_count)
        cli_tell(output, "%u frames, about %u targets on a mesh and %s", e.frame_count, e.target_count,
                 cli_bytes(bytes));
    if (w->settings->kind != LIMBER_BAKE_AUTO)
        warn_of_targets(w, e.target_count);
    return open_store(w, &e);
}

static uint32_t most_targets(const limber_bake* bake) {
    uint32_t most = 0;
    for (uint32_t m = 0; m < bake->mesh_count; m++)
        most = bake->meshes[m].target_count > most ? bake->meshes[m].target_count : most;
    return most;
}

// `all_bones`: those of the file, as players see them.
static void tell_baked(const apply_work* w, const limber_bake* bake, uint32_t all_bones) {
    uint32_t max = most_targets(bake);
    uint32_t helpers = 0;
    char what[160];
    char off[48] = "";
    char bones[64] = "";
    for (uint32_t i = 0; i < bake->bone_count; i++)
        helpers += bake->bones[i].helper_mesh >= 0;
    if (bake->kind == LIMBER_BAKE_BONES)
        snprintf(bones, sizeof bones, "%u bones (%u baked, %u helpers), ", all_bones, bake->bone_count, helpers);
    if (w->settings->kind == LIMBER_BAKE_AUTO)
        warn_of_targets(w, max);
    if (bake->kind == LIMBER_BAKE_BONES || bake->error > 0)
        snprintf(off, sizeof off, ", at most %.3g/1000 L off", 1000 * bake->error);
    snprintf(what, sizeof what, "%s%u target%s%s%s", bones, max, max == 1 ? "" : "s",
             bake->mesh_count > 1 ? " on a mesh" : "", off);
    cli_tell_written(w->options->common.output, what, w->started_s);
}

static int bake(const apply_work* w, limber_bake** baked) {
    limber_error error;
    cli_progress progress = cli_progress_start("frame", w->options->common.quiet);
    w->settings->progress = cli_progress_step;
    w->settings->user = &progress;
    limber_result result = limber_pipeline_bake(w->pipeline, w->settings, baked, &error);
    cli_progress_end(&progress);
    return result ? cli_fail_error(w->input, &error) : CLI_DONE;
}

// Bones instead of more targets than the player knows.
static int bake_for_player(const apply_work* w, limber_bake** baked) {
    int status = bake(w, baked);
    if (status || !w->profile || most_targets(*baked) <= w->profile->targets)
        return status;
    uint32_t found = most_targets(*baked);
    limber_bake_destroy(*baked);
    *baked = NULL;
    if (w->settings->kind != LIMBER_BAKE_AUTO)
        return cli_fail(
            w->options->common.output,
            "%u targets on a mesh, but %s plays %u; use --bake auto, --bake bones --targets %u or --tolerance", found,
            w->profile->name, w->profile->targets, w->profile->targets);
    w->settings->kind = LIMBER_BAKE_BONES;
    w->settings->target_limit = w->profile->targets;
    status = bake(w, baked);
    w->settings->kind = LIMBER_BAKE_AUTO;
    w->settings->target_limit = LIMBER_TO_END;
    return status;
}

// As a .glb.
static int find_size(const apply_work* w, const limber_bake* bake, double* size) {
    limber_gltf_edits edits;
    limber_error error;
    void* bytes;
    size_t count;
    int status = begin_edits(w, bake, &edits);
    if (!status && limber_gltf_save_memory(w->gltf, &edits, &bytes, &count, &error) != LIMBER_OK)
        return cli_fail_error(w->options->common.output, &error);
    if (status)
        return status;
    limber_release(bytes);
    *size = (double)count;
    return CLI_DONE;
}

// Doubles the tolerance until the file is as small as it must be.
static int bake_to_size(apply_work* w, limber_bake** baked) {
    static const double last = 0.064; // L: nobody wants worse
    const char* output = w->options->common.output;
    double plain, size, goal = 0;
    if (w->subdivided)
        return cli_fail(w->input, "--max-size does not go with smear.elongate.subdivide");
    int status = find_size(w, NULL, &plain);
    if (!status)
        status = cli_parse_size(w->options->max_size, plain, &goal);
    for (double tolerance = 0.001; !status; tolerance *= 2) {
        w->settings->tolerance = tolerance * (w->options->compress ? unpacked_share : 1);
        status = bake_for_player(w, baked);
        if (!status)
            status = find_size(w, *baked, &size);
        if (status || size <= goal) {
            if (!status)
                cli_tell(output, "tolerance %g for --max-size %s", 1000 * tolerance, w->options->max_size);
            return status;
        }
        if (tolerance >= last)
            break;
        limber_bake_destroy(*baked);
        *baked = NULL;
    }
    if (status)
        return status;
    char needed[32];
    snprintf(needed, sizeof needed, "%s", cli_bytes(size));
    return cli_fail(output,
                    "needs %s even with --tolerance %g, but --max-size is %s; use --no-normals, --compress, "
                    "--clip or a lower --fps",
                    needed, 1000 * last, cli_bytes(goal));
}

// The bones of the bake, for the input.
static int save_like(apply_work* w, const limber_bake* baked) {
    cli_like like;
    uint32_t bones = 0;
    char what[160];
    const limber_model* coarse = limber_asset_model(limber_gltf_asset(w->coarse));
    int status = cli_like_open(w->coarse_input, coarse, w->options->like, w->model, baked, &like);
    if (!status)
        status = save(w, &like.bake, &bones);
    snprintf(what, sizeof what,
             "%u bones (%u baked, %u helpers), at most %.3g/1000 L off in %.32s, %.3g/1000 L from it", bones,
             like.bake.bone_count - like.helper_count, like.helper_count, 1000 * baked->error,
             limberi_file_name(w->options->like), 1000 * like.farthest);
    if (!status)
        cli_tell_written(w->options->common.output, what, w->started_s);
    cli_like_close(&like);
    return status;
}

static int bake_and_save(apply_work* w) {
    limber_bake* baked = NULL;
    uint32_t bones = 0;
    int status = w->options->max_size ? CLI_DONE : estimate(w);
    if (!status && w->profile)
        cli_warn_of_profile(w->options->common.output, w->profile, w->model);
    if (!status)
        status = w->options->max_size ? bake_to_size(w, &baked) : bake_for_player(w, &baked);
    if (!status && w->coarse) {
        status = save_like(w, baked);
        limber_bake_destroy(baked);
        return status;
    }
    if (!status)
        status = writes_skeleton(w->options)
                     ? cli_save_usd(w->input, w->pipeline, w->model, w->settings, baked, w->options->common.output)
                     : save(w, baked, &bones);
    if (!status) {
        warn_of_size(w, baked);
        tell_baked(w, baked, bones);
    }
    limber_bake_destroy(baked);
    limber_gltf_store_close(w->store);
    w->store = NULL;
    return status;
}

// Frames on demand for the vertex caches.
typedef struct frame_source {
    limber_pipeline* pipeline;
    const limber_clip* clip;
    int32_t clip_index;
    double fps;
    uint32_t first, count;
    const limber_kinematics* what_if; // given velocities: the frames ramp them in; NULL: the clip's
    bool no_normals;
    cli_progress progress;
} frame_source;

static limber_result next_frame(void* user, uint32_t index, const float** positions, const float** normals) {
    frame_source* source = user;
    limber_smeared smeared;
    limber_frame* frame = &smeared.frame;
    uint32_t shown = source->what_if ? source->first : source->first + index;
    double time_s = source->clip ? limber_clip_frame_time(source->clip, source->fps, shown) : 0;
    float amount = (float)index / (CLI_WHAT_IF_STEPS - 1);
    limber_result result = source->what_if ? limber_pipeline_evaluate_what_if(source->pipeline, source->clip_index,
                                                                              time_s, source->what_if, amount, frame)
                                           : limber_pipeline_evaluate_smeared(source->pipeline, source->clip_index,
                                                                              time_s, source->fps, &smeared);
    *positions = frame->positions;
    *normals = source->no_normals ? NULL : frame->normals;
    cli_progress_step(&source->progress, index, source->count);
    return result;
}

static int open_source(const apply_work* w, const limber_kinematics* what_if, frame_source* source) {
    const cli_common* common = &w->options->common;
    memset(source, 0, sizeof *source);
    source->pipeline = w->pipeline;
    source->clip_index = -1;
    source->fps = common->fps > 0 ? common->fps : 30;
    source->count = 1;
    source->what_if = what_if;
    source->no_normals = w->options->vat && w->options->no_normals;
    source->progress = cli_progress_start("writing frame", common->quiet);
    if (w->model->clip_count) {
        uint32_t clip = w->settings->clips ? w->settings->clips[0] : cli_first_clip();
        source->clip = &w->model->clips[clip];
        source->clip_index = (int32_t)clip;
        source->fps = common->fps > 0 ? common->fps : source->clip->fps;
        limber_frame_range range =
            limber_clip_frames_between(source->clip, source->fps, w->settings->range_start_s, w->settings->range_end_s);
        source->first = range.first;
        source->count = range.count;
    }
    if (!source->count)
        return cli_fail(w->input, "no frame of clip '%s' (%g to %g s) is in --range %s", source->clip->name,
                        source->clip->start_s, source->clip->end_s, common->range);
    if (what_if)
        source->count = CLI_WHAT_IF_STEPS;
    return CLI_DONE;
}

static limber_result save_frames(const apply_work* w, const limber_cache_job* job, const limber_clip* clip,
                                 limber_error* error) {
    char name[256];
    if (!w->options->vat)
        return limber_cache_save(job, w->options->common.output, error);
    // The input's name without folder and extension begins the names of the files.
    const char* from = limberi_file_name(w->input);
    const char* end = strrchr(from, '.');
    size_t length = end && end != from ? (size_t)(end - from) : strlen(from);
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : (int)sizeof name - 1, from);
    return limber_vat_save(job, clip, w->options->vat, name, error);
}

static int save_cache(const apply_work* w, frame_source* source) {
    limber_cache_job job = limber_cache_job_default();
    job.model = w->model;
    job.fps = source->fps;
    job.start_s =
        source->clip && !source->what_if ? limber_clip_frame_time(source->clip, source->fps, source->first) : 0;
    job.frame_count = source->count;
    job.frame = next_frame;
    job.user = source;
    limber_error error;
    limber_result result = save_frames(w, &job, source->what_if ? NULL : source->clip, &error);
    cli_progress_end(&source->progress);
    if (result)
        return cli_fail_error(w->options->common.output, &error);
    char what[48];
    snprintf(what, sizeof what, "%u frame%s", source->count, source->count == 1 ? "" : "s");
    cli_tell_written(w->options->common.output, what, w->started_s);
    return CLI_DONE;
}

// Vertex caches have no room for meshes that come and go.
static void warn_of_cache(const apply_work* w) {
    const limber_smear_settings* smear = &w->look.settings.smear;
    if (limber_smear_adds_meshes(smear) && w->settings->smear_meshes != LIMBER_SMEAR_MESHES_NONE)
        cli_warn(w->options->common.output,
                 "in-between copies, motion lines and ribbons are left out: only .glb and .gltf can hold them");
    if (smear->texture_spin)
        cli_warn(w->options->common.output, "textures that spin are left out: only .glb and .gltf can hold them");
}

static int apply_what_if(const apply_work* w) {
    limber_kinematics motion;
    frame_source source;
    if (limber_kinematics_create(w->model, &motion) != LIMBER_OK)
        return cli_fail_memory(w->input);
    int status = cli_what_if_parse(w->input, w->model, &w->options->what_ifs, &motion);
    if (!status)
        status = open_source(w, &motion, &source);
    if (!status && writes_frames(w->options))
        status = save_cache(w, &source);
    else if (!status)
        status = cli_what_if_save(w->input, w->model, next_frame, &source, w->options->common.output);
    limber_kinematics_destroy(&motion);
    return status;
}

// UsdSkel holds one clip, as a cache does, and no smear meshes.
static int apply_skeleton(apply_work* w) {
    frame_source source;
    const uint32_t first = 0;
    int status = open_source(w, NULL, &source); // looks whether there are frames
    if (status)
        return status;
    warn_of_cache(w);
    w->settings->smear_meshes = LIMBER_SMEAR_MESHES_NONE;
    if (!w->settings->clips && w->model->clip_count) {
        w->settings->clips = &first;
        w->settings->clip_count = 1;
    }
    status = bake_and_save(w);
    w->settings->clips = w->settings->clips == &first ? NULL : w->settings->clips;
    return status;
}

static int apply_work_run(apply_work* w) {
    frame_source source;
    if (w->options->what_ifs.count)
        return apply_what_if(w);
    if (writes_skeleton(w->options))
        return apply_skeleton(w);
    if (writes_frames(w->options)) {
        int status = open_source(w, NULL, &source);
        if (!status)
            warn_of_cache(w);
        return status ? status : save_cache(w, &source);
    }
    if (w->options->bake && strcmp(w->options->bake, "none") == 0) {
        int status = save(w, NULL, NULL);
        if (!status)
            cli_tell_written(w->options->common.output, "the style", w->started_s);
        return status;
    }
    return bake_and_save(w);
}

static void tell_cones(const apply_work* w) {
    const limber_lift_cones* cones = &w->look.settings.deform.lift_cones;
    limber_cone cone;
    float residual;
    if (!(cones->fit || cones->part_count))
        return;
    for (uint32_t i = 0; limber_pipeline_cone_at(w->pipeline, i, &cone, &residual); i++)
        cli_tell(NULL, "cone fitted to '%s': half angle %.1f degrees, vertices within %.2f %% of character size",
                 w->model->rig.names[cone.joint], (double)cone.half_angle_rad * 57.29577951, 100 * (double)residual);
}

// A cache holds one clip. Nothing is smeared in a what-if or where the file only carries the style.
static int subdivide(apply_work* w) {
    const apply_options* o = w->options;
    bool cache = writes_frames(o);
    const uint32_t first = cli_first_clip();
    limber_bake_settings frames = *w->settings;
    if (o->what_ifs.count || (!cache && o->bake && strcmp(o->bake, "none") == 0) || !w->model->clip_count)
        return CLI_DONE;
    if (cache && !frames.clips) {
        frames.clips = &first;
        frames.clip_count = 1;
    }
    int status = cli_subdivide(w->input, &frames, o->common.quiet, &w->pipeline, &w->subdivided);
    if (w->subdivided)
        w->model = limber_asset_model(w->subdivided);
    return status;
}

static int apply(const char* input, const apply_options* o, limber_bake_settings* settings) {
    limber_gltf* gltf;
    apply_work w;
    memset(&w, 0, sizeof w);
    w.coarse_input = input;
    int status = o->like ? cli_load(input, &w.coarse) : CLI_DONE;
    input = o->like ? o->like : input;
    if (!status)
        status = cli_load_with_motion(input, &o->common, &gltf);
    if (status) {
        limber_gltf_destroy(w.coarse);
        return status;
    }
    w.input = input;
    w.options = o;
    w.gltf = gltf;
    w.model = limber_asset_model(limber_gltf_asset(gltf));
    w.settings = settings;
    w.settings->shares = !w.coarse && !limber_gltf_has_other_meshes(gltf);
    (void)cli_find_profile(o->profile, &w.profile); // checked before
    w.started_s = cli_now_s();
    limber_error error;
    uint32_t clip;
    if (o->common.clip) {
        status = cli_find_clip(input, w.model, o->common.clip, &clip);
        settings->clips = &clip;
        settings->clip_count = 1;
    }
    if (!status)
        status = cli_look_open(input, gltf, &o->common, &w.look);
    w.look.settings.exaggerate.limited = o->common.range != NULL;
    w.look.settings.exaggerate.range_start_s = settings->range_start_s;
    w.look.settings.exaggerate.range_end_s = settings->range_end_s;
    if (!status && limber_pipeline_create_from_settings(limber_gltf_asset(gltf), &w.look.settings, &w.pipeline,
                                                        &error) != LIMBER_OK)
        status = cli_fail_error(input, &error);
    if (!status)
        status = subdivide(&w);
    if (!status && cli_pool_lend(&w.pool, o->common.threads, w.pipeline) != LIMBER_OK)
        status = cli_fail_memory(input);
    if (!status) {
        tell_cones(&w);
        status = apply_work_run(&w);
    }
    limber_pipeline_destroy(w.pipeline);
    cli_pool_destroy(w.pool);
    cli_look_close(&w.look);
    limber_asset_destroy(w.subdivided);
    limber_gltf_destroy(gltf);
    limber_gltf_destroy(w.coarse);
    return status;
}

static int parse(int argc, char** argv, apply_options* o, limber_bake_settings* bake, const char** input, bool* over) {
    memset(o, 0, sizeof *o);
    o->targets = LIMBER_TO_END;
    o->tolerance = NAN;
    *bake = limber_bake_settings_default();
    int status = cli_parse(&command, argc, argv, o, input, over);
    if (status || *over)
        return status;
    if (!*input || !(o->common.output || o->vat))
        return cli_usage("apply needs an input and -o OUT or --vat DIR; see limber apply --help");
    status = check_vat(o);
    if (status)
        return status;
    o->common.output = o->vat ? o->vat : o->common.output;
    bool known = o->vat || cli_has_ending(o->common.output, ".glb") || cli_has_ending(o->common.output, ".gltf") ||
                 is_usd(o->common.output) || limber_cache_knows(o->common.output);
    if (!known)
        return cli_usage("apply writes .glb, .gltf, .pc2, .mdd, .usda, .usdz or .obj, not '%s'", o->common.output);
    if (!o->vat && cli_has_ending(o->common.output, ".usdz") && !writes_skeleton(o))
        return cli_usage("a .usdz needs --bake corrective and no --what-if; a .usda can be a vertex cache");
    if (!o->vat && is_usd(o->common.output) && (bakes(o, "none") || bakes(o, "bones")))
        return cli_usage("a .usda needs --bake corrective or vertex, not %s", o->bake);
    return check_options(o, bake);
}

int cli_apply_check(int argc, char** argv) {
    apply_options o;
    limber_bake_settings bake;
    const char* input;
    bool over;
    return parse(argc, argv, &o, &bake, &input, &over);
}

int limber_cli_apply(int argc, char** argv) {
    apply_options o;
    limber_bake_settings bake;
    const char* input;
    bool over;
    int status = parse(argc, argv, &o, &bake, &input, &over);
    if (status || over)
        return status;
    cli_stamp stamp;
    status = cli_stamp_begin(&stamp, o.stamp, o.common.output, argc, argv);
    if (!status)
        status = apply(input, &o, &bake);
    return status ? status : cli_stamp_end(&stamp);
}
