#include "cli/cli.h"

int limber_cli_convert(int argc, char** argv) {
    const char *output = NULL, *input;
    bool over;
    const cli_option options[] = {{"-o", "OUT", CLI_TEXT, &output, "where to write (.glb or .gltf)"}};
    const cli_verb_help help = {
        "limber convert IN -o OUT",
        "Converts between the formats limber knows, without a style.",
        "Reads and writes .glb and .gltf. Everything limber does not change comes back as it was.",
        "  limber convert fox.gltf -o fox.glb",
        options,
        1,
        1};
    size_t count;
    int status = cli_parse(&help, argc, argv, &input, &count, &over);
    if (status || over)
        return status;
    if (!count || !output)
        return cli_usage("convert needs an input and -o OUT; see limber convert --help");
    if (!cli_has_ending(output, ".glb") && !cli_has_ending(output, ".gltf"))
        return cli_usage("convert writes .glb or .gltf, not '%s'", output);
    limber_gltf* gltf;
    status = cli_load(input, &gltf);
    if (status)
        return status;
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_error error;
    if (limber_gltf_save_file(gltf, &edits, output, &error) != LIMBER_OK)
        status = cli_fail_error(output, &error);
    limber_gltf_destroy(gltf);
    return status;
}
