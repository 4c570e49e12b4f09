// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the implicit and the explicit form of `dummy-derivatives` share: the integrated vector
/// holds every place of the differentiated system, and there is one row for each place,
///
///     highest derivative  x_j^(d_j)           the highest derivative of its matched equation
///     lower place         x_j^(l), l < d_j    der(x_j^(l)) = x_j^(l+1), or the constraint that
///                                             was selected instead
///
/// Re-selection moves constraints between rows; unknowns never change. The pattern is the union
/// over all selections: a row has room for its own relation and for every constraint that can take
/// its place, which are those that the place occurs in.

#include <daedal/system.hpp>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "formulation/dummy/block_solver.hpp"
#include "formulation/dummy/selection.hpp"
#include "formulation/dummy/sigma_system.hpp"
#include "formulation/frame/model_context.hpp"
#include "formulation/frame/registry.hpp"

namespace daedal::formulation {

struct StatePlan;

/// What a run in the states alone works with (states_only.hpp).
struct StateWork {
  std::shared_ptr<const StatePlan> plan;  ///< of the selection
  BlockWorks blocks;
  std::unique_ptr<linalg::RealSolver> solver;  ///< of J_u
  std::vector<double> matrix, column;
  std::vector<double> places;  ///< of the last evaluation
  enum class Solved { nothing, rates, everything };
  Solved solved = Solved::nothing;  ///< of them, for
  double t = 0.0;
  std::vector<double> x;
  std::vector<double> accepted;  ///< places at the end of the last accepted step
  std::vector<double> sizes;     ///< the greatest of those that decide between roots
  double accepted_time = 0.0;
  std::vector<double> aside;   ///< places that were only read, found from far
  std::vector<double> memory;  ///< ModelRun::memory as it was left
};

class DummyRun final : public ModelRun {
 public:
  using ModelRun::ModelRun;
  Selection selection;
  std::vector<Index> targets;  ///< per equation: where the entries of its row begin
  double last_time = 0.0;      ///< where the last accepted step ended
  /// What nothing determines and no state feels keeps its value: after an event, since a model that
  /// begins so lacks an equation.
  bool keeps_undetermined = false;
  Evaluator residuals, jacobian, system_jacobian;
  StateWork states;
};

/// The view in which variables that are to be states can be: the derivative of such a variable is
/// given a name where no equation contains it. What depends on no state cannot be one; then the
/// model stays as it is: `plain`.
[[nodiscard]] GeneralView view_for_states(const Model& model, const GeneralView& plain);

class DummyContext final : public ModelContext {
 public:
  /// Throws ModelError{structurally_singular}, and {unsupported} for orders of stateSelect that no
  /// choice of states can obey.
  DummyContext(const Request& request, const DummyDerivatives& method);

  [[nodiscard]] const DifferentiatedSystem& system() const { return system_; }
  [[nodiscard]] const DummySelector& selector() const { return selector_; }
  [[nodiscard]] std::span<const UnknownKind> kinds() const { return traits_.kinds; }
  [[nodiscard]] std::span<const double> nominals() const { return traits_.nominals; }
  [[nodiscard]] const SparsityPattern& pattern() const { return pattern_; }
  /// Where the entries (p, p) and (p, p + 1) of the pattern are, the latter -1 for highest places.
  [[nodiscard]] Index diagonal(Index place) const { return diagonal_[to_size(place)]; }
  [[nodiscard]] Index next(Index place) const { return next_[to_size(place)]; }
  void prepare(DummyRun& run) const;

  /// Fills the rows that hold equations; the others are left as they are.
  Evaluation residual(double t, std::span<const double> x, DummyRun& run,
                      std::span<double> rows) const;
  /// Their derivatives by all places; zero elsewhere.
  Evaluation jacobian(double t, std::span<const double> x, DummyRun& run,
                      std::span<double> values) const;

  /// Selects anew. False where the system Jacobian is singular: run.failure says which block.
  bool select(double t, std::span<const double> x, DummyRun& run) const;
  /// Whether the system Jacobian is singular for every selection.
  [[nodiscard]] bool is_singular(double t, std::span<const double> x, DummyRun& run) const;
  /// Whether it is singular at nearby points too: then the structure hides the true index.
  [[nodiscard]] bool is_singular_around(double t, std::span<const double> x, DummyRun& run) const;
  /// All places at an instant inside the last step.
  using PlacesAt = std::function<void(double t, std::span<double> x)>;
  /// Re-selects after an accepted step.
  Change watch(double t, std::span<const double> x, const PlacesAt& inside, DummyRun& run) const;
  /// Selects anew after a change that an event has made.
  Change select_after(Change change, double t, std::span<const double> x, DummyRun& run) const;
  /// watch(), unless the run ends.
  Change watch_after(Change change, double t, std::span<const double> x, const History& history,
                     DummyRun& run) const;
  /// The greatest residual of the constraints, differentiated `level` times.
  double constraint_residual(double t, std::span<const double> x, int level, DummyRun& run) const;
  /// x' of all lower places.
  void set_rates(std::span<const double> x, std::span<double> xp) const;
  [[nodiscard]] std::string row_name(Index place) const;

  void read(double t, std::span<const double> x, std::span<const double> xp, ModelRun& run,
            std::span<double> values, std::span<double> derivatives) const override;
  bool assign(std::int32_t variable, double value, std::span<double> x) const override;
  Evaluation make_consistent(double t, std::span<double> x, std::span<double> xp,
                             ModelRun& run) const override;

 private:
  DummyContext(const Request& request, const DummyDerivatives& method, GeneralView view);
  /// What stateSelect orders and no selection can obey, in a sentence.
  [[nodiscard]] std::string refusal(double t, Index block) const;
  /// Looks inside the last step where a selection was singular: did the constraints lose rank?
  void report_crossing(double t, Index block, const PlacesAt& inside, DummyRun& run) const;
  void build_pattern();
  void build_targets();
  void aim(DummyRun& run) const;

  DifferentiatedSystem system_;
  DummySelector selector_;
  DummySelector::Settings settings_;
  PlaceTraits traits_;
  SparsityPattern pattern_;
  std::vector<Index> diagonal_, next_;
  /// The entries of each equation in the Jacobian of the differentiated system.
  std::vector<std::vector<Index>> entries_;
  struct Host {
    Index place = 0;
    Index first_target = 0;
  };
  std::vector<std::vector<Host>> hosts_;  ///< of each equation
  std::vector<Index> targets_;            ///< where an entry stands in the pattern, per host
};

}  // namespace daedal::formulation
