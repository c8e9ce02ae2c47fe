// Prints tables of the measurements in bench/.
#include "cli/verbs/bench.h"
#include "bench/bench.h"
#include "characters/characters.h"
#include "cli/cli.h"
#include "cli/pool.h"
#include "io/system.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct bench_options {
    bool json, quick;
    uint32_t threads;
    const char *scene, *picture;
} bench_options;

static const cli_option options[] = {
    {"--json", NULL, CLI_FLAG, offsetof(bench_options, json), "machine-readable JSON rows"},
    {"--quick", NULL, CLI_FLAG, offsetof(bench_options, quick), "rough figures in a few seconds"},
    {"--threads", "N", CLI_COUNT, offsetof(bench_options, threads),
     "also measure 2, 4, ... N threads (default: all cores)"},
    {"--scene", "TEXT", CLI_TEXT, offsetof(bench_options, scene), "gpu: only scenes whose names contain TEXT"},
    {"--picture", "FILE.png", CLI_TEXT, offsetof(bench_options, picture), "gpu: draw 4000 cows, measure nothing"},
};

static const cli_command command = {
    .usage = "limber bench [crowd|gpu] [options]",
    .summary = "Measure what effects cost on this machine, compared with plain skinning.",
    .details =
        "Rows:\n"
        "  skin, dualquat     plain skinning\n"
        "  velocity           floppy and squash\n"
        "  velocity-chain     the same, composed as a chain\n"
        "  jacobian, averaged velocity with either kind of normals\n"
        "  affine             effects that fold into matrices (linear parts, stretch)\n"
        "  all                all six effects with limits, twist, layers and lift\n"
        "  still              the same on a character that does not move\n"
        "  overlap            overlap and squash as `cartoon` has them: a chain\n"
        "  overlap-sum        the same, composed as a sum\n"
        "  overlap-jacobian   the chain with Jacobian normals\n"
        "  smear              motion offsets alone\n"
        "\n"
        "`bench crowd` measures the joints of 4000 cows, posed in one call by 1, 2, 4 ... threads.\n"
        "`bench gpu` measures the shader on the graphics card instead: large meshes and a crowd, drawn directly, by\n"
        "a compute shader (and drawn from what it left) and by transform feedback.",
    .examples = "  limber bench\n"
                "  limber bench --quick --threads 1\n"
                "  limber bench --json > bench.json\n"
                "  limber bench crowd\n"
                "  limber bench gpu\n"
                "  limber bench gpu --picture meadow.png",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

enum { MAX_COUNTS = 8, CHARACTERS = 3 };

static const char* const character_names[CHARACTERS] = {"cow", "giraffe", "dancer"};

typedef struct bench {
    bool json, quick;
    uint32_t count;               // thread counts that are measured, the first is 1
    uint32_t threads[MAX_COUNTS]; // 1, 2, 4, ... and the most
    cli_pool* pools[MAX_COUNTS];
    limber_parallel parallels[MAX_COUNTS];
    double asset_bytes; // of the current character
    bool any_row;
} bench;

static int open_pools(bench* b, uint32_t max) {
    for (uint32_t threads = 1; threads < max; threads *= 2)
        b->threads[b->count++] = threads;
    b->threads[b->count++] = max;
    for (uint32_t i = 1; i < b->count; i++) {
        b->pools[i] = cli_pool_create(b->threads[i]);
        if (!b->pools[i] || cli_pool_threads(b->pools[i]) != b->threads[i])
            return cli_fail(NULL, "cannot start %u threads; use a smaller --threads", b->threads[i]);
        b->parallels[i] = cli_pool_parallel(b->pools[i]);
    }
    return CLI_DONE;
}

static double ratio(double a, double b) {
    return b > 0 ? a / b : 0;
}

static double spread_percent(const bench_case* c) {
    return 100 * ratio(c->median_ns - c->best_ns, c->best_ns);
}

// --- characters ---

// Motion offsets are for one thread.
static uint32_t sets_with(uint32_t threads) {
    return threads == 1 ? BENCH_SET_COUNT : BENCH_SMEAR;
}

static uint32_t make_cases(const bench* b, bench_case* cases) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t set = 0; set < sets_with(b->threads[i]); set++) {
            cases[count].set = (bench_set)set;
            cases[count++].parallel = b->pools[i] ? &b->parallels[i] : NULL;
        }
    return count;
}

