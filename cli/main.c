// The program `limber`: finds the command and runs it.
#include "cli/cli.h"
#ifdef _WIN32
#endif

#include "io/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct verb {
    const char* name;
    const char* summary;
    int (*run)(int argc, char** argv);
} verb;

static const verb verbs[] = {
#ifndef LIMBER_DEMO // cmake/demo.cmake
    {"info", "show joints, meshes, clips, layers and problems of a file", limber_cli_info},
#endif
    {"sample", "write a built-in character with clips", limber_cli_sample},
    {"apply", "apply a style and write the animated result", limber_cli_apply},
#ifdef LIMBER_WITH_RENDER
    {"render", "render pictures and films of a clip", limber_cli_render},
#endif
#ifndef LIMBER_DEMO
#ifndef _WIN32
    {"batch", "apply styles to many characters, on all cores or a farm", limber_cli_batch},
#endif
    {"exaggerate", "exaggerate the skeleton animation only", limber_cli_exaggerate},
    {"fit", "find the style that comes closest to wanted vertices", limber_cli_fit},
    {"paint", "write layers: numbers per vertex that scale effects", limber_cli_paint},
    {"dump", "write every quantity as .npy, for scripts", limber_cli_dump},
    {"convert", "convert between file formats, without a style", limber_cli_convert},
    {"studio", "open the browser studio on a local port", limber_cli_studio},
    {"bench", "measure what effects cost on this machine", limber_cli_bench},
#endif
};

enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static const char* verb_name_at(const void* user, size_t i) {
    (void)user;
    return verbs[i].name;
}

static const char help_head[] = "\n"
                                "Usage: limber COMMAND INPUT [options] -o OUTPUT\n"
                                "\n"
                                "INPUT is a .glb, .gltf, .fbx, .dae or .bvh file. The output format is chosen by\n"
                                "extension.\n"
                                "\n"
                                "Commands:\n";

static const char help_tail[] = "\n"
                                "limber COMMAND --help   options and examples of a command\n"
                                "limber help style       presets and style keys\n"
                                "limber --version        the version\n"
                                "\n"
                                "Examples:\n"
                                "  limber sample cow -o cow.glb\n"
                                "  limber apply cow.glb --style cartoon -o toon.glb\n"
                                "  limber render cow.glb --style cartoon --clip walk --sheet 8 --compare -o toon.png\n";

static int print_help(void) {
    printf("limber %s: cartoon motion for rigged characters\n%s", limber_version(), help_head);
    for (size_t i = 0; i < VERB_COUNT; i++)
        printf("  %-12s %s\n", verbs[i].name, verbs[i].summary);
    printf("%s", help_tail);
    return CLI_DONE;
}

static int run_command(int argc, char** argv) {
    cli_program_set(argc ? argv[0] : "limber");
    if (argc < 2) {
        print_help();
        return CLI_USAGE;
    }
    const char* name = argv[1];
    if (strcmp(name, "--version") == 0)
        return printf("limber %s\n", limber_version()) < 0 ? CLI_FAILED : CLI_DONE;
    bool help = strcmp(name, "help") == 0;
    if (help && argc > 2 && strcmp(argv[2], "style") == 0) {
        const char* text = limber_style_help();
        if (!text)
            return cli_fail_memory(NULL);
        printf("%s", text);
        return CLI_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || (help && argc < 3))
        return print_help();
    char ask[] = "--help";
    char* asked[] = {ask};
    for (size_t i = 0; i < VERB_COUNT; i++)
        if (strcmp(verbs[i].name, argv[help ? 2 : 1]) == 0)
            return help ? verbs[i].run(1, asked) : verbs[i].run(argc - 2, argv + 2);
    return cli_usage("unknown command '%s'%s", argv[help ? 2 : 1],
                     cli_did_you_mean(argv[help ? 2 : 1], verb_name_at, NULL, VERB_COUNT));
}

// A full disk or a closed pipe behind stdout is no success.
static int end(int status) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    cli_fail(NULL, "cannot write to stdout: %s", errno ? strerror(errno) : "some of it is missing");
    return status ? status : CLI_FAILED;
}

int main(int argc, char** argv) {
#ifdef _WIN32
    argv = cli_windows_start(&argc);
    if (!argv)
        return cli_fail_memory(NULL);
#endif
    limberi_sweep_start();
    return end(run_command(argc, argv));
}
