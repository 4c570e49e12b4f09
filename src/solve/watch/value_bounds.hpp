// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The bounds (min, max) that a model gives its variables, and the values found beyond them. Bounds
/// are no equations: a run goes on beyond them, and says so.

#include <daedal/model.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::solve_detail {

struct ValueBound {
  std::size_t column = 0;  ///< of the variable
  std::string variable;
  std::string_view name;  ///< min or max
  double value = 0.0;
  double sign = 1.0;  ///< of values beyond it

  [[nodiscard]] double excess(double v) const { return sign * (v - value); }
};

/// Those of the variables among `names`, which are the names of the columns.
[[nodiscard]] std::vector<ValueBound> value_bounds(const Model& model,
                                                   std::span<const std::string> names);

class BoundChecks {
 public:
  BoundChecks(std::span<const ValueBound> bounds, double rtol);

  /// Rows in their order.
  void look(double t, std::span<const double> row);

  /// What the look into a step found beyond the k-th bound: where first, and farthest.
  struct Peak {
    double t = 0.0, seen_at = 0.0, excess = 0.0;
  };
  void note_peak(std::size_t k, const Peak& peak);
  /// The variable has had a value of this magnitude.
  void note_size(std::size_t k, double size);
  /// The excess that may be an error within the tolerance.
  [[nodiscard]] double slack(std::size_t k) const;
  /// Whether a value between the rows is known to be beyond the k-th bound.
  [[nodiscard]] bool is_told(std::size_t k) const;

  /// A full sentence for every bound with values beyond it, with the time of the first.
  [[nodiscard]] std::vector<std::string> sentences() const;

 private:
  struct Known {
    double size = 0.0;  ///< the greatest magnitude so far
    double last = 0.0;  ///< in the row before
    /// The first row beyond the bound, and later ones twice as far beyond: what is beyond it by
    /// little is a rounding error, should the values become large.
    std::vector<Peak> rows{};
    /// The same of values between the rows, which count where no row is beyond the bound.
    std::vector<Peak> peaks{};
  };
  [[nodiscard]] const Peak* first_beyond(std::size_t k, std::span<const Peak> found) const;

  std::span<const ValueBound> bounds_;
  double rtol_;
  std::vector<Known> known_;  ///< by bound
  double last_t_ = 0.0;
  bool has_last_ = false;
};

}  // namespace daedal::solve_detail