// The row of a set with the thread count of that index.
static const bench_case* case_at(const bench_case* cases, uint32_t set, uint32_t index) {
    return &cases[index ? BENCH_SET_COUNT + (index - 1) * BENCH_SMEAR + set : set];
}

static void print_known(int width, int digits, double value) {
    if (value > 0)
        printf("  %*.*f", width, digits, value);
    else
        printf("  %*s", width, "-");
}

static void print_set(const bench* b, const limber_asset* moving, const bench_case* cases, uint32_t set) {
    const bench_case* row = case_at(cases, set, 0);
    const bench_case* skin = case_at(cases, BENCH_SKIN, 0);
    uint32_t vertices = limber_asset_model(moving)->vertex_count;
    double bytes = bench_bytes_per_vertex(moving, (bench_set)set);
    printf("  %-16s %9.2f  %7.2f  %5.0f%%", bench_set_name((bench_set)set), row->best_ns,
           ratio(row->best_ns, skin->best_ns), spread_percent(row));
    print_known(6, 1, ratio(bytes, row->best_ns));
    print_known(5, 0, set == BENCH_SMEAR ? 0 : ratio(b->asset_bytes + row->bytes, vertices));
    for (uint32_t i = 1; i < b->count && set < sets_with(b->threads[i]); i++)
        printf("  %8.2f x", ratio(row->best_ns, case_at(cases, set, i)->best_ns));
    printf("\n");
}

// The rows that scripts get: the sets that the format of --json names.
static void print_json_rows(bench* b, const char* name, const limber_asset* moving, const bench_case* cases) {
    static const bench_set sets[] = {BENCH_SKIN, BENCH_VELOCITY, BENCH_AFFINE, BENCH_ALL, BENCH_SMEAR};
    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t s = 0; s < sizeof sets / sizeof *sets; s++) {
            if ((uint32_t)sets[s] >= sets_with(b->threads[i]))
                continue;
            const bench_case* row = case_at(cases, sets[s], i);
            const bench_case* skin = case_at(cases, BENCH_SKIN, i);
            printf("%s\n  {\"character\": \"%s\", \"effects\": \"%s\", \"threads\": %u, \"ns_per_vertex\": %.3f, "
                   "\"ratio_to_skinning\": %.4f, \"spread_percent\": %.1f, \"pairs_per_vertex\": %.3f}",
                   b->any_row ? "," : "[", name, bench_set_name(sets[s]), b->threads[i], row->best_ns,
                   ratio(row->best_ns, skin->best_ns), spread_percent(row), bench_pairs_per_vertex(moving));
            b->any_row = true;
        }
}

static double times(const bench_case* cases, bench_set set, bench_set other) {
    return ratio(case_at(cases, set, 0)->best_ns, case_at(cases, other, 0)->best_ns);
}

static void print_ratios(const bench_case* cases) {
    printf(
        "  times velocity: jacobian %.2f, averaged %.2f, overlap %.2f\n"
        "  a chain, times the sum: velocity %.2f, overlap %.2f; overlap with Jacobian normals, times without: %.2f\n",
        times(cases, BENCH_JACOBIAN, BENCH_VELOCITY), times(cases, BENCH_AVERAGED, BENCH_VELOCITY),
        times(cases, BENCH_OVERLAP, BENCH_VELOCITY), times(cases, BENCH_VELOCITY_CHAIN, BENCH_VELOCITY),
        times(cases, BENCH_OVERLAP, BENCH_OVERLAP_SUM), times(cases, BENCH_OVERLAP_JACOBIAN, BENCH_OVERLAP));
}

