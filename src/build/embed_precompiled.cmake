# Writes OUTPUT, a C++ file with the programs in FOLDER (src/build/precompiled.hpp). Without FOLDER, it has none.
set(files "")
if(FOLDER)
  file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*.cubin.zst)
  list(SORT files)
endif()
set(bytes "")
set(entries "")
set(offset 0)
foreach(file IN LISTS files)
  file(SIZE ${FOLDER}/${file} size)
  string(APPEND bytes ".incbin \"${FOLDER}/${file}\"\n")
  string(APPEND entries "    {\"${file}\", {clgemm_precompiled + ${offset}, ${size}}},\n")
  math(EXPR offset "${offset} + ${size}")
endforeach()
set(declarations "")
set(body "  return {};\n")
if(files)
  set(declarations "
__asm__(R\"(.pushsection .rodata
.globl clgemm_precompiled
.hidden clgemm_precompiled
clgemm_precompiled:
${bytes}.popsection)\");
extern \"C\" __attribute__((visibility(\"hidden\"))) const char clgemm_precompiled[];
")
  # Without a destructor: a Context may be made in the destructor of somebody's static object.
  set(body "  static const EmbeddedFile programs[] = {\n${entries}  };\n  return programs;\n")
endif()
file(WRITE ${OUTPUT} "// Written by embed_precompiled.cmake.
#include \"build/precompiled.hpp\"
${declarations}
namespace clgemm {

std::span<const EmbeddedFile> precompiled_programs() {
${body}}

}  // namespace clgemm
")
