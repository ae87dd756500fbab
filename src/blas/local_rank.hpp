// Which of the ranks of an MPI program on this machine we are, for ranks share the machine's devices.
#pragma once

#include <optional>
#include <string>

namespace clgemm::blas {

struct LocalRank {
  int rank = 0;
  std::string variable;  // that says so
};

// By the variables of Open MPI, MPICH and Intel MPI, MVAPICH, and Slurm; none outside of MPI.
std::optional<LocalRank> local_rank();

}  // namespace clgemm::blas
