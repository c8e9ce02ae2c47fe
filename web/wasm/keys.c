// The table of keys.
#include "style/table.h"
#include "web/wasm/web.h"

// The keys of a constraint come after all others.
static const limberi_row* row_at(uint32_t i) {
    uint32_t count = limber_key_count();
    return i < count ? limberi_row_at(i) : limberi_constraint_row_at(i - count);
}

uint32_t WEB_EXPORT(key_count)(void) {
    return limber_key_count() + limberi_constraint_row_count();
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
