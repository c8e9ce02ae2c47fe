// The table of keys.
#include "style/table.h"
#include "web/wasm/web.h"

// Keys of objects in lists come after all others. `index` counts down to 0; NULL: there are fewer.
static const limberi_row* item_at(uint32_t* index) {
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        const limberi_reader* reader = limberi_row_at(i)->reader;
        uint32_t count = reader ? reader->item_count : 0;
        if (*index < count)
            return &reader->items[*index];
        *index -= count;
    }
    return NULL;
}

static const limberi_row* row_at(uint32_t i) {
    uint32_t count = limber_key_count();
    uint32_t item = i - count;
    return i < count ? limberi_row_at(i) : item_at(&item);
}

uint32_t WEB_EXPORT(key_count)(void) {
    uint32_t rest = UINT32_MAX;
    (void)item_at(&rest);
    return limber_key_count() + (UINT32_MAX - rest);
}

// 0: there is none.
const char* WEB_EXPORT(key_text)(uint32_t i, uint32_t which) {
    const limber_key* key = &row_at(i)->key;
    const char* const texts[] = {key->path, key->unit, key->default_text, key->choices, key->help};
    return which < 5 ? texts[which] : 0;
}

// Type, range, whether it leaves out its lower end, and for which effects the key is (a bit for each).
double WEB_EXPORT(key_number)(uint32_t i, uint32_t which) {
    const limberi_row* row = row_at(i);
    const double numbers[] = {row->key.type, row->key.min, row->key.max, row->key.min_is_excluded,
                              limberi_row_effects(row)};
    return which < 5 ? numbers[which] : 0;
}
