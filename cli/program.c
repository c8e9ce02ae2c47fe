// The path and name that this program was called by.
#include "cli/cli.h"
#include "io/system.h"

#include <string.h>

// Of Linux; it stays right when the program is replaced while it runs.
static const char self[] = "/proc/self/exe";
static const char* given = "limber";
static char* real;

void cli_program_set(const char* first_argument) {
    given = first_argument;
}

const char* cli_program_path(void) {
    return limberi_system_kind(self) == LIMBERI_KIND_FILE ? self : given;
}

// One that was found by its name alone will be found so elsewhere.
const char* cli_program_name(void) {
    if (!strchr(given, '/'))
        return given;
    if (!real)
        real = limberi_system_real_path(given);
    return real ? real : given;
}
