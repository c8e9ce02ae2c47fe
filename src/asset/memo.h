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

limberi_memo* limberi_asset_rigid_memo(const limber_asset* asset);

#endif
