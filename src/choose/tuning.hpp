// Tuning data: the best known config of a device for each class of shapes, as clgemm-tune measured it. Plain
// data; tuning_files.hpp says where it comes from.
#pragma once

#include <string>
#include <vector>

#include "base/device.hpp"
#include "call/problem.hpp"
#include "choose/choice.hpp"
#include "choose/shape_class.hpp"

namespace clgemm {

// The config that was fastest for a shape.
struct TunedEntry {
  ShapeSize size;  // what was measured; op(A) is m x k
  bool transpose_a = false;
  bool transpose_b = false;
  Config config;
  bool packs = false;  // the kernel takes packed operands, so that it matters little how A and B lie
  double seconds = 0.0;
  std::string space;  // where only a part of all configs was searched: its name; clgemm does not choose it

  double gflops() const;
};

// The device that data was measured on, in the words of its driver.
struct TunedDevice {
  std::string name;
  std::string vendor;
  std::string platform;
  std::string driver;
  DeviceKind kind = DeviceKind::other;
  std::size_t vector_width = 1;
};
TunedDevice tuned_device(const Device& device);

// One file: one device, and one entry for each shape key and form.
struct TuningFile {
  std::string path;  // as messages name it
  TunedDevice device;
  std::vector<TunedEntry> entries;
};

// A file has one entry for each: shape_key(), the transposes, the space.
std::string entry_key(const TunedEntry& entry);

// Whether data of one device serves another. A family is of one kind, has vectors of one width, and is of one
// vendor or, for CPUs, of one platform, which is their compiler.
enum class Kinship { none, family, same };
Kinship kinship(const TunedDevice& measured, const Device& device);

// An entry that may serve a problem.
struct TunedMatch {
  const TunedEntry* entry;
  Origin origin;
  double distance = 0.0;  // of the shapes
};

class Tuning {
 public:
  // The files whose data counts more come first.
  explicit Tuning(std::vector<TuningFile> files = {}) : files_(std::move(files)) {}

  // The entries that are near enough to a problem on a device, nearest first: those of the first file of this
  // device that has any, else of the first one of its family. They refer to this object.
  std::vector<TunedMatch> near(const Problem& problem, const Device& device) const;

  // The entry of a named space that is nearest to a size, of this device or else of its family; null where
  // there is none. Refers to this object.
  const TunedEntry* of_space(const std::string& space, const ShapeSize& size, const Device& device) const;

  const std::vector<TuningFile>& files() const { return files_; }

 private:
  std::vector<TuningFile> files_;
};

}  // namespace clgemm
