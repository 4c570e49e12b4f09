// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Products of the stages of a rule, one column each, with the small matrices that belong to it.

#include <span>
#include <vector>

#include "core/types.hpp"

namespace daedal::integration {

enum class Sum { fresh, added };

/// scale·in·weights, or added to what `out` has. `weights` is square, and `in` and `out` have as
/// many columns as it, of n numbers each, one after the other.
void multiply_stages(const double* in, Index n, const Matrix& weights, double scale, Sum sum,
                     double* out);

/// A column with its weight in a sum.
struct StageTerm {
  Index column;
  double weight;
};
enum class Terms { one_by_one, in_pairs };

/// start + Σ (scale·weight)·column, over columns of n numbers each. In
/// pairs, two terms are added to each other first. Without a start from 0.
void sum_stages(const double* columns, Index n, std::span<const StageTerm> terms, double scale,
                Terms order, const double* start, double* out);

}  // namespace daedal::integration
