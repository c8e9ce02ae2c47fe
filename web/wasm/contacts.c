// Contacts out of the module: the levels of the floor, and what stands on them.
#include "web/wasm/web.h"

limber_contacts* WEB_EXPORT(contacts_create)(const web_character* c, uint32_t clip) {
    limber_contacts* found = NULL;
    return limber_contacts_find(limberi_web_asset(c), clip, NULL, &found, &limberi_web_error) ? NULL : found;
}

// With the floor and the corrections of the style.
limber_contacts* WEB_EXPORT(contacts_of_pipeline)(const web_pipeline* p, uint32_t clip) {
    limber_contacts* found = NULL;
    const limber_contact_settings* settings = &limber_pipeline_stage_settings(p->pipeline)->contacts;
    return limber_contacts_find(limberi_web_asset(p->character), clip, settings, &found, &limberi_web_error) ? NULL
                                                                                                             : found;
}

void WEB_EXPORT(contacts_destroy)(limber_contacts* contacts) {
    limber_contacts_destroy(contacts);
}

// Of levels (0) or contacts (1).
uint32_t WEB_EXPORT(contacts_count)(const limber_contacts* contacts, uint32_t which) {
    return which == 0 ? limber_contacts_level_count(contacts) : limber_contact_count(contacts);
}

double WEB_EXPORT(contacts_level)(const limber_contacts* contacts, uint32_t i) {
    return limber_contacts_level(contacts, i);
}

// Joint, from, to, height.
double WEB_EXPORT(contacts_number)(const limber_contacts* contacts, uint32_t i, uint32_t which) {
    limber_contact one = limber_contact_at(contacts, i);
    const double numbers[] = {one.joint, one.from_s, one.to_s, one.height};
    return which < 4 ? numbers[which] : 0;
}

// How much each joint is held, 0 ... 1; seconds from the start of the clip.
void WEB_EXPORT(contacts_evaluate)(const limber_contacts* contacts, double time_s, float* held) {
    (void)limber_contacts_evaluate(contacts, time_s, held, NULL);
}
