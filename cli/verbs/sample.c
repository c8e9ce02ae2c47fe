#include "characters/characters.h"
#include "cli/cli.h"

#include <stdio.h>

static const char* character_name_at(const void* user, size_t i) {
    (void)user;
    return limber_character_at((uint32_t)i)->name;
}

static int list_characters(void) {
    for (uint32_t i = 0; i < limber_character_count(); i++)
        printf("%-10s %s\n", limber_character_at(i)->name, limber_character_at(i)->summary);
    return CLI_DONE;
}

static int write_character(const char* name, double detail, const char* output) {
    limber_asset* asset;
    limber_gltf* gltf = NULL;
    limber_error error;
    limber_result result = limber_character_create(name, detail, &asset, &error);
    if (result == LIMBER_ERROR_ARGUMENT)
        return cli_usage("%s%s", error.message,
                         cli_did_you_mean(name, character_name_at, NULL, limber_character_count()));
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
    const char *output = NULL, *name;
    double detail = 1;
    bool list = false, over;
    const cli_option options[] = {
        {"-o", "OUT.glb", CLI_TEXT, &output, "where to write (.glb or .gltf)"},
        {"--detail", "N", CLI_NUMBER, &detail, "resolution along every edge, times N (vertices grow with its square)"},
        {"--list", NULL, CLI_FLAG, &list, "the characters there are"},
    };
    const cli_verb_help help = {"limber sample NAME -o OUT.glb [--detail N]",
                                "Writes a built-in character with its clips.",
                                NULL,
                                "  limber sample --list\n  limber sample cow -o cow.glb\n"
                                "  limber sample dancer --detail 4 -o dense.glb",
                                options,
                                3,
                                1};
    size_t count;
    int status = cli_parse(&help, argc, argv, &name, &count, &over);
    if (status || over)
        return status;
    if (list)
        return list_characters();
    if (!count)
        return cli_usage("sample needs the name of a character; limber sample --list shows them");
    if (!output)
        return cli_usage("sample needs -o OUT.glb");
    if (!cli_has_ending(output, ".glb") && !cli_has_ending(output, ".gltf"))
        return cli_usage("sample writes .glb or .gltf, not '%s'", output);
    return write_character(name, detail, output);
}
