// Tuning data: what clgemm-tune measured of a device, the coefficients of the speed model for every config
// that may ever win, and the fastest config of single shapes. Plain data; tuning_files.hpp says where it
// comes from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "base/device_facts.hpp"
#include "call/problem.hpp"
#include "choose/choice.hpp"
#include "choose/speed_model.hpp"

namespace clgemm {

// The config that was fastest for a shape.
struct TunedEntry {
  GemmSize size;  // op(A) is m x k; matrices without gaps
  bool transpose_a = false;
  bool transpose_b = false;
  Config config;
  double seconds = 0.0;
  std::string space;  // where only a part of all configs was searched: its name; clgemm does not choose it

  double gflops() const;
};

// A config and how fast it is, fitted to what was measured.
struct ConfigRow {
  Config config;  // without SPLIT_K
  ConfigSpeed speed;
  double residual = 0.0;   // of the logarithm of the seconds: 0.1 is 10 %
  std::size_t shapes = 0;  // that it was measured on; 0: on none
};

// The device that data was measured on, in the words of its driver.
struct TunedDevice {
  std::string name;
  std::string vendor;
  std::string platform;
  std::string driver;
  DeviceKind kind = DeviceKind::other;
  std::size_t vector_width = 1;
  std::size_t compute_units = 1;
  std::size_t clock_mhz = 0;  // 0: not known
  std::size_t nvidia_sm = 0;  // as in Device
  std::optional<Probed> probed = {};
};
TunedDevice tuned_device(const Device& device);

// One file: one device. Rates and rows come together, or not at all.
struct TuningFile {
  std::string path;  // as messages name it
  TunedDevice device;
  std::optional<Rates> rates;
  std::vector<ConfigRow> configs;
  std::vector<TunedEntry> measured;
};

// Returns rows for unmeasured kernels from the peaks of the device's units. Kernels on matrix units have a
// row only if their peak is known. `multiply_adds`: of fp32, for each core and second, without matrix units.
std::vector<ConfigRow> roofline_rows(ConfigCache& configs, double multiply_adds);

// A file has one entry for each: size, transposes, space.
std::string entry_key(const TunedEntry& entry);

// Whether data of one device serves another. A family is of one kind, has vectors of one width, and is of one
// vendor or, for CPUs, of one platform, which is their compiler. Strangers are of one kind at least.
enum class Kinship { none, stranger, family, same };
Kinship kinship(const TunedDevice& measured, const Device& device);

// What people are told if no rows are of their device.
inline constexpr const char* nothing_measured =
    "nothing was measured on this device: run clgemm-tune --quick";

// An entry that serves a problem.
struct TunedMatch {
  const TunedEntry* entry;
  Origin origin;
};

// The rows that serve a device: those of the nearest relative, brought to its size.
struct SpeedTable {
  const TuningFile* file = nullptr;  // null: there is none
  Kinship kin = Kinship::none;
  bool is_of_architecture = false;  // compilers write the same code for both devices
  Rates rates;
  double slower = 1.0;  // a work-group takes so many times as long as it did there
  double most_multiply_adds =
      0.0;  // fp32, of a core a second, if that is known of another device than the measured one
  double local_float_seconds = 0.0;   // that a core needs more than on the measured device for each
                                      // float that a kernel copies into local memory
  std::vector<ConfigRow> unmeasured;  // of this very device, by its peaks

  const std::vector<ConfigRow>& rows() const;
  ConfigSpeed speed_of(const ConfigRow& row, const KernelConfig& kernel) const;
  // Of a config that no row speaks of: a guess that puts it behind those that were measured.
  ConfigSpeed speed_of(const KernelConfig& kernel) const;
  Origin origin_of(const ConfigRow& row) const;
};

// Whether a probe of the device would change these rows: they are another device's, of which is known what
// the same probe says there, or what it comes near to. What is neither a CPU nor a GPU is not probed:
// llvmpipe ends long loops (docs/platforms.md).
bool gain_by_probe(const SpeedTable& table, DeviceKind kind);

class Tuning {
 public:
  // The files whose data counts more come first.
  explicit Tuning(std::vector<TuningFile> files = {}, std::vector<std::string> passed_over = {})
      : files_(std::move(files)), passed_over_(std::move(passed_over)) {}

  // What was measured of this very problem on this very device, of each file that has it; it refers to this
  // object.
  std::vector<TunedMatch> measured(const Problem& problem, const Device& device) const;

  // Of all files that have rows for such a device, the nearest relative's first. They refer to this object.
  std::vector<SpeedTable> tables(const Device& device) const;

  // From here on other devices' rows are brought to the device's size by what was measured of it, not by
  // facts.
  void scale_by(const Probed& probed) { probed_ = probed; }

  // The entry of a named space that is nearest to a size, of this device or else of its family; null where
  // there is none. Refers to this object.
  const TunedEntry* of_space(const std::string& space, const GemmSize& size, const Device& device) const;

  const std::vector<TuningFile>& files() const { return files_; }

  // The files that were to be read and are not used, each with the reason: "PATH: its group may write to it".
  const std::vector<std::string>& passed_over() const { return passed_over_; }

 private:
  std::vector<TuningFile> files_;
  std::vector<std::string> passed_over_;
  std::optional<Probed> probed_;
};

}  // namespace clgemm
