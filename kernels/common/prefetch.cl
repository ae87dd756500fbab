// Brings a cache line nearer to the core before it is needed, where the compiler writes the processor's own instructions
// (PoCL). OpenCL's own prefetch() does nothing there; SPIR-V, which other implementations compile to, has no word for it.
#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__) || defined(__aarch64__))
#define PREFETCH(place) __builtin_prefetch((const void*)(size_t)(place))
#define PREFETCH_TO_WRITE(place) __builtin_prefetch((const void*)(size_t)(place), 1)
#else
#define PREFETCH(place)
#define PREFETCH_TO_WRITE(place)
#endif
