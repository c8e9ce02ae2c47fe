// OpenGL ES 3 as a table of functions, found at run time: a machine without EGL still runs every other verb of limber,
// and `render` can say which package is missing instead of the loader refusing to start the program.
#ifndef LIMBERI_GL_H
#define LIMBERI_GL_H

#define GL_GLES_PROTOTYPES 0
#define EGL_EGL_PROTOTYPES 0

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <limber/asset.h>
#include <limber/base.h>

#define LIMBERI_EGL_FUNCTIONS(F)                                                                                       \
    F(PFNEGLBINDAPIPROC, BindAPI)                                                                                      \
    F(PFNEGLCHOOSECONFIGPROC, ChooseConfig)                                                                            \
    F(PFNEGLCREATECONTEXTPROC, CreateContext)                                                                          \
    F(PFNEGLDESTROYCONTEXTPROC, DestroyContext)                                                                        \
    F(PFNEGLGETERRORPROC, GetError)                                                                                    \
    F(PFNEGLINITIALIZEPROC, Initialize)                                                                                \
    F(PFNEGLMAKECURRENTPROC, MakeCurrent)                                                                              \
    F(PFNEGLQUERYSTRINGPROC, QueryString)                                                                              \
    F(PFNEGLGETPROCADDRESSPROC, GetProcAddress)

