#include "blas/local_rank.hpp"

#include <charconv>

#include "base/environment.hpp"

namespace clgemm::blas {

std::optional<LocalRank> local_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PMI_LOCAL_RANK",
                               "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}) {
    const std::string text = environment(variable);
    int rank = 0;
    const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (status == std::errc() && rest == text.data() + text.size() && rank >= 0)
      return LocalRank{rank, variable};
  }
  return std::nullopt;
}

}  // namespace clgemm::blas
