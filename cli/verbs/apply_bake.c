// Bakes of `limber apply`: an estimate before the work, the tolerance for a size, and what was written.
#include "cli/report.h"
#include "cli/verbs/apply.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>

// A viewer keeps every target of every copy in memory.
static const double many_bytes = 256e6;
// WebGL 2 promises textures of so many layers, one for each target.
static const uint32_t many_targets = 256;
static const double glb_bytes = 4294967295.0;
static const double text_size = 3.7;       // numbers in a .usda, by those in a .glb
static const double certainly_more = 1.02; // times the estimate; nearer to it the frames decide

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

int apply_save(const apply_work* w, const limber_bake* bake, uint32_t* bones) {
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
    limber_error error;
    if (limber_pipeline_bake_estimate(w->pipeline, w->settings, &w->estimate, &error) != LIMBER_OK)
        return cli_fail_error(w->input, &error);
    const limber_bake_estimate e = w->estimate;
    w->settings->estimate = &w->estimate;
    double bytes = (double)e.byte_count * (apply_writes_skeleton(w->options) ? text_size : 1);
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

// What the summary counts.
typedef struct apply_summary {
    uint32_t bones, baked, helpers, targets;
    double off; // of --like: from the style itself
} apply_summary;

static uint32_t max_targets(const limber_bake* bake) {
    uint32_t max = 0;
    for (uint32_t m = 0; m < bake->mesh_count; m++)
        max = bake->meshes[m].target_count > max ? bake->meshes[m].target_count : max;
    return max;
}

static const char* const kind_names[] = {"corrective", "vertex", "bones"}; // as limber_bake_kind

// What --json says of a bake. `like`: of a mesh that moves with it, or NULL.
static int report(const apply_work* w, const limber_bake* bake, const apply_summary* s, const cli_like* like) {
    limberi_buffer text = {0};
    limberi_json_writer report = {.out = &text, .indent = 1, .digits = 6};
    cli_report_open(&report, NULL, '{');
    cli_report_text(&report, "file", w->options->common.output);
    cli_report_text(&report, "kind", kind_names[bake->kind]);
    cli_report_integer(&report, "bones", s->bones);
    cli_report_integer(&report, "bones_baked", s->baked);
    cli_report_integer(&report, "helpers", s->helpers);
    cli_report_integer(&report, "targets", s->targets);
    cli_report_real(&report, "error", bake->error);
    if (like) {
        cli_report_text(&report, "like", w->options->like);
        cli_report_real(&report, "distance", like->farthest);
        cli_report_real(&report, "error_to_style", s->off);
    }
    limberi_json_close(&report, '}');
    return cli_report_print(&report, w->options->common.output);
}

// `all_bones`: those of the file, as players see them.
static int tell_baked(const apply_work* w, const limber_bake* bake, uint32_t all_bones) {
    apply_summary s = {.bones = all_bones, .baked = bake->bone_count, .targets = max_targets(bake)};
    char what[160];
    char off[48] = "";
    char bones[64] = "";
    for (uint32_t i = 0; i < bake->bone_count; i++)
        s.helpers += bake->bones[i].helper_mesh >= 0;
    if (bake->kind == LIMBER_BAKE_BONES)
        snprintf(bones, sizeof bones, "%u bones (%u baked, %u helpers), ", all_bones, bake->bone_count, s.helpers);
    if (w->settings->kind == LIMBER_BAKE_AUTO)
        warn_of_targets(w, s.targets);
    if (bake->kind == LIMBER_BAKE_BONES || bake->error > 0)
        snprintf(off, sizeof off, ", at most %.3g/1000 L off", 1000 * bake->error);
    snprintf(what, sizeof what, "%s%u target%s%s%s", bones, s.targets, s.targets == 1 ? "" : "s",
             bake->mesh_count > 1 ? " on a mesh" : "", off);
    cli_tell_written(w->options->common.output, what, w->started_s);
    return w->options->json ? report(w, bake, &s, NULL) : CLI_DONE;
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
    if (status || !w->profile || max_targets(*baked) <= w->profile->targets)
        return status;
    uint32_t found = max_targets(*baked);
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
        w->settings->tolerance = tolerance * (w->options->compress ? APPLY_UNPACKED_SHARE : 1);
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
    apply_summary s = {0};
    char what[200];
    char off[48] = "";
    const limber_model* coarse = limber_asset_model(limber_gltf_asset(w->coarse));
    const cli_like_check check = {w->options->common.output, w->coarse, &w->look, w->settings, &like.bake};
    int status = cli_like_open(w->coarse_input, coarse, w->options->like, w->model, baked, &like);
    if (!status)
        status = apply_save(w, &like.bake, &s.bones);
    if (!status) {
        s.baked = like.bake.bone_count - like.helper_count;
        s.helpers = like.helper_count;
        s.off = cli_like_error(&check);
        if (isfinite(s.off))
            snprintf(off, sizeof off, "%.3g/1000 L from the style, ", 1000 * s.off);
        snprintf(what, sizeof what,
                 "%u bones (%u baked, %u helpers), %sat most %.3g/1000 L off in %.32s, %.3g/1000 L from it", s.bones,
                 s.baked, s.helpers, off, 1000 * baked->error, limberi_file_name(w->options->like),
                 1000 * like.farthest);
        cli_tell_written(w->options->common.output, what, w->started_s);
        status = w->options->json ? report(w, baked, &s, &like) : CLI_DONE;
    }
    cli_like_close(&like);
    return status;
}

int apply_bake(apply_work* w) {
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
        status = apply_writes_skeleton(w->options)
                     ? cli_save_usd(w->input, w->pipeline, w->model, w->settings, baked, w->options->common.output)
                     : apply_save(w, baked, &bones);
    if (!status) {
        warn_of_size(w, baked);
        status = tell_baked(w, baked, bones);
    }
    limber_bake_destroy(baked);
    limber_gltf_store_close(w->store);
    w->store = NULL;
    return status;
}
