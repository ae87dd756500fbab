// Runs a kernel for NVIDIA Hopper on the CPU, with a thread for each work-item of a work-group. work_items.py
// compiles the kernel for the CPU. A call of a function of this file stands there instead of each piece of
// inline PTX. The functions do what the PTX ISA says of the instruction, but everything asynchronous is done
// at once: copies have arrived when they have started, and products are added when they are requested. So
// missing waits go unnoticed. So do wrong operands of the inline PTX itself, a missing order between
// work-groups, which run one after the other, and accesses past a variable in local memory.
//
// Local memory is the kernel's static variables. Before each work-group they get large numbers. With NaN
// there, kernels would compute in plain fp32, and be right. An address of 32 bits has the lower half of a
// pointer.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace {

using Words2 = unsigned __attribute__((vector_size(8)));
using Vector2 = float __attribute__((vector_size(8)));
using Vector4 = float __attribute__((vector_size(16)));

constexpr std::chrono::seconds patience{60};

[[noreturn]] void fail(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  std::abort();
}

// Work-items wait here until so many have come.
class Meeting {
 public:
  void wait(std::size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    const int now = round_;
    if (++here_ == count) {
      here_ = 0;
      ++round_;
      all_here_.notify_all();
    } else if (!all_here_.wait_for(lock, patience, [&] { return round_ != now; })) {
      fail("work-items wait at a barrier for others that never come");
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::size_t here_ = 0;
  int round_ = 0;
};

// An mbarrier. A phase ends when all have arrived, and when the bytes that were announced have been copied.
class CountingBarrier {
 public:
  void begin(unsigned arrivals) {
    arrivals_ = left_ = arrivals;
    phase_ = 0;
    bytes_ = 0;
  }
  void expect(long bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    bytes_ += bytes;
  }
  void arrive() {
    const std::lock_guard<std::mutex> lock(mutex_);
    --left_;
    end_phase();
  }
  void copied(long bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    bytes_ -= bytes;
    end_phase();
  }
  void wait(unsigned parity) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!phase_ended_.wait_for(lock, patience, [&] { return phase_ != parity; }))
      fail("work-items wait for the phase of an mbarrier that never ends");
  }

 private:
  void end_phase() {
    if (left_ != 0 || bytes_ != 0) return;
    left_ = arrivals_;
    phase_ ^= 1;
    phase_ended_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable phase_ended_;
  unsigned arrivals_ = 0;
  unsigned left_ = 0;
  unsigned phase_ = 0;
  long bytes_ = 0;
};

constexpr std::size_t most_warps = 32;
constexpr std::size_t lanes = 32;
constexpr std::size_t warpgroup = 128;

struct WorkGroup {
  std::array<std::size_t, 3> groups, local, id;
  std::size_t items;
  std::array<Meeting, 16> barriers;  // by number; OpenCL's is 0
  std::array<Meeting, most_warps> warps;
  std::array<Meeting, most_warps / 4> warpgroups;
  std::array<std::array<unsigned, lanes>, most_warps> words;               // told by the lanes of a warp
  std::array<std::array<std::array<float, 16>, 64>, most_warps / 4> rows;  // a warpgroup's first factor
  std::mutex of_counting;
  std::map<unsigned, CountingBarrier> counting;
};
WorkGroup* group = nullptr;
thread_local std::size_t item = 0;

std::uintptr_t local_begin = 0;  // of local memory

std::uintptr_t pointer_to(unsigned address) {
  constexpr std::uintptr_t lower = 0xffffffff;
  const std::uintptr_t pointer = (local_begin & ~lower) | address;
  return pointer < local_begin ? pointer + lower + 1 : pointer;
}

CountingBarrier& counting(unsigned address) {
  const std::lock_guard<std::mutex> lock(group->of_counting);
  return group->counting[address];
}

// Returns what `combine` makes of the values of all lanes of the warp.
template <class Combine>
unsigned with_warp(unsigned value, const Combine& combine) {
  const std::size_t warp = item / lanes;
  group->words[warp][item % lanes] = value;
  group->warps[warp].wait(lanes);
  const unsigned result = combine(group->words[warp]);
  group->warps[warp].wait(lanes);
  return result;
}

// fp16, rounded to nearest, ties to even.
std::uint16_t half_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
  const double magnitude = std::fabs(value);
  if (value == 0.0F) return sign;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7fffU);
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00U);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int unit = std::max(exponent - 11, -24);  // the exponent of the last bit
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
  // Numbers of fp16 are in the order of their bits, and a step is one of them.
  return static_cast<std::uint16_t>(sign | ((static_cast<std::uint32_t>(unit + 24) << 10) + steps));
}

