// Bounding volume hierarchy with binned surface area splits (Wald, "On fast construction of SAH-based bounding volume
// hierarchies", 2007).
#include "layer/tree.h"
#include "base/math.h"

#include <string.h>

enum {
    BINS = 16,
    SPLIT_DEPTH = 40, // deeper, ranges are simply halved, which ends after 32 levels at most
    STACK = LIMBERI_TREE_DEPTH + 8,
};

_Static_assert(SPLIT_DEPTH + 32 <= LIMBERI_TREE_DEPTH, "every tree fits the stacks");

static const limberi_box empty_box = {{HUGE_VALF, HUGE_VALF, HUGE_VALF}, {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF}};

static void box_grow(limberi_box* box, const float* low, const float* high) {
    for (int c = 0; c < 3; c++) {
        box->low[c] = low[c] < box->low[c] ? low[c] : box->low[c];
        box->high[c] = high[c] > box->high[c] ? high[c] : box->high[c];
    }
}

static float box_area(const limberi_box* box) {
    float x = box->high[0] - box->low[0];
    float y = box->high[1] - box->low[1];
    float z = box->high[2] - box->low[2];
    return x >= 0 ? x * y + y * z + z * x : 0; // half of it; 0 for an empty box
}

static float middle(const limberi_box* box, int axis) {
    return 0.5f * (box->low[axis] + box->high[axis]);
}

typedef struct task {
    uint32_t node, first, count, depth;
} task;

typedef struct builder {
    const limberi_box* boxes;
    limberi_box_tree* tree;
} builder;

typedef struct bin {
    limberi_box box;
    uint32_t count;
} bin;

// How to tell the two sides of a split apart: items whose bin along `axis` is less than `border` go left.
typedef struct split {
    int axis;
    float low, scale; // bin = (middle - low) * scale
    uint32_t border;
    float cost;
} split;

static uint32_t bin_of(const split* s, const limberi_box* box) {
    float at = (middle(box, s->axis) - s->low) * s->scale;
    return at < (float)(BINS - 1) ? (uint32_t)at : BINS - 1;
}

// The cheapest border between the bins along one axis; the cost is the sum of area times items.
static void find_border(const bin* bins, split* s) {
    float right[BINS];
    limberi_box box = empty_box;
    uint32_t count = 0;
    for (uint32_t i = BINS - 1; i > 0; i--) {
        box_grow(&box, bins[i].box.low, bins[i].box.high);
        count += bins[i].count;
        right[i] = box_area(&box) * (float)count;
    }
    box = empty_box;
    count = 0;
    s->cost = HUGE_VALF;
    for (uint32_t i = 1; i < BINS; i++) {
        box_grow(&box, bins[i - 1].box.low, bins[i - 1].box.high);
        count += bins[i - 1].count;
        float cost = box_area(&box) * (float)count + right[i];
        if (cost < s->cost) {
            s->cost = cost;
            s->border = i;
        }
    }
}

static split split_along(const builder* b, const task* t, int axis, const limberi_box* middles) {
    split s = {axis, middles->low[axis], 0, 0, HUGE_VALF};
    float extent = middles->high[axis] - middles->low[axis];
    if (!(extent > 1e-12f))
        return s;
    s.scale = (float)BINS / extent;
    bin bins[BINS];
    for (int i = 0; i < BINS; i++) {
        bins[i].box = empty_box;
        bins[i].count = 0;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        const limberi_box* box = &b->boxes[b->tree->items[t->first + i]];
        bin* into = &bins[bin_of(&s, box)];
        box_grow(&into->box, box->low, box->high);
        into->count++;
    }
    find_border(bins, &s);
    return s;
}

static split best_split(const builder* b, const task* t) {
    limberi_box middles = empty_box;
    for (uint32_t i = 0; i < t->count; i++) {
        const limberi_box* box = &b->boxes[b->tree->items[t->first + i]];
        const float at[3] = {middle(box, 0), middle(box, 1), middle(box, 2)};
        box_grow(&middles, at, at);
    }
    int longest = 0;
    for (int axis = 1; axis < 3; axis++)
        if (middles.high[axis] - middles.low[axis] > middles.high[longest] - middles.low[longest])
            longest = axis;
    return split_along(b, t, longest, &middles);
}

// Moves the items of the left side to the front and returns how many there are.
static uint32_t partition(const builder* b, const task* t, const split* s) {
    uint32_t* items = b->tree->items + t->first;
    uint32_t left = 0;
    uint32_t right = t->count;
    while (left < right) {
        if (bin_of(s, &b->boxes[items[left]]) < s->border) {
            left++;
            continue;
        }
        uint32_t item = items[left];
        items[left] = items[--right];
        items[right] = item;
    }
    return left;
}

static void fit_box(const builder* b, const task* t, limberi_box_node* node) {
    limberi_box box = empty_box;
    for (uint32_t i = 0; i < t->count; i++) {
        const limberi_box* item = &b->boxes[b->tree->items[t->first + i]];
        box_grow(&box, item->low, item->high);
    }
    memcpy(node->low, box.low, sizeof node->low);
    memcpy(node->high, box.high, sizeof node->high);
}

limber_result limberi_box_tree_build(limberi_arena* arena, const limberi_box* boxes, uint32_t count,
                                     limberi_box_tree* tree) {
    tree->nodes = LIMBERI_ALLOCATE(arena, limberi_box_node, 2 * (size_t)count);
    tree->items = LIMBERI_ALLOCATE(arena, uint32_t, count);
    tree->max = NULL;
    tree->item_count = count;
    tree->node_count = 0;
    if (!tree->nodes || !tree->items)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        tree->items[i] = i;
    builder b = {boxes, tree};
    task stack[STACK] = {{0, 0, count, 0}};
    uint32_t depth = count > 0;
    tree->node_count = depth;
    while (depth) {
        task t = stack[--depth];
        limberi_box_node* node = &tree->nodes[t.node];
        fit_box(&b, &t, node);
        node->first = t.first;
        node->count = t.count;
        if (t.count <= LIMBERI_LEAF_ITEMS)
            continue;
        split s = best_split(&b, &t);
        uint32_t left = t.depth < SPLIT_DEPTH && s.cost < HUGE_VALF ? partition(&b, &t, &s) : 0;
        left = left && left < t.count ? left : t.count / 2;
        node->first = tree->node_count;
        node->count = 0;
        tree->node_count += 2;
        const task halves[2] = {{node->first, t.first, left, t.depth + 1},
                                {node->first + 1, t.first + left, t.count - left, t.depth + 1}};
        memcpy(stack + depth, halves, sizeof halves);
        depth += 2;
    }
    return LIMBER_OK;
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
