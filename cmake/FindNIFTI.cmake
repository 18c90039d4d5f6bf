# Finds niftilib: targets NIFTI::niftiio and NIFTI::znz. Debian installs the headers in a folder of their own.
find_path(NIFTI_INCLUDE_DIR nifti1_io.h PATH_SUFFIXES nifti)
find_library(NIFTI_IO_LIBRARY niftiio)
find_library(NIFTI_ZNZ_LIBRARY znz)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NIFTI REQUIRED_VARS NIFTI_IO_LIBRARY NIFTI_ZNZ_LIBRARY NIFTI_INCLUDE_DIR)
if(NIFTI_FOUND AND NOT TARGET NIFTI::niftiio)
  add_library(NIFTI::znz UNKNOWN IMPORTED)
  set_target_properties(NIFTI::znz PROPERTIES IMPORTED_LOCATION ${NIFTI_ZNZ_LIBRARY}
                                              INTERFACE_INCLUDE_DIRECTORIES ${NIFTI_INCLUDE_DIR})
  add_library(NIFTI::niftiio UNKNOWN IMPORTED)
  set_target_properties(NIFTI::niftiio PROPERTIES IMPORTED_LOCATION ${NIFTI_IO_LIBRARY}
                                                  INTERFACE_INCLUDE_DIRECTORIES ${NIFTI_INCLUDE_DIR}
                                                  INTERFACE_LINK_LIBRARIES NIFTI::znz)
endif()
mark_as_advanced(NIFTI_INCLUDE_DIR NIFTI_IO_LIBRARY NIFTI_ZNZ_LIBRARY)
