# ScaLAPACK's own tests of PSGEMM and of LU on four ranks, which start with cold caches and fill them
# together.
set(tests ${library_folder}/scalapack/openmpi-tests)
need(${tests}/xslu scalapack-mpi-test)
need(/usr/bin/mpirun openmpi-bin)

# A part of Debian's own input, which takes seconds if all ranks share two cores.
file(READ ${tests}/PBLAS/PSBLAS3TST.dat text)
string(REGEX REPLACE "\n(PS[A-Z0-9]+ +)T" "\n\\1F" text "${text}")
string(REPLACE "PSGEMM  F" "PSGEMM  T" text "${text}")
string(REGEX REPLACE "\n4(\t+number of process grids)" "\n2\\1" text "${text}")
string(REGEX REPLACE "\n4(\t+number of tests problems)" "\n2\\1" text "${text}")
file(WRITE ${FOLDER}/PSBLAS3TST.dat "${text}")
file(READ ${tests}/LU.dat text)
string(REGEX REPLACE "\n3(\t+number of N)" "\n2\\1" text "${text}")
string(REGEX REPLACE "\n4(\t+number of process grids)" "\n2\\1" text "${text}")
file(WRITE ${FOLDER}/LU.dat "${text}")

set(variables OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OPENBLAS_NUM_THREADS=1
  POCL_CACHE_DIR=${FOLDER}/pocl CLGEMM_CACHE_DIR=${FOLDER}/cache CLGEMM_LOG=info)
file(MAKE_DIRECTORY ${FOLDER}/pocl)
set(four_ranks /usr/bin/mpirun --oversubscribe -n 4)

run_with_drop_in(COMMAND ${four_ranks} ${tests}/PBLAS/spb3tst VARIABLES ${variables})
expect("PSGEMM            4         4        0       0" "local rank 0 (OMPI_COMM_WORLD_LOCAL_RANK)"
  "local rank 3 (OMPI_COMM_WORLD_LOCAL_RANK)" "clgemm_blas: ")

run_with_drop_in(COMMAND ${four_ranks} ${tests}/xslu VARIABLES ${variables})
expect("   56 tests completed and passed residual checks." "    0 tests completed and failed residual checks."
  "clgemm_blas: ")
