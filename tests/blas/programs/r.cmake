# R: its BLAS is libblas.so.3, and the drop-in is in front of it.
need(/usr/bin/R r-base-core)
run_with_drop_in(COMMAND /usr/bin/R --vanilla --quiet -f ${CMAKE_CURRENT_LIST_DIR}/product.R
  VARIABLES R_PACKAGE=${R_PACKAGE})
expect("R multiplied" "clgemm_blas: 1 calls, ")
