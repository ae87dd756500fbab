#include "blas/local_rank.hpp"

#include <charconv>

#include "base/environment.hpp"

namespace clgemm::blas {
namespace {

struct Variables {
  const char* rank;
  const char* count;
};
constexpr Variables all_variables[] = {{"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                       {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
                                       {"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"},
                                       {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
                                       {"SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"}};

std::optional<int> number_of(const char* variable) {
  const std::string text = environment(variable);
  int number = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || rest != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::optional<LocalRank> local_rank() {
  for (const Variables& variables : all_variables) {
    const std::optional<int> rank = number_of(variables.rank);
    if (!rank) continue;
    const int count = number_of(variables.count).value_or(0);
    return LocalRank{*rank, count > *rank ? count : 0, variables.rank};
  }
  return std::nullopt;
}

std::vector<std::size_t> dealt_to(const LocalRank& rank, std::size_t devices) {
  const auto number = static_cast<std::size_t>(rank.rank);
  const std::size_t ranks = rank.count > 0 ? static_cast<std::size_t>(rank.count) : devices;
  if (ranks >= devices) return {number % devices};
  std::vector<std::size_t> result;
  for (std::size_t i = number; i < devices; i += ranks) result.push_back(i);
  return result;
}

}  // namespace clgemm::blas
