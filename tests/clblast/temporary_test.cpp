// Temporary buffers, on a device that seems to be fastest with a kernel that pads copies of A and B. The
// program's argument is the path of a tuning file, which it writes to achieve this.
#include <stdlib.h>

#include "clblast/program.hpp"

namespace {

using namespace clblast_test;
using clblast::Layout;
using clblast::StatusCode;
using clblast::Transpose;

std::string text_of(cl_device_info what) {
  char text[256] = {};
  clGetDeviceInfo(opencl().device, what, sizeof text - 1, text, nullptr);
  return text;
}

void write_tuning_file(const char* path) {
  cl_device_type type = 0;
  clGetDeviceInfo(opencl().device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
  cl_platform_id platform = nullptr;
  clGetDeviceInfo(opencl().device, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr);
  char platform_name[256] = {};
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name - 1, platform_name, nullptr);
  cl_uint width = 1;
  clGetDeviceInfo(opencl().device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof width, &width, nullptr);
  const std::string text = "{\"clgemm_tuning\": 2, \"device\": {\"name\": \"" + text_of(CL_DEVICE_NAME) +
                           "\", \"vendor\": \"" + text_of(CL_DEVICE_VENDOR) + "\", \"platform\": \"" +
                           platform_name + "\", \"driver\": \"" + text_of(CL_DRIVER_VERSION) +
                           "\", \"type\": \"" + ((type & CL_DEVICE_TYPE_GPU) != 0 ? "gpu" : "cpu") +
                           "\", \"vector_width\": " + std::to_string(width) +
                           ", \"compute_units\": 1, \"clock_mhz\": 1},\n"
                           "\"rates\": {\"call_us\": 1, \"launch_us\": 1, \"start_us\": 1, \"gb_s\": 1000, "
                           "\"packing_gb_s\": 1000, \"adding_gb_s\": 1000, "
                           "\"unhidden\": 0.01, \"repeated\": 1, \"pass_us\": 0, \"uneven\": 0},\n"
                           "\"configs\": [{\"kernel\": \"tiled_vector\", \"parameters\": {\"TILE_K\": 16, "
                           "\"TILE_X\": 32, \"TILE_Y\": 32, \"WIDTH\": 4}, "
                           "\"begin_us\": 1, \"alone_ns\": 0.00001, \"share_ns\": 0.00001, \"residents\": 1, "
                           "\"prepare_rows\": 1, \"unaligned\": 1, "
                           "\"residual\": 0.01, \"shapes\": 16}],\n\"measured\": []}\n";
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return;
  std::fputs(text.c_str(), file);
  std::fclose(file);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return EXIT_FAILURE;
  write_tuning_file(arguments[1]);
  setenv("CLGEMM_TUNING", arguments[1], 1);

  constexpr std::size_t side = 100;  // not a multiple of the tiles
  cl_command_queue queue = opencl().queue;
  const std::vector<float> ones(side * side, 1.0f);
  const Buffer a(ones), b(ones), c(ones);
  std::size_t bytes = 0;
  check_status(clblast::GemmTempBufferSize<float>(Layout::kRowMajor, Transpose::kYes, Transpose::kNo, side,
                                                  side, side, 0, side, 0, side, 0, side, &queue, bytes),
               StatusCode::kSuccess, "GemmTempBufferSize");
  check(bytes >= 2 * side * side * sizeof(float),
        "copies of A and B take " + std::to_string(bytes) + " bytes");
  const auto with = [&](cl_mem temporary) {
    return clblast::Gemm(Layout::kRowMajor, Transpose::kYes, Transpose::kNo, side, side, side, 1.0f, a, 0,
                         side, b, 0, side, 0.0f, c, 0, side, &queue, nullptr, temporary);
  };
  if (bytes >= 8) {
    const Buffer small(bytes - 4);
    check_status(with(small), StatusCode::kInsufficientMemoryTemp, "a temporary buffer is too small");
    check(c.read(side * side) == ones, "C is unchanged");
    const Buffer zeros(std::vector<float>(bytes / sizeof(float), 0.0f));
    check_status(with(zeros), StatusCode::kSuccess, "a temporary buffer is large enough");
    check(c.read(side * side) == std::vector<float>(side * side, side), "the result");
    check(zeros.read(bytes / sizeof(float)) != std::vector<float>(bytes / sizeof(float), 0.0f),
          "the buffer is used");
  }
  check_status(with(nullptr), StatusCode::kSuccess, "no temporary buffer");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
