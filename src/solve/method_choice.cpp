// SPDX-License-Identifier: BSD-3-Clause
#include "solve/method_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace daedal::solve_detail {

namespace {

struct SuccessorRule {
  std::string_view method;
  std::string_view integrator;
  std::string_view reason;
  double tolerance_factor = 1.0;
  bool passes_folds = false;
};

/// Takes the place of an integrator's name where stiff_integrator() is to choose.
constexpr std::string_view stiff = "stiff";
constexpr std::string_view other_than_stiff = "other than stiff";
/// Likewise for equations that were differentiated, which are several times as many and couple more
/// densely.
constexpr std::string_view stiff_if_small = "stiff if small";

struct Rule {
  std::string_view method;
  std::string_view integrator = {};
  std::string_view reason;
  std::size_t max_unknowns = std::numeric_limits<std::size_t>::max();
  bool is_for_singular = false;
  bool is_for_low_index = false;
  bool has_series = false;     ///< Taylor series can be stepped along: see series_rules
  bool is_for_series = false;  ///< and nothing else
  bool is_shortcut = false;
  SuccessorRule when_stiff = {};
  SuccessorRule when_singular = {};
  SuccessorRule when_failed = {};
  double tolerance_factor = 1.0;
  bool minds_length = false;
  bool may_leave_states_alone = false;  ///< where it fails: see states_alone
  bool leaves_states_alone = false;     ///< from the start on, where that is much faster
  bool is_for_flows = false;            ///< for many_of_flows and more unknowns of index 2
  bool is_for_poles = false;            ///< of models without differential equations
};

/// Derivative arrays are dense: at index 3 and this size one decomposition takes about a second.
constexpr std::size_t largest_array = 150;
/// Above this structural index the equations grow faster by each differentiation than series by
/// their coefficients.
constexpr Index highest_differentiated_index = 4;
/// Above this one no other method finishes.
constexpr Index highest_index_of_others = 9;
/// Larger models are sparse as a rule, and often from a grid: stiff.
constexpr std::size_t largest_explicit = 200;

/// With at least this many unknowns, of which few are states, a multistep code on all unknowns
/// spends most of its time on vectors and matrices that do not contribute to the states. Mechanisms
/// and converters of the Modelica Standard Library with 40 to 8,000 unknowns take between half
/// and a thirtieth of that time with radau on the states alone (docs/automatic-choice.md).
constexpr std::size_t many_unknowns = 40;

/// Incompressible flows on grids and their like, x' = f(x) - B z with g(x) = 0: with this many
/// unknowns the differentiated constraints and the states that have to be selected cost more than
/// all the rest. A driven cavity of 16 x 16 cells, 736 unknowns, takes a third of the time by
/// `index2`, one of 32 x 32 cells a twentieth (docs/performance.md).
constexpr std::size_t many_of_flows = 500;

/// Where Taylor series are the fastest at equal digits, from the tolerance and the number of
/// operations in the equations (docs/automatic-choice.md): a digit more costs a scheme of order 8 a
/// third more steps, and series one or two coefficients.
struct SeriesRule {
  double rtol;             ///< from here on down
  Index most_operations;   ///< of models of index 0 and 1
  Index most_constrained;  ///< of models of a higher index
};
constexpr std::array series_rules{
    SeriesRule{1e-8, 100, 30},
    SeriesRule{1e-9, 200, 70},
    SeriesRule{1e-10, 500, 150},
    SeriesRule{1e-12, 1000, 150},
};
/// With more relations in conditions of events, these end too many of the long steps of series.
constexpr Index most_relations = 4;

/// Damped least squares leave errors that no estimate shows. Measured on the N-four-bar, N =
/// 2, with ten flat positions in 20 s: an error of 1e-4 takes a tolerance of 1e-8; on a four-bar of
/// spatial hinges, redundant all along: 1.4e-4 at 1e-6.
constexpr double singular_tolerance_factor = 0.01;

/// What equations that were differentiated determine, as forces and controls are, has the errors of
/// the states times rates of the model. On the torus 200 tolerances at the one asked for, 20 so.
constexpr double differentiated_tolerance_factor = 0.1;

/// Most models that are made of components have hundreds of algebraic unknowns, outputs among them,
/// and a few states: where these unknowns stop a run, the states alone are integrated. Not before:
/// steps that only the states control may leap from one root of an algebraic equation to another.
/// A one-step scheme begins anew after each of the many events of such models with long steps.
constexpr SuccessorRule states_alone{
    .method = "states-only",
    .integrator = "radau",
    .reason = "everything but the states is solved for block by block.",
    .passes_folds = true};

constexpr std::array rules{
    // Where no stiffness stands against it, an explicit scheme of order 8 takes a half to a quarter
    // of the time of `bdf` at the same accuracy (docs/automatic-choice.md).
    Rule{.method = "ode",
         .reason = "The model can be written as x' = f(t, x): it is integrated by an explicit "
                   "scheme.",
         .max_unknowns = largest_explicit,
         .is_for_low_index = true,
         .has_series = true,
         .is_shortcut = true,
         .when_stiff = {"direct", stiff, "the equations are solved as written, implicitly."},
         .minds_length = true},
    Rule{.method = "taylor",
         .reason = "The structural index of the model is high: its solution is expanded in Taylor "
                   "series by the structure, block by block, and no equation is differentiated.",
         .has_series = true,
         .is_for_series = true,
         .when_stiff = {"dummy-derivatives", "bdf",
                        "the differentiated equations are integrated by an implicit scheme."}},
    // Between the steps of an integrator that keeps all unknowns in one vector, a concentration
    // that
    // falls by decades becomes negative: the equations have a solution there, too.
    Rule{.method = "states-only",
         .integrator = "radau",
         .reason = "The model has no differential equations, and poles in the others: these are "
                   "solved block by block, on one side of the poles.",
         .is_for_poles = true},
    Rule{.method = "direct",
         .integrator = stiff,
         .reason = "The index of the model is at most 1: its equations are solved as written.",
         .is_for_low_index = true,
         // Algebraic variables that jump, or that tiny conductances hold, are in the error test of
         // a multistep code; a one-step scheme passes them.
         .when_failed = {"direct", other_than_stiff,
                         "the same equations are integrated by another scheme."},
         .may_leave_states_alone = true},
    // Cheapest of the methods that stay on the constraints, and no slower than the one that drifts:
    // projection costs about a tenth of an explicit run (see docs/performance.md).
    Rule{.method = "orthogonal-projection",
         .reason = "The model is a constrained mechanical system of index 3: accelerations are "
                   "solved for, and every step is projected on the constraints.",
         .when_stiff = {"ggl", "radau",
                        "the constraints on position and velocity level are solved together with "
                        "the equations of motion, implicitly."},
         .when_singular = {"trust-region", "dop853",
                           "multipliers are found by least squares with a bound on their length.",
                           singular_tolerance_factor},
         .minds_length = true},
    Rule{.method = "trust-region",
         .reason = "The constraints of the mechanical system are redundant or singular at the "
                   "start: multipliers are found by least squares.",
         .is_for_singular = true,
         .tolerance_factor = singular_tolerance_factor,
         .minds_length = true},
    Rule{.method = "states-only",
         .integrator = "radau",
         .reason = "The index of the model is above 1 and few of its many unknowns are states: "
                   "these are integrated, and everything else is solved for block by block.",
         .leaves_states_alone = true},
    Rule{
        .method = "index2",
        .integrator = "radau",
        .reason = "The model has many unknowns, and multipliers that keep constraints of index 2: "
                  "they are solved for as they are written, and no equation is differentiated.",
        .is_shortcut = true,
        .when_failed = {"dummy-derivatives", "bdf", "the differentiated equations are integrated."},
        .is_for_flows = true},
    Rule{.method = "dummy-derivatives",
         .integrator = stiff_if_small,
         .reason = "The index of the model is above 1, and its structure shows which equations to "
                   "differentiate: all constraints are kept, and states are selected on the way.",
         .may_leave_states_alone = true},
    // Needs no structure, only numbers; dense, so the last resort.
    Rule{.method = "derivative-array",
         .reason = "The index of the model is above 1 and its structure does not show why: its "
                   "hidden constraints are found from the derivatives of the equations.",
         .max_unknowns = largest_array,
         .when_stiff = {"derivative-array-implicit", "bdf",
                        "the constraints on all levels are solved together with the projected "
                        "differential equations, implicitly."}},
};

/// Radau takes a tenth of the steps of `bdf` and is 0.9 to 200 times as fast on stiff problems of 2
/// to 500 unknowns, the more the sharper the tolerance (docs/automatic-choice.md). Its complex
/// matrices are dear where factors fill up, as on large grids; sharp tolerances make up for it.
std::string_view stiff_integrator(std::size_t n_unknowns, double rtol) {
  constexpr std::size_t always = 500;
  constexpr std::size_t when_sharp = 5000;
  constexpr double sharp = 1e-8;
  const bool is_small = n_unknowns <= always || (n_unknowns <= when_sharp && rtol <= sharp);
  return is_small ? "radau" : "bdf";
}

/// What a rule says of the integrator, for a model of this size.
std::string_view resolve(std::string_view integrator, std::size_t n_unknowns, double rtol) {
  if (integrator == stiff) return stiff_integrator(n_unknowns, rtol);
  // Mechanisms of 200 and more unknowns run ten times as long by radau as by bdf, circuits of 10 to
  // 50 a third to a twentieth.
  constexpr std::size_t small = 50;
  if (integrator == stiff_if_small) return n_unknowns <= small ? "radau" : "bdf";
  if (integrator != other_than_stiff) return integrator;
  return stiff_integrator(n_unknowns, rtol) == "radau" ? "bdf" : "radau";
}

std::optional<Successor> make_successor(const SuccessorRule& rule, std::size_t n_unknowns,
                                        double rtol) {
  if (rule.method.empty()) return std::nullopt;
  return Successor{.method = &formulation::find_method(rule.method),
                   .integrator = resolve(rule.integrator, n_unknowns, rtol),
                   .reason = rule.reason,
                   .tolerance_factor = rule.tolerance_factor,
                   .passes_folds = rule.passes_folds};
}

Candidate make_candidate(const Rule& rule, const SolveOptions& options, std::size_t n_unknowns) {
  Candidate candidate{.method = &formulation::find_method(rule.method),
                      .reason = rule.reason,
                      .max_unknowns = rule.max_unknowns,
                      .is_for_singular = rule.is_for_singular,
                      .is_for_low_index = rule.is_for_low_index,
                      .takes_any_constraints = rule.is_for_flows,
                      .is_shortcut = rule.is_shortcut,
                      .is_for_poles = rule.is_for_poles,
                      .tolerance_factor = rule.tolerance_factor};
  // An integrator that was asked for is kept.
  if (options.integrator.is_automatic()) {
    const auto successor = [&](const SuccessorRule& to) {
      return make_successor(to, n_unknowns, *options.rtol);
    };
    candidate.when_stiff = successor(rule.when_stiff);
    const std::string_view implicit = stiff_integrator(n_unknowns, *options.rtol);
    if (rule.method == Ode::name && implicit == Radau::name) {
      candidate.stiff_integrator = implicit;
    }
    candidate.when_singular = successor(rule.when_singular);
    candidate.when_failed = successor(rule.when_failed);
    if (options.fixed_step == 0.0) {
      candidate.integrator = resolve(rule.integrator, n_unknowns, *options.rtol);
    }
    candidate.minds_length = rule.minds_length && options.fixed_step == 0.0;
    if (rule.integrator == stiff_if_small && candidate.integrator == "radau") {
      candidate.tolerance_factor *= differentiated_tolerance_factor;
    }
  }
  return candidate;
}

}  // namespace

