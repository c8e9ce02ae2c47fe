// Which stages this build has. The library has all of them. The browser's light module, compiled with LIMBERI_LIGHT, has
// effects on live poses, which a GPU applies to the vertices. Code behind a 0 is not compiled, and the linker leaves out
// what nobody calls then: a stage is absent once each way to it asks here.
#ifndef LIMBERI_BUILD_H
#define LIMBERI_BUILD_H

#ifdef LIMBERI_LIGHT
enum { LIMBERI_WHOLE = 0 };
#else
enum { LIMBERI_WHOLE = 1 };
#endif

// Browsers load the module first: where a kernel has a faster kind for something that is seldom asked for, theirs has not.
#ifdef __wasm__
enum { LIMBERI_IS_SMALL = 1 };
#else
enum { LIMBERI_IS_SMALL = 0 };
#endif

// A browser's module without shared memory has one thread, whatever a program lends.
#if defined(__wasm__) && !defined(__wasm_atomics__)
enum { LIMBERI_HAS_THREADS = 0 };
#else
enum { LIMBERI_HAS_THREADS = 1 };
#endif

enum {
    LIMBERI_HAS_CLIPS = LIMBERI_WHOLE,     // clips, and edits of them
    LIMBERI_HAS_ACTING = LIMBERI_WHOLE,    // of live poses
    LIMBERI_HAS_VERTICES = LIMBERI_WHOLE,  // skinned and deformed by the processor
    LIMBERI_HAS_CONTACTS = LIMBERI_WHOLE,  // and impacts
    LIMBERI_HAS_RIGID = LIMBERI_WHOLE,     // parts that keep their shape
    LIMBERI_HAS_COLLIDERS = LIMBERI_WHOLE, // bodies that skin stays outside of
    LIMBERI_HAS_SMEARS = LIMBERI_WHOLE,    // elongation, in-between copies, lines
    LIMBERI_HAS_MORPHS = LIMBERI_WHOLE,    // effects of morph targets that move
    LIMBERI_HAS_FORMULAS = LIMBERI_WHOLE,  // in place of numbers
    LIMBERI_HAS_TEXTS = LIMBERI_WHOLE,     // about style keys, for people
    LIMBERI_HAS_TOOLS = LIMBERI_WHOLE,     // what `info` and `fit` ask of effects
    LIMBERI_HAS_FITTED = LIMBERI_WHOLE,    // cones and skirts that are found in the mesh
};

#endif
