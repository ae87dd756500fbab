# Runs vcpkg's port with stand-ins for vcpkg's functions, which check their arguments. The options must be
# those of the project, and each file must exist when it is named. Needs the package's objects in ARCHIVE.
#
#     cmake -D SOURCE=... -D ARCHIVE=... -D TOOLS=... -D FOLDER=... -D "FEATURES=..." -P vcpkg_port.cmake
cmake_minimum_required(VERSION 3.22)
set(CURRENT_PACKAGES_DIR ${FOLDER}/packages)
set(CURRENT_BUILDTREES_DIR ${FOLDER}/tree)
file(REMOVE_RECURSE ${FOLDER})

function(demand)
  foreach(path ${ARGN})
    if(NOT EXISTS ${path})
      message(FATAL_ERROR "the port names ${path}, which is not there")
    endif()
  endforeach()
endfunction()

function(parse one_value several flags)
  cmake_parse_arguments(arg "${flags}" "${one_value}" "${several}" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "not arguments of vcpkg's: ${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  foreach(name ${one_value} ${several} ${flags})
    set(arg_${name} "${arg_${name}}" PARENT_SCOPE)
  endforeach()
endfunction()

function(vcpkg_check_features)
  parse(OUT_FEATURE_OPTIONS FEATURES "" ${ARGN})
  set(options "")
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature option)
    if(feature IN_LIST FEATURES)
      list(APPEND options -D${option}=ON)
    else()
      list(APPEND options -D${option}=OFF)
    endif()
  endwhile()
  set(${arg_OUT_FEATURE_OPTIONS} "${options}" PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  parse(SOURCE_PATH OPTIONS "" ${ARGN})
  demand(${arg_SOURCE_PATH}/CMakeLists.txt)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${CURRENT_BUILDTREES_DIR} -D CMAKE_BUILD_TYPE=Release
    -D BUILD_SHARED_LIBS=OFF -D CMAKE_INSTALL_LIBDIR=lib -D CMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} ${arg_OPTIONS}
    OUTPUT_VARIABLE said ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  if(said MATCHES "Manually-specified variables were not used[^\n]*\n+([^\n]*)")
    message(FATAL_ERROR "the port has an option that the project has not:${CMAKE_MATCH_1}")
  endif()
endfunction()

# Compiles nothing. Files that were built elsewhere are copied to the tree.
function(vcpkg_cmake_install)
  file(COPY_FILE ${ARCHIVE} ${CURRENT_BUILDTREES_DIR}/src/libclgemm.a)
  if("tools" IN_LIST FEATURES)
    file(COPY ${TOOLS}/bench/clgemm-bench DESTINATION ${CURRENT_BUILDTREES_DIR}/tools/bench)
    file(COPY ${TOOLS}/tune/clgemm-tune DESTINATION ${CURRENT_BUILDTREES_DIR}/tools/tune)
    file(GLOB pages ${TOOLS}/*.1.gz)
    file(COPY ${pages} DESTINATION ${CURRENT_BUILDTREES_DIR}/tools)
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${CURRENT_BUILDTREES_DIR} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_config_fixup)
  parse("PACKAGE_NAME;CONFIG_PATH" "" "" ${ARGN})
  demand(${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/clgemm-config.cmake)
endfunction()

function(vcpkg_fixup_pkgconfig)
  parse("" "" "" ${ARGN})
  demand(${CURRENT_PACKAGES_DIR}/lib/pkgconfig/clgemm.pc)
endfunction()

function(vcpkg_copy_tools)
  parse(SEARCH_DIR TOOL_NAMES AUTO_CLEAN ${ARGN})
  foreach(tool ${arg_TOOL_NAMES})
    demand(${CURRENT_PACKAGES_DIR}/bin/${tool})
    if(arg_AUTO_CLEAN)
      file(REMOVE ${CURRENT_PACKAGES_DIR}/bin/${tool})
    endif()
  endforeach()
endfunction()

function(vcpkg_install_copyright)
  parse(COMMENT FILE_LIST "" ${ARGN})
  demand(${arg_FILE_LIST})
endfunction()

include(${SOURCE}/packaging/vcpkg/clgemm/portfile.cmake)

demand(${CURRENT_PACKAGES_DIR}/include/clgemm/clgemm.hpp ${CURRENT_PACKAGES_DIR}/lib/libclgemm.a)
# vcpkg rejects a static package with programs or shared libraries in these folders.
file(GLOB left ${CURRENT_PACKAGES_DIR}/bin/* ${CURRENT_PACKAGES_DIR}/lib/*.so*)
if(left)
  message(FATAL_ERROR "a static package has ${left}")
endif()
