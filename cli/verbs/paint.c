// `limber paint`: writes layers into a character.
#include "cli/cli.h"
#include "layer/layer.h"
#include "text/text.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PASSES = 10000 };

typedef struct brush {
    const char *output, *layer, *automatic, *expression, *mesh, *scale;
    double fill; // NaN: not given
    uint32_t smooth;
    bool invert, remove, quiet;
    float from, to;                           // of --scale
    char name[LIMBER_LAYER_NAME_LENGTH + 1u]; // of the layer, in lower case as files are read
} brush;

static const cli_option options[] = {
    {"-o", "OUT", CLI_TEXT, offsetof(brush, output), "output file (.glb or .gltf); may be the input"},
    {"--layer", "NAME", CLI_TEXT, offsetof(brush, layer), "layer to write: letters, digits, underscores"},
    {"--auto", "KIND", CLI_TEXT, offsetof(brush, automatic), "automatic layer: thickness, height, skirt or joint:NAME"},
    {"--expr", "FORMULA", CLI_TEXT, offsetof(brush, expression), "compute values by formula; see limber help style"},
    {"--fill", "VALUE", CLI_NUMBER, offsetof(brush, fill), "same value everywhere, -1 to 1"},
    {"--smooth", "N", CLI_COUNT, offsetof(brush, smooth), "smoothing passes over the surface, max 10000"},
    {"--invert", NULL, CLI_FLAG, offsetof(brush, invert), "swap 0 and 1"},
    {"--scale", "A:B", CLI_TEXT, offsetof(brush, scale), "map 0 to A and 1 to B, each -1 to 1"},
    {"--mesh", "NAME", CLI_TEXT, offsetof(brush, mesh), "paint only this mesh (default: all)"},
    {"--remove", NULL, CLI_FLAG, offsetof(brush, remove), "delete the layer"},
    {"--quiet", NULL, CLI_FLAG, offsetof(brush, quiet), "hide the summary of the values"},
};

