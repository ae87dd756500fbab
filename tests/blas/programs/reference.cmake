# The tests of the reference BLAS, in Fortran and C, only the lines of SGEMM. Those in C need the reference
# library itself behind the drop-in. Those in Fortran run with the BLAS that libblas.so.3 is, and with all
# others that are installed.
set(tests ${library_folder}/blas)
need(${tests}/xblat3s libblas-test)
foreach(name sblat3.in sin3)
  file(READ ${tests}/${name} text)
  string(REGEX REPLACE "((SS|ST|cblas_s[st])[A-Za-z0-9]+ +)T PUT" "\\1F PUT" text "${text}")
  file(WRITE ${FOLDER}/${name} "${text}")
endforeach()

# Later versions leave room for longer names, so any number of blanks counts as one.
function(expect_words)
  string(REGEX REPLACE " +" " " output "${output}")
  expect(${ARGN})
endfunction()

run_with_drop_in(COMMAND ${tests}/xscblat3 INPUT ${FOLDER}/sin3 LIBRARY_FOLDER ${tests})
expect_words("cblas_sgemm PASSED THE TESTS OF ERROR-EXITS" "PASSED THE COLUMN-MAJOR COMPUTATIONAL TESTS"
  "PASSED THE ROW-MAJOR COMPUTATIONAL TESTS" "clgemm_blas: 13500 calls")

run_with_drop_in(COMMAND ${tests}/xblat3s INPUT ${FOLDER}/sblat3.in)
file(READ ${FOLDER}/sblat3.out summary)
expect("clgemm_blas: 6750 calls")
string(APPEND output "${summary}")
expect_words("SGEMM PASSED THE TESTS OF ERROR-EXITS" "SGEMM PASSED THE COMPUTATIONAL TESTS")

# All calls go to the CPU, to check that each BLAS is found in the process and called.
foreach(blas blas openblas-pthread blis-pthread)
  if(NOT EXISTS ${library_folder}/${blas}/libblas.so.3)
    continue()
  endif()
  run_with_drop_in(COMMAND ${tests}/xblat3s INPUT ${FOLDER}/sblat3.in
    LIBRARY_FOLDER ${library_folder}/${blas} VARIABLES CLGEMM_BLAS_CROSSING=1e30)
  expect("calls, 0." "on the CPU by ${library_folder}/${blas}/libblas.so.3")
  file(READ ${FOLDER}/sblat3.out output)
  expect_words("SGEMM PASSED THE TESTS OF ERROR-EXITS" "SGEMM PASSED THE COMPUTATIONAL TESTS")
endforeach()
