// The program as a user meets it: what it answers on the command line.
#ifndef LIMBER_TEST_PROGRAM_H
#define LIMBER_TEST_PROGRAM_H

typedef struct answer {
    int status;
    char text[8192]; // of limber, stdout and stderr together
} answer;

answer test_shell(const char* command);

// Runs `PREFIX limber VERB ARGUMENTS`. The prefix may set variables for the program.
answer test_limber(const char* prefix, const char* verb, const char* arguments);

void test_succeeds(const char* verb, const char* arguments, const char* words);

// The answer is `lines` of text, the first of them the error.
void test_fails(const char* prefix, const char* verb, const char* arguments, int status, const char* words, int lines);

#endif
