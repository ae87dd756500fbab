#include "base/device_facts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace clgemm {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// A row of a table. The first row that is a part of the device's name applies, or the row for the whole
// architecture, which has an empty part.
struct NamedFacts {
  std::string_view part;  // a part of the name, in lower case
  DeviceFacts facts;
};

template <std::size_t count>
DeviceFacts of_name(const std::array<NamedFacts, count>& table, const std::string& name) {
  return std::find_if(table.begin(), table.end() - 1,
                      [&](const NamedFacts& one) { return has(name, one.part); })
      ->facts;
}

// NVIDIA, by architecture. The numbers of cores (SMs), their fp32 units and registers are in the tuning
// guides of CUDA. Clocks and bandwidths are in the data sheets of the largest product, which the comments
// name. The 16-bit multiply-adds of unmeasured tensor cores, with fp32 sums, are from data sheets, too: T4 65
// TFLOP/s, A100 312, RTX 3090 71, RTX 4090 165, RTX 5090 210, RTX PRO 6000 504. Cards for workstations and
// servers do twice as many as GeForce cards of the same architecture. The data sheet of B200 is about an
// instruction that clgemm does not use. mma.sync counts there as on an A100, which is a guess.
struct NvidiaFacts {
  std::size_t from_sm;
  DeviceFacts facts;
  double half_multiply_adds = 0.0;  // those of cards for workstations or servers
};
constexpr std::array nvidia = {
    NvidiaFacts{
        120, {"Blackwell (GeForce, RTX PRO)", 1, 128, 4.4, 32, 160, 2400}, 512},       // RTX 5090, 1792 GB/s
    NvidiaFacts{100, {"Blackwell (data centre)", 1, 128, 27.5, 32, 160, 1965}, 1024},  // B200, 8000 GB/s
    NvidiaFacts{90, {"Hopper", 1, 128, 12.8, 32, 160, 1980}},                          // H100 SXM, 3350 GB/s
    NvidiaFacts{89, {"Ada Lovelace", 1, 128, 3.1, 32, 160, 2520}, 512},                // RTX 4090, 1008 GB/s
    NvidiaFacts{86, {"Ampere (GeForce)", 1, 128, 6.7, 32, 160, 1695}, 512},            // RTX 3090, 936 GB/s
    NvidiaFacts{80, {"Ampere (data centre)", 1, 64, 10.2, 32, 160, 1410}, 1024},  // A100 40 GB, 1555 GB/s
    NvidiaFacts{75, {"Turing", 1, 64, 5.0, 32, 160, 1590}, 512},                  // T4, 320 GB/s
    NvidiaFacts{70, {"Volta", 1, 64, 7.4, 32, 160, 1530}},                        // V100, 900 GB/s
    NvidiaFacts{61, {"Pascal (GeForce)", 1, 128, 9.2, 32, 160, 1733}},            // GTX 1080, 320 GB/s
    NvidiaFacts{60, {"Pascal (data centre)", 1, 64, 8.8, 32, 160, 1480}},         // P100, 732 GB/s
    NvidiaFacts{0, {"NVIDIA", 1, 128, 6.0, 32, 160, 1000, false, 0, true}},
};

// Parts of the names of cards for workstations and servers, of architectures that have GeForce cards, too.
constexpr std::array<std::string_view, 9> full_rate_names = {"rtx pro",    "rtx a",     "ada generation",
                                                             "quadro rtx", "titan rtx", "tesla t4",
                                                             "nvidia a",   "nvidia l4", "nvidia l2"};

// Returns the part of an architecture's 16-bit multiply-adds that a card has. Some cards of sm_75 have no
// tensor cores (GeForce GTX 16, T1000). Unknown names count as GeForce cards.
double part_of_halves(const std::string& name, std::size_t sm) {
  if (sm == 80 || (sm >= 90 && sm < 120)) return 1.0;
  const bool is_full = std::any_of(full_rate_names.begin(), full_rate_names.end(),
                                   [&](std::string_view part) { return has(name, part); });
  if (is_full) return 1.0;
  return sm == 75 && !has(name, "rtx") ? 0.0 : 0.5;
}

DeviceFacts nvidia_facts(const std::string& name, std::size_t sm) {
  const auto* found = std::find_if(nvidia.begin(), nvidia.end() - 1,
                                   [sm](const NvidiaFacts& one) { return sm >= one.from_sm; });
  DeviceFacts facts = found->facts;
  facts.half_multiply_adds = found->half_multiply_adds * part_of_halves(name, sm);
  constexpr double bytes_of_h200 = 18.4;  // the same chip with faster memory, 4800 GB/s
  if (has(name, "h200")) facts.bytes = bytes_of_h200;
  return facts;
}