static const cli_command command = {
    .usage = "limber paint IN -o OUT --layer NAME (--auto KIND | --expr FORMULA | --fill VALUE | --remove) [options]",
    .summary = "Write a layer: a number per vertex, -1 to 1, that scales an effect.",
    .details =
        "Automatic layers:\n"
        "  thickness          1 where the character is thin, 0 where it is thick\n"
        "  height             0 at the lowest point, 1 at the highest\n"
        "  skirt              0 at the joint above the legs, 1 at the hem of a skirt\n"
        "  joint:NAME         0 at a joint, 1 farthest from it along the surface\n"
        "\n"
        "--smooth, --invert and --scale are applied in this order. Without --auto, --expr and --fill they change\n"
        "the existing layer. A layer with the same name is replaced.",
    .examples = "  limber paint cow.glb -o cow.glb --layer floppy --auto thickness\n"
                "  limber paint fox.glb -o out.glb --layer tail --auto joint:b_Tail01_012 --invert\n"
                "  limber paint fox.glb -o out.glb --layer ears --expr 'smoothstep(0.8, 1, height)' --smooth 3\n"
                "  limber paint out.glb -o out.glb --layer ears --expr 'max(paint.ears, 0.2)'\n"
                "  limber paint out.glb -o out.glb --layer ears --smooth 5 --scale 0.2:1\n"
                "  limber paint out.glb -o out.glb --layer ears --remove",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

static const char joint_prefix[] = "joint:";

static const char* automatic_at(const void* user, size_t i) {
    static const char* const names[] = {"thickness", "height", "skirt", "joint:NAME"};
    (void)user;
    return names[i];
}

static int check_automatic(const char* what) {
    if (!what || strcmp(what, "thickness") == 0 || strcmp(what, "height") == 0 || strcmp(what, "skirt") == 0 ||
        strncmp(what, joint_prefix, sizeof joint_prefix - 1) == 0)
        return CLI_DONE;
    return cli_usage("--auto must be thickness, height, skirt or joint:NAME, not '%s'%s", what,
                     cli_did_you_mean(what, automatic_at, NULL, 4));
}

static bool changes_values(const brush* b) {
    return b->smooth || b->invert || b->scale;
}

static int parse_scale(brush* b) {
    b->from = 0;
    b->to = 1;
    if (!b->scale)
        return CLI_DONE;
    char* colon;
    char* end = NULL;
    double from = strtod(b->scale, &colon);
    double to = colon != b->scale && *colon == ':' ? strtod(colon + 1, &end) : 0;
    if (!end || end == colon + 1 || *end || !(fabs(from) <= 1 && fabs(to) <= 1))
        return cli_usage("--scale must be A:B, two numbers from -1 to 1, not '%s'", b->scale);
    b->from = (float)from;
    b->to = (float)to;
    return CLI_DONE;
}

static int check_work(const brush* b) {
    int sources = (b->automatic != NULL) + (b->expression != NULL) + !isnan(b->fill);
    if (sources > 1)
        return cli_usage("--auto, --expr and --fill exclude each other; give only one");
    if (b->remove && (sources || changes_values(b)))
        return cli_usage("--remove deletes the layer; leave out the options that paint");
    if (!sources && !changes_values(b) && !b->remove)
        return cli_usage(
            "paint needs --auto, --expr or --fill; or --smooth, --invert, --scale or --remove for an existing "
            "layer; see limber paint --help");
    if (fabs(b->fill) > 1)
        return cli_usage("--fill must be between -1 and 1, not %g", b->fill);
    if (b->smooth > MAX_PASSES)
        return cli_usage("--smooth must be at most %d passes", MAX_PASSES);
    return check_automatic(b->automatic);
}

static int check(brush* b) {
    if (!cli_has_ending(b->output, ".glb") && !cli_has_ending(b->output, ".gltf"))
        return cli_usage("paint writes .glb or .gltf, not '%s'", b->output);
    if (!b->layer)
        return cli_usage("paint needs the name of a layer: --layer NAME");
    if (!limber_layer_name_is_valid(b->layer))
        return cli_usage("layer name '%s' is invalid: use up to %u letters, digits and underscores", b->layer,
                         LIMBER_LAYER_NAME_LENGTH);
    for (size_t i = 0; b->layer[i]; i++)
        b->name[i] = (char)tolower((unsigned char)b->layer[i]);
    int status = parse_scale(b);
    return status ? status : check_work(b);
}

// ---- which meshes ----

static bool mesh_is_chosen(const brush* b, const limber_mesh* mesh) {
    if (b->mesh && strcmp(mesh->name, b->mesh) != 0 && strcmp(mesh->node_name, b->mesh) != 0)
        return false;
    bool gives_values = b->automatic || b->expression || !isnan(b->fill);
    return gives_values || limber_mesh_find_layer(mesh, b->name);
}

static const char* mesh_name_at(const void* user, size_t i) {
    const limber_mesh* mesh = &((const limber_model*)user)->meshes[i / 2];
    return i % 2 ? mesh->node_name : mesh->name;
}

static int check_meshes(const brush* b, const char* input, const limber_model* model) {
    bool named = false;
    bool chosen = false;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        named = named || !b->mesh || strcmp(mesh->name, b->mesh) == 0 || strcmp(mesh->node_name, b->mesh) == 0;
        chosen = chosen || mesh_is_chosen(b, mesh);
    }
    if (!model->mesh_count)
        return cli_fail(input, "has no mesh to paint");
    if (!named)
        return cli_fail(input, "has no mesh '%s'%s", b->mesh,
                        cli_did_you_mean(b->mesh, mesh_name_at, model, 2 * (size_t)model->mesh_count));
    const char* guess = cli_did_you_mean(b->name, limberi_layer_name_at, model, limberi_layer_count(model));
    if (!chosen && b->mesh)
        return cli_fail(input, "mesh '%s' has no layer '%s'%s", b->mesh, b->name, guess);
    return chosen ? CLI_DONE : cli_fail(input, "no mesh has the layer '%s'%s", b->name, guess);
}

// ---- values ----

static int paint_automatic(const brush* b, const char* input, const limber_model* model, float* values) {
    limber_error error;
    limber_result result;
    if (strcmp(b->automatic, "thickness") == 0) {
        result = limber_layer_thickness(model, values, &error);
    } else if (strcmp(b->automatic, "height") == 0) {
        result = limber_layer_height(model, values, &error);
    } else if (strcmp(b->automatic, "skirt") == 0) {
        bool found;
        result = limber_layer_skirt(model, values, &found, &error);
        if (result == LIMBER_OK && !found)
            return cli_fail(input, "has no skirt: no hem goes around two legs; paint one, or use --expr");
    } else {
        const char* name = b->automatic + sizeof joint_prefix - 1;
        int32_t joint = limber_rig_find_joint(&model->rig, name);
        if (joint < 0)
            return cli_fail(input, "has no joint '%s'%s", name,
                            cli_did_you_mean(name, limberi_name_at, model->rig.names, model->rig.joint_count));
        result = limber_layer_joint_distance(model, (uint32_t)joint, values, &error);
    }
    return result == LIMBER_OK ? CLI_DONE : cli_fail_error(input, &error);
}

