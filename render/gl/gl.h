// OpenGL ES 3 as a table of functions, found at run time: a machine without EGL still runs every other verb of limber,
// and `render` can say which package is missing instead of the loader refusing to start the program.
#ifndef LIMBERI_GL_H
#define LIMBERI_GL_H

#define GL_GLES_PROTOTYPES 0
#define EGL_EGL_PROTOTYPES 0
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>

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

#endif
