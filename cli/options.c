// Parses the options of a command and prints its help, both from one table.
#include "cli/cli.h"
#include "io/file_write.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMON(member) offsetof(cli_common, member)
static const cli_option common_options[] = {
    {"-o", "OUT", CLI_TEXT, COMMON(output), "output file; its extension selects the format"},
    {"--clip", "NAME|INDEX", CLI_TEXT, COMMON(clip), "clip to use (default: all in glTF, else the first)"},
    {"--style", "FILE|PRESET", CLI_TEXT, COMMON(style), "style to apply (default: embedded style, else none)"},
    {"--set", "PATH=VALUE", CLI_LIST, COMMON(sets), "set one style key, overriding --style (repeatable)"},
    {"--motion", "FILE[#CLIP][@A:B]", CLI_LIST, COMMON(motions), "add clips of another file's skeleton (repeatable)"},
    {"--match", "FILE", CLI_TEXT, COMMON(match), "joint pairs of --motion; written if not there"},
    CLI_MOTION_OPTIONS(COMMON),
    {"--fps", "N", CLI_NUMBER, COMMON(fps), "frame rate [1/s], 0.1 to 1000 (default: the clip's)"},
    {"--range", "A:B", CLI_TEXT, COMMON(range), "use only this part of the clip [s]"},
    {"--skinning", "METHOD", CLI_TEXT, COMMON(skinning), "linear or dualquat (default: the style's, else linear)"},
    {"--threads", "N", CLI_COUNT, COMMON(threads), "number of threads, max 64 (default: all cores)"},
    {"--budget", "N", CLI_NUMBER, COMMON(budget), "work allowed [billion joint influences] (default: 1000)"},
    {"--quiet", NULL, CLI_FLAG, COMMON(quiet), "print errors only"},
};
enum { COMMON_COUNT = sizeof common_options / sizeof *common_options };

static bool is_named(const cli_option* option, const char* name, size_t length) {
    return strlen(option->name) == length && strncmp(option->name, name, length) == 0;
}

static bool is_common(const cli_option* option) {
    for (size_t i = 0; i < COMMON_COUNT; i++)
        if (strcmp(common_options[i].name, option->name) == 0)
            return true;
    return false;
}

static const cli_option* find_own(const cli_command* command, const char* name, size_t length) {
    for (size_t i = 0; i < command->option_count; i++)
        if (is_named(&command->options[i], name, length))
            return &command->options[i];
    return NULL;
}

static const cli_option* find_option(const cli_command* command, const char* name, size_t length) {
    if (length == 8 && strncmp(name, "--output", 8) == 0)
        return find_option(command, "-o", 2);
    if (length == 6 && strncmp(name, "--fake", 6) == 0) // its name in early versions
        return find_option(command, "--what-if", 9);
    const cli_option* own = find_own(command, name, length);
    for (size_t i = 0; !own && command->common && i < COMMON_COUNT; i++)
        if (is_named(&common_options[i], name, length))
            return &common_options[i];
    return own;
}

static const char* option_name_at(const void* user, size_t i) {
    const cli_command* command = user;
    return i < command->option_count ? command->options[i].name : common_options[i - command->option_count].name;
}

static int store_number(const cli_option* option, const char* text, double* target) {
    char* end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end || errno == ERANGE || !isfinite(value))
        return cli_usage("%s must be a number, not '%s'", option->name, text);
    *target = value;
    return CLI_DONE;
}

static int store_count(const cli_option* option, const char* text, uint32_t* target) {
    char* end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value > UINT32_MAX)
        return cli_usage("%s must be a whole number, not '%s'", option->name, text);
    *target = (uint32_t)value;
    return CLI_DONE;
}

static int store_value(const cli_option* option, const char* text, void* target) {
    if (option->kind == CLI_NUMBER)
        return store_number(option, text, target);
    if (option->kind == CLI_COUNT)
        return store_count(option, text, target);
    if (option->kind == CLI_LIST) {
        cli_list* list = target;
        if (list->count == CLI_LIST_MAX)
            return cli_usage("too many %s options (max %u)", option->name, CLI_LIST_MAX);
        list->items[list->count++] = text;
        return CLI_DONE;
    }
    *(const char**)target = text;
    return CLI_DONE;
}

