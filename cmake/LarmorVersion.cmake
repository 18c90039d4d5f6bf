# The version is that of the last tag, such as v0.2.0: from git, or inserted here by `git archive`. Without
# either it is the next version. LARMOR_VERSION: numbers only; LARMOR_VERSION_TEXT: also the number of commits
# since the tag.
set(LARMOR_NEXT_VERSION 0.1.0) # pyproject.toml reads this line
set(LARMOR_TAG "$Format:%(describe:tags=true,match=v[0-9]*)$")
if(LARMOR_TAG MATCHES "Format")
  set(LARMOR_TAG "")
  find_program(LARMOR_GIT git)
  mark_as_advanced(LARMOR_GIT)
  # Only if the repository is Larmor's own: its sources may be inside another repository.
  if(LARMOR_GIT AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/.git)
    execute_process(COMMAND ${LARMOR_GIT} describe --tags --match "v[0-9]*"
                    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
                    OUTPUT_VARIABLE LARMOR_TAG OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
if(LARMOR_TAG MATCHES "^v([0-9]+\\.[0-9]+\\.[0-9]+)(-([0-9]+)-(g[0-9a-f]+))?$")
  set(LARMOR_VERSION ${CMAKE_MATCH_1})
  set(LARMOR_VERSION_TEXT ${CMAKE_MATCH_1})
  if(CMAKE_MATCH_2)
    string(APPEND LARMOR_VERSION_TEXT "+${CMAKE_MATCH_3}.${CMAKE_MATCH_4}")
  endif()
else()
  set(LARMOR_VERSION ${LARMOR_NEXT_VERSION})
  set(LARMOR_VERSION_TEXT ${LARMOR_NEXT_VERSION})
endif()
