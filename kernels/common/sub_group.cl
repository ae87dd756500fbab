// SUB_GROUP: what a kernel says so that its registers suffice, on devices where clgemm names the size of a
// sub-group (Intel's; kernels need no sub-groups otherwise). It stands behind __kernel.
#ifdef SUB_GROUP_SIZE
#define SUB_GROUP __attribute__((intel_reqd_sub_group_size(SUB_GROUP_SIZE)))
#else
#define SUB_GROUP
#endif
