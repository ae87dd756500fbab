# Runs every kernel under Oclgrind, which must find no race, no access out of bounds and no divergent barrier.
# First checks that it finds each of them in kernels made for this.
#
#     cmake -DPROGRAM=watched -DSOURCE=... -DFOLDER=... -P oclgrind.cmake
file(GLOB icd /usr/lib/oclgrind/liboclgrind-rt-icd.so /usr/local/lib/oclgrind/liboclgrind-rt-icd.so
  /usr/lib/*/oclgrind/liboclgrind-rt-icd.so)
if(NOT icd)
  message("SKIPPED: there is no Oclgrind (Debian: oclgrind); races and stray accesses of kernels are NOT TESTED")
  return()
endif()
list(GET icd 0 icd)
file(REMOVE_RECURSE ${FOLDER})
file(WRITE ${FOLDER}/icd/oclgrind.icd "${icd}\n")
set(ENV{OCL_ICD_VENDORS} ${FOLDER}/icd)
set(ENV{CLGEMM_DEVICE} Oclgrind)
set(ENV{CLGEMM_CACHE} 0)
set(ENV{OCLGRIND_DATA_RACES} 1)
set(ENV{OCLGRIND_LOCAL_MEM_SIZE} 262144)  # like PoCL
set(ENV{OCLGRIND_MAX_ERRORS} 20)
# `restrict` in inlined functions becomes an intrinsic that Oclgrind 21.10 does not know. Removing it changes
# no access.
set(ENV{OCLGRIND_BUILD_OPTIONS} "-Drestrict= -w")

# Runs the program with kernels of `kernel_folder` first. Sets `status`, `output` and `log`.
function(watch kernel_folder)
  set(ENV{CLGEMM_KERNEL_DIR} ${kernel_folder})
  set(ENV{OCLGRIND_LOG} ${FOLDER}/log)
  file(WRITE ${FOLDER}/log "")
  execute_process(COMMAND ${PROGRAM} ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  file(READ ${FOLDER}/log found)
  set(status ${result} PARENT_SCOPE)
  set(output "${text}" PARENT_SCOPE)
  set(log "${found}" PARENT_SCOPE)
endfunction()

# Checks that each fault is found: 1, 2 and 3 as in faulty.cl.in. Without a fault, nothing is found.
foreach(fault "0 sound " "1 race race" "2 out_of_bounds Invalid write" "3 divergent_barrier divergence")
  string(REGEX MATCH "^([0-9]) ([a-z_]+) (.*)$" parts "${fault}")
  set(FAULT_NUMBER ${CMAKE_MATCH_1})
  set(FAULT ${CMAKE_MATCH_2})
  set(words "${CMAKE_MATCH_3}")
  configure_file(${SOURCE}/tests/oclgrind/faulty.cl.in ${FOLDER}/faulty/${FAULT}.cl @ONLY)
  watch(${FOLDER}/faulty ${FAULT})
  if(FAULT STREQUAL sound AND NOT (log STREQUAL "" AND status EQUAL 0))
    message(FATAL_ERROR "Oclgrind finds fault with a sound kernel:\n${output}\n${log}")
  elseif(NOT log MATCHES "${words}")
    message(FATAL_ERROR "Oclgrind does not find the fault '${FAULT}': '${words}' is not in its log\n${output}\n${log}")
  endif()
endforeach()

# Oclgrind reports a GPU, so the kernels for CPUs run without their `require: is_cpu`.
file(GLOB kernels ${SOURCE}/kernels/*.cl)
foreach(kernel IN LISTS kernels)
  file(READ ${kernel} text)
  get_filename_component(name ${kernel} NAME)
  string(REPLACE "// require: is_cpu\n" "" open "${text}")
  if(NOT open STREQUAL text)
    file(WRITE ${FOLDER}/kernels/${name} "${open}")
  endif()
endforeach()
# Writes a kernel under another name, and replaces some lines of its manifest: LINE NEW_LINE ... The configs
# to calibrate are removed because the new lines may not allow their values.
function(variant kernel name)
  file(READ ${SOURCE}/kernels/${kernel}.cl text)
  string(REGEX REPLACE "// calibrate: [^\n]*\n" "" text "${text}")
  set(replacements "// clgemm: ${kernel}" "// clgemm: ${name}" ${ARGN})
  while(replacements)
    list(POP_FRONT replacements line new_line)
    string(FIND "${text}" "${line}\n" place)
    if(place EQUAL -1)
      message(FATAL_ERROR "${kernel}.cl has no line '${line}'")
    endif()
    string(REPLACE "${line}\n" "${new_line}\n" text "${text}")
  endwhile()
  file(WRITE ${FOLDER}/kernels/${name}.cl "${text}")
endfunction()

# Covers features that few configs have, with steps so small that the small matrices need several. These are
# direct's asynchronous copies and block_2d's reading ahead. Oclgrind executes such copies as plain ones, so a
# stage must not be written while a work-item reads it.
variant(direct direct_async "// param: COPIES = 2 in 1 2 3" "// param: COPIES = 3 in 3"
  "// param: DEPTH = 8 in 8 16" "// param: DEPTH = 8 in 8" "// param: SLICES = 4 in 1 2 4 8 16" "// param: SLICES = 1 in 1"
  "// require: COPIES < 3 || nvidia_sm >= 80" "// require: COPIES <= 3")
variant(block_2d block_2d_ahead "// param: AHEAD = 0 in 0 1" "// param: AHEAD = 1 in 1" "// param: BK = 8 in 8 16" "// param: BK = 8 in 8")
# The epilogue of the kernels on tensor cores, with each way to write C. Oclgrind cannot run these kernels
# themselves.
foreach(way 0 1 2)
  file(READ ${SOURCE}/tests/data/kernels/fragments.cl text)
  string(REPLACE "// clgemm: fragments" "// clgemm: fragments_${way}" text "${text}")
  string(REPLACE "// param: WAY = 0 in 0 1 2 " "// param: WAY = ${way} in ${way} " text "${text}")
  file(WRITE ${FOLDER}/kernels/fragments_${way}.cl "${text}")
endforeach()
watch(${FOLDER}/kernels)
message("${output}")
foreach(name direct_async block_2d_ahead fragments_0 fragments_1 fragments_2)
  if(NOT output MATCHES "watched: ${name}")
    message(FATAL_ERROR "${name} was not watched")
  endif()
endforeach()
if(NOT log STREQUAL "" OR NOT status EQUAL 0)
  message(FATAL_ERROR "Oclgrind found (status ${status}):\n${log}")
endif()
