# liblimber: the stages under src/ and the readers and writers under io/, static and shared.
# Compiled once, for both libraries and the fuzzers. Those are told by the code which of its branches an input takes.
add_library(limber_objects OBJECT ${LIMBER_CORE_SOURCES} ${LIMBER_IO_SOURCES})
add_dependencies(limber_objects limber_presets)
target_include_directories(limber_objects PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
                                                  ${PROJECT_SOURCE_DIR})
target_link_libraries(limber_objects PRIVATE limber_flags)
target_compile_definitions(limber_objects PRIVATE LIMBER_BUILDING_SHARED) # the same objects serve both libraries
if(LIMBER_FUZZ)
  target_compile_options(limber_objects PRIVATE -fsanitize=fuzzer-no-link)
endif()

foreach(kind static shared)
  string(TOUPPER ${kind} KIND)
  add_library(limber_${kind} ${KIND} $<TARGET_OBJECTS:limber_objects>)
  add_library(limber::limber_${kind} ALIAS limber_${kind})
  set_target_properties(limber_${kind} PROPERTIES OUTPUT_NAME limber EXPORT_NAME limber_${kind} LINKER_LANGUAGE C
                        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_include_directories(limber_${kind}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(limber_${kind} PRIVATE $<BUILD_INTERFACE:limber_flags> PUBLIC m)
endforeach()
target_compile_definitions(limber_static INTERFACE LIMBER_STATIC)

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
install(FILES render/shaders/limber_deform.glsl DESTINATION ${CMAKE_INSTALL_DATADIR}/limber/shaders)
install(DIRECTORY include/limber DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES schema/limber-style.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/limber)
install(FILES ${LIMBER_PRESETS} DESTINATION ${CMAKE_INSTALL_DATADIR}/limber/presets)
install(FILES ${PROJECT_BINARY_DIR}/limber.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_BINARY_DIR}/limberConfig.cmake ${PROJECT_BINARY_DIR}/limberConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
