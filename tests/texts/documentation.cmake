# Makes the site without a warning and without dead links (target docs).
if(TARGET docs)
  get_property(make_docs TARGET docs PROPERTY MAKE_DOCS)
  add_test(NAME documentation COMMAND ${make_docs})
else()
  add_test(NAME documentation
    COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: no doxygen here (or no CLGEMM_BUILD_TOOLS); no documentation was built")
  set_tests_properties(documentation PROPERTIES SKIP_REGULAR_EXPRESSION "^SKIPPED")
endif()
