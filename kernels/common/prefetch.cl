// Brings a cache line nearer to the core before it is needed. OpenCL's own prefetch() does nothing on PoCL; a compiler
// that does not know this one does without.
#ifdef __has_builtin
#if __has_builtin(__builtin_prefetch)
#define PREFETCH(place) __builtin_prefetch((const void*)(size_t)(place))
#define PREFETCH_TO_WRITE(place) __builtin_prefetch((const void*)(size_t)(place), 1)
#endif
#endif
#ifndef PREFETCH
#define PREFETCH(place)
#define PREFETCH_TO_WRITE(place)
#endif
