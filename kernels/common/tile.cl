// Tiles of op(A) and op(B) from where the caller has them to local memory, by way of registers or by asynchronous copies: for kernels with
// `operands: in_place`. A tile has `lines`, rows of op(A) or columns of op(B), and is BK deep; ITEMS work-items move it,
// neighbours beside neighbours, `width` of them at once: 1, or 4 where all fours of the operand are aligned and whole.
#if !defined(BK) || !defined(ITEMS)
#error "common/tile.cl needs BK and ITEMS"
#endif
#if ITEMS < 8 || BK % 8 != 0
#error "common/tile.cl needs 8 work-items or more, and a BK of whole eights; all sizes are powers of two"
#endif
#if !defined(ASYNC)
#define ASYNC 0  // whether tiles are copied, by copy_NAME_tile(), or go through registers
#endif
#include "common/async.cl"

// A line of an operand is read in pieces, a few in each step, far from the other lines' pieces: NVIDIA's GPUs are told to bring 256 bytes
// of memory nearer at a time. direct.cl takes an H200 94 us for 5053 x 29 x 5793 so, 112 without.
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

// op(A) or op(B) from a work-group's first line and the next depth on. `lines_together`: neighbours in memory are of
// neighbouring lines, not depths.
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

// A work-item moves runs of up to four elements whose distances in memory are constants, so that one address serves a run: depths of a
// line or, where neighbours are of neighbouring lines, lines that lie so far apart that work-items stay beside each other. On an H200 an
// address for each element costs direct.cl 10 %: by its instructions, and by its registers, for which fewer work-groups are there at a
// time. Runs of four depths let a warp's loads touch 16 lines of memory each, of two 8: tiles of 64 x 64 by 128 work-items are 8 %
// faster with two, those of 128 x 128 by 256, which have no registers for more addresses, 9 % slower. Asynchronous copies of depths go one
// by one, 4 lines of memory by a warp, each to a bank of its own.
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

// Where a tile's run begins. Of a line, 8 depths make a piece, a sector of most caches, and the next runs have the next lines: so the
// writes to a transposed tile go to different banks.
static inline int line_of(const int run, const int length, const bool lines_together, const int lines,
                          const int width) {
  if (!lines_together) return run / (8 / length) % lines;
  return run % (lines / length) * (width == 4 ? 4 : 1);
}

static inline int depth_of(const int run, const int length, const bool lines_together, const int lines) {
  return lines_together ? run / (lines / length)
                        : run / (8 / length) / lines * 8 + run % (8 / length) * length;
}

// A type NAME_tile, for what a work-item moves of a tile, and its functions; constants are macros' so that all compilers unroll.
// - NAME_tile_from(lines, first, stride): nothing loaded yet; element (line, depth) will come to
//   memory[first + depth * stride + line]. `to` may be moved: it is where the first run goes.
// - load_NAME_tile(&tile, depth): the next `depth`, with zeros after them the first time; later depths are BK. Of lines past
//   the last one come zeros or another line, for nobody stores what comes of them.
//   Its two conditions for `lines_together` are the same in other words: that for 128 lines would take an H200 2 % longer with 64, that for
//   fewer 14 % longer with 128.
// - store_NAME_tile(&tile, memory, stride): to local memory.
// - copy_NAME_tile(&tile, depth, memory, stride, is_wanted): both at once, asynchronously, zeros after `depth` too, or nothing but what moves
//   `places` on, where it is not wanted; it is the first time. Lines past the last one may stay as they are.
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
      const bool is_inside =                                                                                 \
          (lines_together) && (width) == 1; /* where load_NAME_tile() looks at each line */                  \
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
          const int apart = (lines_together) ? (lines) / name##_RUN : 0; /* else a run is one */             \
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
