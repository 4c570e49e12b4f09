// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The error test is one of the states. What follows from them may be less accurate: y = (x - 1)/ε
/// has lost the digits that x - 1 cancels. The estimated error e of a step, carried to all
/// variables of the model, y(x + e) - y(x), is compared with what rtol allows them. Where it is
/// more, the tolerance of the states becomes so much sharper.
///
/// A variable that is 0 but for the errors of the states, such as the drift of an energy, has no
/// digits to lose: only values count that are far above those errors, or far above rounding errors
/// at the start. One that is 0 at the start counts when it leaves 0 along the slopes there or
/// after the first steps, as an energy does not: it is expected to go as far as it is straight.
///
/// An unknown that decays keeps the absolute tolerance of what it was, and loses its digits. Most
/// need them no more; where a variable or a condition does, such as log(x), x/y or x < 1e-15, the
/// tolerance follows the unknown. An absolute tolerance that the user gave is kept: what reads
/// unknowns that are below it is told.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "integrate/stepper.hpp"
#include "integrate/weights.hpp"
#include "solve/run/output_map.hpp"

namespace daedal::solve_detail {

class CarriedError {
 public:
  struct Options {
    double rtol = 1e-6;
    double atol = 1e-8;
    bool follows_all = false;  ///< that decays, whatever reads it: it may grow again
    bool only_tells = false;   ///< changes no tolerance
  };
  CarriedError(std::shared_ptr<const OutputMap> map, const Model& model, const Options& options);

  /// Before the first step, when `stepper` has been started; the run ends at `stop`.
  void begin(integration::Stepper& stepper, double stop, Run& run);
  /// After a step: looks at some of them.
  void look(integration::Stepper& stepper, Run& run);
  /// A full sentence about what reads unknowns below their absolute tolerance; empty when nothing
  /// does.
  [[nodiscard]] const std::string& sentence() const { return sentence_; }

 private:
  [[nodiscard]] bool values_at(double t, std::span<const double> x, std::span<const double> slopes,
                               Run& run, std::span<double> out);
  /// Half the change of all variables from one side of an instant to the other along the slopes.
  [[nodiscard]] bool change_along(const integration::Stepper& stepper, std::span<const double> from,
                                  double way, Run& run, std::span<double> out);
  /// Whether variables are left that do not count yet.
  bool expect(const integration::Stepper& stepper, double way, Run& run);
  /// max |y(x + e) - y(x)| in tolerances over that of e; NaN where it cannot be told. Leaves the
  /// differences in moved_.
  [[nodiscard]] double amplification(const integration::Stepper& stepper, Run& run);
  /// Looks after unknowns that have decayed since they were last looked at.
  void follow_decays(integration::Stepper& stepper, Run& run);
  /// What of variables, conditions and rates of other unknowns moves by more than its tolerance
  /// where those unknowns are off by theirs; empty when nothing does.
  [[nodiscard]] std::string reader(const integration::Stepper& stepper, Run& run);
  /// Conditions that are decided by an error of the size of the absolute tolerance, and change.
  [[nodiscard]] std::string changed_condition(const integration::Stepper& stepper, double share,
                                              Run& run);
  /// Sets xp_ to the rates of an implicit system and slopes_ to those with the errors in x_.
  [[nodiscard]] bool move_rates(const integration::Stepper& stepper, Run& run);
  /// Notes the sides of the conditions, before a step is looked at.
  void note_sides(const integration::Stepper& stepper, Run& run);
  [[nodiscard]] std::string name_of(std::size_t unknown, const integration::Stepper& stepper) const;
  void tell(const integration::Stepper& stepper, const std::string& what);
  [[nodiscard]] double allowed(std::size_t variable) const;
  void sharpen(double amplification, double least, integration::Stepper& stepper);

  std::shared_ptr<const OutputMap> map_;
  double rtol_, atol_;
  bool follows_all_, only_tells_;
  std::string sentence_;
  /// Variables that the error test judges by tolerances of their own: the front of a diffusion,
  /// which is below these, must not sharpen those of the rest.
  std::vector<bool> is_tested_;
  std::vector<double> least_;  ///< tolerances of variables with a nominal value
  OutputMap::Workspace workspace_;
  std::vector<double> error_, x_, xp_, slopes_, weights_, values_, moved_;
  std::vector<double> peak_;      ///< of the values that count
  std::vector<double> expected_;  ///< of those that are 0 at the start
  std::vector<double> noise_;     ///< errors so far
  std::vector<double> rounding_;
  std::vector<double> looked_at_;  ///< unknowns are looked after again below these sizes
  std::vector<bool> is_followed_;
  std::vector<std::size_t> decayed_;
  std::vector<double> sizes_;  ///< of those
  std::vector<double> conditions_, moved_conditions_, last_conditions_;
  std::vector<bool> has_changed_;  ///< conditions, in the last step
  std::vector<bool> was_above_;    ///< unknowns that were more than their absolute tolerances
  double step_ = 0.0;              ///< the length of the last one
  double last_time_ = 0.0;
  double sharpness_ = 1.0;
  double start_ = 0.0;
  bool is_possible_ = true;
  /// Near singular positions of constraints nothing is sharp enough for their multipliers.
  bool can_sharpen_ = true;
  std::int64_t n_steps_ = 0;
  std::int64_t last_ = 0;
  std::int64_t next_ = 1;
};

}  // namespace daedal::solve_detail
