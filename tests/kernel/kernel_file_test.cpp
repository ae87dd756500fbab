// Finding kernels by name, variant and path, and in a folder of the user.
#include "kernel/kernel_file.hpp"

#include <algorithm>
#include <filesystem>

#include "support/system.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using test::make_link;
using test::make_pipe_file;
using test::ScopedVariable;
using test::TemporaryFolder;

std::string kernel_text(const std::string& name, const std::string& more = {}) {
  return "// clgemm: " + name +
         "\n// summary: s\n// operands: in_place\n// param: SIDE = 8 in 4 8\n// tile: SIDE SIDE 1\n"
         "// local: SIDE SIDE\n// grid: columns rows\n" +
         more;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::count(names.begin(), names.end(), name) == 1;
}

TEST_CASE("the kernels of the ladder exist") {
  KernelLibrary library;
  const std::vector<std::string> names = library.names(Role::gemm);
  CHECK(std::is_sorted(names.begin(), names.end()));
  for (const char* name : {"row_groups", "naive", "coalesced", "tiled", "wpt", "block_1d", "vector",
                           "block_2d_plain", "block_2d_fours", "block_2d_buffered", "block_2d"}) {
    INFO(name);
    CHECK(has(names, name));
    CHECK(library.find(name).file->path == std::string("built-in/") + name + ".cl");
    CHECK(library.find(name).variant_values.empty());
  }
  CHECK_FALSE(has(names, "scale"));
  CHECK_FALSE(has(names, "pack_padded"));
  CHECK(has(library.names(Role::pack), "pack_padded"));
  CHECK(library.names(Role::scale) == std::vector<std::string>{"scale"});
}

TEST_CASE("a variant is its kernel with parameters") {
  KernelLibrary library;
  const NamedKernel float8 = library.find("float8");
  CHECK(float8.name == "float8");
  CHECK(float8.file == library.find("vector").file);
  CHECK(float8.variant_values == Parameters{{"WIDTH", 8}});
}

TEST_CASE("a folder or a dangling link with the name of a kernel is ignored, and hides no kernel") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "x.cl");
  std::filesystem::create_directory(folder.path() / "tiled.cl");
  make_link("nowhere", folder.path() / "y.cl");
  const std::vector<std::string> files = KernelFolders({folder.path()}).list();
  CHECK(has(files, "tiled.cl"));  // the built-in one
  CHECK_FALSE((has(files, "x.cl") || has(files, "y.cl")));
  KernelLibrary library(folder.path().string());
  CHECK(has(library.names(Role::gemm), "tiled"));
  CHECK_FALSE(has(library.names(Role::gemm), "x"));
  CHECK(library.find("float8").name == "float8");  // found by reading every file
  CHECK_ERROR([&] { library.find("x"); }, kernel_not_found, "no kernel 'x'");
}

TEST_CASE("irregular or too large files are refused immediately") {
  const TemporaryFolder folder;
  const std::string pipe = (folder.path() / "pipe.cl").string();
  KernelLibrary library;
  if (make_pipe_file(pipe)) {
    CHECK_ERROR([&] { library.find(pipe); }, invalid_kernel_file, "not a regular file");
  } else {
    WARN("NOT TESTED: a pipe, because it is not a file on this system");
  }

  const std::string large = folder.write("large.cl", kernel_text("large"));
  std::filesystem::resize_file(large, std::uintmax_t{1} << 30);
  CHECK_ERROR([&] { library.find(large); }, invalid_kernel_file, "it has more than 4194304 bytes");
}

