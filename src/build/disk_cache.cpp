#include "build/disk_cache.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <system_error>

#include "base/cache_folder.hpp"
#include "base/environment.hpp"
#include "base/files.hpp"
#include "base/log.hpp"

namespace clgemm {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t format_version = 2;
constexpr std::array<char, 8> magic = {'c', 'l', 'g', 'e', 'm', 'm', '\r', '\n'};
constexpr const char* extension = ".clbin";
constexpr std::chrono::minutes temporary_age(10);  // older files were left by processes that died

// The header has the same bytes on disk as in memory. Machines with different byte orders never share a
// cache.
struct Header {
  std::array<char, 8> magic;
  std::uint32_t format;
  std::uint32_t trust;
  std::uint64_t spilled_bytes;
  std::uint64_t payload_bytes;
  std::uint64_t key[2];
  std::uint64_t checksum[2];  // of everything before it, and the payload
};
static_assert(sizeof(Header) == 64);

XXH128_hash_t hash_of(const std::string& key) {
  return XXH3_128bits(key.data(), key.size());
}

XXH128_hash_t checksum_of(const Header& header, std::string_view payload) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, &header, offsetof(Header, checksum));
  XXH3_128bits_update(&state, payload.data(), payload.size());
  return XXH3_128bits_digest(&state);
}

std::string file_name(const XXH128_hash_t& hash) {
  return fmt::format("{:016x}{:016x}{}", hash.high64, hash.low64, extension);
}

// Parses an entry with any key.
std::optional<DiskCache::Entry> parse(const std::string& content) {
  Header header{};
  if (content.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, content.data(), sizeof header);
  const std::string_view payload = std::string_view(content).substr(sizeof header);
  if (header.magic != magic || header.format != format_version ||
      header.trust > static_cast<std::uint32_t>(DiskCache::Trust::quarantined) ||
      header.payload_bytes != payload.size()) {
    return std::nullopt;
  }
  const XXH128_hash_t checksum = checksum_of(header, payload);
  if (header.checksum[0] != checksum.low64 || header.checksum[1] != checksum.high64) return std::nullopt;
  return DiskCache::Entry{
      DiskCache::Trust{header.trust}, {payload.begin(), payload.end()}, header.spilled_bytes};
}

std::optional<DiskCache::Entry> parse(const std::string& content, const XXH128_hash_t& key) {
  Header header{};
  if (content.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, content.data(), sizeof header);
  if (header.key[0] != key.low64 || header.key[1] != key.high64) return std::nullopt;
  return parse(content);
}

// Returns the payload of a verdict's entry: its time in seconds, a line feed, the program.
std::vector<unsigned char> payload_of(const DiskCache::Verdict& verdict) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(verdict.since.time_since_epoch());
  const std::string text = fmt::format("{}\n{}", seconds.count(), verdict.program);
  return {text.begin(), text.end()};
}

// Returns no value if the verdict has expired, or if its time is invalid.
std::optional<DiskCache::Verdict> verdict_of(const DiskCache::Entry& entry) {
  const std::string text(entry.binary.begin(), entry.binary.end());
  long long seconds = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (status != std::errc() || rest == text.data() + text.size()) return std::nullopt;
  const std::chrono::system_clock::time_point now = std::chrono::system_clock::now();
  const auto now_seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  const auto most = std::chrono::seconds(DiskCache::verdict_holds).count();
  // Compares the numbers, because not every number of seconds is a valid time.
  if (seconds < now_seconds - most || seconds > now_seconds + most) return std::nullopt;
  const std::chrono::system_clock::time_point since{std::chrono::seconds(seconds)};
  return DiskCache::Verdict{since, std::string(rest + 1, text.data() + text.size())};
}

bool is_of_use(const DiskCache::Entry& entry) {
  return entry.trust != DiskCache::Trust::quarantined || verdict_of(entry).has_value();
}

struct StoredFile {
  fs::path path;
  std::uintmax_t bytes;
  fs::file_time_type used;
};

// Returns the entries in a folder. It also removes temporary files that a process left behind.
std::vector<StoredFile> stored_files(const fs::path& folder) {
  std::vector<StoredFile> result;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    std::error_code gone;  // another process may remove a file at any time
    const auto used = entry.last_write_time(gone);
    const auto bytes = gone ? 0 : entry.file_size(gone);
    if (gone) continue;
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == extension) {
      result.push_back({entry.path(), bytes, used});
    } else if (name.rfind(temporary_prefix, 0) == 0 &&
               fs::file_time_type::clock::now() - used > temporary_age) {
      fs::remove(entry.path(), gone);
    }
  }
  return result;
}

std::uintmax_t total_bytes(const std::vector<StoredFile>& files) {
  std::uintmax_t result = 0;
  for (const StoredFile& file : files) result += file.bytes;
  return result;
}

