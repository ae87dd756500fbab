// Kernel files as text: folders, includes, #line.
#include "kernel/kernel_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/system.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using test::TemporaryFolder;

std::string expand(const std::string& path, const KernelFolders& folders = KernelFolders{}) {
  return expand_includes(read_source(path), folders);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t result = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++result;
  return result;
}

// Returns the form of a #line directive. Windows has "\\" in paths, and accepts "/".
std::string generic(const std::string& path) {
  return std::filesystem::path(path).generic_string();
}

TEST_CASE("an include is inserted at its place, and #line leads back") {
  const TemporaryFolder folder;
  const std::string path = folder.write("main.cl", "int first;\n#include \"part.cl\"\nint third;\n");
  const std::string part = folder.write("part.cl", "int second;\n");
  CHECK(expand(path) == fmt::format("#line 1 \"{0}\"\nint first;\n#line 1 \"{1}\"\nint second;\n"
                                    "#line 3 \"{0}\"\nint third;\n",
                                    generic(path), generic(part)));
}

TEST_CASE("a file that does not end in a line feed still ends its last line") {
  const TemporaryFolder folder;
  folder.write("part.cl", "int second;");
  const std::string path = folder.write("main.cl", "#include \"part.cl\"\nint third;");
  CHECK(test::contains(expand(path), "int second;\n#line 2"));
}

TEST_CASE("every way to write an include is recognized, and no other line") {
  const TemporaryFolder folder;
  folder.write("part.cl", "PART\n");
  for (const char* line : {"#include \"part.cl\"", "  #  include\t\"part.cl\"  // why", "#include\"part.cl\"",
                           "#include \"part.cl\"\r"}) {
    INFO(line);
    CHECK(test::contains(expand(folder.write("main.cl", std::string(line) + "\n")), "PART"));
  }
  for (const char* line :
       {"// #include \"part.cl\"", "#include <part.cl>", "#include \"part.cl", "#define include \"part.cl\"",
        "x #include \"part.cl\"", "/*\n#include \"part.cl\"\n*/"}) {
    INFO(line);
    const std::string text = expand(folder.write("main.cl", std::string(line) + "\n"));
    CHECK_FALSE(test::contains(text, "PART"));
    CHECK(test::contains(text, line));
  }
  CHECK(test::contains(expand(folder.write("main.cl", "/* one */ // /*\n#include \"part.cl\"\n")), "PART"));
}

TEST_CASE("a file is included once, also through other files") {
  const TemporaryFolder folder;
  folder.write("a.cl", "#include \"b.cl\"\nA\n");
  folder.write("b.cl", "B\n");
  const std::string text =
      expand(folder.write("main.cl", "#include \"a.cl\"\n#include \"b.cl\"\n#include \"a.cl\"\n"));
  CHECK(count_of(text, "\nA\n") == 1);
  CHECK(count_of(text, "\nB\n") == 1);
}

TEST_CASE("a file is included once, however its path is written") {
  const TemporaryFolder folder;
  folder.write("sub/b.cl", "B\n");
  const std::string text =
      expand(folder.write("main.cl", "#include \"sub/b.cl\"\n#include \"./sub/../sub/b.cl\"\n"));
  CHECK(count_of(text, "\nB\n") == 1);
}

TEST_CASE("an include is searched next to its file, then in the folders, then among the built-in files") {
  const TemporaryFolder folder;
  const TemporaryFolder kernels;
  const KernelFolders folders({kernels.path()});
  const std::string path = folder.write("main.cl", "#include \"common/store.cl\"\n");
  CHECK(test::contains(expand(path, folders), "\"built-in/common/store.cl\""));
  kernels.write("common/store.cl", "IN_FOLDER\n");
  CHECK(test::contains(expand(path, folders), "IN_FOLDER"));
  folder.write("common/store.cl", "BESIDE\n");
  CHECK(test::contains(expand(path, folders), "BESIDE"));
}

TEST_CASE("a file in a folder can replace an include of a built-in file") {
  const TemporaryFolder kernels;
  kernels.write("common/arithmetic.cl", "REPLACED\n");
  const KernelFolders folders({kernels.path()});
  const auto tiled = folders.find("tiled.cl");
  REQUIRE(tiled);
  CHECK(test::contains(expand_includes(*tiled, folders), "REPLACED"));
}

TEST_CASE("a missing include is an error with file and line") {
  const TemporaryFolder folder;
  const std::string path = folder.write("main.cl", "\n\n#include \"nothing.cl\"\n");
  CHECK_ERROR([&] { expand(path); }, invalid_kernel_file, path + ":3: #include \"nothing.cl\"");
  folder.write("part.cl", "\n#include \"nothing.cl\"\n");
  const std::string outer = folder.write("outer.cl", "#include \"part.cl\"\n");
  CHECK_ERROR([&] { expand(outer); }, invalid_kernel_file, "part.cl:2: #include \"nothing.cl\"");
}

TEST_CASE("a cycle of includes is an error with file and line") {
  const TemporaryFolder folder;
  const std::string self = folder.write("self.cl", "\n#include \"self.cl\"\n");
  CHECK_ERROR([&] { expand(self); }, invalid_kernel_file, "self.cl:2");
  folder.write("a.cl", "#include \"b.cl\"\n");
  folder.write("b.cl", "#include \"a.cl\"\n");
  const std::string path = folder.write("main.cl", "#include \"a.cl\"\n");
  CHECK_ERROR([&] { expand(path); }, invalid_kernel_file, "includes itself");
}

