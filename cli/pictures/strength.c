// What a style does in one frame, as one number: sheets show the frames where it is largest.
#include "base/math.h"
#include "cli/pictures/pictures.h"

#include <math.h>

// How far vertices are from where the plain motion has them: the root of the mean square, as a share of the size.
static float moved(const limber_model* model, const float* styled, const float* plain) {
    double sum = 0;
    size_t count = 3 * (size_t)model->vertex_count;
    for (size_t i = 0; i < count; i++) {
        double away = (double)styled[i] - (double)plain[i];
        sum += isfinite(away) ? away * away : 0;
    }
    return count && model->size > 0 ? (float)(sqrt(3 * sum / (double)count) / (double)model->size) : 0;
}

// How far the vertices of a copy are from the character, as far as they can be seen: the sum of the squares.
static double spread_of_copy(const limber_smear_mesh* copy, const float* own) {
    double sum = 0;
    for (size_t v = 0; v < copy->vertex_count; v++) {
        double opacity = (double)copy->colors[4 * v + 3];
        for (size_t c = 3 * v; c < 3 * v + 3; c++) {
            double away = opacity * ((double)copy->positions[c] - (double)own[c]);
            sum += isfinite(away) ? away * away : 0;
        }
    }
    return sum;
}

// The surface of lines and ribbons, as far as it can be seen.
static double visible_area(const limber_smear_mesh* mesh) {
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t* corner = mesh->triangles + 3 * t;
        limber_vec3 p[3];
        for (int i = 0; i < 3; i++)
            p[i] = limberi_load3(mesh->positions + 3 * (size_t)corner[i]);
        limber_vec3 cross = limberi_cross(limberi_sub(p[1], p[0]), limberi_sub(p[2], p[0]));
        double area = 0.5 * (double)limberi_length(cross) * (double)mesh->colors[4 * (size_t)corner[0] + 3];
        sum += isfinite(area) ? area : 0;
    }
    return sum;
}

// What smears add to a character: copies by how far they are from it, lines and ribbons a little and by their surface, so
// that a sheet shows the frames with most of them.
static float added(const limber_model* model, const limber_smeared* styled) {
    double size = (double)model->size;
    double spread = 0;
    double area = 0;
    bool lines = false;
    for (uint32_t i = 0; i < styled->mesh_count; i++) {
        const limber_smear_mesh* mesh = &styled->meshes[i];
        bool copy = mesh->kind == LIMBER_SMEAR_KIND_COPY;
        if (!mesh->visible)
            continue;
        if (copy)
            spread +=
                spread_of_copy(mesh, styled->frame.positions + 3 * (size_t)model->meshes[mesh->source].first_vertex);
        else
            area += visible_area(mesh);
        lines = lines || !copy;
    }
    if (!(size > 0) || !model->vertex_count)
        return 0;
    return (float)(sqrt(spread / model->vertex_count) / size + area / (size * size)) + (lines ? 0.002f : 0);
}

float strength_find(const limber_model* model, const limber_smeared* styled, const float* plain) {
    return moved(model, styled->frame.positions, plain) + added(model, styled);
}
