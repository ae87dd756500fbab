#include "host/host_copies.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <system_error>
#include <utility>

#include "base/copy_lines.hpp"
#include "base/finished.hpp"
#include "base/handles.hpp"
#include "base/mapped.hpp"
#include "base/sizes.hpp"

namespace clgemm {

// A copy of one block, cut into pieces that fit a chunk.
struct HostCopies::Transfer {
  Transfer(const Lines& of_host, DeviceBlock on_device, std::vector<cl::Event> wait_for, CopyBy copied_by)
      : lines(of_host), block(std::move(on_device)), before(std::move(wait_for)), by(copied_by) {}

  // Throws if the commands that made the block of a download have failed.
  void check_made() {
    if (is_checked) return;
    check_finished(made_by);
    is_checked = true;
  }

  const float* from = nullptr;  // for an upload
  float* to = nullptr;          // for a download
  Lines lines;
  DeviceBlock block;
  std::vector<cl::Event> before;
  CopyBy by;
  std::vector<cl::Event> made_by;  // for a download
  std::atomic<bool> is_checked{false};
  Delivered delivered;

  std::size_t piece_floats = 1;  // at most
  std::size_t next_line = 0;
  std::size_t next_element = 0;     // in that line
  std::size_t under_way = 0;        // pieces that were taken and are not finished
  std::vector<cl::Event> commands;  // enqueued commands of an upload or of a copy by the device

  bool is_taken() const { return next_line == lines.count; }
  bool is_through() const { return is_taken() && under_way == 0; }
};

// Whole lines, or a part of one line.
struct HostCopies::Piece {
  Handle transfer;
  std::size_t line = 0;
  std::size_t lines = 0;
  std::size_t first = 0;
  std::size_t length = 0;

  std::size_t host_place() const { return line * transfer->lines.ld + first; }
  std::size_t chunk_ld() const { return lines == 1 ? length : transfer->block.ld; }
  std::size_t device_byte() const { return (line * transfer->block.ld + first) * sizeof(float); }
  std::size_t bytes() const { return ((lines - 1) * chunk_ld() + length) * sizeof(float); }
};

namespace {

// A smaller piece is not worth waking a thread. It is a guess: a thread copies this size in about 30
// microseconds.
constexpr std::size_t least_piece_bytes = std::size_t{256} << 10;

// The arguments of a copy between memories with two leading dimensions, as OpenCL's rectangle commands take
// them.
struct Rectangle {
  Rectangle(const Lines& lines, std::size_t device_ld)
      : region{lines.length * sizeof(float), lines.count, 1},
        device_pitch(device_ld * sizeof(float)),
        host_pitch(lines.ld * sizeof(float)) {}

  std::array<cl::size_type, 3> origin{0, 0, 0};
  std::array<cl::size_type, 3> region;
  std::size_t device_pitch;
  std::size_t host_pitch;
};

}  // namespace

HostCopies::HostCopies(const cl::Context& context, const cl::Device& device, const CopySettings& settings)
    : context_(context), settings_(settings), mapping_(context, device) {
  in_.queue = cl::CommandQueue(context, device);
  in_.most_threads = settings.threads_in;
  in_.chunks_a_thread = 2;
  out_.queue = cl::CommandQueue(context, device);
  out_.most_threads = settings.threads_out;
}

HostCopies::~HostCopies() {
  stop();
  for (Lane* lane : {&in_, &out_}) {
    for (const auto& chunks : lane->chunks) {
      for (const Chunk& chunk : *chunks) {
        if (chunk.memory != nullptr) unmap_before_release(mapping_, chunk.pinned, chunk.memory);
      }
    }
  }
  settle(mapping_);
}

bool HostCopies::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (Lane* lane : {&in_, &out_}) {
    for (std::thread& thread : lane->threads) thread.join();
    lane->threads.clear();
  }
  const bool is_in_empty = settle(in_.queue);
  return settle(out_.queue) && is_in_empty;
}

