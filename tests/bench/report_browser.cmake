# A page of real results in a real browser: it renders, and the browser's console has nothing to complain about.
#   cmake -DBENCH=... -DRESULTS=... -DFOLDER=... -P report_browser.cmake
find_program(BROWSER NAMES chromium chromium-browser google-chrome)
if(NOT BROWSER)
  message("SKIPPED: no chromium here; no page was looked at")
  return()
endif()
file(GLOB results ${RESULTS}/*.json)
set(from "")
foreach(file ${results})
  list(APPEND from --from ${file})
endforeach()
execute_process(COMMAND ${BENCH} --report ${FOLDER} ${from} COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND ${BROWSER} --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir=${FOLDER}/profile
    --screenshot=${FOLDER}/page.png --window-size=1100,1600 --dump-dom file://${FOLDER}/index.html
  OUTPUT_VARIABLE dom ERROR_VARIABLE log RESULT_VARIABLE status TIMEOUT 60)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the browser ended with ${status}: ${log}")
endif()
if(log MATCHES "CONSOLE[^\n]*")
  message(FATAL_ERROR "the browser complains: ${CMAKE_MATCH_0}")
endif()
if(NOT dom MATCHES "<svg" OR NOT dom MATCHES "All figures")
  message(FATAL_ERROR "the page did not render")
endif()
