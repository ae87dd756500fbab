// The cache on disk. A load returns exactly what was stored, or nothing, whatever happens to the files and
// the folder, and whichever other programs use them.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "base/user_folders.hpp"
#include "cached_files.hpp"
#include "support/catch.hpp"
#include "support/system.hpp"

namespace clgemm {
namespace {

using namespace test;

fs::path only_file(const Cache& cache) {
  const auto files = files_in(cache.folder);
  REQUIRE(files.size() == 1);
  return files[0];
}

Bytes read_bytes(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Overwrites the file's contents, so that owner and mode stay.
void write_bytes(const fs::path& path, const Bytes& bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  REQUIRE(stream);
}

void age(const fs::path& path, std::chrono::minutes by) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - by);
}

TEST_CASE("a verdict holds for some days, is listed, and can be cleared alone") {
  using std::chrono::hours;
  const Cache cache;
  const auto now = std::chrono::system_clock::now();
  cache.store("a program");
  cache.disk.quarantine("new", {now - DiskCache::verdict_holds + hours(1), "the kernel 'new'"});
  cache.disk.quarantine("old", {now - DiskCache::verdict_holds - hours(1), "the kernel 'old'"});
  cache.disk.quarantine("of the future", {now + 2 * DiskCache::verdict_holds, "by a clock that was wrong"});
  cache.disk.store("without a verdict", {Trust::quarantined, {}});
  REQUIRE(cache.has("new"));
  CHECK(cache.disk.load("new")->trust == Trust::quarantined);
  for (const char* key : {"old", "of the future", "without a verdict"}) CHECK_FALSE(cache.has(key));
  const auto verdicts = cache.disk.verdicts();
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].program == "the kernel 'new'");
  CHECK(now - verdicts[0].since > DiskCache::verdict_holds - hours(2));
  cache.disk.clear_verdicts();
  CHECK(cache.disk.verdicts().empty());
  CHECK_FALSE(cache.has("new"));
  CHECK(cache.has("a program"));
}

TEST_CASE("only stored entries are loaded") {
  const Cache cache;
  CHECK_FALSE(cache.has("key"));
  for (const Trust trust : {Trust::untested, Trust::tested}) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100000}}) {
      const Bytes binary(bytes, 0xa5);
      cache.disk.store("key", {trust, binary, bytes / 2});
      const auto entry = cache.disk.load("key");
      REQUIRE(entry);
      CHECK(entry->trust == trust);
      CHECK(entry->binary == binary);
      CHECK(entry->spilled_bytes == bytes / 2);
    }
  }
  CHECK_FALSE(cache.has("Key"));
  CHECK_FALSE(cache.has(""));
  CHECK(files_in(cache.folder).size() == 1);
}

TEST_CASE("info counts the entries, and clear removes them") {
  const Cache cache;
  CHECK(cache.disk.info().entries == 0);
  cache.store("a");
  cache.store("b");
  const DiskCache::Info info = cache.disk.info();
  CHECK(info.folder == cache.folder.string());
  CHECK(info.problem.empty());
  CHECK(info.entries == 2);
  CHECK(info.bytes > 2 * 64);
  CHECK(info.limit_bytes == large_limit);
  cache.disk.clear();
  CHECK(cache.disk.info().entries == 0);
  CHECK(files_in(cache.folder).empty());
}

TEST_CASE("an entry with any byte changed, cut off or added is never loaded") {
  const Cache cache;
  cache.store("key", 40);
  const fs::path file = only_file(cache);
  const Bytes whole = read_bytes(file);
  const auto loads = [&](const Bytes& content) {
    write_bytes(file, content);
    return cache.has("key");
  };
  REQUIRE(loads(whole));
  std::size_t loaded = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      Bytes changed = whole;
      changed[i] = static_cast<unsigned char>(changed[i] ^ flip);
      loaded += loads(changed) ? 1u : 0u;
    }
  }
  CHECK(loaded == 0);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    loaded += loads(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length))) ? 1u : 0u;
  }
  CHECK(loaded == 0);
  for (const std::size_t extra : {std::size_t{1}, std::size_t{56}, std::size_t{4096}}) {
    Bytes longer = whole;
    longer.resize(longer.size() + extra);
    loaded += loads(longer) ? 1u : 0u;
  }
  CHECK(loaded == 0);
  CHECK(loads(whole));
}

