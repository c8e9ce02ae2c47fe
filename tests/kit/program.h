// The program as a user meets it: what it answers on the command line.
#ifndef LIMBER_TEST_PROGRAM_H
#define LIMBER_TEST_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct answer {
    int status;
    char text[32768]; // of limber, stdout and stderr together
} answer;

const char* test_program(void); // where it is

answer test_shell(const char* command);

// Runs `PREFIX limber VERB ARGUMENTS`. The prefix may set variables for the program.
answer test_limber(const char* prefix, const char* verb, const char* arguments);

void test_succeeds(const char* verb, const char* arguments, const char* words);

// The answer is `lines` of text, the first of them the error.
void test_fails(const char* prefix, const char* verb, const char* arguments, int status, const char* words, int lines);

// --- a folder of the test's own, which becomes the working directory; both return 0 when that went well ---

int test_folder_enter(void);
int test_folder_leave(void); // it must be empty again
const char* test_folder_name(void);

// A built-in character as the program writes it; the first test that asks for it keeps it for the others. 0: done.
int test_sample(const char* name, const char* file);

// A tube of models.h as a .glb.
int test_tube_write(const char* path, uint32_t joint_count, float angle_rad, uint32_t fps, bool back_again);

// A triangle as a Collada file; its texture is "pipe.png" beside it. 0: done.
int test_dae_write(const char* path);

#endif
