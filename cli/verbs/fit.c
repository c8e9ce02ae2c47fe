// `limber fit`: the style that comes closest to wanted vertices.
#include "fit/fit.h"
#include "cli/cli.h"
#include "cli/pool.h"
#include "cli/report.h"
#include "io/file_write.h"
#include "layer/layer.h"
#include "text/text.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fit_options {
    cli_common common;
    const char *wanted, *effects;
    cli_list layers;
    bool json;
    double start_s, end_s;
} fit_options;

static const cli_option options[] = {
    {"-o", "STYLE", CLI_TEXT, offsetof(fit_options, common.output), "style file to write (.json)"},
    {"--clip", "NAME|INDEX", CLI_TEXT, offsetof(fit_options, common.clip), "clip to compare (default: all)"},
    {"--style", "FILE|PRESET", CLI_TEXT, offsetof(fit_options, common.style),
     "style to start from (default: embedded style, else none)"},
    {"--effects", "LIST", CLI_TEXT, offsetof(fit_options, effects), "effects to use, with commas between (see above)"},
    {"--layer", "NAME", CLI_LIST, offsetof(fit_options, layers), "fit a gain for this layer, too (repeatable, max 3)"},
    {"--json", NULL, CLI_FLAG, offsetof(fit_options, json), "machine-readable JSON report"},
};

static const cli_command command = {
    .usage = "limber fit PLAIN WANTED -o STYLE [options]",
    .summary = "Find the style that brings a plain clip closest to wanted vertices.",
    .details =
        "PLAIN is a rigged character with clips. WANTED has the same meshes, with the same vertices in the same "
        "order,\n"
        "and shows how they should move: a simulation or a sculpt as morph targets, a bake of another program. Clips\n"
        "are matched by name; a file with one clip matches any.\n"
        "\n"
        "--effects: floppy, squash, drag, followthrough and stretch by default, or overlap. Gains are found first;\n"
        "limits and filters are added where they help. Gains that explain nothing are left out. All other keys of\n"
        "the style stay as they are: give what you know with --style and --set.\n"
        "\n"
        "--layer: every gain becomes a formula, one number everywhere plus one times the painted layer.\n"
        "\n"
        "The report says how much of the displacement between PLAIN and WANTED the style explains.",
    .examples =
        "  limber fit plain.glb simulated.glb -o style.json\n"
        "  limber fit plain.glb simulated.glb --effects overlap --clip Run -o style.json\n"
        "  limber fit plain.glb sculpt.glb --effects floppy,squash --set effects.floppy.layer=ears -o style.json\n"
        "  limber fit plain.glb simulated.glb --effects floppy --layer ears --layer belly -o style.json\n"
        "  limber apply plain.glb --style style.json -o toon.glb",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .common = true,
    .second = offsetof(fit_options, wanted),
};

typedef struct work {
    const char* input;
    fit_options* options;
    limber_gltf *plain, *wanted;
    const limber_model *plain_model, *wanted_model;
    uint32_t effects;
    uint32_t clip_count;
    limberi_fit_clip* clips;
    cli_look look;
    cli_pool* pool;
    limberi_fit* fit;
} work;

// --- which effects ---

static int add_effect(const char* name, uint32_t* effects) {
    const char* names[LIMBER_EFFECT_COUNT];
    size_t count = 0;
    for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        if (!(limberi_fit_effects(false) >> e & 1))
            continue;
        names[count] = limber_effect_name((limber_effect)e);
        if (strcmp(name, names[count++]) == 0) {
            *effects |= 1u << e;
            return CLI_DONE;
        }
    }
    return cli_usage("--effects: '%s' cannot be fitted%s", name, cli_did_you_mean(name, limberi_name_at, names, count));
}

static int parse_effects(const char* text, uint32_t* effects) {
    *effects = text ? 0 : limberi_fit_effects(true);
    int status = CLI_DONE;
    while (text && !status) {
        char name[64];
        size_t length = strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : (int)sizeof name - 1, text);
        status = add_effect(name, effects);
        text = text[length] ? text + length + 1 : NULL;
    }
    return status;
}

// --- which layers ---

static int check_layers(const work* w) {
    const cli_list* layers = &w->options->layers;
    const limber_model* model = w->plain_model;
    for (uint32_t i = 0; i < layers->count; i++)
        if (!limberi_has_layer(model, layers->items[i]))
            return cli_fail(
                w->input, "no mesh has a layer '%s'%s", layers->items[i],
                cli_did_you_mean(layers->items[i], limberi_layer_name_at, model, limberi_layer_count(model)));
    return CLI_DONE;
}

