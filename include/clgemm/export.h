/* Marks the symbols that the shared library exports. All others are hidden. */
#ifndef CLGEMM_EXPORT_H
#define CLGEMM_EXPORT_H

#if defined(CLGEMM_STATIC)
#define CLGEMM_API
#elif defined(_WIN32)
#if defined(CLGEMM_BUILDING)
#define CLGEMM_API __declspec(dllexport)
#else
#define CLGEMM_API __declspec(dllimport)
#endif
#else
#define CLGEMM_API __attribute__((visibility("default")))
#endif

#endif
