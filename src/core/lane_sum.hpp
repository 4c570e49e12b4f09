// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Sums of numbers that stand by eight, one for each lane (lane_source.hpp). Without any inline
/// function, for source files that are compiled for one instruction set.

#include <cstddef>

namespace daedal {

/// Numbers of eight lanes with a weight.
struct LaneTerm {
  const double* values;
  double weight;
};

/// out = start + Σ (h·weight)·values over the terms, for n numbers of each lane; one after the
/// other, or two at a time, which are added first.
struct LaneSum {
  double* out;
  const double* start;  ///< null: 0
  const double* h;      ///< of each lane; null: 1
  const LaneTerm* terms;
  std::size_t n_terms;
  std::size_t n;
  bool in_pairs;
};

}  // namespace daedal
