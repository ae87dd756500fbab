#include "host/streamed_gemm.hpp"

#include <array>
#include <utility>
#include <vector>

#include "base/finished.hpp"

namespace clgemm {
namespace {

// Runs one call.
class Streamer {
 public:
  Streamer(const GemmDevice& device, HostCopies& copies, ScratchPool& memory, const StreamedCall& call)
      : device_(device),
        copies_(copies),
        memory_(memory),
        call_(call),
        host_(call.host),
        plan_(call.plan),
        schedule_(call.plan, call.host.problem.beta != 0.0f) {
    held(Matrix::a).resize(plan_.a_blocks);
    held(Matrix::b).resize(plan_.b_blocks);
    held(Matrix::c).resize(plan_.c_blocks);
  }

  void run() {
    for (std::size_t enqueued = 0;;) {
      while (posted_ < schedule_.uploads().size() && can_post(schedule_.uploads()[posted_], enqueued)) post();
      const bool all_posted = posted_ == schedule_.uploads().size();
      if (all_posted && may_take_round(enqueued)) {
        take_round();
      } else if (enqueued < schedule_.steps().size()) {
        multiply(schedule_.steps()[enqueued++]);
      } else if (is_last_round_) {
        break;
      } else {
        done_[begin_of_round_].wait();
      }
    }
    finish();
  }

 private:
  // A place for blocks on the device.
  struct Held {
    ScratchPool::Buffer memory;
    std::vector<cl::Event> in_use;   // the last commands that use its block
    HostCopies::Handle upload;       // upload of its block
    HostCopies::Handle download;     // download of the tile of C that was there before
    std::vector<cl::Event> made_by;  // the commands that its tile of C depends on
  };

  std::vector<Held>& held(Matrix matrix) { return held_[static_cast<std::size_t>(matrix)]; }

  // Returns a place; its memory is allocated at the first use.
  Held& place(Matrix matrix, std::size_t number) {
    Held& result = held(matrix)[number];
    if (result.memory.memory() == nullptr) {
      const std::size_t bytes = matrix == Matrix::a   ? plan_.a_bytes()
                                : matrix == Matrix::b ? plan_.b_bytes()
                                                      : plan_.c_bytes();
      result.memory = memory_.take(bytes);
    }
    return result;
  }

  // The blocks of a round are copied while the round before is computed. If other devices share the rounds,
  // the device takes a round only after the round before has begun, because a device that takes rounds early
  // has the most work at the end.
  bool may_take_round(std::size_t enqueued) const {
    if (is_last_round_ || plan_.sharers == 1 || schedule_.steps().empty()) return !is_last_round_;
    return enqueued > begin_of_round_ &&
           done_[begin_of_round_].getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE;
  }

  void take_round() {
    begin_of_round_ = schedule_.steps().size();
    const std::optional<Round> next = call_.next_round();
    is_last_round_ = !next;
    if (next) schedule_.add(*next);
  }

  // Returns whether the host can reuse the place.
  bool can_post(const Upload& upload, std::size_t next_step) {
    if (!upload.after) return true;
    if (*upload.after >= next_step) return false;
    return upload.matrix != Matrix::c || copies_.is_done(held(Matrix::c)[upload.place].download);
  }

  void post() {
    const Upload& upload = schedule_.uploads()[posted_++];
    Held& to = place(upload.matrix, upload.place);
    if (to.download) copies_.wait(std::exchange(to.download, nullptr));
    const Range line = range(upload.matrix == Matrix::b ? Matrix::b : Matrix::a, upload.line);
    const auto [from, lines] = source_of(upload, line);
    to.upload = copies_.upload(from, lines, {to.memory.memory, block_ld(lines.length)}, std::move(to.in_use),
                               call_.is_pinned ? CopyBy::device : CopyBy::threads);
    to.in_use.clear();
  }

  struct Source {
    const float* from;
    Lines lines;
  };

  Source source_of(const Upload& upload, const Range& line) const {
    const Problem& problem = host_.problem;
    if (upload.matrix == Matrix::c) {
      const Range columns = range(Matrix::b, upload.other);
      return {part_of(host_, line, columns, all_depth(host_)).c,
              stored_lines(false, line.count, columns.count, problem.c.ld)};
    }
    const Range depth = part_of(plan_.k, plan_.depth, upload.other);
    if (upload.matrix == Matrix::a) {
      return {part_of(host_, line, all_columns(host_), depth).a,
              stored_lines(problem.a.transposed, line.count, depth.count, problem.a.ld)};
    }
    return {part_of(host_, all_rows(host_), line, depth).b,
            stored_lines(problem.b.transposed, depth.count, line.count, problem.b.ld)};
  }