TEST_CASE("an entry under another key's name is not loaded") {
  const Cache cache;
  cache.store("one");
  const fs::path one = only_file(cache);
  const Bytes content = read_bytes(one);
  fs::remove(one);
  cache.store("other");
  const fs::path other = only_file(cache);
  write_bytes(other, content);
  CHECK_FALSE(cache.has("other"));
  CHECK_FALSE(cache.has("one"));
}

TEST_CASE("only a regular file that no other user can write is loaded") {
  const Cache cache;
  cache.store("key");
  const fs::path file = only_file(cache);
  const fs::path aside = cache.parent.path() / "aside";
  SECTION("a symbolic link") {
    fs::rename(file, aside);
    make_link(aside, file);  // if that is impossible, there is no file
  }
  SECTION("a folder") {
    fs::remove(file);
    fs::create_directory(file);
  }
  SECTION("a pipe, which must not be waited for") {
    fs::remove(file);
    make_pipe_file(file);  // the same applies here
  }
  SECTION("writable by all") {
    REQUIRE(let_write(Others::everybody, file));
  }
  SECTION("writable by the group") {
    REQUIRE(let_write(Others::group, file));
  }
  SECTION("owned by another user") {
    if (!give_to_stranger(file)) {
      WARN("NOT TESTED: a file of another user, because only root can make one");
      return;
    }
  }
  CHECK_FALSE(cache.has("key"));
}

// Checks that the cache neither loads nor stores, nor changes anything.
void check_not_used(const Cache& cache) {
  const auto before = files_in(fs::exists(cache.folder) ? cache.folder : cache.parent.path());
  CHECK_FALSE(cache.has("key"));
  cache.store("new");
  CHECK_FALSE(cache.has("new"));
  CHECK_FALSE(cache.disk.info().problem.empty());
  CHECK(files_in(fs::exists(cache.folder) ? cache.folder : cache.parent.path()) == before);
  cache.disk.clear();
  CHECK(files_in(fs::exists(cache.folder) ? cache.folder : cache.parent.path()) == before);
}

TEST_CASE("only the user's own folder is used, if no other user can write to it") {
  const Cache cache;
  cache.store("key");
  REQUIRE(cache.has("key"));
  SECTION("writable by all") {
    REQUIRE(let_write(Others::everybody, cache.folder));
  }
  SECTION("writable by the group") {
    REQUIRE(let_write(Others::group, cache.folder));
  }
  SECTION("a symbolic link") {
    const fs::path real = cache.parent.path() / "real";
    fs::rename(cache.folder, real);
    if (!make_link(real, cache.folder)) {
      WARN("NOT TESTED: links, which this user cannot make here");
      return;
    }
  }
  SECTION("owned by another user") {
    if (!give_to_stranger(cache.folder)) {
      WARN("NOT TESTED: a folder of another user, because only root can make one");
      return;
    }
  }
  check_not_used(cache);
}

TEST_CASE("a folder that cannot be created costs only a build") {
  const TemporaryFolder parent;
  const std::string file = parent.write("file", "not a folder");
  for (const fs::path& folder : {fs::path(file), fs::path(file) / "below", fs::path("/proc/nothing/here")}) {
    const DiskCache disk(folder, large_limit);
    disk.store("key", {Trust::tested, Bytes(10)});
    CHECK_FALSE(disk.load("key"));
    CHECK(disk.info().entries == 0);
    disk.clear();
  }
  CHECK(fs::file_size(file) == 12);
}

TEST_CASE("the size is limited, and the least recently used entries are removed first") {
  const TemporaryFolder parent;
  const DiskCache disk(parent.path() / "cache", 10500);
  const auto key = [](int i) { return "key " + std::to_string(i); };
  std::vector<fs::path> files;
  for (int i = 0; i < 9; ++i) {
    disk.store(key(i), {Trust::tested, Bytes(1000)});
    for (const fs::path& file : files_in(parent.path() / "cache")) {
      if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
    }
  }
  REQUIRE(files.size() == 9);
  for (int i = 0; i < 9; ++i) age(files[static_cast<std::size_t>(i)], std::chrono::minutes(100 - i));
  CHECK(disk.load(key(0)));  // this makes the oldest entry the youngest
  disk.store(key(9), {Trust::tested, Bytes(1000)});

  // The next entry exceeds the limit. Then the cache shrinks to three quarters of the limit, which is seven
  // entries.
  CHECK(disk.info().entries == 7);
  for (const int gone : {1, 2, 3}) CHECK_FALSE(disk.load(key(gone)));
  CHECK(disk.load(key(0)));
  CHECK(disk.load(key(4)));
  CHECK(disk.load(key(8)));
  CHECK(disk.load(key(9)));
  // The limit holds for any amount of stored data.
  for (int i = 10; i < 60; ++i) disk.store(key(i), {Trust::tested, Bytes(1000)});
  CHECK(disk.info().bytes <= 10500);
}

