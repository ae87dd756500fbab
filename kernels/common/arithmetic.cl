// x * y + sum: fused where that is fast, else the way the device multiplies and adds best. FP_FAST_FMAF is OpenCL's word
// for it, which PoCL leaves out on CPUs that have the instruction; there the compiler's own words are __FMA__ (x86) and
// __ARM_FEATURE_FMA.
#if defined(FP_FAST_FMAF) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MULTIPLY_ADD(x, y, sum) fma(x, y, sum)
#else
#define MULTIPLY_ADD(x, y, sum) mad(x, y, sum)
#endif
