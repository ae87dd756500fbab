// Tuning data: the measurements of clgemm-tune on a device. They are the coefficients of the speed model for
// every config that may ever be the fastest, and the fastest config for single shapes. It is plain data;
// tuning_files.hpp finds it.
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

// The fastest config for a shape.
struct TunedEntry {
  GemmSize size;  // op(A) is m x k; matrices without gaps
  bool transpose_a = false;
  bool transpose_b = false;
  Config config;
  double seconds = 0.0;
  std::string space;  // name, if only a part of all configs was searched; clgemm does not choose the entry

  double gflops() const;
};

// A config and its speed, fitted to measurements.
struct ConfigRow {
  Config config;  // without SPLIT_K
  ConfigSpeed speed;
  double residual = 0.0;   // residual of the logarithm of the seconds: 0.1 is 10 %
  std::size_t shapes = 0;  // shapes that it was measured on; 0: none
};

// The device that data was measured on, as its driver describes it.
struct TunedDevice {
  std::string name;
  std::string vendor;
  std::string platform;
  std::string driver;
  DeviceKind kind = DeviceKind::other;
  std::size_t vector_width = 1;
  std::size_t compute_units = 1;
  std::size_t clock_mhz = 0;  // 0: unknown
  std::size_t nvidia_sm = 0;  // as in Device
  std::optional<Probed> probed = {};
};
TunedDevice tuned_device(const Device& device);

// A file for one device. It has both rates and rows, or neither.
struct TuningFile {
  std::string path;  // its name in messages
  TunedDevice device;
  std::optional<Rates> rates;
  std::vector<ConfigRow> configs;
  std::vector<TunedEntry> measured;
};

// Returns rows for unmeasured kernels from the peaks of the device's units. Kernels on matrix units have a
// row only if their peak is known. `multiply_adds`: of fp32, for each core and second, without matrix units.
std::vector<ConfigRow> roofline_rows(ConfigCache& configs, double multiply_adds);

// A file has at most one entry for each key: size, transposes and space.
std::string entry_key(const TunedEntry& entry);

// Tells whether data of one device may be used for another. The devices of a family have the same kind, the
// same vector width and the same vendor or, for CPUs, the same platform, which is their compiler. Strangers
// have at least the same kind.
enum class Kinship { none, stranger, family, same };
Kinship kinship(const TunedDevice& measured, const Device& device);

// The message if no rows are for this device.
inline constexpr const char* nothing_measured =
    "nothing was measured on this device: run clgemm-tune --quick";

// An entry for a problem.
struct TunedMatch {
  const TunedEntry* entry;
  Origin origin;
};

// The rows for a device: those of the nearest relative, scaled to this device.
struct SpeedTable {
  const TuningFile* file = nullptr;  // null: there is none
  Kinship kin = Kinship::none;
  bool is_of_architecture = false;  // compilers write the same code for both devices
  Rates rates;
  double slower = 1.0;  // factor by which a work-group is slower than on the measured device
  // Fp32 multiply-adds of a core per second, if known and the device is not the measured one.
  double most_multiply_adds = 0.0;
  // Additional time of a core, compared with the measured device, for each float that a kernel copies into
  // local memory.
  double local_float_seconds = 0.0;
  std::vector<ConfigRow> unmeasured;  // of this device, from its peaks

  const std::vector<ConfigRow>& rows() const;
  ConfigSpeed speed_of(const ConfigRow& row, const KernelConfig& kernel) const;
  // Returns a guess for a config without a row. It ranks behind the measured configs.
  ConfigSpeed speed_of(const KernelConfig& kernel) const;
  Origin origin_of(const ConfigRow& row) const;
};

// Returns whether a probe of the device would change these rows. They must belong to another device, for
// which the result of the same probe is known, or a value close to it. Only CPUs and GPUs are probed, because
// llvmpipe ends long loops (docs/platforms.md).
bool gain_by_probe(const SpeedTable& table, DeviceKind kind);

class Tuning {
 public:
  // Files whose data have precedence come first.
  explicit Tuning(std::vector<TuningFile> files = {}, std::vector<std::string> passed_over = {})
      : files_(std::move(files)), passed_over_(std::move(passed_over)) {}

  // Returns the measurements of the same problem on the same device, from each file that has one. They refer
  // to this object.
  std::vector<TunedMatch> measured(const Problem& problem, const Device& device) const;

  // Returns the tables of all files with rows for such a device, those of the nearest relative first. They
  // refer to this object.
  std::vector<SpeedTable> tables(const Device& device) const;

  // From now on, other devices' rows are scaled by these measurements of the device instead of by facts.
  void scale_by(const Probed& probed) { probed_ = probed; }

  // Returns the entry of a named space that is nearest to a size, from this device or else from its family;
  // null if there is none. It refers to this object.
  const TunedEntry* of_space(const std::string& space, const GemmSize& size, const Device& device) const;

  const std::vector<TuningFile>& files() const { return files_; }

  // Returns the files that were to be read and are not used, each with the reason: "PATH: its group may write
  // to it".
  const std::vector<std::string>& passed_over() const { return passed_over_; }

 private:
  std::vector<TuningFile> files_;
  std::vector<std::string> passed_over_;
  std::optional<Probed> probed_;
};

}  // namespace clgemm
