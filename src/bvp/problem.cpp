// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/problem.hpp"

namespace daedal::bvp {

Layout::Layout(const Problem& problem) : n(problem.system.size()), place(to_size(n)) {
  const auto kinds = problem.system.kinds();
  for (Index i = 0; i < n; ++i) {
    const bool is_differential = kinds.empty() || kinds[to_size(i)].differential;
    (is_differential ? differential : algebraic).push_back(i);
  }
  for (Index d = 0; d < n_d(); ++d) place[to_size(differential[to_size(d)])] = d;
  for (Index a = 0; a < n_y(); ++a) place[to_size(algebraic[to_size(a)])] = n_d() + a;
  for (std::size_t row = 0; row < problem.is_constraint.size(); ++row) {
    if (problem.is_constraint[row]) constraints.push_back(to_index(row));
  }
}

}  // namespace daedal::bvp
