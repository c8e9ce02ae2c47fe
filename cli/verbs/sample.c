// `limber sample`: writes a built-in character.
#include "characters/characters.h"
#include "cli/cli.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct sample_options {
    const char* output;
    double detail;
    bool list;
} sample_options;

static const cli_option options[] = {
    {"-o", "OUT", CLI_TEXT, offsetof(sample_options, output), "output file (.glb or .gltf)"},
    {"--detail", "N", CLI_NUMBER, offsetof(sample_options, detail),
     "resolution factor; N times the edges (default: 1)"},
    {"--list", NULL, CLI_FLAG, offsetof(sample_options, list), "list available characters"},
};

static const cli_command command = {
    .usage = "limber sample NAME -o OUT [--detail N]",
    .summary = "Write a built-in character with its clips.",
    .details = "The number of vertices grows with the square of --detail.",
    .examples = "  limber sample --list\n"
                "  limber sample cow -o cow.glb\n"
                "  limber sample dancer --detail 4 -o dense.glb",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

static const char* character_name_at(const void* user, size_t i) {
    (void)user;
    return limberi_character_at((uint32_t)i)->name;
}

static bool is_known(const char* name) {
    for (uint32_t i = 0; i < limberi_character_count(); i++)
        if (strcmp(limberi_character_at(i)->name, name) == 0)
            return true;
    return false;
}

static int write_character(const char* name, double detail, const char* output) {
    limber_asset* asset;
    limber_gltf* gltf = NULL;
    limber_error error;
    limber_result result = limberi_character_create(name, detail, &asset, &error);
    if (result == LIMBER_ERROR_ARGUMENT)
        return cli_usage("%s%s", error.message,
                         is_known(name) ? ""
                                        : cli_did_you_mean(name, character_name_at, NULL, limberi_character_count()));
    if (result)
        return cli_fail_error(name, &error);
    limber_gltf_edits edits = limber_gltf_edits_default();
    result = limber_gltf_from_asset(asset, &gltf, &error);
    if (!result)
        result = limber_gltf_save_file(gltf, &edits, output, &error);
    limber_gltf_destroy(gltf);
    limber_asset_destroy(asset);
    return result ? cli_fail_error(output, &error) : CLI_DONE;
}

int limber_cli_sample(int argc, char** argv) {
    sample_options o = {NULL, 1, false};
    const char* name;
    bool over;
    int status = cli_parse(&command, argc, argv, &o, &name, &over);
    if (status || over)
        return status;
    if (o.list) {
        for (uint32_t i = 0; i < limberi_character_count(); i++)
            printf("%-10s %s\n", limberi_character_at(i)->name, limberi_character_at(i)->summary);
        return CLI_DONE;
    }
    if (!name)
        return cli_usage("sample needs the name of a character; `limber sample --list` shows them");
    if (!o.output)
        return cli_usage("sample needs -o OUT.glb");
    if (!cli_has_ending(o.output, ".glb") && !cli_has_ending(o.output, ".gltf"))
        return cli_usage("sample writes .glb or .gltf, not '%s'", o.output);
    return write_character(name, o.detail, o.output);
}