// AMD. The names of its own driver are like "gfx1100"; Mesa's names have the chip's name in brackets. The
// registers of a wave are from the ISA guides, the rest from white papers and data sheets. RDNA's driver
// reports workgroup processors, each with two compute units; Mesa reports the compute units. RDNA 3 and 4 can
// issue a second multiply-add with the first, and CDNA has packed ones. Neither is counted, because both
// depend on the compiler. RDNA has 256 registers: clang 19 fits configs of 80 floats, and spills with 88.
// CDNA has 256 more, which only moves can reach. With 88 floats its loops have such moves and one wave a
// SIMD; with 76 they have neither. Matrix units take unchanged fp32 numbers, with 256 FLOP a clock (for CDNA
// 2: AMD lab notes, "AMD matrix cores"). That is 45.3 TFLOP/s on an MI210, whose vector units do 22.6 without
// packing, and 163.4 on an MI300X, the same as its vector units. With 16-bit numbers and fp32 sums, data
// sheets have 1307 TFLOP/s for an MI300X, 123 for an RX 7900 XTX at 2500 MHz, and 195 for an RX 9070 XT at
// 2970 MHz. Mesa's compiler has no function for these instructions.
constexpr std::array amd = {
    NamedFacts{"gfx94",
               {"CDNA 3", 1, 128, 8.3, 64, 80, 2100, false, 0, false, 128, 0.0, 1024}},  // MI300X, 5300 GB/s
    NamedFacts{"gfx95", {"CDNA 4", 1, 128, 13.0, 64, 80, 2400}},                         // MI355X, 8000 GB/s
    NamedFacts{"gfx90a",
               {"CDNA 2", 1, 64, 9.3, 64, 80, 1700, false, 0, false, 128}},  // MI250, 1638 GB/s of a die
    NamedFacts{"gfx9", {"CDNA, GCN", 1, 64, 9.3, 64, 80, 1700}},             // MI50, 1024 GB/s
    NamedFacts{"gfx12",
               {"RDNA 4", 1, 128, 9.0, 32, 80, 2520, false, 0, false, 0.0, 0.0, 1024}},  // RX 9070, 640 GB/s
    NamedFacts{
        "gfx11",
        {"RDNA 3", 1, 128, 8.4, 32, 80, 2371, false, 0, false, 0.0, 0.0, 512}},  // RX 7900 XTX, 960 GB/s
    NamedFacts{"gfx10", {"RDNA 2", 1, 128, 8.1, 32, 80, 2105}},                  // RX 6800, 512 GB/s
    NamedFacts{"navi4", {"RDNA 4 (Mesa)", 2, 128, 9.0, 32, 80, 2520}},
    NamedFacts{"navi3", {"RDNA 3 (Mesa)", 2, 128, 8.4, 32, 80, 2371}},
    NamedFacts{"navi2", {"RDNA 2 (Mesa)", 2, 128, 8.1, 32, 80, 2105}},
    NamedFacts{"", {"AMD", 1, 64, 4.0, 64, 80, 1000, false, 0, true}},
};

// Intel reports execution units (vector engines); 8 or 16 of them share local memory. With 128 registers a
// thread (ocloc 22.43), configs of 24 and 32 floats fit, and those of 40 spill. With 256 registers, which
// only newer GPUs have, those of 48 fit, too, but their loops issue fewer multiply-adds. At 4096,
// multiply-adds are .75 of a DG2's instructions with 32 floats, .65 with 40, and .23 with 48, because the
// compiler does not unroll that loop. On Xe-HPC this applies to sub-groups of 16. Its compiler prefers 32,
// which halves the registers of a work-item. GPUs with `half_multiply_adds` have a matrix unit in each
// engine. With 16-bit numbers and fp32 sums, data sheets have 138 TFLOP/s for an A770 at 2100 MHz, 117 for a
// B580, and 420 for a stack of a Max 1550.
constexpr DeviceFacts xe(std::string_view family, double units_per_core, double bytes, std::size_t mhz,
                         double half_multiply_adds, std::size_t matrix_sub_group) {
  DeviceFacts facts = {family, units_per_core, 128, bytes, 32, 36, mhz, true};
  facts.half_multiply_adds = half_multiply_adds;
  facts.matrix_sub_group = matrix_sub_group;
  return facts;
}
constexpr DeviceFacts xe_hpg = xe("Xe-HPG", 16, 7.3, 2400, 1024, 8);    // A770, 560 GB/s
constexpr DeviceFacts xe2_hpg = xe("Xe2-HPG", 8, 8.0, 2850, 1024, 16);  // B580, 456 GB/s
constexpr DeviceFacts xe_hpc() {                                        // one stack of a Max 1550, 1638 GB/s
  DeviceFacts facts = xe("Xe-HPC", 8, 16.0, 1600, 2048, 16);
  facts.required_sub_group = 16;
  return facts;
}

