// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the rows of all variables tell, looked at one by one as they come:
///
/// - Variables that leave the bounds (min, max) that the model gives them. Bounds are no equations:
///   a run goes on beyond them, and says so.
/// - Jumps that no reinit explains, or that would have to make others jump (impulse_balance.hpp). A
///   prescribed motion with a corner makes its velocity jump at an event, and the force that would
///   be needed for it is an impulse: no number at any time has it, and nothing that integrates the
///   force feels it.

#include <daedal/model.hpp>
#include <daedal/solution.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solve/checks/impulse_balance.hpp"
#include "solve/preparation.hpp"

namespace daedal::solve_detail {

class RowChecks {
 public:
  /// Where the rows come from, which outlives the checks.
  struct Origin {
    const Model& model;
    const PreparedModel& prepared;
    std::span<const double> parameters;  ///< of the prepared model
  };
  /// `names`: of the values in a row.
  RowChecks(const Origin& origin, std::span<const std::string> names, double rtol);

  /// Whether values may leave the bounds that the model gives them.
  [[nodiscard]] static bool has_bounds(const Model& model);

  void look(double t, std::span<const double> row);
  /// All rows of a solution that has all columns.
  void look(const Solution& solution);
  /// Values between two rows, of which the bounds alone are of interest.
  void look_inside(double t, std::span<const double> values);
  /// A full sentence about a differentiated variable that jumped at an event in a model without
  /// reinit, or with others that should have jumped with it, and one for every variable that left
  /// its bounds by more than the tolerance, with the time at which it first did.
  [[nodiscard]] std::vector<std::string> sentences() const;

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
    /// The same of values between the rows, which count where no row is beyond the bound.
    std::vector<Crossing> peaks{};
    [[nodiscard]] double excess(double v) const { return sign * (v - value); }
  };
  [[nodiscard]] std::span<const Bound> bounds() const { return bounds_; }

 private:
  /// Whether the value is beyond its bound by more than those that are known of.
  [[nodiscard]] bool is_farther_beyond(Bound& bound, std::vector<Bound::Crossing>& known,
                                       double value) const;
  void look_at(Bound& bound, double t, double value) const;
  void look_for_jump(double t, std::span<const double> row);
  void look_for_imbalance(double t, std::span<const double> row);
  void find_columns();
  /// By how much the value of a column has jumped; 0 within the tolerances.
  [[nodiscard]] double jump_of(std::size_t column, double after) const;

  std::vector<std::string> names_;
  double rtol_;
  std::vector<Bound> bounds_;
  const PreparedModel& prepared_;
  std::span<const double> parameters_;
  bool has_columns_ = false;                 ///< those below, which are made when they are needed
  std::vector<std::size_t> differentiated_;  ///< columns
  std::optional<ImpulseBalance> balance_;    ///< of a model with reinit
  std::vector<std::size_t> columns_, discrete_columns_;  ///< of its variables
  int n_balances_ = 0;
  std::string jump_;
  std::vector<double> largest_;  ///< |value| so far
  double largest_of_all_ = 0.0;
  double last_t_ = 0.0;
  std::vector<double> last_;  ///< the row before; empty: none
};

}  // namespace daedal::solve_detail
