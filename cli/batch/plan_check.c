// Checks of a plan before it runs: no output twice, no input overwritten, styles that load.
#include "cli/batch/batch.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int by_output(const void* a, const void* b) {
    const batch_job* x = *(const batch_job* const*)a;
    const batch_job* y = *(const batch_job* const*)b;
    int order = strcmp(x->output, y->output);
    if (order)
        return order;
    return x < y ? -1 : x > y;
}

static int fail_twice(const batch_job* a, const batch_job* b) {
    char what[512];
    if (strcmp(a->input, b->input) != 0)
        limberi_format(what, sizeof what, "'%s' and '%s'", a->input, b->input);
    else
        limberi_format(what, sizeof what, "two jobs of '%s'", a->input);
    return cli_fail(a->output, "would be written by %s; use --name with {folder}, {clip} or {style}", what);
}

static int check_twice(const batch_plan* plan) {
    const batch_job** order = malloc((plan->count + (size_t)1) * sizeof *order);
    int status = CLI_DONE;
    if (!order)
        return cli_fail_memory(NULL);
    for (uint32_t i = 0; i < plan->count; i++)
        order[i] = &plan->jobs[i];
    qsort(order, plan->count, sizeof *order, by_output);
    for (uint32_t i = 1; i < plan->count; i++)
        if (strcmp(order[i]->output, order[i - 1]->output) == 0) {
            status = fail_twice(order[i - 1], order[i]);
            break;
        }
    free(order);
    return status;
}

typedef struct identity {
    dev_t device;
    ino_t number;
} identity;

static int compare_identity(const void* a, const void* b) {
    const identity* x = a;
    const identity* y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool identify(const char* path, identity* out) {
    struct stat status;
    memset(out, 0, sizeof *out);
    if (stat(path, &status) != 0)
        return false;
    out->device = status.st_dev;
    out->number = status.st_ino;
    return true;
}

// Whatever they are called: links may lead from one to the other.
static int check_inputs_stay(const batch_plan* plan) {
    identity* inputs = malloc((plan->count + (size_t)1) * sizeof *inputs);
    uint32_t count = 0;
    int status = CLI_DONE;
    if (!inputs)
        return cli_fail_memory(NULL);
    for (uint32_t i = 0; i < plan->count; i++)
        count += identify(plan->jobs[i].input, &inputs[count]);
    qsort(inputs, count, sizeof *inputs, compare_identity);
    for (uint32_t i = 0; i < plan->count; i++) {
        const char* path = plan->jobs[i].path;
        identity output;
        if (identify(path, &output) && bsearch(&output, inputs, count, sizeof output, compare_identity)) {
            status = cli_fail(path, "would be overwritten, but it is an input; use another folder or --name");
            break;
        }
    }
    free(inputs);
    return status;
}

int batch_check_outputs(const batch_plan* plan) {
    int status = check_twice(plan);
    return status ? status : check_inputs_stay(plan);
}

int batch_check_style(const batch_style* style, const char* path) {
    limber_style* read;
    limber_error error;
    if (limber_style_create(&read, &error) != LIMBER_OK)
        return cli_fail_error(NULL, &error);
    int status = path ? cli_style_read(read, NULL, NULL, path) : CLI_DONE;
    for (uint32_t i = 0; !status && i < style->sets.count; i++) {
        const char* text = style->sets.items[i];
        size_t length = strcspn(text, "=");
        char key[512];
        limberi_format(key, sizeof key, "%s", text);
        key[length < sizeof key ? length : sizeof key - 1] = 0;
        if (!text[length] || limber_style_set(read, key, text + length + 1, &error) != LIMBER_OK)
            status =
                text[length] ? cli_fail_error("set", &error) : cli_usage("--set must be PATH=VALUE, not '%s'", text);
    }
    limber_style_destroy(read);
    return status;
}
