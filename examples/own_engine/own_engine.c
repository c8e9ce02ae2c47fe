// Your own engine: draws a character with your own OpenGL ES 3 renderer and limber's shader. limber packs what the
// shader needs (limber/pack.h); everything that talks to the graphics card is in this file. docs/shader.md explains the
// texture and the attributes.
//
//     cc own_engine.c $(pkg-config --cflags --libs limber egl glesv2) -lm -o own_engine
//     limber sample cow -o cow.glb
//     ./own_engine cow.glb cartoon 0.9 $(pkg-config --variable=shaders limber)/limber_deform.glsl cow.ppm
//
// Draws the first clip at 0.9 s into cow.ppm, then reads the deformed vertices back and compares them with those that
// the CPU makes.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <limber/limber.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 480, NO_GRAPHICS = 3 };

// clang-format off
static const char prelude[] =
    "#version 300 es\n"
    "precision highp float;\n"
    "precision highp int;\n"
    "precision highp sampler2D;\n";

// Fills a limber_vertex from the attributes and calls limber_deform; the rest is what any vertex shader does. The
// defines and limber_deform.glsl stand before this.
static const char vertex_shader[] =
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec3 normal;\n"
    "layout(location = 2) in uvec4 joints_0;\n"
    "layout(location = 3) in vec4 weights_0;\n"
    "layout(location = 4) in uvec4 joints_1;\n"
    "layout(location = 5) in vec4 weights_1;\n"
    "layout(location = 6) in vec4 columns_0;\n"
    "layout(location = 7) in vec4 columns_1;\n"
    "layout(location = 8) in vec4 columns_2;\n"
    "layout(location = 9) in vec4 columns_3;\n"
    "uniform mat4 clip_from_world;\n"
    "out vec3 world_position;\n"
    "out vec3 world_normal;\n"
    "void main() {\n"
    "    limber_vertex vertex;\n"
    "    vertex.position = position;\n"
    "    vertex.normal = normal;\n"
    "    vertex.joints[0] = joints_0;\n"
    "    vertex.weights[0] = weights_0;\n"
    "#if LIMBER_INFLUENCES > 4\n"
    "    vertex.joints[1] = joints_1;\n"
    "    vertex.weights[1] = weights_1;\n"
    "#endif\n"
    "    vertex.columns[0] = columns_0;\n"
    "#if LIMBER_COLUMN_VECTORS > 1\n"
    "    vertex.columns[1] = columns_1;\n"
    "#endif\n"
    "#if LIMBER_COLUMN_VECTORS > 2\n"
    "    vertex.columns[2] = columns_2;\n"
    "#endif\n"
    "#if LIMBER_COLUMN_VECTORS > 3\n"
    "    vertex.columns[3] = columns_3;\n"
    "#endif\n"
    "    limber_deform(vertex, 0, world_position, world_normal);\n"
    "    gl_Position = clip_from_world * vec4(world_position, 1.0);\n"
    "}\n";

static const char fragment_shader[] =
    "in vec3 world_normal;\n"
    "out vec4 color;\n"
    "void main() {\n"
    "    float sun = 0.5 + 0.5 * dot(normalize(world_normal), normalize(vec3(0.5, 0.8, 0.4)));\n"
    "    color = vec4(mix(vec3(0.25, 0.22, 0.35), vec3(1.0, 0.9, 0.75), sun), 1.0);\n"
    "}\n";
// clang-format on

typedef struct engine {
    limber_gltf* gltf;
    limber_style* style;
    limber_pipeline* pipeline;
    limber_pack* pack;
    limber_pack_layout layout;
    const limber_model* model;
    GLuint program, texture;
    GLuint surface, columns; // buffers
    float* texels;
    int16_t* column_values;
} engine;

static bool fail(const char* what, const char* why) {
    fprintf(stderr, "%s: %s\n", what, why);
    return false;
}

// --- what limber does ---

static bool open_character(engine* e, const char* path, const char* preset) {
    limber_error error;
    limber_result result = limber_gltf_load_file(path, NULL, &e->gltf, &error);
    if (result == LIMBER_OK)
        result = limber_style_create(&e->style, &error);
    if (result == LIMBER_OK)
        result = limber_style_read_preset(e->style, preset, &error);
    if (result == LIMBER_OK)
        result = limber_pipeline_create(limber_gltf_asset(e->gltf), e->style, &e->pipeline, &error);
    // Fails, with the reason, where the shader cannot do what the style asks for; then use the CPU.
    if (result == LIMBER_OK)
        result = limber_pack_create(e->pipeline, true, &e->pack, &error);
    if (result != LIMBER_OK)
        return fail(path, error.message);
    e->model = limber_asset_model(limber_gltf_asset(e->gltf));
    e->layout = limber_pack_get_layout(e->pack);
    return true;
}

