// Finds the rank of this process among the MPI ranks on this machine, because they share the machine's
// devices.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace clgemm::blas {

struct LocalRank {
  int rank = 0;
  int count = 0;         // number of ranks on this machine; 0 if unknown
  std::string variable;  // the variable that holds the rank
};

// Reads the variables of Open MPI, MPICH and Intel MPI, MVAPICH, and Slurm; returns none outside of MPI.
std::optional<LocalRank> local_rank();

// Returns the devices of this rank. Devices are dealt out in turn. A rank gets one device if there are at
// least as many ranks as devices, or if the number of ranks is unknown.
std::vector<std::size_t> dealt_to(const LocalRank& rank, std::size_t devices);

}  // namespace clgemm::blas
