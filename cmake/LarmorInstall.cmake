# Installs the command, public headers, library and package files: find_package(larmor) provides the target
# larmor::larmor; pkg-config supports a shared library.
include(CMakePackageConfigHelpers)

# A header is public if it has LARMOR_API before its namespace, or defines a macro that such headers need.
foreach(room IN ITEMS core operators solvers mri io)
  file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${room}/*.hpp ${room}/*.cuh)
  foreach(header IN LISTS headers)
    file(STRINGS ${header} public REGEX "^namespace LARMOR_API|^#define LARMOR_(API|HOST_DEVICE)" LIMIT_COUNT 1)
    if(public)
      get_filename_component(folder ${header} DIRECTORY)
      install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/larmor/${folder})
    endif()
  endforeach()
endforeach()
install(FILES larmor.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/larmor)

larmor_finds_libraries(larmor)
install(TARGETS larmor EXPORT larmorTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT larmorTargets NAMESPACE larmor:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/larmor)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/larmorConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/larmorConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/larmor
                              PATH_VARS CMAKE_INSTALL_LIBEXECDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/larmorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/larmorConfig.cmake ${PROJECT_BINARY_DIR}/larmorConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/larmor)
if(BUILD_SHARED_LIBS)
  file(RELATIVE_PATH larmor_prefix_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  set(larmor_definitions "")
  if(LARMOR_WITH_CUDA)
    set(larmor_definitions " -DLARMOR_HAVE_CUDA")
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/larmor.pc.in ${PROJECT_BINARY_DIR}/larmor.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/larmor.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
else()
  # Libraries that a static library uses internally must be found by the program that links it.
  file(GLOB larmor_find_modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/Find*.cmake)
  install(FILES ${larmor_find_modules} ${PROJECT_SOURCE_DIR}/cmake/installed_libexec.cpp.in DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/larmor)
endif()
# Only its owner may write to the folder of the helpers, for any umask; otherwise they are not started.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
install(TARGETS larmor-read larmor-write RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/larmor)
if(LARMOR_BUILD_APPS)
  larmor_finds_libraries(recon)
  install(TARGETS recon RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${LARMOR_COMMAND_TEXTS}/recon.bash
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME recon)
  install(FILES ${LARMOR_COMMAND_TEXTS}/recon.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _recon)
  install(FILES ${LARMOR_COMMAND_TEXTS}/recon.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${LARMOR_COMMAND_TEXTS}/recon.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
