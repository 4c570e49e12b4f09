// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What a run came to. A failed run's Solution holds everything up to the failure.

#include <daedal/run_control.hpp>
#include <daedal/status.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

/// A name that was asked for, and what it became ("auto" becomes a method).
struct RequestedUsed {
  std::string requested;
  std::string used;
};

struct EventRecord {
  double time = 0.0;
  std::string what;
};

/// The greatest constraint residual over the run at one level of differentiation.
struct ConstraintLevel {
  int level = 0;
  double max_residual = 0.0;
};

class DAEDAL_EXPORT Solution {
 public:
  Status status = Status::success;
  std::string message;                ///< a full sentence
  std::vector<std::string> warnings;  ///< full sentences
  std::vector<std::string> notices;   ///< what was completed or chosen on the user's behalf
  std::string model_name;
  RequestedUsed method;
  RequestedUsed integrator;
  double rtol = 0.0;
  double atol = 0.0;
  std::vector<ConstraintLevel> constraints;
  std::vector<EventRecord> events;
  Statistics statistics;

  std::vector<std::string> names;  ///< of the columns: every variable of the model
  std::vector<double> times;
  std::vector<double> values;  ///< row-major, times.size() × names.size()

  [[nodiscard]] std::size_t n_rows() const { return times.size(); }
  [[nodiscard]] std::span<const double> row(std::size_t i) const;
  /// The column of a name; throws OptionError{unknown_name}.
  [[nodiscard]] std::size_t column(std::string_view name) const;
  /// Value at the last time; throws OptionError{unknown_name}.
  [[nodiscard]] double final_value(std::string_view name) const;
  /// Dense evaluation at a time inside the run, by the integrator's own interpolant.
  [[nodiscard]] double at(double t, std::string_view name) const;
  void at(double t, std::span<double> all_values) const;

  /// One line, and a page.
  [[nodiscard]] std::string brief_report() const;
  [[nodiscard]] std::string full_report() const;

  /// The stored interpolant behind at(); empty when dense output was not kept.
  class Dense;
  std::shared_ptr<const Dense> dense;
};

}  // namespace daedal
