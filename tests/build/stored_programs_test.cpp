// How calls use the disk cache. A later process loads what an earlier one built. If anything else changes,
// the program is built again. A damaged entry only costs a build.
#include <fstream>
#include <iterator>
#include <map>

#include "build/program_cache.hpp"
#include "support/first_choice.hpp"
#include "support/made_up.hpp"
#include "support/on_device.hpp"
#include "support/temporary.hpp"

namespace clgemm {
namespace {

namespace fs = std::filesystem;
using namespace test;
using Bytes = std::vector<char>;

Bytes read_bytes(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_bytes(const fs::path& path, const Bytes& bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  REQUIRE(stream);
}

// An empty cache that all Contexts of this test use.
struct World {
  TemporaryFolder parent;
  fs::path folder = parent.path() / "cache";
  ScopedVariable cache_folder{"CLGEMM_CACHE_DIR", folder};
  ScopedVariable cache_switch{"CLGEMM_CACHE", nullptr};
  ScopedVariable self_test{"CLGEMM_SELF_TEST", nullptr};

  std::map<fs::path, Bytes> contents() const {
    std::map<fs::path, Bytes> result;
    if (!fs::exists(folder)) return result;
    for (const auto& entry : fs::directory_iterator(folder)) result[entry.path()] = read_bytes(entry.path());
    return result;
  }
};

// Runs a call like a separate process: with nothing in memory, and everything stored at the end.
bool is_right_in_new_context(const Options& options = {}) {
  Context context(shared_device()());
  return is_right_on(context, options);
}

TEST_CASE("a later Context loads what an earlier one stored, and stores nothing") {
  const World world;
  CHECK(is_right_in_new_context());
  const auto stored = world.contents();
  CHECK_FALSE(stored.empty());
  CHECK(DiskCache::from_environment().info().entries == stored.size());
  CHECK(is_right_in_new_context());
  CHECK(world.contents() == stored);
}

TEST_CASE("CLGEMM_CACHE=0 writes nothing") {
  const World world;
  const ScopedVariable off("CLGEMM_CACHE", "0");
  CHECK(is_right_in_new_context());
  CHECK_FALSE(fs::exists(world.folder));
}

// Returns how many entries a call adds.
std::size_t added_by(const World& world, const Options& options) {
  const std::size_t before = world.contents().size();
  is_right_in_new_context(options);
  return world.contents().size() - before;
}

TEST_CASE("another kernel text, include, parameter or macro is another entry") {
  const World world;
  const TemporaryFolder kernels;
  const std::string text = KernelFolders().find("coalesced.cl").value().text;
  const std::string own = "\n#include \"own/include.cl\"\n";
  Options options;
  options.kernel = kernels.write("coalesced.cl", text + own);
  kernels.write("own/include.cl", "// one\n");
  CHECK(added_by(world, options) == 1);
  CHECK(added_by(world, options) == 0);
  kernels.write("own/include.cl", "// two\n");
  CHECK(added_by(world, options) == 1);
  kernels.write("coalesced.cl", text + own + "// changed\n");
  CHECK(added_by(world, options) == 1);
  options.parameters = {{"ROWS", 4}};
  CHECK(added_by(world, options) == 1);
  options.parameters.clear();
  kernels.write("own/include.cl", "// one\n");
  kernels.write("coalesced.cl", text + own);
  CHECK(added_by(world, options) == 0);
}

// Two versions of one kernel with different results.
TEST_CASE("a changed include changes the result") {
  const World world;
  const TemporaryFolder kernels;
  const std::string text = KernelFolders().find("coalesced.cl").value().text;
  const std::string from = "float sum = 0.0f;";
  REQUIRE(text.find(from) != std::string::npos);
  std::string changed = text;
  changed.replace(changed.find(from), from.size(), "\n#include \"own/start.cl\"\n");
  Options options;
  options.kernel = kernels.write("coalesced.cl", changed);
  for (int round = 0; round < 2; ++round) {
    kernels.write("own/start.cl", "float sum = 0.0f;\n");
    CHECK(is_right_in_new_context(options));
    kernels.write("own/start.cl", "float sum = 1.0f;\n");
    CHECK_FALSE(is_right_in_new_context(options));
  }
}

TEST_CASE("another device, driver or platform is another entry") {
  const TemporaryFolder folder;
  const std::string text =
      "__kernel void scale(int m, int n, float beta, __global float* c, ulong o, ulong l, "
      "ulong s) { c[0] = beta; }\n";
  const std::string manifest =
      "// clgemm: made_up\n// role: scale\n// summary: nothing\n// tile: 1 1 1\n// local: 1 1\n"
      "// grid: columns rows\n";
  const auto config =
      std::make_shared<KernelConfig>(configure(made_up_kernel(manifest + text), {}, shared_device_info()));
  const auto entries_with = [&](const Device& device) {
    const DiskCache disk(folder.path(), 1 << 24);
    ProgramCache programs(shared_cl_context(), shared_device(), device, disk);
    programs.keep(programs.get(config, Purpose::named));
    programs.finish_keeping();
    return disk.info().entries;
  };
  Device device = shared_device_info();
  CHECK(entries_with(device) == 1);
  CHECK(entries_with(device) == 1);
  device.driver_version += " newer";
  CHECK(entries_with(device) == 2);
  device.name += " other";
  CHECK(entries_with(device) == 3);
  device.platform_version += " newer";
  CHECK(entries_with(device) == 4);
}

TEST_CASE("damaged entries never reach the device, and results stay right") {
  const World world;
  REQUIRE(is_right_in_new_context());
  const auto whole = world.contents();
  std::size_t bytes = 0;
  for (const auto& [path, content] : whole) bytes += content.size();

  // Every 97th byte, or fewer if that were too many builds.
  constexpr std::size_t most_positions = 40;
  const std::size_t step = std::max<std::size_t>(97, bytes / most_positions / 97 * 97 + 97);
  std::size_t place = 0;
  for (const auto& [path, content] : whole) {
    for (; place < content.size(); place += step) {
      Bytes damaged = content;
      damaged[place] = static_cast<char>(damaged[place] ^ 0x5a);
      write_bytes(path, damaged);
      INFO(path << " byte " << place);
      CHECK(is_right_in_new_context());
      // The entry was written again.
      CHECK(read_bytes(path) != damaged);
    }
    place -= content.size();
  }
}

TEST_CASE("truncated or empty entries, or those of another kernel, never reach the device") {
  const World world;
  REQUIRE(is_right_in_new_context());
  const auto whole = world.contents();
  const Bytes& first = whole.begin()->second;
  for (const std::size_t keep : {std::size_t{0}, std::size_t{63}, std::size_t{64}, first.size() - 1}) {
    for (const auto& [path, content] : whole)
      write_bytes(path, Bytes(content.begin(),
                              content.begin() + static_cast<std::ptrdiff_t>(std::min(keep, content.size()))));
    CHECK(is_right_in_new_context());
  }
  for (const auto& [path, content] : whole) write_bytes(path, first);
  CHECK(is_right_in_new_context());
}

}  // namespace
}  // namespace clgemm