Successor as_before(const Candidate& candidate) {
  return {.method = candidate.method,
          .integrator = candidate.integrator,
          .reason = "the previous method is used all the same.",
          .tolerance_factor = candidate.tolerance_factor,
          .was_before = true};
}

double long_run_excess(double n_steps, double factor) {
  // A local error is a hundredth of its bound as a rule, so that n² of them reach a hundred
  // tolerances at n = 100.
  constexpr double n_harmless = 100.0;
  return factor * (n_steps / n_harmless) * (n_steps / n_harmless);
}

double long_run_factor(double n_steps, double room) {
  // At order 8 a factor of a thousand makes the run 2.4 times as long, and 1e-6 5.6 times.
  constexpr double sharpest = 1e-6;
  constexpr double order = 8.0;
  constexpr double margin = 1.2;
  const double affordable = std::pow(std::max(room / margin, 1.0), -order);
  return std::clamp(1.0 / long_run_excess(n_steps, 1.0), std::max(sharpest, affordable), 1.0);
}

Candidate sharpened(Candidate candidate, double n_steps, double room) {
  candidate.tolerance_factor *= long_run_factor(n_steps, room);
  candidate.minds_length = false;
  candidate.is_sharpened = true;
  candidate.most_steps = steps_beyond_projection * n_steps;
  return candidate;
}

