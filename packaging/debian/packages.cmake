# The Debian packages, made by CPack: libclgemm0, libclgemm-dev, libclgemm-blas0, libclgemm-blas-dev,
# libclgemm-clblast0, libclgemm-clblast-dev, clgemm-tools, python3-clgemm.
#
#     cmake --preset package && cmake --build --preset package      # build/package/*.deb
#
# The names libclgemm0, libclgemm-blas0 and libclgemm-clblast0 follow the SONAMEs (docs/versions.md).
set(debian ${CMAKE_CURRENT_LIST_DIR})
set(release 0upstream1)  # sorts before a package of Debian's own
set(library_package libclgemm${CLGEMM_SONAME_NUMBER})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME clgemm)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_CONTACT "The clgemm maintainers <maintainers@clgemm.example>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${release})
set(CPACK_DEBIAN_PACKAGE_SOURCE clgemm)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

find_program(GZIP gzip REQUIRED)

# CPack's own scripts call ldconfig, for which Debian has a trigger. Paths without a script replace them.
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
foreach(component LIBRARY BLAS CLBLAST)
  set(CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers
    ${debian}/none/postinst ${debian}/none/postrm)
endforeach()

# DESCRIPTION's first line is the synopsis.
function(debian_package component name section description)
  cmake_parse_arguments(package "" "" "DEPENDS;RECOMMENDS" ${ARGN})
  string(TOUPPER ${component} key)
  list(JOIN package_DEPENDS ", " depends)
  list(JOIN package_RECOMMENDS ", " recommends)
  foreach(variable_value "NAME=${name}" "SECTION=${section}" "DEPENDS=${depends}" "RECOMMENDS=${recommends}")
    string(REGEX MATCH "^([A-Z]+)=(.*)$" found "${variable_value}")
    if(NOT CMAKE_MATCH_2 STREQUAL "")
      set(CPACK_DEBIAN_${key}_PACKAGE_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}" PARENT_SCOPE)
    endif()
  endforeach()
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${description}" PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)

  # The files of every package: the licence, and the changes.
  set(folder ${PROJECT_BINARY_DIR}/debian)
  configure_file(${debian}/changelog.in ${folder}/changelog @ONLY)
  foreach(file ${folder}/changelog ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
    execute_process(COMMAND ${GZIP} -9nc ${file} OUTPUT_FILE ${folder}/compressed COMMAND_ERROR_IS_FATAL ANY)
    if(file MATCHES "md$")
      file(COPY_FILE ${folder}/compressed ${folder}/changelog.gz)
    else()
      file(COPY_FILE ${folder}/compressed ${folder}/changelog.Debian.gz)
    endif()
  endforeach()
  install(FILES ${debian}/copyright ${folder}/changelog.gz ${folder}/changelog.Debian.gz
    DESTINATION share/doc/${name} COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

set(what "clgemm multiplies single-precision matrices on any OpenCL device: GPUs of\n\
NVIDIA, AMD and Intel, and CPUs through PoCL. Its kernels are .cl files that\n\
describe themselves and are compiled while the program runs; the fastest for\n\
the device and the shape is chosen.")
set(same_version "${library_package} (= ${PROJECT_VERSION}-${release})")

debian_package(library ${library_package} libs
  "matrix multiplication for any OpenCL device - shared library\n${what}\n\nThis package has the shared library."
  RECOMMENDS "pocl-opencl-icd | opencl-icd")
debian_package(development libclgemm-dev libdevel
  "matrix multiplication for any OpenCL device - headers\n${what}\n\n\
This package has the headers in C and C++, and what CMake and pkg-config\nfind the library by."
  DEPENDS "${same_version}" "ocl-icd-opencl-dev | opencl-dev")
if(TARGET clgemm_blas)
  set(blas_package libclgemm-blas${CLGEMM_SONAME_NUMBER})
  debian_package(blas ${blas_package} libs
    "SGEMM of the BLAS on any OpenCL device - shared library\n${what}\n\n\
This package has a library that is loaded in front of the BLAS of a program\n\
which knows nothing of clgemm, and takes its large SGEMMs."
    DEPENDS "${same_version}" RECOMMENDS "libblas3 | libblas.so.3")
  debian_package(blas_development libclgemm-blas-dev libdevel
    "SGEMM of the BLAS on any OpenCL device - for linking\n${what}\n\n\
This package has what a program is linked with the drop-in BLAS by, also by\n\
pkg-config; its headers are those of the BLAS."
    DEPENDS "${blas_package} (= ${PROJECT_VERSION}-${release})" RECOMMENDS "libblas-dev | libblas.so")
endif()
if(TARGET clgemm_clblast)
  set(clblast_package libclgemm-clblast${CLGEMM_SONAME_NUMBER})
  debian_package(clblast ${clblast_package} libs
    "SGEMM of CLBlast on any OpenCL device - shared library\n${what}\n\n\
This package has a library that is loaded in front of CLBlast in a program\n\
which knows nothing of clgemm, and takes its SGEMMs."
    DEPENDS "${same_version}" RECOMMENDS "libclblast1")
  debian_package(clblast_development libclgemm-clblast-dev libdevel
    "SGEMM of CLBlast on any OpenCL device - for linking\n${what}\n\n\
This package has what a program is linked with the library by, also by\n\
pkg-config; its headers are those of CLBlast."
    DEPENDS "${clblast_package} (= ${PROJECT_VERSION}-${release})" "libclblast-dev")
endif()
debian_package(tools clgemm-tools science
  "matrix multiplication for any OpenCL device - bench and tuner\n${what}\n\n\
This package has clgemm-bench, which measures kernels beside their peers and\n\
checks every result, clgemm-tune, which finds the fastest for a device, and\n\
the kernels as files to begin one's own from."
  RECOMMENDS "pocl-opencl-icd | opencl-icd" "libclblast1")
if(TARGET clgemm_python)
  math(EXPR next_minor "${CLGEMM_PYTHON_MINOR} + 1")
  debian_package(python python3-clgemm python
    "matrix multiplication for any OpenCL device - Python 3\n${what}\n\n\
This package has the Python module, for arrays of NumPy and of PyOpenCL."
    DEPENDS "${same_version}" "python3 (>= 3.${CLGEMM_PYTHON_MINOR})" "python3 (<< 3.${next_minor})" "python3-numpy"
    RECOMMENDS "clgemm-tools" "python3-pyopencl")
  # These scripts compile the module's files, and remove the compiled ones.
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${debian}/python/postinst ${debian}/python/prerm)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION ON)
endif()
include(CPack)
