// The common beginning of every run of clgemm-tune: the device, the space, the journal, and separate caches.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "base/platform/folder_lock.hpp"
#include "tune/command_line/options.hpp"
#include "tune/measuring/journal.hpp"
#include "tune/searching/space.hpp"

namespace clgemm::tune {

struct RunSetup {
  // Throws Error if a device or kernel does not exist.
  explicit RunSetup(const TuneOptions& options);

  Device device;
  KernelLibrary library;
  std::vector<KernelSpace> spaces;
  std::vector<bench::Size> sizes;
  std::filesystem::path output;
};

// Describes everything that measurements and the search depend on. A journal is only valid for the same run.
std::string describe_run(const TuneOptions& options, RunSetup& setup);

// Opens the journal beside the output. A --fresh one is empty. Its name has a hash of the run, so that
// different runs have different journals.
std::unique_ptr<Journal> open_journal(const TuneOptions& options, RunSetup& setup);

// Thousands of configs would evict the user's programs from clgemm's, PoCL's and NVIDIA's caches. While such
// an object is alive, the device is not probed (src/probe), and programs are stored in a folder beside the
// output, which is removed at the end. A killed run leaves the folder to the next one. The folder is locked
// because two runs would disturb each other's times, and one would lose what the other writes.
class OwnCaches {
 public:
  // Throws std::runtime_error if another process has the folder.
  explicit OwnCaches(const std::filesystem::path& output);
  ~OwnCaches();
  OwnCaches(const OwnCaches&) = delete;
  OwnCaches& operator=(const OwnCaches&) = delete;

 private:
  // Returns false if the folder has disappeared.
  bool locked(const std::filesystem::path& output);

  std::filesystem::path folder_;
  FolderLock lock_;
};

}  // namespace clgemm::tune
