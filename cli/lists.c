// Lists for people: names made harmless, long ones cut short.
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

void cli_print_name(const char* name) {
    char part[4];
    while ((name = cli_harmless(name, part)) != NULL)
        fwrite(part, 1, strnlen(part, sizeof part), stdout);
}

static bool same_part(const limber_rigid_parts* parts, uint32_t a, uint32_t b) {
    limber_rigid_part p = limber_rigid_part_at(parts, a);
    limber_rigid_part q = limber_rigid_part_at(parts, b);
    return p.joint == q.joint && p.kind == q.kind && strcmp(p.name, q.name) == 0;
}

// Parts of the same name, joint and kind count as one line, wherever they are in the list.
void cli_print_rigid(const limber_model* model, const limber_rigid_parts* parts) {
    uint32_t count = parts ? limber_rigid_part_count(parts) : 0;
    uint32_t shown = 0;
    uint32_t left = count;
    printf("%u rigid part%s", count, count == 1 ? "" : "s");
    for (uint32_t i = 0; i < count && shown < CLI_MAX_LISTED; i++) {
        uint32_t alike = 0;
        bool before = false;
        for (uint32_t k = 0; k < count && !before; k++) {
            alike += same_part(parts, k, i);
            before = k < i && alike;
        }
        if (before)
            continue;
        limber_rigid_part part = limber_rigid_part_at(parts, i);
        printf("%s", shown++ ? ", " : ": ");
        if (alike > 1)
            printf("%u of ", alike);
        cli_print_name(part.name);
        printf(" on ");
        cli_print_name(model->rig.names[part.joint]);
        printf(" (%s)", cli_rigid_class(part.kind));
        left -= alike;
    }
    if (left)
        printf(", and %u more", left);
    printf("\n");
}
