# Run by cpack before it makes a package. A .deb declares its dependencies; a .tar.gz cannot, so that
# share/doc/larmor/packages lists the Debian packages with the libraries of its programs.
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(FILE_COMMAND file)
if(CPACK_GENERATOR STREQUAL "DEB" AND NOT (DPKG_SHLIBDEPS AND FILE_COMMAND))
  message(FATAL_ERROR "dpkg-shlibdeps or file is missing, so the dependencies of the .deb cannot be found: install the "
                      "packages dpkg-dev and file")
endif()
if(NOT CPACK_GENERATOR STREQUAL "TGZ" OR NOT DPKG_SHLIBDEPS)
  return()
endif()
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
file(GLOB programs ${root}/bin/* ${root}/libexec/larmor/* ${root}/lib/*.so.* ${root}/lib/*/*.so.*)
set(place ${CPACK_TOPLEVEL_DIRECTORY}/needs)
file(MAKE_DIRECTORY ${place}/debian)
file(WRITE ${place}/debian/control "")
execute_process(COMMAND ${DPKG_SHLIBDEPS} --ignore-missing-info -O ${programs} WORKING_DIRECTORY ${place}
                OUTPUT_VARIABLE needs ERROR_VARIABLE said RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "dpkg-shlibdeps: ${said}")
endif()
string(STRIP "${needs}" needs)
string(REPLACE "shlibs:Depends=" "" needs "${needs}")
string(REGEX REPLACE " *(\\([^)]*\\)|\\|[^,]*)" "" needs "${needs}") # without versions and alternatives
string(REGEX REPLACE ", *" "\n" needs "${needs}")
file(WRITE ${root}/share/doc/larmor/packages "${needs}\n")
