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
file(WRITE ${FOLDER}/samples.csv "m,n,k,config,seconds,predicted,batch
64,64,64,a X=1 SPLIT_K=1 Y=2,3e-6,2e-6,1
64,64,64,a X=1 SPLIT_K=4 Y=2,2e-6,3e-6,1
64,64,64,b,1e-6,4e-6,1
32,32,32,b,1e-6,1e-6,1
")
execute_process(COMMAND ${BENCH} --report ${FOLDER}/h200-seeds --from ${RESULTS}/h200-seeds.json --samples ${FOLDER}/samples.csv
  COMMAND_ERROR_IS_FATAL ANY)
foreach(name h200-random-2611 h200-shapes pocl-avx512-ladder)
  report(${name} ${RESULTS}/${name}.json)
endforeach()
report(odd ${FOLDER}/odd.json)
execute_process(COMMAND ${PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/report_browser.py ${BROWSER} ${FOLDER}
  COMMAND_ERROR_IS_FATAL ANY)