// --- which clips ---

// -1: none.
static int32_t partner_of(const work* w, uint32_t clip) {
    int32_t found = limber_model_find_clip(w->wanted_model, w->plain_model->clips[clip].name);
    bool single = w->wanted_model->clip_count == 1 && (w->options->common.clip || w->plain_model->clip_count == 1);
    return found < 0 && single ? 0 : found;
}

static int add_clip(work* w, uint32_t clip) {
    const limber_clip* plain = &w->plain_model->clips[clip];
    int32_t found = partner_of(w, clip);
    if (found < 0) {
        cli_warn(w->options->wanted, "has no clip '%s': it is not compared", plain->name);
        return CLI_DONE;
    }
    const limber_clip* wanted = &w->wanted_model->clips[found];
    double lasts = plain->end_s - plain->start_s;
    double other = wanted->end_s - wanted->start_s;
    if (fabs(lasts - other) > 1.5 / fmin(plain->fps, wanted->fps))
        return cli_fail(w->options->wanted, "clip '%s' lasts %g s instead of %g s", wanted->name, other, lasts);
    w->clips[w->clip_count++] = (limberi_fit_clip){clip, (uint32_t)found};
    return CLI_DONE;
}

static int choose_clips(work* w) {
    uint32_t first = 0;
    uint32_t end = w->plain_model->clip_count;
    int status = CLI_DONE;
    if (w->options->common.clip) {
        status = cli_find_clip(w->input, w->plain_model, w->options->common.clip, &first);
        if (status)
            return status;
        end = first + 1;
    }
    w->clips = calloc((size_t)w->plain_model->clip_count + 1, sizeof *w->clips);
    if (!w->clips)
        return cli_fail_memory(w->input);
    for (uint32_t i = first; i < end; i++) {
        status = add_clip(w, i);
        if (status)
            return status;
    }
    return w->clip_count ? CLI_DONE : cli_fail(w->options->wanted, "no clip can be compared with %s", w->input);
}

// --- the answer ---

static void report_measure(limberi_json_writer* report, const char* clip, const limberi_fit_measure* measure) {
    cli_report_open(report, clip ? NULL : "total", '{');
    if (clip)
        cli_report_text(report, "clip", clip);
    cli_report_integer(report, "frames", measure->frame_count);
    cli_report_real(report, "displacement", measure->wanted);
    cli_report_real(report, "left", measure->left);
    cli_report_real(report, "explained", measure->explained);
    limberi_json_close(report, '}');
}

static int report(const work* w) {
    limberi_buffer text = {0};
    limberi_json_writer writer = {.out = &text, .indent = 1, .digits = 6};
    cli_report_open(&writer, NULL, '{');
    report_measure(&writer, NULL, &w->fit->total);
    cli_report_open(&writer, "clips", '[');
    for (uint32_t i = 0; i < w->clip_count; i++)
        report_measure(&writer, w->plain_model->clips[w->clips[i].plain].name, &w->fit->clips[i]);
    limberi_json_close(&writer, ']');
    cli_report_open(&writer, "keys", '{');
    for (uint32_t i = 0; i < w->fit->key_count; i++)
        cli_report_real(&writer, w->fit->keys[i].path, w->fit->keys[i].value);
    limberi_json_close(&writer, '}');
    limberi_json_close(&writer, '}');
    return cli_report_print(&writer, w->input);
}

static void print_measure(const char* name, const limberi_fit_measure* m) {
    cli_print_name(name);
    printf(": %.2f %% explained; displaced by %.4f of character size, %.4f left\n", 100 * m->explained, m->wanted,
           m->left);
}

static int print_outcome(const work* w) {
    if (w->options->json)
        return report(w);
    if (w->options->common.quiet)
        return CLI_DONE;
    for (uint32_t i = 0; w->clip_count > 1 && i < w->clip_count; i++)
        print_measure(w->plain_model->clips[w->clips[i].plain].name, &w->fit->clips[i]);
    print_measure(w->clip_count > 1 ? "total" : w->plain_model->clips[w->clips[0].plain].name, &w->fit->total);
    for (uint32_t i = 0; i < w->fit->key_count; i++)
        printf("  %-36s %g\n", w->fit->keys[i].path, w->fit->keys[i].value);
    return CLI_DONE;
}

