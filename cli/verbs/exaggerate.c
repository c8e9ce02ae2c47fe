// `limber exaggerate`: edits the skeleton only; skeleton in, skeleton out.
#include "cli/cli.h"
#include "cli/report.h"
#include "rigid/rigid.h"
#include "style/table.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct exaggerate_options {
    cli_common common;
    bool json;
    double start_s, end_s;
} exaggerate_options;

static const cli_option options[] = {
    {"--json", NULL, CLI_FLAG, offsetof(exaggerate_options, json), "machine-readable JSON report"},
};

static const cli_command command = {
    .usage = "limber exaggerate IN -o OUT [options]",
    .summary = "Exaggerate the skeleton animation only: skeleton in, skeleton out.",
    .details =
        "IN is .bvh, .glb, .gltf, .fbx or .dae, OUT .bvh, .glb or .gltf. Of the style only `exaggerate`,\n"
        "`contact` and `rigid` are used. In a glTF all clips are edited and everything else is kept. A .bvh keeps\n"
        "its channel order and gets translation channels where bones stretch. --range leaves the rest of a glTF\n"
        "clip unchanged, and cuts a .bvh to the range.",
    .examples = "  limber exaggerate kick.bvh --style mocap-toon -o toon.bvh\n"
                "  limber exaggerate fox.glb --set exaggerate.filter.amount=0.7 -o toon.glb\n"
                "  limber exaggerate fox.glb --clip Run --set exaggerate.constraints=auto -o run.bvh",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .common = true,
};

typedef struct work {
    const char* input;
    const exaggerate_options* options;
    limber_gltf* gltf;         // the character, also of a .bvh
    limber_bvh* bvh;           // from .bvh to .bvh: whose channels to keep
    const limber_model* model; // of `bvh`, else of `gltf`
    cli_look look;
    uint32_t first, count;       // clips
    limberi_rigid* rigid;        // NULL: nothing on the skeleton is
    limber_exaggerated** edited; // [count]
    limberi_buffer text;         // of the report
    limberi_json_writer report;
} work;

// --- what became of a clip ---

static float largest_move(const work* w, const limber_clip* clip, const limber_exaggerated* edited) {
    limber_pose was, now;
    float max = 0;
    if (limber_pose_create(w->model, &was) != LIMBER_OK)
        return 0;
    if (limber_pose_create(w->model, &now) == LIMBER_OK) {
        for (uint32_t f = 0; f < limber_clip_frame_count(clip, clip->fps); f++) {
            double time_s = limber_clip_frame_time(clip, clip->fps, f);
            limber_clip_sample(w->model, clip, time_s, &was);
            limber_clip_sample(w->model, limber_exaggerated_clip(edited), time_s, &now);
            limber_pose_update_world(w->model, &was);
            limber_pose_update_world(w->model, &now);
            for (uint32_t j = 0; j < w->model->rig.joint_count; j++) {
                const float* a = was.world_from_joint[j].m;
                const float* b = now.world_from_joint[j].m;
                float x = a[12] - b[12];
                float y = a[13] - b[13];
                float z = a[14] - b[14];
                max = fmaxf(max, sqrtf(x * x + y * y + z * z));
            }
        }
        limber_pose_destroy(&now);
    }
    limber_pose_destroy(&was);
    return w->model->size > 0 ? max / w->model->size : 0;
}

static uint32_t changed_joints(const work* w, const limber_clip* clip, const limber_clip* edited) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < w->model->rig.joint_count; j++) {
        bool changed = false;
        for (uint32_t path = 0; path < 3; path++) {
            int32_t a = clip->channel_of_joint[3 * (size_t)j + path];
            int32_t b = edited->channel_of_joint[3 * (size_t)j + path];
            changed = changed || (b >= 0 && (a < 0 || clip->channels[a].values != edited->channels[b].values));
        }
        count += changed;
    }
    return count;
}

static void list_pulled(work* w, const bool* pulled) {
    cli_report_open(&w->report, "pulled", '[');
    for (uint32_t j = 0; pulled && j < w->model->rig.joint_count; j++)
        if (pulled[j])
            cli_report_text(&w->report, NULL, w->model->rig.names[j]);
    limberi_json_close(&w->report, ']');
}

