# Shared build settings: one interface target with the flags, one function per kind of target.

# Sources include each other as <larmor/core/shape.hpp>, in the tree as after installation.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/larmor SYMBOLIC)

add_library(larmor_flags INTERFACE)
target_compile_options(larmor_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow>)
# GCC 12 reports overlapping copies inside std::string that cannot happen (GCC bug 105651).
target_compile_options(larmor_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
# Several files in a translation unit: their names meet without harm.
if(CMAKE_UNITY_BUILD)
  target_compile_options(larmor_flags INTERFACE -Wno-shadow -Wno-subobject-linkage)
endif()
if(LARMOR_WARNINGS_AS_ERRORS)
  target_compile_options(larmor_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>
                                                $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror>)
endif()
if(LARMOR_SANITIZE)
  target_compile_options(larmor_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                                                -fno-omit-frame-pointer)
  target_link_options(larmor_flags INTERFACE -fsanitize=address,undefined)
endif()

# larmor_library(<folder> SOURCES ... PUBLIC <larmor or external targets> PRIVATE <external targets>)
# Private targets that are headers and nothing else are not asked of those who link the installed library.
function(larmor_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(larmor_${name} ${ARG_SOURCES})
  add_library(larmor::${name} ALIAS larmor_${name})
  set_target_properties(larmor_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(larmor_${name} PUBLIC cxx_std_20)
  target_include_directories(larmor_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                                                   $<INSTALL_INTERFACE:include>)
  list(TRANSFORM ARG_PRIVATE REPLACE "^(Eigen3::Eigen|nlohmann_json::nlohmann_json)$" "$<BUILD_INTERFACE:\\1>")
  target_link_libraries(larmor_${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:larmor_flags>)
endfunction()
