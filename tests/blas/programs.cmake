# Runs another program with the drop-in in front of its own BLAS, and checks its output.
#
#     -D PROGRAM=a name below, -D DROP_IN=libclgemm_blas.so, -D FOLDER=to work in, and what the program's own part says
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
set(library_folder /usr/lib/${ARCHITECTURE})

# Skips the test if there is no such file.
macro(need file package)
  if(NOT EXISTS ${file})
    message(STATUS "SKIPPED: there is no ${file} (Debian: ${package})")
    return()
  endif()
endmacro()

# Sets `variable` to a command that loads these libraries before others. They are loaded by name because a
# space ends a path in LD_PRELOAD.
function(preload variable)
  set(names "")
  set(folders "")
  foreach(library ${ARGN})
    cmake_path(GET library FILENAME name)
    cmake_path(GET library PARENT_PATH folder)
    string(APPEND names "${name}:")
    string(APPEND folders "${folder}:")
  endforeach()
  string(REGEX REPLACE ":$" "" folders "${folders}$ENV{LD_LIBRARY_PATH}")
  set(${variable} "LD_PRELOAD=${names}" "LD_LIBRARY_PATH=${folders}" PARENT_SCOPE)
endfunction()

# Runs a command with the drop-in, in FOLDER, and sets `output`. Every call goes to the device. The program's own libraries
# may be in LIBRARY_FOLDER.
function(run_with_drop_in)
  cmake_parse_arguments(run "" "INPUT;LIBRARY_FOLDER" "VARIABLES;COMMAND" ${ARGN})
  set(input "")
  if(run_INPUT)
    set(input INPUT_FILE ${run_INPUT})
  endif()
  preload(drop_in ${DROP_IN})
  if(run_LIBRARY_FOLDER)
    string(APPEND drop_in ":${run_LIBRARY_FOLDER}")  # after the folder of the drop-in
  endif()
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env ${drop_in} CLGEMM_BLAS_CROSSING=0 CLGEMM_BLAS_LOG=summary ${run_VARIABLES}
            ${run_COMMAND}
    WORKING_DIRECTORY ${FOLDER} ${input} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  message(STATUS "${output}")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${run_COMMAND}: ${status}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Checks that the output has each of these.
function(expect)
  foreach(text ${ARGN})
    string(FIND "${output}" "${text}" place)
    if(place EQUAL -1)
      message(FATAL_ERROR "the output has no \"${text}\"")
    endif()
  endforeach()
endfunction()

include(${CMAKE_CURRENT_LIST_DIR}/programs/${PROGRAM}.cmake)
