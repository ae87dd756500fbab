// A vector at any element, for CPUs. As vloadn() and vstoren() do it, which PoCL takes twice as long to compile.
typedef vector_t unaligned_t __attribute__((aligned(4)));
#define LOAD_VECTOR(place) (*(__global const unaligned_t*)(place))
#define STORE_VECTOR(vector, place) (*(__global unaligned_t*)(place) = (vector))
// Four elements likewise, for what is left of a vector.
typedef float4 unaligned4_t __attribute__((aligned(4)));
#define LOAD_FOUR(place) (*(__global const unaligned4_t*)(place))
#define STORE_FOUR(four, place) (*(__global unaligned4_t*)(place) = (four))
