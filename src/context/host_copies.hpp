// Copies between the caller's memory and a device's own, while the device works: by way of pinned memory,
// which the device reads and writes at full speed, filled and emptied by threads.
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
  bool is_pinned = false;       // the caller's memory is pinned: it is copied where it lies, by no thread
};

// Where the lines of a block lie on the device: from its start, `ld` elements apart.
struct DeviceBlock {
  cl::Buffer buffer;
  std::size_t ld = 0;
};

// A queue for each direction, and the threads. Copies of one direction are done in the order in which they
// are asked for. To be used by one thread at a time.
//
// Where a copy fails, the next function called here throws what failed first; the object is then good for
// nothing but to be destroyed.
class HostCopies {
 public:
  struct Transfer;
  using Handle = std::shared_ptr<Transfer>;

  HostCopies(const cl::Context& context, const cl::Device& device, const CopySettings& settings);

  // Waits until nobody uses the caller's memory any more.
  ~HostCopies();

  HostCopies(const HostCopies&) = delete;
  HostCopies& operator=(const HostCopies&) = delete;

  // Copies the lines at `host`, gaps left out, once `before` are complete.
  Handle upload(const float* host, const Lines& lines, const DeviceBlock& to, std::vector<cl::Event> before);

  // Is told which lines have come, by any thread.
  using Delivered = std::function<void(std::size_t line, std::size_t lines)>;

  // Copies to the lines at `host`, gaps left alone, once `ready` is complete. Of lines that are longer than a
  // chunk only the last part is told.
  Handle download(const DeviceBlock& from, const cl::Event& ready, float* host, const Lines& lines,
                  Delivered delivered = {});

  // Returns when all of an upload is enqueued; the event completes when it has arrived.
  cl::Event enqueued(const Handle& upload);

  // Whether it copies the caller's memory where it lies.
  bool is_pinned() const { return settings_.is_pinned; }

  // Whether all of a download is there; and returns when it is.
  bool is_done(const Handle& download);
  void wait(const Handle& download);

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

// Does its best to return only when the queue is empty, in one way after the other: each of them may fail.
void settle(const cl::CommandQueue& queue) noexcept;

}  // namespace clgemm
