#include "ground/settle.h"
#include "base/lanes.h"
#include "ground/contacts.h"

static const float lift_part = 0.8f; // how much of what a joint sinks it is lifted as a whole; the floor takes the rest

// Several vertices.
typedef struct seen {
    limberi_lanes hold, height, lift, fixed, strength, plain;
} seen;

// limberi_contact_reach.
LIMBERI_INLINED limberi_lanes reach(limberi_lanes above) {
    const float full = limberi_reach_full, none = limberi_reach_none;
    limberi_lanes t = (above - limberi_lanes_all(full)) * limberi_lanes_all(1 / (none - full));
    t = limberi_lanes_min(limberi_lanes_max(t, limberi_lanes_all(0)), limberi_lanes_all(1));
    return limberi_lanes_all(1) - t * t * (limberi_lanes_all(3) - (t + t));
}

LIMBERI_INLINED limberi_lanes kept(const limberi_footed* floor, const seen* on) {
    limberi_lanes above = (on->plain - on->height) * limberi_lanes_all(1 / floor->scale);
    return limberi_lanes_max(limberi_lanes_all(1) - on->strength * (on->fixed + on->hold * reach(above)),
                             limberi_lanes_all(0));
}

// The height above the ground that the floor leaves: x where it is above the soft zone, never below 0, and with a
// continuous slope. `was`: without the effects.
LIMBERI_INLINED limberi_lanes above_floor(limberi_lanes was, limberi_lanes x, limberi_lanes zone) {
    zone = limberi_lanes_max(limberi_lanes_min(zone, was), limberi_lanes_all(1e-9f));
    limberi_lanes bent = zone * zone / limberi_lanes_max(zone + zone - x, zone);
    return limberi_lanes_select(limberi_lanes_less(x, zone), bent, x);
}

// How far the floor pushes a vertex up that was displaced by `y`.
LIMBERI_INLINED limberi_lanes pushed(const limberi_footed* floor, const seen* on, limberi_lanes y) {
    limberi_lanes nothing = limberi_lanes_all(0), was = on->plain - limberi_lanes_min(on->plain, on->height);
    limberi_lanes up = above_floor(was, was + y, limberi_lanes_all(limberi_soft_zone * floor->scale)) - was - y;
    return limberi_lanes_select(limberi_lanes_less(y, nothing), up, nothing);
}

// Of an edited skeleton nobody knows where the vertex was. The floor is soft for what moves, hard for what stands.
LIMBERI_INLINED limberi_lanes pushed_back(const limberi_footed* floor, const seen* on, limberi_lanes y) {
    limberi_lanes nothing = limberi_lanes_all(0), free = limberi_lanes_all(1) - on->hold - on->fixed;
    limberi_lanes above = on->plain + y - (on->height - limberi_lanes_all(floor->depth));
    limberi_lanes zone = limberi_lanes_all(limberi_soft_zone * floor->scale) * limberi_lanes_max(free, nothing);
    limberi_lanes up = above_floor(zone, above, zone) - above;
    return limberi_lanes_select(limberi_lanes_less(above, zone), up, nothing);
}

LIMBERI_INLINED limberi_lanes settle(const limberi_footed* floor, const seen* on, limberi_lanes* d) {
    limberi_lanes keep = kept(floor, on);
    d[0] *= keep;
    d[1] = (d[1] + limberi_lanes_all(lift_part) * on->lift * on->strength) * keep;
    d[2] *= keep;
    limberi_lanes firm = on->strength * limberi_lanes_all(floor->firm);
    d[1] += firm * (floor->edited ? pushed_back(floor, on, d[1]) : pushed(floor, on, d[1]));
    return keep;
}

void limberi_settle(const limberi_footed* floor, uint32_t width, limberi_settle_block* b) {
    for (uint32_t i = 0; i < width; i += LIMBERI_LANE_COUNT) {
        seen on = {limberi_lanes_load(b->hold + i),     limberi_lanes_load(b->height + i),
                   limberi_lanes_load(b->lift + i),     limberi_lanes_load(b->fixed + i),
                   limberi_lanes_load(b->strength + i), limberi_lanes_load(b->skinned.v[1] + i)};
        limberi_lanes d[3];
        for (int c = 0; c < 3; c++)
            d[c] = limberi_lanes_load(b->moved.v[c] + i);
        limberi_lanes_store(b->keep + i, settle(floor, &on, d));
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(b->moved.v[c] + i, d[c]);
    }
}

void limberi_settle_one(const limberi_footed* floor, float strength, limberi_footing row, float plain_height,
                        float* moved) {
    seen on = {limberi_lanes_all(row.hold),  limberi_lanes_all(row.height), limberi_lanes_all(row.lift),
               limberi_lanes_all(row.fixed), limberi_lanes_all(strength),   limberi_lanes_all(plain_height)};
    limberi_lanes d[3];
    for (int c = 0; c < 3; c++)
        d[c] = limberi_lanes_all(moved[c]);
    settle(floor, &on, d);
    for (int c = 0; c < 3; c++) {
        float lanes[LIMBERI_LANE_COUNT];
        limberi_lanes_store(lanes, d[c]);
        moved[c] = lanes[0];
    }
}

// The same clamp, with the height that the vertex comes from as the one without the effects: where nothing moves it on,
// nothing changes.
float limberi_settle_height(const limberi_footed* floor, float strength, limberi_footing on, float from, float to) {
    float low = fminf(from, floor->edited ? on.height - floor->depth : on.height), x = to - low;
    float zone = fmaxf(fminf(limberi_soft_zone * floor->scale, from - low), 1e-9f);
    if (!(to < from && x < zone))
        return to;
    return to + strength * floor->firm * (zone * zone / (zone + zone - x) - x);
}
