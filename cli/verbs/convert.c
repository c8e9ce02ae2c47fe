#include "cli/cli.h"

typedef struct convert_options {
    const char *output, *clip;
    double fps;
} convert_options;

static void warn_losses(const char* input, const char* output, const limber_bvh_report* report) {
    if (report->dropped_mesh_count && !cli_has_ending(input, ".bvh")) // a generated body is no loss
        cli_warn(output, "a .bvh holds a skeleton only: %u mesh%s left out", report->dropped_mesh_count,
                 report->dropped_mesh_count == 1 ? " is" : "es are");
    if (report->dropped_scale)
        cli_warn(output, "a .bvh cannot scale joints: the scale in the clip is lost, the joints' places are kept");
}

static int save_bvh(const char* input, const convert_options* o, const limber_model* model, const limber_bvh* layout) {
    limber_bvh_settings settings = limber_bvh_settings_default();
    limber_bvh_report report;
    limber_error error;
    settings.layout = layout;
    settings.fps = o->fps;
    int status = o->clip ? cli_find_clip(input, model, o->clip, &settings.clip) : CLI_DONE;
    if (status)
        return status;
    if (!model->rig.joint_count)
        return cli_fail(input, "there is no skeleton to write");
    if (limber_bvh_save_file(model, &settings, o->output, &report, &error) != LIMBER_OK)
        return cli_fail_error(o->output, &error);
    if (!o->clip && model->clip_count > 1)
        cli_warn(o->output, "a .bvh holds one clip: this is '%s', the first of %u (see --clip)", model->clips[0].name,
                 model->clip_count);
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
    if (skeleton && cli_has_ending(input, ".bvh"))
        return rewrite_bvh(input, o);
    limber_gltf* gltf;
    int status = cli_load(input, &gltf);
    if (status)
        return status;
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_error error;
    if (skeleton)
        status = save_bvh(input, o, limber_asset_model(limber_gltf_asset(gltf)), NULL);
    else if (limber_gltf_save_file(gltf, &edits, o->output, &error) != LIMBER_OK)
        status = cli_fail_error(o->output, &error);
    limber_gltf_destroy(gltf);
    return status;
}

int limber_cli_convert(int argc, char** argv) {
    convert_options o = {NULL, NULL, 0};
    const char* input;
    bool over;
    const cli_option options[] = {
        {"-o", "OUT", CLI_TEXT, &o.output, "where to write (.glb, .gltf or .bvh)"},
        {"--clip", "NAME|INDEX", CLI_TEXT, &o.clip, "the clip of a .bvh (default: the first)"},
        {"--fps", "N", CLI_NUMBER, &o.fps, "frames per second of a .bvh (default: the clip's own rate, else 30)"},
    };
    const cli_verb_help help = {
        "limber convert IN -o OUT [options]",
        "Converts between the formats limber knows, without a style.",
        "Reads and writes .glb, .gltf and .bvh. Of a glTF, everything limber does not change comes back as it was. A\n"
        ".bvh becomes a skeleton with a simple generated body; back to .bvh it keeps the order of its channels, and\n"
        "joints get translation channels only where bones stretch.",
        "  limber convert fox.gltf -o fox.glb\n"
        "  limber convert walk.bvh -o walk.glb\n"
        "  limber convert fox.glb -o run.bvh --clip Run",
        options,
        3,
        1};
    size_t count;
    int status = cli_parse(&help, argc, argv, &input, &count, &over);
    if (status || over)
        return status;
    if (!count || !o.output)
        return cli_usage("convert needs an input and -o OUT; see limber convert --help");
    bool skeleton = cli_has_ending(o.output, ".bvh");
    if (!skeleton && !cli_has_ending(o.output, ".glb") && !cli_has_ending(o.output, ".gltf"))
        return cli_usage("convert writes .glb, .gltf or .bvh, not '%s'", o.output);
    if (!skeleton && (o.clip || o.fps != 0))
        return cli_usage("--clip and --fps are for a .bvh; a .glb keeps all clips and their keys");
    status = cli_check_rate(o.fps);
    return status ? status : convert(input, &o);
}
