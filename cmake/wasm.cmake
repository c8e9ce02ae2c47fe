# The engine for browsers: everything under src/, the packing for the shader and the exports of web/wasm, as one module
# without imports, and a light one with effects only. `ninja wasm` leaves them in web/ of the build folder; ./dev web
# makes the npm package of them.
# Debian packages: clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32.
find_program(LIMBER_WASM_CLANG clang-14)
if(NOT LIMBER_WASM_CLANG OR NOT EXISTS /usr/lib/wasm32-wasi/libc.a)
  return()
endif()

# What the light module exports, and what the whole one adds to it.
set(LIMBER_LIGHT_EXPORTS
    web/wasm/angles.c
    web/wasm/base.c
    web/wasm/builder.c
    web/wasm/character.c
    web/wasm/live.c
    web/wasm/pack.c
    web/wasm/pipeline.c
    web/wasm/style.c)
set(LIMBER_WASM_EXPORTS
    io/bvh/body.c
    io/bvh/body_mesh.c
    io/bvh/euler.c
    io/bvh/expect.c
    io/bvh/hierarchy.c
    io/bvh/load.c
    io/bvh/motion_block.c
    io/bvh/scan.c
    web/wasm/bake.c
    web/wasm/clip.c
    web/wasm/contacts.c
    web/wasm/crowd.c
    web/wasm/frame.c
    web/wasm/keys.c
    web/wasm/paint.c
    web/wasm/rigid.c
    web/wasm/smear.c
    web/wasm/source.c
    web/wasm/textures.c)
set(LIMBER_LIGHT_SOURCES ${LIMBER_CORE_SOURCES} ${LIMBER_LIGHT_EXPORTS})
list(FILTER LIMBER_LIGHT_SOURCES EXCLUDE REGEX "avx2|plain") # for the host
set(LIMBER_WASM_SOURCES ${LIMBER_LIGHT_SOURCES} ${LIMBER_WASM_EXPORTS})

# As for the host: no fast-math, no contraction. Browsers that know SIMD know the other three features as well. What is
# not exported and not used is left out by the linker; so is the part of the BVH reader that opens files.
set(LIMBER_WASM_FLAGS --target=wasm32-wasi -std=c11 -msimd128 -mbulk-memory -mnontrapping-fptoint -msign-ext
    -fvisibility=hidden -ffp-contract=off -fno-math-errno -DNDEBUG -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wstrict-prototypes)
if(LIMBER_WERROR)
  list(APPEND LIMBER_WASM_FLAGS -Werror)
endif()

# What runs for every vertex or key is made fast, the rest small.
set(LIMBER_WASM_FAST "deform/(kernels/(affine|block|follow|link|spin|travel|turn)|normals/average|run|run_chain|run_group)[.]c")
string(APPEND LIMBER_WASM_FAST "|skin/(blend_group|blend_lanes|linear)[.]c|motion/(kinematics|to_world)[.]c")
string(APPEND LIMBER_WASM_FAST "|asset/channel[.]c|base/math[.]c|gpu/texels[.]c|pipeline/vertices[.]c")

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/web/objects ${PROJECT_BINARY_DIR}/web/light)

# One object of a module: its path goes into `objects`.
function(limber_wasm_object objects folder source)
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
  cmake_path(GET source FILENAME file)
  cmake_path(GET source PARENT_PATH parent)
  cmake_path(GET parent FILENAME parent)
  set(object ${PROJECT_BINARY_DIR}/web/${folder}/${parent}_${file}.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${LIMBER_WASM_CLANG} ${LIMBER_WASM_FLAGS} ${ARGN}
            -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src
            -I${PROJECT_SOURCE_DIR} -MD -MF ${object}.d -c ${path} -o ${object}
    DEPENDS ${path} limber_presets
    DEPFILE ${object}.d
    COMMENT "Compiling ${source} for browsers"
    VERBATIM)
  set(${objects} ${${objects}} ${object} PARENT_SCOPE)
endfunction()

# The stack comes first: one that overflows ends the module instead of writing over its data. Addresses take as few bytes
# as they need instead of five, which is 6 kB of the module as it is sent.
function(limber_wasm_link wasm)
  add_custom_command(
    OUTPUT ${wasm}
    COMMAND ${LIMBER_WASM_CLANG} --target=wasm32-wasi -nostartfiles -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=1048576 -Wl,--stack-first
            -Wl,--compress-relocations
            ${ARGN} -o ${wasm}
    DEPENDS ${ARGN}
    COMMENT "Linking ${wasm}"
    VERBATIM)
endfunction()

foreach(source IN LISTS LIMBER_WASM_SOURCES)
  set(optimize -Oz)
  if(source MATCHES "${LIMBER_WASM_FAST}")
    set(optimize -O2) # -O3 is 3 % faster at skinning and takes 9 kB
  endif()
  limber_wasm_object(LIMBER_WASM_OBJECTS objects ${source} ${optimize})
endforeach()
set(LIMBER_WASM ${PROJECT_BINARY_DIR}/web/limber.wasm)
limber_wasm_link(${LIMBER_WASM} ${LIMBER_WASM_OBJECTS})