static void close_character(engine* e) {
    free(e->texels);
    free(e->column_values);
    limber_pack_destroy(e->pack);
    limber_pipeline_destroy(e->pipeline);
    limber_style_destroy(e->style);
    limber_gltf_destroy(e->gltf);
}

// --- a context without a window, and a program ---

static bool open_graphics(void) {
    const EGLint wanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_NONE};
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    PFNEGLGETPLATFORMDISPLAYEXTPROC platform_display =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display =
        platform_display ? platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
    if (display == EGL_NO_DISPLAY)
        display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    EGLConfig config;
    EGLint count = 0;
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API) ||
        !eglChooseConfig(display, wanted, &config, 1, &count) || !count)
        return false;
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    return context != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
}

static char* read_text(const char* path) {
    enum { MAX = 1 << 20 };
    FILE* file = fopen(path, "rb");
    char* text = calloc(1, MAX);
    size_t length = file && text ? fread(text, 1, MAX - 1, file) : 0;
    if (file)
        fclose(file);
    if (length)
        return text;
    free(text);
    return NULL;
}

static void add_shader(GLuint program, GLenum kind, const char* const parts[4]) {
    GLuint shader = glCreateShader(kind);
    GLint done = 0;
    char log[1024] = "";
    glShaderSource(shader, 4, parts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    if (!done)
        fail("a shader does not compile", log);
    glAttachShader(program, shader);
    glDeleteShader(shader); // lives on as long as the program
}

static bool make_program(engine* e, const char* deform_path) {
    static const char* const outputs[1] = {"world_position"};
    char* deform = read_text(deform_path);
    if (!deform)
        return fail(deform_path, "cannot be read");
    const char* const vertex[4] = {prelude, limber_pack_defines(e->pack), deform, vertex_shader};
    const char* const fragment[4] = {prelude, fragment_shader, "", ""};
    GLint done = 0;
    e->program = glCreateProgram();
    add_shader(e->program, GL_VERTEX_SHADER, vertex);
    add_shader(e->program, GL_FRAGMENT_SHADER, fragment);
    glTransformFeedbackVaryings(e->program, 1, outputs, GL_INTERLEAVED_ATTRIBS); // only to read back
    glLinkProgram(e->program);
    glGetProgramiv(e->program, GL_LINK_STATUS, &done);
    free(deform);
    return done ? true : fail("the program", "does not link");
}

// --- what stays the same in every frame ---

static GLuint make_buffer(GLenum kind, size_t bytes, const void* data) {
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(kind, buffer);
    glBufferData(kind, (GLsizeiptr)bytes, data, data ? GL_STATIC_DRAW : GL_DYNAMIC_DRAW);
    return buffer;
}

static void point(GLuint place, GLint count, GLenum type, size_t stride, size_t offset) {
    glEnableVertexAttribArray(place);
    if (type == GL_UNSIGNED_SHORT)
        glVertexAttribIPointer(place, count, type, (GLsizei)stride, (const void*)offset);
    else
        glVertexAttribPointer(place, count, type, type == GL_SHORT, (GLsizei)stride, (const void*)offset);
}

// `influences` joints, then as many weights; columns in fours.
static void point_attributes(const engine* e, GLuint joints) {
    const limber_pack_layout* layout = &e->layout;
    glBindBuffer(GL_ARRAY_BUFFER, e->surface);
    point(0, 3, GL_FLOAT, 12, 0);
    point(1, 3, GL_FLOAT, 12, 12 * (size_t)e->model->vertex_count);
    glBindBuffer(GL_ARRAY_BUFFER, joints);
    for (GLuint i = 0; i < layout->influences / 4; i++) {
        point(2 + 2 * i, 4, GL_UNSIGNED_SHORT, layout->joint_bytes, 8 * i);
        point(3 + 2 * i, 4, GL_FLOAT, layout->joint_bytes, 2 * layout->influences + 16 * i);
    }
    glBindBuffer(GL_ARRAY_BUFFER, e->columns);
    for (GLuint first = 0; first < layout->column_count; first += 4) {
        GLuint rest = layout->column_count - first;
        point(6 + first / 4, rest < 4 ? (GLint)rest : 4, GL_SHORT, layout->column_bytes, 2 * first);
    }
}

// All meshes in one draw call: their triangles count from the first vertex of the mesh.
static bool make_triangles(const engine* e) {
    uint32_t* triangles = malloc(12 * (size_t)e->model->triangle_count + 1);
    size_t at = 0;
    for (uint32_t m = 0; triangles && m < e->model->mesh_count; m++) {
        const limber_mesh* mesh = &e->model->meshes[m];
        for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
            triangles[at++] = mesh->first_vertex + mesh->triangles[i];
    }
    if (triangles)
        make_buffer(GL_ELEMENT_ARRAY_BUFFER, at * sizeof *triangles, triangles);
    free(triangles);
    return triangles != NULL;
}

static size_t rows_for(uint32_t texels) {
    return (size_t)texels / LIMBER_PACK_WIDTH + 1;
}

// It stays bound.
static GLuint make_texture(GLenum unit, uint32_t texel_count, const float* texels) {
    GLuint texture;
    glActiveTexture(unit);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, LIMBER_PACK_WIDTH, (GLsizei)rows_for(texel_count), 0, GL_RGBA, GL_FLOAT,
                 texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return texture;
}

// Which vertices obey which colliders, for styles that have some: a second texture, which stays as it is.
static bool make_obeyed(const engine* e) {
    if (!e->layout.obeyed_texels)
        return true;
    float* texels = calloc(rows_for(e->layout.obeyed_texels) * LIMBER_PACK_WIDTH, 4 * sizeof *texels);
    if (!texels)
        return false;
    limber_pack_write_obeyed(e->pack, texels);
    make_texture(GL_TEXTURE1, e->layout.obeyed_texels, texels);
    free(texels);
    return true;
}

static bool make_buffers(engine* e) {
    size_t vertices = e->model->vertex_count;
    void* joints = malloc(vertices * e->layout.joint_bytes + 1);
    GLuint vertex_array;
    e->texels =
        calloc(rows_for(e->layout.max_texels) * LIMBER_PACK_WIDTH, 4 * sizeof *e->texels); // whole rows are uploaded
    e->column_values = malloc(vertices * e->layout.column_bytes + 1);
    glGenVertexArrays(1, &vertex_array);
    glBindVertexArray(vertex_array);
    if (!joints || !e->texels || !e->column_values || !make_triangles(e) || !make_obeyed(e)) {
        free(joints);
        return fail("the character", "not enough memory");
    }
    limber_pack_write_joints(e->pack, joints);
    e->surface = make_buffer(GL_ARRAY_BUFFER, 24 * vertices, NULL);
    e->columns = make_buffer(GL_ARRAY_BUFFER, vertices * e->layout.column_bytes, NULL);
    point_attributes(e, make_buffer(GL_ARRAY_BUFFER, vertices * e->layout.joint_bytes, joints));
    e->texture = make_texture(GL_TEXTURE0, e->layout.max_texels, NULL);
    free(joints);
    return true;
}

// --- a frame: the joints are posed on the CPU, the vertices on the graphics card ---

// All positions, then all normals, in mesh space. They change only where there are morph targets: most engines upload
// them once.
static void upload_surface(const engine* e) {
    glBindBuffer(GL_ARRAY_BUFFER, e->surface);
    for (uint32_t m = 0; m < e->model->mesh_count; m++) {
        const limber_mesh* mesh = &e->model->meshes[m];
        GLsizeiptr bytes = 12 * (GLsizeiptr)mesh->vertex_count;
        GLsizeiptr at = 12 * (GLsizeiptr)mesh->first_vertex;
        const float *positions, *normals;
        limber_pack_surface(e->pack, m, &positions, &normals);
        glBufferSubData(GL_ARRAY_BUFFER, at, bytes, positions);
        glBufferSubData(GL_ARRAY_BUFFER, 12 * (GLsizeiptr)e->model->vertex_count + at, bytes, normals);
    }
}

static bool pose(engine* e, double time_s) {
    limber_error error;
    uint32_t count;
    if (limber_pipeline_evaluate_joints(e->pipeline, e->model->clip_count ? 0 : -1, time_s) != LIMBER_OK)
        return fail("the pose", "cannot be evaluated");
    if (limber_pack_evaluate(e->pack, e->texels, &count, e->column_values, &error) != LIMBER_OK)
        return fail("the pose", error.message);
    upload_surface(e);
    glBindBuffer(GL_ARRAY_BUFFER, e->columns); // once is enough unless layout.columns_change
    glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)(e->model->vertex_count * e->layout.column_bytes),
                    e->column_values);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, LIMBER_PACK_WIDTH, (GLsizei)(count / LIMBER_PACK_WIDTH + 1), GL_RGBA,
                    GL_FLOAT, e->texels);
    return true;
}

