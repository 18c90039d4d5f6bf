# cpack makes packages of what is installed: a .deb for the Debian or Ubuntu of this machine, and a .tar.gz.
set(CPACK_PACKAGE_NAME larmor)
set(CPACK_PACKAGE_VENDOR "The Larmor authors")
set(CPACK_PACKAGE_CONTACT "The Larmor authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# The libraries that the programs are linked with become the packages that it needs.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
include(CPack)