static int measure_character(bench* b, const char* name, const limber_asset* moving) {
    bench_case cases[MAX_COUNTS * BENCH_SET_COUNT];
    const limber_model* model = limber_asset_model(moving);
    limber_error error;
    uint32_t count = make_cases(b, cases);
    uint32_t rounds;
    if (bench_measure(moving, cases, count, b->quick ? 0.05 : 4, &rounds, &error) != LIMBER_OK)
        return cli_fail_error(name, &error);
    if (b->json) {
        print_json_rows(b, name, moving, cases);
        return CLI_DONE;
    }
    printf("\n%s: %u vertices, %u joints, %.2f pairs per vertex; best of %u rounds\n", name, model->vertex_count,
           model->rig.joint_count, bench_pairs_per_vertex(moving), rounds);
    printf("  %-16s %9s  %7s  %6s  %6s  %5s", "effects", "ns/vertex", "x skin", "spread", "GB/s", "bytes");
    for (uint32_t i = 1; i < b->count; i++)
        printf("  %2u threads", b->threads[i]);
    printf("\n");
    for (uint32_t set = 0; set < BENCH_SET_COUNT; set++)
        print_set(b, moving, cases, set);
    print_ratios(cases);
    return CLI_DONE;
}

// Where every joint turns and travels, and in the first of the character's own clips.
static int measure_motion(const char* name, const limber_asset* moving, const limber_asset* asset) {
    const limber_asset* measured[2] = {moving, asset};
    bench_motion cases[2][2];
    limber_error error;
    for (int i = 0; i < 2; i++) {
        const bench_motion blank[2] = {{.filter = LIMBER_FILTER_NONE}, {.filter = LIMBER_FILTER_SPRING}};
        memcpy(cases[i], blank, sizeof blank);
        if (bench_measure_motion(measured[i], cases[i], 2, 1, &error) != LIMBER_OK)
            return cli_fail_error(name, &error);
    }
    printf("\n%s: motion of %u joints, microseconds per frame\n  %-10s %10s %10s\n", name,
           limber_asset_model(asset)->rig.joint_count, "", "all move", "own clip");
    for (int f = 0; f < 2; f++)
        printf("  %-10s %10.2f %10.2f\n", f ? "spring" : "plain", cases[0][f].best_us, cases[1][f].best_us);
    return CLI_DONE;
}

static int bench_character(bench* b, const char* name) {
    limber_asset* asset;
    limber_asset* moving = NULL;
    limber_error error;
    limber_result result = limberi_character_create(name, 1, &asset, &error);
    if (result)
        return cli_fail_error(name, &error);
    b->asset_bytes = bench_memory();
    result = bench_moving(asset, &moving, &error);
    b->asset_bytes = bench_memory() - b->asset_bytes;
    int status = result ? cli_fail_error(name, &error) : measure_character(b, name, moving);
    if (!status && !b->json && !b->quick && limber_asset_model(asset)->rig.joint_count >= 64)
        status = measure_motion(name, moving, asset);
    fflush(stdout);
    limber_asset_destroy(moving);
    limber_asset_destroy(asset);
    return status;
}

// --- growth ---

// One line about a generated character.
static int bench_generated(uint32_t joints, uint32_t vertices, bool bush, double budget_s) {
    bench_case cases[] = {{.set = BENCH_SKIN}, {.set = BENCH_AFFINE}, {.set = BENCH_VELOCITY}, {.set = BENCH_ALL}};
    limber_asset* asset;
    limber_error error;
    uint32_t rounds;
    if (bench_rig(joints, vertices, bush, &asset, &error) != LIMBER_OK)
        return cli_fail_error(NULL, &error);
    double pairs = bench_pairs_per_vertex(asset);
    limber_result result = bench_measure(asset, cases, 4, budget_s, &rounds, &error);
    limber_asset_destroy(asset);
    if (result)
        return cli_fail_error(NULL, &error);
    double skin = cases[0].best_ns;
    double affine = cases[1].best_ns;
    double velocity = cases[2].best_ns;
    double all = cases[3].best_ns;
    printf("  %8u  %6u  %6.1f  %7.2f  %7.2f  %6.2f  %9.2f  %8.2f  %13.2f  %8.2f\n", vertices, joints, pairs, skin,
           affine, ratio(affine, skin), velocity, all, ratio(velocity - skin, pairs), ratio(all - skin, pairs));
    fflush(stdout);
    return CLI_DONE;
}

