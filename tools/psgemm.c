/* Times ScaLAPACK's PSGEMM, C <- A * B + C, and checks one element of each rank:

     mpicc -O2 psgemm.c -o psgemm -lscalapack-openmpi
     mpirun -n 4 psgemm SIZE BLOCK_OF_THE_MATRICES [ROWS_OF_THE_GRID]

   Prints "SIZE RANKS seconds", the best of three. If the rows of the grid are not given, the grid of ranks is
   as square as possible.

   If it is compiled with -D NO_SGEMM, its SGEMM does nothing. Then it measures the other time of ScaLAPACK
   and MPI, which no device can reduce. tools/psgemm_traffic does this for settings of both. */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
int numroc_(const int* n, const int* block, const int* process, const int* source, const int* processes);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb,
               const int* row_source, const int* column_source, const int* context, const int* ld, int* info);
void psgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
             const float* alpha, const float* a, const int* ia, const int* ja, const int* descriptor_a,
             const float* b, const int* ib, const int* jb, const int* descriptor_b, const float* beta,
             float* c, const int* ic, const int* jc, const int* descriptor_c);

int pilaenv_(const int* context, const char* precision);

#ifdef NO_SGEMM
void sgemm_(void); /* ScaLAPACK finds this one first */
void sgemm_(void) {}
enum { multiplies = 0 };
#else
enum { multiplies = 1 };
#endif

/* ScaLAPACK counts the bytes of a panel, its block along k times a side of the rank's part of C, in 32 bits.
   If the number is too large, it has no memory for the panel, and writes to it anyway. */
static int panels_fit(int context, int m, int n) {
  const int block = pilaenv_(&context, "S");
  const long long bytes = (long long)sizeof(float) * block * (m > n ? m : n);
  if (bytes > INT_MAX)
    fprintf(stderr,
            "a panel of %d x %d floats is too large for ScaLAPACK: blocks along k must be shorter than %d\n",
            block, m > n ? m : n, (int)(INT_MAX / sizeof(float)) / (m > n ? m : n));
  return bytes <= INT_MAX;
}

static float* filled(size_t count, float value) {
  float* result = malloc(count * sizeof *result);
  for (size_t i = 0; i < count; ++i) result[i] = value;
  return result;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int size = argc > 1 ? atoi(argv[1]) : 1024;
  const int block = argc > 2 ? atoi(argv[2]) : 64;
  int ranks = 1, me = 0, side = 1, context = 0, rows = 0, columns = 0, row = 0, column = 0, info = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  while (side * side < ranks) ++side;
  if (ranks % side != 0) side = 1;
  if (argc > 3) side = atoi(argv[3]);
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row", side, ranks / side);
  Cblacs_gridinfo(context, &rows, &columns, &row, &column);

  const int zero = 0, one = 1;
  const int m = numroc_(&size, &block, &row, &zero, &rows);
  const int n = numroc_(&size, &block, &column, &zero, &columns);
  const int ld = m > 1 ? m : 1;
  if (ranks > 1 && !panels_fit(context, m, n)) MPI_Abort(MPI_COMM_WORLD, 2);
  int descriptor[9];
  descinit_(descriptor, &size, &size, &block, &block, &zero, &zero, &context, &ld, &info);
  const size_t count = (size_t)ld * (size_t)(n > 1 ? n : 1);
  float* a = filled(count, 0.5f);
  float* b = filled(count, 0.25f);
  float* c = filled(count, 1.0f);
  const float unit = 1.0f;
  double best = 1e30;
  enum { runs = 4 }; /* the first one compiles and is not counted */
  for (int i = 0; i < runs; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    psgemm_("N", "N", &size, &size, &size, &unit, a, &one, &one, descriptor, b, &one, &one, descriptor, &unit,
            c, &one, &one, descriptor);
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = MPI_Wtime() - start;
    if (i != 0 && seconds < best) best = seconds;
  }
  const float expected = 1.0f + runs * 0.125f * (float)size;
  const int wrong = multiplies && m > 0 && n > 0 && (c[0] != expected || c[count - 1] != expected);
  if (wrong)
    fprintf(stderr, "rank %d: %g and %g, not %g\n", me, (double)c[0], (double)c[count - 1], (double)expected);
  if (me == 0) printf("%d %d %.4f\n", size, ranks, best);
  MPI_Finalize();
  return wrong;
}
