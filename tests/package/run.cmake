# Functions for all steps.

# Runs a command. The test fails if the command fails.
function(run)
  list(JOIN ARGN " " line)
  message(STATUS "${line}")
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Runs a command and sets `result` to its output.
function(output_of result)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

set(prefix ${FOLDER}/prefix)
list(JOIN FLAGS " " flags_in_line)

# Installs one component. Ends the test unless it has these files below the folder of libraries.
function(demand_component component files)
  set(alone ${FOLDER}/${component}-alone)
  file(REMOVE_RECURSE ${alone})
  run(${CMAKE_COMMAND} --install ${BUILD_TREE} --prefix ${alone} --config ${CONFIG} --component ${component})
  file(GLOB_RECURSE found RELATIVE ${alone}/${LIBRARY_FOLDER} ${alone}/*)
  list(SORT found)
  if(NOT found STREQUAL files)
    message(FATAL_ERROR "the component '${component}' has ${found}, and not ${files}")
  endif()
endfunction()