static void print_growth_head(const char* what) {
    printf("\n%s\n  %8s  %6s  %6s  %7s  %7s  %6s  %9s  %8s  %13s  %8s\n", what, "vertices", "joints", "pairs", "skin",
           "affine", "x skin", "velocity", "all", "velocity/pair", "all/pair");
}

static int bench_growth(void) {
    print_growth_head("growth with vertices, a bush of 64 joints, ns/vertex; /pair: what effects add, per pair");
    for (uint32_t vertices = 1000; vertices <= 1000000; vertices *= 10) {
        int status = bench_generated(64, vertices, true, 1.5);
        if (status)
            return status;
    }
    for (int bush = 0; bush < 2; bush++) {
        print_growth_head(bush ? "growth with joints, a bush (four children each)" : "growth with joints, a chain");
        for (uint32_t joints = 8; joints <= 512; joints *= 4) {
            int status = bench_generated(joints, 16384, bush == 1, 0.6);
            if (status)
                return status;
        }
    }
    return CLI_DONE;
}

// --- the verb ---

static int run_all(bench* b) {
    if (!b->json)
        printf("limber %s: nanoseconds per vertex; every joint moves; positions only; without the work on joints\n"
               "Compare ratios: times depend on the machine. spread: how far the median is above the best;\n"
               "bytes: memory of character and pipeline per vertex; threads: speed-up over one thread\n",
               limber_version());
    int status = CLI_DONE;
    for (int i = 0; !status && i < CHARACTERS; i++)
        status = bench_character(b, character_names[i]);
    if (b->json && b->any_row)
        printf("\n]\n");
    return status || b->json || b->quick ? status : bench_growth();
}

static int run_gpu(const bench* b, const char* what, const char* scene, const char* picture) {
    if (strcmp(what, "gpu") != 0)
        return cli_usage("unknown benchmark '%s'; use `limber bench`, `limber bench crowd` or `limber bench gpu`",
                         what);
#ifdef LIMBER_WITH_RENDER
    return limber_cli_bench_gpu(b->json, b->quick, scene, picture);
#else
    (void)b;
    (void)scene;
    (void)picture;
    return cli_fail(NULL, "this limber was built without the renderer; build it with LIMBER_RENDER=ON");
#endif
}

static int run_crowd(bool quick, uint32_t threads) {
    int status = limber_cli_bench_crowd(quick, threads);
#ifdef LIMBER_WITH_RENDER
    if (!status)
        status = limber_cli_bench_crowd_gpu(quick, threads);
#endif
    return status;
}

int limber_cli_bench(int argc, char** argv) {
    uint32_t cores = limberi_system_core_count();
    bench_options o = {.threads = cores > CLI_POOL_MAX ? CLI_POOL_MAX : cores};
    const char* what;
    bool over;
    int status = cli_parse(&command, argc, argv, &o, &what, &over);
    if (status || over)
        return status;
    bench b = {.json = o.json, .quick = o.quick};
    bool crowd = what && strcmp(what, "crowd") == 0;
    if ((o.picture || o.scene) && (!what || crowd))
        return cli_usage("--scene and --picture need `limber bench gpu`");
    if (o.json && crowd)
        return cli_usage("`limber bench crowd` has no --json");
    if (what && !crowd)
        return run_gpu(&b, what, o.scene, o.picture);
    if (o.threads < 1 || o.threads > CLI_POOL_MAX)
        return cli_usage("--threads must be between 1 and %u", CLI_POOL_MAX);
    if (crowd)
        return run_crowd(o.quick, (uint32_t)o.threads);
    status = open_pools(&b, o.threads);
    if (!status)
        status = run_all(&b);
    for (uint32_t i = 0; i < b.count; i++)
        cli_pool_destroy(b.pools[i]);
    return status;
}
