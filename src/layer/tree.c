// Bounding volume hierarchy with binned surface area splits (Wald, "On fast construction of SAH-based bounding volume
// hierarchies", 2007).
#include "layer/tree.h"
#include "base/lanes.h"
#include "base/math.h"

#include <string.h>

enum {
    BINS = 16,
    SPLIT_DEPTH = 40, // deeper, ranges are simply halved, which ends after 32 levels at most
    STACK = LIMBERI_TREE_DEPTH + 8,
};

_Static_assert(SPLIT_DEPTH + 32 <= LIMBERI_TREE_DEPTH, "every tree fits the stacks");

// A box in two vectors; the last lane of each means nothing.
typedef struct extent {
    limberi_lanes low, high;
} extent;

static extent no_extent(void) {
    return (extent){limberi_lanes_all(HUGE_VALF), limberi_lanes_all(-HUGE_VALF)};
}

static void grow(extent* e, limberi_lanes low, limberi_lanes high) {
    e->low = limberi_lanes_min(low, e->low);
    e->high = limberi_lanes_max(high, e->high);
}

static float area_of(const extent* e) {
    limberi_lanes size = e->high - e->low;
    return size[0] >= 0 ? size[0] * size[1] + size[1] * size[2] + size[2] * size[0] : 0; // half; 0 for an empty one
}

struct limberi_box_splits {
    extent* boxes;  // in the order of the tree's items
    uint8_t* depth; // [node]
    uint32_t node_count;
};

typedef struct bin {
    extent box;
    uint32_t count;
} bin;

// How to tell the two sides of a split apart: items whose bin along `axis` is less than `border` go left.
typedef struct split {
    int axis;
    float low, scale; // bin = (middle - low) * scale
    uint32_t border;
    float cost;
    extent sides[2];
} split;

static uint32_t bin_of(const split* s, const extent* box) {
    float at = (0.5f * (box->low[s->axis] + box->high[s->axis]) - s->low) * s->scale;
    return at < (float)(BINS - 1) ? (uint32_t)at : BINS - 1;
}

static extent join_bins(const bin* bins, uint32_t first, uint32_t end) {
    extent all = no_extent();
    for (uint32_t i = first; i < end; i++)
        grow(&all, bins[i].box.low, bins[i].box.high);
    return all;
}

// The cheapest border between the bins along one axis; the cost is the sum of area times items.
static void find_border(const bin* bins, split* s) {
    float right[BINS];
    extent box = no_extent();
    uint32_t count = 0;
    for (uint32_t i = BINS - 1; i > 0; i--) {
        grow(&box, bins[i].box.low, bins[i].box.high);
        count += bins[i].count;
        right[i] = area_of(&box) * (float)count;
    }
    box = no_extent();
    count = 0;
    for (uint32_t i = 1; i < BINS; i++) {
        grow(&box, bins[i - 1].box.low, bins[i - 1].box.high);
        count += bins[i - 1].count;
        float cost = area_of(&box) * (float)count + right[i];
        if (cost < s->cost) {
            s->cost = cost;
            s->border = i;
        }
    }
    s->sides[0] = join_bins(bins, 0, s->border);
    s->sides[1] = join_bins(bins, s->border, BINS);
}

// Along the axis over which the middles spread the most.
static split best_split(const extent* boxes, uint32_t count) {
    extent middles = no_extent();
    for (uint32_t i = 0; i < count; i++) {
        limberi_lanes middle = 0.5f * (boxes[i].low + boxes[i].high);
        grow(&middles, middle, middle);
    }
    limberi_lanes spread = middles.high - middles.low;
    int axis = spread[1] > spread[0];
    axis = spread[2] > spread[axis] ? 2 : axis;
    split s = {.axis = axis, .low = middles.low[axis], .cost = HUGE_VALF};
    if (!(spread[axis] > 1e-12f))
        return s;
    s.scale = (float)BINS / spread[axis];
    bin bins[BINS];
    for (int i = 0; i < BINS; i++)
        bins[i] = (bin){no_extent(), 0};
    for (uint32_t i = 0; i < count; i++) {
        bin* into = &bins[bin_of(&s, &boxes[i])];
        grow(&into->box, boxes[i].low, boxes[i].high);
        into->count++;
    }
    find_border(bins, &s);
    return s;
}

