# The output of `cmake --install`: library, headers, clgemm::clgemm for find_package(clgemm), clgemm.pc for
# pkg-config. It consists of the components `library`, `development`, `blas`, `blas_development`, `clblast`,
# `clblast_development` and `tools`.
include(CMakePackageConfigHelpers)

if(CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
  set(symbols ${CMAKE_CURRENT_LIST_DIR}/clgemm.map)
  target_link_options(clgemm PRIVATE "LINKER:--version-script=${symbols}")
  set_property(TARGET clgemm APPEND PROPERTY LINK_DEPENDS ${symbols})
endif()

# A static library passes the libraries that it links on to its users, and hides their names in their products. A C
# program also links the C++ runtime: what the C++ compiler adds by itself, without what every compiler adds.
set(static_runtime "")
set(pc_cflags "")
set(pc_libs_private "")
if(NOT BUILD_SHARED_LIBS)
  target_compile_definitions(clgemm_objects PRIVATE CLGEMM_STATIC)
  target_compile_definitions(clgemm PUBLIC CLGEMM_STATIC)
  set(static_runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
  list(REMOVE_ITEM static_runtime ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
  set(pc_cflags " -DCLGEMM_STATIC")
  list(TRANSFORM static_runtime PREPEND -l OUTPUT_VARIABLE runtime_flags)
  list(JOIN runtime_flags " " runtime_flags)
  set(pc_libs_private "Libs.private: ${runtime_flags} ${CMAKE_THREAD_LIBS_INIT}\n")
endif()

if(NOT CLGEMM_INSTALL)
  return()
endif()

install(TARGETS clgemm EXPORT clgemmTargets
  LIBRARY COMPONENT library NAMELINK_COMPONENT development ARCHIVE COMPONENT development RUNTIME COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/clgemm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT licence)

# find_package(clgemm)
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/clgemm)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/clgemm-config.cmake.in clgemm-config.cmake
  INSTALL_DESTINATION ${cmake_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/clgemm-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(EXPORT clgemmTargets NAMESPACE clgemm:: DESTINATION ${cmake_folder} COMPONENT development)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/clgemm-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/clgemm-config-version.cmake DESTINATION ${cmake_folder} COMPONENT development)

# pkg-config. Folders are relative to the prefix, and the prefix is relative to the file, so that the tree can
# move.
set(pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
set(pc_libdir ${CMAKE_INSTALL_LIBDIR})
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${to_prefix}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/clgemm.pc.in clgemm.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/clgemm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# The drop-in BLAS, and the files for linking programs with it.
if(TARGET clgemm_blas)
  install(TARGETS clgemm_blas clgemm_pilaenv
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT blas NAMELINK_COMPONENT blas_development)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/clgemm-blas.pc.in clgemm-blas.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/clgemm-blas.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT blas_development)
endif()

# CLBlast's interface.
if(TARGET clgemm_clblast)
  install(TARGETS clgemm_clblast
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT clblast NAMELINK_COMPONENT clblast_development)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/clgemm-clblast.pc.in clgemm-clblast.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/clgemm-clblast.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT clblast_development)
endif()