HostCopies::Handle HostCopies::upload(const float* host, const Lines& lines, const DeviceBlock& to,
                                      std::vector<cl::Event> before, CopyBy by) {
  auto transfer = std::make_shared<Transfer>(lines, to, std::move(before), by);
  transfer->from = host;
  if (by == CopyBy::threads) {
    add(in_, transfer);
    return transfer;
  }
  const Rectangle all(lines, to.ld);
  transfer->commands.emplace_back();
  in_.queue.enqueueWriteBufferRect(to.buffer, CL_FALSE, all.origin, all.origin, all.region, all.device_pitch,
                                   0, all.host_pitch, 0, host, &transfer->before, &transfer->commands.back());
  in_.queue.flush();
  transfer->next_line = lines.count;
  return transfer;
}

HostCopies::Handle HostCopies::download(const DeviceBlock& from, MadeBy made_by, float* host,
                                        const Lines& lines, Delivered delivered, CopyBy by) {
  auto transfer =
      std::make_shared<Transfer>(lines, from, std::vector<cl::Event>{std::move(made_by.last)}, by);
  transfer->to = host;
  transfer->made_by = std::move(made_by.commands);
  transfer->delivered = std::move(delivered);
  if (by == CopyBy::threads) {
    add(out_, transfer);
    return transfer;
  }
  const Rectangle all(lines, from.ld);
  transfer->commands.emplace_back();
  out_.queue.enqueueReadBufferRect(from.buffer, CL_FALSE, all.origin, all.origin, all.region,
                                   all.device_pitch, 0, all.host_pitch, 0, host, &transfer->before,
                                   &transfer->commands.back());
  out_.queue.flush();
  transfer->next_line = lines.count;
  return transfer;
}

const std::vector<cl::Event>& HostCopies::enqueued(const Handle& upload) {
  wait_until_through(in_, upload);
  return upload->commands;
}

bool HostCopies::is_done(const Handle& download) {
  if (download->by == CopyBy::device) {
    const cl::Event& copy = download->commands.back();
    return copy.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <= CL_COMPLETE;
  }
  const std::lock_guard lock(mutex_);
  throw_if_failed();
  return download->is_through();
}

void HostCopies::wait(const Handle& download) {
  wait_until_through(out_, download);
  if (download->by == CopyBy::threads) return;
  download->commands.back().wait();
  check_finished(download->commands);
  download->check_made();
  if (download->delivered) download->delivered(0, download->lines.count);
}

void HostCopies::add(Lane& lane, const Handle& transfer) {
  // A small matrix is one piece and needs only one thread. A matrix of medium size is divided among all
  // threads.
  const std::size_t bytes = transfer->lines.count * transfer->block.ld * sizeof(float);
  const std::size_t piece =
      std::min(settings_.chunk_bytes,
               std::max(least_piece_bytes, ceil_div(bytes, std::max<std::size_t>(lane.most_threads, 1))));
  transfer->piece_floats = std::max<std::size_t>(piece / sizeof(float), 1);
  const std::size_t pieces = ceil_div(bytes, piece);
  {
    const std::lock_guard lock(mutex_);
    throw_if_failed();
    lane.waiting.push_back(transfer);
  }
  while (lane.threads.size() < std::min(pieces, lane.most_threads)) {
    try {
      start_thread(lane);
    } catch (const std::system_error&) {
      break;  // with fewer threads, or none, the copy takes longer
    }
  }
  changed_.notify_all();
}

void HostCopies::start_thread(Lane& lane) {
  std::vector<Chunk>& chunks = new_chunks(lane);
  lane.threads.emplace_back([this, &lane, &chunks] { work(lane, chunks); });
}

std::vector<HostCopies::Chunk>& HostCopies::new_chunks(Lane& lane) {
  lane.chunks.push_back(std::make_unique<std::vector<Chunk>>(lane.chunks_a_thread));
  return *lane.chunks.back();
}

// The main loop of a thread.
void HostCopies::work(Lane& lane, std::vector<Chunk>& chunks) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || (!lane.waiting.empty() && !failure_); });
    if (ends_) return;
    work_off(lane, chunks, lock);
  }
}

