# Every name that libclgemm_clblast exports is one of CLBlast's, so it hides no name of another library.
#
#     -D LIBRARY=libclgemm_clblast.so -D CLBLAST=libclblast.so -D NM=nm
cmake_minimum_required(VERSION 3.22)
foreach(library LIBRARY CLBLAST)
  execute_process(COMMAND ${NM} -D --defined-only ${${library}} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[^\n]* ([^ \n]+)\n" "\\1;" names_of_${library} "${text}")
endforeach()
list(LENGTH names_of_LIBRARY count)
list(REMOVE_ITEM names_of_LIBRARY "" ${names_of_CLBLAST})
if(names_of_LIBRARY OR count LESS 15)
  message(FATAL_ERROR "of ${count} names CLBlast does not have: ${names_of_LIBRARY}")
endif()
