# clgemm-bench makes the figures in the texts from tools/bench/results/*.json: all tables in docs/results.md, the
# README's table, its picture docs/h200.svg, and the rates in docs/ladder.md. This script also makes the tables of
# docs/tuning.md, from kernels/tuned/*.json.
#   cmake -DBENCH=... -DSOURCE=... [-DRENEW=ON] -P readme_results.cmake
# RENEW writes them (target readme_results). Without it, a difference is an error.
cmake_minimum_required(VERSION 3.22)
set(results ${SOURCE}/tools/bench/results)

# Checks that the file has this text, or writes it.
function(demand file wanted)
  set(text "")
  if(EXISTS ${SOURCE}/${file})
    file(READ ${SOURCE}/${file} text)
  endif()
  if(wanted STREQUAL text)
    return()
  endif()
  if(NOT RENEW)
    message(FATAL_ERROR "${file} differs from the JSON files: cmake --build --preset release --target readme_results")
  endif()
  file(WRITE ${SOURCE}/${file} "${wanted}")
endfunction()

# Checks that the file has this text between its two marks, or writes it.
function(demand_between_marks file tables)
  set(begin "<!-- results: made by `cmake --build --preset release --target readme_results` -->\n")
  set(end "<!-- end of results -->\n")
  file(READ ${SOURCE}/${file} text)
  string(FIND "${text}" "${begin}" from)
  string(FIND "${text}" "${end}" to)
  if(from EQUAL -1 OR to EQUAL -1)
    message(FATAL_ERROR "${file} has no place for the results: ${begin}${end}")
  endif()
  string(SUBSTRING "${text}" 0 ${from} before)
  string(SUBSTRING "${text}" ${to} -1 after)
  demand(${file} "${before}${begin}${tables}${after}")
endfunction()

# Returns the cells of a Markdown table's row that begins with this cell.
function(cells_of variable table first)
  string(FIND "${table}" "\n| ${first} | " from)
  if(from EQUAL -1)
    message(FATAL_ERROR "the README's table has a row that is not in the results: ${first}")
  endif()
  string(SUBSTRING "${table}" ${from} -1 row)
  string(REGEX MATCH "\\| ([^\n]*) \\|\n" row "${row}")
  string(REPLACE " | " ";" cells "${CMAKE_MATCH_1}")
  set(${variable} ${cells} PARENT_SCOPE)
endfunction()

# Adds the README's rows for one machine: three sizes, clgemm and two of its peers.
function(add_rows machine file vendor clblast)
  execute_process(COMMAND ${BENCH} --markdown ${results}/${file} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
  cells_of(titles "${table}" "m x n x k")
  foreach(size 256 1024 4096)
    cells_of(cells "${table}" ${size})
    set(row "| ${machine} | ${size} |")
    foreach(column clgemm "${vendor}" "${clblast}")
      list(FIND titles "${column}" at)
      if(at EQUAL -1)
        message(FATAL_ERROR "${file} has no ${column}")
      endif()
      list(GET cells ${at} rate)
      string(APPEND row " ${rate} |")
      if(NOT column STREQUAL "clgemm")
        math(EXPR at "${at} + 1")
        list(GET cells ${at} ratio)
        string(APPEND row " ${ratio} |")
      endif()
    endforeach()
    string(APPEND rows "${row}\n")
  endforeach()
  set(rows "${rows}" PARENT_SCOPE)
endfunction()

# A browser draws the picture. It shows clgemm's own choice, and peers that compute in fp32.
function(demand_picture picture file)
  find_program(BROWSER NAMES chromium chromium-browser google-chrome)
  if(NOT BROWSER)
    message("no chromium here: ${picture} was not checked")
    return()
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/readme_results)
  execute_process(COMMAND ${BENCH} --report ${folder} --from ${results}/${file} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${BROWSER} --headless --no-sandbox --disable-gpu --disable-dev-shm-usage
    --user-data-dir=${folder}/profile --dump-dom
    "file://${folder}/index.html#picture=gflops&without=naive,tiled,cuBLAS%20TF32"
    OUTPUT_VARIABLE page ERROR_QUIET TIMEOUT 60 COMMAND_ERROR_IS_FATAL ANY)
  if(NOT page MATCHES "<svg.*</svg>")
    message(FATAL_ERROR "the browser drew no picture")
  endif()
  demand(${picture} "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n${CMAKE_MATCH_0}\n")
endfunction()

# Checks the ladder's headings, "## tiled: 5523 GFLOPS", and its peak. A step that the results do not have is "not
# measured on a GPU".
function(demand_ladder)
  execute_process(COMMAND ${BENCH} --markdown ${results}/h200-ladder.json OUTPUT_VARIABLE ladder COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${BENCH} --markdown ${results}/h200-seeds.json OUTPUT_VARIABLE squares COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${SOURCE}/docs/ladder.md text)
  string(REGEX MATCHALL "## [a-z0-9_]+: ([0-9.]+ GFLOPS|not measured on a GPU)" headings "${text}")
  foreach(heading ${headings})
    string(REGEX MATCH "## ([a-z0-9_]+)" name "${heading}")
    set(name ${CMAKE_MATCH_1})
    if(name STREQUAL "fp16x3_wgmma")  # clgemm's own choice
      cells_of(cells "${squares}" 4096)
    elseif(name STREQUAL "vector")
      cells_of(cells "${ladder}" "`float4`")
    elseif(ladder MATCHES "`${name}`")
      cells_of(cells "${ladder}" "`${name}`")
    else()
      set(cells "")
    endif()
    set(figure "not measured on a GPU")
    if(cells)
      list(GET cells 1 figure)
      string(APPEND figure " GFLOPS")
    endif()
    string(REPLACE "${heading}" "## ${name}: ${figure}" text "${text}")
  endforeach()
  if(ladder MATCHES "Measured peak: ([0-9]+) GFLOPS")
    string(REGEX REPLACE "was measured as [0-9]+" "was measured as ${CMAKE_MATCH_1}" text "${text}")
  endif()
  demand(docs/ladder.md "${text}")
endfunction()

include(${CMAKE_CURRENT_LIST_DIR}/results_sections.cmake)
demand_between_marks(docs/results.md "${text}")
demand_between_marks(docs/tuning.md "${tuned}")

set(rows "")
add_rows("NVIDIA H200" h200-seeds.json "cuBLAS fp32" "CLBlast tuned")
add_rows("CPU, two AVX-512 cores" pocl-avx512-seeds.json "OpenBLAS" "CLBlast")
demand_between_marks(README.md "| | m = n = k | clgemm | cuBLAS fp32 (CPU: OpenBLAS) | ratio | CLBlast | ratio |
|---|--:|--:|--:|--:|--:|--:|
${rows}")

demand_picture(docs/h200.svg h200-seeds.json)
demand_ladder()
