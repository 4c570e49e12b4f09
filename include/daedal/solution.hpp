// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What a run came to. A failed run's Solution holds everything up to the failure.

#include <daedal/run_control.hpp>
#include <daedal/status.hpp>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

/// A name that was asked for, and what it became ("auto" becomes a method).
struct Choice {
  std::string requested;
  std::string used;
};

struct EventRecord {
  static constexpr std::size_t no_row = static_cast<std::size_t>(-1);
  double time = 0.0;
  std::string what;
  /// The row of the values after the event, or no_row; the values before it are in the row above.
  std::size_t row = 0;
};

/// The greatest constraint residual over the run at one level of differentiation.
struct ConstraintLevel {
  int level = 0;
  double max_residual = 0.0;
  /// At the rows of the solution; NaN before the first row that has this level, and shorter than
  /// the rows where the run went on without it.
  std::vector<double> residuals{};
};

class DAEDAL_EXPORT Solution {
 public:
  Status status = Status::success;
  std::string message;                ///< a full sentence
  std::vector<std::string> warnings;  ///< full sentences
  std::vector<std::string> notices;   ///< what was completed or chosen on the user's behalf
  std::string model_name;
  Choice method;
  Choice integrator;
  double rtol = 0.0;
  double atol = 0.0;
  /// How many times larger than at its start a small perturbation can be at the end of the run, by
  /// a coarse estimate; NaN where there is none.
  double error_growth = std::numeric_limits<double>::quiet_NaN();
  std::vector<ConstraintLevel> constraints;
  std::vector<EventRecord> events;
  Statistics statistics;

  std::vector<std::string> names;    ///< of the columns: every variable of the model
  std::vector<std::string> inputs;   ///< those of them that the model declares as inputs
  std::vector<std::string> outputs;  ///< and as outputs
  std::vector<double> times;
  std::vector<double> values;  ///< row-major, times.size() × names.size()

  [[nodiscard]] std::size_t n_rows() const { return times.size(); }
  [[nodiscard]] std::span<const double> row(std::size_t i) const;
  /// The column of a name; throws OptionError{unknown_name}.
  [[nodiscard]] std::size_t column(std::string_view name) const;
  /// Value at the last time; throws OptionError{unknown_name}.
  [[nodiscard]] double final_value(std::string_view name) const;
  /// Dense evaluation at a time inside the run, by the integrator's own interpolant. At an event
  /// these are the values before it.
  [[nodiscard]] double at(double t, std::string_view name) const;
  void at(double t, std::span<double> all_values) const;

  /// The same from the right: at an event the values after it.
  [[nodiscard]] double after(double t, std::string_view name) const;
  void after(double t, std::span<double> all_values) const;
  /// The derivative of the dense output.
  [[nodiscard]] double derivative(double t, std::string_view name) const;
  void derivative(double t, std::span<double> all_values) const;
  [[nodiscard]] bool has_dense_output() const { return dense_ != nullptr; }

  /// A page about the run.
  [[nodiscard]] std::string full_report() const;

  /// The stored interpolant behind at().
  class Dense;
  void set_dense_output(std::shared_ptr<const Dense> dense) { dense_ = std::move(dense); }

 private:
  std::shared_ptr<const Dense> dense_;
};

}  // namespace daedal
