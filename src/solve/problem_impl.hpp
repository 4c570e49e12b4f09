// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <daedal/problem.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "solve/preparation.hpp"
#include "solve/run/run_context.hpp"
#include "solve/run/simulation.hpp"

namespace daedal {

class Problem::Impl {
 public:
  Impl(const Model& model, const SolveOptions& options);

  [[nodiscard]] const Model& model() const { return given_; }
  [[nodiscard]] const SolveOptions& options() const { return options_; }

  [[nodiscard]] std::unique_ptr<Simulation::Impl> start(const TimeSpan& span,
                                                        const RunValues& values,
                                                        const SolveOptions& run) const {
    return start(context_of(span, values, run));
  }
  [[nodiscard]] std::unique_ptr<Simulation::Impl> start(
      const solve_detail::RunContext& context) const;
  [[nodiscard]] std::unique_ptr<Simulation::Impl> restore(std::string_view bytes,
                                                          const SolveOptions& run) const;
  /// Throws Error for values and options that no run can have.
  [[nodiscard]] solve_detail::RunContext context_of(const TimeSpan& span, const RunValues& values,
                                                    const SolveOptions& run) const;
  /// The preparation of a model with the structure that it has for the values of the run.
  [[nodiscard]] std::shared_ptr<const solve_detail::Preparation> preparation_for(
      const solve_detail::RunContext& context) const;

 private:
  [[nodiscard]] std::vector<double> without_zero_inputs(std::vector<double> values) const;
  [[nodiscard]] std::vector<double> reference_values(const std::string& key,
                                                     const solve_detail::RunContext& context) const;

  Model given_;
  Model model_;  ///< with its inputs as parameters
  SolveOptions options_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const solve_detail::Preparation>> preparations_;
};

}  // namespace daedal
