// For kernels with `shares`: the part of C that falls to this work-group, whose number along a dimension the host chose.
// Returns its first row or column and their count, a multiple of `unit` but in the last share, and 0 where nothing is
// left.
static inline int2 share_of(const int size, const int dimension, const int unit) {
  const int groups = get_num_groups(dimension);
  const int most = ((size + groups - 1) / groups + unit - 1) / unit * unit;
  const int first = min((int)get_group_id(dimension) * most, size);
  return (int2)(first, min(most, size - first));
}
