// vector_t: WIDTH floats, loaded and stored at any element.
#define JOIN_EXPANDED(left, right) left##right
#define JOIN(left, right) JOIN_EXPANDED(left, right)
typedef JOIN(float, WIDTH) vector_t;
#define LOAD_VECTOR JOIN(vload, WIDTH)
#define STORE_VECTOR JOIN(vstore, WIDTH)
