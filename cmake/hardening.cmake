# What a bug meets when it happens all the same: guarded stacks, checked copies, no writable tables of addresses, no
# fixed addresses. The test `hardening` reads it back from what was built. Windows' linkers do their part by themselves.
option(LIMBER_HARDENING "Guard stacks, copies and addresses" ON)
if(NOT LIMBER_HARDENING OR WIN32 OR MSVC)
  return()
endif()
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

# -fcf-protection is x86's, -mbranch-protection 64-bit Arm's.
set(LIMBER_GUARDS -fstack-protector-strong -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard)
if(LIMBER_SANITIZE) # which have guards of their own
  set(LIMBER_GUARDS "")
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug") # the checked copies need an optimizer
  list(APPEND LIMBER_GUARDS "-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3")
endif()
foreach(flag ${LIMBER_GUARDS})
  string(MAKE_C_IDENTIFIER "LIMBER_HAS${flag}" known)
  check_c_compiler_flag(${flag} ${known})
  if(${known})
    target_compile_options(limber_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:${flag}>)
  endif()
endforeach()

foreach(flag relro now noexecstack separate-code)
  string(MAKE_C_IDENTIFIER "LIMBER_LINKS_${flag}" known)
  check_linker_flag(C LINKER:-z,${flag} ${known})
  if(${known})
    list(APPEND LIMBER_LINK_GUARDS LINKER:-z,${flag})
  endif()
endforeach()
target_link_options(limber_flags INTERFACE ${LIMBER_LINK_GUARDS})
check_linker_flag(C LINKER:--no-undefined LIMBER_LINKS_NO_UNDEFINED)
