// Moves tiles of op(A) and op(B) from the caller's memory to local memory, through registers or by
// asynchronous copies. It is for kernels with `operands: in_place`. A tile has `lines` lines, which are rows
// of op(A) or columns of op(B), and is BK deep. ITEMS work-items move it, and neighbours move neighbours.
// Each moves `width` elements at once: 4 if each group of four in the operand is aligned and complete,
// otherwise 1.
#if !defined(BK) || !defined(ITEMS)
#error "common/tile.cl needs BK and ITEMS"
#endif
#if ITEMS < 8 || BK % 8 != 0
#error "common/tile.cl needs 8 work-items or more, and a BK of whole eights; all sizes are powers of two"
#endif
#if !defined(ASYNC)
#define ASYNC 0  // 1 if copy_NAME_tile() copies tiles, 0 if they go through registers
#endif
#include "common/async.cl"

// Load, and make NVIDIA's GPUs bring 256 bytes of memory nearer at a time. A line of an operand is read in
// pieces, a few in each step, far from the pieces of other lines. With the hint, direct.cl takes 94 us for
// 5053 x 29 x 5793, and 112 us without (H200, November 2026).
#if defined(__NV_CL_C_VERSION) && NVIDIA_SM >= 80
static inline float load_1(__global const float* place) {
  float value;
  asm volatile("ld.global.L2::256B.f32 %0, [%1];" : "=f"(value) : "l"(place));
  return value;
}

static inline float4 load_4(__global const float* place) {
  float x, y, z, w;
  asm volatile("ld.global.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
               : "l"(place));
  return (float4)(x, y, z, w);
}
#else
static inline float load_1(__global const float* place) {
  return *place;
}

static inline float4 load_4(__global const float* place) {
  return *(__global const float4*)place;
}
#endif

// op(A) or op(B), from the first line of a work-group and the next depth on. If `lines_together`, neighbours
// in memory belong to neighbouring lines; otherwise to neighbouring depths.
typedef struct {
  __global const float* elements;
  ulong ld;
  bool lines_together;
  int last_line;
  int depth_left;
} Lines;

static inline Lines lines_from(__global const float* elements, const ulong ld, const bool lines_together,
                               const int first_line, const int line_count, const int k) {
  const Lines lines = {elements + first_line * (lines_together ? 1 : ld), ld, lines_together,
                       line_count - 1 - first_line, k};
  return lines;
}

// A work-item moves runs of up to four elements at constant distances in memory, so that one address serves a
// run. A run is several depths of a line. If `lines_together`, it is several lines, so far apart that
// neighbouring work-items still have neighbours. One address for each element costs direct.cl 10 % on an
// H200. The reasons are the instructions, and the registers, which leave room for fewer work-groups at a
// time.
//
// With runs of four depths, each load of a warp touches 16 lines of memory; with runs of two it touches 8.
// Tiles of 64 x 64 with 128 work-items are 8 % faster with two. Tiles of 128 x 128 with 256 work-items have
// no registers for more addresses, and are 9 % slower with two. Asynchronous copies along k take single
// elements: a warp copies from 4 lines of memory, each to a bank of its own. All figures are for an H200
// (November 2026).
#define DIVIDES(lines, length) ((lines) * BK % (ITEMS * (length)) == 0)
#define RUN_UP_TO(lines, most) \
  ((most) >= 4 && DIVIDES(lines, 4) ? 4 : (most) >= 2 && DIVIDES(lines, 2) ? 2 : 1)
#define MOST_DEPTHS (ITEMS <= 128 ? 2 : 4)
#define RUN(lines, lines_together, width)                                        \
  (ASYNC && !(lines_together) ? 1                                                \
   : (width) == 4             ? 4                                                \
                              : RUN_UP_TO(lines, !(lines_together) ? MOST_DEPTHS \
                                                 : (lines) >= 128  ? 4           \
                                                 : (lines) >= 64   ? 2           \
                                                                   : 1))
#define RUNS(lines, run) (((lines) * BK / (run) + ITEMS - 1) / ITEMS)

// Return the line and the depth at which run `run` of a tile begins. Eight depths of a line are a piece,
// which is a sector of most caches. The next runs take the next lines, so the writes to a transposed tile go
// to different banks.
static inline int line_of(const int run, const int length, const bool lines_together, const int lines,
                          const int width) {
  if (!lines_together) return run / (8 / length) % lines;
  return run % (lines / length) * (width == 4 ? 4 : 1);
}

