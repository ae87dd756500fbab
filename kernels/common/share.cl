// Returns the part of C that falls to this work-group, for kernels with `shares`. The host chose the number
// of work-groups along the dimension. The result is the first row or column and their count. The count is a
// multiple of `unit` except in the last share, and 0 if nothing is left.
static inline int2 share_of(const int size, const int dimension, const int unit) {
  const int groups = get_num_groups(dimension);
  const int most = ((size + groups - 1) / groups + unit - 1) / unit * unit;
  const int first = min((int)get_group_id(dimension) * most, size);
  return (int2)(first, min(most, size - first));
}