float of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const float magnitude = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                          : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                          : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return bits >> 15 != 0 ? -magnitude : magnitude;
}

// The tensor core takes 10 bits behind the point, and drops the others.
float tf32_of(unsigned bits) {
  return std::bit_cast<float>(bits & 0xffffe000U);
}

// Kernels must not need products as small as these: the tensor core may lose them.
float product(float x, float y) {
  const float result = x * y;
  return std::fabs(result) < 0x1p-140F ? 0.0F : result;
}

// Returns number `k` of a line of a matrix in local memory that a wgmma descriptor describes.
float element_of(std::uint64_t descriptor, std::size_t line, std::size_t k, bool halves) {
  constexpr std::uintptr_t span = 0x40000;  // a descriptor has 18 bits of the address
  constexpr std::uintptr_t unit = 16;
  std::uintptr_t start = (local_begin & ~(span - 1)) | (descriptor & 0x3fff) * unit;
  if (start < local_begin) start += span;
  const std::uintptr_t along_k = (descriptor >> 16 & 0x3fff) * unit;
  const std::uintptr_t along_lines = (descriptor >> 32 & 0x3fff) * unit;
  const bool is_swizzled = descriptor >> 62 != 0;
  const std::uintptr_t byte = k * (halves ? 2U : 4U);
  std::uintptr_t place = start + line / 8 * along_lines;
  if (is_swizzled) {
    place += line % 8 * 128 + byte;
    place ^= (place >> 7 & 7) << 4;
  } else {
    place += line % 8 * unit + byte / unit * along_k + byte % unit;
  }
  if (halves) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, reinterpret_cast<const void*>(place), sizeof bits);
    return of_half(bits);
  }
  unsigned bits = 0;
  std::memcpy(&bits, reinterpret_cast<const void*>(place), sizeof bits);
  return tf32_of(bits);
}

}  // namespace

// The functions that replace PTX. Names and arguments are those of the table in work_items.py.
extern "C" {

unsigned local_address(std::uint64_t pointer) {
  return static_cast<unsigned>(pointer);
}

void item_barrier(unsigned number, unsigned count) {
  group->barriers[number].wait(count);
}

unsigned item_barrier_any(unsigned number, unsigned count, unsigned yes) {
  static std::atomic<unsigned> any[16];
  if (yes != 0) any[number] = 1;
  group->barriers[number].wait(count);
  const unsigned result = any[number];
  group->barriers[number].wait(count);
  any[number] = 0;
  group->barriers[number].wait(count);
  return result;
}

void warp_barrier(void) {
  group->warps[item / lanes].wait(lanes);
}

unsigned warp_largest(unsigned value) {
  return with_warp(value, [](const auto& words) { return *std::max_element(words.begin(), words.end()); });
}

unsigned warp_exchange(unsigned value, unsigned apart) {
  return with_warp(value, [apart](const auto& words) { return words[item % lanes ^ apart]; });
}

void load_matrices_of(unsigned* fragment, unsigned address) {
  if (address % 16 != 0) fail("ldmatrix from an address that is not a multiple of 16");
  const std::size_t warp = item / lanes;
  const std::size_t lane = item % lanes;
  group->words[warp][lane] = address;
  group->warps[warp].wait(lanes);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uintptr_t line = pointer_to(group->words[warp][i * 8 + lane / 4]);
    std::memcpy(&fragment[i], reinterpret_cast<const void*>(line + lane % 4 * 4), 4);
  }
  group->warps[warp].wait(lanes);
}

void counting_begin(unsigned barrier, unsigned arrivals) {
  counting(barrier).begin(arrivals);
}
void counting_arrive(unsigned barrier) {
  counting(barrier).arrive();
}
void counting_expect(unsigned barrier, unsigned bytes) {
  counting(barrier).expect(bytes);
  counting(barrier).arrive();
}
void counting_wait(unsigned barrier, unsigned parity) {
  counting(barrier).wait(parity);
}