static void tell_clip(work* w, uint32_t index) {
    const limber_clip* clip = &w->model->clips[w->first + index];
    const limber_exaggerated* edited = w->edited[index];
    uint32_t joints = changed_joints(w, clip, limber_exaggerated_clip(edited));
    uint32_t stretched = limber_exaggerated_stretch_count(edited);
    float max = largest_move(w, clip, edited);
    if (w->options->json) {
        cli_report_open(&w->report, NULL, '{');
        cli_report_text(&w->report, "clip", clip->name);
        cli_report_integer(&w->report, "joints_changed", joints);
        cli_report_integer(&w->report, "bones_stretched", stretched);
        list_pulled(w, limber_exaggerated_pulled(edited));
        cli_report_real(&w->report, "largest_move", (double)max);
        cli_report_real(&w->report, "seconds", clip->end_s - clip->start_s);
        limberi_json_close(&w->report, '}');
    } else if (!w->options->common.quiet) {
        cli_print_name(clip->name);
        printf(": %u joints changed, %u bones stretched, largest move %.3f of character size\n", joints, stretched,
               (double)max);
    }
}

static int tell_all(work* w) {
    w->report = (limberi_json_writer){.out = &w->text, .indent = 1, .digits = 6};
    if (w->options->json)
        cli_report_open(&w->report, NULL, '[');
    for (uint32_t i = 0; i < w->count; i++)
        tell_clip(w, i);
    if (!w->options->json)
        return CLI_DONE;
    limberi_json_close(&w->report, ']');
    return cli_report_print(&w->report, w->input);
}

// --- files ---

// A style that the file carries must not edit it a second time.
static int remaining_style(work* w, const char** text) {
    *text = NULL;
    if (w->options->common.style || !limber_gltf_style(w->gltf))
        return CLI_DONE;
    limberi_style_drop_section(w->look.style, "exaggerate");
    *text = limber_style_text(w->look.style);
    return *text ? CLI_DONE : cli_fail_memory(w->input);
}

static int save_gltf(work* w) {
    limber_error error;
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_edited_clip* clips = calloc((size_t)w->count + 1, sizeof *clips);
    if (!clips)
        return cli_fail_memory(w->input);
    int status = remaining_style(w, &edits.style);
    for (uint32_t i = 0; i < w->count; i++)
        clips[i] = (limber_edited_clip){w->first + i, limber_exaggerated_clip(w->edited[i]),
                                        limber_exaggerated_stretch_count(w->edited[i]),
                                        limber_exaggerated_stretch(w->edited[i], 0)};
    edits.clips = clips;
    edits.clip_count = w->count;
    if (!status && limber_gltf_save_file(w->gltf, &edits, w->options->common.output, &error) != LIMBER_OK)
        status = cli_fail_error(w->options->common.output, &error);
    free(clips);
    return status;
}

// The frames of the range only.
static int crop(const work* w, limber_clip* clip) {
    const exaggerate_options* o = w->options;
    limber_frame_range range = limber_clip_frames_between(clip, clip->fps, o->start_s, o->end_s);
    if (!range.count)
        return cli_fail(w->input, "no frame of clip '%s' (%g to %g s) is in --range %s", clip->name, clip->start_s,
                        clip->end_s, o->common.range);
    double start_s = limber_clip_frame_time(clip, clip->fps, range.first);
    clip->end_s = limber_clip_frame_time(clip, clip->fps, range.first + range.count - 1);
    clip->start_s = start_s;
    return CLI_DONE;
}

static int save_bvh(work* w) {
    limber_bvh_settings settings = limber_bvh_settings_default();
    limber_model model = *w->model;
    limber_clip clip;
    limber_error error;
    if (w->count) {
        clip = *limber_exaggerated_clip(w->edited[0]);
        int status = crop(w, &clip);
        if (status)
            return status;
        model.clips = &clip;
    }
    model.clip_count = w->count ? 1 : 0;
    settings.layout = w->bvh;
    settings.fps = w->options->common.fps;
    if (limber_bvh_save_file(&model, &settings, w->options->common.output, NULL, &error) != LIMBER_OK)
        return cli_fail_error(w->options->common.output, &error);
    return CLI_DONE;
}

// --- the verb ---

// What stands stays where the plain clip has it. Contacts need a body: that of a .bvh is the character made for it.
static int edit_clip(const work* w, uint32_t index, limber_exaggerate_settings settings) {
    limber_error error;
    limber_contacts* contacts = NULL;
    const limber_contact_settings* stands = &w->look.settings.contacts;
    const limber_asset* body = limber_gltf_asset(w->gltf);
    bool same = limber_asset_model(body)->rig.joint_count == w->model->rig.joint_count;
    limber_result result = LIMBER_OK;
    if (stands->strength > 0 && same)
        result = limber_contacts_find(body, w->first + index, stands, &contacts, &error);
    settings.stiff = w->rigid && same ? limberi_rigid_stiff_joints(w->rigid) : NULL;
    settings.props = w->rigid && same ? limberi_rigid_props(w->rigid) : NULL;
    limber_exaggerate_hold_contacts(&settings, contacts);
    const limber_clip* clip = &w->model->clips[w->first + index];
    if (!result)
        result = limber_exaggerate(w->model, clip, w->options->common.fps, &settings, &w->edited[index], &error);
    limber_contacts_destroy(contacts);
    return result ? cli_fail_error(w->input, &error) : CLI_DONE;
}

