# Installs CLBlast's interface as separate components, which share no file, after the library. Links with the
# output of clgemm-clblast.pc, and runs the program.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
if(NOT PKG_CONFIG OR NOT EXISTS ${prefix}/${LIBRARY_FOLDER}/libclgemm_clblast.so)
  message(STATUS "SKIPPED: no pkg-config, or no libclgemm_clblast.so")
  return()
endif()
file(READ_SYMLINK ${prefix}/${LIBRARY_FOLDER}/libclgemm_clblast.so with_number)
demand_component(clblast "${with_number};libclgemm_clblast.so.${VERSION}")
demand_component(clblast_development "libclgemm_clblast.so;pkgconfig/clgemm-clblast.pc")

set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBRARY_FOLDER}/pkgconfig)
set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBRARY_FOLDER})
output_of(link ${PKG_CONFIG} --libs clgemm-clblast)
separate_arguments(link UNIX_COMMAND "${link}")
run(${C_COMPILER} ${FLAGS} ${SOURCE}/tests/clblast/alone_test.c -o ${FOLDER}/alone ${link} -lOpenCL)
run(${FOLDER}/alone)
