# limber_demo: what ./dev run starts with while there is no build/limber. It has `sample`, `apply` and `render` only, and
# compiles in a quarter of the time: one copy of each kernel, optimized only where these commands spend theirs.
if(NOT LIMBER_RENDER OR WIN32 OR LIMBER_SANITIZE)
  return()
endif()
set(LIMBER_DEMO_SOURCES ${LIMBER_CORE_SOURCES} ${LIMBER_IO_SOURCES})
foreach(target limber_characters limber_render limber_program)
  get_target_property(sources ${target} SOURCES)
  list(APPEND LIMBER_DEMO_SOURCES ${sources})
endforeach()
# None of the three commands calls these. Where one comes to, the linker says so.
foreach(without
        kernels/avx2 "_avx2[.]c" "^bench/" "io/(bindings/|npy|bvh/save)" src/gpu/
        text/expression_code "layer/(distance|rays|smooth|thickness)" "motion/(live_differences|live_filter|tracker)"
        "smear/(live_smears|smear_pack)" "pipeline/(crowd|ground_track|live|pack|probes|store_ground)"
        "render/gl/(deform_|timer)" "cli/(import/|studio/|explain|ground)"
        "cli/batch/(folder|glob|jobs_file|list|memory|plan|report|run|slurm)"
        "characters/(ball|bird|biped|cow|cylinder|dancer|dragon|flower|giraffe|gymnast|hero|horse|pole|snail|toon)"
        "cli/verbs/(batch|bench|convert|dump|exaggerate|fit|info|paint|studio)")
  list(FILTER LIMBER_DEMO_SOURCES EXCLUDE REGEX ${without})
endforeach()

list(JOIN LIMBER_DEMO_SOURCES "\n" lines)
file(WRITE ${PROJECT_BINARY_DIR}/demo.txt "${lines}\n") # for the test `demo`

# Seconds instead of half a minute.
set(busy base/math base/symmetric bake/rows bake/corrective bake/bones_fit bake/bones_search bake/bones_targets
         characters/kit_remesh characters/kit_shape contact/stage_vertices contact/support film/picture gl/target
         kernels/link normals/average.c perform/skin_sums png/match skin/blend_lanes.c skin/linear)
list(JOIN busy "|" busy)
set(hot ${LIMBER_DEMO_SOURCES})
list(FILTER hot INCLUDE REGEX "${busy}")
list(FILTER LIMBER_DEMO_SOURCES EXCLUDE REGEX "${busy}")

add_library(limber_demo_busy OBJECT EXCLUDE_FROM_ALL ${hot})
add_executable(limber_demo EXCLUDE_FROM_ALL ${LIMBER_DEMO_SOURCES} $<TARGET_OBJECTS:limber_demo_busy>)
set_target_properties(limber_demo PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set_target_properties(limber_demo limber_demo_busy PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
foreach(target limber_demo_busy limber_demo)
  add_dependencies(${target} limber_presets)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}
                                               ${EGL_INCLUDE_DIRS} ${GLES_INCLUDE_DIRS})
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L LIMBER_STATIC LIMBERI_ONE_COPY LIMBER_DEMO LIMBER_WITH_RENDER)
endforeach()
target_compile_options(limber_demo_busy PRIVATE -O2 -ffp-contract=off -fno-math-errno)
target_compile_options(limber_demo PRIVATE -O0 -ffp-contract=off -fno-math-errno)
target_link_libraries(limber_demo PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