static int paint_expression(const brush* b, const char* input, const limber_model* model, float* values) {
    limber_error error;
    limber_expression_scope scope = limber_layer_scope();
    limber_expression* expression;
    if (limber_expression_create(b->expression, &scope, &expression, &error) != LIMBER_OK) {
        cli_fail_error("--expr", &error);
        return CLI_USAGE;
    }
    int status = CLI_DONE;
    if (limber_layer_evaluate(model, expression, values, &error) != LIMBER_OK)
        status = cli_fail_error(input, &error);
    limber_expression_destroy(expression);
    return status;
}

static void copy_existing(const brush* b, const limber_model* model, float* values) {
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const limber_layer* layer = limber_mesh_find_layer(mesh, b->name);
        for (uint32_t u = 0; u < mesh->vertex_count; u++)
            values[mesh->first_vertex + u] = layer ? layer->values[u] : 1;
    }
}

static int find_values(const brush* b, const char* input, const limber_model* model, float* values) {
    int status = CLI_DONE;
    limber_error error;
    if (b->automatic)
        status = paint_automatic(b, input, model, values);
    else if (b->expression)
        status = paint_expression(b, input, model, values);
    else if (isnan(b->fill))
        copy_existing(b, model, values);
    else
        for (uint32_t u = 0; u < model->vertex_count; u++)
            values[u] = (float)b->fill;
    if (status)
        return status;
    if (limber_layer_smooth(model, b->smooth, values, &error) != LIMBER_OK)
        return cli_fail_error(input, &error);
    for (uint32_t u = 0; u < model->vertex_count; u++) {
        float value = b->invert ? 1 - values[u] : values[u];
        value = b->scale ? b->from + (b->to - b->from) * value : value;
        values[u] = fminf(fmaxf(value, -1), 1);
    }
    return CLI_DONE;
}

// ---- writing ----

static void describe(const brush* b, const limber_model* model, const limber_gltf_edits* edits) {
    double min = 1;
    double max = -1;
    double sum = 0;
    double count = 0;
    for (uint32_t i = 0; i < edits->layer_count; i++) {
        const limber_gltf_layer* layer = &edits->layers[i];
        for (uint32_t u = 0; u < model->meshes[layer->mesh].vertex_count; u++) {
            double value = (double)layer->layer.values[u];
            min = fmin(min, value);
            max = fmax(max, value);
            sum += value;
            count++;
        }
    }
    if (count > 0) {
        cli_print_name(b->name);
        printf(": %.0f vertices of %u mesh%s, %.3f to %.3f, mean %.3f\n", count, edits->layer_count,
               edits->layer_count == 1 ? "" : "es", min, max, sum / count);
    }
}

static int save(const brush* b, const limber_gltf* gltf, const limber_model* model, const float* values,
                limber_gltf_layer* layers) {
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_error error;
    edits.layers = layers;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        if (!mesh_is_chosen(b, &model->meshes[m]))
            continue;
        limber_gltf_layer* layer = &layers[edits.layer_count++];
        layer->mesh = m;
        layer->layer.name = b->name;
        layer->layer.values = b->remove ? NULL : values + model->meshes[m].first_vertex;
    }
    if (limber_gltf_save_file(gltf, &edits, b->output, &error) != LIMBER_OK)
        return cli_fail_error(b->output, &error);
    if (!b->quiet && !b->remove)
        describe(b, model, &edits);
    return CLI_DONE;
}

static int paint(const brush* b, const char* input, const limber_gltf* gltf) {
    const limber_model* model = limber_asset_model(limber_gltf_asset(gltf));
    int status = check_meshes(b, input, model);
    if (status)
        return status;
    float* values = malloc(((size_t)model->vertex_count + 1) * sizeof *values);
    limber_gltf_layer* layers = malloc(model->mesh_count * sizeof *layers);
    if (values && layers) {
        status = b->remove ? CLI_DONE : find_values(b, input, model, values);
        if (!status)
            status = save(b, gltf, model, values, layers);
    } else {
        status = cli_fail_memory(input);
    }
    free(values);
    free(layers);
    return status;
}

int limber_cli_paint(int argc, char** argv) {
    brush b = {0};
    b.fill = NAN;
    const char* input;
    bool over;
    int status = cli_parse(&command, argc, argv, &b, &input, &over);
    if (status || over)
        return status;
    if (!input || !b.output)
        return cli_usage("paint needs an input and -o OUT; see limber paint --help");
    status = check(&b);
    if (status)
        return status;
    limber_gltf* gltf;
    status = cli_load(input, &gltf);
    if (status)
        return status;
    status = paint(&b, input, gltf);
    limber_gltf_destroy(gltf);
    return status;
}
