// Which of the ranks of an MPI program on this machine we are, for ranks share the machine's devices.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace clgemm::blas {

struct LocalRank {
  int rank = 0;
  int count = 0;         // of the ranks on this machine; 0 where nobody says
  std::string variable;  // that says the rank
};

// By the variables of Open MPI, MPICH and Intel MPI, MVAPICH, and Slurm; none outside of MPI.
std::optional<LocalRank> local_rank();

// Which of so many devices are this rank's: they are dealt out in turn. One, where there are no fewer ranks
// than devices, or nobody knows how many ranks there are.
std::vector<std::size_t> dealt_to(const LocalRank& rank, std::size_t devices);

}  // namespace clgemm::blas