  // Returns rows of C if `side` is A's, and columns if it is B's.
  Range range(Matrix side, std::size_t tile) const {
    return side == Matrix::a ? part_of(plan_.m, plan_.tile_rows, tile)
                             : part_of(plan_.n, plan_.tile_columns, tile);
  }

  void multiply(const StreamStep& step) {
    while (posted_ < step.uploads) post();
    Held& a = place(Matrix::a, step.place_of_a);
    Held& b = place(Matrix::b, step.place_of_b);
    Held& c = place(Matrix::c, step.place_of_c);
    if (step.c_after && c.download) copies_.wait(std::exchange(c.download, nullptr));

    const Range rows = range(Matrix::a, step.row);
    const Range columns = range(Matrix::b, step.column);
    const Range depth = part_of(plan_.k, plan_.depth, step.depth);
    HostGemm part = part_of(host_, rows, columns, depth);
    const auto ld_of = [](bool transposed, const Range& x, const Range& y) {
      return block_ld(transposed ? x.count : y.count);
    };
    part.problem.a.ld = ld_of(part.problem.a.transposed, rows, depth);
    part.problem.b.ld = ld_of(part.problem.b.transposed, depth, columns);
    part.problem.c.ld = block_ld(columns.count);

    std::vector<cl::Event> before = c.in_use;
    for (Held* operand : {&a, &b, &c}) {
      if (!operand->upload) continue;
      const std::vector<cl::Event>& uploaded = copies_.enqueued(operand->upload);
      before.push_back(uploaded.back());
      append(uploaded, c.made_by);
    }
    part.problem.a.base_alignment = part.problem.b.base_alignment = base_alignment(device_.info);
    const Enqueued enqueued =
        device_.enqueue({part.problem, {a.memory.memory(), b.memory.memory(), c.memory.memory()}}, before);
    const cl::Event& done = enqueued.done.front();
    append(enqueued.commands, c.made_by);
    device_.queue.flush();
    for (Held* used : {&a, &b, &c}) used->in_use = std::vector<cl::Event>{done};
    done_.push_back(done);
    if (step.is_last) fetch(c, done, part, rows, columns);
  }

  void fetch(Held& c, const cl::Event& done, const HostGemm& part, const Range& rows, const Range& columns) {
    HostCopies::Delivered delivered;
    if (call_.delivered) {
      delivered = [this, rows, columns](std::size_t line, std::size_t lines) {
        call_.delivered({rows.first + line, lines}, columns);
      };
    }
    const Lines lines = stored_lines(false, rows.count, columns.count, host_.problem.c.ld);
    // With beta != 0, a tile that has been partly written cannot be computed again, because C is gone. A
    // device that fails does not report what it has written, but threads do.
    const bool can_be_made_again = host_.problem.beta == 0.0f;
    c.download = copies_.download({c.memory.memory, part.problem.c.ld}, {done, std::move(c.made_by)}, part.c,
                                  lines, std::move(delivered),
                                  call_.is_pinned && can_be_made_again ? CopyBy::device : CopyBy::threads);
    c.upload = nullptr;
    c.in_use.clear();
    c.made_by.clear();
  }

  static void append(const std::vector<cl::Event>& events, std::vector<cl::Event>& to) {
    to.insert(to.end(), events.begin(), events.end());
  }

  // When all of C is on the host, nothing uses the blocks any more.
  void finish() {
    for (Held& c : held(Matrix::c)) {
      if (c.download) copies_.wait(c.download);
    }
    for (std::vector<Held>& places : held_) {
      for (Held& one : places) {
        if (one.memory.memory() == nullptr) continue;
        memory_.give_back(std::move(one.memory));
      }
    }
  }

  const GemmDevice& device_;
  HostCopies& copies_;
  ScratchPool& memory_;
  const StreamedCall& call_;
  const HostGemm& host_;
  const StreamPlan& plan_;
  StreamSchedule schedule_;
  std::size_t posted_ = 0;          // uploads
  std::vector<cl::Event> done_;     // for each step
  std::size_t begin_of_round_ = 0;  // its first step
  bool is_last_round_ = false;      // no round follows it
  std::array<std::vector<Held>, 3> held_;
};

}  // namespace

void multiply_streamed(const GemmDevice& device, HostCopies& copies, ScratchPool& memory,
                       const StreamedCall& call) {
  Streamer streamer(device, copies, memory, call);
  try {
    at_boundary([&] { streamer.run(); });
  } catch (const Error& error) {
    // Threads report to the Streamer, so they must end before it does.
    const bool is_empty = copies.stop();
    if (call.is_pinned && !is_empty) throw MatricesInUse(error);
    throw;
  }
}

}  // namespace clgemm