// Moves the items of the left side to the front and returns how many there are.
static uint32_t partition(uint32_t* items, extent* boxes, uint32_t count, const split* s) {
    uint32_t left = 0;
    uint32_t right = count;
    while (left < right) {
        if (bin_of(s, &boxes[left]) < s->border) {
            left++;
            continue;
        }
        uint32_t item = items[left];
        extent box = boxes[left];
        items[left] = items[--right];
        boxes[left] = boxes[right];
        items[right] = item;
        boxes[right] = box;
    }
    return left;
}

static extent extent_of(const extent* boxes, uint32_t count) {
    extent all = no_extent();
    for (uint32_t i = 0; i < count; i++)
        grow(&all, boxes[i].low, boxes[i].high);
    return all;
}

static void set_node(limberi_box_node* node, const extent* box, uint32_t first, uint32_t count) {
    memcpy(node->low, &box->low, sizeof node->low);
    memcpy(node->high, &box->high, sizeof node->high);
    node->first = first;
    node->count = count;
}

// Makes a node with too many items the parent of two.
static void split_node(const limberi_box_tree* tree, uint32_t n) {
    struct limberi_box_splits* open = tree->open;
    limberi_box_node* node = &tree->nodes[n];
    const uint32_t first = node->first;
    const uint32_t count = node->count;
    extent* boxes = open->boxes + first;
    split s = best_split(boxes, count);
    uint32_t left = 0;
    if (open->depth[n] < SPLIT_DEPTH && s.cost < HUGE_VALF)
        left = partition(tree->items + first, boxes, count, &s);
    if (!left || left == count) {
        left = count / 2;
        s.sides[0] = extent_of(boxes, left);
        s.sides[1] = extent_of(boxes + left, count - left);
    }
    node->first = open->node_count;
    node->count = 0;
    open->node_count += 2;
    set_node(&tree->nodes[node->first], &s.sides[0], first, left);
    set_node(&tree->nodes[node->first + 1], &s.sides[1], first + left, count - left);
    open->depth[node->first] = open->depth[node->first + 1] = (uint8_t)(open->depth[n] + 1);
}

static limber_result begin(limberi_arena* arena, limberi_arena* scratch, const limberi_box* boxes, uint32_t count,
                           limberi_box_tree* tree) {
    memset(tree, 0, sizeof *tree);
    tree->nodes = LIMBERI_ALLOCATE(arena, limberi_box_node, 2 * (size_t)count);
    tree->items = LIMBERI_ALLOCATE(arena, uint32_t, count);
    tree->open = LIMBERI_ALLOCATE(scratch, struct limberi_box_splits, 1);
    extent* extents = LIMBERI_ALLOCATE(scratch, extent, count);
    uint8_t* depth = LIMBERI_ALLOCATE(scratch, uint8_t, 2 * (size_t)count);
    if (arena->failed || scratch->failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        const float *low = boxes[i].low, *high = boxes[i].high;
        extents[i].low = (limberi_lanes){low[0], low[1], low[2], 0};
        extents[i].high = (limberi_lanes){high[0], high[1], high[2], 0};
        tree->items[i] = i;
    }
    extent all = extent_of(extents, count);
    *tree->open = (struct limberi_box_splits){extents, depth, count > 0};
    tree->item_count = count;
    tree->node_count = count > 0;
    if (count)
        set_node(tree->nodes, &all, 0, count);
    return LIMBER_OK;
}

limber_result limberi_box_tree_open(limberi_arena* arena, const limberi_box* boxes, uint32_t count,
                                    limberi_box_tree* tree) {
    return begin(arena, arena, boxes, count, tree);
}

limber_result limberi_box_tree_build(limberi_arena* arena, const limberi_box* boxes, uint32_t count,
                                     limberi_box_tree* tree) {
    limberi_arena scratch = {NULL, false};
    limber_result result = begin(arena, &scratch, boxes, count, tree);
    for (uint32_t n = 0; !result && n < tree->open->node_count; n++)
        if (tree->nodes[n].count > LIMBERI_LEAF_ITEMS)
            split_node(tree, n);
    if (!result)
        tree->node_count = tree->open->node_count;
    tree->open = NULL;
    limberi_arena_free(&scratch);
    return result;
}

