// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Consistent initial values of a differentiated system: all its equations, the hidden constraints
/// among them, are one constraint set for the initialiser. Named variables that are no highest
/// derivatives are guesses (or held, where fixed); everything else gives way first.

#include <optional>
#include <span>
#include <vector>

#include "formulation/dummy/context.hpp"
#include "formulation/frame/start_problem.hpp"
#include "formulation/frame/written_equations_at.hpp"

namespace daedal::formulation {

/// The equations with initial equations below them, in places and parameters to be found.
struct DummyStartEquations {
  std::vector<std::size_t> parameters;
  kernel::Program residual;
  SparseProgram jacobian;
};

class DummyConstraints final : public analysis::ConstraintSet {
 public:
  /// `start` may be null: the equations alone.
  DummyConstraints(const DummyContext& context, double t, ModelRun& run,
                   const DummyStartEquations* start);

  [[nodiscard]] Index n_unknowns() const override { return pattern().columns; }
  [[nodiscard]] Index n_equations() const override { return pattern().rows; }
  Index residual(std::span<const double> u, std::span<double> values) override;
  [[nodiscard]] const SparsityPattern& pattern() const override { return jacobian_.pattern; }
  Index jacobian(std::span<const double> u, std::span<double> values) override;
  [[nodiscard]] std::string unknown_name(Index unknown) const override;
  [[nodiscard]] std::string equation_name(Index equation) const override;

  /// Copies places to x and parameters to the run.
  void unpack(std::span<const double> u, std::span<double> x);

 private:
  void set_parameters(std::span<const double> u);

  const DifferentiatedSystem& system_;
  double t_;
  ModelRun& run_;
  std::span<const std::size_t> parameters_;
  const SparseProgram& jacobian_;
  Evaluator residuals_, nonzeros_;
};

class DummyStart {
 public:
  /// Throws ModelError{unsupported} for initial equations that cannot be met. `context` must
  /// outlive the start.
  explicit DummyStart(const DummyContext& context);

  [[nodiscard]] Start find(double t0, DummyRun& run) const;

 private:
  /// One per place; places without a name count as given.
  [[nodiscard]] StartWishes wishes(DummyRun& run) const;
  void scale_derivatives(DummyConstraints& constraints, StartWishes& wishes) const;
  /// Selects the first states, or refuses.
  void select(double t0, DummyRun& run, Start& start) const;

  const DummyContext& context_;
  StartValues start_values_;
  InitialPart initial_;
  std::optional<DummyStartEquations> equations_;
};

}  // namespace daedal::formulation