void copy_to_local(unsigned to, std::uint64_t from, int bytes, unsigned size) {
  if (to % size != 0 || from % size != 0)
    fail("a copy to or from an address that is no multiple of its size");
  std::array<char, 16> piece{};
  if (bytes > 0)
    std::memcpy(piece.data(), reinterpret_cast<const void*>(from), static_cast<std::size_t>(bytes));
  std::memcpy(reinterpret_cast<void*>(pointer_to(to)), piece.data(), size);
}

void copy_in_bulk(unsigned to, std::uint64_t from, unsigned bytes, unsigned barrier) {
  if (to % 16 != 0 || from % 16 != 0 || bytes % 16 != 0)
    fail("a bulk copy that is not in pieces of 16 bytes");
  std::memcpy(reinterpret_cast<void*>(pointer_to(to)), reinterpret_cast<const void*>(from), bytes);
  counting(barrier).copied(bytes);
}

unsigned add_one(std::uint64_t word) {
  return __atomic_fetch_add(reinterpret_cast<unsigned*>(word), 1U, __ATOMIC_SEQ_CST);
}

unsigned halves_of(float first, float second) {
  return half_of(first) | static_cast<unsigned>(half_of(second)) << 16;
}
float of_lower_half(unsigned bits) {
  return of_half(static_cast<std::uint16_t>(bits));
}
float of_upper_half(unsigned bits) {
  return of_half(static_cast<std::uint16_t>(bits >> 16));
}

// d (+)= a b^T for 64 rows x `columns`. A work-item has its elements of 16 rows of a warp.
void multiply_matrices(float* d, unsigned* a, std::uint64_t b, int keep, unsigned columns, int halves) {
  const std::size_t depth = halves != 0 ? 16 : 8;
  auto& rows = group->rows[item / warpgroup];
  Meeting& meeting = group->warpgroups[item / warpgroup];
  const std::size_t lane = item % lanes;
  const std::size_t row = item % warpgroup / lanes * 16 + lane / 4;
  meeting.wait(warpgroup);
  for (std::size_t i = 0; i < 4; ++i) {
    auto& line = rows[row + i % 2 * 8];
    if (halves != 0) {
      line[i / 2 * 8 + lane % 4 * 2] = of_lower_half(a[i]);
      line[i / 2 * 8 + lane % 4 * 2 + 1] = of_upper_half(a[i]);
    } else {
      line[i / 2 * 4 + lane % 4] = tf32_of(a[i]);
    }
  }
  meeting.wait(warpgroup);
  for (std::size_t i = 0; i < columns / 2; ++i) {
    const auto& line = rows[row + i / 2 % 2 * 8];
    const std::size_t column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    float sum = keep != 0 ? d[i] : 0.0F;
    for (std::size_t k = 0; k < depth; ++k) sum += product(line[k], element_of(b, column, k, halves != 0));
    d[i] = sum;
  }
}

static std::atomic<int> plain_ways_taken;
void count_plain_way(void) {
  ++plain_ways_taken;
}
// Returns how many there were since the last call.
int plain_ways(void) {
  return plain_ways_taken.exchange(0);
}

// Runs a kernel. `call` passes the arguments to it. Local memory has so many bytes from `begin` on.
void run_kernel(void (*call)(const std::uint64_t*), const std::uint64_t* arguments, const std::size_t* groups,
                const std::size_t* local, std::uint64_t begin, std::size_t bytes) {
  local_begin = begin;
  for (std::size_t number = 0; number < groups[0] * groups[1] * groups[2]; ++number) {
    WorkGroup now;
    now.groups = {groups[0], groups[1], groups[2]};
    now.local = {local[0], local[1], local[2]};
    now.id = {number % groups[0], number / groups[0] % groups[1], number / groups[0] / groups[1]};
    now.items = local[0] * local[1] * local[2];
    if (now.items > most_warps * lanes) fail("a work-group with too many work-items");
    group = &now;
    std::memset(reinterpret_cast<void*>(begin), 0x4b, bytes);
    std::vector<std::thread> items;
    try {
      for (std::size_t i = 0; i < now.items; ++i) {
        items.emplace_back([call, arguments, i] {
          item = i;
          call(arguments);
        });
      }
    } catch (const std::system_error&) {
      fail("the system allows too few threads");
    }
    for (std::thread& one : items) one.join();
  }
}

}  // extern "C"

