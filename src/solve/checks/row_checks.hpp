// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the rows of all variables tell, looked at one by one as they come:
///
/// - Variables that leave the bounds that the model gives them (value_bounds.hpp).
/// - Jumps that no reinit explains, or that would have to make others jump (impulse_balance.hpp). A
///   prescribed motion with a corner makes its velocity jump at an event, and the force that would
///   be needed for it is an impulse: no number at any time has it, and nothing that integrates the
///   force feels it.

#include <daedal/model.hpp>
#include <daedal/solution.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solve/checks/impulse_balance.hpp"
#include "solve/preparation.hpp"
#include "solve/watch/value_bounds.hpp"

namespace daedal::solve_detail {

class RowChecks {
 public:
  /// The rows have all variables of the reading, which outlives the checks, as do the values of its
  /// parameters.
  RowChecks(const Reading& reading, std::span<const double> parameters, double rtol);

  void look(double t, std::span<const double> row);
  /// All rows of a solution that has all columns.
  void look(const Solution& solution);
  /// A full sentence about a differentiated variable that jumped at an event in a model without
  /// reinit, or with others that should have jumped with it, and one for every variable that left
  /// its bounds by more than the tolerance, with the time at which it first did.
  [[nodiscard]] std::vector<std::string> sentences() const;

  /// What is between the rows may be added to it.
  [[nodiscard]] BoundChecks& bounds() { return bounds_; }

 private:
  void look_for_jump(double t, std::span<const double> row);
  void look_for_imbalance(double t, std::span<const double> row);
  void find_columns();
  struct Jump {
    std::size_t column = 0;
    double size = 0.0;
    std::string text;
  };
  /// Whether it is more than the tolerances.
  [[nodiscard]] bool is_jump(const Jump& jump) const;
  [[nodiscard]] bool has_jumped() const;
  /// By how much the value of a column has jumped; 0 within the tolerances.
  [[nodiscard]] double jump_of(std::size_t column, double after) const;

  std::vector<std::string> names_;
  double rtol_;
  BoundChecks bounds_;
  const PreparedModel& prepared_;
  std::span<const double> parameters_;
  bool has_columns_ = false;                 ///< those below, which are made when they are needed
  std::vector<std::size_t> differentiated_;  ///< columns
  std::optional<ImpulseBalance> balance_;    ///< of a model with reinit
  std::vector<std::size_t> columns_, discrete_columns_;  ///< of its variables
  int n_balances_ = 0;
  Jump jump_;                    ///< the first one found, without a text if there is none
  std::vector<double> largest_;  ///< |value| so far
  double largest_of_all_ = 0.0;
  double last_t_ = 0.0;
  std::vector<double> last_;  ///< the row before; empty: none
};

}  // namespace daedal::solve_detail
