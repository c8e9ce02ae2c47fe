// `limber apply`: a style on a character, written as a file.
#include "cli/verbs/apply.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

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
    {"--json", NULL, CLI_FLAG, offsetof(apply_options, json), "machine-readable JSON summary of a .glb or .gltf bake"},
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

static int parse_bake(const apply_options* o, limber_bake_settings* bake) {
    static const char* const names[] = {"corrective", "vertex", "bones", "auto", "none"}; // as limber_bake_kind
    int kind = o->bake ? 0 : LIMBER_BAKE_AUTO;
    while (o->bake && kind < 5 && strcmp(o->bake, names[kind]) != 0)
        kind++;
    if (kind == 5)
        return cli_usage("--bake must be auto, corrective, bones, vertex or none, not '%s'", o->bake);
    bool holds_bones = !o->vat && !apply_is_usd(o->common.output);
    bool chosen = kind < LIMBER_BAKE_AUTO || (kind == LIMBER_BAKE_AUTO && holds_bones);
    bake->kind = chosen ? (limber_bake_kind)kind : LIMBER_BAKE_CORRECTIVE;
    bake->target_limit = o->like ? 0 : o->targets;
    bake->kind = o->like ? LIMBER_BAKE_BONES : bake->kind;
    if (o->targets != LIMBER_TO_END && bake->kind != LIMBER_BAKE_BONES)
        return cli_usage("--targets goes with --bake bones");
    return CLI_DONE;
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
    bool gltf = !apply_writes_frames(o) && !apply_is_usd(o->common.output) && !o->what_ifs.count;
    if ((o->profile || o->max_size) && (!gltf || (o->bake && strcmp(o->bake, "none") == 0)))
        return cli_usage("--profile and --max-size are for bakes in .glb and .gltf");
    if (o->like && (!gltf || o->max_size || (o->bake && strcmp(o->bake, "bones") != 0)))
        return cli_usage("--like bakes bones into .glb and .gltf, without --max-size");
    if (o->json && (!gltf || (o->bake && strcmp(o->bake, "none") == 0)))
        return cli_usage("--json is for bakes in .glb and .gltf");
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
    if (o->compress && apply_writes_frames(o))
        return cli_usage("--compress is for .glb and .gltf");
    if (o->compress && cli_compress(&edits) != CLI_DONE)
        return CLI_USAGE;
    status = parse_smear_meshes(o->smear_meshes, &bake->smear_meshes);
    if (status)
        return status;
    bake->fps = o->common.fps;
    double usual = bake->kind == LIMBER_BAKE_AUTO ? 1 : 0;
    double tolerance = isnan(o->tolerance) ? usual : o->tolerance;
    bake->tolerance = tolerance / 1000 * (o->compress ? APPLY_UNPACKED_SHARE : 1);
    bake->normals = !o->no_normals;
    return CLI_DONE;
}

static int apply_work_run(apply_work* w) {
    if (w->options->what_ifs.count)
        return apply_what_if(w);
    if (apply_writes_skeleton(w->options))
        return apply_skeleton(w);
    if (apply_writes_frames(w->options))
        return apply_cache(w);
    if (w->options->bake && strcmp(w->options->bake, "none") == 0) {
        int status = apply_save(w, NULL, NULL);
        if (!status)
            cli_tell_written(w->options->common.output, "the style", w->started_s);
        return status;
    }
    return apply_bake(w);
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
    bool cache = apply_writes_frames(o);
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
    apply_work w = {0};
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
    w.settings->packs_clips = 1;
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
                 apply_is_usd(o->common.output) || limber_cache_knows(o->common.output);
    if (!known)
        return cli_usage("apply writes .glb, .gltf, .pc2, .mdd, .usda, .usdz or .obj, not '%s'", o->common.output);
    if (!o->vat && cli_has_ending(o->common.output, ".usdz") && !apply_writes_skeleton(o))
        return cli_usage("a .usdz needs --bake corrective and no --what-if; a .usda can be a vertex cache");
    if (!o->vat && apply_is_usd(o->common.output) && (apply_bakes(o, "none") || apply_bakes(o, "bones")))
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