#define LIMBERI_GL_FUNCTIONS(F)                                                                                        \
    F(PFNGLACTIVETEXTUREPROC, ActiveTexture)                                                                           \
    F(PFNGLATTACHSHADERPROC, AttachShader)                                                                             \
    F(PFNGLBEGINTRANSFORMFEEDBACKPROC, BeginTransformFeedback)                                                         \
    F(PFNGLBINDBUFFERPROC, BindBuffer)                                                                                 \
    F(PFNGLBINDBUFFERBASEPROC, BindBufferBase)                                                                         \
    F(PFNGLBINDFRAMEBUFFERPROC, BindFramebuffer)                                                                       \
    F(PFNGLBINDRENDERBUFFERPROC, BindRenderbuffer)                                                                     \
    F(PFNGLBINDSAMPLERPROC, BindSampler)                                                                               \
    F(PFNGLBINDTEXTUREPROC, BindTexture)                                                                               \
    F(PFNGLBINDVERTEXARRAYPROC, BindVertexArray)                                                                       \
    F(PFNGLBLENDFUNCPROC, BlendFunc)                                                                                   \
    F(PFNGLBLITFRAMEBUFFERPROC, BlitFramebuffer)                                                                       \
    F(PFNGLBUFFERDATAPROC, BufferData)                                                                                 \
    F(PFNGLBUFFERSUBDATAPROC, BufferSubData)                                                                           \
    F(PFNGLCHECKFRAMEBUFFERSTATUSPROC, CheckFramebufferStatus)                                                         \
    F(PFNGLCLEARPROC, Clear)                                                                                           \
    F(PFNGLCLEARBUFFERUIVPROC, ClearBufferuiv)                                                                         \
    F(PFNGLCLEARCOLORPROC, ClearColor)                                                                                 \
    F(PFNGLCOLORMASKPROC, ColorMask)                                                                                   \
    F(PFNGLCOMPILESHADERPROC, CompileShader)                                                                           \
    F(PFNGLCREATEPROGRAMPROC, CreateProgram)                                                                           \
    F(PFNGLCREATESHADERPROC, CreateShader)                                                                             \
    F(PFNGLCULLFACEPROC, CullFace)                                                                                     \
    F(PFNGLDELETEBUFFERSPROC, DeleteBuffers)                                                                           \
    F(PFNGLDELETEFRAMEBUFFERSPROC, DeleteFramebuffers)                                                                 \
    F(PFNGLDELETEPROGRAMPROC, DeleteProgram)                                                                           \
    F(PFNGLDELETERENDERBUFFERSPROC, DeleteRenderbuffers)                                                               \
    F(PFNGLDELETESAMPLERSPROC, DeleteSamplers)                                                                         \
    F(PFNGLDELETESHADERPROC, DeleteShader)                                                                             \
    F(PFNGLDELETETEXTURESPROC, DeleteTextures)                                                                         \
    F(PFNGLDELETEVERTEXARRAYSPROC, DeleteVertexArrays)                                                                 \
    F(PFNGLDEPTHFUNCPROC, DepthFunc)                                                                                   \
    F(PFNGLDEPTHMASKPROC, DepthMask)                                                                                   \
    F(PFNGLDISABLEPROC, Disable)                                                                                       \
    F(PFNGLDISABLEVERTEXATTRIBARRAYPROC, DisableVertexAttribArray)                                                     \
    F(PFNGLDRAWARRAYSPROC, DrawArrays)                                                                                 \
    F(PFNGLDRAWARRAYSINSTANCEDPROC, DrawArraysInstanced)                                                               \
    F(PFNGLDRAWBUFFERSPROC, DrawBuffers)                                                                               \
    F(PFNGLDRAWELEMENTSPROC, DrawElements)                                                                             \
    F(PFNGLDRAWELEMENTSINSTANCEDPROC, DrawElementsInstanced)                                                           \
    F(PFNGLENABLEPROC, Enable)                                                                                         \
    F(PFNGLENABLEVERTEXATTRIBARRAYPROC, EnableVertexAttribArray)                                                       \
    F(PFNGLENDTRANSFORMFEEDBACKPROC, EndTransformFeedback)                                                             \
    F(PFNGLFINISHPROC, Finish)                                                                                         \
    F(PFNGLFRAMEBUFFERRENDERBUFFERPROC, FramebufferRenderbuffer)                                                       \
    F(PFNGLFRAMEBUFFERTEXTURE2DPROC, FramebufferTexture2D)                                                             \
    F(PFNGLFRONTFACEPROC, FrontFace)                                                                                   \
    F(PFNGLGENBUFFERSPROC, GenBuffers)                                                                                 \
    F(PFNGLGENFRAMEBUFFERSPROC, GenFramebuffers)                                                                       \
    F(PFNGLGENRENDERBUFFERSPROC, GenRenderbuffers)                                                                     \
    F(PFNGLGENSAMPLERSPROC, GenSamplers)                                                                               \
    F(PFNGLGENTEXTURESPROC, GenTextures)                                                                               \
    F(PFNGLGENVERTEXARRAYSPROC, GenVertexArrays)                                                                       \
    F(PFNGLGENERATEMIPMAPPROC, GenerateMipmap)                                                                         \
    F(PFNGLGETERRORPROC, GetError)                                                                                     \
    F(PFNGLGETINTEGERVPROC, GetIntegerv)                                                                               \
    F(PFNGLGETINTERNALFORMATIVPROC, GetInternalformativ)                                                               \
    F(PFNGLGETPROGRAMINFOLOGPROC, GetProgramInfoLog)                                                                   \
    F(PFNGLGETPROGRAMIVPROC, GetProgramiv)                                                                             \
    F(PFNGLGETSHADERINFOLOGPROC, GetShaderInfoLog)                                                                     \
    F(PFNGLGETSHADERIVPROC, GetShaderiv)                                                                               \
    F(PFNGLGETSTRINGPROC, GetString)                                                                                   \
    F(PFNGLGETUNIFORMLOCATIONPROC, GetUniformLocation)                                                                 \
    F(PFNGLLINKPROGRAMPROC, LinkProgram)                                                                               \
    F(PFNGLMAPBUFFERRANGEPROC, MapBufferRange)                                                                         \
    F(PFNGLPIXELSTOREIPROC, PixelStorei)                                                                               \
    F(PFNGLREADBUFFERPROC, ReadBuffer)                                                                                 \
    F(PFNGLREADPIXELSPROC, ReadPixels)                                                                                 \
    F(PFNGLRENDERBUFFERSTORAGEMULTISAMPLEPROC, RenderbufferStorageMultisample)                                         \
    F(PFNGLSAMPLERPARAMETERIPROC, SamplerParameteri)                                                                   \
    F(PFNGLSCISSORPROC, Scissor)                                                                                       \
    F(PFNGLSHADERSOURCEPROC, ShaderSource)                                                                             \
    F(PFNGLTEXIMAGE2DPROC, TexImage2D)                                                                                 \
    F(PFNGLTEXPARAMETERIPROC, TexParameteri)                                                                           \
    F(PFNGLTEXSUBIMAGE2DPROC, TexSubImage2D)                                                                           \
    F(PFNGLTRANSFORMFEEDBACKVARYINGSPROC, TransformFeedbackVaryings)                                                   \
    F(PFNGLUNIFORM1FPROC, Uniform1f)                                                                                   \
    F(PFNGLUNIFORM1FVPROC, Uniform1fv)                                                                                 \
    F(PFNGLUNIFORM1IPROC, Uniform1i)                                                                                   \
    F(PFNGLUNIFORM1IVPROC, Uniform1iv)                                                                                 \
    F(PFNGLUNIFORM2FPROC, Uniform2f)                                                                                   \
    F(PFNGLUNIFORM3FVPROC, Uniform3fv)                                                                                 \
    F(PFNGLUNIFORM4FVPROC, Uniform4fv)                                                                                 \
    F(PFNGLUNIFORMMATRIX4FVPROC, UniformMatrix4fv)                                                                     \
    F(PFNGLUNMAPBUFFERPROC, UnmapBuffer)                                                                               \
    F(PFNGLUSEPROGRAMPROC, UseProgram)                                                                                 \
    F(PFNGLVERTEXATTRIB4FVPROC, VertexAttrib4fv)                                                                       \
    F(PFNGLVERTEXATTRIBDIVISORPROC, VertexAttribDivisor)                                                               \
    F(PFNGLVERTEXATTRIBIPOINTERPROC, VertexAttribIPointer)                                                             \
    F(PFNGLVERTEXATTRIBPOINTERPROC, VertexAttribPointer)                                                               \
    F(PFNGLVIEWPORTPROC, Viewport)

