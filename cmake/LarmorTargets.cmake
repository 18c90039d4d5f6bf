# Shared build settings: one interface target with the flags, one function per kind of target.
include(GNUInstallDirs)
include(CheckPIESupported)
check_pie_supported()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Sources include each other as <larmor/core/shape.hpp>, in the tree as after installation.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/larmor SYMBOLIC)

# Text formatting is everywhere in the sources, and in no public header.
add_library(larmor_flags INTERFACE)
target_link_libraries(larmor_flags INTERFACE fmt::fmt)
target_compile_options(larmor_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow>)
# GCC 12 reports overlapping copies inside std::string that cannot happen (GCC bug 105651).
target_compile_options(larmor_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
# Without optimisation fmt 9 asks GCC for a little and leaves __OPTIMIZE__ defined behind it: intrinsics that are macros
# without optimisation are then functions, which do not compile (GCC 12). fmt lets its pragmas be empty.
target_compile_options(larmor_flags INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-DFMT_GCC_PRAGMA(text)=>")
# Several files in a translation unit: their names meet without harm.
if(CMAKE_UNITY_BUILD)
  target_compile_options(larmor_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow;-Wno-subobject-linkage>)
endif()
if(LARMOR_WARNINGS_AS_ERRORS)
  target_compile_options(larmor_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>
                                                $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror>)
endif()
# What an attacker's file would need is checked or out of reach: the stack, string functions, tables of addresses.
target_compile_options(larmor_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong>
                                              $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fstack-protector-strong>)
if(NOT LARMOR_SANITIZE)
  target_compile_options(larmor_flags INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>)
endif()
target_link_options(larmor_flags INTERFACE -Wl,-z,relro,-z,now)
if(LARMOR_SANITIZE)
  target_compile_options(larmor_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                                                -fno-omit-frame-pointer)
  # Checks of each pointer by UndefinedBehaviorSanitizer take a third of the compiler's time, and AddressSanitizer sees what
  # they are for when it does harm.
  if(NOT LARMOR_SANITIZE STREQUAL "ALL")
    target_compile_options(larmor_flags INTERFACE -fno-sanitize=null,alignment,object-size,pointer-overflow,vptr)
  endif()
  target_link_options(larmor_flags INTERFACE -fsanitize=address,undefined)
endif()

# The library: one target, to which every room adds its sources. Static, or shared with BUILD_SHARED_LIBS.
add_library(larmor)
add_library(larmor::larmor ALIAS larmor)
# Only what public headers declare is seen from outside (core/export.hpp). Objects are the same for both kinds, so that
# a build folder makes one after the other without compiling again: no definition tells them apart.
set_target_properties(larmor PROPERTIES
  CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON DEFINE_SYMBOL ""
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}
  UNITY_BUILD_MODE GROUP)
# Nor do the static libraries inside show their names.
target_link_options(larmor PRIVATE -Wl,--exclude-libs,ALL)
target_compile_features(larmor PUBLIC cxx_std_20)
target_include_directories(larmor PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(larmor PRIVATE $<BUILD_INTERFACE:larmor_flags>)

# larmor_finds_libraries(<target>): where an installed program or library looks for others: beside itself, and where the
# CUDA toolkit is. The same in the build folder, which has the same layout, so that installing need not edit the file
# (CMake makes room for that with an empty entry, which means the current folder).
function(larmor_finds_libraries target)
  set(folders)
  if(BUILD_SHARED_LIBS)
    file(RELATIVE_PATH up /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
    list(APPEND folders "$ORIGIN/${up}")
  endif()
  if(LARMOR_WITH_CUDA)
    list(APPEND folders ${CUDAToolkit_LIBRARY_DIR})
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${folders}" BUILD_WITH_INSTALL_RPATH ON)
endfunction()

# Standard headers and fmt are most of what a source parses. A compiler cache does not share precompiled headers between
# folders, so that a build with a cache does without.
set(precompile ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(precompile OFF)
endif()
option(LARMOR_PRECOMPILED_HEADERS "Parse standard headers once" ${precompile})
# GCC 12 no longer knows the standard's headers for such when they are precompiled, and reports copies inside std::string
# that cannot happen (GCC bug 105651 again).
if(LARMOR_PRECOMPILED_HEADERS)
  target_compile_options(larmor_flags INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>)
endif()

# larmor_precompile(<target> <header>): it is parsed once for the target's sources.
function(larmor_precompile target header)
  if(LARMOR_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
  endif()
endfunction()
larmor_precompile(larmor ${PROJECT_SOURCE_DIR}/cmake/precompiled.hpp)

# larmor_sources([<files>]): sources of this room; without <files> all of its folder but those of an instruction set. Where
# several files share a translation unit (CMAKE_UNITY_BUILD), those of a room do, unless the room says ALONE: its files
# give short names to what only they know.
function(larmor_sources)
  cmake_parse_arguments(ARG "ALONE" "" "" ${ARGN})
  set(sources ${ARG_UNPARSED_ARGUMENTS})
  if(NOT sources)
    file(GLOB sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS *.cpp)
    list(FILTER sources EXCLUDE REGEX "_(portable|avx2|avx512)\\.cpp$")
  endif()
  target_sources(larmor PRIVATE ${sources})
  if(NOT ARG_ALONE)
    file(RELATIVE_PATH room ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    string(REPLACE "/" "_" room "${room}")
    set_source_files_properties(${sources} TARGET_DIRECTORY larmor PROPERTIES UNITY_GROUP ${room})
  endif()
endfunction()

# The same for sources that need the CUDA toolkit; nothing without it.
function(larmor_cuda_sources)
  if(LARMOR_WITH_CUDA)
    target_sources(larmor PRIVATE ${ARGN})
  endif()
endfunction()

# larmor_instruction_sets(<name>): <name>_portable.cpp, and on x86 <name>_avx2.cpp and <name>_avx512.cpp. Whether exceptions
# of arithmetic can be seen is left open, or rounding stays outside of vector code.
function(larmor_instruction_sets name)
  if(LARMOR_SANITIZE)
    larmor_sources(ALONE ${name}_portable.cpp)
    return()
  endif()
  set(options -O3 -fno-trapping-math -fno-math-errno)
  set(options_portable "")
  set(options_avx2 -mavx2 -mfma)
  set(options_avx512 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma -mprefer-vector-width=512)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(more avx2 avx512)
    target_compile_definitions(larmor PRIVATE LARMOR_X86)
  endif()
  foreach(set IN ITEMS portable LISTS more)
    larmor_sources(ALONE ${name}_${set}.cpp)
    set_source_files_properties(${name}_${set}.cpp TARGET_DIRECTORY larmor PROPERTIES
                                COMPILE_OPTIONS "${options};${options_${set}}" SKIP_PRECOMPILE_HEADERS ON)
  endforeach()
endfunction()
