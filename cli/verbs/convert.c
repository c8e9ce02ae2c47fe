// `limber convert`: from one file format to another, without a style.
#include "cli/cli.h"

#include <stddef.h>

typedef struct convert_options {
    const char *output, *clip, *repair;
    double fps;
    uint32_t repairs;
    bool quiet;
    cli_common common; // only what --motion needs
} convert_options;

#define COMMON(member) offsetof(convert_options, common.member)
static const cli_option options[] = {
    {"-o", "OUT", CLI_TEXT, offsetof(convert_options, output), "output file (.glb, .gltf or .bvh)"},
    {"--clip", "NAME|INDEX", CLI_TEXT, offsetof(convert_options, clip), "clip for a .bvh (default: the first)"},
    {"--motion", "FILE[#CLIP][@A:B]", CLI_LIST, COMMON(motions), "add clips of another file's skeleton (repeatable)"},
    {"--match", "FILE", CLI_TEXT, COMMON(match), "joint pairs of --motion; written if not there"},
    CLI_MOTION_OPTIONS(COMMON),
    {"--fps", "N", CLI_NUMBER, offsetof(convert_options, fps), "frame rate of a .bvh [1/s] (default: the clip's)"},
    {"--repair", "all|none|LIST", CLI_TEXT, offsetof(convert_options, repair), "what to put right (default: none)"},
    {"--quiet", NULL, CLI_FLAG, offsetof(convert_options, quiet), "print errors only"},
};

static const cli_command command = {
    .usage = "limber convert IN -o OUT [options]",
    .summary = "Convert between file formats, without a style.",
    .details =
        "Reads .glb, .gltf, .fbx, .dae and .bvh; writes .glb, .gltf and .bvh. Everything in a glTF file that limber\n"
        "does not change is kept.\n"
        "A .bvh becomes a skeleton with a simple generated body. From .bvh to .bvh the channel order is kept, and\n"
        "translation channels are added only where bones stretch.\n"
        "\n"
        "What is wrong in a glTF file stays as it is, unless --repair names it. LIST is some of these, with commas\n"
        "between: tangents, root, nodes, weights, bounds, units, unused. docs/inputs.md explains them. Each repair "
        "that\n"
        "was made is listed.",
    .examples = "  limber convert fox.gltf -o fox.glb\n"
                "  limber convert dance.fbx -o dance.glb\n"
                "  limber convert walk.bvh -o walk.glb\n"
                "  limber convert fox.glb -o run.bvh --clip Run\n"
                "  limber convert odd.glb -o clean.glb --repair all",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

static void warn_losses(const char* input, const char* output, const limber_bvh_report* report) {
    if (report->dropped_mesh_count && !cli_has_ending(input, ".bvh")) // a generated body is no loss
        cli_warn(output, "a .bvh holds only a skeleton: %u mesh%s left out", report->dropped_mesh_count,
                 report->dropped_mesh_count == 1 ? " is" : "es are");
    if (report->dropped_scale)
        cli_warn(output, "a .bvh cannot scale joints: joint positions are kept, the scale in the clip is lost");
}

static int save_bvh(const char* input, const convert_options* o, const limber_model* model, const limber_bvh* layout) {
    limber_bvh_settings settings = limber_bvh_settings_default();
    limber_bvh_report report;
    limber_error error;
    settings.layout = layout;
    settings.fps = o->fps;
    settings.clip = cli_first_clip();
    int status = o->clip ? cli_find_clip(input, model, o->clip, &settings.clip) : CLI_DONE;
    if (status)
        return status;
    if (!model->rig.joint_count)
        return cli_fail(input, "has no skeleton to write");
    if (limber_bvh_save_file(model, &settings, o->output, &report, &error) != LIMBER_OK)
        return cli_fail_error(o->output, &error);
    if (!o->clip && !o->common.motions.count && model->clip_count > 1)
        cli_warn(o->output, "a .bvh holds one clip: wrote '%s', the first of %u; use --clip to choose another",
                 model->clips[0].name, model->clip_count);
    warn_losses(input, o->output, &report);
    return CLI_DONE;
}

// Keeps the order of the channels.
static int rewrite_bvh(const char* input, const convert_options* o) {
    limber_bvh* bvh;
    limber_error error;
    if (limber_bvh_load_file(input, NULL, &bvh, &error) != LIMBER_OK)
        return cli_fail_error(input, &error);
    int status = save_bvh(input, o, limber_asset_model(limber_bvh_asset(bvh)), bvh);
    limber_bvh_destroy(bvh);
    return status;
}

static int convert(const char* input, const convert_options* o) {
    bool skeleton = cli_has_ending(o->output, ".bvh");
    if (skeleton && cli_has_ending(input, ".bvh") && !o->common.motions.count)
        return rewrite_bvh(input, o);
    limber_gltf* gltf;
    int status = cli_load_with_motion(input, &o->common, &gltf);
    if (status)
        return status;
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_error error;
    uint32_t repaired[LIMBER_REPAIR_COUNT] = {0};
    edits.repairs = o->repairs;
    edits.repaired = repaired;
    if (skeleton)
        status = save_bvh(input, o, limber_asset_model(limber_gltf_asset(gltf)), NULL);
    else if (limber_gltf_save_file(gltf, &edits, o->output, &error) != LIMBER_OK)
        status = cli_fail_error(o->output, &error);
    else
        cli_list_repairs(o->output, repaired);
    limber_gltf_destroy(gltf);
    return status;
}

int limber_cli_convert(int argc, char** argv) {
    convert_options o = {0};
    const char* input;
    bool over;
    int status = cli_parse(&command, argc, argv, &o, &input, &over);
    if (status || over)
        return status;
    if (!input || !o.output)
        return cli_usage("convert needs an input and -o OUT; see limber convert --help");
    bool skeleton = cli_has_ending(o.output, ".bvh");
    if (!skeleton && !cli_has_ending(o.output, ".glb") && !cli_has_ending(o.output, ".gltf"))
        return cli_usage("convert writes .glb, .gltf or .bvh, not '%s'", o.output);
    if (!skeleton && (o.clip || o.fps != 0))
        return cli_usage("--clip and --fps need a .bvh output; a .glb keeps all clips and keys");
    if (skeleton && o.repair)
        return cli_usage("--repair needs a .glb or .gltf output");
    status = cli_check_rate(o.fps);
    if (!status)
        status = cli_parse_repairs(o.repair, &o.repairs);
    if (status)
        return status;
    double started_s = cli_now_s();
    cli_be_quiet(o.quiet);
    status = convert(input, &o);
    if (!status)
        cli_tell_written(o.output, "converted", started_s);
    return status;
}
