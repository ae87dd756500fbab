// The two loops from which every tutorial starts, on one thread of the host.
#pragma once

#include <cstddef>
#include <vector>

#include "measuring/host_data.hpp"

namespace clgemm::bench {

// Computes the first `rows` rows of C, which holds the initial C.
using HostLoop = void(const HostData& data, std::size_t rows, std::vector<float>& c);

HostLoop plain_loop;           // i, j, k: down a column of B
HostLoop cache_friendly_loop;  // i, k, j: along the rows of B and C

// Returns the milliseconds for the first `rows` rows.
double time_rows(const HostData& data, HostLoop* loop, std::size_t rows, std::vector<float>& c);

// Predicts the milliseconds for all rows from as few of them as can be timed well.
double predict_ms(const HostData& data, HostLoop* loop);

}  // namespace clgemm::bench
