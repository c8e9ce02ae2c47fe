// Something that is derived from a character when first asked for, and kept as long as the character lives.
#ifndef LIMBERI_DERIVED_H
#define LIMBERI_DERIVED_H

#include <limber/asset.h>
#include <stdatomic.h>

// The first member of what is kept.
typedef struct limberi_derived_item {
    void (*destroy)(struct limberi_derived_item* item);
} limberi_derived_item;

typedef struct limberi_derived {
    _Atomic(limberi_derived_item*) item; // NULL: nobody asked
} limberi_derived;

typedef enum limberi_derived_kind {
    LIMBERI_DERIVED_RIGID,
    LIMBERI_DERIVED_SUPPORTS,
    LIMBERI_DERIVED_FLOORS,
    LIMBERI_DERIVED_SKIRT,
    LIMBERI_DERIVED_KINDS
} limberi_derived_kind;

limberi_derived* limberi_asset_derived(const limber_asset* asset, limberi_derived_kind kind);
// Keeps `item`, or throws it away when another thread was faster; returns the one that is kept.
limberi_derived_item* limberi_derived_keep(limberi_derived* memo, limberi_derived_item* item);

#endif