// Copies the next piece of the lane. Returns false if there is none.
bool HostCopies::work_off(Lane& lane, std::vector<Chunk>& chunks, std::unique_lock<std::mutex>& lock) {
  const std::optional<Piece> piece = take(lane);
  if (!piece) return false;
  std::rotate(chunks.begin(), chunks.begin() + 1, chunks.end());
  lock.unlock();
  std::exception_ptr failure;
  try {
    carry(*piece, lane, chunks.front());
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  --piece->transfer->under_way;
  if (!failure_) failure_ = failure;
  changed_.notify_all();
  return true;
}

void HostCopies::wait_until_through(Lane& lane, const Handle& transfer) {
  std::unique_lock lock(mutex_);
  // If no thread could be started, the calling thread copies everything.
  if (lane.threads.empty() && !transfer->is_through()) {
    std::vector<Chunk>& chunks = lane.chunks.empty() ? new_chunks(lane) : *lane.chunks.front();
    while (!failure_ && work_off(lane, chunks, lock)) {
    }
  }
  changed_.wait(lock, [&] { return failure_ || transfer->is_through(); });
  throw_if_failed();
}

std::optional<HostCopies::Piece> HostCopies::take(Lane& lane) const {
  if (lane.waiting.empty()) return std::nullopt;
  const Handle transfer = lane.waiting.front();
  const Lines& lines = transfer->lines;
  const std::size_t most = transfer->piece_floats;
  Piece piece{transfer, transfer->next_line, 1, transfer->next_element, 0};
  if (transfer->block.ld <= std::max(most, settings_.chunk_bytes / sizeof(float))) {
    piece.lines = std::min(std::max<std::size_t>(most / transfer->block.ld, 1), lines.count - piece.line);
    piece.length = lines.length;
    transfer->next_line += piece.lines;
  } else {
    piece.length = std::min(most, lines.length - piece.first);
    transfer->next_element += piece.length;
    if (transfer->next_element == lines.length) {
      ++transfer->next_line;
      transfer->next_element = 0;
    }
  }
  ++transfer->under_way;
  if (transfer->is_taken()) lane.waiting.pop_front();
  return piece;
}

void HostCopies::carry(const Piece& piece, Lane& lane, Chunk& chunk) {
  make(chunk);
  if (&lane == &in_) {
    carry_in(piece, chunk);
  } else {
    carry_out(piece, chunk);
  }
}

void HostCopies::carry_in(const Piece& piece, Chunk& chunk) {
  Transfer& transfer = *piece.transfer;
  if (chunk.busy() != nullptr) chunk.busy.wait();
  copy_lines(chunk.memory, piece.chunk_ld(), transfer.from + piece.host_place(), transfer.lines.ld,
             piece.lines, piece.length);
  {
    const std::lock_guard lock(in_.enqueueing);
    cl::Event arrived;
    in_.queue.enqueueWriteBuffer(transfer.block.buffer, CL_FALSE, piece.device_byte(), piece.bytes(),
                                 chunk.memory, &transfer.before, &arrived);
    assign(chunk.busy, arrived);
    transfer.commands.push_back(std::move(arrived));  // in order: when the last one has arrived, all have
  }
  in_.queue.flush();
}

void HostCopies::carry_out(const Piece& piece, Chunk& chunk) {
  Transfer& transfer = *piece.transfer;
  cl::Event read;
  out_.queue.enqueueReadBuffer(transfer.block.buffer, CL_FALSE, piece.device_byte(), piece.bytes(),
                               chunk.memory, &transfer.before, &read);
  out_.queue.flush();
  read.wait();
  check_finished({read});
  transfer.check_made();
  copy_lines(transfer.to + piece.host_place(), transfer.lines.ld, chunk.memory, piece.chunk_ld(), piece.lines,
             piece.length);
  const bool is_whole = piece.first + piece.length == transfer.lines.length;
  if (transfer.delivered && is_whole) transfer.delivered(piece.line, piece.lines);
}

void HostCopies::make(Chunk& chunk) {
  if (chunk.memory != nullptr) return;
  const std::lock_guard lock(mapping_mutex_);
  assign(chunk.pinned,
         cl::Buffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, settings_.chunk_bytes));
  chunk.memory = static_cast<float*>(
      mapping_.enqueueMapBuffer(chunk.pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, settings_.chunk_bytes));
}

void HostCopies::throw_if_failed() const {
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace clgemm
