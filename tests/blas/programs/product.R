# R's own products are of double precision and stay with R's BLAS. What packages of single precision call goes to the
# drop-in.
set.seed(1)
a <- matrix(sample(-3:3, 40 * 30, TRUE), 40)
b <- matrix(sample(-3:3, 30 * 20, TRUE), 30)
plain <- matrix(0, 40, 20)
for (i in 1:40) for (j in 1:20) plain[i, j] <- sum(a[i, ] * b[, j])
stopifnot(identical(a %*% b, plain))

dyn.load(Sys.getenv("R_PACKAGE"))
called <- .C("product", 40L, 20L, 30L, as.single(a), as.single(b), c = as.single(numeric(800)))
stopifnot(identical(matrix(as.double(called$c), 40), plain))
cat("R multiplied\n")
