// Copies between the caller's memory and a device's own memory while the device computes. Copies go through
// pinned memory, which the device reads and writes at full speed and which threads fill and empty. If the
// caller's memory is pinned, they go directly to and from it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/opencl.hpp"
#include "call/problem.hpp"

namespace clgemm {

struct CopySettings {
  std::size_t chunk_bytes = 0;  // most pinned memory in one transfer
  std::size_t threads_in = 1;   // each has two chunks: it fills one while the other is being sent
  std::size_t threads_out = 1;  // each has one chunk
};

// The way of copying the caller's memory: by threads through chunks, or by the device in place.
enum class CopyBy { threads, device };

// The place of a block's lines on the device: from the start of the buffer, at a distance of `ld` elements.
struct DeviceBlock {
  cl::Buffer buffer;
  std::size_t ld = 0;
};

// The commands that make a block on the device.
struct MadeBy {
  cl::Event last;                   // complete when the block is complete
  std::vector<cl::Event> commands;  // all that it depends on; if one of them fails, the block is invalid
};

// A queue for each direction, and the threads. Copies of one direction are done in the order in which they
// are requested. Only one thread may use the object at a time.
//
// If a copy fails, the next function called here throws the first error. After that, the object can only be
// stopped and destroyed.
class HostCopies {
 public:
  struct Transfer;
  using Handle = std::shared_ptr<Transfer>;

  HostCopies(const cl::Context& context, const cl::Device& device, const CopySettings& settings);

  // Calls stop().
  ~HostCopies();

  HostCopies(const HostCopies&) = delete;
  HostCopies& operator=(const HostCopies&) = delete;

  // Copies the lines at `host`, without the gaps, once `before` are complete.
  Handle upload(const float* host, const Lines& lines, const DeviceBlock& to, std::vector<cl::Event> before,
                CopyBy by = CopyBy::threads);

  // Called by any thread with the lines that have arrived. If a chunk holds a line, nothing can fail between
  // the first byte that a thread writes to a line and this call; the tiles of a StreamPlan are that narrow.
  // If the device copies, it may have written lines that were not reported.
  using Delivered = std::function<void(std::size_t line, std::size_t lines)>;

  // Copies to the lines at `host`, without writing to the gaps, once the block is complete. Threads never
  // copy the results of failed commands. If a line is longer than a chunk, only its last part is reported.
  Handle download(const DeviceBlock& from, MadeBy made_by, float* host, const Lines& lines,
                  Delivered delivered = {}, CopyBy by = CopyBy::threads);

  // Returns the commands of an upload when all are enqueued. It has arrived when the last one is complete.
  const std::vector<cl::Event>& enqueued(const Handle& upload);

  // Returns whether a download is complete. wait() returns when it is.
  bool is_done(const Handle& download);
  void wait(const Handle& download);

  // Ends the threads and waits for the device. Returns false if it is not possible to wait for the device,
  // whose own copies may then still be running. Nothing else uses the caller's memory after this.
  bool stop() noexcept;

 private:
  struct Chunk {
    cl::Buffer pinned;
    float* memory = nullptr;
    cl::Event busy;  // the upload that uses it
  };

  // One direction.
  struct Lane {
    cl::CommandQueue queue;
    std::size_t most_threads = 1;
    std::size_t chunks_a_thread = 1;
    std::deque<Handle> waiting;  // transfers with pieces that are not taken yet
    std::vector<std::thread> threads;
    std::vector<std::unique_ptr<std::vector<Chunk>>> chunks;  // for each thread, and for the calling thread
    std::mutex enqueueing;
  };
  struct Piece;

  void add(Lane& lane, const Handle& transfer);
  void start_thread(Lane& lane);
  void work(Lane& lane, std::vector<Chunk>& chunks);
  bool work_off(Lane& lane, std::vector<Chunk>& chunks, std::unique_lock<std::mutex>& lock);
  void wait_until_through(Lane& lane, const Handle& transfer);
  std::optional<Piece> take(Lane& lane) const;
  void carry(const Piece& piece, Lane& lane, Chunk& chunk);
  void carry_in(const Piece& piece, Chunk& chunk);
  void carry_out(const Piece& piece, Chunk& chunk);
  void make(Chunk& chunk);
  void throw_if_failed() const;
  std::vector<Chunk>& new_chunks(Lane& lane);

  cl::Context context_;
  CopySettings settings_;
  cl::CommandQueue mapping_;  // maps chunks, without waiting for transfers
  std::mutex mapping_mutex_;
  Lane in_;
  Lane out_;

  std::mutex mutex_;  // for the lanes' lists, the transfers' counts, and the members below
  std::condition_variable changed_;
  std::exception_ptr failure_;
  bool ends_ = false;
};

}  // namespace clgemm
