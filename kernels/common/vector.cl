// vector_t is a vector of WIDTH floats.
#define JOIN_EXPANDED(left, right) left##right
#define JOIN(left, right) JOIN_EXPANDED(left, right)
typedef JOIN(float, WIDTH) vector_t;
