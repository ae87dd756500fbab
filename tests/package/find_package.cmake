# Builds and runs copies of tests/examples, and a project without C++, with find_package().
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(COPY ${SOURCE}/tests/examples ${CMAKE_CURRENT_LIST_DIR}/c_only DESTINATION ${FOLDER})
file(COPY ${SOURCE}/tests/examples/device.c DESTINATION ${FOLDER}/c_only)
foreach(project examples c_only)
  set(build ${FOLDER}/${project}-build)
  file(REMOVE_RECURSE ${build})
  run(${CMAKE_COMMAND} -S ${FOLDER}/${project} -B ${build} -G ${GENERATOR} --no-warn-unused-cli
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_C_COMPILER=${C_COMPILER} -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
    -D "CMAKE_C_FLAGS=${flags_in_line}" -D "CMAKE_CXX_FLAGS=${flags_in_line}")
  run(${CMAKE_COMMAND} --build ${build})
  run(${CMAKE_CTEST_COMMAND} --test-dir ${build} --output-on-failure --no-tests=error)
endforeach()
