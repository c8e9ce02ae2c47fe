# `limber studio`: the server, where libmicrohttpd is there, and the built pages. Those are made by ./dev web; building
# limber needs neither them nor node.
if(LIMBER_STUDIO)
  pkg_check_modules(MICROHTTPD IMPORTED_TARGET libmicrohttpd>=0.9.71)
endif()
if(LIMBER_STUDIO AND MICROHTTPD_FOUND)
  target_sources(limber_program PRIVATE cli/studio/address.c cli/studio/browser.c cli/studio/files.c cli/studio/http.c
                 cli/studio/offer.c cli/studio/server.c)
  # Both from the folder of the program, so that an installed tree can be moved.
  file(RELATIVE_PATH LIMBER_STUDIO_INSTALLED /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_DATADIR}/limber/studio)
  file(RELATIVE_PATH LIMBER_STUDIO_BUILT ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/web/studio/dist)
  target_compile_definitions(limber_program PRIVATE LIMBER_WITH_STUDIO
                             LIMBER_STUDIO_INSTALLED="${LIMBER_STUDIO_INSTALLED}" LIMBER_STUDIO_BUILT="${LIMBER_STUDIO_BUILT}")
  # Its headers only: the library itself is opened by the studio (cli/studio/http.h), under the name it has here.
  find_library(LIMBER_MICROHTTPD_FILE microhttpd HINTS ${MICROHTTPD_LIBRARY_DIRS} REQUIRED)
  mark_as_advanced(LIMBER_MICROHTTPD_FILE)
  file(REAL_PATH ${LIMBER_MICROHTTPD_FILE} LIMBER_MICROHTTPD)
  cmake_path(GET LIMBER_MICROHTTPD FILENAME LIMBER_MICROHTTPD) # libmicrohttpd.so.12.61.0
  string(REGEX REPLACE "(\\.so\\.[0-9]+).*" "\\1" LIMBER_MICROHTTPD ${LIMBER_MICROHTTPD})
  target_compile_definitions(limber_program PRIVATE LIMBER_MICROHTTPD="${LIMBER_MICROHTTPD}")
  target_include_directories(limber_program SYSTEM PRIVATE ${MICROHTTPD_INCLUDE_DIRS})
  target_link_libraries(limber_program PRIVATE ${CMAKE_DL_LIBS})
endif()
install(DIRECTORY web/studio/dist/ DESTINATION ${CMAKE_INSTALL_DATADIR}/limber/studio OPTIONAL)