std::string length_warning(double n_steps) {
  return fmt::format(
      "The run takes about {:.2g} steps, over which errors add up, and its local tolerance could "
      "not be made sharp enough to make up for it: the result may be off by many tolerances. Allow "
      "more steps, or give a sharper tolerance.",
      n_steps);
}

namespace {

/// `is_explicit`: nothing has to be solved for. Where it has, every method must find the same
/// start.
bool are_series_fastest(const SolveOptions& options, const PreparedModel& model, bool is_explicit) {
  if (!options.integrator.is_automatic() || options.fixed_step > 0.0) return false;
  return std::ranges::any_of(series_rules, [&](const SeriesRule& rule) {
    if (*options.rtol > rule.rtol) return false;
    const PreparedModel::Making& making = model.making();
    const Index most = model.structural_index() > 1 ? rule.most_constrained : rule.most_operations;
    return making.is_smooth && (is_explicit || making.has_start) &&
           making.n_relations <= most_relations && making.n_operations <= most;
  });
}

constexpr std::string_view explicit_series =
    "The model can be written as x' = f(t, x), and at this tolerance Taylor series of its solution "
    "take the least time.";
constexpr std::string_view implicit_series =
    "At this tolerance the solution is computed fastest from its Taylor series, expanded by the "
    "structure of the equations.";
constexpr std::string_view asked_series =
    "The integrator asked for steps along Taylor series of the solution.";

}  // namespace

