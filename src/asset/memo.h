// Something that is derived from a character when first asked for, and kept as long as the character lives.
#ifndef LIMBERI_MEMO_H
#define LIMBERI_MEMO_H

#include <limber/asset.h>
#include <stdatomic.h>

// The first member of what is kept.
typedef struct limberi_memo_item {
    void (*destroy)(struct limberi_memo_item* item);
} limberi_memo_item;

typedef struct limberi_memo {
    _Atomic(limberi_memo_item*) item; // NULL: nobody asked
} limberi_memo;

typedef enum limberi_memo_kind {
    LIMBERI_MEMO_RIGID,
    LIMBERI_MEMO_SUPPORTS,
    LIMBERI_MEMO_FLOORS,
    LIMBERI_MEMO_SKIRT,
    LIMBERI_MEMO_KINDS
} limberi_memo_kind;

limberi_memo* limberi_asset_memo(const limber_asset* asset, limberi_memo_kind kind);
// Keeps `item`, or throws it away when another thread was faster; returns the one that is kept.
limberi_memo_item* limberi_memo_keep(limberi_memo* memo, limberi_memo_item* item);

#endif
