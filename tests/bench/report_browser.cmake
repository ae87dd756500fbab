# A page of real results in a real browser (report_browser.py).
#   cmake -DBENCH=... -DRESULTS=... -DFOLDER=... -DPYTHON=... -P report_browser.cmake
find_program(BROWSER NAMES chromium chromium-browser google-chrome)
if(NOT BROWSER OR NOT PYTHON)
  message("SKIPPED: no chromium or no python3 here; no page was looked at")
  return()
endif()
file(GLOB results ${RESULTS}/*.json)
set(from "")
foreach(file ${results})
  list(APPEND from --from ${file})
endforeach()
execute_process(COMMAND ${BENCH} --report ${FOLDER} ${from} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/report_browser.py ${BROWSER} ${FOLDER}
  COMMAND_ERROR_IS_FATAL ANY)