std::vector<Candidate> candidates(const SolveOptions& options, const PreparedModel& model,
                                  bool may_take_series) {
  if (!options.method.is_automatic()) {
    const formulation::MethodRow& method = formulation::find_method(options.method.name());
    return {{.method = &method}};
  }
  const Index index = model.structural_index();
  // Series are stepped by their own integrator, and by no other.
  const bool is_asked = options.integrator.name() == TaylorSteps::name;
  const bool is_needed = options.integrator.is_automatic() && index > highest_differentiated_index;
  std::vector<Candidate> result;
  const std::size_t n_unknowns = model.model().variables().size();
  for (const Rule& rule : rules) {
    const bool is_fastest = rule.has_series && may_take_series && !is_needed &&
                            are_series_fastest(options, model, !rule.is_for_series);
    const bool fits =
        rule.is_for_series ? is_asked || is_needed || is_fastest : !is_asked || rule.has_series;
    const bool is_quicker = options.integrator.is_automatic() && options.fixed_step == 0.0 &&
                            may_take_series && index > 1 && n_unknowns >= many_unknowns &&
                            model.has_few_states();
    const bool is_flow = options.integrator.is_automatic() && options.fixed_step == 0.0 &&
                         index == 2 && n_unknowns >= many_of_flows;
    if (!fits || (rule.leaves_states_alone && !is_quicker)) continue;
    if (rule.is_for_flows && !is_flow) continue;
    const bool has_poles = options.integrator.is_automatic() && options.fixed_step == 0.0 &&
                           may_take_series && index <= 1 && !model.making().has_states &&
                           model.making().has_poles;
    if (rule.is_for_poles && !has_poles) continue;
    Candidate& candidate = result.emplace_back(make_candidate(rule, options, n_unknowns));
    if (index > highest_index_of_others) candidate.when_stiff.reset();
    const bool is_explicit = rule.method == Ode::name;
    if (is_explicit && model.may_be_explicit()) candidate.max_unknowns = Rule{}.max_unknowns;
    const bool leaves_states_alone = rule.may_leave_states_alone && model.has_few_states() &&
                                     options.integrator.is_automatic() && options.fixed_step == 0.0;
    if (leaves_states_alone) {
      candidate.when_failed = make_successor(states_alone, n_unknowns, *options.rtol);
    }
    if (rule.may_leave_states_alone && index > 1 && options.integrator.is_automatic() &&
        options.fixed_step == 0.0) {
      candidate.when_undetermined = make_successor(states_alone, n_unknowns, *options.rtol);
    }
    if (rule.leaves_states_alone || rule.is_for_poles) candidate.is_for_speed = true;
    if (is_asked) candidate.reason = asked_series;
    if (!is_fastest) continue;
    candidate.integrator = TaylorSteps::name;
    candidate.reason = rule.is_for_series ? implicit_series : explicit_series;
    candidate.is_for_speed = true;
    candidate.minds_length = false;  // its steps share the tolerance
    if (rule.is_for_series) candidate.when_stiff.reset();
  }
  // The structure is asked before a start is searched: where it shows constraints between
  // differential variables, the equations as written have none worth searching for.
  if (index > 1) {
    std::stable_partition(result.begin(), result.end(),
                          [](const Candidate& c) { return !c.is_for_low_index; });
  }
  return result;
}

}  // namespace daedal::solve_detail
