# Installs the drop-in BLAS as separate components, which share no file, after the library. Links with the
# output of clgemm-blas.pc, and runs the program.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
if(NOT PKG_CONFIG OR NOT EXISTS ${prefix}/${LIBRARY_FOLDER}/libclgemm_blas.so)
  message(STATUS "SKIPPED: no pkg-config, or no libclgemm_blas.so")
  return()
endif()
set(links libclgemm_blas.so libclgemm_pilaenv.so)
file(READ_SYMLINK ${prefix}/${LIBRARY_FOLDER}/libclgemm_blas.so with_number)
string(REGEX REPLACE "^libclgemm_blas" "" number ${with_number})
set(libraries "")
foreach(name libclgemm_blas libclgemm_pilaenv)
  list(APPEND libraries ${name}${number} ${name}.so.${VERSION})
endforeach()
demand_component(blas "${libraries}")
demand_component(blas_development "${links};pkgconfig/clgemm-blas.pc")

set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBRARY_FOLDER}/pkgconfig)
set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBRARY_FOLDER})
output_of(link ${PKG_CONFIG} --libs clgemm-blas)
separate_arguments(link UNIX_COMMAND "${link}")
file(WRITE ${FOLDER}/drop_in.c "
void cblas_sgemm(int layout, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a, int lda,
                 const float* b, int ldb, float beta, float* c, int ldc);
int main(void) {
  const float two = 2.0f, three = 3.0f;
  float c = 0.0f;
  cblas_sgemm(101, 111, 111, 1, 1, 1, 1.0f, &two, 1, &three, 1, 0.0f, &c, 1);
  return c == 6.0f ? 0 : 1;
}
")
run(${C_COMPILER} ${FLAGS} ${FOLDER}/drop_in.c -o ${FOLDER}/drop_in ${link})
run(${FOLDER}/drop_in)
