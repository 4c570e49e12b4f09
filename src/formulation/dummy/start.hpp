// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Consistent initial values of a differentiated system: all its equations, the hidden constraints
/// among them, are one constraint set for the initialiser. Named variables that are no highest
/// derivatives are guesses (or held, where fixed); everything else gives way first.

#include <optional>
#include <span>
#include <vector>

#include "analysis/initial/initializer.hpp"
#include "formulation/dummy/context.hpp"
#include "formulation/frame/formulation.hpp"
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
  /// Throws ModelError{unknown_name} for start values of variables that do not exist, and
  /// ModelError{unsupported} for initial equations that cannot be met.
  DummyStart(const DummyContext& context, const Overrides& starts);

  [[nodiscard]] Start find(double t0, DummyRun& run) const;

 private:
  struct Wishes {
    std::vector<analysis::InitialUnknown> unknowns;
    std::vector<bool> is_given;  ///< per place; places without a name count as given
  };
  [[nodiscard]] Wishes wishes(DummyRun& run) const;
  /// Selects the first states, or refuses.
  void select(double t0, DummyRun& run, Start& start) const;

  const DummyContext& context_;
  std::vector<std::optional<double>> overrides_;
  kernel::Program start_values_;
  InitialPart initial_;
  std::optional<DummyStartEquations> equations_;
};

}  // namespace daedal::formulation
