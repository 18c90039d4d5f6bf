# Finds the part of DCMTK that reads and writes data sets: target Dcmdata::dcmdata.
find_path(DCMDATA_INCLUDE_DIR dcmtk/dcmdata/dctk.h)
find_library(DCMDATA_LIBRARY dcmdata)
find_library(DCMDATA_OFLOG_LIBRARY oflog)
find_library(DCMDATA_OFSTD_LIBRARY ofstd)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Dcmdata REQUIRED_VARS DCMDATA_LIBRARY DCMDATA_OFLOG_LIBRARY DCMDATA_OFSTD_LIBRARY
                                                        DCMDATA_INCLUDE_DIR)
if(Dcmdata_FOUND AND NOT TARGET Dcmdata::dcmdata)
  add_library(Dcmdata::dcmdata UNKNOWN IMPORTED)
  set_target_properties(Dcmdata::dcmdata PROPERTIES
    IMPORTED_LOCATION ${DCMDATA_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${DCMDATA_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES "${DCMDATA_OFLOG_LIBRARY};${DCMDATA_OFSTD_LIBRARY}")
endif()
mark_as_advanced(DCMDATA_INCLUDE_DIR DCMDATA_LIBRARY DCMDATA_OFLOG_LIBRARY DCMDATA_OFSTD_LIBRARY)