// OpenCL's functions, with the names that clang gives them. Local memory is an address space of its own in
// some names.
std::size_t get_local_id(unsigned axis) {
  const auto& local = group->local;
  const std::size_t before = axis == 0 ? 1 : axis == 1 ? local[0] : local[0] * local[1];
  return item / before % local[axis];
}
std::size_t get_group_id(unsigned axis) {
  return group->id[axis];
}
std::size_t get_num_groups(unsigned axis) {
  return group->groups[axis];
}
std::size_t get_local_size(unsigned axis) {
  return group->local[axis];
}
std::size_t get_global_id(unsigned axis) {
  return group->id[axis] * group->local[axis] + get_local_id(axis);
}
std::size_t get_global_size(unsigned axis) {
  return group->groups[axis] * group->local[axis];
}
void barrier(unsigned) {
  group->barriers[0].wait(group->items);
}

#define FOR_INTEGERS(type)                  \
  type min(type x, type y) {                \
    return x < y ? x : y;                   \
  }                                         \
  type max(type x, type y) {                \
    return x > y ? x : y;                   \
  }                                         \
  type clamp(type x, type low, type high) { \
    return min(max(x, low), high);          \
  }
FOR_INTEGERS(int)
FOR_INTEGERS(unsigned)
FOR_INTEGERS(long)
FOR_INTEGERS(unsigned long)

float mad(float x, float y, float z) {
  return std::fma(x, y, z);
}
Vector2 mad(Vector2 x, Vector2 y, Vector2 z) {
  for (int i = 0; i < 2; ++i) z[i] = mad(x[i], y[i], z[i]);
  return z;
}
Vector4 mad(Vector4 x, Vector4 y, Vector4 z) {
  for (int i = 0; i < 4; ++i) z[i] = mad(x[i], y[i], z[i]);
  return z;
}
float fma(float x, float y, float z) {
  return mad(x, y, z);
}
Vector2 fma(Vector2 x, Vector2 y, Vector2 z) {
  return mad(x, y, z);
}
Vector4 fma(Vector4 x, Vector4 y, Vector4 z) {
  return mad(x, y, z);
}
float fmax(float x, float y) {
  return std::fmax(x, y);
}
float fmin(float x, float y) {
  return std::fmin(x, y);
}
Words2 max(Words2 x, Words2 y) {
  for (int i = 0; i < 2; ++i) x[i] = max(x[i], y[i]);
  return x;
}
unsigned long clz(unsigned long x) {
  return static_cast<unsigned long>(std::countl_zero(x));
}
float fabs(float x) {
  return std::fabs(x);
}

// clang's names have address spaces, for which C++ has no types.
#define ATOMIC(name, space, better)                                                                          \
  unsigned name##_in_##space(unsigned* place, unsigned value) asm("_Z10" #name "PU" space##_NAME "Vjj");     \
  unsigned name##_in_##space(unsigned* place, unsigned value) {                                              \
    unsigned before = __atomic_load_n(place, __ATOMIC_SEQ_CST);                                              \
    while (value better before &&                                                                            \
           !__atomic_compare_exchange_n(place, &before, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) { \
    }                                                                                                        \
    return before;                                                                                           \
  }
#define LOCAL_NAME "7CLlocal"
#define GLOBAL_NAME "8CLglobal"
ATOMIC(atomic_min, LOCAL, <)
ATOMIC(atomic_max, LOCAL, >)
ATOMIC(atomic_min, GLOBAL, <)
ATOMIC(atomic_max, GLOBAL, >)

unsigned atomic_add_in_local(unsigned* place, unsigned value) asm("_Z10atomic_addPU7CLlocalVjj");
unsigned atomic_add_in_local(unsigned* place, unsigned value) {
  return __atomic_fetch_add(place, value, __ATOMIC_SEQ_CST);
}
unsigned atomic_inc_in_local(unsigned* place) asm("_Z10atomic_incPU7CLlocalVj");
unsigned atomic_inc_in_local(unsigned* place) {
  return atomic_add_in_local(place, 1);
}

void vstore4_in_global(Vector4 value, std::size_t number, float* place) asm("_Z7vstore4Dv4_fmPU8CLglobalf");
void vstore4_in_global(Vector4 value, std::size_t number, float* place) {
  std::memcpy(place + 4 * number, &value, sizeof value);
}
Vector4 vload4_in_global(std::size_t number, const float* place) asm("_Z6vload4mPU8CLglobalKf");
Vector4 vload4_in_global(std::size_t number, const float* place) {
  Vector4 value;
  std::memcpy(&value, place + 4 * number, sizeof value);
  return value;
}
