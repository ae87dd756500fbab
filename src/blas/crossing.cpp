#include "blas/crossing.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <vector>

#include "base/cache_folder.hpp"
#include "base/log.hpp"
#include "blas/batch_memory.hpp"

namespace clgemm::blas {
namespace {

namespace fs = std::filesystem;

constexpr const char* first_line = "clgemm: CPU BLAS and device, seconds of call, multiplication, element; 1";

constexpr std::int64_t side = 1024;        // of the largest cube
constexpr std::int64_t large_side = 4096;  // of C in what tells the elements' time on a device
constexpr std::int64_t small = 32;
constexpr std::int64_t thin = 8;

// Matrices with room for any of the shapes that are measured.
class Measurement {
 public:
  // The shortest of some runs.
  double seconds(const std::function<void(const Call&)>& multiply, std::int64_t m, std::int64_t n,
                 std::int64_t k, int runs) {
    const Call call = call_of(m, n, k);
    double least = std::numeric_limits<double>::max();
    for (int i = 0; i < runs; ++i) {
      const auto start = std::chrono::steady_clock::now();
      multiply(call);
      least =
          std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return least;
  }

  Call call_of(std::int64_t m, std::int64_t n, std::int64_t k) {
    return {false, false, m, n, k, 1.0f, a_.data(), m, b_.data(), k, 0.0f, c_.data(), m};
  }

 private:
  std::vector<float> a_ = std::vector<float>(side * side, 1.0f);
  std::vector<float> b_ = std::vector<float>(side * side, 1.0f);
  std::vector<float> c_ = std::vector<float>(large_side * large_side);
};

// A cube tells the multiplications, a tiny one the call, and a thin update of a large C the elements.
void measure_cpu(const Contestants& contestants, Measurement& measurement, Speeds& speeds) {
  speeds.cpu_call = measurement.seconds(contestants.on_cpu, 1, 1, 1, 20);
  // The reference BLAS makes two multiplications a nanosecond, a tuned one hundreds: a cube that takes some
  // milliseconds.
  std::int64_t cube = 128;
  double cube_seconds = 0.0;
  for (;; cube *= 2) {
    cube_seconds = measurement.seconds(contestants.on_cpu, cube, cube, cube, 3);
    if (cube == side || cube_seconds > 0.004) break;
  }
  const auto cubed = static_cast<double>(cube * cube * cube);
  speeds.cpu_multiplication = std::max(cube_seconds - speeds.cpu_call, 0.0) / cubed;
  const double thin_seconds = measurement.seconds(contestants.on_cpu, side, side, thin, 3);
  const Call update = measurement.call_of(side, side, thin);
  speeds.cpu_element =
      std::max(thin_seconds - speeds.cpu_call - multiplications(update) * speeds.cpu_multiplication, 0.0) /
      elements_moved(update);
}

void measure_device(const Contestants& contestants, Measurement& measurement, Speeds& speeds) {
  const auto beyond_model = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    measurement.seconds(contestants.on_device, m, n, k, 1);  // compiles
    const double seconds = measurement.seconds(contestants.on_device, m, n, k, 3);
    return std::max(seconds - contestants.predicted_seconds(measurement.call_of(m, n, k)), 0.0);
  };
  speeds.device_call = beyond_model(small, small, small);
  // Large, for transfers come into their stride: on an H200 a C of 4 MiB took 0.7 and 2.5 ns an element in
  // two processes, one of 64 MiB 0.23.
  speeds.device_element = std::max(beyond_model(large_side, large_side, small) - speeds.device_call, 0.0) /
                          elements_moved(measurement.call_of(large_side, large_side, small));
}

// FNV-1a: the same in every process, which std::hash need not be.
std::string file_name(const std::string& key) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char letter : key) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211U;
  char name[48];
  std::snprintf(name, sizeof name, "crossing-%016llx.txt", static_cast<unsigned long long>(hash));
  return name;
}

