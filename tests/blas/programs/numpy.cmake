# numpy's own tests of dot, matmul, einsum and linalg, only in single precision if they can be told apart.
set(python /usr/bin/python3)
execute_process(COMMAND ${python} -c "import numpy, pytest, hypothesis" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
if(missing)
  message(STATUS "SKIPPED: no numpy with its tests (Debian: python3-numpy python3-pytest python3-hypothesis)")
  return()
endif()
# numpy 2 has the tests of its core in another folder.
execute_process(COMMAND ${python} -c "import numpy; print('numpy._core' if int(numpy.__version__[0]) > 1 else 'numpy.core')"
  OUTPUT_VARIABLE core OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
run_with_drop_in(COMMAND ${python} -m pytest -q -p no:cacheprovider --pyargs ${core}.tests.test_einsum
  ${core}.tests.test_multiarray numpy.linalg.tests.test_linalg
  -k "einsum or Einsum or matmul or MatMul or (Dot and not huge) or MultiDot or Inv or Solve or Lstsq or QR")
expect(" passed" "clgemm_blas: ")
run_with_drop_in(COMMAND ${python} ${CMAKE_CURRENT_LIST_DIR}/../fork_test.py)
expect("children multiplied" "clgemm_blas: ")
