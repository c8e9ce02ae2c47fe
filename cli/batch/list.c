// `batch --list`: the commands of a plan, quoted for a shell.
#include "base/buffer.h"
#include "cli/batch/batch.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static bool has_controls(const char* text) {
    for (; *text; text++)
        if ((unsigned char)*text < 32 || *text == 127)
            return true;
    return false;
}

// Farms read lines: a line end in a name is left to printf, which every shell has.
static void add_printf(limberi_buffer* out, const char* text) {
    limberi_buffer_add(out, "\"$(printf '");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 32 || c == 127 || c == '\'' || c == '\\' || c == '%')
            limberi_buffer_format(out, "\\%d%d%d", c >> 6, c >> 3 & 7, c & 7);
        else
            limberi_buffer_add_bytes(out, text, 1);
    }
    limberi_buffer_add(out, "')\"");
}

static void add_quoted(limberi_buffer* out, const char* text) {
    limberi_buffer_add(out, "'");
    for (; *text; text++) {
        if (*text == '\'')
            limberi_buffer_add(out, "'\\''");
        else
            limberi_buffer_add_bytes(out, text, 1);
    }
    limberi_buffer_add(out, "'");
}

bool batch_quote(limberi_arena* arena, const char* text, const char** out) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
    limberi_buffer quoted = {0};
    if (*text && strspn(text, plain) == strlen(text))
        limberi_buffer_add(&quoted, text);
    else if (has_controls(text))
        add_printf(&quoted, text);
    else
        add_quoted(&quoted, text);
    bool last = *text && text[strlen(text) - 1] == '\n'; // $(...) drops it
    *out = quoted.failed || last ? NULL : limberi_arena_string(arena, quoted.data);
    limberi_buffer_free(&quoted);
    return *out != NULL;
}

static int print_word(limberi_arena* arena, const char* text, const char* before) {
    const char* quoted;
    if (!batch_quote(arena, text, &quoted))
        return cli_fail(text, "cannot be written in one line");
    printf("%s%s", before, quoted);
    return CLI_DONE;
}

int batch_print_list(const batch_plan* plan, uint32_t threads) {
    for (uint32_t i = 0; i < plan->count; i++) {
        const batch_job* job = &plan->jobs[i];
        limberi_arena arena = {NULL, false};
        if (job->state != BATCH_WAITING)
            continue;
        int status = print_word(&arena, cli_program_name(), "");
        for (uint32_t w = 0; !status && w < job->words.count; w++)
            status = print_word(&arena, job->words.items[w], " ");
        limberi_arena_free(&arena);
        if (status)
            return status;
        printf(" --threads %u\n", threads);
    }
    return CLI_DONE;
}
