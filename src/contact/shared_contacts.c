// Contacts of clips as they came: found when first asked for, and kept with the character, since performances and most
// styles ask for the same ones.
#include "contact/contacts.h"

#include "base/memory.h"

#include <stdatomic.h>

typedef struct shared_contacts {
    limberi_derived_item item;
    uint32_t clip_count;
    _Atomic(limber_contacts*) of_clip[];
} shared_contacts;

static void destroy(limberi_derived_item* item) {
    shared_contacts* shared = (shared_contacts*)(void*)item;
    for (uint32_t c = 0; c < shared->clip_count; c++)
        limber_contacts_destroy(atomic_load(&shared->of_clip[c]));
    limberi_release(shared);
}

static shared_contacts* shared_of(const limber_asset* asset) {
    limberi_derived* slot = limberi_asset_derived(asset, LIMBERI_DERIVED_CONTACTS);
    limberi_derived_item* known = atomic_load(&slot->item);
    if (known)
        return (shared_contacts*)(void*)known;
    uint32_t count = limber_asset_model(asset)->clip_count;
    shared_contacts* made = limberi_allocate_zeroed(1, sizeof *made + count * sizeof made->of_clip[0]);
    if (!made)
        return NULL;
    made->item.destroy = destroy;
    made->clip_count = count;
    return (shared_contacts*)(void*)limberi_derived_keep(slot, &made->item);
}

bool limberi_contacts_are_shared(const limber_asset* asset, int32_t index, bool loops,
                                 const limber_contact_settings* settings) {
    return settings->floor == LIMBER_FLOOR_AUTO && !settings->edit_count &&
           loops == limber_asset_model(asset)->clips[index].loops;
}

limber_result limberi_contacts_share(const limber_asset* asset, uint32_t clip, const limber_contacts** contacts) {
    shared_contacts* shared = shared_of(asset);
    limber_contact_settings plain = limber_contact_settings_default();
    const limber_clip* as_it_came = &limber_asset_model(asset)->clips[clip];
    limber_contacts* found = shared ? atomic_load(&shared->of_clip[clip]) : NULL;
    limber_contacts* faster = NULL; // another thread
    *contacts = found;
    if (found)
        return LIMBER_OK;
    if (!shared || limberi_contacts_find(asset, as_it_came, (int32_t)clip, as_it_came->loops, &plain, &found))
        return LIMBER_ERROR_MEMORY;
    if (!atomic_compare_exchange_strong(&shared->of_clip[clip], &faster, found))
        limber_contacts_destroy(found);
    *contacts = faster ? faster : found;
    return LIMBER_OK;
}
