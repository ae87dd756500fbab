// Host matrices by way of copies on the device, as on a discrete GPU; small panels, so that there are many.
#include "context/context.hpp"
#include "context/pinned_copy.hpp"
#include "support/on_device.hpp"
#include "support/reference.hpp"

namespace clgemm {
namespace {

using namespace test;

Context::State& state() {
  static auto* const result = new Context::State(shared_device());
  return *result;
}

SgemmCall call_of(const Multiply& multiply) {
  const auto& [form, shape, scalars, a, b, c] = multiply;
  return {form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n,
          shape.k,     scalars.alpha,    scalars.beta,     a.ld,    b.ld,
          c.ld};
}

std::vector<float> run_on_copies(const Multiply& multiply, const Data& data, std::size_t panel_bytes,
                                 const Options& options = {}) {
  Data used = data;
  state().sgemm_on_copies(call_of(multiply), used.a.data() + multiply.a.offset,
                          used.b.data() + multiply.b.offset, used.c.data() + multiply.c.offset, options,
                          panel_bytes);
  CHECK(same_bits(used.a, data.a));
  CHECK(same_bits(used.b, data.b));
  return used.c;
}

void check_on_copies(const Multiply& multiply, std::size_t panel_bytes, const Options& options = {}) {
  INFO(describe(multiply) << ", panels of " << panel_bytes << " bytes");
  const Data data = random_data(multiply, 7);
  check_result(multiply, data, run_on_copies(multiply, data, panel_bytes, options));
}

constexpr std::size_t smallest_panels = 1;

// Taller, wider and deeper than a panel, and one that is a panel's size to the element.
const std::vector<Shape> shapes = {{700, 40, 30}, {40, 700, 30}, {40, 30, 700}, {512, 20, 10}, {257, 1, 1}};

TEST_CASE("panels of every form and shape, with gaps and without") {
  for (const Form& form : all_forms()) {
    for (const Shape& shape : shapes) {
      for (const std::size_t placement : {0u, 1u}) {
        check_on_copies(make_multiply(form, shape, {-1.5f, 1}, all_placements()[placement]), smallest_panels);
      }
    }
  }
}

TEST_CASE("panels and one panel give the same bits") {
  for (const std::size_t form : {0u, 3u, 6u}) {
    const Multiply multiply = make_multiply(all_forms()[form], {700, 90, 70}, {1, 1}, all_placements()[1]);
    const Data data = random_data(multiply, 8);
    Options options;
    options.kernel = "coalesced";
    const auto panels = run_on_copies(multiply, data, smallest_panels, options);
    CHECK(same_bits(panels, run_on_copies(multiply, data, std::size_t{64} << 20, options)));
    CHECK(same_bits(panels, run_on_host(multiply, data, options)));
  }
}

TEST_CASE("zeros of alpha, beta and k on copies: C of NaN is not read, nor A and B") {
  for (const Scalars& scalars : all_scalars()) {
    for (const std::size_t form : {0u, 5u}) {
      check_on_copies(make_multiply(all_forms()[form], {600, 20, 10}, scalars, all_placements()[1]),
                      smallest_panels);
      check_on_copies(make_multiply(all_forms()[form], {20, 600, 0}, scalars, all_placements()[1]),
                      smallest_panels);
    }
  }
}

TEST_CASE("A and B may be null on copies where they are not read") {
  std::vector<float> c(600 * 3, 2.0f);
  const SgemmCall call{Layout::row_major, Transpose::no, Transpose::no, 600, 3, 5, 0.0f, 3.0f, 5, 3, 3};
  state().sgemm_on_copies(call, nullptr, nullptr, c.data(), {}, smallest_panels);
  CHECK(c == std::vector<float>(600 * 3, 6.0f));
}

TEST_CASE("the way in the device's memory and the way in the host's give the same bits") {
  const Multiply multiply = make_multiply(all_forms()[1], {300, 70, 50}, {1, 1}, all_placements()[1]);
  const Data data = random_data(multiply, 9);
  Options options;
  options.kernel = "tiled";
  CHECK(same_bits(run_on_copies(multiply, data, smallest_panels, options),
                  run_on_host(multiply, data, options)));
}

// A block of lines with gaps, up and down again.
void check_there_and_back(const Lines& lines, std::size_t chunk_bytes) {
  INFO(lines.count << " lines of " << lines.length << ", ld " << lines.ld << ", chunks of " << chunk_bytes);
  const std::size_t elements = (lines.count - 1) * lines.ld + lines.length;
  const std::vector<float> host = random_elements(elements + 5, 3);
  const cl::Buffer device(state().context(), CL_MEM_READ_WRITE, lines.count * lines.length * sizeof(float));
  std::vector<float> back(elements + 5, -7.0f);
  {
    const Transfers transfers = state().transfers();
    PinnedCopier in(transfers.in, transfers.staging, chunk_bytes);
    PinnedCopier out(transfers.out, transfers.staging, chunk_bytes);
    out.download(device, in.upload(host.data(), lines, device), back.data(), lines);
  }
  for (std::size_t i = 0; i < back.size(); ++i) {
    const bool belongs = i < elements && i % lines.ld < lines.length;
    REQUIRE(back[i] == (belongs ? host[i] : -7.0f));
  }
}

TEST_CASE("pinned copies in chunks of some lines, of one, and of less than one") {
  for (const Lines& lines :
       {Lines{1, 1, 1}, Lines{7, 10, 10}, Lines{64, 33, 40}, Lines{100, 256, 256}, Lines{5, 1000, 1003}}) {
    for (const std::size_t chunk_bytes : {4u, 132u, 300u, 4096u, 1048576u})
      check_there_and_back(lines, chunk_bytes);
  }
}

}  // namespace
}  // namespace clgemm
