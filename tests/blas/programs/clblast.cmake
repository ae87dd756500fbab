# CLBlast's own tests of GEMM, alone and in batches, with clgemm in the place of CLBlast's GEMM of floats. They go on to other
# precisions, which are not there; what they say of floats comes first, and alone counts.
foreach(name xgemm xgemmbatched xgemmstridedbatched)
  need(/usr/bin/clblast_test_${name} clblast-tests)
endforeach()
preload(interposed ${INTERPOSED})
foreach(name xgemm xgemmbatched xgemmstridedbatched)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env ${interposed}
            /usr/bin/clblast_test_${name} -platform 0 -device 0
    WORKING_DIRECTORY ${FOLDER} OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "Starting tests for the [^\n]*'D.*" "" output "${output}")
  message(STATUS "${output}")
  string(REGEX MATCHALL " / [0-9]+ failed" rates "${output}")
  list(LENGTH rates count)
  list(REMOVE_ITEM rates " / 0 failed")
  if(rates OR count LESS 8)
    message(FATAL_ERROR "clblast_test_${name}: of ${count} groups of tests these are not well: ${rates}")
  endif()
  expect("GEMM of floats: clgemm")
endforeach()
