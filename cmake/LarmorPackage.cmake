# cpack makes packages of the installed files: a .deb for the Debian or Ubuntu release of this machine, and a
# .tar.gz. With CUDA both have different names.
set(CPACK_PACKAGE_NAME larmor)
if(LARMOR_WITH_CUDA)
  string(APPEND CPACK_PACKAGE_NAME -cuda)
  set(CPACK_DEBIAN_PACKAGE_PROVIDES "larmor (= ${LARMOR_VERSION_TEXT})")
  set(CPACK_DEBIAN_PACKAGE_CONFLICTS larmor)
  set(CPACK_DEBIAN_PACKAGE_REPLACES larmor)
endif()
set(CPACK_PACKAGE_VERSION ${LARMOR_VERSION_TEXT})
set(CPACK_PACKAGE_VENDOR "The Larmor authors")
set(CPACK_PACKAGE_CONTACT "The Larmor authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
# The libraries with which the programs are linked become package dependencies; in other releases of Debian
# they have other names.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
cmake_host_system_information(RESULT distribution QUERY DISTRIB_INFO)
set(distribution "${distribution_ID}${distribution_VERSION_ID}")
set(CPACK_DEBIAN_PACKAGE_RELEASE ${distribution})
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGE_FILE_NAME
    ${CPACK_PACKAGE_NAME}-${LARMOR_VERSION_TEXT}-${distribution}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/LarmorNeeds.cmake)
include(CPack)
