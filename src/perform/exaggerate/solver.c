// The skeletal graph Laplacian (stretchable cartoon editing, sections 2 and 3). With L = I - D^-1 A over the undirected
// bones and u = p^ - p, the energy
//     sum_c w_c |q_c - p^_c|^2 + sum_i |(L p^)_i - (L p)_i|^2
// is least where (L^T L + W) u = W (q - p): the displacement depends on the pulls q - p alone, linearly, and not on the
// pose. So each constraint has one column that says how all joints answer to it, and a target that moves adds a
// multiple of it.
//
// "As kinematic as possible" (section 5 leaves it open): bones that change their length cost energy as well,
//     k / (1 - 0.98 k) sum_bones |(p^_i - p^_j) - length * direction of (p^_i - p^_j)|^2,
// so that joints turn before bones get longer. The directions are those of the solution before, a few times over; the
// matrix stays the same.
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "perform/exaggerate/graph.h"

#include <string.h>

static const double max_envelope = 2097152;  // entries: a dense problem of 2000 joints, two seconds to factor
static const double max_responses = 4194304; // entries: 32 MB
static const double max_products = 67108864;

// The matrix below its diagonal, row by row, each from its first entry that is not 0 (its envelope stays so in the
// factor). Rows stand in the reverse order of the joints: children are eliminated before their parents, which leaves
// few new entries in a tree.
typedef struct envelope {
    uint32_t count;
    uint32_t* first; // [row]: column of its first entry
    size_t* start;   // [row]: where column 0 would be; entry (i, j) is values[start[i] + j]
    double* values;
} envelope;

enum { ROUNDS = 24 };
static const double stiffest = 0.98; // as above: 1 would be infinitely stiff

struct limber_bone_solver {
    limberi_arena arena;
    uint32_t joint_count, constraint_count;
    const uint32_t* joints;
    double* responses; // [constraint][joint]
    double* rest;      // [joint * 3]: the pose
    double* pulls;     // [constraint * 3]
    double* moved;     // [joint * 3]
    limber_vec3* positions;
    // With bones that keep their length:
    double kinematic; // the factor of their energy
    int32_t* parents; // [joint] in the graph
    double* weights;  // [joint]
    bool* held;       // [joint]
    envelope matrix;
    double* sides; // [3][row]
};

typedef struct problem {
    const limber_bone_graph* graph;
    limber_pin pin;
    double kinematic;
    uint32_t* children;
    bool* held;
    double* weight; // [joint]
    // The row of L for a joint: itself, its parent, its children.
    uint32_t* child_start; // [joint + 1]
    uint32_t* child;
    envelope matrix;
} problem;

// The joints of one row of L, the joint itself first.
static uint32_t row_of(const problem* p, uint32_t joint, uint32_t* out) {
    uint32_t count = 0;
    int32_t parent = limberi_graph_parent(p->graph, joint);
    out[count++] = joint;
    if (parent >= 0)
        out[count++] = (uint32_t)parent;
    for (uint32_t i = p->child_start[joint]; i < p->child_start[joint + 1]; i++)
        out[count++] = p->child[i];
    return count;
}

static void list_children(problem* p) {
    uint32_t count = p->graph->joint_count;
    for (uint32_t j = 0; j < count; j++)
        p->child_start[j + 1] = p->child_start[j] + p->children[j];
    for (uint32_t j = count; j-- > 0;) { // backwards: the starts end up where they began
        int32_t parent = limberi_graph_parent(p->graph, j);
        if (parent >= 0)
            p->child[--p->child_start[parent + 1]] = j;
    }
    for (uint32_t j = 0; j < count; j++)
        p->child_start[j + 1] = p->child_start[j] + p->children[j];
}

// --- what is held ---

// Joints are counted to the top of their part of the graph, so that a part that nothing holds is held there.
static void hold_loose_parts(problem* p, int32_t* top, bool* anchored) {
    for (uint32_t j = 0; j < p->graph->joint_count; j++) {
        int32_t parent = limberi_graph_parent(p->graph, j);
        top[j] = parent < 0 ? (int32_t)j : top[parent];
        if (p->held[j] || p->weight[j] > 0)
            anchored[top[j]] = true;
    }
    for (uint32_t j = 0; j < p->graph->joint_count; j++)
        if (!anchored[top[j]] && top[j] == (int32_t)j)
            p->held[j] = true;
}

