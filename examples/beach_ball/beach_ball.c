// A character from arrays instead of a file: a beach ball with a painted texture that rolls off and stops.
//
//     beach_ball OUT.glb
//
// The texture runs around the axis that the ball rolls about, so that its spin can go into the texture:
//
//     limber render OUT.glb --set smear.spin=texture --set smear.elongate.amount=offset -o out.png
#include <limber/limber.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 48, ROWS = 24, VERTICES = (COLUMNS + 1) * (ROWS + 1), TRIANGLES = 2 * COLUMNS * ROWS };
enum { WIDE = 192, HIGH = 96, FRAMES = 46, RATE = 30, PICTURE_BYTES = 24000 };
static const double pi = 3.14159265358979323846;
static const double radius = 0.4;

// --- the mesh: poles to the left and right, u once around ---

static float positions[3 * VERTICES], normals[3 * VERTICES], uvs[2 * VERTICES];
static uint32_t triangles[3 * TRIANGLES], influence_first[VERTICES + 1];
static uint16_t influence_joint[VERTICES];
static float influence_weight[VERTICES];

static void make_ball(void) {
    for (int row = 0, v = 0; row <= ROWS; row++)
        for (int column = 0; column <= COLUMNS; column++, v++) {
            double from_pole = pi * row / ROWS;
            double around = 2 * pi * column / COLUMNS;
            double n[3] = {cos(from_pole), sin(from_pole) * cos(around), sin(from_pole) * sin(around)};
            for (int i = 0; i < 3; i++) {
                normals[3 * v + i] = (float)n[i];
                positions[3 * v + i] = (float)(radius * n[i] + (i == 1 ? radius : 0));
            }
            uvs[2 * v] = (float)column / COLUMNS;
            uvs[2 * v + 1] = (float)row / ROWS;
            influence_first[v + 1] = (uint32_t)v + 1;
            influence_joint[v] = 1; // the joint that spins
            influence_weight[v] = 1;
        }
    uint32_t* t = triangles;
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t column = 0; column < COLUMNS; column++, t += 6) {
            uint32_t a = row * (COLUMNS + 1) + column;
            uint32_t b = a + COLUMNS + 1;
            const uint32_t two[6] = {a, b, a + 1, a + 1, b, b + 1};
            memcpy(t, two, sizeof two);
        }
}

// --- the texture: a PNG with a palette, its pixels stored without compression ---

static uint8_t picture[PICTURE_BYTES];
static size_t picture_size;

static void put_bytes(const void* bytes, size_t count) {
    if (!count)
        return;
    memcpy(picture + picture_size, bytes, count);
    picture_size += count;
}

static void put_number(uint32_t x) {
    const uint8_t bytes[4] = {(uint8_t)(x >> 24), (uint8_t)(x >> 16), (uint8_t)(x >> 8), (uint8_t)x};
    put_bytes(bytes, 4);
}