std::uintmax_t default_limit() {
  constexpr std::uintmax_t mebibyte = 1024 * 1024;
  const std::string text = environment("CLGEMM_CACHE_MIB");
  const unsigned long long mebibytes = std::strtoull(text.c_str(), nullptr, 10);
  const std::uintmax_t most = std::numeric_limits<std::uintmax_t>::max() / mebibyte;
  return (mebibytes == 0 ? 256 : std::min<std::uintmax_t>(mebibytes, most)) * mebibyte;
}

}  // namespace

DiskCache::DiskCache(fs::path folder, std::uintmax_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

DiskCache DiskCache::from_environment() {
  const CacheFolder folder = cache_folder();
  if (!folder.problem.empty()) return DiskCache(folder.problem);
  return {folder.path, default_limit()};
}

std::optional<DiskCache::Entry> DiskCache::load(const std::string& key) const {
  const XXH128_hash_t hash = hash_of(key);
  // A file larger than the limit of the whole cache is not an entry.
  const PrivateFolder folder = opened();
  const FileContent content = folder.read(file_name(hash), limit_bytes_);
  if (content) folder.touch(file_name(hash));  // entries unused for longest are removed first
  auto entry = content ? parse(content.bytes, hash) : std::nullopt;
  return entry && is_of_use(*entry) ? entry : std::nullopt;
}

void DiskCache::quarantine(const std::string& key, const Verdict& verdict) const noexcept {
  try {
    store(key, {Trust::quarantined, payload_of(verdict), 0});
  } catch (const std::exception&) {
    return;  // the same as for an entry
  }
}

std::vector<DiskCache::Verdict> DiskCache::verdicts() const {
  std::vector<Verdict> result;
  for_each_verdict([&](const fs::path&, const Verdict& verdict) { result.push_back(verdict); });
  return result;
}

void DiskCache::clear_verdicts() const {
  std::error_code gone;
  for_each_verdict([&](const fs::path& path, const Verdict&) { fs::remove(path, gone); });
}

void DiskCache::for_each_verdict(const std::function<void(const fs::path&, const Verdict&)>& body) const {
  const PrivateFolder folder = opened();
  if (!folder) return;
  for (const StoredFile& file : stored_files(folder_)) {
    const FileContent content = folder.read(file.path.filename().string(), limit_bytes_);
    const auto entry = content ? parse(content.bytes) : std::nullopt;
    if (!entry || entry->trust != Trust::quarantined) continue;
    if (const auto verdict = verdict_of(*entry)) body(file.path, *verdict);
  }
}

void DiskCache::store(const std::string& key, const Entry& entry) const noexcept {
  try {
    if (!problem_.empty()) return;
    const PrivateFolder folder = PrivateFolder::make(folder_);
    if (!folder) {
      log_once(LogLevel::info, fmt::format("compiled programs are not kept on disk: '{}': {}",
                                           folder_.string(), folder.problem()));
      return;
    }

    const XXH128_hash_t hash = hash_of(key);
    Header header{magic,
                  format_version,
                  static_cast<std::uint32_t>(entry.trust),
                  entry.spilled_bytes,
                  entry.binary.size(),
                  {hash.low64, hash.high64},
                  {}};
    const std::string_view payload(reinterpret_cast<const char*>(entry.binary.data()), entry.binary.size());
    const XXH128_hash_t checksum = checksum_of(header, payload);
    header.checksum[0] = checksum.low64;
    header.checksum[1] = checksum.high64;
    std::string content(reinterpret_cast<const char*>(&header), sizeof header);
    content += payload;
    const std::error_code failure = folder.write(file_name(hash), content);
    if (!failure) prune();
  } catch (const std::exception&) {
    return;  // without a writable cache, the next process builds again; nothing else happens
  }
}

DiskCache::Info DiskCache::info() const {
  Info result{folder_.string(), problem_, 0, 0, limit_bytes_};
  std::error_code failure;
  if (!problem_.empty() || !fs::exists(folder_, failure)) return result;
  result.problem = opened().problem();
  if (!result.problem.empty()) return result;
  const std::vector<StoredFile> files = stored_files(folder_);
  result.entries = files.size();
  result.bytes = total_bytes(files);
  return result;
}

void DiskCache::clear() const {
  if (!opened()) return;
  std::error_code gone;
  for (const StoredFile& file : stored_files(folder_)) fs::remove(file.path, gone);
}

PrivateFolder DiskCache::opened() const {
  return problem_.empty() ? PrivateFolder::open(folder_) : PrivateFolder::unusable(problem_);
}

// Reduces the cache to three quarters of the limit, so that not every store has to prune again.
void DiskCache::prune() const {
  std::vector<StoredFile> files = stored_files(folder_);
  std::uintmax_t bytes = total_bytes(files);
  if (bytes <= limit_bytes_) return;
  std::sort(files.begin(), files.end(),
            [](const StoredFile& x, const StoredFile& y) { return x.used < y.used; });
  std::error_code gone;
  for (const StoredFile& file : files) {
    if (bytes <= limit_bytes_ / 4 * 3) break;
    if (fs::remove(file.path, gone)) bytes -= file.bytes;
  }
}

}  // namespace clgemm
