# liblimber: the stages under src/ and the readers and writers under io/, static and shared.
set(LIMBER_PUBLIC_HEADERS
    include/limber/asset.h
    include/limber/bake.h
    include/limber/base.h
    include/limber/gltf.h
    include/limber/limber.h
    include/limber/motion.h
    include/limber/pipeline.h
    include/limber/pose.h
    include/limber/skin.h)

foreach(kind static shared)
  string(TOUPPER ${kind} KIND)
  add_library(limber_${kind} ${KIND} ${LIMBER_CORE_SOURCES} ${LIMBER_IO_SOURCES})
  add_library(limber::limber_${kind} ALIAS limber_${kind})
  set_target_properties(limber_${kind} PROPERTIES OUTPUT_NAME limber EXPORT_NAME limber_${kind}
                        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_include_directories(limber_${kind}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(limber_${kind} PRIVATE $<BUILD_INTERFACE:limber_flags> $<BUILD_INTERFACE:PkgConfig::JANSSON>
                        PUBLIC m)
endforeach()
