#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* option_name_at(const void* user, size_t i) {
    const cli_verb_help* help = user;
    return help->options[i].name;
}

static const cli_option* find_option(const cli_verb_help* help, const char* name, size_t length) {
    if (length == 8 && strncmp(name, "--output", 8) == 0)
        return find_option(help, "-o", 2);
    for (size_t i = 0; i < help->option_count; i++)
        if (strlen(help->options[i].name) == length && strncmp(help->options[i].name, name, length) == 0)
            return &help->options[i];
    return NULL;
}

static int store_number(const cli_option* option, const char* text) {
    char* end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end || errno == ERANGE || !isfinite(value))
        return cli_usage("%s takes a number, not '%s'", option->name, text);
    *(double*)option->target = value;
    return CLI_DONE;
}

static int store_count(const cli_option* option, const char* text) {
    char* end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value > UINT32_MAX)
        return cli_usage("%s takes a whole number, not '%s'", option->name, text);
    *(uint32_t*)option->target = (uint32_t)value;
    return CLI_DONE;
}

static int store_value(const cli_option* option, const char* text) {
    if (option->kind == CLI_NUMBER)
        return store_number(option, text);
    if (option->kind == CLI_COUNT)
        return store_count(option, text);
    if (!*text)
        return cli_usage("%s needs a value that is not empty", option->name);
    if (option->kind == CLI_LIST) {
        cli_list* list = option->target;
        if (list->count == CLI_LIST_MOST)
            return cli_usage("%s is given more than %u times", option->name, CLI_LIST_MOST);
        list->items[list->count++] = text;
        return CLI_DONE;
    }
    *(const char**)option->target = text;
    return CLI_DONE;
}

// Handles argv[*at] (an option) and, when it needs one, its value.
static int parse_option(const cli_verb_help* help, int argc, char** argv, int* at) {
    const char* text = argv[*at];
    const char* equals = text[1] == '-' ? strchr(text, '=') : NULL;
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const cli_option* option = find_option(help, text, length);
    if (!option)
        return cli_usage("unknown option '%.*s'%s", (int)length, text,
                         cli_did_you_mean(text, option_name_at, help, help->option_count));
    if (option->kind == CLI_FLAG) {
        if (equals)
            return cli_usage("%s takes no value", option->name);
        *(bool*)option->target = true;
        return CLI_DONE;
    }
    if (equals)
        return store_value(option, equals + 1);
    if (*at + 1 >= argc)
        return cli_usage("%s needs a value (%s)", option->name, option->value_name);
    return store_value(option, argv[++*at]);
}

int cli_parse(const cli_verb_help* help, int argc, char** argv, const char** inputs, size_t* input_count, bool* over) {
    *input_count = 0;
    *over = false;
    bool options_ended = false;
    for (int i = 0; i < argc; i++) {
        const char* text = argv[i];
        if (!options_ended && strcmp(text, "--") == 0) {
            options_ended = true;
        } else if (!options_ended && (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0)) {
            cli_print_help(help);
            *over = true;
            return CLI_DONE;
        } else if (!options_ended && text[0] == '-' && text[1]) {
            int status = parse_option(help, argc, argv, &i);
            if (status)
                return status;
        } else if (*input_count >= help->most_inputs) {
            return cli_usage("one argument too many: '%s'; see --help", text);
        } else {
            inputs[(*input_count)++] = text;
        }
    }
    return CLI_DONE;
}

void cli_print_help(const cli_verb_help* help) {
    printf("%s\n\nUsage: %s\n", help->summary, help->usage);
    if (help->details)
        printf("\n%s\n", help->details);
    if (help->option_count)
        printf("\nOptions:\n");
    for (size_t i = 0; i < help->option_count; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", help->options[i].name, help->options[i].value_name ? " " : "",
                 help->options[i].value_name ? help->options[i].value_name : "");
        printf("  %-26s %s\n", left, help->options[i].help);
    }
    if (help->examples)
        printf("\nExamples:\n%s\n", help->examples);
}

void cli_common_options(cli_common* common, cli_option* options) {
    memset(common, 0, sizeof *common);
    const cli_option table[CLI_COMMON_OPTION_COUNT] = {
        {"-o", "OUT", CLI_TEXT, &common->output, "where to write; the ending picks the format"},
        {"--clip", "NAME|INDEX", CLI_TEXT, &common->clip,
         "one clip only (default: all for .glb and .gltf, else the first)"},
        {"--style", "FILE|PRESET", CLI_TEXT, &common->style,
         "the style (default: the one the file carries, else plain)"},
        {"--set", "PATH=VALUE", CLI_LIST, &common->sets,
         "one key of the style, as often as needed; wins over the file"},
        {"--fps", "N", CLI_NUMBER, &common->fps, "frames per second (default: the clip's own rate, else 30)"},
        {"--range", "A:B", CLI_TEXT, &common->range, "only these seconds of the clip"},
        {"--skinning", "linear|dualquat", CLI_TEXT, &common->skinning, "how joints blend (default: linear)"},
        {"--threads", "N", CLI_COUNT, &common->threads, "processor cores to use (default: all)"},
        {"--quiet", NULL, CLI_FLAG, &common->quiet, "no progress"},
    };
    memcpy(options, table, sizeof table);
}

int cli_parse_range(const char* text, double* start_s, double* end_s) {
    *start_s = -HUGE_VAL;
    *end_s = HUGE_VAL;
    if (!text)
        return CLI_DONE;
    const char* colon = strchr(text, ':');
    char* end = NULL;
    if (!colon)
        return cli_usage("--range takes A:B in seconds, not '%s'", text);
    if (colon != text) {
        *start_s = strtod(text, &end);
        if (end != colon || !isfinite(*start_s))
            return cli_usage("--range takes A:B in seconds, not '%s'", text);
    }
    if (colon[1]) {
        *end_s = strtod(colon + 1, &end);
        if (*end || !isfinite(*end_s))
            return cli_usage("--range takes A:B in seconds, not '%s'", text);
    }
    return *start_s <= *end_s ? CLI_DONE : cli_usage("--range '%s' ends before it starts", text);
}

int cli_parse_skinning(const char* text, limber_skinning* skinning) {
    *skinning = LIMBER_SKINNING_LINEAR;
    if (!text || strcmp(text, "linear") == 0)
        return CLI_DONE;
    if (strcmp(text, "dualquat") != 0)
        return cli_usage("--skinning is linear or dualquat, not '%s'", text);
    *skinning = LIMBER_SKINNING_DUALQUAT;
    return CLI_DONE;
}

int cli_check_rate(double fps) {
    if (fps != 0 && !(fps >= 0.1 && fps <= 1000))
        return cli_usage("--fps must lie between 0.1 and 1000");
    return CLI_DONE;
}
