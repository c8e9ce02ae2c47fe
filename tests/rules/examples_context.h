// What examples in headers and documentation may use without declaring it: names that a reader has of their own.
#ifndef LIMBER_TEST_EXAMPLES_CONTEXT_H
#define LIMBER_TEST_EXAMPLES_CONTEXT_H

#include <limber/limber.h>
#include <limber/stages/stages.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern limber_asset* asset;
extern const limber_model* model;
extern limber_gltf* gltf;
extern limber_pipeline* pipeline;

extern limber_style* style;
extern limber_pose pose;
extern limber_kinematics motion;
extern limber_smear_settings settings; // others are declared where they are used
extern limber_transform* local;
extern double time_s, now_s;
extern float *positions, *normals, *skinned_positions, *skinned_normals, *deformed, *smeared;
extern limber_smear_frame frames[];
extern uint32_t f;
extern limber_vec3 *joint_positions, target;
extern const char* shader_text;
extern uint8_t* joints;
extern float* texels;
extern int16_t* columns;

void draw(const float* positions, const float* normals);
void draw_all(const float* texels);
void compile(const char* defines, const char* shader);
void upload(const float* texels, uint32_t texel_count, const int16_t* columns, uint32_t column_bytes);

#endif