limber_result limberi_box_tree_rank(limberi_arena* arena, limberi_box_tree* tree, const double* ranks) {
    double* max = LIMBERI_ALLOCATE(arena, double, tree->node_count);
    for (uint32_t n = tree->node_count; max && n-- > 0;) { // children come after their parents
        const limberi_box_node* node = &tree->nodes[n];
        max[n] = node->count ? ranks[tree->items[node->first]] : fmax(max[node->first], max[node->first + 1]);
        for (uint32_t i = 1; i < node->count; i++)
            max[n] = fmax(max[n], ranks[tree->items[node->first + i]]);
    }
    tree->max = max;
    return max ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

static float square_distance_to_box(const limberi_box_node* node, limber_vec3 place) {
    const float p[3] = {place.x, place.y, place.z};
    float sum = 0;
    for (int c = 0; c < 3; c++) {
        float below = node->low[c] - p[c];
        float over = p[c] - node->high[c];
        float outside = below > over ? below : over;
        sum += outside > 0 ? outside * outside : 0;
    }
    return sum;
}

typedef struct search {
    limberi_square_distance distance;
    const void* user;
    limber_vec3 place;
    uint32_t best;
    float min; // square
} search;

static void search_leaf(const limberi_box_tree* tree, const limberi_box_node* node, search* s) {
    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t item = tree->items[node->first + i];
        float square = s->distance(s->user, item, s->place);
        if (square < s->min || (square == s->min && item < s->best)) {
            s->min = square;
            s->best = item;
        }
    }
}

uint32_t limberi_box_tree_nearest(const limberi_box_tree* tree, limber_vec3 place, float limit, double above,
                                  limberi_square_distance distance, const void* user) {
    uint32_t stack[STACK] = {0};
    uint32_t depth = tree->node_count > 0;
    search s = {distance, user, place, UINT32_MAX, limit * limit};
    while (depth) {
        uint32_t at = stack[--depth];
        const limberi_box_node* node = &tree->nodes[at];
        if ((tree->max && !(tree->max[at] > above)) || square_distance_to_box(node, place) > s.min)
            continue;
        if (tree->open && node->count > LIMBERI_LEAF_ITEMS)
            split_node(tree, at);
        search_leaf(tree, node, &s);
        if (node->count)
            continue;
        bool second = square_distance_to_box(&tree->nodes[node->first + 1], place) <
                      square_distance_to_box(&tree->nodes[node->first], place);
        stack[depth++] = node->first + !second;
        stack[depth++] = node->first + second;
    }
    return s.best;
}

static void edge_weights(limber_vec3 ap, limber_vec3 ab, float* start, float* end) {
    float square = limberi_dot(ab, ab);
    float t = square > 0 ? limberi_dot(ap, ab) / square : 0;
    *end = fminf(fmaxf(t, 0), 1);
    *start = 1 - *end;
}

// Inside when the foot of the perpendicular is, else on an edge.
float limberi_triangle_nearest(const limber_vec3* p, limber_vec3 place, float* best) {
    limber_vec3 ab = limberi_sub(p[1], p[0]);
    limber_vec3 ac = limberi_sub(p[2], p[0]);
    limber_vec3 n = limberi_cross(ab, ac);
    limber_vec3 to = limberi_sub(place, p[0]);
    float square = limberi_dot(n, n);
    float min = HUGE_VALF;
    float w[4][3] = {{0}};
    w[0][1] = square > 0 ? limberi_dot(limberi_cross(to, ac), n) / square : -1;
    w[0][2] = square > 0 ? limberi_dot(limberi_cross(ab, to), n) / square : -1;
    w[0][0] = 1 - w[0][1] - w[0][2];
    edge_weights(to, ab, &w[1][0], &w[1][1]);
    edge_weights(to, ac, &w[2][0], &w[2][2]);
    edge_weights(limberi_sub(place, p[1]), limberi_sub(p[2], p[1]), &w[3][1], &w[3][2]);
    bool inside = w[0][0] >= 0 && w[0][1] >= 0 && w[0][2] >= 0;
    for (int i = inside ? 0 : 1; i < (inside ? 1 : 4); i++) {
        limber_vec3 on_edge = limberi_add(limberi_scale(p[0], w[i][0]), limberi_scale(p[1], w[i][1]));
        limber_vec3 away = limberi_sub(limberi_add(on_edge, limberi_scale(p[2], w[i][2])), place);
        float distance = limberi_dot(away, away);
        if (!(distance < min))
            continue;
        min = distance;
        for (int c = 0; c < 3; c++)
            best[c] = w[i][c];
    }
    return min;
}
