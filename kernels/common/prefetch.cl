// Brings a cache line nearer to the core before it is needed, if the compiler emits the processor's own
// instructions (PoCL). OpenCL's prefetch() does nothing there. Other implementations compile to SPIR-V, which
// has no such instruction.
#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__) || defined(__aarch64__))
#define PREFETCH(place) __builtin_prefetch((const void*)(size_t)(place))
#define PREFETCH_TO_WRITE(place) __builtin_prefetch((const void*)(size_t)(place), 1)
#else
#define PREFETCH(place)
#define PREFETCH_TO_WRITE(place)
#endif
