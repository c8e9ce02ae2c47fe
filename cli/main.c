#include "cli/cli.h"
#ifdef _WIN32
#include "cli/windows.h"
#endif

#include <stdio.h>
#include <string.h>

typedef struct verb {
    const char* name;
    const char* summary;
    int (*run)(int argc, char** argv);
} verb;

static const verb verbs[] = {
    {"info", "what is in a file: joints, meshes, clips, layers, problems", limber_cli_info},
    {"sample", "write a built-in character with clips", limber_cli_sample},
    {"apply", "make the motion cartoonish and write the result", limber_cli_apply},
#ifdef LIMBER_WITH_RENDER
    {"render", "pictures and films of a clip", limber_cli_render},
#endif
    {"exaggerate", "cartoon editing of the skeleton only", limber_cli_exaggerate},
    {"paint", "write layers: thin parts, height, distance, formulas", limber_cli_paint},
    {"dump", "numbers for scripts, as .npy", limber_cli_dump},
    {"convert", "between the formats limber knows", limber_cli_convert},
    {"studio", "serve the browser studio on a local port and open it", limber_cli_studio},
    {"bench", "measure this machine: what effects cost beside plain skinning", limber_cli_bench},
};

enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static const char* verb_name_at(const void* user, size_t i) {
    (void)user;
    return verbs[i].name;
}

static int print_help(void) {
    printf("limber %s: cartoon motion for rigged characters\n\nUsage: limber VERB INPUT [options] -o OUTPUT\n"
           "INPUT is a .glb, .gltf or .bvh file.\n\n",
           limber_version());
    for (size_t i = 0; i < VERB_COUNT; i++)
        printf("  %-10s %s\n", verbs[i].name, verbs[i].summary);
    printf("\n`limber VERB --help` explains a verb and shows examples, `limber help style` the keys of a style. Try:\n"
           "  limber sample cow -o cow.glb\n"
           "  limber apply cow.glb --style cartoon -o toon.glb\n");
    return CLI_DONE;
}

static int print_style_help(void) {
    const char* text = limber_style_help();
    if (!text)
        return cli_fail(NULL, "not enough memory");
    printf("%s\nPresets for --style:\n", text);
    for (uint32_t i = 0; i < limber_preset_count(); i++)
        printf("  %-12s %s\n", limber_preset_at(i)->name, limber_preset_at(i)->summary);
    return CLI_DONE;
}

int main(int argc, char** argv) {
#ifdef _WIN32
    argv = cli_windows_start(&argc);
    if (!argv)
        return cli_fail(NULL, "not enough memory");
#endif
    if (argc < 2) {
        print_help();
        return CLI_USAGE;
    }
    const char* name = argv[1];
    if (strcmp(name, "--version") == 0)
        return printf("limber %s\n", limber_version()) < 0;
    bool help = strcmp(name, "help") == 0;
    if (help && argc > 2 && strcmp(argv[2], "style") == 0)
        return print_style_help();
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || (help && argc < 3))
        return print_help();
    char ask[] = "--help";
    char* asked[] = {ask};
    for (size_t i = 0; i < VERB_COUNT; i++)
        if (strcmp(verbs[i].name, argv[help ? 2 : 1]) == 0)
            return help ? verbs[i].run(1, asked) : verbs[i].run(argc - 2, argv + 2);
    return cli_usage("unknown verb '%s'%s", argv[help ? 2 : 1],
                     cli_did_you_mean(argv[help ? 2 : 1], verb_name_at, NULL, VERB_COUNT));
}
