// The operands form `bf16_planes`: an fp32 number is the sum of three bf16 numbers.
#define PLANES 3
#define PLANE_TYPE "bf16"  // in PTX
#define HEADER_BYTES 0
#include "common/planes.cl"
