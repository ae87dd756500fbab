// Copies between the caller's memory and a device's own, while the device works. They go through pinned
// memory, which the device reads and writes at full speed and which threads fill and empty, or straight to
// and from the caller's memory if that is pinned.
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
  std::size_t chunk_bytes = 0;  // pinned memory in one transfer, at most
  std::size_t threads_in = 1;   // each has two chunks: one that it fills and one that is on its way
  std::size_t threads_out = 1;  // each has one
};

// How the caller's memory is copied: by threads through chunks, or by the device where it lies.
enum class CopyBy { threads, device };

// Where the lines of a block lie on the device: from its start, `ld` elements apart.
struct DeviceBlock {
  cl::Buffer buffer;
  std::size_t ld = 0;
};

// What a block on the device is the result of.
struct MadeBy {
  cl::Event last;                   // complete when the block is
  std::vector<cl::Event> commands;  // all that it depends on; if one of them fails, it is worth nothing
};

// A queue for each direction, and the threads. Copies of one direction are done in the order in which they
// are asked for. To be used by one thread at a time.
//
// If a copy fails, the next function called here throws what failed first; the object can then only be
// stopped and destroyed.
class HostCopies {
 public:
  struct Transfer;
  using Handle = std::shared_ptr<Transfer>;

  HostCopies(const cl::Context& context, const cl::Device& device, const CopySettings& settings);

  // Stops.
  ~HostCopies();

  HostCopies(const HostCopies&) = delete;
  HostCopies& operator=(const HostCopies&) = delete;

  // Copies the lines at `host`, gaps left out, once `before` are complete.
  Handle upload(const float* host, const Lines& lines, const DeviceBlock& to, std::vector<cl::Event> before,
                CopyBy by = CopyBy::threads);

  // Is told which lines have come, by any thread. Nothing can fail between the first byte that a thread
  // writes to a line and this, if a chunk holds a line: the tiles of a StreamPlan are that narrow. A device
  // that copies may have written lines that are not told.
  using Delivered = std::function<void(std::size_t line, std::size_t lines)>;

  // Copies to the lines at `host`, gaps left alone, once the block is made. Nothing that failed commands have
  // made is copied by threads. Of lines that are longer than a chunk only the last part is told.
  Handle download(const DeviceBlock& from, MadeBy made_by, float* host, const Lines& lines,
                  Delivered delivered = {}, CopyBy by = CopyBy::threads);

  // Returns the commands of an upload when all are enqueued. It has arrived when the last one is complete.
  const std::vector<cl::Event>& enqueued(const Handle& upload);

  // Whether all of a download is there; and returns when it is.
  bool is_done(const Handle& download);
  void wait(const Handle& download);

  // Ends the threads and waits for the device. Returns false if the device cannot be waited for: what it
  // copies by itself may then still be under way. Nothing else uses the caller's memory after this.
  bool stop() noexcept;

 private:
  struct Chunk {
    cl::Buffer pinned;
    float* memory = nullptr;
    cl::Event busy;  // the upload that uses it
  };

  // A direction.
  struct Lane {
    cl::CommandQueue queue;
    std::size_t most_threads = 1;
    std::size_t chunks_a_thread = 1;
    std::deque<Handle> waiting;  // of which not all pieces are taken
    std::vector<std::thread> threads;
    std::vector<std::unique_ptr<std::vector<Chunk>>> chunks;  // of each thread, and of the caller's
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
  cl::CommandQueue mapping_;  // maps chunks, behind no transfer
  std::mutex mapping_mutex_;
  Lane in_;
  Lane out_;

  std::mutex mutex_;  // of the lanes' lists, the transfers' counts, and what follows
  std::condition_variable changed_;
  std::exception_ptr failure_;
  bool ends_ = false;
};

}  // namespace clgemm
