# Finds the serial C library of HDF5: target hdf5::hdf5. CMake's own module needs a compiler wrapper, and the language
# C in every project that uses it; the paths of Debian, Ubuntu and usual prefixes are enough here.
find_path(HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
if(HDF5_INCLUDE_DIR)
  file(STRINGS ${HDF5_INCLUDE_DIR}/H5public.h hdf5_version_line REGEX "H5_VERS_INFO +\"")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" HDF5_VERSION "${hdf5_version_line}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5 REQUIRED_VARS HDF5_LIBRARY HDF5_INCLUDE_DIR VERSION_VAR HDF5_VERSION)
if(HDF5_FOUND AND NOT TARGET hdf5::hdf5)
  add_library(hdf5::hdf5 UNKNOWN IMPORTED)
  set_target_properties(hdf5::hdf5 PROPERTIES IMPORTED_LOCATION ${HDF5_LIBRARY}
                                              INTERFACE_INCLUDE_DIRECTORIES ${HDF5_INCLUDE_DIR})
endif()
mark_as_advanced(HDF5_INCLUDE_DIR HDF5_LIBRARY)