static limber_result find_held(problem* p, limberi_arena* scratch) {
    uint32_t count = p->graph->joint_count;
    int32_t* top = LIMBERI_ALLOCATE(scratch, int32_t, count);
    bool* anchored = LIMBERI_ALLOCATE(scratch, bool, count);
    if (!top || !anchored)
        return LIMBER_ERROR_MEMORY;
    if (p->pin != LIMBER_PIN_NONE)
        limberi_graph_pins(p->graph, p->children, p->held);
    for (uint32_t j = 0; j < count; j++)
        if (!limberi_graph_has(p->graph, j))
            p->held[j] = true;
    hold_loose_parts(p, top, anchored);
    return LIMBER_OK;
}

// --- the matrix ---

static limber_result shape_matrix(problem* p, limberi_arena* keep, uint32_t* row, limber_error* error) {
    uint32_t count = p->graph->joint_count;
    envelope* m = &p->matrix;
    m->count = count;
    for (uint32_t i = 0; i < count; i++)
        m->first[i] = i;
    for (uint32_t j = 0; j < count; j++) {
        uint32_t n = row_of(p, j, row);
        uint32_t min = UINT32_MAX;
        for (uint32_t a = 0; a < n; a++)
            min = count - 1 - row[a] < min ? count - 1 - row[a] : min;
        for (uint32_t a = 0; a < n; a++) {
            uint32_t i = count - 1 - row[a];
            m->first[i] = min < m->first[i] ? min : m->first[i];
        }
    }
    double total = 0;
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        total += i - m->first[i] + 1;
        if (total > max_envelope)
            return limberi_fail(error, LIMBER_ERROR_LIMIT, "the skeleton has too many joints to exaggerate");
        m->start[i] = at - m->first[i]; // not below 0: every row above has an entry
        at += i - m->first[i] + 1;
    }
    m->values = LIMBERI_ALLOCATE(keep, double, at);
    return m->values ? LIMBER_OK : limberi_fail_memory(error);
}

static void add_bone(problem* p, uint32_t joint) {
    envelope* m = &p->matrix;
    int32_t parent = limberi_graph_parent(p->graph, joint);
    if (parent < 0)
        return;
    size_t row = m->count - 1 - joint;
    size_t above = m->count - 1 - (uint32_t)parent;
    if (!p->held[joint])
        m->values[m->start[row] + row] += p->kinematic;
    if (!p->held[parent])
        m->values[m->start[above] + above] += p->kinematic;
    if (!p->held[joint] && !p->held[parent])
        m->values[m->start[above] + row] -= p->kinematic;
}

// L^T L row by row; the rows and columns of held joints stay empty but for a 1 on the diagonal. What keeps a joint in
// the middle of its neighbors is left out where it stays anyway: it would only pass a pull from one limb to the others.
static void fill_matrix(problem* p, uint32_t* row) {
    envelope* m = &p->matrix;
    uint32_t last = m->count - 1;
    for (uint32_t j = 0; j < m->count; j++) {
        uint32_t n = row_of(p, j, row);
        uint32_t d = p->children[j] + (limberi_graph_parent(p->graph, j) >= 0);
        bool keeps = d && !(p->held[j] && p->pin != LIMBER_PIN_PAPER);
        for (uint32_t a = 0; a < n && keeps; a++)
            for (uint32_t b = 0; b < n; b++) {
                if (row[b] < row[a] || p->held[row[a]] || p->held[row[b]])
                    continue;
                double x = (a ? -1.0 / d : 1) * (b ? -1.0 / d : 1);
                m->values[m->start[last - row[a]] + (last - row[b])] += x;
            }
    }
    for (uint32_t j = 0; j < m->count; j++)
        m->values[m->start[last - j] + (last - j)] += p->held[j] ? 1 : p->weight[j];
    for (uint32_t j = 0; j < m->count && p->kinematic > 0; j++)
        add_bone(p, j);
}

