// A camera that goes along with a character that travels.
#ifndef LIMBER_CLI_FOLLOW_H
#define LIMBER_CLI_FOLLOW_H

#include <limber/asset.h>

typedef struct follow_path {
    limber_vec3* at; // per frame, relative to the first; y is 0. NULL: the camera stays
    uint32_t frame_count;
} follow_path;

// The way of the character through the frames, smoothed so that steps do not shake the camera. A character that stays
// within half of its size is not followed. False: no memory. Close it in any case.
bool follow_open(follow_path* path, const limber_model* model, const limber_clip* clip, double fps,
                 limber_frame_range frames);
void follow_close(follow_path* path);

// Between frames as well; frames count from the first of the range.
limber_vec3 follow_at(const follow_path* path, double frame);

#endif
