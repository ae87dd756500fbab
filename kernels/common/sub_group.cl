// SUB_GROUP stands behind __kernel. On devices for which clgemm sets the size of a sub-group (Intel's), it
// makes sure that a kernel has enough registers. Kernels do not depend on sub-groups otherwise.
#ifdef SUB_GROUP_SIZE
#define SUB_GROUP __attribute__((intel_reqd_sub_group_size(SUB_GROUP_SIZE)))
#else
#define SUB_GROUP
#endif