std::optional<Speeds> read(const fs::path& file, const std::string& key) {
  std::ifstream in(file);
  std::string title;
  std::string known_key;
  Speeds speeds;
  if (!std::getline(in, title) || title != first_line || !std::getline(in, known_key) || known_key != key ||
      !(in >> speeds.cpu_call >> speeds.cpu_multiplication >> speeds.cpu_element >> speeds.device_call >>
        speeds.device_element)) {
    return std::nullopt;
  }
  return speeds;
}

// Beside its name first, so that a reader sees all of it or nothing.
void write(const fs::path& file, const std::string& key, const Speeds& speeds) {
  std::error_code failure;
  if (!file.parent_path().parent_path().empty())
    fs::create_directories(file.parent_path().parent_path(), failure);
  ::mkdir(file.parent_path().c_str(), S_IRWXU);
  const fs::path temporary = file.string() + "." + std::to_string(::getpid());
  {
    std::ofstream out(temporary);
    out << first_line << '\n'
        << key << '\n'
        << speeds.cpu_call << ' ' << speeds.cpu_multiplication << ' ' << speeds.cpu_element << '\n'
        << speeds.device_call << ' ' << speeds.device_element << '\n';
    if (!out.flush()) failure = std::make_error_code(std::errc::io_error);
  }
  if (!failure) fs::rename(temporary, file, failure);
  if (failure) fs::remove(temporary, failure);
}

std::string in_words(const Speeds& speeds) {
  char text[160];
  std::snprintf(
      text, sizeof text,
      "CPU BLAS %.2g us a call, %.3g GFLOP/s, %.2g ns an element; device %.2g us a call, %.2g ns an element",
      speeds.cpu_call * 1e6, 2e-9 / std::max(speeds.cpu_multiplication, 1e-15), speeds.cpu_element * 1e9,
      speeds.device_call * 1e6, speeds.device_element * 1e9);
  return text;
}

}  // namespace

Speeds measure(const Contestants& contestants) {
  Measurement measurement;
  Speeds speeds;
  measure_cpu(contestants, measurement, speeds);
  measure_device(contestants, measurement, speeds);
  return speeds;
}

Speeds kept_or_measured(const std::string& key, const Contestants& contestants) {
  const CacheFolder folder = cache_folder();
  const fs::path file = folder.path / file_name(key);
  if (folder.problem.empty()) {
    if (const auto kept = read(file, key)) return *kept;
  }
  const Speeds speeds = measure(contestants);
  log(LogLevel::info, "measured: " + in_words(speeds));
  if (folder.problem.empty()) write(file, key, speeds);
  return speeds;
}

double cpu_seconds(const Speeds& speeds, const Call& call) {
  return speeds.cpu_call + multiplications(call) * speeds.cpu_multiplication +
         elements_moved(call) * speeds.cpu_element;
}

bool pays(const Speeds& speeds, const Call& call,
          const std::function<double(const Call&)>& predicted_seconds) {
  const double on_cpu = cpu_seconds(speeds, call);
  const double around = speeds.device_call + elements_moved(call) * speeds.device_element;
  return on_cpu > around && on_cpu > around + predicted_seconds(call);
}

bool one_launch_pays(const Speeds& speeds, const Call& call, std::size_t count,
                     const std::function<double(std::size_t count)>& predicted_seconds) {
  const auto calls = static_cast<double>(count);
  const double elements = elements_moved(call);
  const double around = speeds.device_call + calls * elements * (speeds.device_element + gathered_element);
  const double on_cpu = calls * cpu_seconds(speeds, call);
  const double without_multiply = calls * (speeds.device_call + elements * speeds.device_element);
  if (on_cpu <= around) return false;
  return around + predicted_seconds(count) <
         std::min(on_cpu, without_multiply + calls * predicted_seconds(1));
}

}  // namespace clgemm::blas
