// The registry of built-in characters. A new one is a file with its limberi_build_... function, declared at the end of
// kit.h, a line here and a line in CMakeLists.txt.
#include "characters/characters.h"

#include "base/error.h"
#include "characters/kit.h"

#include <string.h>

typedef struct entry {
    limberi_character_info info;
    void (*build)(kit* k);
} entry;

static const entry entries[] = {
#ifndef LIMBER_DEMO // cmake/demo.cmake
    {{"ball", "a rubber ball with a face and dots: bounce, roll, dash and stop"}, limberi_build_ball},
    {{"cow", "a cow with floppy ears, tail, udder and bell: walk, jump, head shake, charge and stop"},
     limberi_build_cow},
    {{"cylinder", "an upright cylinder on five joints, for exact tests: bend, twist, stop"}, limberi_build_cylinder},
    {{"dancer", "a dancer with a swinging skirt and a ponytail: twirl, spin, leap, sway"}, limberi_build_dancer},
#endif
    {{"dog", "a dog with long ears and a tail that wags: run, jump, head shake and stop, run and brake"},
     limberi_build_dog},
#ifndef LIMBER_DEMO
    {{"flower", "a flower in a pot with a springy stem: sway, dance, whip and stop, twist"}, limberi_build_flower},
    {{"giraffe", "a giraffe with a long neck chain: walk, neck swing and stop, look around, twirl"},
     limberi_build_giraffe},
    {{"hero", "a masked hero with a cape on twelve joints: run, leap and land, punch and stop, run and brake"},
     limberi_build_hero},
    {{"snail", "a snail with a spiral shell and eyes on stalks: crawl, peek, dash and stop"}, limberi_build_snail},
    {{"toon", "a fellow with hose limbs, big shoes, gloves, hat and umbrella: run, jump, swing, stop"},
     limberi_build_toon},
    // After this: limberi_character_common_count.
    {{"bird", "a robin on one joint, whose wings flap by painted layers alone: flap, dart and stop"},
     limberi_build_bird},
    {{"dragon", "a young dragon with few joints in wings and tail: fly, wag and stop"}, limberi_build_dragon},
    {{"gymnast", "the toon under a bar that he swings on: hang"}, limberi_build_gymnast},
    {{"horse", "a stout horse with mane and tail: gallop, kick, rear, gallop and brake"}, limberi_build_horse},
    {{"pole", "a stick whose joints stand beside it: twist, sway, bend and stop"}, limberi_build_pole},
    {{"pusher", "the toon against a pillar that he pushes off from: push"}, limberi_build_pusher},
#endif
};

enum { COMMON = 10 };

// Below, thin parts vanish between vertices; above, every character is past the vertex limit anyway.
static const double SMALLEST_DETAIL = 0.5;
static const double LARGEST_DETAIL = 1000;

uint32_t limberi_character_count(void) {
    return (uint32_t)(sizeof entries / sizeof *entries);
}

uint32_t limberi_character_common_count(void) {
    return COMMON;
}

const limberi_character_info* limberi_character_at(uint32_t index) {
    return index < limberi_character_count() ? &entries[index].info : NULL;
}

static const entry* find_entry(const char* name) {
    for (uint32_t i = 0; name && i < limberi_character_count(); i++)
        if (strcmp(entries[i].info.name, name) == 0)
            return &entries[i];
    return NULL;
}

limber_result limberi_character_create(const char* name, double detail, limber_asset** asset, limber_error* error) {
    *asset = NULL;
    const entry* character = find_entry(name);
    if (!character)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "unknown character '%s'", name ? name : "");
    if (!(detail >= SMALLEST_DETAIL))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "detail %g is invalid: it must be at least %g", detail,
                            SMALLEST_DETAIL);
    if (detail > LARGEST_DETAIL)
        return limberi_fail(error, LIMBER_ERROR_LIMIT,
                            "detail %g needs more than %u vertices, the limit of a built-in character", detail,
                            LIMBERI_CHARACTER_VERTEX_LIMIT);
    kit* k = kit_create(detail);
    if (!k)
        return limberi_fail_memory(error);
    character->build(k);
    limber_result result = kit_finish(k, asset, error);
    kit_destroy(k);
    return result;
}
