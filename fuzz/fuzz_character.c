// Fuzzes styles on the built-in characters: the bytes are the text of a style, and its length picks the character and a
// time. What binds can be evaluated, smeared and packed, with the same bytes however the work is divided.
#include "characters/characters.h"
#include "fuzz/kit/run.h"

#include <limber/pack.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { CHARACTERS = 3 };

// As coarse as they can be: what a style does depends little on the number of vertices.
static const limber_asset* character_at(size_t index) {
    static const char* const names[CHARACTERS] = {"ball", "cylinder", "snail"};
    static limber_asset* made[CHARACTERS];
    limber_error error;
    if (!made[index])
        FUZZ_CHECK(limberi_character_create(names[index], 0.5, &made[index], &error) == LIMBER_OK);
    return made[index];
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    limber_style* style;
    limber_error error;
    limber_pack* pack;
    FUZZ_CHECK(limber_style_create(&style, &error) == LIMBER_OK);
    limber_result result = limber_style_read(style, (const char*)data, size, &error);
    FUZZ_CHECK(result == LIMBER_OK || error.message[0]);
    limber_pipeline* pipeline = result == LIMBER_OK ? fuzz_pipeline(character_at(size % CHARACTERS), style) : NULL;
    if (pipeline) {
        double time_s = (double)(size % 64) / 20 - 0.5;
        fuzz_evaluate(pipeline, size % 5 ? 0 : -1, time_s, false);
        fuzz_smear(pipeline, 0, time_s, 24, false);
        if (limber_pack_create(pipeline, size % 2, &pack, &error) == LIMBER_OK)
            limber_pack_destroy(pack);
        limber_pipeline_destroy(pipeline);
    }
    limber_style_destroy(style);
    return 0;
}