TEST_CASE("the depth of includes is limited, and no stack overflows") {
  const TemporaryFolder folder;
  const auto chain = [&folder](int length) {
    for (int i = 0; i < length; ++i) {
      folder.write(fmt::format("part{}.cl", i),
                   i + 1 < length ? fmt::format("#include \"part{}.cl\"\n", i + 1) : "END\n");
    }
    return (folder.path() / "part0.cl").string();
  };
  CHECK(test::contains(expand(chain(60)), "END"));
  CHECK_ERROR([&] { expand(chain(100)); }, invalid_kernel_file, "nested includes");
}

TEST_CASE("the total size of a kernel's includes is limited") {
  const TemporaryFolder folder;
  const std::string almost_too_large = "//" + std::string((std::size_t{4} << 20) - 10, 'x') + "\n";
  const auto with_slices = [&](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      folder.write(fmt::format("part{}.cl", i), almost_too_large);
      text += fmt::format("#include \"part{}.cl\"\n", i);
    }
    return folder.write("main.cl", text);
  };
  CHECK(expand(with_slices(3)).size() > 3 * almost_too_large.size());
  CHECK_ERROR([&] { expand(with_slices(5)); }, invalid_kernel_file,
              ".cl\": the kernel and its includes have more than 16777216 bytes");
}

TEST_CASE("a cycle is found however the path is written") {
  const TemporaryFolder folder;
  const std::string self = folder.write("self.cl", "\n#include \"./self.cl\"\n");
  CHECK_ERROR([&] { expand(self); }, invalid_kernel_file, "includes itself");
}

TEST_CASE("a path with quotes is escaped in #line") {
  const TemporaryFolder folder;
  if (!test::takes_any_name()) {
    WARN("NOT TESTED: this system has no such names");
    return;
  }
  const std::string path = folder.write("a\"b\\c.cl", "X\n");
  CHECK(test::contains(expand(path), "a\\\"b\\\\c.cl\"\nX"));
}

TEST_CASE("a file that cannot be read is an error") {
  CHECK_ERROR([] { read_source("/nowhere/x.cl"); }, invalid_kernel_file, "/nowhere/x.cl");
  const TemporaryFolder folder;
  CHECK_ERROR([&] { read_source(folder.path()); }, invalid_kernel_file, folder.path().string());
}

TEST_CASE("reading does not wait for a pipe without data") {
  // Linux's kernel messages look like a regular file without a size, but a reader waits for the next message.
  const TemporaryFolder folder;
  for (const std::string& file : test::endless_files()) {
    const std::string path = folder.write("main.cl", "#include \"" + file + "\"\n");
    CHECK_ERROR([&] { expand(path); }, invalid_kernel_file, file);
  }
}

TEST_CASE("a name that cannot be shown is not the name of a kernel") {
  const TemporaryFolder folder;
  folder.write("x.cl", "X\n");
  if (!test::takes_any_name()) {
    WARN("NOT TESTED: this system has no such names");
    return;
  }
  folder.write("x\x1b[2J.cl", "X\n");
  folder.write("x\nclgemm.cl", "X\n");
  const std::vector<std::string> names = KernelFolders({folder.path()}).list();
  CHECK(names.size() == KernelFolders{}.list().size() + 1);
}

TEST_CASE("folders are searched in their order, before the built-in files") {
  const TemporaryFolder first;
  const TemporaryFolder second;
  first.write("x.cl", "FIRST\n");
  second.write("x.cl", "SECOND\n");
  second.write("y.cl", "Y\n");
  first.write("notes.txt", "no kernel");
  const KernelFolders folders({first.path(), second.path()});
  CHECK(folders.find("x.cl")->text == "FIRST\n");
  CHECK(folders.find("y.cl")->text == "Y\n");
  CHECK(folders.find("tiled.cl")->path == "built-in/tiled.cl");
  CHECK_FALSE(folders.find("nothing.cl"));

  const std::vector<std::string> names = folders.list();
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(std::count(names.begin(), names.end(), "x.cl") == 1);
  CHECK(std::count(names.begin(), names.end(), "y.cl") == 1);
  CHECK(std::count(names.begin(), names.end(), "tiled.cl") == 1);
  CHECK(std::count(names.begin(), names.end(), "notes.txt") == 0);
  CHECK(std::count(names.begin(), names.end(), "store.cl") == 0);
}

TEST_CASE("the embedded files are those of kernels/, word for word") {
  for (const EmbeddedFile& file : embedded_files()) {
    INFO(file.path);
    CHECK(read_source(std::filesystem::path(CLGEMM_KERNELS) / file.path).text == file.text);
  }
  CHECK(embedded_files().size() >= 9);
}

TEST_CASE("line numbers are corrected for a compiler that ignores #line") {
  const std::string expanded =
      "#line 1 \"mine.cl\"\nfirst\n#line 1 \"own.h\"\nincluded\n#line 3 \"mine.cl\"\nthird\n";
  CHECK(with_written_places("<kernel>:2:5: error: a\n<kernel>:4: b\nin <kernel>:6:1: c", expanded) ==
        "mine.cl:1:5: error: a\nown.h:1: b\nin mine.cl:3:1: c");
  CHECK(with_written_places("<kernel>:7: no such line, <kernel>: nothing", expanded) ==
        "<kernel>:7: no such line, <kernel>: nothing");
  CHECK(with_written_places("mine.cl:9:1: error", expanded) == "mine.cl:9:1: error");
}

}  // namespace
}  // namespace clgemm
