# liblimber: the stages under src/ and the readers and writers under io/, static and shared.
# Compiled once, for both libraries and the fuzzers. Those are told by the code which of its branches an input takes.
# Only Windows tells apart, when it compiles, what a DLL exports.
# The innermost loops, which see checked counts only, keep no guards of their stacks: +4 % instructions of skinning.
if(LIMBER_HARDENING AND LIMBER_HAS_fstack_protector_strong)
  set(LIMBER_LOOPS ${LIMBER_CORE_SOURCES})
  list(FILTER LIMBER_LOOPS INCLUDE REGEX "src/(skin|deform/kernels|deform/normals)/")
  set_property(SOURCE ${LIMBER_LOOPS} APPEND PROPERTY COMPILE_OPTIONS -fno-stack-protector)
endif()

# Fuzzers learn words from what readers compare with; the stages compare numbers, and telling took half of the time.
if(LIMBER_FUZZ)
  set(LIMBER_STAGE_SOURCES ${LIMBER_CORE_SOURCES})
  list(FILTER LIMBER_STAGE_SOURCES EXCLUDE REGEX "src/(text|style|keys)/")
  set_property(SOURCE ${LIMBER_STAGE_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize-coverage=trace-cmp)
endif()

function(limber_add_objects name)
  add_library(${name} OBJECT ${LIMBER_CORE_SOURCES} ${LIMBER_IO_SOURCES})
  add_dependencies(${name} limber_presets)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
                                             ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE limber_flags)
  target_compile_definitions(${name} PRIVATE ${ARGN})
  if(LIMBER_FUZZ)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  if(LIMBER_SANITIZE) # only readers look into bytes; half of the time to compile
    set_property(SOURCE ${LIMBER_CORE_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=alignment,pointer-overflow)
    # Where the tests spend their time is optimized. The others take five times as long to compile so, and hardly run.
    set(busy src/base/ src/deform/ src/motion/ src/rigid/ src/skin/ src/smear/ text/json text/decimal text/noise
             asset/companions asset/moments asset/groups asset/derive asset/pose asset/channel layer/surface layer/tree
             layer/rays perform/skin_sums perform/room perform/signal perform/acting perform/passes
             perform/resting perform/floor_guard exaggerate/rebuild contact/floor
             contact/stage contact/support contact/point_tracks contact/grid collide/push collide/apply bake/rows
             bake/bones_fit bake/corrective bake/reduce bake/smears gpu/texels gpu/lift retarget/retarget retarget/touch
             style/table keys/address cache/usd_bind gltf/read_accessor gltf/write_tree bvh/scan)
    list(JOIN busy "|" busy)
    set(idle ${LIMBER_CORE_SOURCES} ${LIMBER_IO_SOURCES})
    list(FILTER idle EXCLUDE REGEX "${busy}")
    set_property(SOURCE ${idle} APPEND PROPERTY COMPILE_OPTIONS -O0)
  endif()
endfunction()

limber_add_objects(limber_objects LIMBER_STATIC)
set(LIMBER_SHARED_OBJECTS limber_objects)
if(WIN32)
  limber_add_objects(limber_objects_shared LIMBER_BUILDING_SHARED)
  set(LIMBER_SHARED_OBJECTS limber_objects_shared)
endif()
set(LIMBER_STATIC_OBJECTS limber_objects)

foreach(kind static shared)
  string(TOUPPER ${kind} KIND)
  add_library(limber_${kind} ${KIND} $<TARGET_OBJECTS:${LIMBER_${KIND}_OBJECTS}>)
  add_library(limber::limber_${kind} ALIAS limber_${kind})
  set_target_properties(limber_${kind} PROPERTIES OUTPUT_NAME limber EXPORT_NAME limber_${kind} LINKER_LANGUAGE C
                        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_include_directories(limber_${kind}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(limber_${kind} PRIVATE $<BUILD_INTERFACE:limber_flags>)
  if(NOT WIN32)
    target_link_libraries(limber_${kind} PUBLIC m)
  endif()
endforeach()
target_compile_definitions(limber_static INTERFACE LIMBER_STATIC)
if(LIMBER_LINKS_NO_UNDEFINED AND NOT LIMBER_SANITIZE) # whose functions come with the program
  target_link_options(limber_shared PRIVATE LINKER:--no-undefined)
endif()
if(MSVC) # where the library to link with a DLL is a .lib, too
  set_target_properties(limber_static PROPERTIES OUTPUT_NAME limber_static)
endif()

include(CMakePackageConfigHelpers)
# Relative, so that an installed tree can be moved.
file(RELATIVE_PATH LIMBER_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/limber.pc.in ${PROJECT_BINARY_DIR}/limber.pc @ONLY)
configure_package_config_file(cmake/limberConfig.cmake.in ${PROJECT_BINARY_DIR}/limberConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/limber PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/limberConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(TARGETS limber_static limber_shared EXPORT limberTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT limberTargets NAMESPACE limber:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
install(FILES render/shaders/limber_deform.glsl render/shaders/deform_compute.comp render/shaders/deform_normals.comp
        DESTINATION ${CMAKE_INSTALL_DATADIR}/limber/shaders)
# Translations, where ./dev shaders has made them.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/shaders/ DESTINATION ${CMAKE_INSTALL_DATADIR}/limber/shaders OPTIONAL)
install(DIRECTORY include/limber DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES schema/limber-style.schema.json schema/limber-batch.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/limber)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/presets/ DESTINATION ${CMAKE_INSTALL_DATADIR}/limber/presets)
install(FILES ${PROJECT_BINARY_DIR}/limber.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_BINARY_DIR}/limberConfig.cmake ${PROJECT_BINARY_DIR}/limberConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
