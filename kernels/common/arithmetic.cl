// x * y + sum: fused where the device says that this is fast, else the way the device multiplies and adds best.
#ifdef FP_FAST_FMAF
#define MULTIPLY_ADD(x, y, sum) fma(x, y, sum)
#else
#define MULTIPLY_ADD(x, y, sum) mad(x, y, sum)
#endif