static int save(const work* w) {
    limberi_buffer text;
    limberi_file file;
    limber_error error;
    memset(&text, 0, sizeof text);
    limberi_json_writer writer = {.out = &text, .indent = 2, .digits = 6};
    cli_report_json(&writer, NULL, limber_style_text(w->fit->style));
    if (text.failed) {
        limberi_buffer_free(&text);
        return cli_fail_memory(w->input);
    }
    limber_result result = limberi_file_open(&file, w->options->common.output, &error);
    if (!result) {
        limberi_file_put(&file, text.data, text.length);
        limberi_file_put(&file, "\n", 1);
        result = limberi_file_commit(&file, &error);
    }
    limberi_buffer_free(&text);
    return result ? cli_fail_error(w->options->common.output, &error) : CLI_DONE;
}

// --- the verb ---

static int load(work* w) {
    int status = cli_load(w->input, &w->plain);
    if (!status)
        status = cli_load(w->options->wanted, &w->wanted);
    if (status)
        return status;
    limber_error error;
    w->plain_model = limber_asset_model(limber_gltf_asset(w->plain));
    w->wanted_model = limber_asset_model(limber_gltf_asset(w->wanted));
    if (limberi_fit_check(w->plain_model, w->wanted_model, &error) != LIMBER_OK)
        return cli_fail_error(w->options->wanted, &error);
    return CLI_DONE;
}

// Effects that are made for chains get one, unless a style says otherwise.
static int open_style(work* w) {
    cli_list* sets = &w->options->common.sets;
    if (limberi_fit_wants_chain(w->effects) && !w->options->common.style && sets->count < CLI_LIST_MAX) {
        memmove(sets->items + 1, sets->items, sets->count * sizeof *sets->items);
        sets->items[0] = "compose=chain";
        sets->count++;
    }
    int status = cli_look_open(w->input, w->plain, &w->options->common, &w->look);
    if (!status && limber_bound_style_settings(w->look.bound)->baked)
        status = cli_fail(w->input, "has effects baked into it; fit needs the character without them");
    limber_error error;
    if (!status && w->options->common.skinning &&
        limber_style_set(w->look.style, "skinning", w->options->common.skinning, &error) != LIMBER_OK)
        status = cli_fail_error("--skinning", &error);
    return status;
}

static int find_style(work* w) {
    w->pool = cli_pool_create(w->options->common.threads);
    if (!w->pool)
        return cli_fail_memory(w->input);
    limber_error error;
    limber_parallel parallel = cli_pool_parallel(w->pool);
    cli_progress progress = cli_progress_start("pass", w->options->common.quiet);
    limberi_fit_job job = {.plain = limber_gltf_asset(w->plain),
                           .wanted = limber_gltf_asset(w->wanted),
                           .base = w->look.style,
                           .effects = w->effects,
                           .layer_count = (uint32_t)w->options->layers.count,
                           .layers = w->options->layers.items,
                           .clip_count = w->clip_count,
                           .clips = w->clips,
                           .fps = w->options->common.fps,
                           .start_s = w->options->start_s,
                           .end_s = w->options->end_s,
                           .parallel = &parallel,
                           .progress = cli_progress_step,
                           .user = &progress};
    limber_result result = limberi_fit_run(&job, &w->fit, &error);
    cli_progress_end(&progress);
    return result ? cli_fail_error(w->options->wanted, &error) : CLI_DONE;
}

static int fit(work* w) {
    int status = load(w);
    if (!status)
        status = check_layers(w);
    if (!status)
        status = choose_clips(w);
    if (!status)
        status = open_style(w);
    if (!status)
        status = find_style(w);
    if (!status)
        status = save(w);
    return status ? status : print_outcome(w);
}

static void clean_up(work* w) {
    limberi_fit_destroy(w->fit);
    cli_pool_destroy(w->pool);
    cli_look_close(&w->look);
    free(w->clips);
    limber_gltf_destroy(w->wanted);
    limber_gltf_destroy(w->plain);
}

int limber_cli_fit(int argc, char** argv) {
    fit_options o = {0};
    work w = {0};
    w.options = &o;
    bool over;
    int status = cli_parse(&command, argc, argv, &o, &w.input, &over);
    if (status || over)
        return status;
    if (!w.input || !o.wanted || !o.common.output)
        return cli_usage("fit needs a plain file, a wanted file and -o STYLE; see limber fit --help");
    if (!cli_has_ending(o.common.output, ".json"))
        return cli_usage("fit writes a style file, .json, not '%s'", o.common.output);
    if (o.layers.count > LIMBERI_FIT_LAYERS)
        return cli_usage("--layer: %u layers at most", LIMBERI_FIT_LAYERS);
    status = parse_effects(o.effects, &w.effects);
    if (!status)
        status = cli_check_frames(&o.common, &o.start_s, &o.end_s);
    if (!status)
        status = fit(&w);
    clean_up(&w);
    return status;
}
