# CLBlast's own tests of GEMM, alone and in batches, with libclgemm_clblast in front. The tests of floats come
# first, and the run ends after them. The other precisions belong to CLBlast, and PoCL compiles their kernels
# for two minutes.
#
#     -D LIBRARY=libclgemm_clblast.so with its folder -D FOLDER=to work in
cmake_minimum_required(VERSION 3.22)
cmake_path(GET LIBRARY FILENAME name)
cmake_path(GET LIBRARY PARENT_PATH library_folder)
file(MAKE_DIRECTORY ${FOLDER})
set(ENV{LIBRARY_FOLDER} ${library_folder})
foreach(test xgemm xgemmbatched xgemmstridedbatched)
  find_program(program_${test} clblast_test_${test})
  if(NOT program_${test})
    message(STATUS "SKIPPED: there is no clblast_test_${test} (Debian: clblast-tests)")
    return()
  endif()
  execute_process(
    COMMAND sh -c "rm -f pipe; mkfifo pipe
      env LD_PRELOAD=${name} \"LD_LIBRARY_PATH=$LIBRARY_FOLDER:$LD_LIBRARY_PATH\" CLGEMM_LOG=debug \\
        ${program_${test}} -platform 0 -device 0 >pipe 2>&1 &
      sed '/Starting tests for the .*DGEMM/q' <pipe; kill $!"
    WORKING_DIRECTORY ${FOLDER} OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message(STATUS "${output}")
  string(REGEX MATCHALL " / [0-9]+ failed" rates "${output}")
  list(LENGTH rates count)
  list(REMOVE_ITEM rates " / 0 failed")
  if(rates OR count LESS 8)
    message(FATAL_ERROR "clblast_test_${test}: of ${count} groups of tests these are not well: ${rates}")
  endif()
  string(REGEX MATCH "([0-9]+) test\\(s\\) passed" passed "${output}")
  set(passed ${CMAKE_MATCH_1})
  string(REGEX MATCHALL "clgemm: call: " calls "${output}")
  list(LENGTH calls calls)
  message(STATUS "clblast_test_${test}: ${passed} tests passed, ${calls} calls of clgemm")
  if(NOT passed OR calls LESS passed)
    message(FATAL_ERROR "clblast_test_${test}: clgemm had ${calls} calls, and ${passed} tests passed")
  endif()
endforeach()
