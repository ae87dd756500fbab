// Drivers that the ICD loader finds listed and cannot load.
#include "base/vendor_files.hpp"

#include "support/catch.hpp"
#include "support/temporary.hpp"

namespace clgemm {
namespace {

TEST_CASE("a driver that cannot be loaded is named with its file and the reason") {
  const test::TemporaryFolder folder;
  folder.write("good.icd", "libc.so.6\n");
  folder.write("empty.icd", "");
  folder.write("broken.icd", " libno_such_driver.so.7 \n");
  folder.write("readme.txt", "libneither.so\n");
  {
    const test::ScopedVariable vendors("OCL_ICD_VENDORS", folder.path());
    const std::string text = unloadable_drivers();
    CAPTURE(text);
    CHECK(text.find((folder.path() / "broken.icd").string() + " names the driver libno_such_driver.so.7") !=
          std::string::npos);
    CHECK(text.find("cannot open shared object file") != std::string::npos);
    CHECK(text.find("good") == std::string::npos);
    CHECK(text.find("neither") == std::string::npos);
  }
  const std::string one = (folder.path() / "broken.icd").string();
  const test::ScopedVariable file("OCL_ICD_VENDORS", one.c_str());
  CHECK(unloadable_drivers().find("broken.icd") != std::string::npos);
  const test::ScopedVariable nowhere("OCL_ICD_VENDORS", "/nosuch");
  CHECK(unloadable_drivers().empty());
}

}  // namespace
}  // namespace clgemm
