// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the rows of all variables tell, looked at one by one as they come:
///
/// - Variables that leave the bounds (min, max) that the model gives them. Bounds are no equations:
/// a
///   run goes on beyond them, and says so.
/// - Jumps that no reinit explains. A prescribed motion with a corner makes its velocity jump at an
///   event, and the force that would be needed for it is an impulse: no number at any time has it,
///   and nothing that integrates the force feels it.

#include <daedal/model.hpp>
#include <daedal/solution.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solve/preparation.hpp"

namespace daedal::solve_detail {

class RowChecks {
 public:
  /// `names`: of the values in a row. `prepared` outlives the checks.
  RowChecks(const Model& model, const PreparedModel& prepared, std::span<const std::string> names,
            double rtol);

  void look(double t, std::span<const double> row);
  /// A full sentence about a differentiated variable that jumped at an event in a model without
  /// reinit, and one for every variable that left its bounds by more than the tolerance, with the
  /// time at which it first did.
  [[nodiscard]] std::vector<std::string> sentences() const;

 private:
  struct Bound {
    std::size_t column = 0;
    std::string_view name;  ///< min or max
    double value = 0.0;
    double sign = 1.0;  ///< of values beyond it
    double size = 0.0;  ///< the greatest value so far
    struct Crossing {
      double t = 0.0, seen_at = 0.0, value = 0.0;
    };
    /// The first row beyond the bound, and later ones twice as far beyond: what is beyond it by
    /// little is a rounding error, should the values become large.
    std::vector<Crossing> crossings{};
    [[nodiscard]] double excess(double v) const { return sign * (v - value); }
  };
  void look_at(Bound& bound, double t, double value) const;
  void look_for_jump(double t, std::span<const double> row);
  [[nodiscard]] std::vector<std::size_t> differentiated_columns() const;

  std::vector<std::string> names_;
  double rtol_;
  std::vector<Bound> bounds_;
  const PreparedModel& prepared_;
  std::optional<std::vector<std::size_t>> differentiated_;  ///< columns, when they are needed
  std::string jump_;
  std::vector<double> largest_;  ///< |value| so far
  double last_t_ = 0.0;
  std::vector<double> last_;  ///< the row before; empty: none
};

/// The same of a solution that has all rows and all columns.
std::vector<std::string> look_at_rows(const Model& model, const PreparedModel& prepared,
                                      const Solution& solution);

}  // namespace daedal::solve_detail
