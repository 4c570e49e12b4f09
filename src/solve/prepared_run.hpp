// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A candidate made ready to run: its formulation, its integrator and its start values.

#include <memory>
#include <string>
#include <vector>

#include "formulation/frame/formulation.hpp"
#include "integrate/registry.hpp"
#include "solve/method_choice.hpp"

namespace daedal::solve_detail {

struct Attempt {
  Candidate candidate;
  Options options;  ///< with the tolerances and the integrator of the candidate
  const integration::IntegratorInfo* integrator = nullptr;
  std::shared_ptr<const formulation::Formulation> formulation;
  std::unique_ptr<Run> run;
  formulation::Start start;
};

/// Makes the formulation of `candidate` and its start values. Throws Error when the model or the
/// options do not fit.
Attempt prepare(const Candidate& candidate, const formulation::Request& request, double t0,
                const Options& options);

/// The first candidate that fits and starts; why it was chosen and what the others lack goes to
/// `notices`. When none starts, the last one that was made; when none could be made, the first
/// one's error.
Attempt first_that_fits(const std::vector<Candidate>& candidates,
                        const formulation::Request& request, double t0, const Options& options,
                        std::vector<std::string>& notices);

/// The stepper of an attempt's system.
std::unique_ptr<integration::Stepper> make_stepper(const Attempt& attempt);

}  // namespace daedal::solve_detail
