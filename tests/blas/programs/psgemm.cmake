# Runs tools/psgemm.c with the drop-in on two ranks. Checks that it reports the blocks for which ScaLAPACK has
# no memory, and the result of tools/psgemm_traffic.
need(/usr/bin/mpicc.openmpi openmpi-bin)
need(${library_folder}/openmpi/include/mpi.h libopenmpi-dev)
need(${library_folder}/libscalapack-openmpi.so libscalapack-openmpi-dev)
need(/usr/bin/mpirun openmpi-bin)
set(tools ${CMAKE_CURRENT_LIST_DIR}/../../../tools)

execute_process(COMMAND /usr/bin/mpicc.openmpi -O2 ${tools}/psgemm.c -o ${FOLDER}/psgemm -lscalapack-openmpi
  COMMAND_ERROR_IS_FATAL ANY)
preload(both ${PILAENV} ${DROP_IN})
set(variables OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OPENBLAS_NUM_THREADS=1
  ${both} CLGEMM_BLAS_BLOCK=256)
set(two_ranks /usr/bin/mpirun --oversubscribe -n 2 ${FOLDER}/psgemm)
foreach(rows 1 2)
  run_with_drop_in(COMMAND ${two_ranks} 600 64 ${rows} VARIABLES ${variables})
  expect("600 2 " "clgemm_blas: ")
endforeach()

# A rank's part is 300 rows or columns.
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env ${variables} CLGEMM_BLAS_BLOCK=1000000 ${two_ranks} 600 64
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
if(status EQUAL 0)
  message(FATAL_ERROR "a panel of 2^31 bytes was not refused: ${output}")
endif()
expect("a panel of 1000000 x 600 floats is too large for ScaLAPACK: blocks along k must be shorter than 894784")

execute_process(COMMAND ${CMAKE_COMMAND} -E env BLOCKS=128 MATRIX_BLOCKS=64 ${tools}/psgemm_traffic 512
  OUTPUT_VARIABLE output ERROR_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "${output}")
expect("Open MPI, plain broadcast         128       64    2x1  0.")
