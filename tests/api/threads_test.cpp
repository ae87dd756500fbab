// Several threads use one Context, and each gets the same bits as a single thread.
#include <atomic>
#include <thread>

#include "support/catch.hpp"
#include "support/on_device.hpp"
#include "support/reference.hpp"

namespace clgemm {
namespace {

using namespace test;

constexpr std::size_t thread_count = 4;
constexpr std::size_t calls_a_thread = 12;

struct Job {
  GemmCase gemm;
  Data data;
  Options options;
  std::vector<float> result;
};

std::vector<Job> make_jobs() {
  const std::vector<Shape> shapes = {{1, 1, 1}, {64, 64, 64}, {67, 45, 91}, {5, 200, 33}, {130, 70, 40}};
  const std::vector<std::string> kernels = {"", "tiled", "coalesced", "wpt", "float8"};
  std::vector<Job> result;
  for (std::uint32_t i = 0; i < thread_count * calls_a_thread; ++i) {
    const GemmCase gemm =
        make_gemm_case(all_forms()[i % 8], shapes[i % 5], {-1.5f, 1}, all_placements()[i % 4]);
    result.push_back({gemm, random_data(gemm, i), {}, {}});
    result.back().options.kernel = kernels[i / 5 % 5];
  }
  return result;
}

// Runs the jobs on threads that start together. `run` must not use Catch, which supports only one thread.
template <class Run>
void on_threads(std::vector<Job>& jobs, Run run) {
  std::atomic<std::size_t> waiting{thread_count};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      for (std::size_t i = t; i < jobs.size(); i += thread_count) run(jobs[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void check_jobs(const std::vector<Job>& jobs) {
  for (const Job& job : jobs) {
    INFO(job.options.kernel << " " << describe(job.gemm));
    REQUIRE_FALSE(job.result.empty());
    check_result(job.gemm, job.data, job.result);
    CHECK(same_bits(job.result, run_on_host(job.gemm, job.data, job.options)));
  }
}

void run_host(Context& context, Job& job) {
  const auto& [form, shape, scalars, a, b, c] = job.gemm;
  std::vector<float> result = job.data.c;
  context.sgemm(form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n, shape.k, scalars.alpha,
                job.data.a.data() + a.offset, a.ld, job.data.b.data() + b.offset, b.ld, scalars.beta,
                result.data() + c.offset, c.ld, job.options);
  job.result = result;
}

TEST_CASE("host calls of many threads on one Context, which has nothing compiled yet") {
  std::vector<Job> jobs = make_jobs();
  Context context(shared_device()());
  on_threads(jobs, [&context](Job& job) { run_host(context, job); });
  check_jobs(jobs);
}

TEST_CASE("device calls of many threads, each on its own queue") {
  std::vector<Job> jobs = make_jobs();
  std::vector<DeviceData> buffers;
  for (const Job& job : jobs) buffers.push_back(upload(job.data));
  make_queue(true);  // may report through Catch, which supports only one thread
  on_threads(jobs, [&](Job& job) {
    const DeviceData& matrices = buffers[static_cast<std::size_t>(&job - jobs.data())];
    const auto& [form, shape, scalars, a, b, c] = job.gemm;
    const cl::CommandQueue queue = make_queue(shape.m % 2 == 0);
    cl::Event done;
    shared_context().sgemm(queue(), form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n,
                           shape.k, scalars.alpha, matrix_at(matrices.a, a), matrix_at(matrices.b, b),
                           scalars.beta, matrix_at(matrices.c, c), {}, &done(), job.options);
    const std::vector<cl::Event> events = {done};
    job.result.resize(job.data.c.size());
    queue.enqueueReadBuffer(matrices.c, CL_TRUE, 0, job.result.size() * sizeof(float), job.result.data(),
                            &events);
  });
  check_jobs(jobs);
}

TEST_CASE("the free function from many threads while contexts are released") {
  std::vector<Job> jobs = make_jobs();
  for (Job& job : jobs) job.options.kernel.clear();
  on_threads(jobs, [&jobs](Job& job) {
    const auto& [form, shape, scalars, a, b, c] = job.gemm;
    std::vector<float> result = job.data.c;
    sgemm(form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n, shape.k, scalars.alpha,
          job.data.a.data() + a.offset, a.ld, job.data.b.data() + b.offset, b.ld, scalars.beta,
          result.data() + c.offset, c.ld);
    job.result = result;
    if (&job == &jobs[16] || &job == &jobs[29]) release_contexts();
  });
  check_jobs(jobs);
  release_contexts();
}

}  // namespace
}  // namespace clgemm
