// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The start of a run as a problem for the initialiser: equations, and what is wished of their
/// unknowns. Every formulation gives its own equations; the wishes come from here.

#include <daedal/model.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/initial/initializer.hpp"
#include "formulation/frame/formulation.hpp"
#include "formulation/frame/model_run.hpp"

namespace daedal::formulation {

/// Start values given for one run, by variable of a model (ModelRun::starts). Throws
/// ModelError{unknown_name} for a variable that does not exist, with the name nearest to it.
std::vector<std::optional<double>> find_given_starts(const Model& model, const Overrides& starts);

/// Throws ModelError{unsupported} for a model with parameters that its initial equations determine,
/// for methods whose start does not find them: `who`, a plural.
void refuse_free_parameters(const Model& model, std::string_view who);

struct StartWishes {
  std::vector<analysis::InitialUnknown> unknowns;
  /// Whether a start value was given, for each of the first unknowns; others are not named.
  std::vector<bool> is_given;
  /// Variables that were to be states have start values: states without one follow from them.
  bool derives_defaults = false;

  /// The wishes for some of the variables.
  [[nodiscard]] StartWishes of(std::span<const std::int32_t> variables) const;
};

/// The start values of a model's variables as programs.
class StartValues {
 public:
  explicit StartValues(const Model& model);
  /// A wish per variable: values that are fixed or given for the run are held; all others are
  /// guesses, and defaults move more easily than given ones. A default is 0, or the bound of the
  /// variable nearest to it.
  [[nodiscard]] StartWishes wishes(ModelRun& run) const;

 private:
  Model model_;
  kernel::Program values_;
};

/// What a start tells of its values: one notice for the unknowns without a given start value, and
/// one for the given ones that were moved.
struct StartNotes {
  std::vector<std::string> completed, moved, left_domain;

  void add(const analysis::ConstraintSet& equations, const StartWishes& wishes,
           const analysis::InitialValues& found);
  void write(Start& start) const;
};

/// Where a run has the share of the actual expressions in homotopy(); null in models without it.
double* homotopy_share(const Model& model, ModelRun& run);

struct StartProblem {
  analysis::ConstraintSet& equations;
  StartWishes wishes;
  double* homotopy = nullptr;
  mutable std::vector<double> simplified{};  ///< the solution for *homotopy = 0, once it is found
  mutable std::vector<double> latest{};      ///< the last solution

  /// The values that meet the equations and move the wishes least; a failure is reported in
  /// `start`. With homotopy() they are followed from the simplified equations to the actual ones,
  /// whose solution is to be asked for first. The search begins at the last solution if it
  /// `goes_on`.
  analysis::InitialValues solve(const StopSignal& stop, Start& start, bool goes_on = false) const;
  /// Appends the notes.
  void add_notices(const analysis::InitialValues& found, Start& start) const;

 private:
  /// The solution of the simplified equations, followed to the actual ones; none where that fails.
  [[nodiscard]] std::optional<analysis::InitialValues> follow(
      analysis::InitializerOptions options) const;
};

/// Whether a state that was held has moved by more than the drift of a constraint.
[[nodiscard]] bool is_jump(double before, double after, double nominal);
/// What to say of such a state after an event.
[[nodiscard]] std::string impulse_sentence(std::string_view name, double before, double after);

/// Consistent values after an event. The states, which are held in `unknowns`, keep their
/// values, and what depends on them follows. Where no values hold them all, because the index has
/// risen or reinit gave a value to a dependent variable, those that `may_move` move as little as
/// possible; without a reinit such a jump is an impulse, which ends the run.
analysis::InitialValues find_after_event(analysis::ConstraintSet& equations,
                                         std::vector<analysis::InitialUnknown> unknowns,
                                         ModelRun& run,
                                         const std::function<bool(std::size_t)>& may_move);

}  // namespace daedal::formulation