// From the front left, a little from above; the rest pose fills two thirds of the picture.
static void set_camera(const engine* e) {
    const float yaw = 0.6f;
    const float pitch = 0.2f;
    const float zoom = 1.8f / e->model->size;
    const float narrow = (float)HEIGHT / WIDTH;
    const limber_vec3 low = e->model->rest_min;
    const limber_vec3 high = e->model->rest_max;
    const float middle[3] = {0.5f * (low.x + high.x), 0.5f * (low.y + high.y), 0.5f * (low.z + high.z)};
    const float axes[3][3] = {
        {cosf(yaw) * zoom * narrow, 0, -sinf(yaw) * zoom * narrow},
        {-sinf(pitch) * sinf(yaw) * zoom, cosf(pitch) * zoom, -sinf(pitch) * cosf(yaw) * zoom},
        {-cosf(pitch) * sinf(yaw) * 0.3f * zoom, -sinf(pitch) * 0.3f * zoom, -cosf(pitch) * cosf(yaw) * 0.3f * zoom}};
    float matrix[16] = {0};
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            matrix[4 * column + row] = axes[row][column];
            matrix[12 + row] -= axes[row][column] * middle[column];
        }
    matrix[15] = 1;
    glUniformMatrix4fv(glGetUniformLocation(e->program, "clip_from_world"), 1, GL_FALSE, matrix);
}

