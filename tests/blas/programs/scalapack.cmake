# ScaLAPACK's own tests of PSGEMM and of LU, four ranks, which find the caches cold and fill them together.
set(tests ${library_folder}/scalapack/openmpi-tests)
need(${tests}/xslu scalapack-mpi-test)
need(/usr/bin/mpirun openmpi-bin)

# Problem sizes and grids that take seconds where all ranks share two cores.
file(READ ${tests}/PBLAS/PSBLAS3TST.dat text)
string(REGEX REPLACE "(PS[SGT][YREA][MRDK2][A-Z0-9]* *)T\t" "\\1F\t" text "${text}")
string(REGEX REPLACE "PSGEMM  F" "PSGEMM  T" text "${text}")
string(REPLACE "4\t\tnumber of process grids" "2\t\tnumber of process grids" text "${text}")
string(REPLACE "4\t\tnumber of tests problems" "2\t\tnumber of tests problems" text "${text}")
file(WRITE ${FOLDER}/PSBLAS3TST.dat "${text}")
file(WRITE ${FOLDER}/LU.dat "'SCALAPACK, LU factorization input file'
'MPI Machine'
'LU.out'  output file name (if any)
6         device out
2         number of problems sizes
31 57     values of M
31 50     values of N
1         number of NB's
4         values of NB
1         number of NRHS's
9         values of NRHS
1         number of NBRHS's
5         values of NBRHS
2         number of process grids (ordered pairs of P & Q)
2 1       values of P
2 4       values of Q
1.0       threshold
T         (T or F) Test Cond. Est. and Iter. Ref. Routines
")

set(variables OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OPENBLAS_NUM_THREADS=1
  POCL_CACHE_DIR=${FOLDER}/pocl CLGEMM_CACHE_DIR=${FOLDER}/cache CLGEMM_LOG=info)
file(MAKE_DIRECTORY ${FOLDER}/pocl)
set(four_ranks /usr/bin/mpirun --oversubscribe -n 4)

run_with_drop_in(COMMAND ${four_ranks} ${tests}/PBLAS/spb3tst VARIABLES ${variables})
expect("PSGEMM            4         4        0       0" "local rank 0 (OMPI_COMM_WORLD_LOCAL_RANK)"
  "local rank 3 (OMPI_COMM_WORLD_LOCAL_RANK)" "clgemm_blas: ")

run_with_drop_in(COMMAND ${four_ranks} ${tests}/xslu VARIABLES ${variables})
expect("    0 tests completed and failed residual checks." "clgemm_blas: ")
