include(cmake/LarmorVersion.cmake)
message(NOTICE "${LARMOR_VERSION_TEXT}")
