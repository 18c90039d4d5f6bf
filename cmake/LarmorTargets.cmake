# Shared build settings: one interface target with the flags, one function per kind of target.
include(GNUInstallDirs)
include(CheckPIESupported)
check_pie_supported()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Sources include each other as <larmor/core/shape.hpp>, in the tree as after installation.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/larmor SYMBOLIC)

# All sources use text formatting, but no public header does.
add_library(larmor_flags INTERFACE)
target_link_libraries(larmor_flags INTERFACE fmt::fmt)
target_compile_options(larmor_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow>)
# GCC 12 reports overlapping copies inside std::string that cannot happen (GCC bug 105651).
target_compile_options(larmor_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
# Without optimisation, fmt 9 temporarily requests a little from GCC and leaves __OPTIMIZE__ defined:
# intrinsics that are macros without optimisation then become functions, which do not compile (GCC 12). fmt's
# pragmas can be defined as empty.
target_compile_options(larmor_flags INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-DFMT_GCC_PRAGMA(text)=>")
# Several files are compiled in one translation unit; their internal names must not conflict.
if(CMAKE_UNITY_BUILD)
  target_compile_options(larmor_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow;-Wno-subobject-linkage>)
endif()
if(LARMOR_WARNINGS_AS_ERRORS)
  target_compile_options(larmor_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>
                                                $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror>)
endif()
# Hardening against malicious files: checks of the stack and of string functions, read-only address tables.
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
  # UndefinedBehaviorSanitizer's checks of each pointer take a third of the compilation time, and
  # AddressSanitizer detects the harmful cases.
  if(NOT LARMOR_SANITIZE STREQUAL "ALL")
    target_compile_options(larmor_flags INTERFACE -fno-sanitize=null,alignment,object-size,pointer-overflow,vptr)
  endif()
  target_link_options(larmor_flags INTERFACE -fsanitize=address,undefined)
endif()

# The library: one target, to which every folder adds its sources. Static, or shared with BUILD_SHARED_LIBS.
add_library(larmor)
add_library(larmor::larmor ALIAS larmor)
# Only declarations of public headers are exported (core/export.hpp). Objects are the same for both kinds of
# library, without a definition that distinguishes them, so that a build folder can make both without
# compiling again.
set_target_properties(larmor PROPERTIES
  CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON DEFINE_SYMBOL ""
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}
  UNITY_BUILD_MODE GROUP)
# Names of static libraries inside are not exported either.
target_link_options(larmor PRIVATE -Wl,--exclude-libs,ALL)
target_compile_features(larmor PUBLIC cxx_std_20)
target_include_directories(larmor PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(larmor PRIVATE $<BUILD_INTERFACE:larmor_flags>)

# larmor_finds_libraries(<target>): sets where an installed program or library searches for others: in its own
# folder, and in that of the CUDA toolkit. It is the same in the build folder, which has the same layout, so
# that installation need not edit the file (CMake reserves space for editing by an empty entry, which would
# mean the current folder).
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

# Standard headers and fmt take most of the compilation time. Builds with a compiler cache do not precompile
# them, because the cache does not share precompiled headers between folders.
set(precompile ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(precompile OFF)
endif()
option(LARMOR_PRECOMPILED_HEADERS "Parse standard headers once" ${precompile})
# If the standard headers are precompiled, GCC 12 no longer treats them as system headers and reports copies
# inside std::string that cannot happen (again GCC bug 105651).
if(LARMOR_PRECOMPILED_HEADERS)
  target_compile_options(larmor_flags INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>)
endif()

# larmor_precompile(<target> <header>): the header is parsed once for the target's sources.
function(larmor_precompile target header)
  if(LARMOR_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
  endif()
endfunction()
larmor_precompile(larmor ${PROJECT_SOURCE_DIR}/cmake/precompiled.hpp)

# larmor_sources([<files>]): the sources of this folder; without <files> all except those of an instruction
# set. With CMAKE_UNITY_BUILD, the files of a folder share a translation unit, unless the folder says ALONE,
# because its files define short names of their own.
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

# The same for sources that need the CUDA toolkit; does nothing in a build without it.
function(larmor_cuda_sources)
  if(LARMOR_WITH_CUDA)
    target_sources(larmor PRIVATE ${ARGN})
  endif()
endfunction()

# larmor_instruction_sets(<name>): <name>_portable.cpp, and on x86 <name>_avx2.cpp and <name>_avx512.cpp.
# Floating-point exceptions need not be preserved; otherwise rounding would not be vectorised.
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