static inline int depth_of(const int run, const int length, const bool lines_together, const int lines) {
  return lines_together ? run / (lines / length)
                        : run / (8 / length) / lines * 8 + run % (8 / length) * length;
}

// Defines the type NAME_tile, which is what a work-item moves of a tile, and its functions. The constants
// come from macros, so that all compilers unroll.
// - NAME_tile_from(lines, first, stride) loads nothing yet. Element (line, depth) will go to memory[first +
//   depth * stride + line]. The caller may move `to`, the place of the first run.
// - load_NAME_tile(&tile, depth) loads the next `depth` depths. The first time it fills the rest with zeros;
//   later depths must be BK. Lines past the last one become zeros or another line, because their results are
//   not stored. The two conditions for `lines_together` mean the same. With the one for 128 lines, tiles of
//   64 lines would take 2 % longer. With the one for fewer lines, tiles of 128 lines would take 14 % longer
//   (H200, November 2026).
// - store_NAME_tile(&tile, memory, stride) stores to local memory.
// - copy_NAME_tile(&tile, depth, memory, stride, is_wanted) does both asynchronously, and always fills up
//   with zeros after `depth`. If the tile is not wanted, it only advances `places`. The first tile is always
//   wanted. Lines past the last one may stay as they are.
#define DEFINE_TILE(name, lines, lines_together, width)                                                      \
  enum { name##_RUN = RUN(lines, lines_together, width) };                                                   \
  typedef struct {                                                                                           \
    __global const float* places[RUNS(lines, name##_RUN)];                                                   \
    float elements[RUNS(lines, name##_RUN)][name##_RUN];                                                     \
    int to;                                                                                                  \
    ulong step;                                                                                              \
    int last_line, lines_left, depth_left;                                                                   \
  } name##_tile;                                                                                             \
                                                                                                             \
  static inline int line_of_##name(const int run) {                                                          \
    return line_of(run, name##_RUN, lines_together, lines, width);                                           \
  }                                                                                                          \
  static inline int depth_of_##name(const int run) {                                                         \
    return depth_of(run, name##_RUN, lines_together, lines);                                                 \
  }                                                                                                          \
                                                                                                             \
  static inline name##_tile name##_tile_from(const Lines from, const int first, const int stride) {          \
    name##_tile tile;                                                                                        \
    tile.to = first + depth_of_##name(get_local_id(0)) * stride + line_of_##name(get_local_id(0));           \
    tile.step = (lines_together) ? from.ld : 1;                                                              \
    tile.last_line = from.last_line - ((lines_together) && (width) == 4 ? 3 : 0);                            \
    tile.lines_left = tile.last_line - line_of_##name(get_local_id(0));                                      \
    tile.depth_left = from.depth_left;                                                                       \
    _Pragma("unroll") for (int i = 0; i < RUNS(lines, name##_RUN); ++i) {                                    \
      const int run = get_local_id(0) + i * ITEMS;                                                           \
      /* load_NAME_tile() checks each line then */                                                           \
      const bool is_inside = (lines_together) && (width) == 1;                                               \
      const ulong line = is_inside ? line_of_##name(run) : min(line_of_##name(run), tile.last_line);         \
      const ulong depth = depth_of_##name(run);                                                              \
      tile.places[i] = from.elements + ((lines_together) ? depth * from.ld + line : line * from.ld + depth); \
      _Pragma("unroll") for (int next = 0; next < name##_RUN; ++next) tile.elements[i][next] = 0.0f;         \
    }                                                                                                        \
    return tile;                                                                                             \
  }                                                                                                          \
                                                                                                             \
  static inline void load_##name##_tile(name##_tile* tile, const int depth) {                                \
    const bool whole = depth == BK && DIVIDES(lines, name##_RUN); /* known to the compiler */                \
    _Pragma("unroll") for (int i = 0; i < RUNS(lines, name##_RUN); ++i) {                                    \
      const int run = get_local_id(0) + i * ITEMS;                                                           \
      const int left = whole ? BK : depth - depth_of_##name(run);                                            \
      if (name##_RUN == 4 && (width) == 4) {                                                                 \
        const float4 four = left > 0 ? load_4(tile->places[i]) : (float4)(0.0f);                             \
        tile->elements[i][0] = four.x;                                                                       \
        tile->elements[i][1] = four.y;                                                                       \
        tile->elements[i][2] = four.z;                                                                       \
        tile->elements[i][3] = four.w;                                                                       \
      } else {                                                                                               \
        _Pragma("unroll") for (int next = 0; next < name##_RUN; ++next) {                                    \
          const int apart = (lines_together) ? (lines) / name##_RUN : 1;                                     \
          const int line_on = line_of_##name(i * ITEMS) + next * apart;                                      \
          const bool is_there = !(lines_together) ? left > next                                              \
                                : (lines) >= 128                                                             \
                                    ? left > 0 && line_of_##name(run) + next * apart <= tile->last_line      \
                                    : (whole || left > 0) && line_on <= tile->lines_left;                    \
          if (is_there) tile->elements[i][next] = load_1(tile->places[i] + next * apart);                    \
        }                                                                                                    \
      }                                                                                                      \
      tile->places[i] += depth * tile->step;                                                                 \
    }                                                                                                        \
    tile->depth_left -= depth;                                                                               \
  }                                                                                                          \
                                                                                                             \
  static inline void store_##name##_tile(const name##_tile* tile, __local float* memory, const int stride) { \
    _Pragma("unroll") for (int i = 0; i < RUNS(lines, name##_RUN); ++i) {                                    \
      if (!DIVIDES(lines, name##_RUN) && (get_local_id(0) + i * ITEMS) * name##_RUN >= (lines)*BK) continue; \
      __local float* place =                                                                                 \
          memory + tile->to + depth_of_##name(i * ITEMS) * stride + line_of_##name(i * ITEMS);               \
      if (name##_RUN == 4 && (width) == 4 && (lines_together)) {                                             \
        const float* from = tile->elements[i];                                                               \
        *(__local float4*)place = (float4)(from[0], from[1], from[2], from[3]);                              \
      } else {                                                                                               \
        _Pragma("unroll") for (int next = 0; next < name##_RUN; ++next) {                                    \
          place[next * ((lines_together) ? (lines) / name##_RUN : stride)] = tile->elements[i][next];        \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
                                                                                                             \
  static inline void copy_##name##_tile(name##_tile* tile, const int depth, __local float* memory,           \
                                        const int stride, const bool is_wanted) {                            \
    const bool whole = depth == BK && DIVIDES(lines, name##_RUN); /* known to the compiler */                \
    const int lines_left = is_wanted ? tile->lines_left : -1;                                                \
    _Pragma("unroll") for (int i = 0; i < RUNS(lines, name##_RUN); ++i) {                                    \
      const int run = get_local_id(0) + i * ITEMS;                                                           \
      if (!DIVIDES(lines, name##_RUN) && run * name##_RUN >= (lines)*BK) continue;                           \
      const bool is_deep_enough = whole || depth > depth_of_##name(run);                                     \
      __local float* place =                                                                                 \
          memory + tile->to + depth_of_##name(i * ITEMS) * stride + line_of_##name(i * ITEMS);               \
      if ((width) == 4 && (lines_together)) {                                                                \
        if (is_wanted && is_deep_enough)                                                                     \
          copy_float4_async(place, tile->places[i]);                                                         \
        else if (!whole)                                                                                     \
          *(__local float4*)place = (float4)(0.0f);                                                          \
      } else {                                                                                               \
        _Pragma("unroll") for (int next = 0; next < name##_RUN; ++next) {                                    \
          const int apart = (lines_together) ? (lines) / name##_RUN : 0; /* otherwise a run is one */        \
          const int line_on = line_of_##name(i * ITEMS) + next * apart;                                      \
          const bool is_there = (lines_together) ? line_on <= lines_left : is_wanted;                        \
          if (is_there && is_deep_enough)                                                                    \
            copy_float_async(place + next * apart, tile->places[i] + next * apart);                          \
          else if (!whole)                                                                                   \
            place[next * apart] = 0.0f;                                                                      \
        }                                                                                                    \
      }                                                                                                      \
      tile->places[i] = moved_by(tile->places[i], depth * tile->step);                                       \
    }                                                                                                        \
  }
