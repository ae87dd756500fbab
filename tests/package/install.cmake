# Installs into a folder and moves that folder, because the package must work at any location.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${FOLDER})
run(${CMAKE_COMMAND} --install ${BUILD_TREE} --prefix ${FOLDER}/before --config ${CONFIG})
file(RENAME ${FOLDER}/before ${prefix})
