# The .deb: cpack -G DEB in the build folder. ./dev release makes it with everything else that is released.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES CHANGELOG.md README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# What release/run.sh has written by then.
install(FILES ${PROJECT_BINARY_DIR}/NOTICES.txt ${PROJECT_BINARY_DIR}/limber.cdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR}
        OPTIONAL)
set(CPACK_PACKAGE_NAME limber)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the limber developers <limber@invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cartoon motion for rigged characters")
set(CPACK_PACKAGE_DESCRIPTION "Squash, stretch, drag and smears for any skeletal animation: a program, a C library and a studio.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Opened at run time: pictures need a driver, films ffmpeg, the studio its server.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libegl1, libgles2, ffmpeg")
if(LIMBER_MICROHTTPD) # libmicrohttpd.so.12 is in libmicrohttpd12
  string(REPLACE ".so." "" package ${LIMBER_MICROHTTPD})
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", ${package}")
endif()
include(CPack)