#define LIMBERI_GL_MEMBER(type, name) type name;

typedef struct limberi_egl {
    LIMBERI_EGL_FUNCTIONS(LIMBERI_GL_MEMBER)
} limberi_egl;

typedef struct limberi_gl {
    LIMBERI_GL_FUNCTIONS(LIMBERI_GL_MEMBER)
} limberi_gl;

// Opens the EGL library. The library is never closed again: drivers keep threads and exit handlers.
LIMBER_MUST_USE limber_result limberi_egl_load(limberi_egl* egl, limber_error* error);
LIMBER_MUST_USE limber_result limberi_gl_load(const limberi_egl* egl, limberi_gl* gl, limber_error* error);

// Fails with the name of the first pending GL error; `doing` completes "cannot ...".
LIMBER_MUST_USE limber_result limberi_gl_check(const limberi_gl* gl, const char* doing, limber_error* error);

// --- context ---
// An OpenGL ES 3 context without a window system.

typedef struct limberi_context {
    limberi_egl egl;
    limberi_gl gl;
    EGLDisplay display;
    EGLContext context;
} limberi_context;

LIMBER_MUST_USE limber_result limberi_context_create(limberi_context* context, limber_error* error);
void limberi_context_destroy(limberi_context* context);

// Several renderers may live in one thread, so each makes its context current before it talks to GL.
LIMBER_MUST_USE limber_result limberi_context_use(const limberi_context* context, limber_error* error);

// The driver's own words, for example "llvmpipe (LLVM 15.0.6, 128 bits)".
const char* limberi_context_device(const limberi_context* context);
// Whether that is a CPU in truth.
bool limberi_context_is_software(const limberi_context* context);

// --- shader program ---
// Shader programs and their uniforms, addressed by name.

typedef struct limberi_program {
    const limberi_gl* gl;
    GLuint id;
} limberi_program;

// `library` is put before the fragment shader's own text; may be NULL. `name` is for messages.
LIMBER_MUST_USE limber_result limberi_program_create(const limberi_gl* gl, const char* name, const char* vertex,
                                                     const char* library, const char* fragment,
                                                     limberi_program* program, limber_error* error);
void limberi_program_destroy(limberi_program* program);
void limberi_program_use(const limberi_program* program);

// These set uniforms of the program in use. A name the program does not have is ignored, as GL does.
void limberi_set_int(const limberi_program* program, const char* name, int value);
void limberi_set_float2(const limberi_program* program, const char* name, float x, float y);
void limberi_set_float(const limberi_program* program, const char* name, float x);
void limberi_set_floats(const limberi_program* program, const char* name, const float* values, int count);
void limberi_set_vec3(const limberi_program* program, const char* name, limber_vec3 value);
void limberi_set_vec4(const limberi_program* program, const char* name, float x, float y, float z, float w);
void limberi_set_mat4(const limberi_program* program, const char* name, const float m[16]); // column-major

// --- textures ---
// The pictures on a model's surface, on the graphics card.

typedef struct limberi_textures {
    uint32_t count;
    GLuint* ids;       // [image of the model]; 0 where it is unused or unreadable
    char warning[256]; // about the last image that was left out; "": none
} limberi_textures;

// Uploads every image that a material uses. Destroy it in any case.
LIMBER_MUST_USE limber_result limberi_textures_create(const limberi_gl* gl, const limber_model* model,
                                                      limberi_textures* textures, limber_error* error);
void limberi_textures_destroy(const limberi_gl* gl, limberi_textures* textures); // gl NULL: nothing was uploaded

// --- timer ---
// How long the graphics card takes: its own clock where the driver has one (EXT_disjoint_timer_query), else ours.

typedef struct limberi_timer {
    const limberi_context* context;
    GLuint query; // 0: the driver has no clock
    double start_s;
    void (*begin)(GLenum target, GLuint id);
    void (*end)(GLenum target);
    void (*result)(GLuint id, GLenum name, GLuint64* value);
    void (*remove)(GLsizei count, const GLuint* ids);
} limberi_timer;

void limberi_timer_create(const limberi_context* context, limberi_timer* timer);
void limberi_timer_destroy(limberi_timer* timer);

// What is asked of GL between the two calls; waits until all of it is done.
void limberi_timer_start(limberi_timer* timer);
double limberi_timer_stop(limberi_timer* timer); // seconds

#endif