// 140V, 130V, 140T and 130T are GPUs of Core Ultra. Their cores are like those of Arc B (200V) or Arc A
// (200H), with about as many bytes for each (135 GB/s for 8 cores). The GPUs of the 100 series, "Arc(TM)
// Graphics", have no matrix units.
constexpr std::array intel = {
    NamedFacts{"max 1", xe_hpc()},
    NamedFacts{"arc(tm) b", xe2_hpg},
    NamedFacts{"arc b", xe2_hpg},
    NamedFacts{"arc(tm) pro b", xe2_hpg},
    NamedFacts{"arc pro b", xe2_hpg},
    NamedFacts{"arc(tm) a", xe_hpg},
    NamedFacts{"arc a", xe_hpg},
    NamedFacts{"arc(tm) pro a", xe_hpg},
    NamedFacts{"arc pro a", xe_hpg},
    NamedFacts{"gpu flex", xe_hpg},  // Flex 170 has the chip of an A770
    NamedFacts{"140v", xe2_hpg},
    NamedFacts{"130v", xe2_hpg},
    NamedFacts{"140t", xe_hpg},
    NamedFacts{"130t", xe_hpg},
    NamedFacts{"", {"Xe-LP, Gen", 16, 128, 8.4, 32, 32, 1350}},  // Iris Xe with 96 units, 68 GB/s
};

// Bytes per clock between a core and the cache that all cores share. Arm's counters count this traffic in
// beats of 16 bytes (libGPUCounters). One beat per clock is a guess.
constexpr double beat_bytes = 16.0;

// Arm's and Qualcomm's GPUs have many kinds of cores; the peaks are those of the largest product of a name.
// Mali's local memory is global memory behind caches (Arm, "Mali GPU OpenCL Developer Guide").
constexpr DeviceFacts mali(std::string_view family, double multiply_adds, double bytes,
                           bool is_guess = false) {
  return {family, 1, multiply_adds, bytes, 16, 32, 850, false, 0, is_guess, 0.0, beat_bytes};
}
constexpr std::array arm = {
    NamedFacts{"g710", mali("Valhall 3", 64, 6.0)},  // MP10, 51 GB/s
    NamedFacts{"g715", mali("Valhall 4", 128, 6.0)},
    NamedFacts{"g720", mali("Mali 5th generation", 128, 6.0)},
    NamedFacts{"", mali("Mali", 32, 4.3, true)},  // G78 MP14, 51 GB/s
};
constexpr DeviceFacts adreno = {"Adreno", 1, 256, 16.0, 64, 64, 680, false, 0, true};  // 740, 67 GB/s
constexpr DeviceFacts apple = {"Apple", 1, 128, 7.5, 32, 48, 1398};                    // M2 Max, 400 GB/s

// A core of a CPU with two vector units of 8 lanes. Only ratios among CPUs are used.
constexpr DeviceFacts cpu = {"CPU", 1, 16, 8.0, 1, 1024, 2500, false, 0, true};
constexpr DeviceFacts gpu = {"unknown GPU", 1, 64, 6.0, 32, 80, 1000, false, 0, true};

}  // namespace

DeviceFacts facts_of(const Device& device) {
  if (device.kind != DeviceKind::gpu) return cpu;
  const std::string name = lower(device.name);
  const std::string vendor = lower(device.vendor);
  if (device.nvidia_sm != 0 || has(vendor, "nvidia")) return nvidia_facts(name, device.nvidia_sm);
  if (has(vendor, "advanced micro") || has(vendor, "amd")) return of_name(amd, name);
  if (has(vendor, "intel")) return of_name(intel, name);
  if (has(vendor, "arm")) return of_name(arm, name);
  if (has(vendor, "qualcomm")) return adreno;
  if (has(vendor, "apple")) return apple;
  DeviceFacts facts = gpu;
  if (device.local_in_global) facts.local_cache_bytes = beat_bytes;
  return facts;
}

DevicePeaks peaks_of(const Device& device) {
  constexpr std::size_t least_mhz = 100;  // an Adreno 740 reports 1
  const DeviceFacts facts = facts_of(device);
  const double hertz =
      1e6 * static_cast<double>(device.clock_mhz < least_mhz ? facts.usual_mhz : device.clock_mhz);
  const auto cores =
      static_cast<std::size_t>(static_cast<double>(device.compute_units) / facts.units_per_core);
  DevicePeaks peaks;
  peaks.cores = std::max<std::size_t>(cores, 1);
  peaks.multiply_adds = facts.multiply_adds * hertz;
  peaks.bytes = facts.bytes * hertz * static_cast<double>(peaks.cores);
  peaks.local_cache_bytes = facts.local_cache_bytes * hertz;
  return peaks;
}

DevicePeaks peaks_of(const Device& device, const Probed& probed) {
  constexpr double other_products = 2.0;  // other products have more or fewer cores for their memory
  const DevicePeaks facts = peaks_of(device);
  DevicePeaks peaks = facts;
  peaks.multiply_adds = probed.multiply_adds / static_cast<double>(facts.cores);
  peaks.bytes = probed.bytes;
  if (facts_of(device).is_guess) return peaks;
  peaks.multiply_adds = std::min(peaks.multiply_adds, facts.multiply_adds);
  peaks.bytes = std::clamp(peaks.bytes, facts.bytes / other_products, other_products * facts.bytes);
  return peaks;
}

bool is_plausible(const Probed& probed, const Device& device) {
  if (facts_of(device).is_guess) return true;
  const DevicePeaks facts = peaks_of(device);
  return 2.0 * probed.multiply_adds > facts.of_device();
}

}  // namespace clgemm
