# Makes a static build of the library in another tree with the objects of this build. Only the package is
# tested, so nothing is compiled twice except what CLGEMM_STATIC changes in the headers, and the file without zstd.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD_TREE} -G ${GENERATOR} -D BUILD_SHARED_LIBS=OFF
  -D CMAKE_BUILD_TYPE=${CONFIG} -D CLGEMM_BUILD_TESTS=OFF -D CLGEMM_BUILD_TOOLS=OFF -D CLGEMM_BUILD_BLAS=OFF -D CLGEMM_BUILD_CLBLAST=OFF
  -D CMAKE_C_COMPILER=${C_COMPILER} -D CMAKE_CXX_COMPILER=${CXX_COMPILER})
foreach(header clgemm.h clgemm.hpp)
  run(${CXX_COMPILER} ${FLAGS} -std=c++20 -D CLGEMM_STATIC -D CLGEMM_BUILDING -I ${SOURCE}/include
    -fsyntax-only -include clgemm/${header} -x c++ /dev/null)
endforeach()
file(COPY_FILE ${ARCHIVE} ${BUILD_TREE}/src/libclgemm.a)
run(${CXX_COMPILER} -std=c++20 -I ${SOURCE}/src -c ${SOURCE}/src/build/decompress.cpp -o ${BUILD_TREE}/decompress.cpp.o)
run(${AR} r ${BUILD_TREE}/src/libclgemm.a ${BUILD_TREE}/decompress.cpp.o)
