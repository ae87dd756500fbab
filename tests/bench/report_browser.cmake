# Shows pages of real results, and of odd ones, in a real browser (report_browser.py).
#
#     cmake -DBENCH=... -DRESULTS=... -DFOLDER=... -DPYTHON=... -P report_browser.cmake
find_program(BROWSER NAMES chromium chromium-browser google-chrome)
if(NOT BROWSER OR NOT PYTHON)
  message("SKIPPED: no chromium or no python3 here; no page was looked at")
  return()
endif()
file(REMOVE_RECURSE ${FOLDER})
function(report name)
  set(from "")
  foreach(file ${ARGN})
    list(APPEND from --from ${file})
  endforeach()
  execute_process(COMMAND ${BENCH} --report ${FOLDER}/${name} ${from} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
execute_process(COMMAND ${PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/report_browser.py odd-results ${RESULTS}/h200-seeds.json ${FOLDER}
  COMMAND_ERROR_IS_FATAL ANY)
file(GLOB results ${RESULTS}/*.json)
report(all ${results})
foreach(name h200-seeds h200-random-2611 h200-shapes pocl-avx512-ladder)
  report(${name} ${RESULTS}/${name}.json)
endforeach()
report(odd ${FOLDER}/odd.json)
execute_process(COMMAND ${PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/report_browser.py ${BROWSER} ${FOLDER}
  COMMAND_ERROR_IS_FATAL ANY)