// Cholesky: M = G G^T, G in M's place.
static void factor(envelope* m) {
    for (uint32_t i = 0; i < m->count; i++) {
        double* row = m->values + m->start[i];
        for (uint32_t j = m->first[i]; j <= i; j++) {
            const double* other = m->values + m->start[j];
            double sum = row[j];
            for (uint32_t k = m->first[i] > m->first[j] ? m->first[i] : m->first[j]; k < j; k++)
                sum -= row[k] * other[k];
            // Everything is held somewhere, so the matrix is positive; a guard for what rounding makes of that.
            row[j] = j < i ? sum / other[j] : sqrt(fmax(sum, 1e-14));
        }
    }
}

static void substitute(const envelope* m, double* x) {
    for (uint32_t i = 0; i < m->count; i++) {
        const double* row = m->values + m->start[i];
        for (uint32_t k = m->first[i]; k < i; k++)
            x[i] -= row[k] * x[k];
        x[i] /= row[i];
    }
    for (uint32_t i = m->count; i-- > 0;) {
        const double* row = m->values + m->start[i];
        x[i] /= row[i];
        for (uint32_t k = m->first[i]; k < i; k++)
            x[k] -= row[k] * x[i];
    }
}

// --- creation ---

static limber_result check(const limber_bone_graph* graph, uint32_t constraint_count, const uint32_t* joints,
                           const float* weights, limber_error* error) {
    double products = 0;
    for (uint32_t j = 0; j < graph->joint_count; j++)
        if (graph->parents[j] >= (int32_t)j)
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "joint %u must come after its parent", j);
    for (uint32_t c = 0; c < constraint_count; c++) {
        if (joints[c] >= graph->joint_count)
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "constraint %u names joint %u, which does not exist", c,
                                joints[c]);
        if (!(weights[c] >= 0 && weights[c] <= 1e9f))
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the weight of constraint %u is not in 0 ... 1e9", c);
    }
    products = (double)constraint_count * graph->joint_count;
    if (products > max_responses)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "%u constraints on %u joints are too many", constraint_count,
                            graph->joint_count);
    return LIMBER_OK;
}

static limber_result prepare(problem* p, limberi_arena* scratch, limberi_arena* keep, limber_error* error) {
    uint32_t count = p->graph->joint_count;
    double products = 0;
    list_children(p);
    for (uint32_t j = 0; j < count; j++)
        products += ((double)p->children[j] + 2) * ((double)p->children[j] + 2);
    if (products > max_products)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "the skeleton has too many joints to exaggerate");
    uint32_t* row = LIMBERI_ALLOCATE(scratch, uint32_t, (size_t)count + 1);
    if (!row || find_held(p, scratch))
        return limberi_fail_memory(error);
    limber_result result = shape_matrix(p, keep, row, error);
    if (result || !p->matrix.values)
        return result;
    fill_matrix(p, row);
    factor(&p->matrix);
    return LIMBER_OK;
}

static void respond(limber_bone_solver* s, const problem* p, double* x) {
    uint32_t last = s->joint_count - 1;
    for (uint32_t c = 0; c < s->constraint_count; c++) {
        uint32_t joint = s->joints[c];
        if (p->held[joint] || !(p->weight[joint] > 0))
            continue;
        memset(x, 0, s->joint_count * sizeof *x);
        x[last - joint] = p->weight[joint];
        substitute(&p->matrix, x);
        for (uint32_t j = 0; j < s->joint_count; j++)
            s->responses[(size_t)c * s->joint_count + j] = x[last - j];
    }
}

static limber_result keep_problem(limber_bone_solver* s, const problem* p, limber_error* error) {
    s->matrix = p->matrix;
    s->held = p->held;
    s->weights = p->weight;
    s->sides = LIMBERI_ALLOCATE(&s->arena, double, 3 * (size_t)s->joint_count);
    s->parents = LIMBERI_ALLOCATE(&s->arena, int32_t, s->joint_count);
    for (uint32_t j = 0; s->parents && j < s->joint_count; j++)
        s->parents[j] = limberi_graph_parent(p->graph, j);
    return s->arena.failed ? limberi_fail_memory(error) : LIMBER_OK;
}

