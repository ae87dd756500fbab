# Doxygen reads the public headers and the README without a warning (target docs).
if(TARGET docs)
  add_test(NAME documentation COMMAND ${DOXYGEN_EXECUTABLE} ${PROJECT_BINARY_DIR}/tools/doxygen/Doxyfile)
else()
  add_test(NAME documentation
    COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: no doxygen here (or no CLGEMM_BUILD_TOOLS); no documentation was built")
  set_tests_properties(documentation PROPERTIES SKIP_REGULAR_EXPRESSION "^SKIPPED")
endif()
