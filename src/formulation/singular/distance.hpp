// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// How near a singular position of constraints g(x) = 0 is, seen from x: Newton's step δ to meet
/// J δ = r leaves the curvature q = g(x + δ) − g(x) − Jδ, for which it steps on by J⁺q. The ratio
/// |J⁺q|/|δ| is how it contracts; by Kantorovich's theorem x belongs to one branch of the
/// manifold while that is small, and |δ|²/|J⁺q| is about the distance to where J loses rank.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace daedal::formulation {

struct CurvatureWork {
  std::vector<double> rows;  ///< r, to be given
  std::vector<double> base, bottom, trial, top;
  void resize(std::size_t n, std::size_t m) {
    for (auto* values : {&rows, &base, &bottom}) values->assign(m, 0.0);
    for (auto* values : {&trial, &top}) values->assign(n, 0.0);
  }
};

struct Curvature {
  double move = 0.0;   ///< |δ| in units of the nominal values
  double bend = 0.0;   ///< |J⁺q|/|δ|²: one over the distance to a singular position
  Index weakest = -1;  ///< the constraint with the greatest share in what J⁺ amplifies
};

/// Between ½ and 3/2, for each row another: equal shares could cancel where rows are alike.
inline double uneven_share(std::size_t row) {
  const double multiple = std::numbers::phi * static_cast<double>(row);
  return 0.5 + multiple - std::floor(multiple);
}

inline double greatest_ratio(std::span<const double> values, std::span<const double> nominals) {
  double result = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result = std::max(result, std::abs(values[i]) / nominals[i]);
  }
  return result;
}

/// Near enough to be the reason of a failure, in units of the nominal values.
inline bool is_near_singularity(const Curvature& curvature) {
  // A hundredth of a nominal value: steps that fail are shorter by far, usual ones longer.
  constexpr double near = 0.01;
  return curvature.bend * near > 1.0;
}

/// A sentence about it.
std::string singularity_text(const std::string& constraint, double distance);

/// `solve(top, bottom)` takes (0, r) to (J⁺r, multipliers); `evaluate(x, values)` is false where g
/// is not finite. No allocation.
template <class Solve, class Evaluate>
struct CurvatureProbe {
  std::span<const double> x;
  std::span<const double> nominals;
  Solve solve;
  Evaluate evaluate;

  Curvature operator()(CurvatureWork& work) const {
    // q is quadratic in δ: it is taken far above round-off and far below the next branch.
    constexpr double share_of_x = 1e-5;
    Curvature result;
    if (!evaluate(x, work.base)) return result;
    work.bottom = work.rows;
    std::fill(work.top.begin(), work.top.end(), 0.0);
    solve(work.top, work.bottom);
    double greatest = 0.0;
    for (std::size_t i = 0; i < work.bottom.size(); ++i) {
      const double share = std::abs(work.bottom[i] * work.rows[i]);
      if (share <= greatest) continue;
      greatest = share;
      result.weakest = to_index(i);
    }
    result.move = greatest_ratio(work.top, nominals);
    if (!(result.move > 0.0)) return result;
    const double s = share_of_x * std::max(1.0, greatest_ratio(x, nominals)) / result.move;
    for (std::size_t j = 0; j < x.size(); ++j) work.trial[j] = x[j] + s * work.top[j];
    if (!evaluate(work.trial, work.bottom)) return result;
    for (std::size_t i = 0; i < work.bottom.size(); ++i) {
      work.bottom[i] -= work.base[i] + s * work.rows[i];
    }
    std::fill(work.top.begin(), work.top.end(), 0.0);
    solve(work.top, work.bottom);
    result.bend = greatest_ratio(work.top, nominals) / (s * s * result.move * result.move);
    return result;
  }
};

}  // namespace daedal::formulation
