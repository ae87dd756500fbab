# The C API as a C11 program sees it, and its header as a C++ file does.
set(header_in_cpp ${CMAKE_CURRENT_BINARY_DIR}/c_header_in_cpp.cpp)
file(CONFIGURE OUTPUT ${header_in_cpp} @ONLY CONTENT
"#include <clgemm/clgemm.h>
clgemm_options initial_options();
clgemm_options initial_options() { return CLGEMM_OPTIONS_INIT; }
clgemm_shape initial_shape();
clgemm_shape initial_shape() { return CLGEMM_SHAPE_INIT; }
")
add_executable(c_api_test c_api_test.c ${header_in_cpp})
set_target_properties(c_api_test PROPERTIES
  C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF CXX_STANDARD 17)
target_compile_definitions(c_api_test PRIVATE PROJECT_VERSION="${PROJECT_VERSION}")
target_compile_options(c_api_test PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<BOOL:${CLGEMM_WARNINGS_AS_ERRORS}>:-Werror>)
target_link_libraries(c_api_test PRIVATE clgemm::clgemm Threads::Threads)
if(CLGEMM_SANITIZE)
  target_compile_options(c_api_test PRIVATE -fsanitize=${CLGEMM_SANITIZE})
  target_link_options(c_api_test PRIVATE -fsanitize=${CLGEMM_SANITIZE})
endif()
add_test(NAME c_api COMMAND c_api_test)
set_tests_properties(c_api PROPERTIES ENVIRONMENT "${test_environment}" SKIP_RETURN_CODE 77)
