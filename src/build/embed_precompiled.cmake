# Writes OUTPUT, a C++ file with the programs in FOLDER (src/build/precompiled.hpp).
file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*.ptx.zst)
list(SORT files)
set(contents "")
set(entries "")
set(offset 0)
foreach(file IN LISTS files)
  file(SIZE ${FOLDER}/${file} size)
  string(APPEND contents ".incbin \"${FOLDER}/${file}\"\n")
  string(APPEND entries "      {\"${file}\", {clgemm_precompiled + ${offset}, ${size}}},\n")
  math(EXPR offset "${offset} + ${size}")
endforeach()
list(LENGTH files count)
file(WRITE ${OUTPUT} "// Written by embed_precompiled.cmake.
#include \"build/precompiled.hpp\"

#include <array>

__asm__(R\"(.pushsection .rodata
.globl clgemm_precompiled
.hidden clgemm_precompiled
clgemm_precompiled:
${contents}.popsection)\");
extern \"C\" __attribute__((visibility(\"hidden\"))) const char clgemm_precompiled[];

namespace clgemm {

std::span<const EmbeddedFile> precompiled_programs() {
  // Without a destructor: a Context may be made in the destructor of somebody's static object.
  static const std::array<EmbeddedFile, ${count}> programs = {{
${entries}  }};
  return programs;
}

}  // namespace clgemm
")