// Handles argv[*at] (an option) and, when it needs one, its value.
static int parse_option(const cli_command* command, int argc, char** argv, int* at, bool has_input, void* values) {
    const char* text = argv[*at];
    const char* equals = text[1] == '-' ? strchr(text, '=') : NULL;
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const cli_option* option = find_option(command, text, length);
    if (!option)
        return cli_usage("unknown option '%.*s'%s", (int)length, text,
                         cli_did_you_mean(text, option_name_at, command,
                                          command->option_count + (command->common ? COMMON_COUNT : 0)));
    void* target = (char*)values + option->offset;
    if (option->kind == CLI_FLAG) {
        if (equals)
            return cli_usage("%s takes no value", option->name);
        *(bool*)target = true;
        return CLI_DONE;
    }
    if (equals)
        return store_value(option, equals + 1, target);
    if (option->kind == CLI_MAYBE && (!has_input || *at + 1 >= argc || argv[*at + 1][0] == '-'))
        return store_value(option, "", target);
    if (*at + 1 >= argc)
        return cli_usage("%s needs a value (%s)", option->name, option->value_name);
    return store_value(option, argv[++*at], target);
}

static void print_option(const cli_option* option) {
    char left[64];
    snprintf(left, sizeof left, "%s%s%s", option->name, option->value_name ? " " : "",
             option->value_name ? option->value_name : "");
    printf("  %-24s %s\n", left, option->help);
}

static void print_help(const cli_command* command) {
    printf("%s\n\nUsage: %s\n", command->summary, command->usage);
    if (command->details)
        printf("\n%s\n", command->details);
    printf("\nOptions:\n");
    for (size_t i = 0; command->common && i < COMMON_COUNT; i++) {
        const cli_option* own = find_own(command, common_options[i].name, strlen(common_options[i].name));
        print_option(own ? own : &common_options[i]);
    }
    for (size_t i = 0; i < command->option_count; i++)
        if (!command->common || !is_common(&command->options[i]))
            print_option(&command->options[i]);
    printf("\nExamples:\n%s\n", command->examples);
}

int cli_parse(const cli_command* command, int argc, char** argv, void* values, const char** input, bool* over) {
    *input = NULL;
    *over = false;
    bool options_ended = false;
    const char** second = command->second ? (const char**)((char*)values + command->second) : NULL;
    for (int i = 0; i < argc; i++) {
        const char* text = argv[i];
        if (!options_ended && strcmp(text, "--") == 0) {
            options_ended = true;
        } else if (!options_ended && (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0)) {
            print_help(command);
            *over = true;
            return CLI_DONE;
        } else if (!options_ended && text[0] == '-' && text[1]) {
            int status = parse_option(command, argc, argv, &i, *input != NULL, values);
            if (status)
                return status;
        } else if (command->many) {
            cli_words* words = values; // those before it were options, so there is room for all at the beginning
            words->items = argv;
            words->items[words->count++] = argv[i];
            *input = argv[0];
        } else if (!*input) {
            *input = text;
        } else if (second && !*second) {
            *second = text;
        } else {
            return cli_usage("unexpected argument '%s'; see --help", text);
        }
    }
    if (command->common && ((const cli_common*)values)->budget < 0)
        return cli_usage("--budget must be a positive number");
    if (command->common)
        cli_be_quiet(((const cli_common*)values)->quiet);
    // Two runs may have the same output: the later one must not take the work of the other away.
    const cli_option* output = find_option(command, "-o", 2);
    const char* path = output ? *(const char**)((char*)values + output->offset) : NULL;
    if (path)
        limberi_file_watch(path);
    return CLI_DONE;
}

int cli_parse_range(const char* text, double* start_s, double* end_s) {
    *start_s = -HUGE_VAL;
    *end_s = HUGE_VAL;
    if (!text)
        return CLI_DONE;
    const char* colon = strchr(text, ':');
    char* end = NULL;
    if (!colon)
        return cli_usage("--range must be START:END in seconds, not '%s'", text);
    if (colon != text) {
        *start_s = strtod(text, &end);
        if (end != colon || !isfinite(*start_s))
            return cli_usage("--range must be START:END in seconds, not '%s'", text);
    }
    if (colon[1]) {
        *end_s = strtod(colon + 1, &end);
        if (*end || !isfinite(*end_s))
            return cli_usage("--range must be START:END in seconds, not '%s'", text);
    }
    return *start_s <= *end_s ? CLI_DONE : cli_usage("--range '%s' ends before it starts", text);
}

int cli_parse_skinning(const char* text, limber_skinning* skinning) {
    *skinning = LIMBER_SKINNING_LINEAR;
    if (!text || strcmp(text, "linear") == 0)
        return CLI_DONE;
    if (strcmp(text, "dualquat") != 0)
        return cli_usage("--skinning must be linear or dualquat, not '%s'", text);
    *skinning = LIMBER_SKINNING_DUALQUAT;
    return CLI_DONE;
}

int cli_check_rate(double fps) {
    if (fps != 0 && !(fps >= 0.1 && fps <= 1000))
        return cli_usage("--fps must be between 0.1 and 1000");
    return CLI_DONE;
}

int cli_check_frames(const cli_common* common, double* start_s, double* end_s) {
    int status = cli_parse_range(common->range, start_s, end_s);
    return status ? status : cli_check_rate(common->fps);
}
