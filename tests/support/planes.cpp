#include "planes.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "build/disk_cache.hpp"
#include "build/program_cache.hpp"
#include "catch.hpp"
#include "kernel/config_cache.hpp"
#include "on_device.hpp"

namespace clgemm::test {

std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float float_of(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::size_t PackingSource::index(int line, int deep) const {
  const auto l = static_cast<std::size_t>(line);
  const auto d = static_cast<std::size_t>(deep);
  return offset + (along_k ? l * ld + d : d * ld + l);
}

float PackingSource::at(int line, int deep) const {
  return line < lines && deep < depth ? memory[index(line, deep)] : 0.0f;
}

PackingSource make_source(int lines, int depth, bool along_k, std::size_t gap, std::size_t offset) {
  const auto count = static_cast<std::size_t>(along_k ? lines : depth);
  PackingSource result{lines,  depth, along_k, static_cast<std::size_t>(along_k ? depth : lines) + gap,
                       offset, {}};
  result.memory = random_elements(offset + count * result.ld, 3);
  return result;
}

std::uint16_t PackedWords::half_word(std::size_t index) const {
  return static_cast<std::uint16_t>(bits_of(words.at(index / 2)) >> (index % 2 * 16));
}

PackedWords pack_both(const std::string& kernel_name, const PackingSource& source,
                      const Parameters& parameters) {
  static ConfigCache* const configs = new ConfigCache(shared_device_info(), {});
  static ProgramCache* const programs = new ProgramCache(shared_cl_context(), shared_device(),
                                                         shared_device_info(), DiskCache::from_environment());
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::shared_ptr<const KernelConfig> config = configs->get(kernel_name, parameters);
  const auto program = programs->get(config, Purpose::named);

  PackedWords result{(source.lines + 63) / 64 * 64, (source.depth + 31) / 32 * 32, {}, {}};
  const std::size_t size =
      packed_size(*config, static_cast<std::size_t>(result.lines), static_cast<std::size_t>(result.depth));
  constexpr cl_int groups = 2;  // fewer than there are tiles, and fewer than for the other operand
  const cl::Buffer from = make_buffer(source.memory);
  const cl::Buffer to = make_buffer(std::vector<float>(2 * size, nan));
  const cl::Buffer noted = make_buffer(std::vector<float>((groups + 1) * 2, nan));
  {
    BuiltKernel::Lease kernel(program);
    cl_uint index = 0;
    const auto set = [&](const auto&... values) { ((*kernel).setArg(index++, values), ...); };
    set(cl_int{source.depth}, cl_int{result.depth}, to);
    for (const bool is_a : {true, false}) {
      set(is_a ? groups : cl_int{1}, cl_int{source.lines}, cl_int{result.lines}, from,
          cl_ulong{source.offset}, cl_ulong{source.ld}, cl_ulong{0}, cl_int{source.along_k},
          cl_ulong{is_a ? 0 : size}, cl_ulong{0});
    }
    set(noted, cl_ulong{0}, std::numeric_limits<cl_ulong>::max());  // as in the first stage of a chain
    const std::size_t items = config->local[0];
    shared_queue().enqueueNDRangeKernel(*kernel, cl::NullRange, cl::NDRange((groups + 1) * items, 1, 1),
                                        cl::NDRange(items, 1, 1));
  }
  result.words = read_buffer(to);
  const std::vector<float> notes = read_buffer(noted);
  for (std::size_t note = 0; note < 2; ++note)
    result.notes[note] = std::max(bits_of(notes[note]), bits_of(notes[2 + note]));
  CHECK(bits_of(notes[5]) == result.notes[1]);
  // If the planes cannot be used, packing ends early. The largest number that it noted and its output then
  // depend on the order of the work-groups.
  const bool in_vain = result.notes[1] == std::numeric_limits<std::uint32_t>::max();
  CHECK((in_vain || bits_of(notes[4]) == result.notes[0]));
  CHECK((in_vain || std::memcmp(&result.words[0], &result.words[size], size * sizeof(float)) == 0));
  result.words.resize(size);
  return result;
}

Data with_special(const GemmCase& gemm, const Special& special) {
  Data data = random_data(gemm, 8);
  const auto put = [](std::vector<float>& memory, const Place& place, float value) {
    if (value != 0.0f) memory[place.index(place.rows - 1, place.columns - 1)] = value;
  };
  put(data.a, gemm.a, special.a);
  put(data.b, gemm.b, special.b);
  return data;
}

bool all_are(const GemmCase& gemm, const std::vector<float>& c, float value) {
  for (std::size_t row = 0; row < gemm.c.rows; ++row) {
    for (std::size_t column = 0; column < gemm.c.columns; ++column) {
      if (c[gemm.c.index(row, column)] != value) return false;
    }
  }
  return true;
}

int different_kinds(const std::vector<float>& c, const std::vector<float>& expected) {
  int different = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const bool alike = std::isnan(expected[i])   ? std::isnan(c[i])
                       : std::isinf(expected[i]) ? c[i] == expected[i]
                                                 : std::isfinite(c[i]);
    if (!alike) ++different;
  }
  return different;
}

std::string kernel_text(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(CLGEMM_TEST_KERNELS "/" + file).rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& part, const std::string& other) {
  const std::size_t place = text.find(part);
  REQUIRE(place != std::string::npos);
  return text.replace(place, part.size(), other);
}

}  // namespace clgemm::test
