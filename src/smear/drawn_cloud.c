// Weighted points as one: their middle, how far they spread, and along which axis most.
#include "base/symmetric.h"
#include "smear/drawn.h"

void limberi_drawn_cloud_add(limberi_drawn_cloud* cloud, double weight, limber_vec3 p) {
    const double x[3] = {(double)p.x, (double)p.y, (double)p.z};
    cloud->weight += weight;
    for (size_t i = 0; i < 9; i++) {
        cloud->first[i / 3] += i % 3 ? 0 : weight * x[i / 3];
        cloud->second[i] += weight * x[i / 3] * x[i % 3];
    }
}

void limberi_drawn_cloud_spread(const limberi_drawn_cloud* cloud, double* mean, double* spread) {
    double weight = cloud->weight > 0 ? cloud->weight : 1;
    for (size_t i = 0; i < 3; i++)
        mean[i] = cloud->first[i] / weight;
    for (size_t i = 0; i < 9; i++)
        spread[i] = cloud->second[i] / weight - mean[i / 3] * mean[i % 3];
}

limberi_drawn_bar limberi_drawn_cloud_bar(const limberi_drawn_cloud* cloud) {
    double mean[3];
    double axes[9];
    double values[3];
    limberi_drawn_cloud_spread(cloud, mean, axes);
    limberi_eigen_small(axes, 3, values);
    limberi_drawn_bar bar;
    bar.mean = limberi_vec3((float)mean[0], (float)mean[1], (float)mean[2]);
    bar.axis = limberi_vec3((float)axes[0], (float)axes[1], (float)axes[2]);
    bar.length = sqrt(fmax(values[0], 0));
    bar.width = sqrt(fmax(values[1], 0));
    bar.depth = sqrt(fmax(values[2], 0));
    return bar;
}
