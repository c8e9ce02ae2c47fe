// --repair, and what was repaired in words.
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *one, *many, *text;
} repairs[LIMBER_REPAIR_COUNT] = {
    {"tangents", "surface", "surfaces", "tangents computed for the normal map"},
    {"root", "skeleton", "skeletons", "a common root added above its joints"},
    {"nodes", "node", "nodes", "skinned meshes moved under the scene, skins without use removed"},
    {"weights", "surface", "surfaces", "joints and weights normalized"},
    {"bounds", "accessor", "accessors", "min and max corrected"},
    {"units", "accessor or node", "accessors and nodes", "normals or rotations brought to length 1"},
    {"unused", "property", "properties", "removed, they have no effect"},
};

static const char* name_at(const void* user, size_t i) {
    (void)user;
    return repairs[i].name;
}

static int parse_one(const char* word, size_t length, uint32_t* bits) {
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), word);
    for (uint32_t i = 0; i < LIMBER_REPAIR_COUNT; i++) {
        if (strcmp(name, repairs[i].name) != 0)
            continue;
        *bits |= 1u << i;
        return CLI_DONE;
    }
    return cli_usage("--repair: there is no '%s'; choose all, none or some of tangents,root,nodes,weights,bounds,units,"
                     "unused%s",
                     name, cli_did_you_mean(name, name_at, NULL, LIMBER_REPAIR_COUNT));
}

int cli_parse_repairs(const char* text, uint32_t* bits) {
    *bits = 0;
    if (!text || strcmp(text, "none") == 0)
        return CLI_DONE;
    if (strcmp(text, "all") == 0) {
        *bits = LIMBER_REPAIR_ALL;
        return CLI_DONE;
    }
    for (const char* word = text; word;) {
        const char* comma = strchr(word, ',');
        int status = parse_one(word, comma ? (size_t)(comma - word) : strlen(word), bits);
        if (status)
            return status;
        word = comma ? comma + 1 : NULL;
    }
    return CLI_DONE;
}

void cli_list_repairs(const char* output, const uint32_t* repaired) {
    for (uint32_t i = 0; i < LIMBER_REPAIR_COUNT; i++)
        if (repaired[i])
            cli_tell(output, "repaired %s of %u %s: %s", repairs[i].name, repaired[i],
                     repaired[i] == 1 ? repairs[i].one : repairs[i].many, repairs[i].text);
}