TEST_CASE("an entry larger than the whole cache is ignored, and takes no memory") {
  const Cache cache;
  cache.store("key");
  REQUIRE(files_in(cache.folder).size() == 1);
  // The file is sparse if the file system supports it.
  fs::resize_file(files_in(cache.folder)[0], std::uintmax_t{1} << 30);
  CHECK_FALSE(cache.has("key"));
}

TEST_CASE("temporary files of a dead process are removed, but not those of a living process") {
  const Cache cache;
  cache.store("key");
  const fs::path stale = cache.folder / (std::string(temporary_prefix) + "stale1");
  const fs::path fresh = cache.folder / (std::string(temporary_prefix) + "fresh1");
  write_bytes(stale, Bytes(10));
  write_bytes(fresh, Bytes(10));
  age(stale, std::chrono::minutes(11));
  age(fresh, std::chrono::minutes(9));
  cache.store("other");
  CHECK_FALSE(fs::exists(stale));
  CHECK(fs::exists(fresh));
  CHECK(cache.disk.info().entries == 2);
}

TEST_CASE("other files in the folder stay") {
  const Cache cache;
  cache.store("key");
  const fs::path foreign = cache.folder / "notes.txt";
  write_bytes(foreign, Bytes(10));
  age(foreign, std::chrono::minutes(1000));
  cache.store("other");
  cache.disk.clear();
  CHECK(files_in(cache.folder) == std::vector<fs::path>{foreign});
}

TEST_CASE("environment variables set the cache's folder and size, and turn it off") {
  const TemporaryFolder parent;
  const std::string path = parent.path().string();
  const ScopedVariable no_own("CLGEMM_CACHE_DIR", nullptr);
  const ScopedVariable no_limit("CLGEMM_CACHE_MIB", nullptr);
  const ScopedVariable no_switch("CLGEMM_CACHE", nullptr);
  const ScopedVariable home(home_variable, path.c_str());
  const ScopedVariable no_xdg("XDG_CACHE_HOME", nullptr);
  const auto info = [] { return DiskCache::from_environment().info(); };
  CHECK(info().folder == home_of_caches() / "clgemm");
  CHECK(info().limit_bytes == std::uintmax_t{256} << 20);
  const ScopedVariable xdg("XDG_CACHE_HOME", parent.path() / "xdg");
  CHECK(info().folder == parent.path() / "xdg" / "clgemm");
  const ScopedVariable own("CLGEMM_CACHE_DIR", parent.path() / "own");
  CHECK(info().folder == parent.path() / "own");
  const ScopedVariable limit("CLGEMM_CACHE_MIB", "3");
  CHECK(info().limit_bytes == std::uintmax_t{3} << 20);
  const ScopedVariable beyond("CLGEMM_CACHE_MIB", "18446744073709551615");
  CHECK(info().limit_bytes >= std::uintmax_t{1} << 63);

  const ScopedVariable off("CLGEMM_CACHE", "0");
  CHECK(info().problem == "turned off by CLGEMM_CACHE=0");
  DiskCache::from_environment().store("key", {Trust::tested, Bytes(10)});
  CHECK_FALSE(DiskCache::from_environment().load("key"));
  CHECK(files_in(parent.path()).empty());
}

TEST_CASE("without a folder, the cache is off") {
  const ScopedVariable no_own("CLGEMM_CACHE_DIR", nullptr);
  const ScopedVariable no_xdg("XDG_CACHE_HOME", nullptr);
  const ScopedVariable no_home(home_variable, nullptr);
  CHECK_FALSE(DiskCache::from_environment().info().problem.empty());
  CHECK_FALSE(DiskCache::from_environment().load("key"));
}

TEST_CASE("16 threads with caches of one folder see whole entries, and leave no temporary files") {
  const TemporaryFolder parent;
  const fs::path folder = parent.path() / "made" / "by" / "all";
  std::vector<int> status(users, -1);
  {
    std::vector<std::jthread> threads;
    for (unsigned user = 0; user < users; ++user)
      threads.emplace_back([&, user] { status[user] = store_and_load(folder, user, 4); });
  }
  CHECK(status == std::vector<int>(users, 0));
  CHECK(files_in(folder).size() == keys);
}

}  // namespace
}  // namespace clgemm