# The light module: effects only, for pages that play on the GPU. It has the same sources; src/base/build.h says which
# stages it does without, and the linker leaves out what nobody calls then.
# Of the presets, those it plays best.
list(REMOVE_ITEM LIMBER_LIGHT_SOURCES ${PROJECT_BINARY_DIR}/style/presets.c)
set(LIMBER_LIGHT_PRESETS subtle cartoon rubberhose jelly)
list(TRANSFORM LIMBER_LIGHT_PRESETS REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/presets/\\1.json")
list(JOIN LIMBER_LIGHT_PRESETS "," LIMBER_LIGHT_PRESET_LIST)
set(presets ${PROJECT_BINARY_DIR}/style/presets_light.c)
add_custom_command(
  OUTPUT ${presets}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${presets} -DINPUTS=${LIMBER_LIGHT_PRESET_LIST} -DSMALL=ON -P ${PROJECT_SOURCE_DIR}/src/style/embed_presets.cmake
  DEPENDS ${LIMBER_LIGHT_PRESETS} ${PROJECT_SOURCE_DIR}/src/style/embed_presets.cmake
  VERBATIM)
list(APPEND LIMBER_LIGHT_SOURCES ${presets})
# Nothing in it calls these, which saves compiling them.
set(LIMBER_LIGHT_WITHOUT "src/bake/|text/expression_(code|emit|lex|names|parse|tree)|perform/live_|style/(schema|texts)[.]c")
string(APPEND LIMBER_LIGHT_WITHOUT "|pipeline/(bake|roots|crowd|crowd_evaluate|ground_track|probes|store_ground|subdivide|team|texture_spin)[.]c")
string(APPEND LIMBER_LIGHT_WITHOUT "|src/retarget/|asset/(clip|companions)[.]c|base/crc|deform/loose_parts|keys/items|pipeline/frame_pool")
string(APPEND LIMBER_LIGHT_WITHOUT "|(collide|contact|exaggerate|rigid|smear)/style_values[.]c")
string(APPEND LIMBER_LIGHT_WITHOUT "|layer/(distance|pieces|rays|skirt|smooth|thickness)[.]c|effects/hose_(arc|limbs)[.]c")
string(APPEND LIMBER_LIGHT_WITHOUT "|smear/(smear_pack|smear_pack_fixed|spin|spin_surface|split_mesh|subdivider)[.]c|deform/reference[.]c")
list(FILTER LIMBER_LIGHT_SOURCES EXCLUDE REGEX "${LIMBER_LIGHT_WITHOUT}")

set(LIMBER_LIGHT_FLAGS -Oz)
foreach(source IN LISTS LIMBER_LIGHT_SOURCES)
  set(lto -flto -Xclang -disable-llvm-passes) # the linker optimizes what it keeps; twice takes long
  if(source MATCHES "motion/time_filter") # inlined elsewhere, clang 14 makes other numbers of springs
    set(lto "")
  endif()
  limber_wasm_object(LIMBER_LIGHT_OBJECTS light ${source} ${LIMBER_LIGHT_FLAGS} ${lto} -DLIMBERI_LIGHT -DLIMBERI_ONE_COPY)
endforeach()
# Compilers think they know what malloc does.
limber_wasm_object(LIMBER_LIGHT_OBJECTS light web/wasm/light/heap.c ${LIMBER_LIGHT_FLAGS} -fno-builtin)
set(LIMBER_LIGHT ${PROJECT_BINARY_DIR}/web/limber-light.wasm)
limber_wasm_link(${LIMBER_LIGHT} ${LIMBER_LIGHT_OBJECTS})

# The studio's module for .glb files, loaded when it exports one or takes a motion: the engine with the glTF reader and
# writer.
set(LIMBER_GLTF_SOURCES ${LIMBER_IO_SOURCES})
list(FILTER LIMBER_GLTF_SOURCES INCLUDE REGEX "^io/(gltf/|inside|known)")
list(FILTER LIMBER_GLTF_SOURCES EXCLUDE REGEX "gltf/(store|write_file|write_name)") # these open files
list(APPEND LIMBER_GLTF_SOURCES web/wasm/gltf/export.c web/wasm/gltf/files.c web/wasm/gltf/load.c web/wasm/gltf/motion.c)
set(LIMBER_GLTF_OBJECTS ${LIMBER_WASM_OBJECTS})
list(FILTER LIMBER_GLTF_OBJECTS EXCLUDE REGEX "/wasm_[a-z]+[.]c[.]o$")
set(LIMBER_GLTF_SHARED ${LIMBER_WASM_OBJECTS})
list(FILTER LIMBER_GLTF_SHARED INCLUDE REGEX "/wasm_(angles|base|style)[.]c[.]o$")
list(APPEND LIMBER_GLTF_OBJECTS ${LIMBER_GLTF_SHARED})
foreach(source IN LISTS LIMBER_GLTF_SOURCES)
  limber_wasm_object(LIMBER_GLTF_OBJECTS objects ${source} -Oz)
endforeach()
set(LIMBER_GLTF ${PROJECT_BINARY_DIR}/web/limber-gltf.wasm)
limber_wasm_link(${LIMBER_GLTF} ${LIMBER_GLTF_OBJECTS})

add_custom_target(wasm DEPENDS ${LIMBER_WASM} ${LIMBER_LIGHT} ${LIMBER_GLTF})
