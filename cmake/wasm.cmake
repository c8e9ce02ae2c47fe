# The engine for browsers: everything under src/, the packing for the shader and the exports of web/wasm, as one module
# without imports. `ninja wasm` leaves it at web/limber.wasm in the build folder; ./dev web makes the npm package of it.
# Debian packages: clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32.
find_program(LIMBER_WASM_CLANG clang-14)
if(NOT LIMBER_WASM_CLANG OR NOT EXISTS /usr/lib/wasm32-wasi/libc.a)
  return()
endif()

set(LIMBER_WASM_SOURCES ${LIMBER_CORE_SOURCES})
list(FILTER LIMBER_WASM_SOURCES EXCLUDE REGEX "avx2|plain") # for the host
list(APPEND LIMBER_WASM_SOURCES
    io/bvh/body.c
    io/bvh/body_mesh.c
    io/bvh/euler.c
    io/bvh/expect.c
    io/bvh/hierarchy.c
    io/bvh/load.c
    io/bvh/motion_block.c
    io/bvh/scan.c
    web/wasm/bake.c
    web/wasm/base.c
    web/wasm/builder.c
    web/wasm/character.c
    web/wasm/clip.c
    web/wasm/contacts.c
    web/wasm/crowd.c
    web/wasm/pack.c
    web/wasm/pipeline.c
    web/wasm/rigid.c
    web/wasm/smear.c
    web/wasm/style.c)

# As for the host: no fast-math, no contraction. What is not exported and not used is left out by the linker; so is the
# part of the BVH reader that opens files.
set(LIMBER_WASM_FLAGS --target=wasm32-wasi -std=c11 -msimd128 -fvisibility=hidden -ffp-contract=off -fno-math-errno
    -DNDEBUG -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes)
if(LIMBER_WERROR)
  list(APPEND LIMBER_WASM_FLAGS -Werror)
endif()

# What runs for every vertex, joint or key is made fast, the rest small.
set(LIMBER_WASM_FAST "src/(deform|motion|skin|smear)/|expression_kernels|base/(math|noise)|asset/(channel|moments|pose)")
string(APPEND LIMBER_WASM_FAST "|pipeline/vertices|bake/reduce|src/pack/")
set(LIMBER_WASM_SMALL "cone|subdivide|split_mesh|edge_numbers|reference") # these only now and then

set(LIMBER_WASM_OBJECTS "")
foreach(source IN LISTS LIMBER_WASM_SOURCES)
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
  cmake_path(GET source FILENAME file)
  cmake_path(GET source PARENT_PATH folder)
  cmake_path(GET folder FILENAME folder)
  set(optimize -Oz)
  if(source MATCHES "${LIMBER_WASM_FAST}" AND NOT source MATCHES "${LIMBER_WASM_SMALL}")
    set(optimize -O3)
  endif()
  set(object ${PROJECT_BINARY_DIR}/web/objects/${folder}_${file}.o)
  list(APPEND LIMBER_WASM_OBJECTS ${object})
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/web/objects
    COMMAND ${LIMBER_WASM_CLANG} ${LIMBER_WASM_FLAGS} ${optimize} -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src
            -I${PROJECT_SOURCE_DIR} -MD -MF ${object}.d -c ${path} -o ${object}
    DEPENDS ${path} limber_presets
    DEPFILE ${object}.d
    COMMENT "Compiling ${source} for browsers"
    VERBATIM)
endforeach()

# The stack comes first: one that overflows ends the module instead of writing over its data.
set(LIMBER_WASM ${PROJECT_BINARY_DIR}/web/limber.wasm)
add_custom_command(
  OUTPUT ${LIMBER_WASM}
  COMMAND ${LIMBER_WASM_CLANG} --target=wasm32-wasi -nostartfiles -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=1048576 -Wl,--stack-first
          ${LIMBER_WASM_OBJECTS} -o ${LIMBER_WASM}
  DEPENDS ${LIMBER_WASM_OBJECTS}
  COMMENT "Linking limber.wasm"
  VERBATIM)
add_custom_target(wasm DEPENDS ${LIMBER_WASM})