TEST_CASE("no two kernels or variants share a name") {
  KernelLibrary library;
  std::vector<std::string> all;
  for (const std::string& name : library.names(Role::gemm)) {
    all.push_back(name);
    for (const auto& variant : library.find(name).file->manifest.variants) all.push_back(variant.name);
  }
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

TEST_CASE("a kernel is found by path, with any file name") {
  const TemporaryFolder folder;
  const std::string path = folder.write("other_name.cl", kernel_text("mine"));
  KernelLibrary library;
  CHECK(library.find(path).name == "mine");
  CHECK(library.find(path).file->path == path);
  const std::string plain = folder.write("no_extension", kernel_text("mine"));
  CHECK(library.find(plain).name == "mine");
}

TEST_CASE("a folder is preferred to the built-in kernels, and adds to them") {
  const TemporaryFolder folder;
  folder.write("tiled.cl", kernel_text("tiled"));
  folder.write("mine.cl", kernel_text("mine", "// variant: mine4 SIDE=4\n"));
  KernelLibrary library(folder.path().string());
  CHECK(library.find("tiled").file->path == (folder.path() / "tiled.cl").string());
  CHECK(library.find("wpt").file->path == "built-in/wpt.cl");
  CHECK(library.find("mine4").variant_values == Parameters{{"SIDE", 4}});
  CHECK(has(library.names(Role::gemm), "mine"));
  CHECK(has(library.names(Role::gemm), "tiled"));
}

TEST_CASE("a file is read once") {
  KernelLibrary library;
  CHECK(library.find("tiled").file == library.find("tiled").file);
}

TEST_CASE("the error about an unknown kernel lists all kernels") {
  KernelLibrary library;
  const test::Thrown thrown = test::thrown_by([&] { library.find("nosuch"); });
  CHECK(thrown.code == ErrorCode::kernel_not_found);
  for (const char* part : {"'nosuch'", "tiled", "float8", "naive_strip"})
    CHECK(test::contains(thrown.text, part));
  CHECK_FALSE(test::contains(thrown.text, "pack_padded"));
}

TEST_CASE("a missing file gives kernel_not_found, and a wrong file invalid_kernel_file") {
  KernelLibrary library;
  CHECK_ERROR([&] { library.find("./nosuch.cl"); }, kernel_not_found, "./nosuch.cl");
  const TemporaryFolder folder;
  const std::string path = folder.write("bad.cl", "// clgemm: bad\n// tile: 1\n");
  CHECK_ERROR([&] { library.find(path); }, invalid_kernel_file, path + ":2:");
}

TEST_CASE("a failed find leaves nothing behind") {
  const TemporaryFolder folder;
  KernelLibrary library;
  const std::string path = folder.write("late.cl", "int x;\n");
  CHECK_ERROR([&] { library.find(path); }, invalid_kernel_file, path);
  folder.write("late.cl", kernel_text("late"));
  CHECK(library.find(path).name == "late");
}

TEST_CASE("a kernel that is found by name must have this name") {
  const TemporaryFolder folder;
  const std::string path = folder.write("mine.cl", kernel_text("yours"));
  KernelLibrary library(folder.path().string());
  CHECK_ERROR([&] { library.find("mine"); }, invalid_kernel_file, path + ":1:");
}

TEST_CASE("a bad file in the folder does not hide the good kernels") {
  const TemporaryFolder folder;
  folder.write("bad.cl", "no manifest\n");
  KernelLibrary library(folder.path().string());
  CHECK(library.find("tiled").name == "tiled");
  CHECK(library.find("float8").name == "float8");
}

TEST_CASE("a folder that does not exist is an error") {
  CHECK_ERROR([] { KernelLibrary("/nowhere"); }, invalid_kernel_file, "/nowhere");
}

TEST_CASE("CLGEMM_KERNEL_DIR is the folder if no other is given") {
  const ScopedVariable variable("CLGEMM_KERNEL_DIR", "/from/environment");
  CHECK(kernel_folder_or_default({}) == "/from/environment");
  CHECK(kernel_folder_or_default("/given") == "/given");
  const ScopedVariable none("CLGEMM_KERNEL_DIR", nullptr);
  CHECK(kernel_folder_or_default({}).empty());
}

}  // namespace
}  // namespace clgemm