static int edit_clips(work* w) {
    limber_exaggerate_settings settings = w->look.settings.exaggerate;
    settings.limited = w->options->common.range != NULL;
    settings.range_start_s = w->options->start_s;
    settings.range_end_s = w->options->end_s;
    limber_error error;
    if (limberi_rigid_create(limber_gltf_asset(w->gltf), &w->look.settings.rigid, &w->rigid, &error) != LIMBER_OK)
        return cli_fail_error(w->input, &error);
    if (!limber_exaggerate_is_on(&settings))
        cli_warn(w->input, "nothing to do: the style has no exaggerate section (try --style mocap-toon)");
    w->edited = calloc((size_t)w->count + 1, sizeof(limber_exaggerated*));
    if (!w->edited)
        return cli_fail_memory(w->input);
    cli_progress progress = cli_progress_start("clip", w->options->common.quiet);
    for (uint32_t i = 0; i < w->count; i++) {
        cli_progress_step(&progress, i, w->count);
        int status = edit_clip(w, i, settings);
        if (status)
            return status;
    }
    cli_progress_end(&progress);
    return CLI_DONE;
}

static int choose_clips(work* w, bool skeleton) {
    const cli_common* common = &w->options->common;
    w->count = w->model->clip_count;
    if (common->clip) {
        w->count = 1;
        return cli_find_clip(w->input, w->model, common->clip, &w->first);
    }
    if (skeleton && w->count > 1) {
        w->first = cli_first_clip();
        if (!common->motions.count)
            cli_warn(common->output,
                     "a .bvh holds one clip: writing '%s', the first of %u; use --clip to choose another",
                     w->model->clips[0].name, w->count);
        w->count = 1;
    }
    return CLI_DONE;
}

static int load(work* w, bool skeleton) {
    limber_error error;
    int status = cli_load_with_motion(w->input, &w->options->common, &w->gltf);
    if (status)
        return status;
    w->model = limber_asset_model(limber_gltf_asset(w->gltf));
    if (!skeleton || !cli_has_ending(w->input, ".bvh"))
        return CLI_DONE;
    if (limber_bvh_load_file(w->input, NULL, &w->bvh, &error) != LIMBER_OK)
        return cli_fail_error(w->input, &error);
    w->model = limber_asset_model(limber_bvh_asset(w->bvh));
    return CLI_DONE;
}

static int exaggerate(work* w) {
    bool skeleton = cli_has_ending(w->options->common.output, ".bvh");
    int status = load(w, skeleton);
    if (!status)
        status = choose_clips(w, skeleton);
    if (!status && skeleton && !w->model->rig.joint_count)
        status = cli_fail(w->input, "has no skeleton to write");
    if (!status)
        status = cli_look_open(w->input, w->gltf, &w->options->common, &w->look);
    if (!status)
        status = edit_clips(w);
    if (!status)
        status = skeleton ? save_bvh(w) : save_gltf(w);
    return status ? status : tell_all(w);
}

static void clean_up(work* w) {
    for (uint32_t i = 0; w->edited && i < w->count; i++)
        limber_exaggerated_destroy(w->edited[i]);
    free(w->edited);
    limberi_rigid_destroy(w->rigid);
    limberi_buffer_free(&w->text);
    cli_look_close(&w->look);
    limber_bvh_destroy(w->bvh);
    limber_gltf_destroy(w->gltf);
}

int limber_cli_exaggerate(int argc, char** argv) {
    exaggerate_options o = {0};
    work w = {0};
    w.options = &o;
    bool over;
    char what[32] = "1 clip";
    int status = cli_parse(&command, argc, argv, &o, &w.input, &over);
    if (status || over)
        return status;
    if (!w.input || !o.common.output)
        return cli_usage("exaggerate needs an input and -o OUT; see limber exaggerate --help");
    if (!cli_has_ending(o.common.output, ".bvh") && !cli_has_ending(o.common.output, ".glb") &&
        !cli_has_ending(o.common.output, ".gltf"))
        return cli_usage("exaggerate writes .bvh, .glb or .gltf, not '%s'", o.common.output);
    status = cli_check_frames(&o.common, &o.start_s, &o.end_s);
    if (status)
        return status;
    double started_s = cli_now_s();
    status = exaggerate(&w);
    if (!status && w.count != 1)
        snprintf(what, sizeof what, "%u clips", w.count);
    if (!status)
        cli_tell_written(o.common.output, what, started_s);
    clean_up(&w);
    return status;
}
