# Installs the command, headers, libraries and a package file, so that find_package(larmor) gives the target larmor::larmor.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY core operators solvers mri io DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/larmor
        FILES_MATCHING PATTERN "*.hpp")
install(FILES larmor.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/larmor)

install(TARGETS larmor EXPORT larmorTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT larmorTargets NAMESPACE larmor:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/larmor)

set(larmor_uses_cuda ${LARMOR_WITH_CUDA})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/larmorConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/larmorConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/larmor)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/larmorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(GLOB larmor_find_modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/Find*.cmake)
install(FILES ${PROJECT_BINARY_DIR}/larmorConfig.cmake ${PROJECT_BINARY_DIR}/larmorConfigVersion.cmake
              ${larmor_find_modules}
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/larmor)
if(LARMOR_BUILD_APPS)
  install(TARGETS recon RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES completions/recon.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME recon)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
