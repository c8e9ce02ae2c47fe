// What a file must keep to: the size that a person allows, what a player can read, and what its options ask for.
#include "cli/verbs/apply.h"
#include "text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Versions that people have: Godot 3 lays sparse targets over memory that it does not clear and reads four influences;
// glTFast, Unreal and Blender's importer know no EXT_meshopt_compression unless something is added to them.
static const cli_profile profiles[] = {
    {"godot", 256, 4, true, false}, {"unity", 256, 4, true, false},     {"unreal", 256, 8, true, false},
    {"web", 256, 4, false, true},   {"blender", 1000, 8, false, false},
};

int cli_find_profile(const char* name, const cli_profile** profile) {
    *profile = NULL;
    for (size_t i = 0; name && i < sizeof profiles / sizeof *profiles; i++)
        if (strcmp(name, profiles[i].name) == 0)
            *profile = &profiles[i];
    return !name || *profile ? CLI_DONE
                             : cli_usage("--profile must be godot, unity, unreal, web or blender, not '%s'", name);
}

int cli_parse_size(const char* text, double plain_bytes, double* bytes) {
    static const struct {
        const char* unit;
        double bytes;
    } units[] = {{"", 1}, {"B", 1}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}};
    char* end;
    double number = strtod(text, &end);
    bool good = end != text && isfinite(number) && number > 0 && (*text == '.' || limberi_is_digit(*text)) &&
                strncmp(text, "0x", 2) != 0;
    *bytes = strcmp(end, "x") == 0 ? number * plain_bytes : 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0)
            *bytes = number * units[i].bytes;
    bool known = good && (*bytes > 0 || strcmp(end, "x") == 0);
    return known ? CLI_DONE : cli_usage("--max-size must be such as 3x, 500kB or 2MB, not '%s'", text);
}

void cli_warn_of_profile(const char* output, const cli_profile* profile, const limber_model* model) {
    uint32_t max = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        for (uint32_t v = 0; v < model->meshes[m].vertex_count; v++) {
            uint32_t count = model->meshes[m].influence_first[v + 1] - model->meshes[m].influence_first[v];
            max = count > max ? count : max;
        }
    if (max > profile->influences)
        cli_warn(output, "vertices hang on up to %u joints, but %s reads %u of them", max, profile->name,
                 profile->influences);
}

// --- what is asked for ---

bool apply_is_usd(const char* output) {
    return cli_has_ending(output, ".usda") || cli_has_ending(output, ".usdz");
}

bool apply_writes_frames(const apply_options* o) {
    return o->vat || limber_cache_knows(o->common.output);
}

bool apply_bakes(const apply_options* o, const char* kind) {
    return strcmp(o->bake && strcmp(o->bake, "auto") != 0 ? o->bake : "corrective", kind) == 0;
}

bool apply_writes_skeleton(const apply_options* o) {
    return !o->vat && apply_is_usd(o->common.output) && apply_bakes(o, "corrective") && !o->what_ifs.count;
}