static limber_result build(limber_bone_solver* s, const limber_bone_graph* graph, const float* weights, limber_pin pin,
                           limber_error* error) {
    uint32_t count = graph->joint_count;
    limberi_arena scratch = {NULL, false};
    problem p = {0};
    p.graph = graph;
    p.pin = pin;
    p.kinematic = s->kinematic;
    limberi_arena* keep = s->kinematic > 0 ? &s->arena : &scratch;
    p.children = LIMBERI_ALLOCATE(&scratch, uint32_t, count);
    p.held = LIMBERI_ALLOCATE(keep, bool, count);
    p.weight = LIMBERI_ALLOCATE(keep, double, count);
    p.child_start = LIMBERI_ALLOCATE(&scratch, uint32_t, (size_t)count + 1);
    p.child = LIMBERI_ALLOCATE(&scratch, uint32_t, count);
    p.matrix.first = LIMBERI_ALLOCATE(keep, uint32_t, count);
    p.matrix.start = LIMBERI_ALLOCATE(keep, size_t, count);
    double* x = LIMBERI_ALLOCATE(&scratch, double, count);
    limber_result result = LIMBER_OK;
    if (scratch.failed || s->arena.failed) {
        result = limberi_fail_memory(error);
    } else {
        limberi_graph_children(graph, p.children);
        for (uint32_t c = 0; c < s->constraint_count; c++)
            p.weight[s->joints[c]] = (double)weights[c];
        result = prepare(&p, &scratch, keep, error);
    }
    if (!result && count)
        respond(s, &p, x);
    if (!result && s->kinematic > 0)
        result = keep_problem(s, &p, error);
    limberi_arena_free(&scratch);
    return result;
}

limber_result limber_bone_solver_create(const limber_bone_graph* graph, uint32_t constraint_count,
                                        const uint32_t* joints, const float* weights, limber_pin pin_root,
                                        limber_bone_solver** solver, limber_error* error) {
    return limberi_bone_solver_create(graph, constraint_count, joints, weights, pin_root, 0, solver, error);
}

limber_result limberi_bone_solver_create(const limber_bone_graph* graph, uint32_t constraint_count,
                                         const uint32_t* joints, const float* weights, limber_pin pin_root,
                                         double kinematic, limber_bone_solver** solver, limber_error* error) {
    *solver = NULL;
    limber_result result = check(graph, constraint_count, joints, weights, error);
    if (result)
        return result;
    limber_bone_solver* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return limberi_fail_memory(error);
    size_t joint_count = graph->joint_count;
    made->joint_count = graph->joint_count;
    made->constraint_count = constraint_count;
    kinematic = fmin(fmax(kinematic, 0), 1);
    made->kinematic = kinematic / (1 - stiffest * kinematic);
    made->joints = LIMBERI_COPY(&made->arena, uint32_t, joints, constraint_count);
    made->responses = LIMBERI_ALLOCATE(&made->arena, double, constraint_count* joint_count);
    made->rest = LIMBERI_ALLOCATE(&made->arena, double, 3 * joint_count);
    made->moved = LIMBERI_ALLOCATE(&made->arena, double, 3 * joint_count);
    made->pulls = LIMBERI_ALLOCATE(&made->arena, double, 3 * (size_t)constraint_count);
    made->positions = LIMBERI_ALLOCATE(&made->arena, limber_vec3, joint_count);
    if (made->arena.failed)
        result = limberi_fail_memory(error);
    else
        result = build(made, graph, weights, pin_root, error);
    if (result) {
        limber_bone_solver_destroy(made);
        return result;
    }
    *solver = made;
    return LIMBER_OK;
}

void limber_bone_solver_destroy(limber_bone_solver* solver) {
    if (!solver)
        return;
    limberi_arena_free(&solver->arena);
    limberi_release(solver);
}

// --- poses and targets ---

void limber_bone_solver_pose(limber_bone_solver* s, const limber_vec3* positions) {
    for (uint32_t j = 0; j < s->joint_count; j++) {
        const double p[3] = {(double)positions[j].x, (double)positions[j].y, (double)positions[j].z};
        memcpy(s->rest + 3 * (size_t)j, p, sizeof p);
        s->positions[j] = positions[j];
    }
    memset(s->moved, 0, 3 * (size_t)s->joint_count * sizeof *s->moved);
    memset(s->pulls, 0, 3 * (size_t)s->constraint_count * sizeof *s->pulls);
}

