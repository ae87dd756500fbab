# Writes OUTPUT, a C++ file with the text of every .cl file below FOLDER, and of the tuning data in tuned/.
file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*.cl)
list(SORT files)
set(entries "")
foreach(file IN LISTS files)
  file(READ ${FOLDER}/${file} text)
  string(APPEND entries "    {\"${file}\", R\"kernel(${text})kernel\"sv},\n")
endforeach()
file(GLOB tuning_files RELATIVE ${FOLDER} ${FOLDER}/tuned/*.json)
list(SORT tuning_files)
list(LENGTH tuning_files tuning_count)
set(tuning_entries "")
foreach(file IN LISTS tuning_files)
  file(READ ${FOLDER}/${file} text)
  string(APPEND tuning_entries "    {\"${file}\", R\"tuning(${text})tuning\"sv},\n")
endforeach()
file(WRITE ${OUTPUT} "// Written by embed_kernels.cmake.
#include \"kernel/kernel_source.hpp\"
#include \"choose/tuning_files.hpp\"

#include <array>
#include <string_view>

namespace clgemm {
namespace {

using std::string_view_literals::operator\"\"sv;  // it knows the length; counting it exceeds what clang evaluates

constexpr EmbeddedFile files[] = {
${entries}};

}  // namespace

std::span<const EmbeddedFile> embedded_files() { return files; }

std::span<const EmbeddedFile> embedded_tuning() {
  // Without a destructor: a Context may be made in the destructor of somebody's static object.
  static constexpr std::array<EmbeddedFile, ${tuning_count}> tuning = {{
${tuning_entries}}};
  return tuning;
}

}  // namespace clgemm
")
