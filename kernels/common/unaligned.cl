// A vector at any element, for CPUs. vloadn() and vstoren() do the same, but PoCL takes twice as long to
// compile them.
typedef vector_t unaligned_t __attribute__((aligned(4)));
#define LOAD_VECTOR(place) (*(__global const unaligned_t*)(place))
#define STORE_VECTOR(vector, place) (*(__global unaligned_t*)(place) = (vector))
// The same for four elements, for the rest of a vector.
typedef float4 unaligned4_t __attribute__((aligned(4)));
#define LOAD_FOUR(place) (*(__global const unaligned4_t*)(place))
#define STORE_FOUR(four, place) (*(__global unaligned4_t*)(place) = (four))
