# Writes OUTPUT, a C++ file with the text of every .cl file below FOLDER.
file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*.cl)
list(SORT files)
set(entries "")
foreach(file IN LISTS files)
  file(READ ${FOLDER}/${file} text)
  string(APPEND entries "    {\"${file}\", R\"kernel(${text})kernel\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Written by embed_kernels.cmake.
#include \"kernel_source.hpp\"

namespace clgemm {
namespace {

constexpr EmbeddedFile files[] = {
${entries}};

}  // namespace

std::span<const EmbeddedFile> embedded_files() { return files; }

}  // namespace clgemm
")
