// --style and --set: the style of a command, with the character it belongs to.
#include "cli/cli.h"
#ifdef LIMBER_WITH_RENDER
#include "cli/pictures/pictures.h"
#endif
#include "io/file.h"
#include "io/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* preset_name_at(const void* user, size_t i) {
    (void)user;
    return limber_preset_at((uint32_t)i)->name;
}

// A style is a command line's business: what is wrong with it is told as such, and nothing has been written yet.
static int read_text(limber_style* style, const char* subject, const char* text, size_t length) {
    limber_error error;
    if (limber_style_read(style, text, length, &error) != LIMBER_OK)
        return cli_fail_error(subject, &error);
    return CLI_DONE;
}

static int read_file(limber_style* style, const char* path) {
    limber_error error;
    limberi_arena arena = {NULL, false};
    limberi_bytes bytes;
    int status = CLI_DONE;
    if (limberi_file_read(path, 16u << 20, &arena, &bytes, &error) != LIMBER_OK)
        status = cli_fail_error(path, &error);
    else
        status = read_text(style, path, (const char*)bytes.data, bytes.size);
    limberi_arena_free(&arena);
    return status;
}

int cli_style_read(limber_style* style, const char* input, const limber_gltf* gltf, const char* name) {
    const char* embedded = gltf ? limber_gltf_style(gltf) : NULL;
    if (!name && embedded) {
        char subject[1024];
        snprintf(subject, sizeof subject, "%s: LIMBER_style", input);
        return read_text(style, subject, embedded, strlen(embedded));
    }
    if (!name)
        return CLI_DONE;
    limber_error error;
    if (limber_preset_find(name))
        return limber_style_read_preset(style, name, &error) == LIMBER_OK ? CLI_DONE : cli_fail_error(name, &error);
    if (limberi_system_kind(name) != LIMBERI_KIND_NONE || strchr(name, '/') || strchr(name, '.'))
        return read_file(style, name);
    return cli_fail(name, "is neither a file nor a preset%s",
                    cli_did_you_mean(name, preset_name_at, NULL, limber_preset_count()));
}

static int apply_sets(limber_style* style, const cli_list* sets) {
    for (uint32_t i = 0; i < sets->count; i++) {
        const char* equals = strchr(sets->items[i], '=');
        char path[512];
        if (!equals || equals == sets->items[i] || (size_t)(equals - sets->items[i]) >= sizeof path)
            return cli_usage("--set must be PATH=VALUE, not '%s'", sets->items[i]);
        memcpy(path, sets->items[i], (size_t)(equals - sets->items[i]));
        path[equals - sets->items[i]] = 0;
        limber_error error;
        if (limber_style_set(style, path, equals + 1, &error) != LIMBER_OK) {
            int status = cli_fail_error("--set", &error);
            return error.result == LIMBER_ERROR_MEMORY ? status : CLI_USAGE;
        }
    }
    return CLI_DONE;
}

// Motion lines and ribbons take the color of the surface.
static void open_texels(cli_look* look, const limber_gltf* gltf) {
#ifdef LIMBER_WITH_RENDER
    limber_smear_settings* smear = &look->settings.smear;
    if ((smear->lines.count && !smear->lines.colored) || smear->drawn.ribbon > 0 || smear->drawn.strokes)
        look->texels = cli_texels_open(limber_asset_model(limber_gltf_asset(gltf)), &smear->lines.texels);
#else
    (void)look;
    (void)gltf;
#endif
}

int cli_look_open(const char* input, const limber_gltf* gltf, const cli_common* common, cli_look* look) {
    memset(look, 0, sizeof *look);
    limber_error error;
    if (cli_check_budget(input, limber_gltf_asset(gltf), common))
        return CLI_FAILED;
    if (limber_style_create(&look->style, &error) != LIMBER_OK)
        return cli_fail_error(input, &error);
    int status = cli_style_read(look->style, input, gltf, common->style);
    if (!status)
        status = apply_sets(look->style, &common->sets);
    if (!status && limber_style_bind(look->style, limber_gltf_asset(gltf), &look->bound, &error) != LIMBER_OK)
        status = cli_fail_error(common->style ? common->style : input, &error);
    if (!status) {
        look->settings = *limber_bound_style_settings(look->bound);
        bool unused = look->settings.baked && !common->style; // the file came with its effects in it
        if (unused)
            look->settings = limber_stage_settings_default();
        open_texels(look, gltf);
        if (common->skinning)
            status = cli_parse_skinning(common->skinning, &look->settings.skinning);
        for (uint32_t i = 0; !unused && i < limber_bound_style_warning_count(look->bound); i++)
            cli_warn(input, "%s", limber_bound_style_warning(look->bound, i));
    }
    if (status)
        cli_look_close(look);
    return status;
}

void cli_look_close(cli_look* look) {
#ifdef LIMBER_WITH_RENDER
    cli_texels_close(look->texels);
#endif
    limber_bound_style_destroy(look->bound);
    limber_style_destroy(look->style);
    memset(look, 0, sizeof *look);
}
