// The C API. Every function passes its arguments to clgemm.hpp, behind one boundary that converts exceptions
// to statuses.
#include <clgemm/clgemm.h>

#include <algorithm>
#include <clgemm/clgemm.hpp>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "api/c_values.hpp"
#include "base/error.hpp"

#define CLGEMM_TEXT_OF(number) #number
#define CLGEMM_VERSION_TEXT(major, minor, patch) \
  CLGEMM_TEXT_OF(major) "." CLGEMM_TEXT_OF(minor) "." CLGEMM_TEXT_OF(patch)

struct clgemm_context {
  clgemm::Context context;
};

struct clgemm_device_set {
  clgemm::DeviceSet devices;
};

namespace {

using clgemm::Argument;
using clgemm::Error;
using clgemm::ErrorCode;
using namespace clgemm::c_api;

static_assert(CLGEMM_INTERNAL_ERROR == static_cast<int>(ErrorCode::internal_error),
              "clgemm_status must list the codes of ErrorCode in the same order");
static_assert(CLGEMM_MATRICES_IN_USE == static_cast<int>(ErrorCode::matrices_in_use));
static_assert(CLGEMM_ARGUMENT_OPTIONS == static_cast<int>(Argument::options),
              "clgemm_argument must list the values of Argument in the same order");

// A thread may still make calls, from atexit(), after its own objects are destroyed. The flag outlives them.
thread_local bool error_text_is_gone = false;

struct ErrorText {
  std::string text;
  ~ErrorText() { error_text_is_gone = true; }
};
thread_local ErrorText last_error;
thread_local clgemm_argument last_argument = CLGEMM_ARGUMENT_NONE;

clgemm_status failed(ErrorCode code, const char* text, Argument argument = Argument::none) noexcept {
  last_argument = static_cast<clgemm_argument>(argument);
  try {
    if (!error_text_is_gone) last_error.text = text;
  } catch (const std::bad_alloc&) {
    last_error.text.clear();
  }
  return static_cast<clgemm_status>(code);
}

// Runs the body of a C function. at_boundary() throws only Error, except if the host has no memory for the
// text of an Error.
template <class Body>
clgemm_status status_of(Body&& body) {
  try {
    clgemm::at_boundary(body);
    return CLGEMM_SUCCESS;
  } catch (const Error& error) {
    return failed(error.code(), error.what(), error.argument());
  } catch (const std::bad_alloc&) {
    return failed(ErrorCode::out_of_memory, "the host is out of memory");
  }
}

// Computes on host matrices without a Context of the caller, by functions with the names that Context has.
struct ForHost {
  template <class... Arguments>
  void sgemm(Arguments&&... arguments) const {
    clgemm::sgemm(std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  void sgemm_strided_batched(Arguments&&... arguments) const {
    clgemm::sgemm_strided_batched(std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  void sgemm_batched(Arguments&&... arguments) const {
    clgemm::sgemm_batched(std::forward<Arguments>(arguments)...);
  }
  std::string explain_host(const clgemm::SgemmShape& shape, const clgemm::Options& options) const {
    return clgemm::explain_host(shape, options);
  }
};

// Calls `call` with the caller's Context, or with clgemm's own.
template <class Call>
auto with(clgemm_context* context, cl_command_queue queue, Call&& call) {
  return call(context != nullptr ? context->context : *clgemm::context_for(queue));
}
template <class Call>
auto with_host(clgemm_context* context, Call&& call) {
  return context != nullptr ? call(context->context) : call(ForHost{});
}

// sgemm_batched() for host matrices.
template <class Api>
void batch_of_lists(Api&& api, clgemm_layout layout, clgemm_transpose transpose_a,
                    clgemm_transpose transpose_b, size_t m, size_t n, size_t k, const float* alphas,
                    const float* const* a, size_t lda, const float* const* b, size_t ldb, const float* betas,
                    float* const* c, size_t ldc, size_t batch_count, const clgemm_options* options) {
  api.sgemm_batched(layout_of(layout), transpose_of(transpose_a, Argument::transpose_a),
                    transpose_of(transpose_b, Argument::transpose_b), m, n, k,
                    factors_of(alphas, batch_count, "the list of alphas"),
                    pointers_of(a, batch_count, "the list of A", Argument::a), lda,
                    pointers_of(b, batch_count, "the list of B", Argument::b), ldb,
                    factors_of(betas, batch_count, "the list of betas"),
                    pointers_of(c, batch_count, "the list of C", Argument::c), ldc, options_of(options));
}

// Copies as much of the text as fits, and returns its full size.
void hand_out(const std::string& text, size_t size, char* to, size_t* needed_size) {
  if (size != 0) {
    const std::size_t length = std::min(text.size(), size - 1);
    std::memcpy(to, text.data(), length);
    to[length] = '\0';
  }
  if (needed_size != nullptr) *needed_size = text.size() + 1;
}

template <class Device>
clgemm_status create(Device device, clgemm_context** context) {
  return status_of([&] {
    require(context, "the output pointer for the context");
    *context = nullptr;
    *context = new clgemm_context{clgemm::Context(device)};
  });
}

}  // namespace

const char* clgemm_version(void) {
  return CLGEMM_VERSION_TEXT(CLGEMM_VERSION_MAJOR, CLGEMM_VERSION_MINOR, CLGEMM_VERSION_PATCH);
}

const char* clgemm_status_name(clgemm_status status) {
  return status == CLGEMM_SUCCESS ? "success" : clgemm::to_string(static_cast<ErrorCode>(status));
}

const char* clgemm_last_error(void) {
  return error_text_is_gone ? "" : last_error.text.c_str();
}

clgemm_argument clgemm_last_error_argument(void) {
  return last_argument;
}

clgemm_status clgemm_context_create(const char* device, clgemm_context** context) {
  return create(device != nullptr ? device : "", context);
}

clgemm_status clgemm_context_create_for_device(cl_device_id device, clgemm_context** context) {
  return create(device, context);
}

clgemm_status clgemm_context_create_for_queue(cl_command_queue queue, clgemm_context** context) {
  return create(queue, context);
}

void clgemm_context_destroy(clgemm_context* context) {
  delete context;
}

cl_device_id clgemm_context_device(const clgemm_context* context) {
  return context != nullptr ? context->context.device() : nullptr;
}

cl_context clgemm_context_opencl_context(const clgemm_context* context) {
  return context != nullptr ? context->context.context() : nullptr;
}

cl_command_queue clgemm_context_queue(const clgemm_context* context) {
  return context != nullptr ? context->context.queue() : nullptr;
}

clgemm_status clgemm_sgemm_host(clgemm_context* context, clgemm_layout layout, clgemm_transpose transpose_a,
                                clgemm_transpose transpose_b, size_t m, size_t n, size_t k, float alpha,
                                const float* a, size_t lda, const float* b, size_t ldb, float beta, float* c,
                                size_t ldc, const clgemm_options* options) {
  return status_of([&] {
    with_host(context, [&](auto&& api) {
      api.sgemm(layout_of(layout), transpose_of(transpose_a, Argument::transpose_a),
                transpose_of(transpose_b, Argument::transpose_b), m, n, k, alpha, a, lda, b, ldb, beta, c,
                ldc, options_of(options));
    });
  });
}

clgemm_status clgemm_sgemm_strided_batched_host(clgemm_context* context, clgemm_layout layout,
                                                clgemm_transpose transpose_a, clgemm_transpose transpose_b,
                                                size_t m, size_t n, size_t k, float alpha, const float* a,
                                                size_t lda, size_t stride_a, const float* b, size_t ldb,
                                                size_t stride_b, float beta, float* c, size_t ldc,
                                                size_t stride_c, size_t batch_count,
                                                const clgemm_options* options) {
  return status_of([&] {
    with_host(context, [&](auto&& api) {
      api.sgemm_strided_batched(layout_of(layout), transpose_of(transpose_a, Argument::transpose_a),
                                transpose_of(transpose_b, Argument::transpose_b), m, n, k, alpha, a, lda,
                                stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, batch_count,
                                options_of(options));
    });
  });
}

clgemm_status clgemm_sgemm_batched_host(clgemm_context* context, clgemm_layout layout,
                                        clgemm_transpose transpose_a, clgemm_transpose transpose_b, size_t m,
                                        size_t n, size_t k, const float* alphas, const float* const* a,
                                        size_t lda, const float* const* b, size_t ldb, const float* betas,
                                        float* const* c, size_t ldc, size_t batch_count,
                                        const clgemm_options* options) {
  return status_of([&] {
    with_host(context, [&](auto&& api) {
      batch_of_lists(api, layout, transpose_a, transpose_b, m, n, k, alphas, a, lda, b, ldb, betas, c, ldc,
                     batch_count, options);
    });
  });
}

clgemm_status clgemm_sgemm(clgemm_context* context, cl_command_queue queue, clgemm_layout layout,
                           clgemm_transpose transpose_a, clgemm_transpose transpose_b, size_t m, size_t n,
                           size_t k, float alpha, clgemm_matrix a, clgemm_matrix b, float beta,
                           clgemm_matrix c, cl_uint wait_count, const cl_event* wait_for, cl_event* done,
                           const clgemm_options* options) {
  return clgemm_sgemm_strided_batched(context, queue, layout, transpose_a, transpose_b, m, n, k, alpha, a, 0,
                                      b, 0, beta, c, 0, 1, wait_count, wait_for, done, options);
}

clgemm_status clgemm_sgemm_shared(clgemm_context* context, cl_command_queue queue, clgemm_layout layout,
                                  clgemm_transpose transpose_a, clgemm_transpose transpose_b, size_t m,
                                  size_t n, size_t k, float alpha, clgemm_shared_matrix a,
                                  clgemm_shared_matrix b, float beta, clgemm_shared_matrix c,
                                  cl_uint wait_count, const cl_event* wait_for, cl_event* done,
                                  const clgemm_options* options) {
  return status_of([&] {
    with(context, queue, [&](auto&& api) {
      api.sgemm(queue, layout_of(layout), transpose_of(transpose_a, Argument::transpose_a),
                transpose_of(transpose_b, Argument::transpose_b), m, n, k, alpha, matrix_of(a), matrix_of(b),
                beta, matrix_of(c), wait_list_of(wait_count, wait_for), done, options_of(options));
    });
  });
}

clgemm_status clgemm_sgemm_strided_batched(clgemm_context* context, cl_command_queue queue,
                                           clgemm_layout layout, clgemm_transpose transpose_a,
                                           clgemm_transpose transpose_b, size_t m, size_t n, size_t k,
                                           float alpha, clgemm_matrix a, size_t stride_a, clgemm_matrix b,
                                           size_t stride_b, float beta, clgemm_matrix c, size_t stride_c,
                                           size_t batch_count, cl_uint wait_count, const cl_event* wait_for,
                                           cl_event* done, const clgemm_options* options) {
  return status_of([&] {
    with(context, queue, [&](auto&& api) {
      api.sgemm_strided_batched(queue, layout_of(layout), transpose_of(transpose_a, Argument::transpose_a),
                                transpose_of(transpose_b, Argument::transpose_b), m, n, k, alpha,
                                matrix_of(a), stride_a, matrix_of(b), stride_b, beta, matrix_of(c), stride_c,
                                batch_count, wait_list_of(wait_count, wait_for), done, options_of(options));
    });
  });
}

clgemm_status clgemm_sgemm_batched(clgemm_context* context, cl_command_queue queue, clgemm_layout layout,
                                   clgemm_transpose transpose_a, clgemm_transpose transpose_b, size_t m,
                                   size_t n, size_t k, const float* alphas, const clgemm_matrix* a,
                                   const clgemm_matrix* b, const float* betas, const clgemm_matrix* c,
                                   size_t batch_count, cl_uint wait_count, const cl_event* wait_for,
                                   cl_event* done, const clgemm_options* options) {
  return status_of([&] {
    with(context, queue, [&](auto&& api) {
      api.sgemm_batched(queue, layout_of(layout), transpose_of(transpose_a, Argument::transpose_a),
                        transpose_of(transpose_b, Argument::transpose_b), m, n, k,
                        factors_of(alphas, batch_count, "the list of alphas"),
                        matrices_of(a, batch_count, "the list of A", Argument::a),
                        matrices_of(b, batch_count, "the list of B", Argument::b),
                        factors_of(betas, batch_count, "the list of betas"),
                        matrices_of(c, batch_count, "the list of C", Argument::c),
                        wait_list_of(wait_count, wait_for), done, options_of(options));
    });
  });
}

clgemm_status clgemm_prepare(clgemm_context* context, cl_command_queue queue, const clgemm_shape* shapes,
                             size_t shape_count, const clgemm_options* options) {
  return status_of([&] {
    if (shape_count != 0) require(shapes, "the list of shapes");
    std::vector<clgemm::SgemmShape> wanted;
    for (std::size_t i = 0; i < shape_count; ++i) wanted.push_back(shape_of(shapes + i));
    with(context, queue, [&](auto&& api) { api.prepare(wanted, options_of(options)); });
  });
}

clgemm_status clgemm_explain(clgemm_context* context, cl_command_queue queue, const clgemm_shape* shape,
                             const clgemm_options* options, size_t text_size, char* text,
                             size_t* needed_size) {
  return status_of([&] {
    if (text_size != 0) require(text, "the output pointer for the text");
    hand_out(
        with(context, queue, [&](auto&& api) { return api.explain(shape_of(shape), options_of(options)); }),
        text_size, text, needed_size);
  });
}

clgemm_status clgemm_explain_host(clgemm_context* context, const clgemm_shape* shape,
                                  const clgemm_options* options, size_t text_size, char* text,
                                  size_t* needed_size) {
  return status_of([&] {
    if (text_size != 0) require(text, "the output pointer for the text");
    hand_out(with_host(context,
                       [&](auto&& api) { return api.explain_host(shape_of(shape), options_of(options)); }),
             text_size, text, needed_size);
  });
}

clgemm_status clgemm_sgemm_scratch_bytes(clgemm_context* context, cl_command_queue queue,
                                         const clgemm_shape* shape, const clgemm_options* options,
                                         size_t* bytes) {
  return status_of([&] {
    require(bytes, "the output pointer for the bytes");
    *bytes = with(context, queue,
                  [&](auto&& api) { return api.sgemm_scratch_bytes(shape_of(shape), options_of(options)); });
  });
}

clgemm_status clgemm_device_set_create(const char* list, clgemm_device_set** devices) {
  return status_of([&] {
    require(devices, "the output pointer for the devices");
    *devices = nullptr;
    require(list, "the list of devices");
    *devices = new clgemm_device_set{clgemm::DeviceSet(list)};
  });
}

clgemm_status clgemm_device_set_create_for_devices(size_t count, const cl_device_id* list,
                                                   clgemm_device_set** devices) {
  return status_of([&] {
    require(devices, "the output pointer for the devices");
    *devices = nullptr;
    require(list, "the list of devices");
    *devices = new clgemm_device_set{clgemm::DeviceSet(std::vector<cl_device_id>(list, list + count))};
  });
}

void clgemm_device_set_destroy(clgemm_device_set* devices) {
  delete devices;
}

clgemm_status clgemm_device_set_devices(const clgemm_device_set* devices, size_t size, cl_device_id* list,
                                        size_t* count) {
  return status_of([&] {
    require(devices, "the set of devices");
    if (size != 0) require(list, "the output pointer for the list");
    const std::vector<cl_device_id> all = devices->devices.devices();
    std::copy_n(all.begin(), std::min(size, all.size()), list);
    if (count != nullptr) *count = all.size();
  });
}

clgemm_status clgemm_device_set_sgemm(clgemm_device_set* devices, clgemm_layout layout,
                                      clgemm_transpose transpose_a, clgemm_transpose transpose_b, size_t m,
                                      size_t n, size_t k, float alpha, const float* a, size_t lda,
                                      const float* b, size_t ldb, float beta, float* c, size_t ldc,
                                      const clgemm_options* options) {
  return status_of([&] {
    require(devices, "the set of devices");
    devices->devices.sgemm(layout_of(layout), transpose_of(transpose_a, Argument::transpose_a),
                           transpose_of(transpose_b, Argument::transpose_b), m, n, k, alpha, a, lda, b, ldb,
                           beta, c, ldc, options_of(options));
  });
}

clgemm_status clgemm_device_set_sgemm_strided_batched(
    clgemm_device_set* devices, clgemm_layout layout, clgemm_transpose transpose_a,
    clgemm_transpose transpose_b, size_t m, size_t n, size_t k, float alpha, const float* a, size_t lda,
    size_t stride_a, const float* b, size_t ldb, size_t stride_b, float beta, float* c, size_t ldc,
    size_t stride_c, size_t batch_count, const clgemm_options* options) {
  return status_of([&] {
    require(devices, "the set of devices");
    devices->devices.sgemm_strided_batched(
        layout_of(layout), transpose_of(transpose_a, Argument::transpose_a),
        transpose_of(transpose_b, Argument::transpose_b), m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b,
        beta, c, ldc, stride_c, batch_count, options_of(options));
  });
}

clgemm_status clgemm_device_set_sgemm_batched(clgemm_device_set* devices, clgemm_layout layout,
                                              clgemm_transpose transpose_a, clgemm_transpose transpose_b,
                                              size_t m, size_t n, size_t k, const float* alphas,
                                              const float* const* a, size_t lda, const float* const* b,
                                              size_t ldb, const float* betas, float* const* c, size_t ldc,
                                              size_t batch_count, const clgemm_options* options) {
  return status_of([&] {
    require(devices, "the set of devices");
    batch_of_lists(devices->devices, layout, transpose_a, transpose_b, m, n, k, alphas, a, lda, b, ldb, betas,
                   c, ldc, batch_count, options);
  });
}

clgemm_status clgemm_device_set_explain_host(clgemm_device_set* devices, const clgemm_shape* shape,
                                             const clgemm_options* options, size_t text_size, char* text,
                                             size_t* needed_size) {
  return status_of([&] {
    require(devices, "the set of devices");
    if (text_size != 0) require(text, "the output pointer for the text");
    hand_out(devices->devices.explain_host(shape_of(shape), options_of(options)), text_size, text,
             needed_size);
  });
}

clgemm_status clgemm_predicted_seconds(clgemm_context* context, cl_command_queue queue,
                                       const clgemm_shape* shape, const clgemm_options* options,
                                       double* seconds) {
  return status_of([&] {
    require(seconds, "the output pointer for the seconds");
    *seconds = context == nullptr && queue == nullptr
                   ? clgemm::predicted_seconds(shape_of(shape), options_of(options))
                   : with(context, queue, [&](auto& api) {
                       return api.predicted_seconds(shape_of(shape), options_of(options));
                     });
  });
}

clgemm_status clgemm_predicted_seconds_host(clgemm_context* context, const clgemm_shape* shape,
                                            const clgemm_options* options, double* seconds) {
  return status_of([&] {
    require(context, "the context");
    require(seconds, "the output pointer for the seconds");
    *seconds = context->context.predicted_seconds_host(shape_of(shape), options_of(options));
  });
}

clgemm_status clgemm_release_contexts(void) {
  return status_of([] { clgemm::release_contexts(); });
}