// Sums in double precision, so that a long drag does not drift.
void limber_bone_solver_move(limber_bone_solver* s, uint32_t constraint, limber_vec3 target) {
    if (constraint >= s->constraint_count)
        return;
    const double* home = s->rest + 3 * (size_t)s->joints[constraint];
    double* pull = s->pulls + 3 * (size_t)constraint;
    const double now[3] = {(double)target.x - home[0], (double)target.y - home[1], (double)target.z - home[2]};
    const double change[3] = {now[0] - pull[0], now[1] - pull[1], now[2] - pull[2]};
    memcpy(pull, now, sizeof now);
    const double* response = s->responses + (size_t)constraint * s->joint_count;
    for (uint32_t j = 0; j < s->joint_count; j++) {
        double* u = s->moved + 3 * (size_t)j;
        double* p = s->rest + 3 * (size_t)j;
        for (int i = 0; i < 3; i++)
            u[i] += response[j] * change[i];
        s->positions[j] = limberi_vec3((float)(p[0] + u[0]), (float)(p[1] + u[1]), (float)(p[2] + u[2]));
    }
}

const limber_vec3* limber_bone_solver_positions(const limber_bone_solver* solver) {
    return solver->positions;
}

// --- bones that keep their length ---

// What the pull asks for, and what each bone does to be as long as it was.
static void ask(limber_bone_solver* s, const limber_vec3* positions, const limber_vec3* pulls,
                const limber_vec3* moved) {
    uint32_t count = s->joint_count;
    uint32_t last = count - 1;
    memset(s->sides, 0, 3 * (size_t)count * sizeof *s->sides);
    for (uint32_t c = 0; c < s->constraint_count; c++) {
        const double pull[3] = {(double)pulls[c].x, (double)pulls[c].y, (double)pulls[c].z};
        for (size_t i = 0; i < 3; i++)
            s->sides[i * count + last - s->joints[c]] = s->weights[s->joints[c]] * pull[i];
    }
    for (uint32_t j = 0; j < count; j++) {
        if (s->parents[j] < 0)
            continue;
        uint32_t parent = (uint32_t)s->parents[j];
        limber_vec3 was = limberi_sub(positions[j], positions[parent]);
        limber_vec3 now = limberi_add(was, limberi_sub(moved[j], moved[parent]));
        float length = limberi_length(now);
        limber_vec3 d =
            length > 0 ? limberi_sub(limberi_scale(now, limberi_length(was) / length), was) : (limber_vec3){0, 0, 0};
        const double wish[3] = {(double)d.x, (double)d.y, (double)d.z};
        for (size_t i = 0; i < 3; i++) {
            s->sides[i * count + last - j] += s->kinematic * wish[i];
            s->sides[i * count + last - parent] -= s->kinematic * wish[i];
        }
    }
    for (uint32_t j = 0; j < count; j++)
        for (size_t i = 0; s->held[j] && i < 3; i++)
            s->sides[i * count + last - j] = 0;
}

static void keep_lengths(limber_bone_solver* s, const limber_vec3* positions, const limber_vec3* pulls,
                         limber_vec3* moved) {
    uint32_t count = s->joint_count;
    uint32_t last = count - 1;
    for (int round = 0; round < ROUNDS; round++) {
        ask(s, positions, pulls, moved);
        for (size_t i = 0; i < 3; i++)
            substitute(&s->matrix, s->sides + i * count);
        for (uint32_t j = 0; j < count; j++)
            moved[j] = limberi_vec3((float)s->sides[last - j], (float)s->sides[count + last - j],
                                    (float)s->sides[2 * (size_t)count + last - j]);
    }
}

void limberi_bone_solver_displace(limber_bone_solver* s, const limber_vec3* positions, const limber_vec3* pulls,
                                  limber_vec3* displacements) {
    bool any = false;
    memset(displacements, 0, s->joint_count * sizeof *displacements);
    for (uint32_t c = 0; c < s->constraint_count; c++) {
        const double* response = s->responses + (size_t)c * s->joint_count;
        limber_vec3 pull = pulls[c];
        if (limberi_is_zero(pull))
            continue;
        any = true;
        for (uint32_t j = 0; j < s->joint_count; j++)
            displacements[j] = limberi_add(displacements[j], limberi_scale(pull, (float)response[j]));
    }
    if (any && s->kinematic > 0)
        keep_lengths(s, positions, pulls, displacements);
}
