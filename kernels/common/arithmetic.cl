// Returns x * y + sum: fma() if that is fast, otherwise the device's choice by mad(). OpenCL announces a fast
// fma with FP_FAST_FMAF. PoCL does not define it, even on CPUs that have the instruction. The compiler's own
// macros for these CPUs are __FMA__ (x86) and __ARM_FEATURE_FMA.
#if defined(FP_FAST_FMAF) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MULTIPLY_ADD(x, y, sum) fma(x, y, sum)
#else
#define MULTIPLY_ADD(x, y, sum) mad(x, y, sum)
#endif