static void draw(const engine* e) {
    GLuint frame, buffers[2];
    glGenFramebuffers(1, &frame);
    glGenRenderbuffers(2, buffers);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, WIDTH, HEIGHT);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[0]);
    glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, WIDTH, HEIGHT);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffers[1]);
    glViewport(0, 0, WIDTH, HEIGHT);
    glClearColor(0.85f, 0.9f, 0.95f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glUseProgram(e->program);
    glUniform1i(glGetUniformLocation(e->program, "limber_texture"), 0);
    glUniform1i(glGetUniformLocation(e->program, "limber_obeyed"), 1); // not there without colliders
    set_camera(e);
    glDrawElements(GL_TRIANGLES, (GLsizei)(3 * e->model->triangle_count), GL_UNSIGNED_INT, NULL);
}

static bool save_picture(const char* path) {
    static uint8_t pixels[HEIGHT][WIDTH][4];
    FILE* file = fopen(path, "wb");
    if (!file)
        return fail(path, "cannot be written");
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    fprintf(file, "P6 %d %d 255\n", WIDTH, HEIGHT);
    for (int y = HEIGHT - 1; y >= 0; y--)
        for (int x = 0; x < WIDTH; x++)
            fwrite(pixels[y][x], 1, 3, file);
    bool written = !ferror(file);
    return fclose(file) == 0 && written ? true : fail(path, "cannot be written");
}

// --- is it right? ---

// Runs the same program over the vertices again, into a buffer, and compares that with the CPU's vertices.
static bool compare(engine* e) {
    size_t bytes = 12 * (size_t)e->model->vertex_count;
    GLuint deformed = make_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, bytes, NULL);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, deformed);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, (GLsizei)e->model->vertex_count);
    glEndTransformFeedback();
    const float* gpu = glMapBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, (GLsizeiptr)bytes, GL_MAP_READ_BIT);
    limber_frame frame;
    limber_pipeline_evaluate_vertices(e->pipeline, &frame);
    double largest = gpu ? 0 : HUGE_VAL;
    double moved = 0;
    for (size_t i = 0; gpu && i < 3 * (size_t)e->model->vertex_count; i++) {
        largest = fmax(largest, fabs((double)gpu[i] - (double)frame.positions[i]));
        moved = fmax(moved, fabs((double)frame.positions[i] - (double)frame.skinned[i]));
    }
    printf("%u vertices; the effects move them by up to %.3f of the character's size; GPU and CPU differ by at most "
           "%.1e of it\n",
           e->model->vertex_count, moved / (double)e->model->size, largest / (double)e->model->size);
    return largest < 1e-4 * (double)e->model->size && glGetError() == GL_NO_ERROR;
}

int main(int argc, char** argv) {
    engine e;
    memset(&e, 0, sizeof e);
    if (argc != 6) {
        fprintf(stderr, "usage: own_engine IN.glb PRESET SECONDS limber_deform.glsl OUT.ppm\n");
        return 2;
    }
    if (!open_graphics()) {
        fail("OpenGL ES 3", "not found; it needs the packages libegl1, libgles2 and libgl1-mesa-dri");
        return NO_GRAPHICS;
    }
    bool done = open_character(&e, argv[1], argv[2]) && make_program(&e, argv[4]) && make_buffers(&e) &&
                pose(&e, strtod(argv[3], NULL));
    if (done) {
        draw(&e);
        done = save_picture(argv[5]) && compare(&e);
    }
    close_character(&e);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