static void put_chunk(const char* name, const uint8_t* bytes, size_t count) {
    uint32_t sum = 0xffffffffu;
    put_number((uint32_t)count);
    size_t first = picture_size;
    put_bytes(name, 4);
    put_bytes(bytes, count);
    for (size_t i = first; i < picture_size; i++) {
        sum ^= picture[i];
        for (int k = 0; k < 8; k++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    put_number(~sum);
}

// Six stripes from pole to pole, white caps.
static uint8_t color_at(int x, int y) {
    return y < 9 || y >= HIGH - 9 ? 0 : (uint8_t)(x * 6 / WIDE);
}

static void make_picture(void) {
    static const uint8_t header[13] = {0, 0, 0, WIDE, 0, 0, 0, HIGH, 8, 3}; // eight bits, a palette
    static const uint8_t palette[18] = {255, 255, 255, 238, 66,  102, 255, 210, 63,
                                        59,  206, 172, 14,  173, 105, 84,  13,  110};
    static uint8_t packed[HIGH * (WIDE + 6) + 6] = {0x78, 1};
    size_t size = 2;
    uint32_t a = 1;
    uint32_t b = 0; // Adler-32
    for (int y = 0; y < HIGH; y++) {
        const uint16_t length = WIDE + 1;
        const uint16_t not_length = (uint16_t)~length;
        const uint8_t start[6] = {
            y + 1 == HIGH, (uint8_t)length, (uint8_t)(length >> 8), (uint8_t)not_length, (uint8_t)(not_length >> 8), 0};
        memcpy(packed + size, start, sizeof start);
        size += sizeof start;
        b = (b + a) % 65521;
        for (int x = 0; x < WIDE; x++) {
            packed[size++] = color_at(x, y);
            a = (a + color_at(x, y)) % 65521;
            b = (b + a) % 65521;
        }
    }
    const uint8_t check[4] = {(uint8_t)(b >> 8), (uint8_t)b, (uint8_t)(a >> 8), (uint8_t)a};
    memcpy(packed + size, check, 4);
    put_bytes("\x89PNG\r\n\x1a\n", 8);
    put_chunk("IHDR", header, sizeof header);
    put_chunk("PLTE", palette, sizeof palette);
    put_chunk("IDAT", packed, size + 4);
    put_chunk("IEND", NULL, 0);
}

// --- the clip: slow, fast, slow; the ball turns by its way over its radius ---

static float times[FRAMES], places[3 * FRAMES], turns[4 * FRAMES];

static void make_clip(limber_channel* channels) {
    for (int f = 0; f < FRAMES; f++) {
        double t = (double)f / (FRAMES - 1);
        double s = fmin(fmax((t - 0.25) / 0.45, 0), 1);
        double way = 5 * s * s * s * (10 - 15 * s + 6 * s * s);
        double half = 0.5 * way / radius;
        times[f] = (float)f / RATE;
        places[3 * f + 2] = (float)way;
        turns[4 * f] = (float)sin(half);
        turns[4 * f + 3] = (float)cos(half);
    }
    const limber_channel place = {LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, 0, FRAMES, times, places};
    const limber_channel turn = {LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, 1, FRAMES, times, turns};
    channels[0] = place;
    channels[1] = turn;
}

// --- the character ---

static limber_mesh mesh_of(const limber_part* whole) {
    limber_mesh mesh = {.name = "Ball", .node_name = "Ball"};
    mesh.vertex_count = VERTICES;
    mesh.triangle_count = TRIANGLES;
    mesh.positions = positions;
    mesh.normals = normals;
    mesh.uvs = uvs;
    mesh.triangles = triangles;
    mesh.influence_first = influence_first;
    mesh.influence_joint = influence_joint;
    mesh.influence_weight = influence_weight;
    mesh.part_count = 1;
    mesh.parts = whole;
    return mesh;
}

// limber_asset_create copies all of it.
static limber_result make_asset(limber_asset** asset, limber_error* error) {
    static const char* const names[2] = {"Root", "Ball"};
    static const int32_t parents[2] = {LIMBER_NO_PARENT, 0};
    static const uint32_t joints[2] = {0, 1};
    const limber_transform rest[2] = {{{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}},
                                      {{0, (float)radius, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
    const limber_mat4 bind[2] = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}},
                                 {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, (float)-radius, 0, 1}}};
    const limber_skin skin = {.name = "Ball", .joint_count = 2, .joints = joints, .joint_from_mesh = bind};
    const limber_image image = {"stripes", picture, picture_size, NULL};
    const limber_material vinyl = {.name = "Vinyl", .base_color = {1, 1, 1, 1}, .roughness = 0.5f, .image = 0};
    const limber_part whole = {.vertex_count = VERTICES, .triangle_count = TRIANGLES, .material = 0};
    const limber_mesh mesh = mesh_of(&whole);
    limber_channel channels[2];
    make_clip(channels);
    const limber_clip clip = {.name = "roll", .channel_count = 2, .channels = channels};
    limber_model model = limber_model_default();
    model.rig = (limber_rig){.joint_count = 2, .names = names, .parents = parents, .rest_local = rest};
    model.skin_count = model.mesh_count = model.clip_count = model.material_count = model.image_count = 1;
    model.skins = &skin;
    model.meshes = &mesh;
    model.clips = &clip;
    model.materials = &vinyl;
    model.images = &image;
    return limber_asset_create(&model, asset, error);
}

int main(int argc, char** argv) {
    limber_error error;
    limber_asset* asset = NULL;
    limber_gltf* gltf = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: beach_ball OUT.glb\n");
        return 2;
    }
    make_ball();
    make_picture();
    if (make_asset(&asset, &error) != LIMBER_OK || limber_gltf_from_asset(asset, &gltf, &error) != LIMBER_OK ||
        limber_gltf_save_file(gltf, NULL, argv[1], &error) != LIMBER_OK) {
        fprintf(stderr, "%s %s\n", error.place, error.message);
        return 1;
    }
    limber_gltf_destroy(gltf);
    limber_asset_destroy(asset);
    return 0;
}
