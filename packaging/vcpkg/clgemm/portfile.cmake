# vcpkg, as an overlay port of the tree that has this file:
#
#   vcpkg install clgemm --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS feature_options FEATURES tools CLGEMM_BUILD_TOOLS)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${feature_options} -DCLGEMM_BUILD_BLAS=OFF -DCLGEMM_BUILD_CLBLAST=OFF -DCLGEMM_BUILD_TESTS=OFF -DCLGEMM_BUILD_PYTHON=OFF -DCLGEMM_PRECOMPILED=OFF -DCLGEMM_WARNINGS_AS_ERRORS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/clgemm)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES clgemm-bench clgemm-tune AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
