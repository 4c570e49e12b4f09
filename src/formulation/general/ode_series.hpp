// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The Taylor series of x' = f(t, x): coefficient k + 1 of x is coefficient k of f over k + 1
/// (Moore 1966; Jorba, Zou 2005).

#include <span>
#include <vector>

#include "formulation/frame/model_run.hpp"
#include "formulation/taylor/series_parts.hpp"
#include "kernel/staged_series.hpp"
#include "system/series_source.hpp"

namespace daedal::formulation {

/// The side of a run: the series around the last instant.
class OdeSeries final : public MethodWork {
 public:
  /// `rates` is f of the states, which are its values. Throws ModelError{unsupported} for functions
  /// that have no series.
  OdeSeries(const kernel::Program& rates, const ModelContext& context);

  /// False: a coefficient is not finite.
  [[nodiscard]] bool expand(const SeriesSource::Point& point, ModelRun& run,
                            std::span<double> coefficients);
  [[nodiscard]] const EventSeries::Around& around() const { return around_; }

  [[nodiscard]] Index n_switches() const { return events_.size() + series_.n_switches(); }
  /// `fill` as EventSeries has it, from the coefficients of the states.
  using Fill = std::function<void(std::span<const double> states, std::span<double> values)>;
  bool switch_series(Index number, const Fill& fill, ModelRun& run, std::span<double> out);

 private:
  [[nodiscard]] bool sum_up(double direction, ModelRun& run, std::span<const double> x);
  [[nodiscard]] double log_growth() const;

  kernel::StagedSeries series_;
  std::size_t n_;
  EventSeries events_;
  SeriesScale scale_;
  EventSeries::Around around_;
  std::vector<double> states_;  ///< coefficients, those of one degree together
};

}  // namespace daedal::formulation
