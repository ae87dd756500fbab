// What every run of clgemm-tune begins with: the device, the space, the journal, caches of its own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "base/platform/folder_lock.hpp"
#include "tune/journal.hpp"
#include "tune/options.hpp"
#include "tune/space.hpp"

namespace clgemm::tune {

struct RunSetup {
  // Throws Error for a device or kernel that does not exist.
  explicit RunSetup(const TuneOptions& options);

  Device device;
  KernelLibrary library;
  std::vector<KernelSpace> spaces;
  std::vector<bench::Size> sizes;
  std::filesystem::path output;
};

// All that measurements and the search depend on, in words: a journal is of use to the same run only.
std::string describe_run(const TuneOptions& options, RunSetup& setup);

// Opens the journal beside the output; a --fresh one is empty. Its name has a hash of the run: one that was
// stopped stands in no other's way.
std::unique_ptr<Journal> open_journal(const TuneOptions& options, RunSetup& setup);

// Thousands of configs would push what the user needs out of clgemm's, PoCL's and NVIDIA's caches: while one
// of these lives, the device is not probed (src/probe), and programs are kept in a folder beside the output,
// which goes with it. A killed run leaves the folder to the next one. Two runs would disturb each other's
// times, and one would lose what the other writes: the folder is locked.
class OwnCaches {
 public:
  // Throws std::runtime_error where another process has the folder.
  explicit OwnCaches(const std::filesystem::path& output);
  ~OwnCaches();
  OwnCaches(const OwnCaches&) = delete;
  OwnCaches& operator=(const OwnCaches&) = delete;

 private:
  // False where the folder is gone.
  bool locked(const std::filesystem::path& output);

  std::filesystem::path folder_;
  FolderLock lock_;
};

}  // namespace clgemm::tune
