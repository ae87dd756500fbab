# Compares the time of a program with many small shapes, with the drop-in and cold caches, with the time of
# the program alone. The drop-in is in front of the reference BLAS and of OpenBLAS.
set(python /usr/bin/python3)
execute_process(COMMAND ${python} -c "import numpy" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
if(missing)
  message(STATUS "SKIPPED: no numpy (Debian: python3-numpy)")
  return()
endif()
need(${library_folder}/blas/libblas.so.3 libblas3)
need(${library_folder}/openblas-pthread/libblas.so.3 libopenblas0-pthread)
foreach(blas blas openblas-pthread)
  execute_process(
    COMMAND ${python} ${CMAKE_CURRENT_LIST_DIR}/../many_shapes.py --drop-in ${DROP_IN} --blas ${library_folder}/${blas}
            --folder ${FOLDER} --at-most 1.5
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  message(STATUS "${blas}: ${output}")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "the drop-in makes the program slower")
  endif()
endforeach()
