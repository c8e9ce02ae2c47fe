# Cross-compiles for the other of Debian's two architectures that limber supports, against a folder that
# release/sysroot.sh has made: cmake -DCMAKE_TOOLCHAIN_FILE=cmake/foreign.cmake -DLIMBER_FOREIGN=aarch64 -DCMAKE_SYSROOT=...
# Debian packages: gcc-aarch64-linux-gnu g++-aarch64-linux-gnu, or gcc-x86-64-linux-gnu g++-x86-64-linux-gnu.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LIMBER_FOREIGN)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${LIMBER_FOREIGN})
set(CMAKE_LIBRARY_ARCHITECTURE ${LIMBER_FOREIGN}-linux-gnu)
set(CMAKE_C_COMPILER ${LIMBER_FOREIGN}-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER ${LIMBER_FOREIGN}-linux-gnu-g++)
set(CMAKE_INSTALL_LIBDIR lib/${CMAKE_LIBRARY_ARCHITECTURE} CACHE PATH "where Debian has libraries of this architecture")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
