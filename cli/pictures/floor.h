// Where the floor of a clip lies: the height on which the plain character rests again and again. A sword's tip, a tail or
// a single spike that swings below for a moment does not lower it.
#ifndef LIMBER_CLI_FLOOR_H
#define LIMBER_CLI_FLOOR_H

#include <limber/asset.h>

typedef struct floor_survey {
    float* area;        // of each vertex at rest; 0 for scenery, unless there is nothing else
    double whole_area;  // of all of them
    float size;         // of the character
    float *level, *low; // per frame: where a small share of the surface lies below; the lowest vertex close to it
    uint32_t vertex_count, frame_count, frame_limit;
} floor_survey;

// `frame_limit`: how many frames will be looked at. False: no memory. Close it in any case.
bool floor_survey_open(floor_survey* survey, const limber_model* model, uint32_t frame_limit);
void floor_survey_close(floor_survey* survey);

// One frame of the plain motion: positions of all vertices.
void floor_survey_look(floor_survey* survey, const float* positions);

// NAN before the first look.
float floor_survey_height(const floor_survey* survey);

#endif
