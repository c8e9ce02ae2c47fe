// Lists for people: names made harmless, long ones cut short.
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

void cli_print_name(const char* name) {
    char part[4];
    while ((name = cli_harmless(name, part)) != NULL)
        fwrite(part, 1, strnlen(part, sizeof part), stdout);
}

void cli_print_rigid(const limber_model* model, const limber_rigid_parts* parts) {
    uint32_t count = parts ? limber_rigid_part_count(parts) : 0;
    printf("%u rigid part%s", count, count == 1 ? "" : "s");
    uint32_t shown = 0;
    uint32_t i = 0;
    for (uint32_t end; i < count && shown < CLI_MAX_LISTED; i = end, shown++) {
        limber_rigid_part part = limber_rigid_part_at(parts, i);
        for (end = i + 1; end < count; end++) {
            limber_rigid_part next = limber_rigid_part_at(parts, end);
            if (next.joint != part.joint || next.kind != part.kind || strcmp(next.name, part.name) != 0)
                break;
        }
        printf("%s", i ? ", " : ": ");
        if (end - i > 1)
            printf("%u of ", end - i);
        cli_print_name(part.name);
        printf(" on ");
        cli_print_name(model->rig.names[part.joint]);
        printf(" (%s)", cli_rigid_class(part.kind));
    }
    if (i < count)
        printf(", and %u more", count - i);
    printf("\n");
}
